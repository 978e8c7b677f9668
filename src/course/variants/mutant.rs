//! Mutants: one nonce, identity, check, key or encryption dropped or swapped at a time.
//!
//! A change of a message's shape is made wherever that message is made or read, as the honest runs tell (see
//! [`super::trace`]); a check is dropped where it stands. Where a change leaves a role without something it needs, the
//! mutant can't run, which is an answer too.

use crate::base::source::{SourceFile, Span};
use crate::lang::syntax::ast::{
    File, Name, Pattern, PatternKind, Prefix, PrefixKind, Term, TermKind,
};
use crate::process::Type;
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};

use super::trace::{Form, Place, Trace};
use super::walk::{Visitor, walk_file};
use super::{Change, Edit};
use crate::analysis::Model;

/// A change with its description.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// `drop`, `swap`, `replace` or `reuse`.
    pub action: &'static str,
    /// `nonce`, `identity`, `key`, `check`, `encryption`, `hash`, `part`.
    pub object: &'static str,
    /// In words: `message 2, {na, Nb, b}K(a)+: drop identity b`.
    pub what: String,
    /// The first place.
    pub span: Span,
    /// The change itself.
    pub change: Change,
}

/// All mutants of a file, in the order of its messages and lines.
pub fn mutants(file: &SourceFile, tree: &File, variant: &Model, trace: &Trace) -> Vec<Mutant> {
    let maker = Maker {
        file,
        variant,
        trace,
        keys: Keys::new(&variant.store, trace),
    };
    let mut found = Vec::new();
    for class in maker.classes() {
        maker.components(&class, &mut found);
        maker.seals(&class, &mut found);
    }
    maker.checks(tree, &mut found);
    found
}

/// The representative of a group.
fn root(group: &mut [usize], mut i: usize) -> usize {
    while group[i] != i {
        group[i] = group[group[i]];
        i = group[i];
    }
    i
}

/// Places that handle the same thing: the two ends of a message, and whatever hands it on.
struct Class<'a> {
    places: Vec<&'a Place>,
    /// Where it is made first.
    first: &'a Place,
}

impl Class<'_> {
    fn spans(&self) -> FxHashSet<Span> {
        self.places.iter().map(|p| p.span).collect()
    }
}

struct Maker<'a> {
    file: &'a SourceFile,
    variant: &'a Model,
    trace: &'a Trace,
    keys: Keys<'a>,
}

/// What a key is used for: symmetric encryption, public-key encryption, signatures.
fn use_of(store: &TermStore, sealed: TermId) -> u8 {
    match store.view(sealed) {
        View::Senc(..) => 0,
        View::Aenc(..) => 1,
        View::Sign(..) => 2,
        _ => 3,
    }
}

/// How the declarations of a file write the keys of its ciphertexts.
struct Keys<'a> {
    /// By declaration, use, side and value; a symmetric key is written alike on both sides.
    written: FxHashMap<(usize, u8, bool, TermId), &'a Term>,
    /// All values, in the order of the places.
    values: Vec<TermId>,
}

impl<'a> Keys<'a> {
    fn new(store: &TermStore, trace: &'a Trace) -> Self {
        let mut keys = Keys {
            written: FxHashMap::default(),
            values: Vec::new(),
        };
        let mut seen = FxHashSet::default();
        for place in &trace.places {
            let Some((term, value)) = &place.key else {
                continue;
            };
            if seen.insert(*value) {
                keys.values.push(*value);
            }
            let entry = Self::entry(store, place, *value);
            keys.written.entry(entry).or_insert(term);
        }
        keys
    }

    /// What is asked for at a place of the same use.
    fn entry(store: &TermStore, at: &Place, value: TermId) -> (usize, u8, bool, TermId) {
        let used = use_of(store, at.value);
        (at.decl, used, at.pattern && used != 0, value)
    }
}

impl<'a> Maker<'a> {
    fn classes(&self) -> Vec<Class<'a>> {
        let places = &self.trace.places;
        let mut group: Vec<usize> = (0..places.len()).collect();
        let mut by_value: FxHashMap<(TermId, usize), usize> = FxHashMap::default();
        let mut by_span: FxHashMap<Span, usize> = FxHashMap::default();
        for (i, place) in places.iter().enumerate() {
            let a = *by_value
                .entry((place.value, place.parts.len()))
                .or_insert(i);
            let b = *by_span.entry(place.span).or_insert(i);
            for other in [a, b] {
                let (x, y) = (root(&mut group, i), root(&mut group, other));
                group[x.max(y)] = x.min(y);
            }
        }
        let mut classes: Vec<Vec<&Place>> = Vec::new();
        let mut number: FxHashMap<usize, usize> = FxHashMap::default();
        for (i, place) in places.iter().enumerate() {
            let of = *number.entry(root(&mut group, i)).or_insert_with(|| {
                classes.push(Vec::new());
                classes.len() - 1
            });
            classes[of].push(place);
        }
        let mut classes: Vec<Class<'_>> = classes
            .into_iter()
            .filter_map(|places| {
                let first = places
                    .iter()
                    .filter(|p| !p.pattern)
                    .min_by_key(|p| (p.message == 0, p.message, p.span))
                    .or(places.first())
                    .copied()?;
                Some(Class { places, first })
            })
            .collect();
        classes.sort_by_key(|c| (c.first.message == 0, c.first.message, c.first.span));
        classes
    }

    fn text(&self, span: Span) -> String {
        let words: Vec<&str> = self.file.slice(span).split_whitespace().collect();
        words.join(" ")
    }

    /// `message 2, {na, Nb, b}K(a)+`
    fn place(&self, class: &Class<'_>) -> String {
        let first = class.first;
        let number = match first.message {
            0 => "a message".to_owned(),
            n => format!("message {n}"),
        };
        if first.form == Form::Message {
            return number;
        }
        let text = self.text(first.span);
        if text.chars().count() > 40 {
            let start: String = text.chars().take(36).collect();
            return format!("{number}, {start}..");
        }
        format!("{number}, {text}")
    }

    /// What a value is in a protocol.
    fn object(&self, value: TermId) -> &'static str {
        let store = &self.variant.store;
        match store.view(value) {
            View::Name(n) => {
                let program = &self.variant.flat.program;
                let info = store.name_info(n);
                let sig = &program.signature;
                if sig.agents.contains(&value) || sig.spies.contains(&value) {
                    return "identity";
                }
                let restricted = info.class == NameClass::Restricted;
                let ty = program
                    .sites
                    .iter()
                    .find(|s| restricted && s.label == info.label)
                    .map(|s| s.ty);
                match ty {
                    Some(Type::Nonce) => "nonce",
                    Some(Type::Sym) => "key",
                    _ => "part",
                }
            }
            View::Pub(_) | View::Priv(_) | View::Family(..) => "key",
            View::Senc(..) | View::Aenc(..) | View::Sign(..) => "ciphertext",
            View::Hash(_) => "hash",
            View::Function(..) => "result of a function",
            _ => "part",
        }
    }

    fn components(&self, class: &Class<'a>, found: &mut Vec<Mutant>) {
        let first = class.first;
        let width = first.parts.len();
        let place = self.place(class);
        if width < 2 {
            return;
        }
        for (i, (span, value)) in first.parts.iter().enumerate() {
            let object = self.object(*value);
            found.push(Mutant {
                action: "drop",
                object,
                what: format!("{place}: drop {object} {}", self.text(*span)),
                span: first.span,
                change: Change {
                    edit: Edit::Drop(i),
                    at: class.spans(),
                },
            });
            if object == "identity" {
                self.identities(class, i, found);
            }
        }
        for i in 0..width {
            for j in i + 1..width {
                let ((a, x), (b, y)) = (first.parts[i], first.parts[j]);
                if x == y || (width > 4 && j > i + 1) {
                    continue;
                }
                found.push(Mutant {
                    action: "swap",
                    object: self.object(x),
                    what: format!("{place}: swap {} and {}", self.text(a), self.text(b)),
                    span: first.span,
                    change: Change {
                        edit: Edit::Swap(i, j),
                        at: class.spans(),
                    },
                });
            }
        }
    }

    /// The identity of another agent that both ends know.
    fn identities(&self, class: &Class<'a>, i: usize, found: &mut Vec<Mutant>) {
        let (span, value) = class.first.parts[i];
        let signature = &self.variant.flat.program.signature;
        for other in &signature.agents {
            let mut names: FxHashMap<Span, Name> = FxHashMap::default();
            let known = class.places.iter().all(|place| {
                let bound = place.binds.get(i).copied().unwrap_or(true);
                let same = place.parts.get(i).is_some_and(|(_, v)| *v == value);
                let name = self.named(place.decl, *other);
                // An agent that the receiver learns from this message has no other source.
                match name {
                    _ if !same => true,
                    Some(name) if !(place.pattern && bound) => {
                        names.insert(place.span, name);
                        true
                    }
                    _ => false,
                }
            });
            if *other == value || !known || names.is_empty() {
                continue;
            }
            let text = names
                .get(&class.first.span)
                .map_or_else(String::new, ToString::to_string);
            found.push(Mutant {
                action: "replace",
                object: "identity",
                what: format!(
                    "{}: replace identity {} by {text}",
                    self.place(class),
                    self.text(span)
                ),
                span: class.first.span,
                change: Change {
                    edit: Edit::Name(i, names),
                    at: class.spans(),
                },
            });
        }
    }

    /// The parameter of a role that stands for an agent, in its first honest instance.
    fn named(&self, decl: usize, agent: TermId) -> Option<Name> {
        let actor = self
            .trace
            .actors
            .iter()
            .find(|a| a.decl == decl && a.honest)?;
        actor
            .params
            .iter()
            .find(|(_, v)| *v == agent)
            .map(|(n, _)| n.clone())
    }

    fn seals(&self, class: &Class<'a>, found: &mut Vec<Mutant>) {
        let first = class.first;
        let place = self.place(class);
        let object = match first.form {
            Form::Cipher => "encryption",
            Form::Hash => "hash",
            Form::Message | Form::Tuple => return,
        };
        found.push(Mutant {
            action: "drop",
            object,
            what: format!("{place}: drop the {object}"),
            span: first.span,
            change: Change {
                edit: Edit::Open,
                at: class.spans(),
            },
        });
        let Some((_, own)) = &first.key else { return };
        let store = &self.variant.store;
        let mut ends: Vec<&Place> = Vec::new();
        let mut seen = FxHashSet::default();
        let end = |p: &Place| (p.span, Keys::entry(store, p, *own));
        ends.extend(class.places.iter().filter(|p| seen.insert(end(p))));
        // Another key that both ends use elsewhere, for the same end of an encryption. What is written alike is the same change, or none.
        let texts = |keys: &[&Term]| -> Vec<String> {
            let spans = keys.iter().map(|k| k.span);
            spans.map(|s| self.text(s)).collect()
        };
        let as_it_is: Option<Vec<&Term>> = ends
            .iter()
            .map(|p| p.key.as_ref().map(|(t, _)| t))
            .collect();
        let mut tried: FxHashSet<Vec<String>> = FxHashSet::default();
        tried.extend(as_it_is.map(|keys| texts(&keys)));
        for value in self.keys.values.iter().filter(|v| *v != own) {
            let written = |p: &&Place| self.keys.written.get(&Keys::entry(store, p, *value));
            let Some(keys) = ends
                .iter()
                .map(|p| written(p).copied())
                .collect::<Option<Vec<&Term>>>()
            else {
                continue;
            };
            if !tried.insert(texts(&keys)) {
                continue;
            }
            let spans = ends.iter().map(|p| p.span);
            let keys: FxHashMap<Span, Term> = spans.zip(keys.into_iter().cloned()).collect();
            let text = keys
                .get(&first.span)
                .map_or_else(String::new, |k| self.text(k.span));
            found.push(Mutant {
                action: "swap",
                object: "key",
                what: format!("{place}: encrypt with {text}"),
                span: first.span,
                change: Change {
                    edit: Edit::Key(keys),
                    at: class.spans(),
                },
            });
        }
    }

    /// Checks and fresh names, wherever they stand.
    fn checks(&self, tree: &File, found: &mut Vec<Mutant>) {
        let mut collector = Collector::default();
        walk_file(&mut tree.clone(), &mut collector);
        let single = |edit: Edit, span: Span| Change {
            edit,
            at: FxHashSet::from_iter([span]),
        };
        for (span, inner) in collector.comparisons {
            found.push(Mutant {
                action: "drop",
                object: "check",
                what: format!("line {}: drop check ={}", self.line(span), self.text(inner)),
                span,
                change: single(Edit::Loosen, span),
            });
        }
        for span in collector.matches {
            found.push(Mutant {
                action: "drop",
                object: "check",
                what: format!("line {}: drop check {}", self.line(span), self.text(span)),
                span,
                change: single(Edit::Skip, span),
            });
        }
        for (span, text) in collector.applications {
            found.push(Mutant {
                action: "drop",
                object: "check",
                what: format!("line {}: drop check {}", self.line(span), self.text(text)),
                span,
                change: single(Edit::Skip, span),
            });
        }
        for (name, ty, span) in collector.fresh {
            let object = match ty.as_deref() {
                Some("Nonce") => "nonce",
                Some("Sym") => "key",
                _ => continue,
            };
            found.push(Mutant {
                action: "reuse",
                object,
                what: format!(
                    "line {}: the same {object} {name} in every session",
                    self.line(span)
                ),
                span,
                change: single(Edit::Reuse, span),
            });
        }
    }

    fn line(&self, span: Span) -> usize {
        self.file.line_column(span.start).0
    }
}

#[derive(Default)]
struct Collector {
    comparisons: Vec<(Span, Span)>,
    matches: Vec<Span>,
    /// `let _ = verify(..) in`: the step, and what is applied.
    applications: Vec<(Span, Span)>,
    fresh: Vec<(Name, Option<Name>, Span)>,
}

impl Visitor for Collector {
    fn pattern(&mut self, pattern: &mut Pattern) {
        if let PatternKind::Equal(term) = &pattern.kind
            && !matches!(term.kind, TermKind::Error)
        {
            self.comparisons.push((pattern.span, term.span));
        }
    }

    fn prefix(&mut self, prefix: &mut Prefix) {
        match &prefix.kind {
            PrefixKind::Match(..) => self.matches.push(prefix.span),
            // What only has to succeed.
            PrefixKind::Let(pattern, term, _)
                if matches!(pattern.kind, PatternKind::Wildcard(_))
                    && matches!(term.kind, TermKind::Apply(..)) =>
            {
                self.applications.push((prefix.span, term.span));
            }
            PrefixKind::New(binders) => self.fresh.extend(binders.iter().map(|b| {
                let ty = b.ty.as_ref().map(|t| t.name.name.clone());
                (b.name.name.clone(), ty, b.name.span)
            })),
            _ => {}
        }
    }
}

//! How the attacker makes a message or learns a secret, in words.
//!
//! A certified derivation is a tree: at its leaves messages that were heard, above them what was taken out of these,
//! above that what was put together. A sentence follows the same order: what is taken from where and with which key,
//! then what is built.

use super::paper::unbroken;
use super::spelling::Spelling;
use crate::certify::{Derivation, Rule, Source};
use crate::term::{DestructorId, NameClass, TermId, TermStore, View};
use std::sync::Arc;

/// Terms longer than this are called a part of their message.
const LONG: usize = 34;

/// Something taken from what the attacker was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// What is used.
    pub term: TermId,
    /// Where it comes from.
    pub source: Source,
    /// What was opened on the way, the outermost first.
    pub opened: Vec<Opened>,
    /// The given message itself, not a part of it.
    pub whole: bool,
}

/// Something that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// What was opened.
    pub sealed: TermId,
    /// The key, or the other arguments of the destructor.
    pub with: Vec<TermId>,
    /// The declared destructor; none for what has a key.
    pub destructor: Option<DestructorId>,
}

/// The way a message came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Nothing that was learned is in it.
    Invented,
    /// It is a message that was heard, or initial knowledge, unchanged.
    Copied(Source),
    /// It is put together.
    Built,
    /// It is a part of something heard.
    Extracted(Source),
}

/// What a derivation takes from where, in the order of first use, and each thing once.
pub fn uses(derivation: &Derivation) -> Vec<Use> {
    let mut found = Vec::new();
    collect(derivation, &mut found);
    found
}

fn collect(d: &Derivation, found: &mut Vec<Use>) {
    match &d.rule {
        Rule::Free => {}
        Rule::Composed(parts) => parts.iter().for_each(|p| collect(p, found)),
        Rule::Given(_) | Rule::Part { .. } | Rule::Opened { .. } | Rule::Destructed { .. } => {
            let mut opened = Vec::new();
            let mut keys = Vec::new();
            if let Some(source) = origin(d, &mut opened, &mut keys) {
                let this = Use {
                    term: d.term,
                    source,
                    opened,
                    whole: matches!(d.rule, Rule::Given(_)),
                };
                for key in keys {
                    collect(key, found);
                }
                if !found.contains(&this) {
                    found.push(this);
                }
            } else if let Rule::Destructed { args, .. } = &d.rule {
                for arg in args {
                    collect(arg, found);
                }
            }
        }
    }
}

/// The given message that a term was taken out of, and what was opened on the way.
fn origin<'d>(
    d: &'d Derivation,
    opened: &mut Vec<Opened>,
    keys: &mut Vec<&'d Derivation>,
) -> Option<Source> {
    match &d.rule {
        Rule::Given(source) => Some(*source),
        Rule::Part { of, .. } => origin(of, opened, keys),
        Rule::Opened { sealed, key } => {
            let source = origin(sealed, opened, keys);
            opened.push(Opened {
                sealed: sealed.term,
                with: vec![key.term],
                destructor: None,
            });
            keys.push(key);
            source
        }
        Rule::Destructed {
            destructor, args, ..
        } => {
            // The first argument that comes out of something is what is opened; it may have been wrapped for it.
            let taken = |a: &&Arc<Derivation>| !matches!(a.rule, Rule::Free | Rule::Composed(_));
            let of = args.iter().find(taken)?;
            let source = origin(of, opened, keys);
            let others = args.iter().filter(|a| !Arc::ptr_eq(a, of));
            opened.push(Opened {
                sealed: of.term,
                with: others.clone().map(|a| a.term).collect(),
                destructor: Some(*destructor),
            });
            keys.extend(others.map(|a| &**a));
            source
        }
        Rule::Free | Rule::Composed(_) => None,
    }
}

/// The way the derived message came about.
pub(super) fn manner(derivation: &Derivation) -> Manner {
    match &derivation.rule {
        Rule::Given(source) => Manner::Copied(*source),
        _ if derivation.is_free() => Manner::Invented,
        Rule::Composed(_) | Rule::Free => Manner::Built,
        Rule::Part { .. } | Rule::Opened { .. } | Rule::Destructed { .. } => {
            let source = origin(derivation, &mut Vec::new(), &mut Vec::new());
            source.map_or(Manner::Built, Manner::Extracted)
        }
    }
}

/// What is done to put a message together.
#[derive(PartialEq)]
enum Clause {
    /// Names of its own making are added.
    Adds(String),
    /// Something else.
    Does(String),
}

impl Clause {
    fn text(&self) -> String {
        match self {
            Clause::Adds(names) => format!("adds its own {names}"),
            Clause::Does(text) => text.clone(),
        }
    }
}

/// Puts derivations into words.
pub struct Teller<'a> {
    /// The terms.
    pub store: &'a TermStore,
    /// The story's names.
    pub spelling: &'a Spelling,
    /// The number of the message that each move of the witness sends.
    pub numbers: &'a [Option<usize>],
    /// The move whose message the sentence is about: it is called "it".
    pub here: Option<usize>,
}

impl Teller<'_> {
    /// The term in one piece: no line is cut inside.
    fn show(&self, term: TermId) -> String {
        unbroken(&self.spelling.show(self.store, term))
    }

    /// The source as a reader knows it.
    pub fn source(&self, source: Source) -> String {
        match source {
            Source::Initial(_) => "before".to_owned(),
            Source::Sent(at) if self.here == Some(at) => "it".to_owned(),
            Source::Sent(at) => match self.numbers.get(at).copied().flatten() {
                Some(n) => n.to_string(),
                None => "an earlier message".to_owned(),
            },
        }
    }

    /// What the spy does to make a message that is not merely forwarded: `decrypts 1 with K(C)-, encrypts for B`.
    pub fn make(&self, derivation: &Derivation) -> String {
        if let Manner::Invented = manner(derivation) {
            let own = own_names(self.store, derivation.term);
            if own.is_empty() {
                return "makes it from public names".to_owned();
            }
            if own == [derivation.term] {
                return "makes it up".to_owned();
            }
            let own: Vec<String> = own.into_iter().map(|t| self.show(t)).collect();
            return format!("makes it up, with its own {}", own.join(", "));
        }
        let mut clauses = self.take(&uses(derivation));
        let built = self.build(derivation);
        let joined = matches!(self.store.view(derivation.term), View::Tuple(_));
        if built.is_empty() && joined && clauses.len() > 1 {
            clauses.push("joins them".to_owned());
        }
        clauses.extend(built.iter().map(Clause::text));
        clauses.join(", ")
    }

    /// What is taken from where, one clause for each message and way of opening it.
    pub fn take(&self, uses: &[Use]) -> Vec<String> {
        let mut clauses = Vec::new();
        let mut done: Vec<usize> = Vec::new();
        for (i, one) in uses.iter().enumerate() {
            if done.contains(&i) {
                continue;
            }
            let alike: Vec<usize> = (i..uses.len())
                .filter(|j| {
                    let other = &uses[*j];
                    other.source == one.source
                        && other.opened == one.opened
                        && other.whole == one.whole
                })
                .collect();
            let terms: Vec<TermId> = alike.iter().map(|j| uses[*j].term).collect();
            done.extend(alike);
            clauses.push(self.clause(one, &terms));
        }
        clauses
    }

    fn clause(&self, one: &Use, terms: &[TermId]) -> String {
        let source = self.source(one.source);
        let Some(last) = one.opened.last() else {
            let atom = self.store.node(one.term).args.is_empty();
            return match one.source {
                Source::Initial(_) => format!("has {} from before", self.parts(terms)),
                Source::Sent(_) if one.whole && !atom => format!("takes {source}"),
                Source::Sent(_) => format!("takes {} from {source}", self.parts(terms)),
            };
        };
        if self.is_read(last) {
            return format!("reads {} in {source}", self.parts(terms));
        }
        // Everybody reads what is only signed: its key is not worth a word.
        let opened: Vec<&Opened> = one.opened.iter().filter(|o| !self.is_read(o)).collect();
        let with = |o: &Opened| {
            let with: Vec<String> = o.with.iter().map(|t| self.show(*t)).collect();
            with.join(", ")
        };
        if opened.iter().all(|o| o.destructor.is_none()) {
            let keys: Vec<String> = opened.iter().map(|o| with(o)).collect();
            return format!("decrypts {source} with {}", keys.join(", then "));
        }
        let steps = opened.iter().enumerate().map(|(i, o)| {
            let of = if i == 0 { source.as_str() } else { "it" };
            match (o.destructor, o.with.is_empty()) {
                (None, _) => format!("decrypts {of} with {}", with(o)),
                (Some(d), true) => format!("applies {} to {of}", self.store.destructor_label(d)),
                (Some(d), false) => {
                    let label = self.store.destructor_label(d);
                    format!("applies {label} to {of} with {}", with(o))
                }
            }
        });
        steps.collect::<Vec<_>>().join(", then ")
    }

    /// Whether something is only signed: it is read rather than opened.
    pub fn is_read(&self, o: &Opened) -> bool {
        o.destructor.is_none() && matches!(self.store.view(o.sealed), View::Sign(..))
    }

    /// A few terms, or that they are parts of something.
    fn parts(&self, terms: &[TermId]) -> String {
        let texts: Vec<String> = terms.iter().map(|t| self.show(*t)).collect();
        let text = texts.join(" and ");
        match (text.len() <= LONG, terms.len()) {
            (true, _) => text,
            (false, 1) => "a part".to_owned(),
            (false, _) => "parts".to_owned(),
        }
    }

    /// What is built on top: encryptions and signatures, the outermost last.
    fn build(&self, derivation: &Derivation) -> Vec<Clause> {
        let Rule::Composed(parts) = &derivation.rule else {
            return Vec::new();
        };
        if derivation.is_free() {
            return Vec::new();
        }
        let mut clauses: Vec<Clause> = parts.iter().flat_map(|p| self.build(p)).collect();
        let clause = match self.store.view(derivation.term) {
            View::Aenc(_, k) => match self.owner_of(k) {
                Some(agent) => format!("encrypts for {agent}"),
                None => format!("encrypts with {}", self.show(k)),
            },
            View::Senc(_, k) => format!("encrypts with {}", self.show(k)),
            View::Sign(_, k) => format!("signs with {}", self.show(k)),
            View::Hash(_) => "hashes".to_owned(),
            View::Function(f, _) => format!("applies {}", self.store.function_info(f).label),
            View::Share(..) | View::Joint(..) => format!("computes {}", self.show(derivation.term)),
            View::Suc(_) => "adds one".to_owned(),
            View::Tuple(_) => {
                let own = own_names(self.store, derivation.term);
                let direct: Vec<String> = components(self.store, derivation.term)
                    .into_iter()
                    .filter(|t| own.contains(t))
                    .map(|t| self.show(t))
                    .collect();
                // An inner tuple is the tail of this one, and has been spoken of.
                clauses.retain(|c| !matches!(c, Clause::Adds(_)));
                if direct.is_empty() {
                    return clauses;
                }
                clauses.push(Clause::Adds(direct.join(", ")));
                return clauses;
            }
            _ => return clauses,
        };
        let clause = Clause::Does(clause);
        if clauses.last() != Some(&clause) {
            clauses.push(clause);
        }
        clauses
    }

    /// The agent of a public key `K(b)+`.
    fn owner_of(&self, key: TermId) -> Option<String> {
        let View::Pub(pair) = self.store.view(key) else {
            return None;
        };
        match self.store.view(pair) {
            View::Family(_, [agent]) => Some(self.show(*agent)),
            _ => None,
        }
    }
}

/// The components of nested pairs.
fn components(store: &TermStore, term: TermId) -> Vec<TermId> {
    match store.view(term) {
        View::Tuple(parts) => parts.iter().flat_map(|p| components(store, *p)).collect(),
        _ => vec![term],
    }
}

/// Names of the attacker's own making in a term.
pub(super) fn own_names(store: &TermStore, term: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    store.visit(term, &mut |t| {
        if let View::Name(n) = store.view(t)
            && store.name_info(n).class == NameClass::Attacker
            && !found.contains(&t)
        {
            found.push(t);
        }
        true
    });
    found
}

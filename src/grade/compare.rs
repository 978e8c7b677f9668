//! Is the submission still about the same thing? Declarations, claims, events, keys, and what the honest run brings about.

use crate::analysis::{Settings, honest_run};
use crate::process::{Closed, SystemId};
use crate::search::{HonestMove, Observer};
use crate::source::{SourceFile, Span};
use crate::syntax::ast::{
    Decl, DeclKind, Def, File, Name, Part, Pattern, PatternKind, Prefix, PrefixKind, Term, TermKind,
};
use crate::term::{NameClass, View};
use crate::variants::{Variant, Visitor, walk_process};
use rustc_hash::FxHashSet;

use super::exercise::spaceless;
use super::{Measure, Paper};

/// A declaration as text: comments and blanks do not count.
fn text(file: &SourceFile, span: Span) -> String {
    let lines = file.slice(span).lines();
    let code: String = lines
        .map(|l| l.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join(" ");
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a declaration is part of the world in which the roles live.
fn is_world(decl: &Decl) -> bool {
    !matches!(
        decl.kind,
        DeclKind::Def(_) | DeclKind::Claim(_) | DeclKind::Error
    )
}

/// The first declaration of the exercise that the submission lacks or changes, or one it should not have.
pub fn other_world(given: &Paper, own: &Paper) -> Option<String> {
    let texts = |paper: &Paper| -> Vec<(String, bool)> {
        let decls = paper.tree.decls.iter().filter(|d| is_world(d));
        decls
            .map(|d| {
                // Further systems change nothing, and public names help nobody but the reader.
                let free = matches!(d.kind, DeclKind::System(_) | DeclKind::Public(_));
                (text(&paper.file, d.span), free)
            })
            .collect()
    };
    let (given, own) = (texts(given), texts(own));
    if let Some((lost, _)) = given.iter().find(|(g, _)| own.iter().all(|(o, _)| o != g)) {
        return Some(format!("`{lost}` is gone or changed"));
    }
    own.iter()
        .find(|(o, free)| !free && given.iter().all(|(g, _)| g != o))
        .map(|(added, _)| format!("`{added}` is not in the exercise"))
}

/// The exercise's world and claims with the roles of the submission.
pub fn combined(given: &Paper, own: &Paper) -> File {
    let mut tree = given.tree.clone();
    tree.decls.retain(|d| !matches!(d.kind, DeclKind::Def(_)));
    let known: FxHashSet<String> = given
        .tree
        .decls
        .iter()
        .map(|d| text(&given.file, d.span))
        .collect();
    let added = own.tree.decls.iter().filter(|d| match d.kind {
        DeclKind::Def(_) => true,
        DeclKind::Public(_) => !known.contains(&text(&own.file, d.span)),
        _ => false,
    });
    tree.decls.extend(added.cloned());
    tree
}

/// What became of a claim of the exercise, if it is not there as it was.
pub fn lost_claim(given: &Variant, own: &Variant) -> Option<(String, String)> {
    let theirs: Vec<&str> = own.claims().iter().map(|c| c.text.as_str()).collect();
    let strengths = [
        "injective agreement ",
        "agreement ",
        "weak agreement ",
        "aliveness ",
    ];
    let bare = |t: &str| -> Option<String> {
        strengths
            .iter()
            .find_map(|s| t.strip_prefix(s))
            .map(str::to_owned)
    };
    for claim in given.claims() {
        let wanted = claim.text.as_str();
        if theirs.contains(&wanted) {
            continue;
        }
        let core = bare(wanted);
        let weaker = theirs
            .iter()
            .find(|t| core.is_some() && bare(t) == core)
            .map(|t| format!("`{wanted}` became `{t}`"));
        let how = weaker.unwrap_or_else(|| format!("`{wanted}` is gone or changed"));
        return Some((wanted.to_owned(), how));
    }
    None
}

fn defs(tree: &File) -> impl Iterator<Item = &Def> {
    tree.decls.iter().filter_map(|d| match &d.kind {
        DeclKind::Def(def) => Some(def),
        _ => None,
    })
}

fn def<'a>(tree: &'a File, name: &str) -> Option<&'a Def> {
    defs(tree).find(|d| &*d.name.name == name)
}

/// What a role marks and which secret keys it uses, with parameters by number.
struct Habits {
    params: Vec<Name>,
    fresh: Vec<Name>,
    bound: Vec<Name>,
    /// Event with its arguments, and the number of inputs before it.
    events: Vec<(String, usize)>,
    inputs: usize,
    applied: Vec<(Span, String)>,
    public: Vec<Span>,
    private: Vec<Span>,
}

impl Habits {
    fn of(def: &Def) -> Habits {
        let mut habits = Habits {
            params: def.params.iter().map(|p| p.name.name.clone()).collect(),
            fresh: Vec::new(),
            bound: Vec::new(),
            events: Vec::new(),
            inputs: 0,
            applied: Vec::new(),
            public: Vec::new(),
            private: Vec::new(),
        };
        walk_process(&mut def.body.clone(), &mut habits);
        habits
    }

    fn name(&self, name: &Name) -> String {
        if let Some(i) = self.params.iter().position(|p| p == name) {
            return format!("#{i}");
        }
        if self.fresh.contains(name) {
            return name.to_string();
        }
        if self.bound.contains(name) {
            return "?".to_owned();
        }
        name.to_string()
    }

    fn shown(&self, term: &Term) -> String {
        let list = |args: &[Term]| -> String {
            let all: Vec<String> = args.iter().map(|t| self.shown(t)).collect();
            all.join(",")
        };
        match &term.kind {
            TermKind::Name(name) => self.name(name),
            TermKind::Apply(f, args) => format!("{f}({})", list(args)),
            TermKind::Int(n) => n.to_string(),
            TermKind::Suc(t) => format!("suc({})", self.shown(t)),
            TermKind::Tuple(args) => format!("({})", list(args)),
            TermKind::Hash(args) => format!("H({})", list(args)),
            TermKind::Encrypt(_, args, key) => format!("{{{}}}{}", list(args), self.shown(key)),
            TermKind::Part(t, Part::Public) => format!("{}+", self.shown(t)),
            TermKind::Part(t, Part::Private) => format!("{}-", self.shown(t)),
            TermKind::Error => String::new(),
        }
    }

    /// The keys that only their owners have.
    fn secret_keys(&self) -> Vec<String> {
        self.applied
            .iter()
            .filter(|(span, _)| !self.public.contains(span))
            .map(|(_, key)| key.clone())
            .collect()
    }
}

impl Visitor for Habits {
    fn term(&mut self, term: &mut Term) {
        match &term.kind {
            TermKind::Apply(..) => {
                let shown = self.shown(term);
                self.applied.push((term.span, shown));
            }
            TermKind::Part(inner, Part::Public) => self.public.push(inner.span),
            TermKind::Part(inner, Part::Private) => self.private.push(inner.span),
            _ => {}
        }
    }

    fn pattern(&mut self, pattern: &mut Pattern) {
        // The public part in a pattern checks a signature: anybody may.
        if let PatternKind::Bind(binder) = &pattern.kind {
            self.bound.push(binder.name.name.clone());
        }
    }

    fn prefix(&mut self, prefix: &mut Prefix) {
        match &prefix.kind {
            PrefixKind::New(binders) => {
                self.fresh
                    .extend(binders.iter().map(|b| b.name.name.clone()));
            }
            PrefixKind::Apply(apply) if apply.args.is_some() => self.inputs += 1,
            PrefixKind::Event(name, args) => {
                let all: Vec<String> = args.iter().map(|t| self.shown(t)).collect();
                self.events
                    .push((format!("{name}({})", all.join(", ")), self.inputs));
            }
            _ => {}
        }
    }
}

/// An event of the exercise that the submission marks otherwise.
pub fn other_event(given: &Paper, own: &Paper) -> Option<(String, String)> {
    for role in defs(&given.tree) {
        let name = &role.name.name;
        let Some(theirs) = def(&own.tree, name) else {
            return Some((name.to_string(), format!("the role `{name}` is gone")));
        };
        if theirs.params.len() != role.params.len() {
            let detail = format!("`{name}` has other parameters");
            return Some((name.to_string(), detail));
        }
        let (wanted, found) = (Habits::of(role), Habits::of(theirs));
        for (event, inputs) in &wanted.events {
            let label = event.split('(').next().unwrap_or(event);
            let Some((_, after)) = found.events.iter().find(|(e, _)| e == event) else {
                let detail = format!("`{name}` no longer marks `{label}` with the same arguments");
                return Some((name.to_string(), detail));
            };
            if after < inputs {
                let detail = format!("`{name}` marks `{label}` before it has received as much");
                return Some((name.to_string(), detail));
            }
        }
        for (event, _) in &found.events {
            let label = event.split('(').next().unwrap_or(event);
            let same = |list: &[(String, usize)]| {
                list.iter()
                    .filter(|(e, _)| e.split('(').next() == Some(label))
                    .count()
            };
            if same(&wanted.events) != same(&found.events) && same(&wanted.events) > 0 {
                let detail = format!("`{name}` marks `{label}` at other places as well");
                return Some((name.to_string(), detail));
            }
        }
    }
    None
}

/// A secret key that a role of the submission uses and that it did not have in the exercise.
///
/// `granted` has roles with further keys, in the names of the exercise's parameters.
pub fn foreign_key(given: &Paper, own: &Paper, granted: &[(String, String)]) -> Option<String> {
    for theirs in defs(&own.tree) {
        let name = &theirs.name.name;
        let mut allowed = Vec::new();
        if let Some(role) = def(&given.tree, name) {
            allowed = Habits::of(role).secret_keys();
            let own = granted.iter().filter(|(r, _)| **r == **name);
            allowed.extend(own.map(|(_, key)| by_number(key, role)));
        }
        let used = Habits::of(theirs).secret_keys();
        if let Some(key) = used.into_iter().find(|k| !allowed.contains(k)) {
            // The exercise's own definitions show parameters by number: say it in the student's words.
            let mut shown = key;
            for (i, p) in theirs.params.iter().enumerate() {
                shown = shown.replace(&format!("#{i}"), &p.name.name);
            }
            return Some(format!("`{name}` uses the secret key {shown}"));
        }
    }
    None
}

/// `K(a,b)` with the parameters of a role by number.
fn by_number(key: &str, role: &Def) -> String {
    let Some((family, args)) = key.trim_end_matches(')').split_once('(') else {
        return key.to_owned();
    };
    let args: Vec<String> = args
        .split(',')
        .map(|a| {
            let at = role.params.iter().position(|p| &*p.name.name == a.trim());
            at.map_or_else(|| a.to_owned(), |i| format!("#{i}"))
        })
        .collect();
    format!("{family}({})", args.join(","))
}

/// The events that the honest runs reach, with their arguments as text, for all systems that run.
pub fn brought_about(
    variant: &Variant,
    settings: &Settings,
    observer: &dyn Observer,
) -> Vec<String> {
    let store = &variant.store;
    // Messages keep their length: an honest agent does not mistake one for another.
    let program = &variant.flat.program;
    let mut found = Vec::new();
    for (i, system) in (0u32..).zip(&program.systems) {
        if system.partial || !system.body.params.is_empty() {
            continue;
        }
        let closed = Closed {
            system: SystemId(i),
            args: Vec::new(),
        };
        let Ok(gate) = honest_run(store, program, &closed, settings, observer) else {
            continue;
        };
        for m in &gate.run {
            let HonestMove::Event { step, args } = m else {
                continue;
            };
            let crate::process::Action::Event { event, .. } = &gate.system.step(*step).action
            else {
                continue;
            };
            let shown: Vec<String> = args
                .iter()
                .map(|t| {
                    store.show_with(*t, &|atom| match store.view(atom) {
                        View::Name(n) => {
                            let info = store.name_info(n);
                            (info.class == NameClass::Restricted).then(|| info.label.to_string())
                        }
                        _ => None,
                    })
                })
                .collect();
            let Some(info) = program.events.get(event.index()) else {
                continue;
            };
            let text = spaceless(&format!("{}({})", info.label, shown.join(",")));
            if !found.contains(&text) {
                found.push(text);
            }
        }
    }
    found
}

/// How much all messages of the roles have.
pub fn measure(tree: &File, of: Measure) -> usize {
    let mut meter = Meter { of, count: 0 };
    for def in defs(tree) {
        walk_process(&mut def.body.clone(), &mut meter);
    }
    meter.count
}

struct Meter {
    of: Measure,
    count: usize,
}

impl Meter {
    fn size(&self, term: &Term) -> usize {
        let all = |args: &[Term]| args.iter().map(|t| self.size(t)).sum::<usize>();
        let sealed = usize::from(self.of == Measure::Encryptions);
        match &term.kind {
            TermKind::Encrypt(_, args, _) | TermKind::Hash(args) => sealed + all(args),
            TermKind::Tuple(args) => all(args),
            TermKind::Suc(t) => self.size(t),
            _ => usize::from(self.of == Measure::Parts),
        }
    }
}

impl Visitor for Meter {
    fn prefix(&mut self, prefix: &mut Prefix) {
        if let PrefixKind::Output(_, args) = &prefix.kind {
            self.count += args.iter().map(|t| self.size(t)).sum::<usize>();
        }
    }
}

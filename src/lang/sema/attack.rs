//! Attack files: a process of the attacker, written in the names of the model it attacks.
//!
//! An attack file has one system, the attack, and whatever definitions it likes. It sees the names, keys and definitions of
//! the model; it may declare them again, in the same way, so that the file also stands alone. It can't give the
//! attacker more than the model does: no further spies, no `knows`. Channels that only the attack file declares are
//! its own: an output there shows that the attack got so far.

use rustc_hash::FxHashMap;

use super::{Checked, check_after};
use crate::base::source::{Code, Diagnostic, SourceFile, SourceMap, Span};
use crate::lang::syntax::ast::{AgentGroup, Decl, DeclKind, File, Ident, Name, agents};
use crate::lang::syntax::link;
use crate::process::{SystemId, TupleMode};
use crate::term::{TermId, TermStore};

/// A checked attack file.
#[derive(Debug)]
pub struct AttackFile {
    /// The attack together with what it sees of the model.
    pub checked: Checked,
    /// Its system; `None` if it has none.
    pub system: Option<SystemId>,
    /// The channels that are its own.
    pub own: Vec<TermId>,
}

/// What a name is declared as, for comparison: the keyword and the number of arguments.
type Kind = (&'static str, usize);

/// Parses and checks an attack on these models (two, if systems of two files are compared). What they use joins `map`.
pub fn check_attack(
    map: &mut SourceMap,
    models: &[SourceFile],
    attack: &SourceFile,
    store: &TermStore,
    tuples: TupleMode,
) -> AttackFile {
    let (tree, mistakes) = link::parse(map, attack);
    let tree = tree.expanded().into_owned();
    let mut kinds: FxHashMap<Name, (Kind, Span)> = FxHashMap::default();
    let mut seen = Vec::new();
    for model in models {
        let model = link::parse(map, model).0.expanded().into_owned();
        let decls = model.decls.into_iter();
        // A destructor may have several rules in one file.
        let new: Vec<Decl> = decls.filter_map(|decl| new_names(decl, &kinds)).collect();
        for (name, kind) in new.iter().flat_map(declared) {
            kinds.entry(name.name.clone()).or_insert((kind, name.span));
        }
        seen.extend(new);
    }
    let mut found = mistakes.clone();
    let mut own = Vec::new();
    if !mistakes.iter().any(Diagnostic::is_error) {
        found.extend(more_than_the_model(&tree, &kinds));
        for decl in &tree.decls {
            if let DeclKind::Channels(names) = &decl.kind {
                let names = names.iter().filter(|n| !kinds.contains_key(&n.name));
                own.extend(names.map(|n| store.public(&n.name)));
            }
        }
    }
    let mine: FxHashMap<Name, (Kind, Span)> = tree
        .decls
        .iter()
        .flat_map(declared)
        .map(|(name, kind)| (name.name.clone(), (kind, name.span)))
        .collect();
    let merged = File {
        decls: seen
            .into_iter()
            .filter_map(|decl| new_names(decl, &mine))
            .chain(tree.decls.iter().cloned())
            .collect(),
        span: tree.span,
        broken: tree.broken,
        used: tree.used.clone(),
    };
    // What is wrong with the model has been said, and a mistake in the attack's syntax makes the rest doubtful.
    let mut checked = check_after(&merged, &mistakes, store, tuples);
    if found.iter().any(Diagnostic::is_error) {
        checked.diagnostics = found;
    } else {
        let own = |file| file == attack.id || tree.used.iter().any(|(used, _)| *used == file);
        let here = |d: &Diagnostic| d.primary().is_none_or(|s| own(s.file));
        // Types bind the roles, not the attacker: it may well make `K((A, B))+` where agents are expected.
        let typing = [Code::TypeContradiction, Code::TypeMismatch];
        let counts = |d: &Diagnostic| here(d) && !typing.contains(&d.code);
        checked.diagnostics.retain(counts);
    }
    let system = (!checked.program.systems.is_empty()).then_some(SystemId(0));
    AttackFile {
        checked,
        system,
        own,
    }
}

/// What an attack file must not have.
fn more_than_the_model(tree: &File, kinds: &FxHashMap<Name, (Kind, Span)>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let wrong = |message: String| Diagnostic::new(Code::NoAttack, message);
    let mut systems = Vec::new();
    for decl in &tree.decls {
        match &decl.kind {
            DeclKind::Knows(_) => found.push(
                wrong("an attack can't declare what the attacker knows".to_owned())
                    .at(decl.span, "the model decides that")
                    .help("leave it out: the attack has what the `knows` of the model lists"),
            ),
            DeclKind::Claim(claim) => found.push(
                wrong("an attack makes no claims".to_owned())
                    .at(claim.span, "claims belong to the model")
                    .help("leave it out: the attack is tried on every claim of the model"),
            ),
            DeclKind::System(system) => systems.push(system),
            _ => {}
        }
        for (name, kind) in declared(decl) {
            match kinds.get(&name.name) {
                Some((theirs, place)) if *theirs != kind => found.push(
                    wrong(format!("`{name}` is something else in the model"))
                        .at(name.span, format!("declared with `{}` here", kind.0))
                        .and(*place, format!("and with `{}` in the model", theirs.0))
                        .help("choose another name, or declare it as the model does"),
                ),
                Some((_, place)) if matches!(kind.0, "def" | "system") => found.push(
                    wrong(format!("`{name}` is a definition of the model"))
                        .at(name.span, "declared again")
                        .and(*place, "declared here")
                        .help("choose another name: the attack may use the model's definitions"),
                ),
                None if kind.0 == "spy" => found.push(
                    wrong(format!("`{name}` is no spy of the model"))
                        .at(name.span, "an attack can't add a spy")
                        .help(format!(
                            "add `spy {name}` to the model, or declare `agent {name}`"
                        )),
                ),
                _ => {}
            }
        }
    }
    match systems.as_slice() {
        [system] if system.params.is_empty() => {}
        [] => found.push(
            wrong("there is no attack in this file".to_owned())
                .help("declare it: `system Attack = net(x). net<x>`"),
        ),
        [system] => found.push(
            wrong("an attack takes no arguments".to_owned()).at(system.head, "declared here"),
        ),
        [_, second, ..] => found.push(
            wrong("an attack is one system".to_owned())
                .at(second.head, "this is a second one")
                .help("join them with `|`, or put the second into a file of its own"),
        ),
    }
    found
}

/// The names that a declaration declares.
fn declared(decl: &Decl) -> Vec<(&Ident, Kind)> {
    let plain = |names: &'static str| move |n| (n, (names, 0));
    match &decl.kind {
        DeclKind::Agents(groups) => agents(groups).map(plain("agent")).collect(),
        DeclKind::Spies(groups) => agents(groups).map(plain("spy")).collect(),
        DeclKind::Channels(names) => names.iter().map(plain("channel")).collect(),
        DeclKind::Public(b) => b.iter().map(|b| &b.name).map(plain("public")).collect(),
        DeclKind::Private(b) => b.iter().map(|b| &b.name).map(plain("private")).collect(),
        DeclKind::Keypairs(families) => families
            .iter()
            .map(|f| (&f.name, ("keypair", f.params.len())))
            .collect(),
        DeclKind::Keys(families) => families
            .iter()
            .map(|f| (&f.name, ("key", f.params.len())))
            .collect(),
        DeclKind::Functions(functions) => functions
            .iter()
            .map(|f| {
                let what = if f.private {
                    "private function"
                } else {
                    "function"
                };
                (&f.name, (what, f.params.len()))
            })
            .collect(),
        DeclKind::Destructors(rules) => rules
            .iter()
            .map(|r| (&r.name, ("destructor", r.args.len())))
            .collect(),
        DeclKind::Groups(groups) => groups
            .iter()
            .flat_map(|g| {
                let one = g.neutral.as_ref().map(|one| (one, ("neutral element", 0)));
                std::iter::once((&g.base, ("group", 0))).chain(one)
            })
            .collect(),
        DeclKind::Def(def) => vec![(&def.name, ("def", def.params.len()))],
        DeclKind::System(system) => vec![(&system.name, ("system", system.params.len()))],
        DeclKind::Use(_)
        | DeclKind::Knows(_)
        | DeclKind::Protocol(_)
        | DeclKind::Claim(_)
        | DeclKind::Error => Vec::new(),
    }
}

/// The agents that are not declared yet.
fn new_agents(mut groups: Vec<AgentGroup>, new: impl Fn(&Ident) -> bool) -> Vec<AgentGroup> {
    for group in &mut groups {
        group.names.retain(&new);
    }
    groups.retain(|g| !g.names.is_empty());
    groups
}

/// The declaration without the names that are declared already; `None` if nothing is left, or if it is none that an
/// attack sees.
fn new_names(decl: Decl, taken: &FxHashMap<Name, (Kind, Span)>) -> Option<Decl> {
    let Decl { kind, span } = decl;
    let new = |name: &Ident| !taken.contains_key(&name.name);
    let some = |kind, left: bool| left.then_some(kind);
    let kind = match kind {
        DeclKind::Agents(groups) => {
            let groups = new_agents(groups, new);
            some(DeclKind::Agents(groups.clone()), !groups.is_empty())
        }
        DeclKind::Spies(groups) => {
            let groups = new_agents(groups, new);
            some(DeclKind::Spies(groups.clone()), !groups.is_empty())
        }
        DeclKind::Channels(mut n) => {
            n.retain(new);
            some(DeclKind::Channels(n.clone()), !n.is_empty())
        }
        DeclKind::Public(mut b) => {
            b.retain(|b| new(&b.name));
            some(DeclKind::Public(b.clone()), !b.is_empty())
        }
        DeclKind::Private(mut b) => {
            b.retain(|b| new(&b.name));
            some(DeclKind::Private(b.clone()), !b.is_empty())
        }
        DeclKind::Keypairs(mut f) => {
            f.retain(|f| new(&f.name));
            some(DeclKind::Keypairs(f.clone()), !f.is_empty())
        }
        DeclKind::Keys(mut f) => {
            f.retain(|f| new(&f.name));
            some(DeclKind::Keys(f.clone()), !f.is_empty())
        }
        DeclKind::Functions(mut f) => {
            f.retain(|f| new(&f.name));
            some(DeclKind::Functions(f.clone()), !f.is_empty())
        }
        DeclKind::Destructors(mut r) => {
            r.retain(|r| new(&r.name));
            some(DeclKind::Destructors(r.clone()), !r.is_empty())
        }
        DeclKind::Groups(mut g) => {
            g.retain(|g| g.names().all(&new));
            some(DeclKind::Groups(g.clone()), !g.is_empty())
        }
        DeclKind::Def(def) => {
            let left = new(&def.name);
            some(DeclKind::Def(def), left)
        }
        DeclKind::Use(_)
        | DeclKind::Knows(_)
        | DeclKind::System(_)
        | DeclKind::Protocol(_)
        | DeclKind::Claim(_)
        | DeclKind::Error => None,
    };
    kind.map(|kind| Decl { kind, span })
}

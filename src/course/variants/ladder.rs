//! The authentication ladder [Lowe 1997]: aliveness, weak agreement, agreement, injective agreement, for each of two
//! roles about the other.
//!
//! What is agreed on is what the file says: the events of its agreement claims between the two roles. Where it says
//! nothing about a direction, events are marked by the honest run (see [`super::instrument`]). The two lower rungs ask
//! less: that the partner runs the protocol at all, in any role (see [`super::start`]).

use crate::analysis::Settings;
use crate::base::limits::Observer;
use crate::lang::syntax::ast::{
    Claim, ClaimKind, Correspondence, Decl, DeclKind, File, Name, Prefix, PrefixKind, Process,
    TermKind,
};

use super::Trace;
use super::instrument::instrument;
use super::start::{Selves, Starts};
use super::walk::{Visitor, walk_process};
use crate::analysis::Model;

/// The rungs, the lowest first.
pub(crate) const RUNGS: [(Correspondence, &str); 4] = [
    (Correspondence::Aliveness, "aliveness"),
    (Correspondence::Weak, "weak agreement"),
    (Correspondence::Agreement, "non-injective agreement"),
    (Correspondence::Injective, "injective agreement"),
];

/// The ladders of a file: a tree whose claims are the rungs, four for each of `about`.
#[derive(Debug)]
pub(crate) struct Ladder {
    /// The tree.
    pub tree: File,
    /// Who is sure about whom, and whether the events were marked for it.
    pub about: Vec<Sureness>,
}

/// One direction.
#[derive(Clone, Debug)]
pub(crate) struct Sureness {
    /// The role that wants to be sure.
    pub of: Name,
    /// The role it wants to be sure about.
    pub about: Name,
    /// The events were marked by the honest run, not by the file.
    pub marked: bool,
}

/// Why there is no ladder.
#[derive(Clone, Debug)]
pub(crate) enum LadderError {
    /// There is no such definition; the file has these.
    UnknownRole(String, Vec<Name>),
    /// Nothing relates the two roles: no claim, and no honest run in which they are partners.
    Unrelated(String, String),
}

/// The ladders between two roles.
pub(crate) fn ladder(
    tree: &File,
    variant: &Model,
    roles: (&str, &str),
    system: Option<&str>,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Ladder, LadderError> {
    let defs: Vec<Name> = tree.decls.iter().filter_map(def_name).collect();
    for role in [roles.0, roles.1] {
        if defs.iter().all(|d| &**d != role) {
            return Err(LadderError::UnknownRole(role.to_owned(), defs));
        }
    }
    let mut bare = tree.clone();
    bare.decls.retain(|d| !matches!(d.kind, DeclKind::Claim(_)));
    let mut claims: Vec<Claim> = Vec::new();
    let mut about = Vec::new();
    let mut trace: Option<Trace> = None;
    let mut all: Vec<(&str, Claim)> = Vec::new();
    for (x, y) in [roles, (roles.1, roles.0)] {
        let mut found = written(tree, x, y, system);
        let marked = found.is_empty();
        if marked {
            let trace = trace.get_or_insert_with(|| Trace::new(tree, variant, settings, observer));
            found.extend(instrument(&mut bare, trace, variant, (x, y), system));
        }
        for claim in found {
            about.push(Sureness {
                of: x.into(),
                about: y.into(),
                marked,
            });
            all.push((y, claim));
        }
    }
    let selves = Selves::new(variant, settings.bounds);
    let events = bare.clone();
    let starts = Starts::mark(&mut bare, &selves);
    for (y, claim) in all {
        for (rung, _) in RUNGS {
            let lower = starts.claim(&events, &selves, y, &claim, rung);
            let mut claim = lower.unwrap_or_else(|| claim.clone());
            claim.expect = None;
            if let ClaimKind::Correspondence { strength, .. } = &mut claim.kind {
                *strength = rung;
            }
            claims.push(claim);
        }
    }
    if claims.is_empty() {
        return Err(LadderError::Unrelated(
            roles.0.to_owned(),
            roles.1.to_owned(),
        ));
    }
    bare.decls.extend(claims.into_iter().map(|claim| Decl {
        span: claim.span,
        kind: DeclKind::Claim(claim),
    }));
    Ok(Ladder { tree: bare, about })
}

fn def_name(decl: &Decl) -> Option<Name> {
    match &decl.kind {
        DeclKind::Def(def) => Some(def.name.name.clone()),
        _ => None,
    }
}

/// The agreement claims of the file that relate an event of `x` to one of `y`, one for each pair of events and system.
fn written(tree: &File, x: &str, y: &str, system: Option<&str>) -> Vec<Claim> {
    let (later, earlier) = (events(tree, x), events(tree, y));
    let mut found: Vec<Claim> = Vec::new();
    for decl in &tree.decls {
        let DeclKind::Claim(claim) = &decl.kind else {
            continue;
        };
        let ClaimKind::Correspondence {
            then,
            before,
            system: place,
            ..
        } = &claim.kind
        else {
            continue;
        };
        let fits = later.contains(&then.name.name)
            && earlier.contains(&before.name.name)
            && system.is_none_or(|s| s == &*place.name.name);
        let same = |other: &Claim| match &other.kind {
            ClaimKind::Correspondence {
                then: t,
                before: b,
                system: s,
                ..
            } => {
                t.name.name == then.name.name
                    && b.name.name == before.name.name
                    && s.name.name == place.name.name
            }
            _ => false,
        };
        if fits && !found.iter().any(same) {
            found.push(claim.clone());
        }
    }
    found
}

/// The events of a role, those of the definitions it goes on to included.
fn events(tree: &File, role: &str) -> Vec<Name> {
    let body = |name: &str| -> Option<&Process> {
        tree.decls.iter().find_map(|d| match &d.kind {
            DeclKind::Def(def) if &*def.name.name == name => Some(&def.body),
            _ => None,
        })
    };
    let mut todo: Vec<Name> = vec![role.into()];
    let mut seen: Vec<Name> = Vec::new();
    let mut collector = Events::default();
    while let Some(name) = todo.pop() {
        if seen.contains(&name) {
            continue;
        }
        if let Some(process) = body(&name) {
            walk_process(&mut process.clone(), &mut collector);
            todo.append(&mut collector.applied);
        }
        seen.push(name);
    }
    collector.events
}

#[derive(Default)]
struct Events {
    events: Vec<Name>,
    applied: Vec<Name>,
}

impl Visitor for Events {
    fn prefix(&mut self, prefix: &mut Prefix) {
        match &prefix.kind {
            PrefixKind::Event(name, _) => self.events.push(name.name.clone()),
            PrefixKind::Apply(apply) => {
                if let TermKind::Name(name) = &apply.subject.kind {
                    self.applied.push(name.clone());
                }
            }
            _ => {}
        }
    }
}

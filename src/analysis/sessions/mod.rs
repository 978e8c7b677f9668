//! `--sessions N`: every assignment of the declared agents to N role instances, up to symmetry.
//!
//! The roles are the definitions that the system instantiates at its top with an agent among the arguments (`top`). A generated
//! system keeps everything else of the written one (its restrictions, servers without agents) and replaces the role
//! instances by a multiset of N others: each agent argument ranges over all declared agents of its sort, spies included (`template`).
//!
//! Left out: instances that use no secret the attacker lacks (`own`: the attacker can play them itself),
//! and multisets that differ only by a renaming of honest agents that nothing tells apart (`renamings`). Invariant: an attack on any
//! multiset is one on a multiset that is there. `tests/sessions.rs` writes all of them down and compares.

mod own;
mod renamings;
mod template;
mod top;
mod twice;

use crate::base::limits::StopReason;
use crate::process::{Closed, DefId, Proc, ProcId, Program, SystemId};
use crate::term::{TermId, TermStore};
use renamings::{Renamings, alike};
use rustc_hash::FxHashSet;
use top::{Top, build};
pub(super) use twice::twice;

/// Multisets between two looks at the limits.
const PACE: u32 = 1_024;

/// The systems of `--sessions N`, in their order: each is a list of threads, and they have all else in common.
#[derive(Clone, Debug)]
pub struct Assignments {
    /// The program, extended by the threads and by a system that has none of them.
    pub program: Program,
    /// That system.
    pub common: SystemId,
    /// Threads that every system has.
    rest: Vec<ProcId>,
    /// The role instances to choose from.
    calls: Vec<ProcId>,
    /// The choices of all systems, one after another.
    chosen: Vec<u32>,
    /// Role instances in a system.
    size: usize,
    /// Why not all are there, if a limit was met while they were generated.
    pub stopped: Option<StopReason>,
}

impl Assignments {
    /// How many systems there are.
    pub fn len(&self) -> usize {
        self.chosen.len() / self.size
    }

    /// How many role instances a system has.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether there is no system.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The threads of the system with this number.
    pub fn threads(&self, number: usize) -> Vec<ProcId> {
        let chosen = &self.chosen[number * self.size..][..self.size];
        let calls = chosen.iter().map(|i| self.calls[*i as usize]);
        self.rest.iter().copied().chain(calls).collect()
    }

    /// Adds the system with this number to a copy of the program.
    pub fn add(&self, program: &mut Program, number: usize) -> SystemId {
        let decl = &self.program.systems[self.common.index()];
        let mut sites = Vec::new();
        let mut root = decl.body.root;
        while let Proc::New(more, then) = self.program.proc(root) {
            sites.push(more.clone());
            root = *then;
        }
        build(program, decl, &sites, self.threads(number))
    }
}

/// All role instances that could be chosen.
#[derive(Clone, Debug)]
pub(super) enum Cast<T> {
    /// The system has no roles with agents.
    NoRoles,
    /// They are too many to be looked at together.
    TooMany,
    /// Here they are.
    All(T),
}

/// Extends the program by one system with every role instance that [`assignments`] chooses from, if they are not more than `most`.
pub(super) fn everyone(
    program: &Program,
    store: &TermStore,
    closed: &Closed,
    keep_own: bool,
    most: usize,
) -> Cast<(Program, SystemId)> {
    let top = Top::of(program, store, closed);
    let signature = &program.signature;
    let agents: Vec<TermId> = signature.everybody().collect();
    if top.may_have_more_than(most, signature) {
        return Cast::TooMany;
    }
    let choices = top.choices(program, store, &agents, keep_own);
    if choices.is_empty() {
        return Cast::NoRoles;
    }
    let mut extended = program.clone();
    let (rest, calls) = top.parts(&mut extended, &choices);
    let parts = rest.into_iter().chain(calls).collect();
    let system = top.build(&mut extended, parts);
    Cast::All((extended, system))
}

/// All systems of `n` role instances derived from a system, or those up to a stop; `None` if the system has no roles with agents at its
/// top. Roles that the attacker could play itself are left out unless `keep_own`.
pub fn assignments(
    program: &Program,
    store: &TermStore,
    closed: &Closed,
    n: u32,
    keep_own: bool,
    stop: &dyn Fn() -> Option<StopReason>,
) -> Option<Assignments> {
    let top = Top::of(program, store, closed);
    let signature = &program.signature;
    // Of agents that nothing tells apart, no more are needed than can take part.
    let mut alike = alike(program, store, closed, &top.templates);
    let needed = top.most_agents() * n as usize;
    let mut needless: FxHashSet<TermId> = FxHashSet::default();
    for class in &mut alike {
        needless.extend(class.split_off(class.len().min(needed)));
    }
    let agents: Vec<TermId> = (signature.everybody())
        .filter(|a| !needless.contains(a))
        .collect();
    let choices = top.choices(program, store, &agents, keep_own);
    if choices.is_empty() {
        return None;
    }
    let renamings = Renamings::new(store, &choices, &alike);
    let mut extended = program.clone();
    let (rest, calls) = top.parts(&mut extended, &choices);
    let common = top.build(&mut extended, Vec::new());
    let mut found = Vec::new();
    let mut other = Vec::new();
    let mut looked = 0u32;
    let mut stopped = None;
    for_multisets(choices.len(), n as usize, |chosen| {
        if renamings.stands_for_all(chosen, &mut other) {
            found.extend(chosen.iter().map(|i| *i as u32));
        }
        looked = looked.wrapping_add(1);
        if looked.is_multiple_of(PACE) {
            stopped = stop();
        }
        stopped.is_none()
    });
    Some(Assignments {
        program: extended,
        common,
        rest,
        calls,
        chosen: found,
        size: n as usize,
        stopped,
    })
}

/// All sorted multisets of `size` numbers below `n`, in their order, as long as more are wanted.
fn for_multisets(n: usize, size: usize, mut with: impl FnMut(&[usize]) -> bool) {
    if n == 0 {
        return;
    }
    let mut chosen = vec![0; size];
    loop {
        if !with(&chosen) {
            return;
        }
        let Some(last) = chosen.iter().rposition(|i| i + 1 < n) else {
            return;
        };
        let next = chosen[last] + 1;
        chosen[last..].fill(next);
    }
}

/// The definitions of the role instances that [`assignments`] replaces.
pub(super) fn replaced(program: &Program, store: &TermStore, closed: &Closed) -> Vec<DefId> {
    let top = Top::of(program, store, closed);
    top.templates.iter().map(|t| t.def).collect()
}

/// The roles whose agents [`assignments`] chooses, by their names.
pub(super) fn chosen_roles(program: &Program, store: &TermStore, closed: &Closed) -> Vec<String> {
    let top = Top::of(program, store, closed);
    let open = top.templates.iter().filter(|t| !t.is_fixed());
    let mut names: Vec<String> = open
        .map(|t| program.definitions[t.def.index()].label.to_string())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Whether [`assignments`] reaches every agent that the system names: no role instance keeps its own because it was handed a secret, and what is
/// kept as written names none.
pub(super) fn reaches_all_agents(program: &Program, store: &TermStore, closed: &Closed) -> bool {
    let top = Top::of(program, store, closed);
    let fixed = top.templates.iter().any(template::Template::is_fixed);
    !fixed && !top.rest_names_agents(program, store)
}

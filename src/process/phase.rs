//! Which systems have phases, and where.

use super::{Action, Closed, Proc, ProcId, Program, System, SystemId, UnfoldError};
use crate::base::source::Span;
use rustc_hash::FxHashSet;

impl Program {
    /// The first place at which a process of a system waits for a phase.
    pub fn phase_in(&self, system: SystemId) -> Option<Span> {
        let mut work: Vec<ProcId> = vec![self.systems.get(system.index())?.body.root];
        let mut seen: FxHashSet<ProcId> = FxHashSet::default();
        let mut found: Option<Span> = None;
        while let Some(p) = work.pop() {
            if !seen.insert(p) {
                continue;
            }
            match self.proc(p) {
                Proc::Phase { span, then, .. } => {
                    found = Some(found.map_or(*span, |first| first.min(*span)));
                    work.push(*then);
                }
                Proc::Call { def, .. } => {
                    work.extend(self.definitions.get(def.index()).map(|d| d.body.root));
                }
                other => work.extend(other.parts()),
            }
        }
        found
    }

    /// Refuses systems with phases for something that knows none.
    pub fn without_phases(&self, closed: &Closed, what: &'static str) -> Result<(), UnfoldError> {
        let late = closed.lost.iter().find(|l| l.phase > 0).map(|l| l.span);
        match self.phase_in(closed.system).or(late) {
            Some(span) => Err(UnfoldError::Phases { what, span }),
            None => Ok(()),
        }
    }
}

impl System {
    /// Whether somebody may wait for a phase.
    pub fn has_phases(&self) -> bool {
        let waits = |a: &Action| matches!(a, Action::Phase { .. });
        self.steps.iter().any(|s| waits(&s.action))
    }
}

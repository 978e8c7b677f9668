//! The event without which a claim can't be broken, or reached: generated systems in which nobody does it need not be looked at.
//!
//! What a thread may do is read off its process and the definitions that it calls, whatever messages it gets, so nothing is left out
//! that could happen. The search itself ends such branches as well (`search::hope`), but only once the system is unfolded.

use super::Assignments;
use crate::process::{ClaimKind, EventId, Proc, ProcId, Program};

/// What is needed, in the systems of a program.
pub(super) struct Needed<'a> {
    program: &'a Program,
    event: EventId,
    /// The definitions that may come to do it.
    able: Vec<bool>,
}

impl<'a> Needed<'a> {
    /// What a claim needs; none if it may be broken by anybody. Where no system has the event they are all looked at, so that it
    /// is known of all what they come to; so they are where they have one role instance each.
    pub(super) fn new(claim: &ClaimKind, generated: &'a Assignments) -> Option<Self> {
        let event = match claim {
            ClaimKind::SecrecyAfter { event, .. } | ClaimKind::Reachable { event, .. } => event,
            ClaimKind::Agreement { after, .. } => after,
            _ => return None,
        };
        let program = &generated.program;
        let mut needed = Self {
            program,
            event: event.event,
            able: vec![false; program.definitions.len()],
        };
        loop {
            let does = |d: &crate::process::Definition| needed.does(d.body.root);
            let able: Vec<bool> = program.definitions.iter().map(does).collect();
            if able == needed.able {
                break;
            }
            needed.able = able;
        }
        let some = (0..generated.len()).any(|number| needed.is_in(generated, number));
        (some && generated.size() > 1).then_some(needed)
    }

    /// Whether the event may happen in the system of this number.
    pub(super) fn is_in(&self, generated: &Assignments, number: usize) -> bool {
        generated.threads(number).into_iter().any(|t| self.does(t))
    }

    fn does(&self, proc: ProcId) -> bool {
        match self.program.proc(proc) {
            Proc::Nil => false,
            Proc::Par(parts) => parts.iter().any(|p| self.does(*p)),
            Proc::New(_, then)
            | Proc::Output { then, .. }
            | Proc::Input { then, .. }
            | Proc::Phase { then, .. } => self.does(*then),
            Proc::Test(_, then, otherwise) => self.does(*then) || self.does(*otherwise),
            Proc::Event { event, then, .. } => *event == self.event || self.does(*then),
            Proc::Call { def, .. } => self.able[def.index()],
            Proc::Replicate { body, .. } => self.does(*body),
        }
    }
}

//! Attacks as narrations, followed by the concrete semantics alone: the lines that `grade` reads, tried on a claim.

use super::replay::unfolded;
use super::{Attack, ReplayError, Settings};
use crate::attacker::solver::Typing;
use crate::certify::{CertifyError, Move, Witness, replay, violation};
use crate::execute::{Followed, Line, NarratedSystem, follow};
use crate::process::{ClaimKind, Closed, Program, System, TupleMode};
use crate::term::{TermId, TermStore};
use std::sync::Arc;

/// A system in which something is told to have happened.
pub struct Stage<'a> {
    store: &'a TermStore,
    program: &'a Program,
    /// The system, with all its tests.
    pub system: Arc<System>,
    typing: Option<Typing>,
}

impl<'a> Stage<'a> {
    /// Unfolds a system. The program is in the lowering that `settings` asks for.
    pub fn new(
        store: &'a TermStore,
        program: &'a Program,
        closed: &Closed,
        settings: &Settings,
    ) -> Result<Stage<'a>, ReplayError> {
        let system = Arc::new(unfolded(store, program, closed, settings)?);
        let typing = (program.tuples == TupleMode::Flat).then(|| Typing::new(program, &system));
        Ok(Stage {
            store,
            program,
            system,
            typing,
        })
    }

    /// The runs that a tale fits, or the one that gets furthest.
    pub fn follow(&self, lines: &[Line]) -> Result<Vec<Followed>, CertifyError> {
        let accepts = |v: u32, t: TermId| {
            self.typing
                .as_ref()
                .is_none_or(|y| y.fits(self.store, t, y.var(v)))
        };
        let tale = NarratedSystem {
            store: self.store,
            system: &self.system,
            initial: &self.program.signature.knows,
            accepts: &accepts,
        };
        follow(tale, lines)
    }

    /// The attack on a claim that a run is, if it is one.
    pub fn breaks(
        &self,
        claim: &ClaimKind,
        moves: &[Move],
    ) -> Result<Option<Attack>, CertifyError> {
        let knows = &self.program.signature.knows;
        let found = violation(self.store, &self.system, knows, claim, moves)?;
        let Some(violation) = found else {
            return Ok(None);
        };
        let witness = Witness {
            moves: moves.to_vec(),
            violation,
            transparent: false,
        };
        let replayed = replay(self.store, &self.system, knows, claim, &witness)?;
        Ok(Some(Attack {
            system: self.system.clone(),
            witness,
            replayed,
        }))
    }
}

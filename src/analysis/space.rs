//! The state space of one system.

use super::Operand;
use crate::base::limits::Observer;
use crate::engine::equiv::Surroundings;
use crate::engine::lts::{self, Space, explore};
use crate::process::{Bounds, Shapes, System, UnfoldError, unfold};
use crate::term::TermStore;

/// A state space and what it is the space of.
#[derive(Debug)]
pub struct StateSpace {
    /// The system, unfolded.
    pub system: System,
    /// The bounds it was unfolded with.
    pub bounds: Bounds,
    /// How it was explored.
    pub options: lts::Options,
    /// The space.
    pub space: Space,
}

impl StateSpace {
    /// The bound on recursion, if it was met.
    pub fn cut(&self) -> Option<u32> {
        (!self.system.cuts.is_empty()).then_some(self.bounds.recursion)
    }

    /// How many copies a bare `!` was taken as, if there is one.
    pub fn copies(&self) -> Option<u32> {
        (!self.system.copied.is_empty()).then_some(self.bounds.copies)
    }
}

/// Explores the state space of a system.
pub fn state_space(
    store: &TermStore,
    subject: Operand<'_>,
    bounds: Bounds,
    options: lts::Options,
    observer: &dyn Observer,
) -> Result<StateSpace, UnfoldError> {
    let bounds = Bounds {
        trim: true,
        ..bounds
    };
    let program = subject.program;
    program.without_phases(subject.closed, "state spaces")?;
    let system = unfold(program, store, subject.closed, bounds, &mut Shapes::new())?;
    let around = Surroundings {
        knows: &program.signature.knows,
        spies: &program.signature.spies,
    };
    let space = explore(store, &system, &around, &options, observer);
    Ok(StateSpace {
        system,
        bounds,
        options,
        space,
    })
}

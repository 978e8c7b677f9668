//! Honest runs found before: the claims about one system ask for the same again and again.
//!
//! What is kept depends on nothing but the system and the settings. Under a limit it would also depend on what the claim
//! did before, so nothing is kept then; nor if processes share the work, who must all do the same.

use super::gate::{Helps, bystander, helped_run, whole};
use super::many_systems::is_shared;
use super::{Gate, Kept, LimitSpec, Settings};
use crate::base::limits::Observer;
use crate::engine::search::Options;
use crate::process::{Bounds, Closed, Program, TupleMode, UnfoldError};
use crate::term::TermStore;
use std::sync::{Mutex, PoisonError};

/// So many are kept: a file may have thousands of systems.
const KEPT: usize = 64;

/// What was found for the systems of one file.
#[derive(Debug, Default)]
pub(super) struct Gates {
    known: Mutex<Vec<(Asked, Gate)>>,
}

/// All that an honest run depends on.
#[derive(Clone, Debug, PartialEq)]
struct Asked {
    /// Whether everybody has to finish.
    strict: bool,
    typed: bool,
    tuples: TupleMode,
    closed: Closed,
    bounds: Bounds,
    options: Options,
}

impl Kept {
    /// The honest run of a system; with `strict` everybody has to finish, otherwise it is only there to be told.
    pub(super) fn gate(
        &self,
        strict: bool,
        store: &TermStore,
        program: &Program,
        closed: &Closed,
        settings: &Settings,
        observer: &dyn Observer,
    ) -> Result<Gate, UnfoldError> {
        let asked = Asked {
            strict,
            typed: settings.typed,
            tuples: program.tuples,
            closed: closed.clone(),
            bounds: settings.bounds,
            options: settings.search,
        };
        let kept = settings.limits == LimitSpec::default() && !is_shared(observer);
        let known = || {
            self.gates
                .known
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if kept && let Some((_, gate)) = known().iter().find(|(before, _)| *before == asked) {
            return Ok(gate.clone());
        }
        if strict {
            program.without_phases(closed, "honest runs")?;
        }
        let system = self
            .systems
            .unfolded(store, program, closed, whole(settings))?;
        let gate = if strict {
            helped_run(
                store,
                program,
                closed,
                system,
                Helps::Spied,
                settings,
                observer,
            )?
        } else {
            bystander(store, program, system, settings, observer)
        };
        // The user may have cut it short.
        if kept && !observer.interrupted() {
            let mut known = known();
            known.push((asked, gate.clone()));
            if known.len() > KEPT {
                known.remove(0);
            }
        }
        Ok(gate)
    }
}

//! Systems that the claims of one file have in common: what is generated and unfolded for one claim is there for the next.
//!
//! Nothing here depends on what was asked before: a system is the same whoever asks first, and when.

use super::sessions::{Assignments, Cast, assignments, everyone};
use crate::base::limits::StopReason;
use crate::process::{
    Bounds, Closed, Program, Shapes, System, SystemId, TupleMode, UnfoldError, unfold,
};
use crate::term::TermStore;
use std::sync::{Arc, Mutex, PoisonError};

/// The systems generated and unfolded so far.
#[derive(Debug, Default)]
pub(super) struct Systems {
    written: Table<(Written, Bounds), Arc<System>>,
    everyone: Table<(Written, bool, Bounds), Cast<Arc<Everyone>>>,
    generated: Table<(Written, bool, u32), Option<Arc<Assignments>>>,
}

/// What was found for each question.
type Table<K, V> = Mutex<Vec<(K, V)>>;

/// A system of a file. Claims may be added to a file, and what is generated depends on whom they name.
#[derive(Clone, Debug, PartialEq)]
struct Written {
    tuples: TupleMode,
    closed: Closed,
    claims: usize,
}

impl Written {
    fn new(program: &Program, closed: &Closed) -> Self {
        Self {
            tuples: program.tuples,
            closed: closed.clone(),
            claims: program.claims.len(),
        }
    }
}

/// A program extended by a system of all role instances that `--sessions` chooses from.
#[derive(Debug)]
pub(super) struct Everyone {
    pub program: Program,
    pub system: SystemId,
    pub unfolded: Arc<System>,
}

/// So many of each kind are kept: claims about a system mostly stand together, and a file may have thousands of systems.
const KEPT: usize = 16;

/// The value at a key, made if it is not there. What was not asked for in a while goes.
fn kept<K: PartialEq, V: Clone, E>(
    table: &Table<K, V>,
    key: K,
    make: impl FnOnce() -> Result<V, E>,
) -> Result<V, E> {
    let locked = || table.lock().unwrap_or_else(PoisonError::into_inner);
    let found = || {
        let mut all = locked();
        let at = all.iter().position(|(k, _)| *k == key)?;
        let entry = all.remove(at);
        let value = entry.1.clone();
        all.push(entry);
        Some(value)
    };
    if let Some(value) = found() {
        return Ok(value);
    }
    let value = make()?;
    let mut all = locked();
    all.push((key, value.clone()));
    if all.len() > KEPT {
        all.remove(0);
    }
    Ok(value)
}

/// For what can't fail.
fn sure<V>(value: Result<V, std::convert::Infallible>) -> V {
    match value {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

impl Systems {
    /// A system as it is written, unfolded.
    pub fn unfolded(
        &self,
        store: &TermStore,
        program: &Program,
        closed: &Closed,
        bounds: Bounds,
    ) -> Result<Arc<System>, UnfoldError> {
        let key = (Written::new(program, closed), bounds);
        kept(&self.written, key, || {
            unfold(program, store, closed, bounds, &mut Shapes::new()).map(Arc::new)
        })
    }

    /// All role instances that could be chosen, in one system; too many if they can't be unfolded.
    pub fn everyone(
        &self,
        store: &TermStore,
        program: &Program,
        closed: &Closed,
        keep_own: bool,
        bounds: Bounds,
        most: usize,
    ) -> Cast<Arc<Everyone>> {
        let key = (Written::new(program, closed), keep_own, bounds);
        sure(kept(&self.everyone, key, || {
            let (program, system) = match everyone(program, store, closed, keep_own, most) {
                Cast::All(all) => all,
                Cast::NoRoles => return Ok(Cast::NoRoles),
                Cast::TooMany => return Ok(Cast::TooMany),
            };
            let closed = closed.clone();
            let all = Closed { system, ..closed };
            let unfolded = unfold(&program, store, &all, bounds, &mut Shapes::new());
            Ok(match unfolded {
                Ok(unfolded) => Cast::All(Arc::new(Everyone {
                    program,
                    system,
                    unfolded: Arc::new(unfolded),
                })),
                Err(_) => Cast::TooMany,
            })
        }))
    }

    /// All systems of `n` role instances, or those up to a stop; `None` if the system has no roles with agents.
    pub fn generated(
        &self,
        store: &TermStore,
        program: &Program,
        closed: &Closed,
        n: u32,
        keep_own: bool,
        stop: &dyn Fn() -> Option<StopReason>,
    ) -> Option<Arc<Assignments>> {
        let key = (Written::new(program, closed), keep_own, n);
        let made = kept(&self.generated, key, || {
            let made = assignments(program, store, closed, n, keep_own, stop).map(Arc::new);
            // What was cut short is not kept.
            if made.as_ref().is_some_and(|m| m.stopped.is_some()) {
                return Err(made);
            }
            Ok(made)
        });
        made.unwrap_or_else(|cut| cut)
    }
}

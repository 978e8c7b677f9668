//! How far everybody gets if somebody is stuck: all take part, and each message goes to the likeliest who accepts it.
//!
//! Nothing is taken back, so this is a run to be told, and what is sent in it can be compared with what is expected. It
//! proves nothing.

use super::Leave;
use super::effort::Effort;
use super::party::Stage;
use super::runs::HonestRun;
use super::state::State;
use crate::process::{Action, StepId};
use rustc_hash::FxHashSet;

/// The run; the steps that are passed in it are noted.
pub(super) fn furthest(
    stage: &Stage<'_>,
    passed: &mut FxHashSet<StepId>,
    effort: &mut Effort<'_>,
) -> HonestRun {
    let mut state = State::new(stage, Leave::STEPS[0]);
    for (party, is) in stage.parties.iter().enumerate() {
        if is.spare || !effort.look() {
            continue;
        }
        state.mark();
        // One that is stuck from the beginning stands where it is.
        let _ = state.join(party);
        passed.extend(state.walked.iter().copied());
    }
    let mut level = 0;
    while let Some(distance) = [0, 1, 2].get(level % 3) {
        state.leave = if level < 3 {
            Leave::STEPS[0]
        } else {
            Leave::STEPS[1]
        };
        let moved = sweep(&mut state, *distance, passed, effort);
        if effort.is_over() {
            break;
        }
        // The likeliest first, again and again.
        level = if moved { 0 } else { level + 1 };
        if level == 6 {
            break;
        }
    }
    let open: FxHashSet<usize> = state
        .slots
        .iter()
        .flatten()
        .filter(|t| !state.rests(t))
        .map(|t| t.party)
        .collect();
    let ended = |p: &&usize| !open.contains(p) && !stage.parties[**p].spied;
    let mut finished: Vec<_> = state
        .members
        .iter()
        .filter(ended)
        .map(|p| stage.parties[*p].instance)
        .collect();
    finished.dedup();
    HonestRun {
        moves: state.moves,
        finished,
    }
}

/// Delivers what can be delivered between parties of some distance; whether anything was.
fn sweep(
    state: &mut State<'_>,
    distance: u8,
    passed: &mut FxHashSet<StepId>,
    effort: &mut Effort<'_>,
) -> bool {
    let stage = state.stage;
    let mut moved = false;
    let mut slot = 0;
    while slot < state.slots.len() {
        let Some(thread) = state.slots[slot].clone() else {
            slot += 1;
            continue;
        };
        let near = |p: usize| stage.distance(thread.party, p) <= distance;
        let mut done = false;
        match &stage.system.step(thread.step).action {
            Action::Input { .. } => {
                for item in 0..state.pool.len() {
                    if !effort.look() {
                        return moved;
                    }
                    if near(state.pool[item].party) && state.may_deliver(item, slot) {
                        if !effort.attempt() {
                            return moved;
                        }
                        let mark = state.mark();
                        done = state.deliver(item, slot).is_ok();
                        if done {
                            break;
                        }
                        state.undo(mark);
                    }
                }
            }
            Action::Output { .. } => {
                for other in 0..state.slots.len() {
                    if !effort.attempt() {
                        return moved;
                    }
                    let input = state.slots[other].as_ref().is_some_and(|t| {
                        near(t.party)
                            && matches!(stage.system.step(t.step).action, Action::Input { .. })
                    });
                    if input {
                        let mark = state.mark();
                        done = state.meet(slot, other).is_ok();
                        if done {
                            break;
                        }
                        state.undo(mark);
                    }
                }
            }
            _ => {}
        }
        if done {
            passed.extend(state.walked.iter().copied());
            moved = true;
        } else {
            slot += 1;
        }
    }
    moved
}

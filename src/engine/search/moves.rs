//! The attacker's choices in a settled state: which thread moves next.
//!
//! A move is an input served by a new generic, a late event, a message on a channel the attacker lacks (passed
//! between two threads, or made visible by a narrowing that gives it the channel), and, when outputs are not taken
//! eagerly, an output. Or a phase begins that somebody waits for.

use super::Setup;
use super::settle::{Settled, goto, happen, send, settle};
use super::state::{Entry, State, Thread};
use super::symmetry;
use crate::attacker::solver::{GenericInfo, Question, TooLarge, is_derivable};
use crate::process::{Action, StepId, Type};
use crate::term::TermId;

/// All settled successors of a settled state.
pub(super) fn successors(
    setup: &Setup<'_>,
    state: &State,
    out: &mut Settled,
) -> Result<(), TooLarge> {
    let leaders = symmetry::leaders(setup, state);
    for (i, leads) in leaders.iter().enumerate() {
        if !leads {
            continue;
        }
        if setup.is_halted() {
            break;
        }
        let thread = &state.threads[i];
        match &setup.system.step(thread.step).action {
            Action::Input {
                channel,
                binder,
                next,
            } => {
                let channel = here(setup, state, i, *channel);
                for base in reach_channel(setup, state, channel)? {
                    serve(setup, base, i, *binder, *next, out);
                }
            }
            Action::Output {
                channel,
                message,
                next,
            } => {
                let term = here(setup, state, i, *channel);
                for mut base in reach_channel(setup, state, term)? {
                    if send(setup, &mut base, i, *channel, *message, *next)?.is_some() {
                        settle(setup, base, out);
                    }
                }
                pass(setup, state, i, term, out)?;
            }
            Action::Event { .. } => {
                let mut base = state.clone();
                let mut open = Vec::new();
                happen(setup, &mut base, i, &mut open, &mut out.reached)?;
                for state in open.into_iter().chain([base]) {
                    settle(setup, state, out);
                }
            }
            Action::Nil | Action::Fork(_) | Action::Test { .. } | Action::Phase { .. } => {}
        }
    }
    for number in waited_for(setup, state) {
        if let Some(next) = begin_phase(setup, state, number) {
            settle(setup, next, out);
        }
    }
    Ok(())
}

/// The phases that some thread waits for.
fn waited_for(setup: &Setup<'_>, state: &State) -> Vec<u8> {
    let waits = state.threads.iter().filter_map(|t| phase_of(setup, t));
    let mut numbers: Vec<u8> = waits.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The phase that a thread waits for.
fn phase_of(setup: &Setup<'_>, thread: &Thread) -> Option<u8> {
    match setup.system.step(thread.step).action {
        Action::Phase { number, .. } => Some(number),
        _ => None,
    }
}

/// The state in which a phase has begun: who does not wait for it or a later one is gone. Nothing if that takes away somebody who has
/// to finish.
fn begin_phase(setup: &Setup<'_>, state: &State, number: u8) -> Option<State> {
    let stays = |t: &Thread| phase_of(setup, t).is_some_and(|n| n >= number);
    let target = |t: &Thread| setup.is_target(setup.system.step(t.step).instance);
    if state.threads.iter().any(|t| !stays(t) && target(t)) {
        return None;
    }
    let mut next = state.clone();
    next.threads.retain(|t| stays(t));
    next.phase = number;
    next.log(Entry::Phase(number));
    Some(next)
}

/// A term of the thread's step with the thread's values.
pub(super) fn here(setup: &Setup<'_>, state: &State, i: usize, t: TermId) -> TermId {
    let thread = &state.threads[i];
    setup
        .system
        .bindings(setup.store, thread.step, &thread.env)
        .apply(setup.store, t)
}

/// The states in which the attacker has the channel.
fn reach_channel(
    setup: &Setup<'_>,
    state: &State,
    channel: TermId,
) -> Result<Vec<State>, TooLarge> {
    if is_derivable(&state.context(setup), channel, state.level) {
        return Ok(vec![state.clone()]);
    }
    let question = Question {
        equations: Vec::new(),
        goals: vec![(channel, state.level)],
    };
    let answers = state.ask(setup, &question)?.list.into_iter();
    Ok(answers.map(|(s, _)| s).collect())
}

/// Serves an input with a new generic.
fn serve(setup: &Setup<'_>, state: State, i: usize, binder: u32, next: StepId, out: &mut Settled) {
    let mut state = state;
    let ty = setup.typing.map_or(Type::Msg, |t| t.var(binder));
    let step = state.threads[i].step;
    let members = setup
        .typing
        .and_then(|t| t.members(ty))
        .map(<[TermId]>::to_vec);
    let Some(members) = members else {
        let info = GenericInfo {
            level: state.level,
            ty,
        };
        let generic = setup.store.generic(state.generics.push(info));
        state.log(Entry::Receive(step, generic));
        goto(
            setup,
            &mut state.threads[i],
            &[(binder, generic)],
            next,
            false,
        );
        settle(setup, state, out);
        return;
    };
    for member in members {
        let mut state = state.clone();
        state.log(Entry::Receive(step, member));
        goto(
            setup,
            &mut state.threads[i],
            &[(binder, member)],
            next,
            false,
        );
        settle(setup, state, out);
    }
}

/// Passes the message of an output to the inputs whose channel may be the same, unseen by the attacker. On a channel
/// it has, the attacker can do that itself, unless it is better not to hear the message.
fn pass(
    setup: &Setup<'_>,
    state: &State,
    i: usize,
    channel: TermId,
    out: &mut Settled,
) -> Result<(), TooLarge> {
    if !setup.maximal && is_derivable(&state.context(setup), channel, state.level) {
        return Ok(());
    }
    for j in 0..state.threads.len() {
        if setup.is_halted() {
            break;
        }
        let Action::Input {
            channel: other,
            binder,
            next,
        } = &setup.system.step(state.threads[j].step).action
        else {
            continue;
        };
        let other = here(setup, state, j, *other);
        let question = Question {
            equations: vec![(channel, other)],
            goals: Vec::new(),
        };
        for (mut base, _) in state.ask(setup, &question)?.list {
            let Action::Output {
                message,
                next: after,
                ..
            } = &setup.system.step(base.threads[i].step).action
            else {
                continue;
            };
            let message = here(setup, &base, i, *message);
            base.log(Entry::Communicate(
                base.threads[i].step,
                base.threads[j].step,
            ));
            goto(setup, &mut base.threads[i], &[], *after, true);
            goto(
                setup,
                &mut base.threads[j],
                &[(*binder, message)],
                *next,
                true,
            );
            settle(setup, base, out);
        }
    }
    Ok(())
}

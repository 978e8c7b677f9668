//! Settling: everything that needs no choice of the attacker [Sem 4.1].
//!
//! Knowledge only grows, so outputs the attacker can see, tests and events that can only help it are run at once, in
//! one order. A test whose outcome depends on generics splits the state: one successor per most general solution,
//! one for failure if there is an `else`. A thread that fails without having shown anything since its last input
//! takes the whole state with it: not sending that input would have been no worse. If it has shown something, the
//! state goes on without the thread, which also stands for the thread pausing before the test.

use super::Setup;
use super::goal::{Goal, Watch};
use super::learn::learn;
use super::reach;
use super::state::{Entry, Happened, State, Thread, is_oversized};
use crate::attacker::solver::{Question, TooLarge, is_derivable};
use crate::process::{Action, Env, StepId, Test};
use crate::term::{Subst, TermId, View, unify};

/// What settling comes to: settled states, and states that reached the goal on the way.
#[derive(Default)]
pub(super) struct Settled {
    pub states: Vec<State>,
    pub reached: Vec<State>,
    /// A state was given up because a message had grown beyond [`super::state::MESSAGE_SIZE`].
    pub oversized: bool,
}

/// The settled states that a system starts in.
pub(super) fn start(setup: &Setup<'_>) -> Settled {
    let mut out = Settled::default();
    match State::initial(setup) {
        Ok(state) => settle(setup, state, &mut out),
        Err(TooLarge) => out.oversized = true,
    }
    out
}

/// Runs a state until every thread waits.
pub(super) fn settle(setup: &Setup<'_>, state: State, out: &mut Settled) {
    let mut work = vec![state];
    while let Some(mut state) = work.pop() {
        if setup.is_halted() {
            return;
        }
        let (waiting, reached) = (work.len(), out.reached.len());
        match advance(setup, &mut state, &mut work, &mut out.reached) {
            Ok(Progress::Waiting) => out.states.push(state),
            Ok(Progress::Split | Progress::Useless) => {}
            Err(TooLarge) => {
                work.truncate(waiting);
                out.reached.truncate(reached);
                out.oversized = true;
            }
        }
    }
}

enum Progress {
    /// Every thread waits.
    Waiting,
    /// The successors are on the work list.
    Split,
    /// The state is no better than one it came from.
    Useless,
}

fn advance(
    setup: &Setup<'_>,
    state: &mut State,
    work: &mut Vec<State>,
    reached: &mut Vec<State>,
) -> Result<Progress, TooLarge> {
    if state.is_oversized(setup.store) {
        return Err(TooLarge);
    }
    // All threads before the current one wait, these at an output.
    let mut blocked: Vec<usize> = Vec::new();
    let mut i = 0;
    while i < state.threads.len() {
        if setup.is_halted() {
            return Ok(Progress::Useless);
        }
        let at = state.threads[i].step;
        if setup.is_useless(at) {
            state.threads.remove(i);
            continue;
        }
        match &setup.system.step(at).action {
            Action::Nil => {
                state.threads.remove(i);
                // Threads before this one still wait; the next one has moved here.
            }
            Action::Fork(parts) => fork(setup, state, i, parts),
            Action::Input { .. } => i += 1,
            Action::Phase { number, next } => {
                if *number > state.phase {
                    i += 1;
                } else {
                    goto(setup, &mut state.threads[i], &[], *next, true);
                }
            }
            Action::Output { .. } if !setup.options.eager => i += 1,
            Action::Output {
                channel,
                message,
                next,
            } => {
                let Some(message) = send(setup, state, i, *channel, *message, *next)? else {
                    blocked.push(i);
                    i += 1;
                    continue;
                };
                // What it contains is no larger.
                if is_oversized(setup.store, message) && state.is_oversized(setup.store) {
                    return Err(TooLarge);
                }
                // A channel learned just now may free an earlier output.
                if let Some(first) = freed(setup, state, &blocked) {
                    i = blocked[first];
                    blocked.truncate(first);
                }
            }
            Action::Event { event, .. } => match setup.watch(state, *event) {
                Watch::Late => i += 1,
                Watch::Ignore => pass_event(setup, state, i),
                Watch::Early => {
                    happen(setup, state, i, work, reached)?;
                    // An event ends the search as soon as it reaches the goal; otherwise the thread goes on.
                }
            },
            Action::Test {
                test,
                then,
                otherwise,
            } => match run_test(setup, state, i, test, *then, *otherwise, work)? {
                TestOutcome::Decided => {
                    let values = &state.threads[i].env;
                    if values.iter().any(|t| is_oversized(setup.store, *t)) {
                        return Err(TooLarge);
                    }
                }
                TestOutcome::Dropped => {}
                TestOutcome::Split => return Ok(Progress::Split),
                TestOutcome::Useless => return Ok(Progress::Useless),
            },
        }
    }
    Ok(Progress::Waiting)
}

/// Puts the parts of a fork in the place of a thread.
fn fork(setup: &Setup<'_>, state: &mut State, i: usize, parts: &[StepId]) {
    let thread = state.threads.remove(i);
    let part = |part: &StepId| Thread {
        step: *part,
        env: setup.system.follow(thread.step, &thread.env, &[], *part),
        acted: true,
    };
    state.threads.insert_many(i, parts.iter().map(part));
}

/// The first of these outputs whose channel the attacker has.
fn freed(setup: &Setup<'_>, state: &State, blocked: &[usize]) -> Option<usize> {
    blocked.iter().position(|i| {
        let thread = &state.threads[*i];
        let Action::Output { channel, .. } = &setup.system.step(thread.step).action else {
            return false;
        };
        let bindings = setup.system.bindings(setup.store, thread.step, &thread.env);
        let channel = bindings.apply(setup.store, *channel);
        is_derivable(&state.context(setup), channel, state.level)
    })
}

/// Sends the thread's message, if the attacker listens on its channel.
pub(super) fn send(
    setup: &Setup<'_>,
    state: &mut State,
    i: usize,
    channel: TermId,
    message: TermId,
    next: StepId,
) -> Result<Option<TermId>, TooLarge> {
    let thread = &state.threads[i];
    let bindings = setup.system.bindings(setup.store, thread.step, &thread.env);
    let channel = bindings.apply(setup.store, channel);
    if !is_derivable(&state.context(setup), channel, state.level) {
        return Ok(None);
    }
    let message = bindings.apply(setup.store, message);
    let step = thread.step;
    goto(setup, &mut state.threads[i], &[], next, true);
    state.log(Entry::Send(step));
    learn(setup, state, message)?;
    Ok(Some(message))
}

/// Moves a thread on.
pub(super) fn goto(
    setup: &Setup<'_>,
    thread: &mut Thread,
    bound: &[(u32, TermId)],
    to: StepId,
    acted: bool,
) {
    let env: Env = setup.system.follow(thread.step, &thread.env, bound, to);
    *thread = Thread {
        step: to,
        env,
        acted,
    };
}

fn pass_event(setup: &Setup<'_>, state: &mut State, i: usize) {
    let step = state.threads[i].step;
    let Action::Event { next, .. } = &setup.system.step(step).action else {
        return;
    };
    let acted = state.threads[i].acted;
    goto(setup, &mut state.threads[i], &[], *next, acted);
    state.log(Entry::Event(step));
}

/// Runs a watched event: books it and looks whether it reaches the goal. Where everybody has to go on, the states that do are
/// `open` until then.
pub(super) fn happen(
    setup: &Setup<'_>,
    state: &mut State,
    i: usize,
    open: &mut Vec<State>,
    reached: &mut Vec<State>,
) -> Result<(), TooLarge> {
    let thread = &state.threads[i];
    let Action::Event {
        event,
        args,
        actors,
        next,
    } = &setup.system.step(thread.step).action
    else {
        return Ok(());
    };
    let bindings = setup.system.bindings(setup.store, thread.step, &thread.env);
    let record = Happened {
        event: *event,
        args: args
            .iter()
            .map(|t| bindings.apply(setup.store, *t))
            .collect(),
        actors: actors
            .iter()
            .map(|t| bindings.apply(setup.store, *t))
            .collect(),
    };
    let step = thread.step;
    goto(setup, &mut state.threads[i], &[], *next, true);
    state.log(Entry::Event(step));
    let mut here = Vec::new();
    let relevant = match setup.goal {
        Goal::Disagreement {
            after,
            before,
            injective,
            unless,
        } => {
            if record.event == after.event {
                here = reach::disagreement(setup, state, &record, after, before, *injective)?;
            }
            let excuses = unless.iter().any(|p| p.event == record.event);
            record.event == before.event || *injective || excuses
        }
        Goal::Event(pattern) => {
            here = reach::event(setup, state, &record, pattern)?;
            false
        }
        Goal::LeakAfter { .. } | Goal::Leak(_) | Goal::Send { .. } => true,
        Goal::Finish(_) => false,
    };
    if setup.maximal {
        let won = |s: State| State {
            won: true,
            events: Vec::new(),
            ..s
        };
        open.extend(here.into_iter().map(won));
    } else {
        reached.extend(here);
    }
    if relevant {
        state.events.push(record);
    }
    Ok(())
}

enum TestOutcome {
    Decided,
    Dropped,
    Split,
    Useless,
}

fn run_test(
    setup: &Setup<'_>,
    state: &mut State,
    i: usize,
    test: &Test,
    then: StepId,
    otherwise: StepId,
    work: &mut Vec<State>,
) -> Result<TestOutcome, TooLarge> {
    let store = setup.store;
    let thread = state.threads[i].clone();
    let bindings = setup.system.bindings(store, thread.step, &thread.env);
    let equations: Vec<(TermId, TermId)> = test
        .equations
        .iter()
        .map(|(a, b)| (bindings.apply(store, *a), bindings.apply(store, *b)))
        .collect();
    // Types say what the attacker sends; a test of what it has no hand in passes or fails without them.
    let typed = setup.is_typed_test(thread.step);
    if let Some(decided) = decide(setup, &equations, test, typed) {
        let Some(vars) = decided else {
            return Ok(fail(setup, state, i, test, otherwise));
        };
        goto(setup, &mut state.threads[i], &vars, then, thread.acted);
        return Ok(TestOutcome::Decided);
    }
    let question = Question {
        equations,
        goals: Vec::new(),
    };
    let answers = state.ask(setup, &question)?;
    if answers.certain {
        let Some((next, vars)) = answers.list.into_iter().next() else {
            return Ok(TestOutcome::Useless);
        };
        *state = next;
        goto(setup, &mut state.threads[i], &vars, then, thread.acted);
        return Ok(TestOutcome::Decided);
    }
    if answers.list.is_empty() {
        // Where only the types refuse, the message is one that a typed attacker does not send.
        if setup.typing.is_some() && !state.forbid(store, question.equations)? {
            return Ok(stop(setup, state, i));
        }
        return Ok(fail(setup, state, i, test, otherwise));
    }
    for (mut next, vars) in answers.list {
        goto(setup, &mut next.threads[i], &vars, then, thread.acted);
        work.push(next);
    }
    let mut failed = state.clone();
    if goes_on_after(setup, test, otherwise) && !failed.forbid(store, question.equations)? {
        return Ok(TestOutcome::Split);
    }
    // Without an `else` the thread need not fail to be left behind: it may pause before the test.
    match fail(setup, &mut failed, i, test, otherwise) {
        TestOutcome::Decided | TestOutcome::Dropped => work.push(failed),
        TestOutcome::Split | TestOutcome::Useless => {}
    }
    Ok(TestOutcome::Split)
}

/// Whether there is something to go on with after the failure of a test. An `else` that does nothing makes a difference
/// only to whom it matters that nobody is stuck [Sem 4.5], or that this one is not.
fn goes_on_after(setup: &Setup<'_>, test: &Test, otherwise: StepId) -> bool {
    let step = setup.system.step(otherwise);
    let idle = matches!(step.action, Action::Nil);
    test.has_else && (setup.options.transparent || !idle || setup.is_target(step.instance))
}

/// The outcome of a test that does not depend on generics: the values it binds, or failure.
#[allow(clippy::option_option)]
fn decide(
    setup: &Setup<'_>,
    equations: &[(TermId, TermId)],
    test: &Test,
    typed: bool,
) -> Option<Option<Vec<(u32, TermId)>>> {
    let store = setup.store;
    if typed {
        // Types may refuse what the terms allow: a question for the solver.
        return None;
    }
    let rank = |t: TermId| matches!(store.view(t), View::Var(_)).then_some(0);
    let mut subst = Subst::new();
    if unify(store, equations, &rank, &mut subst) {
        let value = |v: &u32| (*v, subst.resolve(store, store.var(*v)));
        return Some(Some(test.binds.iter().map(value).collect()));
    }
    let generic = |t: &TermId| store.facts(*t).has_generic;
    if equations.iter().any(|(a, b)| generic(a) || generic(b)) {
        return None;
    }
    Some(None)
}

/// A failed test: on to the `else`, or the end of the thread, or of the whole state.
fn fail(
    setup: &Setup<'_>,
    state: &mut State,
    i: usize,
    test: &Test,
    otherwise: StepId,
) -> TestOutcome {
    let acted = state.threads[i].acted;
    if goes_on_after(setup, test, otherwise) {
        goto(setup, &mut state.threads[i], &[], otherwise, acted);
        return TestOutcome::Decided;
    }
    stop(setup, state, i)
}

/// The end of a thread that can't go on, and of the whole state if the thread has shown nothing since its last input, or is to come to its end.
fn stop(setup: &Setup<'_>, state: &mut State, i: usize) -> TestOutcome {
    let wanted = setup.is_target(setup.system.step(state.threads[i].step).instance);
    if setup.options.transparent || wanted || !state.threads[i].acted {
        return TestOutcome::Useless;
    }
    state.threads.remove(i);
    TestOutcome::Dropped
}

//! Whether a state has reached the goal.
//!
//! Each check returns narrowed states in which the goal is reached for *every* value of the remaining generics that
//! respects the disequations; such values exist, because the attacker has names of its own.

use super::Setup;
use super::goal::{Goal, Pattern, Secret};
use super::moves::here;
use super::state::{Happened, State};
use crate::process::{Action, EventId, InstanceId};
use crate::symbolic::{Question, is_derivable};
use crate::term::{NameClass, TermId, View};

/// The goals that a settled state can reach without a further move.
pub(super) fn settled(setup: &Setup<'_>, state: &State) -> Vec<State> {
    if setup.maximal && !may_end(setup, state) {
        // Nor may it end after a narrowing: what can be done can be done whatever the generics stand for.
        return Vec::new();
    }
    let going = || !setup.is_halted();
    match setup.goal {
        _ if state.won => vec![state.clone()],
        Goal::Leak(secrets) => secrets
            .iter()
            .take_while(|_| going())
            .filter_map(|s| leak(setup, state, s, None))
            .collect(),
        Goal::Send { channel, messages } => messages
            .iter()
            .take_while(|_| going())
            .filter_map(|m| leak(setup, state, m, Some(*channel)))
            .collect(),
        Goal::LeakAfter { term, event } => state
            .events
            .iter()
            .take_while(|_| going())
            .flat_map(|h| leak_after(setup, state, h, event, *term))
            .filter(|s| may_end(setup, s))
            .collect(),
        Goal::Finish(instance) => {
            if finished(setup, state, *instance) {
                vec![state.clone()]
            } else {
                Vec::new()
            }
        }
        Goal::Disagreement { .. } | Goal::Event(_) => Vec::new(),
    }
}

fn leak(
    setup: &Setup<'_>,
    state: &State,
    secret: &Secret,
    channel: Option<TermId>,
) -> Option<State> {
    let mut goals = vec![(secret.term, state.level)];
    goals.extend(channel.map(|c| (c, state.level)));
    let answers = state.ask(
        setup,
        &Question {
            equations: Vec::new(),
            goals,
        },
    );
    answers.list.into_iter().find_map(|(next, _)| {
        honest_makers(setup, next, &secret.pending)
            .into_iter()
            .find(|s| may_end(setup, s))
    })
}

/// Whether the run may end in a settled state, or one that was narrowed since: with the transparent attacker, if nobody can
/// go on unless the attacker sends something [Sem 4.5].
fn may_end(setup: &Setup<'_>, state: &State) -> bool {
    let receives = |sent: TermId| {
        (0..state.threads.len()).any(|j| {
            matches!(setup.system.step(state.threads[j].step).action,
                Action::Input { channel, .. } if here(setup, state, j, channel) == sent)
        })
    };
    let waits = |i: usize| match setup.system.step(state.threads[i].step).action {
        Action::Output { channel, .. } => {
            let channel = here(setup, state, i, channel);
            !is_derivable(&state.context(setup), channel, state.level) && !receives(channel)
        }
        Action::Event { .. } => false,
        Action::Nil
        | Action::Fork(_)
        | Action::Input { .. }
        | Action::Test { .. }
        | Action::Phase { .. } => true,
    };
    !setup.maximal || (0..state.threads.len()).all(waits)
}

/// Requires that the names' makers have turned out honest.
fn honest_makers(setup: &Setup<'_>, state: State, pending: &[TermId]) -> Vec<State> {
    let mut states = vec![state];
    for name in pending {
        states = states
            .into_iter()
            .flat_map(|state| {
                let made =
                    |h: &&Happened| h.event == EventId::CREATED && h.args.first() == Some(name);
                match state.events.iter().find(made).cloned() {
                    Some(made) => honest(setup, state, &made.actors),
                    None => Vec::new(),
                }
            })
            .collect();
    }
    states
}

/// The ways in which every actor is an honest agent. Actors that are not known yet have to be among the declared
/// agents or the names that the attacker has heard of: a name of its own is nobody's.
fn honest(setup: &Setup<'_>, state: State, actors: &[TermId]) -> Vec<State> {
    if !actors.iter().all(|a| may_be_honest(setup, *a)) {
        return Vec::new();
    }
    let open: Vec<TermId> = actors
        .iter()
        .copied()
        .filter(|a| !is_name(setup, *a))
        .collect();
    if open.is_empty() {
        return vec![state];
    }
    let mut names = setup.agents.to_vec();
    for e in &state.elements {
        setup.store.visit(e.term, &mut |t| {
            if is_name(setup, t) && may_be_honest(setup, t) && !names.contains(&t) {
                names.push(t);
            }
            true
        });
    }
    let mut choices: Vec<Vec<(TermId, TermId)>> = vec![Vec::new()];
    for actor in open {
        choices = choices
            .into_iter()
            .flat_map(|c| {
                let with = move |agent: &TermId| {
                    let mut c = c.clone();
                    c.push((actor, *agent));
                    c
                };
                names.iter().map(with).collect::<Vec<_>>()
            })
            .collect();
    }
    choices
        .into_iter()
        .take_while(|_| !setup.is_halted())
        .flat_map(|equations| {
            let question = Question {
                equations,
                goals: Vec::new(),
            };
            state.ask(setup, &question).list
        })
        .map(|(next, _)| next)
        .collect()
}

fn is_name(setup: &Setup<'_>, t: TermId) -> bool {
    matches!(setup.store.view(t), View::Name(_))
}

pub(super) fn may_be_honest(setup: &Setup<'_>, actor: TermId) -> bool {
    match setup.store.view(actor) {
        View::Name(n) => {
            let class = setup.store.name_info(n).class;
            !matches!(class, NameClass::Spy | NameClass::Attacker)
        }
        View::Generic(_) => true,
        _ => false,
    }
}

/// Whether every actor is known to be honest.
fn is_honest(setup: &Setup<'_>, record: &Happened) -> bool {
    record
        .actors
        .iter()
        .all(|a| is_name(setup, *a) && may_be_honest(setup, *a))
}

/// The states in which the record matches the pattern, with the pattern's variables' values.
fn matches(
    setup: &Setup<'_>,
    state: &State,
    record: &Happened,
    pattern: &Pattern,
    goals: Vec<(TermId, u32)>,
) -> Vec<(State, Vec<(TermId, TermId)>)> {
    if record.event != pattern.event || record.args.len() != pattern.args.len() {
        return Vec::new();
    }
    let equations = pattern
        .args
        .iter()
        .copied()
        .zip(record.args.iter().copied())
        .collect();
    let answers = state.ask(setup, &Question { equations, goals });
    let values = |vars: Vec<(u32, TermId)>| {
        vars.into_iter()
            .map(|(v, t)| (setup.store.var(v), t))
            .collect::<Vec<_>>()
    };
    answers
        .list
        .into_iter()
        .map(|(s, vars)| (s, values(vars)))
        .collect()
}

fn leak_after(
    setup: &Setup<'_>,
    state: &State,
    record: &Happened,
    pattern: &Pattern,
    term: TermId,
) -> Vec<State> {
    // The term is over the pattern's variables, so the match and the derivation are one question.
    matches(setup, state, record, pattern, vec![(term, state.level)])
        .into_iter()
        .flat_map(|(next, _)| {
            let record = narrowed(&next, state, record);
            honest(setup, next, &record.actors)
        })
        .collect()
}

/// The record as it stands in a narrowed state.
fn narrowed(next: &State, state: &State, record: &Happened) -> Happened {
    state
        .events
        .iter()
        .position(|h| h == record)
        .map_or_else(|| record.clone(), |i| next.events[i].clone())
}

/// The event matches.
pub(super) fn event(
    setup: &Setup<'_>,
    state: &State,
    record: &Happened,
    pattern: &Pattern,
) -> Vec<State> {
    matches(setup, state, record, pattern, Vec::new())
        .into_iter()
        .map(|(s, _)| s)
        .collect()
}

/// The event `after` has happened, by an honest instance, and can't be given a `before` of its own.
pub(super) fn disagreement(
    setup: &Setup<'_>,
    state: &State,
    record: &Happened,
    after: &Pattern,
    before: &Pattern,
    injective: bool,
) -> Vec<State> {
    // The record is not booked yet; book it in a copy so that narrowings reach it.
    let mut with = state.clone();
    with.events.push(record.clone());
    let mut found = Vec::new();
    for (next, _) in matches(setup, &with, record, after, Vec::new()) {
        let Some(record) = next.events.last().cloned() else {
            continue;
        };
        for next in honest(setup, next, &record.actors) {
            if injective {
                for next in settle_commits(setup, next, after) {
                    overcommitted(setup, next, after, before, &mut found);
                }
            } else if let Some(next) = unpreceded(setup, next, after, before) {
                found.push(next);
            }
        }
    }
    found
}

/// Splits on earlier commits of which it is not known yet whether they match the pattern and whose agents are not known
/// yet: they count after all, or they are left out of account.
fn settle_commits(setup: &Setup<'_>, state: State, after: &Pattern) -> Vec<State> {
    let count = state.events.len();
    let mut states = vec![state];
    for i in 0..count {
        if setup.is_halted() {
            return Vec::new();
        }
        states = states
            .into_iter()
            .flat_map(|state| {
                let record = state.events[i].clone();
                if record.event != after.event
                    || !record.actors.iter().all(|a| may_be_honest(setup, *a))
                    || (is_honest(setup, &record) && certainly(setup, &state, &record, after))
                {
                    return vec![state];
                }
                let mut ways: Vec<State> = matches(setup, &state, &record, after, Vec::new())
                    .into_iter()
                    .flat_map(|(next, _)| {
                        let actors = next.events[i].actors.clone();
                        honest(setup, next, &actors)
                    })
                    .collect();
                ways.push(state);
                ways
            })
            .collect();
    }
    states
}

/// The `before` pattern for an `after` event: variables they share have the event's values.
fn expected(
    setup: &Setup<'_>,
    record: &Happened,
    after: &Pattern,
    before: &Pattern,
) -> Vec<TermId> {
    let values: crate::term::Subst = {
        let mut subst = crate::term::Subst::new();
        let pairs: Vec<_> = after
            .args
            .iter()
            .copied()
            .zip(record.args.iter().copied())
            .collect();
        let store = setup.store;
        let rank = |t: TermId| matches!(store.view(t), View::Var(_)).then_some(1);
        crate::term::unify(store, &pairs, &rank, &mut subst);
        subst
    };
    before
        .args
        .iter()
        .map(|t| values.resolve(setup.store, *t))
        .collect()
}

/// Forbids every earlier `before` event to match.
fn unpreceded(setup: &Setup<'_>, state: State, after: &Pattern, before: &Pattern) -> Option<State> {
    let mut state = state;
    let (record, earlier) = state
        .events
        .split_last()
        .map(|(r, e)| (r.clone(), e.to_vec()))?;
    let wanted = expected(setup, &record, after, before);
    for h in earlier.iter().filter(|h| h.event == before.event) {
        if setup.is_halted() {
            return None;
        }
        let pairs = wanted.iter().copied().zip(h.args.iter().copied()).collect();
        if !state.forbid(setup.store, pairs) {
            return None;
        }
    }
    Some(state)
}

/// Splits until it is definite which `before` events match which `after` events, and keeps the cases in which the
/// `after` events can't all have one of their own.
fn overcommitted(
    setup: &Setup<'_>,
    state: State,
    after: &Pattern,
    before: &Pattern,
    found: &mut Vec<State>,
) {
    let store = setup.store;
    let commits: Vec<usize> = (0..state.events.len())
        .filter(|i| state.events[*i].event == after.event)
        .collect();
    let mut edges: Vec<Vec<usize>> = Vec::new();
    for &i in &commits {
        if setup.is_halted() {
            return;
        }
        let commit = &state.events[i];
        if !certainly(setup, &state, commit, after) {
            edges.push(Vec::new());
            continue;
        }
        let wanted = expected(setup, commit, after, before);
        let mut row = Vec::new();
        for (j, h) in state.events[..i].iter().enumerate() {
            if h.event != before.event {
                continue;
            }
            let equations: Vec<(TermId, TermId)> =
                wanted.iter().copied().zip(h.args.iter().copied()).collect();
            let answers = state.ask(
                setup,
                &Question {
                    equations: equations.clone(),
                    goals: Vec::new(),
                },
            );
            if answers.certain {
                row.push(j);
            } else if !answers.list.is_empty() {
                let mut apart = state.clone();
                let open = apart.lambda.len();
                if apart.forbid(store, equations) && apart.lambda.len() > open {
                    // Already forbidden earlier on this path means decided: no match.
                    if state.lambda.contains(&apart.lambda[open]) {
                        continue;
                    }
                    overcommitted(setup, apart, after, before, found);
                }
                for (next, _) in answers.list {
                    overcommitted(setup, next, after, before, found);
                }
                return;
            }
        }
        edges.push(row);
    }
    let rows: Vec<&Vec<usize>> = commits
        .iter()
        .zip(&edges)
        .filter(|(i, _)| {
            let commit = &state.events[**i];
            certainly(setup, &state, commit, after) && is_honest(setup, commit)
        })
        .map(|(_, row)| row)
        .collect();
    if !has_matching(&rows) {
        found.push(state);
    }
}

/// Whether the record matches the pattern whatever the generics stand for.
fn certainly(setup: &Setup<'_>, state: &State, record: &Happened, pattern: &Pattern) -> bool {
    let equations = pattern
        .args
        .iter()
        .copied()
        .zip(record.args.iter().copied())
        .collect();
    state
        .ask(
            setup,
            &Question {
                equations,
                goals: Vec::new(),
            },
        )
        .certain
}

/// Whether every row can be given a column of its own (augmenting paths).
fn has_matching(rows: &[&Vec<usize>]) -> bool {
    fn place(
        rows: &[&Vec<usize>],
        row: usize,
        owner: &mut Vec<(usize, usize)>,
        tried: &mut Vec<usize>,
    ) -> bool {
        for &column in rows[row] {
            if tried.contains(&column) {
                continue;
            }
            tried.push(column);
            let current = owner.iter().position(|(c, _)| *c == column);
            match current {
                None => {
                    owner.push((column, row));
                    return true;
                }
                Some(at) => {
                    let other = owner[at].1;
                    if place(rows, other, owner, tried) {
                        if let Some(entry) = owner.iter_mut().find(|(c, _)| *c == column) {
                            entry.1 = row;
                        }
                        return true;
                    }
                }
            }
        }
        false
    }
    let mut owner = Vec::new();
    (0..rows.len()).all(|row| place(rows, row, &mut owner, &mut Vec::new()))
}

/// Every thread of the instance, and of those that continue it, has come to its end.
fn finished(setup: &Setup<'_>, state: &State, instance: InstanceId) -> bool {
    let role = setup.system.role_of(instance);
    state
        .threads
        .iter()
        .all(|t| setup.system.role_of(setup.system.step(t.step).instance) != role)
        && started(setup, state, role)
}

/// The instance has threads at all: those of a fork under a prefix appear only later.
fn started(setup: &Setup<'_>, state: &State, role: InstanceId) -> bool {
    let mut ends = 0;
    let mut link = state.trace.as_deref();
    while let Some(trace) = link {
        use super::state::Entry::{Communicate, Event, Receive, Send};
        let steps = match &trace.entry {
            Receive(s, _) | Send(s) | Event(s) => [Some(*s), None],
            Communicate(a, b) => [Some(*a), Some(*b)],
            super::state::Entry::Phase(_) | super::state::Entry::Narrow(_) => [None, None],
        };
        ends += steps
            .into_iter()
            .flatten()
            .filter(|s| setup.system.role_of(setup.system.step(*s).instance) == role)
            .count();
        link = trace.before.as_deref();
    }
    ends > 0
}

#[cfg(test)]
mod tests {
    use super::has_matching;

    #[test]
    fn a_matching_needs_distinct_columns() {
        assert!(has_matching(&[&vec![0, 1], &vec![0]]));
        assert!(!has_matching(&[&vec![0], &vec![0]]));
        assert!(!has_matching(&[&vec![], &vec![0]]));
        assert!(has_matching(&[]));
    }
}

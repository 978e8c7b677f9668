//! Whether a state has reached the goal.
//!
//! Each check returns narrowed states in which the goal is reached for *every* value of the remaining generics that
//! respects the disequations; such values exist, because the attacker has names of its own.

use super::Setup;
use super::goal::{Goal, Pattern, Secret};
use super::moves::here;
use super::state::{Happened, State};
use crate::attacker::solver::{Question, TooLarge, is_derivable};
use crate::process::{Action, EventId, InstanceId};
use crate::term::{NameClass, TermId, View};

/// The goals that a settled state can reach without a further move.
pub(super) fn settled(setup: &Setup<'_>, state: &State) -> Result<Vec<State>, TooLarge> {
    let mut found = Vec::new();
    if setup.maximal && !may_end(setup, state) {
        // Nor may it end after a narrowing: what can be done can be done whatever the generics stand for.
        return Ok(found);
    }
    let going = || !setup.is_halted();
    match setup.goal {
        _ if state.won => found.push(state.clone()),
        Goal::Leak(secrets) => {
            for s in secrets.iter().take_while(|_| going()) {
                found.extend(leak(setup, state, s, None)?);
            }
        }
        Goal::Send { channel, messages } => {
            for m in messages.iter().take_while(|_| going()) {
                found.extend(leak(setup, state, m, Some(*channel))?);
            }
        }
        Goal::LeakAfter { term, event, .. } => {
            for h in state.events.iter().take_while(|_| going()) {
                found.extend(leak_after(setup, state, h, event, *term)?);
            }
            found.retain(|s| may_end(setup, s));
        }
        Goal::Finish(instance) => {
            if finished(setup, state, *instance) {
                found.push(state.clone());
            }
        }
        Goal::Disagreement { .. } | Goal::Event(_) => {}
    }
    Ok(found)
}

fn leak(
    setup: &Setup<'_>,
    state: &State,
    secret: &Secret,
    channel: Option<TermId>,
) -> Result<Option<State>, TooLarge> {
    let mut goals = vec![(secret.term, state.level)];
    goals.extend(channel.map(|c| (c, state.level)));
    let answers = state.ask(
        setup,
        &Question {
            equations: Vec::new(),
            goals,
        },
    )?;
    for (next, _) in answers.list {
        let mut honest = honest_makers(setup, next, &secret.pending)?.into_iter();
        if let Some(s) = honest.find(|s| may_end(setup, s)) {
            return Ok(Some(s));
        }
    }
    Ok(None)
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
fn honest_makers(
    setup: &Setup<'_>,
    state: State,
    pending: &[TermId],
) -> Result<Vec<State>, TooLarge> {
    let mut states = vec![state];
    for name in pending {
        let made = |h: &&Happened| h.event == EventId::CREATED && h.args.first() == Some(name);
        let mut next = Vec::new();
        for state in states {
            if let Some(made) = state.events.iter().find(made).cloned() {
                next.extend(honest(setup, state, &made.actors)?);
            }
        }
        states = next;
    }
    Ok(states)
}

/// The ways in which every actor is an honest agent. Actors that are not known yet have to be among the declared
/// agents or the names that the attacker has heard of: a name of its own is nobody's.
fn honest(setup: &Setup<'_>, state: State, actors: &[TermId]) -> Result<Vec<State>, TooLarge> {
    if !actors.iter().all(|a| may_be_honest(setup, *a)) {
        return Ok(Vec::new());
    }
    let open: Vec<TermId> = actors
        .iter()
        .copied()
        .filter(|a| !is_name(setup, *a))
        .collect();
    if open.is_empty() {
        return Ok(vec![state]);
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
    let mut found = Vec::new();
    for equations in choices.into_iter().take_while(|_| !setup.is_halted()) {
        let question = Question {
            equations,
            goals: Vec::new(),
        };
        let answers = state.ask(setup, &question)?.list;
        found.extend(answers.into_iter().map(|(next, _)| next));
    }
    Ok(found)
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

/// The states in which the record matches the pattern.
fn matches(
    setup: &Setup<'_>,
    state: &State,
    record: &Happened,
    pattern: &Pattern,
    goals: Vec<(TermId, u32)>,
) -> Result<Vec<State>, TooLarge> {
    if record.event != pattern.event || record.args.len() != pattern.args.len() {
        return Ok(Vec::new());
    }
    let equations = pattern
        .args
        .iter()
        .copied()
        .zip(record.args.iter().copied())
        .collect();
    let answers = state.ask(setup, &Question { equations, goals })?;
    Ok(answers.list.into_iter().map(|(s, _)| s).collect())
}

fn leak_after(
    setup: &Setup<'_>,
    state: &State,
    record: &Happened,
    pattern: &Pattern,
    term: TermId,
) -> Result<Vec<State>, TooLarge> {
    let mut found = Vec::new();
    // The term is over the pattern's variables, so the match and the derivation are one question.
    for next in matches(setup, state, record, pattern, vec![(term, state.level)])? {
        let at = state.events.iter().position(|h| h == record);
        let record = narrowed(&next, state, record);
        for next in honest(setup, next, &record.actors)? {
            let record = at.map_or(&record, |i| &next.events[i]).clone();
            let all = next.events.clone();
            found.extend(unexcused(setup, next, &record, pattern, &all)?);
        }
    }
    Ok(found)
}

/// Forbids that an event among these excuses the record.
fn unexcused(
    setup: &Setup<'_>,
    state: State,
    record: &Happened,
    pattern: &Pattern,
    among: &[Happened],
) -> Result<Option<State>, TooLarge> {
    let mut state = Some(state);
    for excuse in setup.goal.unless() {
        let wanted = expected(setup, record, pattern, excuse);
        state = match state {
            Some(state) => without(setup, state, &wanted, excuse, among)?,
            None => None,
        };
    }
    Ok(state)
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
) -> Result<Vec<State>, TooLarge> {
    matches(setup, state, record, pattern, Vec::new())
}

/// The event `after` has happened, by an honest instance, and can't be given a `before` of its own.
pub(super) fn disagreement(
    setup: &Setup<'_>,
    state: &State,
    record: &Happened,
    after: &Pattern,
    before: &Pattern,
    injective: bool,
) -> Result<Vec<State>, TooLarge> {
    // The record is not booked yet; book it in a copy so that narrowings reach it.
    let mut with = state.clone();
    with.events.push(record.clone());
    let mut found = Vec::new();
    for next in matches(setup, &with, record, after, Vec::new())? {
        let Some(record) = next.events.last().cloned() else {
            continue;
        };
        for next in honest(setup, next, &record.actors)? {
            if injective {
                for next in settle_commits(setup, next, after)? {
                    overcommitted(setup, next, after, before, &mut found)?;
                }
            } else {
                found.extend(unpreceded(setup, next, after, before)?);
            }
        }
    }
    Ok(found)
}

/// Splits on earlier commits of which it is not known yet whether they match the pattern and whose agents are not known
/// yet: they count after all, or they are left out of account.
fn settle_commits(
    setup: &Setup<'_>,
    state: State,
    after: &Pattern,
) -> Result<Vec<State>, TooLarge> {
    let count = state.events.len();
    let mut states = vec![state];
    for i in 0..count {
        if setup.is_halted() {
            return Ok(Vec::new());
        }
        let mut split = Vec::new();
        for state in states {
            let record = state.events[i].clone();
            let open = record.event == after.event
                && record.actors.iter().all(|a| may_be_honest(setup, *a))
                && !(is_honest(setup, &record) && certainly(setup, &state, &record, after)?);
            if open {
                for next in matches(setup, &state, &record, after, Vec::new())? {
                    let actors = next.events[i].actors.clone();
                    split.extend(honest(setup, next, &actors)?);
                }
            }
            split.push(state);
        }
        states = split;
    }
    Ok(states)
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

/// Forbids every earlier `before` event to match, and every one that excuses.
fn unpreceded(
    setup: &Setup<'_>,
    state: State,
    after: &Pattern,
    before: &Pattern,
) -> Result<Option<State>, TooLarge> {
    let Some((record, earlier)) = state.events.split_last() else {
        return Ok(None);
    };
    let (record, earlier) = (record.clone(), earlier.to_vec());
    let wanted = expected(setup, &record, after, before);
    match without(setup, state, &wanted, before, &earlier)? {
        Some(state) => unexcused(setup, state, &record, after, &earlier),
        None => Ok(None),
    }
}

/// Forbids these events to be the one that is wanted.
fn without(
    setup: &Setup<'_>,
    mut state: State,
    wanted: &[TermId],
    pattern: &Pattern,
    among: &[Happened],
) -> Result<Option<State>, TooLarge> {
    for h in among.iter().filter(|h| h.event == pattern.event) {
        if setup.is_halted() {
            return Ok(None);
        }
        let pairs = wanted.iter().copied().zip(h.args.iter().copied()).collect();
        if !state.forbid(setup.store, pairs)? {
            return Ok(None);
        }
    }
    Ok(Some(state))
}

/// Splits until it is definite which `before` events match which `after` events, and keeps the cases in which the
/// `after` events can't all have one of their own.
fn overcommitted(
    setup: &Setup<'_>,
    state: State,
    after: &Pattern,
    before: &Pattern,
    found: &mut Vec<State>,
) -> Result<(), TooLarge> {
    let store = setup.store;
    let commits: Vec<usize> = (0..state.events.len())
        .filter(|i| state.events[*i].event == after.event)
        .collect();
    // Of the commits that match for certain.
    let mut edges: Vec<Option<Vec<usize>>> = Vec::new();
    for &i in &commits {
        if setup.is_halted() {
            return Ok(());
        }
        let commit = &state.events[i];
        if !certainly(setup, &state, commit, after)? {
            edges.push(None);
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
            )?;
            if answers.certain {
                row.push(j);
            } else if !answers.list.is_empty() {
                let mut apart = state.clone();
                let open = apart.lambda.len();
                if apart.forbid(store, equations)? && apart.lambda.len() > open {
                    // Already forbidden earlier on this path means decided: no match.
                    if state.lambda.contains(&apart.lambda[open]) {
                        continue;
                    }
                    overcommitted(setup, apart, after, before, found)?;
                }
                for (next, _) in answers.list {
                    overcommitted(setup, next, after, before, found)?;
                }
                return Ok(());
            }
        }
        edges.push(Some(row));
    }
    let rows: Vec<&Vec<usize>> = commits
        .iter()
        .zip(&edges)
        .filter_map(|(i, row)| row.as_ref().filter(|_| is_honest(setup, &state.events[*i])))
        .collect();
    if !has_matching(&rows) {
        found.push(state);
    }
    Ok(())
}

/// Whether the record matches the pattern whatever the generics stand for.
fn certainly(
    setup: &Setup<'_>,
    state: &State,
    record: &Happened,
    pattern: &Pattern,
) -> Result<bool, TooLarge> {
    let equations = pattern
        .args
        .iter()
        .copied()
        .zip(record.args.iter().copied())
        .collect();
    let question = Question {
        equations,
        goals: Vec::new(),
    };
    Ok(state.ask(setup, &question)?.certain)
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

//! The successors of a configuration: the attack acts, or the system acts without it.

use super::attack::Obstacle;
use super::enumerate::{Enumeration, State, is_stuck, values_of};
use crate::certify::{CertifyError, MoveKind, Source, difference};
use crate::process::{Action, StepId};
use crate::term::TermId;
use std::rc::Rc;

/// A step at which the system can send or receive, with the configuration after the events before
/// it.
pub(super) type Front<'a> = (Rc<State<'a>>, StepId);

/// The communications of the system without the attack, and how many of them have been tried.
pub(super) struct Detours<'a> {
    /// Where somebody may send.
    fronts: Vec<Front<'a>>,
    from: usize,
    /// Where somebody may receive after the events before the sender.
    ahead: Option<Vec<Front<'a>>>,
    to: usize,
}

impl<'a> Detours<'a> {
    /// None tried yet.
    pub fn new(fronts: Vec<Front<'a>>) -> Self {
        Self {
            fronts,
            from: 0,
            ahead: None,
            to: 0,
        }
    }
}

impl<'a> Enumeration<'a, '_> {
    /// All that can happen next, but for what the system passes around without the attack.
    pub fn successors(
        &mut self,
        state: &State<'a>,
        fronts: &[Front<'a>],
    ) -> Result<Vec<State<'a>>, CertifyError> {
        let mut found = Vec::new();
        for step in state.ours.ready.clone() {
            let Some((channel, message)) = self.offer(state, step) else {
                continue;
            };
            let before = found.len();
            if let Some(m) = message {
                if self.composition.barbs.contains(&channel) {
                    let mut next = state.clone();
                    next.attack_run.barbs.push((step, channel, m));
                    self.advance(&mut next, step, None)?;
                    self.judge(&mut next)?;
                    self.settle(&mut next)?;
                    found.push(next);
                    continue;
                }
                for other in state.ours.ready.clone() {
                    if self.offer(state, other) == Some((channel, None)) {
                        let mut next = state.clone();
                        self.advance(&mut next, step, None)?;
                        self.advance(&mut next, other, Some(m))?;
                        self.settle(&mut next)?;
                        found.push(next);
                    }
                }
            }
            for (front, to) in fronts {
                if (self.composition.stopped)() {
                    return Ok(found);
                }
                let heard = match message {
                    Some(_) => front.theirs.input(*to),
                    None => front.theirs.output(*to).map(|(c, _)| c),
                };
                if heard != Some(channel) {
                    continue;
                }
                let mut next = State::clone(front);
                let fine = match message {
                    Some(m) => {
                        self.advance(&mut next, step, None)?;
                        let kind = MoveKind::Receive {
                            channel,
                            message: m,
                        };
                        next.record(*to, kind, Some(step));
                        let sent = Some((step, m));
                        self.deliver(&mut next, *to, m, sent)?
                    }
                    None => match next.theirs.output(*to) {
                        Some((_, m)) => {
                            let kind = MoveKind::Send {
                                channel,
                                message: m,
                            };
                            next.record(*to, kind, Some(step));
                            let at = next.attack_run.moves.len() - 1;
                            next.knowledge.learn(Source::Sent(at), m);
                            next.heard.push(m);
                            next.theirs.take(*to, None)?;
                            self.judge(&mut next)?;
                            self.advance(&mut next, step, Some(m))?;
                            Some(!next.stuck)
                        }
                        None => continue,
                    },
                };
                let Some(fine) = fine else { continue };
                self.settle(&mut next)?;
                next.detours += usize::from(!fine);
                found.push(next);
            }
            if found.len() == before {
                self.note_obstacle(&state.attack_run, Obstacle::Alone { step, channel });
            }
        }
        found.extend(self.events(state)?);
        found.extend(self.phases(state)?);
        Ok(found)
    }

    /// The phases that the attack lets begin: those that it stands before, if somebody in the system waits for them.
    fn phases(&mut self, state: &State<'a>) -> Result<Vec<State<'a>>, CertifyError> {
        let mut found = Vec::new();
        for step in state.ours.ready.clone() {
            let Some(Action::Phase { number, .. }) = state.ours.ready_action(step) else {
                continue;
            };
            let number = *number;
            let waiting = |s: &&StepId| matches!(state.theirs.ready_action(**s), Some(Action::Phase { number: n, .. }) if *n == number);
            let Some(with) = state.theirs.ready.iter().find(waiting).copied() else {
                self.note_obstacle(&state.attack_run, Obstacle::NoPhase { step, number });
                continue;
            };
            let mut next = state.clone();
            next.record(with, MoveKind::Phase { number }, Some(step));
            next.theirs.begin(number)?;
            let before = next.ours.ready.clone();
            let checked = next.ours.begin(number)?;
            next.attack_run.followed += 1;
            if !self.own_tests(&mut next, &checked) {
                next.ours.ready.retain(|s| before.contains(s));
                next.stuck = true;
            }
            self.settle(&mut next)?;
            found.push(next);
        }
        Ok(found)
    }

    /// What a step of the attack offers: its channel, and its message if it sends. `None` if it may
    /// not.
    fn offer(&mut self, state: &State<'a>, step: StepId) -> Option<(TermId, Option<TermId>)> {
        let (channel, message) = match state.ours.output(step) {
            Some((c, m)) => (c, Some(m)),
            None => (state.ours.input(step)?, None),
        };
        let written: Vec<TermId> = [channel].into_iter().chain(message).collect();
        let text = match &state.ours.system.step(step).action {
            Action::Output {
                channel, message, ..
            } => vec![*channel, *message],
            Action::Input { channel, .. } => vec![*channel],
            _ => Vec::new(),
        };
        let values = values_of(&state.ours);
        let foreign = || text.iter().find_map(|t| self.foreign(*t, &values));
        if let Some(term) = self.lacking(state, &written).or_else(foreign) {
            self.note_obstacle(&state.attack_run, Obstacle::Lacks { step, term });
            return None;
        }
        Some((channel, message))
    }

    /// A step of the attack runs.
    fn advance(
        &mut self,
        state: &mut State<'a>,
        step: StepId,
        message: Option<TermId>,
    ) -> Result<(), CertifyError> {
        let before = state.ours.ready.clone();
        let checked = state.ours.take(step, message)?;
        state.attack_run.followed += 1;
        if !self.own_tests(state, &checked) {
            // What the attacker lacks ends this thread only.
            state.ours.ready.retain(|s| before.contains(s));
            state.stuck = true;
        }
        Ok(())
    }

    /// An input of the system takes a message; `None` if it is not of the right type, otherwise
    /// whether all tests pass.
    fn deliver(
        &mut self,
        state: &mut State<'a>,
        to: StepId,
        message: TermId,
        sent: Option<(StepId, TermId)>,
    ) -> Result<Option<bool>, CertifyError> {
        let store = self.composition.store;
        let checked = state.theirs.take(to, Some(message))?;
        let binder = match &self.composition.system.step(to).action {
            Action::Input { binder, .. } => Some((*binder, message)),
            _ => None,
        };
        let bound = checked.iter().flat_map(|c| c.bound.iter().copied());
        let typed = binder
            .into_iter()
            .chain(bound)
            .all(|(v, t)| (self.composition.accepts)(v, t));
        let refuse = |by, difference| {
            sent.map(|(sent, message)| Obstacle::Refused {
                sent,
                message,
                by,
                difference,
            })
        };
        if !typed {
            if let Some(why) = refuse(to, None) {
                self.note_obstacle(&state.attack_run, why);
            }
            return Ok(None);
        }
        let mut fine = true;
        for c in &checked {
            let Action::Test { test, .. } = &self.composition.system.step(c.step).action else {
                continue;
            };
            if !c.passed && is_stuck(self.composition.system, c.step) {
                fine = false;
                let difference = difference(store, test, &values_of(&state.theirs));
                if let Some(why) = refuse(c.step, difference) {
                    self.note_obstacle(&state.attack_run, why.clone());
                    state.attack_run.refused.push(why);
                }
            }
        }
        Ok(Some(fine))
    }

    /// The steps at which the system can send or receive, each with the configuration after the
    /// events before it.
    pub fn fronts(&self, state: &Rc<State<'a>>) -> Result<Vec<Front<'a>>, CertifyError> {
        let mut found = Vec::new();
        let mut work: Vec<Front<'a>> = Vec::new();
        for step in state.theirs.ready.iter().rev() {
            work.push((state.clone(), *step));
        }
        while let Some((at, step)) = work.pop() {
            if !matches!(at.theirs.ready_action(step), Some(Action::Event { .. })) {
                found.push((at, step));
                continue;
            }
            if (self.composition.stopped)() {
                break;
            }
            let mut after = State::clone(&at);
            self.happen(&mut after, step)?;
            let after = Rc::new(after);
            let before = &at.theirs.ready;
            let new = |s: &&StepId| before.binary_search(s).is_err();
            for new in after.theirs.ready.iter().filter(new) {
                work.push((after.clone(), *new));
            }
        }
        Ok(found)
    }

    /// The events that were waiting and count.
    fn events(&mut self, state: &State<'a>) -> Result<Vec<State<'a>>, CertifyError> {
        let mut found = Vec::new();
        for step in &state.theirs.ready {
            if (self.composition.stopped)() {
                break;
            }
            if let Some(Action::Event { event, next, .. }) = state.theirs.ready_action(*step)
                && (self.counts(*event) || self.leads_to_event(*next))
            {
                let mut next = state.clone();
                self.happen(&mut next, *step)?;
                self.settle(&mut next)?;
                found.push(next);
            }
        }
        Ok(found)
    }

    /// The next communication of the system without the attack; `None` if there is no other, or on
    /// a request to stop.
    pub fn detour(&mut self, detours: &mut Detours<'a>) -> Result<Option<State<'a>>, CertifyError> {
        while let Some((front, from)) = detours.fronts.get(detours.from).cloned() {
            if (self.composition.stopped)() {
                return Ok(None);
            }
            let Some((channel, message)) = front.theirs.output(from) else {
                detours.from += 1;
                continue;
            };
            let ahead = match detours.ahead.take() {
                Some(ahead) => ahead,
                None => self.fronts(&front)?,
            };
            while let Some((at, to)) = ahead.get(detours.to) {
                detours.to += 1;
                if *to == from || at.theirs.input(*to) != Some(channel) {
                    continue;
                }
                let mut next = State::clone(at);
                let kind = MoveKind::Communicate {
                    receiver: *to,
                    channel,
                    message,
                };
                next.record(from, kind, None);
                next.detours += 1;
                next.theirs.take(from, None)?;
                if self.deliver(&mut next, *to, message, None)?.is_some() {
                    self.settle(&mut next)?;
                    detours.ahead = Some(ahead);
                    return Ok(Some(next));
                }
            }
            detours.from += 1;
            detours.to = 0;
        }
        Ok(None)
    }

    /// Whether an event that counts, or a phase, may follow without a communication.
    fn leads_to_event(&self, step: StepId) -> bool {
        let mut work = vec![step];
        while let Some(step) = work.pop() {
            match &self.composition.system.step(step).action {
                Action::Nil | Action::Output { .. } | Action::Input { .. } => {}
                // It can't begin before.
                Action::Phase { .. } => return true,
                Action::Fork(parts) => work.extend(parts),
                Action::Test {
                    then, otherwise, ..
                } => work.extend([*then, *otherwise]),
                Action::Event { event, next, .. } => {
                    if self.counts(*event) {
                        return true;
                    }
                    work.push(*next);
                }
            }
        }
        false
    }
}

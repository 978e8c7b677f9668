//! What can happen next in a contest: the attack acts, or the system does without it.

use super::contest::Hindrance;
use super::fight::{Fight, State, is_stuck, values_of};
use super::matching::difference;
use super::{CertifyError, MoveKind, Source};
use crate::process::{Action, StepId};
use crate::term::TermId;

impl<'a> Fight<'a, '_> {
    /// All that can happen next.
    pub fn successors(&mut self, state: &State<'a>) -> Result<Vec<State<'a>>, CertifyError> {
        let mut found = Vec::new();
        let fronts = self.fronts(state)?;
        for step in state.ours.ready.clone() {
            let Some((channel, message)) = self.offer(state, step) else {
                continue;
            };
            let before = found.len();
            if let Some(m) = message {
                if self.contest.barbs.contains(&channel) {
                    let mut next = state.clone();
                    next.bout.barbs.push((step, channel, m));
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
            for (front, to) in &fronts {
                let mut next = front.clone();
                let fine = match message {
                    Some(m) if next.theirs.input(*to) == Some(channel) => {
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
                        Some((c, m)) if c == channel => {
                            let kind = MoveKind::Send {
                                channel,
                                message: m,
                            };
                            next.record(*to, kind, Some(step));
                            let at = next.bout.moves.len() - 1;
                            next.knowledge.learn(Source::Sent(at), m);
                            next.heard.push(m);
                            next.theirs.take(*to, None)?;
                            self.judge(&mut next)?;
                            self.advance(&mut next, step, Some(m))?;
                            Some(!next.stuck)
                        }
                        _ => continue,
                    },
                    Some(_) => continue,
                };
                let Some(fine) = fine else { continue };
                self.settle(&mut next)?;
                next.detours += usize::from(!fine);
                found.push(next);
            }
            if found.len() == before {
                self.hinder(&state.bout, Hindrance::Alone { step, channel });
            }
        }
        found.extend(self.among_themselves(state, &fronts)?);
        Ok(found)
    }

    /// What a step of the attack offers: its channel, and its message if it sends. `None` if it may not.
    fn offer(&mut self, state: &State<'a>, step: StepId) -> Option<(TermId, Option<TermId>)> {
        let (channel, message) = match state.ours.output(step) {
            Some((c, m)) => (c, Some(m)),
            None => (state.ours.input(step)?, None),
        };
        let written: Vec<TermId> = [channel].into_iter().chain(message).collect();
        if let Some(term) = self.lacking(state, &written) {
            self.hinder(&state.bout, Hindrance::Lacks { step, term });
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
        state.bout.followed += 1;
        if !self.own_tests(state, &checked) {
            // What the attacker lacks ends this thread only.
            state.ours.ready.retain(|s| before.contains(s));
            state.stuck = true;
        }
        Ok(())
    }

    /// An input of the system takes a message; `None` if it is not of the right type, otherwise whether all tests pass.
    fn deliver(
        &mut self,
        state: &mut State<'a>,
        to: StepId,
        message: TermId,
        sent: Option<(StepId, TermId)>,
    ) -> Result<Option<bool>, CertifyError> {
        let store = self.contest.store;
        let checked = state.theirs.take(to, Some(message))?;
        let binder = match &self.contest.system.step(to).action {
            Action::Input { binder, .. } => Some((*binder, message)),
            _ => None,
        };
        let bound = checked.iter().flat_map(|c| c.bound.iter().copied());
        let typed = binder
            .into_iter()
            .chain(bound)
            .all(|(v, t)| (self.contest.accepts)(v, t));
        let refuse = |by, difference| {
            sent.map(|(sent, message)| Hindrance::Refused {
                sent,
                message,
                by,
                difference,
            })
        };
        if !typed {
            if let Some(why) = refuse(to, None) {
                self.hinder(&state.bout, why);
            }
            return Ok(None);
        }
        let mut fine = true;
        for c in &checked {
            let Action::Test { test, .. } = &self.contest.system.step(c.step).action else {
                continue;
            };
            if !c.passed && is_stuck(self.contest.system, c.step) {
                fine = false;
                let difference = difference(store, test, &values_of(&state.theirs));
                if let Some(why) = refuse(c.step, difference) {
                    self.hinder(&state.bout, why.clone());
                    state.bout.refused.push(why);
                }
            }
        }
        Ok(Some(fine))
    }

    /// The steps at which the system can send or receive, each with the configuration after the events before it.
    fn fronts(&self, state: &State<'a>) -> Result<Vec<(State<'a>, StepId)>, CertifyError> {
        let mut found = Vec::new();
        let mut work: Vec<(State<'a>, StepId)> = Vec::new();
        for step in state.theirs.ready.iter().rev() {
            work.push((state.clone(), *step));
        }
        while let Some((mut at, step)) = work.pop() {
            if !matches!(at.theirs.ready_action(step), Some(Action::Event { .. })) {
                found.push((at, step));
                continue;
            }
            let before = at.theirs.ready.clone();
            self.happen(&mut at, step)?;
            for new in &at.theirs.ready.clone() {
                if !before.contains(new) {
                    work.push((at.clone(), *new));
                }
            }
        }
        Ok(found)
    }

    /// What the system can do without the attack: an event that was waiting and counts, a communication.
    fn among_themselves(
        &mut self,
        state: &State<'a>,
        fronts: &[(State<'a>, StepId)],
    ) -> Result<Vec<State<'a>>, CertifyError> {
        let mut found = Vec::new();
        for step in &state.theirs.ready {
            if let Some(Action::Event { event, next, .. }) = state.theirs.ready_action(*step)
                && (self.counts(*event) || self.leads_to_event(*next))
            {
                let mut next = state.clone();
                self.happen(&mut next, *step)?;
                self.settle(&mut next)?;
                found.push(next);
            }
        }
        for (front, from) in fronts {
            let Some((channel, message)) = front.theirs.output(*from) else {
                continue;
            };
            for (ahead, to) in self.fronts(front)? {
                if to == *from || ahead.theirs.input(to) != Some(channel) {
                    continue;
                }
                let mut next = ahead;
                let kind = MoveKind::Communicate {
                    receiver: to,
                    channel,
                    message,
                };
                next.record(*from, kind, None);
                next.detours += 1;
                next.theirs.take(*from, None)?;
                if self.deliver(&mut next, to, message, None)?.is_some() {
                    self.settle(&mut next)?;
                    found.push(next);
                }
            }
        }
        Ok(found)
    }

    /// Whether an event that counts may follow without a communication.
    fn leads_to_event(&self, step: StepId) -> bool {
        let mut work = vec![step];
        while let Some(step) = work.pop() {
            match &self.contest.system.step(step).action {
                Action::Nil | Action::Output { .. } | Action::Input { .. } => {}
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

//! What happens without a choice: everything up to the next wait, and deliveries one by one.

use super::HonestMove;
use super::offer::{looks_at_received, solve};
use super::party::Stage;
use super::state::{Sent, State, Thread};
use crate::process::{Action, EventId, Test, TestKind};
use crate::term::TermId;
use smallvec::SmallVec;

/// A message was refused, or a test can't be passed; the state is to be taken back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refused;

/// Where a failing test leads.
enum Failed {
    Else,
    Stuck,
}

impl State<'_> {
    /// Takes a party in and runs it up to its first waits.
    pub fn join(&mut self, party: usize) -> Result<(), Refused> {
        for slot in self.enter(party) {
            self.settle(slot)?;
        }
        Ok(())
    }

    /// Has a thread go on that rests.
    pub fn wake(&mut self, slot: usize) -> Result<(), Refused> {
        if let Some(thread) = self.slots[slot].clone() {
            let awake = Thread {
                awake: true,
                ..thread
            };
            self.put(slot, Some(awake));
        }
        self.settle(slot)
    }

    /// Whether a message may be delivered to a thread, as far as that can be told without looking into it.
    pub fn may_deliver(&mut self, item: usize, slot: usize) -> bool {
        let (Some(thread), sent) = (&self.slots[slot], &self.pool[item]) else {
            return false;
        };
        if self.stage.is_oneself(sent.step, thread.step)
            || self.channel(thread) != Some(sent.channel)
        {
            return false;
        }
        let peers = self.stage.are_peers(sent.party, thread.party);
        if !sent.takers.is_empty() {
            // Whoever hears what others hear too is no other run of the sender's role.
            let to_peer = |t: &usize| self.stage.are_peers(sent.party, *t);
            if sent.takers.contains(&thread.party) || peers || sent.takers.iter().any(to_peer) {
                return false;
            }
            self.held_back |= !self.leave.several;
            return self.leave.several;
        }
        if peers && !self.leave.peers {
            self.held_back = self.held_back
                || matches!(
                    self.stage.offer(thread, sent.channel, sent.message),
                    Some(Ok(()))
                );
            return false;
        }
        true
    }

    /// Delivers a message to a thread that waits for it and may have it.
    pub fn deliver(&mut self, item: usize, slot: usize) -> Result<(), Refused> {
        let (Some(thread), sent) = (&self.slots[slot], &self.pool[item]) else {
            return Err(Refused);
        };
        let (step, channel, message) = (sent.step, sent.channel, sent.message);
        let thread = thread.clone();
        self.take(item, thread.party);
        let moved = HonestMove::Deliver {
            from: step,
            to: thread.step,
            channel,
            message,
        };
        self.receive(slot, &thread, message, moved)
    }

    /// Delivers a message on a channel that nobody outside hears: sender and receiver wait for each other.
    pub fn meet(&mut self, sender: usize, receiver: usize) -> Result<(), Refused> {
        let (Some(from), Some(to)) = (self.slots[sender].clone(), self.slots[receiver].clone())
        else {
            return Err(Refused);
        };
        let Action::Output { message, next, .. } = &self.stage.system.step(from.step).action else {
            return Err(Refused);
        };
        let Some(channel) = self.channel(&from) else {
            return Err(Refused);
        };
        if self.channel(&to) != Some(channel) {
            return Err(Refused);
        }
        let message = self.value(&from, *message);
        self.moves.push(HonestMove::Output {
            step: from.step,
            channel,
            message,
        });
        self.advance(sender, &from, &[], *next);
        let moved = HonestMove::Deliver {
            from: from.step,
            to: to.step,
            channel,
            message,
        };
        self.receive(receiver, &to, message, moved)?;
        self.settle(sender)
    }

    fn receive(
        &mut self,
        slot: usize,
        thread: &Thread,
        message: TermId,
        moved: HonestMove,
    ) -> Result<(), Refused> {
        let Action::Input { binder, next, .. } = &self.stage.system.step(thread.step).action else {
            return Err(Refused);
        };
        if !self.stage.fits(*binder, message) {
            return Err(Refused);
        }
        self.moves.push(moved);
        self.advance(slot, thread, &[(*binder, message)], *next);
        self.settle(slot)
    }

    fn advance(
        &mut self,
        slot: usize,
        thread: &Thread,
        bound: &[(u32, TermId)],
        to: crate::process::StepId,
    ) {
        let system = self.stage.system;
        self.walked.push(thread.step);
        let moved = Thread {
            step: to,
            env: system.follow(thread.step, &thread.env, bound, to),
            party: thread.party,
            awake: false,
        };
        self.put(slot, Some(moved));
    }

    /// Runs a thread, and those that it forks, up to where nothing happens without others.
    fn settle(&mut self, slot: usize) -> Result<(), Refused> {
        let open = self.moves.len();
        let mut work = vec![slot];
        while let Some(slot) = work.pop() {
            while let Some(thread) = self.slots[slot].clone() {
                if self.rests(&thread) || !self.pass(slot, &thread, &mut work)? {
                    break;
                }
            }
        }
        // A channel that was sent is open from now on: whoever waits to send there need not wait any more.
        let sent = |m: &HonestMove| matches!(m, HonestMove::Output { .. });
        if self.stage.private && self.moves[open..].iter().any(sent) {
            for slot in 0..self.slots.len() {
                let waits = self.slots[slot].as_ref().is_some_and(|t| {
                    matches!(self.stage.system.step(t.step).action, Action::Output { .. })
                        && !self.rests(t)
                        && self.channel(t).is_some_and(|c| self.is_open(c))
                });
                if waits {
                    self.settle(slot)?;
                }
            }
        }
        Ok(())
    }

    /// Does one step; `false` if the thread waits.
    fn pass(
        &mut self,
        slot: usize,
        thread: &Thread,
        forked: &mut Vec<usize>,
    ) -> Result<bool, Refused> {
        let stage = self.stage;
        let Stage { system, .. } = *stage;
        if stage.is_large(&thread.env) {
            self.oversized = true;
            return Ok(false);
        }
        match &system.step(thread.step).action {
            // Systems with phases have no honest runs; they are not asked for.
            Action::Input { .. } | Action::Phase { .. } => return Ok(false),
            Action::Nil => {
                self.walked.push(thread.step);
                self.put(slot, None);
            }
            Action::Fork(parts) => {
                self.walked.push(thread.step);
                let part = |part: crate::process::StepId| Thread {
                    step: part,
                    env: system.follow(thread.step, &thread.env, &[], part),
                    party: thread.party,
                    awake: false,
                };
                let Some((first, others)) = parts.split_first() else {
                    self.put(slot, None);
                    return Ok(true);
                };
                self.put(slot, Some(part(*first)));
                for other in others {
                    let slot = self.push(part(*other));
                    forked.push(slot);
                }
            }
            Action::Output {
                channel,
                message,
                next,
            } => {
                let channel = self.value(thread, *channel);
                if !self.is_open(channel) {
                    return Ok(false);
                }
                let message = self.value(thread, *message);
                self.moves.push(HonestMove::Output {
                    step: thread.step,
                    channel,
                    message,
                });
                self.send(Sent {
                    step: thread.step,
                    channel,
                    message,
                    party: thread.party,
                    takers: SmallVec::new(),
                });
                self.advance(slot, thread, &[], *next);
            }
            Action::Event {
                event, args, next, ..
            } => {
                if *event != EventId::CREATED {
                    let args = args.iter().map(|t| self.value(thread, *t)).collect();
                    self.moves.push(HonestMove::Event {
                        step: thread.step,
                        args,
                    });
                }
                self.advance(slot, thread, &[], *next);
            }
            Action::Test {
                test,
                then,
                otherwise,
            } => match self.test(thread, test) {
                Ok(bound) => self.advance(slot, thread, &bound, *then),
                Err(Failed::Else) => self.advance(slot, thread, &[], *otherwise),
                Err(Failed::Stuck) => return Err(Refused),
            },
        }
        Ok(true)
    }

    fn test(&mut self, thread: &Thread, test: &Test) -> Result<Vec<(u32, TermId)>, Failed> {
        let store = self.stage.store;
        let equations: Vec<(TermId, TermId)> = test
            .equations
            .iter()
            .map(|(a, b)| (self.value(thread, *a), self.value(thread, *b)))
            .collect();
        let asks = looks_at_received(store, test);
        if let Some(bound) = solve(store, test, &equations) {
            if asks && bound.iter().any(|(v, t)| !self.stage.fits(*v, *t)) {
                return Err(Failed::Stuck);
            }
            return Ok(bound);
        }
        if !test.has_else {
            return Err(Failed::Stuck);
        }
        let decides = !matches!(test.kind, TestKind::Integer | TestKind::Rule);
        if asks && decides && !self.leave.peers {
            self.held_back = true;
            return Err(Failed::Stuck);
        }
        Err(Failed::Else)
    }
}

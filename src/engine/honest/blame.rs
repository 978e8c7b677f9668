//! Who is to blame if somebody finishes in no honest run.
//!
//! Everybody who is stuck is stuck at the first step that it never passes. Either nothing that others send is accepted
//! there, now or later: then this step does not agree with its partner's. Or something would be accepted that its sender
//! never gets to send: then the sender is to blame, or whoever it waits for; and if that leads back, they wait for each other.

use super::HonestMove;
use super::effort::Effort;
use super::likeness::Comparison;
use super::offer::{Refusal, Why};
use super::party::Stage;
use super::runs::Failed;
use super::state::Thread;
use crate::process::{Action, InstanceId, StepId, Type};
use crate::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where two sides disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The subterm that was found, and what was expected in its place (with variables that were free to match).
    Terms {
        /// What was found.
        found: TermId,
        /// What was expected.
        expected: TermId,
    },
    /// A variable would take a value of another type.
    Type {
        /// The value.
        found: TermId,
        /// The declared type.
        declared: Type,
    },
}

/// The message that came nearest to being accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The step that sends it.
    pub from: StepId,
    /// The message; with variables if the step is never reached.
    pub message: TermId,
    /// The test that refuses it, or the input if the value has another type.
    pub test: StepId,
    /// Why.
    pub differ: Difference,
}

/// Why a step is never passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A test that fails whatever is sent.
    Fails(Difference),
    /// Nothing that others send on this channel is accepted.
    Refuses(Near),
    /// Nobody sends anything like this, which is expected (with variables that are free to match).
    Missing(TermId),
    /// Nobody else sends on this channel.
    Silence,
    /// Only what it sent itself, at this step, would be accepted.
    OnlyOwn(StepId),
    /// What would be accepted, sent at this step, is needed by others.
    Contested(StepId),
    /// An output on a private channel on which nobody else receives.
    Unheard,
    /// It waits for this step of another instance, which is stuck before it.
    Awaits {
        /// The step.
        act: StepId,
        /// Whose.
        whose: InstanceId,
        /// The other one waits for it too, perhaps by way of others.
        mutual: bool,
    },
    /// It was not looked into: a limit was met.
    Unexplained,
    /// It finishes only where these do not.
    Alone(Vec<InstanceId>),
}

impl Cause {
    /// Those who refuse come first, then those who wait for a partner, then those who wait for somebody stuck.
    fn rank(&self) -> u8 {
        match self {
            Cause::Fails(_) | Cause::Refuses(_) => 0,
            Cause::Missing(_)
            | Cause::Silence
            | Cause::OnlyOwn(_)
            | Cause::Contested(_)
            | Cause::Unheard => 1,
            Cause::Unexplained => 5,
            Cause::Awaits { mutual: true, .. } => 2,
            Cause::Awaits { mutual: false, .. } => 3,
            Cause::Alone(_) => 4,
        }
    }
}

/// A role instance that finishes in no honest run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The instance.
    pub instance: InstanceId,
    /// The first step that it never passes.
    pub at: StepId,
    /// Why.
    pub cause: Cause,
    /// All runs were tried.
    pub certain: bool,
}

/// Says why each of these is stuck; those to blame come first.
pub(super) fn blame(
    stage: &Stage<'_>,
    failed: &[Failed],
    passed: &FxHashSet<StepId>,
    told: &[&HonestMove],
    effort: &mut Effort<'_>,
) -> Vec<Stuck> {
    let judge = Judge {
        stage,
        failed,
        passed,
        told,
    };
    let mut found: Vec<Stuck> = Vec::with_capacity(failed.len());
    for one in failed {
        found.push(if effort.is_stopped() {
            judge.unexplained(one)
        } else {
            judge.explain(one, effort)
        });
    }
    // Whoever gets to its end while others are stuck is not stuck itself.
    let alone = |s: &Stuck| matches!(s.cause, Cause::Alone(_));
    if found.iter().any(|s| s.certain && !alone(s)) {
        found.retain(|s| !alone(s));
    }
    let awaited: FxHashMap<InstanceId, InstanceId> = found
        .iter()
        .filter_map(|s| match &s.cause {
            Cause::Awaits { whose, .. } => Some((s.instance, *whose)),
            _ => None,
        })
        .collect();
    let circular = on_circles(&awaited);
    for stuck in &mut found {
        if let Cause::Awaits { mutual, .. } = &mut stuck.cause {
            *mutual = circular.contains(&stuck.instance);
        }
    }
    found.sort_by_key(|s| s.cause.rank());
    found
}

/// Those who wait for themselves, by way of others.
fn on_circles(awaited: &FxHashMap<InstanceId, InstanceId>) -> FxHashSet<InstanceId> {
    let mut circular = FxHashSet::default();
    // Whom somebody led to, and who that was.
    let mut seen: FxHashMap<InstanceId, InstanceId> = FxHashMap::default();
    for start in awaited.keys() {
        let mut at = *start;
        while let Some(next) = awaited.get(&at)
            && !seen.contains_key(&at)
        {
            seen.insert(at, *start);
            at = *next;
        }
        // It came back to its own way: what follows is a circle.
        if seen.get(&at) == Some(start) {
            while circular.insert(at) {
                at = awaited[&at];
            }
        }
    }
    circular
}

struct Judge<'a> {
    stage: &'a Stage<'a>,
    failed: &'a [Failed],
    passed: &'a FxHashSet<StepId>,
    told: &'a [&'a HonestMove],
}

impl Judge<'_> {
    /// What is said if there is no time to look into it.
    fn unexplained(&self, failed: &Failed) -> Stuck {
        let party = &self.stage.parties[failed.party];
        Stuck {
            instance: party.instance,
            at: party.starts[0],
            cause: Cause::Unexplained,
            certain: failed.certain,
        }
    }

    fn explain(&self, failed: &Failed, effort: &mut Effort<'_>) -> Stuck {
        let Stage {
            system, parties, ..
        } = self.stage;
        let party = &parties[failed.party];
        let threads = &failed.best.threads;
        let never = |t: &&Thread| !self.passed.contains(&t.step);
        let Some(thread) = threads.iter().find(never).or(threads.first()) else {
            let mut others: Vec<InstanceId> = failed
                .best
                .waiting
                .iter()
                .map(|t| parties[t.party].instance)
                .collect();
            others.dedup();
            let at = failed.best.waiting.first().map(|t| t.step);
            return Stuck {
                instance: party.instance,
                at: at.unwrap_or(party.starts[0]),
                cause: Cause::Alone(others),
                certain: failed.certain,
            };
        };
        let (at, cause) = match &system.step(thread.step).action {
            Action::Input { .. } => self.input(failed, thread, effort),
            Action::Output { .. } => (thread.step, self.output(failed, thread)),
            _ => (thread.step, Cause::Fails(self.failing(thread))),
        };
        Stuck {
            instance: party.instance,
            at,
            cause,
            certain: failed.certain,
        }
    }

    /// Why a test fails that looks at nothing which is yet to come.
    fn failing(&self, thread: &Thread) -> Difference {
        let Stage { store, system, .. } = *self.stage;
        let Action::Test { test, .. } = &system.step(thread.step).action else {
            let zero = store.zero();
            return Difference::Terms {
                found: zero,
                expected: zero,
            };
        };
        let values = system.bindings(store, thread.step, &thread.env);
        let value = |t: TermId| values.apply(store, t);
        let sides = test.equations.iter();
        let sides: Vec<_> = sides.map(|(a, b)| (value(*a), value(*b))).collect();
        Comparison::new(store, &sides).differ
    }

    /// The acts of others who have not come to their end, nearest parties first, peers last.
    fn owed(&self, of: &Failed) -> Vec<(StepId, InstanceId)> {
        let stage = self.stage;
        let mut others: Vec<&Failed> = self
            .failed
            .iter()
            .filter(|f| f.party != of.party && !f.best.threads.is_empty())
            .collect();
        others.sort_by_key(|f| {
            (
                stage.are_peers(f.party, of.party),
                stage.distance(f.party, of.party),
            )
        });
        let mut owed = Vec::new();
        for other in others {
            let party = &stage.parties[other.party];
            let acts = party.acts.iter().filter(|a| !self.passed.contains(a));
            owed.extend(acts.map(|a| (*a, party.instance)));
        }
        owed
    }

    /// Why an input is never passed, and the step that refuses: it, or a test of what was received.
    fn input(&self, failed: &Failed, thread: &Thread, effort: &mut Effort<'_>) -> (StepId, Cause) {
        let here = |cause: Cause| (thread.step, cause);
        let Stage { system, .. } = *self.stage;
        let owed = self.owed(failed);
        let serves = |(act, _): &&(StepId, InstanceId)| self.stage.may_serve(*act, thread);
        if let Some((act, whose)) = owed.iter().find(serves) {
            return here(Cause::Awaits {
                act: *act,
                whose: *whose,
                mutual: false,
            });
        }
        // What it has taken before is not what it waits for now: every message is delivered once.
        let moves = || failed.best.moves.iter().chain(self.told.iter().copied());
        let had: FxHashSet<StepId> = moves()
            .filter_map(|m| match m {
                HonestMove::Deliver { from, to, .. } => {
                    self.stage.is_oneself(*to, thread.step).then_some(*from)
                }
                _ => None,
            })
            .collect();
        // What is like the message that is expected, and what is not.
        let mut nearest: [Option<(usize, Near, TermId)>; 2] = [None, None];
        let (mut contested, mut own) = (None, None);
        let sent = |from: StepId, message: TermId, channel: TermId| (from, channel, message);
        let concrete = moves().filter_map(|m| match m {
            HonestMove::Output {
                step,
                channel,
                message,
            } => Some(sent(*step, *message, *channel)),
            _ => None,
        });
        // What is never sent is compared as it is written.
        let written = self
            .stage
            .parties
            .iter()
            .filter(|p| !p.spied)
            .flat_map(|p| p.acts.iter())
            .filter(|a| !self.passed.contains(a))
            .filter_map(|a| match &system.step(*a).action {
                Action::Output {
                    channel, message, ..
                } => Some(sent(*a, *message, *channel)),
                _ => None,
            })
            .filter(|(a, ..)| !self.stage.follows(*a, thread.step));
        for (from, channel, message) in concrete.chain(written) {
            if !effort.look() {
                return here(Cause::Unexplained);
            }
            let oneself = self.stage.is_oneself(from, thread.step);
            match self.stage.offer(thread, channel, message) {
                None => {}
                Some(Ok(())) if oneself => own = own.or(Some(from)),
                Some(Ok(())) => contested = contested.or(Some(from)),
                Some(Err(_)) if oneself => {}
                Some(Err(refusal)) => {
                    let (near, found) = self.near(from, message, refusal);
                    let place = &mut nearest[usize::from(!found.alike || had.contains(&from))];
                    if place.as_ref().is_none_or(|(n, ..)| found.agreed > *n) {
                        *place = Some((found.agreed, near, found.wanted));
                    }
                }
            }
        }
        match (contested, own, nearest) {
            (Some(from), ..) => here(Cause::Contested(from)),
            (_, Some(from), _) => here(Cause::OnlyOwn(from)),
            (_, _, [Some((_, near, _)), _]) => (near.test, Cause::Refuses(near)),
            // To quote a message of another kind would lead astray: its own receiver takes it.
            (_, _, [None, Some((_, far, wanted))]) => (far.test, Cause::Missing(wanted)),
            _ => here(Cause::Silence),
        }
    }

    fn output(&self, failed: &Failed, thread: &Thread) -> Cause {
        let Stage { store, system, .. } = *self.stage;
        let Action::Output { channel, .. } = &system.step(thread.step).action else {
            return Cause::Unheard;
        };
        let values = system.bindings(store, thread.step, &thread.env);
        let channel = values.apply(store, *channel);
        let owed = self.owed(failed);
        let hears = |(act, _): &&(StepId, InstanceId)| self.stage.may_hear(*act, channel);
        match owed.iter().find(hears) {
            Some((act, whose)) => Cause::Awaits {
                act: *act,
                whose: *whose,
                mutual: false,
            },
            None => Cause::Unheard,
        }
    }

    fn near(&self, from: StepId, message: TermId, refusal: Refusal) -> (Near, Comparison) {
        let found = match refusal.why {
            Why::Unequal(sides) => Comparison::new(self.stage.store, &sides),
            // All but the type is right.
            Why::Type { value, declared } => Comparison {
                differ: Difference::Type {
                    found: value,
                    declared,
                },
                agreed: usize::MAX / 2,
                alike: true,
                wanted: value,
            },
        };
        let near = Near {
            from,
            message,
            test: refusal.step,
            differ: found.differ.clone(),
        };
        (near, found)
    }
}

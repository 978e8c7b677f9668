//! Who is to blame if somebody finishes in no honest run.
//!
//! Everybody who is stuck is stuck at the first step that it never passes. Either nothing that others send is accepted
//! there, now or later: then this step does not agree with its partner's. Or something would be accepted that its sender
//! never gets to send: then the sender is to blame, or whoever it waits for; and if that leads back, they wait for each other.

use super::HonestMove;
use super::effort::Effort;
use super::offer::{Refusal, Why};
use super::party::Stage;
use super::runs::Failed;
use super::state::Thread;
use crate::process::{Action, InstanceId, StepId, Type};
use crate::term::{Subst, TermId, TermStore, View, unify};
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
            Cause::Silence | Cause::OnlyOwn(_) | Cause::Contested(_) | Cause::Unheard => 1,
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
        found.push(judge.explain(one, effort));
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
    for stuck in &mut found {
        if let Cause::Awaits { mutual, .. } = &mut stuck.cause {
            let mut at = stuck.instance;
            for _ in 0..awaited.len() {
                match awaited.get(&at) {
                    Some(next) => at = *next,
                    None => break,
                }
                *mutual |= at == stuck.instance;
            }
        }
    }
    found.sort_by_key(|s| s.cause.rank());
    found
}

struct Judge<'a> {
    stage: &'a Stage<'a>,
    failed: &'a [Failed],
    passed: &'a FxHashSet<StepId>,
    told: &'a [&'a HonestMove],
}

impl Judge<'_> {
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
        let cause = match &system.step(thread.step).action {
            Action::Input { .. } => self.input(failed, thread, effort),
            Action::Output { .. } => self.output(failed, thread),
            _ => Cause::Fails(self.failing(thread)),
        };
        let at = match &cause {
            Cause::Refuses(near) => near.test,
            _ => thread.step,
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
        difference(store, &sides).0
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

    fn input(&self, failed: &Failed, thread: &Thread, effort: &mut Effort<'_>) -> Cause {
        let Stage { system, .. } = *self.stage;
        let owed = self.owed(failed);
        let serves = |(act, _): &&(StepId, InstanceId)| self.stage.may_serve(*act, thread);
        if let Some((act, whose)) = owed.iter().find(serves) {
            return Cause::Awaits {
                act: *act,
                whose: *whose,
                mutual: false,
            };
        }
        let mut nearest: Option<(usize, Near)> = None;
        let (mut contested, mut own) = (None, None);
        let sent = |from: StepId, message: TermId, channel: TermId| (from, channel, message);
        let concrete = failed.best.moves.iter().chain(self.told.iter().copied());
        let concrete = concrete.filter_map(|m| match m {
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
                return Cause::Unexplained;
            }
            let oneself = self.stage.is_oneself(from, thread.step);
            match self.stage.offer(thread, channel, message) {
                None => {}
                Some(Ok(())) if oneself => own = own.or(Some(from)),
                Some(Ok(())) => contested = contested.or(Some(from)),
                Some(Err(_)) if oneself => {}
                Some(Err(refusal)) => {
                    let (near, agreed) = self.near(from, message, refusal);
                    if nearest.as_ref().is_none_or(|(n, _)| agreed > *n) {
                        nearest = Some((agreed, near));
                    }
                }
            }
        }
        match (contested, own, nearest) {
            (Some(from), ..) => Cause::Contested(from),
            (_, Some(from), _) => Cause::OnlyOwn(from),
            (_, _, Some((_, near))) => Cause::Refuses(near),
            _ => Cause::Silence,
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

    fn near(&self, from: StepId, message: TermId, refusal: Refusal) -> (Near, usize) {
        let (differ, agreed) = match refusal.why {
            Why::Unequal(sides) => difference(self.stage.store, &sides),
            // All but the type is right.
            Why::Type { value, declared } => (
                Difference::Type {
                    found: value,
                    declared,
                },
                usize::MAX / 2,
            ),
        };
        let near = Near {
            from,
            message,
            test: refusal.step,
            differ,
        };
        (near, agreed)
    }
}

/// The first subterms that differ, and how much agrees in all.
fn difference(store: &TermStore, equations: &[(TermId, TermId)]) -> (Difference, usize) {
    let rank = |t: TermId| matches!(store.view(t), View::Var(_)).then_some(0);
    let mut agreed = 0;
    let mut first = None;
    let mut subst = Subst::new();
    let mut work: Vec<(TermId, TermId)> = equations.iter().rev().copied().collect();
    while let Some((a, b)) = work.pop() {
        let (a, b) = (subst.resolve(store, a), subst.resolve(store, b));
        let (x, y) = (store.node(a), store.node(b));
        // A key is one thing: that it is another's says more than who the other is.
        let whole = matches!(store.view(a), View::Family(..));
        if unify(store, &[(a, b)], &rank, &mut subst) {
            agreed += 1;
        } else if x.op == y.op && x.args.len() == y.args.len() && !x.args.is_empty() && !whole {
            agreed += 1;
            work.extend(x.args.iter().copied().zip(y.args.iter().copied()).rev());
        } else {
            first.get_or_insert((a, b));
            // The right message in the wrong envelope is nearer than another message.
            work.extend(content(store, a).zip(content(store, b)));
        }
    }
    let (found, expected) = first.unwrap_or(equations[0]);
    (Difference::Terms { found, expected }, agreed)
}

/// What is sealed in a ciphertext or signature.
fn content(store: &TermStore, term: TermId) -> Option<TermId> {
    match store.view(term) {
        View::Senc(m, _) | View::Aenc(m, _) | View::Sign(m, _) => Some(m),
        _ => None,
    }
}

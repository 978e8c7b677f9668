//! Runs without interference [Sem 6.4]: does the model run at all?
//!
//! Messages go into a pool and are delivered to inputs on the same channel that accept them; nobody forges anything.
//! Each is taken by one receiver; only if somebody can't finish then, a message on a channel open to all may be heard by
//! several.
//! On a shared channel a message that the receiver would refuse was meant for somebody else, so a delivery counts only if
//! every test up to the next wait is passed. An `else` branch is a failed run of its role only if it leads nowhere.
//! On a channel that nobody outside can have heard of there is no pool: the sender waits until somebody receives.
//!
//! The search is depth first and remembers states; it stops as soon as every role instance has finished in some run.

use crate::knowledge::is_constant;
use crate::process::{Action, Env, InstanceId, Step, StepId, System, Test};
use crate::term::{Rank, Subst, TermId, TermStore, View, unify};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// A step of an honest run; all terms are ground.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HonestMove {
    /// A message goes out.
    Output {
        /// The sending step.
        step: StepId,
        /// The channel.
        channel: TermId,
        /// The message.
        message: TermId,
    },
    /// A message arrives.
    Deliver {
        /// The sending step.
        from: StepId,
        /// The receiving step.
        to: StepId,
        /// The channel.
        channel: TermId,
        /// The message.
        message: TermId,
    },
    /// An event.
    Event {
        /// The step.
        step: StepId,
        /// Its arguments.
        args: Vec<TermId>,
    },
}

/// The message that came nearest to being accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The step that sent it.
    pub from: StepId,
    /// The message.
    pub message: TermId,
    /// The test that refuses it.
    pub test: StepId,
    /// The subterm that was found, and what was expected in its place (with variables that were free to match).
    pub found: TermId,
    /// What was expected.
    pub expected: TermId,
}

/// A role instance that finishes in no honest run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The instance.
    pub instance: InstanceId,
    /// The input at which it waits in the best run.
    pub waits: StepId,
    /// The message that came nearest, if any message was on the channel.
    pub near: Option<Near>,
}

/// What the honest runs show.
#[derive(Clone, Debug, Default)]
pub struct Honest {
    /// The run that brought the most instances to their end.
    pub run: Vec<HonestMove>,
    /// Instances that finish in no run.
    pub stuck: Vec<Stuck>,
    /// The limit was met before every run was tried: `stuck` may be too long.
    pub limited: bool,
}

#[derive(Clone)]
struct Runner<'a> {
    store: &'a TermStore,
    system: &'a System,
    threads: Vec<(StepId, Env)>,
    pool: Vec<(StepId, TermId, TermId)>,
    moves: Vec<HonestMove>,
    /// A message on an open channel may be heard by several.
    broadcast: bool,
    /// A message has grown beyond the limit; its thread stands still.
    oversized: bool,
    /// What has been tried: the same waits for the same messages in many states.
    tried: &'a Tried,
}

/// Messages that were offered at inputs, with the values there, and whether the tests behind refuse them.
type Tried = RefCell<FxHashMap<(StepId, Env, TermId), bool>>;

/// The place where a delivery was refused.
struct Refusal {
    test: StepId,
    found: TermId,
    expected: TermId,
    agreed: usize,
}

/// Tries honest runs until each of the wanted role instances has finished in one, `limit` states are seen, or
/// `stopped` says so.
pub fn honest_runs(
    store: &TermStore,
    system: &System,
    wanted: &[InstanceId],
    limit: usize,
    stopped: &dyn Fn() -> bool,
) -> Honest {
    let tried = runs(store, system, wanted, false, limit, stopped);
    let stuck: Vec<InstanceId> = tried.stuck.iter().map(|s| s.instance).collect();
    if stuck.is_empty() || tried.limited {
        return tried;
    }
    let heard = runs(store, system, &stuck, true, limit, stopped);
    if heard.stuck.is_empty() {
        return heard;
    }
    let still = |s: &Stuck| heard.stuck.iter().any(|h| h.instance == s.instance);
    Honest {
        stuck: tried.stuck.into_iter().filter(still).collect(),
        limited: heard.limited,
        run: tried.run,
    }
}

fn runs(
    store: &TermStore,
    system: &System,
    wanted: &[InstanceId],
    broadcast: bool,
    limit: usize,
    stopped: &dyn Fn() -> bool,
) -> Honest {
    let tried = Tried::default();
    let mut first = Runner {
        store,
        system,
        tried: &tried,
        threads: Vec::new(),
        pool: Vec::new(),
        moves: Vec::new(),
        broadcast,
        oversized: false,
    };
    first.threads.push((system.root, Env::new()));
    // Without anybody to send to them, tests before the first input may still fail: the thread then stands still.
    let _ = first.settle();
    let mut unfinished: Vec<InstanceId> = wanted.to_vec();
    let mut seen = FxHashSet::default();
    let mut stack = vec![first];
    let mut best: Option<(usize, Runner<'_>)> = None;
    let mut limited = false;
    while let Some(state) = stack.pop() {
        if !seen.insert(state.key()) {
            continue;
        }
        if seen.len() > limit || stopped() {
            limited = true;
            break;
        }
        limited |= state.oversized;
        unfinished.retain(|i| !state.is_finished(*i));
        let done = wanted.iter().filter(|i| state.is_finished(**i)).count();
        if best
            .as_ref()
            .is_none_or(|(n, b)| (done, state.moves.len()) > (*n, b.moves.len()))
        {
            best = Some((done, state.clone()));
        }
        if unfinished.is_empty() {
            break;
        }
        let next = state.deliveries();
        // The first delivery is tried first.
        stack.extend(next.into_iter().rev());
    }
    let Some((_, best)) = best else {
        return Honest::default();
    };
    let stuck = unfinished
        .into_iter()
        .filter_map(|instance| best.explain(instance))
        .collect();
    Honest {
        run: best.moves,
        stuck,
        limited,
    }
}

impl<'a> Runner<'a> {
    fn key(&self) -> Vec<(u32, Env)> {
        let threads = self.threads.iter().map(|(s, e)| (s.0, e.clone()));
        let pool = self.pool.iter();
        let pool = pool.map(|(s, c, m)| (s.0, Env::from_slice(&[*c, *m])));
        let mut all: Vec<_> = threads.chain(pool).collect();
        // A step is either waiting or has sent its message: one entry per step.
        all.sort_by_key(|(s, _)| *s);
        all
    }

    fn is_finished(&self, instance: InstanceId) -> bool {
        let role = self.system.role_of(instance);
        self.threads
            .iter()
            .all(|(s, _)| self.system.role_of(self.system.step(*s).instance) != role)
    }

    fn bindings(&self, step: StepId, env: &Env) -> Subst {
        self.system.bindings(self.store, step, env)
    }

    /// Runs everything that needs no delivery; the refusal of the first failing test without `else`.
    fn settle(&mut self) -> Result<(), Refusal> {
        let mut refused = Ok(());
        let mut i = 0;
        while i < self.threads.len() {
            let (step, env) = &self.threads[i];
            if self.is_large(env) {
                self.oversized = true;
                i += 1;
                continue;
            }
            let Step { action, .. } = self.system.step(*step);
            if matches!(action, Action::Input { .. }) {
                i += 1;
                continue;
            }
            let (step, env) = (*step, env.clone());
            let values = self.bindings(step, &env);
            match action {
                Action::Nil => {
                    self.threads.remove(i);
                }
                Action::Fork(parts) => {
                    self.threads.remove(i);
                    for (k, part) in parts.iter().enumerate() {
                        let env = self.system.follow(step, &env, &[], *part);
                        self.threads.insert(i + k, (*part, env));
                    }
                }
                Action::Input { .. } => unreachable!("threads that wait were passed over"),
                Action::Output {
                    channel,
                    message,
                    next,
                } => {
                    let channel = values.apply(self.store, *channel);
                    if !self.is_open(channel) {
                        i += 1;
                        continue;
                    }
                    let message = values.apply(self.store, *message);
                    self.moves.push(HonestMove::Output {
                        step,
                        channel,
                        message,
                    });
                    self.pool.push((step, channel, message));
                    self.threads[i] = (*next, self.system.follow(step, &env, &[], *next));
                }
                Action::Event {
                    event, args, next, ..
                } => {
                    if *event != crate::process::EventId::CREATED {
                        let args = args.iter().map(|t| values.apply(self.store, *t)).collect();
                        self.moves.push(HonestMove::Event { step, args });
                    }
                    self.threads[i] = (*next, self.system.follow(step, &env, &[], *next));
                }
                Action::Test {
                    test,
                    then,
                    otherwise,
                } => match self.passes(test, &values) {
                    Ok(bound) => {
                        self.threads[i] = (*then, self.system.follow(step, &env, &bound, *then));
                    }
                    Err((found, expected, agreed)) => {
                        if test.has_else {
                            let env = self.system.follow(step, &env, &[], *otherwise);
                            self.threads[i] = (*otherwise, env);
                        } else {
                            if refused.is_ok() {
                                refused = Err(Refusal {
                                    test: step,
                                    found,
                                    expected,
                                    agreed,
                                });
                            }
                            i += 1;
                        }
                    }
                },
            }
        }
        refused
    }

    fn is_large(&self, env: &Env) -> bool {
        let large = |t: &TermId| self.store.facts(*t).size > super::MESSAGE_SIZE;
        env.iter().any(large)
    }

    /// Whether the tests behind an input refuse a message. Most messages are meant for others: to see that takes no
    /// copy of the state.
    fn refuses(&self, input: StepId, env: &Env, message: TermId) -> bool {
        let key = (input, env.clone(), message);
        if let Some(refused) = self.tried.borrow().get(&key) {
            return *refused;
        }
        let refused = self.is_refused(input, env, message);
        self.tried.borrow_mut().insert(key, refused);
        refused
    }

    fn is_refused(&self, input: StepId, env: &Env, message: TermId) -> bool {
        let Action::Input { binder, next, .. } = &self.system.step(input).action else {
            return false;
        };
        let mut step = *next;
        let mut env = self.system.follow(input, env, &[(*binder, message)], step);
        while let Action::Test {
            test,
            then,
            otherwise,
        } = &self.system.step(step).action
        {
            if self.is_large(&env) {
                return false;
            }
            let equations = self.equations(test, &self.bindings(step, &env));
            let (bound, to) = match self.solve(test, &equations) {
                Some(bound) => (bound, *then),
                None if !test.has_else => return true,
                None => (Vec::new(), *otherwise),
            };
            env = self.system.follow(step, &env, &bound, to);
            step = to;
        }
        false
    }

    fn equations(&self, test: &Test, values: &Subst) -> Vec<(TermId, TermId)> {
        let value = |t: TermId| values.apply(self.store, t);
        let equations = test.equations.iter();
        equations.map(|(a, b)| (value(*a), value(*b))).collect()
    }

    fn rank(&self, t: TermId) -> Rank {
        matches!(self.store.view(t), View::Var(_)).then_some(0)
    }

    /// The values bound by a test that is passed.
    fn solve(&self, test: &Test, equations: &[(TermId, TermId)]) -> Option<Vec<(u32, TermId)>> {
        let mut subst = Subst::new();
        let value = |v: &u32, subst: &Subst| (*v, subst.resolve(self.store, self.store.var(*v)));
        unify(self.store, equations, &|t| self.rank(t), &mut subst)
            .then(|| test.binds.iter().map(|v| value(v, &subst)).collect())
    }

    /// The values bound by a passed test, or the first differing subterms and how much agrees in all.
    #[allow(clippy::type_complexity)]
    fn passes(
        &self,
        test: &Test,
        values: &Subst,
    ) -> Result<Vec<(u32, TermId)>, (TermId, TermId, usize)> {
        let equations = self.equations(test, values);
        if let Some(bound) = self.solve(test, &equations) {
            return Ok(bound);
        }
        let rank = |t: TermId| self.rank(t);
        let mut agreed = 0;
        let mut first = None;
        let mut subst = Subst::new();
        let mut work: Vec<(TermId, TermId)> = equations.into_iter().rev().collect();
        while let Some((a, b)) = work.pop() {
            let (a, b) = (subst.resolve(self.store, a), subst.resolve(self.store, b));
            let (x, y) = (self.store.node(a), self.store.node(b));
            // A key is one thing: that it is another's says more than who the other is.
            let whole = matches!(self.store.view(a), View::Family(..));
            if unify(self.store, &[(a, b)], &rank, &mut subst) {
                agreed += 1;
            } else if x.op == y.op && x.args.len() == y.args.len() && !x.args.is_empty() && !whole {
                agreed += 1;
                work.extend(x.args.iter().copied().zip(y.args.iter().copied()).rev());
            } else {
                first.get_or_insert((a, b));
                // The right message in the wrong envelope is nearer than another message.
                work.extend(self.content(a).zip(self.content(b)));
            }
        }
        let (a, b) = first.unwrap_or_else(|| {
            let (a, b) = test.equations[0];
            (values.apply(self.store, a), values.apply(self.store, b))
        });
        Err((a, b, agreed))
    }

    /// What is sealed in a ciphertext or signature.
    fn content(&self, term: TermId) -> Option<TermId> {
        match self.store.view(term) {
            View::Senc(m, _) | View::Aenc(m, _) | View::Sign(m, _) => Some(m),
            _ => None,
        }
    }

    /// The state after delivering a pooled message to a thread that does not refuse it.
    fn delivered(&self, thread: usize, message: usize) -> Option<Runner<'a>> {
        let (step, env) = &self.threads[thread];
        let waits = matches!(self.system.step(*step).action, Action::Input { .. });
        if !waits || self.refuses(*step, env, self.pool[message].2) {
            return None;
        }
        self.deliver(thread, message)?.ok()
    }

    /// The state after delivering a pooled message to a thread, or why it is refused.
    fn deliver(&self, thread: usize, message: usize) -> Option<Result<Runner<'a>, Refusal>> {
        let (step, env) = &self.threads[thread];
        let Action::Input {
            channel,
            binder,
            next,
        } = &self.system.step(*step).action
        else {
            return None;
        };
        let (from, on, term) = self.pool[message];
        if self.bindings(*step, env).apply(self.store, *channel) != on {
            return None;
        }
        let mut state = self.clone();
        if !self.broadcast || !self.is_open(on) {
            state.pool.remove(message);
        }
        state.moves.push(HonestMove::Deliver {
            from,
            to: *step,
            channel: on,
            message: term,
        });
        let env = self.system.follow(*step, env, &[(*binder, term)], *next);
        state.threads[thread] = (*next, env);
        Some(state.settle().map(|()| state))
    }

    /// Whether somebody outside may listen on a channel: it is public, or part of something that was sent.
    fn is_open(&self, channel: TermId) -> bool {
        is_constant(self.store, channel)
            || self.moves.iter().any(|m| {
                let mut found = false;
                if let HonestMove::Output { message, .. } = m {
                    self.store.visit(*message, &mut |t| {
                        found |= t == channel;
                        !found
                    });
                }
                found
            })
    }

    /// The state in which a thread that waits for a receiver has sent its message, at the end of the pool.
    fn sent(&self, thread: usize) -> Option<Runner<'a>> {
        let (step, env) = &self.threads[thread];
        let Action::Output {
            channel,
            message,
            next,
        } = &self.system.step(*step).action
        else {
            return None;
        };
        let values = self.bindings(*step, env);
        let (channel, message) = (
            values.apply(self.store, *channel),
            values.apply(self.store, *message),
        );
        let mut state = self.clone();
        state.moves.push(HonestMove::Output {
            step: *step,
            channel,
            message,
        });
        state.pool.push((*step, channel, message));
        state.threads[thread] = (*next, self.system.follow(*step, env, &[], *next));
        Some(state)
    }

    fn deliveries(&self) -> Vec<Runner<'a>> {
        let mut next = Vec::new();
        for sender in 0..self.threads.len() {
            let Some(sent) = self.sent(sender) else {
                continue;
            };
            for receiver in 0..self.threads.len() {
                next.extend(sent.delivered(receiver, sent.pool.len() - 1));
            }
        }
        for thread in 0..self.threads.len() {
            for message in 0..self.pool.len() {
                next.extend(self.delivered(thread, message));
            }
        }
        next
    }

    /// Where an instance waits, and the message that comes nearest to what it wants. Messages already delivered to
    /// others count: a copy of them would have come as near.
    fn explain(&self, instance: InstanceId) -> Option<Stuck> {
        let role = self.system.role_of(instance);
        let thread = self
            .threads
            .iter()
            .position(|(s, _)| self.system.role_of(self.system.step(*s).instance) == role)?;
        let waits = self.threads[thread].0;
        let mut all = self.clone();
        all.pool = self
            .moves
            .iter()
            .filter_map(|m| match m {
                HonestMove::Output {
                    step,
                    channel,
                    message,
                } => Some((*step, *channel, *message)),
                _ => None,
            })
            .filter(|(s, _, _)| self.system.role_of(self.system.step(*s).instance) != role)
            .collect();
        let mut near: Option<(usize, Near)> = None;
        for message in 0..all.pool.len() {
            if let Some(Err(r)) = all.deliver(thread, message)
                && near.as_ref().is_none_or(|(n, _)| r.agreed > *n)
            {
                let (from, _, term) = all.pool[message];
                let Refusal {
                    test,
                    found,
                    expected,
                    agreed,
                } = r;
                near = Some((
                    agreed,
                    Near {
                        from,
                        message: term,
                        test,
                        found,
                        expected,
                    },
                ));
            }
        }
        Some(Stuck {
            instance,
            waits,
            near: near.map(|(_, n)| n),
        })
    }
}

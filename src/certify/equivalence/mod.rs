//! Equivalences by causal cones, checked by other means than they were found [Sem 5.6].
//!
//! A [`Certificate`] has for each side *facts*, terms that the environment computes, each with a run of which all is needed for that, and *places*, threads before an action,
//! each with a run that leads there. A run is how far some threads have gone, and for each of their inputs a recipe, with choices left to the environment;
//! nothing else: what is sent, which branches are taken and what comes before what is found out here by doing the run. The systems are
//! read anew (`tree`), and so is what can be exchanged in them (`exchange`). Terms are those of the store; equations, runs and derivations are this module's own.
//!
//! # What is checked
//!
//! All channels are public names, in classes, the *threads*; the parts of every fork have different threads. So each side has one way to follow a run, and
//! the number of an action in its thread says which one it is. For each side P, the other one being Q:
//!
//! 1. *Runs.* P can do the runs of its facts and places, with a different name for each choice.
//! 2. *Places* (`closure`). Take a place, its action, and the tests and forks that follow, or the beginning of the system. All ways in which the environment makes what is
//!    sent, and all choices that the tests bind, of compositions and facts before the inputs that need them, are found (`solve`). Each
//!    leads to a place that *contains* a listed one: with threads exchanged, the listed run is a part of it, with the same messages for some values of the
//!    listed choices, which the environment makes in time (`deduce`).
//! 3. *Facts.* What an output says, what is known at first, and what comes out of a fact that is opened with each way to make its key, falls
//!    apart into terms each of which the environment makes in that run, of compositions and facts that the run contains; Q sees that this is equal to the term.
//! 4. *Looks* (`looks`). Q does the run of each place and offers the same action. Q computes each fact. Each other way to make a fact makes the same in Q. Parts of a key pair that
//!    go together in P do in Q, and so do the public part of a family's member and its arguments. All this for whatever choices: where a test of
//!    Q fails with names for the choices and may succeed for some, Q's facts give the most general ones, and it is looked again, as long as P stays on its branches.
//!
//! # Why the systems are equivalent
//!
//! Take a run σ of P in which the environment sends what recipes make. A run of the certificate is *in σ* if, with threads exchanged, σ has its actions on the same
//! branches, and the same messages for some values of the choices, made before each input that needs them. By induction on σ:
//!
//! - *A thread before an action of its own has a place in σ*, and *what the environment makes it makes of compositions and facts in σ*. A run starts with (2) from the beginning. The message of an
//!   input is made, by induction on the recipe, of compositions and facts that were in σ then; so the way that σ took is an instance of one that was found, and what contains
//!   a listed place is in σ, hence so is the listed one: messages that are equal for names are equal for values, what can be deduced with names can be with values, by
//!   the same recipes, and a test that fails in σ and comes before an action on that branch fails with names.
//!   What is heard is made of facts by (3). A destructor is applied to a fact, which was opened with the way in which its key was made (3), or to what was composed, and then the
//!   parts were there before.
//! - *Two recipes that make one term in P do so in Q*, and what P computes Q does. By (4), for facts; what is composed on both sides in the same way is equal if its parts are. The
//!   induction is for both directions at once: choices that make a test of Q succeed are found with facts of Q and executed by P, and belong to proper prefixes of σ.
//! - *Q has the run.* The place in σ before an action was looked at: Q does its run with names, and offers the action. If no test of Q that failed there succeeds in σ, Q does in σ what it did with names,
//!   since recipes that make the same terms in P do in Q. Otherwise take the earliest such test, in the order of σ: what makes it succeed is an instance of a way that
//!   was found with Q's facts, and σ is an instance of that larger run, on P's branches, where Q was looked at again. There are finitely many tests, and each time one more has succeeded.
//!
//! So every run of P is one of Q with statically equivalent knowledge, and conversely: the systems are testing equivalent. Nothing is said of how the certificate was found.
//! Of exchanges it is only used that they leave both systems as they are (`exchange`): whatever is in σ up to an exchange is so for another run that the systems have as well.
//!
//! # On shared channels
//!
//! Where systems are compared role by role [Sem 5.7] the certificate is about systems in which each action has a channel of its own place (`apart`). That they are
//! the given ones but for channels, each new one standing for one old one, is looked at; that two processes that can be active together have no channel in common is (1). The rest is the argument of 5.7.
//!
//! # What has no certificate
//!
//! Declared destructors, groups and phases: [`EquivalenceError::NotExpressed`].
//!
//! Left to others: finding certificates (`cones`), unfolding (`process`), which is believed here as in the replay of attacks.

mod apart;
mod certificate;
mod closure;
mod deduce;
mod error;
mod exchange;
mod looks;
mod recipe;
mod run;
mod solve;
mod tree;
mod values;

pub use apart::is_apart;
pub use certificate::{Bundle, Certificate, Event, Fact, Place, Recipe, Run};
pub use error::EquivalenceError;

use super::budgets::CONES;
use crate::process::System;
use crate::term::{Arity, FamilyKind, Op, TermId, TermStore};
use closure::{Closure, Places};
use deduce::{Learned, is_constant};
use exchange::Bundles;
use looks::Looking;
use run::{Side, ready};
use rustc_hash::FxHashMap;
use solve::{Solver, key_pairs};
use tree::{Tree, is_public};
use values::Effort;

/// Two systems and the environment that they are in.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The systems.
    pub systems: [&'a System; 2],
    /// What the environment knows beyond public names.
    pub knows: &'a [TermId],
    /// The agents that it plays.
    pub spies: &'a [TermId],
}

/// Checks that a certificate shows that two systems are equivalent. Now and then it is asked whether to stop.
pub fn check(
    store: &TermStore,
    pair: Pair<'_>,
    certificate: &Certificate,
    stop: &dyn Fn() -> bool,
) -> Result<(), EquivalenceError> {
    if store.has_rules() || store.has_groups() {
        return Err(EquivalenceError::NotExpressed);
    }
    let threads = threads(store, certificate)?;
    let count = certificate.threads.len();
    let [left, right] = pair.systems;
    let trees = [
        Tree::new(store, left, &threads, count, 0)?,
        Tree::new(store, right, &threads, count, 1)?,
    ];
    let [left, right] = &trees;
    let bundles = Bundles::new(store, certificate, [left, right], pair.knows)?;
    let effort = Effort::new(CONES, stop);
    let sides = [left, right].map(|tree| Side {
        store,
        tree,
        knows: pair.knows,
        effort: &effort,
    });
    let mut facts: [Vec<Learned>; 2] = Default::default();
    for number in [0, 1] {
        for fact in &certificate.facts[number] {
            let wrong = EquivalenceError::Run { side: number };
            well_formed(store, count, &fact.run, Some(&fact.recipe))?;
            let (ready, mut state) = ready(sides[number], &fact.run)?.ok_or(wrong)?;
            facts[number].push(Learned {
                head: state.make(&fact.recipe).ok_or(wrong)?,
                recipe: fact.recipe.clone(),
                ready,
            });
        }
        for place in &certificate.places[number] {
            well_formed(store, count, &place.run, None)?;
            if usize::from(place.thread) >= count {
                return Err(EquivalenceError::Malformed);
            }
        }
    }
    let places = [
        Places::new(sides[0], 0, &bundles, &certificate.places[0])?,
        Places::new(sides[1], 1, &bundles, &certificate.places[1])?,
    ];
    let solvers = [0, 1].map(|number| Solver {
        side: sides[number],
        number,
        bundles: &bundles,
        facts: &facts[number],
        spies: pair.spies,
        families: key_pairs(store),
    });
    let looking = Looking {
        sides,
        solvers: [&solvers[0], &solvers[1]],
    };
    for number in [0, 1] {
        let closure = Closure {
            side: sides[number],
            number,
            bundles: &bundles,
            facts: &facts[number],
            places: &places[number],
            solver: &solvers[number],
            looking: &looking,
        };
        let answer = closure.check();
        // What was not done for lack of time says nothing.
        effort.going()?;
        answer?;
    }
    Ok(())
}

/// The thread of each channel.
fn threads(
    store: &TermStore,
    certificate: &Certificate,
) -> Result<FxHashMap<TermId, u16>, EquivalenceError> {
    let mut found = FxHashMap::default();
    for (thread, channels) in certificate.threads.iter().enumerate() {
        let thread = u16::try_from(thread).map_err(|_| EquivalenceError::Malformed)?;
        for channel in channels {
            if !is_public(store, *channel) || found.insert(*channel, thread).is_some() {
                return Err(EquivalenceError::Malformed);
            }
        }
    }
    Ok(found)
}

/// Whether a run and a recipe are what the environment can do: threads and inputs in order, recipes of what it has and can apply.
fn well_formed(
    store: &TermStore,
    threads: usize,
    run: &Run,
    recipe: Option<&Recipe>,
) -> Result<(), EquivalenceError> {
    let ordered = run.clock.windows(2).all(|w| w[0].0 < w[1].0)
        && run.inputs.windows(2).all(|w| w[0].0 < w[1].0)
        && run
            .clock
            .iter()
            .all(|(t, n)| usize::from(*t) < threads && *n > 0)
        && run.choices < tree::LOCAL / 2;
    let recipes = run.inputs.iter().map(|(_, r)| &**r).chain(recipe);
    let allowed = |r: &Recipe| is_allowed(store, r, run.choices, false);
    if ordered && recipes.into_iter().all(allowed) {
        Ok(())
    } else {
        Err(EquivalenceError::Malformed)
    }
}

/// Whether a recipe is one that the environment can follow; a member of a family only below its public part, or with a spy.
fn is_allowed(store: &TermStore, recipe: &Recipe, choices: u32, public: bool) -> bool {
    let inner = |r: &Recipe| is_allowed(store, r, choices, false);
    match recipe {
        Recipe::Initial(_) | Recipe::Heard(_) => true,
        Recipe::Choice(c) => *c < choices,
        Recipe::Constant(t) => is_constant(store, *t),
        Recipe::Part(of, i, n) => i < n && inner(of),
        Recipe::Predecessor(of) => inner(of),
        Recipe::Open(how, of, key) => {
            matches!(how, Op::Senc | Op::Aenc | Op::Sign) && inner(of) && inner(key)
        }
        Recipe::Apply(op, args) => {
            let (able, arity) = match op {
                Op::Suc | Op::Tuple | Op::Hash | Op::Senc | Op::Priv | Op::Aenc | Op::Sign => {
                    (true, op.row().arity)
                }
                Op::Pub => {
                    let member = |r: &Recipe| is_allowed(store, r, choices, true);
                    return args.len() == 1 && member(&args[0]);
                }
                Op::Function(f) => {
                    let info = store.function_info(*f);
                    (!info.private, Arity::Exactly(info.arity))
                }
                Op::Family(f) => {
                    let info = store.family_info(*f);
                    let spy = |a: &Recipe| matches!(a, Recipe::Constant(t) if store.is_spy(*t));
                    let member = public && info.kind == FamilyKind::KeyPair;
                    let able = member || args.iter().any(|a| spy(a));
                    (able, Arity::Exactly(info.arity))
                }
                _ => (false, Arity::Exactly(0)),
            };
            let count = match arity {
                Arity::Exactly(n) => args.len() == n as usize,
                Arity::AtLeast(n) => args.len() >= n as usize,
                Arity::Declared => false,
            };
            able && count && args.iter().all(|a| inner(a))
        }
    }
}

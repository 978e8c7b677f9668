//! Equivalence of determinate systems by causal cones [Sem 5.6].
//!
//! A system is a tree of places ([`tree`]): processes that act, test and split. All channels are public, and no two
//! processes that can be active together have channels that go together ([`cast`]). Then each side has exactly one way to follow
//! a run, independent actions commute, and whatever tells the sides apart is seen in the causal past of one look: the next
//! action of a thread, a destructor that succeeds, two recipes that make the same term. So it is enough to consider runs of
//! which every action is needed for one such look, in no particular order otherwise. There are few of them, however many
//! sessions run beside.
//!
//! *Saturation* ([`saturation`]) builds for one side, P, the most general runs to every action of a thread and to every term that the
//! environment computes, after the idea of Horn-clause saturation with partially ordered traces (Chadha, Cheval, Ciobâcă and
//! Kremer, Automated verification of equivalence properties of cryptographic protocols, 2016). Each is executed by the other
//! side, Q, with a different name for each choice left ([`execute`]):
//!
//! 1. Q can do the run and offers the same action where P does.
//! 2. Q can compute what P's environment computes by opening and taking apart.
//! 3. Where two recipes make the same term in P they do in Q.
//! 4. The public and private part of a key pair that go together in P do in Q, and the public part of a family's member
//!    is the one made from its arguments: what the environment encrypts with the one opens with the other.
//!
//! *If all looks agree, Q has every run of P, and all equations and computations of it.* By induction on the run, and for a
//! given run on the recipe; the induction is for both directions at once, P's runs in Q and Q's runs in P, since *Alternatives*
//! below executes recipes from Q's facts on P. They are those of inputs, and a deadline keeps what makes an input before it,
//! so they belong to proper prefixes of the run, for which both directions are known. An input of the run carries a term that the environment derived from what was heard before. That
//! derivation uses compositions and instances of facts whose runs are part of the run and come before the input, so the run
//! of the thread is an instance of a place that was built; its recipes make the same terms in P as the actual ones,
//! hence in Q by induction. Q does the place's run with names for choices. Suppose first that no test of Q fails on the way.
//! Equations remain true when names of the environment's own are replaced by whatever it sends instead; so Q does the actual
//! run. For a recipe M
//! that can be computed, induction gives a derivation from facts that makes the same term in both; where M opens a
//! fact, the opening was built with every way to make the key; where it opens what it composed itself, the keys are
//! equal, or are parts that were looked at. Two derivations of one term are made equal by the same operator from
//! derivations of smaller terms, or one of them is a fact, and then they were compared. Both directions together are trace
//! equivalence, since the sides are determinate.
//!
//! *Joint keys.* `g^x^y` is composed of `g^x` and y or of `g^y` and x, and two of them may be equal in two ways: all unifiers are followed. The composition is partial
//! on the other side: it needs a share. What made `g^x` is composed itself, or a fact, and that its power can be computed is a destructor
//! that succeeds (2). If one side makes a key in both ways, of M for `g^x` and N for y, and of M' for `g^y` and N' for x, it makes `g^x` by M and of N' as well, and `g^y` by M'
//! and of N: smaller terms, so Q does too by induction, and the four make one key there.
//!
//! *Forks.* A fork is a causal step: the first action of what it starts follows the action before the fork, and a run has with an
//! action all that it follows. The actions of a thread, which may be those of several places one after the other, follow each
//! other on either side; so the number of an action in its thread says which one it is, although the processes that do it may
//! stand at different points of the two trees. Q executes a run in an order that P allows. If Q does an action only after
//! another, and P does not, then P has a run to the one without the other, and Q fails that. What Q did for a
//! cone it can do in every run of both that has the cone's actions, with whatever comes in between: where a process of Q stands
//! depends on the messages that it, and those it was split from, took; Q did the cone, so these actions are among the cone's, and
//! by induction the messages are the same. A test before a fork comes before the first actions of all parts, so each
//! part that does something has it: among its equations, if it succeeds, or among the tests that must fail. Two parts that take
//! it for different things never make one run.
//!
//! *Alternatives.* A place of P is reached on one branch of each thread; the tests that failed there fail for all actual runs
//! that it stands for, and with names for choices whenever they fail at all. A test of Q that fails with names may succeed for the
//! actual messages. Therefore the looks at such a run are taken again for the most general choices that make that
//! test of Q succeed, found with the facts of Q, as long as P stays on its branches; and so on for what fails then
//! ([`refine`]). An actual run is an instance of the last of these that it is an instance of, and there Q takes the
//! same branches with names as with the actual messages: otherwise take the earliest test, in the order of the actual run, whose
//! branch in Q differs. Up to it Q did the same with names as with the actual messages, so the messages of that test are
//! instances of those with names, it fails with names and succeeds as it is, and the most general choices for that were built:
//! a later run of which the actual one is an instance. Where P leaves its branches the actual run belongs to another place:
//! a test of P that succeeds with names succeeds for all instances, provided that what it is about does not depend on
//! tests in the added actions that fail with names only. If it may, or if P would do an added action only after another one that Q
//! does not wait for, the procedure gives up.
//!
//! *Order.* A run of P is a linear order in which all derivations used above are earlier than what they are used for. Joining two
//! parts of it keeps that, whichever of two recipes for a common input is taken, so no part is rejected as cyclic.
//!
//! *Redundancy.* A place is looked at and then left out if a place before the same action is a part of it: with threads of the
//! same classes in the places of its threads, its inputs take the same messages there, and each of its choices is made in time
//! from what the run has. Every run that is an instance of the one is an instance of the other, so nothing that follows is lost. A
//! fact whose head its own run makes in another way is compared with that way and left out, since derivations can take it
//! instead. Both respect the order of the run: what is learned after an input does not stand for what was chosen before it.
//!
//! *Symmetry.* Parts of forks, with all that they split into ([`bundle`]), that differ only in restricted names and channels of their
//! own are interchangeable if this is so on both sides at once: one renaming of channels turns the one into the other on the
//! left and on the right, since a channel is the same for the environment whichever side it talks to, while each side has a
//! renaming of restricted names to itself. The parts of a part are exchanged with each other within it, and go with it. Runs are
//! kept up to such exchanges.
//!
//! *Any number of copies.* What was found with some copies of a `!` may hold for any number: [`closure`].
//!
//! A failed look is a test that tells the sides apart. The procedure may give up; the joint exploration then decides.

mod bundle;
mod cast;
mod certificate;
mod closure;
mod execute;
mod facts;
mod goal;
mod merge;
mod partial;
mod places;
mod refine;
mod renaming;
mod run;
mod saturation;
mod tree;

use crate::certify::equivalence::Certificate;
use crate::engine::joint::trail::{Act, Check, Recipe, Trail};
use crate::engine::joint::{Distinction, Reason, Side};
use crate::process::System;
use crate::term::{TermId, TermStore};
use cast::Cast;
pub(super) use closure::Closure;
use execute::Look;
use run::{Event, heard, linear};
use rustc_hash::FxHashMap;
use saturation::{End, Failure, Saturation};
use std::cell::Cell;
use std::sync::Arc;
use tree::Kind;

/// What was found out.
#[derive(Debug)]
pub(super) struct Found {
    /// The first look that tells the sides apart.
    pub distinction: Option<Distinction>,
    /// Places and facts of both sides.
    pub runs: u64,
    /// Looks at both sides.
    pub looks: u64,
    /// Actions of the longest run.
    pub longest: u32,
    /// What shows that nothing tells them apart.
    pub certificate: Option<Box<Certificate>>,
    /// Whether the same would be found with any number of copies of each marked `!`.
    pub closure: Closure,
}

/// How it ended.
#[derive(Debug)]
pub(super) enum Answer {
    /// The systems are not a case for it.
    NoCase,
    /// It takes more work than it may do, or a message, a run or what had to be held at a time was too large.
    GaveUp,
    /// It decided.
    Found(Found),
}

/// The two systems and what they are placed in.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    /// The terms.
    pub store: &'a TermStore,
    /// The left system.
    pub left: &'a System,
    /// The right system.
    pub right: &'a System,
    /// Initial knowledge of the environment beyond public names.
    pub knows: &'a [TermId],
    /// The agents that it plays.
    pub spies: &'a [TermId],
    /// Use that threads may be interchangeable.
    pub symmetry: bool,
    /// Leave out places and facts that add nothing to others.
    pub contained: bool,
    /// Branches of the other side that are taken one after the other before the procedure gives up.
    pub branches: usize,
    /// Places and facts that may be built.
    pub nodes: Option<u64>,
    /// Work that may be done: goals and facts that are tried, each counted by the size of its run.
    pub steps: u64,
}

impl Question<'_> {
    /// Whether the systems are a case for the cones.
    pub(super) fn is_case(&self) -> bool {
        self.cast().is_some()
    }

    fn cast(&self) -> Option<Cast> {
        Cast::new(self.store, self.left, self.right, self.knows, self.symmetry)
    }
}

/// Decides whether two systems are equivalent.
pub(super) fn decide(question: Question<'_>, stopped: &dyn Fn() -> bool) -> Answer {
    let Some(cast) = question.cast() else {
        return Answer::NoCase;
    };
    saturate(question, &cast, stopped).map_or(Answer::GaveUp, Answer::Found)
}

/// What the cones tell; `None` if that takes too much.
fn saturate(question: Question<'_>, cast: &Cast, stopped: &dyn Fn() -> bool) -> Option<Found> {
    let Question { store, nodes, .. } = question;
    let mut found = Found {
        distinction: None,
        runs: 0,
        looks: 0,
        longest: 0,
        certificate: None,
        closure: Closure::Unmatched,
    };
    let patience = Cell::new(question.steps);
    let crowded = Cell::new(false);
    let mut sides =
        [0, 1].map(|side| Saturation::new(&question, cast, side, &patience, &crowded, stopped));
    let mut end = sides.iter_mut().try_for_each(|s| match s.run() {
        Err(end) => Err((s.side, end)),
        Ok(()) if nodes.is_some_and(|n| s.size() > n) => Err((s.side, End::GaveUp)),
        Ok(()) => Ok(()),
    });
    for s in &sides {
        found.runs += s.size();
        found.looks += s.looks;
        found.longest = found.longest.max(s.longest);
    }
    for (this, other) in [(0, 1), (1, 0)] {
        if end.is_ok() {
            let (this, other) = (&sides[this], &sides[other]);
            let mut open = this.open.iter();
            end = open
                .try_for_each(|(run, look)| this.refine(other, run, look))
                .map_err(|end| (this.side, end));
        }
    }
    match end {
        Ok(()) => {
            found.closure = Closure::of(cast, crowded.get());
            found.certificate = certificate::certificate(cast, &sides).map(Box::new);
        }
        Err((_, End::GaveUp)) => return None,
        Err((side, End::Failed(failure))) => {
            let side = [Side::Left, Side::Right][side];
            found.distinction = Some(told(store, cast, side, &failure)?);
        }
    }
    Some(found)
}

/// The failed look as a test.
fn told(store: &TermStore, cast: &Cast, side: Side, failure: &Failure) -> Option<Distinction> {
    let Failure { run, look } = failure;
    let choices = run.choices.len();
    let mut trail = Trail::new();
    let mut numbers = FxHashMap::default();
    let mut hear = |trail: &mut Trail, event: Event, channel: Arc<Recipe>| {
        numbers.insert(heard(event), numbers.len());
        trail.acts.push(Act::Hear { channel });
    };
    let mut sends = Vec::new();
    for event in linear(&run.clock, &run.sent, &run.forks)? {
        let channel = Arc::new(Recipe::Constant(run.label(cast, event)?.1));
        match run.sent.binary_search_by_key(&event, |s| s.event) {
            Err(_) => hear(&mut trail, event, channel),
            Ok(at) => {
                sends.push((trail.acts.len(), run.sent[at].recipe.clone()));
                trail.acts.push(Act::Send {
                    channel,
                    message: run.sent[at].recipe.clone(),
                });
            }
        }
    }
    let mut reason = Reason::Message;
    if let Look::Offers(thread, kind, channel) = look {
        reason = Reason::Action;
        let event = (*thread, run::done(&run.clock, *thread));
        let channel = Arc::new(Recipe::Constant(*channel));
        match kind {
            Kind::Output => hear(&mut trail, event, channel),
            Kind::Input => trail.acts.push(Act::Send {
                channel,
                message: Arc::new(Recipe::Constant(store.zero())),
            }),
        }
    }
    for (at, recipe) in sends {
        if let Act::Send { message, .. } = &mut trail.acts[at] {
            *message = renumbered(&recipe, &numbers, choices)?;
        }
    }
    for _ in &run.choices {
        trail.choose();
    }
    match look {
        Look::Offers(..) => {}
        Look::Computes(r) => trail.see(Check::Computes(renumbered(r, &numbers, choices)?), true),
        Look::Equal(r, s) => trail.see(
            Check::Equal(
                renumbered(r, &numbers, choices)?,
                renumbered(s, &numbers, choices)?,
            ),
            true,
        ),
    }
    Some(Distinction::new(store, side, reason, &trail, false))
}

/// A recipe with outputs by their order in a run with so many choices.
fn renumbered(
    recipe: &Recipe,
    numbers: &FxHashMap<usize, usize>,
    choices: usize,
) -> Option<Arc<Recipe>> {
    let of = |r: &Arc<Recipe>| renumbered(r, numbers, choices);
    let all = |args: &[Arc<Recipe>]| args.iter().map(of).collect::<Option<Vec<_>>>();
    Some(Arc::new(match recipe {
        Recipe::Heard(h) => Recipe::Heard(*numbers.get(h)?),
        Recipe::Choice(c) if *c as usize >= choices => return None,
        Recipe::Initial(_) | Recipe::Choice(_) | Recipe::Constant(_) => recipe.clone(),
        Recipe::Apply(op, args) => Recipe::Apply(*op, all(args)?),
        Recipe::Destruct(d, args) => Recipe::Destruct(*d, all(args)?),
        Recipe::Part(r, i, n) => Recipe::Part(of(r)?, *i, *n),
        Recipe::Predecessor(r) => Recipe::Predecessor(of(r)?),
        Recipe::Open(how, r, key) => Recipe::Open(*how, of(r)?, of(key)?),
    }))
}

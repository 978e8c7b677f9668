//! The runs of facts as parts of a run: which threads take their places, and the joining of both.
//!
//! Where the run and the fact's run have an input in common, its messages must be equal, and the run's recipe is kept.
//! Of the bundles of a class that the run does not have yet the first ones are taken.

use super::facts::Fact;
use super::goal::{Report, Solver};
use super::partial::{Goal, Partial};
use super::renaming::{Renaming, Vars};
use super::run::{
    Clock, Deadlines, Event, Run, Sent, book, done, fork, join, last_of, linear, within,
};
use crate::attacker::solver::may_be_equal;
use crate::term::{TermId, Unifiers};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Which bundles have to take which places.
struct Casting {
    /// Those of a fact's run, a whole before its parts.
    wanted: Vec<u32>,
    /// Those that the run has.
    present: Vec<u32>,
    /// The weight of the run.
    weight: usize,
}

impl Solver<'_> {
    /// Whether a run that has to stay as it is contains that of a fact, with the term as its head and a thread in its place.
    pub(super) fn contains(&self, run: &Run, term: TermId, fact: &Fact, thread: u16) -> bool {
        let partial = Partial::frozen(self.store, run);
        let goal = Goal {
            term,
            choice: partial.next,
            before: Deadlines::new(),
        };
        let mut renaming = Renaming {
            vars: Vars::Shift(partial.next + 1),
            ..Renaming::default()
        };
        let mut found = Vec::new();
        let mut base = partial.clone();
        base.next += 1;
        self.cast_fact(
            &self.casting(&partial, fact),
            &mut renaming,
            &mut Vec::new(),
            &mut |renaming: &Renaming| {
                let head = renaming.term(self.store, fact.head);
                if !found.is_empty()
                    || renaming.event((thread, 0)).0 != thread
                    || !may_be_equal(self.store, head, term)
                {
                    return;
                }
                for with in self.merged(&base, &goal, term, fact, head, renaming) {
                    found.extend(self.solve(with, &Report::default()));
                }
            },
        );
        !found.is_empty()
    }

    /// The ways in which a goal is an instance of a fact's head, with any of the run's threads or new ones in the place of the
    /// fact's.
    pub(super) fn by_fact(
        &self,
        p: &Partial,
        goal: &Goal,
        term: TermId,
        number: usize,
    ) -> Vec<Partial> {
        let fact = &self.facts[number];
        let mut renaming = Renaming {
            vars: Vars::Shift(p.next),
            ..Renaming::default()
        };
        let mut chosen = Vec::new();
        let mut ways = Vec::new();
        let mut take = |renaming: &Renaming| {
            let head = renaming.term(self.store, fact.head);
            if !may_be_equal(self.store, head, term) {
                return;
            }
            for mut with in self.merged(p, goal, term, fact, head, renaming) {
                with.fresh |= number >= self.latest;
                self.hold(&with);
                ways.push(with);
            }
        };
        let casting = self.casting(p, fact);
        self.cast_fact(&casting, &mut renaming, &mut chosen, &mut take);
        ways
    }

    fn casting(&self, p: &Partial, fact: &Fact) -> Casting {
        let bundles = |clock: &Clock| -> Vec<u32> {
            let threads = clock.iter().map(|(thread, _)| *thread);
            let mut seen = FxHashSet::default();
            threads
                .flat_map(|thread| self.cast.bundles_of(thread))
                .filter(|bundle| seen.insert(*bundle))
                .collect()
        };
        Casting {
            wanted: bundles(&fact.run.clock),
            present: bundles(&p.clock),
            weight: p.weight(),
        }
    }

    /// Goes through the ways to give the fact's bundles their places.
    fn cast_fact(
        &self,
        casting: &Casting,
        renaming: &mut Renaming,
        chosen: &mut Vec<u32>,
        take: &mut dyn FnMut(&Renaming),
    ) {
        let Some(from) = casting.wanted.get(chosen.len()) else {
            self.spend(casting.weight);
            take(renaming);
            return;
        };
        if self.gave_up() {
            return;
        }
        let bundle = &self.cast.bundles[*from as usize];
        // A part goes where the whole has gone.
        let whole = casting.wanted.iter().position(|b| *b == bundle.parent);
        let parent = whole.map_or(0, |i| chosen[i]);
        let mut fresh = true;
        let whole = &self.cast.bundles[parent as usize];
        for to in &whole.classes[bundle.class as usize] {
            if chosen.contains(to) {
                continue;
            }
            if !casting.present.contains(to) {
                // Bundles that the run does not have are alike.
                if !std::mem::take(&mut fresh) {
                    continue;
                }
            }
            let (threads, names) = (renaming.threads.len(), renaming.names.len());
            renaming.bundle(self.cast, self.side, *from, *to);
            chosen.push(*to);
            self.cast_fact(casting, renaming, chosen, take);
            chosen.pop();
            renaming.threads.truncate(threads);
            renaming.names.truncate(names);
        }
        // A run that has to stay as it is takes no other copy, however many there are.
        if fresh && whole.grows[bundle.class as usize] && self.frozen.is_none() {
            self.crowded.set(true);
        }
    }

    /// Takes the later of two last actions of a thread; `None` if they lie on different branches.
    fn follow(
        &self,
        p: &Partial,
        with: &mut Partial,
        clock: &[(u16, u16)],
        thread: u16,
        item: u32,
    ) -> Option<()> {
        let Some(other) = last_of(&p.last, thread) else {
            book(&mut with.last, thread, item);
            return Some(());
        };
        let role = self.cast.role(self.side, thread);
        let (mine, its) = (done(&p.clock, thread), done(clock, thread));
        if its > mine {
            book(&mut with.last, thread, item);
            (role.earlier(item, its - mine)? == other).then_some(())
        } else {
            (role.earlier(other, mine - its)? == item).then_some(())
        }
    }

    /// The run with the fact's run, the goal being the fact's head, in each way to make that equal to the term.
    fn merged(
        &self,
        p: &Partial,
        goal: &Goal,
        term: TermId,
        fact: &Fact,
        head: TermId,
        renaming: &Renaming,
    ) -> SmallVec<[Partial; 1]> {
        let joined = self.joined(p, goal, term, fact, head, renaming);
        joined.map_or_else(SmallVec::new, |(with, all)| with.with_each(all))
    }

    /// The run with the fact's run, and the ways to make equal what must be for that.
    fn joined(
        &self,
        p: &Partial,
        goal: &Goal,
        term: TermId,
        fact: &Fact,
        head: TermId,
        renaming: &Renaming,
    ) -> Option<(Partial, Unifiers)> {
        let store = self.store;
        let clock = renaming.clock(&fact.run.clock);
        if let Some(frozen) = self.frozen {
            let used = goal.before.iter().all(|b| within(&clock, frozen.past(*b)));
            let sent = fact.run.sent.iter();
            let mut sent = sent.map(|s| (renaming.event(s.event), renaming.clock(&s.needs)));
            let ordered = |(e, needs): (Event, Clock)| within(&needs, frozen.past(e));
            if !used || !within(&clock, &p.clock) || !sent.all(ordered) {
                return None;
            }
        }
        // Nobody can use what comes after it.
        if goal.before.iter().any(|(t, at)| done(&clock, *t) > *at) {
            return None;
        }
        let mut equations = vec![(term, head)];
        let mut with = p.clone();
        for (thread, item) in renaming.last(&fact.run.last) {
            self.follow(p, &mut with, &clock, thread, item)?;
        }
        for pair in renaming.forks(&fact.run.forks) {
            fork(&mut with.forks, pair);
        }
        for a in &fact.run.against {
            let (thread, at) = renaming.event(a.event);
            if at >= done(&p.clock, thread) {
                with.against.push(renaming.against(store, a));
            }
        }
        for s in &fact.run.sent {
            let event = renaming.event(s.event);
            let term = renaming.term(store, s.term);
            match with.sent.binary_search_by_key(&event, |s| s.event) {
                Ok(i) => equations.push((with.sent[i].term, term)),
                Err(i) => with.sent.insert(
                    i,
                    Sent {
                        event,
                        term,
                        recipe: renaming.recipe(&s.recipe),
                        needs: renaming.clock(&s.needs),
                    },
                ),
            }
        }
        let all = with.unifiers(store, &equations);
        if all.is_empty() {
            return None;
        }
        join(&mut with.clock, &clock);
        for event in &goal.before {
            if let Ok(i) = with.sent.binary_search_by_key(event, |s| s.event) {
                join(&mut with.sent[i].needs, &clock);
            }
        }
        linear(&with.clock, &with.sent, &with.forks)?;
        let first = p.next;
        with.next += fact.run.choices.len() as u32;
        for (i, before) in fact.run.choices.iter().enumerate() {
            let mut before = renaming.deadlines(before);
            if before.is_empty() {
                before.clone_from(&goal.before);
            }
            let choice = first + i as u32;
            with.goals.push(Goal {
                term: store.var(choice),
                choice,
                before,
            });
        }
        with.made.push((goal.choice, renaming.recipe(&fact.recipe)));
        with.depth += 1;
        Some((with, all))
    }
}

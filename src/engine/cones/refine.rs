//! Looks at a run again for the choices for which the other side takes another branch.
//!
//! A test of the other side that fails as long as nothing particular is chosen may succeed for some choices. The most general
//! ones are found with the other side's facts, since it is the other side that compares; with them come actions that the run
//! did not have. The looks of the run are taken again as long as this side stays on the branches of the run.

use super::execute::{Done, Failed, Look, execute};
use super::goal::{Report, Solved};
use super::partial::Partial;
use super::run::{Against, Event, Run, done, last_of};
use super::saturation::{End, Failure, Saturation};
use super::tree::LOCAL;
use crate::term::{Rank, Subst, TermId, TermStore, View, unify};
use rustc_hash::FxHashMap;

impl Saturation<'_> {
    /// The ways to make equations true for choices of a run that both sides can do, as this side sees it.
    fn refinements(
        &self,
        run: &Run,
        done: &Done,
        test: &Against,
        report: &Report,
    ) -> Result<Vec<Solved>, End> {
        let store = self.store;
        let mut seen = run.clone();
        seen.side = self.side;
        seen.last.clone_from(&done.last);
        seen.against.clear();
        for (s, term) in seen.sent.iter_mut().zip(&done.sent) {
            s.term = *term;
        }
        let mut partial = Partial::new(store, &seen);
        let mut bound: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut open = |t: TermId| {
            store.map_atoms(t, &mut |atom| match store.view(atom) {
                View::Var(v) if v >= LOCAL => Some(
                    *bound
                        .entry(atom)
                        .or_insert_with(|| store.var(partial.variable())),
                ),
                _ => None,
            })
        };
        let equations: Vec<_> = test
            .equations
            .iter()
            .map(|(a, b)| (open(*a), open(*b)))
            .collect();
        let mut found = Vec::new();
        for partial in partial.equated(store, &equations) {
            found.extend(self.solve(partial, report, (0, false))?);
        }
        Ok(found)
    }

    /// Looks at a run of this side again for all choices for which the other side takes another branch.
    pub fn refine(&self, other: &Saturation<'_>, run: &Run, look: &Look) -> Result<(), End> {
        let here = self.execute(self.side, run, look);
        let mut work = vec![(run.clone(), look.clone(), self.branches)];
        while let Some((larger, look, depth)) = work.pop() {
            if depth == 0 {
                return Err(End::GaveUp);
            }
            let there = self.execute(other.side, &larger, &look);
            if there.too_large {
                return Err(End::GaveUp);
            }
            let report = Report {
                terms: Vec::new(),
                recipes: look.recipes(),
            };
            let tests = there.failed.iter().map(|f| &f.against);
            for test in tests.filter(|t| may_hold(self.store, t)) {
                for solved in other.refinements(&larger, &there, test, &report)? {
                    let look = look.with(&solved.recipes);
                    if self.still_looks(run, &here, &solved.run, &look)? {
                        if !self.execute(other.side, &solved.run, &look).passes {
                            let run = solved.run;
                            return Err(End::Failed(Box::new(Failure { run, look })));
                        }
                        work.push((solved.run, look, depth - 1));
                    }
                }
            }
        }
        Ok(())
    }

    fn execute(&self, side: usize, run: &Run, look: &Look) -> Done {
        execute(self.store, self.cast, side, self.knows, run, look)
    }

    /// Whether this side sees what is looked at, on the branches of the run, in a larger one. Where it takes another branch
    /// that is another run, with looks of its own; unless this depends on what is still open of the added actions.
    fn still_looks(&self, run: &Run, here: &Done, larger: &Run, look: &Look) -> Result<bool, End> {
        let now = self.execute(self.side, larger, look);
        if now.passes && self.on_the_way(run, here, larger, &now) {
            return Ok(true);
        }
        // A test that failed in the run, or that comes before one of its actions or its look, is none of an added action.
        let before = |(thread, at): Event| match look {
            Look::Offers(t, ..) if *t == thread => at <= done(&run.clock, thread),
            _ => at < done(&run.clock, thread),
        };
        let added =
            |f: &Failed| !before(f.against.event) && here.failed.iter().all(|h| h.test != f.test);
        let open = |f: &Failed| added(f) && may_hold(self.store, &f.against);
        if now.undecided || now.too_large || now.failed.iter().any(open) {
            return Err(End::GaveUp);
        }
        Ok(false)
    }

    /// Whether this side does the actions of a run on the same branches in a larger run.
    fn on_the_way(&self, run: &Run, here: &Done, larger: &Run, now: &Done) -> bool {
        let same = |(thread, item): &(u16, u32)| {
            let role = self.cast.role(self.side, *thread);
            let further = done(&larger.clock, *thread) - done(&run.clock, *thread);
            let then = last_of(&now.last, *thread);
            then.and_then(|i| role.earlier(i, further)) == Some(*item)
        };
        now.offered == here.offered && here.last.iter().all(same)
    }
}

/// Whether a test that fails with the choices left open may succeed for some.
pub fn may_hold(store: &TermStore, test: &Against) -> bool {
    let any = |_: TermId| -> Rank { Some(0) };
    unify(store, &test.equations, &any, &mut Subst::new())
}

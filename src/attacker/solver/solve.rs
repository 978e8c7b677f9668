//! The solver: equations and derivability goals to most general solutions [Sem 2.2].
//!
//! A search over a stack of goals "t is derivable at level i". Equations are unified first; every generic that
//! unification binds leaves a goal that its new value be derivable at the generic's level. A goal that holds whatever
//! the generics stand for is closed at once ([`super::rigid`]); otherwise it branches: equal to an element alive at
//! the level, or composed.
//!
//! Termination: each branching step binds a pattern variable or generic, replaces a generic by one of a lower level,
//! or makes the goals smaller.
//!
//! A question on whose way a term becomes too large has no answer, not even "no": that is [`TooLarge`].
//!
//! Solutions are given twice, as terms and as recipes over basis indices: a single process needs the terms, joint
//! exploration needs the recipes, which mean the same in every configuration.

use super::conceivable::{conceivable, may_be_equal};
use super::overgrown::{TooLarge, fits, is_overgrown};
use super::question::{Binding, Context, Question, Solution};
use super::rigid::{generic_level, is_rigid, rebuild, rigid};
use super::{GenericInfo, Typing};
use crate::attacker::knowledge::{Composition, Element, Level, composition, member_of};
use crate::process::Type;
use crate::term::{Args, Rank, Subst, TermId, View, ranges, unifiers};
use smallvec::SmallVec;

/// First variable number used for the places of unfinished recipes.
const HOLES: u32 = ranges::HOLES.start;

#[derive(Clone, Copy)]
struct Goal {
    term: TermId,
    level: Level,
    hole: u32,
}

/// One branch of the search.
#[derive(Clone)]
struct Branch {
    subst: Subst,
    goals: Vec<Goal>,
    recipes: Subst,
    fresh: Vec<GenericInfo>,
    holes: u32,
    /// The supposed elements that were used.
    supposed: SmallVec<[usize; 4]>,
}

/// All most general solutions, in a fixed order; a solution that narrows nothing comes alone.
pub fn solve(cx: &Context<'_>, question: &Question) -> Result<Vec<Solution>, TooLarge> {
    let mut solver = Solver {
        cx,
        asked: question.goals.len() as u32,
        supposed: &[],
        found: Vec::new(),
        used: Vec::new(),
        patience: 1,
    };
    solver.answer(question)?;
    Ok(solver.finish())
}

/// Which of some further elements could help to answer a question, were they known: by position, at least every one
/// that some answer uses.
pub fn solve_supposing(cx: &Context<'_>, question: &Question, supposed: &[Element]) -> Vec<usize> {
    let mut solver = Solver {
        cx,
        asked: question.goals.len() as u32,
        supposed,
        found: Vec::new(),
        used: Vec::new(),
        patience: PATIENCE,
    };
    if solver.answer(question).is_err() || solver.patience == 0 {
        return (0..supposed.len()).collect();
    }
    solver.used
}

/// Goals that may branch before [`solve_supposing`] takes everything for helpful.
const PATIENCE: u32 = 200;

/// The question as the first branch of its search.
fn first_branch(question: &Question) -> Branch {
    let mut branch = Branch {
        subst: Subst::new(),
        goals: Vec::new(),
        recipes: Subst::new(),
        fresh: Vec::new(),
        holes: HOLES,
        supposed: SmallVec::new(),
    };
    for (term, level) in question.goals.iter().rev() {
        let hole = branch.holes;
        branch.holes += 1;
        branch.goals.push(Goal {
            term: *term,
            level: *level,
            hole,
        });
    }
    branch
}

struct Solver<'a, 'b> {
    cx: &'a Context<'b>,
    asked: u32,
    /// Elements that are not known, only supposed to be; no goal is closed by them without looking at other ways.
    supposed: &'a [Element],
    found: Vec<Solution>,
    /// The supposed elements that some solution uses.
    used: Vec<usize>,
    /// How many more goals may branch, with supposed elements.
    patience: u32,
}

impl Solver<'_, '_> {
    fn answer(&mut self, question: &Question) -> Result<(), TooLarge> {
        for branch in self.equate(first_branch(question), &question.equations)? {
            self.run(branch)?;
        }
        Ok(())
    }

    fn info(&self, branch: &Branch, g: u32) -> GenericInfo {
        generic_level(self.cx, &branch.fresh, g)
    }

    /// Unifies the pairs; each generic bound on the way leaves a goal. More than one branch comes back only when
    /// a type with finitely many members or keys with two exponents were met.
    fn equate(&self, branch: Branch, pairs: &[(TermId, TermId)]) -> Result<Vec<Branch>, TooLarge> {
        let store = self.cx.store;
        let mark = branch.subst.len();
        let rank = |t: TermId| -> Rank {
            match store.view(t) {
                View::Var(_) => Some(u32::MAX),
                View::Generic(g) => {
                    let info = generic_level(self.cx, &branch.fresh, g);
                    // Of two generics of one level the typed one stays.
                    Some(info.level.saturating_mul(2) + u32::from(info.ty == Type::Msg))
                }
                _ => None,
            }
        };
        let mut all = unifiers(store, pairs, &rank, &branch.subst);
        if all.iter().any(|subst| !fits(store, subst)) {
            return Err(TooLarge);
        }
        if all.len() == 1
            && let Some(subst) = all.pop()
        {
            return Ok(self.bound(branch, subst, mark));
        }
        let ways = all.into_iter();
        Ok(ways
            .flat_map(|subst| self.bound(branch.clone(), subst, mark))
            .collect())
    }

    /// A branch with a unifier; what was bound first is booked.
    fn bound(&self, mut branch: Branch, subst: Subst, mark: usize) -> Vec<Branch> {
        let store = self.cx.store;
        branch.subst = subst;
        let bound: Vec<(TermId, TermId)> = branch.subst.iter().skip(mark).collect();
        for (atom, term) in &bound {
            if let View::Generic(g) = store.view(*atom) {
                let level = self.info(&branch, g).level;
                self.narrowed(&mut branch, *atom, *term, level);
            }
        }
        if self.cx.typing.is_some() {
            self.check_types(branch, &bound)
        } else {
            vec![branch]
        }
    }

    /// Books the goal that a generic's new value be derivable at its level.
    fn narrowed(&self, branch: &mut Branch, generic: TermId, term: TermId, level: Level) {
        let hole = branch.holes;
        branch.holes += 1;
        branch.recipes.bind(generic, self.cx.store.var(hole));
        branch.goals.push(Goal { term, level, hole });
    }

    fn fresh(&self, branch: &mut Branch, info: GenericInfo) -> TermId {
        branch.fresh.push(info);
        self.cx
            .store
            .generic(self.cx.generics.len() + branch.fresh.len() as u32 - 1)
    }

    /// The types of newly bound atoms must fit their values; untyped generics among the values are narrowed.
    fn check_types(&self, branch: Branch, bound: &[(TermId, TermId)]) -> Vec<Branch> {
        let Some(typing) = self.cx.typing else {
            return vec![branch];
        };
        let store = self.cx.store;
        let mut branches = vec![branch];
        for (atom, term) in bound {
            let mut next = Vec::new();
            for mut branch in branches {
                let ty = match store.view(*atom) {
                    View::Var(v) => typing.var(v),
                    View::Generic(g) => self.info(&branch, g).ty,
                    _ => Type::Msg,
                };
                let value = branch.subst.walk(*term);
                match store.view(value) {
                    View::Generic(g) => {
                        let info = self.info(&branch, g);
                        let Some(meet) = Typing::meet(ty, info.ty) else {
                            if !ty.is_agent() && !info.ty.is_agent() {
                                for name in typing.untyped() {
                                    let mut b = branch.clone();
                                    b.subst.bind(value, *name);
                                    self.narrowed(&mut b, value, *name, info.level);
                                    next.push(b);
                                }
                            }
                            continue;
                        };
                        if meet == info.ty {
                            next.push(branch);
                        } else if let Some(members) = typing.members(meet) {
                            for m in members {
                                let mut b = branch.clone();
                                b.subst.bind(value, *m);
                                self.narrowed(&mut b, value, *m, info.level);
                                next.push(b);
                            }
                        } else {
                            let narrower =
                                self.fresh(&mut branch, GenericInfo { ty: meet, ..info });
                            branch.subst.bind(value, narrower);
                            branch.recipes.bind(value, narrower);
                            next.push(branch);
                        }
                    }
                    // An unbound pattern variable that takes a typed one: its own type is checked when it is bound.
                    View::Var(_) => next.push(branch),
                    _ if typing.fits(store, value, ty) => next.push(branch),
                    _ => {}
                }
            }
            branches = next;
        }
        branches
    }

    fn run(&mut self, mut branch: Branch) -> Result<(), TooLarge> {
        let store = self.cx.store;
        while let Some(goal) = branch.goals.pop() {
            let term = branch.subst.resolve(store, goal.term);
            if is_overgrown(store, term) {
                return Err(TooLarge);
            }
            let hole = store.var(goal.hole);
            let (subst, fresh) = (&branch.subst, &branch.fresh);
            let has = is_rigid(self.cx, subst, fresh, term, goal.level);
            if has && let Some(recipe) = rigid(self.cx, subst, fresh, term, goal.level) {
                branch.recipes.bind(hole, recipe);
                continue;
            }
            match store.view(term) {
                View::Generic(g) => {
                    // Made later than the goal's level: only what could be made then counts.
                    let info = GenericInfo {
                        level: goal.level,
                        ..self.info(&branch, g)
                    };
                    let lower = self.fresh(&mut branch, info);
                    branch.subst.bind(term, lower);
                    branch.recipes.bind(term, lower);
                    branch.recipes.bind(hole, lower);
                }
                View::Var(v) => {
                    let ty = self.cx.typing.map_or(Type::Msg, |t| t.var(v));
                    if let Some(members) = self.cx.typing.and_then(|t| t.members(ty)) {
                        for member in members {
                            let mut with = branch.clone();
                            with.subst.bind(term, *member);
                            with.recipes.bind(hole, *member);
                            self.run(with)?;
                        }
                        return Ok(());
                    }
                    let level = goal.level;
                    let made = self.fresh(&mut branch, GenericInfo { level, ty });
                    branch.subst.bind(term, made);
                    branch.recipes.bind(hole, made);
                }
                _ => return self.split(branch, goal, term),
            }
        }
        self.record(&branch);
        Ok(())
    }

    /// The goal depends on the generics: try every element that may equal it, then composition.
    fn split(&mut self, branch: Branch, goal: Goal, term: TermId) -> Result<(), TooLarge> {
        let store = self.cx.store;
        let hopeless = self.supposed.is_empty() && !conceivable(self.cx, term, goal.level);
        if self.patience == 0 || hopeless {
            return Ok(());
        }
        if !self.supposed.is_empty() {
            self.patience -= 1;
        }
        let hole = store.var(goal.hole);
        for (i, e) in self.cx.elements.iter().enumerate() {
            if !e.alive_at(goal.level) || !may_be_equal(store, e.term, term) {
                continue;
            }
            let mut with = branch.clone();
            with.recipes.bind(hole, store.basis_index(i as u32));
            for next in self.equate(with, &[(term, e.term)])? {
                self.run(next)?;
            }
        }
        for (i, e) in self.supposed.iter().enumerate() {
            if !e.alive_at(goal.level) || !may_be_equal(store, e.term, term) {
                continue;
            }
            let mut with = branch.clone();
            let place = self.cx.elements.len() + i;
            with.recipes.bind(hole, store.basis_index(place as u32));
            with.supposed.push(i);
            for next in self.equate(with, &[(term, e.term)])? {
                self.run(next)?;
            }
        }
        if let View::Pub(z) = store.view(term) {
            self.public_parts(&branch, goal, z)?;
        }
        match composition(store, term) {
            Composition::From(args) => {
                let by_member = member_of(store, term).map(|m| (m, branch.clone()));
                self.compose(branch, goal, term, args)?;
                if let Some((member, mut branch)) = by_member {
                    let inner = branch.holes;
                    branch.holes += 1;
                    branch.recipes.bind(hole, store.pub_part(store.var(inner)));
                    branch.goals.push(Goal {
                        term: member,
                        level: goal.level,
                        hole: inner,
                    });
                    self.run(branch)?;
                }
            }
            Composition::FromIfSpy(args) => {
                if args.iter().any(|a| store.is_spy(*a)) {
                    return self.compose(branch, goal, term, args);
                }
                for (i, a) in args.iter().enumerate() {
                    if !matches!(store.view(*a), View::Generic(_) | View::Var(_)) {
                        continue;
                    }
                    for spy in self.cx.spies {
                        let mut args = args.to_vec();
                        args[i] = *spy;
                        for next in self.equate(branch.clone(), &[(*a, *spy)])? {
                            self.compose(next, goal, term, &args)?;
                        }
                    }
                }
            }
            Composition::FromEither(ways) => {
                for args in ways {
                    self.compose(branch.clone(), goal, term, &args)?;
                }
            }
            Composition::Constant | Composition::Never => {}
        }
        Ok(())
    }

    /// The goal is the public part of something that is not known at the goal's level: of a pattern variable, or of a
    /// generic made later. That may still become a member of a family, whose public part can be had without it; the
    /// member itself is then a goal at the generic's own level.
    fn public_parts(&mut self, branch: &Branch, goal: Goal, z: TermId) -> Result<(), TooLarge> {
        let store = self.cx.store;
        let generic = match store.view(z) {
            View::Var(_) => false,
            View::Generic(_) => true,
            _ => return Ok(()),
        };
        for (family, arity) in store.key_pair_families() {
            let mut with = branch.clone();
            let args: Args = (with.holes..with.holes + arity)
                .map(|v| store.var(v))
                .collect();
            with.holes += arity;
            let member = store.family(family, &args);
            let branches = if generic {
                self.equate(with, &[(z, member)])?
            } else {
                with.subst.bind(z, member);
                vec![with]
            };
            for next in branches {
                self.compose(next, goal, store.pub_part(member), &args)?;
            }
        }
        Ok(())
    }

    fn compose(
        &mut self,
        mut branch: Branch,
        goal: Goal,
        term: TermId,
        args: &[TermId],
    ) -> Result<(), TooLarge> {
        let store = self.cx.store;
        let first = branch.holes;
        branch.holes += args.len() as u32;
        let parts: Args = (first..branch.holes).map(|h| store.var(h)).collect();
        branch
            .recipes
            .bind(store.var(goal.hole), rebuild(store, term, &parts));
        // Pushed in reverse: the first argument is solved first.
        for (i, a) in args.iter().enumerate().rev() {
            branch.goals.push(Goal {
                term: *a,
                level: goal.level,
                hole: first + i as u32,
            });
        }
        self.run(branch)
    }

    fn record(&mut self, branch: &Branch) {
        let store = self.cx.store;
        for i in &branch.supposed {
            if !self.used.contains(i) {
                self.used.push(*i);
            }
        }
        let known = self.cx.generics.len();
        let mut bindings = Vec::new();
        let mut vars = Vec::new();
        for (atom, _) in branch.subst.iter() {
            let term = branch.subst.resolve(store, atom);
            match store.view(atom) {
                View::Generic(g) if g < known => {
                    let recipe = branch.recipes.resolve(store, atom);
                    bindings.push(Binding {
                        generic: g,
                        term,
                        recipe,
                    });
                }
                View::Var(v) if v < HOLES => vars.push((v, term)),
                _ => {}
            }
        }
        bindings.sort_by_key(|b| b.generic);
        vars.sort_by_key(|(v, _)| *v);
        let recipes = (0..self.asked)
            .map(|i| {
                // Goals were booked in reverse.
                let hole = HOLES + self.asked - 1 - i;
                branch.recipes.resolve(store, store.var(hole))
            })
            .collect();
        let mut solution = Solution {
            bindings,
            fresh: branch.fresh.clone(),
            vars,
            recipes,
        };
        solution.compact(store, known);
        if !self.found.contains(&solution) {
            self.found.push(solution);
        }
    }

    fn finish(mut self) -> Vec<Solution> {
        if let Some(i) = self.found.iter().position(Solution::is_identity) {
            return vec![self.found.swap_remove(i)];
        }
        self.found
    }
}

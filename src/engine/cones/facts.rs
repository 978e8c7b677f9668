//! Facts: terms that the environment computes, taken apart, opened, and compared with other ways to make them.

use super::execute::Look;
use super::goal::{LARGEST, Report};
use super::partial::{Frozen, Partial};
use super::run::{Deadlines, Run};
use super::saturation::{End, Saturation};
use crate::attacker::knowledge::{
    Composition, Opening, arguments, composed_result, composition, is_constant, openings, parts,
};
use crate::engine::joint::trail::Recipe;
use crate::term::{Args, FamilyKind, Op, OpeningRule, POWER, RULE, Subst, TermId, TermStore, View};
use std::sync::Arc;

/// A term that the environment can compute.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The term: no variable, constant, tuple or successor.
    pub head: TermId,
    /// How it is computed.
    pub recipe: Arc<Recipe>,
    /// What was done for it.
    pub run: Run,
}

/// Variables of a run for those of an opening.
fn variables(store: &TermStore, partial: &mut Partial, opening: &Opening) -> Subst {
    let mut fresh = Subst::new();
    let equations = opening.equations.iter().flat_map(|(a, b)| [*a, *b]);
    let needed = opening.sides.iter().copied().chain([opening.content]);
    for t in equations.chain(needed) {
        store.visit(t, &mut |s| {
            if let View::Var(v) = store.view(s)
                && v >= RULE
                && fresh.get(s).is_none()
            {
                fresh.bind(s, store.var(partial.variable()));
            }
            store.facts(s).has_var
        });
    }
    fresh
}

impl Saturation<'_> {
    /// Takes a term that the environment computes apart as far as that needs no key, and keeps what is new.
    pub(super) fn learn(
        &mut self,
        run: &Run,
        term: TermId,
        recipe: &Arc<Recipe>,
    ) -> Result<(), End> {
        let store = self.store;
        if store.facts(term).size > LARGEST {
            return Err(End::GaveUp);
        }
        if let Some(args) = parts(store, term) {
            let successor = matches!(store.view(term), View::Suc(_));
            for (i, a) in args.iter().enumerate() {
                let part = if successor {
                    Recipe::Predecessor(recipe.clone())
                } else {
                    Recipe::Part(recipe.clone(), i, args.len())
                };
                self.learn(run, *a, &Arc::new(part))?;
            }
            return Ok(());
        }
        if let Some(made) = self.at_once(term) {
            return self.look(run, Look::Equal(recipe.clone(), made));
        }
        let renaming = run.canonical(store, self.cast, self.side, None, Some(&**recipe), &[term]);
        let run = run.renamed(store, &renaming);
        let head = renaming.term(store, term);
        let recipe = renaming.recipe(recipe);
        let shape = run.shape(vec![head]);
        if let Some(known) = self.known_facts.get(&shape) {
            let same = self.facts[*known].recipe.clone();
            return self.look(&run, Look::Equal(recipe, same));
        }
        if self.contained {
            let frozen = Frozen::new(&run);
            let made = self.solver(Some(&frozen)).makes(&run, head);
            self.going()?;
            if let Some(made) = made {
                return self.look(&run, Look::Equal(recipe, made));
            }
        }
        self.look(&run, Look::Computes(recipe.clone()))?;
        self.known_facts.insert(shape, self.facts.len());
        self.facts.push(Fact { head, recipe, run });
        Ok(())
    }

    /// How the environment makes a term from constants and its choices alone.
    fn at_once(&self, term: TermId) -> Option<Arc<Recipe>> {
        let store = self.store;
        if is_constant(store, term) {
            return Some(Arc::new(Recipe::Constant(term)));
        }
        let node = store.node(term);
        let args = match node.view() {
            View::Var(v) => return Some(Arc::new(Recipe::Choice(v))),
            View::Pub(k) => match store.view(k) {
                View::Family(..) => match composition(store, term) {
                    Composition::From(args) if *args != *node.args => {
                        let all: Option<Vec<_>> = args.iter().map(|a| self.at_once(*a)).collect();
                        let member = Arc::new(Recipe::Apply(store.node(k).op, all?));
                        return Some(Arc::new(Recipe::Apply(Op::Pub, vec![member])));
                    }
                    _ => &node.args[..],
                },
                _ => &node.args[..],
            },
            _ => match composition(store, term) {
                Composition::From(args) => args,
                Composition::FromIfSpy(args) if args.iter().any(|a| store.is_spy(*a)) => args,
                Composition::FromEither(ways) => {
                    let all = |args: &[TermId; 2]| -> Option<Vec<_>> {
                        args.iter().map(|a| self.at_once(*a)).collect()
                    };
                    let args = ways.iter().find_map(all)?;
                    return Some(Arc::new(Recipe::Apply(node.op, args)));
                }
                Composition::FromIfSpy(_) | Composition::Constant | Composition::Never => {
                    return None;
                }
            },
        };
        let all: Option<Vec<_>> = args.iter().map(|a| self.at_once(*a)).collect();
        Some(Arc::new(Recipe::Apply(node.op, all?)))
    }

    /// Opens a fact in all ways.
    pub(super) fn open(&mut self, number: usize, scope: (usize, bool)) -> Result<(), End> {
        let store = self.store;
        let fact = self.facts[number].clone();
        for opening in openings(store, fact.head) {
            let mut partial = Partial::new(store, &fact.run);
            // It may open only if the environment chose the right kind of key.
            let fresh = variables(store, &mut partial, &opening);
            let now = |t: TermId| fresh.apply(store, t);
            let equations = opening.equations.iter();
            let equations: Vec<_> = equations.map(|(a, b)| (now(*a), now(*b))).collect();
            let mut sides = Vec::new();
            for t in &opening.sides {
                let choice = partial.want(now(*t), Deadlines::new());
                sides.push(Arc::new(Recipe::Choice(choice)));
            }
            let rule = opening.rule.and_then(|r| store.openings().nth(r));
            let make = |op: Op, args: Vec<Arc<Recipe>>| match op {
                Op::Zero | Op::Name(_) => Arc::new(Recipe::Constant(store.make(op, Args::new()))),
                _ => Arc::new(Recipe::Apply(op, args)),
            };
            let recipe = match rule {
                None => Recipe::Open(
                    store.node(fact.head).op,
                    fact.recipe.clone(),
                    sides[0].clone(),
                ),
                Some(rule) => {
                    let args = arguments(store, rule, &fact.recipe, &sides, &make);
                    Recipe::Destruct(store.rule(rule.rule).destructor, args)
                }
            };
            let mut report = Report {
                terms: vec![now(opening.content)],
                recipes: vec![Arc::new(recipe)],
            };
            let test = rule.filter(|rule| rule.is_test(store));
            // What a power gives is made by that power: it is seen that there is one.
            let is_power = |rule: &OpeningRule| {
                let destructor = store.rule(rule.rule).destructor;
                store.destructor_label(destructor) == POWER
            };
            if let Some(rule) = test.filter(|rule| !is_power(rule)) {
                let made = composed_result(store, rule, &fact.recipe, &sides, &make);
                report.recipes.push(made);
            }
            // Joint keys in the places of one variable may be equal in several ways.
            for partial in partial.equated(store, &equations) {
                for solved in self.solve(partial, &report, scope)? {
                    match solved.recipes.as_slice() {
                        [given, made] => {
                            let look = Look::Equal(given.clone(), made.clone());
                            self.look(&solved.run, look)?;
                        }
                        [given] if test.is_some() => {
                            self.look(&solved.run, Look::Computes(given.clone()))?;
                        }
                        _ => self.learn(&solved.run, solved.terms[0], &solved.recipes[0])?,
                    }
                }
            }
        }
        Ok(())
    }

    /// Compares a fact with all ways to make its head.
    pub(super) fn compare(&mut self, number: usize) -> Result<(), End> {
        let fact = self.facts[number].clone();
        let mut partial = Partial::new(self.store, &fact.run);
        let choice = partial.want(fact.head, Deadlines::new());
        let report = Report {
            terms: Vec::new(),
            recipes: vec![fact.recipe, Arc::new(Recipe::Choice(choice))],
        };
        for solved in self.solve(partial, &report, (0, false))? {
            let [one, other] = &solved.recipes[..] else {
                continue;
            };
            if one != other {
                self.look(&solved.run, Look::Equal(one.clone(), other.clone()))?;
            }
        }
        self.match_parts(number)
    }

    /// Looks whether a part of a key pair, or a member of a family of key pairs, goes with the counterparts that can be made.
    fn match_parts(&mut self, number: usize) -> Result<(), End> {
        let store = self.store;
        let fact = self.facts[number].clone();
        let mut partial = Partial::new(store, &fact.run);
        let mut want = |t: TermId| Arc::new(Recipe::Choice(partial.want(t, Deadlines::new())));
        let opens = |public: Arc<Recipe>, private: Arc<Recipe>| {
            let nothing = Arc::new(Recipe::Constant(store.zero()));
            let locked = Arc::new(Recipe::Apply(Op::Aenc, vec![nothing, public]));
            Look::Computes(Arc::new(Recipe::Open(Op::Aenc, locked, private)))
        };
        let node = store.node(fact.head);
        let look = match node.view() {
            View::Pub(z) => opens(fact.recipe, want(store.priv_part(z))),
            View::Priv(z) => opens(want(store.pub_part(z)), fact.recipe),
            View::Family(f, args) if store.family_info(f).kind == FamilyKind::KeyPair => {
                let args = args.iter().map(|a| want(*a)).collect();
                let member = Arc::new(Recipe::Apply(node.op, args));
                let public = |of| Arc::new(Recipe::Apply(Op::Pub, vec![of]));
                Look::Equal(public(fact.recipe), public(member))
            }
            _ => return Ok(()),
        };
        let report = Report {
            terms: Vec::new(),
            recipes: look.recipes(),
        };
        for solved in self.solve(partial, &report, (0, false))? {
            self.look(&solved.run, look.with(&solved.recipes))?;
        }
        Ok(())
    }
}

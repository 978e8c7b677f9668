//! What the environment makes in a run that stays as it is: by plain deduction before an input, or of the facts of a certificate.

use super::EquivalenceError;
use super::certificate::{Event, Recipe};
use super::exchange::Bundles;
use super::recipe::{Renaming, done, within};
use super::run::{Ready, Side, opened};
use super::solve::alike;
use super::values::{Effort, Values};
use crate::term::{FamilyKind, Op, TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Terms in each other that are looked at.
const DEEPEST: usize = 200;

/// A fact that its side has done.
pub(super) struct Learned {
    pub ready: Ready,
    pub head: TermId,
    pub recipe: Arc<Recipe>,
}

/// The ways to compose a term of others, as lists of arguments with the recipe for the whole.
pub(super) type Whole = fn(Op, Vec<Arc<Recipe>>) -> Recipe;

/// Applies an operator.
pub(super) fn apply(op: Op, args: Vec<Arc<Recipe>>) -> Recipe {
    Recipe::Apply(op, args)
}

/// Makes the public part of a member of a family.
pub(super) fn public_part(op: Op, args: Vec<Arc<Recipe>>) -> Recipe {
    Recipe::Apply(Op::Pub, vec![Arc::new(Recipe::Apply(op, args))])
}

/// Whether the environment has a term from the start.
pub(super) fn is_constant(store: &TermStore, t: TermId) -> bool {
    match store.view(t) {
        View::Zero => true,
        View::Name(n) => store.name_info(n).class.is_public(),
        _ => false,
    }
}

/// The ways to compose a term [Sem 1.2], variables of families aside.
pub(super) fn compositions(store: &TermStore, t: TermId) -> Vec<(Op, Vec<TermId>, Whole)> {
    let node = store.node(t);
    let args = || node.args.to_vec();
    match node.op {
        Op::Suc | Op::Tuple | Op::Hash | Op::Senc | Op::Priv | Op::Aenc | Op::Sign => {
            vec![(node.op, args(), apply)]
        }
        Op::Pub => {
            let mut ways: Vec<(Op, Vec<TermId>, Whole)> = vec![(Op::Pub, args(), apply)];
            if let View::Family(f, inner) = store.view(node.args[0])
                && store.family_info(f).kind == FamilyKind::KeyPair
            {
                ways.push((Op::Family(f), inner.to_vec(), public_part));
            }
            ways
        }
        Op::Family(_) if node.args.iter().any(|a| store.is_spy(*a)) => {
            vec![(node.op, args(), apply)]
        }
        Op::Function(f) if !store.function_info(f).private => vec![(node.op, args(), apply)],
        _ => Vec::new(),
    }
}

/// What a side makes in runs that stay as they are.
pub(super) struct Making<'a> {
    pub side: Side<'a>,
    pub number: usize,
    pub bundles: &'a Bundles<'a>,
    pub facts: &'a [Learned],
}

/// Which bundles have to take which places.
struct Casting {
    wanted: Vec<u32>,
    present: Vec<u32>,
    /// Bundles that the run does not have may be taken.
    fresh: bool,
}

/// The bundles that a run is about, a whole before its parts.
pub(super) fn bundles_of(bundles: &Bundles<'_>, clock: &[(u16, u16)]) -> Vec<u32> {
    let mut seen = FxHashSet::default();
    let all = clock.iter().flat_map(|(t, _)| &bundles.of[usize::from(*t)]);
    all.copied().filter(|b| seen.insert(*b)).collect()
}

/// The ways to put the threads of one run in the places of another's, or, if there may be, of one new bundle of each class. Not all of them if
/// the effort does not allow it.
pub(super) fn castings(
    bundles: &Bundles<'_>,
    effort: &Effort<'_>,
    side: usize,
    of: &[(u16, u16)],
    into: &[(u16, u16)],
    fresh: bool,
) -> Vec<Renaming> {
    let casting = Casting {
        wanted: bundles_of(bundles, of),
        present: bundles_of(bundles, into),
        fresh,
    };
    let mut found = Vec::new();
    cast(bundles, effort, side, &casting, &mut Vec::new(), &mut found);
    found
}

fn cast(
    bundles: &Bundles<'_>,
    effort: &Effort<'_>,
    side: usize,
    casting: &Casting,
    chosen: &mut Vec<u32>,
    found: &mut Vec<Renaming>,
) {
    if !effort.spend() {
        return;
    }
    let Some(from) = casting.wanted.get(chosen.len()) else {
        let mut renaming = Renaming::default();
        for (from, to) in casting.wanted.iter().zip(chosen.iter()) {
            bundles.put(&mut renaming, side, *from, *to);
        }
        found.push(renaming);
        return;
    };
    let bundle = &bundles.all[*from as usize];
    // A part goes where the whole has gone.
    let whole = casting.wanted.iter().position(|b| *b == bundle.parent);
    let parent = whole.map_or(0, |i| chosen[i]);
    let mut fresh = casting.fresh;
    for to in &bundles.classes[parent as usize][bundle.class as usize] {
        if chosen.contains(to) {
            continue;
        }
        // Bundles that the run does not have are alike.
        if !casting.present.contains(to) && !std::mem::take(&mut fresh) {
            continue;
        }
        chosen.push(*to);
        cast(bundles, effort, side, casting, chosen, found);
        chosen.pop();
    }
}

impl<'a> Making<'a> {
    fn store(&self) -> &'a TermStore {
        self.side.store
    }

    /// Whether a run, with some terms, is contained in another one with some terms, in these places: the messages are those of the
    /// other for some values of its choices, which the environment makes in time. The recipes for the choices; `None` for one that
    /// may be made at the end.
    pub(super) fn embeds(
        &self,
        part: &Ready,
        terms: &[TermId],
        renaming: &Renaming,
        whole: &Ready,
        equal: &[TermId],
    ) -> Option<Vec<(TermId, Option<Arc<Recipe>>)>> {
        let store = self.store();
        if !within(&renaming.clock(&part.run.clock), &whole.run.clock) {
            return None;
        }
        for (thread, item) in &part.items {
            let thread = renaming.thread(*thread);
            let steps = done(&whole.run.clock, thread);
            let mine = part
                .items
                .iter()
                .find(|(t, _)| renaming.thread(*t) == thread);
            let count = mine.map_or(0, |(t, _)| done(&part.run.clock, *t));
            let last = whole.items.iter().find(|(t, _)| *t == thread)?.1;
            if self.side.tree.earlier(thread, last, steps - count)? != *item {
                return None;
            }
        }
        // Choices of the part are matched, those of the whole are names.
        let first = whole.run.choices;
        let shifted = |t: TermId| {
            store.map_atoms(t, &mut |atom| match store.view(atom) {
                View::Var(v) => Some(store.var(v + first)),
                View::Name(_) => renaming.name(atom),
                _ => None,
            })
        };
        let mut values = Values::of(first..first + part.run.choices);
        for ((event, _), term) in part.run.inputs.iter().zip(&part.sent) {
            let event = renaming.event(*event);
            let at = whole.run.inputs.binary_search_by_key(&event, |(e, _)| *e);
            let other = whole.sent[at.ok()?];
            if !values.equate(store, self.side.effort, shifted(*term), other) {
                return None;
            }
        }
        for (a, b) in terms.iter().zip(equal) {
            if !values.equate(store, self.side.effort, shifted(*a), *b) {
                return None;
            }
        }
        let mut recipes = Vec::new();
        for c in 0..part.run.choices {
            let value = values.value(first + c).unwrap_or_else(|| store.zero());
            let mut made = None;
            for event in &part.deadlines[c as usize] {
                made = Some(self.before(whole, renaming.event(*event), value)?);
            }
            recipes.push((value, made));
        }
        Some(recipes)
    }

    /// How the environment makes a term before an input of a run, by what it has heard and chosen then.
    fn before(&self, run: &Ready, event: Event, term: TermId) -> Option<Arc<Recipe>> {
        let past = run.past(event);
        let mut known: FxHashMap<TermId, Arc<Recipe>> = FxHashMap::default();
        for (c, all) in (0u32..).zip(&run.deadlines) {
            // A choice that was sent then, or before.
            if all.iter().any(|(t, at)| done(past, *t) > *at) {
                let choice = self.store().var(c);
                known.insert(choice, Arc::new(Recipe::Choice(c)));
            }
        }
        if let Some(recipe) = self.composed(&known, term, 0) {
            return Some(recipe);
        }
        // The input itself has not been done.
        let mut heard: Vec<(&Event, &TermId)> = run
            .heard
            .iter()
            .filter(|((t, at), _)| done(past, *t) > *at)
            .collect();
        heard.sort_unstable_by_key(|(e, _)| **e);
        let known_at_first = (0u32..).zip(self.side.knows);
        let initial = known_at_first.map(|(i, t)| (*t, Recipe::Initial(i)));
        let told = heard.into_iter().map(|(e, t)| (*t, Recipe::Heard(*e)));
        for (t, recipe) in initial.chain(told) {
            self.take_apart(&mut known, t, &Arc::new(recipe));
        }
        loop {
            let mut news = Vec::new();
            for (t, recipe) in &known {
                if let Some((content, key)) = opened(self.store(), *t)
                    && !known.contains_key(&content)
                    && let Some(key) = self.composed(&known, key, 0)
                {
                    let op = self.store().node(*t).op;
                    news.push((content, Recipe::Open(op, recipe.clone(), key)));
                }
            }
            let before = known.len();
            for (t, recipe) in news {
                self.take_apart(&mut known, t, &Arc::new(recipe));
            }
            if known.len() == before || !self.side.effort.spend() {
                break;
            }
        }
        self.composed(&known, term, 0)
    }

    fn take_apart(
        &self,
        known: &mut FxHashMap<TermId, Arc<Recipe>>,
        t: TermId,
        recipe: &Arc<Recipe>,
    ) {
        if known.contains_key(&t) {
            return;
        }
        known.insert(t, recipe.clone());
        for (part, recipe) in parts(self.store(), t, recipe) {
            self.take_apart(known, part, &recipe);
        }
    }

    fn composed(
        &self,
        known: &FxHashMap<TermId, Arc<Recipe>>,
        t: TermId,
        depth: usize,
    ) -> Option<Arc<Recipe>> {
        if is_constant(self.store(), t) {
            return Some(Arc::new(Recipe::Constant(t)));
        }
        if let Some(recipe) = known.get(&t) {
            return Some(recipe.clone());
        }
        if depth > DEEPEST || !self.side.effort.spend() {
            return None;
        }
        compositions(self.store(), t)
            .into_iter()
            .find_map(|(op, args, whole)| {
                let args: Option<Vec<_>> = args
                    .iter()
                    .map(|a| self.composed(known, *a, depth + 1))
                    .collect();
                Some(Arc::new(whole(op, args?)))
            })
    }

    /// How the environment makes a term at the end of a run, of what the facts tell.
    pub(super) fn makes(
        &self,
        run: &Ready,
        t: TermId,
        path: &mut Vec<TermId>,
    ) -> Result<Option<Arc<Recipe>>, EquivalenceError> {
        let store = self.store();
        self.side.effort.going()?;
        if let View::Var(c) = store.view(t) {
            return Ok((c < run.run.choices).then(|| Arc::new(Recipe::Choice(c))));
        }
        if is_constant(store, t) {
            return Ok(Some(Arc::new(Recipe::Constant(t))));
        }
        if path.contains(&t) || path.len() > DEEPEST {
            return Ok(None);
        }
        path.push(t);
        let made = self.made(run, t, path);
        path.pop();
        made
    }

    fn made(
        &self,
        run: &Ready,
        t: TermId,
        path: &mut Vec<TermId>,
    ) -> Result<Option<Arc<Recipe>>, EquivalenceError> {
        let store = self.store();
        for fact in self.facts {
            if alike(store.node(fact.head).op, store.node(t).op) {
                let all = castings(
                    self.bundles,
                    self.side.effort,
                    self.number,
                    &fact.ready.run.clock,
                    &run.run.clock,
                    false,
                );
                for renaming in all {
                    let heads = [fact.head];
                    let found = self.embeds(&fact.ready, &heads, &renaming, run, &[t]);
                    let Some(choices) = found else { continue };
                    let mut recipes = Vec::new();
                    for (value, made) in choices {
                        let made = match made {
                            Some(made) => Some(made),
                            None => self.makes(run, value, path)?,
                        };
                        recipes.extend(made);
                    }
                    if recipes.len() == fact.ready.run.choices as usize
                        && let Some(recipe) =
                            renaming.recipe(&fact.recipe, &mut |c| recipes[c as usize].clone())
                    {
                        return Ok(Some(recipe));
                    }
                }
            }
        }
        for (op, args, whole) in compositions(store, t) {
            let mut all = Vec::new();
            for a in &args {
                match self.makes(run, *a, path)? {
                    Some(recipe) => all.push(recipe),
                    None => break,
                }
            }
            if all.len() == args.len() {
                return Ok(Some(Arc::new(whole(op, all))));
            }
        }
        Ok(None)
    }
}

/// What a tuple or successor falls apart into.
pub(super) fn parts(
    store: &TermStore,
    t: TermId,
    recipe: &Arc<Recipe>,
) -> Vec<(TermId, Arc<Recipe>)> {
    match store.view(t) {
        View::Tuple(parts) => {
            let n = parts.len() as u32;
            let part = |i| Arc::new(Recipe::Part(recipe.clone(), i, n));
            (0u32..).zip(parts).map(|(i, p)| (*p, part(i))).collect()
        }
        View::Suc(p) => vec![(p, Arc::new(Recipe::Predecessor(recipe.clone())))],
        _ => Vec::new(),
    }
}

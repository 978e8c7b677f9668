//! Static equivalence of two frames, by listing all tests that could matter.
//!
//! A frame is the list of messages heard. Everything that destructors get out of it is listed with a recipe; a term of
//! the list that can also be got in another way gives an equation. Two frames are equivalent iff each one's recipes
//! succeed in the other and each one's equations hold in the other.

use super::theory;
use spi::certify::{Condition, Recipe};
use spi::term::{FamilyKind, Op, TermId, TermStore, View};
use std::sync::Arc;

/// A term with a way to make it.
pub type Entry = (Arc<Recipe>, TermId);

/// What a tester has.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    pub initial: &'a [TermId],
    pub heard: &'a [TermId],
}

/// What destructors get out of a frame; a term may occur several times.
pub fn analyse(store: &TermStore, frame: Frame<'_>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (i, t) in frame.initial.iter().enumerate() {
        entries.push((Arc::new(Recipe::Initial(i)), *t));
    }
    for (k, t) in frame.heard.iter().enumerate() {
        entries.push((Arc::new(Recipe::Heard(k)), *t));
    }
    let mut opened = vec![false; entries.len()];
    loop {
        let mut new: Vec<Entry> = Vec::new();
        for (i, (r, t)) in entries.iter().enumerate() {
            if opened[i] {
                continue;
            }
            let parts = parts(store, &entries, r, *t);
            opened[i] = !parts.is_empty();
            new.extend(parts);
        }
        for (r, t) in theory::applications(store, &entries) {
            // That it succeeds, and what else gives the same, is looked at when frames are compared.
            let known = |(_, u): &Entry| *u == t;
            if recipe(store, &entries, t).is_none() && !new.iter().any(known) {
                new.push((r, t));
            }
        }
        if new.is_empty() {
            return entries;
        }
        entries.extend(new);
        opened.resize(entries.len(), false);
    }
}

fn parts(store: &TermStore, entries: &[Entry], r: &Arc<Recipe>, t: TermId) -> Vec<Entry> {
    match store.view(t) {
        View::Tuple(args) => (0..args.len())
            .map(|index| {
                let part = Recipe::Part {
                    of: r.clone(),
                    index,
                    arity: args.len(),
                };
                (Arc::new(part), args[index])
            })
            .collect(),
        View::Suc(inner) => vec![(Arc::new(Recipe::Predecessor(r.clone())), inner)],
        View::Senc(m, k) => recipe(store, entries, k)
            .map(|k| (Arc::new(Recipe::Open(Op::Senc, r.clone(), k)), m))
            .into_iter()
            .collect(),
        View::Aenc(m, k) => match store.view(k) {
            View::Pub(z) => recipe(store, entries, store.priv_part(z))
                .map(|k| (Arc::new(Recipe::Open(Op::Aenc, r.clone(), k)), m))
                .into_iter()
                .collect(),
            _ => vec![],
        },
        View::Sign(m, k) => match store.view(k) {
            View::Priv(z) => recipe(store, entries, store.pub_part(z))
                .map(|k| (Arc::new(Recipe::Open(Op::Sign, r.clone(), k)), m))
                .into_iter()
                .collect(),
            _ => vec![],
        },
        _ => vec![],
    }
}

/// A way to make the term: an entry, or a composition of such.
pub fn recipe(store: &TermStore, entries: &[Entry], t: TermId) -> Option<Arc<Recipe>> {
    entries
        .iter()
        .find(|(_, u)| *u == t)
        .map(|(r, _)| r.clone())
        .or_else(|| composition(store, entries, t))
}

/// A way to make the term by its operator.
fn composition(store: &TermStore, entries: &[Entry], t: TermId) -> Option<Arc<Recipe>> {
    let all = |args: &[TermId]| -> Option<Vec<Arc<Recipe>>> {
        args.iter().map(|a| recipe(store, entries, *a)).collect()
    };
    let node = store.node(t);
    let made = match node.view() {
        View::Zero => Recipe::Constant(t),
        View::Name(n) if store.name_info(n).class.is_public() => Recipe::Constant(t),
        View::Family(f, args) if args.iter().any(|a| store.is_spy(*a)) => {
            Recipe::Member(f, all(args)?)
        }
        View::Pub(k) => match store.view(k) {
            View::Family(f, args) if store.family_info(f).kind == FamilyKind::KeyPair => {
                match all(args) {
                    Some(args) => Recipe::PublicPart(f, args),
                    None => Recipe::Build(Op::Pub, all(&[k])?),
                }
            }
            _ => Recipe::Build(Op::Pub, all(&[k])?),
        },
        View::Function(f, args) if !store.function_info(f).private => {
            Recipe::Build(node.op, all(args)?)
        }
        View::Joint(share, y) => {
            let View::Share(g, x) = store.view(share) else {
                return None;
            };
            let either = [(x, y), (y, x)];
            let mut ways = either.iter().map(|(in_share, on_top)| {
                Some(vec![
                    recipe(store, entries, store.share(g, *in_share))?,
                    recipe(store, entries, *on_top)?,
                ])
            });
            Recipe::Build(node.op, ways.find_map(|way| way)?)
        }
        _ if node.op.is_constructor() => Recipe::Build(node.op, all(&node.args)?),
        _ => return None,
    };
    Some(Arc::new(made))
}

/// The message that a recipe makes.
pub fn make(store: &TermStore, frame: Frame<'_>, r: &Recipe) -> Option<TermId> {
    let all = |args: &[Arc<Recipe>]| -> Option<Vec<TermId>> {
        args.iter().map(|a| make(store, frame, a)).collect()
    };
    let open =
        |m: &Arc<Recipe>, k: &Arc<Recipe>| Some((make(store, frame, m)?, make(store, frame, k)?));
    match r {
        Recipe::Initial(i) => frame.initial.get(*i).copied(),
        Recipe::Heard(k) => frame.heard.get(*k).copied(),
        Recipe::Constant(t) => Some(*t),
        Recipe::Build(Op::Joint, args) => match all(args)?[..] {
            [share, y] if matches!(store.view(share), View::Share(..)) => {
                Some(store.joint(share, y))
            }
            _ => None,
        },
        Recipe::Build(op, args) => Some(store.make(*op, all(args)?.into_iter().collect())),
        Recipe::Member(f, args) => Some(store.family(*f, &all(args)?)),
        Recipe::PublicPart(f, args) => Some(store.pub_part(store.family(*f, &all(args)?))),
        Recipe::Part { of, index, arity } => match store.view(make(store, frame, of)?) {
            View::Tuple(parts) if parts.len() == *arity => Some(parts[*index]),
            _ => None,
        },
        Recipe::Predecessor(of) => match store.view(make(store, frame, of)?) {
            View::Suc(inner) => Some(inner),
            _ => None,
        },
        Recipe::Destruct(d, args) => theory::applied(store, *d, &all(args)?),
        Recipe::Open(Op::Senc, m, k) => {
            let (m, k) = open(m, k)?;
            match store.view(m) {
                View::Senc(n, l) if l == k => Some(n),
                _ => None,
            }
        }
        Recipe::Open(Op::Aenc, m, k) => {
            let (m, k) = open(m, k)?;
            match (store.view(m), store.view(k)) {
                (View::Aenc(n, l), View::Priv(z)) if l == store.pub_part(z) => Some(n),
                _ => None,
            }
        }
        Recipe::Open(_, m, k) => {
            let (m, k) = open(m, k)?;
            match (store.view(m), store.view(k)) {
                (View::Sign(n, l), View::Pub(z)) if l == store.priv_part(z) => Some(n),
                _ => None,
            }
        }
    }
}

/// The equations between recipes that hold in a frame and imply all others.
fn equations(store: &TermStore, entries: &[Entry]) -> Vec<(Arc<Recipe>, Arc<Recipe>)> {
    let mut found = Vec::new();
    for (i, (r, t)) in entries.iter().enumerate() {
        if let Some((first, _)) = entries[..i].iter().find(|(_, u)| u == t) {
            found.push((r.clone(), first.clone()));
        } else if let Some(composed) = composition(store, entries, *t) {
            found.push((r.clone(), composed));
        }
        // The public part of a member is the one that is made from its arguments.
        if let View::Family(f, args) = store.view(*t)
            && store.family_info(f).kind == FamilyKind::KeyPair
            && let Some(args) = args.iter().map(|a| recipe(store, entries, *a)).collect()
        {
            let of_member = Recipe::Build(Op::Pub, vec![r.clone()]);
            found.push((Arc::new(of_member), Arc::new(Recipe::PublicPart(f, args))));
        }
    }
    for (r, t) in theory::applications(store, entries) {
        if let Some(other) = recipe(store, entries, t)
            && other != r
        {
            found.push((r, other));
        }
    }
    found
}

/// Key parts that go together: what is encrypted with the one opens with the other.
fn couples(store: &TermStore, entries: &[Entry]) -> Vec<Arc<Recipe>> {
    let couple = |(r, t): &Entry| {
        let (public, private) = match store.view(*t) {
            View::Pub(z) => (r.clone(), recipe(store, entries, store.priv_part(z))?),
            View::Priv(z) => (recipe(store, entries, store.pub_part(z))?, r.clone()),
            _ => return None,
        };
        let nothing = Arc::new(Recipe::Constant(store.zero()));
        let sealed = Arc::new(Recipe::Build(Op::Aenc, vec![nothing, public]));
        Some(Arc::new(Recipe::Open(Op::Aenc, sealed, private)))
    };
    entries.iter().filter_map(couple).collect()
}

/// A condition that holds in one of the frames and not in the other; none if they are equivalent.
pub fn distinguish(store: &TermStore, one: Frame<'_>, other: Frame<'_>) -> Option<Condition> {
    let back = || match refuted(store, other, one)? {
        Condition::Succeeds(r) => Some(Condition::Fails(r)),
        Condition::Equal(r, s) => Some(Condition::Different(r, s)),
        found => Some(found),
    };
    refuted(store, one, other).or_else(back)
}

/// Something that can be computed in the first frame and not in the second, or is equal in the first and not in the second.
pub fn refuted(store: &TermStore, one: Frame<'_>, other: Frame<'_>) -> Option<Condition> {
    let entries = analyse(store, one);
    let listed = entries.iter().map(|(r, _)| r.clone());
    let given = theory::applications(store, &entries);
    let given = given.into_iter().map(|(r, _)| r);
    let mut computed = listed.chain(couples(store, &entries)).chain(given);
    if let Some(r) = computed.find(|r| make(store, other, r).is_none()) {
        return Some(Condition::Succeeds(r));
    }
    let differ =
        |(r, s): &(Arc<Recipe>, Arc<Recipe>)| make(store, other, r) != make(store, other, s);
    let (r, s) = equations(store, &entries).into_iter().find(differ)?;
    Some(Condition::Equal(r, s))
}

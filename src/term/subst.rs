//! Substitutions: finite maps from variables and generics to terms.
//!
//! Terms have no binders, so substitution into terms can't capture; variables are numbered apart by the
//! unfolding, so substitution into processes can't either. Bindings may be triangular (a bound term may mention
//! bound variables): [`Subst::resolve`] follows them, [`Subst::apply`] replaces once.
//!
//! Terms are shared, so a term may have few subterms and yet be exponentially large as a tree. Whatever goes through a term
//! keeps what it has done once that takes more steps than for a term of reasonable size.

use super::{Args, TermId, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Steps before a rebuilt term is kept.
const PLAIN: u32 = 64;

/// Subterms visited before those that come again are left out: more than the largest messages have that are worked with.
const VISITED: u32 = 1 << 16;

/// The images of terms met on the way through a term.
#[derive(Default)]
struct Images {
    steps: u32,
    kept: FxHashMap<TermId, TermId>,
}

impl Images {
    /// The image of a term, found now unless it was kept.
    fn of(&mut self, t: TermId, find: impl FnOnce(&mut Self) -> TermId) -> TermId {
        self.steps = self.steps.saturating_add(1);
        if self.steps <= PLAIN {
            return find(self);
        }
        if let Some(image) = self.kept.get(&t) {
            return *image;
        }
        let image = find(self);
        self.kept.insert(t, image);
        image
    }
}

/// A finite map from variables and generics to terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subst {
    pairs: SmallVec<[(TermId, TermId); 6]>,
}

impl Subst {
    /// The identity.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether nothing is bound.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The binding of a variable or generic.
    pub fn get(&self, atom: TermId) -> Option<TermId> {
        self.pairs.iter().find(|(a, _)| *a == atom).map(|(_, t)| *t)
    }

    /// Adds a binding; the atom must be unbound.
    pub fn bind(&mut self, atom: TermId, term: TermId) {
        debug_assert!(self.get(atom).is_none(), "an atom is bound once");
        self.pairs.push((atom, term));
    }

    /// The bindings, in the order they were made.
    pub fn iter(&self) -> impl Iterator<Item = (TermId, TermId)> + '_ {
        self.pairs.iter().copied()
    }

    /// Number of bindings.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Forgets the bindings made after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.pairs.truncate(len);
    }

    /// Replaces each bound atom by its term, once.
    pub fn apply(&self, store: &TermStore, t: TermId) -> TermId {
        self.image(store, t, false, &mut Images::default())
    }

    /// Replaces bound atoms until none is left; the bindings must be acyclic (unification sees to it).
    pub fn resolve(&self, store: &TermStore, t: TermId) -> TermId {
        self.image(store, t, true, &mut Images::default())
    }

    fn image(&self, store: &TermStore, t: TermId, again: bool, images: &mut Images) -> TermId {
        if self.pairs.is_empty() || store.is_ground(t) {
            return t;
        }
        if store.node(t).args.is_empty() {
            return match self.get(t) {
                Some(image) if again => self.image(store, image, again, images),
                Some(image) => image,
                None => t,
            };
        }
        images.of(t, |images| {
            map_args(store, t, |a| self.image(store, a, again, images))
        })
    }

    /// The term behind a chain of bound atoms; its arguments are left alone.
    pub fn walk(&self, t: TermId) -> TermId {
        let mut t = t;
        while let Some(image) = self.get(t) {
            t = image;
        }
        t
    }
}

impl FromIterator<(TermId, TermId)> for Subst {
    fn from_iter<I: IntoIterator<Item = (TermId, TermId)>>(iter: I) -> Self {
        Self {
            pairs: iter.into_iter().collect(),
        }
    }
}

/// The term with each argument replaced by its image.
fn map_args(store: &TermStore, t: TermId, mut image: impl FnMut(TermId) -> TermId) -> TermId {
    let node = store.node(t);
    let mut args: Option<Args> = None;
    for (i, a) in node.args.iter().enumerate() {
        let b = image(*a);
        match &mut args {
            Some(args) => args[i] = b,
            // Nothing is copied for what stays as it is.
            None if b != *a => args.insert(node.args.clone())[i] = b,
            None => {}
        }
    }
    args.map_or(t, |args| store.make(node.op, args))
}

impl TermStore {
    /// Rebuilds a term bottom-up with each atom (name, variable, generic, index, 0) replaced by its image, always the same one;
    /// `None` keeps the atom.
    pub fn map_atoms(&self, t: TermId, image: &mut impl FnMut(TermId) -> Option<TermId>) -> TermId {
        self.mapped(t, image, &mut Images::default())
    }

    fn mapped(
        &self,
        t: TermId,
        image: &mut impl FnMut(TermId) -> Option<TermId>,
        images: &mut Images,
    ) -> TermId {
        if self.node(t).args.is_empty() {
            return image(t).unwrap_or(t);
        }
        images.of(t, |images| {
            map_args(self, t, |a| self.mapped(a, image, images))
        })
    }

    /// Calls `visit` for each subterm, the term itself first, left to right; `visit` says whether to go deeper. In a term of
    /// unreasonable size subterms that come again are left out.
    pub fn visit(&self, t: TermId, visit: &mut impl FnMut(TermId) -> bool) {
        if self.facts(t).size > VISITED {
            self.visit_once(t, visit, &mut FxHashSet::default());
        } else {
            self.visit_all(t, visit);
        }
    }

    fn visit_all(&self, t: TermId, visit: &mut impl FnMut(TermId) -> bool) {
        if visit(t) {
            for a in &self.node(t).args {
                self.visit_all(*a, visit);
            }
        }
    }

    fn visit_once(
        &self,
        t: TermId,
        visit: &mut impl FnMut(TermId) -> bool,
        seen: &mut FxHashSet<TermId>,
    ) {
        if seen.insert(t) && visit(t) {
            for a in &self.node(t).args {
                self.visit_once(*a, visit, seen);
            }
        }
    }
}

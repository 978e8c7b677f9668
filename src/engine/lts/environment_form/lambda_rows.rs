//! The rows of Lambda.
//!
//! An entry with one binding is a row: its shape and what it mentions. The bindings of an entry
//! with several have no order, so each is a row of its own. They are held together by further
//! vertices, the *parts*: one for the entry, one for each universal, and one for each set of
//! generics of one level that the entry takes to be equal, of which any may be written for the
//! others.

use super::super::lambda::{Entries, Forbidden, Mention, Part};
use super::super::refine::{Colours, Structure};
use super::Basis;
use crate::engine::joint::private_form::mix;
use smallvec::SmallVec;

/// Adds the rows of Lambda, and the colours of its parts.
pub(super) fn rows(
    entries: &Entries,
    structure: &mut Structure,
    basis: &Basis,
    colours: &mut Colours,
) {
    for e in &basis.kept.entries {
        let forbidden = entries.get(*e);
        if forbidden.parts.is_empty() {
            row(structure, basis, forbidden);
        } else {
            several(structure, basis, forbidden, colours);
        }
    }
}

impl Basis {
    fn generic(&self, g: u32) -> u32 {
        self.generics[g as usize]
    }

    fn element(&self, i: u32) -> u32 {
        self.ends()[0] + self.elements[i as usize]
    }

    fn same_level(&self, g: u32, h: u32) -> bool {
        let level = |g: u32| self.kept.levels[self.generic(g) as usize];
        level(g) == level(h)
    }
}

/// An entry with one binding.
fn row(structure: &mut Structure, basis: &Basis, forbidden: &Forbidden) {
    let universals = forbidden.entry.universals.iter();
    let shape = universals.fold(mix(23, forbidden.shape), |h, l| {
        mix(h, u64::from(basis.kept.rank(*l)))
    });
    let generics = &forbidden.generics;
    // Of two generics of one level either may be written first.
    let unordered = forbidden.is_difference && basis.same_level(generics[0], generics[1]);
    let indices = forbidden.indices.iter().map(|i| basis.element(*i));
    let generics = generics.iter().map(|g| basis.generic(*g));
    structure.row(shape, generics.chain(indices), unordered);
}

/// Generics that an entry takes to be equal.
struct Set {
    /// The generic that is written for all.
    written: u32,
    /// The part that stands for all.
    vertex: u32,
    /// The vertices of the others.
    others: SmallVec<[u32; 4]>,
}

/// An entry with several bindings.
fn several(structure: &mut Structure, basis: &Basis, forbidden: &Forbidden, colours: &mut Colours) {
    let mut part = |colour: u64| {
        colours.push(colour);
        colours.len() as u32 - 1
    };
    let entry = part(mix(14, forbidden.parts.len() as u64));
    let universals = forbidden.entry.universals.iter();
    let universals: SmallVec<[u32; 4]> = universals
        .map(|l| part(mix(15, u64::from(basis.kept.rank(*l)))))
        .collect();
    let mut sets: Vec<Set> = Vec::new();
    let stands_for = |p: &Part| match p.atoms[..] {
        [Mention::Generic(g)] if p.is_generic && basis.same_level(g, p.bound) => Some(g),
        _ => None,
    };
    for p in &forbidden.parts {
        let Some(g) = stands_for(p) else {
            continue;
        };
        let bound = basis.generic(p.bound);
        match sets.iter_mut().find(|set| set.written == g) {
            Some(set) => set.others.push(bound),
            None => sets.push(Set {
                written: g,
                vertex: part(mix(16, 0)),
                others: smallvec::smallvec![bound],
            }),
        }
    }
    for set in &sets {
        let tokens = [entry, set.vertex, basis.generic(set.written)].into_iter();
        let tokens = tokens.chain(set.others.iter().copied());
        structure.row(mix(29, 0), tokens, true);
    }
    let vertex = |mention: &Mention| match mention {
        Mention::Generic(g) => {
            let set = sets.iter().find(|set| set.written == *g);
            set.map_or(basis.generic(*g), |set| set.vertex)
        }
        Mention::Index(i) => basis.element(*i),
        Mention::Universal(u) => universals[*u as usize],
    };
    for p in &forbidden.parts {
        if stands_for(p).is_none() {
            let tokens = [entry, basis.generic(p.bound)].into_iter();
            let tokens = tokens.chain(p.atoms.iter().map(vertex));
            structure.row(mix(31, p.shape), tokens, false);
        }
    }
}

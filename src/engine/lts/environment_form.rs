//! The part of a canonical form that depends on the environment alone.
//!
//! Many states have the same environment and threads that mention the same generics of it. What is
//! stripped, the rows of elements and of Lambda, and the colours that these give to the vertices,
//! are the same for all of them. If no vertex in a row of the environment is left in a tie, so are
//! the first two numbers of the vector.
//!
//! Vertices are numbered: generics, elements, the names in the elements, parts of Lambda
//! (`lambda_rows`). The names that only threads mention come after these.
//!
//! Left to others: threads (`canonical_form`).

mod lambda_rows;
mod tied;

use super::canonical_form::{Canonicaliser, Scratch, part};
use super::codec::Environment;
use super::piece::{Atom, PieceId};
use super::refine::{Colours, Structure};
use super::strip::{Kept, Mentioned};
use crate::engine::joint::private_form::mix;
use tied::Tied;

/// No number.
pub(super) const NONE: u32 = u32::MAX;

/// Occurrences of what is no name.
const MANY: u32 = 2;

/// The first colour of a name.
const NAME: u64 = 0x5bd1_e995_7b93_ac11;

/// A prepared environment.
#[derive(Debug)]
pub(super) struct EnvironmentForm {
    /// Where generics and elements end among the vertices.
    pub ends: [u32; 2],
    /// How the vector starts.
    pub start: Start,
    /// The lists below, one after the other, and where each ends; then the colours, each in two
    /// words. Together, so that they are in one place of the memory.
    words: Box<[u32]>,
    lists: [u32; 5],
}

impl EnvironmentForm {
    fn new(ends: [u32; 2], colours: &[u64], start: Start, lists: [&[u32]; 5]) -> Self {
        let mut end = 0;
        let halves = colours.iter().flat_map(|c| [*c as u32, (*c >> 32) as u32]);
        Self {
            ends,
            start,
            words: lists.concat().into_iter().chain(halves).collect(),
            lists: lists.map(|list| {
                end += list.len() as u32;
                end
            }),
        }
    }

    fn list(&self, list: usize) -> &[u32] {
        let start = if list == 0 { 0 } else { self.lists[list - 1] };
        &self.words[start as usize..self.lists[list] as usize]
    }

    /// The vertex of each generic; [`NONE`] if it is not kept.
    pub(super) fn generics(&self) -> &[u32] {
        self.list(0)
    }

    /// The slots of the names in the elements, in the order of their vertices.
    pub(super) fn names(&self) -> &[u32] {
        self.list(1)
    }

    /// Of a name, in how many elements it occurs; of a part of Lambda many.
    pub(super) fn occurrences(&self) -> &[u32] {
        self.list(2)
    }

    /// The vertices that share their colour with others, in order.
    pub(super) fn tied(&self) -> &[u32] {
        self.list(3)
    }

    /// Of a generic, element or part of Lambda, how many come before it whatever the threads tell;
    /// of a name its number, if the start is fixed.
    pub(super) fn numbers(&self) -> &[u32] {
        self.list(4)
    }

    /// The colours of the vertices.
    pub(super) fn colours(&self) -> impl ExactSizeIterator<Item = u64> {
        let halves = self.words[self.lists[4] as usize..].chunks_exact(2);
        halves.map(|h| u64::from(h[0]) | u64::from(h[1]) << 32)
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let lists = size_of_val(&*self.words);
        let open = match &self.start {
            Start::Fixed(_) => 0,
            // Lists about vertices again, the rows, and a spelling or two.
            Start::Tied(open) => size_of::<Tied>() + 2 * lists + open.rows.bytes(),
        };
        size_of::<Self>() + lists + open
    }
}

/// How a vector starts.
#[derive(Debug)]
pub(super) enum Start {
    /// Like this.
    Fixed([u32; 2]),
    /// That depends on the threads.
    Tied(Box<Tied>),
}

/// What is kept of an environment.
#[derive(Debug, Default)]
pub(super) struct Basis {
    /// What is kept.
    pub kept: Kept,
    /// The vertex of each generic, and the place of each element among those that are kept.
    pub generics: Box<[u32]>,
    pub elements: Box<[u32]>,
    /// The elements that are kept.
    terms: Box<[PieceId]>,
    /// The vertices of their atoms, and where each element's end.
    atoms: Vec<u32>,
    ends: Vec<u32>,
}

/// Where each of some kept numbers is kept.
fn places(kept: &[u32], all: usize) -> Box<[u32]> {
    let mut places = vec![NONE; all];
    for (at, number) in (0..).zip(kept) {
        places[*number as usize] = at;
    }
    places.into()
}

/// Of each of some keys, how many are less.
fn ranks<K: Ord>(keys: &[K]) -> impl Iterator<Item = u32> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_unstable_by(|a, b| keys[*a].cmp(&keys[*b]));
    let mut ranks = vec![0; keys.len()];
    for at in 1..order.len() {
        let (last, now) = (order[at - 1], order[at]);
        let same = keys[last] == keys[now];
        ranks[now] = if same { ranks[last] } else { at as u32 };
    }
    ranks.into_iter()
}

impl Basis {
    fn new(kept: &Kept, env: &Environment) -> Self {
        let terms = kept.elements.iter().map(|i| env.terms[*i as usize]);
        Self {
            generics: places(&kept.generics, env.generics.len()),
            elements: places(&kept.elements, env.lives.len()),
            terms: terms.collect(),
            kept: kept.clone(),
            atoms: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// The first colours of all vertices.
    fn colours(&self, names: usize) -> Colours {
        let levels = self.kept.levels.iter();
        let mut colours: Colours = levels.map(|l| mix(12, u64::from(*l))).collect();
        colours.extend(self.kept.lives.iter().map(|l| {
            let dead = l.dead.map_or(0, |d| u64::from(d) + 1);
            mix(mix(mix(13, u64::from(l.born)), dead), u64::from(l.opened))
        }));
        colours.resize(colours.len() + names, NAME);
        colours
    }

    /// Where generics and elements end among the vertices.
    pub(super) fn ends(&self) -> [u32; 2] {
        let generics = self.kept.generics.len();
        [generics as u32, (generics + self.terms.len()) as u32]
    }

    /// The vertices of an element's atoms.
    fn atoms(&self, element: u32) -> &[u32] {
        part(&self.atoms, &self.ends, element)
    }
}

impl Canonicaliser<'_> {
    /// Prepares the environment of a state whose threads mention these generics.
    pub(super) fn prepare(
        &self,
        scratch: &mut Scratch,
        env: &Environment,
        mentioned: &Mentioned,
    ) -> EnvironmentForm {
        scratch.stripper.strip(self.codec, env, mentioned);
        let basis = Basis::new(&scratch.stripper.kept, env);
        if self.renamed {
            self.refined(scratch, basis)
        } else {
            self.unchanged(scratch, &basis)
        }
    }

    /// Keeps names and order; only unused numbers are closed up.
    fn unchanged(&self, scratch: &mut Scratch, basis: &Basis) -> EnvironmentForm {
        let ends @ [generics, elements] = basis.ends();
        let pieces = &self.codec.pieces;
        scratch.numbers.clear();
        scratch
            .numbers
            .extend((0..generics).chain(0..elements - generics));
        scratch.order.clear();
        scratch.order.extend(0..elements - generics);
        scratch.env.terms.clear();
        for p in &basis.terms {
            let atom = |a: &Atom| match a.as_generic() {
                Some(g) => Atom::generic(basis.generics[g as usize]),
                None => *a,
            };
            let p = pieces.numbered(*p);
            let atoms = p.atoms.iter().map(atom);
            let renamed = pieces.renamed(&mut scratch.cache.pieces, self.store, p, atoms);
            scratch.env.terms.push(renamed);
        }
        let start = Start::Fixed(self.start(scratch, basis));
        let lists = [&*basis.generics, &[], &[], &[], &scratch.numbers];
        EnvironmentForm::new(ends, &[], start, lists)
    }

    /// Distinguishes generics, elements and names as far as the environment does.
    fn refined(&self, scratch: &mut Scratch, mut basis: Basis) -> EnvironmentForm {
        let ends @ [first_element, first_name] = basis.ends();
        let mut names = Vec::new();
        let mut occurrences = vec![0; first_name as usize];
        for p in &basis.terms {
            for atom in &self.codec.pieces.get(*p).atoms {
                let vertex = match atom.as_generic() {
                    Some(g) => basis.generics[g as usize],
                    None => scratch.vertices.get(atom.slot(), || {
                        names.push(atom.slot());
                        occurrences.push(0);
                        first_name + names.len() as u32 - 1
                    }),
                };
                if vertex >= first_name {
                    occurrences[vertex as usize] += 1;
                }
                basis.atoms.push(vertex);
            }
            basis.ends.push(basis.atoms.len() as u32);
        }
        scratch.vertices.forget(&names);
        let mut colours = basis.colours(names.len());
        let first_part = colours.len();
        let structure = &mut scratch.structure;
        structure.clear();
        self.rows(structure, &basis);
        lambda_rows::rows(&self.codec.entries, structure, &basis, &mut colours);
        structure.end_kind();
        occurrences.resize(colours.len(), MANY);
        (0..colours.len() as u32).for_each(|v| structure.open(v));
        structure.refine(&mut colours);
        let tied = structure.tied(&colours);
        let rows = structure.about(|v| tied.binary_search(&v).is_ok());
        let generics = &colours[..first_element as usize];
        let generics: Vec<_> = basis.kept.levels.iter().zip(generics).collect();
        let elements = &colours[first_element as usize..first_name as usize];
        let born = basis.kept.lives.iter().map(|l| l.born);
        let elements: Vec<_> = born.zip(elements).collect();
        scratch.numbers.clear();
        scratch
            .numbers
            .extend(ranks(&generics).chain(ranks(&elements)));
        scratch.numbers.resize(first_part, NONE);
        scratch.numbers.extend(ranks(&colours[first_part..]));
        let generics = basis.generics.clone();
        let start = if rows.is_empty() {
            // The generics of a tie are in no row, so their order does not matter here.
            Self::number_names(scratch, &basis);
            Start::Fixed(self.spell(scratch, &basis))
        } else {
            Start::Tied(Box::new(Tied::new(rows, basis)))
        };
        let lists = [&*generics, &names, &occurrences, &tied, &scratch.numbers];
        EnvironmentForm::new(ends, &colours, start, lists)
    }

    /// The rows of the elements.
    fn rows(&self, structure: &mut Structure, basis: &Basis) {
        let [first_element, _] = basis.ends();
        for (at, p) in (0..).zip(&basis.terms) {
            let element = std::iter::once(first_element + at);
            let tokens = element.chain(basis.atoms(at).iter().copied());
            let shape = self.codec.pieces.get(*p).hash;
            structure.row(mix(19, shape), tokens, false);
        }
        structure.end_kind();
    }

    /// Numbers the names in the elements in order of occurrence; generics and elements have
    /// numbers.
    fn number_names(scratch: &mut Scratch, basis: &Basis) {
        let first_element = basis.ends()[0] as usize;
        let elements = basis.terms.len();
        scratch.order.clear();
        scratch.order.resize(elements, 0);
        for at in 0..elements {
            let number = scratch.numbers[first_element + at];
            scratch.order[number as usize] = at as u32;
        }
        let mut next = 0;
        for at in &scratch.order {
            for atom in basis.atoms(*at) {
                let number = &mut scratch.numbers[*atom as usize];
                if *number == NONE {
                    *number = next;
                    next += 1;
                }
            }
        }
    }

    /// The start of the vector, when everything has a number.
    fn spell(&self, scratch: &mut Scratch, basis: &Basis) -> [u32; 2] {
        let pieces = &self.codec.pieces;
        let first_name = basis.ends()[1];
        scratch.env.terms.clear();
        for at in &scratch.order {
            let atom = |a: &u32| self.atom(&scratch.numbers, first_name, *a);
            let atoms = basis.atoms(*at).iter().map(atom);
            let term = pieces.numbered(basis.terms[*at as usize]);
            let renamed = pieces.renamed(&mut scratch.cache.pieces, self.store, term, atoms);
            scratch.env.terms.push(renamed);
        }
        self.start(scratch, basis)
    }

    /// The start of the vector; the elements have been renamed, the rest is done here.
    fn start(&self, scratch: &mut Scratch, basis: &Basis) -> [u32; 2] {
        let (kept, numbers) = (&basis.kept, &scratch.numbers);
        let out = &mut scratch.env;
        out.level = kept.level;
        out.lives.clear();
        let indices = scratch.order.iter();
        out.lives.extend(indices.map(|i| kept.lives[*i as usize]));
        out.generics.clear();
        out.generics.extend_from_slice(&kept.levels);
        if self.renamed {
            // Older ones have lower numbers.
            out.generics.sort_unstable();
        }
        let generic = |g: u32| {
            let place = basis.generics[g as usize] as usize;
            (numbers[place], kept.levels[place])
        };
        let index = |i: u32| numbers[kept.generics.len() + basis.elements[i as usize] as usize];
        let entries = &self.codec.entries;
        out.entries.clear();
        for e in &kept.entries {
            let local = &mut scratch.cache.entries;
            let renamed = entries.renamed(local, self.store, *e, generic, index, |l| kept.rank(l));
            out.entries.push(renamed);
        }
        out.entries
            .sort_unstable_by_key(|e| (entries.get(*e).hash, *e));
        out.entries.dedup();
        self.codec.spell(&mut scratch.cache, out)
    }
}

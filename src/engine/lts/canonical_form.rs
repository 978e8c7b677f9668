//! The canonical form of a state, as a vector.
//!
//! A state is stripped to what its future depends on (`strip`). If states that are equal up to
//! renaming are to be one, generics, elements and restricted names are put into an order that does
//! not depend on what they are called (`refine`), and renamed; otherwise only the threads are put
//! in order. Equal vectors are equal states up to renaming in any case.
//!
//! What depends on the environment alone is prepared (`environment_form`); here the threads are
//! added.

use super::codec::{Codec, Environment, WorkerCache};
use super::environment_form::{EnvironmentForm, NONE, Start};
use super::graph::Renaming;
use super::piece::{Atom, Numbered, PieceId};
use super::refine::{Colours, PLAIN, Structure, hash};
use super::strip::{Stripper, mentioned};
use crate::engine::joint::private_form::mix;
use crate::term::{TermId, TermStore};

/// The first colour of a name that only threads mention, different from that of other names.
const OUTSIDE: u64 = 0x9ae1_6a3b_2f90_404f;

/// The names of a state in the order of its canonical form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    /// The indices of the elements.
    pub indices: Vec<u32>,
    /// The generics.
    pub generics: Vec<u32>,
}

impl Order {
    /// The renaming from this state to another with the same canonical form; `None` if the names
    /// are the same.
    pub(super) fn renaming(&self, other: &Order) -> Option<Renaming> {
        if self == other {
            return None;
        }
        let pair = |a: &[u32], b: &[u32]| -> Vec<(u32, u32)> {
            let mut pairs: Vec<(u32, u32)> = a.iter().copied().zip(b.iter().copied()).collect();
            pairs.sort_unstable();
            pairs
        };
        Some(Renaming {
            indices: pair(&self.indices, &other.indices),
            generics: pair(&self.generics, &other.generics),
        })
    }
}

/// Computes canonical forms.
#[derive(Clone, Copy)]
pub(super) struct Canonicaliser<'a> {
    /// The terms.
    pub store: &'a TermStore,
    /// Canonical restricted names.
    pub pool: &'a [TermId],
    /// The components.
    pub codec: &'a Codec,
    /// States equal up to renaming are one.
    pub renamed: bool,
}

/// The vertices of names.
#[derive(Debug, Default)]
pub(super) struct Vertices {
    table: Vec<u32>,
}

impl Vertices {
    /// The vertex of a name, by its slot; asked for if it has none.
    pub(super) fn get(&mut self, name: u32, new: impl FnOnce() -> u32) -> u32 {
        let at = name as usize;
        if at >= self.table.len() {
            self.table.resize(at + 1, NONE);
        }
        if self.table[at] == NONE {
            self.table[at] = new();
        }
        self.table[at]
    }

    /// These names have no vertices any more.
    pub(super) fn forget(&mut self, names: &[u32]) {
        for name in names {
            self.table[*name as usize] = NONE;
        }
    }
}

/// Scratch buffers of one worker, cleared for every state except the component cache.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The last state that was stripped.
    pub stripper: Stripper,
    /// The rows.
    pub structure: Structure,
    /// The vertices of names; empty between states.
    pub vertices: Vertices,
    /// The slots of the names that only threads mention.
    names: Vec<u32>,
    /// For each vertex that is a name, the number of pieces in which it occurs.
    occurrences: Vec<u32>,
    /// The vertices of the threads' atoms, and where each thread's end.
    atoms: Vec<u32>,
    ends: Vec<u32>,
    colours: Colours,
    /// Vertices of ties that are no names: kind, first number, colour, vertex.
    tied: Vec<(u32, u32, u64, u32)>,
    /// The threads, in order: hash of the shape, hash of all, place.
    threads: Vec<(u64, u64, u32)>,
    /// Of each vertex.
    pub numbers: Vec<u32>,
    /// The elements by number.
    pub order: Vec<u32>,
    /// The environment in canonical form.
    pub env: Environment,
    /// The component cache.
    pub cache: WorkerCache,
    /// The last form that was made.
    pub vector: Vec<u32>,
}

impl Scratch {
    /// The order of the names in the last form that was made, if it was prepared for it.
    pub(super) fn order(&self) -> Order {
        let kept = &self.stripper.kept;
        let (generics, elements) = (kept.generics.len(), kept.elements.len());
        let sorted = |numbers: &[u32], kept: &[u32]| {
            let mut order = vec![0; kept.len()];
            for (number, name) in numbers.iter().zip(kept) {
                order[*number as usize] = *name;
            }
            order
        };
        Order {
            generics: sorted(&self.numbers[..generics], &kept.generics),
            indices: sorted(&self.numbers[generics..generics + elements], &kept.elements),
        }
    }
}

/// The vertices of the atoms of one piece: one of several lists, stored one after the other.
pub(super) fn part<'a>(atoms: &'a [u32], ends: &[u32], at: u32) -> &'a [u32] {
    let at = at as usize;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &atoms[start as usize..ends[at] as usize]
}

impl Canonicaliser<'_> {
    /// The canonical form of a state, into [`Scratch::vector`].
    pub(super) fn form(&self, scratch: &mut Scratch, env: &Environment, threads: &[PieceId]) {
        let threads = self.codec.pieces.several(threads);
        let mentioned = mentioned(env.generics.len(), &threads);
        let prepared = self.prepare(scratch, env, &mentioned);
        self.complete(scratch, &prepared, &threads);
    }

    /// The canonical form of a state whose environment has been prepared for its threads, into
    /// [`Scratch::vector`].
    pub(super) fn complete(
        &self,
        scratch: &mut Scratch,
        prepared: &EnvironmentForm,
        threads: &[Numbered<'_>],
    ) {
        if !self.renamed {
            self.keep(scratch, prepared, threads);
            return;
        }
        Self::gather(scratch, prepared, threads);
        Self::lay_out(scratch, prepared, threads);
        if scratch.structure.is_open() {
            let mut structure = std::mem::take(&mut scratch.structure);
            let colours = std::mem::take(&mut scratch.colours);
            let colours = structure.tell_apart(colours, &mut |structure, colours| {
                Self::number(scratch, prepared, colours, threads);
                structure.spelling(&scratch.numbers)
            });
            scratch.structure = structure;
            Self::number(scratch, prepared, &colours, threads);
            scratch.colours = colours;
        } else {
            let colours = std::mem::take(&mut scratch.colours);
            Self::number(scratch, prepared, &colours, threads);
            scratch.colours = colours;
        }
        let start = match &prepared.start {
            Start::Fixed(start) => *start,
            Start::Tied(open) => {
                let first_part = prepared.ends[1] + prepared.names().len() as u32;
                open.spell(self, scratch, first_part)
            }
        };
        scratch.vector.clear();
        scratch.vector.extend(start);
        let first_name = prepared.ends[1];
        for (_, _, at) in &scratch.threads {
            let atom = |a: &u32| self.atom(&scratch.numbers, first_name, *a);
            let atoms = part(&scratch.atoms, &scratch.ends, *at).iter().map(atom);
            let local = &mut scratch.cache.pieces;
            let pieces = &self.codec.pieces;
            let renamed = pieces.renamed(local, self.store, threads[*at as usize], atoms);
            scratch.vector.push(renamed);
        }
    }

    /// What a vertex is in canonical form.
    pub(super) fn atom(&self, numbers: &[u32], first_name: u32, vertex: u32) -> Atom {
        let number = numbers[vertex as usize];
        if vertex < first_name {
            Atom::generic(number)
        } else {
            Atom::name(self.pool[number as usize])
        }
    }

    /// The vertices of the threads' atoms.
    fn gather(scratch: &mut Scratch, prepared: &EnvironmentForm, threads: &[Numbered<'_>]) {
        let first_name = prepared.ends[1];
        for (vertex, name) in (first_name..).zip(prepared.names()) {
            scratch.vertices.get(*name, || vertex);
        }
        scratch.names.clear();
        scratch.occurrences.clear();
        scratch
            .occurrences
            .extend_from_slice(prepared.occurrences());
        scratch.atoms.clear();
        scratch.ends.clear();
        let generics = prepared.generics();
        for t in threads {
            for atom in &t.atoms {
                let vertex = match atom.as_generic() {
                    Some(g) => generics[g as usize],
                    None => scratch.vertices.get(atom.slot(), || {
                        scratch.names.push(atom.slot());
                        scratch.occurrences.push(0);
                        scratch.occurrences.len() as u32 - 1
                    }),
                };
                scratch.occurrences[vertex as usize] += 1;
                scratch.atoms.push(vertex);
            }
            scratch.ends.push(scratch.atoms.len() as u32);
        }
        scratch.vertices.forget(prepared.names());
        scratch.vertices.forget(&scratch.names);
    }

    /// The colours and, if there is something to tell apart, the rows: threads, then those of the
    /// environment that are left.
    fn lay_out(scratch: &mut Scratch, prepared: &EnvironmentForm, threads: &[Numbered<'_>]) {
        let first_name = prepared.ends[1];
        let (colours, structure) = (&mut scratch.colours, &mut scratch.structure);
        colours.clear();
        colours.extend(prepared.colours());
        colours.resize(scratch.occurrences.len(), OUTSIDE);
        structure.clear();
        // Names that occur once need not be distinguished.
        let mut kinds = prepared.ends.iter().peekable();
        let known = prepared.colours().len() as u32;
        let fresh = known..known + scratch.names.len() as u32;
        for v in prepared.tied().iter().copied().chain(fresh) {
            while kinds.next_if(|end| **end <= v).is_some() {
                structure.end_vertices();
            }
            if v >= first_name && scratch.occurrences[v as usize] < 2 {
                colours[v as usize] = PLAIN;
            } else {
                structure.open(v);
            }
        }
        if !structure.is_open() {
            return;
        }
        for (at, t) in (0..).zip(threads) {
            let shape = t.hash;
            let atoms = part(&scratch.atoms, &scratch.ends, at).iter().copied();
            structure.row(mix(17, shape), atoms, false);
        }
        structure.end_kind();
        if let Start::Tied(open) = &prepared.start {
            structure.append(&open.rows);
        }
    }

    /// Numbers everything by the colours of the vertices: generics and elements by age first, names
    /// in order of occurrence. Puts the threads in order.
    fn number(
        scratch: &mut Scratch,
        prepared: &EnvironmentForm,
        colours: &Colours,
        threads: &[Numbered<'_>],
    ) {
        scratch.numbers.clear();
        scratch.numbers.extend_from_slice(prepared.numbers());
        scratch.numbers.resize(scratch.occurrences.len(), NONE);
        let [first_element, first_name] = prepared.ends;
        let first_part = first_name + prepared.names().len() as u32;
        scratch.tied.clear();
        for v in prepared.tied() {
            if !(first_name..first_part).contains(v) {
                let kind = u32::from(*v >= first_element) + u32::from(*v >= first_part);
                let at = *v as usize;
                scratch
                    .tied
                    .push((kind, scratch.numbers[at], colours[at], *v));
            }
        }
        scratch.tied.sort_unstable();
        let mut last = (0, NONE, 0);
        for (kind, first, _, vertex) in &scratch.tied {
            let again = (*kind, *first) == (last.0, last.1);
            let number = if again { last.2 + 1 } else { *first };
            scratch.numbers[*vertex as usize] = number;
            last = (*kind, *first, number);
        }
        if let Start::Tied(open) = &prepared.start {
            open.number_names(scratch);
        }
        scratch.threads.clear();
        for (at, t) in (0..).zip(threads) {
            let shape = t.hash;
            let atoms = part(&scratch.atoms, &scratch.ends, at).iter();
            let whole = hash(shape, atoms.map(|a| colours[*a as usize]));
            scratch.threads.push((shape, whole, at));
        }
        scratch.threads.sort_unstable();
        let mut next = prepared.names().len() as u32;
        for (_, _, at) in &scratch.threads {
            for atom in part(&scratch.atoms, &scratch.ends, *at) {
                let number = &mut scratch.numbers[*atom as usize];
                if *number == NONE {
                    *number = next;
                    next += 1;
                }
            }
        }
    }

    /// Keeps names and order; only unused numbers of generics are closed up, and the threads are
    /// sorted.
    fn keep(&self, scratch: &mut Scratch, prepared: &EnvironmentForm, threads: &[Numbered<'_>]) {
        let pieces = &self.codec.pieces;
        let generics = prepared.generics();
        scratch.numbers.clear();
        scratch.numbers.extend_from_slice(prepared.numbers());
        scratch.threads.clear();
        for t in threads {
            let atom = |a: &Atom| match a.as_generic() {
                Some(g) => Atom::generic(generics[g as usize]),
                None => *a,
            };
            let atoms = t.atoms.iter().map(atom);
            let p = pieces.renamed(&mut scratch.cache.pieces, self.store, *t, atoms);
            scratch
                .threads
                .push((pieces.get(p).hash, pieces.get(p).content, p));
        }
        scratch.threads.sort_unstable();
        scratch.vector.clear();
        if let Start::Fixed(start) = prepared.start {
            scratch.vector.extend(start);
        }
        scratch
            .vector
            .extend(scratch.threads.iter().map(|(_, _, p)| *p));
    }
}

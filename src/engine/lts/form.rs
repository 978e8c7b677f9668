//! The canonical form of a state, as a vector.
//!
//! A state is trimmed to what its future depends on. If states that are equal up to renaming are to be one, generics,
//! elements and restricted names are put into an order that does not depend on what they are called (`refine`), and
//! renamed; otherwise only the threads are put in order. Equal vectors are equal states up to renaming in any case.
//!
//! What depends on the environment alone is prepared (`prepared`); here the threads are added.

use super::codec::{Codec, Desk, Environment};
use super::graph::Renaming;
use super::piece::{Atom, Numbered, PieceId};
use super::prepared::{NONE, Prepared, Start};
use super::refine::{Colors, PLAIN, Structure, hash};
use super::trim::{Trimmed, mentioned};
use crate::engine::joint::canon::mix;
use crate::term::{TermId, TermStore};

/// The first colour of a name that only threads mention, different from that of other names.
const OUTSIDE: u64 = 0x9ae1_6a3b_2f90_404f;

/// The names of a state in the order of its canonical form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The indices of the elements.
    pub indices: Vec<u32>,
    /// The generics.
    pub generics: Vec<u32>,
}

impl Order {
    /// What the names of this state are called in another with the same canonical form; `None` if the same.
    pub fn renaming(&self, other: &Order) -> Option<Renaming> {
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

/// What canonical forms are made of.
#[derive(Clone, Copy)]
pub struct Former<'a> {
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
pub struct Vertices {
    table: Vec<u32>,
}

impl Vertices {
    /// The vertex of a name, by its slot; asked for if it has none.
    pub fn get(&mut self, name: u32, new: impl FnOnce() -> u32) -> u32 {
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
    pub fn forget(&mut self, names: &[u32]) {
        for name in names {
            self.table[*name as usize] = NONE;
        }
    }
}

/// Room for the work of one worker; but for what it remembers of components, written anew for each state.
#[derive(Debug, Default)]
pub struct Room {
    /// What was trimmed last.
    pub trimmed: Trimmed,
    /// The rows.
    pub structure: Structure,
    /// The vertices of names; empty between states.
    pub vertices: Vertices,
    /// The slots of the names that only threads mention.
    names: Vec<u32>,
    /// In how many pieces each vertex that is a name occurs.
    occurrences: Vec<u32>,
    /// The vertices of the threads' atoms, and where each thread's end.
    atoms: Vec<u32>,
    ends: Vec<u32>,
    colors: Colors,
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
    /// What the worker remembers.
    pub desk: Desk,
    /// The last form that was made.
    pub vector: Vec<u32>,
}

impl Room {
    /// The order of the names in the last form that was made, if it was prepared for it.
    pub fn order(&self) -> Order {
        let kept = &self.trimmed.kept;
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

/// The vertices of a piece's atoms: one of several lists in one.
pub fn part<'a>(atoms: &'a [u32], ends: &[u32], at: u32) -> &'a [u32] {
    let at = at as usize;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &atoms[start as usize..ends[at] as usize]
}

impl Former<'_> {
    /// The canonical form of a state, into the room's vector.
    pub fn form(&self, room: &mut Room, env: &Environment, threads: &[PieceId]) {
        let threads = self.codec.pieces.several(threads);
        let mentioned = mentioned(env.generics.len(), &threads);
        let prepared = self.prepare(room, env, &mentioned);
        self.complete(room, &prepared, &threads);
    }

    /// The canonical form of a state whose environment has been prepared for its threads, into the room's vector.
    pub fn complete(&self, room: &mut Room, prepared: &Prepared, threads: &[Numbered<'_>]) {
        if !self.renamed {
            self.keep(room, prepared, threads);
            return;
        }
        Self::gather(room, prepared, threads);
        Self::lay_out(room, prepared, threads);
        if room.structure.is_open() {
            let mut structure = std::mem::take(&mut room.structure);
            let colors = std::mem::take(&mut room.colors);
            let colors = structure.tell_apart(colors, &mut |structure, colors| {
                Self::number(room, prepared, colors, threads);
                structure.spelling(&room.numbers)
            });
            room.structure = structure;
            Self::number(room, prepared, &colors, threads);
            room.colors = colors;
        } else {
            let colors = std::mem::take(&mut room.colors);
            Self::number(room, prepared, &colors, threads);
            room.colors = colors;
        }
        let start = match &prepared.start {
            Start::Fixed(start) => *start,
            Start::Open(open) => {
                let first_part = prepared.ends[1] + prepared.names().len() as u32;
                open.spell(self, room, first_part)
            }
        };
        room.vector.clear();
        room.vector.extend(start);
        let first_name = prepared.ends[1];
        for (_, _, at) in &room.threads {
            let atom = |a: &u32| self.atom(&room.numbers, first_name, *a);
            let atoms = part(&room.atoms, &room.ends, *at).iter().map(atom);
            let local = &mut room.desk.pieces;
            let pieces = &self.codec.pieces;
            let renamed = pieces.renamed(local, self.store, threads[*at as usize], atoms);
            room.vector.push(renamed);
        }
    }

    /// What a vertex is in canonical form.
    pub fn atom(&self, numbers: &[u32], first_name: u32, vertex: u32) -> Atom {
        let number = numbers[vertex as usize];
        if vertex < first_name {
            Atom::generic(number)
        } else {
            Atom::name(self.pool[number as usize])
        }
    }

    /// The vertices of the threads' atoms.
    fn gather(room: &mut Room, prepared: &Prepared, threads: &[Numbered<'_>]) {
        let first_name = prepared.ends[1];
        for (vertex, name) in (first_name..).zip(prepared.names()) {
            room.vertices.get(*name, || vertex);
        }
        room.names.clear();
        room.occurrences.clear();
        room.occurrences.extend_from_slice(prepared.occurrences());
        room.atoms.clear();
        room.ends.clear();
        let generics = prepared.generics();
        for t in threads {
            for atom in &t.atoms {
                let vertex = match atom.as_generic() {
                    Some(g) => generics[g as usize],
                    None => room.vertices.get(atom.slot(), || {
                        room.names.push(atom.slot());
                        room.occurrences.push(0);
                        room.occurrences.len() as u32 - 1
                    }),
                };
                room.occurrences[vertex as usize] += 1;
                room.atoms.push(vertex);
            }
            room.ends.push(room.atoms.len() as u32);
        }
        room.vertices.forget(prepared.names());
        room.vertices.forget(&room.names);
    }

    /// The colours and, if there is something to tell apart, the rows: threads, then those of the environment that are left.
    fn lay_out(room: &mut Room, prepared: &Prepared, threads: &[Numbered<'_>]) {
        let first_name = prepared.ends[1];
        let (colors, structure) = (&mut room.colors, &mut room.structure);
        colors.clear();
        colors.extend(prepared.colors());
        colors.resize(room.occurrences.len(), OUTSIDE);
        structure.clear();
        // Names that occur once need not be told apart.
        let mut kinds = prepared.ends.iter().peekable();
        let known = prepared.colors().len() as u32;
        let fresh = known..known + room.names.len() as u32;
        for v in prepared.tied().iter().copied().chain(fresh) {
            while kinds.next_if(|end| **end <= v).is_some() {
                structure.end_vertices();
            }
            if v >= first_name && room.occurrences[v as usize] < 2 {
                colors[v as usize] = PLAIN;
            } else {
                structure.open(v);
            }
        }
        if !structure.is_open() {
            return;
        }
        for (at, t) in (0..).zip(threads) {
            let shape = t.hash;
            let atoms = part(&room.atoms, &room.ends, at).iter().copied();
            structure.row(mix(17, shape), atoms, false);
        }
        structure.end_kind();
        if let Start::Open(open) = &prepared.start {
            structure.append(&open.rows);
        }
    }

    /// Numbers everything by the colours of the vertices: generics and elements by age first, names in order of
    /// occurrence. Puts the threads in order.
    fn number(room: &mut Room, prepared: &Prepared, colors: &Colors, threads: &[Numbered<'_>]) {
        room.numbers.clear();
        room.numbers.extend_from_slice(prepared.numbers());
        room.numbers.resize(room.occurrences.len(), NONE);
        let [first_element, first_name] = prepared.ends;
        let first_part = first_name + prepared.names().len() as u32;
        room.tied.clear();
        for v in prepared.tied() {
            if !(first_name..first_part).contains(v) {
                let kind = u32::from(*v >= first_element) + u32::from(*v >= first_part);
                let at = *v as usize;
                room.tied.push((kind, room.numbers[at], colors[at], *v));
            }
        }
        room.tied.sort_unstable();
        let mut last = (0, NONE, 0);
        for (kind, first, _, vertex) in &room.tied {
            let again = (*kind, *first) == (last.0, last.1);
            let number = if again { last.2 + 1 } else { *first };
            room.numbers[*vertex as usize] = number;
            last = (*kind, *first, number);
        }
        if let Start::Open(open) = &prepared.start {
            open.number_names(room);
        }
        room.threads.clear();
        for (at, t) in (0..).zip(threads) {
            let shape = t.hash;
            let atoms = part(&room.atoms, &room.ends, at).iter();
            let whole = hash(shape, atoms.map(|a| colors[*a as usize]));
            room.threads.push((shape, whole, at));
        }
        room.threads.sort_unstable();
        let mut next = prepared.names().len() as u32;
        for (_, _, at) in &room.threads {
            for atom in part(&room.atoms, &room.ends, *at) {
                let number = &mut room.numbers[*atom as usize];
                if *number == NONE {
                    *number = next;
                    next += 1;
                }
            }
        }
    }

    /// Leaves names and order as they are; only numbers of generics that are no longer used are closed up, and the threads put
    /// in order.
    fn keep(&self, room: &mut Room, prepared: &Prepared, threads: &[Numbered<'_>]) {
        let pieces = &self.codec.pieces;
        let generics = prepared.generics();
        room.numbers.clear();
        room.numbers.extend_from_slice(prepared.numbers());
        room.threads.clear();
        for t in threads {
            let atom = |a: &Atom| match a.as_generic() {
                Some(g) => Atom::generic(generics[g as usize]),
                None => *a,
            };
            let atoms = t.atoms.iter().map(atom);
            let p = pieces.renamed(&mut room.desk.pieces, self.store, *t, atoms);
            room.threads
                .push((pieces.get(p).hash, pieces.get(p).content, p));
        }
        room.threads.sort_unstable();
        room.vector.clear();
        if let Start::Fixed(start) = prepared.start {
            room.vector.extend(start);
        }
        room.vector.extend(room.threads.iter().map(|(_, _, p)| *p));
    }
}

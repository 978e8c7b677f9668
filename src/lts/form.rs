//! The canonical form of a state, as a vector.
//!
//! A state is trimmed to what its future depends on. If states that are equal up to renaming are to be one, generics,
//! elements and restricted names are put into an order that does not depend on what they are called (`refine`), and
//! renamed; otherwise only the threads are put in order. Equal vectors are equal states up to renaming in any case.

use super::codec::{Codec, Desk, Environment, Threads, Vector};
use super::piece::{Atom, PieceId};
use super::refine::{Colors, SINGLE, Structure};
use super::trim::Trimmed;
use crate::equiv::canon::mix;
use crate::term::{TermId, TermStore};

/// The names of a state in the order of its canonical form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The indices of the elements.
    pub indices: Vec<u32>,
    /// The generics.
    pub generics: Vec<u32>,
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

/// Room for the work of one worker; but for what it remembers of components, written anew for each state.
#[derive(Debug, Default)]
pub struct Room {
    trimmed: Trimmed,
    structure: Structure,
    /// The restricted names, and for each its vertex, or that it occurs once.
    names: Vec<Atom>,
    shared: Vec<u32>,
    /// What the atoms of the elements and threads are: generics by place, names by place after all generics and elements.
    /// Where each row ends.
    atoms: Vec<u32>,
    ends: Vec<usize>,
    colors: Colors,
    /// Places of generics and of elements among those that are kept.
    generics: Vec<u32>,
    elements: Vec<u32>,
    order: Order,
    /// The threads, in order.
    threads: Vec<(u64, u64, PieceId)>,
    /// Of each generic, element and name.
    numbers: Vec<u32>,
    env: Environment,
    desk: Desk,
    /// The environment of a state that is brought into canonical form.
    pub before: Environment,
}

impl Room {
    /// The order of the names in the last form that was made.
    pub fn order(&self) -> Order {
        Order {
            indices: sorted(&self.order.indices, &self.trimmed.elements),
            generics: sorted(&self.order.generics, &self.trimmed.generics),
        }
    }
}

fn sorted(order: &[u32], kept: &[u32]) -> Vec<u32> {
    order.iter().map(|at| kept[*at as usize]).collect()
}

/// Where each of some kept numbers is kept.
fn places(kept: &[u32], all: usize, places: &mut Vec<u32>) {
    places.clear();
    places.resize(all, u32::MAX);
    for (at, number) in (0..).zip(kept) {
        places[*number as usize] = at;
    }
}

/// What the atoms of a row are.
fn atoms<'a>(atoms: &'a [u32], ends: &[usize], row: u32) -> &'a [u32] {
    let row = row as usize;
    let start = if row == 0 { 0 } else { ends[row - 1] };
    &atoms[start..ends[row]]
}

/// Sorts names, each once. Those that occur more than once become vertices, from the given one on; tells how many.
fn single_out(names: &mut Vec<Atom>, shared: &mut Vec<u32>, first: u32) -> usize {
    names.sort_unstable();
    shared.clear();
    let mut count = 0;
    let mut kept = 0;
    let mut at = 0;
    while at < names.len() {
        let name = names[at];
        let again = names[at..].iter().take_while(|n| **n == name).count();
        names[kept] = name;
        kept += 1;
        shared.push(if again > 1 { first + count } else { SINGLE });
        count += u32::from(again > 1);
        at += again;
    }
    names.truncate(kept);
    count as usize
}

impl Former<'_> {
    /// The canonical form of a state.
    pub fn form(&self, room: &mut Room, env: &Environment, threads: &Threads) -> Vector {
        room.trimmed.trim(self.codec, env, threads);
        let kept = &room.trimmed;
        places(&kept.generics, env.generics.len(), &mut room.generics);
        places(&kept.elements, env.lives.len(), &mut room.elements);
        room.names.clear();
        if self.renamed {
            self.structure(room, env, threads);
            let colors = self.colors(room, threads);
            self.arrange(room, &colors, env, threads);
            room.colors = colors;
        } else {
            self.keep(room, env, threads);
        }
        self.spell(room)
    }

    /// The state as vertices and rows: elements, then threads, then Lambda.
    fn structure(&self, room: &mut Room, env: &Environment, threads: &Threads) {
        let pieces = &self.codec.pieces;
        let kept = &room.trimmed;
        let elements = || kept.elements.iter().map(|i| env.terms[*i as usize]);
        for p in elements().chain(threads.iter().copied()) {
            let atoms = pieces.get(p).atoms.iter();
            room.names
                .extend(atoms.filter(|a| a.as_generic().is_none()));
        }
        let first_element = kept.generics.len() as u32;
        let first_name = first_element + kept.elements.len() as u32;
        let shared = single_out(&mut room.names, &mut room.shared, first_name);
        let counts = [kept.generics.len(), kept.elements.len(), shared];
        let structure = &mut room.structure;
        structure.start(counts.into_iter());
        room.atoms.clear();
        room.ends.clear();
        let mut element = first_element;
        for (row, p) in elements().chain(threads.iter().copied()).enumerate() {
            let piece = pieces.get(p);
            let start = room.atoms.len();
            room.atoms.extend(piece.atoms.iter().map(|a| {
                let name = || room.names.binary_search(a).unwrap_or_else(|at| at) as u32;
                let generic = a.as_generic().map(|g| room.generics[g as usize]);
                generic.unwrap_or_else(|| first_name + name())
            }));
            room.ends.push(room.atoms.len());
            let vertex = |a: &u32| match a.checked_sub(first_name) {
                Some(name) => room.shared[name as usize],
                None => *a,
            };
            let tokens = room.atoms[start..].iter().map(vertex);
            if row < kept.elements.len() {
                let tokens = std::iter::once(element).chain(tokens);
                structure.row(mix(19, piece.hash), tokens, false);
                element += 1;
                if element == first_name {
                    structure.end_kind();
                }
            } else {
                structure.row(mix(17, piece.hash), tokens, false);
            }
        }
        structure.end_kind();
        for e in &kept.entries {
            let forbidden = self.codec.entries.get(*e);
            let universals = forbidden.entry.universals.iter();
            let shape = universals.fold(mix(23, forbidden.shape), |h, l| {
                mix(h, u64::from(kept.rank(*l)))
            });
            let place = |g: &u32| room.generics[*g as usize];
            let level = |g: &u32| kept.levels[place(g) as usize];
            // Of two generics of one level either may be written first.
            let same_level = |g: &[u32]| level(&g[0]) == level(&g[1]);
            let unordered = forbidden.is_difference && same_level(&forbidden.generics);
            let indices = forbidden.indices.iter();
            let indices = indices.map(|i| first_element + room.elements[*i as usize]);
            let tokens = forbidden.generics.iter().map(place).chain(indices);
            structure.row(shape, tokens, unordered);
        }
        structure.end_kind();
        let colors = &mut room.colors;
        colors.clear();
        colors.extend(kept.levels.iter().map(|l| mix(12, u64::from(*l))));
        colors.extend(kept.lives.iter().map(|l| {
            let dead = l.dead.map_or(0, |d| u64::from(d) + 1);
            mix(mix(mix(13, u64::from(l.born)), dead), u64::from(l.opened))
        }));
        colors.resize(colors.len() + shared, mix(11, 7));
    }

    /// Different colours for all vertices.
    fn colors(&self, room: &mut Room, threads: &Threads) -> Colors {
        let mut structure = std::mem::take(&mut room.structure);
        let colors = std::mem::take(&mut room.colors);
        let elements = room.trimmed.elements.len();
        let rest = elements..elements + threads.len() + room.trimmed.entries.len();
        let colors = structure.tell_apart(colors, &mut |structure, colors| {
            self.number(room, structure, colors, threads);
            // Vertices, that is without names that occur once, by number.
            let mut numbers = room.numbers.clone();
            for (name, vertex) in room.shared.iter().enumerate() {
                if let Some(number) = numbers.get_mut(*vertex as usize) {
                    let generics = room.trimmed.generics.len();
                    *number = room.numbers[generics + elements + name];
                }
            }
            let spelt = |row: usize| structure.spelling(row, &numbers);
            let first = room.order.indices.iter().map(|i| spelt(*i as usize));
            let first = first.fold(0, mix);
            // The sum does not depend on the order.
            let sum = rest.clone().map(|row| mix(3, spelt(row)));
            mix(first, sum.fold(0, u64::wrapping_add))
        });
        room.structure = structure;
        colors
    }

    /// Numbers everything by the colours of the vertices: generics and elements by age first, names in order of
    /// occurrence. Puts the threads in order.
    fn number(&self, room: &mut Room, structure: &Structure, colors: &Colors, threads: &Threads) {
        let kept = &room.trimmed;
        let (generics, elements) = (kept.levels.len(), kept.lives.len());
        room.order.generics.clear();
        room.order.generics.extend(0..generics as u32);
        let of_generic = |g: &u32| (kept.levels[*g as usize], colors[*g as usize]);
        room.order.generics.sort_unstable_by_key(of_generic);
        room.order.indices.clear();
        room.order.indices.extend(0..elements as u32);
        let of_element = |i: &u32| {
            let born = kept.lives[*i as usize].born;
            (born, colors[generics + *i as usize])
        };
        room.order.indices.sort_unstable_by_key(of_element);
        room.threads.clear();
        for (row, p) in (elements..).zip(threads) {
            let shape = self.codec.pieces.get(*p).hash;
            let whole = structure.hash(row, colors);
            room.threads.push((shape, whole, row as u32));
        }
        room.threads.sort_unstable();
        room.numbers.clear();
        room.numbers
            .resize(generics + elements + room.names.len(), u32::MAX);
        for (n, g) in (0..).zip(&room.order.generics) {
            room.numbers[*g as usize] = n;
        }
        for (n, i) in (0..).zip(&room.order.indices) {
            room.numbers[generics + *i as usize] = n;
        }
        let rows = room.order.indices.iter().copied();
        let rows = rows.chain(room.threads.iter().map(|(_, _, row)| *row));
        let mut next = 0;
        for row in rows {
            for atom in atoms(&room.atoms, &room.ends, row) {
                let number = &mut room.numbers[*atom as usize];
                if *number == u32::MAX {
                    *number = next;
                    next += 1;
                }
            }
        }
    }

    /// Renames threads and elements by the colours of the vertices.
    fn arrange(&self, room: &mut Room, colors: &Colors, env: &Environment, threads: &Threads) {
        let structure = std::mem::take(&mut room.structure);
        self.number(room, &structure, colors, threads);
        room.structure = structure;
        let pieces = &self.codec.pieces;
        let first_name = room.trimmed.generics.len() + room.trimmed.elements.len();
        let mut rename = |p: PieceId, row: u32| {
            let atom = |a: &u32| {
                let number = room.numbers[*a as usize];
                if (*a as usize) < first_name {
                    Atom::generic(number)
                } else {
                    Atom::name(self.pool[number as usize])
                }
            };
            let atoms = atoms(&room.atoms, &room.ends, row).iter().map(atom);
            pieces.renamed(&mut room.desk.pieces, self.store, p, atoms)
        };
        room.env.terms.clear();
        for i in &room.order.indices {
            let term = env.terms[room.trimmed.elements[*i as usize] as usize];
            room.env.terms.push(rename(term, *i));
        }
        let first = room.trimmed.elements.len();
        for (_, _, row) in &mut room.threads {
            let thread = threads[*row as usize - first];
            *row = rename(thread, *row);
        }
    }

    /// Leaves names and order as they are; only numbers that are no longer used are closed up, and the threads put in
    /// order.
    fn keep(&self, room: &mut Room, env: &Environment, threads: &Threads) {
        let kept = &room.trimmed;
        let pieces = &self.codec.pieces;
        let generics = 0..kept.generics.len() as u32;
        let elements = 0..kept.elements.len() as u32;
        room.numbers.clear();
        room.numbers
            .extend(generics.clone().chain(elements.clone()));
        room.order.generics.clear();
        room.order.generics.extend(generics);
        room.order.indices.clear();
        room.order.indices.extend(elements);
        let mut rename = |p: PieceId| {
            let atom = |a: &Atom| match a.as_generic() {
                Some(g) => Atom::generic(room.generics[g as usize]),
                None => *a,
            };
            let atoms = pieces.get(p).atoms.iter().map(atom);
            pieces.renamed(&mut room.desk.pieces, self.store, p, atoms)
        };
        let terms = kept.elements.iter().map(|i| env.terms[*i as usize]);
        room.env.terms.clear();
        room.env.terms.extend(terms.map(&mut rename));
        room.threads.clear();
        let threads = threads.iter().map(|p| rename(*p));
        room.threads
            .extend(threads.map(|p| (pieces.get(p).hash, pieces.get(p).content, p)));
        room.threads.sort_unstable();
    }

    /// The vector of the state: its threads and elements have been renamed, the rest is done here.
    fn spell(&self, room: &mut Room) -> Vector {
        let (kept, numbers) = (&room.trimmed, &room.numbers);
        let out = &mut room.env;
        out.level = kept.level;
        out.lives.clear();
        let indices = room.order.indices.iter();
        out.lives.extend(indices.map(|i| kept.lives[*i as usize]));
        out.generics.clear();
        let generics = room.order.generics.iter();
        out.generics
            .extend(generics.map(|g| kept.levels[*g as usize]));
        let generic = |g: u32| {
            let place = room.generics[g as usize] as usize;
            (numbers[place], kept.levels[place])
        };
        let index = |i: u32| {
            let place = kept.generics.len() as u32 + room.elements[i as usize];
            numbers[place as usize]
        };
        let entries = &self.codec.entries;
        out.entries.clear();
        for e in &kept.entries {
            let local = &mut room.desk.entries;
            let renamed = entries.renamed(local, self.store, *e, generic, index, |l| kept.rank(l));
            out.entries.push(renamed);
        }
        out.entries
            .sort_unstable_by_key(|e| (entries.get(*e).hash, *e));
        out.entries.dedup();
        let mut vector = Vector::new();
        vector.extend(self.codec.spell(&mut room.desk, out));
        vector.extend(room.threads.iter().map(|(_, _, p)| *p));
        vector
    }
}

//! Threads and elements, each with its atoms apart.
//!
//! A piece is a thread or an element of K. It has a *shape*, in which every restricted name and
//! every generic is a hole, and the *atoms* in the holes, in order of first occurrence. Renaming a
//! piece renames its atoms. A term is built only if the renamed piece is new. Different pieces have
//! different numbers.

use super::interner::{Interner, RecentCache, index};
use crate::engine::joint::node::Thread;
use crate::engine::joint::private_form::{is_private, mix};
use crate::engine::joint::template::{TemplateId, Values};
use crate::term::{TermId, TermStore, View, ranges};
use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::ops::Deref;

/// First variable that stands for a hole.
const HOLES: u32 = ranges::PIECES.start;

/// Words of a piece that is an element, where a thread has its template.
const ELEMENT: u32 = u32::MAX;

/// The number of a piece.
pub(super) type PieceId = u32;

/// A restricted name or a generic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Atom(u32);

impl Atom {
    /// A generic.
    pub(super) fn generic(g: u32) -> Self {
        Self(g << 1)
    }

    /// A restricted name.
    pub(super) fn name(t: TermId) -> Self {
        Self((t.slot() as u32) << 1 | 1)
    }

    /// The number of a generic; `None` for a name.
    pub(super) fn as_generic(self) -> Option<u32> {
        (self.0 & 1 == 0).then_some(self.0 >> 1)
    }

    /// A dense number for tables indexed by restricted name.
    pub(super) fn slot(self) -> u32 {
        self.0 >> 1
    }

    fn term(self, store: &TermStore) -> TermId {
        match self.as_generic() {
            Some(g) => store.generic(g),
            None => TermId::from_slot(self.0 >> 1),
        }
    }
}

/// The atoms of a piece.
pub(super) type Atoms = SmallVec<[Atom; 6]>;

/// A thread or an element.
#[derive(Debug)]
pub(super) struct Piece {
    /// The number of its shape.
    pub shape: u32,
    /// A hash of its shape, the same in every run.
    pub hash: u64,
    /// A hash of all of it, the same in every run.
    pub content: u64,
    /// What is in the holes, in order of first occurrence.
    pub atoms: Atoms,
    /// The generics among them, as bits; those beyond 63 are left out.
    pub generics: u64,
    /// The template of a thread.
    template: u32,
    /// The values of a thread, or the term of an element.
    pub values: Values,
    /// There are joint keys: with other atoms their exponents may stand in the other order, and the
    /// shape is another one.
    twofold: bool,
}

impl Piece {
    /// The thread.
    pub(super) fn thread(&self) -> Thread {
        Thread {
            template: self.template(),
            values: self.values.clone(),
        }
    }

    /// The template of a thread.
    pub(super) fn template(&self) -> TemplateId {
        TemplateId(self.template)
    }

    /// The term of an element.
    pub(super) fn term(&self) -> TermId {
        self.values[0]
    }
}

/// A piece with its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbered<'a> {
    /// The number.
    pub id: PieceId,
    piece: &'a Piece,
}

impl Deref for Numbered<'_> {
    type Target = Piece;

    fn deref(&self) -> &Piece {
        self.piece
    }
}

/// Several of them.
pub(super) type Several<'a> = SmallVec<[Numbered<'a>; 12]>;

/// The renamed pieces that a worker has cached.
#[derive(Debug, Default)]
pub(super) struct Renames {
    known: RecentCache,
    words: Vec<u32>,
}

/// All pieces.
pub(super) struct Pieces {
    /// Template and values with holes.
    shapes: Interner,
    /// Shape and atoms.
    index: DashMap<Box<[u32]>, PieceId, FxBuildHasher>,
    /// Template and values.
    spelt: DashMap<Box<[u32]>, PieceId, FxBuildHasher>,
    list: boxcar::Vec<Piece>,
}

impl Default for Pieces {
    fn default() -> Self {
        Self {
            shapes: Interner::default(),
            index: index(),
            spelt: index(),
            list: boxcar::Vec::new(),
        }
    }
}

impl Pieces {
    /// The piece of a number.
    pub(super) fn get(&self, id: PieceId) -> &Piece {
        &self.list[id as usize]
    }

    /// The piece of a number, with the number.
    pub(super) fn numbered(&self, id: PieceId) -> Numbered<'_> {
        let piece = self.get(id);
        Numbered { id, piece }
    }

    /// The pieces of some numbers.
    pub(super) fn several(&self, ids: &[PieceId]) -> Several<'_> {
        ids.iter().map(|id| self.numbered(*id)).collect()
    }

    /// The piece of a thread.
    pub(super) fn thread(&self, store: &TermStore, thread: &Thread) -> PieceId {
        self.spelt(store, thread.template.0, &thread.values)
    }

    /// The piece of an element.
    pub(super) fn element(&self, store: &TermStore, term: TermId) -> PieceId {
        self.spelt(store, ELEMENT, &[term])
    }

    fn spelt(&self, store: &TermStore, template: u32, values: &[TermId]) -> PieceId {
        let mut words: SmallVec<[u32; 12]> = SmallVec::new();
        words.push(template);
        words.extend(values.iter().map(|v| v.slot() as u32));
        if let Some(id) = self.spelt.get(&words[..]) {
            return *id;
        }
        let mut atoms = Atoms::new();
        let mut hash = mix(5, u64::from(template));
        let mut shape: SmallVec<[u32; 12]> = SmallVec::new();
        shape.push(template);
        for v in values {
            let facts = store.facts(*v);
            let mut open = *v;
            if facts.has_secret || facts.has_generic {
                open = store.map_atoms(*v, &mut |t| {
                    let atom = match store.view(t) {
                        View::Generic(g) => Atom::generic(g),
                        _ if is_private(store, t) => Atom::name(t),
                        _ => return None,
                    };
                    let at = atoms.iter().position(|a| *a == atom).unwrap_or_else(|| {
                        atoms.push(atom);
                        atoms.len() - 1
                    });
                    Some(store.var(HOLES + at as u32))
                });
            }
            hash = mix(hash, store.facts(open).hash);
            shape.push(open.slot() as u32);
        }
        let shape = self.shapes.intern(&shape);
        let id = self.filled(&spelling(shape, &atoms), || Piece {
            shape,
            hash,
            content: content(store, values),
            generics: generics(&atoms),
            atoms: atoms.clone(),
            template,
            values: values.into(),
            twofold: is_twofold(store, values),
        });
        self.spelt.insert(words.into_boxed_slice(), id);
        id
    }

    /// The piece with other atoms in its holes, for a worker.
    pub(super) fn renamed(
        &self,
        local: &mut Renames,
        store: &TermStore,
        piece: Numbered<'_>,
        atoms: impl Iterator<Item = Atom>,
    ) -> PieceId {
        let words = &mut local.words;
        words.clear();
        words.push(piece.shape);
        words.extend(atoms.map(|a| a.0));
        let same = |(a, word): (&Atom, &u32)| a.0 == *word;
        if piece.atoms.iter().zip(&words[1..]).all(same) {
            return piece.id;
        }
        if piece.twofold {
            let values = self.values_of(store, piece.shape, words);
            return self.spelt(store, piece.template, &values);
        }
        let alike = |id| {
            let other = self.get(id);
            let atoms = other.atoms.iter().map(|a| a.0);
            other.shape == words[0] && atoms.eq(words[1..].iter().copied())
        };
        local.known.get(words, alike, || {
            self.filled(words, || {
                let values = self.values_of(store, piece.shape, words);
                let atoms: Atoms = words[1..].iter().map(|word| Atom(*word)).collect();
                Piece {
                    shape: piece.shape,
                    hash: piece.hash,
                    content: content(store, &values),
                    generics: generics(&atoms),
                    atoms,
                    template: piece.template,
                    values,
                    twofold: false,
                }
            })
        })
    }

    /// The values of a shape with atoms in its holes: these follow the first word.
    fn values_of(&self, store: &TermStore, shape: u32, words: &[u32]) -> Values {
        let shape = self.shapes.get(shape);
        let fill = |word: &u32| {
            let open = TermId::from_slot(*word);
            store.map_atoms(open, &mut |t| match store.view(t) {
                View::Var(v) if v >= HOLES => {
                    Some(Atom(words[1 + (v - HOLES) as usize]).term(store))
                }
                _ => None,
            })
        };
        shape[1..].iter().map(fill).collect()
    }

    /// The piece of a shape and atoms; made if it is new.
    fn filled(&self, words: &[u32], make: impl FnOnce() -> Piece) -> PieceId {
        if let Some(id) = self.index.get(words) {
            return *id;
        }
        let piece = make();
        // The shard stays locked while the piece is appended, so each gets one number.
        let entry = self.index.entry(words.into());
        *entry.or_insert_with(|| self.list.push(piece) as PieceId)
    }

    /// Words of all pieces: shapes, and the atoms in them.
    pub(super) fn words(&self) -> u64 {
        let atoms = self.list.iter().map(|(_, p)| 1 + p.atoms.len() as u64);
        self.shapes.words() + atoms.sum::<u64>()
    }
}

/// Whether there are joint keys in some terms.
fn is_twofold(store: &TermStore, values: &[TermId]) -> bool {
    let mut found = false;
    if store.has_groups() {
        for v in values {
            store.visit(*v, &mut |t| {
                found |= matches!(store.view(t), View::Joint(..));
                !found
            });
        }
    }
    found
}

/// The generics among atoms, as bits.
fn generics(atoms: &[Atom]) -> u64 {
    let all = atoms.iter().filter_map(|a| a.as_generic());
    all.filter(|g| *g < 64).fold(0, |bits, g| bits | 1 << g)
}

/// A shape and atoms.
fn spelling(shape: u32, atoms: &[Atom]) -> SmallVec<[u32; 12]> {
    let mut words = SmallVec::new();
    words.push(shape);
    words.extend(atoms.iter().map(|a| a.0));
    words
}

/// A hash of the values of a piece, the same in every run.
fn content(store: &TermStore, values: &[TermId]) -> u64 {
    let hashes = values.iter().map(|v| store.facts(*v).hash);
    hashes.fold(7, mix)
}

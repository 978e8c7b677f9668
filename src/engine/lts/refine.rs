//! Colour refinement: distinguishing what is renamed by where it occurs.
//!
//! The *vertices* are what is renamed: generics, elements and restricted names. A *row* is a piece
//! or a part of an entry of Lambda: its shape and the vertices in it. Vertices are coloured by the
//! rows and places in which they occur, again and again, until nothing more is distinguished. Only
//! *open* vertices get new colours: the others are already distinguished.
//!
//! Left to others: ties that remain (`ties`).

mod ties;

use crate::engine::joint::private_form::mix;
use std::ops::Range;

/// In a row, for a vertex that occurs nowhere else: it needs no colour, as the row distinguishes
/// it.
const SINGLE: u32 = u32::MAX;

/// The colour of such a vertex.
pub(super) const PLAIN: u64 = 0;

/// Hashes of the vertices.
pub(super) type Colours = Vec<u64>;

/// A piece or a part of an entry of Lambda.
#[derive(Clone, Debug)]
struct Row {
    shape: u64,
    tokens: Range<usize>,
    /// The order of the tokens means nothing.
    unordered: bool,
}

/// The rows of a state and its open vertices; written anew for each.
#[derive(Clone, Debug, Default)]
pub(super) struct Structure {
    rows: Vec<Row>,
    tokens: Vec<u32>,
    /// Where each kind of row ends.
    groups: Vec<usize>,
    /// The open vertices, in order, and where each kind of them ends.
    open: Vec<u32>,
    kinds: Vec<usize>,
    next: Vec<u64>,
    sorted: Vec<u64>,
    /// Hashes of the rows.
    hashes: Vec<u64>,
    /// Images of vertices under an exchange.
    images: Vec<u32>,
}

/// Vertices that are compared each with each; more are sorted.
const FEW: usize = 12;

/// A hash of a shape and values.
pub(super) fn hash(shape: u64, values: impl Iterator<Item = u64>) -> u64 {
    values.fold(shape, mix)
}

impl Structure {
    /// Starts anew.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.tokens.clear();
        self.groups.clear();
        self.open.clear();
        self.kinds.clear();
    }

    /// Opens a vertex: it is to be distinguished from the others. Vertices are opened in order;
    /// those of different kinds must differ in colour.
    pub(super) fn open(&mut self, vertex: u32) {
        self.open.push(vertex);
    }

    /// Ends a kind of vertices; ties of earlier kinds are broken first.
    pub(super) fn end_vertices(&mut self) {
        self.kinds.push(self.open.len());
    }

    /// Whether any vertex is open.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Adds a row.
    pub(super) fn row(&mut self, shape: u64, tokens: impl Iterator<Item = u32>, unordered: bool) {
        let start = self.tokens.len();
        self.tokens.extend(tokens);
        self.rows.push(Row {
            shape,
            tokens: start..self.tokens.len(),
            unordered,
        });
    }

    /// Ends a kind of rows.
    pub(super) fn end_kind(&mut self) {
        self.groups.push(self.rows.len());
    }

    /// Adds the rows of another structure, as a kind of their own.
    pub(super) fn append(&mut self, other: &Structure) {
        for row in &other.rows {
            let tokens = other.tokens[row.tokens.clone()].iter().copied();
            self.row(row.shape, tokens, row.unordered);
        }
        self.end_kind();
    }

    /// The rows in which one of these vertices occurs.
    pub(super) fn about(&self, wanted: impl Fn(u32) -> bool) -> Structure {
        let mut about = Structure::default();
        for row in &self.rows {
            let tokens = &self.tokens[row.tokens.clone()];
            if tokens.iter().any(|t| wanted(*t)) {
                about.row(row.shape, tokens.iter().copied(), row.unordered);
            }
        }
        about.rows.shrink_to_fit();
        about.tokens.shrink_to_fit();
        about
    }

    /// Bytes of the rows.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.rows) + size_of_val(&*self.tokens)
    }

    /// Whether there are no rows.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The vertices of a row.
    fn tokens(&self, row: usize) -> &[u32] {
        &self.tokens[self.rows[row].tokens.clone()]
    }

    /// A hash of a row in which vertices count by colour.
    fn hash(&self, row: usize, colours: &[u64]) -> u64 {
        self.row_hash(&self.rows[row], |t| {
            colours.get(t as usize).copied().unwrap_or(PLAIN)
        })
    }

    /// A hash of all rows in which vertices count by number. It does not depend on the order of the
    /// rows.
    pub(super) fn spelling(&self, numbers: &[u32]) -> u64 {
        let number = |t: u32| numbers.get(t as usize).map_or(0, |n| u64::from(*n));
        let rows = self.rows.iter();
        let rows = rows.map(|row| mix(3, self.row_hash(row, number)));
        rows.fold(0, u64::wrapping_add)
    }

    fn row_hash(&self, row: &Row, value: impl Fn(u32) -> u64) -> u64 {
        let tokens = self.tokens[row.tokens.clone()].iter();
        if row.unordered {
            let all = tokens.map(|t| mix(1, value(*t)));
            return mix(row.shape, all.fold(0, u64::wrapping_add));
        }
        hash(row.shape, tokens.map(|t| value(*t)))
    }

    /// One round of refinement by one kind of rows.
    fn round(&mut self, rows: Range<usize>, colours: &mut Colours) {
        self.next.clear();
        self.next.resize(colours.len(), 0);
        for row in &self.rows[rows] {
            let colour = |t: u32| colours.get(t as usize).copied().unwrap_or(PLAIN);
            let whole = self.row_hash(row, colour);
            let tokens = &self.tokens[row.tokens.clone()];
            for (place, token) in (1..).zip(tokens) {
                let place = if row.unordered { 0 } else { place };
                if let Some(slot) = self.next.get_mut(*token as usize) {
                    *slot = slot.wrapping_add(mix(whole, place));
                }
            }
        }
        for v in &self.open {
            let colour = &mut colours[*v as usize];
            *colour = mix(*colour, self.next[*v as usize]);
        }
    }

    /// The number of different colours of open vertices.
    fn classes(&mut self, colours: &Colours) -> usize {
        let colour = |v: &u32| colours[*v as usize];
        if self.open.len() <= FEW {
            let before = |n: usize| self.open[..n].iter().map(colour);
            let new = |(n, v): &(usize, &u32)| before(*n).all(|c| c != colour(v));
            return self.open.iter().enumerate().filter(new).count();
        }
        self.sorted.clear();
        self.sorted.extend(self.open.iter().map(colour));
        self.sorted.sort_unstable();
        self.sorted.dedup();
        self.sorted.len()
    }

    /// Refines. Returns whether all open vertices are distinguished. Each kind of rows uses the
    /// colours from the one before.
    pub(super) fn refine(&mut self, colours: &mut Colours) -> bool {
        if self.open.len() < 2 {
            return true;
        }
        let mut last = self.classes(colours);
        while last < self.open.len() {
            let before = last;
            let mut start = 0;
            for group in 0..self.groups.len() {
                let end = self.groups[group];
                if start < end {
                    self.round(start..end, colours);
                    last = self.classes(colours);
                    if last == self.open.len() {
                        return true;
                    }
                }
                start = end;
            }
            if last <= before {
                return false;
            }
        }
        true
    }

    /// The vertices that share their colour with another open one.
    pub(super) fn tied(&mut self, colours: &Colours) -> Vec<u32> {
        self.sorted.clear();
        self.sorted
            .extend(self.open.iter().map(|v| colours[*v as usize]));
        self.sorted.sort_unstable();
        let twice = |v: &u32| {
            let colour = colours[*v as usize];
            let first = self.sorted.partition_point(|c| *c < colour);
            self.sorted.get(first + 1) == Some(&colour)
        };
        self.open.iter().copied().filter(twice).collect()
    }
}

//! Colour refinement: telling apart what is renamed by where it occurs.
//!
//! The *vertices* are what is renamed: generics, elements and restricted names. A *row* is a piece or an entry of Lambda:
//! its shape and the vertices in it. Vertices are coloured by the rows and places in which they occur, again and again,
//! until nothing more is told apart. A tie that remains is broken by telling one of its members from the others. If the
//! members can be exchanged, it does not matter which; otherwise each is tried, and the result with the least
//! certificate counts.

use crate::equiv::canon::mix;
use smallvec::SmallVec;
use std::ops::Range;

/// Results that are compared for one state; if there are more, some equal states may stay two.
const LEAVES: usize = 64;

/// In a row, for a vertex that occurs nowhere else: it needs no colour, the row tells it from others.
pub const SINGLE: u32 = u32::MAX;

/// Hashes of the vertices.
pub type Colors = Vec<u64>;

/// A piece or an entry of Lambda.
#[derive(Debug)]
struct Row {
    shape: u64,
    tokens: Range<usize>,
    /// The order of the tokens means nothing.
    unordered: bool,
}

/// The vertices and rows of a state; written anew for each.
#[derive(Debug, Default)]
pub struct Structure {
    rows: Vec<Row>,
    tokens: Vec<u32>,
    /// Where each kind of vertex ends.
    kinds: Vec<usize>,
    /// Where each kind of row ends.
    groups: Vec<usize>,
    next: Vec<u64>,
    sorted: Vec<u64>,
    /// Hashes of the rows.
    hashes: Vec<u64>,
    /// Images of vertices under an exchange; [`OPEN`] if nothing is known.
    images: Vec<u32>,
}

/// No image is known.
const OPEN: u32 = u32::MAX;

/// Mixed into the colour of the member of a tie that is chosen.
const CHOSEN: u64 = 37;

/// Places of the table in which few colours are counted, a power of two.
const PLACES: usize = 64;

impl Structure {
    /// Starts with vertices of several kinds, one after the other; those of different kinds must differ in colour.
    pub fn start(&mut self, kinds: impl Iterator<Item = usize>) {
        self.rows.clear();
        self.tokens.clear();
        self.kinds.clear();
        self.groups.clear();
        let mut end = 0;
        for count in kinds {
            end += count;
            self.kinds.push(end);
        }
    }

    /// Adds a row.
    pub fn row(&mut self, shape: u64, tokens: impl Iterator<Item = u32>, unordered: bool) {
        let start = self.tokens.len();
        self.tokens.extend(tokens);
        self.rows.push(Row {
            shape,
            tokens: start..self.tokens.len(),
            unordered,
        });
    }

    /// Ends a kind of rows.
    pub fn end_kind(&mut self) {
        self.groups.push(self.rows.len());
    }

    /// The vertices of a row.
    fn tokens(&self, row: usize) -> &[u32] {
        &self.tokens[self.rows[row].tokens.clone()]
    }

    /// A hash of a row in which vertices count by colour.
    pub fn hash(&self, row: usize, colors: &[u64]) -> u64 {
        self.row_hash(&self.rows[row], |t| {
            colors.get(t as usize).copied().unwrap_or_default()
        })
    }

    /// A hash of a row in which vertices count by number.
    pub fn spelling(&self, row: usize, numbers: &[u32]) -> u64 {
        self.row_hash(&self.rows[row], |t| {
            numbers.get(t as usize).map_or(0, |n| u64::from(*n))
        })
    }

    fn row_hash(&self, row: &Row, value: impl Fn(u32) -> u64) -> u64 {
        let tokens = self.tokens[row.tokens.clone()].iter();
        if row.unordered {
            let all = tokens.map(|t| mix(1, value(*t)));
            return mix(row.shape, all.fold(0, u64::wrapping_add));
        }
        tokens.fold(row.shape, |h, t| mix(h, value(*t)))
    }

    /// One round of refinement: what one kind of rows tells is known to the next.
    fn round(&mut self, colors: &mut Colors) {
        let mut start = 0;
        for end in &self.groups {
            let rows = &self.rows[start..*end];
            start = *end;
            self.next.clear();
            self.next.resize(colors.len(), 0);
            for row in rows {
                let color = |t: u32| colors.get(t as usize).copied().unwrap_or_default();
                let whole = self.row_hash(row, color);
                let tokens = &self.tokens[row.tokens.clone()];
                for (place, token) in (1..).zip(tokens) {
                    let place = if row.unordered { 0 } else { place };
                    if let Some(slot) = self.next.get_mut(*token as usize) {
                        *slot = slot.wrapping_add(mix(whole, place));
                    }
                }
            }
            for (old, new) in colors.iter_mut().zip(&self.next) {
                *old = mix(*old, *new);
            }
        }
    }

    /// The number of different colours.
    fn classes(&mut self, colors: &Colors) -> usize {
        if colors.len() <= PLACES / 2 {
            return count_few(colors);
        }
        self.sorted.clear();
        self.sorted.extend(colors);
        self.sorted.sort_unstable();
        self.sorted.dedup();
        self.sorted.len()
    }

    fn refine(&mut self, colors: &mut Colors) {
        let mut last = self.classes(colors);
        while last < colors.len() {
            self.round(colors);
            let now = self.classes(colors);
            if now <= last {
                return;
            }
            last = now;
        }
    }

    /// The vertices of the least colour that several have, kind by kind.
    fn tie(&mut self, colors: &Colors) -> Option<Vec<usize>> {
        if self.classes(colors) == colors.len() {
            return None;
        }
        let mut start = 0;
        for end in &self.kinds {
            let kind = start..*end;
            start = *end;
            self.sorted.clear();
            self.sorted.extend(&colors[kind.clone()]);
            self.sorted.sort_unstable();
            if let Some(pair) = self.sorted.windows(2).find(|w| w[0] == w[1]) {
                return Some(kind.filter(|v| colors[*v] == pair[0]).collect());
            }
        }
        None
    }

    /// Tells all vertices apart in a way that does not depend on how they are numbered, and hands out the colours. Of
    /// several ways the one with the least certificate.
    pub fn tell_apart(
        &mut self,
        mut colors: Colors,
        certificate: &mut impl FnMut(&Self, &Colors) -> u64,
    ) -> Colors {
        let mut best = None;
        let mut left = LEAVES;
        let Some(tied) = self.settle(&mut colors) else {
            return colors;
        };
        self.search(&colors, &tied, certificate, &mut best, &mut left);
        best.map_or(colors, |(_, colors)| colors)
    }

    /// Refines, and breaks ties whose members can be exchanged; gives a tie that is left.
    fn settle(&mut self, colors: &mut Colors) -> Option<Vec<usize>> {
        loop {
            self.refine(colors);
            let tied = self.tie(colors)?;
            let (first, rest) = tied.split_first()?;
            self.images.clear();
            self.images.resize(colors.len(), OPEN);
            self.hashes.clear();
            for row in 0..self.rows.len() {
                let hash = self.hash(row, colors);
                self.hashes.push(hash);
            }
            if rest.iter().all(|v| self.exchangeable_alone(*first, *v)) {
                // All orders are alike.
                for (n, v) in (0..).zip(rest) {
                    colors[*v] = mix(colors[*v], 41 + n);
                }
            } else if rest.iter().all(|v| self.exchangeable(*first, *v, colors)) {
                // All choices are alike.
                colors[*first] = mix(colors[*first], CHOSEN);
            } else {
                return Some(tied);
            }
        }
    }

    /// Tries each member of a tie.
    fn search(
        &mut self,
        colors: &Colors,
        tied: &[usize],
        certificate: &mut impl FnMut(&Self, &Colors) -> u64,
        best: &mut Option<(u64, Colors)>,
        left: &mut usize,
    ) {
        for v in tied {
            if *left == 0 {
                return;
            }
            let mut colors = colors.clone();
            colors[*v] = mix(colors[*v], CHOSEN);
            if let Some(tied) = self.settle(&mut colors) {
                self.search(&colors, &tied, certificate, best, left);
                continue;
            }
            *left -= 1;
            let found = certificate(self, &colors);
            if best.as_ref().is_none_or(|(least, _)| found < *least) {
                *best = Some((found, colors));
            }
        }
    }

    /// Whether exchanging these two vertices and nothing else maps the rows to themselves.
    fn exchangeable_alone(&mut self, u: usize, v: usize) -> bool {
        self.images.fill(OPEN);
        self.images[u] = v as u32;
        self.images[v] = u as u32;
        self.is_closed()
    }

    /// Whether an exchange of vertices, among them these two, maps the rows to themselves. The other pairs are looked for
    /// where a row has no image yet, and never given up; a "no" is not certain.
    fn exchangeable(&mut self, u: usize, v: usize, colors: &Colors) -> bool {
        self.images.fill(OPEN);
        let mut work: SmallVec<[u32; 16]> = SmallVec::new();
        let pair = |images: &mut [u32], work: &mut SmallVec<[u32; 16]>, a: u32, b: u32| {
            images[a as usize] = b;
            images[b as usize] = a;
            work.extend([a, b]);
        };
        pair(&mut self.images, &mut work, u as u32, v as u32);
        while let Some(vertex) = work.pop() {
            for row in 0..self.rows.len() {
                if !self.tokens(row).contains(&vertex) {
                    continue;
                }
                let best = (0..self.rows.len())
                    .filter_map(|other| Some((self.new_pairs(row, other, colors)?, other)))
                    .min();
                let Some((_, other)) = best else {
                    return false;
                };
                for place in 0..self.tokens(row).len() {
                    let (a, b) = (self.tokens(row)[place], self.tokens(other)[place]);
                    // Of singles both are.
                    if a != b && !self.rows[row].unordered && self.images[a as usize] == OPEN {
                        pair(&mut self.images, &mut work, a, b);
                    }
                }
            }
        }
        self.is_closed()
    }

    fn image(&self, vertex: u32) -> u32 {
        match self.images.get(vertex as usize) {
            None | Some(&OPEN) => vertex,
            Some(image) => *image,
        }
    }

    /// How many more pairs the exchange needs to turn a row into another; `None` if it can't.
    fn new_pairs(&self, row: usize, other: usize, colors: &Colors) -> Option<usize> {
        let (from, to) = (&self.rows[row], &self.rows[other]);
        if self.hashes[row] != self.hashes[other] || from.shape != to.shape {
            return None;
        }
        let (a, b) = (self.tokens(row), self.tokens(other));
        if a.len() != b.len() || from.unordered != to.unordered {
            return None;
        }
        if from.unordered {
            let mut images = a.iter().map(|t| self.image(*t));
            return images.all(|t| b.contains(&t)).then_some(0);
        }
        let mut new = 0;
        for (a, b) in a.iter().zip(b) {
            if *a == SINGLE || *b == SINGLE {
                if a != b {
                    return None;
                }
                continue;
            }
            let (image, back) = (self.images[*a as usize], self.images[*b as usize]);
            let free = image == OPEN && back == OPEN;
            if free && a != b && colors[*a as usize] == colors[*b as usize] {
                new += 1;
            } else if !(image == *b || (free && a == b)) {
                return None;
            }
        }
        Some(new)
    }

    /// Whether the exchange maps the rows to themselves.
    fn is_closed(&self) -> bool {
        let touched = |row: &usize| {
            let mut tokens = self.tokens(*row).iter();
            tokens.any(|t| self.image(*t) != *t)
        };
        let rows: SmallVec<[usize; 16]> = (0..self.rows.len()).filter(touched).collect();
        let mut left = rows.clone();
        rows.iter().all(|row| {
            let twin = left.iter().position(|other| {
                let (a, b) = (&self.rows[*row], &self.rows[*other]);
                let tokens = self.tokens(*other);
                let mut images = self.tokens(*row).iter().map(|t| self.image(*t));
                a.shape == b.shape
                    && a.unordered == b.unordered
                    && a.tokens.len() == tokens.len()
                    && if a.unordered {
                        images.all(|t| tokens.contains(&t))
                    } else {
                        images.eq(tokens.iter().copied())
                    }
            });
            twin.map(|at| left.swap_remove(at)).is_some()
        })
    }
}

/// The number of different ones among few colours.
fn count_few(colors: &[u64]) -> usize {
    let mut table = [0u64; PLACES];
    let mut count = 0;
    for color in colors {
        // 0 is a free place.
        let color = (*color).max(1);
        let mut at = color as usize % PLACES;
        while table[at] != 0 && table[at] != color {
            at = (at + 1) % PLACES;
        }
        count += usize::from(table[at] == 0);
        table[at] = color;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs of a graph with its vertices renumbered canonically, in order.
    fn canonical(pairs: &[(u32, u32)], count: usize, unordered: bool) -> Vec<(u32, u32)> {
        let mut structure = Structure::default();
        structure.start([count].into_iter());
        for (a, b) in pairs {
            structure.row(1, [*a, *b].into_iter(), unordered);
        }
        structure.end_kind();
        let renumbered = |colors: &Colors| {
            let number = |v: u32| {
                let less = |c: &&u64| **c < colors[v as usize];
                colors.iter().filter(less).count() as u32
            };
            let pair = |(a, b): &(u32, u32)| {
                let (a, b) = (number(*a), number(*b));
                if unordered && b < a { (b, a) } else { (a, b) }
            };
            let mut all: Vec<(u32, u32)> = pairs.iter().map(pair).collect();
            all.sort_unstable();
            all
        };
        let mut certificate = |_: &Structure, colors: &Colors| {
            let all = renumbered(colors);
            let words = all.iter().flat_map(|(a, b)| [*a, *b]);
            words.fold(0, |h, w| mix(h, u64::from(w)))
        };
        let colors = structure.tell_apart(vec![5; count], &mut certificate);
        renumbered(&colors)
    }

    /// The same graph with other numbers and its pairs in another order.
    fn shuffled(pairs: &[(u32, u32)], count: u32, seed: u32) -> Vec<(u32, u32)> {
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_key(|v| (v * 7 + seed).wrapping_mul(2_654_435_761) >> 7);
        let name = |v: u32| order[v as usize];
        let mut all: Vec<_> = pairs.iter().map(|(a, b)| (name(*a), name(*b))).collect();
        all.rotate_left(seed as usize % pairs.len());
        all
    }

    #[test]
    fn the_form_does_not_depend_on_the_numbers() {
        let ring = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)];
        let triangles = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)];
        let tree = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5)];
        for unordered in [true, false] {
            for pairs in [&ring[..], &triangles[..], &tree[..]] {
                let form = canonical(pairs, 6, unordered);
                for seed in 0..20 {
                    let other = shuffled(pairs, 6, seed);
                    assert_eq!(canonical(&other, 6, unordered), form, "{other:?}");
                }
            }
            // Refinement alone does not tell these apart.
            assert_ne!(
                canonical(&ring, 6, unordered),
                canonical(&triangles, 6, unordered)
            );
        }
    }

    #[test]
    fn few_colors_are_counted() {
        assert_eq!(count_few(&[]), 0);
        assert_eq!(count_few(&[7, 71, 7, 135, 71]), 3);
    }
}

//! Ties that refinement leaves, and how they are broken.
//!
//! A tie is broken by telling one of its members from the others. If the members can be exchanged,
//! it does not matter which; otherwise each is tried, and the result with the least certificate
//! counts.

use super::{Colours, PLAIN, SINGLE, Structure};
use crate::engine::joint::private_form::mix;
use smallvec::SmallVec;

/// Results that are compared for one state; if there are more, some equal states may stay two.
const LEAVES: usize = 64;

/// No image is known.
const OPEN: u32 = u32::MAX;

/// Mixed into the colour of the member of a tie that is chosen.
const CHOSEN: u64 = 37;

impl Structure {
    /// Tells all vertices apart in a way that does not depend on how they are numbered, and hands
    /// out the colours. Of several ways the one with the least certificate.
    pub(crate) fn tell_apart(
        &mut self,
        mut colours: Colours,
        certificate: &mut impl FnMut(&Self, &Colours) -> u64,
    ) -> Colours {
        let mut best = None;
        let mut left = LEAVES;
        let Some(tied) = self.settle(&mut colours) else {
            return colours;
        };
        self.search(&colours, &tied, certificate, &mut best, &mut left);
        best.map_or(colours, |(_, colours)| colours)
    }

    /// The vertices of the least colour that several have, kind by kind.
    fn tie(&mut self, colours: &Colours) -> Option<SmallVec<[usize; 8]>> {
        let mut start = 0;
        for end in self.kinds.iter().chain([&self.open.len()]) {
            let kind = self.open[start..*end].iter().map(|v| *v as usize);
            start = *end;
            self.sorted.clear();
            self.sorted.extend(kind.clone().map(|v| colours[v]));
            self.sorted.sort_unstable();
            if let Some(pair) = self.sorted.windows(2).find(|w| w[0] == w[1]) {
                return Some(kind.filter(|v| colours[*v] == pair[0]).collect());
            }
        }
        None
    }

    /// Refines, and breaks ties whose members can be exchanged; gives a tie that is left.
    fn settle(&mut self, colours: &mut Colours) -> Option<SmallVec<[usize; 8]>> {
        while !self.refine(colours) {
            let tied = self.tie(colours)?;
            let (first, rest) = tied.split_first()?;
            for token in &mut self.tokens {
                if colours.get(*token as usize) == Some(&PLAIN) {
                    *token = SINGLE;
                }
            }
            self.images.clear();
            self.images.resize(colours.len(), OPEN);
            self.hashes.clear();
            for row in 0..self.rows.len() {
                let hash = self.hash(row, colours);
                self.hashes.push(hash);
            }
            let mut alone = true;
            let alike = rest.iter().all(|v| {
                let exchanged = self.exchangeable(*first, *v, colours);
                let stays = |w: &usize| w == v || self.image(*w as u32) == *w as u32;
                alone &= rest.iter().all(stays);
                exchanged
            });
            if alike && alone {
                // Each order can be made of exchanges of two: all are alike.
                for (n, v) in (0..).zip(rest) {
                    colours[*v] = mix(colours[*v], 41 + n);
                }
            } else if alike {
                // All choices are alike.
                colours[*first] = mix(colours[*first], CHOSEN);
            } else {
                return Some(tied);
            }
        }
        None
    }

    /// Tries each member of a tie.
    fn search(
        &mut self,
        colours: &Colours,
        tied: &[usize],
        certificate: &mut impl FnMut(&Self, &Colours) -> u64,
        best: &mut Option<(u64, Colours)>,
        left: &mut usize,
    ) {
        for v in tied {
            if *left == 0 {
                return;
            }
            let mut colours = colours.clone();
            colours[*v] = mix(colours[*v], CHOSEN);
            if let Some(tied) = self.settle(&mut colours) {
                self.search(&colours, &tied, certificate, best, left);
                continue;
            }
            *left -= 1;
            let found = certificate(self, &colours);
            if best.as_ref().is_none_or(|(least, _)| found < *least) {
                *best = Some((found, colours));
            }
        }
    }

    /// Whether an exchange of vertices, among them these two, maps the rows to themselves. The
    /// other pairs are looked for where a row has no image yet, and never given up; a "no" is not
    /// certain.
    fn exchangeable(&mut self, u: usize, v: usize, colours: &Colours) -> bool {
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
                // Unordered rows are checked at the end.
                if self.rows[row].unordered || !self.tokens(row).contains(&vertex) {
                    continue;
                }
                let best = (0..self.rows.len())
                    .filter_map(|other| Some((self.new_pairs(row, other, colours)?, other)))
                    .min();
                let Some((_, other)) = best else {
                    return false;
                };
                for place in 0..self.tokens(row).len() {
                    let (a, b) = (self.tokens(row)[place], self.tokens(other)[place]);
                    // Of singles both are.
                    if a != b && self.images[a as usize] == OPEN {
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
    fn new_pairs(&self, row: usize, other: usize, colours: &Colours) -> Option<usize> {
        let (from, to) = (&self.rows[row], &self.rows[other]);
        if self.hashes[row] != self.hashes[other] || from.shape != to.shape {
            return None;
        }
        let (a, b) = (self.tokens(row), self.tokens(other));
        if a.len() != b.len() || to.unordered {
            return None;
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
            if free && a != b && colours[*a as usize] == colours[*b as usize] {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs of a graph with its vertices renumbered canonically, in order.
    fn canonical(pairs: &[(u32, u32)], count: usize, unordered: bool) -> Vec<(u32, u32)> {
        let mut structure = Structure::default();
        (0..count as u32).for_each(|v| structure.open(v));
        for (a, b) in pairs {
            structure.row(1, [*a, *b].into_iter(), unordered);
        }
        structure.end_kind();
        let renumbered = |colours: &Colours| {
            let number = |v: u32| {
                let less = |c: &&u64| **c < colours[v as usize];
                colours.iter().filter(less).count() as u32
            };
            let pair = |(a, b): &(u32, u32)| {
                let (a, b) = (number(*a), number(*b));
                if unordered && b < a { (b, a) } else { (a, b) }
            };
            let mut all: Vec<(u32, u32)> = pairs.iter().map(pair).collect();
            all.sort_unstable();
            all
        };
        let mut certificate = |_: &Structure, colours: &Colours| {
            let all = renumbered(colours);
            let words = all.iter().flat_map(|(a, b)| [*a, *b]);
            words.fold(0, |h, w| mix(h, u64::from(w)))
        };
        let colours = structure.tell_apart(vec![5; count], &mut certificate);
        renumbered(&colours)
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
}

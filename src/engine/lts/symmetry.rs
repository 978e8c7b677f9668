//! Classes of the relation R between threads: equation 16 of the S3A paper, on pieces.
//!
//! Related threads have the same transitions with the same labels, and their targets differ by an
//! exchange of restricted names. So one thread of each class moves, and its successors stand for
//! those of the others. Recipes (in Upsilon and Lambda) contain no restricted names, so an exchange
//! does not change them.

use super::piece::{Atom, Numbered, Piece, PieceId, Pieces, Several};
use crate::engine::joint::halt::Halt;
use smallvec::SmallVec;

/// A class of threads, by position.
pub(super) type Class = SmallVec<[usize; 4]>;

/// The names exchanged, each pair once.
type Swap = SmallVec<[(Atom, Atom); 4]>;

/// A state whose threads are compared.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    /// All pieces.
    pub pieces: &'a Pieces,
    /// The elements that its future depends on.
    pub terms: &'a [PieceId],
    /// Its threads.
    pub threads: &'a [Numbered<'a>],
    /// When to stop in the middle.
    pub halt: &'a Halt<'a>,
}

impl Scene<'_> {
    /// Some of the threads by classes of R, related by exchanges that leave a further thread as it
    /// is; the first member of a class is its first thread. After a halt some are missing.
    pub(super) fn classes(
        self,
        threads: impl Iterator<Item = usize>,
        fixed: Option<usize>,
    ) -> SmallVec<[Class; 6]> {
        let mut classes: SmallVec<[Class; 6]> = SmallVec::new();
        for t in threads {
            if self.halt.stopped() {
                break;
            }
            let class = classes
                .iter_mut()
                .find(|class| self.related(class[0], t, fixed));
            match class {
                Some(class) => class.push(t),
                None => classes.push(smallvec::smallvec![t]),
            }
        }
        classes
    }

    /// Whether an exchange of restricted names turns a thread into another, leaves the elements and
    /// a third thread as they are, and maps the other threads onto each other.
    fn related(self, i: usize, j: usize, fixed: Option<usize>) -> bool {
        let (a, b) = (self.threads[i], self.threads[j]);
        if a.id == b.id {
            return true;
        }
        let Some(swap) = exchange(&a, &b) else {
            return false;
        };
        let moves = |a: &Atom| swap.iter().any(|(x, y)| a == x || a == y);
        let touched = |p: &Piece| p.atoms.iter().any(moves);
        if fixed.is_some_and(|f| touched(&self.threads[f]))
            || self.terms.iter().any(|p| touched(self.pieces.get(*p)))
        {
            return false;
        }
        let image = |a: &Atom| {
            let to = swap.iter().find_map(|(x, y)| match a {
                a if a == x => Some(*y),
                a if a == y => Some(*x),
                _ => None,
            });
            to.unwrap_or(*a)
        };
        let all = self.threads.iter().copied();
        let mut left: Several<'_> = all.filter(|p| touched(p)).collect();
        let moved = left.clone();
        moved.iter().all(|p| {
            let twin = left.iter().position(|q| {
                q.shape == p.shape && p.atoms.iter().map(image).eq(q.atoms.iter().copied())
            });
            twin.map(|at| left.swap_remove(at)).is_some()
        })
    }
}

/// The exchange of restricted names that turns a piece into another, if there is one.
fn exchange(a: &Piece, b: &Piece) -> Option<Swap> {
    if a.shape != b.shape {
        return None;
    }
    let mut swap = Swap::new();
    for (x, y) in a.atoms.iter().zip(&b.atoms) {
        if x.as_generic().is_some() || y.as_generic().is_some() {
            if x != y {
                return None;
            }
            continue;
        }
        let touched = |(p, q): &&(Atom, Atom)| [*p, *q].contains(x) || [*p, *q].contains(y);
        match swap.iter().find(touched) {
            Some((p, q)) if (p, q) == (x, y) || (p, q) == (y, x) => {}
            Some(_) => return None,
            None => swap.push((*x, *y)),
        }
    }
    swap.retain(|(x, y)| x != y);
    Some(swap)
}

//! Comparisons for any number of copies of each bare `!` [Sem 5.11].
//!
//! The systems are unfolded with two copies of each `!`, then with more, and compared role by role. Where the causal cones are
//! closed, more copies would add nothing to them, and the systems are equivalent for any number. `!P` and `!!P` do the same; so where
//! the `!` of the two sides are nested to different depths, those of the one are doubled.

use super::Settings;
use super::compare::Operand;
use crate::base::limits::Observer;
use crate::engine::equiv::{self, Stats, Surroundings};
use crate::process::{Bounds, CopyPath, InstanceId, Repetition, Shapes, System, unfold_repeated};
use crate::term::TermStore;

/// The numbers of copies that are tried.
const TRIED: [u32; 5] = [2, 3, 4, 6, 8];

/// What was found out about more copies of each `!` than were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyNumber {
    /// The systems are equivalent for any number; that was seen with so many.
    Closed(u32),
    /// They are equivalent with so many copies, role by role; there, one more might have made further runs.
    Open(u32),
}

/// Two systems that may be unfolded with copies.
pub(super) struct Copied<'a> {
    pub store: &'a TermStore,
    pub sides: [Operand<'a>; 2],
    pub around: Surroundings<'a>,
    pub settings: &'a Settings,
    pub options: &'a equiv::Options,
    pub observer: &'a dyn Observer,
    /// The instance whose role instances run any number of times, if they do.
    pub roles: Option<InstanceId>,
}

impl Copied<'_> {
    /// Looks for a number of copies with which the cones are closed.
    pub(super) fn look(&self) -> (Option<AnyNumber>, Option<Stats>) {
        let mut more: [Vec<u32>; 2] = Default::default();
        let mut open = None;
        for copies in TRIED {
            let Some(mut systems) = self.unfolded(copies, &more) else {
                break;
            };
            if copies == TRIED[0] {
                let nested = systems.each_ref().map(nesting);
                let [left, right] = &nested;
                if nested.iter().all(Vec::is_empty) {
                    break;
                }
                if left.len() == right.len() && left != right {
                    let lacks = |mine: &[u32], other: &[u32]| {
                        let pairs = mine.iter().zip(other);
                        pairs.map(|(m, o)| o.saturating_sub(*m)).collect()
                    };
                    more = [lacks(left, right), lacks(right, left)];
                    match self.unfolded(copies, &more) {
                        Some(doubled) => systems = doubled,
                        None => break,
                    }
                }
            }
            let [left, right] = &systems;
            let (store, around) = (self.store, &self.around);
            let options = self.options;
            match equiv::any_number(store, left, right, around, options, self.observer) {
                equiv::AnyNumber::Closed(stats) => {
                    return (Some(AnyNumber::Closed(copies)), Some(stats));
                }
                equiv::AnyNumber::Crowded => open = Some(AnyNumber::Open(copies)),
                equiv::AnyNumber::Unknown | equiv::AnyNumber::GaveUp => break,
            }
        }
        (open, None)
    }

    /// Both systems with so many copies of each `!`; `None` if they are too large, or if recursion was cut.
    fn unfolded(&self, copies: u32, more: &[Vec<u32>; 2]) -> Option<[System; 2]> {
        let bounds = Bounds {
            copies,
            trim: true,
            ..self.settings.bounds
        };
        let mut shapes = Shapes::new();
        let mut one = |side: usize| {
            let Operand { program, closed } = self.sides[side];
            let repetition = Repetition {
                roles: self.roles,
                more: more[side].clone(),
            };
            let store = self.store;
            let system = unfold_repeated(program, store, closed, bounds, &mut shapes, &repetition);
            system.ok().filter(|s| s.cuts.is_empty())
        };
        Some([one(0)?, one(1)?])
    }
}

/// For each `!` that is in no other, in their order, how many are nested there at most.
fn nesting(system: &System) -> Vec<u32> {
    let mut paths: Vec<&CopyPath> = system.copies.values().collect();
    paths.sort_unstable();
    let mut found: Vec<(u32, u32)> = Vec::new();
    for path in paths {
        let Some((outer, _)) = path.first() else {
            continue;
        };
        let depth = path.len() as u32;
        match found.last_mut() {
            Some((last, deepest)) if last == outer => *deepest = depth.max(*deepest),
            _ => found.push((*outer, depth)),
        }
    }
    found.into_iter().map(|(_, depth)| depth).collect()
}

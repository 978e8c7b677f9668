//! Whether what the cones found depends on how many copies of a `!` there are [Sem 5.11].
//!
//! L and R have bare `!`; `L_n` and `R_n` have n copies in the place of each, on a channel for each process. The copies are marked
//! ([`CopyPath`](crate::process::CopyPath)). A class of interchangeable bundles *grows* if it has a copy. The procedure looks at two things:
//!
//! 1. *Matching* ([`Cast::repeats`]). The first steps of a copy are in one bundle, with nothing of another copy of the same `!`. The bundles
//!    that have a copy of a `!` have a copy of the same other ones, on both sides, and nothing that is in none; they are in one class; there are
//!    two of them at least. Every marked process is in such a bundle, for each `!` around it.
//! 2. *Room.* Wherever the run of a fact is put on a run ([`merge`](super::merge)), for each of its bundles of a growing class there was one in
//!    the class that neither the run nor the bundles placed before had; and no run that was looked at has all bundles of a growing class.
//!
//! **Theorem.** *If the procedure on `L_n` and `R_n` ends with all looks passed, (1) and (2), then `L_m` and `R_m` are equivalent for all m, and so
//! are L and R, for may testing, in the classical and in the private semantics, on the channels that they share.*
//!
//! *More copies.* Let m > n. By (1) the bundles of each growing class are isomorphic, on both sides at once with one renaming of channels. Add m - n
//! bundles of the same look for each group of `!` that is copied together, with channels and restricted names of their own: that gives `L_m` and `R_m`,
//! with a channel for each process and some matching of processes, since each of these bundles has exactly one copy of each `!` of its group.
//! That names are right needs two copies: a name that is made outside of a `!` and occurs in it occurs in both of two copies, so that
//! it is none of a bundle's own; with one copy it would pass for that. The systems are a case for the procedure: a new bundle has
//! threads of its own. Now take the facts, places and looks that were found for n copies, with all exchanges of the bundles of the m. The argument of
//! [the module](super) is by induction on the runs of `L_m` and `R_m`, and uses of the saturated set only that derivations can be put
//! together: a fact, with any bundles of the system in the places of its own, and a run that has some bundles. Of the bundles of a class that the run
//! does not have, and no bundle of the fact has taken, all are alike: an exchange of two of them leaves the run as it is. So each way to do so
//! is, up to an exchange, one with bundles of the run or with the first of the others. By (2) that one existed among n whenever there is
//! one among m; so the way was tried. A run that was found passes its looks on the other side of `L_m`, `R_m` as it did with n copies: processes
//! that do no action of it do not take part, and exchanges are for both sides.
//!
//! - *Frozen runs* ([`contains`](super::goal::Solver), `makes`) take no thread that they do not have, however many there are; so (2) is not asked there.
//! - *Forks.* Of the parts of a fork that are interchangeable the first one goes on, whatever their number. A bundle is exchanged with all that it splits into; the
//!   copies of a `!` within it are a class within it, with the same number of copies in each bundle of the class, n or m.
//! - *Other branches* ([`refine`](super::refine)) put facts of the other side on a run in the same way, and are counted in the same way.
//! - *Left out* is what a run has already: the run, not the number of copies, decides it.
//! - *`knows`.* What the environment knows at first occurs outside of every `!`, and a name in it is no bundle's own.
//! - *Functions, destructors, joint keys* concern one term and the ways to make or open it, never the number of threads.
//! - *Limits.* A run that ends at a limit of any kind has found nothing.
//!
//! *Fewer copies.* Let m < n. A run of `L_m` is one of `L_n` in which the processes of n - m bundles of each group do nothing; `R_n` has it too, and there the same channels are not used.
//! These channels are those of the same bundles, so it is a run of `R_m`, with the same messages.
//!
//! *Shared channels.* That is role by role [Sem 5.7], for each m and any matching, in both semantics.
//!
//! *Any number.* A test that L passes is passed in a run with finitely many copies of each `!`, hence by some `L_m`, by `R_m`, and by R. As `!P` and `!!P` pass the
//! same tests, a side may be unfolded as if it had more `!` around one.
//!
//! What (2) refuses need not differ: chains such as `{x}k -> {H(x)}k` have longer and longer runs, and are not closed with any number of copies.
//! The counts of places and facts prove nothing: a difference that needs five copies does not change them with two, three or four.

use super::cast::Cast;
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether a run of the procedure depends on how many copies of the marked `!` there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closure {
    /// It does not: there was room for one more wherever a copy could take a place.
    Closed,
    /// One more copy might have taken a place.
    Crowded,
    /// The copies of the `!` of both sides are not matched one to one, or are not interchangeable.
    Unmatched,
}

impl Closure {
    /// For a run that found all looks passed, and whether there was no room somewhere.
    pub(super) fn of(cast: &Cast, crowded: bool) -> Self {
        match (cast.repeats, crowded) {
            (false, _) => Closure::Unmatched,
            (true, true) => Closure::Crowded,
            (true, false) => Closure::Closed,
        }
    }
}

/// Whether some threads have all bundles of a growing class.
pub(super) fn is_full(cast: &Cast, clock: &[(u16, u16)]) -> bool {
    if !cast.copied {
        return false;
    }
    let mut used: FxHashMap<(u32, u32), FxHashSet<u32>> = FxHashMap::default();
    for number in clock
        .iter()
        .flat_map(|(thread, _)| cast.bundles_of(*thread))
    {
        let bundle = &cast.bundles[number as usize];
        let class = (bundle.parent, bundle.class);
        used.entry(class).or_default().insert(number);
    }
    used.iter().any(|((parent, class), used)| {
        let parent = &cast.bundles[*parent as usize];
        parent.grows[*class as usize] && parent.classes[*class as usize].len() == used.len()
    })
}

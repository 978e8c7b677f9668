//! What the comparisons must answer: for each model its systems, with the number of nodes where that is pinned.
//!
//! A change of the engine that changes numbers of nodes is followed by a change here: the report at the end of a run says
//! the old and the new ones. A system without a number must have the verdict, and the same number with one and two threads.

use super::super::models::{
    DENNING_SACCO, LOWE, OTWAY_REES, OTWAY_REES_FLAT, PRIVATE_AUTHENTICATION, WIDE_MOUTHED_FROG,
    YAHALOM, YAHALOM_KEY, access_control, anonymity, telephony, unlinkability,
};
use super::super::scenario::{
    Channels::{self, Own, Shared},
    Protocol,
};

/// A protocol with a question about it.
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// Where its systems come from.
    pub source: Source,
    /// What it must answer.
    pub verdict: &'static str,
    /// Its systems.
    pub pins: &'static [Pin],
}

/// Where the systems of a model come from.
pub enum Source {
    /// Sessions of a protocol.
    Protocol(&'static Protocol),
    /// So many sessions of two roles each, and so many roles beside.
    Made(fn(Channels, usize) -> String, usize),
}

/// A system.
#[derive(Clone, Copy)]
pub struct Pin {
    /// Where its roles talk.
    pub channels: Channels,
    /// Sessions of honest agents.
    pub honest: usize,
    /// Sessions in which the spy takes part.
    pub spied: usize,
    /// The number of nodes, if it is pinned.
    pub nodes: Option<u64>,
    /// Seconds of `DeepSec` 2.0.2 and AKISS 2.0 for such a system; without them the system is a point of a growth curve.
    pub rivals: Option<[&'static str; 2]>,
}

/// A point of a growth curve: sessions that are all asked about, and sessions with the spy.
const fn grow(channels: Channels, honest: usize, spied: usize, nodes: Option<u64>) -> Pin {
    Pin {
        channels,
        honest,
        spied,
        nodes,
        rivals: None,
    }
}

/// A system as the rivals have it: one session that is asked about, others beside it, and sessions with the spy.
const fn beside(
    channels: Channels,
    honest: usize,
    spied: usize,
    nodes: Option<u64>,
    rivals: [&'static str; 2],
) -> Pin {
    Pin {
        channels,
        honest,
        spied,
        nodes,
        rivals: Some(rivals),
    }
}

/// Of the rivals nothing is known here.
const NOTHING: [&str; 2] = ["-", "-"];

/// All models. The rivals' figures are those of `docs/benchmarks.md`.
pub const MODELS: &[Model] = &[
    Model {
        name: "Denning-Sacco",
        source: Source::Protocol(&DENNING_SACCO),
        verdict: "equivalent",
        pins: &[
            grow(Shared, 1, 0, Some(16)),
            grow(Shared, 2, 0, Some(16)),
            grow(Shared, 1, 1, Some(32)),
            grow(Shared, 3, 0, Some(16)),
            grow(Own, 1, 0, Some(16)),
            grow(Own, 2, 0, Some(16)),
            grow(Own, 4, 0, Some(16)),
            grow(Own, 4, 1, Some(32)),
            grow(Own, 6, 0, Some(16)),
            grow(Own, 10, 0, Some(16)),
            grow(Own, 16, 0, Some(16)),
            beside(Shared, 2, 0, Some(26), ["none", "0.02 s"]),
            beside(Own, 1, 0, Some(16), ["0.02 s", "0.01 s"]),
            beside(Own, 1, 2, Some(46), NOTHING),
            beside(Own, 3, 4, Some(100), ["0.10 s", "0.04 s"]),
            beside(Own, 7, 4, Some(100), ["2.9 s", "0.39 s"]),
            beside(Own, 12, 6, Some(100), ["none", "0.67 s"]),
        ],
    },
    Model {
        name: "Wide-Mouthed Frog",
        source: Source::Protocol(&WIDE_MOUTHED_FROG),
        verdict: "equivalent",
        pins: &[
            grow(Shared, 1, 0, Some(12)),
            grow(Shared, 2, 0, Some(12)),
            grow(Shared, 1, 1, Some(22)),
            grow(Shared, 3, 0, Some(12)),
            grow(Shared, 4, 0, Some(12)),
            grow(Own, 4, 0, Some(12)),
            grow(Own, 8, 0, Some(12)),
            beside(Shared, 2, 0, Some(20), ["0.23 s", "0.01 s"]),
            beside(Shared, 3, 4, Some(106), ["-", "none"]),
            beside(Own, 1, 2, Some(32), NOTHING),
            beside(Own, 5, 4, Some(130), ["0.11 s", "0.14 s"]),
        ],
    },
    Model {
        name: "Needham-Schroeder-Lowe",
        source: Source::Protocol(&LOWE),
        verdict: "equivalent",
        pins: &[
            grow(Shared, 1, 0, Some(24)),
            grow(Shared, 1, 1, Some(50)),
            grow(Shared, 2, 0, Some(24)),
            grow(Own, 1, 0, Some(24)),
            grow(Own, 2, 0, Some(24)),
            grow(Own, 3, 0, Some(24)),
            grow(Own, 4, 0, Some(24)),
            grow(Own, 3, 1, Some(50)),
            grow(Own, 5, 0, Some(24)),
            grow(Own, 6, 0, Some(24)),
            beside(Shared, 1, 2, Some(52), ["none", "0.02 s"]),
            beside(Shared, 2, 0, Some(42), ["none", "0.02 s"]),
            beside(Shared, 2, 4, Some(104), ["-", "0.29 s"]),
            beside(Own, 1, 0, Some(24), ["0.02 s", "0.01 s"]),
            beside(Own, 1, 2, Some(52), NOTHING),
            beside(Own, 2, 4, Some(104), ["0.76 s", "0.08 s"]),
            beside(Own, 4, 4, Some(122), ["110 s", "0.26 s"]),
        ],
    },
    Model {
        name: "Otway-Rees",
        source: Source::Protocol(&OTWAY_REES),
        verdict: "equivalent",
        pins: &[
            grow(Shared, 1, 0, Some(28)),
            grow(Shared, 2, 0, Some(28)),
            grow(Own, 1, 0, Some(28)),
            grow(Own, 2, 0, Some(28)),
            grow(Own, 3, 0, Some(28)),
        ],
    },
    Model {
        name: "Otway-Rees, numbered",
        source: Source::Protocol(&OTWAY_REES_FLAT),
        verdict: "equivalent",
        pins: &[
            grow(Shared, 1, 0, Some(26)),
            grow(Own, 1, 0, Some(26)),
            grow(Own, 2, 0, Some(26)),
            grow(Own, 3, 0, Some(26)),
            beside(Shared, 2, 0, Some(36), ["none", "0.25 s"]),
            beside(Own, 1, 0, Some(26), NOTHING),
            beside(Own, 1, 2, Some(64), NOTHING),
            beside(Own, 2, 4, Some(128), ["1.9 s", "0.31 s"]),
        ],
    },
    Model {
        name: "Yahalom (Lowe), what the key protects",
        source: Source::Protocol(&YAHALOM),
        verdict: "equivalent",
        pins: &[
            grow(Shared, 1, 0, Some(36)),
            grow(Shared, 2, 0, Some(40)),
            grow(Own, 1, 0, Some(36)),
            grow(Own, 2, 0, Some(40)),
            grow(Own, 3, 0, Some(40)),
        ],
    },
    Model {
        name: "Yahalom (Lowe), the key",
        source: Source::Protocol(&YAHALOM_KEY),
        verdict: "equivalent",
        pins: &[
            grow(Shared, 1, 0, Some(24)),
            grow(Own, 1, 0, Some(24)),
            grow(Own, 2, 0, Some(24)),
            grow(Own, 3, 0, Some(24)),
            beside(Shared, 2, 0, Some(34), ["none", "0.03 s"]),
            beside(Own, 1, 0, Some(24), NOTHING),
            beside(Own, 1, 2, Some(58), NOTHING),
            beside(Own, 2, 4, Some(116), ["0.77 s", "0.06 s"]),
            beside(Own, 3, 4, Some(126), ["11.5 s", "0.22 s"]),
            beside(Own, 5, 4, Some(126), ["none", "0.35 s"]),
            beside(Own, 7, 4, Some(126), ["none", "0.58 s"]),
        ],
    },
    Model {
        name: "private authentication",
        source: Source::Protocol(&PRIVATE_AUTHENTICATION),
        verdict: "equivalent",
        pins: &[
            grow(Shared, 1, 0, Some(20)),
            grow(Shared, 2, 0, Some(20)),
            grow(Shared, 1, 1, Some(46)),
            grow(Own, 1, 0, Some(20)),
            grow(Own, 2, 0, Some(20)),
            grow(Own, 4, 0, Some(20)),
            grow(Own, 5, 0, Some(20)),
            beside(Shared, 2, 0, Some(44), ["17.4 s", "0.03 s"]),
            beside(Shared, 3, 2, Some(84), ["-", "none"]),
            beside(Own, 1, 0, Some(20), ["0.02 s", "0.01 s"]),
            beside(Own, 2, 1, Some(52), NOTHING),
            beside(Own, 4, 2, Some(104), ["0.32 s", "0.24 s"]),
            beside(Own, 6, 3, Some(112), ["33 s", "0.96 s"]),
        ],
    },
    Model {
        name: "basic access control with an error",
        source: Source::Made(access_control, 0),
        verdict: "not equivalent",
        pins: &[
            beside(Shared, 2, 0, Some(1), ["9 s (private)", "0.07 s"]),
            beside(Shared, 3, 0, Some(1), ["none", "4.4 s"]),
        ],
    },
    Model {
        name: "passive authentication, anonymity",
        source: Source::Made(anonymity, 1),
        verdict: "equivalent",
        pins: &[
            beside(Shared, 2, 0, Some(48), NOTHING),
            beside(Own, 2, 0, Some(48), NOTHING),
            beside(Own, 3, 0, Some(66), NOTHING),
            beside(Own, 10, 0, Some(192), ["0.17 s", "0.71 s"]),
        ],
    },
    Model {
        name: "passive authentication, unlinkability",
        source: Source::Made(unlinkability, 1),
        verdict: "equivalent",
        pins: &[
            beside(Shared, 2, 0, Some(48), NOTHING),
            beside(Own, 2, 0, Some(48), NOTHING),
            beside(Own, 3, 0, Some(66), NOTHING),
            beside(Own, 10, 0, Some(192), ["0.50 s", "0.51 s"]),
        ],
    },
    Model {
        name: "3G AKA, anonymity",
        source: Source::Made(telephony, 0),
        verdict: "equivalent",
        pins: &[
            beside(Shared, 2, 0, Some(64), ["none", "0.05 s"]),
            beside(Shared, 4, 0, Some(128), ["-", "0.13 s"]),
            beside(Own, 2, 0, Some(64), NOTHING),
            beside(Own, 3, 0, Some(96), NOTHING),
            beside(Own, 9, 0, Some(288), ["17.4 s", "0.34 s"]),
        ],
    },
];

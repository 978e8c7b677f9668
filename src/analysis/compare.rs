//! Deciding claims that compare systems: equivalence, preorder, strong secrecy.
//!
//! The same pipeline as for attacks: unfold, let `equiv` decide and `certify` confirm ([`super::two_systems`]), and say what
//! was established for what.

use super::chosen::chosen;
use super::copies::{AnyNumber, Copied};
use super::two_systems::Pair;
use super::{Gate, Semantics, Settings, Unverified, Vacuity};
use crate::base::limits::{Observer, StopReason};
use crate::base::source::Diagnostic;
use crate::certify::equivalence::{self, EquivalenceError};
use crate::certify::file::Compared;
use crate::certify::{CertifyError, Distinguished, Experiment};
use crate::engine::equiv;
use crate::process::{
    Bounds, ClaimKind, Closed, InstanceId, Program, Shapes, System, UnfoldError, unfold,
};
use crate::term::{TermId, TermStore};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

/// A system of a checked file.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    /// The file.
    pub program: &'a Program,
    /// The system and its arguments.
    pub closed: &'a Closed,
}

/// A certified difference.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// What the environment does and looks at.
    pub experiment: Experiment,
    /// The runs of both sides.
    pub shown: Distinguished,
    /// No experiment with fewer actions tells the systems apart; otherwise that was not found out.
    pub shortest: bool,
}

/// Why a difference that was found is not confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unconfirmed {
    /// The replay would have to try more configurations than this.
    TooMany(usize),
    /// A limit was met before the replay's end.
    Stopped(StopReason),
}

/// What was established about two systems.
#[derive(Clone, Debug)]
pub enum ComparisonVerdict {
    /// They are equivalent (or in the preorder), within the scope.
    Equivalent,
    /// This experiment tells them apart.
    Distinguished(Box<Refutation>),
    /// This experiment tells the unfolded systems apart, but the side that fails it was cut at a bound: what was cut off
    /// might pass it.
    Bounded(Box<Refutation>),
    /// A limit was met first.
    Inconclusive(StopReason),
    /// A difference was found, but not confirmed.
    Unconfirmed(Unconfirmed),
    /// The experiment was not confirmed: a mistake of ours, never shown as a difference.
    Internal(CertifyError),
    /// The certificate of their equivalence was rejected: a mistake of ours as well.
    Refused(EquivalenceError),
}

/// Two systems with what was established about them.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Comparison {
    /// What was established.
    pub verdict: ComparisonVerdict,
    /// What the environment knows from the start, beyond public names.
    pub knows: Vec<TermId>,
    /// The left system, unfolded.
    pub left: Arc<System>,
    /// The right system, unfolded.
    pub right: Arc<System>,
    /// Only whether every run of the left one is a run of the right one.
    pub preorder: bool,
    /// Internal communication on public channels was left out.
    pub semantics: Semantics,
    /// How far they were unfolded.
    pub bounds: Bounds,
    /// An option was given that comparisons do not follow: types, transparent attackers, generated sessions.
    pub untyped: bool,
    /// Powers of groups were computed: of two exponents at most.
    pub powers: bool,
    /// At what cost.
    pub stats: equiv::Stats,
    /// What shows that they are equivalent, if the cones said so.
    pub certificate: Option<equiv::Shown>,
    /// What is known of more copies of each `!`, if that was looked at.
    pub any_number: Option<AnyNumber>,
    /// Each role instance was taken any number of times.
    pub any_roles: bool,
    /// Why the claim says nothing, if it does not.
    pub vacuous: Option<Vacuity>,
    /// Who gets to an end on either side, if that was asked: not in a `partial system`.
    pub gates: [Option<Gate>; 2],
}

impl Comparison {
    /// The experiment that tells the systems apart, at least as they were unfolded.
    pub fn refutation(&self) -> Option<&Refutation> {
        match &self.verdict {
            ComparisonVerdict::Distinguished(r) | ComparisonVerdict::Bounded(r) => Some(r),
            _ => None,
        }
    }

    /// Whether on both sides somebody never gets to an end, whatever the environment does; for the preorder, on the left side, since what
    /// that can't show nobody has to show.
    pub fn is_idle(&self) -> bool {
        let closed = |gate: &Option<Gate>| gate.as_ref().is_some_and(Gate::is_closed);
        let [left, right] = &self.gates;
        closed(left) && (self.preorder || closed(right))
    }

    /// Whether a bound was met on a side.
    pub fn is_bounded(&self) -> bool {
        self.cut() || self.copied()
    }

    /// Whether the systems were shown to be equivalent for any number of copies of each `!`.
    pub fn is_for_any_number(&self) -> bool {
        matches!(self.any_number, Some(AnyNumber::Closed(_)))
    }

    /// Whether recursion was cut on a side.
    pub fn cut(&self) -> bool {
        !self.left.cuts.is_empty() || !self.right.cuts.is_empty()
    }

    /// Whether a bare `!` took the bound on a side, and nothing is known of more copies.
    pub fn copied(&self) -> bool {
        let copied = |s: &System| !s.copied.is_empty();
        !self.is_for_any_number() && (copied(&self.left) || copied(&self.right))
    }
}

/// Compares two systems, of one file or of two that were checked against one store.
pub fn compare_systems(
    store: &TermStore,
    left: Operand<'_>,
    right: Operand<'_>,
    preorder: bool,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Comparison, UnfoldError> {
    compare_bodies(store, [left, right], 0, preorder, settings, observer)
}

/// Compares two systems whose role instances are in the body of the instance of this number.
fn compare_bodies(
    store: &TermStore,
    [left, right]: [Operand<'_>; 2],
    body: u32,
    preorder: bool,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Comparison, UnfoldError> {
    let mut comparison = unfolded(store, left, right, preorder, settings)?;
    let (a, b) = (&left.program.signature, &right.program.signature);
    let spies = union(&a.spies, &b.spies);
    let (l, r) = (comparison.left.clone(), comparison.right.clone());
    let pair = Pair {
        store,
        left: &l,
        right: &r,
        knows: &comparison.knows,
        spies: &spies,
        settings,
        observer,
        limits: settings.limits.start(),
        shown: RefCell::default(),
    };
    let roles = settings.any.then_some(InstanceId(body));
    let copied = Copied {
        store,
        sides: [left, right],
        around: equiv::Surroundings {
            knows: &comparison.knows,
            spies: &spies,
        },
        settings,
        options: &pair.whole(),
        observer,
        roles,
    };
    let starred = roles.is_some() || !l.copied.is_empty() || !r.copied.is_empty();
    let (any_number, found) = if starred && l.cuts.is_empty() && r.cuts.is_empty() {
        copied.look()
    } else {
        (None, None)
    };
    let (verdict, stats) = match found {
        Some(stats) => (ComparisonVerdict::Equivalent, stats),
        None => pair.decide(preorder),
    };
    let equivalent = matches!(verdict, ComparisonVerdict::Equivalent);
    let certificate = pair.shown.take().filter(|_| equivalent);
    comparison.certificate = certificate;
    comparison.any_number = any_number;
    comparison.any_roles = settings.any;
    comparison.verdict = verdict;
    comparison.stats = stats;
    Ok(comparison)
}

/// Two systems, unfolded, of which nothing is known so far.
fn unfolded(
    store: &TermStore,
    left: Operand<'_>,
    right: Operand<'_>,
    preorder: bool,
    settings: &Settings,
) -> Result<Comparison, UnfoldError> {
    let bounds = Bounds {
        trim: true,
        ..settings.bounds
    };
    for side in [left, right] {
        side.program.without_phases(side.closed, "comparisons")?;
    }
    let mut shapes = Shapes::new();
    let mut one = |side: Operand<'_>| {
        unfold(side.program, store, side.closed, bounds, &mut shapes).map(Arc::new)
    };
    let (l, r) = (one(left)?, one(right)?);
    let (a, b) = (&left.program.signature, &right.program.signature);
    Ok(Comparison {
        verdict: ComparisonVerdict::Inconclusive(StopReason::Interrupted),
        any_number: None,
        any_roles: false,
        knows: union(&a.knows, &b.knows),
        left: l,
        right: r,
        preorder,
        semantics: settings.semantics,
        bounds,
        untyped: settings.typed || settings.search.transparent || settings.sessions.is_some(),
        powers: [&left, &right]
            .iter()
            .any(|o| !o.program.signature.groups.is_empty()),
        stats: equiv::Stats::default(),
        certificate: None,
        vacuous: None,
        gates: [None, None],
    })
}

/// What an equivalence of two systems comes to that has a certificate, which `read` reads once the systems are known. No engine is asked.
pub fn verify_systems(
    store: &TermStore,
    left: Operand<'_>,
    right: Operand<'_>,
    preorder: bool,
    settings: &Settings,
    read: impl FnOnce(&TermStore, [&System; 2]) -> Result<Compared, Diagnostic>,
    observer: &dyn Observer,
) -> Result<Comparison, Unverified> {
    let started = Instant::now();
    let limits = settings.limits.start();
    let mut comparison = unfolded(store, left, right, preorder, settings)?;
    let systems = [&*comparison.left, &*comparison.right];
    let read = read(store, systems).map_err(|d| Unverified::Unread(Box::new(d)))?;
    let (a, b) = (&left.program.signature, &right.program.signature);
    let about = read.apart.as_ref().map_or(systems, |[l, r]| [l, r]);
    let pair = equivalence::Pair {
        systems: about,
        knows: &comparison.knows,
        spies: &union(&a.spies, &b.spies),
    };
    let stop = || observer.interrupted() || limits.deadline.is_some_and(|d| Instant::now() >= d);
    if read.apart.is_some() && !equivalence::is_apart(store, systems, about) {
        return Err(Unverified::Unequal(EquivalenceError::Malformed));
    }
    equivalence::check(store, pair, &read.certificate, &stop).map_err(Unverified::Unequal)?;
    let all = |n: [usize; 2]| n.iter().sum::<usize>() as u64;
    let certificate = &read.certificate;
    comparison.stats = equiv::Stats {
        nodes: all([0, 1].map(|i| certificate.facts[i].len() + certificate.places[i].len())),
        way: equiv::Way::Cones,
        by_role: read.apart.is_some(),
        time: started.elapsed(),
        ..equiv::Stats::default()
    };
    comparison.verdict = ComparisonVerdict::Equivalent;
    Ok(comparison)
}

/// The same for a claim that compares systems.
pub fn verify_compared(
    store: &TermStore,
    program: &Program,
    claim: &ClaimKind,
    settings: &Settings,
    read: impl FnOnce(&TermStore, [&System; 2]) -> Result<Compared, Diagnostic>,
    observer: &dyn Observer,
) -> Result<Comparison, Unverified> {
    let (extended, left, right, preorder) = match claim {
        ClaimKind::Equivalence(left, right) => (None, left.clone(), right.clone(), false),
        ClaimKind::Preorder(left, right) => (None, left.clone(), right.clone(), true),
        ClaimKind::StrongSecrecy { param, system } => {
            let (extended, left, right) = chosen(store, program, system, *param);
            (Some(extended), left, right, false)
        }
        _ => return Err(Unverified::Unprovable),
    };
    let program = extended.as_ref().unwrap_or(program);
    let [left, right] = [&left, &right].map(|closed| Operand { program, closed });
    verify_systems(store, left, right, preorder, settings, read, observer)
}

/// Decides a claim that compares systems; `None` for claims about one system.
pub fn compare_claim(
    store: &TermStore,
    program: &Program,
    claim: &ClaimKind,
    settings: &Settings,
    observer: &dyn Observer,
) -> Option<Result<Comparison, UnfoldError>> {
    let decide = |sides: [&Closed; 2], program: &Program, body: u32, preorder: bool| {
        let operands = sides.map(|closed| Operand { program, closed });
        compare_bodies(store, operands, body, preorder, settings, observer)
    };
    match claim {
        ClaimKind::Equivalence(left, right) => Some(decide([left, right], program, 0, false)),
        ClaimKind::Preorder(left, right) => Some(decide([left, right], program, 0, true)),
        ClaimKind::StrongSecrecy { param, system } => {
            let (extended, left, right) = chosen(store, program, system, *param);
            // The system is a definition there.
            Some(decide([&left, &right], &extended, 1, false))
        }
        _ => None,
    }
}

fn union(a: &[TermId], b: &[TermId]) -> Vec<TermId> {
    let mut all = a.to_vec();
    all.extend(b.iter().filter(|t| !a.contains(t)));
    all
}

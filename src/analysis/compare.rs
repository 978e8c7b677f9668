//! Deciding claims that compare systems: equivalence, preorder, strong secrecy.
//!
//! The same pipeline as for attacks: unfold, let `equiv` decide and `certify` confirm ([`super::two_systems`]), and say what
//! was established for what.

use super::chosen::chosen;
use super::copies::{AnyNumber, Copied};
use super::two_systems::Pair;
use super::{Gate, Semantics, Settings, Vacuity};
use crate::base::limits::{Observer, StopReason};
use crate::certify::{CertifyError, Distinguished, Experiment};
use crate::engine::equiv;
use crate::process::{
    Bounds, ClaimKind, Closed, InstanceId, Program, Shapes, System, UnfoldError, unfold,
};
use crate::term::{TermId, TermStore};
use std::sync::Arc;

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
    let bounds = Bounds {
        trim: true,
        ..settings.bounds
    };
    for side in [left, right] {
        side.program.without_phases(side.closed, "comparisons")?;
    }
    let mut shapes = Shapes::new();
    let l = Arc::new(unfold(
        left.program,
        store,
        left.closed,
        bounds,
        &mut shapes,
    )?);
    let r = Arc::new(unfold(
        right.program,
        store,
        right.closed,
        bounds,
        &mut shapes,
    )?);
    let (a, b) = (&left.program.signature, &right.program.signature);
    let knows = union(&a.knows, &b.knows);
    let spies = union(&a.spies, &b.spies);
    let pair = Pair {
        store,
        left: &l,
        right: &r,
        knows: &knows,
        spies: &spies,
        settings,
        observer,
        limits: settings.limits.start(),
    };
    let roles = settings.any.then_some(InstanceId(body));
    let copied = Copied {
        store,
        sides: [left, right],
        around: equiv::Surroundings {
            knows: &knows,
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
    Ok(Comparison {
        verdict,
        any_number,
        any_roles: settings.any,
        knows,
        left: l,
        right: r,
        preorder,
        semantics: settings.semantics,
        bounds,
        untyped: settings.typed || settings.search.transparent || settings.sessions.is_some(),
        powers: [&left, &right]
            .iter()
            .any(|o| !o.program.signature.groups.is_empty()),
        stats,
        vacuous: None,
        gates: [None, None],
    })
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

//! Deciding claims that compare systems: equivalence, preorder, strong secrecy.
//!
//! The same pipeline as for attacks: unfold, let `equiv` decide, have `certify` try the distinguishing experiment on
//! both sides, drop the conditions that are not needed, and say what was established for what.

use super::{Semantics, Settings};
use crate::certify::{self, CertifyError, Distinguished, Experiment, Side, replay_experiment};
use crate::equiv::{self, Outcome, Surroundings, compare};
use crate::process::{
    Body, Bounds, ClaimKind, Closed, DefId, Definition, Proc, Program, Shapes, System, SystemDecl,
    SystemId, Test, TestKind, Type, UnfoldError, VarInfo, unfold,
};
use crate::search::{Observer, Stats, StopReason};
use crate::term::{TermId, TermStore};
use std::sync::Arc;

/// The channel on which the environment hands over the two messages of a strong-secrecy claim.
pub const CHOOSE: &str = "choose";

/// Configurations that the certifier tries on each side before it gives up.
const TRIALS: usize = 2_000_000;

/// Configurations that may be tried, all in all, to find out which conditions are needed.
const TRIMMING: usize = 200_000;

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
    /// Whether the losing side lacks the last action or answers it differently.
    pub reason: equiv::Reason,
    /// The runs of both sides.
    pub shown: Distinguished,
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
    /// A difference was found, but the replay would have to try more configurations than this to confirm it.
    Unconfirmed(usize),
    /// The experiment was not confirmed: a mistake of ours, never shown as a difference.
    Internal(CertifyError),
}

/// Two systems with what was established about them.
#[derive(Clone, Debug)]
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
    /// At what cost.
    pub stats: equiv::Stats,
}

impl Comparison {
    /// Whether recursion was cut on a side.
    pub fn cut(&self) -> bool {
        !self.left.cuts.is_empty() || !self.right.cuts.is_empty()
    }

    /// Whether a bare `!` took the bound on a side.
    pub fn copied(&self) -> bool {
        !self.left.copied.is_empty() || !self.right.copied.is_empty()
    }
}

/// Passes progress and interrupts on.
pub(super) struct Relay<'a>(pub(super) &'a dyn Observer);

impl equiv::Observer for Relay<'_> {
    fn progress(&self, stats: &equiv::Stats, waiting: usize) {
        let seen = Stats {
            states: stats.nodes,
            matched: stats.matched,
            transitions: stats.nodes + stats.matched,
            depth: stats.depth,
            time: stats.time,
        };
        self.0.progress(&seen, waiting);
    }

    fn interrupted(&self) -> bool {
        self.0.interrupted()
    }

    fn memory(&self) -> Option<u64> {
        self.0.memory()
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
    let bounds = Bounds {
        trim: true,
        ..settings.bounds
    };
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
    let limits = settings.limits.start();
    let options = equiv::Options {
        semantics: settings.semantics,
        preorder,
        threads: settings.search.workers,
        limits: equiv::Limits {
            nodes: limits.states,
            deadline: limits.deadline,
            memory: limits.memory,
        },
        reductions: equiv::Reductions {
            share: settings.search.sharing,
            symmetry: settings.search.symmetry,
            subsume: settings.search.subsumption,
            ..equiv::Reductions::default()
        },
        ..equiv::Options::default()
    };
    let around = Surroundings {
        knows: &knows,
        spies: &spies,
    };
    let outcome = compare(store, &l, &r, &around, &options, &Relay(observer));
    let stats = *outcome.stats();
    let verdict = match outcome {
        Outcome::Equivalent(_) => ComparisonVerdict::Equivalent,
        Outcome::Inconclusive(reason, _) => ComparisonVerdict::Inconclusive(match reason {
            equiv::StopReason::Nodes(n) => StopReason::States(n),
            equiv::StopReason::Time => StopReason::Time,
            equiv::StopReason::Memory(m) => StopReason::Memory(m),
            equiv::StopReason::Size(n) => StopReason::Size(n),
            equiv::StopReason::Interrupted => StopReason::Interrupted,
        }),
        Outcome::Distinguished(d, _) => {
            let certifier = Certifier {
                store,
                left: &l,
                right: &r,
                knows: &knows,
                settings,
            };
            match certifier.certify(d.experiment) {
                Ok((experiment, shown)) => {
                    let loser = match experiment.passes {
                        Side::Left => &r,
                        Side::Right => &l,
                    };
                    let whole = loser.cuts.is_empty() && loser.copied.is_empty();
                    let refutation = Box::new(Refutation {
                        experiment,
                        reason: d.reason,
                        shown,
                    });
                    if whole {
                        ComparisonVerdict::Distinguished(refutation)
                    } else {
                        ComparisonVerdict::Bounded(refutation)
                    }
                }
                Err(CertifyError::TooManyRuns { limit }) => ComparisonVerdict::Unconfirmed(limit),
                Err(error) => ComparisonVerdict::Internal(error),
            }
        }
    };
    Ok(Comparison {
        verdict,
        knows,
        left: l,
        right: r,
        preorder,
        semantics: settings.semantics,
        bounds,
        untyped: settings.typed || settings.search.transparent || settings.sessions.is_some(),
        stats,
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
    let decide = |left: &Closed, right: &Closed, program: &Program, preorder: bool| {
        let (left, right) = (
            Operand {
                program,
                closed: left,
            },
            Operand {
                program,
                closed: right,
            },
        );
        compare_systems(store, left, right, preorder, settings, observer)
    };
    match claim {
        ClaimKind::Equivalence(left, right) => Some(decide(left, right, program, false)),
        ClaimKind::Preorder(left, right) => Some(decide(left, right, program, true)),
        ClaimKind::StrongSecrecy { param, system } => {
            let (extended, left, right) = chosen(store, program, system, *param);
            Some(decide(&left, &right, &extended, false))
        }
        _ => None,
    }
}

fn union(a: &[TermId], b: &[TermId]) -> Vec<TermId> {
    let mut all = a.to_vec();
    all.extend(b.iter().filter(|t| !a.contains(t)));
    all
}

struct Certifier<'a> {
    store: &'a TermStore,
    left: &'a System,
    right: &'a System,
    knows: &'a [TermId],
    settings: &'a Settings,
}

impl Certifier<'_> {
    fn replay(&self, experiment: &Experiment, limit: usize) -> Result<Distinguished, CertifyError> {
        let [left, right] = [self.left, self.right].map(|system| certify::Subject {
            system,
            initial: self.knows,
        });
        replay_experiment(
            self.store,
            left,
            right,
            experiment,
            self.settings.semantics,
            limit,
        )
    }

    /// Confirms the experiment and drops every condition without which it still tells the sides apart.
    fn certify(&self, experiment: Experiment) -> Result<(Experiment, Distinguished), CertifyError> {
        let mut shown = self.replay(&experiment, TRIALS)?;
        let mut best = experiment;
        let mut left = TRIMMING;
        // Where an action tells the sides apart no condition is needed, as a rule.
        let bare = Experiment {
            conditions: Vec::new(),
            ..best.clone()
        };
        if !best.conditions.is_empty()
            && let Ok(d) = self.replay(&bare, left)
        {
            return Ok((bare, d));
        }
        let mut i = best.conditions.len();
        while i > 0 {
            i -= 1;
            // A replay without the condition tries at least as much.
            let Some(rest) = left.checked_sub(shown.tried) else {
                break;
            };
            left = rest;
            let mut fewer = best.clone();
            fewer.conditions.remove(i);
            if let Ok(d) = self.replay(&fewer, left) {
                (best, shown) = (fewer, d);
            }
        }
        Ok((best, shown))
    }
}

/// The two systems of a strong-secrecy claim: the environment first hands over two messages; the one system goes on
/// with the first of them as the parameter, the other with the second. That quantifies over any two messages the
/// environment can make.
pub(super) fn chosen(
    store: &TermStore,
    program: &Program,
    system: &Closed,
    param: usize,
) -> (Program, Closed, Closed) {
    let mut program = program.clone();
    let decl = program.systems[system.system.index()].clone();
    program.definitions.push(Definition {
        label: decl.label.clone(),
        body: decl.body.clone(),
        span: decl.span,
    });
    let def = DefId(program.definitions.len() as u32 - 1);
    let mut system_with = |which: usize| -> Closed {
        let mut var = |label: &str| {
            program.vars.push(VarInfo {
                label: Arc::from(label),
                ty: Type::Msg,
                span: decl.span,
            });
            program.vars.len() as u32 - 1
        };
        let (both, one, two) = (var("both"), var("one"), var("two"));
        let mut args = system.args.clone();
        if let Some(slot) = args.get_mut(param) {
            *slot = store.var([one, two][which]);
        }
        let nil = program.add(Proc::Nil);
        let call = program.add(Proc::Call {
            def,
            args,
            span: decl.span,
        });
        let test = Test {
            kind: TestKind::Let,
            equations: vec![(store.var(both), store.pair(store.var(one), store.var(two)))],
            binds: vec![one, two],
            span: decl.span,
        };
        let split = program.add(Proc::Test(test, call, nil));
        let root = program.add(Proc::Input {
            channel: store.public(CHOOSE),
            binder: both,
            then: split,
            span: decl.span,
        });
        program.systems.push(SystemDecl {
            label: decl.label.clone(),
            body: Body {
                params: Vec::new(),
                root,
            },
            partial: true,
            span: decl.span,
        });
        Closed {
            system: SystemId(program.systems.len() as u32 - 1),
            args: Vec::new(),
        }
    };
    let (left, right) = (system_with(0), system_with(1));
    (program, left, right)
}

//! Honest runs for machines; see `docs/json.md`.

use super::{Place, Step, instance, place};
use crate::analysis::Gate;
use crate::engine::honest::{HonestMove, HonestRun};
use crate::present::report::gate::{Obstacle, obstacles};
use crate::present::report::{Context, Spelling};
use crate::process::StepId;
use crate::term::TermId;
use serde::Serialize;

/// The honest runs of some systems of a file.
#[derive(Debug, Serialize)]
pub struct HonestDocument {
    /// The version of the schema.
    pub schema: &'static str,
    /// The model.
    pub file: String,
    /// The systems.
    pub systems: Vec<HonestSystem>,
}

/// The honest runs of one system.
#[derive(Debug, Serialize)]
pub struct HonestSystem {
    /// Its name.
    pub system: String,
    /// `finishes`, `not executable`, `partial` or `inconclusive`.
    pub verdict: &'static str,
    /// The runs that are shown.
    pub runs: Vec<Honest>,
    /// Role instances that finish in runs like these.
    pub alike: Vec<String>,
    /// Those that never finish.
    pub unfinished: Vec<Unfinished>,
}

/// An honest run.
#[derive(Debug, Serialize)]
pub struct Honest {
    /// The role instances that come to their end in it.
    pub finished: Vec<String>,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A role instance that never finishes.
#[derive(Debug, Serialize)]
pub struct Unfinished {
    /// The instance.
    pub role: String,
    /// The first step that it never passes.
    pub place: Option<Place>,
    /// What is there, in a sentence.
    pub reason: Option<String>,
    /// It waits only because others are stuck.
    pub consequence: bool,
}

/// The entry of a system.
pub fn honest(ctx: Context<'_>, system: &str, partial: bool, gate: &Gate) -> HonestSystem {
    HonestSystem {
        system: system.to_owned(),
        verdict: match (gate.is_closed(), gate.limited) {
            (true, _) if partial => "partial",
            (true, _) => "not executable",
            (false, true) => "inconclusive",
            (false, false) => "finishes",
        },
        runs: gate.told().iter().map(|run| told(ctx, gate, run)).collect(),
        alike: (gate.alike.iter())
            .map(|i| instance(ctx.store, &gate.system, *i))
            .collect(),
        unfinished: obstacles(ctx, gate)
            .into_iter()
            .map(|o| unfinished(ctx, o))
            .collect(),
    }
}

fn unfinished(ctx: Context<'_>, obstacle: Obstacle) -> Unfinished {
    let primary = obstacle.excerpt.labels.into_iter().next();
    Unfinished {
        role: obstacle.instance,
        place: obstacle.at.and_then(|span| place(ctx.map, span)),
        reason: primary.filter(|_| obstacle.at.is_some()).map(|l| l.message),
        consequence: obstacle.consequence,
    }
}

fn told(ctx: Context<'_>, gate: &Gate, run: &HonestRun) -> Honest {
    let system = &*gate.system;
    let terms: Vec<TermId> = run
        .moves
        .iter()
        .flat_map(|m| match m {
            HonestMove::Output {
                channel, message, ..
            }
            | HonestMove::Deliver {
                channel, message, ..
            } => vec![*channel, *message],
            HonestMove::Event { args, .. } => args.clone(),
        })
        .collect();
    let spelling = Spelling::new(ctx.store, ctx.program, "spy", &terms);
    let show = |t: TermId| spelling.show(ctx.store, t);
    let role = |step: StepId| instance(ctx.store, system, system.step(step).instance);
    let step = |kind: &'static str, at: StepId| Step {
        kind,
        role: role(at),
        receiver: None,
        place: place(ctx.map, system.step(at).span),
        channel: None,
        message: None,
        arguments: Vec::new(),
        phase: None,
        made: Vec::new(),
        learned: Vec::new(),
    };
    // An output that somebody takes is told where it arrives.
    let taken: rustc_hash::FxHashSet<StepId> = (run.moves.iter())
        .filter_map(|m| match m {
            HonestMove::Deliver { from, .. } => Some(*from),
            _ => None,
        })
        .collect();
    let one = |m: &HonestMove| match m {
        HonestMove::Output { step: at, .. } if taken.contains(at) => None,
        HonestMove::Output {
            step: at,
            channel,
            message,
        } => Some(Step {
            channel: Some(show(*channel)),
            message: Some(show(*message)),
            ..step("send", *at)
        }),
        HonestMove::Deliver {
            from,
            to,
            channel,
            message,
        } => Some(Step {
            receiver: Some(role(*to)),
            channel: Some(show(*channel)),
            message: Some(show(*message)),
            ..step("communicate", *from)
        }),
        HonestMove::Event { step: at, args } => Some(Step {
            arguments: args.iter().map(|t| show(*t)).collect(),
            ..step("event", *at)
        }),
    };
    Honest {
        finished: (run.finished.iter())
            .map(|i| instance(ctx.store, system, *i))
            .collect(),
        steps: run.moves.iter().filter_map(one).collect(),
    }
}

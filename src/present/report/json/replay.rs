//! Replays for machines; see `docs/json.md`.

use super::{Place, Run, instance, named_alone, place, run};
use crate::analysis::{Effect, Encounter, ReplayResult};
use crate::certify::Side;
use crate::present::report::replayed::{effect_word, maker};
use crate::present::report::values::Values;
use crate::present::report::{Context, Spelling, hindrance};
use crate::term::TermStore;
use serde::Serialize;

/// An attack on the claims of a file.
#[derive(Debug, Serialize)]
pub struct ReplayDocument {
    /// The version of the schema.
    pub schema: &'static str,
    /// The model.
    pub file: String,
    /// The attack.
    pub attack: String,
    /// What it does to each claim.
    pub claims: Vec<Replayed>,
}

/// What an attack does to a claim.
#[derive(Debug, Serialize)]
pub struct Replayed {
    /// The claim as one line of source.
    pub claim: String,
    /// Where it stands.
    pub place: Option<Place>,
    /// `breaks`, `reaches`, `tells apart`, `runs in vain`, `same on both`, `stops`.
    pub effect: &'static str,
    /// Whether the claim is refuted.
    pub broken: bool,
    /// For a broken claim: the run.
    pub run: Option<Run>,
    /// The system with which a test shows its barb: `left` or `right`.
    pub passes: Option<&'static str>,
    /// What happened with the system, or with both of a comparison.
    pub with: Vec<Tested>,
    /// Why the attack stops.
    pub stopped: Option<Stopped>,
}

/// An attack beside one system.
#[derive(Debug, Serialize)]
pub struct Tested {
    /// The system.
    pub system: String,
    /// Its role instances that took part.
    pub instances: Vec<String>,
    /// The steps that the attack made.
    pub steps: usize,
    /// Whether it has nothing left to do.
    pub finished: bool,
    /// Outputs on its own channels.
    pub barbs: Vec<String>,
    /// Secret names and keys that it learned.
    pub learned: Vec<String>,
    /// For each of these, the role instance that made it, if one did.
    pub made_by: Vec<Option<String>>,
    /// Not all runs were tried.
    pub limited: bool,
    /// A bound cut something off the system.
    pub cut: bool,
}

/// Why an attack stops.
#[derive(Debug, Serialize)]
pub struct Stopped {
    /// The code of the diagnostic.
    pub code: &'static str,
    /// What it says.
    pub message: String,
    /// The places with what is to be seen there; the first is the attack's step.
    pub places: Vec<(Option<Place>, String)>,
}

/// A test on two systems.
#[derive(Debug, Serialize)]
pub struct TestDocument {
    /// The version of the schema.
    pub schema: &'static str,
    /// Both systems.
    pub with: Vec<Tested>,
}

impl TestDocument {
    /// A document about these systems.
    pub fn new(with: Vec<Tested>) -> TestDocument {
        TestDocument {
            schema: super::SCHEMA,
            with,
        }
    }
}

/// The entry of a claim.
pub fn replayed(ctx: Context<'_>, result: &ReplayResult) -> Replayed {
    let mut entry = Replayed {
        claim: result.claim.text.clone(),
        place: place(ctx.map, result.claim.span),
        effect: effect_word(result),
        broken: result.breaks(),
        run: None,
        passes: None,
        with: Vec::new(),
        stopped: None,
    };
    let tested = |e: &Encounter| with(ctx.store, Some(ctx), &e.system.label, e);
    match &result.effect {
        Effect::Breaks { run: r, encounter } => {
            let names = if result.breaks() {
                named_alone(ctx, result.gate.as_ref(), r)
            } else {
                Vec::new()
            };
            entry.run = Some(run(ctx, names, r));
            entry.with.push(tested(encounter));
        }
        Effect::Tells { passes, encounters } => {
            entry.passes = Some(match passes {
                Side::Left => "left",
                Side::Right => "right",
            });
            entry.with.extend(encounters.iter().map(tested));
        }
        Effect::Alike(encounters) => entry.with.extend(encounters.iter().map(tested)),
        Effect::Nothing(e) => entry.with.push(tested(e)),
        Effect::Stops(e) => {
            entry.with.push(tested(e));
            entry.stopped = hindrance(ctx, &result.attack, e).map(|d| Stopped {
                code: d.code.as_str(),
                message: d.message,
                places: d
                    .labels
                    .into_iter()
                    .map(|l| (place(ctx.map, l.span), l.message))
                    .collect(),
            });
        }
    }
    entry
}

/// The entry of a system that a test was tried on.
pub fn tested(store: &TermStore, name: &str, e: &Encounter) -> Tested {
    with(store, None, name, e)
}

fn with(store: &TermStore, ctx: Option<Context<'_>>, name: &str, e: &Encounter) -> Tested {
    let spelling = ctx.map_or_else(Spelling::default, |ctx| {
        super::super::replayed::spelling(ctx, e, None)
    });
    let show = |t| spelling.show(store, t);
    let values = Values::of_moves(store, &e.system, &e.attack_run.moves);
    let mut instances: Vec<String> = Vec::new();
    for m in &e.attack_run.moves {
        let name = instance(store, &e.system, e.system.step(m.step).instance);
        if !instances.contains(&name) {
            instances.push(name);
        }
    }
    Tested {
        system: name.to_owned(),
        instances,
        steps: e.attack_run.followed,
        finished: e.attack_run.finished,
        barbs: e
            .attack_run
            .barbs
            .iter()
            .map(|(_, c, m)| format!("{}<{}>", show(*c), show(*m)))
            .collect(),
        learned: e.learned.iter().map(|t| show(*t)).collect(),
        made_by: e
            .learned
            .iter()
            .map(|t| maker(store, &e.system, *t, &values))
            .collect(),
        limited: e.limited,
        cut: e.cut,
    }
}

//! Facts and places of both sides as a certificate, which is checked without anything of this layer.

use super::cast::Cast;
use super::run::{Run, output};
use super::saturation::Saturation;
use crate::certify::equivalence::{self, Bundle, Certificate, Fact, Place};
use crate::engine::joint::trail::Recipe;
use crate::term::TermId;
use std::sync::Arc;

/// Writes both sides down; `None` if something in them is not expressed in certificates.
pub(super) fn certificate(cast: &Cast, sides: &[Saturation<'_>; 2]) -> Option<Certificate> {
    let mut threads: Vec<Vec<TermId>> = vec![Vec::new(); cast.threads.len()];
    for (thread, channel) in cast.channels() {
        let channels = &mut threads[usize::from(thread)];
        if !channels.contains(&channel) {
            channels.push(channel);
        }
    }
    let bundles = cast.bundles.iter().map(|b| Bundle {
        parent: b.parent,
        class: b.class,
        threads: b.threads.clone(),
        names: b.names.clone(),
    });
    let mut certificate = Certificate {
        threads,
        bundles: bundles.collect(),
        ..Certificate::default()
    };
    for (number, side) in sides.iter().enumerate() {
        for fact in &side.facts {
            certificate.facts[number].push(Fact {
                run: run(&fact.run)?,
                recipe: recipe(&fact.recipe)?,
            });
        }
        for (thread, of) in side.places.iter().map(super::places::Place::told) {
            let run = run(of)?;
            certificate.places[number].push(Place { run, thread });
        }
    }
    Some(certificate)
}

fn run(run: &Run) -> Option<equivalence::Run> {
    let inputs = run.sent.iter();
    let inputs = inputs.map(|s| Some((s.event, recipe(&s.recipe)?)));
    Some(equivalence::Run {
        clock: run.clock.to_vec(),
        inputs: inputs.collect::<Option<_>>()?,
        choices: run.choices.len() as u32,
    })
}

fn recipe(of: &Recipe) -> Option<Arc<equivalence::Recipe>> {
    use equivalence::Recipe as Told;
    let all = |args: &[Arc<Recipe>]| args.iter().map(|a| recipe(a)).collect::<Option<Vec<_>>>();
    Some(Arc::new(match of {
        Recipe::Initial(i) => Told::Initial(*i as u32),
        Recipe::Heard(h) => Told::Heard(output(*h)),
        Recipe::Choice(c) => Told::Choice(*c),
        Recipe::Constant(t) => Told::Constant(*t),
        Recipe::Apply(op, args) => Told::Apply(*op, all(args)?),
        Recipe::Part(of, i, n) => Told::Part(recipe(of)?, *i as u32, *n as u32),
        Recipe::Predecessor(of) => Told::Predecessor(recipe(of)?),
        Recipe::Open(how, of, key) => Told::Open(*how, recipe(of)?, recipe(key)?),
        Recipe::Destruct(..) => return None,
    }))
}

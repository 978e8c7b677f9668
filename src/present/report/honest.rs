//! The story of a run in which nobody interferes.

use super::cast::{Cast, Party};
use super::company::Company;
use super::reference::Reference;
use super::spelling::Spelling;
use super::story::{
    Acceptance, Beat, Binding, Context, Happening, Message, Route, Story, names_only,
};
use super::values::Values;
use crate::analysis::Gate;
use crate::attacker::solver::Typing;
use crate::engine::honest::{HonestMove, HonestRun};
use crate::process::{Action, StepId};
use crate::term::TermId;
use rustc_hash::FxHashSet;

impl Story {
    /// Tells an honest run that a gate found. Outputs of instances that talk to a spy are told only if somebody took
    /// them: the spy is not there to do it.
    pub fn of_honest(ctx: Context<'_>, gate: &Gate, run: &HonestRun) -> Story {
        let Context { store, program, .. } = ctx;
        let system = &*gate.system;
        let reference = Reference::learn(store, program, system, [run]);
        let values = Values::of_honest(store, system, &run.moves);
        let taken: FxHashSet<StepId> = run
            .moves
            .iter()
            .filter_map(|m| match m {
                HonestMove::Deliver { from, .. } => Some(*from),
                _ => None,
            })
            .collect();
        let spied = |step: StepId| {
            let role = system.role_of(system.step(step).instance);
            system.is_honest(store, role) == Some(false)
        };
        let told: Vec<&HonestMove> = run
            .moves
            .iter()
            .filter(|m| match m {
                HonestMove::Output { step, .. } => !taken.contains(step) && !spied(*step),
                HonestMove::Deliver { .. } => true,
                HonestMove::Event { step, .. } => !spied(*step),
            })
            .collect();
        let mut steps: Vec<StepId> = Vec::new();
        let mut terms: Vec<TermId> = Vec::new();
        for m in &told {
            match m {
                HonestMove::Output { step, message, .. } => {
                    steps.push(*step);
                    terms.push(*message);
                }
                HonestMove::Deliver {
                    from, to, message, ..
                } => {
                    steps.extend([*from, *to]);
                    terms.push(*message);
                }
                HonestMove::Event { step, args } => {
                    steps.push(*step);
                    terms.extend(args);
                }
            }
        }
        let company = Company::new(store, program, system, &values);
        let cast = Cast::new(&company, &reference, &steps);
        let spelling = Spelling::new(store, program, &cast.spy, &terms);
        let typing = Typing::new(program, system);
        let mut beats = Vec::new();
        let mut number = 0;
        for (at, m) in told.into_iter().enumerate() {
            match m {
                HonestMove::Output {
                    step,
                    channel,
                    message,
                } => {
                    number += 1;
                    let partner = reference.partner(&company, *step);
                    let to = partner.map_or_else(|| store.show(*channel), |p| p.label(store));
                    beats.push(Beat::Message(Box::new(Message {
                        from: Party::Player(cast.player(system, *step)),
                        to: Party::Anybody(to),
                        route: Route::Heard,
                        sent: Some((at, *step)),
                        ..blank(number, *channel, *message)
                    })));
                }
                HonestMove::Deliver {
                    from,
                    to,
                    channel,
                    message,
                } => {
                    number += 1;
                    beats.push(Beat::Message(Box::new(Message {
                        from: Party::Player(cast.player(system, *from)),
                        to: Party::Player(cast.player(system, *to)),
                        sent: Some((at, *from)),
                        received: Some((at, *to)),
                        accepted: checks(ctx, gate, &typing, &cast, &values, *to),
                        ..blank(number, *channel, *message)
                    })));
                }
                HonestMove::Event { step, args } => {
                    if let Action::Event { event, .. } = &system.step(*step).action {
                        beats.push(Beat::Event(Happening {
                            at,
                            step: *step,
                            player: cast.player(system, *step),
                            event: *event,
                            args: args.clone(),
                            accepted: Vec::new(),
                        }));
                    }
                }
            }
        }
        Story {
            cast,
            beats,
            spelling,
            values,
            numbers: Vec::new(),
        }
    }
}

/// The tests that an instance makes at once on what it received, with what they bind.
///
/// Every variable is bound once in a run, so a test has passed if its equations hold of the values at the end.
fn checks(
    ctx: Context<'_>,
    gate: &Gate,
    typing: &Typing,
    cast: &Cast,
    values: &Values,
    received: StepId,
) -> Vec<Acceptance> {
    let (store, system) = (ctx.store, &*gate.system);
    let binding = |var: u32| {
        let info = &system.vars[var as usize];
        let named = info.label.starts_with(|c: char| c.is_alphabetic());
        let value = values.of(store, store.var(var));
        named.then(|| Binding {
            label: info.label.to_string(),
            ty: ctx.program.signature.type_label(info.ty).to_owned(),
            value,
            fits: typing.fits(store, value, info.ty),
            unusual: false,
        })
    };
    let mut made = Vec::new();
    let Action::Input { next, .. } = &system.step(received).action else {
        return made;
    };
    let mut step = *next;
    while let Action::Test {
        test,
        then,
        otherwise,
    } = &system.step(step).action
    {
        let holds = |(a, b): &(TermId, TermId)| values.of(store, *a) == values.of(store, *b);
        let passed = test.equations.iter().all(holds);
        let bound = test.binds.iter().filter(|_| passed);
        if !names_only(store, system, step) {
            made.push(Acceptance {
                player: cast.player(system, step),
                step,
                span: system.step(step).span,
                passed,
                bound: bound.filter_map(|v| binding(*v)).collect(),
            });
        }
        step = if passed { *then } else { *otherwise };
    }
    made
}

fn blank(number: usize, channel: TermId, term: TermId) -> Message {
    let nobody = Party::Anybody(String::new());
    Message {
        number,
        from: nobody.clone(),
        to: nobody,
        channel,
        term,
        route: Route::Delivered,
        sent: None,
        received: None,
        making: None,
        learned: Vec::new(),
        taken: None,
        accepted: Vec::new(),
    }
}

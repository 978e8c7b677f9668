//! Role instances that never finish, explained at two places: where one waits, and what comes nearest.

use super::cast::written;
use super::owner::Owner;
use super::spelling::Spelling;
use super::story::Context;
use super::values::Values;
use crate::analysis::{Gate, Idle};
use crate::process::{Action, InstanceId, StepId};
use crate::search::{HonestMove, Near, Stuck};
use crate::source::render::Excerpt;
use crate::source::{Label, LabelKind, Span};
use crate::term::{TermId, TermStore, View};

/// One instance that never finishes.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// The instance as it is written.
    pub instance: String,
    /// The place where it waits, if it waits.
    pub waits: Option<Span>,
    /// The nearest message, where it was sent, and the test that refuses it.
    pub near: Option<(String, Span, Span)>,
    /// What was found and what was expected in its place.
    pub differ: Option<(String, String)>,
    /// It waits only because others are stuck that would have more to send.
    pub consequence: bool,
    /// The same for people.
    pub excerpt: Excerpt,
}

/// Explains everything that the gate found.
pub fn obstacles(ctx: Context<'_>, gate: &Gate) -> Vec<Obstacle> {
    let writer = Writer::new(ctx, gate);
    let mut found: Vec<Obstacle> = gate
        .idle
        .iter()
        .map(|idle| match idle {
            Idle::Honest(stuck) => writer.stuck(stuck),
            Idle::WithSpy(instance) => writer.with_spy(*instance),
        })
        .collect();
    // If everybody waits for everybody, those are to blame to whom something was sent.
    if found.iter().all(|o| o.consequence) {
        for obstacle in &mut found {
            obstacle.consequence = obstacle.near.is_none();
        }
    }
    if found.iter().all(|o| o.consequence) {
        for obstacle in &mut found {
            obstacle.consequence = false;
        }
    }
    found
}

struct Writer<'a> {
    ctx: Context<'a>,
    gate: &'a Gate,
    values: Values,
    spelling: Spelling,
}

impl<'a> Writer<'a> {
    fn new(ctx: Context<'a>, gate: &'a Gate) -> Self {
        let store = ctx.store;
        let mut terms: Vec<TermId> = Vec::new();
        for m in &gate.run {
            match m {
                HonestMove::Output { message, .. } | HonestMove::Deliver { message, .. } => {
                    terms.push(*message);
                }
                HonestMove::Event { args, .. } => terms.extend(args),
            }
        }
        for idle in &gate.idle {
            if let Idle::Honest(Stuck {
                near: Some(near), ..
            }) = idle
            {
                terms.extend([near.message, near.found, near.expected]);
            }
        }
        Writer {
            ctx,
            gate,
            values: Values::of_honest(store, &gate.system, &gate.run),
            spelling: Spelling::new(store, ctx.program, "spy", &terms)
                .with_variables(store, &gate.system),
        }
    }

    fn store(&self) -> &'a TermStore {
        self.ctx.store
    }

    fn show(&self, term: TermId) -> String {
        self.spelling.show(self.store(), term)
    }

    fn span(&self, step: StepId) -> Span {
        self.gate.system.step(step).span
    }

    fn owner(&self, instance: InstanceId) -> String {
        let system = &self.gate.system;
        let role = system.role_of(instance);
        Owner::of(self.store(), self.ctx.program, system, role, &self.values).label(self.store())
    }

    fn stuck(&self, stuck: &Stuck) -> Obstacle {
        let system = &self.gate.system;
        let instance = written(self.store(), system, stuck.instance, &self.values);
        let who = self.owner(stuck.instance);
        let waits = self.span(stuck.waits);
        let at_input = matches!(system.step(stuck.waits).action, Action::Input { .. });
        let at_output = matches!(system.step(stuck.waits).action, Action::Output { .. });
        let mut excerpt = Excerpt {
            title: format!("{instance} never finishes, not even when nobody interferes"),
            ..Excerpt::default()
        };
        let mut label = |span: Span, message: String, kind: LabelKind| {
            excerpt.labels.push(Label {
                span,
                message,
                kind,
            });
        };
        let first = match (at_input, &stuck.near) {
            (true, Some(_)) => format!("{who} waits here, and accepts nothing that is sent"),
            (true, None) => format!("{who} waits here, but nobody sends anything on this channel"),
            (false, _) if at_output => {
                format!("{who} waits here for somebody who receives on this private channel")
            }
            (false, _) => format!("{who} does not get past this test"),
        };
        label(waits, first, LabelKind::Primary);
        let mut differ = None;
        let mut place = None;
        match &stuck.near {
            None if at_input => {
                excerpt.help.push(
                    "is the partner's role in the system, and does it send on this channel?"
                        .to_owned(),
                );
                let systems = &self.ctx.program.systems;
                if !systems.iter().any(|s| s.partial && s.label == system.label) {
                    excerpt.help.push(
                        "if it is left out on purpose, declare the system as `partial system`"
                            .to_owned(),
                    );
                }
            }
            None if at_output => excerpt.help.push(
                "does a role of the system receive on this channel, and does it get there?"
                    .to_owned(),
            ),
            None => excerpt
                .help
                .push("this test fails whatever is sent: compare its two sides".to_owned()),
            Some(near) => {
                let sender = self.owner(system.step(near.from).instance);
                label(
                    self.span(near.from),
                    format!("nearest: {sender} sends {}", self.message(near.message)),
                    LabelKind::Secondary,
                );
                let (found, expected) = (self.show(near.found), self.show(near.expected));
                if self.span(near.test) == waits {
                    excerpt
                        .notes
                        .push(format!("it has {found} where {expected} is expected"));
                } else {
                    label(
                        self.span(near.test),
                        format!("but it has {found} where this expects {expected}"),
                        LabelKind::Secondary,
                    );
                }
                excerpt.help.push(self.advice(near));
                place = Some((
                    self.message(near.message),
                    self.span(near.from),
                    self.span(near.test),
                ));
                differ = Some((found, expected));
            }
        }
        Obstacle {
            instance,
            waits: Some(waits),
            near: place,
            differ,
            consequence: at_input && self.others_owe(stuck),
            excerpt,
        }
    }

    /// Whether another instance is stuck before an output.
    fn others_owe(&self, stuck: &Stuck) -> bool {
        self.gate.idle.iter().any(|idle| match idle {
            Idle::Honest(other) if other.instance != stuck.instance => self.owes(other.waits),
            _ => false,
        })
    }

    /// Whether an output follows a step.
    fn owes(&self, step: StepId) -> bool {
        let mut work = vec![step];
        while let Some(step) = work.pop() {
            match &self.gate.system.step(step).action {
                Action::Nil => {}
                Action::Output { .. } => return true,
                Action::Fork(parts) => work.extend(parts),
                Action::Input { next, .. } | Action::Event { next, .. } => work.push(*next),
                Action::Test {
                    then, otherwise, ..
                } => work.extend([*then, *otherwise]),
            }
        }
        false
    }

    fn message(&self, term: TermId) -> String {
        self.spelling.message(self.store(), term)
    }

    /// What to look at, from the kind of the difference.
    fn advice(&self, near: &Near) -> String {
        let store = self.store();
        let agent = |t: TermId| {
            let s = &self.ctx.program.signature;
            s.agents.contains(&t) || s.spies.contains(&t)
        };
        let sealed = |t: TermId| {
            matches!(
                store.view(t),
                View::Senc(..) | View::Aenc(..) | View::Sign(..)
            )
        };
        match (store.view(near.found), store.view(near.expected)) {
            (View::Family(f, _), View::Family(g, _)) if f == g => {
                "the two sides use keys of different agents: compare the keys, and the order of \
                 the arguments where the roles are instantiated"
                    .to_owned()
            }
            (View::Name(_), View::Name(_)) if agent(near.found) && agent(near.expected) => {
                "the two sides name different agents: compare the order of the arguments where \
                 the roles are instantiated"
                    .to_owned()
            }
            (View::Tuple(_), View::Tuple(_)) => {
                "the two sides disagree about the number of parts".to_owned()
            }
            (View::Tuple(_), _) | (_, View::Tuple(_)) => {
                "one side has more parts than the other: compare the messages part by part"
                    .to_owned()
            }
            (View::Aenc(..), View::Sign(..)) => {
                "this is encrypted, and taken for a signature: what was encrypted with `K+` is opened \
                 with `K-`; `K+` checks what was signed with `K-`"
                    .to_owned()
            }
            (View::Sign(..), View::Aenc(..)) => {
                "this is signed, and taken for something encrypted: what was signed with `K-` is \
                 checked with `K+`; `K-` opens what was encrypted with `K+`"
                    .to_owned()
            }
            (View::Senc(..), View::Aenc(..) | View::Sign(..))
            | (View::Aenc(..) | View::Sign(..), View::Senc(..)) => {
                "the two sides use different kinds of encryption: `{M}k` is symmetric, `{M}K+` for \
                 the owner of K, `{M}K-` signed by the owner of K"
                    .to_owned()
            }
            _ if sealed(near.found) != sealed(near.expected) => {
                "one side encrypts here, the other does not".to_owned()
            }
            _ => "make the message and the pattern agree".to_owned(),
        }
    }

    fn with_spy(&self, instance: InstanceId) -> Obstacle {
        let system = &self.gate.system;
        let name = written(self.store(), system, instance, &self.values);
        let span = system.instance(instance).span;
        Obstacle {
            instance: name.clone(),
            waits: None,
            near: None,
            differ: None,
            consequence: false,
            excerpt: Excerpt {
                title: format!("{name} never finishes, whatever its dishonest partner does"),
                labels: vec![Label {
                    span,
                    message: "this instance".to_owned(),
                    kind: LabelKind::Primary,
                }],
                notes: Vec::new(),
                help: vec![
                    "some test of this role can't be passed even by someone who has the keys of \
                     the spy"
                        .to_owned(),
                ],
            },
        }
    }
}

//! Role instances that never finish, explained at two places: the first step that is never passed, and what comes
//! nearest.

use super::cast::written;
use super::company::Company;
use super::spelling::Spelling;
use super::story::Context;
use super::values::Values;
use crate::analysis::{Gate, Idle};
use crate::base::source::render::Excerpt;
use crate::base::source::{Label, LabelKind, Span};
use crate::engine::honest::{Cause, Difference, HonestMove, Near, Stuck};
use crate::process::{InstanceId, StepId};
use crate::term::{TermId, TermStore, View};

/// One instance that never finishes.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// The instance as it is written.
    pub instance: String,
    /// The first step that it never passes, if it is known.
    pub at: Option<Span>,
    /// The nearest message, where it is sent, and the test that refuses it.
    pub near: Option<(String, Span, Span)>,
    /// What was found and what was expected in its place.
    pub differ: Option<(String, String)>,
    /// It waits only because others are stuck that would have more to send.
    pub consequence: bool,
    /// The same for people.
    pub excerpt: Excerpt,
}

/// Explains everything that the gate found, those to blame first.
pub fn obstacles(ctx: Context<'_>, gate: &Gate) -> Vec<Obstacle> {
    if gate.idle.is_empty() {
        return Vec::new();
    }
    let writer = Writer::new(ctx, gate);
    let explained = gate.idle.iter().map(|idle| match idle {
        Idle::Honest(stuck) => writer.stuck(stuck),
        Idle::WithSpy(instance) => writer.with_spy(*instance),
    });
    explained.collect()
}

struct Writer<'a> {
    ctx: Context<'a>,
    gate: &'a Gate,
    company: Company<'a>,
    spelling: Spelling,
}

impl<'a> Writer<'a> {
    fn new(ctx: Context<'a>, gate: &'a Gate) -> Self {
        let store = ctx.store;
        let mut terms: Vec<TermId> = Vec::new();
        for m in gate.all().flat_map(|run| &run.moves) {
            match m {
                HonestMove::Output { message, .. } | HonestMove::Deliver { message, .. } => {
                    terms.push(*message);
                }
                HonestMove::Event { args, .. } => terms.extend(args),
            }
        }
        for idle in &gate.idle {
            let Idle::Honest(stuck) = idle else {
                continue;
            };
            let differ = match &stuck.cause {
                Cause::Refuses(near) => {
                    terms.push(near.message);
                    &near.differ
                }
                Cause::Fails(differ) => differ,
                Cause::Missing(expected) => {
                    terms.push(*expected);
                    continue;
                }
                _ => continue,
            };
            match differ {
                Difference::Terms { found, expected } => terms.extend([*found, *expected]),
                Difference::Type { found, .. } => terms.push(*found),
            }
        }
        let last = gate.told().last().map_or(&[][..], |run| &run.moves);
        let values = Values::of_honest(store, &gate.system, last);
        Writer {
            ctx,
            gate,
            company: Company::new(store, ctx.program, &gate.system, &values),
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
        let role = self.gate.system.role_of(instance);
        self.company.owner(role).label(self.store())
    }

    fn written(&self, instance: InstanceId) -> String {
        written(
            self.store(),
            &self.gate.system,
            instance,
            &self.company.values,
        )
    }

    fn stuck(&self, stuck: &Stuck) -> Obstacle {
        let instance = self.written(stuck.instance);
        let who = self.owner(stuck.instance);
        let mut found = Obstacle {
            at: Some(self.span(stuck.at)),
            near: None,
            differ: None,
            consequence: matches!(stuck.cause, Cause::Awaits { mutual: false, .. }),
            excerpt: Excerpt {
                title: format!("{instance} never finishes, not even when nobody interferes"),
                ..Excerpt::default()
            },
            instance,
        };
        let first = match &stuck.cause {
            Cause::Fails(differ) => {
                let help = "this test fails whatever is sent: compare its two sides";
                found.excerpt.help.push(help.to_owned());
                let (is, should) = self.differ(differ);
                found.excerpt.notes.push(format!("{is} is not {should}"));
                found.differ = Some((is, should));
                format!("{who} does not get past this test")
            }
            Cause::Refuses(near) => self.refuses(&who, near, &mut found),
            Cause::Missing(expected) => {
                let expected = self.message(*expected);
                self.missing(&mut found);
                self.absent(&mut found);
                let system = &self.gate.system.label;
                format!(
                    "{who} waits for {expected}; no role instance of {system} sends anything like it"
                )
            }
            Cause::Silence => {
                self.missing(&mut found);
                self.absent(&mut found);
                format!("{who} waits here, but nobody else sends anything on this channel")
            }
            Cause::OnlyOwn(own) => {
                self.missing(&mut found);
                self.label(
                    &mut found,
                    *own,
                    format!("only this would fit, which {who} itself sends"),
                );
                format!("{who} waits here for an answer that nobody sends")
            }
            Cause::Contested(from) => {
                let sender = self.owner(self.gate.system.step(*from).instance);
                self.label(&mut found, *from, format!("{sender} sends this once"));
                let help = "every message is delivered once, and whoever takes part must finish: does somebody forget to answer?";
                found.excerpt.help.push(help.to_owned());
                format!("{who} waits here; what would fit is needed by somebody else")
            }
            Cause::Unheard => {
                let help =
                    "does a role of the system receive on this channel, and does it get there?";
                found.excerpt.help.push(help.to_owned());
                format!("{who} waits here for somebody who receives on this private channel")
            }
            Cause::Unexplained => {
                let note = "a limit was met before it was looked into why";
                found.excerpt.notes.push(note.to_owned());
                format!("{who} was not seen to get past this step")
            }
            Cause::Awaits { act, whose, mutual } => {
                let other = self.owner(*whose);
                if *mutual {
                    let theirs = self.waits_at(*whose).unwrap_or(*act);
                    self.label(
                        &mut found,
                        theirs,
                        format!("{other} waits here, before it gets to send that"),
                    );
                    let help = "they wait for each other: who sends the first message?";
                    found.excerpt.help.push(help.to_owned());
                }
                self.label(&mut found, *act, format!("{other} would go on with this"));
                format!("{who} waits here for {other}")
            }
            Cause::Alone(others) => {
                let others: Vec<String> = others.iter().map(|i| self.written(*i)).collect();
                found.excerpt.title = format!(
                    "{} finishes only where {} is left waiting",
                    found.instance,
                    others.join(", ")
                );
                let help = "every message is delivered once: does somebody forget to answer?";
                found.excerpt.help.push(help.to_owned());
                let other = self.owner(self.gate.system.step(stuck.at).instance);
                format!("{other} waits here for ever")
            }
        };
        let primary = Label {
            span: self.span(stuck.at),
            message: first,
            kind: LabelKind::Primary,
        };
        found.excerpt.labels.insert(0, primary);
        found
    }

    fn refuses(&self, who: &str, near: &Near, found: &mut Obstacle) -> String {
        let sender = self.owner(self.gate.system.step(near.from).instance);
        let message = self.message(near.message);
        self.label(
            found,
            near.from,
            format!("nearest: {sender} sends {message}"),
        );
        let (is, should) = self.differ(&near.differ);
        found.excerpt.help.push(self.advice(near));
        found.near = Some((message, self.span(near.from), self.span(near.test)));
        let text = match &near.differ {
            Difference::Terms { .. } => format!(
                "{who} accepts nothing that is sent: the nearest has {is} where this expects {should}"
            ),
            Difference::Type { .. } => {
                format!("{who} accepts nothing that is sent: {is} is no {should}")
            }
        };
        found.differ = Some((is, should));
        text
    }

    fn differ(&self, differ: &Difference) -> (String, String) {
        match differ {
            Difference::Terms { found, expected } => (self.show(*found), self.show(*expected)),
            Difference::Type { found, declared } => {
                (self.show(*found), declared.label().to_owned())
            }
        }
    }

    fn label(&self, found: &mut Obstacle, step: StepId, message: String) {
        found.excerpt.labels.push(Label {
            span: self.span(step),
            message,
            kind: LabelKind::Secondary,
        });
    }

    /// Where another instance that is stuck waits.
    fn waits_at(&self, instance: InstanceId) -> Option<StepId> {
        self.gate.idle.iter().find_map(|idle| match idle {
            Idle::Honest(stuck) if stuck.instance == instance => Some(stuck.at),
            _ => None,
        })
    }

    /// What to do where nobody sends.
    fn missing(&self, found: &mut Obstacle) {
        let help = "is the partner's role in the system, and does it send on this channel?";
        found.excerpt.help.push(help.to_owned());
        let systems = &self.ctx.program.systems;
        let label = &self.gate.system.label;
        if !systems.iter().any(|s| s.partial && s.label == *label) {
            let help = "if it is left out on purpose, declare the system as `partial system`";
            found.excerpt.help.push(help.to_owned());
        }
    }

    /// Names the roles that are declared and have no instance in the system.
    fn absent(&self, found: &mut Obstacle) {
        let system = &self.gate.system;
        let runs = |label: &str| system.instances.iter().any(|i| *i.label == *label);
        let definitions = self.ctx.program.definitions.iter();
        let absent: Vec<String> = definitions
            .filter(|d| !runs(&d.label))
            .map(|d| format!("`{}`", d.label))
            .collect();
        if !absent.is_empty() {
            let verb = if absent.len() == 1 { "has" } else { "have" };
            let help = format!(
                "{} {verb} no instance in {}",
                absent.join(", "),
                system.label
            );
            found.excerpt.help.insert(0, help);
        }
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
        let sealed = |t: TermId| store.node(t).op.is_cipher();
        let (found, expected) = match near.differ {
            Difference::Terms { found, expected } => (found, expected),
            Difference::Type { .. } => {
                return "in an honest run values have their declared types: compare the order of the parts, and \
                        the types"
                    .to_owned();
            }
        };
        match (store.view(found), store.view(expected)) {
            (View::Family(f, _), View::Family(g, _)) if f == g => {
                "the two sides use keys of different agents: compare the keys, and the order of \
                 the arguments where the roles are instantiated"
                    .to_owned()
            }
            (View::Name(_), View::Name(_)) if agent(found) && agent(expected) => {
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
            _ if sealed(found) != sealed(expected) => {
                "one side encrypts here, the other does not".to_owned()
            }
            _ => "make the message and the pattern agree".to_owned(),
        }
    }

    fn with_spy(&self, instance: InstanceId) -> Obstacle {
        let name = self.written(instance);
        let span = self.gate.system.instance(instance).span;
        Obstacle {
            instance: name.clone(),
            at: None,
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

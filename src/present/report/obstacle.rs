//! Why an attack gets stuck, as a diagnostic: the step, what the roles expected and what they got.

use super::cast::written;
use super::replayed::spelling;
use super::spelling::Spelling;
use super::story::Context;
use super::values::Values;
use crate::analysis::Encounter;
use crate::base::source::{Code, Diagnostic};
use crate::certify::MoveKind;
use crate::execute::Obstacle;
use crate::process::{StepId, System};
use crate::term::{TermId, View};

/// Why an attack gets stuck: the step, what the roles expected and what they got.
pub fn hindrance(ctx: Context<'_>, attack: &System, e: &Encounter) -> Option<Diagnostic> {
    let rank = |h: &&Obstacle| match h {
        Obstacle::Lacks { .. } => 0,
        Obstacle::Failed { .. } => 1,
        Obstacle::Refused { .. } => 2,
        Obstacle::Alone { .. } | Obstacle::NoPhase { .. } => 3,
    };
    let first = e.why.iter().min_by_key(rank)?;
    let pen = Pen::new(ctx, attack, e);
    let diagnostic = match first {
        Obstacle::Lacks { step, term } => {
            let term = pen.ours.show(ctx.store, *term);
            Diagnostic::new(
                Code::AttackLacks,
                format!("the attacker does not have `{term}`"),
            )
            .at(attack.step(*step).span, "it is used here")
            .help("use what was received, public names, keys of spies, or a `new` name")
        }
        Obstacle::Failed { step, difference } => {
            let found = Diagnostic::new(Code::AttackStops, "a test of the attack fails");
            match difference {
                Some(d) => {
                    let (is, should) = (d.found, d.expected);
                    let text = format!(
                        "this has `{}` where it expects `{}`",
                        pen.ours.show(ctx.store, is),
                        pen.pattern(&pen.ours, should)
                    );
                    found.at(attack.step(*step).span, text)
                }
                None => found.at(attack.step(*step).span, "this fails"),
            }
        }
        Obstacle::Refused { sent, message, .. } => {
            let message = pen.theirs.show(ctx.store, *message);
            pen.refusals(
                Diagnostic::new(
                    Code::AttackStops,
                    "no role goes on with what the attack sends",
                )
                .at(attack.step(*sent).span, format!("this sends `{message}`")),
                *sent,
            )
        }
        Obstacle::NoPhase { step, number } => Diagnostic::new(
            Code::AttackStops,
            format!("nobody in the system waits for phase {number}"),
        )
        .at(
            attack.step(*step).span,
            "no run gets further than this step",
        ),
        Obstacle::Alone { step, channel } => {
            let channel = pen.ours.show(ctx.store, *channel);
            let sends = matches!(
                attack.step(*step).action,
                crate::process::Action::Output { .. }
            );
            let message = if sends {
                format!("nobody takes what the attack sends on `{channel}`")
            } else {
                format!("nobody sends what the attack waits for on `{channel}`")
            };
            Diagnostic::new(Code::AttackStops, message).at(
                attack.step(*step).span,
                "no run gets further than this step",
            )
        }
    };
    Some(pen.so_far(pen.waiting(diagnostic)))
}

/// Tells of attack and system in the names of one run.
pub(super) struct Pen<'a> {
    ctx: Context<'a>,
    attack: &'a System,
    e: &'a Encounter,
    ours: Spelling,
    /// The names, with those of the system's variables.
    pub theirs: Spelling,
}

impl<'a> Pen<'a> {
    /// The names of this run.
    pub(super) fn new(ctx: Context<'a>, attack: &'a System, e: &'a Encounter) -> Self {
        Pen {
            ctx,
            attack,
            e,
            ours: spelling(ctx, e, Some(attack)),
            theirs: spelling(ctx, e, Some(&e.system)),
        }
    }

    /// A term that may have variables; those without a name are `_`.
    pub(super) fn pattern(&self, spelling: &Spelling, t: TermId) -> String {
        let store = self.ctx.store;
        store.show_with(t, &|atom: TermId| {
            let name = crate::term::Naming::spell(spelling, atom);
            match store.view(atom) {
                View::Var(_) => Some(
                    name.filter(|n| n.starts_with(char::is_alphabetic))
                        .unwrap_or_else(|| "_".to_owned()),
                ),
                _ => name,
            }
        })
    }

    /// The role instance behind a step.
    pub(super) fn role(&self, step: StepId) -> String {
        let system = &self.e.system;
        let role = system.role_of(system.step(step).instance);
        written(self.ctx.store, system, role, &Values::default())
    }

    /// Every role that got the message and did not want it.
    fn refusals(&self, mut d: Diagnostic, last: StepId) -> Diagnostic {
        for why in &self.e.why {
            let Obstacle::Refused {
                sent,
                by,
                difference,
                ..
            } = why
            else {
                continue;
            };
            if *sent != last {
                continue;
            }
            let role = self.role(*by);
            let text = match difference {
                Some(x) => format!(
                    "{role} expects `{}` here and gets `{}`",
                    self.pattern(&self.theirs, x.expected),
                    self.theirs.show(self.ctx.store, x.found)
                ),
                None => format!("{role} expects a message of another type here"),
            };
            d = d.and(self.e.system.step(*by).span, text);
        }
        d
    }

    /// The step of the attack that has nobody to go on with, if that is not said already.
    fn waiting(&self, d: Diagnostic) -> Diagnostic {
        let said: Vec<_> = d.labels.iter().map(|l| l.span).collect();
        let alone = self.e.why.iter().find_map(|h| match h {
            Obstacle::Alone { step, .. } => Some(self.attack.step(*step).span),
            _ => None,
        });
        match alone.filter(|s| !said.contains(s)) {
            Some(span) => d.and(span, "so this step has no partner"),
            None => d,
        }
    }

    /// The messages of the run that got furthest.
    fn so_far(&self, mut d: Diagnostic) -> Diagnostic {
        let mut said = Vec::new();
        for m in &self.e.attack_run.moves {
            let show = |t: TermId| self.theirs.message(self.ctx.store, t);
            said.push(match &m.kind {
                MoveKind::Send { message, .. } => {
                    format!("{} sends {}", self.role(m.step), show(*message))
                }
                MoveKind::Receive { message, .. } => {
                    format!("{} gets {}", self.role(m.step), show(*message))
                }
                MoveKind::Communicate {
                    receiver, message, ..
                } => format!(
                    "{} sends {} to {}",
                    self.role(m.step),
                    show(*message),
                    self.role(*receiver)
                ),
                MoveKind::Phase { number } => format!("phase {number} begins"),
                MoveKind::Event { .. } => continue,
            });
        }
        if !said.is_empty() {
            d = d.note(format!("so far: {}", said.join("; ")));
        }
        d
    }
}

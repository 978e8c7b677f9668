//! The source lines that matter for an attack.

use super::cast::Party;
use super::making::{Manner, uses};
use super::story::{Acceptance, Beat, Context, Message, Route, Story};
use crate::analysis::Attack;
use crate::base::source::render::Excerpt;
use crate::base::source::{Label, LabelKind, Span};
use crate::certify::{Evidence, Source, Violation};
use crate::process::{Action, ClaimKind};
use crate::term::TermId;
use std::fmt::Write;

/// At most this many acceptances are marked.
const ACCEPTED: usize = 3;

/// Marks where the secret was made and where it leaked, or which events disagree, and the tests that accepted what
/// the attacker made.
pub(super) fn places(
    ctx: Context<'_>,
    claim: &ClaimKind,
    attack: &Attack,
    story: &Story,
) -> Excerpt {
    let mut pen = Pen {
        ctx,
        attack,
        story,
        labels: Vec::new(),
    };
    match &attack.replayed.evidence {
        Evidence::Derived(d) | Evidence::Sent { message: d, .. } => {
            pen.leak(d);
            pen.made();
        }
        Evidence::Unmatched(events) => {
            for (at, _) in events {
                pen.event(*at, "believes");
            }
            if let ClaimKind::Agreement { before, .. } = claim {
                let late: Vec<usize> = events.iter().map(|(at, _)| *at).collect();
                pen.missing(before.event, &late);
            }
        }
        Evidence::Reached => {}
    }
    if let Violation::LeakAfter { event } = &attack.replayed.violation {
        pen.event(*event, "does");
    }
    pen.accepted();
    Excerpt {
        labels: pen.labels,
        ..Excerpt::default()
    }
}

struct Pen<'a> {
    ctx: Context<'a>,
    attack: &'a Attack,
    story: &'a Story,
    labels: Vec<Label>,
}

impl Pen<'_> {
    fn mark(&mut self, span: Span, message: String, kind: LabelKind) {
        if span.is_empty() {
            return;
        }
        // One remark for each place; a second one is added to it.
        if let Some(label) = self.labels.iter_mut().find(|l| l.span == span) {
            if label.message != message {
                label.message.push_str("; ");
                label.message.push_str(&message);
            }
            return;
        }
        self.labels.push(Label {
            span,
            message,
            kind,
        });
    }

    fn show(&self, term: TermId) -> String {
        self.story.spelling.show(self.ctx.store, term)
    }

    fn leak(&mut self, derivation: &crate::certify::Derivation) {
        let mut sent: Vec<usize> = uses(derivation)
            .into_iter()
            .filter_map(|u| match u.source {
                Source::Sent(at) => Some(at),
                Source::Initial(_) => None,
            })
            .collect();
        sent.sort_unstable();
        sent.dedup();
        let Some(last) = sent.pop() else { return };
        let Some(message) = self.story.sent_by(last) else {
            return;
        };
        let step = self.attack.witness.moves[last].step;
        let text = format!(
            "message {}: from here {} gets {}",
            message.number,
            self.story.cast.spy,
            self.show(derivation.term)
        );
        self.mark(self.attack.system.step(step).span, text, LabelKind::Primary);
    }

    fn made(&mut self) {
        let (Violation::Leak { names, .. } | Violation::Sendable { names }) =
            &self.attack.replayed.violation
        else {
            return;
        };
        for name in names {
            let Some(origin) = self.attack.system.names.iter().find(|o| o.term == *name) else {
                continue;
            };
            let span = self.ctx.program.sites[origin.site.index()].span;
            let text = format!("{} is made here", self.show(*name));
            self.mark(span, text, LabelKind::Secondary);
        }
    }

    fn event(&mut self, at: usize, verb: &str) {
        let Some(happened) = self.story.event_at(at) else {
            return;
        };
        let span = self.attack.system.step(happened.step).span;
        let name = &self.story.cast.players[happened.player].name;
        let label = &self.ctx.program.events[happened.event.index()].label;
        let args: Vec<String> = happened.args.iter().map(|t| self.show(*t)).collect();
        let text = format!("{name} {verb} {label}({})", args.join(", "));
        self.mark(span, text, LabelKind::Primary);
    }

    /// Where the event stands that should have happened: before each of the given ones.
    fn missing(&mut self, event: crate::process::EventId, late: &[usize]) {
        let system = self.attack.system.clone();
        let mut places: Vec<Span> = system
            .steps
            .iter()
            .filter(|s| matches!(s.action, Action::Event { event: e, .. } if e == event))
            .map(|s| s.span)
            .collect();
        places.sort_unstable();
        places.dedup();
        let happened = self
            .story
            .beats
            .iter()
            .any(|b| matches!(b, Beat::Event(e) if e.event == event && !late.contains(&e.at)));
        for span in places.into_iter().take(2) {
            let text = if late.len() > 1 {
                "this did not happen as often"
            } else if happened {
                "only with other values did this happen"
            } else {
                "this should have happened before"
            };
            self.mark(span, text.to_owned(), LabelKind::Secondary);
        }
    }

    /// The tests that accepted messages made by the attacker, the last ones.
    fn accepted(&mut self) {
        let mut suspects: Vec<&Message> = self
            .story
            .messages()
            .filter(|m| m.route == Route::Made && m.accepted.iter().any(|a| a.passed))
            .collect();
        // What was really forwarded is the least interesting.
        suspects.sort_by_key(|m| {
            let forwarded = m
                .making
                .as_ref()
                .is_some_and(|k| matches!(k.manner, Manner::Copied(_)));
            let in_own_name = matches!(
                &m.from,
                Party::Spy {
                    acting_as: None,
                    ..
                }
            );
            (forwarded && in_own_name, std::cmp::Reverse(m.number))
        });
        suspects.truncate(ACCEPTED);
        suspects.sort_by_key(|m| m.number);
        let marks: Vec<(Span, String)> = suspects
            .into_iter()
            .filter_map(|m| {
                let misfit = |a: &&Acceptance| a.bound.iter().any(|b| !b.fits);
                let confused = m.accepted.iter().find(misfit);
                let test = confused.or_else(|| m.accepted.iter().rfind(|a| a.passed))?;
                let name = &self.story.cast.players[test.player].name;
                let mut text = format!("{name} accepts message {}", m.number);
                if let Some(b) = test.bound.iter().find(|b| !b.fits) {
                    let value = self.show(b.value);
                    let _ = write!(text, ": {} = {value} is no {}", b.label, b.ty);
                }
                Some((test.span, text))
            })
            .collect();
        for (span, text) in marks {
            self.mark(span, text, LabelKind::Secondary);
        }
    }
}

//! `unless L(a), ..`: events that excuse what comes after them.

use super::Checker;
use super::scope::Scope;
use crate::base::source::{Code, Diagnostic};
use crate::lang::syntax::ast::{self, ClaimKind, Correspondence, SystemRef};
use crate::process::{Closed, EventPattern};

impl Checker<'_> {
    /// The events that excuse a violation, over the variables of the event that the claim is about.
    pub(super) fn excuses(
        &mut self,
        about: &ast::EventPattern,
        system: &SystemRef,
        closed: Option<&Closed>,
        scope: &Scope,
    ) -> Vec<EventPattern> {
        let mut excuses = Vec::new();
        for event in &system.unless {
            for arg in &event.args {
                self.check_bound(
                    arg,
                    scope,
                    about.span,
                    "in the event that the claim is about",
                );
            }
            let mut scope = scope.clone();
            excuses.extend(self.event_pattern(event, closed, &mut scope));
        }
        excuses
    }

    /// Refuses `unless` in claims for which it is not decided.
    pub(super) fn excusable(&mut self, kind: &ClaimKind) {
        let refused: Vec<(&SystemRef, &str)> = match kind {
            ClaimKind::Secrecy {
                after: None,
                system,
                ..
            } => vec![(system, "secrecy without an event")],
            ClaimKind::Correspondence {
                strength: Correspondence::Injective,
                system,
                ..
            } => vec![(system, "injective agreement")],
            ClaimKind::Reachable { system, .. } => vec![(system, "`reachable`")],
            ClaimKind::Unsendable { system, .. } => vec![(system, "`unsendable`")],
            ClaimKind::StrongSecrecy { system, .. } => vec![(system, "strong secrecy")],
            ClaimKind::Compare { left, right, .. } => {
                vec![(left, "comparisons"), (right, "comparisons")]
            }
            ClaimKind::Secrecy { .. } | ClaimKind::Correspondence { .. } => Vec::new(),
        };
        for (system, what) in refused {
            let (Some(first), Some(last)) = (system.unless.first(), system.unless.last()) else {
                continue;
            };
            self.sink.push(
                Diagnostic::new(
                    Code::UnlessNotCovered,
                    format!("there is no `unless` for {what}"),
                )
                .at(first.span.to(last.span), "nothing is excused here")
                .help("write `secrecy k after E(k) in S unless L(_)` or `agreement E(x) => F(x) in S unless L(x)`"),
            );
        }
    }
}

//! The goals of a narration: the events that its roles mark for them, and the claims.
//!
//! `B authenticates A on M`: B has run the protocol to its end, with A as it seems, and then A has run it with B, with the same M, and as
//! often. A's event stands where A has all of M, B's at B's end. `secrecy M between A, B`: once one of them is at its end, the M that it has
//! stays secret. Without `between` the secret is that of whoever makes it, from the start.

use super::message::Message;
use super::play::shown;
use super::role::{Role, free_name, hint};
use super::world::World;
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{Expect, GoalKind, Ident, Name, Protocol};
use std::collections::{BTreeMap, BTreeSet};

/// An event that a role marks as soon as it has some values, or at its end.
struct Mark {
    role: Name,
    event: String,
    /// The agents and then the values that it is about.
    values: Vec<Message>,
    /// Only at the end of the role.
    last: bool,
    done: bool,
    span: Span,
}

/// The goals of one protocol.
pub(super) struct Goals {
    marks: Vec<Mark>,
    /// The claims, with their places.
    pub claims: Vec<(String, Span)>,
}

impl Goals {
    /// What the goals ask of the roles, or what is wrong with them.
    pub(super) fn new(
        world: &World,
        protocol: &Protocol,
        agents: &BTreeMap<Name, String>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut goals = Goals {
            marks: Vec::new(),
            claims: Vec::new(),
        };
        let mut mistakes = Vec::new();
        let mut events = BTreeSet::new();
        for goal in &protocol.goals {
            let named: Vec<&Ident> = match &goal.kind {
                GoalKind::Secrecy { between, .. } => between.iter().collect(),
                GoalKind::Authentication { who, whom, .. } => vec![who, whom],
            };
            for name in named {
                if !agents.contains_key(&name.name) {
                    mistakes.push(stranger(protocol, name));
                }
            }
            if !mistakes.is_empty() {
                continue;
            }
            let expect = match goal.expect {
                None => "",
                Some(Expect::Holds) => " expect holds",
                Some(Expect::Proof) => " expect proof",
                Some(Expect::Attack) => " expect attack",
            };
            let mut event = |role: &Name, verb: &str| {
                let name = format!("{}_{role}_{verb}", protocol.name.name);
                let name = free_name(&name, |n| world.taken.contains(n) || events.contains(n));
                events.insert(name.clone());
                name
            };
            let span = goal.span;
            let system = &protocol.name.name;
            match &goal.kind {
                GoalKind::Secrecy { secrets, between } if between.is_empty() => {
                    let mut targets = Vec::new();
                    for secret in Message::all(secrets) {
                        match &secret {
                            Message::Name(name) => targets.push(name.to_string()),
                            other => mistakes.push(whose(other, protocol, span)),
                        }
                    }
                    let targets = targets.join(", ");
                    let claim = format!("secrecy {targets} in {system}{expect}");
                    goals.claims.push((claim, span));
                }
                GoalKind::Secrecy { secrets, between } => {
                    let event = event(&Name::from("secret"), "kept");
                    for role in between {
                        for secret in Message::all(secrets) {
                            goals.marks.push(Mark {
                                role: role.name.clone(),
                                event: event.clone(),
                                values: vec![secret],
                                last: true,
                                done: false,
                                span,
                            });
                        }
                    }
                    let secret = free_name("secret", |n| world.taken.contains(n));
                    let claim =
                        format!("secrecy {secret} after {event}({secret}) in {system}{expect}");
                    goals.claims.push((claim, span));
                }
                GoalKind::Authentication {
                    who,
                    whom,
                    on,
                    weakly,
                } => {
                    let values: Vec<Message> = [who, whom]
                        .into_iter()
                        .map(|r| Message::Name(r.name.clone()))
                        .chain(Message::all(on))
                        .collect();
                    let (then, before) = (event(&who.name, "commits"), event(&whom.name, "runs"));
                    let marks = [(who, &then, true), (whom, &before, false)];
                    for (role, event, last) in marks {
                        goals.marks.push(Mark {
                            role: role.name.clone(),
                            event: event.clone(),
                            values: values.clone(),
                            last,
                            done: false,
                            span,
                        });
                    }
                    let args = variables(world, protocol, agents, &values).join(", ");
                    let word = if *weakly { "" } else { "injective " };
                    let claim = format!(
                        "{word}agreement {then}({args}) => {before}({args}) in {system}{expect}"
                    );
                    goals.claims.push((claim, span));
                }
            }
        }
        if mistakes.is_empty() {
            Ok(goals)
        } else {
            Err(mistakes)
        }
    }

    /// Marks the events that a role can mark by now.
    pub(super) fn mark(&mut self, role: &mut Role<'_>) {
        for mark in &mut self.marks {
            if mark.role == role.name && !mark.done && !mark.last {
                mark.done = put(mark, role);
            }
        }
    }

    /// Marks the events at the ends of the roles; what a role never has can't be a goal.
    pub(super) fn end(&mut self, roles: &mut [Role<'_>]) -> Result<(), Vec<Diagnostic>> {
        let mut mistakes = Vec::new();
        // What several goals are about, or both sides of one, is missing once.
        let mut told: Vec<String> = Vec::new();
        for role in roles {
            for mark in &mut self.marks {
                if mark.role != role.name || mark.done {
                    continue;
                }
                mark.done = put(mark, role);
                if let Some(missing) = mark.values.iter().find(|v| role.compose(v).is_none()) {
                    let missing = shown(&role.lacks(missing));
                    if told.contains(&missing) {
                        continue;
                    }
                    told.push(missing.clone());
                    let name = &role.name;
                    let message = format!("`{name}` never has `{missing}`");
                    let d = Diagnostic::new(Code::GoalOfNobody, message);
                    let d = d.at(
                        mark.span,
                        format!("this goal is about the `{missing}` of `{name}`"),
                    );
                    mistakes.push(d.help(format!(
                        "leave `{missing}` out of the goal, or send it to `{name}`"
                    )));
                }
            }
        }
        if mistakes.is_empty() {
            Ok(())
        } else {
            Err(mistakes)
        }
    }
}

/// Marks an event if the role has all its values.
fn put(mark: &Mark, role: &mut Role<'_>) -> bool {
    let values: Option<Vec<String>> = mark.values.iter().map(|v| role.compose(v)).collect();
    let Some(values) = values else {
        return false;
    };
    role.event(&format!("{}({})", mark.event, values.join(", ")), mark.span);
    true
}

/// Variables of a claim for some values: agents that are there by their names stand for themselves.
fn variables(
    world: &World,
    protocol: &Protocol,
    agents: &BTreeMap<Name, String>,
    values: &[Message],
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for value in values {
        let variable = match value {
            Message::Name(name) if agents.contains_key(name) => {
                let fixed = !protocol.roles.iter().any(|r| r.name.name == *name);
                if fixed {
                    found.push(name.to_string());
                    continue;
                }
                agents[name].clone()
            }
            other => hint(other),
        };
        let variable = free_name(&variable, |n| {
            world.taken.contains(n)
                || agents.keys().any(|a| &**a == n)
                || found.iter().any(|f| f == n)
        });
        found.push(variable);
    }
    found
}

fn stranger(protocol: &Protocol, name: &Ident) -> Diagnostic {
    let message = format!("`{name}` takes no part in the protocol `{}`", protocol.name);
    let roles: Vec<String> = protocol
        .roles
        .iter()
        .map(|r| format!("`{}`", r.name))
        .collect();
    Diagnostic::new(Code::GoalOfNobody, message)
        .at(name.span, "a goal is about those who take part")
        .note(format!("the roles are {}", roles.join(", ")))
}

/// A secret that has no maker.
fn whose(secret: &Message, protocol: &Protocol, span: Span) -> Diagnostic {
    let roles: Vec<String> = protocol.roles.iter().map(|r| r.name.to_string()).collect();
    let what = shown(secret);
    Diagnostic::new(
        Code::GoalOfNobody,
        format!("nobody makes `{what}` by itself"),
    )
    .at(span, format!("whose `{what}` stays secret?"))
    .help(format!(
        "say it: `secrecy {what} between {}`",
        roles.join(", ")
    ))
}

//! Do the roles of a submission keep to those of the exercise? They mark the same events, use only
//! the keys that they had, talk over the same channels, and know no further agent by name.

use crate::analysis::Model;
use crate::process::{ClaimKind, DefId, Program};

use super::Measure;
use super::roles::{Conduct, conduct, roles};

/// A role of the exercise, with what it does there and in the submission.
pub(super) struct Role {
    /// Its name.
    pub name: String,
    /// The parameters in the submission.
    params: Vec<String>,
    /// The parameters in the exercise.
    given_params: Vec<String>,
    given: Conduct,
    own: Conduct,
}

/// The roles of the exercise as the submission has them; `Err` says which one is gone or has other
/// parameters.
pub(super) fn paired(given: &Model, own: &Model) -> Result<Vec<Role>, (String, String)> {
    let (theirs, ours) = (&given.flat.program, &own.flat.program);
    let params = |program: &Program, def: DefId| -> Vec<String> {
        let body = &program.definitions[def.index()].body;
        let label = |v: &u32| program.vars[*v as usize].label.to_string();
        body.params.iter().map(label).collect()
    };
    let mut found = Vec::new();
    for def in roles(theirs) {
        let name = theirs.definitions[def.index()].label.to_string();
        let Some(now) = ours.definition_named(&name) else {
            return Err((name.clone(), format!("the role `{name}` is gone")));
        };
        let role = Role {
            params: params(ours, now),
            given_params: params(theirs, def),
            given: conduct(&given.store, theirs, def),
            own: conduct(&own.store, ours, now),
            name: name.clone(),
        };
        if role.params.len() != role.given_params.len() {
            return Err((name.clone(), format!("`{name}` has other parameters")));
        }
        found.push(role);
    }
    Ok(found)
}

/// Whether some role is too large to be compared.
pub(super) fn too_large(roles: &[Role]) -> bool {
    roles.iter().any(|r| r.own.cut)
}

/// An event of the exercise that the submission marks otherwise: the role, and how.
///
/// What must come before something else must not be marked earlier than it was. What something else
/// must come before may be: that makes its claim harder. But what follows a message must still
/// follow one.
pub(super) fn other_event(roles: &[Role], given: &Model) -> Option<(String, String)> {
    let program = &given.flat.program;
    let earlier: Vec<&str> = program
        .claims
        .iter()
        .filter_map(|c| match &c.kind {
            ClaimKind::Agreement { before, .. } => {
                Some(&*program.events[before.event.index()].label)
            }
            _ => None,
        })
        .collect();
    let known = |label: &str| {
        let marked = |r: &Role| r.given.events.iter().any(|e| e.label == label);
        roles.iter().any(marked)
    };
    for role in roles {
        let name = &role.name;
        let wrong = |detail: String| Some((name.clone(), detail));
        for event in &role.given.events {
            let label = &event.label;
            let mut same = role.own.events.iter().filter(|e| e.text == event.text);
            let Some(found) = same.clone().next() else {
                return wrong(format!(
                    "`{name}` no longer marks `{label}` with the same arguments"
                ));
            };
            let least = if earlier.contains(&&**label) {
                event.inputs
            } else {
                event.inputs.min(1)
            };
            if same.any(|e| e.inputs < least) {
                let before = if found.inputs == 0 {
                    "before it has received anything"
                } else {
                    "before it has received as much"
                };
                return wrong(format!("`{name}` marks `{label}` {before}"));
            }
        }
        for event in role.own.events.iter().filter(|e| known(&e.label)) {
            let label = &event.label;
            let count = |c: &Conduct| c.events.iter().filter(|e| e.label == *label).count();
            if count(&role.given) != count(&role.own) {
                return wrong(format!("`{name}` marks `{label}` at other places as well"));
            }
        }
    }
    None
}

/// A secret key that a role uses and that it did not have in the exercise.
///
/// `granted` has roles with further keys, in the names of the exercise's parameters.
pub(super) fn foreign_key(roles: &[Role], granted: &[(String, String)]) -> Option<String> {
    for role in roles {
        let granted: Vec<String> = granted
            .iter()
            .filter(|(r, _)| *r == role.name)
            .map(|(_, key)| by_number(key, &role.given_params))
            .collect();
        let mut used = role.own.keys.iter();
        let had = [&role.given.keys, &role.given.spared, &granted];
        let foreign = used.find(|k| had.iter().all(|list| !list.contains(k)));
        if let Some(key) = foreign {
            let name = &role.name;
            return Some(format!(
                "`{name}` uses the secret key {}",
                in_words(key, &role.params)
            ));
        }
        let secret = role
            .own
            .secrets
            .iter()
            .find(|s| !role.given.secrets.contains(s));
        if let Some(secret) = secret {
            return Some(format!("`{}` uses the private name {secret}", role.name));
        }
    }
    None
}

/// What a role uses as a channel, and did not in the exercise: the role and the channel.
pub(super) fn other_channel(roles: &[Role]) -> Option<(String, String)> {
    roles.iter().find_map(|role| {
        let new = |c: &&String| !role.given.channels.contains(c);
        let channel = role.own.channels.iter().find(new)?;
        Some((role.name.clone(), in_words(channel, &role.params)))
    })
}

/// An agent whom a role knows by name, and did not in the exercise: the role and the agent.
pub(super) fn known_agent(roles: &[Role]) -> Option<(String, String)> {
    roles.iter().find_map(|role| {
        let new = |a: &&String| !role.given.agents.contains(a);
        let agent = role.own.agents.iter().find(new)?;
        Some((role.name.clone(), agent.clone()))
    })
}

/// How much all messages of the roles have.
pub(super) fn measure(roles: &[Role], of: Measure) -> usize {
    roles.iter().map(|r| r.own.measure(of)).sum()
}

/// `K(a, b)` with the parameters of a role by number.
fn by_number(key: &str, params: &[String]) -> String {
    let Some((family, args)) = key.trim_end_matches(')').split_once('(') else {
        return key.to_owned();
    };
    let args: Vec<String> = args
        .split(',')
        .map(|a| {
            let at = params.iter().position(|p| p == a.trim());
            at.map_or_else(|| a.trim().to_owned(), |i| format!("#{i}"))
        })
        .collect();
    format!("{family}({})", args.join(","))
}

/// The same the other way round, in the student's names.
fn in_words(key: &str, params: &[String]) -> String {
    let mut shown = key.to_owned();
    for (i, p) in params.iter().enumerate().rev() {
        shown = shown.replace(&format!("#{i}"), p);
    }
    shown.replace("(?)", "(..)")
}

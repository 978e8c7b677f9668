//! Role instances in words. A few are listed, equal ones counted; of many it is said what they are made of.

use super::paper::unbroken;
use super::summary::count;
use crate::analysis::{Reach, Scope};
use rustc_hash::{FxHashMap, FxHashSet};

/// More different role instances than this are summarised.
const LISTED: usize = 8;

/// The role instances of a scope; the name of the system if it has none.
pub(super) fn named(scope: &Scope) -> String {
    let mut groups: Vec<(usize, &str)> = Vec::new();
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    for name in &scope.instances {
        let at = *numbers.entry(name).or_insert(groups.len());
        if at == groups.len() {
            groups.push((0, name));
        }
        groups[at].0 += 1;
    }
    if groups.is_empty() {
        return scope.system.clone();
    }
    // There may be any number of each.
    let uncounted = matches!(scope.proved, Some(Reach::Repeated | Reach::Everyone));
    if groups.len() > LISTED {
        let names: Vec<&str> = groups.iter().map(|(_, name)| *name).collect();
        return summarised(scope, &names);
    }
    let parts: Vec<String> = groups
        .into_iter()
        .map(|(n, name)| match n {
            _ if uncounted => unbroken(name),
            1 => unbroken(name),
            n => unbroken(&format!("{n} x {name}")),
        })
        .collect();
    parts.join(" | ")
}

/// `every assignment of U, R, E to User, RP (12 instances) | Clock`, or `12 instances of User, RP with U, R, E`.
fn summarised(scope: &Scope, names: &[&str]) -> String {
    let everyone = scope.proved == Some(Reach::Everyone);
    let (mut roles, mut others): (Vec<&str>, Vec<&str>) = Default::default();
    let known: FxHashSet<&str> = scope.agents.iter().map(String::as_str).collect();
    let mut taken: FxHashSet<&str> = FxHashSet::default();
    let mut listed: FxHashSet<(bool, &str)> = FxHashSet::default();
    let mut assigned = 0;
    for name in names {
        let (role, args) = taken_apart(name);
        let acting = args.iter().filter(|a| known.contains(*a));
        let chosen = !everyone || scope.roles.iter().any(|r| r == role);
        let acts = chosen && acting.clone().next().is_some();
        // What is not chosen is named as it is written.
        let role = if chosen { role } else { name };
        if chosen {
            taken.extend(acting);
        }
        let list = if acts {
            assigned += 1;
            &mut roles
        } else {
            &mut others
        };
        if listed.insert((acts, role)) {
            list.push(role);
        }
    }
    let repeated = scope.proved == Some(Reach::Repeated);
    let number = match (everyone, repeated) {
        (true, _) => assigned,
        (_, true) => names.len(),
        _ => scope.instances.len(),
    };
    let number = count(number as u64, "instance", "instances");
    let agents = scope.agents.iter().map(String::as_str);
    let agents: Vec<&str> = agents.filter(|a| taken.contains(a)).collect();
    let (agents, all) = (agents.join(", "), roles.join(", "));
    if roles.is_empty() {
        return format!("{number} of {}", others.join(", "));
    }
    if !everyone {
        let all = [roles, others].concat().join(", ");
        return format!("{number} of {all} with {agents}");
    }
    let limit = if scope.sorts {
        " that their sorts allow"
    } else {
        ""
    };
    let mut text = format!("every assignment of {agents} to {all}{limit} ({number})");
    for other in others {
        text.push_str(" | ");
        text.push_str(other);
    }
    text
}

/// A role and its arguments, of an instance as it is written: brackets within arguments are left alone.
fn taken_apart(name: &str) -> (&str, Vec<&str>) {
    let Some((role, rest)) = name.split_once('(') else {
        return (name, Vec::new());
    };
    let inside = rest.strip_suffix(')').unwrap_or(rest);
    let (mut args, mut depth, mut start) = (Vec::new(), 0u32, 0);
    for (i, c) in inside.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                args.push(inside[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    args.push(inside[start..].trim());
    (role, args)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(agents: &[&str], instances: &[String], proved: Option<Reach>) -> Scope {
        Scope {
            roles: ["Init", "Resp", "User", "RP", "IdP"]
                .map(str::to_owned)
                .into(),
            system: "S".to_owned(),
            agents: agents.iter().map(ToString::to_string).collect(),
            sorts: false,
            instances: instances.to_vec(),
            generated: None,
            finished: None,
            as_written: false,
            proved,
            any_agents: proved == Some(Reach::Everyone),
            recursion_cut: None,
            copies: None,
            powers: false,
            typed: false,
            transparent: false,
        }
    }

    fn all(roles: &[&str], agents: &[&str]) -> Vec<String> {
        let pairs = |role: &&str| {
            let role = (*role).to_owned();
            agents.iter().flat_map(move |a| {
                let role = role.clone();
                let others = agents.iter().filter(move |b| *b != a);
                others.map(move |b| format!("{role}({a}, {b}, L({a}, {b}))"))
            })
        };
        roles.iter().flat_map(pairs).collect()
    }

    #[test]
    fn a_few_are_listed_and_equal_ones_counted() {
        let names = ["R(A, B)", "R(A, B)", "T"].map(str::to_owned);
        let shown = |proved| named(&scope(&["A", "B"], &names, proved)).replace('\u{a0}', " ");
        assert_eq!(shown(None), "2 x R(A, B) | T");
        assert_eq!(shown(Some(Reach::Repeated)), "R(A, B) | T");
    }

    #[test]
    fn many_are_summarised() {
        let agents = ["U", "R", "P", "E"];
        let mut names = all(&["User", "RP", "IdP"], &agents);
        names.push("Clock".to_owned());
        let everyone = named(&scope(&agents, &names, Some(Reach::Everyone)));
        assert_eq!(
            everyone,
            "every assignment of U, R, P, E to User, RP, IdP (36 instances) | Clock"
        );
        let sorts = Scope {
            sorts: true,
            ..scope(&agents, &names, Some(Reach::Everyone))
        };
        assert_eq!(
            named(&sorts),
            "every assignment of U, R, P, E to User, RP, IdP that their sorts allow (36 instances) | Clock"
        );
        let written = named(&scope(&agents, &names, Some(Reach::Repeated)));
        assert_eq!(
            written,
            "37 instances of User, RP, IdP, Clock with U, R, P, E"
        );
        let plain: Vec<String> = (0..9).map(|i| format!("P({i})")).collect();
        assert_eq!(named(&scope(&agents, &plain, None)), "9 instances of P");
    }

    #[test]
    fn who_keeps_its_agents_is_not_said_to_be_assigned() {
        let mut names = all(&["Init", "Resp"], &["A", "B", "C"]);
        names.push("Card(A, pin)".to_owned());
        let told = named(&scope(&["A", "B", "C"], &names, Some(Reach::Everyone)));
        assert_eq!(
            told,
            "every assignment of A, B, C to Init, Resp (12 instances) | Card(A, pin)"
        );
    }

    #[test]
    fn agents_that_take_no_part_are_not_mentioned() {
        let names = all(&["Init", "Resp"], &["A", "B", "C"]);
        let told = named(&scope(&["A", "B", "D", "C"], &names, Some(Reach::Everyone)));
        assert_eq!(
            told,
            "every assignment of A, B, C to Init, Resp (12 instances)"
        );
    }
}

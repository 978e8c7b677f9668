//! The sorts of roles: which agents may take a part.
//!
//! A sort is written behind a role, `protocol Login(U: User, B: Bank)`. A role without one has the sort of the agent of its name. Where
//! whoever is always the same has a sort, such as `agent S: Server`, the other roles get one that it has not: a server
//! that keeps to its part takes no other.

use super::role::free_name;
use super::world::World;
use crate::base::source::{Code, Diagnostic};
use crate::lang::syntax::ast::{Name, Protocol};
use std::collections::BTreeMap;

/// The sort that roles get where nobody has written one.
const OTHERS: &str = "User";

/// Types of the roles; those of `Agent` are left out.
pub(super) fn sorts(
    world: &World,
    protocol: &Protocol,
    cast: &[Name],
) -> Result<BTreeMap<Name, Name>, Vec<Diagnostic>> {
    let mut sorts = BTreeMap::new();
    let mut mistakes = Vec::new();
    let mut open = Vec::new();
    for role in &protocol.roles {
        let name = &role.name.name;
        match &role.ty {
            Some(ty) if !ty.is_agent() => {
                let message = format!("`{name}` is a role, and no agent is a `{}`", ty.name);
                let d = Diagnostic::new(Code::NoParticipant, message);
                let d = d.at(ty.name.span, "a sort of agents is expected here");
                mistakes.push(
                    d.help("leave the type out, or choose a name for the sort, such as `User`"),
                );
            }
            // Whoever asks for any agent gets any.
            Some(ty) if ty.ty().is_some() => {}
            Some(ty) => {
                sorts.insert(name.clone(), ty.name.name.clone());
            }
            None => match world.sorts.get(name).map(Vec::as_slice) {
                Some([one]) => {
                    sorts.insert(name.clone(), one.clone());
                }
                _ => open.push(name),
            },
        }
    }
    let fixed = |name: &&Name| protocol.roles.iter().all(|r| r.name.name != **name);
    let keeps = |name: &Name| world.sorts.get(name).is_some_and(|s| !s.is_empty());
    // A sort is there if some agent is declared with it, so one of them must be new.
    let new = open.iter().any(|name| !world.agents.contains(name));
    if new && cast.iter().filter(fixed).any(keeps) {
        let used = |name: &str| {
            world.taken.contains(name)
                || world.sorts.values().flatten().any(|s| &**s == name)
                || sorts.values().any(|s: &Name| &**s == name)
                || cast.iter().any(|c| &**c == name)
        };
        let others = Name::from(free_name(OTHERS, used));
        for name in open {
            sorts.insert(name.clone(), others.clone());
        }
    }
    if mistakes.is_empty() {
        Ok(sorts)
    } else {
        Err(mistakes)
    }
}

//! Why a claim says nothing, in words.

use crate::analysis::Vacuity;

/// The reason, in a sentence, and what to do.
pub fn reason(vacuity: &Vacuity) -> String {
    let spies = |instances: &[String]| {
        let verb = if instances.len() == 1 { "does" } else { "do" };
        format!("only {} {verb}, with a spy", instances.join(", "))
    };
    match vacuity {
        Vacuity::NotMade { target } => {
            format!("no role instance makes `{target}`: add one to the system that does")
        }
        Vacuity::MadeForSpies { target, instances } => format!(
            "no role instance of honest agents makes `{target}`: {}; add one whose agents are honest, \
             or pick one by name, as in `secrecy Init(A, C).N`",
            spies(instances)
        ),
        Vacuity::NotMentioned { target, name } => {
            let what = if target == name {
                String::new()
            } else {
                format!(", so `{target}` can't leak")
            };
            format!("nothing in the system uses `{name}`{what}")
        }
        Vacuity::NotUsedSecret { target, name } => {
            let what = if target == name {
                String::new()
            } else {
                format!(", so `{target}` can't leak")
            };
            format!("`{name}` is made, but nothing that is sent, opened or tested has it{what}")
        }
        Vacuity::OwnEvent { after, before } => format!(
            "whoever marks `{after}` has itself marked `{before}` before, on the way there: this says nothing about a partner; \
             mark `{before}` in the partner's role"
        ),
        Vacuity::NotMarked { event } => {
            format!("no role instance marks `{event}`: add one to the system that does")
        }
        Vacuity::MarkedForSpies { event, instances } => format!(
            "no role instance of honest agents marks `{event}`: {}; add one whose agents are honest",
            spies(instances)
        ),
        Vacuity::NotReached { event } => format!(
            "no run gets to `{event}` in a role instance of honest agents, whatever the attacker does"
        ),
        Vacuity::SameSystem => {
            "a system is compared with itself: every system is equivalent to itself".to_owned()
        }
        Vacuity::NotUsed { parameter } => {
            format!("the system does not use `{parameter}`, so nothing can depend on it")
        }
    }
}

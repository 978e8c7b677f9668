//! Verdicts, scopes and costs in words.

use super::instances::named;
use super::paper::{Ink, unbroken};
use super::{vacuous, wider};
use crate::analysis::{ClaimResult, Outcome, Reach, Scope, Verdict};
use crate::base::limits::StopReason;
use crate::engine::prove::Proof;
use crate::engine::search::Stats;
use crate::process::{ClaimKind, Expectation};
use std::time::Duration;

/// The words of a verdict, and how they should look. They say what was covered: what holds for the runs as written may break with more.
pub fn word(outcome: Outcome) -> (&'static str, Ink) {
    match outcome {
        Outcome::Proved => ("proved", Ink::Good),
        Outcome::ProvedForAgents => ("proved for these agents only", Ink::Good),
        Outcome::Holds => ("holds for these runs only", Ink::Good),
        Outcome::Reached => ("reachable", Ink::Good),
        Outcome::Equivalent => ("equivalent for these runs only", Ink::Good),
        Outcome::EquivalentForAny => ("equivalent for any number of copies", Ink::Good),
        Outcome::Attack => ("attack", Ink::Bad),
        Outcome::Unreachable => ("unreachable", Ink::Bad),
        Outcome::Different => ("not equivalent", Ink::Bad),
        Outcome::Vacuous => ("vacuous", Ink::Doubt),
        Outcome::NotExecutable => ("not executable", Ink::Doubt),
        Outcome::Inconclusive => ("inconclusive", Ink::Doubt),
        Outcome::Internal => ("internal error", Ink::Doubt),
    }
}

/// The expectation in a word.
pub fn expectation(expected: Expectation) -> &'static str {
    match expected {
        Expectation::Holds => "holds",
        Expectation::Proof => "proof",
        Expectation::Attack => "attack",
    }
}

/// What the verdict says, in a sentence or two.
pub fn meaning(result: &ClaimResult) -> Vec<String> {
    let whom = against(&result.scope);
    let scope = instances(&result.scope);
    let mut said = Vec::new();
    match &result.verdict {
        Verdict::Holds { run: Some(_) } => said.push(format!("a run reaches it, in {scope}")),
        Verdict::Holds { run: None } => {
            said.push(format!("against {whom}, in {scope}"));
            said.extend(left_open(&result.scope));
            let looked = result.wider.as_ref();
            said.extend(looked.and_then(|w| wider::looked(w, &result.scope)));
        }
        Verdict::Attack(_) => said.push(format!("in {scope}")),
        Verdict::Unreachable => said.push(format!("no run reaches it, in {scope}")),
        Verdict::Vacuous(reason) => said.push(vacuous::reason(reason)),
        Verdict::NotExecutable => said.push(format!(
            "no attack, but a role instance never finishes, which may be the only reason, in {scope}"
        )),
        Verdict::Inconclusive(reason) => {
            said.push(format!("{}, in {scope}", stopped(*reason)));
            said.push(covered(result));
        }
        Verdict::Unconfirmed(reason) => {
            said.push(format!("{}, in {scope}", stopped(*reason)));
            said.push("a run was found, but not confirmed by its replay".to_owned());
        }
        Verdict::Internal(error) => said.push(error.to_string()),
    }
    said.extend(limits(&result.scope));
    said
}

/// What a claim that holds leaves open.
fn left_open(scope: &Scope) -> Option<String> {
    let text = match (scope.proved, scope.generated) {
        (Some(Reach::Everyone), _) if scope.any_agents => return None,
        (Some(Reach::Everyone), _) => {
            "what is not assigned keeps the agents that are written: no proof for others there"
        }
        (Some(Reach::Repeated), _) if scope.any_agents && scope.roles.is_empty() => return None,
        (Some(Reach::Repeated), _) if scope.any_agents => {
            "and with all other declared agents in their places, different ones where different ones are written"
        }
        (Some(Reach::Repeated), _) => "no proof for other agents in their places",
        (Some(Reach::AsWritten), _) => "the system runs once",
        (None, Some(_)) => "no proof for more instances: they may still break it",
        (None, None) => {
            "each as often as written, no proof for more: further runs may still break it"
        }
    };
    Some(text.to_owned())
}

/// What a search that was stopped has covered.
fn covered(result: &ClaimResult) -> String {
    let runs = if matches!(result.claim.kind, ClaimKind::Reachable { .. }) {
        "all runs"
    } else {
        "every attack"
    };
    let depth = count(u64::from(result.stats.depth), "message", "messages");
    let scope = &result.scope;
    let all = scope.generated.map(|g| {
        let all = if g.complete { "the" } else { "these" };
        format!("{all} {}", count(g.systems as u64, "system", "systems"))
    });
    match (all, scope.finished) {
        (Some(all), Some(finished)) if scope.instances.is_empty() => {
            format!("covered: {finished} of {all}; none of them violates the claim")
        }
        (Some(all), Some(finished)) => format!(
            "covered: {finished} of {all}, and in the one named {runs} with up to {depth}; \
             none violates the claim"
        ),
        _ => format!("covered: {runs} with up to {depth}; none violates the claim"),
    }
}

/// For which runs a claim holds, behind the words of its verdict, so that verdicts of several kinds can stand below each other.
pub fn runs(scope: &Scope) -> String {
    let told = match (scope.proved, scope.generated) {
        (Some(Reach::Repeated | Reach::Everyone), _) if !scope.any_agents => {
            "(any number of runs)".to_owned()
        }
        (Some(Reach::Repeated | Reach::Everyone), _) => "for any number of runs".to_owned(),
        (None, Some(_)) => format!("(in {})", instances(scope)),
        (Some(Reach::AsWritten), _) | (None, None) => String::new(),
    };
    let cut = scope.recursion_cut.map(|n| {
        format!(
            ", recursion cut after {}",
            count(u64::from(n), "return", "returns")
        )
    });
    let copies = scope
        .copies
        .map(|n| format!(", {} for each `!`", count(u64::from(n), "copy", "copies")));
    let powers = if scope.powers { ", exponents: two" } else { "" };
    let bounds = format!(
        "{}{}{powers}",
        copies.unwrap_or_default(),
        cut.unwrap_or_default()
    );
    match told.as_str() {
        "" if bounds.is_empty() => bounds,
        "" => format!("({})", bounds.trim_start_matches(", ")),
        _ => format!("{told}{bounds}"),
    }
}

/// Against whom, in which role instances, and what was asked for in vain: all that verdicts about one system have in common.
pub fn setting(scope: &Scope) -> Vec<String> {
    let mut said = Vec::new();
    let whom = against(scope);
    let names = named(scope);
    match (scope.proved, scope.generated) {
        (None, Some(_)) => said.push(format!("against {whom}")),
        _ => said.push(format!("against {whom}, in {names}")),
    }
    said.extend(in_vain(scope));
    if scope.powers {
        said.push(EXPONENTS.to_owned());
    }
    said
}

/// Whether the attack needs its type confusion, if it has one.
pub fn need_of_confusion(also_typed: Option<bool>, confused: bool) -> Option<&'static str> {
    match also_typed {
        Some(false) => Some(
            "if messages keep to their declared types (--typed), there is no attack in these runs",
        ),
        Some(true) if confused => {
            Some("there is also an attack that keeps to the declared types (--typed)")
        }
        _ => None,
    }
}

fn against(scope: &Scope) -> String {
    match (scope.typed, scope.transparent) {
        (false, false) => "every attacker".to_owned(),
        (true, false) => "attackers that keep to the declared types (--typed)".to_owned(),
        (false, true) => "attackers that leave no role stuck (--transparent)".to_owned(),
        (true, true) => {
            "attackers that keep to the declared types and leave no role stuck (--typed, --transparent)".to_owned()
        }
    }
}

/// The role instances, equal ones counted.
pub fn instances(scope: &Scope) -> String {
    if let Some(generated) = scope.generated {
        let which = if generated.complete {
            "all"
        } else {
            "the first"
        };
        let all = format!(
            "{which} {} of {}",
            count(generated.systems as u64, "system", "systems"),
            count(
                u64::from(generated.instances),
                "role instance",
                "role instances"
            )
        );
        if scope.instances.is_empty() {
            return all;
        }
        let names: Vec<String> = scope.instances.iter().map(|n| unbroken(n)).collect();
        return format!("{} (of {all})", names.join(" | "));
    }
    let mut all = named(scope);
    if !scope.instances.is_empty()
        && matches!(scope.proved, Some(Reach::Repeated | Reach::Everyone))
    {
        all.push_str(", each any number of times");
    }
    all
}

/// What lies outside the scope.
pub fn limits(scope: &Scope) -> Vec<String> {
    let mut said: Vec<String> = in_vain(scope).into_iter().collect();
    if scope.generated.is_some_and(|g| !g.complete) {
        said.push(
            "not all systems were generated: what others would show is not covered".to_owned(),
        );
    }
    if let Some(n) = scope.recursion_cut {
        said.push(format!(
            "recursion was cut after {} (--unfold): what lies beyond is not covered",
            count(u64::from(n), "return", "returns")
        ));
    }
    if let Some(n) = scope.copies {
        said.push(format!(
            "each `!` stands for {} (--copies): what more would do is not covered",
            count(u64::from(n), "copy", "copies")
        ));
    }
    if scope.powers {
        said.push(EXPONENTS.to_owned());
    }
    said
}

/// What every verdict about powers assumes.
pub const EXPONENTS: &str =
    "exponents: two, membership checked; no inverses, sums or three exponents";

/// That `--sessions` changed nothing.
fn in_vain(scope: &Scope) -> Option<String> {
    scope.as_written.then(|| {
        "--sessions had nothing to replace: no role is instantiated with agents at the top of the system, \
         which was checked as written"
            .to_owned()
    })
}

/// Why a search gave up.
pub fn stopped(reason: StopReason) -> String {
    match reason {
        StopReason::States(n) => {
            format!("stopped at {} (--max-states)", count(n, "state", "states"))
        }
        StopReason::Time => "the time was up (--timeout)".to_owned(),
        StopReason::Memory(bytes) => format!("more than {} of memory (--max-memory)", size(bytes)),
        StopReason::Size(n) => format!("a message has more than {n} operators and names"),
        StopReason::Actions(n) => format!(
            "longer runs than {} were not looked at",
            count(u64::from(n), "visible action", "visible actions")
        ),
        StopReason::Interrupted => "interrupted".to_owned(),
        StopReason::Lost(p) => format!("process {p} was lost (--hosts)"),
        StopReason::Absent(p) => format!("process {p} did not come (--hosts)"),
    }
}

/// `18 states, depth 3, 2 ms`; without the time if it is not to be shown.
pub fn cost(stats: &Stats, proof: Option<Proof>, timed: bool) -> String {
    let mut text = match proof {
        Some(proof) => format!(
            "proved with {}",
            count(proof.clauses as u64, "clause", "clauses")
        ),
        None => format!(
            "{}, depth {}",
            count(stats.states, "state", "states"),
            stats.depth
        ),
    };
    if timed {
        text.push_str(", ");
        text.push_str(&duration(stats.time));
    }
    text
}

/// A number with its noun.
pub fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A duration with two or three digits.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 0.001 => format!("{:.0} us", s * 1e6),
        s if s < 0.01 => format!("{:.1} ms", s * 1e3),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 60.0 => format!("{s:.1} s"),
        s => format!("{:.0} min {:.0} s", (s / 60.0).floor(), s % 60.0),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 30 => format!("{:.1} GiB", b as f64 / f64::from(1 << 30)),
        b => format!("{} MiB", b >> 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_fitting_unit() {
        let show = |us| duration(Duration::from_micros(us));
        assert_eq!(show(12), "12 us");
        assert_eq!(show(1_260), "1.3 ms");
        assert_eq!(show(25_000), "25 ms");
        assert_eq!(show(3_200_000), "3.2 s");
        assert_eq!(show(125_000_000), "2 min 5 s");
    }
}

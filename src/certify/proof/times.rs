//! Phases as times [the argument in `mod.rs`].

use super::certificate::{Head, Kind};
use super::subsume::Clause;
use super::terms::{Term, Terms};
use crate::process::{Action, System};
use crate::term::Op;

/// The times at which a system has the attacker get and need something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// The last phase; none if the system has none.
    last: Option<u8>,
    /// A variable that no step of the system has.
    open: u32,
}

impl Times {
    pub(super) fn of(system: &System) -> Self {
        let mut last = None;
        for step in &system.steps {
            if let Action::Phase { number, .. } = step.action {
                last = last.max(Some(number));
            }
        }
        // Above the variables and the runs.
        let open = (system.vars.len() + system.instances.len()) as u32;
        Self { last, open }
    }

    /// The last phase.
    pub(super) fn last(self) -> u8 {
        self.last.unwrap_or(0)
    }

    /// That phase itself.
    pub(super) fn in_phase(self, terms: &mut Terms<'_>, phase: u8) -> Option<Term> {
        self.last?;
        let mut time = terms.apply(Op::Zero, &[]);
        for _ in 0..phase {
            time = terms.apply(Op::Suc, &[time]);
        }
        Some(time)
    }

    /// That phase and all later ones.
    pub(super) fn since(self, terms: &mut Terms<'_>, phase: u8) -> Option<Term> {
        self.last?;
        let mut time = terms.variable(self.open);
        for _ in 0..phase {
            time = terms.apply(Op::Suc, &[time]);
        }
        Some(time)
    }
}

/// How often a successor of what.
fn counted(terms: &Terms<'_>, mut t: Term) -> (u32, Term) {
    let mut count = 0;
    while terms.head(t) == Head::Operator(Op::Suc) {
        t = terms.arg(t, 0);
        count += 1;
    }
    (count, t)
}

/// Whether a fact is another one, or says that the attacker had then what it has now.
pub(super) fn says(terms: &Terms<'_>, one: Term, other: Term) -> bool {
    if one == other {
        return true;
    }
    let attacker = |fact| terms.kind(fact) == Some(Kind::Attacker);
    let (&[t, then], &[u, now]) = (terms.args(one), terms.args(other)) else {
        return false;
    };
    let ((a, from), (b, to)) = (counted(terms, then), counted(terms, now));
    let zero = terms.head(from) == Head::Operator(Op::Zero);
    attacker(one) && attacker(other) && t == u && a <= b && (from == to || zero)
}

/// Whether what the clause concludes of the attacker lasts: it is concluded for a time with a variable that stands nowhere else but at the bottom of
/// times of what the attacker has. Facts without a time last by themselves.
pub(super) fn lasts(terms: &Terms<'_>, clause: &Clause) -> bool {
    if terms.kind(clause.conclusion) != Some(Kind::Attacker) {
        return true;
    }
    let &[t, time] = terms.args(clause.conclusion) else {
        return true;
    };
    let (_, open) = counted(terms, time);
    terms.as_variable(open).is_some()
        && !has(terms, t, open)
        && clause.conditions.iter().all(|fact| {
            let timed = terms.kind(*fact) == Some(Kind::Attacker);
            match terms.args(*fact) {
                &[t, time] if timed => {
                    let (_, bottom) = counted(terms, time);
                    !has(terms, t, open) && (bottom == open || !has(terms, bottom, open))
                }
                args => !args.iter().any(|t| has(terms, *t, open)),
            }
        })
}

/// Whether a variable occurs in a term.
fn has(terms: &Terms<'_>, t: Term, variable: Term) -> bool {
    t == variable || !terms.is_ground(t) && terms.args(t).iter().any(|a| has(terms, *a, variable))
}

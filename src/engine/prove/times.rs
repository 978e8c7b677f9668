//! Phases as times: a number, or a number and more.
//!
//! "The attacker has t" has a time for its second argument if the system has phases. What it gets in phase p it has in all later ones as well:
//! it gets t at the time `p + v`, for any v, and what it needs in phase p it must have at the time p. The two have an instance in
//! common exactly if it got it in time. What the attacker does with terms it does at any one time. Each step has its phase, that of the last `phase` on the
//! way to it: who has come there is gone as soon as a later one begins.
//!
//! A clause that says that the attacker still has what it had says nothing. For a clause that concludes what the attacker gets concludes it for a time `p + v`
//! with a variable v that stands nowhere else but in the times of conditions: so it is at first, and resolution keeps it so. Whatever is
//! derived for one time is therefore derived for every later one, in the same number of steps.

use super::terms::{Args, Term, Terms};
use crate::process::{Action, System};
use crate::term::Op;
use smallvec::smallvec;

/// The times of a system.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// The last phase; none if there are no phases at all.
    last: Option<u8>,
}

impl Times {
    pub fn of(system: &System) -> Self {
        let number = |a: &Action| match a {
            Action::Phase { number, .. } => Some(*number),
            _ => None,
        };
        let last = system.steps.iter().filter_map(|s| number(&s.action)).max();
        Self { last }
    }

    /// All phases; one if there are none.
    pub fn phases(self) -> std::ops::RangeInclusive<u8> {
        0..=self.last.unwrap_or(0)
    }

    /// In a phase.
    pub fn within(self, terms: &mut Terms, phase: u8) -> Option<Term> {
        self.last?;
        let zero = terms.make(Op::Zero, Args::new());
        Some(later(terms, phase, zero))
    }

    /// From a phase on; the variable is one that nothing else has.
    pub fn since(self, terms: &mut Terms, phase: u8, variable: u32) -> Option<Term> {
        self.last?;
        let any = terms.var(variable);
        Some(later(terms, phase, any))
    }

    /// When all is over.
    pub fn finally(self, terms: &mut Terms) -> Option<Term> {
        self.within(terms, self.last?)
    }
}

/// Whether one time is never after another.
pub(super) fn is_no_later(terms: &Terms, one: Term, other: Term) -> bool {
    let (a, from) = split(terms, one);
    let (b, to) = split(terms, other);
    a <= b && (from == to || terms.op(from) == Op::Zero)
}

/// How often a successor of what.
fn split(terms: &Terms, mut t: Term) -> (u32, Term) {
    let mut count = 0;
    while terms.op(t) == Op::Suc {
        t = terms.args(t)[0];
        count += 1;
    }
    (count, t)
}

fn later(terms: &mut Terms, phase: u8, start: Term) -> Term {
    (0..phase).fold(start, |t, _| terms.make(Op::Suc, smallvec![t]))
}

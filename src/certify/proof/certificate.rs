//! A certificate: clauses that are said to be closed under resolution, as plain data.
//!
//! Nothing here is believed. Terms are entries of one list, arguments before what they are arguments of; a fact is an entry too.

use crate::process::StepId;
use crate::term::{NameId, Op};
use smallvec::SmallVec;

/// What a fact says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The attacker has the term; in a system with phases, at the time that is the second argument.
    Attacker,
    /// The second term was sent on the channel that is the first; in a system with phases, in the phase that is the third.
    Message,
    /// The later event of the claim has happened: its arguments, and the place where it did.
    After,
    /// The earlier event of the claim has happened: its arguments.
    Before,
    /// At the place that is the first term, the second was received.
    Received,
    /// The second term may stand where terms were cut; the first tells which context is meant. It means what clauses conclude, no more.
    Part,
    /// What the claim looks at has happened.
    Goal,
}

/// What stands at the top of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Head {
    /// A variable of the clause.
    Variable(u32),
    /// An operator of the calculus. A restricted name has arguments: the run that makes it, and what that run has received.
    Operator(Op),
    /// A place: a step, and the run if it is a step of a role.
    Place(StepId),
    /// A fact.
    Fact(Kind),
}

/// The number of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry(pub u32);

/// A term or a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its top.
    pub head: Head,
    /// Its arguments: entries before it.
    pub args: SmallVec<[Entry; 3]>,
}

/// If the conditions are true, so is the conclusion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The conditions.
    pub conditions: Vec<Entry>,
    /// The conclusion.
    pub conclusion: Entry,
    /// The condition that is resolved; a clause without one is itself put in for the conditions of others.
    pub selected: Option<usize>,
}

/// A clause that follows from two others: one concludes the part from its conditions; the other its conclusion, with a variable
/// in the place of the part, from its conditions and the same of the variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The clause, without a selected condition.
    pub clause: Clause,
    /// What the one concludes.
    pub part: Entry,
    /// The condition that the other has beside those of the clause.
    pub hole: Entry,
    /// What the other concludes.
    pub context: Entry,
}

/// What is said to prove a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// Whether conditions remember what each run received.
    pub received: bool,
    /// The restricted names that are functions of what was received, with the number of inputs.
    pub inputs: Vec<(NameId, usize)>,
    /// Terms and facts.
    pub entries: Vec<Written>,
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// Clauses that follow from those, and from cuts before them. Nothing is put in for conditions of them, nor they for others'.
    pub cuts: Vec<Cut>,
}

impl Certificate {
    /// Adds an entry.
    pub fn write(&mut self, head: Head, args: SmallVec<[Entry; 3]>) -> Entry {
        self.entries.push(Written { head, args });
        Entry(self.entries.len() as u32 - 1)
    }
}

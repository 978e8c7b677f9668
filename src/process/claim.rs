//! Claims as data.

use super::{DefId, EventId, SiteId, SystemId};
use crate::base::source::Span;
use crate::term::TermId;

/// A message that the attacker gets from nobody's role: keys that are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// In which phase; 0 for what it has from the start.
    pub phase: u8,
    /// What it gets, a closed term.
    pub message: TermId,
    /// Where that is said.
    pub span: Span,
}

/// A system with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// Which system.
    pub system: SystemId,
    /// Its arguments, closed terms.
    pub args: Vec<TermId>,
    /// What is lost while it runs.
    pub lost: Vec<Loss>,
}

impl Closed {
    /// A system in which nothing is lost.
    pub fn new(system: SystemId, args: Vec<TermId>) -> Self {
        let lost = Vec::new();
        Self { system, args, lost }
    }

    /// The system as it runs if nothing is lost.
    #[must_use]
    pub fn unharmed(&self) -> Self {
        Self::new(self.system, self.args.clone())
    }
}

/// What a file says that a verdict should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expectation {
    /// `expect holds`: for whatever runs.
    Holds,
    /// `expect proof`: for any number of runs.
    Proof,
    /// `expect attack`.
    Attack,
}

/// A claim of the file or of the command line.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What is claimed.
    pub kind: ClaimKind,
    /// The expected verdict.
    pub expect: Option<Expectation>,
    /// Where it stands.
    pub span: Span,
    /// The claim as one line of source, without its expectation.
    pub text: String,
}

/// An event with patterns for its arguments: terms whose variables are the claim's own.
#[derive(Clone, Debug)]
pub struct EventPattern {
    /// Which event.
    pub event: EventId,
    /// The patterns; `_` is a variable that occurs once.
    pub args: Vec<TermId>,
    /// Where it stands.
    pub span: Span,
}

/// A restricted name in a secrecy target: a variable that ranges over the copies made at some sites.
#[derive(Clone, Debug)]
pub struct SecretName {
    /// The variable that stands for the copy in the target's term.
    pub var: u32,
    /// Where the copies are made.
    pub sites: Vec<SiteId>,
    /// `Init(A, B).Na`: only copies made by this instance.
    pub instance: Option<(DefId, Vec<TermId>)>,
}

/// What must stay secret: a term, whose variables range over copies of restricted names made by honest instances.
/// `secrecy Na` is the target with the term `v` and the one name `v`.
#[derive(Clone, Debug)]
pub struct SecrecyTarget {
    /// The term, over public and private names and the variables of `names`.
    pub term: TermId,
    /// Its restricted names.
    pub names: Vec<SecretName>,
    /// The target as written.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// How much of the events an agreement compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// `aliveness`: only the first argument of the earlier event, the agent that runs it.
    Aliveness,
    /// `weak agreement`: the arguments of type `Agent` of the earlier event.
    Weak,
    /// `agreement`: all arguments.
    Full,
    /// `injective agreement`: all arguments, and distinct earlier events.
    Injective,
}

/// What is claimed.
#[derive(Clone, Debug)]
pub enum ClaimKind {
    /// `secrecy M, N in S`.
    Secrecy {
        /// What must stay secret.
        targets: Vec<SecrecyTarget>,
        /// Where.
        system: Closed,
    },
    /// `secrecy k after E(..) in S`: the term is over the event pattern's variables.
    SecrecyAfter {
        /// What must stay secret.
        term: TermId,
        /// The event from which on.
        event: EventPattern,
        /// Events, over the same variables, that excuse a leak if they came before it.
        unless: Vec<EventPattern>,
        /// Where.
        system: Closed,
    },
    /// `agreement E(..) => F(..) in S` and its relatives. For the weaker strengths the patterns of `before` that
    /// are not compared have been replaced by variables that occur once.
    Agreement {
        /// Which relative.
        strength: Strength,
        /// The event that must be preceded.
        after: EventPattern,
        /// The event that must precede.
        before: EventPattern,
        /// Events, over the variables of `after`, that excuse its lack if they came before it.
        unless: Vec<EventPattern>,
        /// Where.
        system: Closed,
    },
    /// `reachable E(..) in S`.
    Reachable {
        /// The event.
        event: EventPattern,
        /// Where.
        system: Closed,
    },
    /// `unsendable c<M> in S`: the attacker can never send the message on the channel.
    Unsendable {
        /// The channel.
        channel: TermId,
        /// The message, with restricted names as in a secrecy target.
        target: SecrecyTarget,
        /// Where.
        system: Closed,
    },
    /// `strong secrecy m in S`: `S(m1) ~ S(m2)` for any two messages the attacker knows.
    StrongSecrecy {
        /// Index of the parameter that varies.
        param: usize,
        /// The system; the argument of the parameter is ignored.
        system: Closed,
    },
    /// `S ~ T`.
    Equivalence(Closed, Closed),
    /// `S <= T`.
    Preorder(Closed, Closed),
}

impl ClaimKind {
    /// The events after which a violation does not count.
    pub fn unless(&self) -> &[EventPattern] {
        match self {
            ClaimKind::SecrecyAfter { unless, .. } | ClaimKind::Agreement { unless, .. } => unless,
            _ => &[],
        }
    }

    /// The system a reachability claim is about; `None` for claims that compare systems.
    pub fn system(&self) -> Option<&Closed> {
        match self {
            ClaimKind::Secrecy { system, .. }
            | ClaimKind::SecrecyAfter { system, .. }
            | ClaimKind::Agreement { system, .. }
            | ClaimKind::Reachable { system, .. }
            | ClaimKind::Unsendable { system, .. } => Some(system),
            ClaimKind::StrongSecrecy { .. }
            | ClaimKind::Equivalence(..)
            | ClaimKind::Preorder(..) => None,
        }
    }
}

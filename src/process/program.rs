//! The checked file: signature, process templates, systems, claims.
//!
//! Templates live in one arena and name their children by [`ProcId`], so that long chains neither overflow the
//! stack when dropped nor cost an allocation per prefix. Parameters, restricted names and pattern variables are all
//! variables of the term store, numbered apart over the whole program ([`VarInfo`] tells what each one was).

use super::Claim;
use crate::base::source::Span;
use crate::term::{FamilyId, FunctionId, Rule, TermId};
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(super) use id;

id!(
    /// A sort of agents in [`Signature::sorts`].
    SortId
);

/// The declared types; `Msg` is everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)]
pub enum Type {
    Agent,
    /// Agents of one sort.
    Sort(SortId),
    Nonce,
    Name,
    Sym,
    Pub,
    Priv,
    Share,
    Data,
    Int,
    #[default]
    Msg,
}

impl Type {
    /// The types that every file has, in the order of the documentation.
    pub const ALL: [Type; 10] = [
        Type::Agent,
        Type::Nonce,
        Type::Name,
        Type::Sym,
        Type::Pub,
        Type::Priv,
        Type::Share,
        Type::Data,
        Type::Int,
        Type::Msg,
    ];

    /// Whether its members are agents: all, or those of a sort.
    pub fn is_agent(self) -> bool {
        matches!(self, Type::Agent | Type::Sort(_))
    }

    /// The least of these types that has the members of both.
    #[must_use]
    pub fn join(self, other: Type) -> Type {
        match (self, other) {
            (a, b) if a == b => a,
            (a, b) if a.is_agent() && b.is_agent() => Type::Agent,
            _ => Type::Msg,
        }
    }

    /// Its number, another one for each type.
    pub fn number(self) -> u32 {
        let built_in = Type::ALL.iter().position(|t| *t == self);
        match self {
            Type::Sort(sort) => Type::ALL.len() as u32 + sort.0,
            _ => built_in.map_or(0, |i| i as u32),
        }
    }

    /// The type with a number.
    pub fn numbered(number: u32) -> Type {
        let built_in = Type::ALL.get(number as usize);
        built_in.copied().unwrap_or_else(|| {
            let sort = number.saturating_sub(Type::ALL.len() as u32);
            Type::Sort(SortId(sort))
        })
    }

    /// The name of a type that every file has; of a sort the file knows the name ([`Signature::type_label`]).
    pub fn label(self) -> &'static str {
        match self {
            Type::Agent | Type::Sort(_) => "Agent",
            Type::Nonce => "Nonce",
            Type::Name => "Name",
            Type::Sym => "Sym",
            Type::Pub => "Pub",
            Type::Priv => "Priv",
            Type::Share => "Share",
            Type::Data => "Data",
            Type::Int => "Int",
            Type::Msg => "Msg",
        }
    }
}

/// Whether tuples are right-nested pairs or keep their arity (typed analysis).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum TupleMode {
    /// `(a, b, c)` is `(a, (b, c))`.
    #[default]
    Nested,
    /// `(a, b, c)` is never a pair.
    Flat,
}

id!(
    /// A process template in [`Program::procs`].
    ProcId
);
id!(
    /// A definition in [`Program::definitions`].
    DefId
);
id!(
    /// A system in [`Program::systems`].
    SystemId
);
id!(
    /// An event in [`Program::events`].
    EventId
);
id!(
    /// An occurrence of a restricted name in the source, in [`Program::sites`].
    SiteId
);

/// A process template.
#[derive(Clone, Debug)]
pub enum Proc {
    /// Nothing.
    Nil,
    /// Parallel composition.
    Par(Vec<ProcId>),
    /// Restriction of the names of these sites.
    New(Vec<SiteId>, ProcId),
    /// Output of a message on a channel.
    Output {
        /// The channel, any term.
        channel: TermId,
        /// The message.
        message: TermId,
        /// The continuation.
        then: ProcId,
        /// Where it stands.
        span: Span,
    },
    /// Input of a message; patterns have become tests.
    Input {
        /// The channel, any term.
        channel: TermId,
        /// The variable that takes the message.
        binder: u32,
        /// The continuation.
        then: ProcId,
        /// Where it stands.
        span: Span,
    },
    /// A test with its two branches.
    Test(Test, ProcId, ProcId),
    /// An event of the agreement claims.
    Event {
        /// Which event.
        event: EventId,
        /// Its arguments.
        args: Vec<TermId>,
        /// The continuation.
        then: ProcId,
        /// Where it stands.
        span: Span,
    },
    /// Waits until the run has come to a phase.
    Phase {
        /// Which one.
        number: u8,
        /// The continuation.
        then: ProcId,
        /// Where it stands.
        span: Span,
    },
    /// Instantiation of a definition.
    Call {
        /// Which definition.
        def: DefId,
        /// Its arguments.
        args: Vec<TermId>,
        /// Where it stands.
        span: Span,
    },
    /// Replication; without a count it takes the bound of the analysis.
    Replicate {
        /// Number of copies, if written.
        copies: Option<u32>,
        /// What is copied.
        body: ProcId,
        /// Where it stands.
        span: Span,
    },
}

impl Proc {
    /// The terms of the process itself, not of what follows it.
    pub fn terms(&self) -> Vec<TermId> {
        match self {
            Proc::Output {
                channel, message, ..
            } => vec![*channel, *message],
            Proc::Input { channel, .. } => vec![*channel],
            Proc::Test(test, ..) => test.equations.iter().flat_map(|(a, b)| [*a, *b]).collect(),
            Proc::Event { args, .. } | Proc::Call { args, .. } => args.clone(),
            Proc::Nil
            | Proc::Par(_)
            | Proc::New(..)
            | Proc::Phase { .. }
            | Proc::Replicate { .. } => Vec::new(),
        }
    }

    /// The processes that it is made of, or that follow it.
    pub fn parts(&self) -> Vec<ProcId> {
        match self {
            Proc::Nil | Proc::Call { .. } => Vec::new(),
            Proc::Par(parts) => parts.clone(),
            Proc::New(_, then)
            | Proc::Output { then, .. }
            | Proc::Input { then, .. }
            | Proc::Event { then, .. }
            | Proc::Phase { then, .. } => vec![*then],
            Proc::Test(_, then, otherwise) => vec![*then, *otherwise],
            Proc::Replicate { body, .. } => vec![*body],
        }
    }
}

/// How a test was written; the meaning is in the equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TestKind {
    /// `[M is N]`.
    Match,
    /// `let p = M in`, or the patterns of an input.
    Let,
    /// `case M of {..}k in`.
    Decrypt,
    /// A branch of `case M of 0: suc(x):`.
    Integer,
    /// A destructor inside a term, applied before the step that the term belongs to.
    Apply,
    /// A rule of a destructor that has more: if it does not fit, the next is tried in the `else`, and what follows is the same.
    Rule,
}

/// A test: one unification problem [Sem 2.2]. It succeeds when the equations can be made true by
/// values for `binds`; these are then unique.
#[derive(Clone, Debug)]
pub struct Test {
    /// How it was written.
    pub kind: TestKind,
    /// The equations, to hold together.
    pub equations: Vec<(TermId, TermId)>,
    /// The variables bound by the test, hidden ones included.
    pub binds: Vec<u32>,
    /// An `else` is written, be it `else 0`: a process that fails the test goes on there, otherwise it is stuck.
    pub has_else: bool,
    /// Where it stands.
    pub span: Span,
}

/// An occurrence of a restricted name.
#[derive(Clone, Debug)]
pub struct NewName {
    /// The variable that stands for the name in the template.
    pub var: u32,
    /// The name as written.
    pub label: Arc<str>,
    /// Its declared type.
    pub ty: Type,
    /// The definition it occurs in, if any.
    pub def: Option<DefId>,
    /// Where it stands.
    pub span: Span,
}

/// What a variable was in the source.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// Its name; hidden variables have names that can't be written.
    pub label: Arc<str>,
    /// Its declared type.
    pub ty: Type,
    /// Where it is bound.
    pub span: Span,
}

/// A process with parameters.
#[derive(Clone, Debug)]
pub struct Body {
    /// The parameters' variables.
    pub params: Vec<u32>,
    /// The process.
    pub root: ProcId,
}

/// `def P(..) = ..`.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub label: Arc<str>,
    /// Parameters and process.
    pub body: Body,
    /// Where the name stands.
    pub span: Span,
    /// Whose role it is, where a narration says so.
    pub speaker: Option<Speaker>,
}

/// Whose role a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// That of the argument of this number.
    Parameter(usize),
    /// That of a declared agent.
    Agent(TermId),
}

/// `system S(..) = ..`.
#[derive(Clone, Debug)]
pub struct SystemDecl {
    /// Its name.
    pub label: Arc<str>,
    /// Parameters and process.
    pub body: Body,
    /// Declared `partial`: the honest-run gate does not apply.
    pub partial: bool,
    /// Where the name stands.
    pub span: Span,
}

/// An event name.
#[derive(Clone, Debug)]
pub struct EventInfo {
    /// Its name.
    pub label: Arc<str>,
    /// Number of arguments.
    pub arity: usize,
    /// Where it was first used.
    pub span: Span,
}

/// A sort of agents: who may stand where the sort is declared.
#[derive(Clone, Debug)]
pub struct SortDecl {
    /// Its name.
    pub label: Arc<str>,
    /// Its agents, honest ones first: those declared with it, and those declared without any sort.
    pub members: Vec<TermId>,
    /// Where it stands first.
    pub span: Span,
}

/// A declared function.
#[derive(Clone, Debug)]
pub struct FunctionDecl {
    /// Which one.
    pub id: FunctionId,
    /// The types of its arguments.
    pub params: Vec<Type>,
    /// The type of what it makes.
    pub result: Type,
    /// The attacker can't apply it.
    pub private: bool,
}

/// A declared destructor: a partial function on messages. Processes have been freed of it; what is left of it there are tests.
#[derive(Clone, Debug)]
pub struct DestructorDecl {
    /// Its name.
    pub label: Arc<str>,
    /// Its rules; the first that fits is the one that is applied.
    pub rules: Vec<Rule>,
    /// Where the name stands.
    pub span: Span,
}

/// A rule under which systems are not compared: not all that an environment sees by it is known.
#[derive(Clone, Debug)]
pub struct NotCompared {
    /// The rule, as it is written.
    pub rule: Arc<str>,
    /// Where.
    pub span: Span,
    /// The reason.
    pub reason: Arc<str>,
}

/// A declared group: where Diffie-Hellman exchanges take place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupDecl {
    /// Its base, a public name.
    pub base: TermId,
    /// Its neutral element, if it has a name.
    pub neutral: Option<TermId>,
}

/// The declared atoms.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Honest agents.
    pub agents: Vec<TermId>,
    /// Agents that the attacker plays.
    pub spies: Vec<TermId>,
    /// The sorts of agents.
    pub sorts: Vec<SortDecl>,
    /// Public channels.
    pub channels: Vec<TermId>,
    /// Other public names.
    pub publics: Vec<TermId>,
    /// Private global names.
    pub privates: Vec<TermId>,
    /// Key families.
    pub families: Vec<FamilyId>,
    /// Functions.
    pub functions: Vec<FunctionDecl>,
    /// Destructors.
    pub destructors: Vec<DestructorDecl>,
    /// The rule that stands in the way of comparisons, if one does.
    pub not_compared: Option<NotCompared>,
    /// Groups; their names are public names.
    pub groups: Vec<GroupDecl>,
    /// Further initial knowledge of the attacker.
    pub knows: Vec<TermId>,
    /// Declared types of the names above.
    pub types: Vec<(TermId, Type)>,
}

impl Signature {
    /// A type as it is written.
    pub fn type_label(&self, ty: Type) -> &str {
        let sort = match ty {
            Type::Sort(id) => self.sorts.get(id.index()),
            _ => None,
        };
        sort.map_or(ty.label(), |s| &s.label)
    }

    /// All declared agents, spies last.
    pub fn everybody(&self) -> impl Iterator<Item = TermId> {
        self.agents.iter().chain(&self.spies).copied()
    }

    /// Whether a declared agent may stand where this type is declared: `Agent`, a sort of its, or no type of agents at all.
    pub fn may_play(&self, agent: TermId, ty: Type) -> bool {
        match ty {
            Type::Sort(id) => self.sorts[id.index()].members.contains(&agent),
            _ => true,
        }
    }

    /// The sorts of an agent.
    pub fn sorts_of(&self, agent: TermId) -> Vec<SortId> {
        let all = (0u32..).zip(&self.sorts);
        all.filter(|(_, sort)| sort.members.contains(&agent))
            .map(|(i, _)| SortId(i))
            .collect()
    }

    /// The names that whoever is named at run time may have: agents, public names and channels.
    pub fn named(&self) -> Vec<TermId> {
        let all = self.agents.iter().chain(&self.publics);
        all.chain(&self.channels).copied().collect()
    }
}

/// A checked file.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The declared atoms.
    pub signature: Signature,
    /// All process templates.
    pub procs: Vec<Proc>,
    /// All variables of the templates and claims.
    pub vars: Vec<VarInfo>,
    /// All occurrences of restricted names.
    pub sites: Vec<NewName>,
    /// The definitions.
    pub definitions: Vec<Definition>,
    /// The systems.
    pub systems: Vec<SystemDecl>,
    /// The events.
    pub events: Vec<EventInfo>,
    /// The claims, in source order.
    pub claims: Vec<Claim>,
    /// How tuples were lowered.
    pub tuples: TupleMode,
}

impl Program {
    /// A template.
    pub fn proc(&self, p: ProcId) -> &Proc {
        &self.procs[p.index()]
    }

    /// Adds a template.
    pub fn add(&mut self, proc: Proc) -> ProcId {
        self.procs.push(proc);
        ProcId(self.procs.len() as u32 - 1)
    }

    /// The system of this name.
    pub fn system_named(&self, label: &str) -> Option<SystemId> {
        self.systems
            .iter()
            .position(|s| &*s.label == label)
            .map(|i| SystemId(i as u32))
    }

    /// The definition of this name.
    pub fn definition_named(&self, label: &str) -> Option<DefId> {
        self.definitions
            .iter()
            .position(|d| &*d.label == label)
            .map(|i| DefId(i as u32))
    }

    /// The declared type of a public or private name; `Msg` if none.
    pub fn type_of_name(&self, name: TermId) -> Type {
        self.signature
            .types
            .iter()
            .find(|(n, _)| *n == name)
            .map_or(Type::Msg, |(_, t)| *t)
    }
}

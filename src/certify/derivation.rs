//! Derivations: proof objects that the attacker can make a term.
//!
//! [`Derivation::verify`] checks one against the rules [Sem 1.2, 1.3] node by node, so that trust in a message rests on
//! these few lines and not on the saturation that found it.

use super::algebra::{Making, Taking, making, taking};
use super::theory;
use crate::term::{DestructorId, FamilyKind, Op, TermId, TermStore, View};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Where the attacker got a term from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// Initial knowledge, by number.
    Initial(usize),
    /// The message sent by this move of the witness (in experiments: the output of this number).
    Sent(usize),
}

/// The last rule of a derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A public name, a name of the attacker's own, or 0.
    Free,
    /// A message as it was heard, or initial knowledge.
    Given(Source),
    /// A component of a tuple, counted from 0; the predecessor of a successor.
    Part {
        /// The tuple or successor.
        of: Arc<Derivation>,
        /// Which component.
        index: usize,
    },
    /// The content of a ciphertext or signature.
    Opened {
        /// The ciphertext or signature.
        sealed: Arc<Derivation>,
        /// What opens it.
        key: Arc<Derivation>,
    },
    /// What a declared destructor gives.
    Destructed {
        /// The destructor.
        destructor: DestructorId,
        /// The arguments.
        args: Vec<Arc<Derivation>>,
    },
    /// The term's operator applied to its parts. The public part of a key-pair family member is made from the member or
    /// from its arguments; so is, from the arguments, a member with a spy among them.
    Composed(Vec<Arc<Derivation>>),
}

/// How the attacker makes a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The term.
    pub term: TermId,
    /// The last rule.
    pub rule: Rule,
}

/// One thing the attacker does, for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It takes a message it was given.
    Take {
        /// The message.
        term: TermId,
        /// Where from.
        source: Source,
    },
    /// It takes a component out of a tuple or successor.
    Project {
        /// The tuple or successor.
        of: TermId,
        /// The component.
        term: TermId,
    },
    /// It opens a ciphertext or signature.
    Open {
        /// The ciphertext or signature.
        sealed: TermId,
        /// What opens it.
        key: TermId,
        /// What comes out.
        term: TermId,
    },
    /// It applies a declared destructor.
    Destruct {
        /// The destructor.
        destructor: DestructorId,
        /// The arguments.
        args: Vec<TermId>,
        /// What comes out.
        term: TermId,
    },
    /// It builds a term from its parts.
    Build {
        /// The term.
        term: TermId,
    },
}

/// What opens a ciphertext or signature and what comes out, if it has a key of the right form [Sem 1.3].
pub(super) fn lock(store: &TermStore, sealed: TermId) -> Option<(TermId, TermId)> {
    let node = store.node(sealed);
    let key = match taking(node.op) {
        Taking::Nothing | Taking::Arguments => return None,
        Taking::WithSame => node.args[1],
        Taking::WithOther { lock, key } => {
            let locked = store.node(node.args[1]);
            if locked.op != lock {
                return None;
            }
            store.make(key, locked.args.clone())
        }
    };
    Some((key, node.args[0]))
}

/// The terms from which the attacker composes a term [Sem 1.2], in each way there is; none if it can't.
pub(crate) fn ingredients(store: &TermStore, t: TermId) -> Ways {
    let mut ways = Ways::new();
    let node = store.node(t);
    match making(node.op) {
        Making::Nothing => {
            let secret = matches!(node.op, Op::Name(n) if !store.name_info(n).class.is_public());
            if !secret {
                ways.push(vec![]);
            }
        }
        Making::Member => {
            if node.args.iter().any(|a| store.is_spy(*a)) {
                ways.push(node.args.to_vec());
            }
        }
        Making::Apply(_) | Making::ApplyTwoOrMore => {
            // The public part of a member is everybody's who has its arguments.
            if let View::Pub(k) = node.view()
                && let View::Family(f, args) = store.view(k)
                && store.family_info(f).kind == FamilyKind::KeyPair
            {
                ways.push(args.to_vec());
            }
            ways.push(node.args.to_vec());
        }
        Making::Function => {
            let private = matches!(node.op, Op::Function(f) if store.function_info(f).private);
            if !private {
                ways.push(node.args.to_vec());
            }
        }
        Making::OfGroup => {
            // A form of a rule may have a variable for the base.
            let open = matches!(store.view(node.args[0]), View::Var(_));
            if open || store.groups().any(|(base, _)| base == node.args[0]) {
                ways.push(node.args.to_vec());
            }
        }
        Making::EitherPower => {
            ways.push(node.args.to_vec());
            // The share of the other exponent, if both are there.
            if let View::Share(base, x) = store.view(node.args[0]) {
                ways.push(vec![store.share(base, node.args[1]), x]);
            }
        }
        Making::Impossible => {}
    }
    ways
}

/// Ways to compose a term: seldom more than one.
pub(crate) type Ways = SmallVec<[Vec<TermId>; 2]>;

/// The rules already looked at: derivations share their parts.
type Seen = FxHashMap<*const Derivation, bool>;

impl Derivation {
    /// Whether every rule is applied rightly and every given term is what `given` says.
    pub fn verify(&self, store: &TermStore, given: &impl Fn(Source) -> Option<TermId>) -> bool {
        self.verify_once(store, given, &mut Seen::default())
    }

    fn verify_once(
        &self,
        store: &TermStore,
        given: &impl Fn(Source) -> Option<TermId>,
        seen: &mut Seen,
    ) -> bool {
        if let Some(answer) = seen.get(&std::ptr::from_ref(self)) {
            return *answer;
        }
        let answer = match &self.rule {
            Rule::Free => ingredients(store, self.term).contains(&Vec::new()),
            Rule::Given(source) => given(*source) == Some(self.term),
            Rule::Part { of, index } => {
                let part = match store.view(of.term) {
                    View::Tuple(parts) => parts.get(*index).copied(),
                    View::Suc(inner) if *index == 0 => Some(inner),
                    _ => None,
                };
                part == Some(self.term) && of.verify_once(store, given, seen)
            }
            Rule::Opened { sealed, key } => {
                lock(store, sealed.term) == Some((key.term, self.term))
                    && sealed.verify_once(store, given, seen)
                    && key.verify_once(store, given, seen)
            }
            Rule::Destructed { destructor, args } => {
                let terms: Vec<TermId> = args.iter().map(|a| a.term).collect();
                theory::applied(store, *destructor, &terms) == Some(self.term)
                    && args.iter().all(|a| a.verify_once(store, given, seen))
            }
            Rule::Composed(parts) => {
                let made: Vec<TermId> = parts.iter().map(|p| p.term).collect();
                ingredients(store, self.term).contains(&made)
                    && parts.iter().all(|p| p.verify_once(store, given, seen))
            }
        };
        seen.insert(std::ptr::from_ref(self), answer);
        answer
    }

    /// The messages and initial knowledge it uses, in order of first use.
    pub fn sources(&self) -> Vec<Source> {
        let mut found = Vec::new();
        for operation in self.operations() {
            if let Operation::Take { source, .. } = operation
                && !found.contains(&source)
            {
                found.push(source);
            }
        }
        found
    }

    /// What the attacker does, in an order in which it can be done, each thing once. What needs nothing that was
    /// learned (public names, their combinations) is left out, except as the only operation.
    pub fn operations(&self) -> Vec<Operation> {
        let mut found = Vec::new();
        let used = self.collect(&mut found, &mut Seen::default());
        if !used && !matches!(self.rule, Rule::Free) {
            found.push(Operation::Build { term: self.term });
        }
        found
    }

    /// Whether no message and no initial knowledge is used.
    pub fn is_free(&self) -> bool {
        !self.collect(&mut Vec::new(), &mut Seen::default())
    }

    /// Adds the operations; tells whether anything learned is used.
    fn collect(&self, found: &mut Vec<Operation>, seen: &mut Seen) -> bool {
        if let Some(used) = seen.get(&std::ptr::from_ref(self)) {
            return *used;
        }
        let (used, operation) = match &self.rule {
            Rule::Free => (false, None),
            Rule::Given(source) => {
                let (term, source) = (self.term, *source);
                (true, Some(Operation::Take { term, source }))
            }
            Rule::Part { of, .. } => {
                of.collect(found, seen);
                let (of, term) = (of.term, self.term);
                (true, Some(Operation::Project { of, term }))
            }
            Rule::Opened { sealed, key } => {
                sealed.collect(found, seen);
                key.collect(found, seen);
                let (sealed, key, term) = (sealed.term, key.term, self.term);
                (true, Some(Operation::Open { sealed, key, term }))
            }
            Rule::Destructed { destructor, args } => {
                for arg in args {
                    arg.collect(found, seen);
                }
                let operation = Operation::Destruct {
                    destructor: *destructor,
                    args: args.iter().map(|a| a.term).collect(),
                    term: self.term,
                };
                (true, Some(operation))
            }
            Rule::Composed(parts) => {
                let mut used = false;
                for part in parts {
                    used |= part.collect(found, seen);
                }
                (used, used.then_some(Operation::Build { term: self.term }))
            }
        };
        if let Some(operation) = operation
            && !found.contains(&operation)
        {
            found.push(operation);
        }
        seen.insert(std::ptr::from_ref(self), used);
        used
    }
}

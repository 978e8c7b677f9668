//! Recipes: how a tester makes a message from what it has heard.
//!
//! A recipe is a program, not a term: on the two sides of an equivalence it gives different messages, and a destructor
//! may fail on one of them. There is one constructor for each way of composing a term [Sem 1.2] and one destructor
//! for each way of taking one apart [Sem 1.3].

use super::algebra::{Making, making};
use super::derivation::{Derivation, Rule, Source, lock};
use super::theory;
use crate::term::{DestructorId, FamilyId, FamilyKind, Op, TermId, TermStore, View};
use std::sync::Arc;

/// A way to make a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Recipe {
    /// The term of this number of the initial knowledge.
    Initial(usize),
    /// The message of the output of this number, counted from 0.
    Heard(usize),
    /// A public name, a name of the tester's own (`NameClass::Attacker`), or 0.
    Constant(TermId),
    /// A constructor applied to its arguments.
    Build(Op, Vec<Arc<Recipe>>),
    /// A member of a key family; one of the arguments must be a spy.
    Member(FamilyId, Vec<Arc<Recipe>>),
    /// The public part of a member of a key-pair family.
    PublicPart(FamilyId, Vec<Arc<Recipe>>),
    /// A component of a tuple.
    Part {
        /// The tuple.
        of: Arc<Recipe>,
        /// Which component, counted from 0.
        index: usize,
        /// The number of components that the tuple must have.
        arity: usize,
    },
    /// The predecessor of a successor.
    Predecessor(Arc<Recipe>),
    /// The content of a ciphertext or signature with this operator: the ciphertext, and what opens it.
    Open(Op, Arc<Recipe>, Arc<Recipe>),
    /// A declared destructor applied to its arguments.
    Destruct(DestructorId, Vec<Arc<Recipe>>),
}

/// What a tester has: initial knowledge, and what it heard so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub initial: &'a [TermId],
    pub heard: &'a [TermId],
}

impl Recipe {
    /// The recipe behind a derivation. `heard` tells the number of the output that a move of the witness sends;
    /// `None` if the derivation uses something else.
    pub fn of(
        store: &TermStore,
        derivation: &Derivation,
        heard: &impl Fn(usize) -> Option<usize>,
    ) -> Option<Arc<Recipe>> {
        let of = |d: &Derivation| Recipe::of(store, d, heard);
        Some(Arc::new(match &derivation.rule {
            Rule::Free => Recipe::Constant(derivation.term),
            Rule::Given(Source::Initial(i)) => Recipe::Initial(*i),
            Rule::Given(Source::Sent(at)) => Recipe::Heard(heard(*at)?),
            Rule::Part { of: whole, index } => match store.view(whole.term) {
                View::Tuple(parts) => Recipe::Part {
                    of: of(whole)?,
                    index: *index,
                    arity: parts.len(),
                },
                _ => Recipe::Predecessor(of(whole)?),
            },
            Rule::Opened { sealed, key } => {
                Recipe::Open(store.node(sealed.term).op, of(sealed)?, of(key)?)
            }
            Rule::Destructed { destructor, args } => {
                let args: Option<Vec<_>> = args.iter().map(|a| of(a)).collect();
                Recipe::Destruct(*destructor, args?)
            }
            Rule::Composed(parts) => {
                // Who has a member of a family needs no arguments to make its public part.
                let from_member = matches!(store.view(derivation.term),
                    View::Pub(k) if parts.iter().all(|p| p.term == k));
                let parts: Option<Vec<_>> = parts.iter().map(|p| of(p)).collect();
                let parts = parts?;
                match store.view(derivation.term) {
                    View::Family(f, _) => Recipe::Member(f, parts),
                    View::Pub(k) => match store.view(k) {
                        View::Family(f, _) if !from_member => Recipe::PublicPart(f, parts),
                        _ => Recipe::Build(Op::Pub, parts),
                    },
                    _ => Recipe::Build(store.node(derivation.term).op, parts),
                }
            }
        }))
    }

    /// The arguments.
    pub fn parts(&self) -> Vec<&Arc<Recipe>> {
        match self {
            Recipe::Initial(_) | Recipe::Heard(_) | Recipe::Constant(_) => vec![],
            Recipe::Build(_, args)
            | Recipe::Member(_, args)
            | Recipe::PublicPart(_, args)
            | Recipe::Destruct(_, args) => args.iter().collect(),
            Recipe::Part { of, .. } | Recipe::Predecessor(of) => vec![of],
            Recipe::Open(_, m, k) => vec![m, k],
        }
    }

    /// The same with other numbers of outputs; `None` if it uses one that has no other number.
    pub(super) fn renumbered(
        &self,
        number: &impl Fn(usize) -> Option<usize>,
    ) -> Option<Arc<Recipe>> {
        let one = |r: &Arc<Recipe>| r.renumbered(number);
        let all = |args: &[Arc<Recipe>]| args.iter().map(one).collect::<Option<Vec<_>>>();
        Some(Arc::new(match self {
            Recipe::Initial(_) | Recipe::Constant(_) => self.clone(),
            Recipe::Heard(k) => Recipe::Heard(number(*k)?),
            Recipe::Build(op, args) => Recipe::Build(*op, all(args)?),
            Recipe::Member(f, args) => Recipe::Member(*f, all(args)?),
            Recipe::PublicPart(f, args) => Recipe::PublicPart(*f, all(args)?),
            Recipe::Destruct(d, args) => Recipe::Destruct(*d, all(args)?),
            Recipe::Part { of, index, arity } => Recipe::Part {
                of: one(of)?,
                index: *index,
                arity: *arity,
            },
            Recipe::Predecessor(of) => Recipe::Predecessor(one(of)?),
            Recipe::Open(op, m, k) => Recipe::Open(*op, one(m)?, one(k)?),
        }))
    }

    /// Whether it is one that a tester could use: constants are public, constructors have their arguments.
    pub(super) fn is_proper(&self, store: &TermStore) -> bool {
        let here = match self {
            Recipe::Constant(t) => match store.view(*t) {
                View::Zero => true,
                View::Name(n) => store.name_info(n).class.is_public(),
                _ => false,
            },
            Recipe::Build(op, args) => match making(*op) {
                Making::Apply(n) => args.len() == n,
                Making::ApplyTwoOrMore => args.len() >= 2,
                Making::Function => match op {
                    Op::Function(f) => {
                        let info = store.function_info(*f);
                        !info.private && info.arity as usize == args.len()
                    }
                    _ => false,
                },
                Making::OfGroup => {
                    let base = |r: &Recipe| matches!(r, Recipe::Constant(t) if store.groups().any(|(base, _)| base == *t));
                    args.len() == 2 && base(&args[0])
                }
                Making::EitherPower => args.len() == 2,
                Making::Nothing | Making::Member | Making::Impossible => false,
            },
            Recipe::Member(f, args) => store.family_info(*f).arity as usize == args.len(),
            Recipe::PublicPart(f, args) => {
                let info = store.family_info(*f);
                info.kind == FamilyKind::KeyPair && info.arity as usize == args.len()
            }
            Recipe::Destruct(d, args) => store
                .rules_of(*d)
                .all(|rule| rule.premises.len() == args.len()),
            Recipe::Part { index, arity, .. } => index < arity,
            _ => true,
        };
        here && self.parts().iter().all(|p| p.is_proper(store))
    }

    /// One more than the largest number of an output that it uses; 0 if it uses none.
    pub(super) fn needs(&self) -> usize {
        match self {
            Recipe::Heard(k) => k + 1,
            _ => self.parts().iter().map(|p| p.needs()).max().unwrap_or(0),
        }
    }

    /// Whether it uses the output of this number.
    pub(super) fn uses(&self, output: usize) -> bool {
        match self {
            Recipe::Heard(k) => *k == output,
            _ => self.parts().iter().any(|p| p.uses(output)),
        }
    }

    /// The message it makes from some initial knowledge and what was heard.
    pub fn evaluate(
        &self,
        store: &TermStore,
        initial: &[TermId],
        heard: &[TermId],
    ) -> Option<TermId> {
        self.make(store, Frame { initial, heard })
    }

    /// The message it makes; `None` if a destructor fails or something is not there.
    pub(super) fn make(&self, store: &TermStore, frame: Frame<'_>) -> Option<TermId> {
        // A loop: a recipe may be some thousand operators deep, and iterators would take more of the stack.
        let all = |args: &[Arc<Recipe>]| -> Option<Vec<TermId>> {
            let mut made = Vec::with_capacity(args.len());
            for a in args {
                made.push(a.make(store, frame)?);
            }
            Some(made)
        };
        match self {
            Recipe::Initial(i) => frame.initial.get(*i).copied(),
            Recipe::Heard(k) => frame.heard.get(*k).copied(),
            Recipe::Constant(t) => Some(*t),
            // There are powers of shares only.
            Recipe::Build(Op::Joint, args) => theory::power(store, &all(args)?),
            Recipe::Build(op, args) => Some(store.make(*op, all(args)?.into_iter().collect())),
            Recipe::Member(f, args) => {
                let args = all(args)?;
                let own = args.iter().any(|a| store.is_spy(*a));
                own.then(|| store.family(*f, &args))
            }
            Recipe::PublicPart(f, args) => Some(store.pub_part(store.family(*f, &all(args)?))),
            Recipe::Part { of, index, arity } => match store.view(of.make(store, frame)?) {
                View::Tuple(parts) if parts.len() == *arity => parts.get(*index).copied(),
                _ => None,
            },
            Recipe::Predecessor(of) => match store.view(of.make(store, frame)?) {
                View::Suc(inner) => Some(inner),
                _ => None,
            },
            Recipe::Open(op, m, k) => {
                let (sealed, key) = (m.make(store, frame)?, k.make(store, frame)?);
                let (opener, content) = lock(store, sealed)?;
                (store.node(sealed).op == *op && opener == key).then_some(content)
            }
            Recipe::Destruct(d, args) => theory::applied(store, *d, &all(args)?),
        }
    }

    /// Whether nothing is missing for it but that something is a share: a test that compares it takes its `else`.
    pub(super) fn lacks_share(&self, store: &TermStore, frame: Frame<'_>) -> bool {
        let parts = self.parts();
        let lacking = |p: &&Arc<Recipe>| p.lacks_share(store, frame);
        let there = |p: &&Arc<Recipe>| p.make(store, frame).is_some();
        if parts.iter().all(there) {
            return matches!(self, Recipe::Build(Op::Joint, _))
                && self.make(store, frame).is_none();
        }
        let mut missing = parts.iter().filter(|p| !there(p));
        matches!(self, Recipe::Build(..)) && missing.all(lacking)
    }
}

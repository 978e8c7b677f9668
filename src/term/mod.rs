//! Terms of the calculus as hash-consed ids.
//!
//! A [`TermId`] is made only by the smart constructors of [`TermStore`]; two terms are equal exactly when
//! their ids are. Ids depend on the timing of threads, so nothing may be *ordered* by them: [`TermStore::compare`]
//! orders by content. The store is append-only and shared by all threads.
//!
//! Left to others: what the attacker can do with terms (`knowledge`), levels of generics (`symbolic`).

#[cfg(feature = "distributed")]
mod bytes;
mod node;
mod operator;
mod order;
mod print;
pub mod ranges;
mod store;
mod subst;
mod symbol;
mod theory;
mod unify;

#[cfg(feature = "distributed")]
pub use bytes::{TermReader, TermWriter};
pub use node::{Args, Node, View};
pub use operator::{Arity, Composed, Key, Op, Opened, Printed, Row};
pub use print::{Naming, POWER, application, power};
pub use store::{Facts, TermId, TermStore};
pub use subst::Subst;
pub use symbol::{
    DestructorId, FamilyId, FamilyInfo, FamilyKind, FunctionId, FunctionInfo, NameClass, NameId,
    NameInfo,
};
pub use theory::{OpeningRule, RULE, Reason, Rule, Unopenable, Unseen, UnseenPart};
pub use unify::{Rank, Unifiers, unifiers, unify};

//! Symbolic reasoning about what the attacker may have sent.
//!
//! A generic stands for every term the attacker could make at its level [Sem 2.1]. All questions about generics, be
//! it a test, a channel, a derivation or the comparison of two labels, go through one solver, [`solve`], which answers
//! with a finite list of most general solutions [Sem 2.2].
//!
//! Left to others: what to do with the answers (`lts`, `search`, `equiv`).

mod conceivable;
mod generic;
mod lambda;
pub(crate) mod overgrown;
mod question;
mod rigid;
mod solve;
mod typing;

pub(crate) use conceivable::{conceivable, may_be_equal};
pub(crate) use generic::{GenericInfo, Generics};
pub(crate) use lambda::{Entry, Lambda};
pub(crate) use overgrown::TooLarge;
pub(crate) use question::{Binding, Context, Question, Solution};
pub(crate) use rigid::{derive_rigid, is_derivable};
pub(crate) use solve::{solve, solve_supposing};
pub(crate) use typing::Typing;

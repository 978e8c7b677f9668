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
pub mod overgrown;
mod question;
mod rigid;
mod solve;
mod typing;

pub use conceivable::{conceivable, may_be_equal};
pub use generic::{GenericInfo, Generics};
pub use lambda::{Entry, Lambda, interpret};
pub use overgrown::TooLarge;
pub use question::{Binding, Context, Question, Solution};
pub use rigid::{derive_rigid, is_derivable};
pub use solve::{solve, solve_supposing};
pub use typing::Typing;

//! The attacker's knowledge: what it has learned, from which level on, and how it opens and builds messages.
//!
//! Knowledge is a list of [`Element`]s. A level counts how often the knowledge has changed; an element can be used by
//! a message made at level i if it was alive at level i [Sem 1.5]. Composition [Sem 1.2] and decomposition [Sem 1.3]
//! are stated here once, as [`composition`] and [`openings`]; who may ask for them symbolically is the business of
//! `symbolic`.

mod element;
mod rules;

pub(crate) use element::{Death, Element, Level};
pub(crate) use rules::{
    Composition, Opening, arguments, composed_result, composition, is_constant, member_of,
    openings, parts,
};

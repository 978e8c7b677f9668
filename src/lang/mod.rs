//! The language: from text to a tree, from the tree to a checked program.

pub mod sema;
pub mod syntax;

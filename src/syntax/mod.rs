//! From text to a syntax tree.
//!
//! [`token`] and the tree ([`ast`]) are the interface to the layers above, which never see the text
//! itself. Names, types and meaning are left to `sema`.

pub mod ast;
pub mod reread;
pub mod token;

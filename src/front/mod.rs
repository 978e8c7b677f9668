//! The two front doors: the command line and the language server.

pub mod cli;
pub mod lsp;

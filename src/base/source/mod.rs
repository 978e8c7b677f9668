//! Source files, places in them, and what is wrong with them.
//!
//! The lowest layer. A [`SourceFile`] is a name and a text that is known to be UTF-8; a [`Span`]
//! is a byte range of one file; a [`Diagnostic`] says what is wrong at which spans, as data with a
//! code from a closed set ([`Code`]). Exactly one place turns a diagnostic into text for people:
//! [`render`].
//!
//! Invariant: a span made by the front end lies on character boundaries of its own file, so that
//! slicing and rendering never panic.
//!
//! Reading files and deciding which text counts as a file is in [`load`]; *what* can be wrong is
//! decided by the layers above.

pub mod code;
pub mod diagnostic;
pub mod explain;
pub mod file;
pub mod lines;
pub mod load;
mod narrow;
mod quote;
pub mod render;
mod repair;
pub mod shipped;
pub mod visible;
pub mod wrap;

pub use code::{Code, Severity};
pub use diagnostic::{Diagnostic, Diagnostics, Label, LabelKind};
pub use file::{FileId, SourceFile, SourceMap, Span, Unsaved};
pub use repair::{Repair, Spot};

//! Changes of the text that mend a mistake.
//!
//! A diagnostic that knows what to write instead says so in its help, for people, and as repairs, for editors. A repair is a
//! proposal: whoever offers it tries it out first.

use super::file::Span;

/// Where a repair writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// In place of the mistake itself.
    Mistake,
    /// In place of what stands here, which may be nothing.
    At(Span),
    /// A new declaration.
    Declaration,
}

/// A change of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Where.
    pub spot: Spot,
    /// What is to stand there; nothing removes what is there.
    pub text: String,
}

//! How a run ends.

/// The exit status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Every claim holds, the systems are equivalent, everything is as expected.
    Holds,
    /// An attack, a distinguishing test, an expectation missed, a file not formatted.
    Refuted,
    /// A usage, syntax, type or file error; nothing to check.
    Error,
    /// Time, states, memory or an interrupt ended the run before an answer.
    Inconclusive,
    /// No honest run completes.
    NotExecutable,
}

impl Status {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Status::Holds => 0,
            Status::Refuted => 1,
            Status::Error => 2,
            Status::Inconclusive => 3,
            Status::NotExecutable => 4,
        }
    }
}

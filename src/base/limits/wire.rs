//! Reasons to stop as processes tell them to each other.

use super::StopReason;
use crate::base::cluster::{Loss, Stop};

impl From<Loss> for StopReason {
    fn from(loss: Loss) -> Self {
        match loss {
            Loss::Gone(process) => StopReason::Lost(process),
            Loss::Absent(process) => StopReason::Absent(process),
        }
    }
}

impl StopReason {
    /// For other processes.
    pub(crate) fn told(self) -> Stop {
        match self {
            StopReason::States(n) => (0, n),
            StopReason::Time => (1, 0),
            StopReason::Memory(n) => (2, n),
            StopReason::Size(n) => (3, u64::from(n)),
            StopReason::Actions(n) => (4, u64::from(n)),
            StopReason::Interrupted => (5, 0),
            StopReason::Lost(p) => (6, u64::from(p)),
            StopReason::Absent(p) => (7, u64::from(p)),
        }
    }

    /// What another process has told.
    pub(crate) fn heard((code, value): Stop) -> StopReason {
        match code {
            0 => StopReason::States(value),
            1 => StopReason::Time,
            2 => StopReason::Memory(value),
            3 => StopReason::Size(value as u32),
            4 => StopReason::Actions(value as u32),
            6 => StopReason::Lost(value as u32),
            7 => StopReason::Absent(value as u32),
            _ => StopReason::Interrupted,
        }
    }
}

//! How long a replay may go on.

use super::CertifyError;
use std::fmt;

/// How long a replay may go on.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Configurations to try.
    pub configurations: usize,
    /// Whether somebody wants it to stop.
    pub stopped: &'a dyn Fn() -> bool,
}

impl fmt::Debug for Effort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Effort")
            .field("configurations", &self.configurations)
            .finish_non_exhaustive()
    }
}

impl Effort<'_> {
    /// So many configurations, however long that takes.
    pub fn of(configurations: usize) -> Effort<'static> {
        Effort {
            configurations,
            stopped: &|| false,
        }
    }

    /// An error once more than the limit was tried, or somebody wants to stop.
    pub(super) fn spend(&self, tried: usize) -> Result<(), CertifyError> {
        if tried > self.configurations {
            return Err(CertifyError::TooManyRuns {
                limit: self.configurations,
            });
        }
        if (self.stopped)() {
            return Err(CertifyError::Stopped);
        }
        Ok(())
    }
}

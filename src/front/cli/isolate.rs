//! A mistake of the program in one place loses nothing of the others.
//!
//! Work on a file, a claim or a mutant that panics is given up and told as a diagnostic; the rest goes on. The message of the
//! panic itself has gone to standard error with its place in the program.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::base::source::{Code, Diagnostic};

/// Does some work on what has this name, a file or a claim. `Err` if it panicked.
pub(super) fn isolated<T>(what: &str, work: impl FnOnce() -> T) -> Result<T, Diagnostic> {
    let guarded = || {
        trip(what);
        work()
    };
    // What the work had in hand is dropped with it; what others share with it are tables of terms, which only grow.
    catch_unwind(AssertUnwindSafe(guarded)).map_err(|panic| {
        let message = format!("`{what}` was given up: {}", said(&*panic));
        Diagnostic::new(Code::Panicked, message)
            .note("this is a mistake in spi; nothing is known of it, and everything else was gone on with")
            .help("please report it, with the file and the command")
    })
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason is known")
}

/// Panics at the place that the tests ask for: in no known way can a file make the program panic.
fn trip(what: &str) {
    let asked = || std::env::var("SPI_PANIC_AT").is_ok_and(|at| at == what);
    assert!(
        !cfg!(debug_assertions) || !asked(),
        "the tests asked for it"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told() {
        assert_eq!(isolated("m.spi", || 7).ok(), Some(7));
        for panicking in [|| panic!("index {}", 9), || panic!("index 9")] {
            let told = isolated("m.spi", || -> () { panicking() }).expect_err("it panics");
            assert_eq!(told.code, Code::Panicked);
            assert_eq!(told.message, "`m.spi` was given up: index 9");
        }
    }
}

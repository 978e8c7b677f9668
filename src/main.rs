//! The `spi` binary: a call into the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    spi::front::cli::main()
}

//! The `spi` binary: a call into the library.
//!
//! Workers make and forget many small things, often each other's. The allocator is one in which they do not wait for each
//! other.

use mimalloc::MiMalloc;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    spi::cli::main()
}

//! The `spi` binary: a call into the library.

fn main() {}

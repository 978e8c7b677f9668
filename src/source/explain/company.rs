//! `E08..`: several processes.

use super::{Explanation, plain};
use crate::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    plain(match code {
        Code::BadHosts => {
            "`--hosts FILE` names the processes that explore together: one line `host:port` for each, the same file for \
             all of them. Empty lines and lines that start with `#` do not count. `--process I` says which line is \
             this process; the first is 0."
        }
        _ => {
            "Several processes explore together only if they are asked the same: the same version of `spi`, the same options \
             (threads and memory may differ), files with the same text. Each has to be able to listen at its own address. \
             `--hosts` is there if `spi` was built with `--features distributed`; docs/distributed.md tells more."
        }
    })
}

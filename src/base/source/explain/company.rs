//! `E08..`: several processes.

use super::{Explanation, plain};
use crate::base::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    plain(match code {
        Code::BadHosts => {
            "`--hosts FILE` names the processes that explore together: one line `host:port` for each, the same file for \
             all of them. Empty lines and lines that start with `#` do not count. `--process I` says which line is \
             this process; the first is 0."
        }
        Code::NoKey => {
            "`--cluster-key FILE` lets only those processes work together that have the same secret in the file. Any bytes will \
             do, space at the end does not count, and nothing at all is no secret."
        }
        Code::WeakKey => {
            "Whoever has the secret of `--cluster-key` can take part in the exploration and falsify what it finds. Keep the file \
             to yourself (`chmod 600 FILE`), and let a machine choose the secret: what is shorter than 16 bytes can be \
             found by trying."
        }
        _ => {
            "Several processes explore together only if they are asked the same: the same version of `spi`, the same options \
             (threads and memory may differ), files with the same text, and the same secret if there is one (`--cluster-key`). Each has to be able to listen at its own address. \
             `--hosts` is there if `spi` was built with `--features distributed`; docs/distributed.md tells more."
        }
    })
}

//! `E05..`, `W05..`: processes.

use super::{Explanation, model};
use crate::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    match code {
        Code::ReplicationCount => model(
            "`!3 P` is three copies of P. No copy at all makes no sense; for nothing write `0`. A bare `!` \
             takes the number from `--sessions`.",
            "channel c\nsystem S = !0 c<c>\n",
            "channel c\nsystem S = !2 c<c>\n",
        ),
        Code::TooLarge => model(
            "Replication and recursion are unfolded before the analysis, and this system would unfold into \
             more steps than fit. Copies multiply: `!100 !100 P` has ten thousand. Use fewer. The same is said of a \
             definition whose argument grows too large, as when each definition passes `(x, x)` to the next. \
             So it is of a place that is reached in more than 4096 ways through rules of destructors and powers: each has as many \
             ways as it has rules, `^` on something received one for each base, share and neutral element of the groups.",
            "channel c\nsystem S = !100 !100 !100 c<c>\n",
            "channel c\nsystem S = !2 !2 c<c>\n",
        ),
        Code::EmptySystem => model(
            "The system does nothing, so every claim about it holds for no reason.",
            "channel c\nsystem S = 0\nsystem T = c<c>\n",
            "channel c\nsystem S = c<c>\n",
        ),
        _ => model(
            "The definition instantiates itself before it has done an input or an output, so it would \
             start without end. It is unfolded up to the bound of the analysis all the same. Put a step before \
             the recursive call; for many copies write `!P`.",
            "channel c\ndef P = c<c> | P\nsystem S = P\n",
            "channel c\ndef P = c<c>. P\nsystem S = P\n",
        ),
    }
}

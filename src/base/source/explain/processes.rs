//! `E05..`, `W05..`: processes.

use super::{Explanation, model};
use crate::base::source::Code;

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
        Code::CannotMake => model(
            "A role sends what it can make: of names that it makes itself or that everybody has, of its own keys, and of \
             what it has received and could open. This one lacks a part.",
            "key S(Agent)\nprotocol P(A, B)\n  A -> B: {N}S(A)\n  B -> A: N\n",
            "key S(Agent, Agent)\n\nprotocol P(A, B)\n  A -> B: {N}S(A, B)\n  B -> A: N\n",
        ),
        Code::NoParticipant => model(
            "Roles in the brackets of a protocol are played by any agent. Whoever else takes part is an agent of the \
             file, always the same. The spy takes the place of each partner by itself. A name is made once.",
            "protocol P(A)\n  A -> S: N\n",
            "agent S\n\nprotocol P(A)\n  A -> S: N\n",
        ),
        Code::GoalOfNobody => model(
            "A goal is about what its roles have when they are through: a role can't agree on a message that it never \
             sees, and a secret is somebody's.",
            "protocol P(A, B)\n  A -> B: N\n  B -> A: M\ngoals\n  secrecy H(N)\n",
            "protocol P(A, B)\n  A -> B: N\n  B -> A: M\ngoals\n  secrecy H(N) between A, B\n",
        ),
        Code::PhaseNumber => model(
            "A run begins in phase 0, and the attacker decides when the next phase begins that somebody waits for: `phase 1.` waits for phase 1. Phases \
             are numbered from 1 to 9.",
            "channel c\nsystem S = new k. c<H(k)>. phase 0. c<k>\n",
            "channel c\n\nsystem S =\n  new k.\n  c<H(k)>.\n  phase 1.\n  c<k>\n",
        ),
        Code::PhaseFalls => model(
            "The phase of a run only rises. Who has waited for phase 2 would wait for phase 1 in vain, so the numbers on the way of a process must not \
             fall; that counts for what it instantiates as well.",
            "channel c\nsystem S = new k. phase 2. c<H(k)>. phase 1. c<k>\n",
            "channel c\n\nsystem S =\n  new k.\n  phase 1.\n  c<H(k)>.\n  phase 2.\n  c<k>\n",
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

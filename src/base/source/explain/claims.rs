//! `E04..`, `W04..`: claims.

use super::{Explanation, model, plain};
use crate::base::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    match code {
        Code::UnknownInstance => model(
            "`Init(A, B).Na` names the `Na` of one role instance, so the system must run that instance with \
             exactly these arguments. The message lists the instances that it runs.",
            "agent A, B\nchannel c\ndef P(a: Agent) = new n. c<H(n, a)>\nsystem S = P(A) | c<B>\nsecrecy P(B).n in S\n",
            "agent A, B\nchannel c\ndef P(a: Agent) = new n. c<H(n, a)>\nsystem S = P(A) | c<B>\nsecrecy P(A).n in S\n",
        ),
        Code::UnknownSecret => model(
            "A secrecy claim is about a name that some role of the system makes with `new`, about a private \
             global name, or about a whole term in parentheses. For a value that a role receives, say when \
             it counts: `secrecy k after E(k) in S`.",
            "channel c\nsystem S = c(x). new n. c<H(n, x)>\nsecrecy m in S\n",
            "channel c\nsystem S = c(x). new n. c<H(n, x)>\nsecrecy n in S\n",
        ),
        Code::UnknownEvent => model(
            "The claim is about an event that no process of the system executes, so it would hold for no \
             reason. Check the spelling, or put `event E(…)` where the role is done.",
            "channel c\nsystem S = event Sent(c). c<c>\nreachable Send(_) in S\n",
            "channel c\nsystem S = event Sent(c). c<c>\nreachable Sent(_) in S\n",
        ),
        Code::SecretNotInEvent => model(
            "In `secrecy k after E(…, k, …)` the secret must be one of the arguments of the event: the event \
             tells which value is meant.",
            "channel c\nsystem S = new k. event E(c). c<H(k)>\nsecrecy k after E(x) in S\n",
            "channel c\nsystem S = new k. event E(k). c<H(k)>\nsecrecy k after E(k) in S\n",
        ),
        Code::StrongSecrecyParameter => model(
            "Strong secrecy says that nobody can tell which value was used: `S(m1) ~ S(m2)`. So the secret \
             must be a parameter of the system.",
            "channel c\nsystem S = new k, m. c<{m}k>\nstrong secrecy m in S\n",
            "channel c\nsystem S(m) = new k. c<{m}k>\nstrong secrecy m in S\n",
        ),
        Code::NothingToCheck => plain(
            "The file has no claim, or none about the system that was asked for. Add a claim such as \
             `secrecy n in S`, or name a target on the command line: `spi check FILE --secrecy n`.",
        ),
        Code::NothingExpected => plain(
            "`spi test` compares verdicts with what the file expects, and no claim of this file expects anything. \
             Add `expect holds`, `expect proof` or `expect attack` at the end of a claim; `spi check` tells which it is.",
        ),
        Code::NoSystem => plain(
            "Definitions describe roles; what is analysed is a system, which says who plays them: \
             `system S = Init(A, B) | Resp(B, A)`. A system with parameters is for comparisons and cannot be analysed by \
             itself: give its parameters values in another system, or in a claim.",
        ),
        Code::SeveralSystems => plain(
            "The file has several systems, and only one can be compared or drawn at a time. Name it: \
             `spi equiv FILE:S FILE:T`, `spi lts FILE --system S`. The message lists the systems.",
        ),
        Code::UnrelatedRoles => plain(
            "`--ladder` asks how sure two roles are of each other. It takes the events from the agreement claims \
             between them, or marks events itself in an honest run in which they are partners. Here is neither: no claim \
             has an event of the one and an event of the other, and in no system an instance of the one knows the agent of the \
             other and the other way round. Claim an agreement, or give both roles two parameters of type `Agent`.",
        ),
        Code::UnboundInClaim => model(
            "A variable on the right of `=>` does not occur on the left, so it would match anything and the \
             claim would say less than it seems to. Use a variable of the left event; for an argument that \
             does not matter write `_`.",
            "channel c\nsystem S = event F(c). c<c>. event E(c)\nagreement E(x) => F(y) in S\n",
            "channel c\nsystem S = event F(c). c<c>. event E(c)\nagreement E(x) => F(x) in S\n",
        ),
        Code::RuleNotCompared => model(
            "Whoever compares systems sees whether a destructor succeeds, on what was heard and on what was put together of it. All of this is known where \
             a rule gives a part of an argument or what everybody has, and one argument has all of its variables. By other rules attacks are searched, but \
             systems are not compared, and have no state space: `~`, `strong secrecy` and `spi lts` are refused.",
            "channel c\npublic ok\nfunction f(Msg, Msg), g(Msg, Msg)\ndestructor match(f(x, y), g(y, z)) = ok\nsystem S(m) = new k. c<f(m, k)>. c<g(k, m)>\n\
             S(c) ~ S(ok)\n",
            "channel c\npublic ok\nfunction f(Msg, Msg), g(Msg, Msg)\ndestructor match(f(x, y), g(y, x)) = ok\nsystem S(m) = new k. c<f(m, k)>. c<g(k, m)>\n\
             S(c) ~ S(ok)\n",
        ),
        Code::UnlessNotCovered => model(
            "`unless L(x)` says that a violation does not count if such an event came before it. It goes with secrecy after an event, with agreement, weak \
             agreement and aliveness: there is an event to which the arguments refer. In other claims nothing is excused, and with `--transparent` neither.",
            "channel c\nsystem S = new k. event E(k). c<k>\nsecrecy k in S unless E(_)\n",
            "channel c\n\nsystem S =\n  new k.\n  event E(k).\n  event L(k).\n  c<k>\n\nsecrecy k after E(k) in S unless L(k)\n",
        ),
        Code::PhasesNotCovered => model(
            "For systems with phases it is decided what the attacker learns and which events happen: secrecy, agreement, `reachable` and \
             `unsendable`, by proofs and by searches. Comparisons, strong secrecy, state spaces, honest runs and \
             transparent attackers know no phases, and refuse such systems. A key that is lost can be given to the environment from \
             the start, which sees more then.",
            "channel c\nsystem S(m) = new k. c<{m}k>. phase 1. c<k>\nstrong secrecy m in S\n",
            "channel c\nsystem S(m) = new k. c<{m}k>. c<k>\nstrong secrecy m in S\n",
        ),
        Code::NothingLost => model(
            "`forward secrecy` is about a secret that is safe although all long-term keys are lost when it is all over: the keys that are members of \
             `keypair` and `key` families for the declared honest agents, and private names of type `Sym`. If there is no such key, or if the members of a \
             family can't be listed since its parameters are no agents, the claim would say less than it seems to. Write what is lost \
             into the system then: `phase 1. net<k>`.",
            "channel c\nsystem S = new k. event E(k). c<H(k)>\nforward secrecy k after E(k) in S\n",
            "agent A\nchannel c\nkeypair K(Agent)\ndef P(a: Agent) = new k. event E(k). c<{H(k)}K(a)->\nsystem S = P(A)\nforward secrecy k after E(k) in S\n",
        ),
        Code::DifferentWorlds => plain(
            "`spi equiv` was given two files that declare one name in different ways (an agent here, a spy or \
             a private name there), or that give the attacker different knowledge. The systems would be \
             placed in two different worlds, and no environment could test both. Declare what both files use \
             alike, with the same `knows`, or put both systems into one file.",
        ),
        Code::DuplicateClaim => model(
            "The same claim stands twice in the file. It is checked once.",
            "channel c\nsystem S = new n. c<H(n)>\nsecrecy n in S\nsecrecy n in S\n",
            "channel c\nsystem S = new n. c<H(n)>\nsecrecy n in S\n",
        ),
        Code::ContradictoryExpectations => model(
            "One claim is expected to hold and, at another place, to be refuted. At most one can be right.",
            "channel c\nsystem S = new n. c<H(n)>\nsecrecy n in S expect holds\nsecrecy n in S expect attack\n",
            "channel c\nsystem S = new n. c<H(n)>\nsecrecy n in S expect holds\n",
        ),
        _ => model(
            "The claim names a system that the file does not declare. A definition is no system: write \
             `system S = P(…)` for the instances that are to be analysed.",
            "channel c\nsystem S = new n. c<H(n)>\nsecrecy n in T\n",
            "channel c\nsystem S = new n. c<H(n)>\nsecrecy n in S\n",
        ),
    }
}

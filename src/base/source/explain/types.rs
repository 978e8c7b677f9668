//! `E03..`, `W03..`: types.

use super::{Explanation, model};
use crate::base::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    match code {
        Code::TypeMismatch => model(
            "A name is used in another way than its type says: a nonce where a key is declared, a key pair \
             without `+` or `-`, an agent as a key, any agent where one of a sort is declared. Without `--typed` types are documentation and the analysis \
             goes on; with it such a message is never accepted. One of the two declarations is probably wrong.",
            "channel c\ndef P(k: Sym) = c<{c}k>\nsystem S = new n: Nonce. P(n)\n",
            "channel c\ndef P(k: Sym) = c<{c}k>\nsystem S = new k: Sym. P(k)\n",
        ),
        Code::ImpossibleDecryption => model(
            "The key that is tried can never open this ciphertext: a public-key encryption `{M}K+` is opened \
             with `K-`, a signature `{M}K-` is checked with `K+`, and a symmetric ciphertext is opened with \
             the same key. The step always fails.",
            "channel c\nsystem S = new k. case {c}k+ of {x}k+ in c<x>\n",
            "channel c\nsystem S = new k. case {c}k+ of {x}k- in c<x>\n",
        ),
        Code::ImpossibleMatch => model(
            "The two sides of this test can never be equal, whatever the variables stand for: two different \
             names, or terms of different shapes. The process after it never runs.",
            "channel c, d\nsystem S = c(x). [c is d] c<x>\n",
            "channel c, d\nsystem S = c(x). [x is d] c<x>\n",
        ),
        _ => model(
            "The term cannot have the declared type: `K(a)+` is a public key and never a nonce, and only an \
             agent is an agent. An agent that was declared with a sort, `agent CA: Authority`, is of no other sort. The message shows \
             where the type was declared and what the term is.",
            "agent A\nchannel c\nkeypair K(Agent)\ndef P(n: Nonce) = c<n>\nsystem S = P(K(A)+)\n",
            "channel c\ndef P(n: Nonce) = c<n>\nsystem S = new n: Nonce. P(n)\n",
        ),
    }
}

//! `E03..`, `W03..`: types.

use super::{Explanation, model};
use crate::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    match code {
        Code::TypeMismatch => model(
            "A term of one declared type stands where another is declared. Without `--typed` types are \
             documentation and the analysis goes on; with it such a message is never accepted. One of the \
             two declarations is probably wrong.",
            "agent A\nchannel c\ndef P(n: Nonce) = c<n>\nsystem S = P(A)\n",
            "channel c\ndef P(n: Nonce) = c<n>\nsystem S = new n: Nonce. P(n)\n",
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
            "The term cannot have the declared type: `K(a)+` is a public key and never a nonce, a tuple is no \
             agent, an integer is no key. The message shows where the type was declared and what the term is.",
            "agent A\nchannel c\nkeypair K(Agent)\ndef P(n: Nonce) = c<n>\nsystem S = P(K(A)+)\n",
            "channel c\ndef P(n: Nonce) = c<n>\nsystem S = new n: Nonce. P(n)\n",
        ),
    }
}

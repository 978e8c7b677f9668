//! `E01..`: syntax.

use super::{Explanation, model};
use crate::base::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    match code {
        Code::UnclosedDelimiter => model(
            "Every `(`, `{`, `[` and `<` needs its partner within the same declaration. The message \
             shows the bracket that was left open and the place where its partner is missed at the \
             latest; the forgotten one belongs somewhere between the two.",
            "channel c\nprivate k\nsystem S = c<{c}k. c(x)\n",
            "channel c\nprivate k\nsystem S = c<{c}k>. c(x)\n",
        ),
        Code::UnmatchedDelimiter => model(
            "A closing bracket was found that closes nothing, or that closes a bracket of another kind. \
             Either it is one too many, or the opening one before it is missing or of the wrong kind.",
            "channel c\nsystem S = c<(c, c]>\n",
            "channel c\nsystem S = c<(c, c)>\n",
        ),
        Code::TooDeep => model(
            "Terms and processes may be nested up to 256 levels, and a process may have up to 10000 \
             steps in a row. No protocol comes near this; text that does is usually generated. Give \
             inner parts a name: a definition for a process, a `let` for a term.",
            concat!(
                "channel c\nsystem S = c<",
                "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
                "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
                "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
                "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((\n"
            ),
            "channel c\nsystem S = let x = (c, c) in c<x>\n",
        ),
        Code::ExpectedDeclaration => model(
            "A file is a sequence of declarations and claims, each of which starts with a keyword: \
             `agent`, `spy`, `channel`, `public`, `private`, `keypair`, `key`, `knows`, `def`, `system`, \
             or the name of a claim. Only the comparison of two systems, `S ~ T`, needs none. A process \
             must be part of a `def` or a `system`.",
            "channel c\nstart c(x)\nsystem S = c<c>\n",
            "channel c\ndef P = c(x)\nsystem S = c<c> | P\n",
        ),
        Code::EmptyBrackets => model(
            "An output carries a message and an input binds one; a tuple, a hash and an encryption have \
             at least one part. If the message does not matter, send a public name.",
            "channel c\nsystem S = c<>\n",
            "channel c\npublic go\nsystem S = c<go>\n",
        ),
        Code::KeywordAsName => model(
            "The words of the language cannot be names: `agent`, `key`, `new`, `in`, `event`, `H` and so \
             on. Choose another name. Capital letters make a difference: `key` is a keyword, `Key` is not.",
            "channel c\nsystem S = new key. c<key>\n",
            "channel c\nsystem S = new k. c<k>\n",
        ),
        Code::MissingProcess => model(
            "After `.`, `in`, `else`, `|`, `!` and after a test a process must follow. The process that \
             does nothing is `0`. Only a trailing `. 0` may be left out, together with its dot.",
            "channel c\nsystem S = c(x). [x is c]\n",
            "channel c\nsystem S = c(x). [x is c] 0\n",
        ),
        Code::PatternInTerm => model(
            "`_` and `=M` say how to look at a message that was received. They stand in inputs, in `let` \
             and in `case`, not in a message that is being built, and neither does a type.",
            "channel c\nsystem S = c(x). c<=x>\n",
            "channel c\nsystem S = c(x). c<x>\n",
        ),
        Code::TermInPattern => model(
            "A pattern takes a message apart: variables, `_`, `=M`, tuples, and ciphertexts with the key \
             that opens them. A hash cannot be opened, and a key or an integer is not taken apart by a \
             pattern. Write `=` before a message that the received one must be equal to.",
            "channel c\nsystem S = let (x, H(c)) = (c, H(c)) in c<x>\n",
            "channel c\nsystem S = let (x, =H(c)) = (c, H(c)) in c<x>\n",
        ),
        Code::IntegerCase => model(
            "The integer case has exactly two branches in this order: `0:` for zero and `suc(x):` for \
             everything above, with a variable for the predecessor. There is no `else`; a message that is \
             no integer stops the process.",
            "channel c\nsystem S = c(x). case x of suc(y): c<y>\n",
            "channel c\nsystem S = c(x). case x of 0: 0 suc(y): c<y>\n",
        ),
        Code::MissingKey => model(
            "Braces encrypt, and the key follows at once: `{M}k`. Braces without a key have no meaning. \
             Tuples are written with round brackets.",
            "channel c\nprivate k\nsystem S = c<{c, k}>\n",
            "channel c\nprivate k\nsystem S = c<{c}k>\n",
        ),
        Code::MissingSystem => model(
            "A claim is about the runs of one system, so it ends in `in` and the name of the system. A \
             file may declare several systems; none of them is the default.",
            "channel c\nsystem S = new n. c<H(n)>\nsecrecy n\n",
            "channel c\nsystem S = new n. c<H(n)>\nsecrecy n in S\n",
        ),
        Code::ForeignSyntax => model(
            "This is how other tools or papers write it. Here a test is `[M is N] P else Q`, an input \
             `c(x)`, an output `c<M>`, a tuple `(M, N)`, and a narration such as `A -> B : M` is a comment \
             with one process definition per role.",
            "channel c\nsystem S = c(x). if x then c<x>\n",
            "channel c\nsystem S = c(x). [x is c] c<x>\n",
        ),
        Code::MissingDot => model(
            "The steps `new`, input, output and `event` are separated from what follows by a dot. Tests, \
             `let … in`, `case … in` and `!` are followed by their process without one.",
            "channel c\nsystem S = c(x) c<x>\n",
            "channel c\nsystem S = c(x). c<x>\n",
        ),
        _ => model(
            "The text does not follow the grammar at this place. The message lists what could stand here. \
             Often the mistake is just before the marked place: a forgotten comma, bracket or keyword.",
            "agent A B\n",
            "agent A, B\n",
        ),
    }
}

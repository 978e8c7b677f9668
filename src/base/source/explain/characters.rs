//! `E00..`: characters.

use super::{Explanation, model, plain};
use crate::base::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    match code {
        Code::TypographicCharacter => model(
            "Documents and web pages replace plain characters by typographic ones: curly quotation \
             marks, long dashes, arrows, ligatures, invisible spaces. They look right and mean nothing \
             here. Replace them by the plain character that the help names. The letters `ν`, `⟨`, `⟩`, \
             `≈` and `≤` are accepted as they are.",
            "channel c\nprivate k\nsystem S = c<{c}k−>\n",
            "channel c\nprivate k\nsystem S = c<{c}k->\n",
        ),
        Code::UnterminatedComment => model(
            "A comment that starts with `/*` runs to the next `*/`. Without one the rest of the file \
             would be a comment. Block comments do not nest.",
            "channel c\n/* a note\nsystem S = c<c>\n",
            "channel c\n/* a note */\nsystem S = c<c>\n",
        ),
        Code::IntegerTooLarge => model(
            "The integer n is the term `suc(suc(…(0)))` with n successors, so a large integer is a deep \
             term. Protocols need small ones: a counter, a flag, `suc(n)` of a nonce. Where only the \
             identity of a value matters, use a name.",
            "channel c\nsystem S = c<100000>\n",
            "channel c\npublic port\nsystem S = c<port>\n",
        ),
        Code::MalformedNumber => model(
            "A word that starts with a digit is read as a number, and letters cannot be part of one. \
             Names start with a letter. If a number and a name are meant, as in `!3 P`, put a space \
             between them.",
            "channel c\ndef P = c<c>\nsystem S = !3P\n",
            "channel c\ndef P = c<c>\nsystem S = !3 P\n",
        ),
        Code::ControlCharacter => plain(
            "Text files contain no control characters other than tabs and line ends. If there are many \
             of them the file is probably not a text file, or it is stored as UTF-16: save it as plain \
             UTF-8 text.",
        ),
        Code::BidiControl => model(
            "Unicode has controls for text that runs from right to left. In a file they can show a line in another order \
             than it is read, so that a comment looks like a part of the model or a part of the model like a comment \
             (\"Trojan Source\"). The message shows them as `�` and names them. No model needs them: delete them.",
            "channel c\n// a \u{202e}note\nsystem S = c<c>\n",
            "channel c\n// a note\nsystem S = c<c>\n",
        ),
        Code::ControlInComment => model(
            "A terminal obeys control characters instead of showing them: an escape sequence can clear the screen or \
             print what looks like a verdict. `spi` shows a mark in their place (`␛` for escape); other programs may not. \
             Delete them.",
            "channel c\n// a \u{1b}[2Jnote\nsystem S = c<c>\n",
            "channel c\n// a note\nsystem S = c<c>\n",
        ),
        Code::LoneReturn => model(
            "A carriage return that no line feed follows ends a line, and a comment with it, as editors have it. Other \
             programs go on in the same line or show both parts over each other, so that a comment seems to reach over \
             what is part of the model. `spi fmt` replaces it by a plain line end.",
            "channel c  // a note\rsystem S = c<c>\n",
            "channel c  // a note\nsystem S = c<c>\n",
        ),
        _ => model(
            "Names are made of the letters A to Z, digits, `_` and `'`; the signs of the language are \
             `( ) { } [ ] < > , . : = | ! + - ~ _` and `=>`, `<=`. Everything else can stand only in \
             comments. The steps of a process are separated by `.`, not by `;`.",
            "channel c\nsystem S = c(x); c<x>\n",
            "channel c\nsystem S = c(x). c<x>\n",
        ),
    }
}

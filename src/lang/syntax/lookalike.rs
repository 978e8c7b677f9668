//! Characters that look like those of the language but are not.
//!
//! Text pasted from a PDF or a word processor brings curly quotes, long dashes, arrows and
//! ligatures. Each known one has a plain spelling; where that spelling is a token, the lexer goes on
//! with it, so that one pasted dash is one mistake.

use super::token::Token;
use crate::base::source::visible::is_bidi;

/// What to say about a character, and which token to go on with.
pub(super) struct Lookalike {
    /// Its common name.
    pub name: &'static str,
    /// What to do.
    pub help: &'static str,
    /// What it was probably meant to be.
    pub goes_on: Meant,
}

/// What a pasted character was probably meant to be.
pub(super) enum Meant {
    /// A token of the language.
    Token(Token),
    /// A prime: part of the identifier before it.
    Prime,
    /// Nothing: it can be left out.
    Nothing,
    /// Something that cannot be guessed.
    Unknown,
}

/// The entry for `c`, if it is a known lookalike.
pub(super) fn lookalike(c: char) -> Option<Lookalike> {
    let entry = |name, help, goes_on| {
        Some(Lookalike {
            name,
            help,
            goes_on,
        })
    };
    match c {
        '‘' | '’' | 'ʹ' | 'ʼ' | '′' | '´' => entry(
            "a typographic apostrophe",
            "write a plain `'`",
            Meant::Prime,
        ),
        '“' | '”' | '„' | '«' | '»' | '″' => entry(
            "a typographic quotation mark",
            "leave it out: names are written without quotation marks",
            Meant::Nothing,
        ),
        '–' | '—' | '−' | '‐' | '‑' | '⁻' | '﹣' | '\u{ff0d}' => entry(
            "a typographic dash",
            "write a plain `-`, as in `K-` for the private part of a key pair",
            Meant::Token(Token::Minus),
        ),
        '⁺' | '\u{ff0b}' => entry(
            "a raised plus",
            "write a plain `+`",
            Meant::Token(Token::Plus),
        ),
        '→' | '⟶' | '➔' | '⟼' | '↦' | '➝' => entry(
            "an arrow",
            "in a claim write `=>`, in a narration `->`: `protocol P(A, B)` has lines `A -> B: M`",
            Meant::Unknown,
        ),
        '⇒' | '⟹' => entry("a double arrow", "write `=>`", Meant::Token(Token::Implies)),
        '≜' | '≝' | '≔' | '≡' | '\u{fffd}' => {
            entry("a definition sign", "write `=`", Meant::Token(Token::Equal))
        }
        '∼' | '≃' | '≅' | '\u{ff5e}' => entry(
            "an equivalence sign",
            "write `~`",
            Meant::Token(Token::Tilde),
        ),
        '⊑' | '⪯' | '≼' | '⩽' => {
            entry("a preorder sign", "write `<=`", Meant::Token(Token::AtMost))
        }
        '∣' | '¦' | '‖' | '∥' | '│' => entry(
            "a parallel bar",
            "write a plain `|`",
            Meant::Token(Token::Bar),
        ),
        '·' | '•' | '․' | '∙' | '⋅' => entry(
            "a raised dot",
            "write a plain `.`",
            Meant::Token(Token::Dot),
        ),
        '\u{ff0c}' | '、' => entry(
            "a wide comma",
            "write a plain `,`",
            Meant::Token(Token::Comma),
        ),
        '\u{ff08}' => entry(
            "a wide bracket",
            "write a plain `(`",
            Meant::Token(Token::OpenParen),
        ),
        '\u{ff09}' => entry(
            "a wide bracket",
            "write a plain `)`",
            Meant::Token(Token::CloseParen),
        ),
        '‹' => entry(
            "an angle quotation mark",
            "write `<`",
            Meant::Token(Token::OpenAngle),
        ),
        '›' => entry(
            "an angle quotation mark",
            "write `>`",
            Meant::Token(Token::CloseAngle),
        ),
        '𝜈' | '𝝂' | '𝛎' => entry(
            "a decorated nu",
            "write `new` or `ν`",
            Meant::Token(Token::New),
        ),
        '…' | '⋯' => entry("an ellipsis", "write the parts out", Meant::Unknown),
        'ﬀ' | 'ﬁ' | 'ﬂ' | 'ﬃ' | 'ﬄ' => {
            entry("a ligature", "write its letters one by one", Meant::Unknown)
        }
        '\u{304}' | '\u{305}' | '¯' | '‾' => entry(
            "a bar over a letter",
            "leave it out: an output is written `c<M>`, an input `c(x)`",
            Meant::Nothing,
        ),
        '\u{200b}'..='\u{200d}' | '\u{feff}' | '\u{2060}' | '\u{ad}' => {
            entry("an invisible character", "delete it", Meant::Nothing)
        }
        c if is_bidi(c) => entry(
            "a control that turns the order of the text round",
            "delete it",
            Meant::Nothing,
        ),
        '\u{2028}' | '\u{2029}' | '\u{85}' => entry(
            "an unusual line break",
            "replace it by a plain one",
            Meant::Nothing,
        ),
        _ => None,
    }
}

/// Advice about a plain character that the language does not use.
pub(super) fn advice(c: char) -> Option<&'static str> {
    Some(match c {
        ';' => "steps of a process are separated by `.`; declarations need no separator",
        '"' => {
            "names are written without quotation marks; the path of a file stands in them: `use \"roles.spi\"`"
        }
        '`' => "names are written without quotation marks",
        '\'' => "a prime may stand in a name, but not at its start: `N'`",
        '#' | '%' | '/' => "comments start with `//`",
        '*' => {
            "there are no products: the key of an exchange, g to the x times y, is `g^x^y`; comments are written `// …` or `/* … */`, replication is `!P`"
        }
        '&' => "two tests are written one after the other: `[M is N] [L is K] P`",
        '\\' | '$' => "write names as plain letters: `Na`, not `$N_a$`",
        '@' => "names are made of letters, digits, `_` and `'`",
        _ if c.is_alphanumeric() => "names are made of the letters A-Z, digits, `_` and `'`",
        _ => return None,
    })
}

//! Tokens.
//!
//! Brackets are single tokens here; which of them form `{[ ]}` and `[{ }]` is known only once they
//! are matched, so the bracket pass joins them ([`Token::OpenPublic`] and its kin never come out of
//! the lexer itself). There is no arrow token: `c<{M}k->` ends in `-` and `>`.

use logos::Logos;
use std::fmt;

use super::ast::Name;

/// Declares the token type, its printed form and the table of keywords from one list.
macro_rules! tokens {
    (
        keywords { $($kw:ident = $kw_text:literal $(| $kw_alias:literal)*,)* }
        symbols { $($sym:ident = $sym_text:literal $(| $sym_alias:literal)*,)* }
    ) => {
        /// A token.
        #[derive(Logos, Clone, Debug, PartialEq, Eq)]
        #[logos(skip r"[ \t\r\n\f]+")]
        pub enum Token {
            $(#[doc = $kw_text] #[token($kw_text)] $(#[token($kw_alias)])* $kw,)*
            $(#[doc = $sym_text] #[token($sym_text)] $(#[token($sym_alias)])* $sym,)*
            /// An identifier. The lexer fills in the text.
            #[regex("[A-Za-z][A-Za-z0-9_']*", |_| Name::from(""), priority = 1)]
            #[regex("_[A-Za-z0-9_']+", |_| Name::from(""))]
            Ident(Name),
            /// A numeral. The lexer fills in the value.
            #[regex("[0-9]+", |_| 0)]
            Int(u32),
            /// A numeral that runs into letters.
            #[regex("[0-9]+[A-Za-z_'][A-Za-z0-9_']*")]
            BadNumber,
            /// A comment to the end of the line.
            #[regex("//[^\n]*", allow_greedy = true)]
            LineComment,
            /// The start of a block comment; the lexer looks for its end.
            #[token("/*")]
            BlockComment,
            /// `{[`, joined by the bracket pass
            OpenPublic,
            /// `]}`, joined by the bracket pass
            ClosePublic,
            /// `[{`, joined by the bracket pass
            OpenSignature,
            /// `}]`, joined by the bracket pass
            CloseSignature,
            /// `(` that opens a channel term at the start of a step, marked by the bracket pass
            OpenChannel,
            /// `(` of the papers' restriction `(new n) P`, marked by the bracket pass
            OpenRestriction,
            /// Text that was already reported; stands for a stretch of tokens.
            Error,
        }

        impl Token {
            /// Every keyword with its spelling.
            pub const KEYWORDS: &'static [(&'static str, Token)] = &[$(($kw_text, Token::$kw),)*];

            /// The fixed spelling, if it has one.
            pub fn text(&self) -> Option<&'static str> {
                match self {
                    $(Token::$kw => Some($kw_text),)*
                    $(Token::$sym => Some($sym_text),)*
                    Token::OpenPublic => Some("{["),
                    Token::ClosePublic => Some("]}"),
                    Token::OpenSignature => Some("[{"),
                    Token::CloseSignature => Some("}]"),
                    Token::OpenChannel | Token::OpenRestriction => Some("("),
                    _ => None,
                }
            }
        }
    };
}

tokens! {
    keywords {
        Agent = "agent",
        Spy = "spy",
        Channel = "channel",
        Public = "public",
        Private = "private",
        Keypair = "keypair",
        Key = "key",
        Knows = "knows",
        Def = "def",
        System = "system",
        Partial = "partial",
        Secrecy = "secrecy",
        Agreement = "agreement",
        Injective = "injective",
        Weak = "weak",
        Aliveness = "aliveness",
        Reachable = "reachable",
        Unsendable = "unsendable",
        Strong = "strong",
        Equivalence = "equivalence",
        New = "new" | "ν",
        Let = "let",
        In = "in",
        Case = "case",
        Of = "of",
        Is = "is",
        Else = "else",
        Event = "event",
        Suc = "suc",
        Hash = "H" | "hash",
        After = "after",
        Expect = "expect",
    }
    symbols {
        OpenParen = "(",
        CloseParen = ")",
        OpenBrace = "{",
        CloseBrace = "}",
        OpenBracket = "[",
        CloseBracket = "]",
        OpenAngle = "<" | "⟨" | "〈" | "\u{2329}",
        CloseAngle = ">" | "⟩" | "〉" | "\u{232a}",
        AtMost = "<=" | "≤",
        Comma = ",",
        Dot = ".",
        Colon = ":",
        Equal = "=",
        Implies = "=>",
        Bar = "|",
        Bang = "!",
        Plus = "+",
        Minus = "-",
        Tilde = "~" | "≈",
        Underscore = "_",
    }
}

impl Token {
    /// Whether a declaration can start with it. No declaration contains such a token elsewhere,
    /// except that `system` follows `partial`, `agreement` follows `injective` and `weak`, and
    /// `secrecy` follows `strong`.
    pub fn starts_declaration(&self) -> bool {
        use Token::{
            Agent, Agreement, Aliveness, Channel, Def, Equivalence, Injective, Key, Keypair, Knows,
            Partial, Private, Public, Reachable, Secrecy, Spy, Strong, System, Unsendable, Weak,
        };
        matches!(
            self,
            Agent
                | Spy
                | Channel
                | Public
                | Private
                | Keypair
                | Key
                | Knows
                | Def
                | System
                | Partial
                | Secrecy
                | Agreement
                | Injective
                | Weak
                | Aliveness
                | Reachable
                | Unsendable
                | Strong
                | Equivalence
        )
    }

    /// Whether it is a reserved word.
    pub fn is_keyword(&self) -> bool {
        Token::KEYWORDS.iter().any(|(_, k)| k == self)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Ident(name) => f.write_str(name),
            Token::Int(value) => write!(f, "{value}"),
            Token::BadNumber => f.write_str("a malformed number"),
            Token::LineComment | Token::BlockComment => f.write_str("a comment"),
            Token::Error => f.write_str("a mistake"),
            other => f.write_str(
                other
                    .text()
                    .expect("every other token has a fixed spelling"),
            ),
        }
    }
}

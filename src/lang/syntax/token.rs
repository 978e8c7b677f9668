//! Tokens.
//!
//! Brackets are single tokens here; which of them form `{[ ]}` and `[{ }]` is known only once they
//! are matched, so the bracket pass joins them ([`Token::OpenPublic`] and its kin never come out of
//! the lexer itself). An arrow is made of `-` and `>` in the same pass, in narrations only: `c<{M}k->` ends in these, too.

use logos::{Lexer, Logos};
use rustc_hash::FxHashSet;
use std::fmt;

use super::ast::Name;

/// Names seen so far in a text: equal identifiers share one allocation.
#[derive(Clone, Debug, Default)]
pub struct Names(FxHashSet<Name>);

impl Names {
    /// The shared form of `text`.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.0.get(text) {
            return name.clone();
        }
        let name = Name::from(text);
        self.0.insert(name.clone());
        name
    }
}

fn ident(lexer: &mut Lexer<'_, Token>) -> Name {
    let text = lexer.slice();
    lexer.extras.intern(text)
}

/// The value, or `u32::MAX` for anything larger: the lexer reports it.
fn int(lexer: &mut Lexer<'_, Token>) -> u32 {
    lexer.slice().parse().unwrap_or(u32::MAX)
}

/// Declares the token type, its printed form and the table of keywords from one list.
macro_rules! tokens {
    (
        keywords { $($kw:ident = $kw_text:literal $(| $kw_alias:literal)*,)* }
        symbols { $($sym:ident = $sym_text:literal $(| $sym_alias:literal)*,)* }
        marked { $($mark:ident = $mark_text:literal,)* }
    ) => {
        /// A token.
        #[derive(Logos, Clone, Debug, PartialEq, Eq)]
        #[logos(extras = Names)]
        #[logos(skip r"[ \t\r\n\f\u{00a0}\u{1680}\u{2000}-\u{200a}\u{202f}\u{205f}\u{3000}]+")]
        pub enum Token {
            $(#[doc = $kw_text] #[token($kw_text)] $(#[token($kw_alias)])* $kw,)*
            $(#[doc = $sym_text] #[token($sym_text)] $(#[token($sym_alias)])* $sym,)*
            $(#[doc = $mark_text] $mark,)*
            /// An identifier.
            #[regex("[A-Za-z][A-Za-z0-9_']*", ident, priority = 1)]
            #[regex("_[A-Za-z0-9_']+", ident)]
            Ident(Name),
            /// A numeral.
            #[regex("[0-9]+", int)]
            Int(u32),
            /// A text in quotation marks, the path of a file; the lexer finds them after `use` only.
            Text(Name),
            /// A numeral that runs into letters.
            #[regex("[0-9]+[A-Za-z_'][A-Za-z0-9_']*")]
            BadNumber,
            /// A comment to the end of the line.
            #[regex("//[^\n\r]*", allow_greedy = true)]
            LineComment,
            /// The start of a block comment; the lexer looks for its end.
            #[token("/*")]
            BlockComment,
            /// Text that was already reported; stands for a stretch of it.
            Error,
        }

        /// The kind of a token, without its value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Kind {
            $(#[doc = $kw_text] $kw,)*
            $(#[doc = $sym_text] $sym,)*
            $(#[doc = $mark_text] $mark,)*
            /// An identifier.
            Ident,
            /// A numeral.
            Int,
            /// A text in quotation marks.
            Text,
            /// Anything that the parser never sees, or that was already reported.
            Error,
        }

        impl Kind {
            /// Every kind with a fixed spelling, in the order of their numbers.
            pub const FIXED: &'static [(Kind, &'static str)] = &[
                $((Kind::$kw, $kw_text),)*
                $((Kind::$sym, $sym_text),)*
                $((Kind::$mark, $mark_text),)*
            ];
        }

        impl Token {
            /// Every keyword with its spellings, the usual one first.
            pub const KEYWORDS: &'static [(&'static str, Token)] = &[
                $(($kw_text, Token::$kw), $(($kw_alias, Token::$kw),)*)*
            ];

            /// The kind.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Token::$kw => Kind::$kw,)*
                    $(Token::$sym => Kind::$sym,)*
                    $(Token::$mark => Kind::$mark,)*
                    Token::Ident(_) => Kind::Ident,
                    Token::Int(_) => Kind::Int,
                    Token::Text(_) => Kind::Text,
                    _ => Kind::Error,
                }
            }

            /// Whether it is a reserved word.
            pub fn is_keyword(&self) -> bool {
                matches!(self, $(Token::$kw)|*)
            }
        }
    };
}

tokens! {
    keywords {
        Use = "use",
        Agent = "agent",
        Spy = "spy",
        Channel = "channel",
        Public = "public",
        Private = "private",
        Keypair = "keypair",
        Key = "key",
        Function = "function",
        Destructor = "destructor",
        Group = "group",
        Knows = "knows",
        Def = "def",
        System = "system",
        Partial = "partial",
        Protocol = "protocol",
        Secrecy = "secrecy",
        Agreement = "agreement",
        Injective = "injective",
        Weak = "weak",
        Aliveness = "aliveness",
        Reachable = "reachable",
        Unsendable = "unsendable",
        Strong = "strong",
        Forward = "forward",
        Equivalence = "equivalence",
        New = "new" | "ν",
        Let = "let",
        In = "in",
        Case = "case",
        Of = "of",
        Is = "is",
        Else = "else",
        Event = "event",
        Phase = "phase",
        Suc = "suc",
        Hash = "H" | "hash",
        After = "after",
        Given = "given",
        Unless = "unless",
        Expect = "expect",
        If = "if",
        Then = "then",
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
        Caret = "^",
        Tilde = "~" | "≈",
        Underscore = "_",
    }
    marked {
        OpenPublic = "{[",
        ClosePublic = "]}",
        OpenSignature = "[{",
        CloseSignature = "}]",
        OpenChannel = "(",
        OpenRestriction = "(",
        Arrow = "->",
    }
}

impl Kind {
    /// The fixed spelling, if it has one.
    pub fn text(self) -> Option<&'static str> {
        Kind::FIXED.get(self as usize).map(|(_, text)| *text)
    }

    /// The closing bracket that fits this opening one.
    pub fn closer(self) -> Option<Kind> {
        match self {
            Kind::OpenParen | Kind::OpenChannel | Kind::OpenRestriction => Some(Kind::CloseParen),
            Kind::OpenBrace => Some(Kind::CloseBrace),
            Kind::OpenBracket => Some(Kind::CloseBracket),
            Kind::OpenAngle => Some(Kind::CloseAngle),
            Kind::OpenPublic => Some(Kind::ClosePublic),
            Kind::OpenSignature => Some(Kind::CloseSignature),
            _ => None,
        }
    }

    /// Whether it closes a bracket.
    pub fn is_closer(self) -> bool {
        matches!(
            self,
            Kind::CloseParen
                | Kind::CloseBrace
                | Kind::CloseBracket
                | Kind::CloseAngle
                | Kind::ClosePublic
                | Kind::CloseSignature
        )
    }

    /// Whether a declaration starts with it.
    pub fn starts_declaration(self) -> bool {
        self <= Kind::Equivalence
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Ident(name) => f.write_str(name),
            Token::Int(value) => write!(f, "{value}"),
            Token::Text(text) => write!(f, "\"{text}\""),
            other => f.write_str(other.kind().text().unwrap_or("?")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_spellings_follows_the_numbers_of_the_kinds() {
        for (index, (kind, text)) in Kind::FIXED.iter().enumerate() {
            assert_eq!(*kind as usize, index);
            assert_eq!(kind.text(), Some(*text));
        }
        assert_eq!(Kind::Ident.text(), None);
        assert_eq!(Kind::Error.text(), None);
    }

    #[test]
    fn declarations_are_the_first_keywords() {
        assert!(Kind::Use.starts_declaration() && Kind::Equivalence.starts_declaration());
        assert!(!Kind::New.starts_declaration() && !Kind::OpenParen.starts_declaration());
    }
}

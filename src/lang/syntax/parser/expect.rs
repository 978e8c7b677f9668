//! The parser's error type: where it stopped and what would have been accepted there.
//!
//! Chumsky makes one of these at every alternative that fails, nearly all of which are thrown away,
//! so it is small and allocates nothing: the expected things are bits. What to *say* about it is
//! decided once per reported mistake, in [`super::report`].

use chumsky::DefaultExpected;
use chumsky::error::{Error, LabelError};
use chumsky::input::MappedInput;
use chumsky::util::MaybeRef;

use crate::base::source::{Diagnostic, FileId, Span};
use crate::lang::syntax::lexer::Spanned;
use crate::lang::syntax::token::{Kind, Token};

/// The parser's input: the tokens of one declaration.
pub(super) type Tokens<'t> = MappedInput<'t, Token, Span, &'t [Spanned]>;

/// The error type in the form chumsky wants it.
pub(super) type Extra = chumsky::extra::Err<Mistake>;

/// A parser with its type hidden: the types of combined parsers grow without bound otherwise, and
/// compile times with them.
pub(super) type Rule<'t, O> = chumsky::Boxed<'t, 't, Tokens<'t>, O, Extra>;

/// Something that can be expected and has no fixed spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Want {
    Name,
    Type,
    Term,
    Pattern,
    CipherPattern,
    Step,
    Declaration,
    Library,
    Claim,
    Verdict,
    System,
    Event,
    Target,
    Key,
    Neutral,
    Line,
    Goals,
    Goal,
    End,
}

/// Words for the wants, in the order of their numbers.
const WANTS: [(Want, &str); 19] = [
    (Want::Name, "a name"),
    (Want::Type, "a type"),
    (Want::Term, "a message"),
    (Want::Pattern, "a pattern"),
    (Want::CipherPattern, "a ciphertext pattern such as `{x}k`"),
    (Want::Step, "a process"),
    (Want::Declaration, "a declaration"),
    (
        Want::Library,
        "the name of a library or, in quotation marks, the path of a file",
    ),
    (Want::Claim, "a claim"),
    (Want::Verdict, "`holds`, `proof` or `attack`"),
    (Want::System, "the name of a system"),
    (Want::Event, "an event such as `E(a, b)`"),
    (Want::Target, "a name or a term in parentheses"),
    (Want::Key, "a key"),
    (Want::Neutral, "`with neutral one`"),
    (Want::Line, "a line such as `A -> B: M`"),
    (Want::Goals, "`goals`"),
    (
        Want::Goal,
        "a goal such as `secrecy N between A, B` or `B authenticates A on N`",
    ),
    (Want::End, "the end of the declaration"),
];

/// A set of things that would have been accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Expected {
    kinds: u128,
    wants: u32,
}

impl Expected {
    fn kind(kind: Kind) -> Expected {
        Expected {
            kinds: 1 << (kind as u8),
            wants: 0,
        }
    }

    fn want(want: Want) -> Expected {
        Expected {
            kinds: 0,
            wants: 1 << (want as u8),
        }
    }

    fn union(self, other: Expected) -> Expected {
        Expected {
            kinds: self.kinds | other.kinds,
            wants: self.wants | other.wants,
        }
    }

    pub fn has(self, kind: Kind) -> bool {
        self.kinds & (1 << (kind as u8)) != 0
    }

    pub fn wants(self, want: Want) -> bool {
        self.wants & (1 << (want as u8)) != 0
    }

    /// The expected things in words, the general ones first.
    pub fn words(self) -> Vec<String> {
        let wants = WANTS
            .iter()
            .filter(|(w, _)| self.wants(*w))
            .map(|(_, text)| (*text).to_owned());
        let kinds = Kind::FIXED
            .iter()
            .filter(|(k, _)| self.has(*k))
            .map(|(_, text)| format!("`{text}`"));
        let mut words: Vec<String> = wants.chain(kinds).collect();
        words.dedup();
        words
    }
}

/// A failure of the parser.
#[derive(Clone, Debug)]
pub(super) struct Mistake {
    /// The token that was not accepted; empty at the end of the input.
    pub span: Span,
    /// What would have been.
    pub expected: Expected,
    /// A finished diagnostic, for mistakes that a rule recognised itself.
    pub ready: Option<Box<Diagnostic>>,
}

impl Mistake {
    /// A mistake that a rule has recognised.
    pub fn ready(span: Span, diagnostic: Diagnostic) -> Mistake {
        Mistake {
            span,
            expected: Expected::default(),
            ready: Some(Box::new(diagnostic)),
        }
    }
}

impl<'t> Error<'t, Tokens<'t>> for Mistake {
    fn merge(self, other: Mistake) -> Mistake {
        if self.ready.is_some() {
            return self;
        }
        Mistake {
            expected: self.expected.union(other.expected),
            ..other
        }
    }
}

impl<'t> LabelError<'t, Tokens<'t>, DefaultExpected<'t, Token>> for Mistake {
    fn expected_found<E: IntoIterator<Item = DefaultExpected<'t, Token>>>(
        expected: E,
        _found: Option<MaybeRef<'t, Token>>,
        span: Span,
    ) -> Mistake {
        let expected = expected
            .into_iter()
            .fold(Expected::default(), |all, one| match one {
                DefaultExpected::Token(token) => all.union(Expected::kind(token.kind())),
                DefaultExpected::EndOfInput => all.union(Expected::want(Want::End)),
                _ => all,
            });
        Mistake {
            span,
            expected,
            ready: None,
        }
    }
}

impl<'t> LabelError<'t, Tokens<'t>, Want> for Mistake {
    fn expected_found<E: IntoIterator<Item = Want>>(
        expected: E,
        _found: Option<MaybeRef<'t, Token>>,
        span: Span,
    ) -> Mistake {
        let expected = expected
            .into_iter()
            .fold(Expected::default(), |all, w| all.union(Expected::want(w)));
        Mistake {
            span,
            expected,
            ready: None,
        }
    }

    fn label_with(&mut self, label: Want) {
        self.expected = Expected::want(label);
    }
}

impl chumsky::span::Span for Span {
    type Context = FileId;
    type Offset = u32;

    fn new(file: FileId, range: std::ops::Range<u32>) -> Span {
        Span {
            file,
            start: range.start,
            end: range.end,
        }
    }

    fn context(&self) -> FileId {
        self.file
    }

    fn start(&self) -> u32 {
        self.start
    }

    fn end(&self) -> u32 {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_the_numbers_of_the_wants() {
        for (index, (want, _)) in WANTS.iter().enumerate() {
            assert_eq!(*want as usize, index);
        }
    }

    #[test]
    fn a_set_lists_its_members_in_a_fixed_order() {
        let set = Expected::kind(Kind::Dot).union(Expected::want(Want::Term));
        assert_eq!(set.words(), ["a message", "`.`"]);
        assert!(set.has(Kind::Dot) && !set.has(Kind::Comma) && set.wants(Want::Term));
    }
}

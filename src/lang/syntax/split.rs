//! From tokens to declarations.
//!
//! There is no terminator in the language: a declaration ends where the next keyword begins. This
//! pass finds those places, checks the brackets of each declaration, and rewrites the tokens so that
//! one token of look-ahead is enough for the parser:
//!
//! - `{[ … ]}` and `[{ … }]` become single tokens where the brackets match that way round
//!   (`{[{b}]k-}n` encrypts a signature, `{[{b}k]}n+` is a public-key encryption);
//! - the `(` of a channel that is a term, `(M, N)<L>`, is told from that of a process in brackets;
//! - the `(` of the papers' `(new n) P` is marked;
//! - a comparison of two systems without a keyword, `S ~ T`, is a declaration of its own;
//! - in a narration `-` and `>` become an arrow, and some keywords go on with it ([`super::narrations`]).
//!
//! Declarations are parsed one by one, so a mistake in one cannot hide those of the next.

use std::ops::Range;

use super::brackets::{Matching, match_brackets};
use super::foreign;
use super::lexer::Spanned;
use super::narrations;
use super::token::{Kind, Token};
use crate::base::source::{Diagnostic, Span, lines};

/// After so many bracket mistakes no more are reported.
const MAX_MISTAKES: usize = 50;

/// The tokens of a file, cut into declarations.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    /// All tokens, rewritten.
    pub tokens: Vec<Spanned>,
    /// The declarations as ranges of `tokens`; none is empty.
    pub ranges: Vec<Range<usize>>,
    /// Bracket mistakes.
    pub diagnostics: Vec<Diagnostic>,
}

/// Cuts the tokens of a file into declarations.
pub(super) fn split(text: &str, tokens: &[Spanned]) -> Declarations {
    let mut out = Declarations {
        tokens: Vec::with_capacity(tokens.len()),
        ..Default::default()
    };
    let mut start = 0;
    for index in 1..=tokens.len() {
        let goes_on = || {
            let narration = tokens[start].0 == Token::Protocol;
            narration && narrations::goes_on(text, &tokens[start..], index - start)
        };
        if index == tokens.len() || starts_declaration(text, tokens, index) && !goes_on() {
            if tokens[start].0 == Token::Protocol {
                out.declaration(&narrations::with_arrows(&tokens[start..index]));
            } else {
                out.declaration(&tokens[start..index]);
            }
            start = index;
        }
    }
    out
}

/// Prepares tokens that are one fragment, whatever keywords they hold.
pub(super) fn fragment(tokens: &[Spanned]) -> Declarations {
    let mut out = Declarations::default();
    if !tokens.is_empty() {
        out.fragment(tokens);
    }
    out
}

/// Whether a declaration starts at the token. A keyword at the start of a line always does; within
/// a line it does not after a token that needs an operand (`new key: Sym` misuses the keyword).
fn starts_declaration(text: &str, tokens: &[Spanned], index: usize) -> bool {
    let kind = tokens[index].0.kind();
    let before = tokens[index - 1].0.kind();
    if matches!(kind, Kind::Ident | Kind::Let) {
        return starts_stray_line(text, tokens, index);
    }
    if !kind.starts_declaration() {
        return false;
    }
    let second_word = matches!(
        (before, kind),
        (Kind::Partial, Kind::System)
            | (Kind::Private, Kind::Function)
            | (Kind::Injective | Kind::Weak, Kind::Agreement)
            | (Kind::Strong, Kind::Secrecy)
    );
    if second_word {
        return false;
    }
    let gap = tokens[index - 1].1.end as usize..tokens[index].1.start as usize;
    let new_line = text.get(gap).is_some_and(lines::breaks);
    new_line || !needs_operand(before)
}

/// Whether a line that starts at the margin with a name belongs to nothing before it: a comparison
/// of systems, or a mistake such as a misspelt keyword, which then costs only that line.
pub(super) fn starts_stray_line(text: &str, tokens: &[Spanned], index: usize) -> bool {
    let start = tokens[index].1.start as usize;
    let margin = text.get(..start).is_some_and(|t| t.ends_with(lines::ENDS));
    let kind = |back: usize| index.checked_sub(back).map(|i| tokens[i].0.kind());
    let Some(before) = kind(1).filter(|_| margin) else {
        return false;
    };
    match before {
        // A process may follow a test, `!3` and `(new n)`.
        Kind::CloseBracket => false,
        Kind::Int => kind(2) != Some(Kind::Bang),
        Kind::CloseParen => !after_new(tokens, index),
        // Elsewhere declarations end with a dot.
        Kind::Dot => is_foreign(tokens, index),
        _ => !needs_operand(before),
    }
}

/// Whether a word that opens a declaration of another notation stands there, with a name after it.
fn is_foreign(tokens: &[Spanned], index: usize) -> bool {
    let name = |at: usize| match tokens.get(at) {
        Some((Token::Ident(name), _)) => Some(&**name),
        _ => None,
    };
    name(index).is_some_and(|word| foreign::opening(word).is_some()) && name(index + 1).is_some()
}

/// Whether the bracket that closes before `index` is that of `(new n)`.
fn after_new(tokens: &[Spanned], index: usize) -> bool {
    let binders = tokens[..index - 1]
        .iter()
        .rev()
        .take_while(|(t, _)| matches!(t.kind(), Kind::Ident | Kind::Comma | Kind::Colon))
        .count();
    let before = index.checked_sub(binders + 2).map(|i| tokens[i].0.kind());
    before == Some(Kind::New)
}

fn needs_operand(kind: Kind) -> bool {
    kind.closer().is_some()
        || (kind >= Kind::New && kind <= Kind::Then)
        || kind.starts_declaration()
        || matches!(
            kind,
            Kind::Comma
                | Kind::Dot
                | Kind::CloseBrace
                | Kind::Colon
                | Kind::Equal
                | Kind::Implies
                | Kind::Bar
                | Kind::Bang
                | Kind::Tilde
                | Kind::AtMost
        )
}

impl Declarations {
    /// Adds tokens that are one declaration, whatever keywords they hold.
    pub(super) fn fragment(&mut self, tokens: &[Spanned]) {
        match match_brackets(tokens) {
            Ok(matching) => self.rewrite(tokens, &matching, 0..tokens.len()),
            Err(unbalanced) => self.diagnostics.push(unbalanced.diagnostic),
        }
    }

    /// Adds one keyword's worth of tokens: a declaration and the comparisons that follow it.
    fn declaration(&mut self, tokens: &[Spanned]) {
        match match_brackets(tokens) {
            Ok(matching) => {
                let mut start = 0;
                for cut in comparisons(tokens, &matching) {
                    self.rewrite(tokens, &matching, start..cut);
                    start = cut;
                }
                self.rewrite(tokens, &matching, start..tokens.len());
            }
            Err(unbalanced) => {
                if self.diagnostics.len() < MAX_MISTAKES {
                    self.diagnostics.push(unbalanced.diagnostic);
                }
                let from = self.tokens.len();
                let cut = unbalanced.useless_from;
                self.tokens.extend_from_slice(&tokens[..cut]);
                let rest: Span = tokens[cut].1.to(tokens[tokens.len() - 1].1);
                self.tokens.push((Token::Error, rest));
                self.ranges.push(from..self.tokens.len());
            }
        }
    }

    /// Copies a balanced range, joining and marking brackets.
    fn rewrite(&mut self, tokens: &[Spanned], matching: &Matching, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let from = self.tokens.len();
        let kind = |i: usize| tokens.get(i).map(|(t, _)| t.kind());
        let joined = |i: usize| -> Option<Token> {
            let pair = (kind(i)?, kind(i + 1)?);
            let adjacent = matching[i] == matching[i + 1] + 1 && i + 1 < range.end;
            match pair {
                (Kind::OpenBrace, Kind::OpenBracket) if adjacent => Some(Token::OpenPublic),
                (Kind::OpenBracket, Kind::OpenBrace) if adjacent => Some(Token::OpenSignature),
                _ => None,
            }
        };
        // A closing pair is recognised from its opening pair, by index.
        let mut opened_as_pair = vec![false; range.len()];
        let mut i = range.start;
        while i < range.end {
            let (token, span) = &tokens[i];
            if let Some(pair) = joined(i) {
                opened_as_pair[i - range.start] = true;
                self.tokens.push((pair, span.to(tokens[i + 1].1)));
                i += 2;
                continue;
            }
            let closes_pair = token.kind().is_closer()
                && matching[i] > range.start
                && opened_as_pair[matching[i] - 1 - range.start];
            if closes_pair {
                let pair = if token.kind() == Kind::CloseBracket {
                    Token::ClosePublic
                } else {
                    Token::CloseSignature
                };
                self.tokens.push((pair, span.to(tokens[i + 1].1)));
                i += 2;
                continue;
            }
            let token = if token.kind() == Kind::OpenParen {
                mark(tokens, matching, i, &range)
            } else {
                token.clone()
            };
            self.tokens.push((token, *span));
            i += 1;
        }
        self.ranges.push(from..self.tokens.len());
    }
}

/// Which `(` this is.
fn mark(tokens: &[Spanned], matching: &Matching, open: usize, range: &Range<usize>) -> Token {
    let close = matching[open];
    let kind = |i: usize| range.contains(&i).then(|| tokens[i].0.kind());
    let before = open.checked_sub(1).and_then(kind);
    let after = kind(close + 1);
    let starts_step = match before {
        Some(Kind::Int) => open >= 2 && kind(open - 2) == Some(Kind::Bang),
        Some(before) => matches!(
            before,
            Kind::Dot
                | Kind::Bar
                | Kind::Bang
                | Kind::Equal
                | Kind::In
                | Kind::Else
                | Kind::Colon
                | Kind::OpenParen
                | Kind::CloseBracket
                // `(new n) (M)<N>`
                | Kind::CloseParen
        ),
        None => true,
    };
    if starts_step && matches!(after, Some(Kind::OpenAngle | Kind::OpenParen)) {
        let inner = open + 1..close;
        let restriction = kind(open + 1) == Some(Kind::New);
        if !restriction && !inner.is_empty() {
            return Token::OpenChannel;
        }
    }
    let only_binders = kind(open + 1) == Some(Kind::New)
        && tokens[open + 2..close]
            .iter()
            .all(|(t, _)| matches!(t.kind(), Kind::Ident | Kind::Comma | Kind::Colon));
    let goes_on = !matches!(
        after,
        None | Some(Kind::Bar | Kind::CloseParen | Kind::Else | Kind::Suc | Kind::Error)
    );
    if only_binders && goes_on {
        Token::OpenRestriction
    } else {
        Token::OpenParen
    }
}

/// The indices at which a comparison without a keyword starts.
fn comparisons(tokens: &[Spanned], matching: &Matching) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let kind = tokens[i].0.kind();
        if kind.closer().is_some() {
            i = matching[i];
        } else if matches!(kind, Kind::Tilde | Kind::AtMost) && i > 0 {
            let mut start = i - 1;
            if tokens[start].0.kind() == Kind::CloseParen {
                start = matching[start].saturating_sub(1);
            }
            let keyword = start > 0 && tokens[start - 1].0.kind() == Kind::Equivalence;
            if start > 0 && tokens[start].0.kind() == Kind::Ident && !keyword {
                cuts.push(start);
            }
        }
        i += 1;
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;
    use crate::base::source::SourceFile;

    fn shown(text: &str) -> Vec<String> {
        let lexed = lex(&SourceFile::anonymous("t", text));
        let out = split(text, &lexed.tokens);
        let show = |r: &Range<usize>| {
            let words = out.tokens[r.clone()].iter().map(|(t, _)| match t {
                Token::OpenChannel => "(channel".to_owned(),
                Token::OpenRestriction => "(restrict".to_owned(),
                Token::Error => "ERROR".to_owned(),
                t => t.to_string(),
            });
            words.collect::<Vec<_>>().join(" ")
        };
        out.ranges.iter().map(show).collect()
    }

    #[test]
    fn keywords_and_comparisons_start_declarations() {
        assert_eq!(
            shown(
                "agent A, B spy C\npartial system S = 0 S ~ T S(a) <= T(b) equivalence S ~ T\nstrong secrecy m in S"
            ),
            [
                "agent A , B",
                "spy C",
                "partial system S = 0",
                "S ~ T",
                "S ( a ) <= T ( b )",
                "equivalence S ~ T",
                "strong secrecy m in S"
            ]
        );
    }

    #[test]
    fn a_keyword_after_an_operator_on_the_same_line_is_a_misused_name() {
        assert_eq!(
            shown("def P = new key. c<key>"),
            ["def P = new key . c < key >"]
        );
        assert_eq!(
            shown("def P = c<a>.\nagent A"),
            ["def P = c < a > .", "agent A"]
        );
    }

    #[test]
    fn double_brackets_are_joined_by_matching() {
        assert_eq!(shown("knows {[{b}]k-}n"), ["knows { [{ b }] k - } n"]);
        assert_eq!(shown("knows {[{b}k]}n+"), ["knows {[ { b } k ]} n +"]);
        assert_eq!(
            shown("knows {[[{a}]k-]}n+"),
            ["knows {[ [{ a }] k - ]} n +"]
        );
        assert_eq!(shown("knows [{[{a}]k}]j"), ["knows [{ [{ a }] k }] j"]);
        assert_eq!(
            shown("def P = [{a}k is {[b]}j] 0"),
            ["def P = [ { a } k is {[ b ]} j ] 0"]
        );
    }

    #[test]
    fn brackets_at_the_start_of_a_step_are_told_apart() {
        assert_eq!(
            shown("def P = (a, b)<c>. 0"),
            ["def P = (channel a , b ) < c > . 0"]
        );
        assert_eq!(shown("def P = (a<b>)"), ["def P = ( a < b > )"]);
        assert_eq!(
            shown("def P = (νn) c<n>"),
            ["def P = (restrict new n ) c < n >"]
        );
        assert_eq!(
            shown("def P = (new n)(c<n>)"),
            ["def P = (restrict new n ) ( c < n > )"]
        );
        assert_eq!(
            shown("def P = (new n. c<n>) | Q"),
            ["def P = ( new n . c < n > ) | Q"]
        );
        assert_eq!(
            shown("def P = c<{M}(k, n)>"),
            ["def P = c < { M } ( k , n ) >"]
        );
        assert_eq!(shown("def P = K(a)(x)"), ["def P = K ( a ) ( x )"]);
    }

    #[test]
    fn a_bracket_mistake_leaves_the_head_of_its_declaration_and_all_others() {
        assert_eq!(
            shown("def P(a: Agent) = c(x). d<(a, x>. 0\nagent A"),
            ["def P ( a : Agent ) = c ( x ) . d ERROR", "agent A"]
        );
    }
}

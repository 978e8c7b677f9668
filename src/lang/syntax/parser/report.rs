//! From a parser's mistake to words.
//!
//! The parser knows which tokens it would have accepted; a reader wants to know what they did wrong.
//! The common mistakes have their own message here, recognised from the tokens around the place;
//! everything else gets "unexpected …, expected …".

use super::expect::{Expected, Mistake, Want};
use crate::base::source::{Code, Diagnostic, SourceFile, Span, Spot, lines};
use crate::lang::syntax::foreign;
use crate::lang::syntax::lexer::Spanned;
use crate::lang::syntax::token::{Kind, Token};

/// A mistake within the tokens of one declaration (or fragment).
struct Place<'a> {
    file: &'a SourceFile,
    tokens: &'a [Spanned],
    /// Index of the token that was not accepted; past the end if the tokens ran out.
    index: usize,
    span: Span,
    expected: Expected,
    /// Whether the tokens are a fragment rather than a declaration.
    fragment: bool,
}

/// The diagnostic for a mistake, or nothing if it follows from one that was reported before.
pub(super) fn report(
    file: &SourceFile,
    tokens: &[Spanned],
    mistake: Mistake,
    fragment: bool,
) -> Option<Diagnostic> {
    let Mistake {
        span,
        expected,
        ready,
    } = mistake;
    let index = if span.is_empty() {
        tokens.len()
    } else {
        tokens.partition_point(|(_, s)| s.start < span.start)
    };
    let place = Place {
        file,
        tokens,
        index,
        span,
        expected,
        fragment,
    };
    if let Some(ready) = ready {
        let doubtful = matches!(ready.code, Code::MissingDot | Code::UnexpectedToken);
        let word = place.foreign_word().filter(|_| doubtful);
        return Some(word.unwrap_or(*ready));
    }
    // After a stretch that was reported already nothing is certain, and a stray line with such a
    // stretch has been reported.
    let stray = tokens
        .first()
        .is_some_and(|(t, _)| !t.kind().starts_declaration());
    let certain = if stray { tokens.len() } else { index + 1 };
    if tokens
        .iter()
        .take(certain)
        .any(|(t, _)| matches!(t, Token::Error))
    {
        return None;
    }
    let known = [
        Place::not_a_declaration,
        Place::integer_case,
        Place::foreign,
        Place::foreign_word,
        Place::bare_target,
        Place::keyword_as_name,
        Place::no_system,
        Place::no_process,
        Place::no_body,
        Place::no_in,
        Place::misplaced,
    ];
    Some(
        known
            .iter()
            .find_map(|rule| rule(&place))
            .unwrap_or_else(|| place.unexpected()),
    )
}

impl Place<'_> {
    fn kind(&self) -> Option<Kind> {
        self.tokens.get(self.index).map(|(t, _)| t.kind())
    }

    fn kind_at(&self, index: usize) -> Option<Kind> {
        self.tokens.get(index).map(|(t, _)| t.kind())
    }

    fn before(&self) -> Option<Kind> {
        self.index.checked_sub(1).and_then(|i| self.kind_at(i))
    }

    /// The text of the token as it was written.
    fn found(&self) -> &str {
        self.file.slice(self.span)
    }

    fn starts_line(&self) -> bool {
        let Some(before) = self.index.checked_sub(1).and_then(|i| self.tokens.get(i)) else {
            return true;
        };
        let gap = Span {
            start: before.1.end,
            end: self.span.start,
            ..self.span
        };
        lines::breaks(self.file.slice(gap))
    }

    /// Text that belongs to no declaration: at the start of the file, or on a line of its own after
    /// a complete declaration.
    fn not_a_declaration(&self) -> Option<Diagnostic> {
        let first = self.tokens.first()?;
        let compares = || {
            self.tokens
                .iter()
                .any(|(t, _)| matches!(t, Token::Tilde | Token::AtMost))
        };
        let stray = if first.0.kind().starts_declaration() {
            let after = self.expected.wants(Want::End) && self.starts_line();
            self.tokens
                .get(self.index)
                .filter(|(t, _)| after && t.kind() == Kind::Ident)
        } else {
            (!self.fragment && (self.index == 0 || !compares())).then_some(first)
        };
        let (token, span) = stray?;
        let word = token.to_string();
        let diagnostic =
            Diagnostic::new(Code::ExpectedDeclaration, "this belongs to no declaration")
                .at(*span, "expected a declaration or a claim");
        Some(if let Some(help) = foreign::hint(&word) {
            diagnostic.help(help)
        } else if let Some(near) = foreign::nearest_declaration(&word) {
            diagnostic.did_you_mean(near)
        } else {
            diagnostic.help("a process stands in `def P(x) = …` or `system S = …`; names are declared with `agent`, `channel`, `public`, …")
        })
    }

    /// The second branch of an integer case is missing.
    fn integer_case(&self) -> Option<Diagnostic> {
        if !self.expected.has(Kind::Suc) || self.kind().is_some_and(|k| k == Kind::If) {
            return None;
        }
        Some(
            Diagnostic::new(Code::IntegerCase, "an integer case has two branches")
                .at(self.last_end(), "the branch `suc(x):` is missing here")
                .help("write `case M of 0: P suc(x): Q`"),
        )
    }

    fn foreign(&self) -> Option<Diagnostic> {
        let (message, help) = match (self.kind()?, self.kind_at(self.index + 1)) {
            (Kind::If | Kind::Then, _) => {
                ("there is no `if`", "a test is written `[M is N] P else Q`")
            }
            (Kind::Private | Kind::Public, _) if self.before() == Some(Kind::Knows) => (
                "`knows` is about the attacker",
                "what a role knows from the start is a parameter, `def Role(a: Agent, k: Sym) = …`, or a member of `key S(Agent)`; `private k` is a secret of its own",
            ),
            (Kind::In, Some(Kind::OpenParen)) if self.expected.wants(Want::Step) => (
                "an input is not written with `in`",
                "write `c(x). P` for an input on the channel c",
            ),
            (Kind::Equal, _) if self.expected.has(Kind::Is) => {
                ("a test is not written with `=`", "write `[M is N] P`")
            }
            (Kind::Colon, Some(Kind::Equal)) if self.expected.has(Kind::Equal) => {
                ("a definition is not written with `:=`", "write `=`")
            }
            (Kind::OpenBracket, _)
                if self.expected.wants(Want::Term) || self.expected.wants(Want::Pattern) =>
            {
                (
                    "a tuple is not written with `[ ]`",
                    "write `(M, N)`, or `c<M, N>` and `c(x, y)` for whole messages",
                )
            }
            (Kind::Comma, _) if self.expected.has(Kind::Is) => (
                "a tuple is not written with `[ ]`",
                "`[M is N] P` is a test; a tuple is `(M, N)`",
            ),
            _ => return None,
        };
        let diagnostic = Diagnostic::new(Code::ForeignSyntax, message)
            .at(self.span, "this is syntax of another notation")
            .help(help);
        Some(match (self.kind(), self.tokens.get(self.index + 1)) {
            (Some(Kind::Equal), _) => diagnostic.instead(" is "),
            (Some(Kind::Colon), Some((_, equal))) => {
                diagnostic.repair(Spot::At(self.span.to(*equal)), "=")
            }
            _ => diagnostic,
        })
    }

    /// `x xor y`, `phase 1.`: a word of another notation, here or just before. A word that occurs more than once is a name.
    fn foreign_word(&self) -> Option<Diagnostic> {
        // The names of libraries are words of other notations too, and stand where they should.
        if self.first() == Some(Kind::Use) {
            return None;
        }
        let word = |index: usize| {
            let (Token::Ident(name), span) = self.tokens.get(index)? else {
                return None;
            };
            let same = |t: &Spanned| matches!(&t.0, Token::Ident(n) if n == name);
            let once = self.tokens.iter().filter(|t| same(t)).count() == 1;
            let help = foreign::hint(name).filter(|_| once)?;
            Some((name, *span, help))
        };
        let operand = matches!(self.kind(), Some(Kind::Int | Kind::Ident | Kind::OpenBrace));
        let before = self.index.checked_sub(1).filter(|_| operand);
        let (name, span, help) = word(self.index).or_else(|| before.and_then(word))?;
        Some(
            Diagnostic::new(Code::ForeignSyntax, format!("there is no `{name}`"))
                .at(span, "this is syntax of another notation")
                .help(help),
        )
    }

    fn keyword_as_name(&self) -> Option<Diagnostic> {
        let wants = |w| self.expected.wants(w);
        let named = wants(Want::Name)
            || wants(Want::Term)
            || wants(Want::Key)
            || wants(Want::Pattern)
            || wants(Want::Target)
            || wants(Want::Event)
            || wants(Want::System);
        let (token, _) = self.tokens.get(self.index)?;
        let kind = token.kind();
        let likely = kind.starts_declaration()
            || matches!(
                kind,
                Kind::Suc
                    | Kind::Hash
                    | Kind::Event
                    | Kind::Phase
                    | Kind::New
                    | Kind::Case
                    | Kind::Let
            );
        // `secrecy in S`: the word does its own job, something before it is missing.
        let own_job = matches!(
            kind,
            Kind::In
                | Kind::Of
                | Kind::Is
                | Kind::Else
                | Kind::After
                | Kind::Given
                | Kind::Unless
                | Kind::Expect
        ) && !matches!(
            self.kind_at(self.index + 1),
            None | Some(
                Kind::Comma
                    | Kind::Dot
                    | Kind::Colon
                    | Kind::Equal
                    | Kind::CloseAngle
                    | Kind::CloseParen
                    | Kind::CloseBrace
            )
        );
        if !(named && token.is_keyword() && (likely || !own_job)) {
            return None;
        }
        let word = self.found();
        let diagnostic = Diagnostic::new(Code::KeywordAsName, format!("`{word}` is a keyword"))
            .at(self.span, "a name is needed here");
        Some(match kind {
            Kind::Hash => diagnostic.help(format!(
                "the hash of M is `{word}(M)`; choose another name for anything else"
            )),
            Kind::Suc => diagnostic
                .help("the successor of M is `suc(M)`; choose another name for anything else"),
            _ => diagnostic
                .help(format!("choose another name, for example `{word}1`"))
                .instead(format!("{word}1")),
        })
    }

    fn no_system(&self) -> Option<Diagnostic> {
        let stops = matches!(self.kind(), None | Some(Kind::Expect));
        if !(self.expected.has(Kind::In) && stops) {
            return None;
        }
        let (first, span) = self.tokens.first()?;
        if !first.kind().starts_declaration()
            || first.kind() == Kind::Def
            || first.kind() == Kind::System
        {
            return None;
        }
        Some(
            Diagnostic::new(
                Code::MissingSystem,
                "this claim does not say about which system",
            )
            .at(
                self.last_end(),
                "`in` and the name of a system are missing here",
            )
            .and(*span, "the claim")
            .help("write for example `secrecy Na in S`, where `system S = …` is declared"),
        )
    }

    /// The empty place after the last accepted token.
    fn last_end(&self) -> Span {
        let before = self.index.checked_sub(1).and_then(|i| self.tokens.get(i));
        before.map_or(self.span, |(_, span)| span.after())
    }

    fn no_process(&self) -> Option<Diagnostic> {
        let stops = match self.kind() {
            None | Some(Kind::Bar | Kind::Else | Kind::Suc) => true,
            Some(kind) => kind.is_closer(),
        };
        if !(self.expected.wants(Want::Step) && stops) {
            return None;
        }
        let diagnostic = Diagnostic::new(Code::MissingProcess, "a process is missing here");
        let diagnostic = match self.index.checked_sub(1).and_then(|i| self.tokens.get(i)) {
            Some((token, span)) => diagnostic.at(*span, format!("nothing follows this `{token}`")),
            None => diagnostic.at(self.span, "nothing stands here"),
        };
        let repaired = diagnostic.repair(Spot::At(self.last_end()), " 0");
        Some(repaired.help("write `0` for the process that does nothing"))
    }

    fn no_body(&self) -> Option<Diagnostic> {
        let (first, span) = self.tokens.first()?;
        let head = matches!(first.kind(), Kind::Def | Kind::System | Kind::Partial);
        if self.kind().is_some() || !head || !self.expected.has(Kind::Equal) {
            return None;
        }
        let word = if first.kind() == Kind::Def {
            "definition"
        } else {
            "system"
        };
        Some(
            Diagnostic::new(Code::UnexpectedToken, format!("this {word} has no body"))
                .at(self.last_end(), "`=` and a process are missing here")
                .and(*span, format!("the {word}"))
                .help("write `0` for a process that does nothing")
                .instead(" = 0"),
        )
    }

    fn no_in(&self) -> Option<Diagnostic> {
        let (first, _) = self.tokens.first()?;
        let body = matches!(first.kind(), Kind::Def | Kind::System | Kind::Partial);
        if !(body || self.fragment) || !self.expected.has(Kind::In) {
            return None;
        }
        let mistake = self.unexpected();
        Some(mistake.help(
            "`let p = M in P` and `case M of {p}k in P` need the word `in` before the process",
        ))
    }

    /// `secrecy H(x) in S`, `secrecy {x}k in S`
    fn bare_target(&self) -> Option<Diagnostic> {
        let (token, span) = self.tokens.get(1).filter(|_| self.claims_secrecy())?;
        matches!(
            token.kind(),
            Kind::Hash | Kind::OpenBrace | Kind::OpenPublic | Kind::OpenSignature
        )
        .then(|| {
            let message = format!("unexpected `{token}`");
            Diagnostic::new(Code::UnexpectedToken, message)
                .at(*span, "expected a name")
                .help("a whole message stands in parentheses: `secrecy (H(x)) in S`, `secrecy ({x}k) in S`")
        })
    }

    fn misplaced(&self) -> Option<Diagnostic> {
        let unexpected = |label: &str, help: &str| {
            let message = format!("unexpected `{}`", self.found());
            Some(
                Diagnostic::new(Code::UnexpectedToken, message)
                    .at(self.span, label)
                    .help(help),
            )
        };
        match self.kind()? {
            Kind::Colon
                if self.expected.has(Kind::CloseAngle) || self.expected.has(Kind::CloseBrace) =>
            {
                unexpected(
                    "a message has no type annotation",
                    "types are written where a name is introduced: `new n: T`, `c(x: T)`, `def P(x: T)`",
                )
            }
            Kind::OpenBrace | Kind::OpenPublic | Kind::OpenSignature
                if self.expected.wants(Want::Step) =>
            {
                unexpected(
                    "a message is not a process",
                    "to send it write `c<…>`; a channel that is not a name stands in parentheses: `({M}k)<N>`",
                )
            }
            _ if self.expected.has(Kind::Dot) && self.is_secrecy() => unexpected(
                "expected `.` and the name that is to stay secret",
                "`Init(A, B).Na` is a name of one role instance; a whole term, such as a key, stands in parentheses: `secrecy (K(A)) in S`",
            ),
            Kind::Caret | Kind::Plus | Kind::Minus if self.claims_secrecy() => unexpected(
                "the name ends before this",
                "a whole message, such as a share or a key, stands in parentheses: `secrecy (g^x) in S`, `secrecy (K(A)-) in S`",
            ),
            Kind::In if self.expected.wants(Want::Step) => unexpected(
                "`in` follows `let p = M` or `case M of p`",
                "a destructor is applied by `let x = open(M, k) in P`; a check, of which only the success counts, is `let _ = verify(s, M, K(a)+) in P`",
            ),
            Kind::Ident | Kind::Text if self.first() == Some(Kind::Use) => unexpected(
                "a `,` is missing before this",
                "several libraries are separated by commas: `use mac, aead`",
            ),
            Kind::Ident if self.expected.has(Kind::Comma) && !self.expected.has(Kind::Is) => {
                unexpected("a `,` is missing before this", "put `,` between two items")
            }
            Kind::Equal if self.expected.has(Kind::Comma) && self.before() == Some(Kind::Ident) => {
                unexpected(
                    "a declaration of names ends before `=`",
                    "only `def` and `system` take a body",
                )
            }
            _ => None,
        }
    }

    /// Whether the declaration is a secrecy claim, and what was read of it ends with arguments.
    fn is_secrecy(&self) -> bool {
        self.claims_secrecy() && self.before() == Some(Kind::CloseParen)
    }

    fn claims_secrecy(&self) -> bool {
        self.first() == Some(Kind::Secrecy)
    }

    /// What the declaration begins with.
    fn first(&self) -> Option<Kind> {
        self.kind_at(0)
    }

    fn unexpected(&self) -> Diagnostic {
        let words = self.words();
        let label = if words.is_empty() {
            "this cannot stand here".to_owned()
        } else {
            format!("expected {}", alternatives(&words))
        };
        if self.kind().is_some() {
            let message = format!("unexpected `{}`", self.found());
            Diagnostic::new(Code::UnexpectedToken, message).at(self.span, label)
        } else {
            let (first, span) = match self.tokens.first() {
                Some((token, span)) => (token.to_string(), *span),
                None => (String::new(), self.span),
            };
            let diagnostic = Diagnostic::new(Code::UnexpectedToken, "this stops too early")
                .at(self.last_end(), label);
            if self.tokens.len() > 1 {
                diagnostic.and(
                    span,
                    format!("in the declaration that starts with this `{first}`"),
                )
            } else {
                diagnostic
            }
        }
    }

    /// The expected things, without those that would only make the thing before longer.
    fn words(&self) -> Vec<String> {
        let all = self.expected.words();
        let longer = ["`+`", "`-`", "`(`", "`:`", "the end of the declaration"];
        let short: Vec<String> = all
            .iter()
            .filter(|w| !longer.contains(&w.as_str()))
            .cloned()
            .collect();
        if short.is_empty() { all } else { short }
    }
}

/// `a`, `a or b`, `a, b or c`
fn alternatives(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

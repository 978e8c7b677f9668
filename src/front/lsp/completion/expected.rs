//! Which kind of word is expected at a place, from the words before it.

use crate::lang::syntax::lexer::Spanned;
use crate::lang::syntax::token::{Kind, Token};

/// What is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// A declaration or claim.
    Top,
    /// A type or sort.
    Type,
    /// `holds`, `proof` or `attack`.
    Verdict,
    /// The end of a claim.
    AfterClaim,
    /// A system.
    System,
    /// An event.
    Event,
    /// A secret.
    Secret,
    /// A step of a process.
    Step,
    /// A message.
    Term,
    /// A library.
    Library,
    /// A message in a rule of a destructor.
    Rule,
    /// A new name, or nothing.
    Nothing,
}

/// The place after these words, and the words of its declaration.
pub(super) fn find(words: &[Spanned], at_margin: bool) -> (Expected, &[Spanned]) {
    let starts = |(token, _): &Spanned| token.kind().starts_declaration();
    let head = words.iter().rposition(starts);
    let (Some(head), false) = (head, at_margin) else {
        return (Expected::Top, &[]);
    };
    let declaration = &words[head..];
    (of(declaration), declaration)
}

fn of(words: &[Spanned]) -> Expected {
    let kind = |back: usize| {
        let at = words.len().checked_sub(back)?;
        words.get(at).map(|(token, _)| token.kind())
    };
    let (Some(first), Some(last)) = (words.first().map(|(t, _)| t.kind()), kind(1)) else {
        return Expected::Top;
    };
    // The branches of an integer case start with a colon as well.
    let branch = matches!(kind(2), Some(Kind::Int | Kind::CloseParen));
    match (first, last) {
        (_, Kind::Expect) => Expected::Verdict,
        (_, Kind::Colon) if !branch => Expected::Type,
        (Kind::Agent | Kind::Spy, Kind::Bar) => Expected::Type,
        (Kind::Keypair | Kind::Key | Kind::Function, Kind::OpenParen | Kind::Comma)
            if depth(words) > 0 =>
        {
            Expected::Type
        }
        (Kind::Private, Kind::OpenParen | Kind::Comma)
            if depth(words) > 0 && kind(words.len() - 1) == Some(Kind::Function) =>
        {
            Expected::Type
        }
        (Kind::Use, Kind::Use | Kind::Comma) => Expected::Library,
        (Kind::Destructor, Kind::Equal) => Expected::Rule,
        (Kind::Destructor, _) if depth(words) > 0 => Expected::Rule,
        (Kind::Knows, _) => Expected::Term,
        (Kind::Def | Kind::System | Kind::Partial, _) => body(words, last),
        (k, Kind::Unless) if claims(k) => Expected::Event,
        (k, _) if claims(k) && words.iter().any(|(t, _)| t.kind() == Kind::Given) => Expected::Term,
        (Kind::Forward, Kind::Forward) => Expected::Nothing,
        (Kind::Secrecy | Kind::Forward, _) => match last {
            Kind::In => Expected::System,
            Kind::After => Expected::Event,
            Kind::Secrecy | Kind::Comma if depth(words) == 0 => Expected::Secret,
            _ => after(words),
        },
        (Kind::Agreement | Kind::Injective | Kind::Weak | Kind::Aliveness | Kind::Reachable, _) => {
            match last {
                Kind::In => Expected::System,
                Kind::Agreement | Kind::Aliveness | Kind::Reachable | Kind::Implies => {
                    Expected::Event
                }
                _ if depth(words) > 0 => Expected::Term,
                _ => after(words),
            }
        }
        (Kind::Equivalence, Kind::Equivalence | Kind::Tilde | Kind::AtMost)
        | (Kind::Strong | Kind::Unsendable, Kind::In) => Expected::System,
        (Kind::Unsendable, _) if depth(words) > 0 || last == Kind::Unsendable => Expected::Term,
        (Kind::Equivalence | Kind::Strong | Kind::Unsendable, _) => after(words),
        _ => Expected::Nothing,
    }
}

/// Whether a claim begins with it.
fn claims(kind: Kind) -> bool {
    (Kind::Secrecy..=Kind::Equivalence).contains(&kind)
}

/// Brackets that are open.
fn depth(words: &[Spanned]) -> i32 {
    words.iter().fold(0, |depth, (token, _)| match token {
        Token::OpenParen | Token::OpenBrace | Token::OpenBracket | Token::OpenAngle => depth + 1,
        Token::CloseParen | Token::CloseBrace | Token::CloseBracket | Token::CloseAngle => {
            depth - 1
        }
        _ => depth,
    })
}

/// After the system of a claim comes its end, before it there is more to write.
fn after(words: &[Spanned]) -> Expected {
    let system = words.iter().any(|(token, _)| matches!(token, Token::In));
    if system && depth(words) == 0 {
        Expected::AfterClaim
    } else {
        Expected::Nothing
    }
}

/// Inside of a definition or system.
fn body(words: &[Spanned], last: Kind) -> Expected {
    let Some(equal) = words.iter().position(|(t, _)| matches!(t, Token::Equal)) else {
        // Its name and parameters are new names.
        return Expected::Nothing;
    };
    let made = words.iter().rposition(|(t, _)| matches!(t, Token::New));
    let dot = words
        .iter()
        .rposition(|(t, _)| matches!(t, Token::Dot | Token::CloseParen));
    let last_at = words.len() - 1;
    match last {
        // Names that `new` makes are new.
        Kind::New | Kind::Comma if made.is_some_and(|m| dot.is_none_or(|d| d < m)) => {
            Expected::Nothing
        }
        Kind::Event => Expected::Event,
        Kind::Equal if last_at == equal => Expected::Step,
        Kind::Dot | Kind::Bar | Kind::In | Kind::Else | Kind::Bang | Kind::Colon => Expected::Step,
        Kind::CloseBracket if depth(words) == 0 => Expected::Step,
        // `( .. | ..)` around threads, as against the arguments of something.
        Kind::OpenParen if opens_group(words) => Expected::Step,
        _ => Expected::Term,
    }
}

/// Whether the bracket that was just opened stands where a step does.
fn opens_group(words: &[Spanned]) -> bool {
    let before = words.len().checked_sub(2).and_then(|i| words.get(i));
    let Some((token, _)) = before else {
        return false;
    };
    matches!(
        token,
        Token::Equal | Token::Dot | Token::Bar | Token::In | Token::Else | Token::Bang
    )
}

//! From text to tokens and comments.
//!
//! logos does the work; this file adds what a regular language cannot say: nested-free block
//! comments with a place for "never closed", limits on integers, and diagnostics for everything
//! that is no token. Reported text becomes [`Token::Error`], about which the parser stays silent.
//!
//! Linear time. After [`MAX_MISTAKES`] mistakes the rest of the text is not read: it is no model.

use logos::Logos;
use rustc_hash::FxHashMap;

use super::lookalike::{Lookalike, Meant, advice, lookalike};
use super::token::{Names, Token};
use crate::base::source::visible::mark;
use crate::base::source::{Code, Diagnostic, SourceFile, Span};

/// Largest integer. `3` is `suc(suc(suc(0)))`, so an integer is as deep as it is large.
pub const MAX_INT: u32 = 1000;

/// After so many lexical mistakes the lexer gives up.
pub const MAX_MISTAKES: usize = 50;

/// A token with its place.
pub type Spanned = (Token, Span);

/// What the lexer found.
#[derive(Debug, Default)]
pub struct Lexed {
    /// The tokens, without comments.
    pub tokens: Vec<Spanned>,
    /// The places of the comments, `//` and `/*` included, line ends excluded.
    pub comments: Vec<Span>,
    /// What was wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the lexer gave up before the end of the text.
    pub gave_up: bool,
}

/// For each strange character, its diagnostic and how often it came again.
type Seen = FxHashMap<char, (usize, usize)>;

/// The words of a text without comments and layout: what its meaning depends on.
pub fn words(file: &SourceFile) -> Vec<&str> {
    let tokens = lex(file).tokens;
    tokens.iter().map(|(_, span)| file.slice(*span)).collect()
}

/// Splits a text into tokens.
pub fn lex(file: &SourceFile) -> Lexed {
    let text: &str = &file.text;
    let mut lexed = Lexed {
        tokens: Vec::with_capacity(text.len() / 3),
        ..Lexed::default()
    };
    let mut seen = Seen::default();
    // A byte-order mark is not part of the text.
    let bom = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    // Whether what was read last belongs to a `use`, where paths stand in quotation marks.
    let mut uses = false;
    let mut lexer = Token::lexer_with_extras(&text[bom..], Names::default());
    while let Some(result) = lexer.next() {
        let range = lexer.span();
        let span = Span::new(file.id, range.start + bom..range.end + bom);
        match result {
            Ok(Token::LineComment) => {
                let trimmed = lexer.slice().trim_end().len();
                lexed.comments.push(Span {
                    end: span.start + trimmed as u32,
                    ..span
                });
            }
            Ok(Token::BlockComment) => {
                if let Some(length) = lexer.remainder().find("*/") {
                    lexer.bump(length + 2);
                    let end = lexer.span().end + bom;
                    lexed.comments.push(Span {
                        end: end as u32,
                        ..span
                    });
                } else {
                    lexed.diagnostics.push(unterminated(span));
                    lexer.bump(lexer.remainder().len());
                }
            }
            Ok(Token::Int(value)) if value > MAX_INT => {
                lexed.diagnostics.push(too_large(span));
                lexed.tokens.push((Token::Int(MAX_INT), span));
            }
            Ok(Token::BadNumber) => {
                lexed.diagnostics.push(bad_number(span, lexer.slice()));
                lexed.tokens.push((Token::Error, span));
            }
            Ok(Token::Ident(name)) => {
                let joined = lexed.tokens.last_mut().filter(|(_, s)| s.end == span.start);
                // `N’b`: the prime was reported, the letters after it belong to the same name.
                if let Some((Token::Ident(before), place)) = joined {
                    *before = lexer.extras.intern(&format!("{before}{name}"));
                    place.end = span.end;
                } else {
                    lexed.tokens.push((Token::Ident(name), span));
                }
            }
            Ok(token) => {
                uses = token == Token::Use || uses && token == Token::Comma;
                lexed.tokens.push((token, span));
            }
            Err(()) if uses && path_length(&text[span.range().start..]).is_some() => {
                let length = path_length(&text[span.range().start..]).unwrap_or_default();
                lexer.bump(length - lexer.slice().len());
                let path = lexer.slice().trim_matches('"').to_owned();
                let span = Span::new(file.id, span.range().start..span.range().start + length);
                lexed
                    .tokens
                    .push((Token::Text(lexer.extras.intern(&path)), span));
            }
            Err(()) => {
                // Logos may report one character in several pieces; take whole characters.
                let width = char_at(text, span).len_utf8();
                if width > lexer.slice().len() {
                    lexer.bump(width - lexer.slice().len());
                }
                let span = Span {
                    end: span.start + width as u32,
                    ..span
                };
                strange(&mut lexed, &mut seen, &mut lexer.extras, text, span);
            }
        }
        if lexed.diagnostics.len() >= MAX_MISTAKES {
            lexed.gave_up = true;
            break;
        }
    }
    for (index, count) in seen.into_values().filter(|(_, count)| *count > 0) {
        let times = if count == 1 {
            "once more".to_owned()
        } else {
            format!("{count} more times")
        };
        let note = format!("the same character occurs {times} in this file");
        lexed.diagnostics[index].notes.push(note);
    }
    lexed
}

/// The length of a path in quotation marks at the start of a text, the marks included. What a terminal would not show is no part of one.
fn path_length(text: &str) -> Option<usize> {
    let path = text.strip_prefix('"')?;
    let length = path.find('"')?;
    let plain = length > 0 && path[..length].chars().all(|c| mark(c).is_none());
    plain.then_some(length + 2)
}

fn unterminated(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnterminatedComment, "this comment is never closed")
        .at(span, "it starts here and runs to the end of the file")
        .help("close it with `*/`, or use `//` for a comment to the end of the line")
}

fn too_large(span: Span) -> Diagnostic {
    Diagnostic::new(Code::IntegerTooLarge, "this integer is too large")
        .at(span, format!("integers go up to {MAX_INT}"))
        .note("`3` is `suc(suc(suc(0)))`: an integer is a term as deep as it is large")
        .help("for a value whose size does not matter declare a name: `public n: Int`")
}

fn bad_number(span: Span, text: &str) -> Diagnostic {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    Diagnostic::new(
        Code::MalformedNumber,
        format!("`{text}` is neither a number nor a name"),
    )
    .at(span, "a name cannot start with a digit")
    .help(format!(
        "write `{number} {rest}` if two things are meant, or a name such as `{rest}{number}`"
    ))
    .instead(format!("{rest}{number}"))
}

/// Reports a character that starts no token, and goes on as well as possible.
fn strange(lexed: &mut Lexed, seen: &mut Seen, names: &mut Names, text: &str, span: Span) {
    let c = char_at(text, span);
    let found = lookalike(c);
    match found.as_ref().map_or(&Meant::Unknown, |l| &l.goes_on) {
        Meant::Token(token) => lexed.tokens.push((token.clone(), span)),
        Meant::Prime => {
            let before = lexed.tokens.last_mut().filter(|(_, s)| s.end == span.start);
            if let Some((Token::Ident(name), place)) = before {
                *name = names.intern(&format!("{name}'"));
                place.end = span.end;
            }
        }
        Meant::Nothing => {}
        Meant::Unknown => {
            // A run of strange characters is one mistake.
            if let Some((Token::Error, place)) = lexed.tokens.last_mut()
                && place.end == span.start
            {
                place.end = span.end;
                if let Some(label) = lexed
                    .diagnostics
                    .last_mut()
                    .and_then(|d| d.labels.first_mut())
                    && label.span.end == span.start
                {
                    label.span.end = span.end;
                    return;
                }
            } else {
                lexed.tokens.push((Token::Error, span));
            }
        }
    }
    // The same pasted character again is the same mistake.
    if let Some((_, count)) = seen.get_mut(&c) {
        *count += 1;
        return;
    }
    seen.insert(c, (lexed.diagnostics.len(), 0));
    lexed.diagnostics.push(match found {
        Some(l) => typographic(&l, text, span),
        None => unknown(c, span),
    });
}

fn typographic(found: &Lookalike, text: &str, span: Span) -> Diagnostic {
    let c = char_at(text, span);
    let code = u32::from(c);
    let hidden = mark(c).is_some();
    // A bar over a letter has no room of its own: take the letter along.
    let over = matches!(c, '\u{304}' | '\u{305}');
    let shown = if hidden || over {
        String::new()
    } else {
        format!(" `{c}`")
    };
    let message = format!("{}{shown} (U+{code:04X})", found.name);
    let letter = text[..span.start as usize].chars().next_back();
    let before = letter.filter(|_| over).map_or(0, char::len_utf8);
    let span = Span {
        start: span.start - before as u32,
        ..span
    };
    let label = if hidden {
        "it hides here"
    } else {
        "probably pasted from a document"
    };
    let diagnostic = Diagnostic::new(Code::TypographicCharacter, message)
        .at(span, label)
        .help(found.help);
    match &found.goes_on {
        Meant::Token(token) => diagnostic.instead(token.to_string()),
        Meant::Prime => diagnostic.instead("'"),
        Meant::Nothing => diagnostic.instead(""),
        Meant::Unknown => diagnostic,
    }
}

fn unknown(c: char, span: Span) -> Diagnostic {
    if mark(c).is_some() {
        let kind = if c.is_control() {
            "control"
        } else {
            "invisible"
        };
        let message = format!("the {kind} character U+{:04X}", u32::from(c));
        return Diagnostic::new(Code::ControlCharacter, message)
            .at(span, "text files do not contain this character")
            .help("is this a text file? save it as plain UTF-8 text");
    }
    let diagnostic = Diagnostic::new(
        Code::UnknownCharacter,
        format!("the language does not use `{c}`"),
    )
    .at(span, "this character has no meaning here");
    match advice(c) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// The character at the start of a span.
fn char_at(text: &str, span: Span) -> char {
    text[span.start as usize..]
        .chars()
        .next()
        .unwrap_or('\u{fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> String {
        let lexed = lex(&SourceFile::anonymous("t", text));
        assert!(lexed.diagnostics.is_empty(), "{:?}", lexed.diagnostics);
        lexed
            .tokens
            .iter()
            .map(|(t, _)| t.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn codes(text: &str) -> Vec<&'static str> {
        let lexed = lex(&SourceFile::anonymous("t", text));
        lexed.diagnostics.iter().map(|d| d.code.as_str()).collect()
    }

    #[test]
    fn brackets_are_single_tokens_and_there_is_no_arrow() {
        assert_eq!(tokens("c<{[M]}k->"), "c < { [ M ] } k - >");
        assert_eq!(tokens("S<=T=>U"), "S <= T => U");
    }

    #[test]
    fn unicode_spellings_are_tokens() {
        assert_eq!(tokens("(νn) c⟨n⟩ ≈ 〈〉"), "( new n ) c < n > ~ < >");
    }

    #[test]
    fn byte_order_mark_and_carriage_returns_are_not_part_of_the_text() {
        assert_eq!(tokens("\u{feff}agent A\r\n// c\r\nspy C"), "agent A spy C");
        let lexed = lex(&SourceFile::anonymous("t", "\u{feff}// note \r\nspy C"));
        assert_eq!(lexed.comments, [Span::new(lexed.comments[0].file, 3..10)]);
    }

    #[test]
    fn primes_and_underscores_belong_to_names() {
        assert_eq!(tokens("N' N'b _x _ K_ab"), "N' N'b _x _ K_ab");
    }

    #[test]
    fn a_pasted_character_is_one_mistake_and_the_token_goes_on() {
        let lexed = lex(&SourceFile::anonymous("t", "{M}k− N’b"));
        let text: Vec<_> = lexed.tokens.iter().map(|(t, _)| t.to_string()).collect();
        assert_eq!(text.join(" "), "{ M } k - N'b");
        assert_eq!(codes("{M}k− N’b −"), ["E0002", "E0002"]);
    }

    #[test]
    fn each_kind_of_strange_text_has_its_code() {
        assert_eq!(codes("a ; b"), ["E0001"]);
        assert_eq!(codes("a ??? b"), ["E0001"]);
        assert_eq!(codes("a \0\0 b"), ["E0006"]);
        assert_eq!(codes("/* a"), ["E0003"]);
        assert_eq!(codes("1001 99999999999999999999"), ["E0004", "E0004"]);
        assert_eq!(codes("3x"), ["E0005"]);
        assert_eq!(codes("σ"), ["E0001"]);
    }

    #[test]
    fn the_lexer_gives_up_on_what_is_no_text() {
        let lexed = lex(&SourceFile::anonymous("t", &"0x ".repeat(100_000)));
        assert!(lexed.gave_up);
        assert_eq!(lexed.diagnostics.len(), MAX_MISTAKES);
    }
}

//! Lines of words: what a certificate's text is made of.
//!
//! Words stand between spaces; one in quotation marks may have spaces, with `\"` and `\\` for what could end it. What follows `//` is a
//! comment. Empty lines say nothing.

use crate::base::source::{Code, Diagnostic, SourceFile, Span};

/// A word with its place.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub text: String,
    pub quoted: bool,
    pub span: Span,
}

impl Word {
    /// The word as a number, in the one way to write it.
    pub(super) fn number(&self) -> Option<u32> {
        let digits = !self.quoted && self.text.bytes().all(|b| b.is_ascii_digit());
        let first = self.text.len() == 1 || !self.text.starts_with('0');
        self.text.parse().ok().filter(|_| digits && first)
    }
}

/// A line that is read word by word.
#[derive(Debug)]
pub(super) struct Line<'f> {
    /// Where it stands.
    pub span: Span,
    text: &'f str,
    /// Where the rest begins.
    at: usize,
    /// Where the line begins.
    start: usize,
    /// A word that was looked at and given back.
    kept: Option<Word>,
    /// What is wrong with a word.
    wrong: Option<Diagnostic>,
}

/// The lines of a file.
#[derive(Debug)]
pub(super) struct Lines<'f> {
    file: &'f SourceFile,
    at: usize,
}

/// A text as a word in quotation marks.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""))
}

/// Something else was expected.
pub(super) fn bad(at: Span, expected: &str) -> Diagnostic {
    let message = format!("expected {expected}");
    Diagnostic::new(Code::BadCertificate, message).at(at, "here")
}

impl<'f> Lines<'f> {
    pub(super) fn new(file: &'f SourceFile) -> Self {
        Self { file, at: 0 }
    }

    /// The next line that has words.
    pub(super) fn line(&mut self) -> Result<Line<'f>, Diagnostic> {
        let text: &'f str = &self.file.text;
        while self.at < text.len() {
            let start = self.at;
            let end = text[start..].find('\n').map_or(text.len(), |n| start + n);
            self.at = (end + 1).min(text.len());
            let mut line = Line {
                span: Span::new(self.file.id, start..end),
                text: &text[start..end],
                at: 0,
                start,
                kept: None,
                wrong: None,
            };
            line.kept = line.next();
            if line.wrong.is_some() || line.kept.is_some() {
                return Ok(line);
            }
        }
        let end = Span::new(self.file.id, text.len()..text.len());
        Err(Diagnostic::new(
            Code::BadCertificate,
            "the certificate ends here, and is not whole",
        )
        .at(end, "another line was expected")
        .help("write it again; a whole one ends in `end`"))
    }

    /// The next line, which starts with this word.
    pub(super) fn start(&mut self, word: &str) -> Result<Line<'f>, Diagnostic> {
        let mut line = self.line()?;
        line.exactly(word)?;
        Ok(line)
    }

    /// Nothing more follows.
    pub(super) fn nothing(&mut self) -> Result<(), Diagnostic> {
        match self.line() {
            Ok(line) => Err(bad(line.span, "nothing after `end`")),
            Err(_) => Ok(()),
        }
    }
}

impl Line<'_> {
    /// The next word, if there is one.
    pub(super) fn next(&mut self) -> Option<Word> {
        if let Some(word) = self.kept.take() {
            return Some(word);
        }
        let rest = &self.text[self.at..];
        let skipped = rest.len() - rest.trim_start().len();
        let from = self.at + skipped;
        let rest = &self.text[from..];
        let place = |to: usize| Span::new(self.span.file, self.start + from..self.start + to);
        if rest.is_empty() || rest.starts_with("//") {
            self.at = self.text.len();
            return None;
        }
        if let Some(inner) = rest.strip_prefix('"') {
            let mut text = String::new();
            let mut escaped = false;
            for (i, c) in inner.char_indices() {
                match c {
                    '"' if !escaped => {
                        self.at = from + i + 2;
                        return Some(Word {
                            text,
                            quoted: true,
                            span: place(self.at),
                        });
                    }
                    '\\' if !escaped => escaped = true,
                    c => {
                        escaped = false;
                        text.push(c);
                    }
                }
            }
            self.wrong = Some(bad(place(self.text.len()), "a closing quotation mark"));
            self.at = self.text.len();
            return None;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.at = from + end;
        Some(Word {
            text: rest[..end].to_owned(),
            quoted: false,
            span: place(from + end),
        })
    }

    /// Reads the word again.
    pub(super) fn give_back(&mut self, word: Word) {
        self.kept = Some(word);
    }

    fn end_span(&self) -> Span {
        let end = self.start + self.text.trim_end().len();
        Span::new(self.span.file, end..end)
    }

    /// The next word; what it should be if there is none.
    pub(super) fn word(&mut self, expected: &str) -> Result<Word, Diagnostic> {
        let word = self.next();
        if let Some(wrong) = self.wrong.take() {
            return Err(wrong);
        }
        word.ok_or_else(|| bad(self.end_span(), expected))
    }

    /// The line ends.
    pub(super) fn end(&mut self) -> Result<(), Diagnostic> {
        let word = self.next();
        if let Some(wrong) = self.wrong.take() {
            return Err(wrong);
        }
        match word {
            Some(word) => Err(bad(word.span, "the end of the line")),
            None => Ok(()),
        }
    }

    /// This word is next.
    pub(super) fn exactly(&mut self, text: &str) -> Result<(), Diagnostic> {
        self.one_of(&[text]).map(|_| ())
    }

    /// The number of the word that is next.
    pub(super) fn one_of(&mut self, words: &[&str]) -> Result<usize, Diagnostic> {
        let all: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
        let expected = all.join(" or ");
        let word = self.word(&expected)?;
        let found = words.iter().position(|w| !word.quoted && word.text == *w);
        found.ok_or_else(|| bad(word.span, &expected))
    }

    /// A number below a limit, or the limit.
    pub(super) fn up_to(&mut self, most: u32) -> Result<u32, Diagnostic> {
        let expected = format!("a number of at most {most}");
        let word = self.word(&expected)?;
        let number = word.number().filter(|n| *n <= most);
        number.ok_or_else(|| bad(word.span, &expected))
    }

    /// A text in quotation marks.
    pub(super) fn string(&mut self) -> Result<String, Diagnostic> {
        let word = self.word("a text in quotation marks")?;
        if word.quoted {
            Ok(word.text)
        } else {
            Err(bad(word.span, "a text in quotation marks"))
        }
    }

    /// A text in quotation marks, or `-` for none.
    pub(super) fn string_or_dash(&mut self) -> Result<Option<String>, Diagnostic> {
        let word = self.word("a text in quotation marks, or `-`")?;
        match (word.quoted, &*word.text) {
            (true, _) => Ok(Some(word.text)),
            (false, "-") => Ok(None),
            _ => Err(bad(word.span, "a text in quotation marks, or `-`")),
        }
    }
}

//! Certificates as text, written and read again [docs/certificates.md].
//!
//! A file says which question it answers ([`Header`]) and has the certificate in lines of words. Nothing of it is believed: what is read
//! becomes the data that the checkers take ([`super::proof::Certificate`]), and the model is read again from its own file. So a reader
//! needs to be robust, and no more: whatever stands in a file, reading ends, in data or in a diagnostic at the place.
//!
//! Names are written as they are spelled, with what they are. A restricted name is the one of this number in the unfolded system, since copies have one
//! spelling.
//!
//! Left to others: where the text comes from and goes to (`cli`), which system the question is about (`analysis`).

mod equivalence;
mod proof;
mod symbols;
mod words;

use super::Semantics;
use crate::base::source::{Code, Diagnostic, SourceFile};
pub use equivalence::{Compared, written as written_equivalence};
pub use proof::written as written_proof;
use std::fmt::Write;
use words::{Line, Lines, bad, quoted};

/// The version of the format: the first line of a file.
pub const VERSION: u32 = 1;

/// What a certificate is said to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The claim of this number, counted from 0.
    Claim(usize),
    /// `secrecy TARGET in SYSTEM`, asked on the command line.
    Secrecy(String, String),
    /// That two systems are equivalent, or in the preorder, as `spi equiv` was asked for them.
    Systems {
        /// The left one, as it was named after the file.
        left: Option<String>,
        /// The right one.
        right: Option<String>,
        /// Only the preorder was asked for.
        preorder: bool,
    },
}

/// Which question a certificate answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The fingerprints of the files, the left one first.
    pub models: Vec<u64>,
    /// What is shown.
    pub asked: Asked,
    /// Tuples keep their length.
    pub typed: bool,
    /// How often recursive definitions come back to themselves.
    pub unfold: u32,
    /// Copies of a bare `!`.
    pub copies: u32,
    /// Role instances were chosen for so many sessions.
    pub sessions: Option<u32>,
    /// It is about all agents, although the claim is asked of the system as it is written.
    pub wider: bool,
    /// Which communication inside counts: for comparisons.
    pub semantics: Semantics,
}

impl Header {
    /// The header as the first lines of a file.
    pub fn written(&self) -> String {
        let mut text = format!("spi certificate {VERSION}\nmodel");
        for print in &self.models {
            let _ = write!(text, " {print:016x}");
        }
        text.push('\n');
        let _ = match &self.asked {
            Asked::Claim(number) => writeln!(text, "claim {number}"),
            Asked::Secrecy(target, system) => {
                writeln!(text, "secrecy {} in {}", quoted(target), quoted(system))
            }
            Asked::Systems {
                left,
                right,
                preorder,
            } => {
                let name = |n: &Option<String>| n.as_deref().map_or("-".to_owned(), quoted);
                let sign = if *preorder { "<=" } else { "~" };
                writeln!(text, "systems {} {sign} {}", name(left), name(right))
            }
        };
        let _ = writeln!(text, "typed {}", if self.typed { "yes" } else { "no" });
        let _ = writeln!(text, "unfold {}", self.unfold);
        let _ = writeln!(text, "copies {}", self.copies);
        let _ = match self.sessions {
            Some(n) => writeln!(text, "sessions {n}"),
            None => writeln!(text, "sessions -"),
        };
        let _ = writeln!(text, "wider {}", if self.wider { "yes" } else { "no" });
        let _ = writeln!(
            text,
            "semantics {}",
            match self.semantics {
                Semantics::Classic => "classic",
                Semantics::Private => "private",
            }
        );
        text
    }

    fn read(lines: &mut Lines<'_>) -> Result<Header, Diagnostic> {
        let mut line = lines.start("spi")?;
        line.exactly("certificate")?;
        let version = line.word("the version of the format")?;
        if version.number() != Some(VERSION) {
            let message = format!("a certificate of version {}", version.text);
            return Err(Diagnostic::new(Code::BadCertificate, message)
                .at(version.span, "this version")
                .note(format!("version {VERSION} is read here")));
        }
        line.end()?;
        let mut line = lines.start("model")?;
        let mut models = Vec::new();
        while let Some(word) = line.next() {
            let print = (word.text.len() == 16).then(|| u64::from_str_radix(&word.text, 16).ok());
            let print = print.flatten();
            models.push(
                print.ok_or_else(|| bad(word.span, "a fingerprint of 16 hexadecimal digits"))?,
            );
        }
        if models.is_empty() || models.len() > 2 {
            return Err(bad(line.span, "one fingerprint, or two"));
        }
        let asked = Self::asked(&mut lines.line()?)?;
        let mut line = lines.start("typed")?;
        let typed = line.one_of(&["no", "yes"])? == 1;
        line.end()?;
        let mut line = lines.start("unfold")?;
        let unfold = line.up_to(100)?;
        line.end()?;
        let mut line = lines.start("copies")?;
        let copies = line.up_to(100)?;
        line.end()?;
        let mut line = lines.start("sessions")?;
        let word = line.word("a number, or `-`")?;
        let sessions = match &*word.text {
            "-" => None,
            _ => Some(
                word.number()
                    .filter(|n| (1..=12).contains(n))
                    .ok_or_else(|| bad(word.span, "a number from 1 to 12, or `-`"))?,
            ),
        };
        line.end()?;
        let mut line = lines.start("wider")?;
        let wider = line.one_of(&["no", "yes"])? == 1;
        line.end()?;
        let mut line = lines.start("semantics")?;
        let semantics = match line.one_of(&["classic", "private"])? {
            0 => Semantics::Classic,
            _ => Semantics::Private,
        };
        line.end()?;
        Ok(Header {
            models,
            asked,
            typed,
            unfold,
            copies: copies.max(1),
            sessions,
            wider,
            semantics,
        })
    }

    fn asked(line: &mut Line<'_>) -> Result<Asked, Diagnostic> {
        let asked = match line.one_of(&["claim", "secrecy", "systems"])? {
            0 => Asked::Claim(line.up_to(1 << 20)? as usize),
            1 => {
                let target = line.string()?;
                line.exactly("in")?;
                Asked::Secrecy(target, line.string()?)
            }
            _ => {
                let left = line.string_or_dash()?;
                let preorder = line.one_of(&["~", "<="])? == 1;
                let right = line.string_or_dash()?;
                Asked::Systems {
                    left,
                    right,
                    preorder,
                }
            }
        };
        line.end()?;
        Ok(asked)
    }
}

/// What kind of certificate a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// A proof of a claim, for any number of runs.
    Proof,
    /// An equivalence of two systems.
    Equivalence,
}

/// A file of which the header was read.
#[derive(Debug)]
pub struct Draft<'f> {
    /// The header.
    pub header: Header,
    /// What follows it.
    pub shows: Shows,
    lines: Lines<'f>,
}

/// Reads the header of a file.
pub fn read(file: &SourceFile) -> Result<Draft<'_>, Diagnostic> {
    let mut lines = Lines::new(file);
    let header = Header::read(&mut lines)?;
    let mut line = lines.line()?;
    let shows = match line.one_of(&["proof", "equivalence"])? {
        0 => Shows::Proof,
        _ => Shows::Equivalence,
    };
    line.end()?;
    Ok(Draft {
        header,
        shows,
        lines,
    })
}

/// A fingerprint of texts: FNV-1a, the same on every machine. It tells one model from another by accident, not against forgery: what is
/// verified is verified for the model that is there.
pub fn fingerprint<'t>(words: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut byte = |b: u8| hash = (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
    for word in words {
        word.bytes().for_each(&mut byte);
        byte(b'\n');
    }
    hash
}

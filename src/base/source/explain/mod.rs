//! The long form of every code: why it is a mistake, a wrong and a right model.
//!
//! The same source serves `spi explain CODE` and `docs/diagnostics.md`; tests check that each wrong
//! example yields its code, that each right one is clean, and that the page is up to date.

mod attacks;
mod characters;
mod claims;
mod command;
mod company;
mod files;
mod names;
mod processes;
mod syntax;
mod types;
mod words;

pub use words::{spellings, word, words};

use std::fmt::Write;

use super::code::{Code, Severity};
use super::shipped;
use super::visible::visible_lines;
use super::wrap::wrap;

/// The long form of a code.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// Why it is a mistake and what to do, in plain words.
    pub text: &'static str,
    /// The examples, for mistakes that a model can show.
    pub example: Option<Example>,
}

/// A wrong model and a right one.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// A whole file with the mistake.
    pub wrong: &'static str,
    /// The same without it.
    pub right: &'static str,
}

/// The explanation of a code.
pub fn explain(code: Code) -> Explanation {
    let group = &code.as_str()[1..3];
    match group {
        "00" => characters::explain(code),
        "01" => syntax::explain(code),
        "02" => names::explain(code),
        "03" => types::explain(code),
        "04" => claims::explain(code),
        "05" => processes::explain(code),
        "06" => files::explain(code),
        "08" => company::explain(code),
        "09" => command::explain(code),
        _ => attacks::explain(code),
    }
}

fn model(text: &'static str, wrong: &'static str, right: &'static str) -> Explanation {
    Explanation {
        text,
        example: Some(Example { wrong, right }),
    }
}

fn plain(text: &'static str) -> Explanation {
    Explanation {
        text,
        example: None,
    }
}

/// The explanation for a terminal of so many columns.
pub fn to_text(code: Code, width: usize) -> String {
    let Explanation { text, example } = explain(code);
    let mut out = format!("{code}: {}\n\n{}\n", code.title(), paragraph(text, width));
    if let Some(Example { wrong, right }) = example {
        for (title, model) in [("Wrong", wrong), ("Right", right)] {
            let _ = write!(out, "\n{title}:\n\n");
            for line in visible_lines(model.trim_end()).lines() {
                let _ = writeln!(out, "{}", format!("    {line}").trim_end());
            }
        }
    }
    out
}

/// A library that comes with the program: what it is, and its text.
pub fn library(name: &str) -> Option<String> {
    let (name, about) = shipped::all().find(|(n, _)| n.eq_ignore_ascii_case(name.trim()))?;
    let file = shipped::named(name)?;
    let mut out = format!("use {name}: {about}\n\n");
    for line in file.text.lines() {
        let _ = writeln!(out, "{}", format!("    {line}").trim_end());
    }
    Some(out)
}

/// All explanations as a page of the manual.
pub fn to_markdown() -> String {
    let mut out = String::from(
        "# Diagnostics\n\n\
         What the checker says and what to do about it. `E` is an error, `W` a warning; the digits\n\
         tell the phase: 00 characters, 01 syntax, 02 names, 03 types, 04 claims, 05 processes,\n\
         06 files, 07 attacks, 08 several processes, 09 the command line. `spi explain CODE` prints the\n\
         same text. This page is generated from `src/base/source/explain`; a test compares.\n\n| code | |\n|---|---|\n",
    );
    for code in Code::ALL {
        let anchor = code.as_str().to_lowercase();
        let _ = writeln!(out, "| [{code}](#{anchor}) | {} |", code.title());
    }
    for code in Code::ALL {
        let Explanation { text, example } = explain(*code);
        let kind = match code.severity() {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
        };
        let _ = write!(
            out,
            "\n## {code}\n\n*{kind}: {}.*\n\n{}\n",
            code.title(),
            paragraph(text, 100)
        );
        if let Some(Example { wrong, right }) = example {
            let _ = write!(
                out,
                "\nWrong:\n\n```spi\n{}\n```\n",
                visible_lines(wrong.trim_end())
            );
            let _ = write!(out, "\nRight:\n\n```spi\n{}\n```\n", right.trim_end());
        }
    }
    out
}

/// A paragraph in lines of at most `width` characters.
fn paragraph(text: &str, width: usize) -> String {
    wrap(text, width, &[' '], false).join("\n")
}

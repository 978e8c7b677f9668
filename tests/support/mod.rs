//! Shared by the tests of the analyses: texts to verdicts.
#![allow(dead_code)]

pub mod space;
pub mod walk;

use spi::analysis::{ClaimResult, Decision, Kept, Settings, Subject, Verdict, check_claim, decide};
use spi::base::limits::{Observer, Silent};
use spi::base::source::SourceFile;
use spi::lang::sema::check_text;
use spi::process::Claim;
use spi::process::{TupleMode, UnfoldError};
use spi::term::TermStore;

/// Whether a model of the library makes keys of so many exchanges that one look at it is enough: a proof of it has thousands of clauses.
pub fn is_large(path: &std::path::Path) -> bool {
    let named = |name: &str| path.file_stem().is_some_and(|s| s == name);
    let generated = path.parent().is_some_and(|p| p.ends_with("noise"));
    let large = ["edhoc", "ikev2", "ikev2-named", "jfki", "jfkr", "wireguard"];
    generated || large.into_iter().any(named)
}

/// Checks every claim of a text.
pub fn results(text: &str, settings: &Settings) -> Vec<ClaimResult> {
    results_in(&TermStore::new(), text, settings)
}

/// The same, with the terms.
pub fn results_in(store: &TermStore, text: &str, settings: &Settings) -> Vec<ClaimResult> {
    (observed(store, text, settings, &Silent).into_iter())
        .map(|result| result.expect("the system unfolds"))
        .collect()
}

/// The same, with somebody who looks on, and with what is too large or not there.
pub fn observed(
    store: &TermStore,
    text: &str,
    settings: &Settings,
    observer: &dyn Observer,
) -> Vec<Result<ClaimResult, UnfoldError>> {
    each_claim(store, text, |subject, nested, flat| {
        check_claim(subject, nested, flat, settings, observer)
    })
}

/// Every claim of a text, decided as for a user: with what lies beyond what is written.
pub fn decisions(store: &TermStore, text: &str, settings: &Settings) -> Vec<Decision> {
    each_claim(store, text, |subject, nested, flat| {
        decide(subject, nested, flat, settings, &Silent).expect("the system unfolds")
    })
}

fn each_claim<T>(
    store: &TermStore,
    text: &str,
    mut with: impl FnMut(&Subject<'_>, &Claim, &Claim) -> T,
) -> Vec<T> {
    let file = SourceFile::anonymous("test.spi", text);
    let nested = check_text(&file, store, TupleMode::Nested);
    assert!(nested.is_sound(), "{:?}\n{text}", nested.diagnostics);
    let flat = check_text(&file, store, TupleMode::Flat);
    let subject = Subject {
        store,
        nested: &nested.program,
        flat: &flat.program,
        kept: &Kept::new(),
    };
    (nested.program.claims.iter())
        .zip(&flat.program.claims)
        .map(|(n, f)| with(&subject, n, f))
        .collect()
}

/// A verdict in one word.
pub fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Holds { .. } => "holds",
        Verdict::Attack(_) => "attack",
        Verdict::Unreachable => "unreachable",
        Verdict::Vacuous(_) => "vacuous",
        Verdict::NotExecutable => "not executable",
        Verdict::Inconclusive(_) | Verdict::Unconfirmed(_) => "inconclusive",
        Verdict::Internal(_) => "internal",
    }
}

/// The verdicts of a text, in one word each.
pub fn words(text: &str, settings: &Settings) -> Vec<&'static str> {
    results(text, settings)
        .iter()
        .map(|r| {
            if let Verdict::Internal(e) = &r.verdict {
                panic!("{}: {e:?}", r.claim.text);
            }
            word(&r.verdict)
        })
        .collect()
}

//! Any text ends in a tree and diagnostics: no panic, no hang, places that exist.

use crate::random;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use spi::base::source::{SourceFile, SourceMap, load, render};
use spi::lang::syntax::{
    format::format, parse, parse_claim_target, parse_process, parse_system, parse_term,
};

fn survives(text: &str) {
    let file = SourceFile::anonymous("t.spi", text);
    let (tree, diagnostics) = parse(&file);
    let broken = diagnostics
        .iter()
        .any(spi::base::source::Diagnostic::is_error);
    assert_eq!(tree.broken, broken);
    for diagnostic in &diagnostics {
        for label in &diagnostic.labels {
            assert!(
                text.get(label.span.range()).is_some(),
                "{diagnostic:?} in {text:?}"
            );
        }
        if diagnostic.code.as_str() < "E0600" {
            assert!(diagnostic.primary().is_some(), "{diagnostic:?} in {text:?}");
        }
    }
    let rendered = render::to_string(&SourceMap::from(file.clone()), &diagnostics);
    assert_eq!(rendered.is_empty(), diagnostics.is_empty());
    assert_eq!(format(&file).is_err(), broken);
    let hidden = |c: char| c != '\n' && spi::base::source::visible::mark(c).is_some();
    assert!(!rendered.contains(hidden), "{rendered:?}");
    let _ = (
        parse_process(&file),
        parse_term(&file),
        parse_claim_target(&file),
        parse_system(&file),
    );
}

/// All tokens of the language, a few that are none, and layout.
fn token() -> impl Strategy<Value = &'static str> {
    select(vec![
        "agent",
        "spy",
        "channel",
        "public",
        "private",
        "keypair",
        "key",
        "knows",
        "def",
        "system",
        "partial",
        "secrecy",
        "agreement",
        "injective",
        "weak",
        "aliveness",
        "reachable",
        "unsendable",
        "strong",
        "forward",
        "given",
        "equivalence",
        "new",
        "ν",
        "let",
        "in",
        "case",
        "of",
        "is",
        "else",
        "event",
        "phase",
        "suc",
        "H",
        "hash",
        "after",
        "expect",
        "if",
        "then",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        "⟨",
        "⟩",
        "<=",
        ",",
        ".",
        ":",
        "=",
        "=>",
        "|",
        "!",
        "+",
        "-",
        "~",
        "≈",
        "≤",
        "c<=x>",
        "_",
        "0",
        "1",
        "99999",
        "3x",
        "A",
        "B",
        "c",
        "x",
        "N'",
        "holds",
        "attack",
        "Agent",
        "S",
        "T",
        "\n",
        "\n\n",
        "// c\n",
        "/* c */",
        "/*",
        "->",
        "→",
        "“",
        "’",
        "–",
        ";",
        "?",
        "é",
        "\u{200b}",
        "\0",
        "( new n )",
        "{ [",
        "] }",
        "[ {",
        "} ]",
        "case x of 0 :",
        "suc ( x ) :",
        "[ a is b ]",
    ])
}

proptest! {
    #![proptest_config(random::config(500))]

    #[test]
    fn random_characters(text in "\\PC{0,200}") {
        survives(&text);
    }

    #[test]
    fn random_bytes(bytes in vec(any::<u8>(), 0..400)) {
        let mut map = SourceMap::new();
        match load::decode(&mut map, "t.spi", bytes) {
            Ok(file) => survives(&file.text),
            Err(diagnostic) => prop_assert!(!render::to_string(&map, &[diagnostic]).is_empty()),
        }
    }

    #[test]
    fn token_soup(tokens in vec(token(), 0..60)) {
        survives(&tokens.join(" "));
    }

    #[test]
    fn bodies_of_token_soup(tokens in vec(token(), 0..30)) {
        survives(&format!("def P(x) = {}\nsystem S = P(A)", tokens.join(" ")));
    }

    #[test]
    fn models_with_one_word_lost_doubled_or_replaced(
        words in random::model(), place in any::<prop::sample::Index>(), kind in 0..4, other in token()
    ) {
        let mut words = words;
        let at = place.index(words.len());
        match kind {
            0 => { words.remove(at); }
            1 => { let word = words[at].clone(); words.insert(at, word); }
            2 => words[at] = other.to_owned(),
            _ => words.truncate(at),
        }
        survives(&words.join(" "));
    }

    #[test]
    fn a_file_with_one_character_lost_or_replaced(place in any::<prop::sample::Index>(), new in proptest::option::of(any::<char>())) {
        let text = include_str!("grammar/nsl.spi");
        let mut characters: Vec<char> = text.chars().collect();
        let at = place.index(characters.len());
        match new {
            Some(c) => characters[at] = c,
            None => { characters.remove(at); }
        }
        survives(&characters.into_iter().collect::<String>());
    }
}

#[test]
fn an_argument_that_doubles_at_each_instantiation_is_refused() {
    let definitions: Vec<String> = (1..=60)
        .map(|i| format!("def P{i}(x) = P{}((x, x))\n", i - 1))
        .collect();
    let text = format!(
        "channel c\ndef P0(x) = c<x>\n{}system S = P60(c)\nS ~ S\n",
        definitions.concat()
    );
    let store = spi::term::TermStore::new();
    let file = SourceFile::anonymous("doubling.spi", &text);
    let checked = spi::lang::sema::check_text(&file, &store, spi::process::TupleMode::Nested);
    assert!(checked.is_sound(), "{:?}", checked.diagnostics);
    let claim = &checked.program.claims[0].kind;
    let answer = spi::analysis::compare_claim(
        &store,
        &checked.program,
        claim,
        &spi::analysis::Settings::default(),
        &spi::base::limits::Silent,
    )
    .expect("the claim compares");
    assert!(matches!(
        answer,
        Err(spi::process::UnfoldError::Huge { .. })
    ));
}

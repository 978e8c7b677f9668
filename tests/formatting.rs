//! The laws of the formatter, on random models and on files.

use crate::random;
use proptest::prelude::*;
use spi::base::source::{SourceFile, SourceMap, render};
use spi::lang::syntax::{dump, format::format, lexer, parse};

fn file(text: &str) -> SourceFile {
    SourceFile::anonymous("t.spi", text)
}

pub fn formatted(text: &str) -> String {
    let source = file(text);
    format(&source).unwrap_or_else(|diagnostics| {
        panic!(
            "{text}\n{}",
            render::to_string(&SourceMap::from(source), &diagnostics)
        )
    })
}

fn structure(text: &str) -> String {
    dump::file(&parse(&file(text)).0)
}

/// The words of all comments, in order.
fn comments(text: &str) -> Vec<String> {
    let source = file(text);
    let words = |span| {
        source
            .slice(span)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    lexer::lex(&source)
        .comments
        .into_iter()
        .map(words)
        .collect()
}

fn laws(text: &str) {
    let once = formatted(text);
    assert_eq!(
        structure(text),
        structure(&once),
        "the tree has changed:\n{text}\n---\n{once}"
    );
    assert_eq!(
        comments(text),
        comments(&once),
        "comments have changed:\n{text}\n---\n{once}"
    );
    let twice = formatted(&once);
    assert_eq!(once, twice, "formatting again changes something:\n{text}");
    assert!(
        once.lines().all(|l| l.trim_end() == l),
        "blanks at the end of a line:\n{once}"
    );
    assert!(once.ends_with('\n') && !once.ends_with("\n\n"), "{once:?}");
}

proptest! {
    #![proptest_config(random::config(300))]

    #[test]
    fn formatting_keeps_tree_and_comments_and_is_idempotent(text in random::text()) {
        laws(&text);
    }
}

#[test]
fn every_pair_of_the_corpus_keeps_its_tree() {
    let pairs = include_str!("grammar/pairs.txt");
    for process in pairs.lines() {
        laws(&format!("system S = {process}"));
    }
}

#[test]
fn layout_is_as_the_manual_shows_it() {
    insta::assert_snapshot!(formatted(include_str!("formatting/layout.spi")));
    laws(include_str!("formatting/layout.spi"));
}

/// The bracket of the papers' `(new n)` becomes a dot; a comment before it once counted as part of
/// the step in the first round and not in the second, which then joined two lines.
#[test]
fn a_comment_before_the_closing_bracket_of_a_restriction() {
    laws("def P = new u. (new c // why\n) b() | new x. a<x>. a<u>. 0 | 0");
}

#[test]
fn a_comment_survives_between_any_two_tokens() {
    let words = "agent A , B def P ( x : Agent ) = new n . c < { n , x } K ( x ) + > . c ( y ) . \
                 [ y is ( n , 0 ) ] case y of { = n , z } k in 0 else ( d < H ( z ) > | ! 2 P ( x ) ) \
                 secrecy n , P ( A ) . n in S expect holds S ~ T";
    let words: Vec<&str> = words.split_whitespace().collect();
    for comment in [
        " // c\n",
        "\n// c\n",
        " /* c */ ",
        "\n/* c\nd */\n",
        " /* c */\n",
    ] {
        for place in 0..=words.len() {
            let (before, after) = words.split_at(place);
            laws(&format!("{}{comment}{}", before.join(" "), after.join(" ")));
        }
    }
}

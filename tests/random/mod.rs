//! Random models as lists of words, and random text between the words.
#![allow(dead_code, reason = "each test file uses its own part")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// So many cases, or as many as `PROPTEST_CASES` says; found failures are printed, not stored: each
/// becomes a test that tells its story.
pub fn config(cases: u32) -> ProptestConfig {
    let wanted = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|n| n.parse().ok());
    ProptestConfig {
        cases: wanted.unwrap_or(cases),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A piece of a model, word by word.
pub type Words = Vec<String>;

fn word(text: &str) -> Words {
    text.split_whitespace().map(str::to_owned).collect()
}

fn seq(parts: impl IntoIterator<Item = Words>) -> Words {
    parts.into_iter().flatten().collect()
}

fn commas(items: Vec<Words>) -> Words {
    let mut out = Words::new();
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(",".to_owned());
        }
        out.extend(item);
    }
    out
}

fn name() -> impl Strategy<Value = Words> {
    select(vec![
        "a",
        "b",
        "c",
        "k",
        "n'",
        "Na",
        "x",
        "y_1",
        "_u",
        "VeryLongNameOfSomething",
    ])
    .prop_map(word)
}

fn ty() -> impl Strategy<Value = Words> {
    select(vec!["Agent", "Nonce", "Msg", "Sym"]).prop_map(word)
}

fn typed() -> impl Strategy<Value = Words> {
    (name(), proptest::option::of(ty())).prop_map(|(name, ty)| match ty {
        Some(ty) => seq([name, word(":"), ty]),
        None => name,
    })
}

fn ciphered(body: Vec<Words>, style: usize, key: Words) -> Words {
    let (open, close) = [("{", "}"), ("{ [", "] }"), ("[ {", "} ]")][style];
    seq([word(open), commas(body), word(close), key])
}

/// A term.
pub fn term() -> BoxedStrategy<Words> {
    let leaf = prop_oneof![
        6 => name(),
        1 => (0..4_u32).prop_map(|n| vec![n.to_string()]),
        1 => name().prop_map(|n| seq([n, word("+")])),
        1 => name().prop_map(|n| seq([n, word("-")])),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let list = || vec(inner.clone(), 1..4);
        prop_oneof![
            list().prop_map(|l| seq([word("("), commas(l), word(")")])),
            list().prop_map(|l| seq([word("H ("), commas(l), word(")")])),
            inner
                .clone()
                .prop_map(|t| seq([word("suc ("), t, word(")")])),
            (name(), list()).prop_map(|(n, l)| seq([n, word("("), commas(l), word(")")])),
            (list(), 0..3_usize, inner.clone()).prop_map(|(l, style, key)| ciphered(l, style, key)),
        ]
    })
    .boxed()
}

/// A pattern.
pub fn pattern() -> BoxedStrategy<Words> {
    let leaf = prop_oneof![4 => typed(), 1 => Just(word("_")), 2 => term().prop_map(|t| seq([word("="), t]))];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let list = || vec(inner.clone(), 1..3);
        prop_oneof![
            list().prop_map(|l| seq([word("("), commas(l), word(")")])),
            (list(), 0..3_usize, term()).prop_map(|(l, style, key)| ciphered(l, style, key)),
        ]
    })
    .boxed()
}

fn cipher_pattern() -> impl Strategy<Value = Words> {
    (vec(pattern(), 1..3), 0..3_usize, term()).prop_map(|(l, style, key)| ciphered(l, style, key))
}

/// A prefix that another process must or may follow.
fn prefix() -> BoxedStrategy<Words> {
    prop_oneof![
        (name(), vec(term(), 1..4)).prop_map(|(c, l)| seq([c, word("<"), commas(l), word("> .")])),
        (name(), vec(pattern(), 1..4)).prop_map(|(c, l)| seq([
            c,
            word("("),
            commas(l),
            word(") .")
        ])),
        (term(), vec(term(), 1..3)).prop_map(|(c, l)| seq([
            word("("),
            c,
            word(") <"),
            commas(l),
            word("> .")
        ])),
        vec(typed(), 1..3).prop_map(|l| seq([word("new"), commas(l), word(".")])),
        vec(typed(), 1..3).prop_map(|l| seq([word("( new"), commas(l), word(")")])),
        (name(), vec(term(), 0..3)).prop_map(|(e, l)| seq([
            word("event"),
            e,
            word("("),
            commas(l),
            word(") .")
        ])),
        (1..10_u32).prop_map(|n| vec!["phase".to_owned(), n.to_string(), ".".to_owned()]),
        Just(word("!")),
        (1..5_u32).prop_map(|n| vec!["!".to_owned(), n.to_string()]),
        test(),
    ]
    .boxed()
}

fn test() -> impl Strategy<Value = Words> {
    prop_oneof![
        (term(), term()).prop_map(|(m, n)| seq([word("["), m, word("is"), n, word("]")])),
        (pattern(), term()).prop_map(|(p, m)| seq([word("let"), p, word("="), m, word("in")])),
        (term(), cipher_pattern()).prop_map(|(m, p)| seq([
            word("case"),
            m,
            word("of"),
            p,
            word("in")
        ])),
    ]
}

/// A process without `|` at its top.
fn thread() -> BoxedStrategy<Words> {
    let leaf = prop_oneof![
        2 => Just(word("0")),
        2 => name(),
        2 => (name(), vec(term(), 0..3)).prop_map(|(p, l)| seq([p, word("("), commas(l), word(")")])),
        2 => (name(), vec(term(), 1..3)).prop_map(|(c, l)| seq([c, word("<"), commas(l), word(">")])),
    ];
    leaf.prop_recursive(5, 24, 4, |inner| {
        let group = vec(inner.clone(), 1..4).prop_map(|l| {
            let mut out = word("(");
            for (index, thread) in l.into_iter().enumerate() {
                if index > 0 {
                    out.push("|".to_owned());
                }
                out.extend(thread);
            }
            out.push(")".to_owned());
            out
        });
        prop_oneof![
            4 => (prefix(), inner.clone()).prop_map(|(p, t)| seq([p, t])),
            2 => (test(), inner.clone(), inner.clone())
                .prop_map(|(p, t, e)| seq([p, t, word("else"), e])),
            1 => group,
            1 => (term(), inner.clone(), inner.clone())
                .prop_map(|(m, z, s)| seq([word("case"), m, word("of 0 :"), z, word("suc ( x ) :"), s])),
        ]
    })
    .boxed()
}

/// A process.
pub fn process() -> BoxedStrategy<Words> {
    vec(thread(), 1..4)
        .prop_map(|l| {
            let mut out = Words::new();
            for (index, thread) in l.into_iter().enumerate() {
                if index > 0 {
                    out.push("|".to_owned());
                }
                out.extend(thread);
            }
            out
        })
        .boxed()
}

fn declaration() -> BoxedStrategy<Words> {
    let heads = || {
        (name(), proptest::option::of(vec(typed(), 0..3))).prop_map(|(n, params)| match params {
            Some(params) => seq([n, word("("), commas(params), word(")")]),
            None => n,
        })
    };
    let event = || {
        let arg = prop_oneof![Just(word("_")), term()];
        (name(), vec(arg, 0..3)).prop_map(|(e, l)| seq([e, word("("), commas(l), word(")")]))
    };
    let system = || {
        (name(), proptest::option::of(vec(term(), 1..3))).prop_map(|(n, args)| match args {
            Some(args) => seq([n, word("("), commas(args), word(")")]),
            None => n,
        })
    };
    let expect = || select(vec!["", "expect holds", "expect attack"]).prop_map(word);
    prop_oneof![
        (select(vec!["agent", "spy", "channel"]), vec(name(), 1..20))
            .prop_map(|(k, l)| seq([word(k), commas(l)])),
        (select(vec!["public", "private"]), vec(typed(), 1..4))
            .prop_map(|(k, l)| seq([word(k), commas(l)])),
        (select(vec!["keypair", "key"]), name(), vec(ty(), 1..3)).prop_map(|(k, n, l)| seq([
            word(k),
            n,
            word("("),
            commas(l),
            word(")")
        ])),
        vec(term(), 1..4).prop_map(|l| seq([word("knows"), commas(l)])),
        (heads(), process()).prop_map(|(h, p)| seq([word("def"), h, word("="), p])),
        (select(vec!["system", "partial system"]), heads(), process()).prop_map(|(k, h, p)| seq([
            word(k),
            h,
            word("="),
            p
        ])),
        (vec(name(), 1..3), system(), expect()).prop_map(|(l, s, e)| seq([
            word("secrecy"),
            commas(l),
            word("in"),
            s,
            e
        ])),
        (name(), vec(term(), 1..3), name(), system()).prop_map(|(r, l, n, s)| seq([
            word("secrecy"),
            r,
            word("("),
            commas(l),
            word(") ."),
            n,
            word("in"),
            s
        ])),
        (
            select(vec![
                "agreement",
                "injective agreement",
                "weak agreement",
                "aliveness"
            ]),
            event(),
            event(),
            system(),
            expect()
        )
            .prop_map(|(k, e, f, s, x)| seq([word(k), e, word("=>"), f, word("in"), s, x])),
        (event(), system(), expect()).prop_map(|(e, s, x)| seq([
            word("reachable"),
            e,
            word("in"),
            s,
            x
        ])),
        (
            select(vec!["~", "<="]),
            select(vec!["", "equivalence"]),
            system(),
            system(),
            expect()
        )
            .prop_map(|(r, k, s, t, x)| seq([word(k), s, word(r), t, x])),
    ]
    .boxed()
}

/// A model as a list of words.
pub fn model() -> impl Strategy<Value = Words> {
    vec(declaration(), 1..6).prop_map(seq)
}

/// What may stand between two words: blanks, line ends, comments.
pub fn between() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        12 => Just(" "),
        3 => Just("\n"),
        1 => Just("\n\n\n"),
        1 => Just("\r\n    "),
        1 => Just(" // trailing remark\n"),
        1 => Just("\n  // remark on its line\n"),
        1 => Just(" /* inline */ "),
        1 => Just("\n/* a block\n   of two lines */\n"),
        1 => Just(" /* at the end */\n"),
    ]
}

/// A model as text.
pub fn text() -> impl Strategy<Value = String> {
    model().prop_flat_map(|words| {
        let gaps = vec(between(), words.len() + 1);
        (Just(words), gaps).prop_map(|(words, gaps)| {
            let mut out = String::new();
            for (word, gap) in words.iter().zip(&gaps) {
                out.push_str(gap);
                out.push_str(word);
            }
            out.push_str(gaps.last().expect("one gap more than words"));
            out
        })
    })
}

//! Destructors, one condition at a time: small systems whose verdict turns round if it is forgotten.
//!
//! `tests/mutants` breaks the conditions and names these tests.

use assert_cmd::Command;
use spi::certify::{Deduction, Derivation, Rule, Source};
use spi::term::{self, NameClass, RULE, TermId, TermStore};
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;

/// Everything that a file says comes true: with all mechanisms, and without some of them.
fn as_expected(text: &str) {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("f.spi"), text).expect("it is written");
    let without = |names: &[&'static str]| -> Vec<&'static str> {
        let options = names.iter().flat_map(|n| ["--no-reduction", n]);
        ["test", "f.spi"].into_iter().chain(options).collect()
    };
    for args in [
        without(&[]),
        without(&["congruence"]),
        without(&["proofs", "pruning"]),
        without(&["proofs", "congruence", "cones", "roles"]),
    ] {
        let mut command = Command::cargo_bin("spi").expect("the binary is built");
        let output = command.args(&args).current_dir(folder.path()).output();
        let output = output.expect("it runs");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(output.status.code(), Some(0), "{args:?}\n{text}\n{said}");
    }
}

/// A system that says `said` and keeps `n`.
fn keeps(theory: &str, said: &str, verdict: &str) {
    as_expected(&format!(
        "channel c\npublic a, b, ok\n{theory}\npartial system S = new n, k, l. ({said})\nsecrecy n in S expect {verdict}\n"
    ));
}

/// Whether `left` and `right` look alike.
fn compares(theory: &str, left: &str, right: &str, verdict: &str) {
    as_expected(&format!(
        "channel c, d\npublic a, b, ok\n{theory}\npartial system S = new n, k, l. ({left})\npartial system T = new n, k, l. ({right})\nS ~ T expect {verdict}\n"
    ));
}

const GET: &str = "function f(Msg), h(Msg)\ndestructor get(f(h(x))) = x";

/// Whoever has h(n) wraps it first.
#[test]
fn what_is_within_is_wrapped_and_then_opened() {
    keeps(GET, "c<h(n)>", "attack");
    keeps(GET, "c<f(h(n))>", "attack");
    keeps(GET, "c<H(h(n))>", "holds");
}

#[test]
fn nobody_wraps_in_a_private_function() {
    let private = &GET.replace(
        "function f(Msg), h(Msg)",
        "function h(Msg)\nprivate function f(Msg)",
    );
    keeps(private, "c<h(n)>", "holds");
    keeps(private, "c<f(h(n))>", "attack");
}

const LOCK: &str = "function e(Msg, Msg)\ndestructor de(e(x, y), y) = x";

#[test]
fn what_is_named_twice_is_the_same_twice() {
    keeps(LOCK, "c<e(n, k)>. c<l>", "holds");
    keeps(LOCK, "c<e(n, k)>. c<k>", "attack");
    keeps(LOCK, "c<k>. c<e(n, k)>", "attack");
    let twice = "private function m(Msg, Msg, Msg)\ndestructor dm(m(x, y, y)) = x";
    keeps(twice, "c<m(n, k, l)>", "holds");
    keeps(twice, "c<m(n, k, k)>", "attack");
    keeps(twice, "c(y, z). c<m(n, y, (z, k))>", "holds");
    keeps(twice, "c(y, z). c<m(n, y, (z, a))>", "attack");
}

/// The attacker chooses what it sends so that the rule fits.
#[test]
fn what_fits_for_some_messages_is_opened_for_these() {
    let rule = "function e(Msg, Msg), h(Msg)\ndestructor dh(e(x, h(y)), y) = x";
    keeps(rule, "c(z). c<e(n, z)>", "attack");
    keeps(rule, "c(z). [z is k] c<e(n, z)>", "holds");
    keeps(rule, "c<h(k)>. c(z). [z is h(k)] c<e(n, z)>", "holds");
    // Its contents are needed only to open another.
    keeps(rule, "c(z). c<e(k, z)>. c<e(n, h(k))>", "attack");
}

#[test]
fn two_that_go_together_are_opened_together() {
    let rule =
        "function e(Msg, Msg)\nprivate function v(Msg, Msg)\ndestructor lk(e(x, y), v(y, z)) = x";
    keeps(rule, "c<e(n, k)>. c<v(k, l)>", "attack");
    keeps(rule, "c<v(k, l)>. c<e(n, k)>", "attack");
    keeps(rule, "c<e(n, k)>. c<v(l, k)>", "holds");
    keeps(rule, "c<e(n, k)>. c<k>", "holds");
    let public = &rule.replace("private function v", "function v");
    keeps(public, "c<e(n, k)>. c<k>", "attack");
}

#[test]
fn constants_of_a_rule_are_themselves() {
    let rule =
        "private function tg(Msg, Msg)\ndestructor ut(tg(a, x)) = x\ndestructor ut(tg(b, x)) = ok";
    keeps(rule, "c<tg(a, n)>", "attack");
    keeps(rule, "c<tg(b, n)>", "holds");
    keeps(rule, "c(z). c<tg(z, n)>", "attack");
    keeps(rule, "c(z). [z is b] c<tg(z, n)>", "holds");
    keeps(rule, "c(z). [z is a] 0 else c<tg(z, n)>", "holds");
}

#[test]
fn a_pair_in_a_rule_is_a_pair() {
    let rule = "function q(Msg, Msg)\ndestructor lq(q((x, y), z), z) = y";
    keeps(rule, "c<q((a, n), k)>. c<k>", "attack");
    keeps(rule, "c<q(n, k)>. c<k>", "holds");
    // The pair may have been put together from what was heard.
    let wrapped = "function q(Msg)\nprivate function v(Msg)\ndestructor lq(q((v(x), y)), y) = x";
    keeps(wrapped, "c<v(n)>", "attack");
}

/// `f(ok)` is the result for whatever `g(x)`.
#[test]
fn what_a_rule_gives_to_everybody_need_not_be_composed() {
    let rule = "private function f(Msg), g(Msg)\ndestructor d(g(x)) = f(ok)";
    keeps(rule, "c<g(k)>. c(=f(ok)). c<n>", "attack");
    keeps(rule, "c<k>. c(=f(ok)). c<n>", "holds");
}

/// The public part of a member of a family is everybody's, the member is not.
#[test]
fn a_part_of_a_pair_fits_a_rule_without_the_whole() {
    for rule in ["rd(sg(x, y-), y+) = x", "rd(y+, sg(x, y-)) = x"] {
        for (key, verdict) in [("K(A)", "attack"), ("L(A)", "attack"), ("k", "holds")] {
            as_expected(&format!(
                "agent A, B\nspy C\nchannel c\nkeypair K(Agent), L(Agent)\nfunction sg(Msg, Msg)\ndestructor {rule}\n\
                 partial system S = new n, k. c<sg(n, {key}-)>\nsecrecy n in S expect {verdict}\n"
            ));
        }
    }
}

#[test]
fn applied_inside_terms_a_failing_destructor_stops_the_thread() {
    keeps(LOCK, "c(z). c<n, de(z, k)>", "holds");
    keeps(LOCK, "c<e(l, k)>. c(z). c<n, de(z, k)>", "attack");
    keeps(LOCK, "c(z). [de(z, k) is a] 0 else c<n>", "attack");
    keeps(LOCK, "c(z). let y = de(de(z, k), l) in c<n>", "holds");
    keeps(
        LOCK,
        "c<e(e(a, l), k)>. c(z). let y = de(de(z, k), l) in c<n>",
        "attack",
    );
}

const OPEN: &str = "private function co(Msg, Msg)\ndestructor has(co(x, y), x) = ok";

/// Nothing comes out, but that the rule fits is seen.
#[test]
fn that_a_rule_fits_is_seen() {
    compares(OPEN, "c<co(a, k)>. c<l>", "c<co(b, k)>. c<l>", "attack");
    compares(OPEN, "c<co(l, k)>. c<n>", "c<co(n, k)>. c<k>", "holds");
    compares(OPEN, "c<co(l, k)>. c<n>", "c<co(a, k)>. c<n>", "attack");
    compares(OPEN, "c<l>. c<co(l, k)>", "c<n>. c<co(k, k)>", "attack");
    compares(
        OPEN,
        "c<co(n, k)>. c(z). c<l>",
        "c<co(n, k)>. c(z). c<n>",
        "attack",
    );
}

#[test]
fn what_comes_out_is_looked_at() {
    compares(
        LOCK,
        "c<e((n, a), k)>. c<k>",
        "c<e((n, b), k)>. c<k>",
        "attack",
    );
    compares(
        LOCK,
        "c<e(n, k)>. c<k>. c<l>",
        "c<e(n, k)>. c<k>. c<n>",
        "attack",
    );
    compares(
        LOCK,
        "c<e(n, k)>. c<k>. c<l>",
        "c<e(l, k)>. c<k>. c<H(n)>",
        "holds",
    );
}

/// What everybody has is not 0 because it is no news.
#[test]
fn what_a_test_gives_is_what_its_rule_says() {
    let rule = "function m(Msg, Msg)\ndestructor eq(m(x, x)) = ok";
    compares(rule, "c<m(n, n)>. c<k>", "c<m(k, k)>. c<k, l>", "attack");
    compares(
        rule,
        "c<m(n, n)>. c<m(k, k)>",
        "c<m(k, k)>. c<m(n, n)>",
        "holds",
    );
    compares(rule, "c<m(n, n)> | d<k>", "c<m(n, n)> | d<H(k)>", "holds");
    compares(rule, "c<m(n, n)> | d<k>", "c<m(n, k)> | d<k>", "attack");
    let form = "private function w(Msg)\nfunction f(Msg)\ndestructor dw(f(w(x))) = w(x)";
    compares(form, "c<w(n)> | d<k>", "c<w(H(n))> | d<k>", "holds");
    compares(form, "c<w(n)> | d<k>", "c<n> | d<k>", "attack");
}

/// The environment sees the destructor, not its rule.
#[test]
fn it_is_not_seen_by_which_rule_a_destructor_succeeds() {
    let rules =
        "private function tg(Msg, Msg)\ndestructor ut(tg(a, x)) = x\ndestructor ut(tg(b, x)) = x";
    compares(rules, "c<tg(a, n)> | d<k>", "c<tg(b, n)> | d<k>", "holds");
    compares(rules, "c<tg(a, n)> | d<k>", "c<tg(ok, n)> | d<k>", "attack");
    let other = &rules.replace("tg(b, x)) = x", "tg(b, x)) = ok");
    compares(other, "c<tg(a, n)> | d<k>", "c<tg(b, n)> | d<k>", "attack");
    compares(other, "c<tg(a, ok)> | d<k>", "c<tg(b, n)> | d<k>", "holds");
}

/// `a` is in a rule, `b` is not: the one can't take the place of the other.
#[test]
fn names_of_rules_are_not_renamed() {
    let rule = "private function tg(Msg, Msg)\ndestructor ut(tg(a, x)) = x";
    let both = |x: &str, y: &str| {
        format!("c(z). ([z is a] c<tg({x}, n)>. c<n> else [z is b] c<tg({y}, n)>. c<n>)")
    };
    compares(rule, &both("a", "b"), &both("a", "b"), "holds");
    compares(rule, &both("a", "ok"), &both("a", "b"), "holds");
    compares(rule, &both("ok", "b"), &both("a", "b"), "attack");
    // Two channels that do the same but for the name of the rule.
    let theory = "private function tg(Msg, Msg)\ndestructor ut(tg(c, x)) = x";
    compares(
        theory,
        "c<tg(d, n)> | d<tg(d, k)>",
        "c<tg(d, n)> | d<tg(c, k)>",
        "attack",
    );
    compares(
        theory,
        "c<tg(c, n)> | d<tg(d, k)>",
        "c<tg(d, n)> | d<tg(c, k)>",
        "attack",
    );
}

/// Which parts of key pairs belong together is seen without rules; that a pair is of some form is not.
#[test]
fn the_form_of_a_key_pair_is_seen_by_a_rule_alone() {
    let theory = "private function w(Msg)\ndestructor pr(w(x), x+, x-) = ok";
    compares(
        theory,
        "c<w(k)>. c<k+>. c<k->",
        "c<w(l)>. c<k+>. c<k->",
        "attack",
    );
    compares(theory, "c<w(k)>. c<k+>", "c<w(l)>. c<k+>", "holds");
    let public = "destructor pr(x+, x-) = ok";
    compares(public, "c<k+>. c<k->", "c<k+>. c<l->", "attack");
    compares(public, "c<k+> | d<a>", "c<n> | d<a>", "holds");
}

/// A blind signature is opened by whoever can take the message out.
#[test]
fn a_result_that_follows_by_other_rules_is_admitted() {
    let theory = "function bl(Msg, Msg), sg(Msg, Msg)\ndestructor ub(sg(bl(x, y), z), y) = sg(x, z)\ndestructor rv(bl(x, y), y) = x";
    keeps(theory, "c<bl(n, k)>. c<k>", "attack");
    keeps(theory, "c<bl(n, k)>. c<l>", "holds");
    keeps(theory, "c(y). c<sg(y, k)>. c(=sg(a, k)). c<n>", "attack");
    keeps(
        theory,
        "c(=bl(a, l)). c<sg(bl(a, l), k)>. c(=sg(a, k)). c<n>",
        "holds",
    );
    keeps(
        theory,
        "c<bl(a, l), sg(bl(a, l), k)>. c(=sg(a, k)). c<n>",
        "holds",
    );
    keeps(
        theory,
        "c<l, sg(bl(a, l), k)>. c(=sg(a, k)). c<n>",
        "attack",
    );
}

/// Whoever applies a destructor need not have the function that it opens.
#[test]
fn a_test_with_a_destructor_is_replayed() {
    let theory = "private function co(Msg, Msg)\ndestructor has(co(x, y), x) = ok\ndestructor op(co(x, y), y) = x";
    let file = |said: &str, other: &str| {
        format!(
            "channel c\npublic a, b, ok\n{theory}\npartial system S = new k. {said}\npartial system T = new k. {other}\nS ~ T\n"
        )
    };
    let folder = TempDir::new().expect("a folder");
    let spi = |args: &[&str]| {
        let mut command = Command::cargo_bin("spi").expect("the binary is built");
        let output = command.args(args).current_dir(folder.path()).output();
        let output = output.expect("it runs");
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    };
    for (said, other) in [
        ("c<co(a, k)>", "c<co(b, k)>"),
        ("c<co((a, k), k)>. c<k>", "c<co((b, k), k)>. c<k>"),
    ] {
        fs::write(folder.path().join("f.spi"), file(said, other)).expect("it is written");
        let (code, text) = spi(&["check", "f.spi", "--emit-attack", "t.spi"]);
        assert_eq!(code, Some(1), "{text}");
        let (code, text) = spi(&["replay", "f.spi", "t.spi"]);
        assert_eq!(code, Some(1), "{text}");
        fs::remove_file(folder.path().join("t.spi")).expect("it is there");
    }
    // To write the function down is another matter.
    fs::write(
        folder.path().join("f.spi"),
        file("c<co(a, k)>. c<k>", "c<co(b, k)>. c<k>"),
    )
    .expect("it is written");
    let own = "channel success\nsystem Test = c(w). c(k). [w is co(a, k)] success<0>\n";
    fs::write(folder.path().join("t.spi"), own).expect("it is written");
    let (code, text) = spi(&["replay", "f.spi", "t.spi"]);
    assert_ne!(code, Some(1), "{text}");
    assert!(text.contains("does not have"), "{text}");
}

/// The trusted core applies rules as they are declared, and nothing else.
#[test]
fn the_checker_applies_rules_to_what_they_fit() {
    let store = TermStore::new();
    let name = |label| store.name(NameClass::Restricted, label, 1);
    let function = |label, args: &[TermId]| {
        let id = store.function_id(label, args.len() as u32, false);
        store.function(id, args)
    };
    let (x, y) = (store.var(RULE), store.var(RULE + 1));
    let open = store.destructor_id("open");
    let rule = term::Rule {
        destructor: open,
        premises: vec![function("seal", &[x, y]), y],
        result: x,
    };
    store.declare_rules(&[rule]).expect("it opens");
    let (n, k, l) = (name("n"), name("k"), name("l"));
    let sealed = function("seal", &[n, k]);
    assert!(Deduction::with_initial(&store, &[sealed, k]).derivable(n));
    assert!(!Deduction::with_initial(&store, &[sealed, l]).derivable(n));
    assert!(!Deduction::with_initial(&store, &[sealed]).derivable(n));
    // Whoever says so need not be right.
    let given = |t: usize| {
        Arc::new(Derivation {
            term: [sealed, k, l][t],
            rule: Rule::Given(Source::Initial(t)),
        })
    };
    let had = |source: Source| match source {
        Source::Initial(i) => [sealed, k, l].get(i).copied(),
        Source::Sent(_) => None,
    };
    let derived = |term: TermId, with: usize| {
        let args = vec![given(0), given(with)];
        let rule = Rule::Destructed {
            destructor: open,
            args,
        };
        Derivation { term, rule }.verify(&store, &had)
    };
    assert!(derived(n, 1));
    assert!(!derived(n, 2));
    assert!(!derived(l, 1));
}

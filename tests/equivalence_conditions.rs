//! Conditions of equivalence, one by one: for each a small pair of systems that gets the wrong verdict without it.
//!
//! `tests/mutants/equiv.txt` says which change breaks which condition, and which of these tests notices.

use crate::pairs;
use pairs::Systems;
use spi::engine::equiv::Way;
use std::fmt::Write as _;

const NAMES: &str = "channel c, d, e1, e2, e3, e4  public a, b  agent A, B  spy C  keypair K(Agent)  key S(Agent, Agent)";

/// The joint exploration alone gives this verdict, whichever system comes first.
fn explored(p: &str, q: &str, expected: bool) {
    for (p, q) in [(p, q), (q, p)] {
        let systems = Systems::of(NAMES, p, q);
        let answer = systems.compare(&pairs::default()).0;
        assert_eq!(answer, Some(expected), "{p}\n{q}");
    }
}

/// A system differs from those in which one of its threads comes before the others.
fn none_comes_first(system: &str, others: &[&str]) {
    for other in others {
        explored(system, other, false);
    }
}

/// A thread receives both names, in one order or the other, and goes on with the first.
fn with_either(first: &str, second: &str, then: &str) -> String {
    format!("new p. new n. new m. ( p<{first}> | p<{second}> | p(z). p(w). {then} )")
}

#[test]
fn names_of_different_threads_are_embedded_one_to_one() {
    let p = with_either("n", "m", "( c<n> | d<z> )");
    explored(&p, "new n. ( c<n> | d<n> )", false);
    explored(&p, "new n. new m. ( c<n> | d<m> )", false);
}

#[test]
fn two_threads_are_not_embedded_into_one() {
    let p = with_either("n", "m", "( c<n> | c<z> )");
    explored(&p, "new n. new m. ( c<n> | c<m> )", false);
    // The same without restricted names.
    let p = with_either("a", "b", "( c<a> | c<z> )");
    explored(&p, "( c<a> | c<b> )", false);
}

#[test]
fn a_configuration_with_other_terms_is_another() {
    let p = with_either("n", "H(n)", "c<z>. d<n>");
    explored(&p, "new n. c<n>. d<n>", false);
    explored(&p, "new n. c<H(n)>. d<n>", false);
}

#[test]
fn an_exchange_leaves_what_was_heard_as_it_is() {
    none_comes_first(
        "new n. new m. c<n>. ( d<n> | d<m> )",
        &[
            "new n. new m. c<n>. d<n>. d<m>",
            "new n. new m. c<n>. d<m>. d<n>",
        ],
    );
}

#[test]
fn an_exchange_leaves_the_other_threads_as_they_are() {
    let third = "e1(x). [x is n] e1<a>";
    none_comes_first(
        &format!("new n. new m. ( d<n> | d<m> | {third} )"),
        &[
            &format!("new n. new m. ( d<n>. d<m> | {third} )"),
            &format!("new n. new m. ( d<m>. d<n> | {third} )"),
        ],
    );
}

#[test]
fn an_exchange_done_twice_changes_nothing() {
    // The names can't go to each other: n would have to stay and to become m.
    none_comes_first(
        "new p. new n. new m. ( p<((n, m), (n, n))> | p(z). let (x, y) = z in \
         let (x1, x2) = x in let (y1, y2) = y in ( c<(x1, x2)> | c<(y1, y2)> ) )",
        &[
            "new n. new m. c<(n, m)>. c<(n, n)>",
            "new n. new m. c<(n, n)>. c<(n, m)>",
        ],
    );
}

#[test]
fn an_exchange_is_of_threads_that_do_the_same() {
    none_comes_first(
        "new n. ( c<n>. c<H(n)> | c<n>. c<(n, n)> )",
        &[
            "new n. c<n>. ( c<H(n)> | c<n>. c<(n, n)> )",
            "new n. c<n>. ( c<n>. c<H(n)> | c<(n, n)> )",
        ],
    );
    // With the same names under other operators.
    none_comes_first(
        "new p. new n. ( p<(H(n), suc(n))> | p(z). let (x, y) = z in ( c<x> | c<y> ) )",
        &["new n. c<H(n)>. c<suc(n)>", "new n. c<suc(n)>. c<H(n)>"],
    );
    // With other public names.
    none_comes_first("( c<a> | c<b> )", &["c<a>. c<b>", "c<b>. c<a>"]);
}

#[test]
fn an_exchange_of_channels_leaves_what_must_not_be_as_it_is() {
    // Whichever channel comes first, the other one can take what it showed; but x is one of the two only.
    let system = |one: &str, other: &str, shown: &str| {
        format!(
            "new n. new m. c(x). [x is e1] 0 else \
             ( e1(w). ( e1<n> | [w is m] [x is {one}] d<{shown}> ) \
             | e2(w). ( e2<m> | [w is n] [x is {other}] d<{shown}> ) )"
        )
    };
    for (one, other) in [("e1", "e2"), ("e2", "e1")] {
        explored(&system(one, other, "a"), &system(one, other, "b"), false);
    }
}

#[test]
fn two_threads_talk_to_any_of_those_who_wait() {
    explored(
        "new p. ( p<a> | p(z). c<a> | p(z). c<b> )",
        "new p. ( p<a> | p(z). c<a> )",
        false,
    );
}

#[test]
fn sides_with_other_configurations_are_not_settled() {
    // What one side has the other must have, and the other way round.
    explored("c<a>", "c<a>. c<a>", false);
    explored("new n. c<n>. d<n>", "new n. new m. c<n>. d<m>", false);
    explored(
        "new n. c<n>. c<H(n)>. d<n>",
        "new n. c<H(n)>. c<n>. d<n>",
        false,
    );
}

#[test]
fn parts_of_key_pairs_are_recognised_by_each_other() {
    explored(
        "new k. ( c<k-> | d<k+> )",
        "new k. new l. ( c<k-> | d<l+> )",
        false,
    );
    explored("c<K(A)->", "new n. c<n->", false);
}

#[test]
fn a_private_channel_is_no_channel_of_a_role() {
    let systems = Systems::of(
        NAMES,
        "new s. ( d<s> | s(x) )",
        "new s. new n. ( d<n> | s(x) )",
    );
    assert_eq!(systems.compare(&pairs::explored()).0, Some(false));
}

#[test]
fn a_difference_in_one_direction_does_not_refute_a_preorder() {
    let systems = Systems::of(NAMES, "e1(x)", "e1(x). e1<a>");
    let mut options = pairs::explored();
    assert_eq!(systems.compare(&options).0, Some(false));
    options.preorder = true;
    assert_eq!(systems.compare(&options).0, Some(true));
}

/// The causal cones give this verdict, whichever system comes first.
fn by_cones(p: &str, q: &str, expected: bool) {
    explored(p, q, expected);
    for (p, q) in [(p, q), (q, p)] {
        let (answer, stats) = Systems::of(NAMES, p, q).compare(&pairs::explored());
        assert_eq!(
            (answer, stats.way),
            (Some(expected), Way::Cones),
            "{p}\n{q}"
        );
    }
}

/// Nobody gets to the end of the thread, so it does not matter what it would send there.
fn never(system: &str) {
    by_cones(
        &system.replace("end", "e2<a>"),
        &system.replace("end", "e2<b>"),
        true,
    );
}

#[test]
fn what_fails_in_a_part_of_a_run_fails_in_the_whole() {
    never("new k. ( e1(x). [x is a] 0 else e1<{x}k> | e2(y). case y of {=a}k in end )");
}

#[test]
fn a_thread_is_on_one_branch() {
    let both = |branches: &str, wanted: &str| {
        never(&format!(
            "new n. new m. new l. ( e1(x). [x is a] {branches} | e2(y). e2(z). {wanted} end )"
        ));
    };
    both("e1<n> else e1<m>", "[y is n] [z is m]");
    both("e1<n> else e1<m>. e1<l>", "[y is n] [z is l]");
    both("e1<n> else e1<m>. e1<l>", "[y is l] [z is n]");
}

#[test]
fn an_input_takes_one_message() {
    never("new k. ( e1(x). e1<{x}k> | e2(y). e2(z). case y of {=a}k in case z of {=b}k in end )");
}

#[test]
fn what_an_input_takes_comes_before_it() {
    by_cones(
        "new n. ( e1(x). [x is n] e1<a> | e2<n> )",
        "new n. ( e1(x). [x is n] e1<b> | e2<n> )",
        false,
    );
    let waiting = "new n. ( e1(x). [x is n] e1<a> | e2<n> )";
    by_cones(waiting, waiting, true);
}

#[test]
fn a_choice_is_made_before_all_that_use_it() {
    by_cones(
        "new k. new m. ( e1(x). e1<{x}k> | e2<{m}H(k)>. e2<m> )",
        "new k. new m. ( e1(x). e1<{x}H(k)> | e2<{m}H(k)>. e2<m> )",
        false,
    );
}

#[test]
fn new_facts_lead_to_new_places() {
    by_cones(
        "new l. new n. ( e1(x). e1<{x}l> | e2(x). [x is n] e2<n> )",
        "new l. new n. ( e1(x). e1<{x}l> | e2(x). case x of {y}l in e2<y> )",
        false,
    );
}

#[test]
fn a_run_that_stays_as_it_is_keeps_its_choices() {
    by_cones(
        "new k. e1(x). e1<[{k}]x->",
        "new k. e1(x). e1<[{k}]x->. e1<a>",
        false,
    );
}

#[test]
fn a_place_is_left_out_for_the_same_place_only() {
    by_cones("new n. e1<n>. e1(x)", "new n. e1<n>. e1(x). e1<a>", false);
    by_cones(
        "new k. ( e1<k-> | e2<k+> )",
        "new k. new l. ( e1<k-> | e2<l+> )",
        false,
    );
}

#[test]
fn the_other_side_offers_the_same_on_the_same_channel() {
    by_cones("new n. e1<n>. e2(x)", "new n. e1<n>. e1(x)", false);
}

#[test]
fn an_opener_opens_its_own_kind() {
    by_cones(
        "new k. new n. ( e1<{[n]}k+> | e2<k-> )",
        "new k. new n. ( e1<[{n}]k-> | e2<k+> )",
        false,
    );
}

#[test]
fn what_is_heard_is_compared_with_other_ways_to_make_it() {
    by_cones(
        "new n. new m. ( e1(x). e1<n> | e2(x). e2<m> )",
        "new n. ( e1(x). e1<n> | e2(x). e2<n> )",
        false,
    );
    by_cones("new m. e1<m>", "e1<K(A)->", false);
    by_cones("e1<S(A, B)>", "e1<S(A, C)>", false);
}

#[test]
fn threads_that_share_a_name_are_not_interchangeable_with_those_that_do_not() {
    by_cones(
        "new k. new l. ( e1<{a}k> | e2<{a}l> | e3(x). case x of {y}l in e3<a> )",
        "new k. new l. ( e1<{a}k> | e2<{a}l> | e3(x). case x of {y}l in e3<b> )",
        false,
    );
}

#[test]
fn an_exchange_of_threads_renames_channels_alike_on_both_sides() {
    by_cones(
        "( e1(x). e2<a> | e3(x). e4<a> )",
        "( e1(x). e2<a> | e4(x). e3<a> )",
        false,
    );
}

/// The cones leave it to the exploration, which gives this verdict.
fn left_by_cones(p: &str, q: &str, expected: bool) {
    explored(p, q, expected);
    for (p, q) in [(p, q), (q, p)] {
        let (answer, stats) = Systems::of(NAMES, p, q).compare(&pairs::explored());
        assert_eq!(answer, Some(expected), "{p}\n{q}");
        assert!(stats.way != Way::Cones || stats.by_role, "{p}\n{q}");
    }
}

#[test]
fn cones_are_of_threads_with_public_channels() {
    left_by_cones("new k. k<a>. e1<a>", "new k. k<a>. e1<b>", true);
}

#[test]
fn a_thread_has_one_counterpart() {
    left_by_cones(
        "new n. new m. ( e1<a> | [n is m] e2<b> )",
        "new n. new m. e1<a>. [n is m] e2<b>",
        true,
    );
}

#[test]
fn branches_of_the_other_side_that_come_one_after_the_other_are_looked_at_or_left() {
    // Only if each of sixty messages is a the right side sends two names, and that is seen on the way of the left side only.
    let mut inputs = String::new();
    let mut right = "e1<n>. e1<m>".to_owned();
    for i in 0..60 {
        write!(inputs, "e1(x{i}). ").expect("a string takes all");
        right = format!("[x{i} is a] {right} else e1<n>. e1<n>");
    }
    let [left, right] = ["e1<n>. e1<n>", &right].map(|p| format!("new n. new m. {inputs} {p}"));
    left_by_cones(&left, &right, false);
}

#[test]
fn a_fork_comes_before_its_parts() {
    // What the second thread sends is only heard once the first has taken what the last sends.
    let system = "new n. new k. new s. ( e1(x). [x is n] (e2<H(n, k)> | e3(y). [y is H(n, k)] e3<{it}s>) | e4<n> )";
    by_cones(&system.replace("it", "a"), &system.replace("it", "b"), true);
}

#[test]
fn a_test_before_a_fork_fails_for_all_its_parts() {
    // What is `a` never gets to the parts, so they need not look again.
    let part = |c: &str, again: &str, k: &str| format!("{c}(y). [y is a] {again}{c}<{{b}}{k}>");
    let forked = |again: &str| {
        let (one, two) = (part("e2", again, "k"), part("e3", again, "s"));
        format!("new k. new s. e1(x). [x is a] 0 else ({one} | {two})")
    };
    by_cones(&forked(""), &forked("[x is a] e4<b> else "), true);
}

#[test]
fn a_part_waits_for_what_its_thread_does_before() {
    by_cones(
        "e1(x). (e4(z) | e2(y) | e3(y))",
        "e1(x). e4(z). (e2(y) | e3(y))",
        false,
    );
}

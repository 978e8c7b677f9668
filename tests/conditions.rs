//! The smallest systems for which a condition of a reduction, of the solver or of the goal matters: without it an attack would be
//! missed, or one seen that is none. Each condition is broken on purpose by `tests/mutants/run`.

use crate::support;
use spi::analysis::Settings;
use support::words;

/// It is the search that is looked at here.
fn plain() -> Settings {
    Settings {
        proofs: false,
        compare_typed: false,
        ..Settings::default()
    }
}

fn typed() -> Settings {
    Settings {
        typed: true,
        ..plain()
    }
}

/// The verdict on one claim about a system, with one agent, one spy, a public name and a channel.
fn verdict(process: &str, claim: &str, settings: &Settings) -> &'static str {
    let text = declared("", process, claim);
    words(&text, settings)[0]
}

fn declared(more: &str, process: &str, claim: &str) -> String {
    format!(
        "agent A\nspy C\nchannel c\npublic a\n{more}\npartial system S = {process}\n{claim} in S\n"
    )
}

fn is_attack(process: &str, claim: &str) {
    assert_eq!(verdict(process, claim, &plain()), "attack", "{process}");
}

fn holds(process: &str, claim: &str) {
    assert_eq!(verdict(process, claim, &plain()), "holds", "{process}");
}

/// The third example of the paper: what the attacker knows tells the two apart.
#[test]
fn an_exchange_that_the_attackers_knowledge_breaks_is_no_symmetry() {
    is_attack(
        "new k1, k2, s. ( c(x). case x of {=a}k1 in c<s> | c(x). case x of {=a}k2 in c<s> | c<k2> )",
        "secrecy s",
    );
}

/// The first two are alike but for the others. The second has to be served before the first.
#[test]
fn an_exchange_that_a_third_thread_breaks_is_no_symmetry() {
    is_attack(
        "new k1, k2, n, s. ( c(x). c<{x}k1> | c(x). c<{x}k2> \
           | c(y). case y of {z}k2 in c<n> | c(y). case y of {=n}k1 in c<s> )",
        "secrecy s",
    );
}

/// When `x` was chosen only one of the keys was there.
#[test]
fn an_exchange_that_what_was_known_earlier_breaks_is_no_symmetry() {
    is_attack(
        "new k1, k2, s. c<k1>. c(x). c<k2>. \
         ( c(y). case x of {=a}k2 in c<s> | c(y). case x of {=a}k1 in c<s> )",
        "secrecy s",
    );
}

#[test]
fn an_exchange_that_a_failed_test_breaks_is_no_symmetry() {
    is_attack(
        "new n1, n2, s. c<(n1, n2)>. c(x). [x is n1] 0 else \
         ( c(y). [x is n1] c<s> | c(y). [x is n2] c<s> )",
        "secrecy s",
    );
}

/// Whoever gets `a` gives the token; whoever gets the token marks the event. Only `F(n1)` has happened.
#[test]
fn an_exchange_that_what_has_happened_breaks_is_no_symmetry() {
    is_attack(
        "new n1, n2, t. event F(n1). \
         ( c(x). [x is a] c<t> else [x is t] event E(n2) | c(x). [x is a] c<t> else [x is t] event E(n1) )",
        "agreement E(x) => F(x)",
    );
}

#[test]
fn messages_chosen_at_different_times_are_not_interchangeable() {
    is_attack(
        "new k, s. c(x). c<k>. c(y). ( c(u). [x is k] c<s> | c(u). [y is k] c<s> )",
        "secrecy s",
    );
}

#[test]
fn a_secret_and_another_name_are_not_interchangeable() {
    is_attack(
        "new s, n, t. ( c(x). [x is a] c<t> else [x is t] c<s> | c(x). [x is a] c<t> else [x is t] c<n> )",
        "secrecy s",
    );
}

#[test]
fn threads_that_hold_a_signature_and_a_ciphertext_are_not_interchangeable() {
    is_attack(
        "new k, s. ( c<{a}k+> | let m = [{a}]k- in c(x). [x is m] c<s> | let m = {a}k+ in c(x). [x is m] c<s> )",
        "secrecy s",
    );
}

/// `{a}k` is composed once `k` is known, but `x` was chosen before.
#[test]
fn what_has_died_is_part_of_a_state_if_an_earlier_message_may_use_it() {
    is_attack(
        "new k, s. ( c(x). c<k>. c(v). [x is {a}k] c<s> | c(u). c<{a}k> )",
        "secrecy s",
    );
}

#[test]
fn when_something_was_learned_is_part_of_a_state() {
    is_attack(
        "new k, s. ( c(x). c(v). [x is k] c<s> | c(u). c<k> )",
        "secrecy s",
    );
}

/// Which of the two messages is the older one makes the difference. Whether that would be overlooked depends on how the names of the
/// state happen to be numbered, so there are many variants.
#[test]
fn when_a_message_was_chosen_is_part_of_a_state() {
    for tag in 0..100 {
        is_attack(
            &format!(
                "new k, s. ( c(x). c<k>. c(v). [(x, {tag}) is (k, v)] c<s> \
                   | c(y). c<k>. c(w). case w of {{=y}}s in c<a> )"
            ),
            "secrecy s",
        );
    }
}

#[test]
fn the_event_may_come_after_a_test_that_fails() {
    is_attack(
        "event F(a) | c(x). [x is a] 0 else event E(x)",
        "agreement E(x) => F(x)",
    );
}

#[test]
fn the_event_may_come_in_any_part_of_a_fork() {
    is_attack(
        "event F(a) | c(x). ( c<x> | event E(x) )",
        "agreement E(x) => F(x)",
    );
}

#[test]
fn the_leak_may_come_long_after_the_event() {
    is_attack("new s. event E(s). c(x). c<s>", "secrecy x after E(x)");
}

#[test]
fn a_part_of_a_fork_that_fails_takes_nothing_with_it() {
    is_attack("new k, s. c(x). ( [k is a] c<a> | c<s> )", "secrecy s");
}

#[test]
fn a_thread_that_has_marked_an_event_and_fails_takes_nothing_with_it() {
    is_attack(
        "new k, s. ( c<s> | c(x). event E(s). [k is a] c<a> )",
        "secrecy x after E(x)",
    );
}

#[test]
fn a_message_may_be_chosen_so_that_the_attacker_has_a_channel_to_speak_on() {
    is_attack(
        "new k, s. c<{a}k>. c(x). let d = {x}k in d(y). c<s>",
        "secrecy s",
    );
}

#[test]
fn an_agent_who_is_named_at_run_time_may_be_a_declared_one() {
    let text = declared(
        "def R(p: Agent) = new n. c<n>",
        "c(x: Agent). R(x)",
        "secrecy n",
    );
    assert_eq!(words(&text, &plain()), ["attack"]);
}

#[test]
fn an_event_that_came_before_for_certain_is_enough() {
    holds(
        "new n. event F(n). c(x). event E(n)",
        "agreement E(x) => F(x)",
    );
}

#[test]
fn a_message_may_be_chosen_to_be_a_spy() {
    let text = declared(
        "key K(Agent)",
        "new s. c(x: Agent). c<{s}K(x)>",
        "secrecy s",
    );
    assert_eq!(words(&text, &plain()), ["attack"]);
}

#[test]
fn a_name_of_another_type_is_not_sent_by_a_typed_attacker() {
    let process = "new q, n: Nonce, s. c<n>. ( q<n> | q(z). c(y: Sym). [z is y] c<s> )";
    assert_eq!(verdict(process, "secrecy s", &typed()), "holds");
    is_attack(process, "secrecy s");
}

#[test]
fn a_typed_attacker_may_name_any_agent() {
    let process = "new s. c(x: Agent). c<s>";
    assert_eq!(verdict(process, "secrecy s", &typed()), "attack");
}

#[test]
fn ciphertexts_open_with_the_key_that_belongs_to_the_lock() {
    holds("new k, s. ( c<k+> | c<{s}k+> )", "secrecy s");
    is_attack("new k, s. ( c<k-> | c<{s}k+> )", "secrecy s");
    is_attack("new k, s. ( c<k+> | c<[{s}]k-> )", "secrecy s");
    holds("new k, s. ( c<k-> | c<[{s}]k-> )", "secrecy s");
}

/// `x` is older than `k`, so what `y` is made of is as well.
#[test]
fn what_was_chosen_later_is_no_part_of_an_earlier_message() {
    holds(
        "new k, s. c(y). c<k>. c(x). [y is H(x)] [x is k] c<s>",
        "secrecy s",
    );
    holds("new k, s. c(x). c<k>. c(v). [x is k] c<s>", "secrecy s");
}

/// The test succeeds for `w = a`, which leads nowhere, or by opening what the third message brought.
#[test]
fn a_question_that_has_an_answer_may_have_others_by_opening_ciphertexts() {
    is_attack(
        "new k, l, s. c<H(a, l)>. c(y). c<{{a}k}H(y, l)>. c(w). c<{w}k>. c(x). [x is {a}k] [w is a] 0 else c<s>",
        "secrecy s",
    );
}

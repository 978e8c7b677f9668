//! One mechanism each: pairs whose verdict goes wrong if it is left out.

use crate::pairs;
use pairs::{Pair, agree, all_ways};

const NAMES: &str = "channel c, d  public a, b, ok";
const FAMILIES: &str = "agent A, B  spy C  channel c, d  public m1, m2, ok
    keypair K(Agent)  key S(Agent), L(Agent, Agent)";

fn check(declarations: &str, table: &[(&str, &str, &str, &str)]) {
    let pairs = table
        .iter()
        .map(|(name, verdict, left, right)| Pair::new(declarations, name, verdict, left, right));
    agree(pairs, &all_ways());
}

#[test]
fn a_private_part_is_recognised_by_its_public_part() {
    check(
        NAMES,
        &[
            (
                "pair of parts",
                "/",
                "new k. c<k+>. c<k->",
                "new k. new l. c<k+>. c<l->",
            ),
            (
                "the other order",
                "/",
                "new k. c<k->. c<k+>",
                "new k. new l. c<k->. c<l+>",
            ),
            (
                "two pairs crossed",
                "/",
                "new k. new l. c<k+>. c<l+>. c<k->",
                "new k. new l. c<k+>. c<l+>. c<l->",
            ),
            (
                "no partner",
                "=",
                "new k. new l. new m. c<k+>. c<l->",
                "new k. new l. new m. c<m+>. c<l->",
            ),
            (
                "the partner depends on a message",
                "/",
                "new k. c(x). c<(k, x)+>. c<(k, a)->",
                "new k. new l. c(x). c<(k, x)+>. c<(l, a)->",
            ),
            (
                "a partner only for another message",
                "=",
                "new k. c(x). [x is a] 0 else ( c<(k, x)+>. c<(k, a)-> )",
                "new k. new l. c(x). [x is a] 0 else ( c<(k, x)+>. c<(l, a)-> )",
            ),
        ],
    );
}

#[test]
fn how_a_ciphertext_opens_is_seen_as_well_as_with_what() {
    check(
        NAMES,
        &[
            (
                "symmetric or public-key with the same key",
                "/",
                "new k. new n. let y = k- in c<y>. c<{n}y>",
                "new k. new n. c<k->. c<{[n]}k+>",
            ),
            (
                "symmetric or signature with the same key",
                "/",
                "new k. new n. let y = k+ in c<y>. c<{n}y>",
                "new k. new n. c<k+>. c<[{n}]k->",
            ),
            (
                "unopened they are alike",
                "=",
                "new k. new n. c<{n}k>",
                "new k. new n. c<[{n}]k->",
            ),
            (
                "a pair or a number inside",
                "/",
                "new k. new n. c<k>. c<{(n, n)}k>",
                "new k. new n. c<k>. c<{suc(n)}k>",
            ),
        ],
    );
}

#[test]
fn families_follow_their_rules() {
    check(
        FAMILIES,
        &[
            (
                "a member is known by its public part",
                "/",
                "c<K(A)>",
                "c<K(B)>",
            ),
            ("and is no fresh name", "/", "c<K(A)>", "new n. c<n>"),
            ("a private part too", "/", "c<K(A)->", "c<K(B)->"),
            (
                "a private part is no fresh one",
                "/",
                "c<K(A)->",
                "new n. c<n->",
            ),
            (
                "symmetric members look like names",
                "=",
                "c<S(A)>",
                "c<S(B)>",
            ),
            (
                "a spy's member is the attacker's",
                "/",
                "c<S(C)>",
                "c<S(A)>",
            ),
            (
                "a spy's member opens",
                "/",
                "c<{m1}L(A, C)>",
                "c<{m2}L(A, C)>",
            ),
            (
                "an honest one does not",
                "=",
                "c<{m1}L(A, B)>",
                "c<{m2}L(A, B)>",
            ),
            (
                "the spy may be chosen at run time",
                "/",
                "c(x). c<{m1}S(x)>",
                "c(x). c<{m2}S(x)>",
            ),
            (
                "unless it is excluded",
                "=",
                "c(x). [x is C] 0 else ( c<{m1}S(x)> )",
                "c(x). [x is C] 0 else ( c<{m2}S(x)> )",
            ),
            (
                "the arguments of a spy's member must be known",
                "=",
                "new n. c<{m1}L(n, C)>",
                "new n. c<{m2}L(n, C)>",
            ),
            (
                "learning the argument opens it",
                "/",
                "new n. c<{m1}L(n, C)>. c<n>",
                "new n. c<{m2}L(n, C)>. c<n>",
            ),
            (
                "who has a member has its public part",
                "/",
                "new n. c<K(n)>. c<K(n)+>",
                "new n. new m. c<K(n)>. c<K(m)+>",
            ),
            (
                "and opens signatures with it",
                "/",
                "new n. c<K(n)>. c<[{m1}]K(n)->",
                "new n. c<K(n)>. c<[{m2}]K(n)->",
            ),
            (
                "a public part hides its argument",
                "=",
                "new n. new m. c<K(n)+>. c<m>",
                "new n. new m. c<K(n)+>. c<K(m)+>",
            ),
            (
                "until the argument is learned",
                "/",
                "new n. new m. c<K(n)+>. c<m>",
                "new n. new m. c<K(n)+>. c<n>",
            ),
            (
                "encryption for an honest agent",
                "=",
                "new r. c<{m1, r}K(A)+>",
                "new r. c<{m2, r}K(A)+>",
            ),
            (
                "deterministic encryption is guessed",
                "/",
                "c<{m1}K(A)+>",
                "c<{m2}K(A)+>",
            ),
            (
                "encryption for the spy",
                "/",
                "new r. c<{m1, r}K(C)+>",
                "new r. c<{m2, r}K(C)+>",
            ),
        ],
    );
}

#[test]
fn initial_knowledge_counts() {
    let known = "channel c  public m1, m2  private k, l  knows k, {l}k";
    check(
        known,
        &[
            ("a known key opens", "/", "c<{m1}k>", "c<{m2}k>"),
            ("so does what it opened", "/", "c<{m1}l>", "c<{m2}l>"),
            ("private names are not fresh", "/", "c<l>", "new n. c<n>"),
        ],
    );
    let unknown = "channel c  public m1, m2  private k, l  knows {l}k";
    check(
        unknown,
        &[
            ("a sealed key does not", "=", "c<{m1}l>", "c<{m2}l>"),
            ("sending it again is seen", "/", "c<{l}k>", "c<{k}l>"),
            (
                "the key opens it late",
                "/",
                "c<{m1}l>. c<k>",
                "c<{m2}l>. c<k>",
            ),
        ],
    );
}

#[test]
fn the_public_part_of_a_member_can_be_older_than_the_member() {
    // The environment makes Ks+ first and learns Ks later: what it sent may be the public part of what it sends now.
    let single = "channel c, d  public ok  keypair Ks";
    check(
        single,
        &[
            (
                "the tests in one order",
                "/",
                "c(x). c<Ks>. c(y). [x is y+] [y is Ks] d<ok>",
                "c(x). c<Ks>. c(y)",
            ),
            (
                "the tests in the other order",
                "/",
                "c(x). c<Ks>. c(y). [y is Ks] [x is y+] d<ok>",
                "c(x). c<Ks>. c(y)",
            ),
            (
                "both orders are the same",
                "=",
                "c(x). c<Ks>. c(y). [x is y+] [y is Ks] d<ok>",
                "c(x). c<Ks>. c(y). [y is Ks] [x is y+] d<ok>",
            ),
            (
                "a signature checked with a received key",
                "/",
                "c(k). c<Ks>. c(x). case x of [{y}]k in [k is Ks+] d<ok>",
                "c(k). c<Ks>. c(x)",
            ),
            (
                "inside other operators",
                "/",
                "c(x). c<Ks>. c(y). [x is {ok}H(y+)] [y is Ks] d<ok>",
                "c(x). c<Ks>. c(y)",
            ),
        ],
    );
    check(
        FAMILIES,
        &[(
            "a family with arguments",
            "/",
            "c(x). c<K(A)>. c(y). [x is (y+, ok)] [y is K(A)] d<ok>",
            "c(x). c<K(A)>. c(y)",
        )],
    );
}

#[test]
fn what_can_be_made_by_now_had_to_be_heard_then() {
    // x was sent when H(n) was heard and n was not.
    let system = |last: &str| format!("new n. c<H(n)>. c(x). c<n>. c(y). [x is H(n)] c<{last}>");
    check(
        NAMES,
        &[
            ("another answer", "/", &system("a"), &system("b")),
            ("the same answer", "=", &system("a"), &system("a")),
        ],
    );
}

#[test]
fn the_public_part_of_a_symmetric_key_has_no_recipe_of_its_own() {
    check(
        FAMILIES,
        &[
            (
                "made from the spy's key",
                "/",
                "c(x). [x is S(C)+] d<ok>",
                "c(x)",
            ),
            ("heard", "/", "c<S(C)+>", "c<ok>"),
        ],
    );
}

#[test]
fn public_names_are_renamed_in_both_sides_at_once() {
    check(
        NAMES,
        &[
            (
                "the other side breaks the symmetry of channels",
                "/",
                "( c(x). [x is a] c<ok> | d(x). [x is a] d<ok> )",
                "( c(x). [x is a] c<ok> | d(x). [x is b] d<ok> )",
            ),
            (
                "two channels exchanged",
                "=",
                "( c(x). c<a> | d(x). d<b> )",
                "( d(x). d<b> | c(x). c<a> )",
            ),
            (
                "the answers exchanged",
                "/",
                "( c(x). c<a> | d(x). d<b> )",
                "( c(x). c<b> | d(x). d<a> )",
            ),
            (
                "a third thread knows one of the channels",
                "/",
                "new k. ( c(x). c<{x}k> | d(x). d<{x}k> | c<k> )",
                "new k. ( c(x). c<{x}k> | d(x). d<{x}k> | d<k> )",
            ),
            (
                "a channel is also a message",
                "/",
                "( c(x). [x is c] c<ok> | d(x). [x is d] d<ok> )",
                "( c(x). [x is d] c<ok> | d(x). [x is c] d<ok> )",
            ),
            (
                "a channel that was received",
                "/",
                "c(x). ( x<a> | d<b> )",
                "c(x). ( x<b> | d<a> )",
            ),
        ],
    );
    check(
        FAMILIES,
        &[
            (
                "honest agents are alike",
                "=",
                "( c<{m1}S(A)> | c<{m1}S(B)> )",
                "( c<{m2}S(A)> | c<{m2}S(B)> )",
            ),
            (
                "a spy is not",
                "/",
                "( c<{m1}S(A)> | c<{m1}S(C)> )",
                "( c<{m1}S(A)> | c<{m2}S(C)> )",
            ),
            (
                "the order of agents in a key",
                "/",
                "c<{m1}L(A, B)>. c<{m1}L(A, B)>",
                "c<{m1}L(A, B)>. c<{m1}L(B, A)>",
            ),
        ],
    );
}

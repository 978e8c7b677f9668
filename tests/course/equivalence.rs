//! Exercises of kind `equivalence`: claims that answer nothing, tests that are none.

use super::{grade, right, text, wrong};

#[test]
fn answers_that_are_wrong() {
    let table = [
        (
            "eq-handshake",
            "Handshake(m1) ~ Handshake(m2)",
            "a test tells them apart",
            "the hash function",
        ),
        (
            "eq-handshake",
            "def Test = c(x). event passed",
            "both pass it",
            "the same in both systems",
        ),
        (
            "eq-handshake",
            "def Test = c(x). [x is m1] event passed",
            "neither passes it",
            "asks for too much",
        ),
        (
            "eq-handshake",
            "public m3",
            "neither a claim nor a test",
            "event passed",
        ),
        (
            "eq-salted",
            "def Test = c(x). c<x>. c(y). [y is H(m1)] event passed",
            "neither passes it",
            "perhaps no test exists",
        ),
        (
            "eq-payload",
            "Payload(m1) ~ Payload(m2)",
            "a test tells them apart",
            "C has a session with A",
        ),
        (
            "eq-payload",
            "def Test = net(x). case x of {na: Nonce, =A}K(A)- in event passed",
            "it uses the secret key K(A)",
            "A test knows what the attacker knows",
        ),
    ];
    wrong(&table);
}

#[test]
fn claims_that_answer_another_question() {
    wrong(&[
        (
            "eq-salted",
            "Handshake(m1) ~ Handshake(m1)",
            "is another claim",
            "true for other reasons",
        ),
        (
            "eq-handshake",
            "Handshake(m1) ~ Handshake(m1)",
            "is another claim",
            "the question is `Handshake(m1) ~ Handshake(m2)`",
        ),
        (
            "eq-salted",
            "Handshake(m1) <= Handshake(m2)",
            "is another claim",
            "Decide whether",
        ),
        (
            "eq-salted",
            "Handshake(m1) ~ Handshake(m2) expect attack",
            "says that a test tells the two apart",
            "Hand in the test",
        ),
        (
            "eq-salted",
            "public m3 Handshake(m1) ~ Handshake(m2)",
            "`public m3` is not in the exercise",
            "the systems of the exercise",
        ),
        // The skeleton as it is.
        (
            "eq-salted",
            &text("eq-salted.spi"),
            "is another claim",
            "claim it, or hand in a test",
        ),
    ]);
    // A system of one's own, and a name of nobody.
    for own in [
        "system Handshake(M) = c<0>\nHandshake(m1) ~ Handshake(m2)",
        "Handshake(M) ~ Handshake(M)",
    ] {
        let (code, document) = grade("eq-salted", own);
        assert!(code == Some(1) || code == Some(2), "{own}: {document:#}");
    }
    let whole = format!("{}\nHandshake(m1) ~ Handshake(m2)\n", text("eq-salted.spi"));
    right(&[
        ("eq-salted", "Handshake(m2) ~ Handshake(m1) expect holds"),
        ("eq-salted", &whole),
    ]);
}

#[test]
fn tests_that_are_none() {
    let no_test = "the test can be run";
    wrong(&[
        (
            "eq-handshake",
            "def Test = c(x). c<x>. c(=H(m1)). 0",
            "it never marks `event passed`",
            "Put `event passed` where",
        ),
        (
            "eq-handshake",
            "def Test = c(x). c<x>. c(=H(m1)). event Passed",
            "it never marks `event passed`",
            "in small letters",
        ),
        (
            "eq-handshake",
            "def Test(k) = c(x). c<x>. c(=H(m1)). event passed",
            "`Test` has parameters",
            "makes its own names",
        ),
        (
            "eq-handshake",
            "def Try = c(x). c<x>. c(=H(m1)). event passed",
            no_test,
            "`def Test = ..`",
        ),
        // Names do not make keys: the test opens what is sealed for A.
        (
            "eq-payload",
            "def Test =
               net(x). case x of {na, =A}K(C)- in
               net<{na, A}K(B)+>.
               net(y). let C = A in case y of {=na, nb}K(C)- in
               net<{nb}K(B)+>.
               net(w). case w of {=m1}nb in event passed",
            "it uses the secret key K(A)",
            "A test knows what the attacker knows",
        ),
        // A role of the model has keys that the test has not.
        (
            "eq-payload",
            "def Test = Init(A, B) | net(x). event passed",
            "it uses the secret key K(A)",
            "from the messages of the systems",
        ),
    ]);
}

#[test]
fn tests_in_other_clothes_pass() {
    right(&[
        // As spi writes them.
        (
            "eq-handshake",
            "channel success\nsystem Test = c(w1). [w1 is H(m1)] success<0>",
        ),
        // In two definitions.
        (
            "eq-handshake",
            "def Test = c(x). c<x>. c(y). Cmp(y)\ndef Cmp(y) = [y is H(m1)] event passed",
        ),
        // With a name for the spy.
        (
            "eq-payload",
            "def Test =
               let me = C in
               net(x). case x of {na: Nonce, =A}K(me)- in
               net<{na, A}K(B)+>. net(y). net<y>.
               net(z). case z of {nb: Nonce}K(me)- in
               net<{nb}K(B)+>.
               net(w). case w of {=m1}nb in event passed",
        ),
    ]);
}

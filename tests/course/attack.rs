//! Exercises of kind `attack`: processes and narrations.

use super::{grade, right, wrong};

#[test]
fn processes_that_are_no_attack() {
    let table = [
        // It hears everything and understands nothing.
        (
            "ns-attack",
            "channel leak system Attack = net(x). leak<x>",
            "the claim stands",
            "what must the attacker know",
        ),
        // A key it does not have.
        (
            "ns-attack",
            "channel leak system Attack = net(x). case x of {na: Nonce, =A}K(B)- in leak<na>",
            "uses only what the attacker has",
            "the keys of the spy",
        ),
        // Message 2 is not for C.
        (
            "ns-attack",
            "channel leak system Attack =
               net(x). case x of {na: Nonce, =A}K(C)- in
               net<{na, A}K(B)+>. net(y). case y of {=na, nb: Nonce}K(C)- in leak<nb>",
            "it runs to its end",
            "Let A open message 2 for you",
        ),
        // B refuses a message with the wrong name.
        (
            "ns-attack",
            "channel leak system Attack =
               net(x). case x of {na: Nonce, =A}K(C)- in
               net<{na, C}K(B)+>. net(y). net<y>. net(z). case z of {nb: Nonce}K(C)- in leak<nb>",
            "it runs to its end",
            "what does each of them compare",
        ),
        // Lowe's attack does not work where nobody starts a session with C.
        (
            "ns-break",
            "channel leak system Attack =
               net(x). case x of {=A, na: Nonce}K(C)- in net<{A, na}K(B)+>. net(y). leak<y>",
            "it runs to its end",
            "nobody starts anything but you",
        ),
    ];
    wrong(&table);
}

#[test]
fn who_only_listens_has_told_nothing() {
    // The secret is on the wire, for A; the attack ends before A has answered, or before it has read the answer.
    wrong(&[
        (
            "ns-attack",
            "channel leak system Attack =
               net(x). case x of {na: Nonce, =A}K(C)- in net<{na, A}K(B)+>. net(y). net<y>",
            "the claim stands",
            "a process must tell it",
        ),
        (
            "ns-attack",
            "channel leak system Attack =
               net(x). case x of {na: Nonce, =A}K(C)- in net<{na, A}K(B)+>. net(y). net<y>. leak<na>",
            "the claim stands",
            "on a channel of its own such as `leak`",
        ),
    ]);
}

#[test]
fn attacks_as_narrations() {
    // As `spi check` tells it, remarks and all.
    let lowe = "A in Init(A, C), B in Resp(B, A); C(A) is the spy C in the place of A
        1. A    -> C    : {Na, A}K(C)+
                          C decrypts it with K(C)-, learns Na
        2. C(A) -> B    : {Na, A}K(B)+
        3. B    -> C(A) : {Na, Nb}K(A)+
        4. C    -> A    : {Na, Nb}K(A)+
        5. A    -> C    : {Nb}K(C)+";
    let (code, document) = grade("ns-attack", lowe);
    assert_eq!(code, Some(0), "{document:#}");
    // In the other exercise the nonce is one that C chooses to be its own name.
    let flaw = "1. C(A) -> B : {A, C}K(B)+
        2. B -> C(A) : {C, Nb, B}K(A)+
        3. C -> A : {C, Nb, B}K(A)+
        4. A -> C : {(Nb, B), N2, A}K(C)+";
    let (code, document) = grade("ns-break", flaw);
    assert_eq!(code, Some(0), "{document:#}");
    // No narration at all.
    let (code, _) = grade("ns-attack", "A -> C {Na, A}K(C)+");
    assert_eq!(code, Some(2));
}

#[test]
fn narrations_of_all_kinds_pass() {
    let lines = "1.1 A -> C : {Na, A}K(C)+
        2.1 C(A) -> B : {Na, A}K(B)+
        2.2 B -> C(A) : {Na, Nb}K(A)+
        1.2 C -> A : {Na, Nb}K(A)+
        1.3 A -> C : {Nb}K(C)+";
    let whole = format!("{lines}\n        2.3 C(A) -> B : {{Nb}}K(B)+");
    right(&[
        ("ns-attack", lines),
        ("ns-attack", &whole),
        // With B's answer handed on at once, other names, and arrows from a text processor.
        (
            "ns-attack",
            "A → C : {N1, A}K(C)+\nC(A) → B : {N1, A}K(B)+\nB → A : {N1, N2}K(A)+\nA → C : {N2}K(C)+",
        ),
        // A name for the pair that A takes for a nonce.
        (
            "ns-break",
            "1. C(A) -> B : {A, C}K(B)+\n2. B -> A : {C, Nb, B}K(A)+\n3. A -> C : {X, N2, A}K(C)+",
        ),
    ]);
}

#[test]
fn narrations_that_are_not_true() {
    let hears = "A -> C : {Na, A}K(C)+\nC(A) -> B : {Na, A}K(B)+\n";
    let tail = |rest: &str| format!("{hears}{rest}");
    let other_answer = tail("B -> A : {A, B}K(A)+\nA -> C : {Nb}K(C)+");
    let no_answer = tail("B -> A : 0\nA -> C : {Nb}K(C)+");
    let thief = tail("B -> C(A) : {Na, Nb}K(A)+\nC(A) -> B : {Nb}K(B)+");
    let guess = tail("B -> C(A) : {Na, Nb}K(A)+\nC -> C : Nb");
    let early = tail("B -> A : {Na, Nb}K(A)+");
    let one_name = tail("B -> A : {Na, Na}K(A)+\nA -> C : {Na}K(C)+");
    let signed =
        tail("B -> C(A) : {Na, Nb}K(A)+\nC -> A : {{Na, Nb}K(A)+}K(A)-\nA -> C : {Nb}K(C)+");
    wrong(&[
        (
            "ns-attack",
            &other_answer,
            "in line 3, B sends {Na, Nb}K(A)+, not {A, B}K(A)+",
            "Look at line 3 of your narration",
        ),
        (
            "ns-attack",
            &no_answer,
            "in line 3, B sends",
            "follows from its definition",
        ),
        // Everybody is somebody else.
        (
            "ns-attack",
            "B -> C : {Na, A}K(C)+\nC(A) -> A : {Na, A}K(B)+\nA -> B : {Na, Nb}K(A)+",
            "in line 1, B does not send anything",
            "when its turn has come",
        ),
        // What is sealed for A is not open to C.
        (
            "ns-attack",
            &thief,
            "the spy does not have Nb in line 4",
            "what it receives",
        ),
        (
            "ns-attack",
            &guess,
            "the spy does not have Nb in line 4",
            "Get what is missing",
        ),
        (
            "ns-attack",
            &signed,
            "the spy does not have K(A)- in line 4",
            "the keys of the spy",
        ),
        (
            "ns-attack",
            "A -> C(B) : {Na, A}K(B)+\nC -> A : {Na, A}K(C)+",
            "the spy does not have Na in line 2",
            "Let A open message 2",
        ),
        (
            "ns-break",
            "C(A) -> B : {A, C}K(B)+\nB -> C(A) : {C, Nb, B}K(A)+\nC -> C : Nb",
            "the spy does not have Nb in line 3",
            "Choose the nonce",
        ),
        // B answers before it is asked.
        (
            "ns-attack",
            "A -> C : {Na, A}K(C)+\nB -> C(A) : {Na, Nb}K(A)+\nC(A) -> B : {Na, A}K(B)+",
            "in line 2, B does not send anything",
            "it has received what comes before",
        ),
        // B compares the name.
        (
            "ns-attack",
            "A -> C : {Na, A}K(C)+\nC -> B : {Na, C}K(B)+",
            "in line 2, B does not accept {Na, C}K(B)+",
            "what does each of them compare",
        ),
        // Two nonces are not one.
        (
            "ns-attack",
            &one_name,
            "in line 3, B sends",
            "what would it send next",
        ),
        // The secret has not got to C yet.
        (
            "ns-attack",
            &early,
            "the claim stands",
            "in a message that it can open",
        ),
        (
            "ns-break",
            "C(A) -> B : {A, C}K(B)+\nB -> A : {C, Nb, B}K(A)+",
            "the claim stands",
            "what must the attacker know",
        ),
    ]);
}

#[test]
fn mistakes_in_a_narration_have_their_line() {
    let table = [
        (
            "A -> C : {Na, A}K(C)+\nC(A) -> B : {Na, A}Kb+",
            "`Kb` is no key of the model",
            2,
        ),
        ("A -> E : {Na, A}K(E)+", "`E` is no agent of the model", 1),
        ("a remark\n\nA -> C : {Na, A", "is no message", 3),
    ];
    for (own, message, line) in table {
        let (code, document) = grade("ns-attack", own);
        assert_eq!(code, Some(2), "{own}: {document:#}");
        let mistake = &document["mistakes"][0];
        let found = mistake["message"].as_str().expect("a message");
        assert!(found.contains(message), "{document:#}");
        assert_eq!(mistake["line"], line, "{document:#}");
    }
    let (code, document) = grade("ns-attack", "  \n");
    assert_eq!(code, Some(2));
    assert!(document.to_string().contains("a narration"), "{document:#}");
}

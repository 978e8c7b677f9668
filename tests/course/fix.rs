//! Exercises of kind `fix`: repairs that are none, and repairs that look different.

use super::{fault, grade, text};
use serde_json::Value;

/// A wrong attempt: what is changed in a text, what is wrong with it, and words of the hints.
struct Attempt {
    name: &'static str,
    change: &'static [(&'static str, &'static str)],
    /// Words of the first check that fails, with its detail.
    fault: &'static str,
    hint: &'static str,
}

fn attempts(exercise: &str, from: &str, list: &[Attempt]) {
    for attempt in list {
        let mut own = text(from);
        for (old, new) in attempt.change {
            assert!(own.contains(old), "{}: no `{old}`", attempt.name);
            own = own.replace(old, new);
        }
        let (code, document) = grade(exercise, &own);
        let shown = format!("{}: {document:#}", attempt.name);
        assert_eq!(document["verdict"], "not passed", "{shown}");
        assert_eq!(code, Some(1), "{shown}");
        let fault = fault(&document);
        assert!(fault.contains(attempt.fault), "{fault}\n{shown}");
        let hints = document["hints"].as_array().expect("hints");
        assert_eq!(hints.len(), 3, "{shown}");
        let all: Vec<&str> = hints.iter().filter_map(Value::as_str).collect();
        assert!(all.join("\n").contains(attempt.hint), "{shown}");
    }
}

#[test]
fn repairing_needham_schroeder() {
    let attempts_ = [
        Attempt {
            name: "nothing changed",
            change: &[],
            fault: "attack (man in the middle)",
            hint: "who made it or whom it is for",
        },
        Attempt {
            name: "the wrong name in message 2",
            change: &[
                ("{=Na, nb: Nonce}K(a)- in", "{=Na, nb: Nonce, =a}K(a)- in"),
                ("net<{na, Nb}K(a)+>", "net<{na, Nb, a}K(a)+>"),
            ],
            fault: "attack (man in the middle)",
            hint: "accepts",
        },
        Attempt {
            name: "the name outside the encryption",
            change: &[
                (
                    "net(x). case x of {=Na, nb: Nonce}K(a)- in",
                    "net(=b, {=Na, nb: Nonce}K(a)-).",
                ),
                ("net<{na, Nb}K(a)+>", "net<b, {na, Nb}K(a)+>"),
            ],
            fault: "attack (man in the middle)",
            hint: "under the encryption",
        },
        Attempt {
            name: "the name sent, but not compared",
            change: &[
                ("{=Na, nb: Nonce}K(a)- in", "{=Na, nb: Nonce, _}K(a)- in"),
                ("net<{na, Nb}K(a)+>", "net<{na, Nb, b}K(a)+>"),
            ],
            fault: "attack (man in the middle)",
            hint: "let the receiver compare",
        },
        Attempt {
            name: "a name in message 3",
            change: &[
                ("net<{nb}K(b)+>", "net<{nb, a}K(b)+>"),
                ("{=Nb}K(b)-", "{=Nb, =a}K(b)-"),
            ],
            fault: "attack (man in the middle)",
            hint: "Message 2",
        },
        Attempt {
            name: "the repair with the name first in message 1",
            change: &[
                ("{Na, a}K(b)+", "{a, Na}K(b)+"),
                ("{na: Nonce, =a}K(b)-", "{=a, na: Nonce}K(b)-"),
                ("{=Na, nb: Nonce}K(a)- in", "{=Na, nb: Nonce, =b}K(a)- in"),
                ("net<{na, Nb}K(a)+>", "net<{na, Nb, b}K(a)+>"),
            ],
            fault: "type flaw",
            hint: "Make the shapes differ",
        },
        Attempt {
            name: "only one end changed",
            change: &[("{=Na, nb: Nonce}K(a)- in", "{=Na, nb: Nonce, =b}K(a)- in")],
            fault: "the honest run does not reach",
            hint: "change both ends",
        },
        Attempt {
            name: "a claim deleted",
            change: &[("secrecy Nb in NS expect attack\n", "")],
            fault: "`secrecy Nb in NS` is gone",
            hint: "no repair",
        },
        Attempt {
            name: "a claim weakened",
            change: &[(
                "injective agreement Done(b, a, n)",
                "aliveness Done(b, a, n)",
            )],
            fault: "became `aliveness",
            hint: "a weaker claim is no repair",
        },
        Attempt {
            name: "a claim with less in it",
            change: &[(
                "agreement Done(b, a, n) => Running(a, b, n)",
                "agreement Done(b, a, n) => Running(a, _, n)",
            )],
            fault: "is gone or changed",
            hint: "Put `injective agreement Done",
        },
        Attempt {
            name: "the session with the spy left out",
            change: &[(
                "Init(A, B) | Init(A, C) | Resp(B, A)",
                "Init(A, B) | Resp(B, A)",
            )],
            fault: "is gone or changed",
            hint: "not by another world",
        },
        Attempt {
            name: "the spy made honest",
            change: &[("agent A, B\nspy C", "agent A, B, C")],
            fault: "is gone or changed",
            hint: "Take the declarations",
        },
        Attempt {
            name: "a key that nobody gave them",
            change: &[
                ("keypair K(Agent)", "keypair K(Agent)\nkey L(Agent, Agent)"),
                ("net<{na, Nb}K(a)+>", "net<{{na, Nb}L(a, b)}K(a)+>"),
                (
                    "{=Na, nb: Nonce}K(a)- in",
                    "{{=Na, nb: Nonce}L(a, b)}K(a)- in",
                ),
            ],
            fault: "`key L(Agent, Agent)` is not in the exercise",
            hint: "Take the declarations",
        },
        Attempt {
            name: "the partner's private key",
            change: &[
                ("net<{nb}K(b)+>", "net<{{nb}K(b)-}K(b)+>"),
                ("{=Nb}K(b)- in", "{{=Nb}K(b)+}K(b)- in"),
            ],
            fault: "`Init` uses the secret key K(b)",
            hint: "Nobody but its owner",
        },
        Attempt {
            name: "an event that says what one would like",
            change: &[("event Running(a, b, Na)", "event Running(a, B, Na)")],
            fault: "`Init` no longer marks `Running`",
            hint: "with the same arguments",
        },
        Attempt {
            name: "an event marked more often",
            change: &[(
                "event Running(a, b, Na).",
                "event Running(a, b, Na).\n  event Running(a, B, Na).",
            )],
            fault: "at other places as well",
            hint: "The claims are about these events",
        },
        Attempt {
            name: "an event left out",
            change: &[("{=Nb}K(b)- in", "{=Nb}K(b)- in [a is b]")],
            fault: "the honest run does not reach Done(B,A,Na)",
            hint: "spi run",
        },
    ];
    attempts("ns-repair", "ns-repair.spi", &attempts_);
}

#[test]
fn a_hint_names_the_event_that_has_no_match() {
    // Nothing is secret here, so the first thing that fails is the agreement.
    let attempts_ = [Attempt {
        name: "the key that was made is not the one that is taken",
        change: &[
            ("{na, Kab}K(a)", "{na, b, Kab, a}K(a)"),
            ("{nb, Kab}K(b)", "{nb, a, Kab, b}K(b)"),
            (
                "net(=Na, {=Na, k: Sym}K(a))",
                "net(=Na, {n: Nonce, =b, k: Sym, =a}K(a))",
            ),
            ("forA, {=Nb, k: Sym}K(b)", "forA, {=Nb, =a, k: Sym, =b}K(b)"),
        ],
        fault: "in Twice",
        hint: "for Commit(A, B, Kab), Commit(A, B, Kab): ",
    }];
    attempts("or-repair", "or-repair.spi", &attempts_);
}

#[test]
fn tricks_are_no_repair() {
    let refusal = "the roles treat all agents alike";
    let attempts_ = [
        Attempt {
            name: "C refused before message 3",
            change: &[(
                "nb).\n  net<{nb}K(b)+>",
                "nb).\n  [b is C] 0 else\n  net<{nb}K(b)+>",
            )],
            fault: refusal,
            hint: "An agent does not know who is dishonest",
        },
        Attempt {
            name: "C refused before message 1",
            change: &[("net<{Na, a}K(b)+>", "[b is C] 0 else net<{Na, a}K(b)+>")],
            fault: refusal,
            hint: "broken by the next spy",
        },
        Attempt {
            name: "C refused by its key, under another name",
            change: &[(
                "net<{Na, a}K(b)+>",
                "let k = K(C)+ in [K(b)+ is k] 0 else net<{Na, a}K(b)+>",
            )],
            fault: "`Init` mentions C",
            hint: "in terms of its parameters",
        },
        Attempt {
            name: "nobody but B",
            change: &[("net<{Na, a}K(b)+>", "[b is B] net<{Na, a}K(b)+>")],
            fault: "`Init` mentions B",
            hint: "let the messages tell right from wrong",
        },
        Attempt {
            name: "the partner's key by way of a parameter's name",
            change: &[
                (
                    "case x of {=Na, nb: Nonce}K(a)- in",
                    "case x of {=Na, sealed}K(a)- in let you = b in let me = a in let a = you in case sealed of {nb: Nonce}K(a) in let a = me in",
                ),
                ("net<{na, Nb}K(a)+>", "net<{na, {Nb}K(b)}K(a)+>"),
            ],
            fault: "`Init` uses the secret key K(b)",
            hint: "Nobody but its owner",
        },
        Attempt {
            name: "the partner's key by way of a definition that turns round",
            change: &[
                (
                    "net<{nb}K(b)+>",
                    "Turn(a, b, nb, 1)\n\ndef Turn(a: Agent, b: Agent, n: Nonce, i) =\n  case i of 0: net<{{n}K(a)-}K(a)+> suc(j): Turn(b, a, n, j)",
                ),
                ("{=Nb}K(b)- in", "{{=Nb}K(b)+}K(b)- in"),
            ],
            fault: "`Init` uses the secret key K(b)",
            hint: "Nobody but its owner",
        },
        Attempt {
            name: "an event with another agent, under the old name",
            change: &[(
                "event Running(a, b, Na)",
                "let old = b in let b = a in let a = old in event Running(a, b, Na)",
            )],
            fault: "`Init` no longer marks `Running`",
            hint: "what they say must stay the same",
        },
        Attempt {
            name: "a helper that marks what A should have marked",
            change: &[(
                "event Done(b, a, na)",
                "new s: Name. (Mark(a, b, na, s) | s(_). event Done(b, a, na))\n\ndef Mark(a: Agent, b: Agent, n: Nonce, s: Name) = event Running(a, b, n). s<n>",
            )],
            fault: "`Resp` marks `Running` at other places as well",
            hint: "The claims are about these events",
        },
        Attempt {
            name: "B is sure before it has received anything",
            change: &[
                (
                    "net(x). case x of {na: Nonce, =a}K(b)- in",
                    "new na: Nonce. event Done(b, a, na). net(x). case x of {n1: Nonce, =a}K(b)- in",
                ),
                ("event Done(b, a, na)\n\nsystem", "0\n\nsystem"),
            ],
            fault: "`Resp` no longer marks",
            hint: "where the exercise has it",
        },
    ];
    attempts("ns-repair", "ns-repair.spi", &attempts_);
}

#[test]
fn layout_and_names_do_not_decide() {
    let solution = text("solutions/ns-repair.spi");
    let other = |change: &[(&str, &str)]| {
        change.iter().fold(solution.clone(), |own, (old, new)| {
            assert!(own.contains(old), "no `{old}`");
            own.replace(old, new)
        })
    };
    let list = [
        other(&[("agent A, B", "agent A,B"), ("Init(A, B) |", "Init(A,B)|")]),
        other(&[("agent A, B", "agent B\nagent A")]),
        other(&[("system NS = ", "system NS = /* the sessions */ ")]),
        other(&[(
            "Init(A, B) | Init(A, C) | Resp(B, A)",
            "Resp(B, A) | Init(A, C) | Init(A, B)",
        )]),
        other(&[(
            "agreement Done(b, a, n) => Running(a, b, n)",
            "agreement Done(y, x, m) => Running(x, y, m)",
        )]),
        // Resp in two pieces.
        other(&[(
            "net(y). case y of {=Nb}K(b)- in",
            "Wait(b, a, na, Nb)\n\ndef Wait(b: Agent, a: Agent, na: Nonce, n: Nonce) =\n  net(y). case y of {=n}K(b)- in",
        )]),
        // With `let`, and with other parameters.
        other(&[("net<{Na, a}K(b)+>", "let m = (Na, a) in net<{m}K(b)+>")]),
        other(&[
            (
                "def Init(a: Agent, b: Agent)",
                "def Init(me: Agent, b: Agent)",
            ),
            (
                "event Running(a, b, Na)",
                "let a = me in event Running(a, b, Na)",
            ),
        ]),
    ];
    for own in list {
        let (code, document) = grade("ns-repair", &own);
        assert_eq!(code, Some(0), "{own}\n{document:#}");
    }
}

#[test]
fn other_repairs_of_needham_schroeder_pass() {
    // The name in front of the nonces, and a tag in each message, are repairs as well.
    let own = text("ns-repair.spi")
        .replace("{=Na, nb: Nonce}K(a)- in", "{=b, =Na, nb: Nonce}K(a)- in")
        .replace("net<{na, Nb}K(a)+>", "net<{b, na, Nb}K(a)+>");
    let (code, document) = grade("ns-repair", &own);
    assert_eq!(code, Some(0), "{document:#}");
    let own = text("solutions/ns-repair.spi")
        .replace("channel net", "channel net\npublic two: Data")
        .replace("{=Na, nb: Nonce, =b}", "{=two, =Na, nb: Nonce, =b}")
        .replace("{na, Nb, b}", "{two, na, Nb, b}");
    let (code, document) = grade("ns-repair", &own);
    assert_eq!(code, Some(0), "{document:#}");
}

#[test]
fn trimming_needham_schroeder() {
    let attempts_ = [
        Attempt {
            name: "nothing left out",
            change: &[],
            fault: "they have 9",
            hint: "spi mutate",
        },
        Attempt {
            name: "one thing too few",
            change: &[("{nb, Na}K(b)+", "{nb}K(b)+"), ("{=Nb, =na}", "{=Nb}")],
            fault: "they have 8",
            hint: "6 are enough",
        },
        Attempt {
            name: "the wrong thing",
            change: &[
                ("{nb, Na}K(b)+", "{nb}K(b)+"),
                ("{=Nb, =na}", "{=Nb}"),
                ("{na, Nb, b, a}", "{na, Nb, a}"),
                ("{=Na, nb: Nonce, =b, =a}", "{=Na, nb: Nonce, =a}"),
                ("{Na, a, b}K(b)+", "{Na, a}K(b)+"),
                ("{na: Nonce, =a, =b}", "{na: Nonce, =a}"),
            ],
            fault: "man in the middle",
            hint: "who made it or whom it is for",
        },
        Attempt {
            name: "the encryption of message 3",
            change: &[
                ("net<{nb, Na}K(b)+>", "net<nb>"),
                ("net(y). case y of {=Nb, =na}K(b)- in", "net(=Nb)."),
                ("{na, Nb, b, a}", "{na, Nb, b}"),
                ("{=Na, nb: Nonce, =b, =a}", "{=Na, nb: Nonce, =b}"),
                ("{Na, a, b}K(b)+", "{Na, a}K(b)+"),
                ("{na: Nonce, =a, =b}", "{na: Nonce, =a}"),
            ],
            fault: "eavesdropping",
            hint: "Encrypt it for the one agent",
        },
    ];
    attempts("ns-trim", "ns-trim.spi", &attempts_);
    // `let` and definitions hide nothing.
    let attempts_ = [
        Attempt {
            name: "a tuple under a name",
            change: &[(
                "net<{Na, a, b}K(b)+>",
                "let m = (Na, a, b) in net<{m}K(b)+>",
            )],
            fault: "they have 9",
            hint: "6 are enough",
        },
        Attempt {
            name: "a ciphertext under a name",
            change: &[
                ("net<{Na, a, b}K(b)+>", "let m = {Na, a, b}K(b)+ in net<m>"),
                (
                    "net<{na, Nb, b, a}K(a)+>",
                    "let m = {na, Nb, b, a}K(a)+ in net<m>",
                ),
            ],
            fault: "they have 9",
            hint: "spi mutate",
        },
        Attempt {
            name: "a definition that sends",
            change: &[(
                "net<{nb, Na}K(b)+>",
                "Send({nb, Na}K(b)+)\n\ndef Send(m) = net<m>",
            )],
            fault: "they have 9",
            hint: "Leave out one thing",
        },
        Attempt {
            name: "Needham-Schroeder that refuses C",
            change: &[
                ("{nb, Na}K(b)+", "{nb}K(b)+"),
                ("{=Nb, =na}", "{=Nb}"),
                ("{na, Nb, b, a}", "{na, Nb}"),
                ("{=Na, nb: Nonce, =b, =a}", "{=Na, nb: Nonce}"),
                ("{Na, a, b}K(b)+", "{Na, a}K(b)+"),
                ("{na: Nonce, =a, =b}", "{na: Nonce, =a}"),
                (
                    "Commit(a, b, Na, nb).",
                    "Commit(a, b, Na, nb). [b is C] 0 else",
                ),
            ],
            fault: "`Init` mentions C",
            hint: "An agent does not know who is dishonest",
        },
    ];
    attempts("ns-trim", "ns-trim.spi", &attempts_);
}

#[test]
fn repairing_otway_rees() {
    let attempts_ = [
        Attempt {
            name: "nothing changed",
            change: &[],
            fault: "type flaw",
            hint: "four faults",
        },
        Attempt {
            name: "B's nonce under the encryption, as in the original protocol",
            change: &[
                (
                    "net<na, a, b, forS, Nb, {na, a, b}K(b)>",
                    "net<na, a, b, forS, {Nb, na, a, b}K(b)>",
                ),
                (
                    "nb: Nonce, {=na, =a, =b}K(b))",
                    "{nb: Nonce, =na, =a, =b}K(b))",
                ),
            ],
            fault: "type flaw",
            hint: "Make the shapes differ",
        },
        Attempt {
            name: "a tag against the type flaw, and nothing else",
            change: &[
                ("channel net", "channel net\npublic one, two"),
                (
                    "net<Na, a, b, {Na, a, b}K(a)>",
                    "net<Na, a, b, {one, Na, a, b}K(a)>",
                ),
                ("{=na, =a, =b}K(a), nb", "{=one, =na, =a, =b}K(a), nb"),
                (
                    "{na, Kab}K(a), {nb, Kab}K(b)",
                    "{two, na, Kab}K(a), {two, nb, Kab}K(b)",
                ),
                ("{=Na, k: Sym}K(a)", "{=two, =Na, k: Sym}K(a)"),
                ("{=Nb, k: Sym}K(b)", "{=two, =Nb, k: Sym}K(b)"),
            ],
            fault: "secrecy k after Commit(a, b, k) in Parallel",
            hint: "session",
        },
        Attempt {
            name: "the key in clear for A",
            change: &[
                (
                    "net<na, {na, Kab}K(a), {nb, Kab}K(b)>",
                    "net<na, {nb, Kab}K(b)>",
                ),
                (
                    "net(=na, forA, {=Nb, k: Sym}K(b))",
                    "net(=na, {=Nb, k: Sym}K(b))",
                ),
                ("net<na, forA>", "net<na, k>"),
                ("net(=Na, {=Na, k: Sym}K(a))", "net(=Na, k: Sym)"),
            ],
            fault: "secrecy Kab in Session",
            hint: "Kab is in it for everybody to read",
        },
        Attempt {
            name: "A makes the key itself",
            change: &[(
                "net(=Na, {=Na, k: Sym}K(a)).\n  event Commit(a, b, k)",
                "new k: Sym. event Commit(a, b, k)",
            )],
            fault: "`Init` no longer marks `Commit`",
            hint: "Mark each event where the exercise has it",
        },
    ];
    attempts("or-repair", "or-repair.spi", &attempts_);
    let attempts_ = [
        Attempt {
            name: "the partner in A's half only",
            change: &[
                (
                    "net(=Na, {=Na, k: Sym}K(a))",
                    "net(=Na, {=Na, =b, k: Sym, =a}K(a))",
                ),
                ("{na, Kab}K(a)", "{na, b, Kab, a}K(a)"),
            ],
            fault: "secrecy k after Done(b, a, k) in ParallelB",
            hint: "four faults",
        },
        Attempt {
            name: "keys as channels",
            change: &[
                ("net(=Na, {=Na, k: Sym}K(a))", "(K(a))(=b, k: Sym)"),
                (
                    "net(=na, forA, {=Nb, k: Sym}K(b)).\n  net<na, forA>",
                    "(K(b))(=a, k: Sym)",
                ),
                (
                    "net<na, {na, Kab}K(a), {nb, Kab}K(b)>",
                    "(K(a))<b, Kab>. (K(b))<a, Kab>",
                ),
            ],
            fault: "`Init` uses K(a) as a channel",
            hint: "The network is open",
        },
        Attempt {
            name: "the server refuses C",
            change: &[
                (
                    "  net(na: Nonce, =a, =b, {=na",
                    "  [a is C] 0 else net(na: Nonce, =a, =b, {=na",
                ),
                ("{=Na, k: Sym}K(a)", "{=Na, k: Sym, =Na}K(a)"),
                ("{na, Kab}K(a)", "{na, Kab, na}K(a)"),
            ],
            fault: "`Server` mentions C",
            hint: "An agent does not know who is dishonest",
        },
        Attempt {
            name: "no nonce at all",
            change: &[
                (
                    "net<Na, a, b, {Na, a, b}K(a)>.\n  net(=Na, {=Na, k: Sym}K(a)).",
                    "net<Na, a, b>.\n  net({=b, k: Sym}K(a)).",
                ),
                (
                    "net(na: Nonce, =a, =b, forS).\n  new Nb: Nonce.\n  net<na, a, b, forS, Nb, {na, a, b}K(b)>.\n  net(=na, forA, {=Nb, k: Sym}K(b)).\n  net<na, forA>.",
                    "net(na: Nonce, =a, =b).\n  net<na, a, b>.\n  net(forA, {=a, k: Sym}K(b)).\n  net<forA>.",
                ),
                (
                    "net(na: Nonce, =a, =b, {=na, =a, =b}K(a), nb: Nonce, {=na, =a, =b}K(b)).",
                    "net(na: Nonce, =a, =b).",
                ),
                (
                    "net<na, {na, Kab}K(a), {nb, Kab}K(b)>",
                    "net<{b, Kab}K(a), {a, Kab}K(b)>",
                ),
            ],
            fault: "in Twice",
            hint: "contribute something fresh",
        },
    ];
    attempts("or-repair", "or-repair.spi", &attempts_);
}

/// In these sessions B never begins. Where it does, the server makes a key for A as responder, and A takes it as initiator.
#[test]
fn a_repair_that_breaks_in_other_sessions_does_not_pass() {
    let attempts_ = [Attempt {
        name: "the partner alone, in both halves",
        change: &[
            (
                "net(=Na, {=Na, k: Sym}K(a))",
                "net(=Na, {=Na, =b, k: Sym}K(a))",
            ),
            ("forA, {=Nb, k: Sym}K(b)", "forA, {=Nb, =a, k: Sym}K(b)"),
            ("{na, Kab}K(a)", "{na, b, Kab}K(a)"),
            ("{nb, Kab}K(b)", "{nb, a, Kab}K(b)"),
        ],
        fault: "holds in the sessions of the exercise, but not in others",
        hint: "nothing in it says which message it is",
    }];
    attempts("or-repair", "or-repair.spi", &attempts_);
    let attempts_ = [Attempt {
        name: "names that only seem superfluous",
        change: &[
            ("{=a, =Nb, k: Sym}K(b)", "{=Nb, =a, k: Sym}K(b)"),
            ("{a, nb, Kab}K(b)", "{nb, a, Kab}K(b)"),
        ],
        fault: "attack (impersonation) in Init(A, B) | Server(B, A)",
        hint: "It is what Server(B, A) sends in line 39, and nothing in it says which role its reader plays",
    }];
    attempts("or-trim", "solutions/or-trim.spi", &attempts_);
}

#[test]
fn other_repairs_of_otway_rees_pass() {
    let halves = |a: &str, b: &str, to_a: &str, to_b: &str| {
        text("or-repair.spi")
            .replace("net(=Na, {=Na, k: Sym}K(a))", &format!("net(=Na, {a}K(a))"))
            .replace("forA, {=Nb, k: Sym}K(b)", &format!("forA, {b}K(b)"))
            .replace("{na, Kab}K(a)", &format!("{to_a}K(a)"))
            .replace("{nb, Kab}K(b)", &format!("{to_b}K(b)"))
    };
    for own in [
        // Both names, and the key first.
        halves(
            "{=Na, =a, =b, k: Sym}",
            "{=Nb, =a, =b, k: Sym}",
            "{na, a, b, Kab}",
            "{nb, a, b, Kab}",
        ),
        halves(
            "{k: Sym, =Na, =a, =b}",
            "{k: Sym, =Nb, =a, =b}",
            "{Kab, na, a, b}",
            "{Kab, nb, a, b}",
        ),
    ] {
        let (code, document) = grade("or-repair", &own);
        assert_eq!(code, Some(0), "{own}\n{document:#}");
    }
}

#[test]
fn trimming_otway_rees() {
    let attempts_ = [
        Attempt {
            name: "nothing left out",
            change: &[],
            fault: "they have 19",
            hint: "14 are enough",
        },
        Attempt {
            name: "the answer under a name",
            change: &[(
                "net<{na, a, b, Kab}K(a), {nb, a, b, Kab}K(b)>",
                "let m = ({na, a, b, Kab}K(a), {nb, a, b, Kab}K(b)) in net<m>",
            )],
            fault: "they have 19",
            hint: "spi mutate",
        },
        Attempt {
            name: "the request under a name",
            change: &[(
                "net<a, b, na, Nb, {a, b, Nb}K(b)>",
                "let m = {a, b, Nb}K(b) in net<a, b, na, Nb, m>",
            )],
            fault: "they have 19",
            hint: "not needed for any claim",
        },
        Attempt {
            name: "no nonce",
            change: &[
                ("new Na: Nonce.\n  net<a, b, Na>", "net<a, b>"),
                ("net({=Na, =a, =b, k: Sym}K(a))", "net({=b, k: Sym}K(a))"),
                (
                    "net(=a, =b, na: Nonce).\n  new Nb: Nonce.\n",
                    "net(=a, =b).\n",
                ),
                ("net<a, b, na, Nb, {a, b, Nb}K(b)>", "net<a, b>"),
                ("{=Nb, =a, =b, k: Sym}K(b)", "{=a, k: Sym}K(b)"),
                (
                    "net(=a, =b, na: Nonce, nb: Nonce, {=a, =b, =nb}K(b))",
                    "net(=a, =b)",
                ),
                (
                    "net<{na, a, b, Kab}K(a), {nb, a, b, Kab}K(b)>",
                    "net<{b, Kab}K(a), {a, Kab}K(b)>",
                ),
            ],
            fault: "in TwiceA",
            hint: "contribute something fresh",
        },
    ];
    attempts("or-trim", "or-trim.spi", &attempts_);
}

#[test]
fn a_key_from_a_server() {
    let attempts_ = [
        Attempt {
            name: "in the open",
            change: &[],
            fault: "secrecy Kab in Session",
            hint: "Encrypt it for the one agent",
        },
        Attempt {
            name: "encrypted, but for anybody's session",
            change: &[
                ("net<a, Kab>.", "net<a, {Kab}K(a)>."),
                ("net<b, Kab>", "net<b, {Kab}K(b)>"),
                ("net(=a, k: Sym)", "net(=a, {k: Sym}K(a))"),
                ("net(=b, k: Sym)", "net(=b, {k: Sym}K(b))"),
            ],
            fault: "attack (type flaw, reflection)",
            hint: "Make the shapes differ",
        },
        Attempt {
            name: "B with the key of A",
            change: &[
                ("net<a, Kab>.", "net<a, {Kab}K(a)>."),
                ("net<b, Kab>", "net<b, {Kab}K(a)>"),
                ("net(=a, k: Sym)", "net(=a, {k: Sym}K(a))"),
                ("net(=b, k: Sym)", "net(=b, {k: Sym}K(a))"),
            ],
            fault: "`Resp` uses the secret key K(a)",
            hint: "Nobody but its owner",
        },
    ];
    attempts("or-scratch", "or-scratch.spi", &attempts_);
    let attempts_ = [Attempt {
        name: "no nonce",
        change: &[
            ("net<a, Kab>.", "net<{b, Kab}K(a)>."),
            ("net<b, Kab>", "net<{a, Kab}K(b)>"),
            ("net(=a, k: Sym)", "net({=b, k: Sym}K(a))"),
            ("net(=b, k: Sym)", "net({=a, k: Sym}K(b))"),
        ],
        fault: "in Twice",
        hint: "contribute something fresh",
    }];
    attempts("or-scratch", "or-scratch.spi", &attempts_);
    // A ticket: B gets one message, from A.
    let start = text("or-scratch.spi");
    let (head, rest) = start.split_once("def Init").expect("roles");
    let (_, systems) = rest.split_once("system Session").expect("systems");
    let own = format!(
        "{head}def Init(a: Agent, b: Agent) =
  new Na: Nonce.
  net<a, b, Na>.
  net({{=Na, =b, k: Sym, ticket}}K(a)).
  net<ticket>.
  event Commit(a, b, k)

def Resp(b: Agent, a: Agent) =
  net({{k: Sym, =a}}K(b)).
  event Done(b, a, k)

def Server(a: Agent, b: Agent) =
  net(=a, =b, na: Nonce).
  new Kab: Sym.
  event Issued(a, b, Kab).
  net<{{na, b, Kab, {{Kab, a}}K(b)}}K(a)>

system Session{systems}"
    );
    let (code, document) = grade("or-scratch", &own);
    assert_eq!(code, Some(0), "{document:#}");
}

#[test]
fn signed_shares_and_lost_keys() {
    let attempts_ = [
        Attempt {
            name: "nothing changed",
            change: &[],
            fault: "attack (man in the middle)",
            hint: "whom A has the key with",
        },
        Attempt {
            name: "A's own name, outside the signature",
            change: &[
                ("net<{gy, g^x}K(a)->", "net<a, {gy, g^x}K(a)->"),
                (
                    "net(s). case s of {=g^y, =gx}",
                    "net(=a, s). case s of {=g^y, =gx}",
                ),
            ],
            fault: "attack (man in the middle)",
            hint: "under A's signature",
        },
    ];
    attempts("dh-repair", "dh-repair.spi", &attempts_);
    let attempts_ = [
        Attempt {
            name: "nothing but the new exchange in the key",
            change: &[
                ("H(gy^x, g^L(b)^L(a))>", "H(gy^x)>"),
                ("H(gx^y, g^L(a)^L(b)))", "H(gx^y))"),
            ],
            fault: "attack (reflection)",
            hint: "directions differ",
        },
        Attempt {
            name: "anybody's share is taken for B's",
            change: &[
                (", =H(n, gy, b, a, g^L(b)^L(a)))", ")"),
                (", H(n, g^y, b, a, g^L(a)^L(b))>", ">"),
            ],
            fault: "attack (lost key)",
            hint: "A knows whose it is",
        },
    ];
    attempts("fs-repair", "solutions/fs-repair.spi", &attempts_);
}

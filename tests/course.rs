//! The course as a student meets it: every solution passes, and each of the usual wrong attempts gets the right verdict
//! and a hint that helps.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("protocols/course")
}

fn text(file: &str) -> String {
    fs::read_to_string(folder().join(file)).expect("a text")
}

/// Grades a text; the exit code and the document.
fn grade(exercise: &str, submission: &str) -> (Option<i32>, Value) {
    let place = TempDir::new().expect("a folder");
    let path = place.path().join("submission.spi");
    fs::write(&path, submission).expect("written");
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(["grade", "--format", "json", "--hint", "3"])
        .arg(folder().join(format!("{exercise}.exercise")))
        .arg(&path)
        .output()
        .expect("it runs");
    let document = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), document)
}

#[test]
fn every_solution_passes() {
    let mut seen = 0;
    for entry in fs::read_dir(folder().join("solutions")).expect("solutions") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let (code, document) = grade(&name, &fs::read_to_string(&path).expect("a text"));
        assert_eq!(document["verdict"], "passed", "{name}: {document:#}");
        assert_eq!(code, Some(0));
        seen += 1;
    }
    let exercises = fs::read_dir(folder())
        .expect("the course")
        .filter(|e| {
            let path = e.as_ref().expect("an entry").path();
            path.extension().is_some_and(|x| x == "exercise")
        })
        .count();
    assert_eq!(seen, exercises, "every exercise has its solution");
}

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
        let checks = document["checks"].as_array().expect("checks");
        let first = checks.iter().find(|c| c["ok"] != true).expect("a fault");
        let fault = format!("{} | {}", first["check"], first["detail"]);
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
}

#[test]
fn repairing_otway_rees() {
    let attempts_ = [
        Attempt {
            name: "nothing changed",
            change: &[],
            fault: "type flaw",
            hint: "two faults",
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
            fault: "the honest run does not reach Commit(A,B,Kab)",
            hint: "send what the other side needs",
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
}

/// A claim that does not do: what is wrong, and a word of the hints.
fn claims(exercise: &str, list: &[(&str, &str, &str)]) {
    for (claim, fault, hint) in list {
        let (code, document) = grade(exercise, claim);
        assert_eq!(code, Some(1), "{claim}: {document:#}");
        let checks = document["checks"].as_array().expect("checks");
        let first = checks.iter().find(|c| c["ok"] != true).expect("a fault");
        let shown = first["check"].as_str().expect("text");
        assert_eq!(shown, *fault, "{claim}: {document:#}");
        let hints = document["hints"].as_array().expect("hints");
        let all: Vec<&str> = hints.iter().filter_map(Value::as_str).collect();
        assert!(all.join("\n").contains(hint), "{claim}: {document:#}");
    }
}

#[test]
fn the_missing_claim_of_needham_schroeder() {
    claims(
        "ns-claim",
        &[
            ("agent A\n", "there is a claim", "has no claim"),
            (
                "secrecy Nb in S",
                "it fails on ns-claim-lax.spi",
                "Think of who believes what",
            ),
            (
                "aliveness Done(b, a, n) => Running(a, b, n) in S",
                "it fails on ns-claim-bad.spi",
                "does not see what is wrong",
            ),
            (
                "agreement Commit(a, b, n, m) => Answered(b, a, n, m) in S",
                "it fails on ns-claim-bad.spi",
                "which event must have happened before",
            ),
            (
                "agreement Commit(a, b, n, m) => Done(b, a, n) in S",
                "it holds on ns-claim-good.spi",
                "Ask for less",
            ),
            (
                "agreement Running(a, b, n) => Done(b, a, n) in S",
                "it holds on ns-claim-good.spi",
                "asks for more than the protocol",
            ),
            (
                "reachable Done(b, a, n) in S",
                "it fails on ns-claim-bad.spi",
                "Start from what B believes",
            ),
        ],
    );
    // A stronger one that still holds is right too.
    for claim in [
        "injective agreement Done(b, a, n) => Running(a, b, n) in S",
        "weak agreement Done(b, a, n) => Running(a, b, n) in S",
    ] {
        let (code, document) = grade("ns-claim", claim);
        assert_eq!(code, Some(0), "{claim}: {document:#}");
    }
}

#[test]
fn the_missing_claim_of_otway_rees() {
    claims(
        "or-claim",
        &[
            (
                "secrecy Kab in S",
                "it fails on or-claim-bad.spi",
                "Think of who believes what",
            ),
            (
                "agreement Commit(a, b, k) => Done(b, a, k) in S",
                "it holds on or-claim-good.spi",
                "Ask for less",
            ),
        ],
    );
    let (code, _) = grade("or-claim", "secrecy k after Commit(a, b, k) in S");
    assert_eq!(code, Some(0));
}

#[test]
fn equivalences() {
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
            "it uses a secret key K(..)",
            "A test knows what the attacker knows",
        ),
    ];
    for (exercise, own, fault, hint) in table {
        let (code, document) = grade(exercise, own);
        assert_eq!(code, Some(1), "{own}: {document:#}");
        let shown = document.to_string();
        assert!(shown.contains(fault), "{own}: {document:#}");
        assert!(shown.contains(hint), "{own}: {document:#}");
    }
}

#[test]
fn attacks() {
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
    for (exercise, own, fault, hint) in table {
        let (code, document) = grade(exercise, own);
        assert_eq!(code, Some(1), "{own}: {document:#}");
        let checks = document["checks"].as_array().expect("checks");
        let first = checks.iter().find(|c| c["ok"] != true).expect("a fault");
        let shown = format!("{} | {}", first["check"], first["detail"]);
        assert!(shown.contains(fault), "{own}: {document:#}");
        assert!(
            document["hints"].to_string().contains(hint),
            "{own}: {document:#}"
        );
    }
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
    // Told wrongly: B would not answer this.
    let wrong = lowe.replace("C(A) -> B    : {Na, A}K(B)+", "C -> B : {Na, C}K(B)+");
    let (code, document) = grade("ns-attack", &wrong);
    assert_eq!(code, Some(1), "{document:#}");
    assert!(
        document["hints"]
            .to_string()
            .contains("what does each of them compare"),
        "{document:#}"
    );
    // No narration at all.
    let (code, _) = grade("ns-attack", "A -> C {Na, A}K(C)+");
    assert_eq!(code, Some(2));
}

#[test]
fn what_cannot_be_read_is_a_mistake() {
    let (code, document) = grade("ns-repair", "agent A, B\ndef Init(");
    assert_eq!(code, Some(2));
    assert_eq!(document["verdict"], "unreadable");
    let (code, _) = grade("ns-claim", "agreement Nothing(a) => Running(a, b, n) in S");
    assert_eq!(code, Some(2));
}

#[test]
fn a_hint_comes_in_steps() {
    let run = |more: &[&str]| {
        let output = Command::cargo_bin("spi")
            .expect("the binary is built")
            .current_dir(folder())
            .args(["grade", "ns-repair.exercise", "ns-repair.spi"])
            .args(more)
            .output()
            .expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let plain = run(&[]);
    assert!(
        plain.contains("not passed") && plain.contains("--hint 1 helps"),
        "{plain}"
    );
    assert!(!plain.contains("where"), "{plain}");
    let one = run(&["--hint", "1"]);
    assert!(one.contains("where") && !one.contains("why"), "{one}");
    let three = run(&["--hint", "3"]);
    assert!(
        three.contains("where") && three.contains("why") && three.contains("repair "),
        "{three}"
    );
}

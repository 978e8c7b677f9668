//! Attacks as processes: what the search finds can be replayed, and what is written by hand is told why it fails.

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn spi() -> Command {
    Command::cargo_bin("spi").expect("the binary is built")
}

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("protocols")
        .join(name)
}

struct Outcome {
    code: Option<i32>,
    out: String,
    err: String,
}

fn run(args: &[&str]) -> Outcome {
    let output = spi().args(args).output().expect("spi runs");
    Outcome {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("test paths are text")
}

/// Replays an attack written here on a model written here.
fn replay(model: &str, attack: &str, more: &[&str]) -> Outcome {
    let dir = TempDir::new().expect("a folder");
    let (m, a) = (dir.path().join("m.spi"), dir.path().join("a.spi"));
    fs::write(&m, model).expect("the model is written");
    fs::write(&a, attack).expect("the attack is written");
    let mut args = vec!["replay", text(&m), text(&a)];
    args.extend(more);
    let mut outcome = run(&args);
    let folder = format!("{}/", text(dir.path()));
    outcome.out = outcome.out.replace(&folder, "");
    outcome.err = outcome.err.replace(&folder, "");
    outcome
}

/// The files that `--emit-attack` wrote, with the claims they are about.
fn emitted(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found: Vec<(PathBuf, String)> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|e| e.expect("an entry").path())
        .map(|path| {
            let first = fs::read_to_string(&path).expect("it is text");
            let claim = first
                .split('`')
                .nth(1)
                .expect("the first line names the claim");
            (path, claim.to_owned())
        })
        .collect();
    found.sort();
    found
}

/// Replays what is found as the files themselves say how.
fn found_attacks_replay(file: &Path, more: &[&str]) -> usize {
    let dir = TempDir::new().expect("a folder");
    let out = dir.path().join("attack.spi");
    let mut args = vec!["check", text(file), "--emit-attack", text(&out)];
    args.extend(more);
    run(&args);
    let all = emitted(dir.path());
    for (path, claim) in &all {
        let written = fs::read_to_string(path).expect("it is text");
        let command = written
            .lines()
            .find_map(|l| l.split_once("Replay it: spi "));
        let (_, command) = command.expect("the file says how to replay it");
        let mut args: Vec<&str> = command.split(' ').collect();
        args.push("-q");
        let Outcome { out, err, .. } = run(&args);
        let line = out.lines().find(|l| l.starts_with(&format!("{claim}: ")));
        let word = line.and_then(|l| l.rsplit(": ").next());
        assert!(
            matches!(word, Some("broken" | "refuted" | "reached")),
            "{}\n{claim}\n{}\n{out}\n{err}",
            file.display(),
            fs::read_to_string(path).unwrap_or_default()
        );
        let formatted = run(&["fmt", "--check", text(path)]);
        assert_eq!(formatted.code, Some(0), "{}", formatted.out);
    }
    all.len()
}

#[test]
fn attacks_that_were_found_can_be_replayed() {
    let mut all = 0;
    for name in [
        "ns.spi",
        "otway-rees/otway-rees.spi",
        "otway-rees/simplified.spi",
        "papers/spycatcher-otway-rees.spi",
        "public-key/denning-sacco-pk.spi",
        "public-key/x509-3.spi",
        "symmetric/nssk-old-key.spi",
        "wide-mouthed-frog/abadi-gordon.spi",
        "woo-lam/pi3.spi",
    ] {
        all += found_attacks_replay(&model(name), &[]);
    }
    assert!(all >= 15, "{all}");
    assert!(found_attacks_replay(&model("ns.spi"), &["--typed"]) > 0);
    assert!(found_attacks_replay(&model("ns.spi"), &["--sessions", "2"]) > 0);
    // What is picked may be a role that the attacker could play itself.
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/soundness");
    let picked = tests.join("sessions-picked-spy.spi");
    assert!(found_attacks_replay(&picked, &["--sessions", "1"]) > 0);
}

const PAIR: &str = "channel c  public a, b
key k
system S = new m. c<{m}k>. c(x). c<a>
system T = new m. c<{m}k>. c(x). [x is a] c<a>
system U = new m. c(x). c<{m}k>. c<a>
system V(x) = c<x>
S ~ T
S ~ S
T <= S
strong secrecy x in V
";

#[test]
fn a_test_shows_its_barb_with_one_system_only() {
    let dir = TempDir::new().expect("a folder");
    let (m, t) = (dir.path().join("m.spi"), dir.path().join("t.spi"));
    fs::write(&m, PAIR).expect("the model is written");
    let second = dir.path().join("t-2.spi");
    run(&["check", text(&m), "--emit-attack", text(&t)]);
    let first = run(&["replay", text(&m), text(&t), "-q"]);
    assert_eq!(first.code, Some(1), "{}{}", first.out, first.err);
    assert!(first.out.contains("S ~ T: refuted"), "{}", first.out);
    assert!(first.out.contains("S ~ S: not refuted"), "{}", first.out);
    assert!(first.out.contains("T <= S: not refuted"), "{}", first.out);
    let chosen = run(&["replay", text(&m), text(&second), "-q"]);
    assert!(
        chosen.out.contains("strong secrecy x in V: refuted"),
        "{}",
        chosen.out
    );

    let (s, u) = (format!("{}:S", text(&m)), format!("{}:U", text(&m)));
    let two = dir.path().join("two.spi");
    let differ = run(&["equiv", &s, &u, "--emit-attack", text(&two)]);
    assert_eq!(differ.code, Some(1), "{}{}", differ.out, differ.err);
    let both = run(&["replay", &s, &u, text(&two)]);
    assert_eq!(both.code, Some(1), "{}{}", both.out, both.err);
    assert!(both.out.contains("it shows success<0>"), "{}", both.out);
    assert!(both.out.contains("it shows no barb"), "{}", both.out);
    assert!(both.out.starts_with("S ~ U: refuted\n"), "{}", both.out);
    assert_eq!(both.err, "", "a test that did its job needs no explanation");
    let same = run(&["replay", &s, &s, text(&two)]);
    let first = same.out.lines().next().unwrap_or_default();
    assert!(first.ends_with(": not refuted"), "{}", same.out);
}

const MODEL: &str = "agent A, B
spy C
channel net
private secret: Data
keypair K(Agent)

def Init(a: Agent, b: Agent) =
  new Na: Nonce.
  net<{Na, a}K(b)+>.
  net(x). case x of {=Na, nb: Nonce}K(a)- in
  net<{nb}K(b)+>

def Resp(b: Agent, a: Agent) =
  net(x). case x of {na: Nonce, =a}K(b)- in
  new Nb: Nonce.
  net<{na, Nb}K(a)+>.
  net(y). case y of {=Nb}K(b)- in
  event Done(b, a)

system NS = Init(A, C) | Resp(B, A)

secrecy Nb in NS
reachable Done(b, a) in NS
";

#[test]
fn a_stuck_attack_shows_what_the_role_expected_and_got() {
    let attack = "channel leak
system Attack =
  net(x). case x of {n, _}K(C)- in
  net<{n, B}K(B)+>.
  net(y).
  net<y>
";
    let told = replay(MODEL, attack, &[]);
    assert_eq!(told.code, Some(0), "{}", told.out);
    insta::assert_snapshot!(format!("{}\n{}", told.out, told.err));
}

/// The protocol was mended: the old attack is stopped, and that is good news.
#[test]
fn an_attack_that_no_longer_works_is_a_success() {
    let lowe = "channel leak
system Attack =
  net(w1). case w1 of {y}K(C)- in net<{y}K(B)+>. net(w2). net<w2>. net(w3). case w3 of {n}K(C)- in leak<n>
";
    let broken = replay(MODEL, lowe, &[]);
    assert_eq!(broken.code, Some(1), "{}{}", broken.out, broken.err);
    let learned = "C learned Na of Init(A, C), Nb of Resp(B, A).";
    assert!(broken.out.contains(learned), "{}", broken.out);
    let mended = MODEL
        .replace("{na, Nb}K(a)+", "{na, Nb, b}K(a)+")
        .replace("{=Na, nb: Nonce}", "{=Na, nb: Nonce, =b}");
    let told = replay(&mended, lowe, &[]);
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.err);
    let first = told.out.lines().next();
    assert_eq!(first, Some("secrecy Nb in NS: attack stopped"));
    let learned = "it learned Na of Init(A, C)";
    assert!(told.out.contains(learned), "{}", told.out);
}

/// What was found is written so that it is read as what it was.
#[test]
fn found_attacks_are_spelt_as_they_are_read() {
    for (model, options) in [
        // The public part of a member that was heard.
        (
            "channel c  private s  keypair K(Msg)
partial system S = c<K(s)>. c(x). [x is K(s)+] c<s>
secrecy s in S
",
            &[][..],
        ),
        // Types bind the roles, not the attacker.
        (
            "agent A, B  channel c  private s  keypair K(Agent)
partial system S = c(b). [b is (A, B)] c(x). case x of {=0}K(b)- in c<s>
secrecy s in S
",
            &[],
        ),
        // Tuples that keep their arity.
        (
            "channel c  public a  private s
partial system S = c(x, (y, z)). [y is a] [z is a] c<s>
secrecy s in S
",
            &["--typed"],
        ),
        (
            "channel c  private s, k
knows k
partial system S = c<{k, (k, (s, k))}k>
secrecy s in S
",
            &["--typed"],
        ),
    ] {
        let dir = TempDir::new().expect("a folder");
        let file = dir.path().join("m.spi");
        fs::write(&file, model).expect("the model is written");
        assert_eq!(found_attacks_replay(&file, options), 1, "{model}");
    }
}

#[test]
fn an_attack_has_only_what_an_attacker_has() {
    let opens = "system Attack = net(x). case x of {n, _}K(B)- in net<n>\n";
    let told = replay(&MODEL.replace("Init(A, C)", "Init(A, B)"), opens, &["-q"]);
    assert!(
        told.err.contains("the attacker does not have `K(B)-`"),
        "{}",
        told.err
    );
    for (attack, lacks) in [
        ("system Attack = net<secret>\n", "secret"),
        ("system Attack = net<{A}K(A)->\n", "K(A)-"),
        ("system Attack = new Nb. net<(Nb, K(A))>\n", "K(A)"),
    ] {
        let told = replay(MODEL, attack, &["-q"]);
        let message = format!("the attacker does not have `{lacks}`");
        assert!(told.err.contains(&message), "{attack}{}", told.err);
    }
}

#[test]
fn a_name_of_the_attack_is_never_one_of_the_system() {
    let attack = "channel leak\nsystem Attack = new Nb. leak<Nb>\n";
    let told = replay(MODEL, attack, &["-q"]);
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.err);
    assert!(
        told.out.contains("secrecy Nb in NS: not broken"),
        "{}",
        told.out
    );
}

#[test]
fn a_signature_is_read_with_the_public_part() {
    let model = "agent A  channel net  keypair K(Agent)
def P(a: Agent) = new n. net<{n}K(a)->
system S = P(A)
secrecy n in S
";
    let attack = "channel leak\nsystem Attack = net(x). case x of {n}K(A)+ in leak<n>\n";
    let told = replay(model, attack, &[]);
    assert_eq!(told.code, Some(1), "{}{}", told.out, told.err);
}

#[test]
fn an_attack_may_use_the_roles_of_the_model() {
    let attack = "system Attack = Init(C, B)\n";
    let model = MODEL.replace("Resp(B, A)", "Resp(B, C)");
    let told = replay(&model, attack, &["-q"]);
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.err);
    assert!(
        told.out.contains("reachable Done(b, a) in NS: reached"),
        "{}",
        told.out
    );
    assert!(
        told.out.contains("secrecy Nb in NS: not broken"),
        "{}",
        told.out
    );
}

#[test]
fn what_is_no_attack_is_refused() {
    for (attack, words) in [
        ("channel leak\n", "there is no attack in this file"),
        (
            "spy D\nsystem Attack = net(x)\n",
            "`D` is no spy of the model",
        ),
        (
            "knows secret\nsystem Attack = net(x)\n",
            "what the attacker knows",
        ),
        (
            "public secret\nsystem Attack = net<secret>\n",
            "something else in the model",
        ),
        (
            "keypair K\nsystem Attack = net<K+>\n",
            "something else in the model",
        ),
        (
            "def Init = net(x)\nsystem Attack = Init\n",
            "something else in the model",
        ),
        (
            "system A1 = net(x)\nsystem A2 = net(x)\n",
            "an attack is one system",
        ),
        (
            "system Attack = net(x)\nsecrecy x in Attack\n",
            "an attack makes no claims",
        ),
        ("system Attack = net(x). nte<x>\n", "nte"),
        ("system Attack = net(x\n", ""),
    ] {
        let told = replay(MODEL, attack, &["-q"]);
        assert_eq!(told.code, Some(2), "{attack}");
        assert!(told.err.contains(words), "{attack}{}", told.err);
    }
    // Declaring again what the model declares is fine.
    let again = "agent A, B  spy C  channel net  keypair K(Agent)\nsystem Attack = net(x)\n";
    let told = replay(MODEL, again, &["-q"]);
    assert_eq!(told.code, Some(0), "{}", told.err);
}

/// The earlier event may be due and yet not have happened.
#[test]
fn an_event_may_come_too_late() {
    let model = "agent A, B  channel net
def P(a: Agent, b: Agent) = net<a>. event Sent(a, b). net<b>
def Q(a: Agent, b: Agent) = net(x). event Got(b, a)
system S = P(A, B) | Q(A, B)
agreement Got(b, a) => Sent(a, b) in S
";
    let attack = "system Attack = net(x). net<x>\n";
    let told = replay(model, attack, &["-q"]);
    assert_eq!(told.code, Some(1), "{}{}", told.out, told.err);
}

#[test]
fn typed_replay_refuses_messages_of_another_type() {
    let model = "agent A  channel net
def P(a: Agent) = net(x: Nonce). event Got(a, x)
system S = P(A)
reachable Got(a, x) in S
";
    let attack = "system Attack = net<{A}A>\n";
    let untyped = replay(model, attack, &["-q"]);
    assert!(
        untyped.out.contains("in S: reached"),
        "{}{}",
        untyped.out,
        untyped.err
    );
    let typed = replay(model, attack, &["-q", "--typed"]);
    assert!(typed.out.contains("in S: not reached"), "{}", typed.out);
    assert!(typed.err.contains("of another type"), "{}", typed.err);
}

#[test]
fn json_says_the_same() {
    let attack = "channel leak
system Attack = net(x). case x of {m}K(C)- in net<{m}K(B)+>. net(y). net<y>. net(z). case z of {n}K(C)- in leak<n>
";
    let told = replay(MODEL, attack, &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&told.out).expect("it is JSON");
    assert_eq!(json["schema"], "spi/3");
    let claim = &json["claims"][0];
    assert_eq!(claim["effect"], "breaks");
    assert_eq!(claim["broken"], true);
    assert_eq!(claim["with"][0]["barbs"][0], "leak<Nb>");
    assert_eq!(claim["with"][0]["finished"], true);
    let stuck = replay(
        MODEL,
        "system Attack = net<B>. net(x). net(y)\n",
        &["--format", "json"],
    );
    let json: serde_json::Value = serde_json::from_str(&stuck.out).expect("it is JSON");
    assert_eq!(json["claims"][0]["stopped"]["code"], "W0702");
}

#[test]
fn a_test_needs_what_it_is_written_with() {
    let model = "channel c\npublic yes, no\nprivate k: Sym\nagent A\nkey K(Agent)\n\
        system X(v) = c<{v}k>\nsystem Y(v) = c<{v}K(A)>\nX(yes) ~ X(no)\nY(yes) ~ Y(no)\n";
    for test in [
        "[w is {yes}k] success<0>",
        "case w of {y}K(A) in [y is yes] success<0>",
    ] {
        let attack = format!("channel success\nsystem Test = c(w). {test}\n");
        let outcome = replay(model, &attack, &[]);
        assert!(!outcome.out.contains(": refuted"), "{}", outcome.out);
    }
}

/// That it was heard in one of the systems is no excuse: in the other something else may stand in its place.
#[test]
fn a_test_names_nothing_that_is_private() {
    let model = "channel c\npublic yes, no\nprivate k: Sym, j: Sym\nagent A, B\nkey K(Agent)\nprivate function f(Msg)\n\
        system X = c<k>. c<j>. c(y)\nsystem Y = c<j>. c<k>. c(y)\nX ~ Y\n\
        system V = c<K(A)>. c(y)\nsystem W = c<K(B)>. c(y)\nV ~ W\n\
        system F(v) = c<f(v)>. c(y)\nF(yes) ~ F(no)\n";
    for test in [
        "[w is k] success<0>",
        "[w is K(A)] success<0>",
        "[w is f(yes)] success<0>",
        "[(w, yes) is (f(yes), yes)] success<0>",
        "c<f(yes)>. success<0>",
        "c(v). c<k>. success<0>",
    ] {
        let attack = format!("channel success\nsystem Test = c(w). {test}\n");
        let outcome = replay(model, &attack, &[]);
        assert!(
            !outcome.out.contains(": refuted"),
            "{test}: {}",
            outcome.out
        );
    }
}

#[test]
fn what_a_bound_cut_off_might_pass_the_test() {
    let model = "channel c\npublic m1\nsystem Rep = !c<m1>\nsystem Rep2 = c<m1> | !c<m1>\nRep ~ Rep2\nRep2 <= Rep\n";
    let test = "channel success\nsystem Test = c(w1). c(w2). c(w3). success<0>\n";
    let outcome = replay(model, test, &[]);
    assert_eq!(outcome.code, Some(3), "{}{}", outcome.out, outcome.err);
    assert!(!outcome.out.contains(": refuted"), "{}", outcome.out);
    assert!(outcome.out.contains("--copies"), "{}", outcome.out);
    let outcome = replay(model, test, &["--copies", "5"]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.out, outcome.err);
    // A system that is whole can fail for good.
    let model = model.replace("Rep2 = c<m1> | !c<m1>", "Rep2 = c<m1>. c<m1>");
    let outcome = replay(&model, test, &["--copies", "3"]);
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.out, outcome.err);
}

/// One run fails one look and another run another: of none of them it is said that every run fails it.
#[test]
fn what_is_said_of_all_runs_is_true_of_all() {
    let dir = TempDir::new().expect("a folder");
    let file = dir.path().join("m.spi");
    let model = "channel c\npublic a, b\nsystem S = new m, n. (c<m> | c<n>)\nsystem T = c<a> | c<b>\nsystem U = c<a> | c<a>\n";
    fs::write(&file, model).expect("the model is written");
    let told = |other: &str| {
        let (s, t) = (
            format!("{}:S", text(&file)),
            format!("{}:{other}", text(&file)),
        );
        let told = run(&["equiv", &s, &t]).out;
        told.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let several = told("T");
    assert!(
        several.contains("none of its runs passes all these looks"),
        "{several}"
    );
    assert!(!several.contains("in none of its runs w1"), "{several}");
    let one = told("U");
    assert!(
        one.contains("in none of its runs w1 differs from a"),
        "{one}"
    );
}

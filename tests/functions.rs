//! Declared functions: free constructors in every engine.

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn spi(folder: &Path, args: &[&str]) -> (i32, String) {
    let mut command = Command::cargo_bin("spi").expect("the binary is built");
    let output = command.args(args).current_dir(folder).output();
    let output = output.expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("it is text");
    (output.status.code().expect("it ends"), text)
}

const REDUCTIONS: [&str; 10] = [
    "eager",
    "sharing",
    "subsumption",
    "symmetry",
    "pruning",
    "proofs",
    "compression",
    "cones",
    "roles",
    "congruence",
];

/// Everything that a file says comes true.
fn as_expected(text: &str) {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("f.spi"), text).expect("it is written");
    let (code, said) = spi(folder.path(), &["test", "f.spi"]);
    assert_eq!(code, 0, "{said}");
    // Without one mechanism, and without any.
    fs::write(
        folder.path().join("g.spi"),
        text.replace("expect proof", "expect holds"),
    )
    .expect("it is written");
    let without = |names: &[&'static str]| -> Vec<&'static str> {
        let options = names.iter().flat_map(|n| ["--no-reduction", n]);
        ["test", "g.spi"].into_iter().chain(options).collect()
    };
    for args in (REDUCTIONS.iter().map(|r| without(&[r]))).chain([without(&REDUCTIONS)]) {
        let (code, said) = spi(folder.path(), &args);
        assert_eq!(code, 0, "{args:?}: {said}");
    }
    let (code, said) = spi(folder.path(), &["fmt", "f.spi"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = spi(folder.path(), &["test", "f.spi"]);
    assert_eq!(code, 0, "formatted: {said}");
}

const MAC: &str = "agent A, B
channel net
key S(Agent, Agent)
function mac(Msg, Sym): Data
";

#[test]
fn who_has_the_key_makes_the_mac() {
    let roles = "
def Init(a: Agent, b: Agent) = new m: Nonce. event Sent(a, b, m). net<m, mac(m, KEY)>
def Resp(b: Agent, a: Agent) = net(m: Nonce, =mac(m, KEY)). event Got(b, a, m)
system S1 = Init(A, B) | Resp(B, A)
agreement Got(b, a, m) => Sent(a, b, m) in S1 expect ";
    as_expected(&format!("{MAC}{}proof\n", roles.replace("KEY", "S(a, b)")));
    let known = format!(
        "{MAC}knows S(A, B)\n{}attack\n",
        roles.replace("KEY", "S(a, b)")
    );
    as_expected(&known);
    let public = MAC.replace("key S(Agent, Agent)", "public k: Sym");
    as_expected(&format!("{public}{}attack\n", roles.replace("KEY", "k")));
}

/// The prover must give the attacker every public function: it would prove what is false otherwise.
#[test]
fn the_attacker_applies_public_functions_and_no_private_ones() {
    let file = |word: &str, also: &str, verdict: &str| {
        format!(
            "channel net\n{word} f(Msg)\ndef Judge = new s. net<s>. net(=f(f(s))). event Bad(s)\n\
             def Idle(x) = net(y). net<y>\ndef Oracle(x) = net(y). net<f(y)>\n\
             partial system Run = Judge | {also}(net) | {also}(net)\nsystem All = Oracle(net) | Idle(net) | Judge\n\
             reachable Bad(_) in Run expect {verdict}\n"
        )
    };
    as_expected(&file("function", "Idle", "holds"));
    as_expected(&file("private function", "Idle", "attack"));
    as_expected(&file("private function", "Oracle", "holds"));
}

#[test]
fn nothing_comes_out_of_a_function() {
    as_expected(
        "channel net\nfunction f(Msg, Msg)\npartial system S = new n. net<f(n, net)>. net(=f(n, net)). net<net>\n\
         secrecy n in S expect holds\n",
    );
    as_expected(
        "channel net\nfunction f(Msg, Msg)\npartial system S = new n, k. net<{n}f(k, net)>. net<k>. net(=n). net<net>\n\
         secrecy n in S expect attack\n",
    );
    as_expected(
        "channel net\nprivate function f(Msg, Msg)\npartial system S = new n, k. net<{n}f(k, net)>. net<k>\n\
         secrecy n in S expect holds\n",
    );
}

#[test]
fn environments_apply_public_functions_to_tell_systems_apart() {
    let file = |word: &str, body: &str, verdict: &str| {
        format!(
            "agent A, B\nchannel net\n{word} f(Msg, Msg)\nsystem S(x) = new k. {body}\nS(A) ~ S(B) expect {verdict}\n"
        )
    };
    for (body, public, private) in [
        ("net<f(x, k)>", "holds", "holds"),
        ("net<f(x, k)>. net<k>", "attack", "holds"),
        ("net<f(x, net)>", "attack", "holds"),
        ("net<f(x, k), f(A, k)>", "attack", "attack"),
        (
            "net<f(x, k)>. net(y). [y is f(x, k)] net<x>",
            "attack",
            "attack",
        ),
    ] {
        as_expected(&file("function", body, public));
        as_expected(&file("private function", body, private));
    }
}

#[test]
fn states_are_explored_with_functions() {
    let folder = TempDir::new().expect("a folder");
    let text = "channel net\nfunction f(Msg)\nprivate function g(Msg)\n\
                system S = net(x). net<f(x), g(x)>. net(=g(net)). net<net>\n";
    fs::write(folder.path().join("f.spi"), text).expect("it is written");
    let (code, said) = spi(folder.path(), &["lts", "f.spi"]);
    assert_eq!(code, 0, "{said}");
    // The same with a hash in the place of the public function.
    let hashed = text
        .replace("function f(Msg)\nprivate", "private")
        .replace("f(x)", "H(x)");
    fs::write(folder.path().join("h.spi"), hashed).expect("it is written");
    let (code, other) = spi(folder.path(), &["lts", "h.spi"]);
    assert_eq!(code, 0, "{other}");
    let states = |t: &str| t.lines().next().expect("a line").to_owned();
    assert_eq!(states(&said), states(&other));
}

/// A private function is no means of an attacker that is written as a process.
#[test]
fn an_attack_process_applies_no_private_function() {
    let folder = TempDir::new().expect("a folder");
    let text = "channel net\nprivate function f(Msg)\nsystem S = net(=f(net)). event Bad(net)\nreachable Bad(x) in S\n";
    let attack = "channel net\nprivate function f(Msg)\nsystem Attack = net<f(net)>\n";
    fs::write(folder.path().join("f.spi"), text).expect("it is written");
    fs::write(folder.path().join("a.spi"), attack).expect("it is written");
    let (code, said) = spi(folder.path(), &["replay", "f.spi", "a.spi"]);
    assert_ne!(code, 0, "{said}");
    let public = |t: &str| t.replace("private function", "function");
    fs::write(folder.path().join("f.spi"), public(text)).expect("it is written");
    fs::write(folder.path().join("a.spi"), public(attack)).expect("it is written");
    let (code, said) = spi(folder.path(), &["replay", "f.spi", "a.spi"]);
    assert_eq!(code, 0, "{said}");
}

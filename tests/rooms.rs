//! Destructors in every room: layout, honest runs, narrations, charts, JSON, state spaces, attack files, mutants, grades, types, the ladder.

use assert_cmd::Command;
use serde_json::Value;
use spi::base::source::SourceFile;
use spi::lang::syntax::format::format;
use spi::lang::syntax::{dump, parse};
use std::fs;
use tempfile::TempDir;

struct Room {
    folder: TempDir,
}

impl Room {
    fn new(files: &[(&str, &str)]) -> Room {
        let folder = TempDir::new().expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("written");
        }
        Room { folder }
    }

    fn spi(&self, args: &[&str]) -> (i32, String) {
        let mut command = Command::cargo_bin("spi").expect("the binary is built");
        let output = command.args(args).current_dir(self.folder.path()).output();
        let output = output.expect("it runs");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).expect("it is text");
        (output.status.code().expect("it ends"), text)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).expect("it was written")
    }
}

/// A letter in a box: two destructors, one of them with two rules, one inside the other.
const MODEL: &str = "agent A, B
channel net
key S(Agent, Agent)
function box(Sym, Nonce, Agent, Msg): Data, letter(Agent, Msg): Data
destructor open(box(k, n, d, m), k, n, d) = m
destructor text(letter(a, m), a) = m
destructor either(letter(a, m)) = a, either(box(k, n, d, m)) = d

def Init(a: Agent, b: Agent) =
  new m: Data, n: Nonce.
  event Sent(a, b, m).
  net<n, box(S(a, b), n, a, letter(a, m))>

def Resp(b: Agent, a: Agent) =
  net(n: Nonce, c: Data).
  let x = text(open(c, S(a, b), n, a), a) in
  event Got(b, a, x).
  net<either(c)>

system P = Init(A, B) | Resp(B, A)

agreement Got(b, a, m) => Sent(a, b, m) in P  expect proof
secrecy m in P                                expect proof

private s: Data

system Q =
  new k: Sym, n: Nonce.
  net<box(k, n, A, letter(B, s))>.
  net<n>.
  net<k>

secrecy s in Q expect attack
";

#[test]
fn rules_are_laid_out_and_stay_what_they_are() {
    let written = "function box(Msg,Sym):Data   // makes
destructor open(box(x,k),k)=x,/* and */ open2( box( x ,k ) ,
  k)=x  // takes
  ,third(box((x,y),k))=0
destructor fourth(box({x}k, k), k) = x
private function g(Msg)
channel c
system S = let _ = fourth(c, c) in c<third(c)>
";
    let file = SourceFile::anonymous("t", written);
    let laid_out = format(&file).expect("it is right");
    let again = SourceFile::anonymous("t", &laid_out);
    assert_eq!(format(&again).as_deref(), Ok(&*laid_out), "{laid_out}");
    assert_eq!(dump::file(&parse(&file).0), dump::file(&parse(&again).0));
    for comment in ["// makes", "/* and */", "// takes"] {
        assert!(laid_out.contains(comment), "{laid_out}");
    }
    assert!(
        laid_out.contains("destructor open(box(x, k), k) = x,"),
        "{laid_out}"
    );
    assert_eq!(
        format(&SourceFile::anonymous("t", MODEL)).as_deref(),
        Ok(MODEL)
    );
}

/// What can't be read costs only the rule it is in.
#[test]
fn a_rule_that_can_not_be_read_hides_no_other_mistake() {
    let wrong = MODEL
        .replace(
            "destructor text(letter(a, m), a) = m",
            "destructor text(letter(a, m) a) = ",
        )
        .replace("net<either(c)>", "net<either(cc)>");
    let file = SourceFile::anonymous("t", &wrong);
    let model = spi::lang::sema::Lowered::from_text(&file, &spi::term::TermStore::new());
    let places: Vec<usize> = model
        .nested
        .diagnostics
        .iter()
        .filter_map(|d| Some(file.line_column(d.primary()?.start).0))
        .collect();
    assert_eq!(places, [6, 18], "{:?}", model.nested.diagnostics);
}

#[test]
fn what_the_file_says_comes_true_typed_and_untyped() {
    let room = Room::new(&[("m.spi", MODEL)]);
    for args in [&["test", "m.spi"][..], &["test", "m.spi", "--typed"]] {
        let (code, said) = room.spi(args);
        assert_eq!(code, 0, "{said}");
    }
    let (code, said) = room.spi(&["check", "m.spi", "--system", "P", "--sessions", "2", "-q"]);
    assert_eq!(code, 0, "{said}");
    let (_, said) = room.spi(&[
        "check", "--ladder", "Init", "Resp", "m.spi", "--system", "P",
    ]);
    assert!(said.contains("non-injective agreement  proved"), "{said}");
}

#[test]
fn runs_and_narrations_say_who_applies_what() {
    let room = Room::new(&[("m.spi", MODEL)]);
    let (code, said) = room.spi(&["run", "m.spi", "--system", "P"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("A -> B : n, box(S(A, B), n, A, letter(A, m))"),
        "{said}"
    );
    assert!(
        said.contains("x = m") && said.contains("B -> A : A"),
        "{said}"
    );
    let (_, said) = room.spi(&["check", "m.spi", "--system", "Q"]);
    assert!(
        said.contains("applies open to 1 with k, n, A, then applies text to it with"),
        "{said}"
    );
    assert!(!said.contains("joins them"), "{said}");
    let (_, json) = room.spi(&["check", "m.spi", "--system", "Q", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let run = json["files"][0]["claims"][0]["runs"][0].to_string();
    assert!(run.contains("\"letter(B, s)\",\"s\""), "{run}");
}

#[test]
fn charts_and_state_spaces_show_destructors() {
    let room = Room::new(&[("m.spi", MODEL)]);
    for (name, part) in [("c.svg", "<svg"), ("c.html", "<html"), ("c.tex", "tikz")] {
        let (_, said) = room.spi(&["check", "m.spi", "--system", "Q", "--chart", name]);
        assert!(room.read(name).contains(part), "{said}");
    }
    assert!(room.read("c.html").contains("applies open"));
    let (code, said) = room.spi(&["lts", "m.spi", "--system", "Q", "--format", "text"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("either(#0) gives A"), "{said}");
    let (code, said) = room.spi(&["lts", "m.spi", "--system", "P"]);
    assert!(code == 0 && said.contains("complete"), "{said}");
}

#[test]
fn attacks_apply_destructors_when_they_are_replayed() {
    let room = Room::new(&[("m.spi", MODEL)]);
    room.spi(&["check", "m.spi", "--system", "Q", "--emit-attack", "a.spi"]);
    let attack = room.read("a.spi");
    assert!(attack.contains("= open(w1, w3, w2, A) in"), "{attack}");
    assert!(attack.contains("= text("), "{attack}");
    let (code, said) = room.spi(&["replay", "m.spi:Q", "a.spi"]);
    assert_eq!(code, 1, "{said}");
    let wrong = attack.replace("open(w1, w3, w2, A)", "open(w1, w2, w3, A)");
    fs::write(room.folder.path().join("b.spi"), wrong).expect("written");
    let (code, said) = room.spi(&["replay", "m.spi:Q", "b.spi"]);
    assert!(
        code == 1 && said.contains("could not go on"),
        "a destructor that fails stops the attack: {said}"
    );
}

#[test]
fn mutants_leave_out_checks_and_change_arguments_at_both_ends() {
    let text = "use sig\nagent U, S\nspy E\nchannel net\nkeypair K(Agent)
def User(u: Agent, s: Agent) = net<u>. net(n: Nonce). event Signed(u, s, n). net<sig((n, s), K(u)-)>
def Site(s: Agent, u: Agent) =
  net(=u). new n: Nonce. net<n>. net(x: Data). let _ = verify(x, (n, s), K(u)+) in event In(s, u, n)
system P = User(U, S) | User(U, E) | Site(S, U)
injective agreement In(s, u, n) => Signed(u, s, n) in P expect proof\n";
    let room = Room::new(&[("m.spi", text)]);
    let (_, said) = room.spi(&["mutate", "m.spi"]);
    let line = |what: &str| {
        said.lines()
            .find(|l| l.contains(what))
            .unwrap_or("none")
            .to_owned()
    };
    assert!(
        line("drop check verify(x, (n, s), K(u)+)").contains(" X "),
        "{said}"
    );
    assert!(line("(n, s): drop identity s").contains(" X "), "{said}");
    // A name that is the same in every session does not catch the variables of rules.
    let room = Room::new(&[("m.spi", MODEL)]);
    let (_, said) = room.spi(&["mutate", "m.spi", "--system", "P"]);
    let same = said
        .lines()
        .find(|l| l.contains("the same nonce n"))
        .expect("there is one");
    assert!(!same.contains("not executable"), "{said}");
}

#[test]
fn grading_compares_functions_and_destructors() {
    let exercise = "title: A test\nkind: fix\nmodel: m.spi\n";
    let model = "agent A, B\nchannel net\nkey S(Agent, Agent)
function box(Sym, Msg): Data
destructor open(box(k, m), k) = m
def Init(a: Agent, b: Agent) = new n: Nonce. event Sent(a, b, n). net<box(S(a, b), a), n>
def Resp(b: Agent, a: Agent) = net(x: Data, n: Nonce). let y = open(x, S(a, b)) in event Got(b, a, n)
system P = Init(A, B) | Resp(B, A)
agreement Got(b, a, n) => Sent(a, b, n) in P expect holds\n";
    let good = model
        .replace("net<box(S(a, b), a), n>", "net<box(S(a, b), (a, n)), n>")
        .replace(
            "let y = open(x, S(a, b)) in",
            "let (=a, =n) = open(x, S(a, b)) in",
        );
    let cheat = good.replace("open(box(k, m), k) = m", "open(box(k, m)) = m");
    let more = good.replace(
        "function box(Sym, Msg): Data",
        "function box(Sym, Msg): Data, other(Msg)",
    );
    let room = Room::new(&[
        ("e.exercise", exercise),
        ("m.spi", model),
        ("good.spi", &good),
        ("cheat.spi", &cheat),
        ("more.spi", &more),
    ]);
    let (code, said) = room.spi(&["grade", "e.exercise", "good.spi"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = room.spi(&["grade", "e.exercise", "cheat.spi"]);
    assert_ne!(code, 0, "{said}");
    let (code, said) = room.spi(&["grade", "e.exercise", "more.spi"]);
    assert!(
        code != 0 && said.contains("`function other(Msg)` is not in the exercise"),
        "{said}"
    );
}

/// A destructor that gives what one of its arguments is made of: nothing is learned, but that it fits is seen.
#[test]
fn success_is_seen_where_nothing_is_learned() {
    let text = "use sig\nchannel net
system Signed = new k, m: Data. net<k+>. net<m>. net<sig(m, k-)>
system Other = new k, m: Data, l: Data. net<k+>. net<m>. net<sig(l, k-)>
system Unseen = new k, m: Data, l: Data. net<k+>. net<sig(m, k-)>
system Unseen2 = new k, m: Data, l: Data. net<k+>. net<sig((m, l), k-)>
Signed ~ Other   expect attack
Signed ~ Signed
Unseen ~ Unseen2 expect holds
";
    let room = Room::new(&[("m.spi", text)]);
    for more in [
        &[][..],
        &["--no-reduction", "cones"],
        &["--no-reduction", "cones,roles,congruence"],
    ] {
        let (code, said) = room.spi(&[&["test", "m.spi"], more].concat());
        assert_eq!(code, 0, "{more:?}: {said}");
    }
}

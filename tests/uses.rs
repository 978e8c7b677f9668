//! `use`: libraries that come with the program, and other files.

use assert_cmd::Command;
use serde_json::Value;
use spi::base::source::{Code, SourceFile, shipped};
use spi::term::TermStore;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn spi(folder: &Path, args: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("spi").expect("the binary is built");
    command.args(args).current_dir(folder).write_stdin(input);
    let output = command.output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    let code = output.status.code().expect("it ends");
    (code, text(output.stdout), text(output.stderr))
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    folder
}

const KEYS: &str = "key S(Agent, Agent)\n";

const ROLES: &str = "use aead, \"keys.spi\"
channel net

def Init(a: Agent, b: Agent) =
  new m: Data, n: Nonce.
  event Sent(a, b, m).
  net<n, aead(S(a, b), n, a, m)>

def Resp(b: Agent, a: Agent) =
  net(n: Nonce, c: Data).
  let x = open(c, S(a, b), n, a) in
  event Got(b, a, x)

agent X, Y
system Session = Init(X, Y) | Resp(Y, X)

injective agreement Got(b, a, m) => Sent(a, b, m) in Session expect proof
";

const MODEL: &str = "use \"lib/roles.spi\"
agent A, B

system Session = Init(A, B) | Resp(B, A)

system Twice = Init(A, B) | Resp(B, A) | Resp(B, A)

secrecy m in Session                                       expect proof
injective agreement Got(b, a, m) => Sent(a, b, m) in Twice expect attack
";

fn model() -> TempDir {
    folder(&[
        ("m.spi", MODEL),
        ("lib/roles.spi", ROLES),
        ("lib/keys.spi", KEYS),
    ])
}

#[test]
fn every_library_is_right_in_itself_and_beside_the_others() {
    let names: Vec<&str> = shipped::all().map(|(name, _)| name).collect();
    for used in names
        .iter()
        .map(ToString::to_string)
        .chain([names.join(", ")])
    {
        let text =
            format!("use {used}\nchannel c\npartial system S = c<c>. event E\nreachable E in S\n");
        let file = SourceFile::anonymous("t.spi", &text);
        let model = spi::lang::sema::Lowered::from_text(&file, &TermStore::new());
        assert!(
            model.nested.diagnostics.is_empty(),
            "{used}: {:?}",
            model.nested.diagnostics
        );
    }
    for name in names {
        let text = &shipped::named(name).expect("it is listed").text;
        let file = SourceFile::anonymous(name, text);
        let laid_out = spi::lang::syntax::format::format(&file).expect("it is right");
        assert_eq!(laid_out, **text, "{name} is laid out");
        let here = folder(&[]);
        let (code, shown, _) = spi(here.path(), &["explain", name], "");
        assert_eq!(code, 0);
        assert!(shown.starts_with(&format!("use {name}: ")), "{shown}");
    }
}

#[test]
fn a_file_brings_its_declarations_but_not_its_systems_and_claims() {
    let here = model();
    let (code, said, wrong) = spi(here.path(), &["test", "m.spi"], "");
    assert_eq!(code, 0, "{said}{wrong}");
    assert!(said.contains("2 claims in 1 file: 2 as expected"), "{said}");
    // From elsewhere, from standard input, and the used file by itself.
    let above = here.path().parent().expect("a folder");
    let path = here.path().join("m.spi");
    let (code, said, _) = spi(above, &["test", path.to_str().expect("text")], "");
    assert_eq!(code, 0, "{said}");
    let (code, said, _) = spi(here.path(), &["check", "-", "-q"], MODEL);
    assert_eq!(code, 1, "{said}");
    let (code, said, _) = spi(here.path(), &["test", "lib/roles.spi"], "");
    assert_eq!(code, 1, "its own claim has its own verdict: {said}");
}

#[test]
fn places_name_the_file_they_lie_in() {
    let here = model();
    let (_, said, _) = spi(here.path(), &["check", "m.spi", "--system", "Twice"], "");
    assert!(
        said.contains("accepts it (lines 10, 11 of lib/roles.spi)"),
        "{said}"
    );
    assert!(said.contains("lib/roles.spi:12:3"), "{said}");
    let (_, json, _) = spi(here.path(), &["check", "m.spi", "--format", "json"], "");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let claims = &json["files"][0]["claims"];
    assert_eq!(claims[0]["place"]["file"], "m.spi");
    let steps = claims[1]["runs"][0]["steps"].as_array().expect("steps");
    assert!(
        steps.iter().all(|s| s["place"]["file"] == "lib/roles.spi"),
        "{steps:?}"
    );
}

#[test]
fn mistakes_in_a_used_file_are_shown_there() {
    let here = model();
    let wrong = ROLES.replace("S(a, b), n, a) in", "S(a, b), nn, a) in");
    fs::write(here.path().join("lib/roles.spi"), wrong).expect("written");
    let (code, _, said) = spi(here.path(), &["check", "m.spi"], "");
    assert_eq!(code, 2);
    assert!(
        said.contains("unknown name `nn`") && said.contains("lib/roles.spi:11:"),
        "{said}"
    );
    assert!(said.contains("used from here"), "{said}");
    let (_, said, _) = spi(here.path(), &["check", "m.spi", "--format", "github"], "");
    assert!(
        said.contains("::error file=lib/roles.spi,line=11"),
        "{said}"
    );
    let (_, said, _) = spi(here.path(), &["check", "m.spi", "--format", "sarif"], "");
    assert!(
        said.contains("lib/roles.spi") && said.contains("\"startLine\": 11"),
        "{said}"
    );
    // Warnings belong to whoever checks that file.
    fs::write(
        here.path().join("lib/roles.spi"),
        format!("{ROLES}key Unused(Agent)\n"),
    )
    .expect("written");
    let (_, _, said) = spi(here.path(), &["check", "m.spi"], "");
    assert_eq!(said, "");
    let (_, _, said) = spi(here.path(), &["check", "lib/roles.spi"], "");
    assert!(said.contains("`Unused` is never used"), "{said}");
}

/// The codes of what is wrong with a file of a folder.
fn codes(here: &Path, file: &str) -> Vec<Code> {
    let mut map = spi::base::source::SourceMap::new();
    let path = here.join(file);
    let checked = spi::lang::sema::load(
        &mut map,
        &path,
        &TermStore::new(),
        spi::process::TupleMode::Nested,
    );
    let diagnostics = checked.expect("it is there").diagnostics;
    let errors = diagnostics.iter().filter(|d| d.is_error());
    errors.map(|d| d.code).collect()
}

#[test]
fn what_can_not_be_used_is_reported_where_it_is_named() {
    let rest = "channel c\npartial system P = c<c>\n";
    let file = |uses: &str| format!("{uses}\n{rest}");
    let cycle = file("use \"b.spi\"");
    let files = [
        ("none.spi", file("use \"nothing.spi\"")),
        ("dir.spi", file("use \"folder\"")),
        ("library.spi", file("use aed")),
        ("itself.spi", file("use \"itself.spi\"")),
        ("a.spi", cycle.clone()),
        ("b.spi", "use \"a.spi\"\n".to_owned()),
        ("folder/x.spi", String::new()),
        ("empty.spi", file("use \"folder/x.spi\"")),
        ("clash.spi", file("use mac\npublic mac")),
        ("twice.spi", file("use mac, mac, \"uses-mac.spi\"")),
        ("uses-mac.spi", "use mac\npublic p\n".to_owned()),
        (
            "own.spi",
            file("use aead\nfunction f(Msg)\ndestructor open(f(x), y, z, w) = x"),
        ),
        ("nested.spi", file("use \"up/one.spi\"")),
        ("up/one.spi", "use \"../uses-mac.spi\"\n".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(n, t)| (*n, t.as_str())).collect();
    let here = folder(&files);
    let found = |file| codes(here.path(), file);
    assert_eq!(found("none.spi"), [Code::CannotRead]);
    assert_eq!(found("dir.spi"), [Code::IsADirectory]);
    assert_eq!(found("library.spi"), [Code::CannotUse]);
    assert_eq!(found("itself.spi"), [Code::CannotUse]);
    assert_eq!(found("a.spi"), [Code::CannotUse]);
    assert_eq!(found("empty.spi"), [Code::EmptyFile]);
    assert_eq!(found("clash.spi"), [Code::DuplicateDefinition]);
    assert_eq!(found("own.spi"), [Code::DuplicateDefinition]);
    assert_eq!(found("twice.spi"), []);
    assert_eq!(found("nested.spi"), []);
    let (_, _, said) = spi(here.path(), &["check", "clash.spi"], "");
    assert!(
        said.contains("clash.spi:2:8") && said.contains("<mac>:6:10"),
        "{said}"
    );
    let (_, _, said) = spi(here.path(), &["check", "a.spi"], "");
    assert!(
        said.contains("b.spi:1:5") && said.contains("by way of `b.spi`"),
        "{said}"
    );
}

#[test]
fn used_files_are_inputs_and_are_left_alone() {
    let here = model();
    let keys = here.path().join("lib/keys.spi");
    let args = ["check", "m.spi", "--emit-attack", "lib/keys.spi", "--force"];
    let (code, _, said) = spi(here.path(), &args, "");
    assert_eq!(code, 2);
    assert!(said.contains("is an input"), "{said}");
    let args = ["check", "-", "--emit-attack", "lib/keys.spi", "--force"];
    let (_, _, said) = spi(here.path(), &args, MODEL);
    assert!(said.contains("is an input"), "{said}");
    fs::write(&keys, "key   S( Agent,Agent )\n").expect("written");
    let (code, _, _) = spi(here.path(), &["fmt", "m.spi"], "");
    assert_eq!(code, 0);
    assert_eq!(
        fs::read_to_string(&keys).expect("there"),
        "key   S( Agent,Agent )\n"
    );
    let (_, laid_out, _) = spi(
        here.path(),
        &["fmt", "-"],
        "use   aead ,\"x y.spi\"  // why\nchannel c\n",
    );
    assert_eq!(laid_out, "use aead, \"x y.spi\"  // why\nchannel c\n");
}

#[test]
fn roles_of_another_file_are_roles_in_every_command() {
    let here = model();
    let run = |args: &[&str]| {
        let (code, said, wrong) = spi(here.path(), args, "");
        (code, said + &wrong)
    };
    let (code, said) = run(&["run", "m.spi"]);
    assert!(
        code == 0 && said.contains("every role instance finishes"),
        "{said}"
    );
    let (_, said) = run(&[
        "check", "--ladder", "Init", "Resp", "m.spi", "--system", "Twice",
    ]);
    assert!(
        said.contains("aliveness") && said.contains("injective agreement"),
        "{said}"
    );
    let (_, said) = run(&["mutate", "m.spi"]);
    assert!(
        said.contains("the files that it uses stay as they are"),
        "{said}"
    );
    let (code, said) = run(&["lts", "m.spi", "--system", "Session"]);
    assert!(code == 0 && said.contains("complete"), "{said}");
    let (_, said) = run(&["check", "m.spi", "--sessions", "3", "-q"]);
    assert!(said.contains("attack"), "{said}");
    let (_, said) = run(&[
        "check",
        "m.spi",
        "--system",
        "Twice",
        "--emit-attack",
        "a.spi",
        "-q",
    ]);
    assert!(said.contains("attack") && here.path().join("a.spi").exists());
    let (code, said) = run(&["replay", "m.spi", "a.spi"]);
    assert_eq!(code, 1, "{said}");
    let (code, said) = run(&["equiv", "m.spi:Session", "m.spi:Twice"]);
    assert_eq!(code, 1, "{said}");
}

#[test]
fn an_attack_file_uses_what_it_likes() {
    let model = "use mac\nchannel net\nprivate k: Sym\nsystem S = new n: Nonce. net<n>. net(=H(n)). net<k>\nsecrecy k in S\n";
    let attack =
        "use mac, kdf\nsystem Attack = net(n). let m = kdf(mac(n, n), n) in net<H(n)>. net(k)\n";
    let here = folder(&[
        ("m.spi", model),
        ("a.spi", attack),
        ("b.spi", "use kfd\nsystem Attack = net(n)\n"),
    ]);
    let (code, said, wrong) = spi(here.path(), &["replay", "m.spi", "a.spi"], "");
    assert_eq!(code, 1, "{said}{wrong}");
    let (code, _, said) = spi(here.path(), &["replay", "m.spi", "b.spi"], "");
    assert_eq!(code, 2);
    assert!(
        said.contains("there is no library `kfd`") && said.contains("`kdf`"),
        "{said}"
    );
}

#[test]
fn papers_of_an_exercise_use_libraries_only() {
    let model = "use mac\nagent A, B\nchannel net\nkey S(Agent, Agent)
def Init(a: Agent, b: Agent) = new n: Nonce. event Sent(a, b, n). net<n, mac(b, S(a, b))>
def Resp(b: Agent, a: Agent) = net(n: Nonce, =mac(b, S(a, b))). event Got(b, a, n)
system P = Init(A, B) | Resp(B, A)
agreement Got(b, a, n) => Sent(a, b, n) in P expect holds\n";
    let exercise = "title: A test\nkind: fix\nmodel: m.spi\n";
    let solved = model.replace("mac(b,", "mac(n,");
    let here = folder(&[
        ("e.exercise", exercise),
        ("m.spi", model),
        ("good.spi", &solved),
        ("bad.spi", &format!("use \"good.spi\"\n{model}")),
        (
            "other.spi",
            &solved.replace("use mac", "function mac(Msg, Sym): Data"),
        ),
    ]);
    let (code, said, wrong) = spi(here.path(), &["grade", "e.exercise", "good.spi"], "");
    assert_eq!(code, 0, "{said}{wrong}");
    let (code, said, wrong) = spi(here.path(), &["grade", "e.exercise", "bad.spi"], "");
    assert_ne!(code, 0);
    assert!((said + &wrong).contains("can't be used here"));
    let (code, said, wrong) = spi(here.path(), &["grade", "e.exercise", "other.spi"], "");
    assert_eq!(code, 0, "the same declarations, written out: {said}{wrong}");
}

/// What the cookbook shows is as it says.
#[test]
fn the_cookbook_comes_true() {
    let text = include_str!("../docs/cookbook.md");
    let mut blocks = text.split("```spi\n").skip(1);
    let models: Vec<&str> = blocks
        .by_ref()
        .filter_map(|b| Some(b.split_once("```")?.0))
        .collect();
    assert!(models.len() >= 9);
    for model in models {
        let here = folder(&[("m.spi", model)]);
        let (code, said, wrong) = spi(here.path(), &["test", "m.spi"], "");
        assert_eq!(code, 0, "{model}\n{said}{wrong}");
    }
}

/// A variable of a rule is one, whatever the file that uses it declares. What captured it used to be proved for no reason.
#[test]
fn what_a_file_declares_is_no_part_of_the_rules_that_it_uses() {
    let role = "agent A channel net\n\
        def I = new m: Data, i: Nonce, k1: Sym. net<k1, i>. net<aead(k1, i, A, m)>\n\
        system S = I\nsecrecy m in S expect attack\n";
    for declared in [
        "",
        "public x: Data\n",
        "private k: Sym\n",
        "public n, d, m\n",
    ] {
        let here = folder(&[("m.spi", &format!("use aead\n{declared}{role}"))]);
        let (code, said, wrong) = spi(here.path(), &["test", "m.spi"], "");
        assert_eq!(code, 0, "{declared}{said}{wrong}");
    }
}

/// Such a rule used to be left out in silence, and the others with it.
#[test]
fn a_rule_without_a_form_is_refused() {
    for rule in [
        "id(x) = x",
        "same(x, x) = x",
        "open(box(x, k), k) = x, open(y, k) = bad",
    ] {
        let text = format!(
            "channel c\npublic bad\nfunction box(Msg, Sym)\ndestructor {rule}\n\
             system S = new m. new t. c<box(m, t)>. c<t>\nsecrecy m in S\n"
        );
        let here = folder(&[("m.spi", &text)]);
        let (code, said, wrong) = spi(here.path(), &["check", "m.spi"], "");
        assert!(code == 2 && (said + &wrong).contains("would take nothing apart"));
    }
}

/// A name of one used file and a variable in a rule of another.
#[test]
fn a_variable_that_another_file_names_is_to_be_renamed() {
    let here = folder(&[
        (
            "m.spi",
            "use \"one.spi\", \"two.spi\"\nchannel c\npartial system S = c<f(ok, ok)>\n",
        ),
        (
            "one.spi",
            "function f(Msg, Msg): Data\ndestructor open(f(x, k), k) = x\n",
        ),
        ("two.spi", "public k, ok\n"),
    ]);
    let (code, _, said) = spi(here.path(), &["check", "m.spi"], "");
    assert_eq!(code, 2);
    assert!(
        said.contains("`k` in this rule meets a name of another used file")
            && said.contains("rename one of the two"),
        "{said}"
    );
}

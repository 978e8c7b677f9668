//! The binary from outside: any bytes end in a diagnostic and exit code 2.

use assert_cmd::Command;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Output;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A debug build on a busy machine may take this long for the largest inputs.
const PATIENCE: Duration = Duration::from_secs(60);

fn spi(args: &[&str]) -> Output {
    Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(args)
        .timeout(PATIENCE)
        .output()
        .expect("it runs")
}

fn spi_stdin(args: &[&str], input: impl Into<Vec<u8>>) -> Output {
    let mut command = Command::cargo_bin("spi").expect("the binary is built");
    command
        .args(args)
        .write_stdin(input)
        .timeout(PATIENCE)
        .output()
        .expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Gives the bytes to the commands that read a model and expects an error with this code.
fn rejected(what: &str, bytes: impl Into<Vec<u8>>, code: &str) {
    let bytes = bytes.into();
    for command in ["fmt", "check"] {
        let started = Instant::now();
        let output = spi_stdin(&[command, "-"], bytes.clone());
        let stderr = text(&output.stderr);
        let shown: String = stderr.chars().take(2000).collect();
        assert_eq!(output.status.code(), Some(2), "{command}: {what}: {shown}");
        assert!(stderr.contains(code), "{command}: {what}: {shown}");
        assert!(output.stdout.is_empty(), "{command}: {what}");
        assert!(
            stderr.len() < 200_000,
            "{what}: {} bytes of diagnostics",
            stderr.len()
        );
        assert!(started.elapsed() < PATIENCE, "{command}: {what}");
    }
}

fn nested(open: &str, middle: &str, close: &str, times: usize) -> String {
    format!(
        "channel c\nsystem S = {}{middle}{}\n",
        open.repeat(times),
        close.repeat(times)
    )
}

#[test]
fn strange_bytes() {
    rejected("empty", "", "E0604");
    rejected("only a comment", "// nothing\n", "E0604");
    rejected("only a byte-order mark", "\u{feff}", "E0604");
    rejected("NUL", "channel c\0", "E0006");
    rejected("only NUL", vec![0; 100_000], "E0006");
    rejected("invalid UTF-8", b"channel c\xff\xfe".to_vec(), "E0603");
    rejected("UTF-16", b"\xff\xfec\0h\0".to_vec(), "E0603");
    rejected("unterminated comment", "channel c /* never", "E0003");
    rejected("all bytes", (0..=255).collect::<Vec<u8>>(), "E0603");
    rejected(
        "all of Latin",
        ('\u{1}'..'\u{250}').collect::<String>(),
        "E0",
    );
}

#[test]
fn large_and_deep_inputs() {
    const MANY: usize = 100_000;
    rejected("4 MB of (", "(".repeat(4_000_000), "E0104");
    rejected("4 MB of ) ", ") ".repeat(2_000_000), "E0103");
    rejected("4 MB of {[", "{[".repeat(2_000_000), "E0104");
    rejected("4 MB of ?", "?".repeat(4_000_000), "E0001");
    rejected("4 MB of ? with blanks", "? ".repeat(2_000_000), "E0001");
    rejected("10 MB of anything", "(".repeat(10 << 20), "E0605");
    rejected("parentheses", nested("(", "0", ")", MANY), "E0104");
    rejected("new", nested("new n. ", "0", "", MANY), "E0104");
    rejected(
        "new in parentheses",
        nested("(new n) ", "0", "", MANY),
        "E0104",
    );
    rejected(
        "new and parentheses",
        nested("new n. (", "0", ")", MANY),
        "E0104",
    );
    rejected(
        "tuples",
        nested("", &nested("c<(c, ", "c", ")>", MANY), "", 1),
        "E0104",
    );
    rejected(
        "ciphertexts",
        format!("knows {}k{}", "{".repeat(MANY), "}k".repeat(MANY)),
        "E0104",
    );
    rejected(
        "keys of keys",
        format!("knows {}k", "{a}".repeat(MANY)),
        "E0104",
    );
    rejected(
        "signatures",
        format!("knows {}a{}", "[{".repeat(MANY), "}]k".repeat(MANY)),
        "E0104",
    );
    rejected("signs", format!("knows k{}", "+-".repeat(MANY)), "E0104");
    rejected("else", nested("[c is c] 0 else ", "0", "", MANY), "E0104");
    rejected("then", nested("[c is c] ", "0", " else 0", MANY), "E0104");
    rejected(
        "integer cases",
        nested("case c of 0: 0 suc(x): ", "0", "", MANY),
        "E0104",
    );
    rejected(
        "integer cases in zero",
        nested("case c of 0: ", "0", " suc(x): 0", MANY),
        "E0104",
    );
    rejected("replications", nested("!", "0", "", MANY), "E0104");
    rejected("unclosed (", nested("(", "", "", 200), "E0102");
    rejected("stray lines", "word ".repeat(MANY), "E0105");
    rejected("lines of mistakes", "agent A B\n".repeat(MANY), "E0101");
    rejected(
        "unclosed in every line",
        "system S = (\n".repeat(MANY),
        "E0102",
    );
}

#[test]
fn long_but_flat_inputs_are_accepted() {
    let mut wide = String::from("channel c\nsystem S = 0");
    let mut names = String::from("agent A");
    for i in 0..50_000 {
        wide.push_str(" | c<c>");
        let _ = write!(names, ", A{i}");
    }
    for (what, model) in [("parallel", wide), ("names", names)] {
        let output = spi_stdin(&["fmt", "-"], model);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{what}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn byte_order_mark_and_carriage_returns_are_accepted() {
    let output = spi_stdin(
        &["fmt", "-"],
        "\u{feff}agent A,B\r\n\r\n// x\r\nchannel c\r\n",
    );
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "agent A, B\n\n// x\nchannel c\n");
}

#[test]
fn a_directory_or_a_missing_file_is_an_error() {
    let folder = TempDir::new().expect("a folder");
    let missing = folder.path().join("none.spi");
    let output = spi(&["fmt", &missing.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("E0601"));
    let output = spi(&["fmt", &folder.path().to_string_lossy()]);
    assert_eq!(output.status.code(), Some(2), "a directory without models");
}

fn models(files: &[(&str, &str)]) -> (TempDir, Vec<PathBuf>) {
    let folder = TempDir::new().expect("a folder");
    let paths = files.iter().map(|(name, content)| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, content).expect("a file");
        path
    });
    let paths = paths.collect();
    (folder, paths)
}

#[test]
fn fmt_rewrites_files_and_searches_directories() {
    let (folder, paths) = models(&[
        ("a.spi", "agent A,B\n"),
        ("sub/b.spi", "spy  C\n"),
        ("c.txt", "spy  D\n"),
    ]);
    let root = folder.path().to_string_lossy().into_owned();
    let check = spi(&["fmt", "--check", &root]);
    assert_eq!(check.status.code(), Some(1));
    assert_eq!(text(&check.stdout).lines().count(), 2);
    assert_eq!(spi(&["fmt", &root]).status.code(), Some(0));
    let read = |i: usize| fs::read_to_string(&paths[i]).expect("the file");
    assert_eq!(
        [read(0), read(1), read(2)],
        ["agent A, B\n", "spy C\n", "spy  D\n"]
    );
    let check = spi(&["fmt", "--check", &root]);
    assert_eq!(
        (check.status.code(), text(&check.stdout)),
        (Some(0), String::new())
    );
}

#[test]
fn fmt_leaves_a_wrong_file_alone() {
    let (_folder, paths) = models(&[("a.spi", "agent A  B\n")]);
    let output = spi(&["fmt", &paths[0].to_string_lossy()]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        fs::read_to_string(&paths[0]).expect("the file"),
        "agent A  B\n"
    );
}

#[test]
fn explain_prints_the_long_form() {
    let output = spi(&["explain", "e0102"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).starts_with("E0102: "));
    assert_eq!(spi(&["explain"]).status.code(), Some(0));
    assert_eq!(spi(&["explain", "E9999"]).status.code(), Some(2));
}

#[test]
fn wrong_usage_is_an_error_and_help_is_not() {
    assert_eq!(spi(&[]).status.code(), Some(2));
    assert_eq!(spi(&["fmt"]).status.code(), Some(2));
    assert_eq!(spi(&["no-such-command"]).status.code(), Some(2));
    assert_eq!(spi(&["--help"]).status.code(), Some(0));
    assert_eq!(spi(&["--version"]).status.code(), Some(0));
}

#[test]
fn colour_is_a_choice() {
    let plain = spi_stdin(&["fmt", "-"], "agent A B");
    assert!(!text(&plain.stderr).contains('\u{1b}'));
    let coloured = spi_stdin(&["--color", "always", "fmt", "-"], "agent A B");
    assert!(text(&coloured.stderr).contains('\u{1b}'));
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_no_error() {
    use std::process::{Command, Stdio};
    let mut names = String::from("agent A");
    for i in 0..100_000 {
        let _ = write!(names, ", A{i}");
    }
    let (_folder, paths) = models(&[("a.spi", &names)]);
    let input = fs::File::open(&paths[0]).expect("the file");
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("spi"))
        .args(["fmt", "-"])
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn files_of_different_worlds_are_not_compared() {
    let folder = TempDir::new().expect("a folder can be made");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the file can be written");
        path.to_string_lossy().into_owned()
    };
    let agent = write("agent.spi", "channel c agent k partial system T = c<k>");
    let spy = write("spy.spi", "channel c spy k partial system T = c<k>");
    let private = write("private.spi", "channel c private k partial system T = c<k>");
    let knows = write(
        "knows.spi",
        "channel c private k knows k partial system T = c<k>",
    );
    for (left, right) in [(&agent, &spy), (&agent, &private), (&private, &knows)] {
        let out = spi(&["equiv", left, right]);
        assert_eq!(out.status.code(), Some(2), "{left} {right}");
        assert!(text(&out.stderr).contains("E0409"), "{}", text(&out.stderr));
    }
    let same = write("same.spi", &fs::read_to_string(&knows).expect("read"));
    assert_eq!(spi(&["equiv", &knows, &same]).status.code(), Some(0));
    assert_eq!(
        spi(&["equiv", &knows, &knows]).status.code(),
        Some(4),
        "a system that is compared with itself"
    );
}

#[test]
fn a_target_of_the_command_line_is_checked_like_one_of_the_file() {
    let model = "agent A\nspy C\nchannel net\nkey K(Agent)\n\
        def P(a: Agent) = new n: Nonce. net<n>. net<K(a)>\nsystem S = P(A)\nsecrecy n in S\n";
    for (target, code) in [
        ("K", "E0207"),
        ("(n, K(A, A))", "E0"),
        ("P", "E0205"),
        ("S", "E0205"),
    ] {
        let output = spi_stdin(&["check", "-", "--secrecy", target], model);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{target}: {stderr}");
        assert!(stderr.contains(code), "{target}: {stderr}");
    }
    let output = spi_stdin(&["check", "-", "--secrecy", "n, (K(A))"], model);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
}

#[test]
fn compared_systems_are_named_by_file_and_may_have_arguments() {
    let folder = TempDir::new().expect("a folder can be made");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the file can be written");
        path.to_string_lossy().into_owned()
    };
    let one = write("one.spi", "channel c public a, b partial system S = c<a>");
    let two = write("two.spi", "channel c public a, b partial system S = c<b>");
    let out = spi(&["equiv", &one, &two]);
    assert_eq!(out.status.code(), Some(1));
    let stdout = text(&out.stdout);
    assert!(
        stdout.starts_with(&format!("{one} ~ {two}: not equivalent\n")),
        "{stdout}"
    );
    let model = write(
        "model.spi",
        "channel c public a, b partial system S(m) = c<m> partial system P(m) = new k. c<{m}k>",
    );
    let of = |system: &str| format!("{model}:{system}");
    for (left, right, code) in [("S(a)", "S(b)", 1), ("P(a)", "P((b, b))", 0)] {
        let out = spi(&["equiv", &of(left), &of(right)]);
        assert_eq!(out.status.code(), Some(code), "{}", text(&out.stderr));
        assert!(text(&out.stdout).starts_with(&format!("{left} ~ {right}: ")));
    }
    for (system, code) in [
        ("S(z)", "E0201"),
        ("S(a, b)", "E0204"),
        ("S(a) S(b)", "E01"),
        ("S", "E0204"),
    ] {
        let out = spi(&["equiv", &of(system), &of("S(a)")]);
        assert_eq!(out.status.code(), Some(2), "{system}");
        assert!(
            text(&out.stderr).contains(code),
            "{system}: {}",
            text(&out.stderr)
        );
    }
}

#[test]
fn reductions_have_names_and_those_without_effect_are_said() {
    let model = "channel c, d public a, b partial system S = c<a> | d(x). d<a>\n\
        partial system T = c<a> | d(x). d<b>";
    let folder = TempDir::new().expect("a folder can be made");
    let path = folder.path().join("m.spi");
    fs::write(&path, model).expect("the file can be written");
    let of = |system: &str| format!("{}:{system}", path.display());
    let run = |names: &[&str]| {
        let mut args = vec!["equiv", "--threads", "1"];
        let systems = [of("S"), of("T")];
        args.extend(systems.iter().map(String::as_str));
        for name in names {
            args.extend(["--no-reduction", name]);
        }
        let out = spi(&args);
        assert_eq!(out.status.code(), Some(1), "{names:?}");
        let told = text(&out.stdout);
        // The cost may differ, the test may not.
        let test = told.split_once("\n\n").map(|(_, test)| test.to_owned());
        (test.expect("there is a test"), text(&out.stderr))
    };
    let (plain, said) = run(&[]);
    assert_eq!(said, "");
    for name in ["compression", "sharing", "subsumption", "symmetry"] {
        assert_eq!(run(&[name]), (plain.clone(), String::new()), "{name}");
    }
    let (test, said) = run(&["eager", "pruning"]);
    assert_eq!(test, plain);
    assert!(said.contains("--no-reduction eager, pruning"), "{said}");
}

#[test]
fn a_test_that_only_the_bound_makes_is_written_and_says_so() {
    let folder = TempDir::new().expect("a folder can be made");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (model, test) = (path("m.spi"), path("test.spi"));
    fs::write(
        &model,
        "channel a, z public ok def D = z<ok>. D partial system R = z<ok>. D partial system T = a<ok>",
    )
    .expect("the file can be written");
    let (left, right) = (format!("{model}:T"), format!("{model}:R"));
    let out = spi(&["equiv", "--preorder", "--emit-attack", &test, &left, &right]);
    assert_eq!(out.status.code(), Some(3));
    let written = fs::read_to_string(&test).expect("it was written");
    assert!(written.contains("refutes nothing yet"), "{written}");
    let out = spi(&["replay", &left, &right, &test]);
    assert!(
        text(&out.stdout).contains("with T it shows success"),
        "{}",
        text(&out.stdout)
    );
}

#[test]
fn a_test_on_a_composed_channel_is_a_process_of_the_language() {
    let folder = TempDir::new().expect("a folder can be made");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (model, test) = (path("m.spi"), path("test.spi"));
    fs::write(
        &model,
        "channel c, d public ok\n\
         partial system S = new k. d<k>. c(x). let (a, b) = x in b(y). d<ok>\n\
         partial system T = new k. d<k>. c(x). let (a, b) = x in b(y). [b is suc(k)] 0 else d<ok>\n",
    )
    .expect("the file can be written");
    let (left, right) = (format!("{model}:S"), format!("{model}:T"));
    let out = spi(&["equiv", "--emit-attack", &test, &left, &right]);
    assert_eq!(out.status.code(), Some(1));
    let out = spi(&["replay", &left, &right, &test]);
    let (stdout, stderr) = (text(&out.stdout), text(&out.stderr));
    assert!(
        stdout.contains("with S it shows success"),
        "{stdout}{stderr}"
    );
    assert!(
        stdout.contains("with T it shows no barb"),
        "{stdout}{stderr}"
    );
}

/// The number of copies used to stand in a remark of its own below a verdict that sounded as if it were about any number.
#[test]
fn an_equivalence_says_for_how_many_copies_it_holds() {
    let model = "channel c private k: Sym, l: Sym
        def Loop(x) = c<{x}k>. Loop(x)
        system S = !(new m. c<{m}k>)
        system T = !(new m. c<{m}l>)
        system U = new m. Loop(m)
        system V = new m. Loop({m}k)
        S ~ T
        S <= T
        U ~ V";
    let out = spi_stdin(&["check", "-", "--copies", "3"], model);
    assert_eq!(out.status.code(), Some(0));
    let told = text(&out.stdout);
    for part in [
        "S ~ T: equivalent for any number of copies\n  testing equivalence, for any number of copies of each `!`: no environment\n  tells them apart\n",
        "S <= T: holds for any number of copies\n  may preorder, for any number of copies of each `!`: what the first can show,\n",
        "U ~ V: equivalent for these runs only\n",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let out = spi_stdin(
        &["check", "-", "--copies", "3", "--no-reduction", "roles"],
        model,
    );
    let told = text(&out.stdout);
    for part in [
        "S ~ T: equivalent for these runs only\n  testing equivalence, with 3 copies for each `!` (--copies): no environment\n  tells them apart\n",
        "S <= T: holds for these runs only\n  may preorder, with 3 copies for each `!` (--copies): what the first can show,\n",
        "U ~ V: equivalent for these runs only\n  testing equivalence, with recursion cut after 0 returns (--unfold): no\n",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(
        told.matches("what lies beyond is not covered").count(),
        3,
        "{told}"
    );
}

/// A file after `--no-reduction NAME` used to be taken for another name.
#[test]
fn a_reduction_does_not_swallow_the_file_that_follows() {
    let ns = concat!(env!("CARGO_MANIFEST_DIR"), "/protocols/ns.spi");
    for args in [
        &["check", "--no-reduction", "proofs", ns][..],
        &["check", ns, "--no-reduction", "proofs"],
        &["check", "--no-reduction", "proofs,symmetry", ns],
        &["check", "--no-reduction=proofs,symmetry", ns],
        &[
            "check",
            "--no-reduction",
            "symmetry",
            "--no-reduction",
            "proofs",
            ns,
        ],
    ] {
        let out = spi(args);
        assert_eq!(
            out.status.code(),
            Some(1),
            "{args:?}: {}",
            text(&out.stderr)
        );
        let told = text(&out.stdout);
        assert!(told.contains("attack (man in the middle)"), "{told}");
        assert!(!told.contains("proved with"), "{args:?}: {told}");
    }
    let out = spi(&["check", "--no-reduction", ns]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out.stderr).contains("possible values: eager"),
        "{}",
        text(&out.stderr)
    );
}

/// `proved`, `clauses`, `way` and `role_by_role` used to be left out where they had nothing to say.
#[test]
fn the_fields_of_a_result_are_always_there() {
    let model = "channel c private k: Sym
        partial system S = new m. c<{m}k>
        partial system T = new m. c<m>
        secrecy m in S
        secrecy m in T
        S ~ S";
    let out = spi_stdin(&["check", "-", "--format", "json"], model);
    let document: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let claims = document["files"][0]["claims"].as_array().expect("claims");
    let fields = |part: &serde_json::Value| -> Vec<String> {
        let all = part.as_object().expect("an object");
        all.keys().cloned().collect()
    };
    assert_eq!(claims.len(), 3);
    for claim in claims {
        assert_eq!(fields(claim), fields(&claims[0]));
        assert_eq!(fields(&claim["scope"]), fields(&claims[0]["scope"]));
        assert_eq!(fields(&claim["stats"]), fields(&claims[0]["stats"]));
    }
    let proved = |i: usize| claims[i]["scope"].get("proved").expect("a field").clone();
    assert_eq!(proved(0), "as_written");
    assert_eq!(proved(1), serde_json::Value::Null);
    assert_eq!(
        claims[1]["stats"].get("clauses"),
        Some(&serde_json::Value::Null)
    );
    assert_eq!(claims[2]["stats"]["role_by_role"], false);
    assert_eq!(claims[2]["stats"]["way"], "congruence");
}

#[test]
fn a_report_says_that_systems_are_the_same_but_for_renaming() {
    let model = "channel c
        partial system S = new n. new s. ( c(x). c<n> | c<(s, n)> )
        partial system T = new s. new n. ( c<(n, s)> | c(y). c<s> )
        S ~ T
        S <= T";
    let told = |args: &[&str]| {
        let out = spi_stdin(&[&["check", "-"], args].concat(), model);
        assert_eq!(out.status.code(), Some(0));
        let text = String::from_utf8(out.stdout).expect("UTF-8");
        text.matches("the same but for renaming and order").count()
    };
    assert_eq!(told(&[]), 2);
    assert_eq!(told(&["--no-reduction", "congruence"]), 0);
}

/// One code used to stand for all of these.
#[test]
fn each_thing_that_is_not_there_has_its_own_code() {
    let folder = TempDir::new().expect("a folder can be made");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the file can be written");
        path.display().to_string()
    };
    let roles = "agent A channel c def P(a: Agent) = c<a> def Q = c(x)";
    let none = file("none.spi", roles);
    let one = file("one.spi", &format!("{roles} system S = P(A) | Q"));
    let both = format!("{roles} system S = P(A) | Q system T = Q | P(A)");
    let two = file("two.spi", &both);
    let claimed = file(
        "claimed.spi",
        "channel c system S = new n. c<n> | c(x) secrecy n in S",
    );
    for (args, code) in [
        (&["check", &one][..], "E0407"),
        (&["test", &claimed], "E0410"),
        (&["run", &none], "E0411"),
        (&["check", &none, "--secrecy", "n"], "E0411"),
        (&["equiv", &none, &one], "E0411"),
        (&["lts", &two, "--format", "dot"], "E0412"),
        (&["equiv", &two, &one], "E0412"),
        (&["check", &one, "--ladder", "P", "Q"], "E0413"),
        (&["explain", "E9999"], "E0901"),
        (&["man", "chekc"], "E0902"),
    ] {
        let out = spi(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        let said = text(&out.stderr);
        assert!(said.contains(&format!("[{code}]")), "{args:?}: {said}");
    }
}

/// A login with a password: the beginner's model that the tests below break.
const LOGIN: &str = "agent Alice, Serv spy Eve channel net keypair K(Agent) key Pw(Agent) public ok
def User(u: Agent, s: Agent) =
  net<u>.
  net({n: Nonce, =s}K(s)+).
  new K1: Sym.
  event UserStart(u, s, K1).
  net<{n, Pw(u), K1}K(s)+>.
  net({=ok}K1).
  event UserDone(u, s, K1)
def Server(s: Agent, u: Agent) =
  net(=u).
  new N: Nonce.
  net<{N, s}K(s)->.
  net({=N, =Pw(u), k: Sym}K(s)-).
  event ServerDone(s, u, k).
  net<{ok}k>
system Login = User(Alice, Serv) | Server(Serv, Alice)
secrecy K1 in Login
injective agreement ServerDone(s, u, k) => UserStart(u, s, k) in Login
";

/// The same excerpt used to stand below each claim about the system.
#[test]
fn why_a_system_does_not_run_is_told_once() {
    let model = LOGIN.replace("k: Sym}K(s)-", "k: Sym}K(u)-");
    let told = text(&spi_stdin(&["check", "-"], model.clone()).stdout);
    assert_eq!(told.matches("not executable").count(), 2, "{told}");
    assert_eq!(
        told.matches("accepts nothing that is sent").count(),
        1,
        "{told}"
    );
    assert!(
        told.contains("  Server(Serv, Alice), User(Alice, Serv) never finish: see above\n"),
        "{told}"
    );
    // Another file is another story.
    let folder = TempDir::new().expect("a folder can be made");
    let path = folder.path().join("m.spi");
    fs::write(&path, model).expect("the file can be written");
    let path = path.display().to_string();
    let told = text(&spi(&["check", &path, &path]).stdout);
    assert_eq!(
        told.matches("accepts nothing that is sent").count(),
        2,
        "{told}"
    );
}

/// What comes nearest is the message with the right content in the wrong envelope, not the first that has nothing in common
/// with what is expected; and a key of somebody else is no matter of the order of arguments alone.
#[test]
fn the_nearest_message_is_the_one_that_was_meant() {
    let told = |from: &str, to: &str| {
        let model = LOGIN.replace(from, to);
        text(&spi_stdin(&["check", "-"], model).stdout).replace('\u{a0}', " ")
    };
    let meant = "nearest: Alice sends {N, Pw(Alice), K1}K(Serv)";
    let key = told("k: Sym}K(s)-", "k: Sym}K(u)-");
    assert!(key.contains(meant), "{key}");
    assert!(
        key.contains("K(Serv) where this expects K(Alice)")
            && key.contains("keys of different agents: compare the keys"),
        "{key}"
    );
    let sign = told("k: Sym}K(s)-", "k: Sym}K(s)+");
    assert!(sign.contains(meant), "{sign}");
    assert!(
        sign.contains("this is encrypted, and taken for a signature"),
        "{sign}"
    );
    let bare = told("K1}K(s)+>", "K1}K(s)>");
    assert!(bare.contains(meant), "{bare}");
}

#[test]
fn a_claim_the_wrong_way_round_is_recognised() {
    let model = LOGIN.replace("=> UserStart(u, s, k)", "=> UserDone(u, s, k)");
    let told = text(&spi_stdin(&["check", "-"], model).stdout);
    assert!(told.contains("(no attacker needed)"), "{told}");
    assert!(
        told.contains("Also in the honest run UserDone comes only after ServerDone."),
        "{told}"
    );
    // A claim that fails for another reason is not turned round.
    let model = LOGIN.replace("=Pw(u), ", "_, ");
    let told = text(&spi_stdin(&["check", "-"], model).stdout);
    assert!(told.contains("attack"), "{told}");
    assert!(!told.contains("in the honest run"), "{told}");
}

#[test]
fn what_is_public_is_said_to_be_public() {
    let model = LOGIN.replace("secrecy K1", "secrecy ok");
    let told = text(&spi_stdin(&["check", "-"], model).stdout);
    assert!(
        told.contains("\n\n  Eve knows ok: it is public.\n"),
        "{told}"
    );
}

/// Ballots that are posted on a board, where nobody of the system listens.
const VOTE: &str = "agent V1, Auth channel net, board keypair K(Agent)
def Voter(v: Agent, b: Data) = new R: Nonce. net<v, {b, R}K(Auth)+>
def Authority(v: Agent) = net(=v, {b: Data, _}K(Auth)-). board<b>
public yes: Data
system One(b: Data) = Voter(V1, b) | Authority(V1)
system Yes = Voter(V1, yes) | Authority(V1)
strong secrecy b in One
";

/// A message that nobody waits for used to be shown as one for the other agent among the arguments.
#[test]
fn what_nobody_listens_to_is_for_nobody() {
    let told = text(&spi_stdin(&["run", "-", "--system", "Yes"], VOTE).stdout);
    assert!(told.contains("  2. Auth -> board : yes\n"), "{told}");
    let told = text(&spi_stdin(&["check", "-"], VOTE).stdout);
    assert!(told.contains("        both         take it\n"), "{told}");
}

#[test]
fn a_system_that_takes_arguments_is_said_to() {
    let out = spi_stdin(&["lts", "-", "--system", "One"], VOTE);
    assert_eq!(out.status.code(), Some(2));
    let said = text(&out.stderr);
    assert!(
        said.contains("`One` takes 1 argument and can't be"),
        "{said}"
    );
    let alone = VOTE.replace("system Yes", "def Yes");
    let said = text(&spi_stdin(&["run", "-"], alone).stderr);
    assert!(
        said.contains("[E0411] Error: every system takes arguments"),
        "{said}"
    );
    // A proposal that can be followed.
    let folder = TempDir::new().expect("a folder can be made");
    let path = folder.path().join("vote.spi");
    fs::write(&path, VOTE).expect("the file can be written");
    let path = path.display().to_string();
    let said = text(&spi(&["equiv", &path, &path]).stderr);
    assert!(said.contains("vote.spi:Yes`"), "{said}");
}

/// Only systems without parameters could be named.
#[test]
fn a_system_is_named_with_its_arguments() {
    let model = "channel c public v1, v2, v3 system Vote(x, y) = c<x> | c(=x). c<y>";
    for command in ["run", "lts"] {
        let named = spi_stdin(
            &[command, "-", "--system", "Vote(v1, v2)"],
            model.to_owned(),
        );
        assert_eq!(named.status.code(), Some(0), "{command}");
        assert!(text(&named.stdout).contains("Vote(v1, v2)"), "{command}");
        for wrong in ["Vote", "Vote(v1)", "Vote(v1, v9)"] {
            let refused = spi_stdin(&[command, "-", "--system", wrong], model.to_owned());
            assert_eq!(refused.status.code(), Some(2), "{command} {wrong}");
        }
    }
}

#[test]
fn an_honest_run_can_be_read_by_programs() {
    let model = "agent A, B channel net keypair K(Agent)\n\
        def I(a: Agent, b: Agent) = new N: Nonce. event Start(a, N). net<{N, a}K(b)+>\n\
        def R(b: Agent, a: Agent) = net({n: Nonce, =a}K(b)-)\n\
        system S = I(A, B) | R(B, A)\nsystem T = R(B, A)\npartial system U = R(B, A)\n";
    let out = spi_stdin(&["run", "-", "--format", "json"], model);
    assert_eq!(out.status.code(), Some(4));
    let json: serde_json::Value = serde_json::from_str(&text(&out.stdout)).expect("JSON");
    let systems = &json["systems"];
    assert_eq!(systems[0]["verdict"], "finishes");
    let steps = &systems[0]["runs"][0]["steps"];
    assert_eq!(steps[0]["kind"], "event");
    assert_eq!(steps[1]["kind"], "communicate");
    assert_eq!(steps[1]["receiver"], "R(B, A)");
    assert_eq!(systems[1]["verdict"], "not executable");
    assert_eq!(systems[1]["unfinished"][0]["role"], "R(B, A)");
    assert_eq!(systems[1]["unfinished"][0]["place"]["line"], 3);
    assert_eq!(systems[2]["verdict"], "partial");
}

/// Whom an instance speaks for is said by its arguments. Where it deals with a spy of whom it was told by a message, the report says that this is
/// what the attack is.
#[test]
fn a_spy_that_was_named_in_a_message_is_pointed_out() {
    let model = "agent U, S spy E channel net key P(Agent), T(Agent)\n\
        def User(u: Agent, s: Agent) = net<u, s>. net({k: Sym, =s}P(u), t). event Asks(u, s, k). net<t>\n\
        def Idp = net(u: Agent, s: Agent). new K: Sym. net<{K, s}P(u), {K, u}T(s)>\n\
        def Service(s: Agent) = net({k: Sym, u: Agent}T(s)). event Serves(s, u, k)\n\
        system SSO = User(U, S) | Idp | Service(S)\n\
        secrecy K in SSO\nagreement Serves(s, u, k) => Asks(u, s, k) in SSO\n";
    let out = text(&spi_stdin(&["check", "-"], model).stdout);
    let out = out.replace("\n  ", " ");
    assert!(out.contains("Idp itself sends K to E."), "{out}");
    assert!(
        out.contains("This is a session of S with the spy E."),
        "{out}"
    );
}

#[test]
fn a_message_that_nobody_else_hears_is_marked() {
    let model = "agent A, B channel net private safe\n\
        def I(a: Agent, b: Agent) = new N: Nonce. safe<N>. net<b>\n\
        def R(b: Agent, a: Agent) = safe(n: Nonce). event Got(b, a, n). net(_)\n\
        system S = I(A, B) | R(B, A)\nreachable Got(b, a, n) in S\n";
    for args in [&["run", "-"][..], &["check", "-"]] {
        let out = text(&spi_stdin(args, model).stdout);
        assert_eq!(out.matches("on safe, which").count(), 1, "{out}");
    }
}

#[test]
fn a_message_that_several_have_to_hear_is_told_with_the_verdict() {
    let model = "agent A, B, D channel net key L(Agent, Agent)\n\
        def Asks(a: Agent, b: Agent, d: Agent) = new N: Nonce. net<a, H(N)>. net({=H(N)}L(a, b)). net({=H(N)}L(a, d))\n\
        def Answers(b: Agent, a: Agent) = net(=a, n). net<{n}L(a, b)>\n\
        system S = Asks(A, B, D) | Answers(B, A) | Answers(D, A)\nsecrecy N in S\n";
    let out = text(&spi_stdin(&["check", "-"], model).stdout).replace("\n  ", " ");
    assert!(out.contains("is heard by several"), "{out}");
    let apart = model.replace("net({=H(N)}L(a, b)).", "net({=H(N)}L(a, b)). net<a, H(N)>.");
    let out = text(&spi_stdin(&["check", "-"], &*apart).stdout);
    assert!(!out.contains("sent once"), "{out}");
}

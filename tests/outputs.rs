//! Nothing that somebody has written is lost: inputs are never written over, files are replaced whole or not at all, and the exit
//! code tells what was found whatever becomes of the output.
#![cfg(unix)]

use crate::nobody;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Two attacks; not formatted.
const MODEL: &str = "// mine\nagent A, B\nchannel c\ndef P(a: Agent)   = new n. new m. c<(n, m)>\n\
                     partial system S = P(A)\nsecrecy n in S\nsecrecy m in S\n";

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(TempDir::new().expect("a folder"));
        folder.put("m.spi", MODEL);
        folder
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.at(name), text).expect("it can be written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).expect("it can be read")
    }

    /// The names in it, in order.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("it can be read");
        let mut names: Vec<String> = entries
            .map(|e| {
                e.expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spi"));
        command
            .args(args)
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        command
    }

    fn spi(&self, args: &[&str]) -> (Option<i32>, String) {
        told(&self.command(args).output().expect("it runs"))
    }

    /// The same by somebody to whom things can be forbidden, which they can't be to root.
    fn as_nobody(&self, args: &[&str]) -> (Option<i32>, String) {
        let mut command = self.command(args);
        nobody::run_as(&mut command, self.0.path());
        told(&command.output().expect("it runs"))
    }

    /// A line for a shell, in which `spi` is the program.
    fn shell(&self, line: &str) -> (Option<i32>, String) {
        let mut command = Command::new("bash");
        let script = format!(
            "spi() {{ '{}' \"$@\"; }}; {line}",
            env!("CARGO_BIN_EXE_spi")
        );
        command.args(["-c", &script]).current_dir(self.0.path());
        told(&command.output().expect("bash runs"))
    }
}

/// The exit code and what was said to people.
fn told(output: &Output) -> (Option<i32>, String) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("panicked"), "{said}");
    (output.status.code(), said)
}

#[test]
fn an_input_is_never_written_over() {
    let folder = Folder::new();
    fs::create_dir(folder.at("sub")).expect("made");
    symlink("m.spi", folder.at("link.spi")).expect("linked");
    symlink("../m.spi", folder.at("sub/far.spi")).expect("linked");
    fs::hard_link(folder.at("m.spi"), folder.at("hard.spi")).expect("linked");
    symlink("m.spi", folder.at("link.svg")).expect("linked");
    let many = [
        "m.spi",
        "./m.spi",
        "sub/../m.spi",
        "link.spi",
        "sub/far.spi",
        "hard.spi",
    ];
    for force in [&[][..], &["--force"]] {
        for out in many {
            let refused = |args: &[&str]| {
                let (code, said) = folder.spi(&[args, force].concat());
                assert_eq!(code, Some(2), "{args:?}: {said}");
                assert!(said.contains("E0607"), "{args:?}: {said}");
                assert_eq!(folder.read("m.spi"), MODEL, "{args:?}");
            };
            refused(&["check", "m.spi", "--emit-attack", out]);
            refused(&["equiv", "m.spi:S", "m.spi:S", "--emit-attack", out]);
            refused(&["check", "hard.spi", "--emit-attack", out]);
        }
        for command in [
            &["check", "m.spi"][..],
            &["run", "m.spi"],
            &["equiv", "m.spi", "m.spi"],
        ] {
            let (code, said) = folder.spi(&[command, &["--chart", "link.svg"], force].concat());
            assert_eq!(code, Some(2), "{said}");
            assert_eq!(folder.read("m.spi"), MODEL);
        }
    }
    // Also if it is read from standard input.
    let (code, said) = folder.shell("spi check - --emit-attack m.spi --force < m.spi");
    assert_eq!(code, Some(2), "{said}");
    assert_eq!(folder.read("m.spi"), MODEL);
    assert_eq!(folder.names().len(), 5);
}

#[test]
fn a_numbered_file_is_no_input_either() {
    let folder = Folder::new();
    fs::rename(folder.at("m.spi"), folder.at("m-2.spi")).expect("renamed");
    let (code, said) = folder.spi(&["check", "m-2.spi", "--emit-attack", "m.spi", "--force"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("wrote m.spi") && said.contains("`m-2.spi` is an input"),
        "{said}"
    );
    assert_eq!(folder.read("m-2.spi"), MODEL);
}

#[test]
fn only_our_own_files_are_replaced() {
    let folder = Folder::new();
    let emit =
        |more: &[&str]| folder.spi(&[&["check", "m.spi", "--emit-attack", "a.spi"], more].concat());
    // What we wrote is written again.
    for _ in 0..2 {
        assert_eq!(emit(&[]).0, Some(1));
        assert_eq!(folder.names(), ["a-2.spi", "a.spi", "m.spi"]);
    }
    // What was changed since is not, nor what we never wrote.
    let first = folder.read("a.spi");
    for (name, text) in [
        ("a.spi", first.replace("leak", "mine")),
        ("a-2.spi", "mine".to_owned()),
    ] {
        folder.put(name, &text);
        let (code, said) = emit(&[]);
        assert_eq!(code, Some(2), "{said}");
        assert!(
            said.contains("E0608") && said.contains(name) && said.contains("--force"),
            "{said}"
        );
        assert_eq!(folder.read(name), text);
        assert_eq!(emit(&["--force"]).0, Some(1));
        assert_ne!(folder.read(name), text);
    }
    assert_eq!(folder.read("a.spi"), first);
    // An attack may be replayed as it is.
    assert_eq!(folder.spi(&["replay", "m.spi", "a.spi"]).0, Some(1));
    // It is told before anything is analysed.
    folder.put("mine.svg", "mine");
    let (_, said) = folder.spi(&["check", "m.spi", "--chart", "mine.svg", "--format", "json"]);
    assert!(said.contains("E0608"), "{said}");
    let output = folder
        .command(&["check", "m.spi", "--chart", "mine.svg"])
        .output();
    assert_eq!(output.expect("it runs").stdout, b"");
    // Nobody's work is in an empty file.
    folder.put("empty.svg", "");
    assert_eq!(
        folder.spi(&["check", "m.spi", "--chart", "empty.svg"]).0,
        Some(1)
    );
    folder.put("spi.1", "mine");
    assert_eq!(folder.spi(&["man", "--out", "."]).0, Some(2));
    assert_eq!(folder.read("spi.1"), "mine");
    assert!(!folder.at("spi-check.1").exists());
    assert_eq!(folder.spi(&["man", "--out", ".", "--force"]).0, Some(0));
    assert_eq!(folder.spi(&["man", "--out", "."]).0, Some(0));
}

#[test]
fn two_results_do_not_go_to_one_file() {
    let folder = Folder::new();
    let both = |a: &str, b: &str| folder.spi(&["check", "m.spi", "--emit-attack", a, "--chart", b]);
    symlink("x.svg", folder.at("y.svg")).expect("linked");
    for (a, b) in [("x.svg", "x.svg"), ("x.svg", "./x.svg"), ("x.svg", "y.svg")] {
        let (code, said) = both(a, b);
        assert_eq!(code, Some(2), "{a} {b}: {said}");
        assert!(said.contains("E0607"), "{said}");
    }
}

#[test]
fn links_permissions_and_other_names_are_kept() {
    let folder = Folder::new();
    symlink("m.spi", folder.at("link.spi")).expect("linked");
    fs::hard_link(folder.at("m.spi"), folder.at("hard.spi")).expect("linked");
    let mode = |name: &str| fs::metadata(folder.at(name)).expect("there").mode() & 0o777;
    fs::set_permissions(folder.at("m.spi"), fs::Permissions::from_mode(0o640)).expect("changed");
    assert_eq!(folder.spi(&["fmt", "link.spi"]).0, Some(0));
    assert!(folder.at("link.spi").is_symlink());
    assert_ne!(folder.read("m.spi"), MODEL);
    assert_eq!(mode("m.spi"), 0o640);
    // The other name keeps what was there.
    assert_eq!(folder.read("hard.spi"), MODEL);
    assert_eq!(folder.spi(&["fmt", "--check", "m.spi"]).0, Some(0));
    // A new file has the permissions that everybody else's new files have; a link to nothing leads to one.
    symlink("to.svg", folder.at("a.svg")).expect("linked");
    let (code, said) = folder.shell("umask 027; spi check m.spi --chart a.svg");
    assert_eq!((code, mode("to.svg")), (Some(1), 0o640), "{said}");
    assert!(folder.at("a.svg").is_symlink());
}

#[test]
fn what_may_not_be_written_stays() {
    let folder = Folder::new();
    let forbid = |name: &str, mode| {
        fs::set_permissions(folder.at(name), fs::Permissions::from_mode(mode)).expect("changed");
    };
    forbid("m.spi", 0o444);
    let (code, said) = folder.as_nobody(&["fmt", "m.spi"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("E0606"), "{said}");
    forbid("m.spi", 0o644);
    forbid("", 0o555);
    let (code, said) = folder.as_nobody(&["fmt", "m.spi"]);
    forbid("", 0o755);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("no file can be made in its folder"), "{said}");
    assert_eq!(folder.read("m.spi"), MODEL);
    assert_eq!(folder.names(), ["m.spi"]);
}

#[test]
fn pipes_and_terminals_are_written_to() {
    let folder = Folder::new();
    for line in [
        "spi check m.spi --emit-attack /dev/null",
        "spi check -q m.spi --emit-attack /dev/stdout > out; code=$?; grep -q 'system Attack' out && grep -q 'secrecy n' out || exit 9; exit $code",
        "set -o pipefail; spi check -q m.spi --emit-attack /dev/stdout | cat > out; code=$?; grep -q 'system Attack' out || exit 9; exit $code",
        "mkfifo p; cat p > out & spi check m.spi --emit-attack p; code=$?; wait; grep -q 'system Attack' out || exit 9; exit $code",
        "spi check m.spi --emit-attack >(head -1 > /dev/null)",
    ] {
        let (code, said) = folder.shell(line);
        // The second goes to a file with a number, which may be none that can be made.
        assert!(
            code == Some(1) || said.contains("-2") && code == Some(2),
            "{line}: {code:?} {said}"
        );
        assert_eq!(folder.read("m.spi"), MODEL);
    }
}

/// The output was once the end: whoever piped an attack into `head` saw success.
#[test]
fn a_closed_pipe_keeps_the_exit_code() {
    let folder = Folder::new();
    folder.put("ok.spi", &MODEL.replace("c<(n, m)>", "c<H(n, m)>"));
    for (command, code) in [
        ("check m.spi", 1),
        ("check m.spi --format json", 1),
        ("check -q ok.spi m.spi", 1),
        ("check none.spi m.spi", 2),
        ("check ok.spi", 0),
        ("check m.spi --emit-attack a.spi --chart a.svg", 1),
        ("check m.spi --ladder P P", 2),
        ("equiv m.spi:S ok.spi:S", 1),
        ("equiv m.spi:S ok.spi:S --format json", 1),
        ("run m.spi", 0),
        ("test m.spi", 2),
        ("mutate m.spi", 0),
        ("repair m.spi", 1),
        ("mutate m.spi --format json", 0),
        ("lts m.spi --format text", 0),
        ("lts m.spi --format aut --max-states 1", 3),
        ("replay m.spi a.spi", 1),
        ("replay m.spi a.spi --format json", 1),
        ("fmt --check m.spi", 1),
        ("explain", 0),
        ("man", 0),
        ("completions bash", 0),
        ("--help", 0),
        ("nonsense", 2),
    ] {
        // All that is written is written to pipes that nobody reads.
        for closed in [
            "{ spi ARGS; echo $? >&3; } 3> code | true",
            "{ sleep 0.05; spi ARGS; echo $? >&3; } 3> code | true",
            "{ sleep 0.05; spi ARGS; echo $? >&3; } 3> code 2>&1 | true",
        ] {
            let (_, said) = folder.shell(&closed.replace("ARGS", command));
            assert_eq!(
                folder.read("code").trim(),
                code.to_string(),
                "{command}: {said}"
            );
        }
    }
}

#[test]
fn a_full_disk_is_told_and_what_was_found_stays() {
    let folder = Folder::new();
    for command in [
        "check m.spi",
        "man",
        "lts m.spi --format json",
        "completions zsh",
        "test m.spi",
    ] {
        let (code, said) = folder.shell(&format!("spi {command} > /dev/full"));
        assert_eq!(code, Some(2), "{command}: {said}");
    }
    // Messages that are lost are no reason to stop.
    let (code, _) = folder.shell("spi check m.spi --emit-attack a.spi 2> /dev/full");
    assert_eq!(code, Some(2));
    assert_eq!(folder.names(), ["a-2.spi", "a.spi", "m.spi"]);
}

#[test]
fn one_bad_entry_does_not_spoil_a_folder() {
    let folder = Folder::new();
    let model = MODEL.replace("in S\n", "in S expect attack\n");
    folder.put("m.spi", &model);
    assert_eq!(folder.spi(&["test", "."]).0, Some(0));
    symlink("nowhere.spi", folder.at("gone.spi")).expect("linked");
    symlink("round.spi", folder.at("round.spi")).expect("linked");
    let out = folder
        .command(&["test", ".", "--format", "json"])
        .output()
        .expect("it runs");
    let (code, said) = told(&out);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("gone.spi`: it is a link to nothing"),
        "{said}"
    );
    assert!(said.contains("round.spi"), "{said}");
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(json["summary"]["met"], 2);
    assert_eq!(folder.spi(&["fmt", "."]).0, Some(2));
    assert_ne!(folder.read("m.spi"), model, "the rest is formatted");
    fs::remove_file(folder.at("gone.spi")).expect("removed");
    fs::remove_file(folder.at("round.spi")).expect("removed");
    let closed = folder.at("closed");
    fs::create_dir(&closed).expect("made");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).expect("closed");
    let (code, said) = folder.as_nobody(&["test", "."]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).expect("opened");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("closed"), "{said}");
}

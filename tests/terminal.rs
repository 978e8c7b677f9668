//! Nothing of an input reaches a terminal as it is: models, file names, arguments, exercises.

use assert_cmd::Command;
use spi::base::source::visible::mark;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// What a terminal would obey: clear the screen, print a verdict, set the title, rub out, conceal, turn text round.
const HOSTILE: &str = "\u{1b}[2J\u{1b}[Hproved\u{1b}]0;t\u{7}\u{8}\u{7f}\u{9b}2J\u{1b}[8m\u{202e}\u{2066}\u{85}\u{b}\u{feff}";

struct Output {
    out: String,
    err: String,
    code: Option<i32>,
}

/// Runs `spi` and looks at what a person would see.
fn spi(folder: &Path, args: &[&str]) -> Output {
    let run = Command::cargo_bin("spi")
        .expect("the binary is built")
        .current_dir(folder)
        .args(args)
        .output()
        .expect("spi runs");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("only text is printed");
    let output = Output {
        out: text(&run.stdout),
        err: text(&run.stderr),
        code: run.status.code(),
    };
    for shown in [&output.out, &output.err] {
        let coloured = args.contains(&"always");
        let hidden = |c: char| c != '\n' && mark(c).is_some() && !(coloured && c == '\u{1b}');
        assert!(!shown.contains(hidden), "{args:?}: {shown:?}");
        assert!(
            !shown.contains("\u{1b}[2J") && !shown.contains("\u{1b}[8m"),
            "{shown:?}"
        );
    }
    output
}

fn model() -> String {
    format!(
        "// {HOSTILE}\nagent A, B\nspy C\nchannel net\nkeypair K(Agent) // {HOSTILE}\n\
         def P(a: Agent, b: Agent) =\n  new n. /* {HOSTILE} */ event E(a, n).\n  net<{{n, /* {HOSTILE} */ a}}K(b)+>\n\
         system S = P(A, B) | P(A, C) // {HOSTILE}\nsecrecy n in S // {HOSTILE}\nexpect holds\n\
         agreement E(a, x) /* {HOSTILE} */ => E(a, x) in S expect holds\n"
    )
}

fn folder(name: &str) -> TempDir {
    let dir = TempDir::new().expect("a folder");
    fs::write(dir.path().join(name), model()).expect("the model is written");
    dir
}

/// A name that a file may have and no terminal should get; a line end in it must not start a line of its own.
const NAME: &str = "m\u{1b}[2J\n\u{202e}proved\u{9b}.spi";

#[test]
fn every_command_marks_what_is_hidden() {
    let dir = folder(NAME);
    let exercise = format!("title: T{HOSTILE}\nkind: fix\nmodel: {NAME}\nhint 1: {HOSTILE}\n");
    fs::write(dir.path().join("e.exercise"), exercise.replace('\n', "\n ")).expect("written");
    let equal = format!("{NAME}:S");
    for color in ["never", "always"] {
        for args in [
            vec!["check", NAME],
            vec!["check", NAME, "-q"],
            vec!["check", NAME, NAME, "--secrecy", HOSTILE],
            vec!["check", NAME, "--system", HOSTILE],
            vec!["check", NAME, "--format", "json"],
            vec!["check", NAME, "--ladder", HOSTILE, "P"],
            vec![NAME],
            vec!["test", "."],
            vec!["test", NAME, "--format", "json"],
            vec!["test", NAME, "--format", "junit"],
            vec!["equiv", &equal, &equal],
            vec!["equiv", &equal, HOSTILE],
            vec!["run", NAME],
            vec!["lts", NAME],
            vec!["lts", NAME, "--format", "text"],
            vec!["mutate", NAME],
            vec!["repair", NAME],
            vec!["mutate", NAME, "--format", "json"],
            vec!["replay", NAME, NAME],
            vec!["grade", "e.exercise", NAME],
            vec!["fmt", "--check", "."],
            vec!["explain", HOSTILE],
            vec!["man", HOSTILE],
            vec!["explain", "W0001"],
            vec!["explain", "W0002"],
            vec!["explain", "W0003"],
        ] {
            let output = spi(dir.path(), &[&args[..], &["--color", color]].concat());
            assert!(
                matches!(output.code, Some(0..=4)),
                "{args:?}: {}",
                output.err
            );
        }
    }
    assert_eq!(spi(dir.path(), &[HOSTILE]).code, Some(2));
    assert_eq!(spi(dir.path(), &["check", "--no", HOSTILE]).code, Some(2));
}

#[test]
fn a_name_stays_on_its_line() {
    let dir = folder(NAME);
    let listed = spi(dir.path(), &["fmt", "--check", "."]);
    assert_eq!(listed.out, "./m␛[2J␊�proved�.spi\n");
    let both = spi(dir.path(), &["check", NAME, NAME, "-q"]);
    assert!(both.out.starts_with("m␛[2J␊�proved�.spi\n"), "{}", both.out);
}

#[test]
fn machines_get_what_was_there() {
    let dir = folder(NAME);
    let json = spi(dir.path(), &["check", NAME, "--format", "json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["files"][0]["file"], NAME);
    let path = dir.path().join(NAME);
    assert_eq!(spi(dir.path(), &["fmt", NAME]).code, Some(0));
    let formatted = fs::read_to_string(&path).expect("the model is there");
    assert_eq!(
        formatted.matches(HOSTILE).count(),
        model().matches(HOSTILE).count()
    );
}

/// `c<0> // x<CR> | c<k>`: editors show two lines, so the second is part of the model.
#[test]
fn a_carriage_return_ends_a_comment() {
    let dir = TempDir::new().expect("a folder");
    let text = "channel c\nprivate k\nsystem S = c<0> // x\r | c<k>\nsecrecy k in S\n";
    fs::write(dir.path().join("cr.spi"), text).expect("the model is written");
    let checked = spi(dir.path(), &["check", "cr.spi"]);
    assert_eq!(checked.code, Some(1), "{}", checked.out);
    assert!(checked.err.contains("W0003") && checked.out.contains("cr.spi:4:4"));
    assert_eq!(spi(dir.path(), &["fmt", "cr.spi"]).code, Some(0));
    let formatted = fs::read_to_string(dir.path().join("cr.spi")).expect("it is there");
    assert!(
        formatted.contains("// x\n  | c<k>\n") && !formatted.contains('\r'),
        "{formatted}"
    );
    assert_eq!(spi(dir.path(), &["check", "cr.spi"]).err, "");
}

#[test]
fn a_file_or_a_folder_alone_is_checked() {
    let dir = folder("m.spi");
    let long = spi(dir.path(), &["check", "m.spi", "-q"]);
    assert_eq!(spi(dir.path(), &["m.spi", "-q"]).out, long.out);
    assert_eq!(spi(dir.path(), &["-q", "m.spi"]).out, long.out);
    fs::create_dir(dir.path().join("sub")).expect("a folder");
    fs::write(dir.path().join("sub/n.spi"), model()).expect("the model is written");
    let all = spi(dir.path(), &["check", ".", "-q"]);
    assert_eq!(all.code, long.code);
    let two = format!("./m.spi\n{0}\n./sub/n.spi\n{0}", long.out);
    assert_eq!(all.out, two);
    let wrong = spi(dir.path(), &["chek", "m.spi"]);
    assert!(
        wrong.code == Some(2) && wrong.err.contains("'check'"),
        "{}",
        wrong.err
    );
}

#[test]
fn words_are_explained() {
    let dir = TempDir::new().expect("a folder");
    for word in [
        "injective",
        "agreement",
        "secrecy",
        "replay",
        "not executable",
        "vacuous",
        "proved",
        "holds",
        "holds for these runs only",
        "beyond what is written",
        "attack",
        "man in the middle",
        "type flaw",
        "unreachable",
        "inconclusive",
        "equivalent",
    ] {
        let told = spi(dir.path(), &["explain", word]);
        assert!(
            told.code == Some(0) && told.out.lines().count() >= 3,
            "{word}"
        );
        let split: Vec<&str> = word.split(' ').collect();
        assert_eq!(
            spi(dir.path(), &[&["explain"], &split[..]].concat()).out,
            told.out
        );
    }
    let near = spi(dir.path(), &["explain", "injectiv"]);
    assert!(
        near.code == Some(2) && near.err.contains("did you mean `injective`?"),
        "{}",
        near.err
    );
}

/// What few need is in `--help`, not in `-h`; manual pages have examples and exit codes.
#[test]
fn help_is_short_and_manual_pages_are_long() {
    let dir = TempDir::new().expect("a folder");
    let (short, long) = (
        spi(dir.path(), &["check", "-h"]).out,
        spi(dir.path(), &["check", "--help"]).out,
    );
    for option in ["--no-reduction", "--hosts", "--process"] {
        assert!(!short.contains(option) && long.contains(option), "{option}");
    }
    for command in [
        "check", "equiv", "test", "mutate", "repair", "grade", "vary", "run", "lts", "replay",
        "fmt", "explain",
    ] {
        let page = spi(dir.path(), &["man", command]).out;
        assert!(
            page.contains(".SH EXAMPLES\n.TP\n") && page.contains(&format!("spi {command}")),
            "{command}"
        );
        assert!(page.contains(".SH \"EXIT STATUS\""), "{command}");
    }
}

//! Files that nobody would write, through every command that reads one.
//!
//! A file is a model of the library, cut, spliced and sprinkled with control characters, carriage returns, bidirectional
//! controls, words of other notations and pieces of syntax; its name is as bad. Every command runs on it within this
//! process, the slow ones on some files only. Whatever the file is: no panic, an exit code of the documented ones, and nothing for people that a terminal
//! would obey.
//!
//! `SPI_FUZZ=100000` says how many files, `SPI_FUZZ_SEED=7` from which one on; each file is made from its number alone.
//! The last line counts the runs of each command and their exit codes.

use spi::base::source::visible::mark;
use spi::front::cli::call;
use spi::front::lsp::serve;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Files in the usual test run.
const FILES: u64 = 12;

/// A generator of the `SplitMix` family: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n.max(1) as u64).expect("smaller than a size")
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

const HIDDEN: &[&str] = &[
    "\u{1b}[2J",
    "\u{1b}[8m",
    "\u{1b}]0;t\u{7}",
    "\u{1b}",
    "\u{9b}31m",
    "\u{0}",
    "\u{8}\u{8}",
    "\u{7f}",
    "\r",
    "\r\r\n",
    "\u{c}",
    "\u{b}",
    "\u{85}",
    "\u{2028}",
    "\u{202e}",
    "\u{2066}",
    "\u{200f}",
    "\u{61c}",
    "\u{feff}",
    "\u{200b}",
    "\u{e0041}",
    "\u{ad}",
    "\u{fffe}",
    "\u{10ffff}",
    "\u{301}",
    "é",
    "日本",
    "𝜈",
];

const WORDS: &[&str] = &[
    "exp(g, x)",
    "mac(k, m)",
    "x xor y",
    "phase 1.",
    "table t(a)",
    "fun f(x)",
    "reduc",
    "equation",
    "senc(m, k)",
    "out(c, m)",
    "in(c, x)",
    "query",
    "free c",
    "const a",
    "type t",
    "let P =",
    "principal A[",
    "generates n",
    "leaks k",
    "usertype T",
    "role I {",
    "send_1(",
    "recv_1(",
    "claim_1(",
    "A -> B : {Na, A}K(B)",
    "rule R:",
    "builtins: xor",
    "lemma l:",
    "trace_equiv(P, Q)",
    "if x = y then",
    "process",
    "new",
    "!",
    "!3",
    "|",
    "else 0",
    "case x of",
    "{x}k",
    "[x is y]",
    "partial system",
    "secrecy",
    "expect holds",
    "expect attack",
    "H(",
    "suc(",
    "0",
    "1001",
    "knows",
    "spy",
    "// c",
    "/*",
    "*/",
];

/// Models of the library, small ones, so that what is still a model is soon decided.
fn seeds() -> Vec<String> {
    let mut folders = vec![PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/protocols"
    ))];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the library is there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "spi") {
                files.push(path);
            }
        }
    }
    files.sort();
    let read = |p: &PathBuf| fs::read_to_string(p).expect("a model");
    let texts: Vec<String> = files.iter().map(read).collect();
    texts.into_iter().filter(|t| t.len() < 4000).collect()
}

fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0)
}

/// The file of this number.
fn file(number: u64, seeds: &[String]) -> String {
    let mut r = Random(number);
    let text = seeds[r.below(seeds.len())].clone();
    spoilt(text, &mut r, seeds)
}

/// Up to three changes for the worse.
fn spoilt(mut text: String, r: &mut Random, seeds: &[String]) -> String {
    for _ in 0..r.below(4) {
        match r.below(6) {
            // Spliced with another one, line by line.
            0 => {
                let other: Vec<&str> = seeds[r.below(seeds.len())].lines().collect();
                let mut lines: Vec<&str> = text.lines().collect();
                if lines.is_empty() {
                    continue;
                }
                let (from, at) = (r.below(other.len()), r.below(lines.len()));
                let count = r.below(6).min(other.len() - from);
                lines.splice(at..at, other[from..from + count].iter().copied());
                text = lines.join("\n");
            }
            // Some lines lost.
            1 => {
                let mut lines: Vec<&str> = text.lines().collect();
                let at = r.below(lines.len());
                let count = r.below(4).min(lines.len() - at);
                lines.drain(at..at + count);
                text = lines.join(["\n", "\r\n", "\r"][r.below(3)]);
            }
            // A stretch lost.
            2 => {
                let at = boundary(&text, r.below(text.len() + 1));
                let end = boundary(&text, at + r.below(40));
                text.replace_range(at..end.max(at), "");
            }
            _ => {
                let at = boundary(&text, r.below(text.len() + 1));
                let what = if r.below(2) == 0 {
                    r.one(HIDDEN)
                } else {
                    r.one(WORDS)
                };
                text.insert_str(at, what);
            }
        }
    }
    text
}

/// A stream that keeps what is written.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn text(&self) -> String {
        let bytes = self.0.lock().expect("nobody panics with it").clone();
        String::from_utf8(bytes).expect("only text is written")
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panics with it").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Counts of exit codes by command.
#[derive(Default)]
struct Tally(BTreeMap<String, [u64; 5]>);

impl Tally {
    fn add(&mut self, command: &str, code: u8) {
        self.0.entry(command.to_owned()).or_default()[usize::from(code)] += 1;
    }
}

/// Runs a command and looks at what a person would see.
fn run(words: &[&str], number: u64, tally: &mut Tally) {
    let (out, err) = (Kept::default(), Kept::default());
    let (o, e) = (Box::new(out.clone()), Box::new(err.clone()));
    let words: Vec<&str> = std::iter::once("spi")
        .chain(words.iter().copied())
        .collect();
    let code = catch_unwind(AssertUnwindSafe(|| call(&words, o, e)));
    let Ok(code) = code else {
        panic!("file {number}: {words:?} panicked");
    };
    assert!(code <= 4, "file {number}: {words:?} ends with {code}");
    let colour = words.contains(&"always");
    for shown in [out.text(), err.text()] {
        // A panic in one file is told and gone on from; here it is a failure.
        assert!(
            !shown.contains("[E0903]"),
            "file {number}: {words:?}: {shown}"
        );
        assert!(
            !shown.contains("\u{1b}[2J") && !shown.contains("\u{1b}[8m"),
            "file {number}: {words:?}: {shown:?}"
        );
        let hidden = |c: char| c != '\n' && mark(c).is_some() && !(colour && c == '\u{1b}');
        assert!(
            !shown.contains(hidden),
            "file {number}: {words:?}: {shown:?}"
        );
    }
    tally.add(words[1], code);
}

/// What an editor would ask about a text.
fn edit(text: &str, number: u64, tally: &mut Tally) {
    let uri = "file:///m.spi";
    let document = serde_json::json!({ "uri": uri });
    let place = serde_json::json!({ "line": number % 40, "character": number % 30 });
    let messages = [
        serde_json::json!({ "id": 1, "method": "initialize", "params": { "capabilities": {} } }),
        serde_json::json!({ "method": "initialized", "params": {} }),
        serde_json::json!({ "method": "textDocument/didOpen", "params": { "textDocument": {
            "uri": uri, "languageId": "spi", "version": 1, "text": text } } }),
        serde_json::json!({ "id": 2, "method": "textDocument/hover", "params": { "textDocument": document, "position": place } }),
        serde_json::json!({ "id": 3, "method": "textDocument/formatting", "params": { "textDocument": document,
            "options": { "tabSize": 2, "insertSpaces": true } } }),
        serde_json::json!({ "id": 4, "method": "textDocument/documentSymbol", "params": { "textDocument": document } }),
        serde_json::json!({ "id": 5, "method": "shutdown" }),
        serde_json::json!({ "method": "exit" }),
    ];
    let mut input = String::new();
    for mut message in messages {
        message["jsonrpc"] = "2.0".into();
        let body = message.to_string();
        let _ = write!(input, "Content-Length: {}\r\n\r\n{body}", body.len());
    }
    let mut out = Vec::new();
    let served = catch_unwind(AssertUnwindSafe(|| {
        serve(io::Cursor::new(input.into_bytes()), &mut out)
    }));
    assert!(
        matches!(served, Ok(Ok(true))),
        "file {number}: the server ended out of order"
    );
    // What a person reads are the messages of its diagnostics.
    for piece in String::from_utf8_lossy(&out).split("Content-Length: ") {
        let Some(body) = piece.split_once("\r\n\r\n").map(|(_, b)| b) else {
            continue;
        };
        let Ok(answer) = serde_json::from_str::<serde_json::Value>(body) else {
            panic!("file {number}: no JSON: {body:?}");
        };
        for shown in answer["params"]["diagnostics"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let message = shown["message"].as_str().unwrap_or_default();
            assert!(
                !message.contains(|c| c != '\n' && mark(c).is_some()),
                "file {number}: {message:?}"
            );
        }
    }
    tally.add("lsp", 0);
}

fn all_commands(number: u64, seeds: &[String], folder: &Path, tally: &mut Tally) {
    let mut r = Random(number ^ 0x5eed);
    let text = file(number, seeds);
    let name = format!(
        "m{}{}.spi",
        number % 10,
        r.one(HIDDEN).replace('\0', "\u{1}")
    );
    let path = folder.join(name);
    let attack = folder.join("attack.spi");
    let exercise = folder.join("e.exercise");
    let kind = ["fix", "claim", "equivalence", "attack"][r.below(4)];
    let word = r.one(HIDDEN).replace('\0', "");
    fs::write(&path, &text).expect("written");
    let given = path.to_string_lossy().into_owned();
    let lines =
        format!("title: T{word}\nkind: {kind}\nmodel: {given}\ngood: {given}\nbad: {given}\n");
    fs::write(&exercise, lines).expect("written");
    let (p, a, e) = (
        &*given,
        &*attack.to_string_lossy(),
        &*exercise.to_string_lossy(),
    );
    let color = ["never", "always"][r.below(2)];
    let limits = [
        "--max-states",
        "60",
        "--threads",
        "1",
        "--timeout",
        "500ms",
        "--color",
        color,
    ];
    let limited = |words: &[&'static str], more: &[&str], tally: &mut Tally| {
        let all: Vec<&str> = words.iter().chain(more).chain(&limits).copied().collect();
        run(&all, number, tally);
    };
    limited(&["check"], &[p], tally);
    limited(
        &["check", "--format", "json"],
        &[p, "--secrecy", "Na"],
        tally,
    );
    limited(&["test"], &[p], tally);
    limited(&["equiv"], &[p, p], tally);
    limited(&["run"], &[p], tally);
    limited(&["grade"], &[e, p], tally);
    limited(&["lts"], &[p], tally);
    // What takes longest has every fourth file, and every fortieth: a model has dozens of mutants.
    if number.is_multiple_of(4) {
        limited(&["check", "--ladder", "Init", "Resp"], &[p], tally);
        limited(
            &["check", "--as-written"],
            &[p, "--emit-attack", a, "--force"],
            tally,
        );
        // The attack itself, or what a slip makes of it; where there is none, another model.
        let emitted =
            fs::read_to_string(&attack).unwrap_or_else(|_| file(number.wrapping_mul(31), seeds));
        fs::write(&attack, spoilt(emitted, &mut r, seeds)).expect("written");
        limited(&["replay"], &[p, a], tally);
        fs::remove_file(&attack).expect("removed");
    }
    if number.is_multiple_of(40) {
        limited(&["mutate"], &[p], tally);
    }
    run(&["fmt", "--check", p, "--color", color], number, tally);
    run(&["fmt", p], number, tally);
    run(&["explain", &word], number, tally);
    edit(&text, number, tally);
    fs::remove_file(&path).expect("removed");
}

#[test]
fn no_file_makes_any_command_panic_or_print_what_a_terminal_obeys() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (count, start) = (
        number("SPI_FUZZ").unwrap_or(FILES),
        number("SPI_FUZZ_SEED").unwrap_or(0),
    );
    let seeds = seeds();
    assert!(seeds.len() > 30, "the library has small models");
    let dir = tempfile::tempdir().expect("a folder");
    let mut tally = Tally::default();
    // The stack of a test is small; that of the program is not.
    std::thread::scope(|scope| {
        let work = || {
            for n in start..start + count {
                all_commands(n, &seeds, dir.path(), &mut tally);
                if (n + 1 - start).is_multiple_of(1000) {
                    println!("{} files", n + 1 - start);
                }
            }
        };
        let worker = std::thread::Builder::new().stack_size(256 << 20);
        let end = worker.spawn_scoped(scope, work).expect("a thread").join();
        assert!(end.is_ok(), "see above");
    });
    println!(
        "files {start} to {}, exit codes 0 to 4 by command:",
        start + count
    );
    for (command, codes) in &tally.0 {
        println!("{command:>8} {codes:?}");
    }
}

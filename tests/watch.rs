//! `--watch`: the program runs again when a file is saved, and ends in order.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Once};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

const MODEL: &str = include_str!("../protocols/ns.spi");

/// A running program and the lines of its standard output and standard error.
struct Watched {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

/// What a process ignores, as one in the background of a shell ignores Ctrl-C, is ignored by those that it starts; what it catches is not.
fn catch_what_is_ignored() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
            if ignored.unwrap_or(0) & (1 << (signal - 1)) != 0 {
                signal_hook::flag::register(signal, Arc::default()).expect("it can be caught");
            }
        }
    });
}

impl Watched {
    fn start(args: &[&str], folder: &Path) -> Watched {
        catch_what_is_ignored();
        let mut child = Command::new(env!("CARGO_BIN_EXE_spi"))
            .args(args)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let out = lines(child.stdout.take().expect("a pipe"));
        let err = lines(child.stderr.take().expect("a pipe"));
        Watched { child, out, err }
    }

    /// Waits for a line of the output that contains a text.
    fn out(&mut self, what: &str) {
        until(&self.out, what);
    }

    /// Waits for a line of standard error that contains a text.
    fn err(&mut self, what: &str) {
        until(&self.err, what);
    }

    fn interrupt(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.expect("kill runs").success());
        self.child.wait().expect("it ends").code()
    }
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        lines.try_for_each(|line| sender.send(line))
    });
    receiver
}

fn until(lines: &Receiver<String>, what: &str) {
    let mut seen = Vec::new();
    loop {
        let Ok(line) = lines.recv_timeout(PATIENCE) else {
            panic!("no `{what}` after {seen:#?}");
        };
        if line.contains(what) {
            return;
        }
        seen.push(line);
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn a_file_is_checked_again_when_it_is_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ns.spi");
    fs::write(&path, MODEL).expect("written");
    let mut spi = Watched::start(&["check", "ns.spi", "--watch"], folder.path());
    spi.out("secrecy Nb in NS: attack");
    spi.err("waiting for changes");

    // An editor that writes a new file and puts it in the place of the old one. The mistake is shown, and it goes on.
    let replace = |text: &str| {
        let new = folder.path().join("ns.spi~");
        fs::write(&new, text).expect("written");
        fs::rename(&new, &path).expect("replaced");
    };
    replace(&MODEL.replace("net<{nb}K(b)+>", "net<{nbb}K(b)+>"));
    spi.err("unknown name `nbb`");
    spi.out("── run 2 ─");
    spi.err("waiting for changes");

    // The file is gone, and comes back mended.
    fs::remove_file(&path).expect("removed");
    spi.err("no such file");
    spi.err("waiting for changes");
    fs::write(
        &path,
        MODEL
            .replace("{na, Nb}K(a)+", "{na, Nb, b}K(a)+")
            .replace("{=Na, nb: Nonce}", "{=Na, nb: Nonce, =b}"),
    )
    .expect("written");
    spi.out("secrecy Nb in NS: proved");
    spi.err("waiting for changes");

    // Ctrl-C; the status is that of the last run, in which an expectation is not compared and everything holds.
    assert_eq!(spi.interrupt(), Some(0));
}

#[test]
fn what_is_saved_during_a_run_ends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ns.spi");
    // Far more than can be explored while anybody waits.
    let large = MODEL.replace(
        "system NS = Init(A, B) | Init(A, C) | Resp(B, A)",
        "system NS = !9 Init(A, B) | !9 Init(B, A) | !9 Resp(B, A) | !9 Resp(A, B)",
    );
    fs::write(&path, "agent A").expect("written");
    let mut spi = Watched::start(&["test", ".", "--watch"], folder.path());
    spi.err("waiting for changes");
    fs::write(&path, &large).expect("written");
    spi.out("── run 2 ─");
    fs::write(&path, MODEL).expect("written");
    spi.out("── run 3 ─");
    spi.out("4 claims in 1 file: 4 as expected");
    assert_eq!(spi.interrupt(), Some(0));
}

#[test]
fn standard_input_is_not_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut spi = Watched::start(&["check", "-", "--watch"], folder.path());
    spi.err("standard input cannot be watched");
    assert_eq!(spi.child.wait().expect("it ends").code(), Some(2));
}

/// Whoever starts a search with `nohup` wants it to go on when the terminal is closed.
#[cfg(target_os = "linux")]
#[test]
fn what_was_ignored_stays_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("ns.spi"), MODEL).expect("written");
    let script = format!(
        "trap '' HUP; '{}' check ns.spi --watch",
        env!("CARGO_BIN_EXE_spi")
    );
    let mut child = Command::new("bash")
        .args(["-c", "exec bash -c \"$0\" & echo $!; wait"])
        .arg(script.replace("; '", "; exec '"))
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let mut spi = Watched {
        child,
        out: lines(out.expect("a pipe")),
        err: lines(err.expect("a pipe")),
    };
    let id = spi.out.recv_timeout(PATIENCE).expect("a number");
    spi.err("waiting for changes");
    let send = |signal: &str| {
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.expect("kill runs").success());
    };
    send("-HUP");
    fs::write(folder.path().join("ns.spi"), format!("{MODEL}\n")).expect("written");
    spi.err("waiting for changes");
    send("-TERM");
    assert!(spi.child.wait().expect("it ends").success());
}

/// The search listens from its first question on, not only after some milliseconds: as soon as the process catches the signal
/// at all, the signal ends the search and not the process.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_a_search_with_what_it_has() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        for json in [false, true] {
            ends_in_order(signal, number, json);
        }
    }
}

#[cfg(target_os = "linux")]
fn ends_in_order(signal: &str, number: u32, json: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let large = MODEL.replace(
        "system NS = Init(A, B) | Init(A, C) | Resp(B, A)",
        "system NS = !9 Init(A, B) | !9 Init(B, A) | !9 Resp(B, A) | !9 Resp(A, B)",
    );
    fs::write(folder.path().join("ns.spi"), large).expect("written");
    let mut args = vec!["check", "ns.spi", "--no-reduction", "proofs"];
    if json {
        args.extend(["--format", "json"]);
    }
    let mut spi = Watched::start(&args, folder.path());
    let path = format!("/proc/{}/status", spi.child.id());
    let catches = || {
        let status = fs::read_to_string(&path).expect("the process runs");
        let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.expect("signals").trim(), 16).expect("a number");
        caught & (1 << (number - 1)) != 0
    };
    while !catches() {
        std::thread::yield_now();
    }
    let id = spi.child.id().to_string();
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &id])
        .status();
    assert!(sent.expect("kill runs").success());
    if json {
        let text: Vec<String> = spi.out.iter().collect();
        let whole = serde_json::from_str::<serde_json::Value>(&text.join("\n")).expect("JSON");
        let claims = whole["files"][0]["claims"].as_array().expect("claims");
        assert!(claims.iter().all(|c| c["verdict"] == "inconclusive"));
        assert_eq!(claims.len(), 4);
    } else {
        spi.out("inconclusive");
        spi.out("interrupted, in");
    }
    assert_eq!(spi.child.wait().expect("it ends").code(), Some(3));
}

/// What a file uses is watched with it, also what comes to be used while it is watched.
#[test]
fn a_file_is_checked_again_when_one_that_it_uses_is_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("written");
    };
    let model = "use \"one.spi\"\nsystem S = P\nsecrecy k in S\n";
    write("m.spi", model);
    write("one.spi", "channel c\nprivate k\ndef P = c<k>\n");
    let mut spi = Watched::start(&["check", "m.spi", "--watch"], folder.path());
    spi.out("secrecy k in S: attack");
    spi.err("waiting for changes");
    write("one.spi", "use \"two.spi\"\nprivate k\ndef P = c<H(k)>\n");
    spi.err("no such file");
    spi.err("waiting for changes");
    write("two.spi", "channel c\n");
    spi.out("secrecy k in S: proved");
    spi.err("waiting for changes");
    assert_eq!(spi.interrupt(), Some(0));
}

//! Whatever happens while a command writes, nothing that was there is lost and nothing is left half written.
//!
//! Every command meets every mishap: a full disk, a folder or files that may not be written, pipes that nobody reads, signals; its outputs are new,
//! foreign or our own files, links, and the inputs under other names. What is on the disk is compared with what was there, and
//! with what the command does undisturbed. `SPI_MISHAPS=100` has a hundred rounds of it (docs/reliability.md).
#![cfg(unix)]

use crate::nobody;
use crate::reference::random;
use random::Random;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::TempDir;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mishap {
    /// Files may not grow beyond so many kilobytes: the disk is full in the middle of a file.
    Full,
    /// Standard output, or standard error, is full.
    FullOutput,
    FullMessages,
    /// Nothing can be made in the folder, or no file can be written, by somebody who is not root.
    ReadOnlyFolder,
    ReadOnlyFiles,
    /// Whoever reads stops after some bytes; or the messages go there as well.
    ClosedOutput,
    ClosedBoth,
    /// A signal that asks for an end, one that is one, and one after the other.
    Signal,
    Kill,
    SignalTwice,
}

const MISHAPS: [Mishap; 10] = [
    Mishap::Full,
    Mishap::FullOutput,
    Mishap::FullMessages,
    Mishap::ReadOnlyFolder,
    Mishap::ReadOnlyFiles,
    Mishap::ClosedOutput,
    Mishap::ClosedBoth,
    Mishap::Signal,
    Mishap::Kill,
    Mishap::SignalTwice,
];

/// The commands. `CHART`, `ATTACK` and `FORCE` are filled in.
const COMMANDS: [&str; 19] = [
    "fmt .",
    "fmt link.spi m.spi sub/deep.spi",
    "fmt --check .",
    "check m.spi --emit-attack ATTACK FORCE",
    "check m.spi ok.spi --chart CHART --emit-attack ATTACK FORCE",
    "check hard.spi --format json --chart CHART FORCE",
    "check many.spi --format json --max-states 300 --no-reduction proofs",
    "equiv m.spi:S ok.spi:S --emit-attack ATTACK --chart CHART FORCE",
    "run link.spi --chart CHART FORCE",
    "man --out pages FORCE",
    "man --out . FORCE",
    "test . --format json",
    "test . --format junit",
    "mutate ok.spi --format json --limit 3",
    "repair m.spi --limit 20 -o ATTACK FORCE",
    "lts ok.spi --format text",
    "replay m.spi ours.spi --format json",
    "completions bash",
    "explain E0201",
];

const ATTACKS: [&str; 10] = [
    "new.spi",
    "mine.spi",
    "ours.spi",
    "m.spi",
    "link.spi",
    "hard.spi",
    "sub/../m.spi",
    "sub/new.spi",
    "none/new.spi",
    "gone.spi",
];

const CHARTS: [&str; 9] = [
    "new.svg",
    "new.html",
    "mine.svg",
    "ours.svg",
    "link.svg",
    "gone.svg",
    "sub/new.svg",
    "none/new.svg",
    "new.svg",
];

/// A model with two attacks that is not formatted, and some kilobytes long.
fn model(body: &str) -> String {
    let comment = "// A line that fills the disk a little.\n".repeat(60);
    format!(
        "{comment}agent A, B\nchannel c\ndef P(a: Agent)   = new n. new m. {body}\npartial system S = P(A)\n\
         secrecy n in S\nsecrecy m in S\n"
    )
}

/// The fingerprint in the last line of what `spi` writes, told once more: FNV-1a over all before the line.
fn is_sealed(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let body = text.trim_end_matches('\n');
    let start = body.rfind('\n').map_or(0, |at| at + 1);
    let print = bytes[..start]
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, b| {
            (hash ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    body[start..].contains(&format!("written by spi: {print:016x}"))
}

/// Something in a folder: where a link leads, or the text and mode of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Link(PathBuf),
    File(Vec<u8>, u32),
    Folder,
}

type Disk = BTreeMap<PathBuf, Entry>;

fn disk(root: &Path) -> Disk {
    fn look(root: &Path, folder: &Path, disk: &mut Disk) {
        for entry in fs::read_dir(folder).expect("it can be read") {
            let path = entry.expect("an entry").path();
            let inner = path.strip_prefix(root).expect("below").to_owned();
            let found = if path.is_symlink() {
                Entry::Link(fs::read_link(&path).expect("a link"))
            } else if path.is_dir() {
                look(root, &path, disk);
                Entry::Folder
            } else {
                let mode = fs::metadata(&path).expect("there").mode();
                Entry::File(fs::read(&path).expect("it can be read"), mode)
            };
            disk.insert(inner, found);
        }
    }
    let mut disk = Disk::new();
    look(root, root, &mut disk);
    disk
}

/// Files that `spi` wrote; the same for all.
static OURS: OnceLock<[(&str, String); 2]> = OnceLock::new();

fn ours(folder: &Path) -> [(&'static str, String); 2] {
    [("--emit-attack", "ours.spi"), ("--chart", "ours.svg")].map(|(option, name)| {
        let made = ended(spi(
            folder,
            &["check", "m.spi", option, name, "--secrecy", "n"],
        ));
        assert_eq!(made.status.code(), Some(1), "{}", made.err);
        let text = fs::read_to_string(folder.join(name)).expect("it was written");
        assert!(is_sealed(text.as_bytes()));
        (name, text)
    })
}

fn world() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let put = |name: &str, text: &str| fs::write(at(name), text).expect("written");
    fs::create_dir(at("sub")).expect("made");
    put("m.spi", &model("c<(n, m)>"));
    put("ok.spi", &model("c<H(n, m)>"));
    put(
        "many.spi",
        &model("c(x). c<{x}n>").replace("= P(A)", "= !9 P(A)"),
    );
    put("sub/deep.spi", &model("c<n>"));
    for other in ["mine.spi", "mine.svg", "spi.1"] {
        put(other, "// mine\n");
    }
    symlink("m.spi", at("link.spi")).expect("linked");
    symlink("m.spi", at("link.svg")).expect("linked");
    fs::hard_link(at("m.spi"), at("hard.spi")).expect("linked");
    symlink("target.spi", at("gone.spi")).expect("linked");
    symlink("target.svg", at("gone.svg")).expect("linked");
    // Our own, of an earlier run.
    for (name, text) in OURS.get_or_init(|| ours(folder.path())) {
        put(name, text);
    }
    fs::set_permissions(at("m.spi"), fs::Permissions::from_mode(0o640)).expect("changed");
    folder
}

fn spi(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spi"));
    command
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// How a command ended and what it said.
struct Ended {
    status: ExitStatus,
    out: Vec<u8>,
    err: String,
}

fn ended(mut command: Command) -> Ended {
    let output = command.output().expect("it runs");
    Ended {
        status: output.status,
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs a command in a folder while something goes wrong.
fn disturbed(folder: &Path, args: &[&str], mishap: Mishap, random: &mut Random) -> Ended {
    let mut command = spi(folder, args);
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("it is there")
    };
    let modes = |folder_mode, file_mode: Option<u32>| {
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("changed");
        };
        for name in disk(folder)
            .into_iter()
            .filter(|(_, e)| matches!(e, Entry::File(..)))
        {
            if let Some(mode) = file_mode {
                set(&folder.join(&name.0), mode);
            }
        }
        set(&folder.join("sub"), folder_mode);
        set(folder, folder_mode);
    };
    match mishap {
        Mishap::Full => {
            let mut limited = Command::new("bash");
            limited
                .arg("-c")
                .arg(format!("ulimit -f {}; exec \"$0\" \"$@\"", random.below(4)))
                .arg(env!("CARGO_BIN_EXE_spi"))
                .args(args)
                .current_dir(folder)
                .stdin(Stdio::null());
            ended(limited)
        }
        Mishap::FullOutput => {
            let child = command.stdout(full()).spawn().expect("it runs");
            let output = child.wait_with_output().expect("it ends");
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            Ended {
                status: output.status,
                out: Vec::new(),
                err,
            }
        }
        Mishap::FullMessages => {
            let child = command.stderr(full()).spawn().expect("it runs");
            let output = child.wait_with_output().expect("it ends");
            Ended {
                status: output.status,
                out: output.stdout,
                err: String::new(),
            }
        }
        Mishap::ReadOnlyFolder | Mishap::ReadOnlyFiles => {
            nobody::run_as(&mut command, folder);
            if mishap == Mishap::ReadOnlyFolder {
                modes(0o555, None);
            } else {
                modes(0o755, Some(0o444));
            }
            let ended = ended(command);
            modes(0o755, None);
            ended
        }
        Mishap::ClosedOutput | Mishap::ClosedBoth => {
            let mut child = command.spawn().expect("it runs");
            let mut out = child.stdout.take().expect("a pipe");
            let mut some = vec![0; random.below(3) * 40];
            let _ = out.read(&mut some);
            drop(out);
            if mishap == Mishap::ClosedBoth {
                drop(child.stderr.take());
            }
            let output = child.wait_with_output().expect("it ends");
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            Ended {
                status: output.status,
                out: Vec::new(),
                err,
            }
        }
        Mishap::Signal | Mishap::Kill | Mishap::SignalTwice => {
            let child = command.spawn().expect("it runs");
            let signal = match mishap {
                Mishap::Kill => "-KILL",
                _ => *random.pick(&["-INT", "-TERM", "-HUP"]),
            };
            let count = if mishap == Mishap::SignalTwice { 2 } else { 1 };
            for _ in 0..count {
                std::thread::sleep(Duration::from_micros(random.below(30_000) as u64));
                // It may be over.
                let sent = Command::new("kill")
                    .arg(signal)
                    .arg(child.id().to_string())
                    .output();
                sent.expect("kill runs");
            }
            let output = child.wait_with_output().expect("it ends");
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            Ended {
                status: output.status,
                out: output.stdout,
                err,
            }
        }
    }
}

/// One command, one mishap: what must be true afterwards.
fn meet(template: &str, mishap: Mishap, seed: u64) {
    let random = &mut Random::new(seed);
    let mut one = |items: &[&'static str]| items[random.below(items.len())];
    let filled = template
        .replace("CHART", one(&CHARTS))
        .replace("ATTACK", one(&ATTACKS))
        .replace("FORCE", one(&["", "--force"]));
    let args: Vec<&str> = filled.split_whitespace().collect();
    let forced = args.contains(&"--force");
    let context = format!("`spi {}`, {mishap:?}, seed {seed}", args.join(" "));

    let calm = world();
    let before = disk(calm.path());
    let undisturbed = ended(spi(calm.path(), &args));
    let wanted = disk(calm.path());
    let code = undisturbed.status.code().expect("it ends by itself");

    let folder = world();
    assert_eq!(
        disk(folder.path()),
        before,
        "{context}: the folders are alike"
    );
    let Ended { status, out, err } = disturbed(folder.path(), &args, mishap, random);
    let after = disk(folder.path());

    assert!(
        !err.contains("panicked") && status.code() != Some(101),
        "{context}: {err}"
    );
    let asked = [Mishap::Signal, Mishap::Kill, Mishap::SignalTwice].contains(&mishap);
    match status.code() {
        Some(0..=4) => {}
        Some(129 | 130 | 143) => assert_eq!(mishap, Mishap::SignalTwice, "{context}"),
        Some(other) => panic!("{context}: exit code {other}: {err}"),
        // Before anything is analysed or written a signal ends the process at once.
        None => assert!(asked, "{context}: signal {:?}", status.signal()),
    }

    for (name, was) in &before {
        let is = after
            .get(name)
            .unwrap_or_else(|| panic!("{context}: {} is gone", name.display()));
        let text = |entry: &Entry| match entry {
            Entry::File(text, _) => Some(text.clone()),
            _ => None,
        };
        // Permissions were changed on purpose.
        let same = match mishap {
            Mishap::ReadOnlyFiles | Mishap::ReadOnlyFolder => text(is) == text(was),
            _ => is == was,
        };
        if same {
            continue;
        }
        let shown = name.display();
        assert!(
            wanted.get(name) == Some(is) || asked && text(is).is_some_and(|t| is_sealed(&t)),
            "{context}: {shown} is neither as before nor as it should be"
        );
        let changeable = match name.to_str() {
            Some("m.spi" | "hard.spi" | "ok.spi" | "many.spi" | "sub/deep.spi") => {
                template.starts_with("fmt")
            }
            Some("mine.spi" | "mine.svg" | "spi.1") => forced || template.starts_with("fmt"),
            _ => true,
        };
        assert!(changeable, "{context}: {shown} was written over");
    }
    for (name, is) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
        let shown = name.display();
        let file = name.file_name().unwrap_or_default().to_string_lossy();
        match is {
            Entry::File(..) if file.starts_with(".spi-") => {
                let at_once = mishap == Mishap::Kill || mishap == Mishap::SignalTwice;
                assert!(at_once, "{context}: {shown} is left behind");
            }
            Entry::File(text, _) => assert!(is_sealed(text), "{context}: {shown} is not whole"),
            Entry::Folder => assert_eq!(file, "pages", "{context}"),
            Entry::Link(_) => panic!("{context}: {shown}"),
        }
    }

    match mishap {
        // The exit code is what it would have been, and so is the disk.
        Mishap::ClosedOutput | Mishap::ClosedBoth => {
            assert_eq!(status.code(), Some(code), "{context}: {err}");
            assert_eq!(after, wanted, "{context}");
        }
        Mishap::FullOutput if !undisturbed.out.is_empty() => {
            assert_eq!(status.code(), Some(2), "{context}: {err}");
            assert_eq!(after, wanted, "{context}");
        }
        Mishap::FullMessages => {
            let expected = if undisturbed.err.is_empty() { code } else { 2 };
            assert_eq!(status.code(), Some(expected), "{context}");
            assert_eq!(after, wanted, "{context}");
        }
        // What is not written is told.
        Mishap::Full if status.code() != Some(2) => assert_eq!(after, wanted, "{context}"),
        Mishap::ReadOnlyFolder => {
            let names = |disk: &Disk| disk.keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(&after), names(&before), "{context}");
            if wanted != before {
                assert_eq!(status.code(), Some(2), "{context}: {err}");
            }
        }
        _ => {}
    }
    // What is for machines is whole, if it was begun at all.
    let over = mishap != Mishap::Kill && status.code().is_some_and(|c| c < 128);
    if over && args.contains(&"json") && !out.is_empty() {
        let whole: Result<serde_json::Value, _> = serde_json::from_slice(&out);
        assert!(
            whole.is_ok(),
            "{context}: {}",
            String::from_utf8_lossy(&out)
        );
    }
    if over && args.contains(&"junit") && !out.is_empty() {
        let text = String::from_utf8_lossy(&out);
        assert!(text.ends_with("</testsuites>\n"), "{context}: {text}");
    }
}

#[test]
fn every_command_survives_every_mishap() {
    let rounds: u64 = std::env::var("SPI_MISHAPS").map_or(1, |n| n.parse().expect("a number"));
    let all = (0..rounds).flat_map(|round| {
        (0..).zip(COMMANDS).flat_map(move |(c, command)| {
            let seed = round * 10_000 + c * 100;
            let with = move |(m, mishap)| (command, mishap, seed + m);
            (0..).zip(MISHAPS).map(with)
        })
    });
    let all: Vec<(&str, Mishap, u64)> = all.collect();
    // Most of the time is spent waiting.
    std::thread::scope(|scope| {
        for part in all.chunks(all.len().div_ceil(4)) {
            scope.spawn(move || {
                for (command, mishap, seed) in part {
                    meet(command, *mishap, *seed);
                }
            });
        }
    });
    eprintln!("{} runs", all.len());
}

//! How far commands go beyond their limits, with 10 to 10,000 threads: the table of `docs/reliability.md`.
//!
//! `cargo bench --bench limits` prints it; the first argument after `--` is another `spi` to be measured.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Time that each claim or comparison is given.
const SECONDS: f64 = 2.0;

/// Memory that each process is given, in MiB.
const MEBIBYTES: u64 = 300;

/// A command that goes on for longer is ended and counts as endless.
const ENDLESS: Duration = Duration::from_secs(30);

/// Threads, and how they are replicated.
const SIZES: [(u32, &str); 4] = [
    (10, "!2 !5"),
    (100, "!10 !10"),
    (1_000, "!20 !50"),
    (10_000, "!100 !100"),
];

const COMMANDS: [&str; 6] = ["check", "run", "lts", "equiv", "replay", "mutate"];

/// Two systems of so many threads that all answer each other, and a claim.
fn model(copies: &str) -> String {
    let threads = format!("{copies} (new n. c<{{n}}k>. c(x). case x of {{y}}k in c<y>)");
    format!(
        "channel c\n\
         system S = new k. new s. ( {threads} | c<{{s}}k> )\n\
         system T = new k. new s. ( {threads} | c<{{0}}k> )\n\
         secrecy k in S\n"
    )
}

/// An attack that tries what it can't have.
const ATTACK: &str = "channel leak\nsystem Attack = c(w1). c(w2). c<w2>. c(w3). c(w4). leak<w4>\n";

fn arguments(command: &str, model: &Path, attack: &Path) -> Vec<String> {
    let path = model.display().to_string();
    let files = match command {
        "equiv" => vec![format!("{path}:S"), format!("{path}:T")],
        "replay" => vec![path, attack.display().to_string()],
        "run" | "lts" => vec![path, "--system".to_owned(), "S".to_owned()],
        _ => vec![path],
    };
    let limits = [
        "--timeout".to_owned(),
        format!("{SECONDS}s"),
        "--max-memory".to_owned(),
        format!("{MEBIBYTES}M"),
    ];
    let command = [command.to_owned()].into_iter();
    command.chain(files).chain(limits).collect()
}

/// Seconds and MiB that a command takes; `None` if it does not end. Memory is known where `/proc` tells.
fn measure(spi: &Path, arguments: &[String]) -> Option<(f64, u64)> {
    let mut child = Command::new(spi)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("spi starts");
    let status = format!("/proc/{}/status", child.id());
    let started = Instant::now();
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kibibytes.unwrap_or(0) / 1024);
        if child.try_wait().expect("it can be waited for").is_some() {
            return Some((started.elapsed().as_secs_f64(), peak));
        }
        if started.elapsed() > ENDLESS || peak > 20 * MEBIBYTES {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn main() {
    let own = PathBuf::from(env!("CARGO_BIN_EXE_spi"));
    let spi = std::env::args().skip(1).find(|a| !a.starts_with("--"));
    let spi = spi.map_or(own, PathBuf::from);
    let folder = tempfile::tempdir().expect("a folder");
    let attack = folder.path().join("attack.spi");
    std::fs::write(&attack, ATTACK).expect("the attack is written");
    println!("`--timeout {SECONDS}s --max-memory {MEBIBYTES}M`: seconds and MiB taken\n");
    let heads: Vec<String> = SIZES.iter().map(|(n, _)| format!("{n} threads")).collect();
    println!("| command | {} |", heads.join(" | "));
    println!("|---|{}", "---|".repeat(SIZES.len()));
    for command in COMMANDS {
        let mut line = format!("| `{command}` |");
        for (threads, copies) in SIZES {
            let path = folder.path().join(format!("m{threads}.spi"));
            std::fs::write(&path, model(copies)).expect("the model is written");
            let cell = match measure(&spi, &arguments(command, &path, &attack)) {
                Some((seconds, peak)) => format!("{seconds:.2} s, {peak} MiB"),
                None => "endless".to_owned(),
            };
            let _ = write!(line, " {cell} |");
        }
        println!("{line}");
    }
}

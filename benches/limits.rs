//! How far commands go beyond their limits, with 10 to 10,000 threads: the tables of `docs/reliability.md`.
//!
//! `cargo bench --bench limits` prints them; the first argument after `--` is another `spi` to be measured. Each claim, comparison, mutant or submission
//! has the whole time, so the files have one claim, and what takes several turns is measured with a limit of no time at all. Seconds
//! are those of the processor, of all threads together, so that others who use the machine do not count.

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

/// Threads.
const SIZES: [u32; 4] = [10, 100, 1_000, 10_000];

/// What is measured; the second is the name in the table.
const COMMANDS: [(Job, &str); 9] = [
    (Job::Plain("check"), "check"),
    (Job::Sessions, "check --sessions 3"),
    (Job::Ladder, "check --ladder"),
    (Job::Plain("run"), "run"),
    (Job::Plain("lts"), "lts"),
    (Job::Equiv, "equiv"),
    (Job::Replay, "replay"),
    (Job::Plain("mutate"), "mutate"),
    (Job::Grade, "grade"),
];

#[derive(Clone, Copy)]
enum Job {
    Plain(&'static str),
    Sessions,
    Ladder,
    Equiv,
    Replay,
    Grade,
}

/// Kinds of systems.
const KINDS: [(&str, fn(u32) -> String); 4] = [
    ("threads that all answer each other", answering),
    ("role instances of as many agents", agents),
    ("threads on as many private channels", channels),
    ("role instances that never finish", stuck),
];

/// A file with the systems `S` and `T` and one claim.
fn file(declarations: &str, system: &str) -> String {
    format!(
        "{declarations}\nchannel c\nkey K(Agent)\n\
         def Init(a: Agent) = new n. event Sent(a, n). c<{{n}}K(a)>. c({{=n, _}}K(a))\n\
         def Resp(a: Agent) = c({{n}}K(a)). new m. event Got(a, n). c<{{n, m}}K(a)>\n\
         system S = {system}\n\
         system T = {system} | c(x). c<x>\n\
         injective agreement Got(a, n) => Sent(a, n) in S\n"
    )
}

fn answering(threads: u32) -> String {
    let copies = match threads {
        10 => "!2 !5",
        100 => "!10 !10",
        1_000 => "!20 !50",
        _ => "!100 !100",
    };
    let all = format!(
        "new k. ( {copies} (new n. c<{{n}}k>. c(x). case x of {{y}}k in c<y>) | Init(A) | Resp(A) )"
    );
    file("agent A", &all)
}

fn agents(threads: u32) -> String {
    let names: Vec<String> = (0..threads / 2).map(|i| format!("A{i}")).collect();
    let pairs: Vec<String> = names
        .iter()
        .map(|a| format!("Init({a}) | Resp({a})"))
        .collect();
    file(&format!("agent {}", names.join(", ")), &pairs.join("\n | "))
}

fn channels(threads: u32) -> String {
    let names: Vec<String> = (0..threads / 2).map(|i| format!("p{i}")).collect();
    let pairs: Vec<String> = names
        .iter()
        .map(|p| format!("{p}<{p}> | {p}(x). c<x>"))
        .collect();
    let declared = format!("agent A\nprivate {}", names.join(", "));
    file(
        &declared,
        &format!("Init(A) | Resp(A) | {}", pairs.join("\n | ")),
    )
}

fn stuck(threads: u32) -> String {
    let names: Vec<String> = (0..threads).map(|i| format!("A{i}")).collect();
    let all: Vec<String> = names.iter().map(|a| format!("Resp({a})")).collect();
    let declared = format!("agent Z, {}", names.join(", "));
    file(&declared, &format!("Init(Z) | {}", all.join("\n | ")))
}

/// An attack that tries what it can't have.
const ATTACK: &str = "channel leak\nsystem Attack = c(w1). c(w2). c<w2>. c(w3). c(w4). leak<w4>\n";

/// An exercise about the file beside it.
const EXERCISE: &str = "title: limits\nkind: fix\nmodel: model.spi\n";

fn arguments(job: Job, folder: &Path, seconds: f64) -> Vec<String> {
    let path = |name: &str| folder.join(name).display().to_string();
    let model = path("model.spi");
    let words: Vec<String> = match job {
        Job::Plain(command @ ("run" | "lts")) => {
            vec![
                command.to_owned(),
                model,
                "--system".to_owned(),
                "S".to_owned(),
            ]
        }
        Job::Plain(command) => vec![command.to_owned(), model],
        Job::Sessions => vec!["check".into(), model, "--sessions".into(), "3".into()],
        Job::Ladder => {
            let roles = ["--ladder", "Init", "Resp"].map(str::to_owned);
            ["check".to_owned(), model]
                .into_iter()
                .chain(roles)
                .collect()
        }
        Job::Equiv => vec!["equiv".into(), format!("{model}:S"), format!("{model}:T")],
        Job::Replay => vec!["replay".into(), model, path("attack.spi")],
        Job::Grade => vec!["grade".into(), path("exercise.txt"), model],
    };
    let limits = [
        "--timeout".to_owned(),
        format!("{seconds}s"),
        "--max-memory".to_owned(),
        format!("{MEBIBYTES}M"),
    ];
    words.into_iter().chain(limits).collect()
}

/// Seconds of the processor and MiB that a command takes; `None` if it does not end. Known where `/proc` tells.
fn measure(spi: &Path, arguments: &[String]) -> Option<(f64, u64)> {
    let mut child = Command::new(spi)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("spi starts");
    let status = format!("/proc/{}/status", child.id());
    let stat = format!("/proc/{}/stat", child.id());
    let started = Instant::now();
    let (mut peak, mut busy) = (0, 0.0);
    loop {
        let text = std::fs::read_to_string(&stat).unwrap_or_default();
        // User and system time, in hundredths of a second, are the 14th and 15th field; the second ends with a bracket.
        let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
        let ticks = fields.split_whitespace().skip(11).take(2);
        busy = ticks
            .filter_map(|t| t.parse::<f64>().ok())
            .sum::<f64>()
            .max(busy * 100.0)
            / 100.0;
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kibibytes.unwrap_or(0) / 1024);
        if child.try_wait().expect("it can be waited for").is_some() {
            return Some((busy, peak));
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
    std::fs::write(folder.path().join("exercise.txt"), EXERCISE).expect("the exercise is written");
    let heads: Vec<String> = SIZES.iter().map(|n| format!("{n}")).collect();
    for (kind, text) in KINDS {
        for seconds in [SECONDS, 0.0] {
            println!(
                "\n{kind}: `--timeout {seconds}s --max-memory {MEBIBYTES}M`, seconds of the processor and MiB\n"
            );
            println!("| command | {} |", heads.join(" | "));
            println!("|---|{}", "---|".repeat(SIZES.len()));
            for (job, name) in COMMANDS {
                let mut line = format!("| `{name}` |");
                for threads in SIZES {
                    std::fs::write(folder.path().join("model.spi"), text(threads))
                        .expect("the model is written");
                    let cell = match measure(&spi, &arguments(job, folder.path(), seconds)) {
                        Some((busy, peak)) => format!("{busy:.2} s, {peak} MiB"),
                        None => "endless".to_owned(),
                    };
                    let _ = write!(line, " {cell} |");
                }
                println!("{line}");
            }
        }
    }
}

//! Cases: what the binary is run on, what it must answer, and what that costs.
//!
//! Processor time is what the operating system says of the child when it has ended; peak memory is read from `/proc` while
//! it runs, so a very short run has none.

use super::answer::{AS_EXPECTED, Answer};
use super::present::{grouped, median, megabytes, milliseconds, seconds};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Runs shorter than this are repeated.
const SHORT: f64 = 0.3;

/// How often a short run is timed.
const REPETITIONS: usize = 11;

/// What the binary is run on, and what it must answer.
#[derive(Clone, Debug)]
pub struct Case {
    /// How it is called in reports.
    pub name: String,
    /// The file.
    pub text: String,
    /// The command and its options.
    pub args: Vec<String>,
    /// The verdict, see [`Answer::verdict`]; or [`AS_EXPECTED`].
    pub verdict: &'static str,
    /// The number of states or nodes, if it is pinned. A case with a pinned count must finish.
    pub count: Option<u64>,
    /// Seconds after which the binary gives up, for each claim.
    pub limit: u64,
}

impl Case {
    /// A case with a limit of a minute.
    pub fn new(
        name: impl Into<String>,
        text: impl Into<String>,
        args: &[&str],
        verdict: &'static str,
        count: Option<u64>,
    ) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            args: args.iter().map(|a| (*a).to_owned()).collect(),
            verdict,
            count,
            limit: 60,
        }
    }

    /// The same with another limit in seconds.
    pub fn within(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// The name as that of a file.
    fn file_name(&self) -> String {
        let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
        let name: String = self.name.chars().map(plain).collect();
        let words: Vec<&str> = name.split('-').filter(|w| !w.is_empty()).collect();
        format!("{}.spi", words.join("-"))
    }

    fn is_space(&self) -> bool {
        self.args.first().is_some_and(|a| a == "lts")
    }

    /// Claims are timed as they are written: what a look beyond costs is told for the whole library.
    fn as_written(&self) -> Option<&'static str> {
        let check = self.args.first().is_some_and(|a| a == "check");
        check.then_some("--as-written")
    }
}

/// What one run answered and cost.
#[derive(Clone, Debug, Default)]
struct Run {
    answer: Answer,
    cpu: f64,
    clock: f64,
    peak: u64,
}

/// What a case answered and cost.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The answer.
    pub answer: Answer,
    /// Seconds of processor time with one thread.
    pub cpu: f64,
    /// Seconds on the clock with one thread.
    pub clock: f64,
    /// Seconds on the clock with two threads, if it was run with two.
    pub clock2: Option<f64>,
    /// Peak of the resident memory in bytes, with one thread.
    pub peak: u64,
}

impl Measured {
    /// The verdict, with the limit if that was met.
    pub fn verdict(&self) -> String {
        self.answer.verdict.clone()
    }

    /// States or nodes; a lower bound if the run did not finish.
    pub fn count(&self) -> String {
        let bound = if self.answer.is_finished() { "" } else { "> " };
        format!("{bound}{}", grouped(self.answer.count))
    }

    /// Processor time with one thread; a lower bound if the run did not finish.
    pub fn cpu(&self) -> String {
        let bound = if self.answer.is_finished() { "" } else { "> " };
        format!("{bound}{}", seconds(self.cpu))
    }

    /// The same in milliseconds.
    pub fn fine_cpu(&self) -> String {
        let bound = if self.answer.is_finished() { "" } else { "> " };
        format!("{bound}{}", milliseconds(self.cpu))
    }

    /// The four cells about cost: processor time, clock with one and two threads, peak memory.
    pub fn costs(&self) -> Vec<String> {
        vec![
            self.cpu(),
            seconds(self.clock),
            self.clock2.map_or("-".to_owned(), seconds),
            megabytes(self.peak),
        ]
    }
}

/// All runs of one call, with what did not agree.
#[derive(Debug, Default)]
pub struct Sitting {
    failures: Vec<String>,
}

impl Sitting {
    /// Says what did not agree; the exit code is 1 then.
    pub fn report(&self) -> ExitCode {
        if self.failures.is_empty() {
            return ExitCode::SUCCESS;
        }
        eprintln!("\n{} did not agree:", self.failures.len());
        for failure in &self.failures {
            eprintln!("  {failure}");
        }
        ExitCode::FAILURE
    }

    /// Notes what did not agree.
    pub fn fail(&mut self, case: &str, what: &str) {
        self.failures.push(format!("{case}: {what}"));
    }

    /// Compares the answers with one thread and with two, and then measures.
    pub fn measure(&mut self, case: &Case) -> Measured {
        let Some(one) = self.answered(case, 1) else {
            return Measured::default();
        };
        self.compare(case, &one.answer, 1);
        let two = if one.answer.is_finished() {
            self.answered(case, 2)
        } else {
            None
        };
        if let Some(two) = &two {
            self.compare(case, &two.answer, 2);
            let (a, b) = (&one.answer, &two.answer);
            if b.is_finished() && (&a.verdict, a.count) != (&b.verdict, b.count) {
                let text = format!(
                    "one thread: {}, {}; two threads: {}, {}",
                    a.verdict, a.count, b.verdict, b.count
                );
                self.fail(&case.name, &text);
            }
        }
        let again = |first: &Run, threads| {
            let mut runs = vec![first.clone()];
            while first.clock < SHORT && runs.len() < REPETITIONS {
                match run(case, threads) {
                    Ok(next) => runs.push(next),
                    Err(_) => break,
                }
            }
            runs
        };
        let ones = again(&one, 1);
        let twos = two.map(|two| again(&two, 2));
        let middle =
            |runs: &[Run], of: fn(&Run) -> f64| -> f64 { median(runs.iter().map(of).collect()) };
        Measured {
            cpu: middle(&ones, |r| r.cpu),
            clock: middle(&ones, |r| r.clock),
            clock2: twos.map(|runs| middle(&runs, |r| r.clock)),
            peak: ones.iter().map(|r| r.peak).max().unwrap_or(0),
            answer: one.answer,
        }
    }

    /// The median on the clock of so many runs with the default number of threads, start included.
    pub fn starts(&mut self, case: &Case, times: usize) -> f64 {
        let mut clocks = Vec::new();
        for _ in 0..times {
            match self.answered(case, 0) {
                Some(run) => {
                    self.compare(case, &run.answer, 0);
                    clocks.push(run.clock);
                }
                None => break,
            }
        }
        median(clocks)
    }

    fn answered(&mut self, case: &Case, threads: u32) -> Option<Run> {
        match run(case, threads) {
            Ok(run) => Some(run),
            Err(text) => {
                self.fail(&case.name, &format!("{threads} thread(s): {text}"));
                None
            }
        }
    }

    fn compare(&mut self, case: &Case, answer: &Answer, threads: u32) {
        if !answer.is_finished() {
            // With another limit than its own it need not finish.
            if let (Some(count), Err(_)) = (case.count, std::env::var("LIMIT")) {
                let text = format!("not finished, count {count} expected ({threads} thread(s))");
                self.fail(&case.name, &text);
            }
            return;
        }
        let agrees = match case.verdict {
            AS_EXPECTED => answer.expected,
            verdict => answer.verdict == verdict,
        };
        if !agrees {
            let text = format!(
                "{}, {} expected ({threads} thread(s))",
                answer.verdict, case.verdict
            );
            self.fail(&case.name, &text);
        }
        if case.count.is_some_and(|count| count != answer.count) {
            let text = format!(
                "count {}, {} expected ({threads} thread(s))",
                answer.count,
                case.count.unwrap_or(0)
            );
            self.fail(&case.name, &text);
        }
    }
}

/// The binary: a copy, as installing it makes one. What the linker has written starts a third of a millisecond later.
fn binary() -> &'static Path {
    static COPY: OnceLock<(PathBuf, Option<TempDir>)> = OnceLock::new();
    let copy = || {
        let built = std::env::var_os("SPI").unwrap_or_else(|| env!("CARGO_BIN_EXE_spi").into());
        let folder = tempfile::tempdir().ok();
        let installed = folder.as_ref().map(|f| f.path().join("spi"));
        match installed {
            Some(path) if std::fs::copy(&built, &path).is_ok() => (path, folder),
            _ => (built.into(), None),
        }
    };
    &COPY.get_or_init(copy).0
}

/// Runs a case once.
fn run(case: &Case, threads: u32) -> Result<Run, String> {
    if let Some(folder) = std::env::var_os("KEEP") {
        let file = Path::new(&folder).join(case.file_name());
        std::fs::write(&file, &case.text).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    let binary = binary();
    let limit = std::env::var("LIMIT").ok().and_then(|l| l.parse().ok());
    let limit: u64 = limit.unwrap_or(case.limit);
    let format = if case.is_space() { "stats" } else { "json" };
    let before = children();
    let started = Instant::now();
    let mut child = Command::new(binary)
        .args(&case.args)
        .args(case.as_written())
        .args(["--format", format])
        .args(["--threads", &threads.to_string()])
        .args(["--timeout", &format!("{limit}s")])
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("{}: {e}", binary.display()))?;
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.map(|mut o| o.read_to_string(&mut text));
        text
    });
    if let Some(mut input) = child.stdin.take() {
        // If it ends before it has read everything, its answer says why.
        let _ = input.write_all(case.text.as_bytes());
    }
    // Far beyond what it was told, it is ended.
    let patience = Duration::from_secs(60 + 10 * limit);
    let mut peak = 0;
    let mut pause = Duration::from_micros(200);
    loop {
        if child.try_wait().map_err(|e| e.to_string())?.is_some() {
            break;
        }
        if started.elapsed() > patience {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("ended after {} s", patience.as_secs()));
        }
        peak = peak.max(peak_of(child.id()).unwrap_or(0));
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5)).min(
            // Late looks may not lengthen a short run by much.
            (started.elapsed() / 20).max(Duration::from_micros(200)),
        );
    }
    let clock = started.elapsed().as_secs_f64();
    let cpu = children() - before;
    let text = reader.join().map_err(|_| "no output".to_owned())?;
    let answer = if case.is_space() {
        Answer::of_space(&text)
    } else {
        Answer::of_claims(&text)
    };
    Ok(Run {
        answer: answer.ok_or("no answer: is the input a model?")?,
        cpu,
        clock,
        peak,
    })
}

/// Processor time of all children that have ended, in seconds.
#[cfg(unix)]
fn children() -> f64 {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0.0, |usage| {
        let microseconds =
            usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
        microseconds as f64 / 1e6
    })
}

#[cfg(not(unix))]
fn children() -> f64 {
    0.0
}

fn peak_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

//! One run of the binary: what it answered and what it cost.
//!
//! Processor time and peak memory are read from `/proc` while the process runs, so the last few milliseconds may be missing;
//! where there is no `/proc` they are 0.

use super::rows::Row;
use serde_json::Value;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Ticks of processor time per second.
const TICKS: f64 = 100.0;

/// What a run answered and what it cost.
pub struct Run {
    /// The verdict.
    pub verdict: String,
    /// States or nodes.
    pub count: u64,
    /// Processor time in seconds.
    pub cpu: f64,
    /// Time on the clock in seconds.
    pub clock: f64,
    /// Peak of the resident memory in bytes.
    pub peak: u64,
}

/// Runs a row.
pub fn run(row: &Row, threads: u32) -> Run {
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_spi"))
        .args(&row.args)
        .args(["--format", if row.is_space() { "stats" } else { "json" }])
        .args(["--threads", &threads.to_string()])
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut input = child.stdin.take().expect("it reads");
    input.write_all(row.text.as_bytes()).expect("it reads");
    drop(input);
    let mut output = child.stdout.take().expect("it writes");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).expect("it writes text");
        text
    });
    let (mut cpu, mut peak) = (0.0, 0);
    while child.try_wait().expect("it can be waited for").is_none() {
        if let Some(now) = cpu_of(child.id()) {
            cpu = now;
        }
        peak = peak.max(peak_of(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    let clock = started.elapsed().as_secs_f64();
    let text = reader.join().expect("its output was read");
    let (verdict, count) = if row.is_space() {
        space(&text)
    } else {
        claims(&text)
    };
    Run {
        verdict,
        count,
        cpu,
        clock,
        peak,
    }
}

/// Verdict and states of all claims of a file.
fn claims(text: &str) -> (String, u64) {
    let answer: Value = serde_json::from_str(text).expect("it writes JSON");
    let claims = answer["files"][0]["claims"]
        .as_array()
        .expect("the answer has claims");
    let count = claims.iter().filter_map(|c| c["stats"]["states"].as_u64());
    let mut verdicts: Vec<&str> = claims
        .iter()
        .filter_map(|c| c["verdict"].as_str())
        .collect();
    verdicts.dedup();
    (verdicts.join(", "), count.sum())
}

/// Verdict and states of a state space; the graph itself is not written, which would cost more than to explore it.
fn space(text: &str) -> (String, u64) {
    let first = text.lines().next().unwrap_or_default();
    let verdict = first.split([':', ',']).nth(1).unwrap_or_default().trim();
    let stored = text
        .lines()
        .find_map(|l| l.trim().strip_prefix("states stored"));
    let count = stored.and_then(|n| n.trim().replace(',', "").parse().ok());
    (verdict.to_owned(), count.unwrap_or(0))
}

fn cpu_of(process: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / TICKS)
}

fn peak_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

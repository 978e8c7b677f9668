//! Progress, Ctrl-C and the memory guard.

use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::time::{Duration, Instant};

use super::cluster::Company;
use crate::analysis::resident_memory;
use crate::base::limits::{Observer, Progress};

/// Whether Ctrl-C was pressed. A signal has no other way to reach a search.
static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Whether the run at hand is out of date: a file it reads has changed.
static OUTDATED: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C is listened for.
static ATTENDED: OnceLock<()> = OnceLock::new();

/// The signals that ask for an end: Ctrl-C, whoever ends processes, a terminal that is closed.
#[cfg(unix)]
const ENDS: [i32; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const ENDS: [i32; 2] = [SIGINT, SIGTERM];

/// The progress line appears after this time.
const PATIENCE: Duration = Duration::from_secs(1);

/// Watches the analyses of a run.
pub(super) struct Watch {
    bar: Mutex<Option<ProgressBar>>,
    started: Instant,
    shown: bool,
    company: Company,
}

impl Watch {
    /// Starts watching: Ctrl-C ends the analysis with what it has. A second one ends the process.
    pub(super) fn new(quiet: bool) -> Watch {
        Watch {
            bar: Mutex::new(None),
            started: Instant::now(),
            shown: !quiet && std::io::stderr().is_terminal(),
            company: Company::default(),
        }
    }

    /// The same, for work that is shared with other processes.
    pub(super) fn with(quiet: bool, company: Company) -> Watch {
        Watch {
            company,
            ..Watch::new(quiet)
        }
    }

    /// Those the work is shared with.
    pub(super) fn company(&self) -> &Company {
        &self.company
    }

    /// Whether the run at hand is to stop: the user has asked for it, or it is out of date.
    pub(super) fn interrupted() -> bool {
        Watch::cancelled() || OUTDATED.load(Ordering::SeqCst)
    }

    /// Listens for Ctrl-C from now on. What asks whether to stop comes to it by itself, with its first question: until
    /// then files are read, perhaps from a terminal, and a signal that ends the process is what is wanted.
    ///
    /// The handler only sets a flag. It takes no thread and some microseconds, so that it can be there from the start.
    pub(super) fn attend() {
        ATTENDED.get_or_init(|| {
            let ignored = ignored_signals();
            let flag = || Arc::clone(&INTERRUPTED);
            for signal in ENDS {
                // Whoever started us with `nohup` does not want to be asked again.
                if ignored & (1 << (signal - 1)) != 0 {
                    continue;
                }
                // The first to be asked ends the process if the second has set the flag before. Without handlers a
                // signal ends the process at once, which is no disaster.
                let code = 128 + signal;
                let _ = signal_hook::flag::register_conditional_shutdown(signal, code, flag());
                let _ = signal_hook::flag::register(signal, flag());
            }
        });
    }

    /// Makes a file that grows beyond what the system allows (`ulimit -f`) a write that fails, as on a full disk, instead of the end of the
    /// process.
    pub(super) fn outlive_limits() {
        #[cfg(unix)]
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }

    /// Whether the user has asked to stop.
    pub(super) fn cancelled() -> bool {
        Watch::attend();
        Watch::was_cancelled()
    }

    /// The same, for whoever does not listen yet: a signal may still end the process.
    pub(super) fn was_cancelled() -> bool {
        INTERRUPTED.load(Ordering::SeqCst)
    }

    /// Stops the run at hand: it is out of date.
    pub(super) fn end_run() {
        OUTDATED.store(true, Ordering::SeqCst);
    }

    /// Begins a run that is up to date.
    pub(super) fn start_over() {
        OUTDATED.store(false, Ordering::SeqCst);
    }

    /// Removes the progress line.
    pub(super) fn clear(&self) {
        if let Ok(mut bar) = self.bar.lock()
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Watch {
    fn progress(&self, progress: &Progress) {
        if !self.shown || self.started.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut bar) = self.bar.lock() else { return };
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        let rate = progress.states as f64 / progress.time.as_secs_f64().max(0.001);
        bar.set_message(format!(
            "{} states, depth {}, {} waiting, {rate:.0} states/s",
            progress.states, progress.depth, progress.waiting
        ));
        bar.tick();
    }

    fn interrupted(&self) -> bool {
        // Without the others what is under way comes to nothing.
        Watch::interrupted() || self.company.is_broken()
    }

    #[cfg(feature = "distributed")]
    fn cluster(&self) -> Option<&crate::base::cluster::Cluster> {
        self.company.cluster()
    }

    fn memory(&self) -> Option<u64> {
        resident_memory()
    }
}

/// The signals that are ignored, a bit for each, where the system tells.
fn ignored_signals() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = text.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok())
        .unwrap_or(0)
}

/// Memory that this process may come to use before others suffer, in bytes, where the system tells: nine tenths of what
/// is free.
pub(super) fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(resident_memory()? + kilobytes * 1024 / 10 * 9)
}

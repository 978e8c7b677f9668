//! Several processes that work on one question: `--hosts`, `--process` and `--cluster-key`.
//!
//! All are started with the same question and go through the same analysis; only the explorations are shared. The first
//! one reports, the others end with the same exit code. Left to others: the processes themselves (`cluster`, which is
//! there if `spi` was built with it).

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Console;
#[cfg(feature = "distributed")]
use crate::base::cluster::{
    BadHosts, CONNECT_TIMEOUT, Cluster, Failure, Fingerprint, Identity, Key, Loss, Mismatch,
    connect, hosts,
};
use crate::base::source::{Code, Diagnostic, SourceMap};

/// Which processes work together.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Several processes")]
pub(super) struct HostArgs {
    /// Explore together with other processes: a file with a line `host:port` for each
    #[arg(
        long,
        value_name = "FILE",
        requires = "process",
        hide_short_help = true
    )]
    hosts: Option<PathBuf>,

    /// Which of them this is: the number of its line, counted from 0
    #[arg(long, value_name = "I", requires = "hosts", hide_short_help = true)]
    process: Option<usize>,

    /// Work only with processes that have the same secret in this file
    #[arg(long, value_name = "FILE", requires = "hosts", hide_short_help = true)]
    cluster_key: Option<PathBuf>,
}

/// What the processes are asked, apart from where the files are.
#[derive(Debug)]
#[cfg_attr(not(feature = "distributed"), allow(dead_code))]
pub(super) struct Question<'a> {
    /// Everything that the answer depends on.
    pub options: String,
    /// The files.
    pub files: Vec<&'a Path>,
    /// How long to wait for the others.
    pub timeout: Option<Duration>,
}

/// This process and those it works with, if any.
#[derive(Debug, Default)]
pub(super) struct Company {
    #[cfg(feature = "distributed")]
    cluster: Option<Cluster>,
}

impl HostArgs {
    /// Whether there are to be others.
    pub(super) fn is_given(&self) -> bool {
        self.hosts.is_some()
    }

    /// Whether this process writes what is found.
    pub(super) fn reports(&self) -> bool {
        self.process.is_none_or(|p| p == 0)
    }

    /// Finds the others, if there are to be any. `Err` if that makes no sense; it was said why.
    pub(super) fn join(
        &self,
        question: &Question<'_>,
        console: &mut Console,
    ) -> io::Result<Result<Company, ()>> {
        let (Some(list), Some(process)) = (&self.hosts, self.process) else {
            return Ok(Ok(Company::default()));
        };
        let Ok(key) = self.key(console)? else {
            return Ok(Err(()));
        };
        match join(list, process, key, question) {
            Ok(company) => {
                if process > 0 {
                    console.mute();
                }
                company.complain(console, true)?;
                Ok(Ok(company))
            }
            Err(diagnostic) => {
                console.diagnostics(&SourceMap::new(), &[*diagnostic])?;
                Ok(Err(()))
            }
        }
    }

    /// The secret, if one is asked for. What is not right with its file is told; `Err` if it can't be used.
    #[cfg(feature = "distributed")]
    fn key(&self, console: &mut Console) -> io::Result<Result<Option<Key>, ()>> {
        let Some(path) = &self.cluster_key else {
            return Ok(Ok(None));
        };
        let (key, diagnostics) = read_key(path);
        console.diagnostics(&SourceMap::new(), &diagnostics)?;
        Ok(key.map(Some).ok_or(()))
    }

    #[cfg(not(feature = "distributed"))]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps)]
    fn key(&self, _: &mut Console) -> io::Result<Result<(), ()>> {
        Ok(Ok(()))
    }
}

#[cfg(not(feature = "distributed"))]
fn join(_: &Path, _: usize, (): (), _: &Question<'_>) -> Result<Company, Box<Diagnostic>> {
    let message = "this `spi` was built to work alone: it has no `--hosts`";
    let build = "build it with `cargo install --path . --features distributed`";
    Err(Box::new(
        Diagnostic::new(Code::CannotJoin, message).help(build),
    ))
}

#[cfg(feature = "distributed")]
fn join(
    list: &Path,
    process: usize,
    key: Option<Key>,
    question: &Question<'_>,
) -> Result<Company, Box<Diagnostic>> {
    let shown = list.display();
    let text = std::fs::read_to_string(list).map_err(|error| {
        let message = format!("cannot read `{shown}`: {error}");
        Box::new(Diagnostic::new(Code::CannotRead, message))
    })?;
    let hosts = hosts(&text, process).map_err(|bad| Box::new(unusable(list, &bad)))?;
    let mut sources = Vec::new();
    for file in &question.files {
        if file.as_os_str() == crate::base::source::load::STDIN {
            let message = "several processes can't share standard input";
            let help = "store the model in a file that every process can read";
            return Err(Box::new(
                Diagnostic::new(Code::CannotJoin, message).help(help),
            ));
        }
        // A file that can't be read is reported by whoever needs it.
        sources.push(std::fs::read_to_string(file).unwrap_or_default());
        for used in crate::lang::syntax::link::files_of(file) {
            sources.push(std::fs::read_to_string(used).unwrap_or_default());
        }
    }
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let options = format!("{} of {} processes", question.options, hosts.len());
    let identity = Identity {
        me: process as u32,
        size: hosts.len() as u32,
        fingerprint: Fingerprint::new(&options, &sources),
        key,
    };
    let timeout = question.timeout.unwrap_or(CONNECT_TIMEOUT);
    match connect(&hosts, &identity, timeout) {
        Ok(cluster) => Ok(Company {
            cluster: Some(cluster),
        }),
        Err(failure) => Err(Box::new(refused(&hosts[process], process, &failure))),
    }
}

/// Why a list of hosts can't be used.
#[cfg(feature = "distributed")]
fn unusable(list: &Path, bad: &BadHosts) -> Diagnostic {
    let shown = list.display();
    let message = match bad {
        BadHosts::Line(n, line) => format!("line {n} of `{shown}` is no `host:port`: `{line}`"),
        BadHosts::Twice(n, line) => format!("line {n} of `{shown}` has an address again: `{line}`"),
        BadHosts::TooFew(0) => format!("`{shown}` lists no process"),
        BadHosts::TooFew(_) => format!("`{shown}` lists one process only"),
        BadHosts::OutOfRange(process, count) => {
            format!("there is no process {process}: `{shown}` lists {count}, counted from 0")
        }
    };
    let help = match bad {
        BadHosts::OutOfRange(_, count) => {
            format!("give `--process` a number from 0 to {}", count - 1)
        }
        _ => "give each process a line such as `192.168.1.5:7000`, the same file to all".to_owned(),
    };
    Diagnostic::new(Code::BadHosts, message).help(help)
}

/// Why this process can't work with the others.
#[cfg(feature = "distributed")]
fn refused(host: &str, me: usize, failure: &Failure) -> Diagnostic {
    match failure {
        Failure::Listen(error) => {
            let message = format!("process {me} cannot listen at `{host}`: {error}");
            Diagnostic::new(Code::CannotJoin, message).help(
                "the line of a process is an address of its own machine, with a port that nothing else uses",
            )
        }
        Failure::Mismatch(other, mismatch) => {
            let (said, help) = unlike(*mismatch);
            Diagnostic::new(Code::CannotJoin, format!("process {other} {said}")).help(help)
        }
        Failure::Broken(error) => {
            Diagnostic::new(Code::CannotJoin, format!("no connection: {error}"))
        }
    }
}

/// What is different with a process, and what to do about it.
#[cfg(feature = "distributed")]
fn unlike(mismatch: Mismatch) -> (String, &'static str) {
    let same_key = "give all processes the same file with `--cluster-key`, or none of them";
    match mismatch {
        Mismatch::Fingerprint(what) => (
            format!("was started with other {what}"),
            "start all processes with the same `spi`, options and files",
        ),
        Mismatch::Key => (
            "has another key".to_owned(),
            "copy the file of `--cluster-key` to every machine: the secrets differ",
        ),
        Mismatch::KeyThere => (
            "was started with `--cluster-key`, this one without".to_owned(),
            same_key,
        ),
        Mismatch::KeyHere => ("was started without `--cluster-key`".to_owned(), same_key),
    }
}

/// The secret of a file, and what is not right with the file.
#[cfg(feature = "distributed")]
fn read_key(path: &Path) -> (Option<Key>, Vec<Diagnostic>) {
    let shown = path.display();
    let make = "make one with `head -c 32 /dev/urandom | base64 > FILE; chmod 600 FILE`";
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let message = format!("cannot read `{shown}`: {error}");
            return (
                None,
                vec![Diagnostic::new(Code::CannotRead, message).help(make)],
            );
        }
    };
    let Some(key) = Key::new(&bytes) else {
        let message = format!("there is no secret in `{shown}`: it is empty");
        return (None, vec![Diagnostic::new(Code::NoKey, message).help(make)]);
    };
    let mut warnings = Vec::new();
    if key.is_short() {
        let message = format!("the secret in `{shown}` is short enough to be guessed");
        warnings.push(Diagnostic::new(Code::WeakKey, message).help(make));
    }
    if others_can_read(path) {
        let message = format!("`{shown}` can be read by other users of this machine");
        let help = format!("say `chmod 600 {shown}`");
        warnings.push(Diagnostic::new(Code::WeakKey, message).help(help));
    }
    (Some(key), warnings)
}

/// Whether somebody else than the owner can read a file.
#[cfg(all(feature = "distributed", unix))]
fn others_can_read(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|m| m.permissions().mode() & 0o044 != 0)
}

#[cfg(all(feature = "distributed", not(unix)))]
fn others_can_read(_: &Path) -> bool {
    false
}

#[cfg(feature = "distributed")]
impl Company {
    /// The other processes, if there are any.
    pub(super) fn cluster(&self) -> Option<&Cluster> {
        self.cluster.as_ref()
    }

    /// Whether this process reports.
    pub(super) fn reports(&self) -> bool {
        self.cluster.as_ref().is_none_or(|c| c.me() == 0)
    }

    /// Whether a process was lost.
    pub(super) fn is_broken(&self) -> bool {
        self.cluster.as_ref().is_some_and(|c| c.loss().is_some())
    }

    /// Takes leave of the others.
    pub(super) fn leave(&self, console: &mut Console) -> io::Result<()> {
        if let Some(cluster) = &self.cluster {
            if cluster.me() > 0 {
                self.complain(console, false)?;
            }
            cluster.leave();
        }
        Ok(())
    }

    /// Says which process was lost, before or after the work began.
    fn complain(&self, console: &mut Console, before: bool) -> io::Result<()> {
        let Some((cluster, loss)) = self.cluster().and_then(|c| Some((c, c.loss()?))) else {
            return Ok(());
        };
        let (me, size) = (cluster.me(), cluster.size());
        match loss {
            Loss::Absent(p) if before => {
                console.note(&format!("process {me} of {size}: process {p} did not come"))
            }
            Loss::Gone(p) if !before => {
                console.note(&format!("process {me} of {size}: process {p} was lost"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(not(feature = "distributed"))]
#[allow(clippy::unused_self, clippy::unnecessary_wraps)]
impl Company {
    /// Whether this process reports.
    pub(super) fn reports(&self) -> bool {
        true
    }

    /// Whether a process was lost.
    pub(super) fn is_broken(&self) -> bool {
        false
    }

    /// Takes leave of the others.
    pub(super) fn leave(&self, _: &mut Console) -> io::Result<()> {
        Ok(())
    }

    fn complain(&self, _: &mut Console, _: bool) -> io::Result<()> {
        Ok(())
    }
}

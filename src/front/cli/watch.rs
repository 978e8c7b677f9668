//! `--watch`: the same command again whenever its files are saved.
//!
//! Files are looked at a few times a second, their content included: that also sees editors that replace a file by
//! another one, file systems without notifications, and a file that is gone for a moment; saving without a change is
//! nothing new. What is saved during a run ends that run.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::folder::Found;
use super::progress::Watch;
use super::{Console, Status};
use crate::base::source::{Code, Diagnostic, SourceMap, load};
use crate::lang::syntax::link;

/// Time between two looks.
const INTERVAL: Duration = Duration::from_millis(150);

/// Larger files are judged by their size and time alone.
const READ: u64 = 1 << 20;

/// What a file looks like; `None` if there is none.
type Look = Option<(u64, Option<SystemTime>, u64)>;

/// Runs a command, and again after each change of its files, until the user interrupts it. Returns the status of the last
/// run. With `ruled` a line between the runs is part of the output, otherwise it goes to standard error.
pub(super) fn repeat(
    paths: &[PathBuf],
    ruled: bool,
    console: &mut Console,
    mut run: impl FnMut(&mut Console) -> io::Result<Status>,
) -> io::Result<Status> {
    if paths.iter().any(|p| p.as_os_str() == load::STDIN) {
        let message = "standard input cannot be watched";
        let diagnostic = Diagnostic::new(Code::CannotRead, message).help("name a file");
        console.diagnostics(&SourceMap::new(), &[diagnostic])?;
        return Ok(Status::Error);
    }
    // Ctrl-C must end the waiting in order, also before the first analysis.
    Watch::attend();
    let watched = paths.to_vec();
    // Before the first run: what is saved while that reads is a change.
    let seen = looks(&watched);
    std::thread::Builder::new()
        .name("spi watch".to_owned())
        .spawn(move || look_on(&watched, seen))?;
    let mut number = 1;
    loop {
        Watch::start_over();
        let status = run(console)?;
        console.out().flush()?;
        // Nobody would see another run.
        if Watch::cancelled() || console.is_closed() {
            return Ok(status);
        }
        if !Watch::interrupted() {
            console.note("waiting for changes; Ctrl-C ends")?;
        }
        while !Watch::interrupted() {
            std::thread::sleep(INTERVAL);
        }
        if Watch::cancelled() {
            return Ok(status);
        }
        number += 1;
        rule(number, ruled, console)?;
    }
}

/// A line between two runs.
fn rule(number: u32, ruled: bool, console: &mut Console) -> io::Result<()> {
    let title = format!("── run {number} ");
    let line = format!("{title}{}", "─".repeat(80 - title.chars().count()));
    if ruled {
        writeln!(console.out(), "\n{line}\n")?;
        console.out().flush()
    } else {
        console.note(&line)
    }
}

/// Looks at files for ever and ends the run at hand when they have changed.
fn look_on(paths: &[PathBuf], mut seen: Vec<(PathBuf, Look)>) {
    loop {
        std::thread::sleep(INTERVAL);
        let mut now = looks(paths);
        if now == seen {
            continue;
        }
        // Whoever writes may not be done.
        loop {
            std::thread::sleep(INTERVAL);
            let next = looks(paths);
            if next == now {
                break;
            }
            now = next;
        }
        if content(&now) != content(&seen) {
            Watch::end_run();
        }
        seen = now;
    }
}

/// The files behind some paths, and what they look like.
fn looks(paths: &[PathBuf]) -> Vec<(PathBuf, Look)> {
    let files = paths
        .iter()
        .flat_map(|path| match Found::below([path]).files {
            // A folder without files is watched like a file that is not there.
            none if none.is_empty() => vec![path.clone()],
            files => files,
        });
    // What a file uses is watched with it.
    let files = files.flat_map(|file| {
        let used = link::files_of(&file);
        std::iter::once(file).chain(used)
    });
    files.map(|file| (file.clone(), look(&file))).collect()
}

/// What there is to be seen without the times, which tell nothing about files that were read.
fn content(looks: &[(PathBuf, Look)]) -> Vec<(&Path, Look)> {
    let shown = looks.iter().map(|(path, look)| {
        let look = look.map(|(size, time, hash)| (size, time.filter(|_| size > READ), hash));
        (path.as_path(), look)
    });
    shown.collect()
}

fn look(path: &Path) -> Look {
    let meta = std::fs::metadata(path).ok()?;
    let mut hash = 0;
    if meta.is_file() && meta.len() <= READ {
        let mut hasher = FxHasher::default();
        std::fs::read(path).ok()?.hash(&mut hasher);
        hash = hasher.finish();
    }
    Some((meta.len(), meta.modified().ok(), hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_is_replaced_by_an_equal_one_is_the_same() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("m.spi");
        let other = dir.path().join("other");
        let paths = [path.clone()];
        let gone = looks(&paths);
        fs::write(&path, "agent A").expect("written");
        let first = looks(&paths);
        assert_ne!(content(&first), content(&gone));
        fs::write(&other, "agent A").expect("written");
        fs::rename(&other, &path).expect("replaced");
        let same = looks(&paths);
        assert_eq!(content(&same), content(&first));
        fs::write(&other, "agent B").expect("written");
        fs::rename(&other, &path).expect("replaced");
        let next = looks(&paths);
        assert_ne!(content(&next), content(&first));
    }
}

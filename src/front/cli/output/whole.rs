//! Files are written whole or not at all.
//!
//! The text goes to a file of its own in the same folder, from there to the disk, and only then takes the place of the old file,
//! in one step. Whatever comes in between, a full disk or the end of the process, the old file is as it was. The new one has
//! its permissions and, where that is allowed, its owner. A link stays and what it leads to is replaced; another name of the same file (a hard
//! link) keeps what was there. What can't be replaced, such as a pipe or a terminal, is written to.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

use super::identity::Identity;
use crate::front::cli::progress::Watch;

/// Files that nobody has put in the place of a link are looked for through so many links.
const LINKS: usize = 40;

/// Writes a file that may be there already.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(flow) = Flow::at(path) {
        return flow.write(path, text);
    }
    match fs::metadata(path) {
        Ok(old) if old.is_file() => replace(path, &old, text, None),
        Ok(_) => Err(io::Error::other("it is no file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(&destination(path), text),
        Err(error) => Err(error),
    }
}

/// Puts a text in the place of another one in a file, if that is still there.
pub(crate) fn rewrite(path: &Path, was: &str, text: &str) -> io::Result<()> {
    let old = fs::metadata(path)?;
    if !old.is_file() {
        return Err(io::Error::other("only a file can be written again"));
    }
    replace(path, &old, text, Some(was))
}

/// What takes text but can't be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Where our own output goes, whatever that is.
    Output,
    /// Where our own messages go.
    Messages,
    /// A pipe, a terminal or the like.
    Other,
}

impl Flow {
    /// What a path leads to, if it is none that can be replaced.
    pub(super) fn at(path: &Path) -> Option<Flow> {
        let file = Some(Identity::of(path)?);
        if file == Identity::of_stream(&io::stdout()) {
            Some(Flow::Output)
        } else if file == Identity::of_stream(&io::stderr()) {
            Some(Flow::Messages)
        } else {
            is_stream(path).then_some(Flow::Other)
        }
    }

    fn write(self, path: &Path, text: &str) -> io::Result<()> {
        let bytes = text.as_bytes();
        let written = match self {
            Flow::Output => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            Flow::Messages => io::stderr().lock().write_all(bytes),
            Flow::Other => {
                let opened = OpenOptions::new().write(true).open(path);
                opened.and_then(|mut stream| stream.write_all(bytes))
            }
        };
        match written {
            // Whoever read has had enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }
}

#[cfg(unix)]
fn is_stream(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = fs::metadata(path).map(|meta| meta.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_char_device() || kind.is_socket())
}

#[cfg(not(unix))]
fn is_stream(_: &Path) -> bool {
    false
}

/// The path that links lead to, of a file that is not there yet.
fn destination(path: &Path) -> PathBuf {
    let mut at = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&at) {
            Ok(to) => at = folder(&at).join(to),
            Err(_) => break,
        }
    }
    at
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn create(path: &Path, text: &str) -> io::Result<()> {
    let new = draft(path, text)?;
    new.as_file().sync_all()?;
    // Whoever made such a file meanwhile keeps it.
    new.persist_noclobber(path).map_err(|e| e.error)?;
    settle(path);
    Ok(())
}

fn replace(path: &Path, old: &Metadata, text: &str, was: Option<&str>) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    // A file that may not be written is not replaced either, whatever its folder allows.
    OpenOptions::new().write(true).open(&path)?;
    let new = draft(&path, text)?;
    keep_owner(&new, old);
    new.as_file().set_permissions(old.permissions())?;
    new.as_file().sync_all()?;
    if was.is_some_and(|was| fs::read(&path).is_ok_and(|now| now != was.as_bytes())) {
        return Err(io::Error::other("it was changed meanwhile"));
    }
    new.persist(&path).map_err(|e| e.error)?;
    settle(&path);
    Ok(())
}

/// The text in a file of its own, which is gone if it does not become the file.
fn draft(path: &Path, text: &str) -> io::Result<NamedTempFile> {
    // A signal must not leave it behind.
    Watch::attend();
    let mut builder = Builder::new();
    builder.prefix(".spi-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut new = builder.tempfile_in(folder(path)).map_err(|error| {
        // The error names the draft, of which nobody knows.
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "there is no such folder".to_owned(),
            io::ErrorKind::PermissionDenied => {
                "no file can be made in its folder, and one is needed to replace it as a whole"
                    .to_owned()
            }
            _ => error.to_string(),
        };
        io::Error::new(error.kind(), reason)
    })?;
    new.as_file_mut().write_all(text.as_bytes())?;
    Ok(new)
}

/// Gives the new file to the owner of the old one. Not everybody may; then it is ours.
#[cfg(unix)]
fn keep_owner(new: &NamedTempFile, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let Ok(now) = new.as_file().metadata() else {
        return;
    };
    if now.gid() != old.gid() {
        let _ = fchown(new.as_file(), None, Some(old.gid()));
    }
    if now.uid() != old.uid() {
        let _ = fchown(new.as_file(), Some(old.uid()), None);
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &NamedTempFile, _: &Metadata) {}

/// Has the folder written to the disk as well, where that can be asked for.
fn settle(path: &Path) {
    if let Ok(folder) = fs::File::open(folder(path)) {
        let _ = folder.sync_all();
    }
}

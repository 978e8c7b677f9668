//! Which file a path leads to, however it is spelt: through links, `..`, another name of the file, or letters of another
//! case where the file system does not tell them apart.

use std::fs;
use std::path::Path;

/// A file of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity(Key);

/// Where the system numbers its files, the numbers; elsewhere the path without links.
#[cfg(unix)]
type Key = (u64, u64);
#[cfg(not(unix))]
type Key = std::path::PathBuf;

impl Identity {
    /// The file that a path leads to, if there is one.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        Some(Self(key(path)?))
    }

    /// The file behind an open stream: a name that a shell has opened for us is not told to us.
    #[cfg(unix)]
    pub(crate) fn of_stream(stream: &impl std::os::fd::AsFd) -> Option<Self> {
        let own = stream.as_fd().try_clone_to_owned().ok()?;
        Some(Self(numbers(&fs::File::from(own).metadata().ok()?)))
    }

    /// The file behind an open stream, which is known on some systems only.
    #[cfg(not(unix))]
    pub fn of_stream<S>(_: &S) -> Option<Self> {
        None
    }
}

#[cfg(unix)]
fn key(path: &Path) -> Option<Key> {
    Some(numbers(&fs::metadata(path).ok()?))
}

#[cfg(unix)]
fn numbers(meta: &fs::Metadata) -> Key {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

#[cfg(not(unix))]
fn key(path: &Path) -> Option<Key> {
    // Most file systems of other machines do not tell letters of different case apart; those that do lose little.
    let whole = fs::canonicalize(path).ok()?;
    Some(whole.to_string_lossy().to_lowercase().into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_is_the_same_by_all_its_names() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| dir.path().join(name);
        fs::write(at("m.spi"), "").expect("written");
        fs::write(at("other.spi"), "").expect("written");
        fs::create_dir(at("sub")).expect("made");
        symlink("m.spi", at("link.spi")).expect("linked");
        fs::hard_link(at("m.spi"), at("hard.spi")).expect("linked");
        let file = Identity::of(&at("m.spi"));
        assert!(file.is_some());
        for same in ["link.spi", "hard.spi", "./m.spi", "sub/../m.spi"] {
            assert_eq!(Identity::of(&at(same)), file, "{same}");
        }
        assert_ne!(Identity::of(&at("other.spi")), file);
        assert_eq!(Identity::of(&at("none.spi")), None);
        let opened = fs::File::open(at("hard.spi")).expect("opened");
        assert_eq!(Identity::of_stream(&opened), file);
    }
}

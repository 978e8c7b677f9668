//! Somebody who is bound by permissions. Tests are often run by root, which is not.

use std::fs;
use std::os::unix::fs::{MetadataExt, lchown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const NOBODY: u32 = 65_534;

/// Has a command run by somebody who owns a folder and all in it, and may do no more than others: as it is, unless we are root.
pub fn run_as(command: &mut Command, folder: &Path) {
    if fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0) {
        give(folder);
        command.uid(NOBODY).gid(NOBODY);
    }
}

fn give(path: &Path) {
    lchown(path, Some(NOBODY), Some(NOBODY)).expect("root may");
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).expect("root may") {
            give(&entry.expect("an entry").path());
        }
    }
}

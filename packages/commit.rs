//! Tells the program which commit it was built from, for `spi --version`.
//!
//! Only released programs say so. While one works on the program every commit would otherwise compile it anew, and
//! the answer would be wrong as soon as a file is changed.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Letters of a commit that are shown.
const SHORT: usize = 12;

fn main() {
    println!("cargo::rerun-if-changed=packages/commit.rs");
    // Who builds from an archive knows the commit and may say it.
    println!("cargo::rerun-if-env-changed=SPI_COMMIT");
    println!("cargo::rerun-if-env-changed=PROFILE");
    let given = std::env::var("SPI_COMMIT").ok();
    let released = std::env::var("PROFILE").is_ok_and(|p| p == "release");
    let commit = given.filter(|c| !c.is_empty()).or_else(|| {
        let found = || from_crate().or_else(from_git);
        released.then(found).flatten()
    });
    let mut version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    if let Some(commit) = commit.filter(|c| c.chars().all(|c| c.is_ascii_alphanumeric())) {
        let short: String = commit.chars().take(SHORT).collect();
        version = format!("{version} ({short})");
    }
    println!("cargo::rustc-env=SPI_VERSION={version}");
}

/// The commit that `cargo package` has noted in the crate.
fn from_crate() -> Option<String> {
    let noted = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = noted.split_once("\"sha1\"")?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// The commit of the clone, if this is one and git is there.
fn from_git() -> Option<String> {
    // An archive that was unpacked inside another project is not that project's commit.
    if !Path::new(".git").exists() {
        return None;
    }
    let commit = git(&["rev-parse", "HEAD"])?;
    // What says that another commit is checked out: the head, and the branch it names.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for watched in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        if let Some(path) =
            git(&["rev-parse", "--git-path", watched]).filter(|p| Path::new(p).exists())
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    Some(commit)
}

fn git(words: &[&str]) -> Option<String> {
    let said = Command::new("git").args(words).output().ok()?;
    let text = String::from_utf8(said.stdout).ok()?;
    said.status.success().then(|| text.trim().to_owned())
}

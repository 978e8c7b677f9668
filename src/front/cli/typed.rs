//! What was typed, before it is read: a file instead of a command, and words that nobody should print as they are.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use crate::base::source::load;
use crate::base::source::visible::{Gate, mark};

/// The same arguments with `check` before a file that stands where a command belongs: `spi FILE` is `spi check FILE`.
pub(super) fn with_command(
    mut typed: Vec<OsString>,
    is_command: fn(&str) -> bool,
) -> Vec<OsString> {
    let mut at = 1;
    // Options that every command has may come first.
    while let Some(word) = typed.get(at).and_then(|w| w.to_str()) {
        match word {
            "-q" | "--quiet" => at += 1,
            "--color" => at += 2,
            _ if word.starts_with("--color=") => at += 1,
            _ => break,
        }
    }
    let stands_for_check = typed.get(at).is_some_and(|word| {
        let command = word.to_str().is_some_and(|w| is_command(w) || w == "help");
        !command && names_files(word)
    });
    if stands_for_check {
        typed.insert(at, "check".into());
    }
    typed
}

/// Whether a word is the name of models, there or not.
fn names_files(word: &OsStr) -> bool {
    let path = Path::new(word);
    let option = word.to_string_lossy().starts_with('-');
    word == load::STDIN
        || !option && (path.extension().is_some_and(|e| e == "spi") || path.exists())
}

/// Says what is wrong with the arguments, or helps, and ends the process.
pub(super) fn refuse(error: &clap::Error, typed: &[OsString]) -> ! {
    let hidden = typed
        .iter()
        .any(|w| w.to_string_lossy().chars().any(|c| mark(c).is_some()));
    let to_terminal = if error.use_stderr() {
        io::stderr().is_terminal()
    } else {
        io::stdout().is_terminal()
    };
    if hidden || !to_terminal {
        let text = error.render().to_string();
        // If this can't be written there is nobody to tell.
        let _ = if error.use_stderr() {
            Gate::new(io::stderr(), false).write_all(text.as_bytes())
        } else {
            Gate::new(io::stdout(), false).write_all(text.as_bytes())
        };
        std::process::exit(error.exit_code());
    }
    error.exit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(words: &[&str]) -> Vec<String> {
        let words = std::iter::once("spi").chain(words.iter().copied());
        let all = with_command(words.map(OsString::from).collect(), |w| w == "test");
        all[1..]
            .iter()
            .map(|w| w.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn a_file_alone_is_checked() {
        assert_eq!(typed(&["a.spi", "--typed"]), ["check", "a.spi", "--typed"]);
        assert_eq!(
            typed(&["-q", "--color", "never", "-"]),
            ["-q", "--color", "never", "check", "-"]
        );
        assert_eq!(typed(&["test", "a.spi"]), ["test", "a.spi"]);
        assert_eq!(typed(&["tset", "a.spi"]), ["tset", "a.spi"]);
        assert_eq!(typed(&["--help"]), ["--help"]);
        assert_eq!(typed(&[]), [""; 0]);
    }
}

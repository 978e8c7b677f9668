//! `E06..`: files.

use super::{Explanation, plain};
use crate::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    plain(match code {
        Code::IsADirectory => {
            "The path is that of a directory. Commands that analyse take one file; `spi test` and `spi fmt` \
             also take directories, which they search for `*.spi`."
        }
        Code::InvalidUtf8 => {
            "Model files are UTF-8 text. The message tells the first byte that is not. Editors can save in \
             this encoding; files of older systems may be in Latin-1 or UTF-16."
        }
        Code::EmptyFile => {
            "There is nothing to analyse: the file is empty or has only comments. A model declares names, role \
             definitions and a system, and makes claims about it."
        }
        Code::FileTooLarge => {
            "Files of up to 64 MiB are read. A protocol has a few kilobytes: is this the right file?"
        }
        Code::CannotWrite => {
            "The result could not be stored. Check that the folder exists and that you may write there."
        }
        Code::BadExercise => {
            "An exercise has lines `key: value`, continued by indented lines; `#` starts a comment. `kind` is `fix`, `claim`, `equivalence` or `attack`; docs/course/exercises.md lists the keys."
        }
        Code::ExerciseWithoutClaim => {
            "The exercise is about a claim of its model: the one that `claim` names, or else the first that expects an attack \
             (kind `attack`) or compares two systems (kind `equivalence`). The model has none. This is a mistake of the \
             exercise, not of the submission."
        }
        _ => {
            "The file does not exist or may not be read. Check the path; it is relative to the current folder."
        }
    })
}

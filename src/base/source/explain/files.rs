//! `E06..`: files.

use super::{Explanation, model, plain};
use crate::base::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    if code == Code::CannotUse {
        return model(
            "`use aead, kdf` brings libraries of definitions that come with `spi`: `spi explain` lists them, `spi explain aead` shows one. \
             `use \"roles.spi\"` brings the declarations of another file, by a path from the folder of the file that uses it; its systems and \
             claims stay there. A file can't use itself, also not by way of others. Submissions of exercises and texts without a \
             folder use libraries only.",
            "use aed\nchannel c\nsystem S = c(n, d, x, k). c<open(x, k, n, d)>\n",
            "use aead\nchannel c\nsystem S = c(n, d, x, k). c<open(x, k, n, d)>\n",
        );
    }
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
            "Files of up to 4 MiB are read. A protocol has a few kilobytes: is this the right file?"
        }
        Code::ManyMistakes => {
            "The first thousand mistakes and doubts of a file are kept; the others are counted. They mostly have one cause: is this the \
             right file?"
        }
        Code::CannotWrite => {
            "The result could not be stored, and what was there before is as it was: files are written whole or not at all. Check that the \
             folder exists, that you may make files in it, that you may write the file if there is one, and that the disk is not full."
        }
        Code::OutputIsInput => {
            "A file that a command reads, such as the model, is never written over, by whatever name: through a link, a second name \
             or `..`. Nor do two results go to one file. Name another file. The second attack or chart gets a number: `out-2.svg`."
        }
        Code::NotOurs => {
            "There is a file already where a result is to be stored, and it is not one that `spi` wrote: the last line of such a file is a comment with a \
             fingerprint of all before it, `written by spi: ..`, and here there is none, or the file was changed since. Name another file, or say \
             `--force` if it may be lost."
        }
        Code::BadExercise => {
            "An exercise has lines `key: value`, continued by indented lines; `#` starts a comment. `kind` is `fix`, `claim`, `equivalence` or `attack`; docs/course/exercises.md lists the keys."
        }
        Code::BadCertificate => {
            "A certificate is a text of lines that `--certificate` writes; docs/certificates.md has the grammar. This one was changed, cut off, or \
             written for another version. Write it again."
        }
        Code::OtherModel => {
            "A certificate says which model it was made for, by a fingerprint of the words of the file and of the files that it uses; comments and layout \
             do not count. The model is another one, or the claim or system that the certificate is about is not in it. Write the certificate again."
        }
        Code::Refused => {
            "The certificate was read, and what it says does not follow from it: it was changed, or whoever wrote it is wrong. Nothing is known of the claim: \
             it may hold all the same. If `spi` wrote the certificate, this is a mistake in spi: please report it."
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

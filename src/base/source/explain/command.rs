//! `E09..`: the command line.

use super::{Explanation, plain};
use crate::base::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    plain(match code {
        Code::UnknownCode => {
            "A code is a letter and four digits, such as `E0201` or `W0301`; it stands in front of a message. Words of reports are \
             explained too, such as `injective` or `not executable`. `spi explain` without an argument lists all of them."
        }
        Code::Panicked => {
            "The program met something that should not be possible and gave this up: a file, a claim or a variant of the file. Nothing is \
             said of it, neither that it holds nor that it does not. Everything else was gone on with. Please report it, with the file and \
             the command."
        }
        _ => {
            "`spi man COMMAND` prints the page of one command, such as `spi man check`. `spi help` lists the commands."
        }
    })
}

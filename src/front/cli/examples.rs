//! What the manual pages add to the arguments: examples, and what the exit codes mean.

use std::fmt::Write;

/// A command line and what it does.
type Example = (&'static str, &'static str);

/// Examples of a command, by its name; `spi` is the program itself.
pub(super) fn examples(command: &str) -> &'static [Example] {
    match command {
        "check" => &[
            ("spi check protocols/ns.spi", "check the claims of a file"),
            ("spi protocols/ns.spi", "the same"),
            (
                "spi check protocols -q",
                "check all files of a folder, a line for each claim",
            ),
            (
                "spi check ns.spi --secrecy Na",
                "check that Na stays secret, instead of the claims of the file",
            ),
            (
                "spi check ns.spi --sessions 3",
                "check every way to fill three role instances with the declared agents",
            ),
            (
                "spi check ns.spi --typed",
                "leave out attacks that confuse types",
            ),
            (
                "spi check ns.spi --chart lowe.html",
                "draw the attack as a page to step through",
            ),
            (
                "spi check ns.spi --emit-attack lowe.spi",
                "write the attack as a process, for spi replay",
            ),
            (
                "spi check ns.spi --ladder Init Resp",
                "ask how sure the two roles are of each other",
            ),
        ],
        "new" => &[
            ("spi new order.spi", "a first model, told line by line"),
            (
                "spi new order.spi --processes",
                "the same, written as processes",
            ),
        ],
        "equiv" => &[
            (
                "spi equiv vote.spi:Vote(a) vote.spi:Vote(b)",
                "compare two uses of one system",
            ),
            (
                "spi equiv one.spi two.spi --preorder",
                "ask whether the second passes all tests of the first",
            ),
        ],
        "test" => &[
            (
                "spi test protocols",
                "compare every claim of the library with what it expects",
            ),
            (
                "spi test protocols --format junit",
                "the same, for a build server",
            ),
            (
                "spi test protocols --format sarif > spi.sarif",
                "the same, for code scanning",
            ),
        ],
        "repair" => &[
            (
                "spi repair protocols/ns.spi",
                "look for what the protocol lacks: Lowe's repair comes first",
            ),
            (
                "spi repair ns.spi --claim secrecy -o fixed.spi",
                "only the claims about secrecy; write the first repair to a file",
            ),
            (
                "spi repair ns.spi --together 3 --limit 10000",
                "try up to three additions together, and more of them",
            ),
        ],
        "mutate" => &[(
            "spi mutate nsl.spi",
            "leave out one thing at a time and see which claim notices",
        )],
        "grade" => &[
            (
                "spi grade 01.exercise answer.spi --hint 1",
                "judge an answer, with the first hint",
            ),
            (
                "spi grade 01.exercise answers --format csv",
                "judge the answers of a class, as a table",
            ),
            (
                "spi grade 01.exercise answers --format html > class.html",
                "the same, as a page",
            ),
            (
                "spi grade variants answers --format csv",
                "judge each answer by the variant of its folder",
            ),
        ],
        "vary" => &[
            (
                "spi vary 01.exercise solutions/01.spi --seed 1 --count 60 --out variants --solutions apart",
                "make sixty variants, and their solutions in another folder",
            ),
            (
                "spi grade variants/7/01.exercise answer.spi",
                "judge an answer by the variant of seed 7",
            ),
        ],
        "run" => &[("spi run ns.spi", "show the run in which nobody interferes")],
        "lts" => &[
            ("spi lts ns.spi", "count the states of a system"),
            (
                "spi lts ns.spi --system NS --format dot",
                "the graph of one system, for Graphviz",
            ),
        ],
        "replay" => &[(
            "spi replay ns.spi lowe.spi",
            "run the attack of a file beside the system",
        )],
        "verify" => &[
            (
                "spi check nsl.spi --certificate nsl.cert",
                "write what shows the claims of a file",
            ),
            (
                "spi verify nsl.spi nsl.cert",
                "check it again, without any engine",
            ),
        ],
        "expand" => &[
            (
                "spi expand protocols/narration/ns.spi",
                "the processes behind the arrows",
            ),
            (
                "spi expand nsl.spi > processes.spi",
                "go on from them by hand",
            ),
        ],
        "fmt" => &[
            (
                "spi fmt protocols",
                "put all files of a folder into the canonical layout",
            ),
            ("spi fmt --check protocols", "list those that are not"),
            ("spi fmt - < ns.spi", "format standard input"),
        ],
        "explain" => &[
            ("spi explain E0201", "the long form of a diagnostic"),
            (
                "spi explain not executable",
                "what a word of a report means",
            ),
        ],
        "man" => &[("spi man check | man -l -", "read the page of a command")],
        "completions" => &[(
            "spi completions bash > ~/.local/share/bash-completion/completions/spi",
            "complete arguments in bash",
        )],
        "lsp" => &[("spi lsp", "started by an editor, not by hand")],
        _ => &[
            ("spi check protocols/ns.spi", "check the claims of a file"),
            ("spi run protocols/ns.spi", "show the honest run"),
            ("spi explain injective", "what a word of a report means"),
        ],
    }
}

/// The exit codes, in order.
pub(super) const EXIT_CODES: [(&str, &str); 5] = [
    ("0", "everything holds, or is as expected"),
    (
        "1",
        "an attack, a difference, an expectation that was missed, a file that is not formatted",
    ),
    (
        "2",
        "a mistake in the input or the arguments, or nothing to check",
    ),
    (
        "3",
        "a limit or Ctrl-C ended the analysis without an answer",
    ),
    (
        "4",
        "no honest run completes, or a claim says nothing about the system",
    ),
];

/// The sections of a manual page, as roff.
pub(super) fn sections(command: &str) -> String {
    let mut text = String::from(".SH EXAMPLES\n");
    for (line, what) in examples(command) {
        let _ = write!(text, ".TP\n\\fB{}\\fR\n{}\n", escaped(line), escaped(what));
    }
    text.push_str(".SH \"EXIT STATUS\"\n");
    for (code, what) in EXIT_CODES {
        let _ = write!(text, ".TP\n\\fB{code}\\fR\n{}\n", escaped(what));
    }
    text
}

/// Text that roff takes as it is.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('-', "\\-")
        .replace('\'', "\\(aq")
}

//! A diagnostic that says what to write offers it: people read it in the help, editors make it a quick fix.

use super::client::Client;
use super::repaired;
use spi::base::source::{SourceMap, load};
use spi::lang::sema::check_text;
use spi::process::TupleMode;
use spi::term::TermStore;
use std::fmt::Write as _;
use std::path::Path;

/// Mistakes whose help shows a form to fill in, or names something that stands elsewhere: nobody but the author knows the rest.
const FORMS: &[&str] = &[
    "sem_channel_as_process",
    "sem_function_use",
    "sem_key_family_alone",
    "sem_secret_not_in_the_event",
    "sem_unless_refused",
    "syn_in_as_input",
    "syn_integer_case_without_suc",
    "syn_integer_case_without_zero",
    "syn_square_tuple",
];

#[test]
fn whoever_says_what_to_write_offers_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let mut silent = String::new();
    let files = std::fs::read_dir(&folder).expect("the folder").flatten();
    let mut paths: Vec<_> = files.map(|f| f.path()).collect();
    paths.sort();
    for path in paths {
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if path.extension().is_none_or(|e| e != "spi") || FORMS.contains(&&*name) {
            continue;
        }
        let bytes = std::fs::read(&path).expect("a file");
        let Ok(file) = load::decode(&mut SourceMap::new(), &name, bytes) else {
            continue;
        };
        for d in check_text(&file, &TermStore::new(), TupleMode::default()).diagnostics {
            let says = |h: &String| h.starts_with("write `") || h.starts_with("did you mean `");
            if d.repairs.is_empty() && d.help.iter().any(says) {
                let _ = writeln!(silent, "{name}: {:?}", d.help);
            }
        }
    }
    assert!(silent.is_empty(), "{silent}");
}

/// Over the wire.
#[test]
fn keys_claims_and_ends_are_repaired() {
    let mut client = Client::open();
    let head = "agent A, B\nchannel net\nkeypair P\nprivate m: Data\n";
    let cases = [
        (
            "def R = net<{m}P>\nsystem S = R\n",
            "P>",
            "write `P+`",
            "net<{m}P+>",
        ),
        (
            "def R =\n  event E(m).\n  event F(m).\n  net<m>\nsystem S = R\nagreement E(x) => F(y) in S\n",
            "y) in",
            "write `_`",
            "F(_)",
        ),
        (
            "def R = net<m>\nsystem S = R\nsecrecy m in S\nsecrecy  m in S\n",
            "secrecy  m",
            "remove `secrecy  m in S`",
            "system S = R",
        ),
        (
            "def R := net<m>\nsystem S = R\n",
            ":=",
            "write `=`",
            "def R = net<m>",
        ),
        (
            "def R = net(x). [x = m] net<m>\nsystem S = R\n",
            "= m]",
            "write `is`",
            "[x  is  m]",
        ),
        (
            "def R = net(H(m)). net<m>\nsystem S = R\n",
            "H(m)",
            "insert `=`",
            "net(=H(m)).",
        ),
        (
            "key L(Agent)\ndef R = net<{m}L(A)+>\nsystem S = R\n",
            "L(A)+",
            "remove `+`",
            "net<{m}L(A)>",
        ),
        (
            "def R = net<m> | \nsystem S = R\n",
            "| ",
            "insert `0`",
            "net<m> | 0",
        ),
    ];
    for (body, what, title, after) in cases {
        let text = format!("{head}{body}");
        let (titles, mended) = repaired(&mut client, &text, what);
        assert!(titles.iter().any(|t| t == title), "{body}: {titles:?}");
        assert!(mended.contains(after), "{mended}");
    }
    client.leave();
}

//! The pictures of the documentation are what the program draws today.
//!
//! Run with `UPDATE_DOCS=1` to draw them again.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

/// Each picture with the command that draws it.
const PICTURES: &[(&str, &[&str])] = &[
    ("lowe", &["check", "protocols/ns.spi", "--secrecy", "Nb"]),
    (
        "otway-rees-type-flaw",
        &[
            "check",
            "protocols/papers/spycatcher-otway-rees.spi",
            "--system",
            "OR_AB",
        ],
    ),
    (
        "otway-rees-man-in-the-middle",
        &[
            "check",
            "protocols/papers/spycatcher-otway-rees.spi",
            "--system",
            "OR_C",
            "--typed",
        ],
    ),
    (
        "equivalence",
        &["check", "protocols/papers/s3a-fig1.spi", "--system", "One"],
    ),
    ("nsl-honest", &["run", "protocols/nsl.spi"]),
    ("ikev2", &["check", "protocols/modern/ikev2.spi"]),
    ("speke", &["check", "protocols/modern/speke.spi"]),
    ("x3dh-later", &["check", "protocols/modern/x3dh-later.spi"]),
    (
        "reflection",
        &[
            "check",
            "protocols/iso/two-pass-without-name.spi",
            "--system",
            "Reflection",
        ],
    ),
    (
        "replay",
        &["check", "protocols/iso/one-pass.spi", "--system", "Replay"],
    ),
    (
        "impersonation",
        &[
            "check",
            "protocols/otway-rees/abadi-needham.spi",
            "--system",
            "Session",
        ],
    ),
    (
        "parallel-session",
        &["check", "protocols/woo-lam/pi.spi", "--system", "Parallel"],
    ),
    (
        "lost-key",
        &[
            "check",
            "protocols/symmetric/nssk-old-key.spi",
            "--system",
            "OldKey",
        ],
    ),
    (
        "eavesdropping",
        &["check", "protocols/modern/ratchet.spi", "--secrecy", "M3"],
    ),
    (
        "distinguishing-test",
        &[
            "check",
            "protocols/equivalence/private-authentication.spi",
            "--system",
            "FrankTo",
        ],
    ),
];

/// The pictures of what `spi` finds in a model.
pub fn of_model(path: &str) -> impl Iterator<Item = &'static str> {
    let of_it = PICTURES.iter().filter(move |(_, args)| args[1] == path);
    of_it.map(|(name, _)| *name)
}

/// The model that a picture is about.
pub fn model_of(picture: &str) -> &'static str {
    let found = PICTURES.iter().find(|(name, _)| *name == picture);
    found.map_or("", |(_, args)| args[1])
}

#[test]
fn the_pictures_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("docs/pictures");
    let drawn = tempfile::TempDir::new().expect("a folder");
    let mut stale = Vec::new();
    for (name, args) in PICTURES {
        let out = drawn.path().join(format!("{name}.svg"));
        let run = Command::cargo_bin("spi")
            .expect("the binary is built")
            .current_dir(root)
            .args(*args)
            .arg("--chart")
            .arg(&out)
            .output()
            .expect("spi runs");
        let new = fs::read_to_string(&out)
            .unwrap_or_else(|_| panic!("{name}: {}", String::from_utf8_lossy(&run.stderr)));
        let path = folder.join(format!("{name}.svg"));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::create_dir_all(&folder).expect("the folder can be made");
            fs::write(&path, &new).expect("the picture can be written");
        }
        if fs::read_to_string(&path).unwrap_or_default() != new {
            stale.push(*name);
        }
    }
    assert!(
        stale.is_empty(),
        "not up to date: {stale:?}; run the tests with UPDATE_DOCS=1"
    );
}

/// Both later events of an injective agreement are the evidence against it, but the first of them has its partner. Both used
/// to be marked.
#[test]
fn only_the_event_without_a_partner_is_marked() {
    let model = "agent A, B spy C channel net key S(Agent, Agent)
        def Init(a: Agent, b: Agent) = new N: Nonce. event Running(a, b, N). net<{N}S(a, b)>
        def Resp(b: Agent, a: Agent) = net({n: Nonce}S(a, b)). event Done(b, a, n)
        system P = Init(A, B) | Resp(B, A) | Resp(B, A)
        injective agreement Done(b, a, n) => Running(a, b, n) in P";
    let drawn = tempfile::TempDir::new().expect("a folder");
    let out = drawn.path().join("replay.svg");
    Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(["check", "-", "--chart"])
        .arg(&out)
        .write_stdin(model)
        .output()
        .expect("spi runs");
    let picture = fs::read_to_string(&out).expect("a picture");
    assert_eq!(
        picture.matches("Done(B, A, N)</text>").count(),
        2,
        "{picture}"
    );
    assert_eq!(
        picture.matches("no partner is left").count(),
        1,
        "{picture}"
    );
    assert!(!picture.contains("nothing matches"), "{picture}");
}

/// What the spy knows used to list, with a tuple, all that is left of it without its first parts.
#[test]
fn a_page_lists_the_parts_of_a_tuple_and_not_its_ends() {
    let drawn = tempfile::TempDir::new().expect("a folder");
    let out = drawn.path().join("splice.html");
    Command::cargo_bin("spi")
        .expect("the binary is built")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "check",
            "protocols/public-key/splice.spi",
            "--system",
            "Misled",
            "--chart",
        ])
        .arg(&out)
        .output()
        .expect("spi runs");
    let page = fs::read_to_string(&out).expect("a page");
    let known = |term: &str| page.contains(&format!("<td class=\"term\">{term}</td>"));
    assert!(known("(A, B, N1)") && known("N1"), "{page}");
    assert!(!known("(B, N1)"), "{page}");
}

/// Each page leads to those about the other claims of the same run, and to no other.
#[test]
fn pages_of_several_claims_lead_to_each_other() {
    let drawn = tempfile::TempDir::new().expect("a folder");
    let out = drawn.path().join("a b#1.html");
    let run = |claims: &[&str]| {
        Command::cargo_bin("spi")
            .expect("the binary is built")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(["check", "protocols/ns.spi", "--force", "--chart"])
            .arg(&out)
            .args(claims)
            .output()
            .expect("spi runs")
    };
    run(&[]);
    let page = |name: &str| fs::read_to_string(drawn.path().join(name)).expect("a page");
    let (first, second) = (page("a b#1.html"), page("a b#1-2.html"));
    let link = |page: &str| {
        let (_, rest) = page.split_once("<a href=\"").expect("a link");
        rest.split_once('"').expect("its end").0.to_owned()
    };
    assert_eq!(link(&first), "./a%20b%231-2.html");
    assert_eq!(link(&second), "./a%20b%231.html");
    for page in [&first, &second] {
        assert_eq!(page.matches("<li aria-current=\"page\">").count(), 1);
        assert_eq!(page.matches("<a href").count(), 1);
    }
    run(&["--secrecy", "Nb"]);
    assert!(!page("a b#1.html").contains("class=\"pages\""));
}

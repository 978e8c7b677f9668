//! Certificates as files: what is written is verified again, what was changed is refused, and whatever stands in a file, reading ends.

use spi::analysis::{Decision, LimitSpec, Model, Settings, Unverified, verify_claim};
use spi::base::limits::Silent;
use spi::base::source::{SourceFile, SourceMap, load};
use spi::certify::file::{Asked, Header, read, written_proof};
use spi::process::Expectation;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A nonce that is asked for.
const MODEL: &str = "\
agent A, B
channel net
keypair K(Agent)
def Init(a: Agent, b: Agent) = new n: Nonce. net<{n, a}K(b)+>
def Resp(b: Agent, a: Agent) = net(x). case x of {m: Nonce, =a}K(b)- in net<{m, m}K(a)+>
partial system S = Init(A, B) | Resp(B, A)
secrecy n in S
";

/// The headers that `model` and `claim` say.
fn header(settings: &Settings, claim: usize, wider: bool) -> Header {
    Header {
        models: vec![7],
        asked: Asked::Claim(claim),
        typed: settings.typed,
        unfold: settings.bounds.recursion,
        copies: settings.bounds.copies,
        sessions: settings.sessions,
        wider,
        semantics: settings.semantics,
    }
}

/// What a text is said to show.
fn verified(
    model: &Model,
    claim: usize,
    settings: &Settings,
    text: &str,
) -> Result<(String, String), String> {
    let file = SourceFile::anonymous("c.cert", text);
    let draft = read(&file).map_err(|d| d.message.clone())?;
    let wider = draft.header.wider;
    let claims = [false, true].map(|typed| &model.program(typed).claims[claim]);
    let read = |store: &_, system: &_| draft.proof(store, system);
    let result = verify_claim(&model.subject(), claims, settings, wider, read, &Silent);
    let result = result.map_err(|why| match why {
        Unverified::Unread(diagnostic) => diagnostic.message.clone(),
        why => format!("{why:?}"),
    })?;
    Ok((
        format!("{:?}", result.outcome()),
        format!("{:?}", result.scope),
    ))
}

/// The certificate of a claim, if it is proved, with what is said of it.
fn certified(
    model: &Model,
    claim: usize,
    settings: &Settings,
) -> Option<(String, (String, String))> {
    let decision = model.decide(claim, settings, &Silent).ok()?;
    let Decision::One(result) = decision else {
        return None;
    };
    let shown = result
        .certificate
        .as_ref()
        .filter(|_| result.outcome().holds())?;
    let header = header(settings, claim, shown.wider);
    let text = written_proof(&model.store, &shown.system, &header, &shown.certificate);
    let text = text.expect("everything in a certificate has a spelling");
    let said = (
        format!("{:?}", result.outcome()),
        format!("{:?}", result.scope),
    );
    Some((text, said))
}

fn models(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the library is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            models(&path, into);
        } else if path.extension().is_some_and(|e| e == "spi") {
            into.push(path);
        }
    }
}

#[test]
fn every_proof_of_the_library_is_verified_from_its_text() {
    let mut files = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols");
    models(&root, &mut files);
    files.sort();
    // What takes a search is no proof.
    let settings = Settings {
        limits: LimitSpec {
            states: Some(1),
            ..LimitSpec::default()
        },
        ..Settings::default()
    };
    let mut count = 0;
    for path in files {
        let mut map = SourceMap::new();
        let file = load::load(&mut map, &path).expect("it can be read");
        let Ok(model) = Model::from_file(&mut map, &file) else {
            continue;
        };
        // Another process has other numbers for its terms.
        let again = Model::from_file(&mut SourceMap::new(), &file).expect("as before");
        let early = |claim: &usize| {
            let claim = &model.claims()[*claim];
            claim.kind.system().is_some() && claim.expect != Some(Expectation::Attack)
        };
        for claim in (0..model.claims().len()).rev().filter(early) {
            let Some((text, said)) = certified(&model, claim, &settings) else {
                continue;
            };
            count += 1;
            let told = verified(&again, claim, &settings, &text);
            assert_eq!(told.as_ref(), Ok(&said), "{}: {claim}", path.display());
        }
    }
    assert!(count > 200, "{count} proofs");
}

#[test]
fn a_certificate_without_one_of_its_lines_shows_nothing() {
    let model = Model::from_text(MODEL).expect("no mistakes");
    let settings = Settings::default();
    let (text, said) = certified(&model, 0, &settings).expect("a proof");
    assert_eq!(verified(&model, 0, &settings, &text), Ok(said));
    let lines: Vec<&str> = text.lines().collect();
    let mut refused = 0;
    for at in 0..lines.len() {
        let mut fewer = lines.clone();
        fewer.remove(at);
        let told = verified(&model, 0, &settings, &fewer.join("\n"));
        let clause = lines[at].starts_with("clause");
        assert!(told.is_err() || clause, "without `{}`: {told:?}", lines[at]);
        refused += u32::from(clause && told.is_err());
    }
    // A clause that follows from the others may go.
    let clauses = lines.iter().filter(|l| l.starts_with("clause")).count() as u32;
    assert!(5 * refused > 4 * clauses, "{refused} of {clauses}");
}

#[test]
fn whatever_stands_in_a_certificate_reading_ends() {
    let model = Model::from_text(MODEL).expect("no mistakes");
    let settings = Settings::default();
    let (text, said) = certified(&model, 0, &settings).expect("a proof");
    for end in 0..text.trim_end().len() {
        let told = verified(&model, 0, &settings, &text[..end]);
        assert!(told.is_err(), "cut off at {end}: {told:?}");
    }
    let mut seed = 1_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % below
    };
    let scraps = [
        " ",
        "\n",
        "\"",
        "(",
        ")",
        "[",
        "]",
        "->",
        "end",
        "0",
        "4294967296",
        "-1",
        "clause",
        "cut",
        "new 0",
        "é",
        "//",
        "= variable 99999999",
        "attacker",
        "\\",
        "\u{0}",
    ];
    for _ in 0..2_000 {
        let mut bytes = text.clone();
        for _ in 0..=next(3) {
            let at = next(bytes.len());
            let to = (at + next(6)).min(bytes.len());
            bytes.replace_range(at..to, scraps[next(scraps.len())]);
        }
        // What is accepted all the same is a proof.
        if let Ok(told) = verified(&model, 0, &settings, &bytes) {
            assert_eq!(told.0, said.0, "{bytes}");
        }
    }
}

#[test]
fn a_broken_claim_has_no_certificate() {
    let broken = MODEL.replace("K(b)+>", "K(b)+>. net<n>");
    let right = Model::from_text(MODEL).expect("no mistakes");
    let settings = Settings::default();
    let (text, _) = certified(&right, 0, &settings).expect("a proof");
    let wrong = Model::from_text(&broken).expect("no mistakes");
    assert!(certified(&wrong, 0, &settings).is_none());
    let told = verified(&wrong, 0, &settings, &text).expect_err("another system");
    assert!(
        told.contains("Missing") || told.contains("expected"),
        "{told}"
    );
}

struct Room(TempDir);

impl Room {
    fn new() -> Self {
        let room = Self(TempDir::new().expect("a folder"));
        room.put("m.spi", MODEL);
        room
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).expect("it can be written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).expect("it can be read")
    }

    fn spi(&self, args: &[&str]) -> (Option<i32>, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_spi"))
            .args(args)
            .current_dir(self.0.path())
            .output()
            .expect("it runs");
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).expect("text"))
    }
}

#[test]
fn a_certificate_is_written_and_verified_from_the_command_line() {
    let room = Room::new();
    let (code, said) = room.spi(&["check", "m.spi", "--certificate", "c.cert"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("wrote c.cert"), "{said}");
    let (code, again) = room.spi(&["verify", "m.spi", "c.cert"]);
    assert_eq!(code, Some(0), "{again}");
    let first = said.lines().next().expect("a verdict");
    assert!(again.starts_with(first), "{again}");
    let (code, json) = room.spi(&["verify", "m.spi", "c.cert", "--format", "json"]);
    assert_eq!(code, Some(0), "{json}");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["files"][0]["claims"][0]["verdict"], "proved");
    assert_eq!(json["files"][0]["claims"][0]["certificate"], "c.cert");
    // Comments and layout are no part of a model, everything else is.
    room.put("m.spi", &MODEL.replace(" | ", "  // both\n | "));
    assert_eq!(room.spi(&["verify", "m.spi", "c.cert"]).0, Some(0));
    room.put("m.spi", &MODEL.replace("{m, m}", "{m, a}"));
    let (code, said) = room.spi(&["verify", "m.spi", "c.cert"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("E0613") && said.contains("another model"),
        "{said}"
    );
}

#[test]
fn a_certificate_goes_over_no_input_and_is_refused_where_it_is_wrong() {
    let room = Room::new();
    let (code, said) = room.spi(&["check", "m.spi", "--certificate", "m.spi"]);
    assert_eq!(code, Some(2), "{said}");
    assert_eq!(room.read("m.spi"), MODEL);
    room.spi(&[
        "check",
        "m.spi",
        "--secrecy",
        "n",
        "--certificate",
        "c.cert",
    ]);
    let (code, said) = room.spi(&["verify", "m.spi", "c.cert"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with("secrecy n in S"), "{said}");
    let text = room.read("c.cert");
    let fewer: Vec<&str> = text.lines().filter(|l| !l.starts_with("clause")).collect();
    room.put("d.cert", &fewer.join("\n"));
    let (code, said) = room.spi(&["verify", "m.spi", "d.cert"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("E0614") && said.contains("does not follow"),
        "{said}"
    );
    room.put(
        "d.cert",
        &text.replace("spi certificate 1", "spi certificate 9"),
    );
    let (code, said) = room.spi(&["verify", "m.spi", "d.cert"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("E0612") && said.contains("version 1"),
        "{said}"
    );
    let (code, said) = room.spi(&["verify", "m.spi", "c.cert", "--timeout", "0s"]);
    assert!(code == Some(3) || code == Some(0), "{code:?} {said}");
}

//! Narrations: what they stand for, and that everything that is said of them points into them.

use crate::reference::narrated;
use crate::reference::random::{Random, seeds};
use assert_cmd::Command;
use spi::analysis::{Model, Outcome, Settings, honest_run};
use spi::base::limits::Silent;
use spi::base::source::{Code, Diagnostic, SourceFile, SourceMap};
use spi::lang::sema::check_text;
use spi::lang::syntax::ast::{Decl, DeclKind, File};
use spi::lang::syntax::format::format;
use spi::lang::syntax::{dump, link, narration};
use spi::process::{Action, Bounds, Closed, Shapes, TupleMode, unfold};
use spi::term::TermStore;
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols/narration");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "spi"));
    files.sort();
    files
}

fn parsed(text: &str) -> (SourceFile, File) {
    let file = SourceFile::anonymous("t", text);
    let mut map = SourceMap::new();
    let (tree, mistakes) = link::parse(&mut map, &file);
    assert!(mistakes.is_empty(), "{text}\n{mistakes:?}");
    (file, tree)
}

fn outcomes(text: &str) -> Vec<Outcome> {
    let model = Model::from_text(text).expect("no mistakes");
    let settings = Settings {
        wider: false,
        ..Settings::default()
    };
    (0..model.claims().len())
        .map(|c| {
            let decision = model.decide(c, &settings, &Silent);
            decision.expect("a system of moderate size").outcome()
        })
        .collect()
}

#[test]
fn the_expansion_of_a_narration_has_its_verdicts() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let (file, tree) = parsed(&text);
        let expanded = narration::expanded(&file, &tree);
        assert!(!expanded.contains("\nprotocol "), "{expanded}");
        assert_eq!(
            format(&SourceFile::anonymous("t", &expanded)).as_deref(),
            Ok(&*expanded),
            "what is printed is laid out"
        );
        let (_, again) = parsed(&expanded);
        let (told, printed) = (tree.expanded(), again.expanded());
        assert_eq!(
            dump::file(&told),
            dump::file(&printed),
            "{}",
            path.display()
        );
        let checked = check_text(
            &SourceFile::anonymous("t", &expanded),
            &TermStore::new(),
            TupleMode::Nested,
        );
        assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
        assert_eq!(outcomes(&text), outcomes(&expanded), "{}", path.display());
    }
}

#[test]
fn a_narration_has_the_verdicts_of_the_model_that_was_written_by_hand() {
    // For each goal, the claim of the other file by its number.
    let pairs = [
        ("ns", "ns", vec![(0, 1), (1, 2), (2, 3)]),
        ("nsl", "nsl", vec![(0, 0), (1, 1), (2, 2)]),
        ("woo-lam-pi", "woo-lam/pi", vec![(0, 0)]),
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols");
    for (told, written, goals) in pairs {
        let read = |path: PathBuf| std::fs::read_to_string(path).expect("a readable file");
        let told = outcomes(&read(root.join(format!("narration/{told}.spi"))));
        let written = outcomes(&read(root.join(format!("{written}.spi"))));
        let broken = |o: &Outcome| *o == Outcome::Attack;
        for (goal, claim) in goals {
            assert_eq!(broken(&told[goal]), broken(&written[claim]));
        }
    }
}

/// The steps of a system as a narration tells them, each with the text of its place.
fn told_steps(text: &str) -> Vec<(bool, String)> {
    let (file, tree) = parsed(text);
    let told = |d: &&Decl| matches!(d.kind, DeclKind::Protocol(_));
    let whole = tree.decls.iter().find(told).expect("a narration").span;
    let store = TermStore::new();
    let program = check_text(&file, &store, TupleMode::Nested).program;
    let mut found = Vec::new();
    for id in 0..program.systems.len() {
        let label = program.systems[id].label.clone();
        let closed = Closed::new(program.system_named(&label).expect("a system"), Vec::new());
        let bounds = Bounds::default();
        let system = unfold(&program, &store, &closed, bounds, &mut Shapes::new());
        for step in system.expect("a small system").steps {
            assert!(step.span.start >= whole.start && step.span.end <= whole.end);
            let message = matches!(step.action, Action::Input { .. } | Action::Output { .. });
            found.push((message, file.slice(step.span).to_owned()));
        }
    }
    found
}

#[test]
fn every_step_has_its_line() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        for (message, told) in told_steps(&text) {
            assert!(!message || told.contains("->"), "{told}");
        }
    }
}

/// A narration of random messages, some of which their senders can make.
fn random_narration(seed: u64) -> String {
    let mut random = Random::new(seed);
    let roles = ["A", "B", "D"];
    let count = 2 + random.below(2);
    let mut fresh: Vec<String> = Vec::new();
    let mut sent: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for _ in 0..2 + random.below(3) {
        let from = random.below(count);
        let to = (from + 1 + random.below(count - 1)) % count;
        let message = random_message(&mut random, &roles[..count], &mut fresh, &sent, 3);
        lines.push(format!("  {} -> {}: {message}", roles[from], roles[to]));
        sent.push(message);
    }
    let roles = roles[..count].join(", ");
    format!(
        "key L(Agent, Agent)\nkeypair K(Agent)\ngroup g\nprotocol P({roles})\n{}\n",
        lines.join("\n")
    )
}

fn random_message(
    random: &mut Random,
    roles: &[&str],
    fresh: &mut Vec<String>,
    sent: &[String],
    depth: usize,
) -> String {
    let who = |random: &mut Random| roles[random.below(roles.len())];
    let mut inner =
        |random: &mut Random| random_message(random, roles, fresh, sent, depth.saturating_sub(1));
    match random.below(if depth == 0 { 3 } else { 9 }) {
        0 => {
            let name = format!("N{}", random.below(4));
            fresh.push(name.clone());
            name
        }
        1 => who(random).to_owned(),
        2 => match random.below(3) {
            0 => format!("g^x{}", random.below(2)),
            1 => "g^x0^x1".to_owned(),
            _ => format!("N{}", random.below(4)),
        },
        3 => format!("({}, {})", inner(random), inner(random)),
        4 => format!("H({})", inner(random)),
        5 => format!("{{{}}}K({})+", inner(random), who(random)),
        6 => format!("{{{}}}K({})-", inner(random), who(random)),
        7 => format!("{{{}, {}}}L(A, B)", inner(random), inner(random)),
        _ => match random.below(3) {
            0 if !sent.is_empty() => {
                let old = sent[random.below(sent.len())].clone();
                format!("({old}, {})", inner(random))
            }
            1 => format!("{{{}}}N{}", inner(random), random.below(4)),
            _ => format!("{{{}}}(g^x0^x1)", inner(random)),
        },
    }
}

/// What a narration stands for runs as it is told: every role gets to its end when nobody interferes. A mistake is said at its line.
#[test]
fn random_narrations_run_as_they_are_told() {
    let (mut runs, mut refused) = (0, 0);
    for seed in seeds(300) {
        let text = random_narration(seed);
        let file = SourceFile::anonymous("t", &text);
        let (tree, mistakes) = link::parse(&mut SourceMap::new(), &file);
        if !mistakes.is_empty() {
            assert!(
                mistakes.iter().all(|d| d.code == Code::CannotMake),
                "{text}\n{mistakes:?}"
            );
            refused += 1;
            continue;
        }
        let expanded = narration::expanded(&file, &tree);
        let store = TermStore::new();
        let checked = check_text(&file, &store, TupleMode::Nested);
        let errors = checked.diagnostics.iter().any(Diagnostic::is_error);
        assert!(!errors, "{text}\n{expanded}\n{:?}", checked.diagnostics);
        let closed = Closed::new(
            checked.program.system_named("P").expect("the system"),
            Vec::new(),
        );
        let settings = Settings::default();
        let gate = honest_run(&store, &checked.program, &closed, &settings, &Silent);
        let gate = gate.expect("a small system");
        assert!(!gate.is_closed(), "{text}\n{expanded}");
        runs += 1;
    }
    assert!(
        std::env::var("SPI_SEEDS").is_ok() || runs > 40 && refused > 40,
        "{runs} run, {refused} are refused"
    );
}

/// A role takes what it is sent if and only if it can't tell it from what the narration says that it is sent.
#[test]
fn a_role_checks_what_it_can_and_nothing_else() {
    let (mut roles, mut tally) = (0, [0; 2]);
    for seed in seeds(80) {
        let told = narrated::told(seed);
        let store = TermStore::new();
        for part in narrated::parts(&store, &told) {
            let mut random = Random::new(seed);
            roles += 1;
            for _ in 0..12 {
                let messages = part.changed(&store, &mut random);
                let (takes, may) = (
                    part.takes(&store, &messages),
                    part.may_take(&store, &messages),
                );
                let shown = |all: &[spi::term::TermId]| -> Vec<String> {
                    all.iter().map(|t| store.show(*t)).collect()
                };
                assert_eq!(
                    takes,
                    may,
                    "seed {seed}, {} is sent\n{:?}\ninstead of\n{:?}\n{}",
                    part.role,
                    shown(&messages),
                    shown(&part.sent),
                    told.text
                );
                tally[usize::from(takes)] += 1;
            }
        }
    }
    eprintln!("{roles} roles, {tally:?}");
    assert!(
        roles > 0 && tally.iter().all(|n| *n > 0),
        "{roles} roles, {tally:?}"
    );
}

/// The definition of a role, as a narration stands for it.
fn definition(told: &str, role: &str) -> String {
    let (file, tree) = parsed(told);
    let all = narration::expanded(&file, &tree);
    let from = all.find(&format!("def {role}(")).expect("the role");
    let whole = &all[from..];
    whole[..whole.find("\n\n").unwrap_or(whole.len())].to_owned()
}

/// Who opens a signature can't make it again: it keeps what it will pass on, or has to compare.
#[test]
fn a_signature_that_occurs_again_is_kept_whole() {
    let head = "keypair K(Agent)\nagent S\nprotocol P(A, B)\n";
    let passed = definition(
        &format!("{head}  A -> B: {{N, B}}K(A)-\n  B -> S: {{N, B}}K(A)-\n"),
        "P_B",
    );
    assert!(
        passed.contains("case x of {n: Nonce, =b}K(a)+ in"),
        "{passed}"
    );
    assert!(passed.ends_with("net<x>"), "{passed}");
    let compared = definition(
        &format!("{head}  A -> B: H({{B}}K(A)-)\n  A -> B: {{{{B}}K(A)-}}K(B)+\n"),
        "P_B",
    );
    assert!(compared.contains("[x is H(x1)]"), "{compared}");
    let once = definition(&format!("{head}  A -> B: {{N}}K(A)-\n"), "P_B");
    assert!(once.contains("net({n: Nonce}K(a)+)"), "{once}");
}

/// One key opens what has the key of another ciphertext in it, which came before.
#[test]
fn what_is_learned_late_opens_what_came_first() {
    let told = "protocol P(A, B)\n  A -> B: {N}Kab, {Kab}Nk, Nk\n";
    let b = definition(told, "P_B");
    let second = b.find("case x1 of {kab: Sym}nk in");
    let first = b.find("case x of {n: Nonce}kab in");
    assert!(second.is_some() && second < first, "{b}");
}

/// Who gets a whole key pair has both of its parts.
#[test]
fn a_key_pair_that_comes_late_opens_and_compares() {
    let told = "protocol P(A, B)\n  A -> B: kp+, {N}kp+\n  A -> B: kp\n  B -> A: {N}kp-, kp+\n";
    let b = definition(told, "P_B");
    for step in ["[y is kp+]", "case x of {n: Nonce}kp- in", "net<{n}kp-, "] {
        assert!(b.contains(step), "{step}\n{b}");
    }
}

#[test]
fn a_claim_is_told_in_the_words_of_its_goal() {
    let text = "keypair K(Agent)\nprotocol P(A, B)\n  A -> B: {N}K(B)+\n  B -> A: H(N)\ngoals\n  secrecy N  between A, B expect holds\n  A weakly authenticates B on N";
    let model = Model::from_text(text).expect("no mistakes");
    let told: Vec<&str> = model.claims().iter().map(|c| &*c.text).collect();
    assert_eq!(
        told,
        [
            "secrecy N between A, B in P",
            "A weakly authenticates B on N in P"
        ]
    );
}

#[test]
fn goals_are_asked_of_attackers_that_get_keys() {
    let text = "keypair K(Agent)\nprotocol P(A, B)\n  A -> B: {N}K(B)+\n  B -> A: H(N)\ngoals\n  A authenticates B on N";
    let mut model = Model::from_text(text).expect("no mistakes");
    let rows = spi::course::variants::adversaries(&mut model, None);
    let told: Vec<&str> = rows.iter().map(|row| &*row.text).collect();
    assert_eq!(told, ["A authenticates B on N in P"]);
}

/// What `spi` prints about a text, and its exit code.
fn told(arguments: &[&str], text: &str) -> (String, i32) {
    let mut command = Command::cargo_bin("spi").expect("the binary is built");
    let output = command.args(arguments).arg("-").write_stdin(text);
    let output = output.output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    (text, output.status.code().expect("it ends by itself"))
}

/// A server hands on a key that B takes as often as it is sent.
const FROG: &str = "agent S
key K(Agent)
protocol Frog(A, B)
  S knows K(A), K(B)
  A -> S: A, {B, Kab}K(A)
  S -> B: {A, Kab}K(B)
goals
  B authenticates A on Kab
";

#[test]
fn what_lies_beyond_a_narration_can_be_written_behind_it() {
    let (text, _) = told(&["check", "--format", "json"], FROG);
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let attack = &json["files"][0]["claims"][0]["beyond"]["attack"];
    assert_eq!(attack["added"][0], "Frog_B(A, B)");
    let lines = attack["system"].as_str().expect("what to write");
    assert!(lines.starts_with("system Frog2 ="), "{lines}");
    let longer = format!("{FROG}\n{lines}\n");
    let (text, code) = told(&["check", "-q", "--as-written"], &longer);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("in Frog2: attack"), "{text}");
    let (text, _) = told(&["check"], FROG);
    assert!(text.contains("\n    system Frog2 ="), "{text}");
    // A name that is taken is not proposed.
    let taken = format!("{FROG}\ndef Frog2(_a: Agent) = 0\nsystem Frog3 = Frog2(A)\n");
    let (text, _) = told(&["check"], &taken);
    assert!(text.contains("\n    system Frog21 ="), "{text}");
}

#[test]
fn roles_have_sorts() {
    let sorted = FROG.replace("Frog(A, B)", "Frog(A: User, B: Bank)");
    let (text, _) = told(&["expand"], &sorted);
    assert!(text.contains("agent A: User"), "{text}");
    assert!(text.contains("agent B: Bank"), "{text}");
    assert!(text.contains("def Frog_S(a: User, b: Bank)"), "{text}");
    // Who is declared has its own sort, and `Agent` means anybody.
    let declared = format!("agent A: User\n{}", FROG.replace("(A, B)", "(A, B: Agent)"));
    let (text, _) = told(&["expand"], &declared);
    assert!(text.contains("def Frog_S(a: User, b: Agent)"), "{text}");
    let wrong = FROG.replace("(A, B)", "(A: Nonce, B)");
    let Err(found) = Model::from_text(&wrong) else {
        panic!("no agent is a nonce");
    };
    assert_eq!(found[0].code, Code::NoParticipant);
}

/// The server gives its own key away, so whoever has it for a partner or plays it is lost.
const GENEROUS: &str = "agent S
key K(Agent)
protocol P(A, B)
  B knows K(A)
  S -> A: K(S)
  A -> B: {M}K(A)
goals
  secrecy M between A
";

#[test]
fn a_server_with_a_sort_keeps_its_part() {
    let (text, _) = told(&["check"], GENEROUS);
    assert!(text.contains("P_A(S, "), "the server plays A: {text}");
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("declared as `agent S: Server` it keeps to its own"),
        "{text}"
    );
    let sorted = GENEROUS.replace("agent S", "agent S: Server");
    let (text, _) = told(&["check"], &sorted);
    assert!(!text.contains("beyond what is written"), "{text}");
    let (text, _) = told(&["expand"], &sorted);
    assert!(text.contains("agent A, B: User"), "{text}");
    assert!(text.contains("def P_A(a: User, _b: User)"), "{text}");
    // Not a name that is there already.
    let taken = sorted.replace(
        "agent S: Server",
        "agent S: Server, T: User\ndef User1 = 0\nsystem U = User1",
    );
    let (text, _) = told(&["expand"], &taken);
    assert!(text.contains("agent A, B: User2"), "{text}");
}

#[test]
fn a_narration_says_who_speaks() {
    // Without keys the arguments would be all that tells.
    let relay = "protocol R(A, B, D)\n  A -> B: N\n  B -> D: N, M\n  D -> A: M\n";
    let (text, _) = told(&["run"], relay);
    let cast = "A in R_A(A, B, D), B in R_B(A, B, D), D in R_D(A, B, D)";
    assert!(text.contains(cast), "{text}");
    assert!(text.contains("2. B -> D : N, M"), "{text}");
    let (text, _) = told(&["run"], FROG);
    assert!(text.contains("S in Frog_S(A, B)"), "{text}");
}

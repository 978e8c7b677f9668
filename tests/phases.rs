//! Phases: who is gone when one begins, and what a key that is lost late is good for [Sem 3.1].

use crate::reference::random::seeds;
use crate::reference::{attack, phases};
use crate::search_reference::{Case, agree};
use spi::analysis::{Decision, Model, Outcome, Settings, Verdict};
use spi::base::limits::Silent;
use spi::certify::{Move, MoveKind, replay};
use spi::course::variants::adversaries;
use spi::engine::search::Options;

/// What the search finds for each claim of a file: an attack, or a run that reaches the event.
fn answers(text: &str) -> Vec<Option<bool>> {
    let case = Case::new(text.to_owned());
    let options = Options {
        workers: 1,
        ..Options::default()
    };
    let claims = 0..case.nested.claims.len();
    claims.map(|i| case.found(i, (options, false))).collect()
}

#[test]
fn random_systems_with_phases() {
    let limits = attack::Limits {
        states: 400,
        ..attack::Limits::default()
    };
    agree(seeds(200), limits, phases::system);
}

/// Who takes away what every input needs, and then loses the key, says the same without phases.
#[test]
fn a_key_lost_in_phase_1_is_one_lost_when_nobody_listens_any_more() {
    let mut attacks = 0;
    for seed in seeds(150) {
        let lost = phases::lost(seed);
        let (phase, token) = (answers(&lost.phase), answers(&lost.token));
        attacks += phase.iter().filter(|a| **a == Some(true)).count();
        assert_eq!(phase, token, "seed {seed}\n{}\n{}", lost.phase, lost.token);
    }
    assert!(attacks > 50, "{attacks} attacks");
}

#[test]
fn a_key_that_is_lost_earlier_helps_no_less() {
    let mut fewer = 0;
    for seed in seeds(150) {
        let lost = phases::lost(seed);
        let (phase, start) = (answers(&lost.phase), answers(&lost.start));
        for (late, early) in phase.iter().zip(&start) {
            let less = *late == Some(true) && *early == Some(false);
            assert!(!less, "seed {seed}\n{}", lost.phase);
            fewer += usize::from(*late == Some(false) && *early == Some(true));
        }
    }
    assert!(fewer > 5, "phases made a difference {fewer} times");
}

#[test]
fn who_waits_for_a_phase_to_do_nothing_changes_nothing() {
    for seed in seeds(100) {
        let lost = phases::lost(seed);
        assert_eq!(answers(&lost.phase), answers(&lost.idle), "seed {seed}");
    }
}

#[test]
fn a_claim_about_lost_keys_is_one_about_a_system_that_loses_them() {
    let (mut attacks, mut held) = (0, 0);
    for seed in seeds(150) {
        let said = phases::said(seed);
        for (claimed, done) in [(said.given, said.at_once), (said.forward, said.late)] {
            let (by_claim, by_system) = (answers(&claimed), answers(&done));
            assert_eq!(by_claim, by_system, "seed {seed}\n{claimed}\n{done}");
            attacks += by_claim.iter().filter(|a| **a == Some(true)).count();
            held += by_claim.iter().filter(|a| **a == Some(false)).count();
        }
    }
    assert!(attacks > 50 && held > 50, "{attacks} attacks, {held} hold");
}

/// Keys for a claim about one session of A with B, after A's or B's key was lost, or both later.
const EXCHANGES: &str = "agent A, B\nspy C\nchannel net\nkeypair K(Agent)\ngroup g
def Init(a: Agent, b: Agent) =
  new x: Nonce.
  net<g^x, {g^x, a, b}K(a)->.
  net(gy: Share, s). case s of {=gy, =g^x, =b, =a}K(b)+ in
  event Done(a, b, gy^x)
def Resp(b: Agent, a: Agent) =
  net(gx: Share, s). case s of {=gx, =a, =b}K(a)+ in
  new y: Nonce.
  net<g^y, {g^y, gx, b, a}K(b)->.
  event Got(b, a, gx^y)
def Sends(a: Agent, b: Agent) = new k: Sym. event Sent(a, b, k). net<{k, a, b}K(b)+>
def Takes(b: Agent, a: Agent) = net(s). case s of {k: Sym, =a, =b}K(b)- in event Taken(b, a, k)
system S = Init(A, B) | Resp(B, A) | Init(A, C) | Resp(B, C)
system T = Sends(A, B) | Takes(B, A)
def Init2(a: Agent, b: Agent) =
  new x: Nonce.
  event Start(a, b, g^x).
  net<g^x, {g^x, a, b}K(a)->
def Resp2(b: Agent, a: Agent) =
  net(gx: Share, s). case s of {=gx, =a, =b}K(a)+ in
  event Got(b, a, gx)
system U = Init2(A, B) | Resp2(B, A) | Init2(A, C) | Resp2(B, C)
";

fn decided(claim: &str) -> (Outcome, Vec<String>) {
    let model = Model::from_text(&format!("{EXCHANGES}{claim}\n"));
    let model = model.expect("the model is sound");
    let decision = model
        .decide(0, &Settings::default(), &Silent)
        .expect("it is small");
    let kinds = match &decision {
        Decision::One(result) => match &result.verdict {
            Verdict::Attack(attacks) => (attacks[0].witness.moves.iter())
                .map(|m| format!("{:?}", m.kind).chars().take(5).collect())
                .collect(),
            _ => Vec::new(),
        },
        Decision::Compared(_) => Vec::new(),
    };
    (decision.outcome(), kinds)
}

/// Signed shares keep their keys when the signing keys are lost; a key that was sent under the receiver's does not.
#[test]
fn forward_secrecy_tells_shares_from_a_key_that_was_sent() {
    let (outcome, _) = decided("forward secrecy k after Done(a, b, k) in S");
    assert!(outcome.holds(), "{outcome:?}");
    let (outcome, _) = decided("secrecy k after Sent(a, b, k) in T");
    assert!(outcome.holds(), "{outcome:?}");
    let (outcome, moves) = decided("forward secrecy k after Sent(a, b, k) in T");
    assert_eq!(outcome, Outcome::Attack);
    assert!(moves.iter().any(|m| m == "Phase"), "{moves:?}");
}

/// Whose key is lost can be impersonated, but is not deceived by that alone.
#[test]
fn whose_key_is_lost_is_meant_by_the_claim() {
    let (outcome, _) = decided("secrecy k after Done(a, b, k) in S given K(A)-");
    assert!(outcome.holds(), "{outcome:?}");
    let (outcome, _) = decided("secrecy k after Got(b, a, k) in S given K(A)-");
    // Got(A, ..) is marked by nobody: it is B's.
    assert_eq!(outcome, Outcome::Vacuous);
    let (outcome, _) = decided("secrecy k after Got(B, A, k) in S given K(A)-");
    assert_eq!(outcome, Outcome::Attack);
    let (outcome, _) = decided("secrecy k after Sent(a, b, k) in T given K(A)-");
    assert!(outcome.holds(), "{outcome:?}");
    let (outcome, _) = decided("secrecy k after Taken(b, a, k) in T given K(B)-");
    assert_eq!(outcome, Outcome::Attack);
}

/// Who goes first in an event is who it is about, also where nobody need come to an end.
#[test]
fn a_claim_about_who_marks_nothing_is_vacuous() {
    let claim = "agreement Got(b, a, k) => Start(a, b, k) in U";
    for (system, lost, vacuous) in [
        ("system", "A", true),
        ("partial system", "A", true),
        ("partial system", "B", false),
    ] {
        let text = EXCHANGES.replace("system U = ", &format!("{system} U = "));
        let text = format!("{text}{claim} given K({lost})-\n");
        let model = Model::from_text(&text).expect("it is sound");
        let decision = model.decide(0, &Settings::default(), &Silent);
        let outcome = decision.expect("it is small").outcome();
        assert_eq!(outcome == Outcome::Vacuous, vacuous, "{system} {lost}");
    }
}

/// Roles that wait for a phase may use what was lost, those that don't are gone.
#[test]
fn who_does_not_wait_is_gone() {
    let found = |system: &str| {
        let text = format!("channel c\npartial system S = {system}\nreachable E(_) in S\n");
        answers(&text)[0]
    };
    let lost = "phase 1. c<k>";
    let opens = "c(x). case x of {y}k in event E(y)";
    assert_eq!(found(&format!("new k. ({opens} | {lost})")), Some(false));
    assert_eq!(
        found(&format!("new k. (phase 1. {opens} | {lost})")),
        Some(true)
    );
    assert_eq!(
        found(&format!("new k. (phase 2. {opens} | {lost})")),
        Some(true)
    );
    assert_eq!(
        found(&format!(
            "new k. (c(x). phase 1. case x of {{y}}k in event E(y) | {lost})"
        )),
        Some(false)
    );
    assert_eq!(
        found(
            &format!("new k. (phase 2. {lost} | phase 1. {opens})")
                .replace("phase 2. phase 1.", "phase 2.")
        ),
        Some(false)
    );
}

/// The searched attack on the key that was sent, replayed with another schedule.
#[test]
fn a_phase_that_nobody_waits_for_does_not_begin() {
    let claim = "forward secrecy k after Sent(a, b, k) in T";
    let model = Model::from_text(&format!("{EXCHANGES}{claim}\n")).expect("it is sound");
    let decision = model
        .decide(0, &Settings::default(), &Silent)
        .expect("it is small");
    let Decision::One(result) = decision else {
        panic!("about one system")
    };
    let Verdict::Attack(attacks) = &result.verdict else {
        panic!("an attack")
    };
    let attack = &attacks[0];
    let is_phase = |m: &Move| matches!(m.kind, MoveKind::Phase { .. });
    let at = attack
        .witness
        .moves
        .iter()
        .position(is_phase)
        .expect("a phase");
    let confirmed = |change: &dyn Fn(&mut Vec<Move>)| {
        let mut witness = attack.witness.clone();
        change(&mut witness.moves);
        let knows = &model.nested.program.signature.knows;
        replay(
            &model.store,
            &attack.system,
            knows,
            &result.claim.kind,
            &witness,
        )
        .is_ok()
    };
    assert!(confirmed(&|_| {}));
    assert!(
        !confirmed(&|moves| drop(moves.remove(at))),
        "before its phase"
    );
    assert!(
        !confirmed(&|moves| moves[at].kind = MoveKind::Phase { number: 2 }),
        "phase 2"
    );
    assert!(
        !confirmed(&|moves| moves[at].kind = MoveKind::Phase { number: 0 }),
        "phase 0"
    );
    let again = |moves: &mut Vec<Move>| moves.insert(at, moves[at].clone());
    assert!(!confirmed(&again), "a phase begins once");
    let last = |moves: &mut Vec<Move>| {
        moves.push(Move {
            step: moves[at].step,
            kind: MoveKind::Phase { number: 3 },
        });
    };
    assert!(!confirmed(&last), "nobody waits for phase 3");
}

/// Shares that are signed, by any number of runs, with the attacker among those who are talked to.
#[test]
fn forward_secrecy_of_signed_shares_is_proved() {
    for claim in [
        "forward secrecy k after Done(a, b, k) in S",
        "secrecy k after Done(a, b, k) in S given K(A)-",
        "agreement Got(b, a, k) => Start(a, b, _) in U given K(B)-",
    ] {
        let (outcome, _) = decided(claim);
        assert!(outcome.is_proved(), "{claim}: {outcome:?}");
    }
    // Who goes on with what it got in the first phase may wait for the second.
    let text = "channel c\nprivate k: Sym, s\npartial system S = c(x). case x of {y}k in c<{s}y> | phase 1. c<k>\nsecrecy s in S\n";
    let model = Model::from_text(text).expect("it is sound");
    let decision = model
        .decide(0, &Settings::default(), &Silent)
        .expect("it is small");
    let Decision::One(result) = decision else {
        panic!("about one system")
    };
    assert!(result.proof.is_some(), "{:?}", result.verdict);
}

#[test]
fn a_system_with_phases_is_not_asked_who_finishes() {
    let text =
        "channel c\nsystem S = new k, s. (c<{s}k> | phase 1. c(x). c<H(s)>)\nsecrecy s in S\n";
    let model = Model::from_text(text).expect("it is sound");
    let decision = model
        .decide(0, &Settings::default(), &Silent)
        .expect("it is small");
    assert!(decision.outcome().holds(), "{:?}", decision.outcome());
    let Decision::One(result) = decision else {
        panic!("about one system")
    };
    assert!(result.gate.is_none());
}

/// `docs/lost-keys.md` has a row for each file about lost keys, with what the file expects.
#[test]
fn the_table_of_lost_keys_is_what_the_files_say() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/lost-keys.md")).expect("the page");
    let folder = std::fs::read_dir(root.join("protocols/modern")).expect("the folder");
    let names = folder.map(|f| {
        f.expect("a file")
            .file_name()
            .into_string()
            .expect("a name")
    });
    let files: Vec<String> = names.filter(|n| n.ends_with("-lost.spi")).collect();
    let rows = page.lines().filter(|l| l.starts_with("| [")).count();
    assert_eq!(rows, files.len());
    for file in files {
        let text =
            std::fs::read_to_string(root.join("protocols/modern").join(&file)).expect("a text");
        let word = |asked: &dyn Fn(&str) -> bool| {
            let claims = text.lines().filter(|l| l.contains(" expect ") && asked(l));
            let claims: Vec<&str> = claims.collect();
            if claims.is_empty() {
                "-"
            } else if claims.iter().any(|l| l.contains("expect attack")) {
                "lost"
            } else {
                "safe"
            }
        };
        let later = word(&|l| l.starts_with("forward "));
        let own = word(&|l| l.starts_with("secrecy ") && l.contains(" given "));
        let row = format!("(../protocols/modern/{file}) | {later} | {own} |");
        assert!(page.contains(&row), "no row {row}");
    }
}

/// The unified model keeps its keys when long-term exponents are lost later, and not towards the one that has lost its own.
#[test]
fn the_table_of_attackers_tells_what_each_loss_breaks() {
    let claims = "secrecy k after Sent(a, b, k) in T\nsecrecy k after Done(a, b, k) in S\nagreement Done(a, b, k) => Got(b, a, k) in S\n";
    let text = format!("{EXCHANGES}{claims}forward secrecy k after Done(a, b, k) in S\n");
    let mut model = Model::from_text(&text).expect("it is sound");
    let rows = adversaries(&mut model, None);
    let outcome = |numbers: &[std::ops::Range<usize>]| {
        let all = numbers.iter().cloned().flatten();
        let ends = all.map(|n| {
            model
                .decide(n, &Settings::default(), &Silent)
                .expect("small")
                .outcome()
        });
        ends.filter(|o| *o != Outcome::Vacuous).collect::<Vec<_>>()
    };
    let table: Vec<[Vec<Outcome>; 3]> = rows
        .iter()
        .map(|r| r.claims.each_ref().map(|c| outcome(c)))
        .collect();
    // Claims that speak of lost keys themselves have no row.
    assert_eq!(table.len(), 3);
    let holds = |cell: &[Outcome]| !cell.is_empty() && cell.iter().all(|o| o.holds());
    let [sent, own, later] = &table[0];
    assert!(
        holds(sent) && holds(own) && *later == [Outcome::Attack],
        "{table:?}"
    );
    assert!(table[1].iter().all(|cell| holds(cell)), "{table:?}");
    assert!(
        table[2][2].is_empty(),
        "an agreement is over when keys are lost"
    );
    assert_eq!(
        model.claims()[rows[1].claims[1][0].start].text,
        "secrecy k after Done(a, b, k) in S given K(A)-"
    );
}

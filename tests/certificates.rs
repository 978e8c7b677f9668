//! The checker of proofs against certificates that were tampered with. That it takes those of the prover is looked at in `proofs.rs` and
//! `search_reference.rs` too, where a proof that is not taken is a failure of the debug build.
//!
//! A certificate that was changed is not always a wrong one: what still passes is a proof by itself. So each kind of change is
//! tried where it must be noticed, and all changes are tried where no certificate can be right, since the claim is broken.

use crate::support::is_large;
use spi::base::source::SourceFile;
use spi::certify::proof::{Certificate, Clause, Cut, Entry, Head, Kind, ProofError, Reason, check};
use spi::engine::prove::{Options, prove};
use spi::engine::search::Goal;
use spi::lang::sema::check_text;
use spi::process::{Action, Bounds, ClaimKind, Program, Shapes, StepId, System, TupleMode, unfold};
use spi::term::{NameId, Op, TermStore};
use std::path::{Path, PathBuf};

/// A file in memory.
struct Model {
    store: TermStore,
    program: Program,
}

/// A claim with the system that it is about.
#[derive(Clone)]
struct Case {
    program: Program,
    system: System,
    claim: ClaimKind,
}

impl Model {
    fn new(text: &str) -> Self {
        let store = TermStore::new();
        let file = SourceFile::anonymous("test.spi", text);
        let checked = check_text(&file, &store, TupleMode::Nested);
        assert!(checked.is_sound(), "{:?}", checked.diagnostics);
        let program = checked.program;
        Self { store, program }
    }

    /// The claims about one system.
    fn cases(&self) -> Vec<Case> {
        let bounds = Bounds {
            copies: 2,
            ..Bounds::default()
        };
        let about_one = self.program.claims.iter().filter_map(|c| {
            let closed = c.kind.system()?;
            let (store, program) = (&self.store, self.program.clone());
            let system = unfold(&program, store, closed, bounds, &mut Shapes::new()).ok()?;
            let claim = c.kind.clone();
            Some(Case {
                program,
                system,
                claim,
            })
        });
        about_one.collect()
    }

    fn prove(&self, case: &Case) -> Option<Certificate> {
        let goal = Goal::new(&self.store, &case.system, &case.claim)?;
        let signature = &case.program.signature;
        prove(
            &self.store,
            signature,
            &case.system,
            &goal,
            Options::default(),
            &|| false,
        )
        .ok()
        .map(|(_, c)| c)
    }

    fn check(&self, case: &Case, certificate: &Certificate) -> Result<(), ProofError> {
        let signature = &case.program.signature;
        check(
            &self.store,
            signature,
            &case.system,
            &case.claim,
            certificate,
            &|| false,
        )
    }

    /// Proves the claim of a case after a change and checks the certificate for the case as it is.
    fn prove_changed(&self, case: &Case, change: impl Fn(&mut Case)) -> Result<(), ProofError> {
        let mut changed = case.clone();
        change(&mut changed);
        let certificate = self.prove(&changed).expect("what is left is proved");
        assert_eq!(self.check(&changed, &certificate), Ok(()));
        self.check(case, &certificate)
    }
}

const MODEL: &str = "agent A, B\nspy C\nchannel c\nprivate k: Sym, old: Sym\nkeypair K(Agent)\nkey S(Agent)\nknows {old}k\n\
    def P(a: Agent, b: Agent) = new safe: Nonce, leak: Nonce, p: Name.\n\
      event Made(a, safe). c<{safe, b}S(a)>. c<{leak}K(b)+>. c<{leak, H(b)}K(C)+>. p<0>\n\
    def Q(a: Agent, b: Agent) = new m: Nonce. c<m>. c(x). case x of {y: Nonce, =b}S(a) in event Got(a, y).\n\
      c(z). case z of {=m}S(b) in event Late(a, m)\n\
    def R(a: Agent) = c(n). event Asked(a, n). c<{n}S(a)>\n\
    partial system T = P(A, B) | Q(A, B) | R(B)\n";

fn model(claims: &str) -> Model {
    Model::new(&format!("{MODEL}{claims}"))
}

fn safe() -> (Model, Case, Certificate) {
    let model = model("secrecy safe in T");
    let case = model.cases().remove(0);
    let certificate = model.prove(&case).expect("it holds");
    assert_eq!(model.check(&case, &certificate), Ok(()));
    (model, case, certificate)
}

/// The number of the clause that says so.
fn clause(certificate: &Certificate, is: impl Fn(&[Head], Head, Kind) -> bool) -> usize {
    let entry = |e: Entry| &certificate.entries[e.0 as usize];
    let about = |e: Entry| entry(entry(e).args[0]).head;
    let found = certificate.clauses.iter().position(|c| {
        let Head::Fact(kind) = entry(c.conclusion).head else {
            return false;
        };
        let conditions: Vec<Head> = c.conditions.iter().map(|e| about(*e)).collect();
        let top = entry(c.conclusion).args.first().map(|a| entry(*a).head);
        is(&conditions, top.unwrap_or(Head::Fact(kind)), kind)
    });
    found.expect("there is such a clause")
}

const COMPOSED: [Op; 6] = [Op::Hash, Op::Pub, Op::Priv, Op::Senc, Op::Aenc, Op::Sign];

#[test]
fn an_ability_that_is_forgotten_is_noticed() {
    let (model, case, certificate) = safe();
    let without = |i: usize| {
        let mut certificate = certificate.clone();
        certificate.clauses.remove(i);
        model.check(&case, &certificate)
    };
    let is_variable = |h: &Head| matches!(h, Head::Variable(_));
    for op in COMPOSED {
        let composed = certificate.clauses.iter().position(|c| {
            let entry = |e: Entry| &certificate.entries[e.0 as usize];
            let about = entry(c.conclusion).args.first().map(|a| entry(*a));
            about.is_some_and(|t| {
                t.head == Head::Operator(op) && t.args.iter().all(|a| is_variable(&entry(*a).head))
            })
        });
        let rest = without(composed.expect("it is composed"));
        assert_eq!(rest, Err(ProofError::Missing(Reason::Compose)), "{op:?}");
    }
    for op in [Op::Senc, Op::Aenc, Op::Sign] {
        let opened = |conditions: &[Head], top: Head, _| {
            is_variable(&top) && conditions.contains(&Head::Operator(op))
        };
        let i = clause(&certificate, opened);
        assert_eq!(without(i), Err(ProofError::Missing(Reason::Open)), "{op:?}");
    }
    let spoken = clause(&certificate, |_, top, kind| {
        kind == Kind::Message && is_variable(&top)
    });
    let spoken = without(spoken);
    assert_eq!(spoken, Err(ProofError::Missing(Reason::Speak)));
    let heard = clause(&certificate, |conditions, top, kind| {
        kind == Kind::Attacker
            && is_variable(&top)
            && conditions.len() == 2
            && conditions.iter().all(is_variable)
    });
    assert_eq!(without(heard), Err(ProofError::Missing(Reason::Hear)));
}

#[test]
fn a_step_that_is_forgotten_is_noticed() {
    let (model, case, _) = safe();
    let mut outputs = 0;
    for (i, step) in case.system.steps.iter().enumerate() {
        let Action::Output { next, .. } = step.action else {
            continue;
        };
        let at = StepId(i as u32);
        // The message of the next step is there, this one's is not.
        let skip = |c: &mut Case| c.system.steps[i].action = Action::Fork(vec![next]);
        let missed = model.prove_changed(&case, skip);
        assert_eq!(missed, Err(ProofError::Missing(Reason::Step(at))));
        outputs += 1;
    }
    assert_eq!(outputs, 6);
}

/// Of equal role instances one stands for all, as long as they do the same.
#[test]
fn an_instance_that_only_looks_like_another_is_noticed() {
    let model = model("partial system Twins = P(A, B) | P(A, B)\nsecrecy safe in Twins");
    let case = model.cases().remove(0);
    let certificate = model.prove(&case).expect("it holds");
    assert_eq!(model.check(&case, &certificate), Ok(()));
    let mut changes = 0;
    for (i, step) in case.system.steps.iter().enumerate() {
        let mut other = case.clone();
        let Action::Output { message, .. } = &mut other.system.steps[i].action else {
            continue;
        };
        let own = case
            .system
            .names
            .iter()
            .filter(|o| o.instance == step.instance);
        *message = own.map(|o| o.term).next().expect("it makes names");
        let refused = model.check(&other, &certificate);
        assert!(
            matches!(refused, Err(ProofError::Missing(_))),
            "{refused:?}"
        );
        changes += 1;
    }
    assert_eq!(changes, 8);
}

#[test]
fn a_later_event_that_is_forgotten_is_noticed() {
    let model = model("agreement Got(a, n) => Made(a, n) in T");
    let case = model.cases().remove(0);
    let ClaimKind::Agreement { after, .. } = &case.claim else {
        panic!("an agreement");
    };
    let (at, next) = (0u32..)
        .zip(&case.system.steps)
        .find_map(|(i, s)| match &s.action {
            Action::Event { event, next, .. } if *event == after.event => Some((i, *next)),
            _ => None,
        })
        .expect("the event is there");
    let skip = |c: &mut Case| c.system.steps[at as usize].action = Action::Fork(vec![next]);
    let missed = model.prove_changed(&case, skip);
    let reason = Reason::Step(StepId(at));
    assert_eq!(missed, Err(ProofError::Missing(reason)));
}

#[test]
fn a_part_of_the_signature_that_is_forgotten_is_noticed() {
    let (model, case, _) = safe();
    let signature = &case.program.signature;
    let missed = model.prove_changed(&case, |c| c.program.signature.knows.clear());
    assert_eq!(missed, Err(ProofError::Missing(Reason::Knows(0))));
    let (pairs, keys) = (signature.families[0], signature.families[1]);
    let certificate = model.prove(&case).expect("it holds");
    let without_members = |family, part: bool| {
        let mut certificate = certificate.clone();
        let entry = |e: Entry| certificate.entries[e.0 as usize].clone();
        let is_member = |e: Entry| entry(e).head == Head::Operator(Op::Family(family));
        let concludes = |c: &Clause| {
            let fact = entry(c.conclusion);
            let Some(about) = fact.args.first() else {
                return false;
            };
            let inner = entry(*about);
            let of_part = inner.head == Head::Operator(Op::Pub) && is_member(inner.args[0]);
            c.selected.is_none() && if part { of_part } else { is_member(*about) }
        };
        let dropped: Vec<bool> = certificate.clauses.iter().map(concludes).collect();
        assert!(dropped.contains(&true));
        let mut dropped = dropped.into_iter();
        certificate
            .clauses
            .retain(|_| dropped.next() == Some(false));
        model.check(&case, &certificate)
    };
    let part = without_members(pairs, true);
    assert_eq!(part, Err(ProofError::Missing(Reason::PublicPart(pairs))));
    for family in [pairs, keys] {
        let member = without_members(family, false);
        assert_eq!(member, Err(ProofError::Missing(Reason::Spy(family))));
    }
}

/// The clauses of a prover that has forgotten what a destructor gives are not enough.
#[test]
fn a_rule_of_a_destructor_that_is_forgotten_is_noticed() {
    let model = Model::new(
        "channel c\nfunction seal(Msg, Sym)\ndestructor open(seal(x, y), y) = x\n\
         partial system T = new safe, leak, k: Sym, l: Sym. c<seal(leak, k)>. c<k>. c<seal(safe, l)>\nsecrecy safe in T\n",
    );
    let case = model.cases().remove(0);
    let forgotten = model.prove_changed(&case, |c| c.program.signature.destructors.clear());
    assert_eq!(forgotten, Err(ProofError::Missing(Reason::Destructor)));
}

#[test]
fn spies_and_families_that_are_not_declared_are_not_expressed() {
    let (model, case, certificate) = safe();
    let mut other = case.clone();
    other.program.signature.spies.clear();
    let refused = model.check(&other, &certificate);
    assert_eq!(refused, Err(ProofError::NotExpressed));
    let mut other = case.clone();
    other.program.signature.families.pop();
    let refused = model.check(&other, &certificate);
    assert_eq!(refused, Err(ProofError::NotExpressed));
}

#[test]
fn a_claim_that_is_forgotten_is_noticed() {
    let model = model(
        "secrecy safe in T\nsecrecy leak in T\nsecrecy leak after Got(_, leak) in T\nunsendable c<leak> in T",
    );
    let cases = model.cases();
    let certificate = model.prove(&cases[0]).expect("it holds");
    assert_eq!(model.check(&cases[0], &certificate), Ok(()));
    for other in &cases[1..] {
        let missed = model.check(other, &certificate);
        assert_eq!(missed, Err(ProofError::Missing(Reason::Claim)));
    }
}

#[test]
fn what_clauses_derive_must_be_theirs_to_derive() {
    let (model, case, certificate) = safe();
    let refused = |change: &dyn Fn(&mut Certificate)| {
        let mut changed = certificate.clone();
        change(&mut changed);
        model.check(&case, &changed)
    };
    let i = clause(&certificate, |_, top, kind| {
        kind == Kind::Attacker && matches!(top, Head::Variable(_))
    });
    let freed = refused(&|c| c.clauses[i].selected = None);
    assert_eq!(freed, Err(ProofError::Conclusion { clause: i }));
    let beyond = refused(&|c| c.clauses[i].selected = Some(100));
    assert_eq!(beyond, Err(ProofError::NoClause { clause: i }));
    let cyclic = refused(&|c| {
        let last = c.entries.len() as u32;
        c.entries[0].args.push(Entry(last));
    });
    assert_eq!(cyclic, Err(ProofError::Malformed { entry: 0 }));
    // A condition on a variable is true of more than what clauses conclude.
    for (i, clause) in certificate.clauses.iter().enumerate() {
        for (at, condition) in clause.conditions.iter().enumerate() {
            let fact = &certificate.entries[condition.0 as usize];
            let about = &certificate.entries[fact.args[0].0 as usize];
            if fact.head == Head::Fact(Kind::Attacker) && matches!(about.head, Head::Variable(_)) {
                let selected = refused(&|c| c.clauses[i].selected = Some(at));
                assert_eq!(selected, Err(ProofError::Selection { clause: i }));
            }
        }
    }
}

#[test]
fn an_earlier_event_is_needed() {
    let model = model(
        "agreement Got(a, n) => Made(a, n) in T\ninjective agreement Late(a, m) => Asked(_, m) in T\n\
         agreement Got(a, n) => Asked(a, n) in T\ninjective agreement Got(a, n) => Made(a, n) in T",
    );
    let cases = model.cases();
    for case in &cases[..2] {
        let certificate = model.prove(case).expect("it holds");
        assert_eq!(model.check(case, &certificate), Ok(()));
        let is = |e: &Entry, kind| certificate.entries[e.0 as usize].head == Head::Fact(kind);
        let mut count = 0;
        for (i, clause) in certificate.clauses.iter().enumerate() {
            if clause.selected.is_some() || !is(&clause.conclusion, Kind::Goal) {
                continue;
            }
            let mut without = certificate.clone();
            without.clauses[i]
                .conditions
                .retain(|e| !is(e, Kind::Before));
            let refused = model.check(case, &without);
            assert_eq!(refused, Err(ProofError::NotPreceded { clause: i }));
            count += 1;
        }
        assert!(count > 0);
    }
    // The same clauses prove neither another earlier event nor different ones.
    let certificate = model.prove(&cases[0]).expect("it holds");
    assert!(model.check(&cases[2], &certificate).is_err());
    let shared = model.check(&cases[3], &certificate);
    assert!(
        matches!(shared, Err(ProofError::NotInjective { .. })),
        "{shared:?}"
    );
}

/// A proof that there is an earlier event is none that it has the arguments of the later, nor that there is one for each.
#[test]
fn the_earlier_event_is_the_one_that_the_claim_asks_for() {
    let model = Model::new(
        "agent A\nchannel c\n\
         def V(a: Agent) = new n: Nonce, m: Nonce. event Made(a, n). event Got(a, m)\n\
         def W(a: Agent) = new n: Nonce. event Made(a, n). (event Got(a, n) | c(x). event Got(a, n))\n\
         partial system T = V(A)\npartial system U = W(A)\n\
         agreement Got(a, _) => Made(a, _) in T\nagreement Got(a, n) => Made(a, n) in T\n\
         agreement Got(a, n) => Made(a, n) in U\ninjective agreement Got(a, n) => Made(a, n) in U",
    );
    let cases = model.cases();
    let certificate = model.prove(&cases[0]).expect("it holds");
    let other = model.check(&cases[1], &certificate);
    assert!(
        matches!(other, Err(ProofError::NotPreceded { .. })),
        "{other:?}"
    );
    let certificate = model.prove(&cases[2]).expect("it holds");
    let shared = model.check(&cases[3], &certificate);
    assert!(
        matches!(shared, Err(ProofError::NotInjective { one, other }) if one != other),
        "{shared:?}"
    );
}

#[test]
fn a_step_after_a_failed_test_that_is_forgotten_is_noticed() {
    let model = model(
        "def W(a: Agent) = c(x). [x is a] c<a> else c<{x}S(a)>\n\
         partial system U = W(A) | P(A, B)\nsecrecy safe in U",
    );
    let case = model.cases().remove(0);
    let steps = &case.system.steps;
    let failed = steps.iter().find_map(|s| match s.action {
        Action::Test { otherwise, .. } => Some(otherwise),
        _ => None,
    });
    let at = failed.expect("there is a test");
    let Action::Output { next, .. } = case.system.step(at).action else {
        panic!("an output");
    };
    let skip = |c: &mut Case| c.system.steps[at.index()].action = Action::Fork(vec![next]);
    let missed = model.prove_changed(&case, skip);
    assert_eq!(missed, Err(ProofError::Missing(Reason::Step(at))));
}

/// An instance with another event in the place of one that does not matter.
#[test]
fn an_instance_that_marks_other_events_than_its_twin_is_noticed() {
    let model = model(
        "partial system Twins = P(A, B) | Q(A, B) | Q(A, B)\nagreement Got(a, n) => Made(a, n) in Twins",
    );
    let case = model.cases().remove(0);
    let certificate = model.prove(&case).expect("it holds");
    let ClaimKind::Agreement { after, before, .. } = &case.claim else {
        panic!("an agreement");
    };
    let mut changes = 0;
    for i in 0..case.system.steps.len() {
        let mut other = case.clone();
        match &mut other.system.steps[i].action {
            Action::Event { event, args, .. }
                if args.len() == 2 && *event != after.event && *event != before.event =>
            {
                *event = after.event;
            }
            _ => continue,
        }
        assert!(model.check(&other, &certificate).is_err());
        changes += 1;
    }
    assert_eq!(changes, 2);
}

#[test]
fn a_cut_must_follow() {
    let model = model(
        "def W(a: Agent) = c({x}S(a)). c<{H(x)}S(a)>\ndef V(a: Agent) = new s: Nonce. c<{s}S(a)>\n\
         partial system U = W(A) | V(A)\nsecrecy s in U",
    );
    let case = model.cases().remove(0);
    let certificate = model.prove(&case).expect("it holds");
    assert_eq!(model.check(&case, &certificate), Ok(()));
    assert!(!certificate.cuts.is_empty(), "messages grow without end");
    let about = |e: Entry, kind| certificate.entries[e.0 as usize].head == Head::Fact(kind);
    for cut in 0..certificate.cuts.len() {
        let refused = |change: &dyn Fn(&mut Certificate)| {
            let mut changed = certificate.clone();
            change(&mut changed);
            model.check(&case, &changed)
        };
        let wrong = Err(ProofError::Cut { cut });
        assert!(refused(&|c| drop(c.cuts.remove(cut))).is_err());
        // Nothing may be said of the variable in the hole, and it takes the part.
        assert_eq!(refused(&|c| c.cuts[cut].hole = c.cuts[cut].part), wrong);
        assert_eq!(refused(&|c| c.cuts[cut].part = c.cuts[cut].hole), wrong);
        let whole = certificate.cuts[cut].clause.conclusion;
        assert_eq!(refused(&|c| c.cuts[cut].context = whole), wrong);
        let hole = certificate.cuts[cut].hole;
        let condition = refused(&|c| c.cuts[cut].clause.conditions.push(hole));
        assert_eq!(condition, wrong);
        let selected = refused(&|c| c.cuts[cut].clause.selected = Some(0));
        assert_eq!(selected, wrong);
        // A cut can't bring the secret in.
        let secret = certificate.clauses.iter().find_map(|c| {
            let goal = about(c.conclusion, Kind::Goal);
            goal.then(|| c.conditions[0])
        });
        let brought = refused(&|c| c.cuts[cut].clause.conclusion = secret.expect("a goal"));
        assert_eq!(brought, wrong);
    }
    for i in 0..certificate.clauses.len() {
        let clause = &certificate.clauses[i];
        if about(clause.conclusion, Kind::Part) && clause.selected.is_none() {
            let mut without = certificate.clone();
            without.clauses.remove(i);
            let refused = model.check(&case, &without);
            assert!(
                matches!(refused, Err(ProofError::Cut { .. })),
                "{refused:?}"
            );
        }
    }
    // Cuts may rest on those before them, not on themselves.
    let mut backwards = certificate.clone();
    backwards.clauses.retain(|c| {
        let part = |e: &Entry| about(*e, Kind::Part);
        !part(&c.conclusion) && !c.conditions.iter().any(part)
    });
    assert!(model.check(&case, &backwards).is_err());
}

/// A certificate written by hand for a secret that leaks.
struct Forged(Certificate);

impl Forged {
    fn term(&mut self, head: Head, args: &[Entry]) -> Entry {
        self.0.write(head, args.iter().copied().collect())
    }

    fn fact(&mut self, kind: Kind, args: &[Entry]) -> Entry {
        self.term(Head::Fact(kind), args)
    }

    fn clause(&mut self, conditions: &[Entry], conclusion: Entry, selected: Option<usize>) {
        let conditions = conditions.to_vec();
        self.0.clauses.push(Clause {
            conditions,
            conclusion,
            selected,
        });
    }

    /// A cut without conditions.
    fn cut(&mut self, conclusion: Entry, part: Entry, hole: Entry, context: Entry) {
        let clause = Clause {
            conditions: Vec::new(),
            conclusion,
            selected: None,
        };
        self.0.cuts.push(Cut {
            clause,
            part,
            hole,
            context,
        });
    }
}

/// "The attacker has x" covers all that leads to the leak, and is put in for nothing, since only what is about the same operator is: with the goal
/// beside it, it is closed. The prover gives up if such a clause has nothing to resolve. No system leads it there, since each
/// variable of a conclusion is one that the attacker had, that was sent or that stood in a context before; so it is the checker that is tried.
#[test]
fn what_would_cover_everything_is_not_believed() {
    let model = model("secrecy leak in T");
    let case = model.cases().remove(0);
    let name = name_of(&case);
    let refused = |forge: &dyn Fn(&mut Forged, [Entry; 2])| {
        let mut forged = Forged(Certificate::default());
        let x = forged.term(Head::Variable(0), &[]);
        let y = forged.term(Head::Variable(1), &[]);
        let leak = forged.term(Head::Operator(Op::Name(name)), &[x]);
        let (sent, goal) = (
            forged.fact(Kind::Message, &[x, y]),
            forged.fact(Kind::Goal, &[]),
        );
        let has = forged.fact(Kind::Attacker, &[leak]);
        forged.clause(&[], sent, None);
        forged.clause(&[has], goal, Some(0));
        forge(&mut forged, [x, y]);
        model.check(&case, &forged.0)
    };
    let nothing = refused(&|_, _| {});
    assert_eq!(nothing, Err(ProofError::Missing(Reason::Compose)));
    let at_once = refused(&|f, [x, _]| {
        let all = f.fact(Kind::Attacker, &[x]);
        f.clause(&[], all, None);
    });
    assert_eq!(at_once, Err(ProofError::Conclusion { clause: 2 }));
    // Told by a condition that is always true, or by one that is as it is.
    for kind in [Kind::Message, Kind::Before, Kind::Part] {
        let told = refused(&|f, [x, y]| {
            let (all, told) = (f.fact(Kind::Attacker, &[x]), f.fact(kind, &[y, x]));
            f.clause(&[told], all, None);
            f.clause(&[], told, None);
        });
        assert_eq!(told, Err(ProofError::Conclusion { clause: 2 }), "{kind:?}");
    }
    for kind in [Kind::Before, Kind::Received] {
        let given = refused(&|f, [x, y]| {
            let (all, told) = (f.fact(Kind::Attacker, &[x]), f.fact(kind, &[x, y]));
            f.clause(&[told], all, Some(0));
        });
        assert_eq!(
            given,
            Err(ProofError::Selection { clause: 2 }),
            "{kind:?} is as it is"
        );
    }
    let tuple = refused(&|f, [x, y]| {
        let tuple = f.term(Head::Operator(Op::Tuple), &[x, y]);
        let all = f.fact(Kind::Attacker, &[tuple]);
        f.clause(&[], all, None);
    });
    assert_eq!(tuple, Err(ProofError::Conclusion { clause: 2 }));
    // A cut that rests on a clause with a selected condition, whose resolution gives what the cut says; on itself; on one after it.
    let cut = Err(ProofError::Cut { cut: 0 });
    let selected = refused(&|f, [x, y]| {
        let (all, any) = (f.fact(Kind::Attacker, &[x]), f.fact(Kind::Attacker, &[y]));
        let place = f.term(Head::Place(StepId(0)), &[]);
        let part = f.fact(Kind::Part, &[place, x]);
        let hole = f.fact(Kind::Part, &[place, y]);
        f.clause(&[], part, None);
        f.clause(&[part], all, Some(0));
        f.cut(all, part, hole, any);
    });
    assert_eq!(selected, cut);
    let circular = refused(&|f, [x, y]| {
        let (all, any) = (f.fact(Kind::Attacker, &[x]), f.fact(Kind::Attacker, &[y]));
        f.cut(all, all, any, any);
    });
    assert_eq!(circular, cut);
    let crosswise = refused(&|f, [x, y]| {
        let (all, any) = (f.fact(Kind::Attacker, &[x]), f.fact(Kind::Attacker, &[y]));
        let (part, hole) = (f.fact(Kind::Part, &[x, x]), f.fact(Kind::Part, &[y, y]));
        f.cut(all, part, hole, any);
        f.cut(part, all, any, hole);
    });
    assert_eq!(crosswise, cut);
    // What is there of one term is not there of all: the variable in the hole is that of the clause.
    let captured = refused(&|f, [x, _]| {
        let zero = f.term(Head::Operator(Op::Zero), &[]);
        let hashed = f.term(Head::Operator(Op::Hash), &[x]);
        let (one, hole) = (
            f.fact(Kind::Part, &[zero, zero]),
            f.fact(Kind::Part, &[zero, x]),
        );
        let all = f.fact(Kind::Attacker, &[hashed]);
        f.clause(&[], one, None);
        f.clause(&[hole], all, None);
        f.cut(all, one, hole, all);
    });
    assert_eq!(captured, cut);
}

/// Says of a name that it is a function of the first message received, too.
fn as_function(certificate: &Certificate, name: NameId) -> Certificate {
    let mut changed = certificate.clone();
    let later = |e: &mut Entry| e.0 += 1;
    changed
        .entries
        .iter_mut()
        .flat_map(|e| &mut e.args)
        .for_each(later);
    for clause in &mut changed.clauses {
        clause
            .conditions
            .iter_mut()
            .chain([&mut clause.conclusion])
            .for_each(later);
    }
    let mut message = changed.entries[0].clone();
    message.head = Head::Variable(99);
    message.args.clear();
    changed.entries.insert(0, message);
    for entry in &mut changed.entries {
        if entry.head == Head::Operator(Op::Name(name)) {
            entry.args.push(Entry(0));
        }
    }
    changed.inputs.push((name, 1));
    changed
}

#[test]
fn a_name_is_a_function_of_what_comes_before_all_its_uses() {
    let answer = |roles: &str| {
        let model = model(&format!("{roles}\nsecrecy h in U"));
        let case = model.cases().remove(0);
        let name = name_of(&case);
        let certificate = as_function(&model.prove(&case).expect("it holds"), name);
        let wrong = Err(ProofError::Name { name });
        let answer = model.check(&case, &certificate);
        assert!(answer.is_ok() || answer == wrong, "{answer:?}");
        answer.is_ok()
    };
    let role = |body: &str| {
        answer(&format!(
            "def W(a: Agent) = new h: Nonce. {body}\npartial system U = W(A)"
        ))
    };
    assert!(role("c(x). c<{h}S(a)>"));
    assert!(role("(c(x). c<{h}S(a)> | c(y). c<y>)"));
    assert!(!role("(c(x). c<{h}S(a)> | c(y). c<{h, y}S(a)>)"));
    assert!(!role("c<{h}S(a)>. c(x)"));
    // All runs of a role have the same names of the system.
    assert!(!answer(
        "def W(a: Agent, n: Nonce) = c(x). c<{n}S(a)>\npartial system U = new h: Nonce. W(A, h)"
    ));
    assert!(answer("partial system U = new h: Nonce. c(x). c<{h}S(A)>"));
}

/// All files of the library.
fn library() -> Vec<PathBuf> {
    fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                collect(&path, into);
            } else if path.extension().is_some_and(|e| e == "spi") && !is_large(&path) {
                into.push(path);
            }
        }
    }
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    collect(&root.join("protocols"), &mut found);
    found.sort();
    found
}

/// Certificates of library proofs with one clause less. What is not noticed was not needed: the rest passes by itself, so it is a proof. Those
/// clauses are of two kinds. Saturation has put a stronger clause in the place of one that they were made from, so nothing leads to them
/// any more; or they are about the names of a role instance of which the same instance is there before, whose names stand for both.
#[test]
fn a_clause_that_is_left_out_is_noticed_unless_the_rest_is_a_proof() {
    let (mut proofs, mut noticed, mut needless) = (0, 0, 0);
    for file in library() {
        let text = std::fs::read_to_string(&file).expect("the file can be read");
        let model = Model::new(&text);
        for case in model.cases() {
            let Some(certificate) = model.prove(&case) else {
                continue;
            };
            assert_eq!(model.check(&case, &certificate), Ok(()));
            proofs += 1;
            for i in 0..certificate.clauses.len() {
                let mut smaller = certificate.clone();
                smaller.clauses.remove(i);
                if model.check(&case, &smaller).is_err() {
                    noticed += 1;
                } else {
                    needless += 1;
                }
            }
        }
    }
    assert!(proofs > 200 && noticed > 9_000, "{proofs}, {noticed}");
    assert!(needless * 100 < noticed, "{needless} of {noticed}");
}

/// The name of a claim about one restricted name.
fn name_of(case: &Case) -> NameId {
    let ClaimKind::Secrecy { targets, .. } = &case.claim else {
        panic!("a secrecy");
    };
    let sites = &targets[0].names[0].sites;
    let made = case.system.names.iter().find(|o| sites.contains(&o.site));
    made.expect("it is made").name
}

/// All certificates that differ in one thing.
fn changes(certificate: &Certificate) -> Vec<Certificate> {
    let mut all = Vec::new();
    let mut change = |f: &dyn Fn(&mut Certificate)| {
        let mut changed = certificate.clone();
        f(&mut changed);
        if changed != *certificate {
            all.push(changed);
        }
    };
    change(&|c| c.received = !c.received);
    for (i, clause) in certificate.clauses.iter().enumerate() {
        change(&|c| {
            c.clauses.remove(i);
        });
        change(&|c| c.clauses[i].selected = None);
        for at in 0..clause.conditions.len() {
            change(&|c| c.clauses[i].selected = Some(at));
            change(&|c| {
                c.clauses[i].conditions.remove(at);
                c.clauses[i].selected = match clause.selected {
                    Some(s) if s > at => Some(s - 1),
                    Some(s) if s == at => None,
                    other => other,
                };
            });
        }
    }
    let facts = || {
        let entries = (0..).zip(&certificate.entries);
        entries.filter_map(|(e, w)| matches!(w.head, Head::Fact(_)).then_some(Entry(e)))
    };
    for (i, cut) in certificate.cuts.iter().enumerate() {
        change(&|c| drop(c.cuts.remove(i)));
        change(&|c| c.cuts.swap(0, i));
        change(&|c| c.cuts[i].clause.conditions.clear());
        for fact in facts() {
            change(&|c| c.cuts[i].part = fact);
            change(&|c| c.cuts[i].hole = fact);
            change(&|c| c.cuts[i].context = fact);
            change(&|c| c.cuts[i].clause.conclusion = fact);
            for at in 0..cut.clause.conditions.len() {
                change(&|c| c.cuts[i].clause.conditions[at] = fact);
            }
        }
    }
    let heads: Vec<Head> = certificate.entries.iter().map(|e| e.head).collect();
    for (i, entry) in certificate.entries.iter().enumerate() {
        for (j, other) in certificate.entries.iter().enumerate() {
            if other.args.len() == entry.args.len() && !heads[..j].contains(&other.head) {
                change(&|c| c.entries[i].head = other.head);
            }
        }
        for at in 0..entry.args.len() {
            for other in (0..i as u32).rev().take(20) {
                change(&|c| c.entries[i].args[at] = Entry(other));
            }
        }
    }
    all
}

/// The certificate for a secret that is kept, rewritten for one that leaks, is closed but for what leads to the leak. No change of
/// it may pass, since the claim is broken. Of those that come furthest, and of their changes, every so many-th is tried.
fn nothing_passes(model: &Model, cuts: bool, (close_ones, changed): (usize, usize)) {
    let cases = model.cases();
    let (kept, leaked) = (&cases[0], &cases[1]);
    let (from, to) = (name_of(kept), name_of(leaked));
    assert!(model.prove(leaked).is_none());
    let mut certificate = model.prove(kept).expect("it holds");
    assert_eq!(!certificate.cuts.is_empty(), cuts);
    // Only what the goal asks for is rewritten.
    let goal = clause(&certificate, |_, _, kind| kind == Kind::Goal);
    let asked = certificate.clauses[goal].conditions[0];
    let secret = certificate.entries[asked.0 as usize].args[0];
    let mut rewritten = certificate.entries[secret.0 as usize].clone();
    assert_eq!(rewritten.head, Head::Operator(Op::Name(from)));
    rewritten.head = Head::Operator(Op::Name(to));
    let rewritten = certificate.write(rewritten.head, rewritten.args);
    let asked = certificate.write(
        Head::Fact(Kind::Attacker),
        [rewritten].into_iter().collect(),
    );
    certificate.clauses[goal].conditions[0] = asked;
    let refused = model.check(leaked, &certificate);
    assert!(
        matches!(refused, Err(ProofError::Unresolved { .. })),
        "{refused:?}"
    );
    // Those that come furthest are changed once more.
    let (mut count, mut close) = (0, Vec::new());
    for once in changes(&certificate) {
        let refused = model.check(leaked, &once);
        assert!(refused.is_err(), "{once:?}");
        count += 1;
        if matches!(refused, Err(ProofError::Unresolved { .. })) {
            close.push(once);
        }
    }
    assert!(count > 2000 && close.len() > 50, "{count}, {}", close.len());
    for (i, once) in close.iter().enumerate().step_by(close_ones) {
        for twice in changes(once).iter().skip(i % changed).step_by(changed) {
            assert!(model.check(leaked, twice).is_err(), "{twice:?}");
        }
    }
}

#[test]
fn nothing_passes_for_a_claim_that_is_broken() {
    nothing_passes(
        &model("secrecy safe in T\nsecrecy leak in T"),
        false,
        (1, 7),
    );
}

/// The same where messages grow, and the leak lies deeper than the cut.
#[test]
fn nothing_that_is_cut_passes_for_a_claim_that_is_broken() {
    let model = Model::new(
        "agent A\nchannel c\nprivate k: Sym, l: Sym\n\
         def V(a: Agent) = new safe: Nonce, leak: Nonce. c<{safe}k>. c<{leak}l>\n\
         def W(a: Agent) = c({x}k). c<{H(x)}k>\ndef W2(a: Agent) = c({x}l). c<{{x}k}l>\n\
         def E(a: Agent) = c({{{x}k}k}l). c<x>\n\
         partial system U = V(A) | W(A) | W2(A) | E(A)\nsecrecy safe in U\nsecrecy leak in U",
    );
    nothing_passes(&model, true, (97, 13));
}

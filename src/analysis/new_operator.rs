//! An operator that is only in the table is known to every engine.
//!
//! `Op::Mac` is there in unit tests alone. It has a row in the operator table, a view, and its lines in the statement of the trusted
//! core: without these the package does not compile. Systems with a declared function are rewritten to use it, and everything
//! must come out as with the function.

use super::Model;
use super::attack::Certifier;
use crate::base::limits::{Halt, Limits, Silent};
use crate::certify::{self, Effort, proof};
use crate::engine::{equiv, prove, search};
use crate::process::{Action, Bounds, Claim, ClaimKind, Closed, Shapes, System, Test, unfold};
use crate::term::{Op, TermId, TermStore};
use std::sync::Arc;

const DECLARED: &str = "channel net private k, s public a, b function f(Msg, Msg) ";

/// The term with the declared function replaced.
fn renewed(store: &TermStore, t: TermId) -> TermId {
    let node = store.node(t);
    let args = node.args.iter().map(|a| renewed(store, *a)).collect();
    let op = match node.op {
        Op::Function(_) => Op::Mac,
        op => op,
    };
    store.make(op, args)
}

fn test(store: &TermStore, test: &Test) -> Test {
    let both = |(a, b): &(TermId, TermId)| (renewed(store, *a), renewed(store, *b));
    Test {
        equations: test.equations.iter().map(both).collect(),
        ..test.clone()
    }
}

/// The system with and without the function.
fn systems(model: &Model, closed: &Closed) -> [Arc<System>; 2] {
    let (store, program) = (&model.store, model.program(false));
    let bounds = Bounds::default();
    let old = unfold(program, store, closed, bounds, &mut Shapes::new()).expect("a small system");
    let mut new = old.clone();
    for step in &mut new.steps {
        match &mut step.action {
            Action::Output { message, .. } => *message = renewed(store, *message),
            Action::Test { test: old, .. } => *old = Arc::new(test(store, old)),
            _ => {}
        }
    }
    [Arc::new(old), Arc::new(new)]
}

/// What search and prover say of a claim, each confirmed: whether there is an attack, and whether it is proved.
fn decided(model: &Model, system: &Arc<System>, claim: &Claim) -> (bool, bool) {
    let (store, signature) = (&model.store, &model.program(false).signature);
    let goal = search::Goal::new(store, system, &claim.kind).expect("about one system");
    let knows = &signature.knows;
    let options = search::Options::default();
    let setup = search::Setup::new(store, system, knows, &[], &[], None, &goal, options);
    let limits = Limits::default();
    let guard = Halt::new(&limits, &Silent);
    let certifier = Certifier {
        store,
        system,
        knows,
        claim: &claim.kind,
        goal: &goal,
        transparent: false,
        reorderings: 1,
        guard: &guard,
    };
    let attacked = match search::explore(&setup, &limits, &Silent).0 {
        search::Outcome::Reached(found) => {
            certifier.certify(&found[0]).expect("confirmed");
            true
        }
        other => {
            assert!(matches!(other, search::Outcome::Complete(_)), "{other:?}");
            false
        }
    };
    let options = prove::Options::default();
    let proved = prove::prove(store, signature, system, &goal, options, &|| false);
    let proved = proved.map(|(_, certificate)| {
        let checked = proof::check(store, signature, system, &claim.kind, &certificate, &|| {
            false
        });
        assert_eq!(checked, Ok(()));
    });
    (attacked, proved.is_ok())
}

#[test]
fn search_prover_and_checkers_know_an_operator_that_is_in_the_table() {
    let cases = [
        // It hides what it is made of.
        ("net<f(s, k)>. net<f(k, s)>", (false, true)),
        // Everybody applies it.
        ("net(x). [x is f(a, f(b, a))] net<s>", (true, false)),
        // To what they have.
        ("net(x). [x is f(a, k)] net<s>", (false, true)),
        ("net<k>. net(x). [x is f(a, k)] net<s>", (true, false)),
        // It is itself a key, and an argument like others.
        ("net<{s}f(a, k)>. net<f(k, a)>", (false, true)),
        ("net<{s}f(a, k)>. net<f(a, k)>", (true, false)),
        (
            "net<{s}f(a, k)>. net(x). case x of {y}b in net<f(y, k)>",
            (true, false),
        ),
    ];
    for (process, expected) in cases {
        let text = format!("{DECLARED} system S = {process} secrecy s in S");
        let model = Model::from_text(&text).expect("no mistakes");
        let claim = &model.program(false).claims[0];
        let closed = claim.kind.system().expect("about one system");
        for system in systems(&model, closed) {
            assert_eq!(decided(&model, &system, claim), expected, "{process}");
        }
    }
}

/// Whether the systems of an equivalence are equivalent, in every way to find it out; distinctions are confirmed.
fn equivalent(store: &TermStore, left: &System, right: &System) -> bool {
    let none = equiv::Reductions::none();
    let ways = [equiv::Reductions::default(), none].map(|reductions| {
        let options = equiv::Options {
            reductions,
            ..equiv::Options::default()
        };
        let around = equiv::Surroundings::default();
        match equiv::compare(store, left, right, &around, &options, &Silent) {
            equiv::Outcome::Equivalent(_) => true,
            equiv::Outcome::Distinguished(distinction, _) => {
                let [left, right] = [left, right].map(|system| certify::Subject {
                    system,
                    initial: &[],
                });
                let (classic, effort) = (equiv::Semantics::Classic, Effort::of(10_000));
                let experiment = &distinction.experiment;
                certify::replay_experiment(store, left, right, experiment, classic, effort)
                    .expect("confirmed");
                false
            }
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(ways[0], ways[1]);
    ways[0]
}

#[test]
fn equivalence_and_its_replay_know_an_operator_that_is_in_the_table() {
    let cases = [
        ("net<f(a, k)>", "net<f(b, k)>", true),
        ("net<f(a, b)>", "net<f(b, b)>", false),
        ("net<k>. net<f(a, k)>", "net<k>. net<f(b, k)>", false),
        ("net(x). [x is f(a, b)] net<a>", "net(x). 0", false),
        ("net(x). [x is f(a, k)] net<a>", "net(x). 0", true),
    ];
    for (p, q, expected) in cases {
        let text = format!("{DECLARED} system P = {p} system Q = {q} equivalence P ~ Q");
        let model = Model::from_text(&text).expect("no mistakes");
        let ClaimKind::Equivalence(left, right) = &model.program(false).claims[0].kind else {
            panic!("a comparison");
        };
        let (left, right) = (systems(&model, left), systems(&model, right));
        for (left, right) in left.iter().zip(&right) {
            assert_eq!(equivalent(&model.store, left, right), expected, "{p} ~ {q}");
        }
    }
}

#[test]
fn an_operator_is_printed_as_the_table_says() {
    let store = TermStore::new();
    let [a, b] = ["a", "b"].map(|n| store.public(n));
    let code = store.make(Op::Mac, [a, store.pair(a, b)].into_iter().collect());
    assert_eq!(store.show(code), "Mac(a, (a, b))");
}

//! Claims that compare systems, through the pipeline: verdicts with certified experiments.

use spi::analysis::{Comparison, ComparisonVerdict, Settings, compare_claim};
use spi::base::limits::Silent;
use spi::base::source::SourceFile;
use spi::lang::sema::check_text;
use spi::process::TupleMode;
use spi::term::TermStore;

/// The comparisons of the claims of a text.
fn comparisons(text: &str, settings: &Settings) -> Vec<Comparison> {
    let store = TermStore::new();
    let checked = check_text(
        &SourceFile::anonymous("test.spi", text),
        &store,
        TupleMode::Nested,
    );
    assert!(checked.is_sound(), "{:?}", checked.diagnostics);
    let program = &checked.program;
    program
        .claims
        .iter()
        .map(|claim| {
            compare_claim(&store, program, &claim.kind, settings, &Silent)
                .expect("the claim compares")
                .expect("the systems unfold")
        })
        .collect()
}

/// `=` or `/` for each claim of a text, `?` for a difference that a bound may have made.
fn verdicts(text: &str) -> String {
    comparisons(text, &Settings::default())
        .iter()
        .map(|c| match &c.verdict {
            ComparisonVerdict::Equivalent => '=',
            ComparisonVerdict::Distinguished(_) => '/',
            ComparisonVerdict::Bounded(_) => '?',
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn the_examples_of_the_papers() {
    assert_eq!(
        verdicts(
            "channel c public M, N
             system P = c<M>. c<N>. c<M>
             system Q = c<M>. c<N>. c<N>
             system R(m) = new k. c<{m}k>
             P ~ Q
             R(M) ~ R(N)
             P ~ P"
        ),
        "/=="
    );
}

#[test]
fn strong_secrecy_ranges_over_all_messages_of_the_environment() {
    assert_eq!(
        verdicts(
            "channel c, d public a
             system Hidden(m) = new k. c<{m}k>
             system Shown(m) = c<m>
             system Hashed(m) = c<H(m)>
             system Tested(m) = new k. c<{m}k>. [m is (a, a)] d<a>
             strong secrecy m in Hidden
             strong secrecy m in Shown
             strong secrecy m in Hashed
             strong secrecy m in Tested"
        ),
        "=///"
    );
}

#[test]
fn the_preorder_is_one_direction() {
    assert_eq!(
        verdicts(
            "channel c, d public a
             system Less = c<a>
             system More = c<a>. d<a>
             Less <= More
             More <= Less
             Less ~ More"
        ),
        "=//"
    );
}

#[test]
fn a_difference_that_a_bound_may_have_made_is_not_established() {
    // What was cut off of the side that fails the test might pass it; the other side's run is real.
    assert_eq!(
        verdicts(
            "channel c public ok, ko
             def D1 = c<ok>. D1
             def D2 = c<ok>. D3
             def D3 = c<ok>. D2
             partial system R = D1
             partial system R2 = D2
             partial system B = !c<ok>
             partial system B2 = !c<ok> | c<ok>
             partial system Once = c<ok>
             partial system Ko = c<ko>
             R ~ R2
             B ~ B2
             B2 <= B
             B <= Once
             Once <= R
             Ko <= R"
        ),
        "???/=?"
    );
}

#[test]
fn a_difference_that_a_bound_may_have_made_hides_no_other() {
    assert_eq!(
        verdicts(
            "channel a, z public ok
             def D = z<ok>. D
             partial system R = z<ok>. D
             partial system T = a<ok>
             R ~ T
             T ~ R
             R <= T
             T <= R"
        ),
        "///?"
    );
}

#[test]
fn the_test_of_compressed_runs_is_made_short() {
    let text = "channel d, a1, a2, a3, a4, a5 public ok, ko
        partial system S = a1<ok> | a2<ok> | a3(x). a3<x> | a4(x). a4(y) | a5<ok> | d(x). d<ok>
        partial system T = a1<ok> | a2<ok> | a3(x). a3<x> | a4(x). a4(y) | a5<ok> | d(x). d<ko>
        S ~ T";
    for compression in [true, false] {
        let settings = Settings {
            compression,
            ..Settings::default()
        };
        let found = comparisons(text, &settings);
        let refutation = found[0].refutation().expect("they differ");
        assert_eq!(refutation.experiment.actions.len(), 2);
        assert_eq!(refutation.experiment.conditions.len(), 1);
        assert!(refutation.shortest);
    }
}

#[test]
fn options_that_comparisons_do_not_follow_are_said() {
    let text = "agent A channel c, d public ok: Data, m1: Data
        partial system S = c(x: Agent). [x is m1] d<ok>
        partial system T = c(x: Agent)
        partial system U = c<ok, (m1, ok)>
        partial system V = c<ok, m1, ok>
        S ~ T
        U ~ V";
    assert_eq!(verdicts(text), "/=");
    let typed = Settings {
        typed: true,
        ..Settings::default()
    };
    let found = comparisons(text, &typed);
    assert!(found.iter().all(|c| c.untyped));
    assert!(found[0].refutation().is_some() && found[1].refutation().is_none());
}

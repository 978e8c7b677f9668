//! Claims that compare systems, through the pipeline: verdicts with certified experiments.

use spi::analysis::{ComparisonVerdict, Settings, Silent, compare_claim};
use spi::process::TupleMode;
use spi::sema::check_text;
use spi::source::SourceFile;
use spi::term::TermStore;

/// `=` or `/` for each claim of a text.
fn verdicts(text: &str) -> String {
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
            let result = compare_claim(&store, program, &claim.kind, &Settings::default(), &Silent)
                .expect("the claim compares")
                .expect("the systems unfold");
            match result.verdict {
                ComparisonVerdict::Equivalent => '=',
                ComparisonVerdict::Distinguished(_) => '/',
                ComparisonVerdict::Bounded(_) => '?',
                other => panic!("{}: {other:?}", claim.text),
            }
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

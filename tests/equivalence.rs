//! Equivalence: the pairs with known verdicts, every refutation replayed by the certifier.

use crate::pairs;
use pairs::{Pair, agree, all_ways, rows};

const NAMED: &str = "channel a, b, c, d, e, f  public m1, m2, ok, ko";
const RANDOM: &str = "channel c, d  public a, b, ok";

fn named() -> impl Iterator<Item = Pair> {
    rows("equivalences.tsv")
        .into_iter()
        .map(|r| Pair::new(NAMED, &r[0], &r[1], &r[2], &r[3]))
}

fn random() -> impl Iterator<Item = Pair> {
    rows("random-pairs.tsv")
        .into_iter()
        .enumerate()
        .map(|(i, r)| Pair::new(RANDOM, &format!("R{}", i + 1), &r[0], &r[1], &r[2]))
}

#[test]
fn the_named_pairs_have_their_verdicts_in_all_ways() {
    agree(named(), &all_ways());
}

#[test]
fn the_random_pairs_have_their_verdicts_in_all_ways() {
    agree(random(), &all_ways());
}

//! Threads whose answers depend on tests, and whose answers others test: the cones against the joint exploration.
//!
//! A test of one side may succeed for choices that bring in another thread, which on the other side answers on another branch
//! then. Names are exchanged or made one from one side to the other, consistently or not, so that some pairs are equivalent in
//! a way that no thread shows by itself.

use crate::pairs;
use crate::reference;
use pairs::Systems;
use reference::random::{Random, seeds};
use spi::engine::equiv::Way;

const NAMES: &str = "channel e1, e2, e3  public a, b";

/// What a thread does once it has a message.
#[derive(Clone)]
enum Tree {
    Silent,
    Says(String),
    Asks(String, Box<Tree>, Box<Tree>),
}

impl Tree {
    fn grow(random: &mut Random, depth: usize, values: &[&str], answers: &[&str]) -> Tree {
        if depth == 0 || random.one_in(6) {
            return if random.one_in(6) {
                Tree::Silent
            } else {
                Tree::Says((*random.pick(answers)).to_owned())
            };
        }
        let value = (*random.pick(values)).to_owned();
        let mut branch = || Box::new(Tree::grow(random, depth - 1, values, answers));
        Tree::Asks(value, branch(), branch())
    }

    /// The tree with one answer, test or branch changed.
    fn changed(&self, random: &mut Random, values: &[&str], answers: &[&str]) -> Tree {
        match self {
            Tree::Asks(value, then, otherwise) => match random.below(5) {
                0 => Tree::Asks(
                    (*random.pick(values)).to_owned(),
                    then.clone(),
                    otherwise.clone(),
                ),
                1 => Tree::Asks(value.clone(), otherwise.clone(), then.clone()),
                2 => (**otherwise).clone(),
                3 => Tree::Asks(
                    value.clone(),
                    Box::new(then.changed(random, values, answers)),
                    otherwise.clone(),
                ),
                _ => Tree::Asks(
                    value.clone(),
                    then.clone(),
                    Box::new(otherwise.changed(random, values, answers)),
                ),
            },
            leaf => {
                let value = (*random.pick(values)).to_owned();
                let other = Box::new(Tree::grow(random, 0, values, answers));
                Tree::Asks(value, other, Box::new(leaf.clone()))
            }
        }
    }

    fn text(&self, channel: &str) -> String {
        match self {
            Tree::Silent => "0".to_owned(),
            Tree::Says(answer) => format!("{channel}<{answer}>"),
            Tree::Asks(value, then, otherwise) => format!(
                "[x is {value}] ( {} ) else ( {} )",
                then.text(channel),
                otherwise.text(channel)
            ),
        }
    }
}

/// The process with other names in the places of n1, n2 and n3.
fn relabelled(text: &str, names: [&str; 3]) -> String {
    let marked = ["n1", "n2", "n3"]
        .iter()
        .enumerate()
        .fold(text.to_owned(), |t, (i, n)| t.replace(n, &format!("#{i}")));
    names
        .iter()
        .enumerate()
        .fold(marked, |t, (i, n)| t.replace(&format!("#{i}"), n))
}

/// Two systems of a thread that answers by branches, one that tests for such answers, and one in between.
fn branches(seed: u64) -> [String; 2] {
    let mut random = Random::new(seed + 29_000);
    let names = ["n1", "n2", "n3"];
    let requests = ["a", "b", "n1", "n2"];
    let (says, knows) = (
        ["n1", "n2", "n3", "{n1}k"],
        ["n1", "n2", "n3", "a", "H(n1)"],
    );
    let depths = [1 + random.below(2), 1 + random.below(2)];
    let source = Tree::grow(&mut random, depths[0], &requests, &says);
    let sink = Tree::grow(&mut random, depths[1], &knows, &["a", "a", "b", "k"]);
    let between = [
        "e3(x). e3<H(x)>",
        "e3(x). e3<{x}k>",
        "e3(x). case x of {y}k in e3<y> else e3<a>",
        "e3(x). [x is n1] e3<n2> else e3<a>",
        "0",
        "0",
    ];
    let between = *random.pick(&between);
    let all = |source: &Tree, sink: &Tree| {
        format!(
            "( e2(x). {} | e1(x). {} | {between} )",
            source.text("e2"),
            sink.text("e1")
        )
    };
    let left = all(&source, &sink);
    let right = match random.below(3) {
        0 => all(&source.changed(&mut random, &requests, &says), &sink),
        1 => all(&source, &sink.changed(&mut random, &knows, &["a", "b"])),
        _ => left.clone(),
    };
    let right = match random.below(3) {
        0 => relabelled(
            &right,
            *random.pick(&[["n2", "n1", "n3"], ["n3", "n1", "n2"]]),
        ),
        1 => relabelled(&right, names.map(|_| *random.pick(&names))),
        _ => right,
    };
    [left, right].map(|p| format!("new k. new n1. new n2. new n3. {p}"))
}

#[test]
fn answers_that_depend_on_tests_are_followed() {
    let (mut same, mut different, mut by_cones) = (0, 0, 0);
    for seed in seeds(600) {
        let [p, q] = branches(seed);
        if p == q {
            continue;
        }
        let systems = Systems::of(NAMES, &p, &q);
        let (expected, _) = systems.compare(&pairs::default());
        let (answer, stats) = systems.compare(&pairs::explored());
        assert_eq!(answer, expected, "{p}\n{q}");
        by_cones += u32::from(stats.way == Way::Cones);
        match expected {
            Some(true) => same += 1,
            _ => different += 1,
        }
    }
    assert!(same > 100 && different > 100, "{same} {different}");
    assert!(by_cones > 350, "{by_cones}");
}

//! States: nodes with one configuration, whose decided tests have been run [Sem 2.4].

use crate::attacker::solver::{Generics, Lambda};
use crate::engine::joint::node::{Config, Node, Side, Thread};
use crate::engine::joint::saturate;
use crate::engine::joint::settle::run_test;
use crate::engine::joint::setup::Setup;
use crate::term::TermId;

/// The initial state of a system.
pub(super) fn initial(setup: &Setup<'_>, knows: &[TermId]) -> Node {
    let threads = setup.templates.roots[0].iter().map(|(template, values)| {
        let (template, values) = (*template, values.clone());
        Thread { template, values }
    });
    let config = Config {
        side: Side::Left,
        threads: threads.collect(),
        terms: Vec::new(),
    };
    let empty = Node {
        level: 0,
        lives: Vec::new(),
        generics: Generics::new(),
        lambda: Lambda::new(),
        configs: vec![config],
        trail: None,
    };
    // No generic exists yet, so nothing splits.
    let start = saturate::start(setup, empty.clone(), knows)
        .into_iter()
        .next();
    settled(setup, start.unwrap_or(empty))
}

/// The state after the tests that are decided have been run; the others wait.
pub(super) fn settled(setup: &Setup<'_>, mut node: Node) -> Node {
    let mut config = node.configs[0].clone();
    let mut i = 0;
    while i < config.threads.len() {
        match run_test(setup, &node, &config, i) {
            Ok(Some(next)) => {
                config.threads.remove(i);
                config.threads.extend(next);
            }
            Ok(None) | Err(_) => i += 1,
        }
    }
    node.configs[0] = config;
    node
}

//! Settling: decided tests run, and silent steps are followed, until nothing moves by itself [Sem 5.2].
//!
//! A settled node has no thread at a test, and with each configuration it has the configurations that internal
//! communication leads to. Undecided tests, and channels that may or may not be equal, split the node.

use super::ask::{Answer, Setup, Split};
use super::canon;
use super::node::{Config, Node, Thread};
use super::template::{Act, Follower, Templates};
use crate::symbolic::Question;
use crate::term::TermId;

/// The threads that follow an action.
pub fn followers<'a>(
    next: &'a [Follower],
    values: &'a [TermId],
    bound: &'a [TermId],
) -> impl Iterator<Item = Thread> + 'a {
    next.iter().map(move |f| Thread {
        template: f.template,
        values: Templates::follow(f, values, bound),
    })
}

/// Settles a node into one or more, split by the questions asked on the way.
pub fn settle(setup: &Setup<'_>, node: Node, settled: &mut Vec<Node>) {
    // The first `closed` configurations are settled, different, and their silent successors are there too.
    let mut open = vec![(node, 0usize)];
    while let Some((mut node, mut closed)) = open.pop() {
        let split = loop {
            if closed == node.configs.len() || setup.halt.stopped() {
                break None;
            }
            let mut config = node.configs[closed].clone();
            let tests = run_tests(setup, &node, &mut config);
            if tests.is_ok() {
                canon::privately(setup, &mut config);
                if node.configs[..closed].contains(&config) {
                    node.configs.remove(closed);
                    continue;
                }
            }
            let successors = match tests.and_then(|()| silent(setup, &node, &config)) {
                Ok(successors) => successors,
                Err(question) => {
                    node.configs[closed] = config;
                    break Some(question);
                }
            };
            node.configs[closed] = config;
            node.configs.extend(successors);
            closed += 1;
        };
        match split {
            None => settled.push(node),
            Some(question) => {
                let [yes, no] = setup.split(&node, &question);
                open.extend(no.map(|n| (n, closed)));
                open.extend(yes.map(|n| (n, closed)));
            }
        }
    }
}

/// Runs the decided tests of a configuration; an undecided one is a question.
fn run_tests(setup: &Setup<'_>, node: &Node, config: &mut Config) -> Result<(), Split> {
    let mut i = 0;
    while i < config.threads.len() {
        match run_test(setup, node, config, i)? {
            None => i += 1,
            Some(next) => {
                config.threads.swap_remove(i);
                config.threads.extend(next);
            }
        }
    }
    Ok(())
}

/// What follows the test that a thread is at; `None` if it is at none.
pub fn run_test(
    setup: &Setup<'_>,
    node: &Node,
    config: &Config,
    thread: usize,
) -> Result<Option<Vec<Thread>>, Split> {
    let store = setup.store;
    let thread = &config.threads[thread];
    let Act::Test {
        equations,
        binds,
        then,
        otherwise,
    } = setup.templates.act(thread.template)
    else {
        return Ok(None);
    };
    let question = Question {
        equations: equations
            .iter()
            .map(|(a, b)| {
                (
                    Templates::fill(store, *a, &thread.values),
                    Templates::fill(store, *b, &thread.values),
                )
            })
            .collect(),
        goals: Vec::new(),
    };
    match setup.ask(node, config, &question) {
        Answer::Always(solution) => {
            let bound: Vec<TermId> = (0..*binds)
                .map(|b| {
                    let var = Templates::bound_var(b);
                    let value = solution.vars.iter().find(|(v, _)| *v == var);
                    value.map_or_else(|| store.zero(), |(_, t)| *t)
                })
                .collect();
            Ok(Some(followers(then, &thread.values, &bound).collect()))
        }
        Answer::Never => Ok(Some(followers(otherwise, &thread.values, &[]).collect())),
        Answer::Sometimes(solution) => Err(solution),
    }
}

/// The silent successors of a settled configuration [Sem 3.4].
fn silent(setup: &Setup<'_>, node: &Node, config: &Config) -> Result<Vec<Config>, Split> {
    let store = setup.store;
    let offers: Vec<_> = config
        .threads
        .iter()
        .map(|t| Config::offer(store, &setup.templates, t))
        .collect();
    let elements = setup
        .is_private()
        .then(|| config.elements(store, &node.lives));
    let mut pairs = Vec::new();
    for (o, sender) in offers.iter().enumerate() {
        let Some((out, Some(message))) = sender else {
            continue;
        };
        for (i, receiver) in offers.iter().enumerate() {
            let Some((input, None)) = receiver else {
                continue;
            };
            if !setup.equal(node, config, *out, *input)? {
                continue;
            }
            if let Some(elements) = &elements
                && setup.recipe(node, elements, *out, node.level)?.is_some()
            {
                continue;
            }
            pairs.push((o, i, *message));
        }
    }
    Ok(pairs
        .into_iter()
        .map(|(o, i, message)| communicate(setup, config, o, i, message))
        .collect())
}

/// The configuration after the threads `o` and `i` have communicated.
pub fn communicate(
    setup: &Setup<'_>,
    config: &Config,
    o: usize,
    i: usize,
    message: TermId,
) -> Config {
    let (sender, receiver) = (&config.threads[o], &config.threads[i]);
    let (Act::Output { next: sent, .. }, Act::Input { next: taken, .. }) = (
        setup.templates.act(sender.template),
        setup.templates.act(receiver.template),
    ) else {
        unreachable!("an output meets an input");
    };
    let mut threads: Vec<Thread> = config
        .threads
        .iter()
        .enumerate()
        .filter(|(t, _)| *t != o && *t != i)
        .map(|(_, t)| t.clone())
        .collect();
    threads.extend(followers(sent, &sender.values, &[]));
    threads.extend(followers(taken, &receiver.values, &[message]));
    Config {
        side: config.side,
        threads,
        terms: config.terms.clone(),
    }
}

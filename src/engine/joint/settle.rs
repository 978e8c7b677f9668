//! Settling: decided tests run and silent steps are followed until nothing moves by itself [Sem
//! 5.2].
//!
//! A settled node has no thread at a test. With each configuration it has the configurations that
//! internal communication leads to. Undecided tests split the node, and so do channels that may or
//! may not be equal.

use super::node::{Config, Node, Thread};
use super::private_form;
use super::question::{Answer, Split};
use super::setup::Setup;
use super::subsumption::{Outline, embeds};
use super::template::{Act, Follower, Templates};
use crate::attacker::solver::Question;
use crate::term::{TermId, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};

/// The threads that follow an action.
pub(crate) fn followers<'a>(
    next: &'a [Follower],
    values: &'a [TermId],
    bound: &'a [TermId],
) -> impl Iterator<Item = Thread> + 'a {
    next.iter().map(move |f| Thread {
        template: f.template,
        values: Templates::follow(f, values, bound),
    })
}

/// A node on the way: the first configurations are settled and different, none embeds into another,
/// and their silent successors are present.
struct Settling {
    node: Node,
    /// The outlines of the first configurations.
    closed: Vec<Outline>,
    /// The next configuration to settle. Those between the first ones and this one are done and no
    /// longer of use; removing each by itself would move all pending ones.
    next: usize,
}

/// Settles a node into one or more, split by the questions asked on the way.
pub(crate) fn settle(setup: &Setup<'_>, node: Node, settled: &mut Vec<Node>) {
    let mut open = vec![Settling {
        node,
        closed: Vec::new(),
        next: 0,
    }];
    while let Some(mut work) = open.pop() {
        let asked = work.close(setup);
        work.node.configs.drain(work.closed.len()..work.next);
        match asked {
            Ok(()) => settled.push(work.node),
            Err(question) => {
                let [yes, no] = setup.split(&work.node, &question);
                for node in [no, yes].into_iter().flatten() {
                    let closed = work.closed.clone();
                    let next = closed.len();
                    open.push(Settling { node, closed, next });
                }
            }
        }
    }
}

impl Settling {
    /// Settles one configuration after the other, until a question comes up.
    fn close(&mut self, setup: &Setup<'_>) -> Result<(), Split> {
        while self.next < self.node.configs.len() && !setup.halt.stopped() {
            let at = self.next;
            let mut config = self.node.configs[at].clone();
            let tests = run_tests(setup, &self.node, &mut config);
            if tests.is_ok() {
                private_form::privately(setup, &mut config);
                if self.adds_nothing(setup, &config) {
                    self.next += 1;
                    continue;
                }
            }
            let successors = tests.and_then(|()| silent(setup, &self.node, &config));
            self.node.configs[at] = config;
            self.node.configs.extend(successors?);
            self.admit(setup);
        }
        Ok(())
    }

    /// Whether a settled configuration is there already, or embeds into one that is.
    fn adds_nothing(&self, setup: &Setup<'_>, config: &Config) -> bool {
        let there = &self.node.configs[..self.closed.len()];
        if !setup.options.reductions.subsume {
            return there.contains(config);
        }
        let outline = Outline::of(setup, config);
        let mut pairs = there.iter().zip(&self.closed);
        pairs.any(|larger| embeds(setup, (config, &outline), larger))
    }

    /// Counts the next configuration among the closed ones; those that embed into it go. Their
    /// silent successors embed into its own, so none is lost.
    fn admit(&mut self, setup: &Setup<'_>) {
        let new = &self.node.configs[self.next];
        let outline = Outline::of(setup, new);
        if setup.options.reductions.subsume {
            let old = self.node.configs.iter().zip(&self.closed);
            let stays: Vec<bool> = old
                .map(|old| !embeds(setup, old, (new, &outline)))
                .collect();
            if stays.contains(&false) {
                let mut all = stays.iter();
                self.node.configs.retain(|_| *all.next().unwrap_or(&true));
                let mut all = stays.iter();
                self.closed.retain(|_| *all.next().unwrap_or(&true));
                self.next -= stays.iter().filter(|stays| !**stays).count();
            }
        }
        self.node.configs.swap(self.closed.len(), self.next);
        self.closed.push(outline);
        self.next += 1;
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
pub(crate) fn run_test(
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
    let question = test(store, equations, &thread.values);
    let mut sizes = question.equations.iter().flat_map(|(a, b)| [*a, *b]);
    if sizes.any(|t| setup.halt.refuse(store.facts(t).size)) {
        return Ok(None);
    }
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

/// The question that a test asks.
pub(crate) fn test(
    store: &TermStore,
    equations: &[(TermId, TermId)],
    values: &[TermId],
) -> Question {
    let fill = |t: TermId| Templates::fill(store, t, values);
    Question {
        equations: equations
            .iter()
            .map(|(a, b)| (fill(*a), fill(*b)))
            .collect(),
        goals: Vec::new(),
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
    // Of equal threads the first stands for all.
    let mut alike: Option<Vec<usize>> = None;
    let mut seen: FxHashSet<(usize, usize)> = FxHashSet::default();
    let mut pairs = Vec::new();
    for (o, sender) in offers.iter().enumerate() {
        let Some((out, Some(message))) = sender else {
            continue;
        };
        for (i, receiver) in offers.iter().enumerate() {
            let Some((input, None)) = receiver else {
                continue;
            };
            if setup.halt.stopped() {
                return Ok(Vec::new());
            }
            if !setup.equal(node, config, *out, *input)? {
                continue;
            }
            if let Some(elements) = &elements
                && setup.recipe(node, elements, *out, node.level)?.is_some()
            {
                continue;
            }
            if setup.options.reductions.symmetry {
                let alike = alike.get_or_insert_with(|| first_alike(&config.threads));
                if !seen.insert((alike[o], alike[i])) {
                    continue;
                }
            }
            pairs.push((o, i, *message));
        }
    }
    Ok(pairs
        .into_iter()
        .take_while(|_| !setup.halt.stopped())
        .map(|(o, i, message)| communicate(setup, config, o, i, message))
        .collect())
}

/// For each thread the number of the first that is equal.
fn first_alike(threads: &[Thread]) -> Vec<usize> {
    let mut first: FxHashMap<&Thread, usize> = FxHashMap::default();
    let numbered = threads.iter().enumerate();
    numbered
        .map(|(i, t)| *first.entry(t).or_insert(i))
        .collect()
}

/// The configuration after the threads `o` and `i` have communicated. A message that is too large
/// is refused: passed on again and again it may double each time, and nobody may ever test it.
pub(crate) fn communicate(
    setup: &Setup<'_>,
    config: &Config,
    o: usize,
    i: usize,
    message: TermId,
) -> Config {
    setup.halt.refuse(setup.store.facts(message).size);
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

//! Canonical nodes and their keys [Sem 5.3].
//!
//! The canonical form of a node depends only on its future. The node is stripped; colour refinement
//! orders its indices, generics and public names; each configuration is in its private form; of
//! equal configurations one is left. The key spells that form out. Nodes with the same key are
//! equal up to renaming. Where refinement leaves a tie that no symmetry explains, nodes that are
//! equal up to renaming may get different keys. That only costs work.

use super::node::{Config, Node, Thread};
use super::private_form::{self, mix, op_hash};
use super::public_names;
use super::setup::Setup;
use super::strip::{permute, strip};
use super::subsumption;
use crate::term::{TermId, TermStore, View};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The spelling of a canonical node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(Arc<[u32]>);

impl Key {
    /// The key of a node of which only one channel is followed.
    #[must_use]
    fn focused(self, focus: Option<TermId>) -> Self {
        match focus {
            None => self,
            Some(channel) => {
                let mut spelt = self.0.to_vec();
                spelt.push(channel.slot() as u32);
                Key(spelt.into())
            }
        }
    }
}

/// Brings a node into its canonical form, and returns its key. The followed channel, if there is
/// one, gets its new name.
pub(crate) fn canonical(
    setup: &Setup<'_>,
    mut node: Node,
    focus: &mut Option<TermId>,
) -> (Node, Key) {
    strip(setup, &mut node);
    if setup.options.reductions.common_renaming {
        let order = Colouring::of(setup, &node, *focus).order(setup, &node);
        permute(setup, &mut node, &order.generics, &order.elements);
        if let Some(place) = order.names.iter().position(|n| Some(*n) == *focus) {
            *focus = Some(setup.public_names[place]);
        }
        public_names::rename(setup, &mut node, &order.names);
    }
    let node = tidied(setup, node);
    let key = spell(&node).focused(*focus);
    (node, key)
}

/// The node with Lambda, the configurations and their threads in order, each configuration in its
/// private form.
fn tidied(setup: &Setup<'_>, mut node: Node) -> Node {
    let mut entries = node.lambda.entries().to_vec();
    entries.sort_by_cached_key(|e| {
        let mut h = 0;
        for (g, r) in &e.bindings {
            h = mix(mix(h, u64::from(*g)), setup.store.facts(*r).hash);
        }
        e.universals.iter().fold(h, |h, l| mix(h, u64::from(*l)))
    });
    entries.dedup();
    node.lambda = crate::attacker::solver::Lambda::from_entries(entries);
    for config in &mut node.configs {
        if setup.halt.stopped() {
            return node;
        }
        private_form::privately(setup, config);
    }
    if setup.options.reductions.subsume {
        subsumption::drop_subsumed(setup, &mut node.configs);
    }
    // Without the side, so that configurations that both sides have come in the same order.
    let hash = |c: &Config| {
        let mut h = 6;
        for t in &c.terms {
            h = mix(h, setup.store.facts(*t).hash);
        }
        for thread in &c.threads {
            h = mix(h, u64::from(thread.template.0));
            for v in &thread.values {
                h = mix(h, setup.store.facts(*v).hash);
            }
        }
        h
    };
    node.configs.sort_by_cached_key(|c| (c.side as u8, hash(c)));
    node.configs.dedup();
    node
}

fn spell(node: &Node) -> Key {
    let mut out: Vec<u32> = Vec::new();
    spell_history(node, &mut out);
    for config in &node.configs {
        out.push(config.side as u32);
        out.extend(config.terms.iter().map(|t| t.slot() as u32));
        out.push(config.threads.len() as u32);
        for thread in &config.threads {
            spell_thread(thread, &mut out);
        }
    }
    Key(out.into())
}

/// Spells out what the configurations of a node have in common: level, lives, generics, Lambda.
pub(crate) fn spell_history(node: &Node, out: &mut Vec<u32>) {
    out.extend([node.level, node.lives.len() as u32]);
    for life in &node.lives {
        out.push(life.born);
        out.push(life.dead.map_or(0, |d| d + 1) << 1 | u32::from(life.opened));
    }
    out.push(node.generics.len());
    out.extend((0..node.generics.len()).map(|g| node.generics.info(g).level));
    out.push(node.lambda.entries().len() as u32);
    for entry in node.lambda.entries() {
        out.push(entry.bindings.len() as u32);
        for (g, r) in &entry.bindings {
            out.push(*g);
            out.push(r.slot() as u32);
        }
        out.push(entry.universals.len() as u32);
        out.extend(&entry.universals);
    }
}

/// Spells out a thread.
pub(crate) fn spell_thread(thread: &Thread, out: &mut Vec<u32>) {
    out.push(thread.template.0);
    out.extend(thread.values.iter().map(|v| v.slot() as u32));
}

/// A symbol of a flattened term.
#[derive(Clone, Copy)]
enum Token {
    /// Anything that is not renamed.
    Fixed(u64),
    Name(u32),
    Public(u32),
    Generic(u32),
    Index(u32),
}

/// A term or thread, flattened.
struct Row {
    /// The configuration; none for an entry of Lambda.
    config: Option<usize>,
    /// The index it is the term of, if it is an element.
    index: Option<u32>,
    tokens: Vec<Token>,
    hash: u64,
}

/// Colours of everything that is renamed, refined until nothing new is distinguished.
struct Colouring {
    rows: Vec<Row>,
    configs: Vec<u64>,
    names: Vec<u64>,
    /// The public names that occur.
    public_names: Vec<TermId>,
    publics: Vec<u64>,
    generics: Vec<u64>,
    indices: Vec<u64>,
}

/// The order that a colouring gives to what is renamed.
struct Order {
    generics: Vec<u32>,
    elements: Vec<u32>,
    names: Vec<TermId>,
}

struct Flattener<'a> {
    store: &'a TermStore,
    names: FxHashMap<(usize, TermId), u32>,
    /// Whether public names are renamed.
    renaming: bool,
    publics: FxHashMap<TermId, u32>,
}

impl Flattener<'_> {
    fn flatten(&mut self, config: usize, t: TermId, out: &mut Vec<Token>) {
        let store = self.store;
        let facts = store.facts(t);
        match store.view(t) {
            View::Generic(g) => out.push(Token::Generic(g)),
            View::Index(i) => out.push(Token::Index(i)),
            _ if private_form::is_private(store, t) => {
                let next = self.names.len() as u32;
                out.push(Token::Name(*self.names.entry((config, t)).or_insert(next)));
            }
            _ if self.renaming && public_names::is_public(store, t) => {
                let next = self.publics.len() as u32;
                out.push(Token::Public(*self.publics.entry(t).or_insert(next)));
            }
            _ => {
                let node = store.node(t);
                if node.args.is_empty() {
                    out.push(Token::Fixed(facts.hash));
                    return;
                }
                out.push(Token::Fixed(mix(
                    op_hash(store, node.op),
                    node.args.len() as u64,
                )));
                for a in &node.args {
                    self.flatten(config, *a, out);
                }
            }
        }
    }
}

impl Colouring {
    fn of(setup: &Setup<'_>, node: &Node, focus: Option<TermId>) -> Self {
        let mut flattener = Flattener {
            store: setup.store,
            names: FxHashMap::default(),
            renaming: !setup.public_names.is_empty(),
            publics: FxHashMap::default(),
        };
        let mut rows = Vec::new();
        for (c, config) in node.configs.iter().enumerate() {
            for (i, t) in config.terms.iter().enumerate() {
                let mut tokens = Vec::new();
                flattener.flatten(c, *t, &mut tokens);
                rows.push(Row {
                    config: Some(c),
                    index: Some(i as u32),
                    tokens,
                    hash: 0,
                });
            }
            for thread in &config.threads {
                let mut tokens = vec![Token::Fixed(u64::from(thread.template.0))];
                for v in &thread.values {
                    flattener.flatten(c, *v, &mut tokens);
                }
                rows.push(Row {
                    config: Some(c),
                    index: None,
                    tokens,
                    hash: 0,
                });
            }
        }
        for entry in node.lambda.entries() {
            let mut tokens = Vec::new();
            for (g, r) in &entry.bindings {
                tokens.push(Token::Generic(*g));
                flattener.flatten(usize::MAX, *r, &mut tokens);
            }
            tokens.extend(entry.universals.iter().map(|l| Token::Fixed(u64::from(*l))));
            rows.push(Row {
                config: None,
                index: None,
                tokens,
                hash: 0,
            });
        }
        let life = |l: &super::node::Life| {
            let dead = l.dead.map_or(0, |d| u64::from(d) + 1);
            mix(mix(u64::from(l.born), dead), u64::from(l.opened))
        };
        let mut public_names: Vec<(u32, TermId)> =
            flattener.publics.iter().map(|(t, i)| (*i, *t)).collect();
        public_names.sort_unstable_by_key(|(i, _)| *i);
        let public_names: Vec<TermId> = public_names.into_iter().map(|(_, t)| t).collect();
        Self {
            rows,
            configs: node.configs.iter().map(|c| c.side as u64).collect(),
            names: vec![7; flattener.names.len()],
            publics: public_names
                .iter()
                .map(|t| u64::from(Some(*t) == focus))
                .collect(),
            public_names,
            generics: (0..node.generics.len())
                .map(|g| u64::from(node.generics.info(g).level))
                .collect(),
            indices: node.lives.iter().map(life).collect(),
        }
    }

    fn colour(&self, token: Token) -> u64 {
        match token {
            Token::Fixed(h) => h,
            Token::Name(n) => mix(11, self.names[n as usize]),
            Token::Public(n) => mix(14, self.publics[n as usize]),
            Token::Generic(g) => mix(12, self.generics[g as usize]),
            Token::Index(i) => mix(13, self.indices[i as usize]),
        }
    }

    /// One round of refinement.
    fn round(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        let mut configs: Vec<u64> = vec![0; self.configs.len()];
        for row in &mut rows {
            let start = row.index.map_or(17, |i| mix(19, self.indices[i as usize]));
            row.hash = row
                .tokens
                .iter()
                .fold(start, |h, t| mix(h, self.colour(*t)));
            if let Some(c) = row.config {
                configs[c] = configs[c].wrapping_add(mix(23, row.hash));
            }
        }
        for (old, new) in self.configs.iter_mut().zip(configs) {
            *old = mix(*old, new);
        }
        let (mut names, mut publics, mut generics, mut indices) = (
            vec![0u64; self.names.len()],
            vec![0u64; self.publics.len()],
            vec![0u64; self.generics.len()],
            vec![0u64; self.indices.len()],
        );
        for row in &rows {
            let own = row.config.map_or(29, |c| self.configs[c]);
            let whole = mix(own, row.hash);
            for (place, token) in row.tokens.iter().enumerate() {
                let slot = match token {
                    Token::Fixed(_) => continue,
                    Token::Name(n) => &mut names[*n as usize],
                    Token::Public(n) => &mut publics[*n as usize],
                    Token::Generic(g) => &mut generics[*g as usize],
                    Token::Index(i) => &mut indices[*i as usize],
                };
                *slot = slot.wrapping_add(mix(whole, place as u64));
            }
            if let Some(i) = row.index {
                let slot = &mut indices[i as usize];
                *slot = slot.wrapping_add(mix(whole, 31));
            }
        }
        let pairs = [
            (&mut self.names, names),
            (&mut self.publics, publics),
            (&mut self.generics, generics),
            (&mut self.indices, indices),
        ];
        for (old, new) in pairs {
            for (o, n) in old.iter_mut().zip(new) {
                *o = mix(*o, n);
            }
        }
        self.rows = rows;
    }

    /// The number of different colours of what is put in order, and of everything.
    fn classes(&self) -> (usize, usize) {
        let renamed = self.generics.iter().chain(&self.indices);
        let mut colours: Vec<u64> = renamed.chain(&self.publics).copied().collect();
        colours.sort_unstable();
        colours.dedup();
        let ordered = colours.len();
        colours.extend(self.names.iter().chain(&self.configs));
        colours.sort_unstable();
        colours.dedup();
        (ordered, colours.len())
    }

    /// Refines until everything that is ordered is distinguished, or a round distinguishes nothing
    /// new.
    fn refine(&mut self) {
        let all = self.generics.len() + self.indices.len() + self.publics.len();
        let (_, mut last) = self.classes();
        loop {
            self.round();
            let (ordered, now) = self.classes();
            if ordered == all || now <= last {
                return;
            }
            last = now;
        }
    }

    /// The order of generics, indices and public names. A tie is broken by telling one of its
    /// members from the rest.
    fn order(mut self, setup: &Setup<'_>, node: &Node) -> Order {
        if node.generics.len() > 1 || node.lives.len() > 1 || self.publics.len() > 1 {
            self.refine();
            while let Some(tied) = tie(&self.indices)
                && !setup.halt.stopped()
            {
                self.indices[tied] = mix(self.indices[tied], 37);
                self.refine();
            }
            while let Some(tied) = tie(&self.generics)
                && !setup.halt.stopped()
            {
                self.generics[tied] = mix(self.generics[tied], 41);
                self.refine();
            }
            while let Some(tied) = tie(&self.publics)
                && !setup.halt.stopped()
            {
                self.publics[tied] = mix(self.publics[tied], 43);
                self.refine();
            }
        }
        // Age comes first, so that levels stay in order.
        let mut generics: Vec<u32> = (0..node.generics.len()).collect();
        generics.sort_by_key(|g| (node.generics.info(*g).level, self.generics[*g as usize]));
        let mut elements: Vec<u32> = (0..node.lives.len() as u32).collect();
        elements.sort_by_key(|i| (node.lives[*i as usize].born, self.indices[*i as usize]));
        let mut names: Vec<(u64, TermId)> =
            self.publics.into_iter().zip(self.public_names).collect();
        names.sort_unstable_by_key(|(colour, _)| *colour);
        Order {
            generics,
            elements,
            names: names.into_iter().map(|(_, n)| n).collect(),
        }
    }
}

/// The first of some equal colours, the least colour first.
fn tie(colours: &[u64]) -> Option<usize> {
    let mut sorted: Vec<(u64, usize)> = colours.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|w| w[0].0 == w[1].0).map(|w| w[0].1)
}

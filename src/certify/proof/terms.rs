//! The checker's own terms. Equal terms have equal numbers; a fact is a term with the kind of the fact at its top.
//!
//! Nodes, arguments and the table that finds them again are three flat lists, so that making a term allocates nothing.

use super::super::algebra::{Taking, taking};
use super::certificate::{Head, Kind};
use crate::term::{NameClass, Op, TermStore};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// A term or fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Term(u32);

impl Term {
    /// A number of its own.
    pub fn number(self) -> u32 {
        self.0
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    head: Head,
    /// The arguments: from here on in the list of arguments.
    start: u32,
    count: u32,
    /// A number for the head: different ones mean different heads.
    tag: u32,
    ground: bool,
    /// A bit for each head in it, variables aside; several share a bit.
    heads: u64,
}

/// All terms of a check.
#[derive(Debug)]
pub(super) struct Terms<'a> {
    store: &'a TermStore,
    nodes: Vec<Node>,
    args: Vec<Term>,
    /// Places of nodes by their hash, one more than their number; 0 is free. At most half is taken.
    table: Vec<u32>,
}

impl<'a> Terms<'a> {
    pub fn new(store: &'a TermStore) -> Self {
        Self {
            store,
            nodes: Vec::with_capacity(1 << 10),
            args: Vec::with_capacity(1 << 10),
            table: vec![0; 1 << 12],
        }
    }

    pub fn make(&mut self, head: Head, args: &[Term]) -> Term {
        let own = FxBuildHasher.hash_one(head);
        let mut hash = own;
        for a in args {
            hash = (hash.rotate_left(23) ^ u64::from(a.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let mask = self.table.len() - 1;
        let mut place = (hash >> 32) as usize & mask;
        while self.table[place] != 0 {
            let t = Term(self.table[place] - 1);
            if self.head(t) == head && self.args(t) == args {
                return t;
            }
            place = (place + 1) & mask;
        }
        let t = Term(self.nodes.len() as u32);
        let variable = matches!(head, Head::Variable(_));
        let bit = if variable { 0 } else { 1 << (own >> 58) };
        self.nodes.push(Node {
            head,
            start: self.args.len() as u32,
            count: args.len() as u32,
            tag: (own >> 32) as u32,
            ground: !variable && args.iter().all(|a| self.is_ground(*a)),
            heads: args.iter().fold(bit, |all, a| all | self.heads(*a)),
        });
        self.args.extend_from_slice(args);
        self.table[place] = t.0 + 1;
        if 2 * self.nodes.len() > self.table.len() {
            self.grow();
        }
        t
    }

    fn grow(&mut self) {
        let mut table = vec![0; 4 * self.table.len()];
        let mask = table.len() - 1;
        for (i, node) in self.nodes.iter().enumerate() {
            let mut hash = FxBuildHasher.hash_one(node.head);
            let (from, to) = (node.start as usize, (node.start + node.count) as usize);
            for a in &self.args[from..to] {
                hash = (hash.rotate_left(23) ^ u64::from(a.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
            let mut place = (hash >> 32) as usize & mask;
            while table[place] != 0 {
                place = (place + 1) & mask;
            }
            table[place] = i as u32 + 1;
        }
        self.table = table;
    }

    pub fn variable(&mut self, v: u32) -> Term {
        self.make(Head::Variable(v), &[])
    }

    pub fn apply(&mut self, op: Op, args: &[Term]) -> Term {
        self.make(Head::Operator(op), args)
    }

    pub fn fact(&mut self, kind: Kind, args: &[Term]) -> Term {
        self.make(Head::Fact(kind), args)
    }

    pub fn attacker(&mut self, t: Term) -> Term {
        self.fact(Kind::Attacker, &[t])
    }

    /// That the attacker has something, at a time; without phases there are no times.
    pub fn attacker_at(&mut self, t: Term, time: Option<Term>) -> Term {
        match time {
            Some(time) => self.fact(Kind::Attacker, &[t, time]),
            None => self.attacker(t),
        }
    }

    /// That it has another term, at the time of a fact.
    pub fn also(&mut self, fact: Term, t: Term) -> Term {
        let time = self.args(fact).get(1).copied();
        self.attacker_at(t, time)
    }

    fn node(&self, t: Term) -> &Node {
        &self.nodes[t.0 as usize]
    }

    pub fn head(&self, t: Term) -> Head {
        self.node(t).head
    }

    pub fn args(&self, t: Term) -> &[Term] {
        let node = self.node(t);
        &self.args[node.start as usize..(node.start + node.count) as usize]
    }

    pub fn arg(&self, t: Term, i: usize) -> Term {
        self.args(t)[i]
    }

    pub fn is_ground(&self, t: Term) -> bool {
        self.node(t).ground
    }

    /// A bit for each head in it; an instance has them too.
    pub fn heads(&self, t: Term) -> u64 {
        self.node(t).heads
    }

    pub fn as_variable(&self, t: Term) -> Option<u32> {
        match self.head(t) {
            Head::Variable(v) => Some(v),
            _ => None,
        }
    }

    pub fn kind(&self, t: Term) -> Option<Kind> {
        match self.head(t) {
            Head::Fact(kind) => Some(kind),
            _ => None,
        }
    }

    /// What the attacker has by this fact; `None` for other facts.
    pub fn had(&self, fact: Term) -> Option<Term> {
        (self.kind(fact) == Some(Kind::Attacker)).then(|| self.arg(fact, 0))
    }

    /// A number for what the fact is about: two facts with a common instance have the same number, unless one of them is
    /// about a variable (`None`).
    pub fn topic(&self, fact: Term) -> Option<u32> {
        let about = self.had(fact).unwrap_or(fact);
        match self.as_variable(about) {
            Some(_) => None,
            None => Some(self.node(about).tag),
        }
    }

    /// Whether it is a tuple or successor: the attacker has it exactly if it has the parts [Sem 1.2, 1.3].
    pub fn falls_apart(&self, t: Term) -> bool {
        matches!(self.head(t), Head::Operator(op) if taking(op) == Taking::Arguments)
    }

    /// Whether it is 0 or a public name: what the attacker has without more [Sem 1.2].
    pub fn is_free(&self, t: Term) -> bool {
        match self.head(t) {
            Head::Operator(Op::Zero) => true,
            Head::Operator(Op::Name(n)) => matches!(
                self.store.name_info(n).class,
                NameClass::Public | NameClass::Spy | NameClass::Attacker
            ),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_have_equal_numbers_however_many_there_are() {
        let store = TermStore::new();
        let mut terms = Terms::new(&store);
        let all: Vec<Term> = (0..10_000)
            .map(|v| {
                let x = terms.variable(v);
                terms.apply(Op::Hash, &[x])
            })
            .collect();
        for (v, t) in (0..).zip(&all) {
            let x = terms.variable(v);
            assert_eq!(terms.apply(Op::Hash, &[x]), *t);
            assert_eq!(terms.args(*t), [x]);
        }
    }
}

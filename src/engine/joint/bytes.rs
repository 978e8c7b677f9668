//! Nodes as bytes that mean the same in every process.
//!
//! The bytes have everything that the future of a node depends on, in the order of the node, so
//! reading gives the same node. Nodes in canonical form have the same bytes exactly if they have
//! the same key.

use super::node::{Config, Life, Node, Side, Thread};
use super::template::{TemplateId, Templates};
use crate::attacker::solver::{Entry, GenericInfo, Generics, Lambda};
use crate::process::Type;
use crate::term::{TermId, TermReader, TermStore, TermWriter};
use std::sync::Arc;

/// A node, and the channel that alone is followed if there is one.
pub(crate) fn write(store: &TermStore, node: &Node, focus: Option<TermId>) -> Vec<u8> {
    let mut w = TermWriter::new(store);
    w.out.number(u64::from(node.level));
    w.out.number(node.lives.len() as u64);
    for life in &node.lives {
        w.out.number(u64::from(life.born));
        w.out.byte(u8::from(life.opened));
        w.out.number(life.dead.map_or(0, |d| u64::from(d) + 1));
    }
    w.out.number(u64::from(node.generics.len()));
    for g in 0..node.generics.len() {
        w.out.number(u64::from(node.generics.info(g).level));
    }
    w.out.number(node.lambda.entries().len() as u64);
    for entry in node.lambda.entries() {
        w.out.number(entry.bindings.len() as u64);
        for (g, recipe) in &entry.bindings {
            w.out.number(u64::from(*g));
            w.term(*recipe);
        }
        w.out.number(entry.universals.len() as u64);
        for level in &entry.universals {
            w.out.number(u64::from(*level));
        }
    }
    w.out.number(node.configs.len() as u64);
    for config in &node.configs {
        w.out.byte(config.side as u8);
        w.terms(config.terms.iter());
        w.out.number(config.threads.len() as u64);
        for thread in &config.threads {
            w.out.number(u64::from(thread.template.0));
            w.terms(thread.values.iter());
        }
    }
    w.out.byte(u8::from(focus.is_some()));
    if let Some(channel) = focus {
        w.term(channel);
    }
    w.out.into_bytes()
}

/// The node of some bytes; `None` if they are none.
pub(crate) fn read(
    store: &TermStore,
    templates: &Templates,
    bytes: &[u8],
) -> Option<(Node, Option<TermId>)> {
    let mut r = TermReader::new(store, bytes);
    let level = r.from.word()?;
    let lives = r.from.list(|r| {
        let (born, opened) = (r.word()?, r.byte()? != 0);
        let dead = r.word()?.checked_sub(1);
        Some(Life { born, dead, opened })
    })?;
    let mut generics = Generics::new();
    for level in r.from.list(crate::base::cluster::Reader::word)? {
        let ty = Type::Msg;
        generics.push(GenericInfo { level, ty });
    }
    let entries = r.list(|r| {
        let bindings = r.list(|r| Some((r.from.word()?, r.term()?)))?;
        let universals = r.from.list(crate::base::cluster::Reader::word)?;
        Some(Arc::new(Entry {
            bindings,
            universals,
        }))
    })?;
    let configs = r.list(|r| {
        let side = match r.from.byte()? {
            0 => Side::Left,
            1 => Side::Right,
            _ => return None,
        };
        let terms = r.terms()?;
        let threads = r.list(|r| {
            let template = TemplateId(r.from.word().filter(|t| templates.has(TemplateId(*t)))?);
            let values = r.terms()?.into();
            Some(Thread { template, values })
        })?;
        (terms.len() == lives.len()).then_some(Config {
            side,
            threads,
            terms,
        })
    })?;
    let focus = if r.from.byte()? == 0 {
        None
    } else {
        Some(r.term()?)
    };
    if configs.is_empty() || !r.from.is_done() {
        return None;
    }
    let node = Node {
        level,
        lives,
        generics,
        lambda: Lambda::from_entries(entries),
        configs,
        trail: None,
    };
    Some((node, focus))
}

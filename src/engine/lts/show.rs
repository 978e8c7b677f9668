//! States and labels as text, in the notation of the language.
//!
//! `#2` is the element of this number that the environment has learned, `?1` a message of its own
//! choice. Left to others: what names and variables are called (`names`).

use super::graph::{Graph, Vertex};
use super::label::{Act, Destructed, Label, oriented};
use super::names::Names;
use crate::attacker::knowledge::Level;
use crate::attacker::solver::Entry;
use crate::engine::joint::node::{Life, Thread};
use crate::engine::joint::settle::followers;
use crate::engine::joint::template::{Act as Prefix, Follower, Templates};
use crate::term::{POWER, Subst, TermId, TermStore, View};

/// At most this many actions of a thread are written, then `..`.
const ACTIONS: u32 = 48;

/// The state of writing a thread.
struct Pen {
    /// The next variable.
    var: u32,
    /// Actions that may still be written.
    left: u32,
}

/// Writes states and labels of a graph.
#[derive(Debug)]
pub struct Show<'a> {
    store: &'a TermStore,
    templates: &'a Templates,
    names: Names,
}

/// An element of the environment's knowledge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// The term.
    pub term: String,
    /// It can be composed from others now.
    pub dropped: bool,
    /// Its contents are known.
    pub opened: bool,
}

/// A generic: a message that the environment has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Its name.
    pub name: String,
    /// The elements that it may have been made of, besides public names.
    pub from: Vec<String>,
}

/// A state in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// K.
    pub knowledge: Vec<Known>,
    /// P.
    pub threads: Vec<String>,
    /// Upsilon.
    pub generics: Vec<Chosen>,
    /// Lambda.
    pub forbidden: Vec<String>,
}

impl<'a> Show<'a> {
    /// For a graph.
    pub fn new(store: &'a TermStore, graph: &'a Graph) -> Self {
        Self {
            store,
            templates: &graph.templates,
            names: Names::new(store, graph),
        }
    }

    /// A term or recipe.
    pub fn term(&self, t: TermId) -> String {
        self.names.term(self.store, t)
    }

    /// A state.
    pub fn state(&self, vertex: &Vertex) -> Described {
        let store = self.store;
        let node = &vertex.node;
        let config = &node.configs[0];
        let mut used = vec![false; node.generics.len() as usize];
        let values = config.threads.iter().flat_map(|t| &t.values);
        for t in config.terms.iter().chain(values) {
            store.visit(*t, &mut |s| {
                if let View::Generic(g) = store.view(s) {
                    used[g as usize] = true;
                }
                true
            });
        }
        let knowledge = node.lives.iter().zip(&config.terms).enumerate();
        let alive =
            |life: &Life, level: Level| life.born <= level && life.dead.is_none_or(|d| level < d);
        let chosen = (0..node.generics.len()).filter(|g| used[*g as usize]);
        let entries = node.lambda.entries().iter();
        Described {
            knowledge: knowledge
                .map(|(i, (life, term))| Known {
                    name: format!("#{i}"),
                    term: self.term(*term),
                    dropped: life.dead.is_some(),
                    opened: life.opened,
                })
                .collect(),
            threads: config.threads.iter().map(|t| self.thread(t)).collect(),
            generics: chosen
                .map(|g| {
                    let level = node.generics.info(g).level;
                    let from = node.lives.iter().enumerate();
                    Chosen {
                        name: format!("?{g}"),
                        from: from
                            .filter(|(_, life)| alive(life, level))
                            .map(|(i, _)| format!("#{i}"))
                            .collect(),
                    }
                })
                .collect(),
            forbidden: entries
                .filter(|e| !e.mentions(store, &mut |g| !used[g as usize]))
                .map(|e| self.forbidden(e))
                .collect(),
        }
    }

    /// A forbidden specialisation: what does not hold all together, whatever `_1`, `_2`, .. stand
    /// for.
    pub fn forbidden(&self, entry: &Entry) -> String {
        let entry = oriented(self.store, entry, &Subst::new());
        let spell = |(g, recipe): &(u32, TermId), sign: &str| {
            let text = self.names.universal(self.store, *recipe);
            match self.store.view(*recipe) {
                View::Generic(_) => format!("{text} {sign} ?{g}"),
                _ => format!("?{g} {sign} {text}"),
            }
        };
        if let [only] = entry.bindings.as_slice() {
            return spell(only, "/=");
        }
        let all: Vec<String> = entry.bindings.iter().map(|b| spell(b, "=")).collect();
        format!("not ({})", all.join(" and "))
    }

    /// A label.
    pub fn label(&self, label: &Label) -> String {
        let mut text = match label.act {
            Act::Tau => "tau".to_owned(),
            Act::Input { channel, generic } => format!("{}(?{generic})", self.term(channel)),
            Act::Output { channel, message } => {
                format!("{}<{}>", self.term(channel), self.term(message))
            }
        };
        let mut extra: Vec<String> = Vec::new();
        for (g, recipe) in &label.narrowing {
            extra.push(match self.store.view(*recipe) {
                // Neither of two equal messages is made from the other.
                View::Generic(first) if first < *g => format!("?{first} = ?{g}"),
                _ => format!("?{g} := {}", self.term(*recipe)),
            });
        }
        for entry in &label.forbidden {
            extra.push(self.forbidden(entry));
        }
        for opening in &label.opened {
            let (key, content) = (self.term(opening.key), self.term(opening.content));
            let i = opening.index;
            extra.push(if opening.signature {
                format!("#{i} verifies with {key} as {content}")
            } else {
                format!("#{i} opens with {key} to {content}")
            });
        }
        for d in &label.destructed {
            if self.store.destructor_label(d.destructor) == POWER {
                extra.push(format!("{} is a share", self.term(d.args[0])));
                continue;
            }
            let content = self.term(d.content);
            extra.push(format!("{} gives {content}", self.application(d)));
        }
        for (i, recipe) in &label.dropped {
            extra.push(format!("#{i} = {}", self.term(*recipe)));
        }
        for partner in &label.partners {
            let (i, public) = (partner.index, self.term(partner.public));
            extra.push(if partner.pair {
                format!("#{i}+ = {public}")
            } else {
                format!("#{i} belongs to {public}")
            });
        }
        if !extra.is_empty() {
            text = format!("{text} [{}]", extra.join(", "));
        }
        text
    }

    /// A destructor with its arguments.
    pub fn application(&self, d: &Destructed) -> String {
        let args: Vec<String> = d.args.iter().map(|t| self.term(*t)).collect();
        let destructor = self.store.destructor_label(d.destructor);
        format!("{destructor}({})", args.join(", "))
    }

    fn thread(&self, thread: &Thread) -> String {
        let mut pen = Pen {
            var: 0,
            left: ACTIONS,
        };
        self.process(thread, &mut pen)
    }

    fn process(&self, thread: &Thread, pen: &mut Pen) -> String {
        if pen.left == 0 {
            return "..".to_owned();
        }
        pen.left -= 1;
        let store = self.store;
        let fill = |t: TermId| Templates::fill(store, t, &thread.values);
        let mut fresh = |count: u32| -> Vec<TermId> {
            let first = pen.var;
            pen.var += count;
            (first..pen.var).map(|v| store.var(v)).collect()
        };
        match self.templates.act(thread.template) {
            Prefix::Output {
                channel,
                message,
                next,
            } => {
                let message = fill(*message);
                let head = format!("{}<{}>", self.term(fill(*channel)), self.message(message));
                self.then(head, next, thread, &[], pen)
            }
            Prefix::Input { channel, next } => {
                let bound = fresh(1);
                let head = format!("{}({})", self.term(fill(*channel)), self.term(bound[0]));
                self.then(head, next, thread, &bound, pen)
            }
            Prefix::Test {
                equations,
                binds,
                then,
                otherwise,
            } => {
                let bound = fresh(*binds);
                let open = |t: TermId| {
                    store.map_atoms(fill(t), &mut |atom| match store.view(atom) {
                        View::Var(v) if v >= Templates::bound_var(0) => {
                            bound.get((v - Templates::bound_var(0)) as usize).copied()
                        }
                        _ => None,
                    })
                };
                let equations: Vec<String> = equations
                    .iter()
                    .map(|(a, b)| format!("{} is {}", self.term(open(*a)), self.term(open(*b))))
                    .collect();
                let head = format!("[{}] ", equations.join(" and "));
                let yes = self.parallel(then, thread, &bound, pen);
                if otherwise.is_empty() {
                    return format!("{head}{yes}");
                }
                let no = self.parallel(otherwise, thread, &[], pen);
                format!("{head}{yes} else {no}")
            }
        }
    }

    fn message(&self, message: TermId) -> String {
        let text = self.term(message);
        match self.store.view(message) {
            View::Tuple(_) => text[1..text.len() - 1].to_owned(),
            _ => text,
        }
    }

    fn then(
        &self,
        head: String,
        next: &[Follower],
        thread: &Thread,
        bound: &[TermId],
        pen: &mut Pen,
    ) -> String {
        if next.is_empty() {
            return head;
        }
        let rest = self.parallel(next, thread, bound, pen);
        format!("{head}. {rest}")
    }

    fn parallel(
        &self,
        next: &[Follower],
        thread: &Thread,
        bound: &[TermId],
        pen: &mut Pen,
    ) -> String {
        let parts: Vec<String> = followers(next, &thread.values, bound)
            .map(|t| self.process(&t, pen))
            .collect();
        match parts.as_slice() {
            [] => "0".to_owned(),
            [one] => one.clone(),
            _ => format!("({})", parts.join(" | ")),
        }
    }
}

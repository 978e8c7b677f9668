//! Shapes: classes of steps with the same future up to the values of their arguments.
//!
//! A step is hash-consed with its free atoms (restricted names and variables) replaced by their position of first
//! use, and its children given as shapes with positions. Role instances of one definition therefore share their
//! shapes, whatever their names, agents excepted: public names are part of the shape.

use super::{Action, ShapeId, Step, StepId, Type, VarInfo};
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// Where an atom of a step comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// Bound by the step itself.
    Bound(u32),
    /// The argument of this number.
    Slot(u32),
}

/// A step in normal form.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    kind: u32,
    terms: Vec<TermId>,
    /// Types of the variables that the step binds: in typed analysis they decide what it accepts.
    types: Vec<Type>,
    children: Vec<(ShapeId, Vec<Place>)>,
}

/// The table of shapes; one table may serve several systems, whose shapes are then comparable.
#[derive(Default)]
pub struct Shapes {
    table: FxHashMap<Key, ShapeId>,
}

impl std::fmt::Debug for Shapes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shapes")
            .field("len", &self.table.len())
            .finish()
    }
}

/// Collects the free atoms of one step while its terms are rewritten.
struct Scope<'a> {
    store: &'a TermStore,
    bound: Vec<TermId>,
    slots: Vec<TermId>,
}

impl Scope<'_> {
    fn is_atom(&self, t: TermId) -> bool {
        match self.store.view(t) {
            View::Var(_) => true,
            View::Name(n) => self.store.name_info(n).class == NameClass::Restricted,
            _ => false,
        }
    }

    fn place(&mut self, atom: TermId) -> Place {
        if let Some(i) = self.bound.iter().position(|b| *b == atom) {
            return Place::Bound(i as u32);
        }
        let slot = self
            .slots
            .iter()
            .position(|s| *s == atom)
            .unwrap_or_else(|| {
                self.slots.push(atom);
                self.slots.len() - 1
            });
        Place::Slot(slot as u32)
    }

    fn rewrite(&mut self, t: TermId) -> TermId {
        let store = self.store;
        store.map_atoms(t, &mut |atom| {
            self.is_atom(atom).then(|| match self.place(atom) {
                Place::Bound(i) => store.generic(i),
                Place::Slot(i) => store.var(i),
            })
        })
    }
}

impl Shapes {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of different shapes.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is no shape yet.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Computes shape, arguments and live variables of a step whose children are already in `steps`.
    pub(super) fn classify(
        &mut self,
        store: &TermStore,
        steps: &[Step],
        vars: &[VarInfo],
        action: &Action,
    ) -> (ShapeId, Vec<TermId>, Vec<u32>) {
        let (kind, bound, terms, children): (u32, Vec<u32>, Vec<TermId>, Vec<StepId>) = match action
        {
            Action::Nil => (0, vec![], vec![], vec![]),
            Action::Fork(parts) => (1, vec![], vec![], parts.clone()),
            Action::Output {
                channel,
                message,
                next,
            } => (2, vec![], vec![*channel, *message], vec![*next]),
            Action::Input {
                channel,
                binder,
                next,
            } => (3, vec![*binder], vec![*channel], vec![*next]),
            Action::Test {
                test,
                then,
                otherwise,
            } => (
                4,
                test.binds.clone(),
                test.equations.iter().flat_map(|(a, b)| [*a, *b]).collect(),
                vec![*then, *otherwise],
            ),
            Action::Event {
                event,
                args,
                actors,
                next,
            } => (
                // Event numbers start above the other kinds; the arity is fixed, so actors follow unambiguously.
                5 + event.0.min(u32::MAX - 5),
                vec![],
                args.iter().chain(actors).copied().collect(),
                vec![*next],
            ),
        };
        let types = bound.iter().map(|v| vars[*v as usize].ty).collect();
        let bound = bound.into_iter().map(|v| store.var(v)).collect();
        let mut scope = Scope {
            store,
            bound,
            slots: Vec::new(),
        };
        let terms = terms.into_iter().map(|t| scope.rewrite(t)).collect();
        let children = children
            .into_iter()
            .map(|c| {
                let child = &steps[c.index()];
                (
                    child.shape,
                    child.args.iter().map(|a| scope.place(*a)).collect(),
                )
            })
            .collect();
        let next = ShapeId(self.table.len() as u32);
        let shape = *self
            .table
            .entry(Key {
                kind,
                terms,
                types,
                children,
            })
            .or_insert(next);
        let live = scope.slots.iter().filter_map(|t| match store.view(*t) {
            View::Var(v) => Some(v),
            _ => None,
        });
        let live = live.collect();
        (shape, scope.slots, live)
    }
}

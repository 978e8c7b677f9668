//! Shapes: classes of steps with the same future up to the values of their arguments.
//!
//! A step is spelt as a list of words, with its free atoms (restricted names and variables) replaced by their position
//! of first use, and its children given as shapes with positions; equal spellings are one shape. Role instances of one
//! definition therefore share their shapes, whatever their names, agents excepted: public names are part of the shape.
//!
//! A word list, not a term: nothing has to be made in the store of terms to find out that a step is like another.

use super::{Action, ShapeId, Step, StepId, VarInfo};
use crate::term::{NameClass, Op, TermId, TermStore};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What a word list is made of: an atom bound by the step itself, an argument of the step, a subterm in which nothing is
/// replaced; operators come after these.
const BOUND: u32 = 0;
const SLOT: u32 = 1;
const KEPT: u32 = 2;
const OPERATOR: u32 = 3;

/// The table of shapes; one table may serve several systems, whose shapes are then comparable.
#[derive(Default)]
pub struct Shapes {
    table: FxHashMap<Box<[u32]>, ShapeId>,
    /// The step at hand, kept for its memory.
    words: Vec<u32>,
}

impl std::fmt::Debug for Shapes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shapes")
            .field("len", &self.table.len())
            .finish_non_exhaustive()
    }
}

/// Collects the free atoms of one step while it is spelt.
struct Spelling<'a> {
    store: &'a TermStore,
    bound: SmallVec<[TermId; 4]>,
    slots: Vec<TermId>,
    /// Where the atoms among the slots are, once there are many.
    places: FxHashMap<TermId, usize>,
    words: &'a mut Vec<u32>,
}

/// So few slots are gone through one by one.
const FEW: usize = 16;

impl Spelling<'_> {
    fn place(&mut self, atom: TermId) {
        if let Some(i) = self.bound.iter().position(|b| *b == atom) {
            self.words.extend([BOUND, i as u32]);
            return;
        }
        let slot = self.slot(atom);
        self.words.extend([SLOT, slot as u32]);
    }

    fn slot(&mut self, atom: TermId) -> usize {
        let next = self.slots.len();
        let slot = if next <= FEW {
            let found = self.slots.iter().position(|s| *s == atom);
            found.unwrap_or(next)
        } else {
            if self.places.is_empty() {
                self.places = (self.slots.iter().copied()).zip(0..).collect();
            }
            *self.places.entry(atom).or_insert(next)
        };
        if slot == next {
            self.slots.push(atom);
        }
        slot
    }

    fn term(&mut self, t: TermId) {
        let facts = self.store.facts(t);
        let node = self.store.node(t);
        let replaced = match node.op {
            Op::Var(_) => true,
            Op::Name(n) => self.store.name_info(n).class == NameClass::Restricted,
            _ => false,
        };
        if replaced {
            self.place(t);
        } else if node.args.is_empty() || !(facts.has_var || facts.has_secret) {
            self.words.extend([KEPT, t.slot() as u32]);
        } else {
            let tag = OPERATOR + u32::from(node.op.tag());
            self.words
                .extend([tag, node.op.parameter(), node.args.len() as u32]);
            node.args.iter().for_each(|a| self.term(*a));
        }
    }

    /// The kind of a step, the types of the variables it binds, which in typed analysis decide what it accepts, and the
    /// number of its terms.
    fn head(&mut self, kind: u32, bound: &[u32], vars: &[VarInfo], terms: usize) {
        let count = [kind, bound.len() as u32, terms as u32];
        self.words.extend(count);
        for v in bound {
            self.words.push(vars[*v as usize].ty.number());
            self.bound.push(self.store.var(*v));
        }
    }

    fn child(&mut self, steps: &[Step], child: StepId) {
        let child = &steps[child.index()];
        self.words.extend([child.shape.0, child.args.len() as u32]);
        child.args.iter().for_each(|a| self.place(*a));
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

    /// Forgets the shapes found after the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        if len < self.table.len() {
            self.table.retain(|_, shape| shape.index() < len);
        }
    }

    /// Computes shape, arguments and live variables of a step whose children are already in `steps`.
    pub(super) fn classify(
        &mut self,
        store: &TermStore,
        steps: &[Step],
        vars: &[VarInfo],
        action: &Action,
    ) -> (ShapeId, Vec<TermId>, Vec<u32>) {
        self.words.clear();
        let mut spelling = Spelling {
            store,
            bound: SmallVec::new(),
            slots: Vec::new(),
            places: FxHashMap::default(),
            words: &mut self.words,
        };
        let s = &mut spelling;
        match action {
            Action::Nil => s.head(0, &[], vars, 0),
            Action::Fork(parts) => {
                s.head(1, &[], vars, 0);
                for part in parts {
                    s.child(steps, *part);
                }
            }
            Action::Output {
                channel,
                message,
                next,
            } => {
                s.head(2, &[], vars, 2);
                s.term(*channel);
                s.term(*message);
                s.child(steps, *next);
            }
            Action::Input {
                channel,
                binder,
                next,
            } => {
                s.head(3, &[*binder], vars, 1);
                s.term(*channel);
                s.child(steps, *next);
            }
            Action::Test {
                test,
                then,
                otherwise,
            } => {
                s.head(4, &test.binds, vars, 2 * test.equations.len());
                s.words.push(u32::from(test.has_else));
                for (a, b) in &test.equations {
                    s.term(*a);
                    s.term(*b);
                }
                s.child(steps, *then);
                s.child(steps, *otherwise);
            }
            Action::Phase { number, next } => {
                s.head(5, &[], vars, 0);
                s.words.push(u32::from(*number));
                s.child(steps, *next);
            }
            Action::Event {
                event,
                args,
                actors,
                next,
            } => {
                // Event numbers start above the other kinds; the arity is fixed, so actors follow unambiguously.
                let kind = 6 + event.0.min(u32::MAX - 6);
                s.head(kind, &[], vars, args.len() + actors.len());
                args.iter().chain(actors).for_each(|t| s.term(*t));
                s.child(steps, *next);
            }
        }
        let slots = spelling.slots;
        let shape = if let Some(shape) = self.table.get(self.words.as_slice()) {
            *shape
        } else {
            let next = ShapeId(self.table.len() as u32);
            self.table.insert(self.words.as_slice().into(), next);
            next
        };
        let live = slots.iter().filter_map(|t| match store.node(*t).op {
            Op::Var(v) => Some(v),
            _ => None,
        });
        let live = live.collect();
        (shape, slots, live)
    }
}

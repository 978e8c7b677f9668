//! A certificate of an equivalence: runs of both sides, as plain data. Nothing of it is believed.

use crate::term::{Op, TermId};
use std::sync::Arc;

/// An action: the thread and the number of the action in it, counted from 0.
pub type Event = (u16, u16);

/// How the environment makes something in a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Recipe {
    /// Initial knowledge, by number.
    Initial(u32),
    /// What was heard from this output.
    Heard(Event),
    /// A choice of its own.
    Choice(u32),
    /// A public name or 0.
    Constant(TermId),
    /// An operator applied.
    Apply(Op, Vec<Arc<Recipe>>),
    /// A part of a tuple: which, and of how many.
    Part(Arc<Recipe>, u32, u32),
    /// What something is the successor of.
    Predecessor(Arc<Recipe>),
    /// What comes out of a ciphertext or signature of this kind, with a key.
    Open(Op, Arc<Recipe>, Arc<Recipe>),
}

/// A run: how far each thread goes, and what the environment sends to each input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The threads that do something, in order, and how many actions they do.
    pub clock: Vec<(u16, u16)>,
    /// The inputs among these actions, in order, and what is sent.
    pub inputs: Vec<(Event, Arc<Recipe>)>,
    /// How many choices are left to the environment.
    pub choices: u32,
}

/// Something that the environment computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What was done for it.
    pub run: Run,
    /// How it is computed.
    pub recipe: Arc<Recipe>,
}

/// A thread before one of its actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What was done for it.
    pub run: Run,
    /// The thread.
    pub thread: u16,
}

/// A part of both systems that can take the place of others of its class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    /// The bundle that it is a part of: one before it. The first one is everything.
    pub parent: u32,
    /// Those with the same number and parent are interchangeable.
    pub class: u32,
    /// Its threads, those of its parts aside, in corresponding order within a class.
    pub threads: Vec<u16>,
    /// Its names on either side, those of its parts aside, in corresponding order within a class.
    pub names: [Vec<TermId>; 2],
}

/// What is said to show that two systems are equivalent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// The channels of each thread.
    pub threads: Vec<Vec<TermId>>,
    /// What can be exchanged. The first one is everything.
    pub bundles: Vec<Bundle>,
    /// The facts of either side.
    pub facts: [Vec<Fact>; 2],
    /// The places of either side.
    pub places: [Vec<Place>; 2],
}

//! Generic terms: their levels and, in typed analysis, their types.

use crate::attacker::knowledge::Level;
use crate::process::Type;

/// What a generic stands for: every term derivable at its level that has its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GenericInfo {
    /// The level at which the attacker made it.
    pub level: Level,
    /// `Msg` unless the analysis is typed.
    pub ty: Type,
}

/// The generics of a state, by number. Numbers of generics that have been narrowed away are not reused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generics {
    infos: Vec<GenericInfo>,
}

impl Generics {
    /// No generics.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a generic and returns its number.
    pub fn push(&mut self, info: GenericInfo) -> u32 {
        self.infos.push(info);
        self.infos.len() as u32 - 1
    }

    /// Adds the fresh generics of a solution.
    pub fn extend(&mut self, fresh: &[GenericInfo]) {
        self.infos.extend_from_slice(fresh);
    }

    /// What a generic stands for.
    pub fn info(&self, g: u32) -> GenericInfo {
        self.infos[g as usize]
    }

    /// Number of generics ever made.
    pub fn len(&self) -> u32 {
        self.infos.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }
}

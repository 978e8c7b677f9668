//! Elements of the attacker's basis.

use crate::term::TermId;

/// How often the knowledge has changed; the initial knowledge is level 0.
pub(crate) type Level = u32;

/// The end of an element's life: from `level` on it can be built from other elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Death {
    /// The first level at which it is not needed.
    pub level: Level,
    /// How it is built since.
    pub recipe: TermId,
}

/// A term of the attacker's basis with its history [Sem 1.5].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Element {
    /// The term.
    pub term: TermId,
    /// The first level at which it is known.
    pub born: Level,
    /// When it became composable, and how.
    pub dead: Option<Death>,
    /// Its contents have been added to the basis.
    pub opened: bool,
}

impl Element {
    /// An element known from this level on.
    pub(crate) fn new(term: TermId, born: Level) -> Self {
        Self {
            term,
            born,
            dead: None,
            opened: false,
        }
    }

    /// Whether a message made at this level could use it.
    pub(crate) fn alive_at(&self, level: Level) -> bool {
        self.born <= level && self.dead.is_none_or(|d| level < d.level)
    }
}

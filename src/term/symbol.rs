//! Names and key families: the atoms that carry a label.
//!
//! A name's identity is its label, class and copy number. A restricted name has one copy per occurrence of
//! its `new` in the unfolded system, so names never have to be invented while a system runs.

use std::sync::Arc;

/// A name of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameId(pub(super) u32);

/// A key family of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FamilyId(pub(super) u32);

impl FamilyId {
    /// A dense number; not an order.
    pub(crate) fn slot(self) -> u32 {
        self.0
    }
}

/// A declared function of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionId(pub(super) u32);

impl FunctionId {
    /// A dense number; not an order.
    pub(crate) fn slot(self) -> u32 {
        self.0
    }
}

/// A declared destructor of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DestructorId(pub(super) u32);

/// Who knows a name from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NameClass {
    /// A public constant: honest agent, channel, data.
    Public,
    /// A public agent that the attacker plays.
    Spy,
    /// A name of the attacker's own making; occurs in ground witnesses only.
    Attacker,
    /// A declared global name that the attacker does not know.
    Private,
    /// An instance of a restricted name (`new`).
    Restricted,
}

impl NameClass {
    /// Whether the attacker can use such a name without having learned it.
    pub fn is_public(self) -> bool {
        matches!(
            self,
            NameClass::Public | NameClass::Spy | NameClass::Attacker
        )
    }
}

/// What is known about a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameInfo {
    /// Who knows it.
    pub class: NameClass,
    /// The name as written in the source.
    pub label: Arc<str>,
    /// Number of the copy (restricted and attacker names), 0 for declared names.
    pub copy: u32,
}

/// The two kinds of key families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FamilyKind {
    /// `keypair K(..)`: `K(t)+` is public.
    KeyPair,
    /// `key S(..)`: symmetric long-term keys.
    Symmetric,
}

/// What is known about a key family.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FamilyInfo {
    /// Key pairs or symmetric keys.
    pub kind: FamilyKind,
    /// The family's name.
    pub label: Arc<str>,
    /// Number of arguments.
    pub arity: u32,
}

/// What is known about a declared function: a free constructor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionInfo {
    /// The attacker can't apply it.
    pub private: bool,
    /// Its name.
    pub label: Arc<str>,
    /// Number of arguments.
    pub arity: u32,
}

//! Composition and decomposition: the only statements of what the attacker can do with terms.

use crate::term::{Args, FamilyKind, TermId, TermStore, View};

/// How a term can be composed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composition<'a> {
    /// It needs nothing: a public name or 0.
    Constant,
    /// From these terms, by applying its operator (and the operator of its family argument).
    From(&'a [TermId]),
    /// A family member: from its arguments, provided one of them is a spy.
    FromIfSpy(&'a [TermId]),
    /// Not at all: it can only have been learned.
    Never,
}

/// Whether the attacker has the term without learning it.
pub fn is_constant(store: &TermStore, t: TermId) -> bool {
    match store.view(t) {
        View::Zero => true,
        View::Name(n) => store.name_info(n).class.is_public(),
        _ => false,
    }
}

/// How the attacker composes a term [Sem 1.2]. The public part of a member of a key-pair family is composed from
/// the member's arguments; a member that has a spy among its arguments is the attacker's.
pub fn composition(store: &TermStore, t: TermId) -> Composition<'_> {
    let node = store.node(t);
    match node.view() {
        View::Zero => Composition::Constant,
        View::Name(n) if store.name_info(n).class.is_public() => Composition::Constant,
        View::Name(_) | View::Var(_) | View::Generic(_) | View::Index(_) => Composition::Never,
        View::Family(_, args) => Composition::FromIfSpy(args),
        View::Pub(k) => match store.view(k) {
            View::Family(f, args) if store.family_info(f).kind == FamilyKind::KeyPair => {
                Composition::From(args)
            }
            _ => Composition::From(&node.args),
        },
        _ => Composition::From(&node.args),
    }
}

/// The member behind the public part of a member of a key-pair family: who has the member can make its public part
/// even without the arguments.
pub fn member_of(store: &TermStore, t: TermId) -> Option<TermId> {
    let View::Pub(k) = store.view(t) else {
        return None;
    };
    match store.view(k) {
        View::Family(f, _) if store.family_info(f).kind == FamilyKind::KeyPair => Some(k),
        _ => None,
    }
}

/// What must hold for a ciphertext to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// What comes out.
    pub content: TermId,
    /// The key that must be derivable, if the ciphertext's own key has the right form.
    pub key: Option<TermId>,
    /// The ciphertext's own key: for `aenc` it must be `pub(z)` and the key is `priv(z)`; for `sign` the reverse.
    pub lock: TermId,
}

/// How the attacker opens a ciphertext or signature [Sem 1.3]; `None` for other terms. `key` is `None` if the lock is
/// a generic (or a term that is no key part at all: then it can never be opened).
pub fn opening(store: &TermStore, t: TermId) -> Option<Opening> {
    let (content, lock, key) = match store.view(t) {
        View::Senc(m, k) => (m, k, Some(k)),
        View::Aenc(m, k) => match store.view(k) {
            View::Pub(z) => (m, k, Some(store.priv_part(z))),
            _ => (m, k, None),
        },
        View::Sign(m, k) => match store.view(k) {
            View::Priv(z) => (m, k, Some(store.pub_part(z))),
            _ => (m, k, None),
        },
        _ => return None,
    };
    Some(Opening { content, key, lock })
}

/// The parts of a term that can be taken apart without a key: tuples and successors.
pub fn parts(store: &TermStore, t: TermId) -> Option<Args> {
    match store.view(t) {
        View::Tuple(_) | View::Suc(_) => Some(store.node(t).args.clone()),
        _ => None,
    }
}

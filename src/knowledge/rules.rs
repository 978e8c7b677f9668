//! Composition and decomposition: what the rows of the operator table mean for a term.

use crate::term::{Args, Composed, FamilyKind, Key, Op, Opened, TermId, TermStore, View};
use smallvec::smallvec;

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
    match node.op.row().composed {
        Composed::Freely => Composition::Constant,
        Composed::IfPublic if is_constant(store, t) => Composition::Constant,
        Composed::IfPublic | Composed::Never => Composition::Never,
        Composed::FromArguments => Composition::From(&node.args),
        Composed::UnlessPrivate => match node.op {
            Op::Function(f) if store.function_info(f).private => Composition::Never,
            _ => Composition::From(&node.args),
        },
        Composed::IfSpy => Composition::FromIfSpy(&node.args),
        Composed::PublicPart => match store.view(node.args[0]) {
            View::Family(f, args) if store.family_info(f).kind == FamilyKind::KeyPair => {
                Composition::From(args)
            }
            _ => Composition::From(&node.args),
        },
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
    let node = store.node(t);
    let Opened::With(fits) = node.op.row().opened else {
        return None;
    };
    let (content, lock) = (node.args[0], node.args[1]);
    let key = match fits {
        Key::Same => Some(lock),
        Key::Counterpart { lock: form, key } => {
            let locked = store.node(lock);
            (locked.op == form).then(|| store.make(key, locked.args.clone()))
        }
    };
    Some(Opening { content, key, lock })
}

/// The form that the lock of a ciphertext must have for a `z`, and the key that opens it then; `None` for operators that hide
/// nothing.
pub fn lock_and_key(store: &TermStore, op: Op, z: TermId) -> Option<(TermId, TermId)> {
    match op.row().opened {
        Opened::With(Key::Same) => Some((z, z)),
        Opened::With(Key::Counterpart { lock, key }) => {
            let [lock, key] = [lock, key].map(|part| store.make(part, smallvec![z]));
            Some((lock, key))
        }
        Opened::Freely | Opened::Never => None,
    }
}

/// The parts of a term that can be taken apart without a key: tuples and successors.
pub fn parts(store: &TermStore, t: TermId) -> Option<Args> {
    let node = store.node(t);
    (node.op.row().opened == Opened::Freely).then(|| node.args.clone())
}

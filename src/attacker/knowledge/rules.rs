//! Composition and decomposition: what the rows of the operator table mean for a term.

use crate::term::{
    Args, Composed, FamilyKind, Key, Op, Opened, OpeningRule, RULE, Subst, TermId, TermStore, View,
};
use smallvec::{SmallVec, smallvec};

/// How a term can be composed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Composition<'a> {
    /// It needs nothing: a public name or 0.
    Constant,
    /// From these terms, by applying its operator (and the operator of its family argument).
    From(&'a [TermId]),
    /// A family member: from its arguments, provided one of them is a spy.
    FromIfSpy(&'a [TermId]),
    /// From one of these pairs of terms, a share and an exponent each, by applying its operator.
    FromEither([[TermId; 2]; 2]),
    /// Not at all: it can only have been learned.
    Never,
}

/// Whether the attacker has the term without learning it.
pub(crate) fn is_constant(store: &TermStore, t: TermId) -> bool {
    match store.view(t) {
        View::Zero => true,
        View::Name(n) => store.name_info(n).class.is_public(),
        _ => false,
    }
}

/// How the attacker composes a term [Sem 1.2]. The public part of a member of a key-pair family is composed from
/// the member's arguments; a member that has a spy among its arguments is the attacker's.
pub(crate) fn composition(store: &TermStore, t: TermId) -> Composition<'_> {
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
        Composed::EitherWay => match store.other_way(t) {
            Some(other) => Composition::FromEither([[node.args[0], node.args[1]], other]),
            None => Composition::From(&node.args),
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
pub(crate) fn member_of(store: &TermStore, t: TermId) -> Option<TermId> {
    let View::Pub(k) = store.view(t) else {
        return None;
    };
    match store.view(k) {
        View::Family(f, _) if store.family_info(f).kind == FamilyKind::KeyPair => Some(k),
        _ => None,
    }
}

/// A way to open a term, and what must hold for it. Variables are those of rules ([`RULE`]), different ones in no two openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// What comes out; it may have variables only if there are equations.
    pub content: TermId,
    /// What must be equal for the term to have the right form.
    pub equations: SmallVec<[(TermId, TermId); 1]>,
    /// What must be had: the key of a ciphertext, the other arguments of a destructor.
    pub sides: SmallVec<[TermId; 1]>,
    /// The opening rule; none for the key of a ciphertext.
    pub rule: Option<usize>,
}

impl Opening {
    /// Whether nothing comes out but that it opens.
    pub(crate) fn is_test(&self, store: &TermStore) -> bool {
        self.rule.is_some() && is_constant(store, self.content)
    }

    /// Whether the generics have a say in it.
    pub(crate) fn has_generic(&self, store: &TermStore) -> bool {
        let sides = self.sides.iter();
        !self.equations.is_empty() || sides.into_iter().any(|t| store.facts(*t).has_generic)
    }

    /// Whether the other terms that are needed are known up to the generics.
    pub(crate) fn is_determined(&self, store: &TermStore) -> bool {
        self.sides.iter().all(|t| !store.facts(*t).has_var)
    }
}

/// The ways in which the attacker opens a term [Sem 1.3, 1.6]: a ciphertext or signature with its key, and whatever has the form of an
/// opening rule. A form that the term can't have whatever its generics stand for is none.
pub(crate) fn openings(store: &TermStore, t: TermId) -> SmallVec<[Opening; 1]> {
    let op = store.node(t).op;
    let mut found: SmallVec<[Opening; 1]> = by_key(store, t).into_iter().collect();
    if store.has_rules() {
        for (number, rule) in store.openings().enumerate() {
            if store.node(rule.principal).op == op {
                found.extend(by_rule(store, t, number, rule));
            }
        }
    }
    found
}

/// A ciphertext or signature and its key.
fn by_key(store: &TermStore, t: TermId) -> Option<Opening> {
    let node = store.node(t);
    let Opened::With(fits) = node.op.row().opened else {
        return None;
    };
    let (content, lock) = (node.args[0], node.args[1]);
    let mut equations = SmallVec::new();
    let key = match fits {
        Key::Same => lock,
        Key::Counterpart { lock: form, key } => {
            let locked = store.node(lock);
            if locked.op == form {
                store.make(key, locked.args.clone())
            } else if is_open(locked.op) {
                // The lock is the attacker's: it may be a part of any pair.
                let z = store.var(RULE);
                equations.push((lock, store.make(form, smallvec![z])));
                store.make(key, smallvec![z])
            } else {
                return None;
            }
        }
    };
    Some(Opening {
        content,
        equations,
        sides: smallvec![key],
        rule: None,
    })
}

/// A term that has the form of a rule's principal.
fn by_rule(store: &TermStore, t: TermId, number: usize, rule: &OpeningRule) -> Option<Opening> {
    let mut fit = Fit {
        store,
        values: Subst::new(),
        equations: SmallVec::new(),
    };
    if !fit.fits(rule.principal, t) {
        return None;
    }
    let value = |t: TermId| fit.values.apply(store, t);
    Some(Opening {
        content: value(rule.content),
        sides: rule.sides.iter().map(|t| value(*t)).collect(),
        equations: fit
            .equations
            .iter()
            .map(|(form, t)| (value(*form), *t))
            .collect(),
        rule: Some(number),
    })
}

/// The comparison of a term with a form.
struct Fit<'a> {
    store: &'a TermStore,
    /// What the variables of the form are.
    values: Subst,
    /// What must hold besides, for the generics of the term.
    equations: SmallVec<[(TermId, TermId); 1]>,
}

impl Fit<'_> {
    fn fits(&mut self, form: TermId, t: TermId) -> bool {
        let store = self.store;
        if form == t {
            return true;
        }
        let (form_node, node) = (store.node(form), store.node(t));
        if let Op::Var(_) = form_node.op {
            match self.values.get(form) {
                None => self.values.bind(form, t),
                Some(other) if other == t => {}
                Some(other) if store.is_ground(other) && store.is_ground(t) => return false,
                Some(other) => self.equations.push((other, t)),
            }
            return true;
        }
        if is_open(node.op) {
            self.equations.push((form, t));
            return true;
        }
        form_node.op == node.op
            && form_node.args.len() == node.args.len()
            && form_node
                .args
                .iter()
                .zip(&node.args)
                .all(|(f, a)| self.fits(*f, *a))
    }
}

fn is_open(op: Op) -> bool {
    matches!(op, Op::Generic(_) | Op::Var(_))
}

/// What the arguments of a destructor are made of: the term that is opened, and the other terms that are needed, in their order. What the rule
/// says nothing about is 0.
pub(crate) fn arguments<R: Clone>(
    store: &TermStore,
    rule: &OpeningRule,
    principal: &R,
    sides: &[R],
    make: &impl Fn(Op, Vec<R>) -> R,
) -> Vec<R> {
    rule.args
        .iter()
        .map(|t| argument(store, rule, *t, principal, sides, make))
        .collect()
}

/// What a destructor gives, made of what is opened and the other terms that are needed. There is such a way for rules that are only tests.
pub(crate) fn composed_result<R: Clone>(
    store: &TermStore,
    rule: &OpeningRule,
    principal: &R,
    sides: &[R],
    make: &impl Fn(Op, Vec<R>) -> R,
) -> R {
    argument(store, rule, rule.result, principal, sides, make)
}

fn argument<R: Clone>(
    store: &TermStore,
    rule: &OpeningRule,
    t: TermId,
    principal: &R,
    sides: &[R],
    make: &impl Fn(Op, Vec<R>) -> R,
) -> R {
    if t == rule.principal {
        return principal.clone();
    }
    if let Some(i) = rule.sides.iter().position(|s| *s == t) {
        return sides[i].clone();
    }
    let node = store.node(t);
    let op = if is_open(node.op) { Op::Zero } else { node.op };
    let args = node.args.iter();
    let args = args.map(|a| argument(store, rule, *a, principal, sides, make));
    make(op, args.collect())
}

/// The parts of a term that can be taken apart without a key: tuples and successors.
pub(crate) fn parts(store: &TermStore, t: TermId) -> Option<Args> {
    let node = store.node(t);
    (node.op.row().opened == Opened::Freely).then(|| node.args.clone())
}

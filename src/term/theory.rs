//! Theories: the rules of declared destructors, and how the attacker opens terms with them [Sem 1.7].
//!
//! A [`Rule`] says what a destructor gives for arguments of some form: `open(aead(k, n, m), k, n) = m`. For the attacker it means: who has
//! terms of these forms, the *premises*, has the result. Most of these ways need not be looked at. A derivation with the fewest steps never
//! takes apart what it has put together, so one premise, the *principal*, can be asked to be something heard or opened before; if it was
//! composed after all, its arguments take its place and the rule is *unfolded* to one with a smaller premise. What is left are the
//! [`OpeningRule`]s: they open terms of the attacker's basis as keys open ciphertexts, and what comes out is smaller than what was opened.
//!
//! Not every theory has such rules. One that has none is refused with the form that was met ([`Unopenable`]).
//!
//! Left to others: when a rule is applied (`knowledge`), what may be declared (`sema`). `certify` works with the rules as declared.

use super::{Composed, DestructorId, Op, Subst, TermId, TermStore, View, ranges, unify};
use rustc_hash::FxHashMap;

/// First variable number of the rules of destructors.
pub const RULE: u32 = ranges::RULES.start;

/// A rule of a destructor, over variables from [`RULE`] on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The destructor.
    pub destructor: DestructorId,
    /// The forms of the arguments.
    pub premises: Vec<TermId>,
    /// What comes out.
    pub result: TermId,
}

/// A way to open a term of the attacker's basis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpeningRule {
    /// The form of what is opened.
    pub principal: TermId,
    /// What else is needed.
    pub sides: Vec<TermId>,
    /// What comes out. It is smaller than the principal and has no variable that the principal lacks; or it is a ground term. If the result can be
    /// composed of the premises it is 0: all that is learned is that the rule fits.
    pub content: TermId,
    /// The number of the declared rule that it comes from.
    pub rule: usize,
    /// The declared rule's arguments, to be made of the principal and the other premises.
    pub args: Vec<TermId>,
    /// The declared rule's result.
    pub result: TermId,
}

/// A theory that has no opening rules: the attacker may have to apply this rule to what it composed itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unopenable {
    /// The number of the declared rule.
    pub rule: usize,
    /// The premises that it was unfolded to.
    pub premises: Vec<TermId>,
    /// Its result.
    pub result: TermId,
    /// Why it has no principal.
    pub reason: Reason,
}

/// Why a rule is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No premise is larger than the result and has all of its variables.
    Grows,
    /// The principal would be a part of a key pair, or a member of a key family.
    Key,
}

/// A rule for which comparisons don't know all that an environment may see of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// The number of the declared rule.
    pub rule: usize,
    /// The part of it.
    pub part: UnseenPart,
}

/// The part of a rule that comparisons don't admit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnseenPart {
    /// What comes out is no part of an argument. An unfolded rule may follow from others, but that it fits need not.
    Result,
    /// What is opened does not tell what this other premise must be: several terms may do, and which of them do is seen.
    Side {
        /// What is opened.
        principal: TermId,
        /// The other premise.
        side: TermId,
    },
}

impl OpeningRule {
    /// Whether nothing comes out that can't be composed of the premises.
    pub fn is_test(&self, store: &TermStore) -> bool {
        self.content == store.zero()
    }

    /// The first of the other premises that the principal does not tell.
    fn undetermined(&self, store: &TermStore) -> Option<TermId> {
        let inside = variables(store, &[self.principal]);
        let told = |side: &&TermId| {
            let needed = variables(store, &[**side]);
            needed.keys().all(|v| inside.contains_key(v))
        };
        self.sides.iter().find(|side| !told(side)).copied()
    }
}

/// What stands in the way of comparisons, if something does: they admit rules that give a part of an argument, or what everybody has, and whose opening
/// rules have a principal with all variables.
pub(super) fn unseen<'a>(
    store: &TermStore,
    rules: impl Iterator<Item = &'a Rule>,
    openings: impl Iterator<Item = &'a OpeningRule>,
) -> Option<Unseen> {
    let is_part = |rule: &Rule| {
        let within = |t: &TermId| *t != rule.result && occurs(store, rule.result, *t);
        rule.premises.iter().any(within) || composes(store, &[], rule.result)
    };
    let mut rules = rules.enumerate();
    if let Some((rule, _)) = rules.find(|(_, rule)| !is_part(rule)) {
        let part = UnseenPart::Result;
        return Some(Unseen { rule, part });
    }
    let mut openings = openings.map(|o| (o, o.undetermined(store)));
    openings.find_map(|(o, side)| {
        let (rule, principal) = (o.rule, o.principal);
        let part = UnseenPart::Side {
            principal,
            side: side?,
        };
        Some(Unseen { rule, part })
    })
}

/// The opening rules of a theory.
pub(super) fn opening_rules(
    store: &TermStore,
    rules: &[Rule],
) -> Result<Vec<OpeningRule>, Unopenable> {
    let mut found: Vec<OpeningRule> = Vec::new();
    let mut refused: Vec<Unopenable> = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let mut premises = rule.premises.clone();
        let mut content = rule.result;
        loop {
            premises = needed(store, premises, content);
            if composes(store, &premises, content) {
                // Nothing is learned from the content any more, but that the rule fits is seen.
                content = store.zero();
                premises = needed(store, premises, content);
                if is_seen_anyway(store, &premises) {
                    break;
                }
            }
            let at = match principal(store, &premises, content) {
                Ok(at) => at,
                Err(reason) => {
                    refused.push(Unopenable {
                        rule: number,
                        premises,
                        result: content,
                        reason,
                    });
                    break;
                }
            };
            let principal = premises.remove(at);
            let opening = OpeningRule {
                principal,
                sides: premises.clone(),
                content,
                rule: number,
                args: rule.premises.clone(),
                result: rule.result,
            };
            if !found.contains(&opening) {
                found.push(opening);
            }
            if !is_composable(store, principal) {
                break;
            }
            premises.extend(store.node(principal).args.iter().copied());
        }
    }
    // A rule that is refused may be one that the others make needless.
    let is_test = |r: &Unopenable| composes(store, &[], r.result);
    let open = |r: &Unopenable| is_test(r) || !follows(store, &found, &r.premises, r.result);
    match refused.into_iter().find(open) {
        Some(refused) => Err(refused),
        None => Ok(found),
    }
}

/// The premises without what needs no asking: tuples fall apart and are put together at will, public names and `0` are there, and
/// so is something for a variable that stands alone.
fn needed(store: &TermStore, premises: Vec<TermId>, result: TermId) -> Vec<TermId> {
    let mut flat: Vec<TermId> = Vec::new();
    let mut work = premises;
    work.reverse();
    while let Some(t) = work.pop() {
        match store.view(t) {
            View::Tuple(parts) => work.extend(parts.iter().rev()),
            View::Suc(inner) => work.push(inner),
            View::Zero => {}
            View::Name(n) if store.name_info(n).class.is_public() => {}
            _ if !flat.contains(&t) => flat.push(t),
            _ => {}
        }
    }
    let mut all = flat.clone();
    all.push(result);
    let times = variables(store, &all);
    flat.retain(|t| match store.view(*t) {
        View::Var(v) => times[&v] > 1,
        _ => true,
    });
    flat
}

/// Whether a term is another or a part of it.
fn occurs(store: &TermStore, part: TermId, whole: TermId) -> bool {
    let mut found = false;
    store.visit(whole, &mut |s| {
        found |= s == part;
        !found
    });
    found
}

/// How often each variable occurs.
fn variables(store: &TermStore, terms: &[TermId]) -> FxHashMap<u32, u32> {
    let mut times = FxHashMap::default();
    for t in terms {
        store.visit(*t, &mut |s| {
            if let View::Var(v) = store.view(s) {
                *times.entry(v).or_insert(0) += 1;
            }
            true
        });
    }
    times
}

fn is_variable(store: &TermStore, t: TermId) -> bool {
    matches!(store.view(t), View::Var(_))
}

fn is_key(store: &TermStore, t: TermId) -> bool {
    matches!(
        store.view(t),
        View::Pub(_) | View::Priv(_) | View::Family(..)
    )
}

/// Whether the attacker applies the operator of a term.
fn is_composable(store: &TermStore, t: TermId) -> bool {
    let op = store.node(t).op;
    match op.row().composed {
        Composed::UnlessPrivate => match op {
            Op::Function(f) => !store.function_info(f).private,
            _ => true,
        },
        Composed::FromArguments | Composed::PublicPart | Composed::EitherWay => true,
        Composed::Freely | Composed::IfPublic | Composed::IfSpy | Composed::Never => false,
    }
}

/// Whether the attacker sees without the rule whether there are terms of these forms: it has the variables, composes the forms and compares; or
/// they are the two parts of a key pair, of which each opens what the other closes.
fn is_seen_anyway(store: &TermStore, premises: &[TermId]) -> bool {
    let of_pair = |t: TermId| match store.view(t) {
        View::Pub(z) => is_variable(store, z) && premises.contains(&store.priv_part(z)),
        View::Priv(z) => is_variable(store, z) && premises.contains(&store.pub_part(z)),
        _ => false,
    };
    premises.iter().enumerate().all(|(i, t)| {
        let others: Vec<TermId> = premises
            .iter()
            .enumerate()
            .filter(|(j, _)| *j != i)
            .map(|(_, t)| *t)
            .collect();
        is_variable(store, *t) || of_pair(*t) || composes(store, &others, *t)
    })
}

/// Whether a term can be composed of others.
fn composes(store: &TermStore, of: &[TermId], term: TermId) -> bool {
    if of.contains(&term) {
        return true;
    }
    match store.view(term) {
        View::Zero => true,
        View::Name(n) => store.name_info(n).class.is_public(),
        View::Var(_) => false,
        _ => {
            is_composable(store, term)
                && store
                    .node(term)
                    .args
                    .iter()
                    .all(|a| composes(store, of, *a))
        }
    }
}

/// The premise to be opened.
fn principal(store: &TermStore, premises: &[TermId], result: TermId) -> Result<usize, Reason> {
    let all = variables(store, premises);
    let inside = variables(store, &[result]);
    let size = |t: TermId| store.facts(t).size;
    let mut best: Option<((bool, bool, u32), usize)> = None;
    let mut keys = false;
    for (i, t) in premises.iter().enumerate() {
        if is_variable(store, *t) || store.node(*t).args.is_empty() {
            continue;
        }
        let own = variables(store, &[*t]);
        let enough = |(v, n): (&u32, &u32)| own.get(v).is_some_and(|m| m >= n);
        let shrinks = size(*t) > size(result) && inside.iter().all(enough);
        if !shrinks && !store.is_ground(result) {
            continue;
        }
        if is_key(store, *t) {
            keys = true;
            continue;
        }
        let rank = (
            occurs(store, result, *t),
            all.keys().all(|v| own.contains_key(v)),
            size(*t),
        );
        if best.is_none_or(|(b, _)| rank > b) {
            best = Some((rank, i));
        }
    }
    let reason = if keys { Reason::Key } else { Reason::Grows };
    best.map(|(_, i)| i).ok_or(reason)
}

/// Whether the result follows from the premises by the opening rules and by composition, whatever the variables stand for.
fn follows(
    store: &TermStore,
    openings: &[OpeningRule],
    premises: &[TermId],
    result: TermId,
) -> bool {
    let mut known = premises.to_vec();
    loop {
        if composes(store, &known, result) {
            return true;
        }
        let found = known.iter().find_map(|t| {
            let contents = openings.iter().filter_map(|o| {
                let bound = fitting(store, o, *t)?;
                let has = |side: &TermId| composes(store, &known, bound.apply(store, *side));
                o.sides
                    .iter()
                    .all(has)
                    .then(|| bound.apply(store, o.content))
            });
            let mut news = contents.filter(|c| !composes(store, &known, *c));
            news.next()
        });
        match found {
            Some(content) => known.push(content),
            None => return false,
        }
    }
}

/// What the variables of an opening rule are if its principal is this term, whose variables stay as they are.
fn fitting(store: &TermStore, opening: &OpeningRule, term: TermId) -> Option<Subst> {
    // Both are over the same variables: those of the term are put out of reach.
    let frozen = store.map_atoms(term, &mut |atom| match store.view(atom) {
        View::Var(v) => Some(store.basis_index(v)),
        _ => None,
    });
    let rank = |t: TermId| matches!(store.view(t), View::Var(_)).then_some(0);
    let mut subst = Subst::new();
    if !unify(store, &[(opening.principal, frozen)], &rank, &mut subst) {
        return None;
    }
    let thaw = |t: TermId| {
        store.map_atoms(
            subst.resolve(store, t),
            &mut |atom| match store.view(atom) {
                View::Index(v) => Some(store.var(v)),
                _ => None,
            },
        )
    };
    Some(subst.iter().map(|(v, t)| (v, thaw(t))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Case {
        store: TermStore,
    }

    impl Case {
        fn new() -> Self {
            Self {
                store: TermStore::new(),
            }
        }

        fn var(&self, i: u32) -> TermId {
            self.store.var(RULE + i)
        }

        fn apply(&self, label: &str, args: &[TermId]) -> TermId {
            let id = self.store.function_id(label, args.len() as u32, false);
            self.store.function(id, args)
        }

        fn openings(&self, rules: &[(&[TermId], TermId)]) -> Result<Vec<String>, Reason> {
            let rules: Vec<Rule> = rules
                .iter()
                .map(|(premises, result)| Rule {
                    destructor: self.store.destructor_id("d"),
                    premises: premises.to_vec(),
                    result: *result,
                })
                .collect();
            let found = opening_rules(&self.store, &rules).map_err(|e| e.reason)?;
            let show = |t: TermId| self.store.show(t);
            let show = |o: &OpeningRule| {
                let sides: Vec<String> = o.sides.iter().map(|t| show(*t)).collect();
                let sides = sides.join(", ");
                format!("{}; {sides} => {}", show(o.principal), show(o.content))
            };
            Ok(found.iter().map(show).collect())
        }
    }

    #[test]
    fn what_was_sealed_by_oneself_is_not_opened() {
        let c = Case::new();
        let (x, y) = (c.var(0), c.var(1));
        let sealed = c.apply("seal", &[x, y]);
        let found = c.openings(&[(&[sealed, y], x)]).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn what_can_be_wrapped_is_opened_within() {
        let c = Case::new();
        let x = c.var(0);
        let inner = c.apply("h", &[x]);
        let found = c.openings(&[(&[c.apply("f", &[inner])], x)]).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn a_blind_signature_needs_a_way_to_the_message() {
        let c = Case::new();
        let (m, r, k) = (c.var(0), c.var(1), c.var(2));
        let blind = c.apply("blind", &[m, r]);
        let unblind: (&[TermId], TermId) =
            (&[c.apply("sig", &[blind, k]), r], c.apply("sig", &[m, k]));
        assert_eq!(c.openings(&[unblind]), Err(Reason::Grows));
        let found = c.openings(&[unblind, (&[blind, r], m)]).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn a_key_is_not_opened() {
        let c = Case::new();
        let z = c.var(0);
        let part = c.store.pub_part(z);
        assert_eq!(c.openings(&[(&[part], z)]), Err(Reason::Key));
        let signed = c.apply("sig", &[c.var(1), c.store.priv_part(z)]);
        let ok = c.store.public("ok");
        let found = c.openings(&[(&[signed, c.var(1), part], ok)]).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        // That a key is one is seen by this rule alone; that two parts belong together is seen anyway.
        assert_eq!(c.openings(&[(&[part], ok)]), Err(Reason::Key));
        let both = [part, c.store.priv_part(z)];
        assert_eq!(c.openings(&[(&both, ok)]), Ok(Vec::new()));
    }
}

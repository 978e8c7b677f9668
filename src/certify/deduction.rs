//! Deduction over ground terms: analysis by saturation, synthesis by recursion.
//!
//! Everything that was ever learned is kept as a list of facts, in the order of learning; each fact remembers how it
//! was obtained from earlier ones. Whenever a term is added, every fact is looked at again until nothing new comes out.

use super::derivation::{Derivation, Rule, Source, ingredients, lock};
use super::theory;
use crate::term::{TermId, TermStore, View};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What the attacker has learned, with everything that can be taken out of it.
#[derive(Clone, Debug)]
pub struct Deduction<'a> {
    store: &'a TermStore,
    facts: Vec<Arc<Derivation>>,
    known: FxHashMap<TermId, usize>,
    given: Vec<(Source, TermId)>,
}

impl<'a> Deduction<'a> {
    /// Knows only what is public.
    pub fn new(store: &'a TermStore) -> Self {
        Self {
            store,
            facts: Vec::new(),
            known: FxHashMap::default(),
            given: Vec::new(),
        }
    }

    /// Knows the given terms from the start.
    pub fn with_initial(store: &'a TermStore, initial: &[TermId]) -> Self {
        let mut deduction = Self::new(store);
        for (i, t) in initial.iter().enumerate() {
            deduction.learn(Source::Initial(i), *t);
        }
        deduction
    }

    /// The terms.
    pub(super) fn store(&self) -> &'a TermStore {
        self.store
    }

    /// All facts, in the order of learning.
    pub fn facts(&self) -> impl Iterator<Item = TermId> + '_ {
        self.facts.iter().map(|d| d.term)
    }

    /// Adds a term and takes apart whatever has become accessible; returns the terms not known before.
    pub fn learn(&mut self, source: Source, term: TermId) -> Vec<TermId> {
        self.given.push((source, term));
        let before = self.facts.len();
        self.keep(Derivation {
            term,
            rule: Rule::Given(source),
        });
        while let Some(found) = self.analyse() {
            self.keep(found);
        }
        self.facts().skip(before).collect()
    }

    /// Whether the attacker can make the term.
    pub fn derivable(&self, term: TermId) -> bool {
        self.reachable(term, &mut FxHashMap::default())
    }

    fn reachable(&self, term: TermId, done: &mut FxHashMap<TermId, bool>) -> bool {
        if self.known.contains_key(&term) {
            return true;
        }
        if let Some(answer) = done.get(&term) {
            return *answer;
        }
        let answer = ingredients(self.store, term)
            .iter()
            .any(|parts| parts.iter().all(|p| self.reachable(*p, done)));
        done.insert(term, answer);
        answer
    }

    /// How the attacker makes the term, if it can. What needs no learned fact is composed without any.
    pub fn derive(&self, term: TermId) -> Option<Arc<Derivation>> {
        Synthesis {
            deduction: self,
            done: FxHashMap::default(),
            free: FxHashMap::default(),
        }
        .derive(term)
    }

    /// The term that was given under this name.
    pub fn given(&self, source: Source) -> Option<TermId> {
        self.given
            .iter()
            .find(|(s, _)| *s == source)
            .map(|(_, t)| *t)
    }

    fn keep(&mut self, derivation: Derivation) {
        let next = self.facts.len();
        let term = derivation.term;
        if let std::collections::hash_map::Entry::Vacant(slot) = self.known.entry(term) {
            slot.insert(next);
            self.facts.push(Arc::new(derivation));
        }
    }

    /// One new term that can be taken out of a fact, or that a destructor gives.
    fn analyse(&self) -> Option<Derivation> {
        self.take_apart().or_else(|| {
            let (destructor, args, term) = theory::news(self)?;
            let args: Option<Vec<_>> = args.iter().map(|t| self.derive(*t)).collect();
            let args = args?;
            Some(Derivation {
                term,
                rule: Rule::Destructed { destructor, args },
            })
        })
    }

    fn take_apart(&self) -> Option<Derivation> {
        self.facts.iter().find_map(|fact| {
            let part = match self.store.view(fact.term) {
                View::Tuple(parts) => parts
                    .iter()
                    .enumerate()
                    .find(|(_, p)| !self.known.contains_key(*p))
                    .map(|(i, p)| (i, *p)),
                View::Suc(inner) => (!self.known.contains_key(&inner)).then_some((0, inner)),
                _ => None,
            };
            if let Some((index, term)) = part {
                return Some(Derivation {
                    term,
                    rule: Rule::Part {
                        of: fact.clone(),
                        index,
                    },
                });
            }
            let (key, content) = lock(self.store, fact.term)?;
            if self.known.contains_key(&content) {
                return None;
            }
            let key = self.derivable(key).then(|| self.derive(key))??;
            Some(Derivation {
                term: content,
                rule: Rule::Opened {
                    sealed: fact.clone(),
                    key,
                },
            })
        })
    }
}

/// One question, with its subquestions remembered: terms share subterms.
struct Synthesis<'d, 'a> {
    deduction: &'d Deduction<'a>,
    done: FxHashMap<TermId, Option<Arc<Derivation>>>,
    free: FxHashMap<TermId, bool>,
}

impl Synthesis<'_, '_> {
    fn derive(&mut self, term: TermId) -> Option<Arc<Derivation>> {
        if let Some(answer) = self.done.get(&term) {
            return answer.clone();
        }
        let known = self.deduction.known.get(&term);
        let answer = match known {
            Some(fact) if !self.is_free(term) => Some(self.deduction.facts[*fact].clone()),
            _ => self.compose(term),
        };
        self.done.insert(term, answer.clone());
        answer
    }

    fn compose(&mut self, term: TermId) -> Option<Arc<Derivation>> {
        ingredients(self.deduction.store, term)
            .iter()
            .find_map(|ingredients| {
                let parts: Option<Vec<_>> = ingredients.iter().map(|t| self.derive(*t)).collect();
                let parts = parts?;
                let rule = if parts.is_empty() {
                    Rule::Free
                } else {
                    Rule::Composed(parts)
                };
                Some(Arc::new(Derivation { term, rule }))
            })
    }

    /// Whether the term can be made from nothing.
    fn is_free(&mut self, term: TermId) -> bool {
        if let Some(answer) = self.free.get(&term) {
            return *answer;
        }
        let answer = ingredients(self.deduction.store, term)
            .iter()
            .any(|parts| parts.iter().all(|p| self.is_free(*p)));
        self.free.insert(term, answer);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{FamilyKind, NameClass};

    fn secret(s: &TermStore, label: &str) -> TermId {
        s.name(NameClass::Restricted, label, 1)
    }

    fn sound(d: &Deduction<'_>, t: TermId) -> bool {
        assert!(d.derivable(t), "the quick answer agrees with the proof");
        d.derive(t)
            .is_some_and(|proof| proof.term == t && proof.verify(d.store, &|s| d.given(s)))
    }

    #[test]
    fn a_ciphertext_opens_when_its_key_arrives_later() {
        let s = TermStore::new();
        let (m, k, l) = (secret(&s, "m"), secret(&s, "k"), secret(&s, "l"));
        let mut d = Deduction::new(&s);
        d.learn(Source::Sent(0), s.senc(m, s.pair(k, l)));
        d.learn(Source::Sent(1), k);
        assert!(!d.derivable(m));
        let gained = d.learn(Source::Sent(2), l);
        assert_eq!(gained, [l, m]);
        assert!(sound(&d, m));
        assert_eq!(
            d.derive(m).unwrap().sources(),
            [Source::Sent(0), Source::Sent(1), Source::Sent(2)]
        );
    }

    #[test]
    fn public_key_encryption_opens_with_the_private_part_only() {
        let s = TermStore::new();
        let (m, k) = (secret(&s, "m"), secret(&s, "k"));
        let mut d = Deduction::new(&s);
        d.learn(Source::Sent(0), s.aenc(m, s.pub_part(k)));
        d.learn(Source::Sent(1), s.pub_part(k));
        assert!(!d.derivable(m));
        d.learn(Source::Sent(2), s.priv_part(k));
        assert!(sound(&d, m));
        assert!(!d.derivable(k));
    }

    #[test]
    fn a_signature_shows_its_content_to_who_has_the_public_part() {
        let s = TermStore::new();
        let (m, k) = (secret(&s, "m"), secret(&s, "k"));
        let mut d = Deduction::new(&s);
        d.learn(Source::Sent(0), s.sign(m, s.priv_part(k)));
        assert!(!d.derivable(m));
        d.learn(Source::Sent(1), s.pub_part(k));
        assert!(sound(&d, m));
        assert!(!d.derivable(s.sign(s.zero(), s.priv_part(k))));
    }

    #[test]
    fn an_encryption_under_a_term_that_is_no_public_part_never_opens() {
        let s = TermStore::new();
        let (m, k) = (secret(&s, "m"), secret(&s, "k"));
        let mut d = Deduction::new(&s);
        d.learn(Source::Sent(0), s.aenc(m, k));
        d.learn(Source::Sent(1), s.sign(m, s.pub_part(k)));
        d.learn(Source::Sent(2), k);
        assert!(!d.derivable(m));
    }

    #[test]
    fn families_give_public_parts_to_all_and_members_to_their_spies() {
        let s = TermStore::new();
        let (a, c) = (s.public("A"), s.name(NameClass::Spy, "C", 0));
        let k = s.family_id(FamilyKind::KeyPair, "K", 1);
        let l = s.family_id(FamilyKind::Symmetric, "L", 2);
        let d = Deduction::new(&s);
        assert!(sound(&d, s.pub_part(s.family(k, &[a]))));
        assert!(!d.derivable(s.priv_part(s.family(k, &[a]))));
        assert!(!d.derivable(s.family(k, &[a])));
        assert!(sound(&d, s.priv_part(s.family(k, &[c]))));
        assert!(sound(&d, s.family(l, &[a, c])));
        assert!(!d.derivable(s.family(l, &[a, a])));
        assert!(!d.derivable(s.pub_part(s.family(l, &[a, a]))));
        let n = secret(&s, "n");
        assert!(
            !d.derivable(s.family(l, &[n, c])),
            "its arguments must be derivable"
        );
    }

    #[test]
    fn tuples_of_any_arity_and_integers_come_apart() {
        let s = TermStore::new();
        let [m, n, o] = ["m", "n", "o"].map(|l| secret(&s, l));
        let mut d = Deduction::new(&s);
        d.learn(Source::Sent(0), s.flat(&[m, s.suc(s.suc(n)), o]));
        for t in [m, n, o, s.suc(n), s.hash(s.pair(n, o))] {
            assert!(sound(&d, t), "{}", s.show(t));
        }
    }

    #[test]
    fn hashes_and_key_parts_hide_what_they_are_made_of() {
        let s = TermStore::new();
        let n = secret(&s, "n");
        let mut d = Deduction::new(&s);
        d.learn(Source::Sent(0), s.hash(n));
        d.learn(Source::Sent(1), s.priv_part(n));
        assert!(!d.derivable(n));
        assert!(!d.derivable(s.pub_part(n)));
    }

    #[test]
    fn what_needs_no_message_uses_none() {
        let s = TermStore::new();
        let (a, b) = (s.public("A"), s.public("B"));
        let mut d = Deduction::new(&s);
        d.learn(Source::Sent(0), s.pair(a, b));
        let proof = d.derive(s.pair(a, b)).unwrap();
        assert!(proof.is_free() && proof.sources().is_empty());
        assert_eq!(
            proof.operations(),
            [super::super::Operation::Build { term: s.pair(a, b) }]
        );
    }

    #[test]
    fn a_wrong_proof_is_not_verified() {
        let s = TermStore::new();
        let (m, k) = (secret(&s, "m"), secret(&s, "k"));
        let mut d = Deduction::new(&s);
        d.learn(Source::Sent(0), s.senc(m, k));
        d.learn(Source::Sent(1), k);
        let proof = d.derive(m).unwrap();
        assert!(!proof.verify(&s, &|_| None));
        let lie = Derivation {
            term: k,
            rule: proof.rule.clone(),
        };
        assert!(!lie.verify(&s, &|x| d.given(x)));
        let free = Derivation {
            term: k,
            rule: Rule::Free,
        };
        assert!(!free.verify(&s, &|x| d.given(x)));
    }

    #[test]
    fn shared_subterms_are_looked_at_once() {
        let s = TermStore::new();
        let mut t = secret(&s, "n");
        let mut d = Deduction::new(&s);
        d.learn(Source::Sent(0), t);
        for _ in 0..60 {
            t = s.hash(s.pair(t, t));
        }
        assert!(d.derivable(t));
    }
}

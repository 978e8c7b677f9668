//! Whether clauses follow from the certificate: the first ones, and all that resolution gives.
//!
//! What is done to a clause before it is looked for is in `mod.rs`, with the reasons.

use super::certificate::{Certificate, Kind};
use super::equate::Equations;
use super::error::{ProofError, Reason};
use super::import::{Apart, Reader, may_be_concluded, may_be_selected};
use super::subsume::{Clause, Matching};
use super::terms::{Term, Terms};
use super::times;
use crate::term::TermStore;

/// Clauses that are looked for before it is asked again whether to stop.
const PACE: u32 = 256;

/// The certificate's clauses, ready to be compared with.
pub(super) struct Closure<'a> {
    pub terms: Terms<'a>,
    pub equations: Equations,
    pub matching: Matching,
    received: bool,
    /// Those of the certificate, then the cuts that were checked.
    clauses: Vec<Clause>,
    selected: Vec<Option<usize>>,
    /// Topics of the conclusions, in order, and whose they are; those about a variable by themselves.
    by_topic: Vec<(u32, u32)>,
    general: Vec<u32>,
    conditions: Vec<Term>,
    parts: Vec<Term>,
    stop: &'a dyn Fn() -> bool,
    /// Clauses looked for since that was asked.
    looked: u32,
    stopped: bool,
}

impl<'a> Closure<'a> {
    /// Reads the clauses; each must be right by itself.
    pub fn new(
        store: &'a TermStore,
        certificate: &Certificate,
        reader: &mut Reader<'_>,
        stop: &'a dyn Fn() -> bool,
    ) -> Result<Self, ProofError> {
        let mut terms = Terms::new(store);
        let count = certificate.clauses.len();
        let mut clauses = Vec::with_capacity(count);
        let mut by_topic = Vec::with_capacity(count);
        let mut general = Vec::new();
        for (i, written) in certificate.clauses.iter().enumerate() {
            // A clause that is put in and one that it is put into have no variable in common.
            let apart = match written.selected {
                Some(_) => Apart::One,
                None => Apart::Other,
            };
            let clause = reader.clause(&mut terms, i, apart)?;
            match written.selected {
                Some(at) => {
                    let condition = clause.conditions.get(at);
                    let condition = condition.ok_or(ProofError::NoClause { clause: i })?;
                    if !may_be_selected(&terms, *condition) {
                        return Err(ProofError::Selection { clause: i });
                    }
                }
                None if !may_be_concluded(&terms, clause.conclusion)
                    || !times::lasts(&terms, &clause) =>
                {
                    return Err(ProofError::Conclusion { clause: i });
                }
                None => {}
            }
            match terms.topic(clause.conclusion) {
                Some(topic) => by_topic.push((topic, i as u32)),
                None => general.push(i as u32),
            }
            clauses.push(clause);
        }
        by_topic.sort_unstable();
        Ok(Self {
            terms,
            equations: Equations::default(),
            matching: Matching::default(),
            received: certificate.received,
            clauses,
            selected: certificate.clauses.iter().map(|c| c.selected).collect(),
            by_topic,
            general,
            conditions: Vec::new(),
            parts: Vec::new(),
            stop,
            looked: 0,
            stopped: false,
        })
    }

    /// Whether a clause follows from one without selected condition, or from a cut that was checked, alone.
    pub fn at_once(&mut self, conditions: &[Term], conclusion: Term) -> bool {
        let heads = conditions.iter();
        let heads = heads.fold(0, |all, t| all | self.terms.heads(*t));
        let (terms, matching) = (&self.terms, &mut self.matching);
        let unselected = |i: usize| self.selected.get(i).is_none_or(Option::is_none);
        let mut clauses = self.clauses.iter().enumerate();
        clauses.any(|(i, c)| {
            unselected(i) && matching.subsumes(terms, c, conditions, heads, conclusion)
        })
    }

    /// Takes in a clause that follows from the others.
    pub fn follows_too(&mut self, clause: Clause) {
        let number = self.clauses.len() as u32;
        match self.terms.topic(clause.conclusion) {
            Some(topic) => {
                let at = self.by_topic.partition_point(|(t, _)| *t <= topic);
                self.by_topic.insert(at, (topic, number));
            }
            None => self.general.push(number),
        }
        self.clauses.push(clause);
    }

    /// Whether the check was stopped: then no answer means anything.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether equations were given up: then no answer means anything.
    pub fn gave_up(&self) -> bool {
        self.equations.gave_up()
    }

    /// Whether once a comparison was given up: then it means nothing that something does not follow.
    pub fn compared_in_part(&self) -> bool {
        self.matching.gave_up()
    }

    /// The clauses without selected condition that conclude facts of this kind.
    pub fn concluding(&self, kind: Kind) -> impl Iterator<Item = (usize, &Clause)> {
        let all = self.clauses.iter().zip(&self.selected).enumerate();
        all.filter(move |(_, (c, selected))| {
            selected.is_none() && self.terms.kind(c.conclusion) == Some(kind)
        })
        .map(|(i, (c, _))| (i, c))
    }

    /// Looks for a first clause; its terms are taken with the equations that hold at the time.
    pub fn first(
        &mut self,
        reason: Reason,
        conditions: &[Term],
        conclusion: Term,
    ) -> Result<(), ProofError> {
        let mut own = std::mem::take(&mut self.conditions);
        own.clear();
        for fact in conditions {
            self.add(*fact, &mut own);
        }
        let follows = self.follows(&mut own, conclusion);
        self.conditions = own;
        if follows {
            Ok(())
        } else {
            Err(ProofError::Missing(reason))
        }
    }

    /// Looks for all that resolution gives: each clause without selected condition put in for that of each other clause.
    pub fn resolve(&mut self) -> Result<(), ProofError> {
        let topics: Vec<Option<u32>> = self
            .clauses
            .iter()
            .map(|c| self.terms.topic(c.conclusion))
            .collect();
        let rules: Vec<usize> = (0..self.selected.len())
            .filter(|i| self.selected[*i].is_none())
            .collect();
        for into in 0..self.selected.len() {
            let Some(at) = self.selected[into] else {
                continue;
            };
            let wanted = self.clauses[into].conditions[at];
            let topic = self.terms.topic(wanted);
            for rule in &rules {
                if topics[*rule] == topic && !self.resolvent(*rule, into, at, wanted) {
                    let rule = *rule;
                    return Err(ProofError::Unresolved { rule, into });
                }
            }
        }
        Ok(())
    }

    fn resolvent(&mut self, rule: usize, into: usize, at: usize, wanted: Term) -> bool {
        let given = self.clauses[rule].conclusion;
        let mark = self.equations.mark();
        let mut follows = true;
        if self.equations.equate(&self.terms, wanted, given) {
            let mut own = std::mem::take(&mut self.conditions);
            own.clear();
            for i in 0..self.clauses[into].conditions.len() {
                if i != at {
                    self.add(self.clauses[into].conditions[i], &mut own);
                }
            }
            for i in 0..self.clauses[rule].conditions.len() {
                self.add(self.clauses[rule].conditions[i], &mut own);
            }
            follows = self.follows(&mut own, self.clauses[into].conclusion);
            self.conditions = own;
        }
        self.equations.back_to(mark);
        follows
    }

    /// Adds a condition with the equations that hold; what the attacker has falls apart.
    fn add(&mut self, fact: Term, to: &mut Vec<Term>) {
        let fact = self.equations.solved(&mut self.terms, fact);
        match self.terms.had(fact) {
            Some(t) if self.terms.falls_apart(t) => self.take_apart(fact, t, to),
            _ => to.push(fact),
        }
    }

    fn take_apart(&mut self, whole: Term, t: Term, to: &mut Vec<Term>) {
        if !self.terms.falls_apart(t) {
            let fact = self.terms.also(whole, t);
            to.push(fact);
            return;
        }
        for i in 0..self.terms.args(t).len() {
            self.take_apart(whole, self.terms.arg(t, i), to);
        }
    }

    /// Whether a clause follows from the certificate. Its conditions have the equations put in, its conclusion has not.
    fn follows(&mut self, conditions: &mut Vec<Term>, conclusion: Term) -> bool {
        self.looked += 1;
        if self.looked == PACE {
            self.looked = 0;
            self.stopped |= (self.stop)();
        }
        if self.stopped {
            return false;
        }
        let mark = self.equations.mark();
        if self.received && !self.received_once(conditions) {
            self.equations.back_to(mark);
            return true;
        }
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        self.add(conclusion, &mut parts);
        self.equations.back_to(mark);
        let heads = conditions
            .iter()
            .fold(0, |all, t| all | self.terms.heads(*t));
        let follow = parts.iter().all(|part| {
            self.terms.had(*part).is_some_and(|t| self.terms.is_free(t))
                || conditions
                    .iter()
                    .any(|c| times::says(&self.terms, *c, *part))
                || self.subsumed(conditions, heads, *part)
        });
        self.parts = parts;
        follow
    }

    /// Makes equal what is received at one place; `false` if that can't be.
    fn received_once(&mut self, conditions: &mut Vec<Term>) -> bool {
        loop {
            let mut changed = false;
            for i in 0..conditions.len() {
                if self.terms.kind(conditions[i]) != Some(Kind::Received) {
                    continue;
                }
                for j in 0..i {
                    let (a, b) = (conditions[i], conditions[j]);
                    if self.terms.head(a) != self.terms.head(b)
                        || self.terms.arg(a, 0) != self.terms.arg(b, 0)
                        || self.terms.arg(a, 1) == self.terms.arg(b, 1)
                    {
                        continue;
                    }
                    changed = true;
                    let (a, b) = (self.terms.arg(a, 1), self.terms.arg(b, 1));
                    if !self.equations.equate(&self.terms, a, b) {
                        return false;
                    }
                }
            }
            if !changed || self.equations.gave_up() {
                return true;
            }
            let before = std::mem::take(conditions);
            for fact in before {
                self.add(fact, conditions);
            }
        }
    }

    fn subsumed(&mut self, conditions: &[Term], heads: u64, conclusion: Term) -> bool {
        let (terms, matching) = (&self.terms, &mut self.matching);
        let clauses = &self.clauses;
        let mut covers = |i: u32| {
            let clause = &clauses[i as usize];
            matching.subsumes(terms, clause, conditions, heads, conclusion)
        };
        if let Some(topic) = terms.topic(conclusion) {
            let from = self.by_topic.partition_point(|(t, _)| *t < topic);
            let same = self.by_topic[from..].iter();
            if same
                .take_while(|(t, _)| *t == topic)
                .any(|(_, i)| covers(*i))
            {
                return true;
            }
        }
        self.general.iter().any(|i| covers(*i))
    }
}

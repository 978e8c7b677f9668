//! Clauses: if these facts are true, so is that one.
//!
//! A clause is kept in a simple form that derives the same facts: what the attacker surely has is left out of the conditions,
//! tuples and successors are taken apart (the attacker has one exactly if it has the parts), a condition stands there once. A
//! run receives once at each of its inputs: where two messages are said to be received there, they are made equal.

use super::initial_knowledge::Known;
use super::terms::{Args, Renaming, Term, Terms, Unifier, Values};
use super::times::is_no_later;
use crate::term::{Op, Opened};

/// What a fact says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// The attacker has the term; with phases, at the time that is the second argument ([`super::times`]).
    Attacker,
    /// The second term was sent on the channel that is the first; with phases, in the phase that is the third.
    Message,
    /// An event that has to be preceded (or from which on something is secret) has happened: its arguments, and the run.
    After,
    /// An event that has to precede has happened.
    Before,
    /// The run has received, at the step that is told with it, the second term.
    Received,
    /// The second term may stand in the place where the terms of the context with the first one's number were cut.
    Part,
    /// What is to be shown impossible, or looked at, has happened.
    Goal,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Fact {
    pub kind: Kind,
    pub args: Args,
}

impl Fact {
    pub(super) fn attacker(t: Term) -> Self {
        Self {
            kind: Kind::Attacker,
            args: Args::from_elem(t, 1),
        }
    }

    /// The same at a time; without phases there are no times.
    #[must_use]
    pub(super) fn at(mut self, time: Option<Term>) -> Self {
        self.args.extend(time);
        self
    }

    /// Whether this is as much as another one: the same, or that the attacker had it before.
    fn says(&self, other: &Fact, terms: &Terms) -> bool {
        let before = || match (&self.args[..], &other.args[..]) {
            ([t, then], [u, now]) => t == u && is_no_later(terms, *then, *now),
            _ => false,
        };
        self == other || (self.kind, other.kind) == (Kind::Attacker, Kind::Attacker) && before()
    }

    /// The same of another term, at the same time.
    fn of(&self, t: Term) -> Self {
        let mut fact = self.clone();
        fact.args[0] = t;
        fact
    }

    fn size(&self, terms: &Terms) -> u32 {
        self.args
            .iter()
            .fold(0, |n, t| n.saturating_add(terms.size(*t)))
    }

    /// Whether the condition can be left as it is. The attacker has something for a variable; that an event has happened
    /// before is what is to be found out.
    fn is_left(&self, terms: &Terms) -> bool {
        match self.kind {
            Kind::Attacker => terms.as_var(self.args[0]).is_some(),
            Kind::Part => terms.as_var(self.args[1]).is_some(),
            Kind::Before | Kind::Received => true,
            Kind::Message | Kind::After | Kind::Goal => false,
        }
    }

    pub(super) fn resolve(
        &self,
        terms: &mut Terms,
        unifier: &Unifier,
        base: u32,
        renaming: &mut Renaming,
    ) -> Fact {
        let args = self.args.iter();
        Fact {
            kind: self.kind,
            args: args
                .map(|t| unifier.resolve(terms, *t, base, renaming))
                .collect(),
        }
    }

    fn matches(&self, other: &Fact, terms: &Terms, values: &mut Values) -> bool {
        self.kind == other.kind
            && self.args.len() == other.args.len()
            && self
                .args
                .iter()
                .zip(&other.args)
                .all(|(p, t)| terms.matches(*p, *t, values))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub conditions: Vec<Fact>,
    pub conclusion: Fact,
    /// Its variables have the numbers below this.
    pub variables: u32,
    /// The condition that is resolved; none if all can be left as they are.
    pub selected: Option<usize>,
    /// Operators, names and variables in all its terms.
    pub size: u32,
    /// A bit for each operator and name, several to a bit: an instance has them too.
    symbols: u64,
}

impl Clause {
    /// Brings a clause into its simple form; several if the conclusion is a tuple, none if it says nothing.
    pub(super) fn simple(
        terms: &mut Terms,
        known: &Known,
        conditions: Vec<Fact>,
        conclusion: Fact,
    ) -> Vec<Clause> {
        let equal = if known.options.once {
            received_once(terms, conditions, conclusion)
        } else {
            Some((conditions, conclusion))
        };
        let Some((conditions, conclusion)) = equal else {
            return Vec::new();
        };
        let mut kept: Vec<Fact> = Vec::with_capacity(conditions.len());
        let mut parts: Vec<Term> = Vec::new();
        for condition in conditions {
            if condition.kind != Kind::Attacker {
                if !kept.contains(&condition) {
                    kept.push(condition);
                }
                continue;
            }
            parts.clear();
            take_apart(terms, condition.args[0], &mut parts);
            for t in &parts {
                let fact = condition.of(*t);
                if !known.has(terms, *t) && !kept.contains(&fact) {
                    kept.push(fact);
                }
            }
        }
        if conclusion.kind != Kind::Attacker {
            return finish(terms, known, kept, &conclusion)
                .into_iter()
                .collect();
        }
        parts.clear();
        take_apart(terms, conclusion.args[0], &mut parts);
        parts.retain(|t| !goes_without_saying(terms, known, *t));
        parts
            .into_iter()
            .filter_map(|t| finish(terms, known, kept.clone(), &conclusion.of(t)))
            .collect()
    }

    /// Whether everything that the other clause derives this one derives as well: no condition is used twice for that, so
    /// that derivations do not grow.
    pub(super) fn subsumes(&self, other: &Clause, terms: &Terms, values: &mut Values) -> bool {
        if self.symbols & !other.symbols != 0
            || self.conditions.len() > other.conditions.len()
            || self.size > other.size
        {
            return false;
        }
        if self.conclusion == other.conclusion && self.conditions == other.conditions {
            return true;
        }
        values.back_to(0);
        if !self.conclusion.matches(&other.conclusion, terms, values) {
            return false;
        }
        let (mut taken, mut tries) = (vec![false; other.conditions.len()], values.tries());
        self.places(0, other, terms, values, &mut taken, &mut tries)
    }

    fn places(
        &self,
        from: usize,
        other: &Clause,
        terms: &Terms,
        values: &mut Values,
        taken: &mut [bool],
        tries: &mut u32,
    ) -> bool {
        let Some(condition) = self.conditions.get(from) else {
            return true;
        };
        for i in 0..other.conditions.len() {
            if taken[i] {
                continue;
            }
            if *tries == 0 {
                return false;
            }
            *tries -= 1;
            let mark = values.mark();
            if condition.matches(&other.conditions[i], terms, values) {
                taken[i] = true;
                if self.places(from + 1, other, terms, values, taken, tries) {
                    return true;
                }
                taken[i] = false;
            }
            values.back_to(mark);
        }
        false
    }

    /// Operators above the deepest name or variable.
    pub(super) fn depth(&self, terms: &Terms) -> u32 {
        let facts = self.conditions.iter().chain([&self.conclusion]);
        let depths = facts.flat_map(|f| &f.args).map(|t| terms.depth(*t));
        depths.max().unwrap_or(0)
    }

    /// The size of the largest term.
    pub(super) fn largest(&self, terms: &Terms) -> u32 {
        let facts = self.conditions.iter().chain([&self.conclusion]);
        facts
            .flat_map(|f| &f.args)
            .map(|t| terms.size(*t))
            .max()
            .unwrap_or(0)
    }
}

/// Whether no clause has to say that the attacker has the term: a condition is never a name or 0, since those are left out, nor an
/// instance of one. What is composed of them may be an instance of a condition with variables, so it is said.
fn goes_without_saying(terms: &Terms, known: &Known<'_>, t: Term) -> bool {
    matches!(terms.op(t), Op::Zero | Op::Name(_)) && known.has(terms, t)
}

/// Makes equal what is received at one step of one run; `None` if that can't be.
fn received_once(
    terms: &mut Terms,
    mut conditions: Vec<Fact>,
    mut conclusion: Fact,
) -> Option<(Vec<Fact>, Fact)> {
    loop {
        let mut unifier = Unifier::default();
        let mut changed = false;
        let received: Vec<&Fact> = conditions
            .iter()
            .filter(|f| f.kind == Kind::Received)
            .collect();
        for (i, a) in received.iter().enumerate() {
            for b in &received[..i] {
                if a.args[0] == b.args[0] && a.args[1] != b.args[1] {
                    changed = true;
                    if !unifier.unify(terms, (a.args[1], 0), (b.args[1], 0)) {
                        return None;
                    }
                }
            }
        }
        if !changed {
            return Some((conditions, conclusion));
        }
        let mut renaming = Renaming::default();
        for fact in conditions.iter_mut().chain([&mut conclusion]) {
            *fact = fact.resolve(terms, &unifier, 0, &mut renaming);
        }
    }
}

/// Leaves out what is received by runs that nothing else in the clause is about.
fn drop_strangers(terms: &Terms, conditions: &mut Vec<Fact>, conclusion: &Fact) {
    if !conditions.iter().any(|f| f.kind == Kind::Received) {
        return;
    }
    let mut seen: Vec<bool> = Vec::new();
    let look = |fact: &Fact, seen: &mut Vec<bool>| {
        for t in &fact.args {
            terms.variables(*t, &mut |v| {
                let i = v as usize;
                if i >= seen.len() {
                    seen.resize(i + 1, false);
                }
                seen[i] = true;
            });
        }
    };
    look(conclusion, &mut seen);
    for fact in conditions.iter().filter(|f| f.kind != Kind::Received) {
        look(fact, &mut seen);
    }
    let mut kept: Vec<bool> = conditions
        .iter()
        .map(|f| f.kind != Kind::Received)
        .collect();
    loop {
        let mut changed = false;
        for (i, fact) in conditions.iter().enumerate() {
            // Only what is received tells a place first; an event may tell nothing at all.
            if kept[i] {
                continue;
            }
            let mut about = terms.is_ground(fact.args[0]);
            terms.variables(fact.args[0], &mut |v| {
                about |= seen.get(v as usize).copied().unwrap_or(false);
            });
            if about {
                kept[i] = true;
                changed = true;
                look(fact, &mut seen);
            }
        }
        if !changed {
            break;
        }
    }
    let mut kept = kept.into_iter();
    conditions.retain(|_| kept.next().unwrap_or(true));
}

/// The parts of nested tuples and successors.
fn take_apart(terms: &Terms, t: Term, parts: &mut Vec<Term>) {
    if terms.op(t).row().opened != Opened::Freely {
        parts.push(t);
        return;
    }
    for a in terms.args(t) {
        take_apart(terms, *a, parts);
    }
}

/// What tells more of a variable that the attacker gets, so that it does not get terms of any form.
fn part_of_anything(terms: &Terms, conditions: &[Fact], conclusion: &Fact) -> Option<usize> {
    let anything = conclusion.kind == Kind::Attacker && terms.as_var(conclusion.args[0]).is_some();
    let tells = |f: &Fact| f.kind == Kind::Part && f.args[1] == conclusion.args[0];
    conditions.iter().position(|f| anything && tells(f))
}

/// Leaves out conditions on variables that occur nowhere else, numbers the variables, and selects. `None` if the
/// conclusion is among the conditions.
fn finish(
    terms: &mut Terms,
    known: &Known,
    mut conditions: Vec<Fact>,
    conclusion: &Fact,
) -> Option<Clause> {
    if conditions.iter().any(|f| f.says(conclusion, terms)) {
        return None;
    }
    if known.options.strangers {
        drop_strangers(terms, &mut conditions, conclusion);
    }
    let mut count: Vec<u32> = Vec::new();
    for fact in conditions.iter().chain([conclusion]) {
        for t in &fact.args {
            terms.variables(*t, &mut |v| {
                let i = v as usize;
                if i >= count.len() {
                    count.resize(i + 1, 0);
                }
                count[i] += 1;
            });
        }
    }
    conditions.retain(|f| {
        let alone = |t: &Term| terms.as_var(*t).is_some_and(|v| count[v as usize] == 1);
        match f.kind {
            Kind::Attacker => !alone(&f.args[0]),
            Kind::Part => !alone(&f.args[1]),
            Kind::Message | Kind::After | Kind::Before | Kind::Received | Kind::Goal => true,
        }
    });
    let (nothing, mut renaming) = (Unifier::default(), Renaming::default());
    let conclusion = conclusion.resolve(terms, &nothing, 0, &mut renaming);
    let conditions: Vec<Fact> = conditions
        .iter()
        .map(|f| f.resolve(terms, &nothing, 0, &mut renaming))
        .collect();
    let selected = conditions
        .iter()
        .enumerate()
        .filter(|(_, f)| !f.is_left(terms))
        // The first of the largest.
        .max_by_key(|(i, f)| (f.size(terms), std::cmp::Reverse(*i)))
        .map(|(i, _)| i)
        .or_else(|| part_of_anything(terms, &conditions, &conclusion));
    let size = conditions
        .iter()
        .chain([&conclusion])
        .fold(0u32, |n, f| n.saturating_add(f.size(terms)));
    let mut symbols = 0;
    for fact in conditions.iter().chain([&conclusion]) {
        for t in &fact.args {
            symbols |= terms.symbols(*t).rotate_left(11 * fact.kind as u32);
        }
    }
    Some(Clause {
        conditions,
        conclusion,
        variables: renaming.count(),
        selected,
        size,
        symbols,
    })
}

//! What is to be shown of the clauses, for each kind of claim.
//!
//! A secret gets the clause "the attacker has it, so the goal is reached"; that must not be derivable. For an agreement the
//! goal is the later event, and every clause that derives it must have the earlier one among its conditions. That the
//! earlier events are different ones follows if their arguments tell the run of the later.

use super::clause::{Clause, Fact, Kind};
use super::orders;
use super::terms::{Args, Renaming, Term, Terms, Unifier};
use super::translate::Translation;
use crate::engine::search::Goal;
use crate::term::TermId;

/// The patterns of an agreement, over common variables.
pub(super) struct Agreement {
    after: Vec<Term>,
    before: Vec<Term>,
    injective: bool,
    /// What is received at an input of a run is received once.
    once: bool,
}

/// What the ways to derive the goal must have.
pub(super) enum Wanted {
    /// There must be none.
    Nothing,
    /// The earlier event.
    Earlier(Agreement),
}

impl Wanted {
    /// Whether a way to derive the goal is as it must be.
    pub(super) fn allows(&self, terms: &Terms, clause: &Clause) -> bool {
        match self {
            Wanted::Nothing => false,
            Wanted::Earlier(agreement) => agreement.is_preceded(terms, clause),
        }
    }

    /// The conditions of a clause without earlier events that are unlikely to be the one asked for; none if all stay. A clause with fewer
    /// conditions derives more. A clause about the later event keeps those that may become it, any other those that are about what it concludes.
    pub(super) fn relevant(&self, terms: &Terms, clause: &Clause) -> Option<Vec<Fact>> {
        let Wanted::Earlier(agreement) = self else {
            return None;
        };
        let conclusion = &clause.conclusion;
        let later = matches!(conclusion.kind, Kind::After | Kind::Goal);
        let mut values = Vec::new();
        if later && !fit(terms, &agreement.after, &conclusion.args, &mut values) {
            return None;
        }
        let variables = |f: &Fact| {
            let mut found = Vec::new();
            let args = f.args.iter();
            args.for_each(|t| terms.variables(*t, &mut |v| found.push(v)));
            found
        };
        let told = variables(conclusion);
        let is_told = |f: &Fact| later || variables(f).iter().all(|v| told.contains(v));
        let stays = |f: &&Fact| {
            f.kind != Kind::Before || agreement.may_become(terms, f, &values) && is_told(f)
        };
        let kept: Vec<Fact> = clause.conditions.iter().filter(stays).cloned().collect();
        (kept.len() < clause.conditions.len()).then_some(kept)
    }

    /// Whether all ways together are as they must be, each of which is.
    pub(super) fn allows_all(&self, terms: &mut Terms, kept: &[Clause]) -> bool {
        match self {
            Wanted::Earlier(agreement) if agreement.injective => {
                agreement.is_injective(terms, kept)
            }
            Wanted::Nothing | Wanted::Earlier(_) => true,
        }
    }
}

/// Adds the clauses of the goal; `None` if such a goal is not shown here.
pub(super) fn add(translation: &mut Translation<'_>, goal: &Goal) -> Option<Wanted> {
    let keys = translation.budgets().proof_keys;
    match goal {
        Goal::Leak(secrets) => {
            for secret in secrets {
                for orders in orders::all(translation.store, &[secret.term], keys)? {
                    let mut variables = Vec::new();
                    let t = translation.claimed(secret.term, &orders, &mut variables)?;
                    let end = translation.times.finally(&mut translation.terms);
                    reached(translation, vec![Fact::attacker(t).at(end)], Args::new());
                }
            }
            Some(Wanted::Nothing)
        }
        Goal::Send { channel, messages } => {
            for message in messages {
                for orders in orders::all(translation.store, &[*channel, message.term], keys)? {
                    let mut variables = Vec::new();
                    let c = translation.claimed(*channel, &orders, &mut variables)?;
                    let t = translation.claimed(message.term, &orders, &mut variables)?;
                    let end = translation.times.finally(&mut translation.terms);
                    let conditions = vec![Fact::attacker(c).at(end), Fact::attacker(t).at(end)];
                    reached(translation, conditions, Args::new());
                }
            }
            Some(Wanted::Nothing)
        }
        // A proof that nothing leaks, excused or not, is one of what is claimed.
        Goal::LeakAfter { term, event, .. } => {
            let mut variables = Vec::new();
            let args = patterns(translation, &event.args, &mut variables)?;
            let t = translation.claimed(*term, &Vec::new(), &mut variables)?;
            let happened = after(translation, args, &variables);
            let end = translation.times.finally(&mut translation.terms);
            let conditions = vec![happened, Fact::attacker(t).at(end)];
            reached(translation, conditions, Args::new());
            Some(Wanted::Nothing)
        }
        Goal::Disagreement {
            after: later,
            before: earlier,
            injective,
            ..
        } => {
            let mut variables = Vec::new();
            let args = patterns(translation, &later.args, &mut variables)?;
            let happened = after(translation, args.clone(), &variables);
            let told = happened.args.clone();
            reached(translation, vec![happened], told);
            let before = patterns(translation, &earlier.args, &mut variables)?;
            Some(Wanted::Earlier(Agreement {
                after: args,
                before,
                injective: *injective,
                once: translation.known().options.once,
            }))
        }
        Goal::Event(_) | Goal::Finish(_) => None,
    }
}

fn patterns(
    translation: &mut Translation<'_>,
    args: &[TermId],
    variables: &mut Vec<u32>,
) -> Option<Vec<Term>> {
    args.iter()
        .map(|t| translation.claimed(*t, &Vec::new(), variables))
        .collect()
}

/// The later event with these arguments, in any run.
fn after(translation: &mut Translation<'_>, args: Vec<Term>, variables: &[u32]) -> Fact {
    let run = translation.terms.var(variables.len() as u32);
    Fact {
        kind: Kind::After,
        args: args.into_iter().chain([run]).collect(),
    }
}

fn reached(translation: &mut Translation<'_>, conditions: Vec<Fact>, args: Args) {
    let conclusion = Fact {
        kind: Kind::Goal,
        args,
    };
    let known = translation.known();
    let simple = Clause::simple(&mut translation.terms, &known, conditions, conclusion);
    translation.clauses.extend(simple);
}

/// Whether the arguments of an event are of these forms: with these values of the variables, or others for those that have none. Events happen in normal form
/// ([`super::orders`]), so what is equal up to the order of exponents is the same event.
fn fit(terms: &Terms, forms: &[Term], args: &[Term], values: &mut Vec<(u32, Term)>) -> bool {
    let mut pairs = forms.iter().zip(args);
    pairs.all(|(form, t)| match terms.as_var(*form) {
        Some(v) => {
            if let Some((_, value)) = values.iter().find(|(w, _)| *w == v) {
                return orders::same(terms, *value, *t);
            }
            values.push((v, *t));
            true
        }
        None if terms.is_ground(*form) => orders::same(terms, *form, *t),
        None => {
            terms.op(*form) == terms.op(*t)
                && terms.args(*form).len() == terms.args(*t).len()
                && fit(terms, terms.args(*form), terms.args(*t), values)
        }
    })
}

/// Whether a term may become an instance of a form; a "no" is certain.
fn may_fit(terms: &Terms, form: Term, t: Term, values: &[(u32, Term)]) -> bool {
    if let Some(v) = terms.as_var(form) {
        let value = values.iter().find(|(w, _)| *w == v);
        return value.is_none_or(|(_, value)| orders::may_be_same(terms, *value, t));
    }
    if terms.as_var(t).is_some() {
        return true;
    }
    let (args, others) = (terms.args(form), terms.args(t));
    terms.op(form) == terms.op(t)
        && args.len() == others.len()
        && (args.iter().zip(others)).all(|(a, b)| may_fit(terms, *a, *b, values))
}

impl Agreement {
    /// The conditions of a derived later event that are the earlier event it asks for.
    fn candidates<'c>(&self, terms: &Terms, clause: &'c Clause) -> Vec<&'c Fact> {
        let mut values = Vec::new();
        if !fit(terms, &self.after, &clause.conclusion.args, &mut values) {
            return Vec::new();
        }
        let earlier = clause.conditions.iter();
        earlier
            .filter(|f| f.kind == Kind::Before && f.args.len() == self.before.len())
            .filter(|f| fit(terms, &self.before, &f.args, &mut values.clone()))
            .collect()
    }

    /// Whether an earlier event may become the one asked for, the variables of the patterns having these values.
    fn may_become(&self, terms: &Terms, earlier: &Fact, values: &[(u32, Term)]) -> bool {
        earlier.args.len() == self.before.len()
            && (self.before.iter().zip(&earlier.args))
                .all(|(form, t)| may_fit(terms, *form, *t, values))
    }

    fn is_preceded(&self, terms: &Terms, clause: &Clause) -> bool {
        !self.candidates(terms, clause).is_empty()
    }

    /// Whether different later events have different earlier ones: each clause has an earlier event such that equal ones
    /// belong to the same step of the same run.
    fn is_injective(&self, terms: &mut Terms, kept: &[Clause]) -> bool {
        let derived = |c: &&Clause| c.conclusion.kind == Kind::Goal && c.selected.is_none();
        let mut chosen: Vec<(&Clause, &Fact)> = Vec::new();
        for clause in kept.iter().filter(derived) {
            let candidates = self.candidates(terms, clause);
            let own = candidates
                .into_iter()
                .find(|f| tells_run(terms, self.once, (clause, f), (clause, f)));
            match own {
                Some(f) => chosen.push((clause, f)),
                None => return false,
            }
        }
        (0..chosen.len()).all(|i| (0..i).all(|j| tells_run(terms, self.once, chosen[i], chosen[j])))
    }
}

/// Whether the later events are one if the earlier ones have the same arguments.
fn tells_run(terms: &mut Terms, once: bool, a: (&Clause, &Fact), b: (&Clause, &Fact)) -> bool {
    let base = a.0.variables;
    let mut unifier = Unifier::default();
    let mut pairs = a.1.args.iter().zip(&b.1.args);
    if !pairs.all(|(s, t)| unifier.unify(terms, (*s, 0), (*t, base))) {
        return true;
    }
    // Both have happened in one run of the system, so what is received is received once.
    let received = |clause: &'_ Clause, base: u32| -> Vec<(Term, Term, u32)> {
        let facts = clause.conditions.iter();
        facts
            .filter(|f| once && f.kind == Kind::Received)
            .map(|f| (f.args[0], f.args[1], base))
            .collect()
    };
    let mut all = received(a.0, 0);
    all.extend(received(b.0, base));
    let same = |terms: &mut Terms, unifier: &Unifier, s: (Term, u32), t: (Term, u32)| {
        let mut renaming = Renaming::default();
        unifier.resolve(terms, s.0, s.1, &mut renaming)
            == unifier.resolve(terms, t.0, t.1, &mut renaming)
    };
    loop {
        let mut changed = false;
        for (i, x) in all.iter().enumerate() {
            for y in &all[..i] {
                let here = same(terms, &unifier, (x.0, x.2), (y.0, y.2));
                if here && !same(terms, &unifier, (x.1, x.2), (y.1, y.2)) {
                    changed = true;
                    if !unifier.unify(terms, (x.1, x.2), (y.1, y.2)) {
                        return true;
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    let run = |c: &Clause| c.conclusion.args.last().copied();
    let (Some(s), Some(t)) = (run(a.0), run(b.0)) else {
        return false;
    };
    same(terms, &unifier, (s, 0), (t, base))
}

//! Declared destructors, as they were declared [Sem 1.6]: the trusted core's own reading.
//!
//! A destructor takes messages and gives the result of the first of its rules that has them for arguments. Nothing is known here of opening rules, of
//! principals or of unfolding: where the attacker looks for something to apply a rule to, it tries all that it has, and whatever it can put
//! together of it.

use super::deduction::Deduction;
use crate::term::{DestructorId, Rule, TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// What the variables of a rule stand for.
type Values = FxHashMap<TermId, TermId>;

/// What a destructor gives for these messages; `None` if it fails.
pub(super) fn applied(store: &TermStore, d: DestructorId, args: &[TermId]) -> Option<TermId> {
    store.rules_of(d).find_map(|rule| result(store, rule, args))
}

/// What `M^N` gives for M and N [Sem 1.8]: the power of a share, of the base of a group, and of a neutral element.
pub(super) fn power(store: &TermStore, args: &[TermId]) -> Option<TermId> {
    let [m, n] = args else { return None };
    if let View::Share(..) = store.view(*m) {
        return Some(store.joint(*m, *n));
    }
    store.groups().find_map(|(base, neutral)| {
        if base == *m {
            Some(store.share(base, *n))
        } else {
            neutral.filter(|one| one == m)
        }
    })
}

/// What a rule gives for these messages.
fn result(store: &TermStore, rule: &Rule, args: &[TermId]) -> Option<TermId> {
    let mut values = Values::default();
    let mut pairs = rule.premises.iter().zip(args);
    let fits = rule.premises.len() == args.len()
        && pairs.all(|(form, arg)| is_instance(store, *form, *arg, &mut values));
    fits.then(|| filled(store, rule.result, &values))
}

/// Whether a message has a form, with these values of its variables.
fn is_instance(store: &TermStore, form: TermId, message: TermId, values: &mut Values) -> bool {
    if let View::Var(_) = store.view(form) {
        return *values.entry(form).or_insert(message) == message;
    }
    let (f, m) = (store.node(form), store.node(message));
    f.op == m.op
        && f.args.len() == m.args.len()
        && f.args
            .iter()
            .zip(&m.args)
            .all(|(form, message)| is_instance(store, *form, *message, values))
}

fn filled(store: &TermStore, form: TermId, values: &Values) -> TermId {
    store.map_atoms(form, &mut |atom| values.get(&atom).copied())
}

/// A destructor that gives a message not known before, the arguments, and the message.
pub(super) fn news(deduction: &Deduction<'_>) -> Option<(DestructorId, Vec<TermId>, TermId)> {
    let store = deduction.store();
    store.rules().find_map(|rule| {
        let mut found = None;
        let forms: Vec<TermId> = rule.premises.clone();
        satisfied(deduction, forms, &[], &Values::default(), &mut |values| {
            let term = filled(store, rule.result, values);
            // A variable that nothing was said about may be anything that the attacker has, and so may the result.
            if !store.is_ground(term) || deduction.derivable(term) {
                return false;
            }
            let argument = |form: &TermId| with_zero(store, filled(store, *form, values));
            let args: Vec<TermId> = rule.premises.iter().map(argument).collect();
            // Rules that overlap give the same.
            if applied(store, rule.destructor, &args) != Some(term) {
                return false;
            }
            found = Some((rule.destructor, args, term));
            true
        });
        found
    })
}

/// Goes through the values for which messages of all these forms can be had, until `stop` says so; whether it did. A form is had as a
/// message that was learned, or is composed of what is had for its parts; the part of a key pair perhaps without the whole, which is looked at `later`, when
/// the others have said which pair it is.
fn satisfied(
    deduction: &Deduction<'_>,
    mut forms: Vec<TermId>,
    later: &[TermId],
    values: &Values,
    stop: &mut impl FnMut(&Values) -> bool,
) -> bool {
    let store = deduction.store();
    // What has no variable left is had or not.
    let bound = |f: &TermId| store.is_ground(filled(store, *f, values));
    while let Some(at) = forms.iter().position(bound) {
        if !deduction.derivable(filled(store, forms.remove(at), values)) {
            return false;
        }
    }
    let compound = |f: &TermId| !matches!(store.view(*f), View::Var(_));
    let Some(at) = forms.iter().position(compound) else {
        // For a variable of which nothing is said the attacker has something.
        let had = |f: &TermId| deduction.derivable(with_zero(store, filled(store, *f, values)));
        return later.iter().all(had) && stop(values);
    };
    let form = forms.remove(at);
    let known: Vec<TermId> = deduction.facts().collect();
    for message in known {
        let mut with = values.clone();
        if is_instance(store, form, message, &mut with)
            && satisfied(deduction, forms.clone(), later, &with, stop)
        {
            return true;
        }
    }
    for parts in super::derivation::ingredients(store, form) {
        let mut all = forms.clone();
        all.extend(parts);
        if satisfied(deduction, all, later, values, stop) {
            return true;
        }
    }
    matches!(store.view(form), View::Pub(_) | View::Priv(_))
        && satisfied(deduction, forms, &[later, &[form]].concat(), values, stop)
}

/// The form with 0 for its variables.
fn with_zero(store: &TermStore, form: TermId) -> TermId {
    let zero = store.zero();
    store.map_atoms(form, &mut |atom| {
        matches!(store.view(atom), View::Var(_)).then_some(zero)
    })
}

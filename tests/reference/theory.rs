//! Declared destructors for the reference procedures: every rule tried on all that a tester has and can put together.

use super::statics::{Entry, recipe};
use spi::certify::Recipe;
use spi::term::{DestructorId, Rule, TermId, TermStore, View};
use std::collections::HashMap;
use std::sync::Arc;

type Values = HashMap<TermId, TermId>;

/// What a destructor gives.
pub fn applied(store: &TermStore, d: DestructorId, args: &[TermId]) -> Option<TermId> {
    store.rules_of(d).find_map(|rule| {
        let mut values = Values::new();
        let mut pairs = rule.premises.iter().zip(args);
        pairs
            .all(|(form, t)| fits(store, *form, *t, &mut values))
            .then(|| fill(store, rule.result, &values))
    })
}

/// Whether a term has a form.
fn fits(store: &TermStore, form: TermId, t: TermId, values: &mut Values) -> bool {
    if let View::Var(_) = store.view(form) {
        return *values.entry(form).or_insert(t) == t;
    }
    let (f, node) = (store.node(form), store.node(t));
    f.op == node.op
        && f.args.len() == node.args.len()
        && (f.args.iter().zip(&node.args)).all(|(f, t)| fits(store, *f, *t, values))
}

fn fill(store: &TermStore, form: TermId, values: &Values) -> TermId {
    store.map_atoms(form, &mut |a| values.get(&a).copied())
}

/// All successful applications of destructors to what a tester has: recipe and result.
pub fn applications(store: &TermStore, entries: &[Entry]) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    for rule in store.rules() {
        let mut all = Vec::new();
        ways(
            store,
            entries,
            rule.premises.clone(),
            &[],
            &Values::new(),
            &mut all,
        );
        for values in all {
            if let Some(entry) = application(store, entries, rule, &values)
                && !found.contains(&entry)
            {
                found.push(entry);
            }
        }
    }
    found
}

fn application(
    store: &TermStore,
    entries: &[Entry],
    rule: &Rule,
    values: &Values,
) -> Option<Entry> {
    let zero = store.zero();
    let ground = |form: TermId| {
        store.map_atoms(fill(store, form, values), &mut |a| {
            matches!(store.view(a), View::Var(_)).then_some(zero)
        })
    };
    let args: Option<Vec<Arc<Recipe>>> = rule
        .premises
        .iter()
        .map(|p| recipe(store, entries, ground(*p)))
        .collect();
    let result = ground(rule.result);
    Some((Arc::new(Recipe::Destruct(rule.destructor, args?)), result))
}

/// The values for which all forms are there or can be put together. A part of a key pair may be had without the whole; whether it is, is
/// looked at in the end.
fn ways(
    store: &TermStore,
    entries: &[Entry],
    mut forms: Vec<TermId>,
    parts: &[TermId],
    values: &Values,
    found: &mut Vec<Values>,
) {
    let compound = |f: &TermId| !matches!(store.view(*f), View::Var(_));
    let Some(at) = forms.iter().position(compound) else {
        let has = |f: &TermId| {
            let t = store.map_atoms(fill(store, *f, values), &mut |a| {
                matches!(store.view(a), View::Var(_)).then_some(store.zero())
            });
            recipe(store, entries, t).is_some()
        };
        if forms.iter().chain(parts).all(has) && !found.contains(values) {
            found.push(values.clone());
        }
        return;
    };
    let form = forms.remove(at);
    let mut tried: Vec<TermId> = Vec::new();
    for (_, t) in entries {
        if tried.contains(t) {
            continue;
        }
        tried.push(*t);
        let mut with = values.clone();
        if fits(store, form, *t, &mut with) {
            ways(store, entries, forms.clone(), parts, &with, found);
        }
    }
    // A family's members and private functions are not put together.
    let node = store.node(form);
    let private = match node.view() {
        View::Function(f, _) => store.function_info(f).private,
        View::Family(..) => true,
        View::Name(n) => !store.name_info(n).class.is_public(),
        _ => false,
    };
    if matches!(node.view(), View::Pub(_) | View::Priv(_)) {
        let parts = [parts, &[form]].concat();
        ways(store, entries, forms.clone(), &parts, values, found);
    }
    if !private {
        let mut all = forms;
        all.extend(node.args.iter().copied());
        ways(store, entries, all, parts, values, found);
    }
}

//! Short, stable names for the atoms of one story.
//!
//! Inside, a restricted name is `Na'3`: its label and the number of its copy. A story needs only the copies that occur
//! in it: the first is called `Na`, the next `Na2`. Names of the attacker's own making are called after the spy
//! (`Nc`, `Nc2`; `Kc` if one is used as a key). A name never gets a spelling that another atom of the story has.

use crate::process::{Program, System};
use crate::term::{NameClass, Naming, TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};

/// How the atoms of a story are spelt.
#[derive(Clone, Debug, Default)]
pub struct Spelling {
    names: FxHashMap<TermId, String>,
}

impl Naming for Spelling {
    fn spell(&self, atom: TermId) -> Option<String> {
        self.names.get(&atom).cloned()
    }
}

impl Spelling {
    /// Spells the atoms of the given terms, in the order of their first occurrence.
    pub fn new(store: &TermStore, program: &Program, spy: &str, terms: &[TermId]) -> Self {
        let taken = declared(store, program).collect();
        let keys = own_keys(store, terms);
        let own = |t: TermId| {
            let letter = if keys.contains(&t) { 'K' } else { 'N' };
            format!("{letter}{}", spy.to_lowercase())
        };
        Self::spelt(store, taken, terms, &own)
    }

    /// The same for a test of two systems: names of the environment's own are `e`, `e2`, ..
    pub fn of_environment(store: &TermStore, programs: &[&Program], terms: &[TermId]) -> Self {
        let all = programs.iter().flat_map(|p| declared(store, p));
        Self::spelt(store, all.collect(), terms, &|_| "e".to_owned())
    }

    fn spelt(
        store: &TermStore,
        mut taken: FxHashSet<String>,
        terms: &[TermId],
        own: &dyn Fn(TermId) -> String,
    ) -> Self {
        let mut spelling = Spelling::default();
        // Where the search for a number begins: what was taken stays so.
        let mut next: FxHashMap<String, usize> = FxHashMap::default();
        for term in terms {
            store.visit(*term, &mut |t| {
                let View::Name(n) = store.view(t) else {
                    return true;
                };
                if spelling.names.contains_key(&t) {
                    return true;
                }
                let info = store.name_info(n);
                let stem = match info.class {
                    NameClass::Restricted => info.label.to_string(),
                    NameClass::Attacker => own(t),
                    _ => return true,
                };
                let name = fresh(&stem, &taken, &mut next);
                taken.insert(name.clone());
                spelling.names.insert(t, name);
                true
            });
        }
        spelling
    }

    /// Also calls the variables of a system by their names in the source, for terms that still have some.
    #[must_use]
    pub fn with_variables(mut self, store: &TermStore, system: &System) -> Self {
        for (v, info) in (0..).zip(&system.vars) {
            self.names.insert(store.var(v), info.label.to_string());
        }
        self
    }

    /// The term in the story's names.
    pub fn show(&self, store: &TermStore, term: TermId) -> String {
        store.show_with(term, self)
    }

    /// The term as a message on a line of its own: without the parentheses of an outermost tuple.
    pub fn message(&self, store: &TermStore, term: TermId) -> String {
        let text = self.show(store, term);
        match store.view(term) {
            View::Tuple(_) => text[1..text.len() - 1].to_owned(),
            _ => text,
        }
    }
}

/// The spellings that declared names keep.
fn declared<'a>(store: &'a TermStore, program: &'a Program) -> impl Iterator<Item = String> + 'a {
    let s = &program.signature;
    s.agents
        .iter()
        .chain(&s.spies)
        .chain(&s.channels)
        .chain(&s.publics)
        .chain(&s.privates)
        .map(|t| store.show(*t))
}

/// Names of the attacker's own that encrypt something.
fn own_keys(store: &TermStore, terms: &[TermId]) -> FxHashSet<TermId> {
    let mut keys = FxHashSet::default();
    for term in terms {
        store.visit(*term, &mut |t| {
            if let View::Senc(_, k) = store.view(t)
                && let View::Name(n) = store.view(k)
                && store.name_info(n).class == NameClass::Attacker
            {
                keys.insert(k);
            }
            true
        });
    }
    keys
}

/// The stem, or the stem with the first number that makes it new.
fn fresh(stem: &str, taken: &FxHashSet<String>, next: &mut FxHashMap<String, usize>) -> String {
    if !taken.contains(stem) {
        return stem.to_owned();
    }
    // `N1` with a 2 behind it would read as twelve.
    let gap = if stem.ends_with(|c: char| c.is_ascii_digit()) {
        "_"
    } else {
        ""
    };
    // Of so many candidates one is not taken.
    let next = next.entry(stem.to_owned()).or_insert(2);
    let (number, name) = (*next..taken.len() + 3)
        .map(|i| (i, format!("{stem}{gap}{i}")))
        .find(|(_, s)| !taken.contains(s))
        .expect("more candidates than names that are taken");
    *next = number + 1;
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_numbered_in_order_of_appearance() {
        let s = TermStore::new();
        let program = Program::default();
        let na = |copy| s.name(NameClass::Restricted, "Na", copy);
        let own = |copy| s.name(NameClass::Attacker, "n", copy);
        let message = s.senc(s.nested(&[na(7), own(1), na(3)]), own(2));
        let spelling = Spelling::new(&s, &program, "C", &[message]);
        assert_eq!(spelling.show(&s, message), "{Na, Nc, Na2}Kc");
    }

    #[test]
    fn a_declared_name_keeps_its_spelling() {
        let s = TermStore::new();
        let mut program = Program::default();
        program.signature.publics.push(s.public("n1"));
        let hidden = s.name(NameClass::Restricted, "n1", 1);
        let pair = s.pair(s.public("n1"), hidden);
        let spelling = Spelling::new(&s, &program, "C", &[pair]);
        assert_eq!(spelling.message(&s, pair), "n1, n1_2");
    }
}

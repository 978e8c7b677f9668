//! What a written term is, as far as the names in it have values.
//!
//! Destructors are applied: rules are tried in order, the first that fits gives the result. A term with a name that has no value yet, or with a
//! destructor that fails, has none.

use crate::lang::syntax::ast::{Cipher, Name, Part, Term, TermKind};
use crate::process::Program;
use crate::term::{
    DestructorId, FamilyId, FunctionId, POWER, Subst, TermId, TermStore, View, unify,
};
use rustc_hash::FxHashMap;

/// Names of a role with their values, in the order in which they became known. A name keeps its first value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    all: Vec<(Name, TermId)>,
    at: FxHashMap<Name, usize>,
}

impl Known {
    /// Adds a name, unless it has a value.
    pub(super) fn learn(&mut self, name: &Name, value: TermId) {
        let next = self.all.len();
        if *self.at.entry(name.clone()).or_insert(next) == next {
            self.all.push((name.clone(), value));
        }
    }

    /// The value of a name.
    fn get(&self, name: &Name) -> Option<TermId> {
        self.at.get(name).map(|i| self.all[*i].1)
    }

    /// All names, the first known first.
    pub(super) fn all(&self) -> &[(Name, TermId)] {
        &self.all
    }
}

/// The declared names of a file, tuples keeping their length.
pub(super) struct Declared<'a> {
    store: &'a TermStore,
    plain: FxHashMap<&'a str, TermId>,
    families: FxHashMap<&'a str, FamilyId>,
    functions: FxHashMap<&'a str, FunctionId>,
    destructors: FxHashMap<&'a str, DestructorId>,
}

impl<'a> Declared<'a> {
    /// The names that a program declares.
    pub(super) fn new(store: &'a TermStore, program: &'a Program) -> Self {
        let signature = &program.signature;
        let lists = [
            &signature.agents,
            &signature.spies,
            &signature.channels,
            &signature.publics,
            &signature.privates,
        ];
        let label = |t: &TermId| match store.view(*t) {
            View::Name(n) => Some((&*store.name_info(n).label, *t)),
            _ => None,
        };
        Self {
            store,
            plain: lists.into_iter().flatten().filter_map(label).collect(),
            families: (signature.families.iter())
                .map(|f| (&*store.family_info(*f).label, *f))
                .collect(),
            functions: (signature.functions.iter())
                .map(|f| (&*store.function_info(f.id).label, f.id))
                .collect(),
            destructors: (signature.destructors.iter())
                .map(|d| (&*d.label, store.destructor_id(&d.label)))
                .collect(),
        }
    }

    /// The value of a term, where names that are bound have these.
    pub(super) fn value(&self, term: &Term, env: &Known) -> Option<TermId> {
        let store = self.store;
        let all = |terms: &[Term]| -> Option<Vec<TermId>> {
            terms.iter().map(|t| self.value(t, env)).collect()
        };
        Some(match &term.kind {
            TermKind::Name(name) => match env.get(name) {
                Some(value) => value,
                None => match self.families.get(&**name) {
                    Some(family) => store.family(*family, &[]),
                    None => *self.plain.get(&**name)?,
                },
            },
            TermKind::Apply(head, args) => {
                let args = all(args)?;
                if let Some(family) = self.families.get(&*head.name) {
                    store.family(*family, &args)
                } else if let Some(function) = self.functions.get(&*head.name) {
                    store.function(*function, &args)
                } else {
                    self.apply(*self.destructors.get(&*head.name)?, &args)?
                }
            }
            TermKind::Int(n) => (0..*n).fold(store.zero(), |t, _| store.suc(t)),
            TermKind::Suc(inner) => store.suc(self.value(inner, env)?),
            TermKind::Tuple(parts) => store.flat(&all(parts)?),
            TermKind::Hash(parts) => store.hash(store.flat(&all(parts)?)),
            TermKind::Encrypt(cipher, parts, key) => {
                let (body, key) = (store.flat(&all(parts)?), self.value(key, env)?);
                match (cipher, store.view(key)) {
                    (Cipher::Public, _) | (Cipher::Braces, View::Pub(_)) => store.aenc(body, key),
                    (Cipher::Signature, _) | (Cipher::Braces, View::Priv(_)) => {
                        store.sign(body, key)
                    }
                    (Cipher::Braces, _) => store.senc(body, key),
                }
            }
            TermKind::Part(inner, Part::Public) => store.pub_part(self.value(inner, env)?),
            TermKind::Part(inner, Part::Private) => store.priv_part(self.value(inner, env)?),
            TermKind::Power(of, exponent) => {
                let args = [self.value(of, env)?, self.value(exponent, env)?];
                self.apply(store.destructor_id(POWER), &args)?
            }
            TermKind::Error => return None,
        })
    }

    fn apply(&self, destructor: DestructorId, args: &[TermId]) -> Option<TermId> {
        let store = self.store;
        store.rules_of(destructor).find_map(|rule| {
            let pairs: Vec<(TermId, TermId)> = args
                .iter()
                .copied()
                .zip(rule.premises.iter().copied())
                .collect();
            let mut found = Subst::default();
            let rank = |t: TermId| matches!(store.view(t), View::Var(_)).then_some(0);
            unify(store, &pairs, &rank, &mut found).then(|| found.resolve(store, rule.result))
        })
    }
}

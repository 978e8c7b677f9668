//! Types of terms, for typed analysis [Sem 4.5].
//!
//! A name fits its declared type; an undeclared one fits every type but `Agent` and its sorts, whose members are declared. Key parts fit `Pub` and `Priv`, members of
//! symmetric families and joint keys `Sym`, shares `Share`, numbers `Int`, what a function makes its declared type; every term fits `Msg`, and no other compound term fits anything else.

use crate::process::{Program, System, Type};
use crate::term::{FamilyKind, FunctionId, TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// The types of names and variables of a system.
#[derive(Clone, Debug, Default)]
pub struct Typing {
    names: FxHashMap<TermId, Type>,
    vars: Vec<Type>,
    agents: Vec<TermId>,
    /// The agents of each sort.
    sorts: Vec<Vec<TermId>>,
    untyped: Vec<TermId>,
    /// What functions make.
    results: Vec<(FunctionId, Type)>,
}

impl Typing {
    /// The types declared in a program, for one unfolded system.
    pub fn new(program: &Program, system: &System) -> Self {
        let mut names: FxHashMap<_, _> = program.signature.types.iter().copied().collect();
        let agents: Vec<TermId> = program.signature.everybody().collect();
        let sorts = program.signature.sorts.iter();
        names.extend(agents.iter().map(|a| (*a, Type::Agent)));
        names.extend(
            system
                .names
                .iter()
                .map(|n| (n.term, program.sites[n.site.index()].ty)),
        );
        let signature = &program.signature;
        let declared = signature.publics.iter().chain(&signature.privates);
        let restricted = system.names.iter().map(|n| &n.term);
        let is_untyped = |n: &TermId| names.get(n).is_none_or(|ty| *ty == Type::Msg);
        let untyped = declared.chain(restricted).copied().filter(is_untyped);
        Self {
            untyped: untyped.collect(),
            names,
            vars: system.vars.iter().map(|v| v.ty).collect(),
            agents,
            sorts: sorts.map(|s| s.members.clone()).collect(),
            results: signature
                .functions
                .iter()
                .map(|f| (f.id, f.result))
                .collect(),
        }
    }

    /// The declared type of a name; `Msg` if none.
    pub fn name(&self, name: TermId) -> Type {
        self.names.get(&name).copied().unwrap_or(Type::Msg)
    }

    /// The declared type of a variable.
    pub fn var(&self, v: u32) -> Type {
        self.vars.get(v as usize).copied().unwrap_or(Type::Msg)
    }

    /// All members of a type, if there are finitely many: `Agent` and its sorts. No generic has such a type, since its members are tried
    /// one by one.
    pub fn members(&self, ty: Type) -> Option<&[TermId]> {
        match ty {
            Type::Agent => Some(&self.agents),
            Type::Sort(sort) => self.sorts.get(sort.index()).map(Vec::as_slice),
            _ => None,
        }
    }

    /// The names without a declared type: what terms of two different types have in common.
    pub fn untyped(&self) -> &[TermId] {
        &self.untyped
    }

    /// The more specific of two types, if they have terms in common.
    pub fn meet(a: Type, b: Type) -> Option<Type> {
        match (a, b) {
            (Type::Msg, t) | (t, Type::Msg) => Some(t),
            (s, t) => (s == t).then_some(s),
        }
    }

    /// Whether a term that is no variable or generic fits a type.
    pub fn fits(&self, store: &TermStore, t: TermId, ty: Type) -> bool {
        if ty == Type::Msg {
            return true;
        }
        match store.view(t) {
            View::Name(_) => match self.names.get(&t).copied().unwrap_or(Type::Msg) {
                Type::Msg => !ty.is_agent(),
                Type::Agent if ty != Type::Agent => {
                    self.members(ty).is_some_and(|m| m.contains(&t))
                }
                declared => declared == ty,
            },
            View::Pub(_) => ty == Type::Pub,
            View::Priv(_) => ty == Type::Priv,
            View::Family(f, _) => {
                ty == Type::Sym && store.family_info(f).kind == FamilyKind::Symmetric
            }
            View::Zero | View::Suc(_) => ty == Type::Int,
            View::Function(f, _) => self.results.contains(&(f, ty)),
            View::Share(..) => ty == Type::Share,
            View::Joint(..) => ty == Type::Sym,
            _ => false,
        }
    }
}

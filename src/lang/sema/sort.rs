//! Sorts of agents. A sort is introduced by the agents that are declared with it; an agent without a sort is of every sort.
//!
//! Sorts are types: they stand wherever a type stands, and have no other use. So their names are apart from all other names.

use super::{Checker, Referent};
use crate::base::source::{Code, Diagnostic};
use crate::lang::syntax::ast::{DeclKind, File, Ident, TypeRef};
use crate::process::{SortDecl, SortId, Type};
use crate::term::TermId;

impl Checker<'_> {
    /// The sorts of a file, before anything else: order does not matter. `sick` are the declarations with syntax errors.
    pub(super) fn declare_sorts(&mut self, file: &File, sick: &[bool]) {
        for (decl, sick) in file.decls.iter().zip(sick) {
            let groups = match &decl.kind {
                DeclKind::Agents(groups) | DeclKind::Spies(groups) => groups,
                DeclKind::Error => {
                    self.tables.sort_hole = true;
                    continue;
                }
                _ => continue,
            };
            self.tables.sort_hole |= *sick;
            for written in groups.iter().flat_map(|g| &g.sorts) {
                self.declare_sort(written, *sick);
            }
        }
    }

    fn declare_sort(&mut self, written: &TypeRef, sick: bool) {
        let word = &written.name;
        match super::pattern::type_named(&word.name) {
            // Every agent is one.
            Some(Type::Agent) => {}
            Some(_) if sick => {}
            Some(_) => self.sink.push(
                Diagnostic::new(
                    Code::TypeContradiction,
                    format!("an agent cannot be of type `{word}`"),
                )
                .at(word.span, "a sort of agents is expected here")
                .help("choose a name of your own for the sort, such as `User` or `Server`"),
            ),
            None => {
                if let Some(sort) = self.sort_named(word) {
                    self.mention(word.span, Referent::Sort(sort.0));
                    return;
                }
                let sorts = &mut self.program.signature.sorts;
                sorts.push(SortDecl {
                    label: word.name.clone(),
                    members: Vec::new(),
                    span: word.span,
                });
                let number = sorts.len() as u32 - 1;
                self.mention_binding(word.span, Referent::Sort(number));
            }
        }
    }

    /// The sort of this name.
    pub(super) fn sort_named(&self, word: &Ident) -> Option<SortId> {
        let mut sorts = (0u32..).zip(&self.program.signature.sorts);
        let found = sorts.find(|(_, s)| s.label == word.name);
        found.map(|(i, _)| SortId(i))
    }

    /// Enters a declared agent into its sorts: all of them if none is written.
    pub(super) fn enter_sorts(&mut self, agent: TermId, written: &[TypeRef]) {
        let named: Vec<SortId> = written
            .iter()
            .filter_map(|s| self.sort_named(&s.name))
            .collect();
        let open = written.iter().all(TypeRef::is_agent) && named.is_empty();
        for (i, sort) in (0u32..).zip(&mut self.program.signature.sorts) {
            if (open || named.contains(&SortId(i))) && !sort.members.contains(&agent) {
                sort.members.push(agent);
            }
        }
    }

    /// An agent called like a sort: `E: User, Server` declares two agents.
    pub(super) fn check_agent_name(&mut self, name: &Ident) {
        let Some(sort) = self.sort_named(name) else {
            return;
        };
        let place = self.program.signature.sorts[sort.index()].span;
        let d = Diagnostic::new(
            Code::DuplicateDefinition,
            format!("`{name}` is a sort of agents and an agent"),
        )
        .at(name.span, "declared as an agent")
        .and(place, "this is a sort of the same name")
        .help(format!(
            "choose another name for one of them; an agent of several sorts is written `A: User | {name}`"
        ));
        self.sink.push(d);
    }

    /// Puts the honest agents of each sort first.
    pub(super) fn order_sorts(&mut self) {
        let store = self.store;
        for sort in &mut self.program.signature.sorts {
            sort.members.sort_by_key(|a| store.is_spy(*a));
        }
    }

    /// Sorts that nothing asks for: every agent may still play every role.
    pub(super) fn check_sorts(&mut self) {
        let sorts = &self.program.signature.sorts;
        if self.tables.sorts_used || sorts.is_empty() {
            return;
        }
        let first = &sorts[0];
        let d = Diagnostic::new(
            Code::UnusedName,
            format!("nothing asks for agents of sort `{}`", first.label),
        )
        .at(first.span, "so this sort changes nothing")
        .help(format!(
            "say it of a parameter: `def P(a: {})`, or leave the sort out",
            first.label
        ));
        self.sink.push(d);
    }

    /// A sort that a type names.
    pub(super) fn use_sort(&mut self, word: &Ident) -> Option<Type> {
        let sort = self.sort_named(word)?;
        self.tables.sorts_used = true;
        self.mention(word.span, Referent::Sort(sort.0));
        Some(Type::Sort(sort))
    }
}

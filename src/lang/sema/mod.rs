//! From a tree to its meaning: names, arities, types and claims checked, and everything lowered to a
//! [`Program`] over the shared term store.
//!
//! [`check`] returns a value *and* diagnostics. A name is looked up in its scope, then among the
//! declarations; the name alone decides whether `n(x)` is an input or an instantiation. Patterns
//! become one unification problem each ([Sem 2.2]), `new` and binders become variables numbered
//! apart over the whole program, declared names become names of the store, so that two files checked
//! against one store agree on their public names.
//!
//! Invariants: one mistake, one report (an unknown name is reported once, and what depends on a part
//! that could not be read is not reported at all); no input makes a term or a thread so large that
//! code which recurses over it could overflow the stack.
//!
//! Left to others: reading text (`syntax`), unfolding and running (`process`, `lts`), whether a claim
//! is true (`analysis`).

mod apply;
mod attack;
mod call;
mod channel;
mod claim;
mod clash;
mod declare;
mod entry;
mod excuse;
mod globals;
mod key;
mod known;
mod lost;
mod mention;
mod openings;
mod pattern;
mod phase;
mod power;
mod process;
mod reach;
mod received_key;
mod rule;
mod scope;
mod secret;
mod sort;

mod spell;
mod system;
mod term;
mod unknown;

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

use crate::base::source::{Code, Diagnostic, Diagnostics, FileId, Span};
use crate::lang::syntax::ast::{self, Ident, Name};
use crate::process::{
    EventId, EventInfo, Expectation, Program, SystemId, TupleMode, Type, VarInfo,
};
use crate::term::{TermId, TermStore, View};

pub use attack::{AttackFile, check_attack};
pub use entry::{Lowered, Resolved, check_file, check_text, load, resolve, system_from_process};
pub use mention::{Meaning, Mention, Nature, Referent};
pub use phase::phases_not_covered;
use reach::{Facts, Reach};
pub use rule::not_compared;
use scope::Origin;

/// Largest integer that is written out as successors.
pub const MAX_INTEGER: u32 = 1000;
/// Largest number of components of a tuple.
pub const MAX_WIDTH: usize = 1000;
/// Largest number of nodes of a message.
pub const MAX_TERM: u32 = 4000;
/// Largest number of steps one after the other in a process.
pub const MAX_DEPTH: u32 = 2000;
/// Largest number of ways through the rules of destructors to one place of a process.
pub const MAX_ALTERNATIVES: usize = 4_096;
/// Largest number of copies in `!n P`.
pub const MAX_COPIES: u32 = 100;

/// What checking keeps beside the program, so that further claims can be checked later.
#[derive(Debug, Default)]
struct Tables {
    globals: globals::Globals,
    /// How each variable came about, and whether it occurs after that.
    origins: Vec<Origin>,
    used: Vec<bool>,
    /// Whether a sort of agents may have got lost with a declaration that could not be read.
    sort_hole: bool,
    /// Whether some type names a sort.
    sorts_used: bool,
    /// The rules of each destructor, as they are written.
    rules: Vec<Vec<String>>,
    /// Declared types of names.
    types: FxHashMap<TermId, Type>,
    /// Events by name, and the types of their arguments as far as all occurrences agree.
    events: FxHashMap<Name, EventId>,
    event_types: Vec<Vec<Type>>,
    /// Events that occur in a declaration with a syntax error: their arity is not sure.
    doubtful_events: FxHashSet<EventId>,
    /// What the bodies do.
    definitions: Vec<Facts>,
    systems: Vec<Facts>,
    reach: FxHashMap<SystemId, Arc<Reach>>,
    reach_work: usize,
    /// Places that make a secret, counted over all claims, and whether they were too many.
    secret_sites: usize,
    secrets_reported: bool,
    /// Reports so far that searched the whole file for an explanation.
    explained: usize,
    keys: openings::KeyUses,
    /// The claims so far, by their text.
    claims: FxHashMap<String, (Option<Expectation>, Span)>,
}

/// A file on its way to a program.
struct Checker<'a> {
    store: &'a TermStore,
    program: Program,
    tables: Tables,
    sink: Diagnostics,
    /// What the body being read does.
    body: Facts,
    /// The file that is read, as against those that it uses.
    file: FileId,
    /// Whether the parser reported errors: missing things may be consequences of them.
    broken: bool,
    unknowns: Vec<unknown::Unknown>,
    known_unknown: FxHashSet<Name>,
    /// Patterns already reported as impossible.
    clashed: FxHashSet<Span>,
    /// Parameters without a type that are used as symmetric keys, and where.
    symmetric_keys: FxHashMap<u32, Span>,
    /// Parts of key pairs given to parameters without a type: parameter, argument, place.
    key_arguments: Vec<(u32, TermId, Span)>,
    /// Applications of partial functions in the terms of the step being read.
    applications: Vec<apply::Application>,
    /// What names refer to, if that is wanted.
    mentions: Option<Vec<Mention>>,
}

/// A checked file: the program and what is wrong with it. A program with errors has a meaning only
/// as far as it goes, and is not to be analysed.
#[derive(Debug)]
pub struct Checked {
    /// The program.
    pub program: Program,
    /// Errors and warnings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    tables: Tables,
}

impl Checked {
    /// Whether the program can be analysed.
    pub fn is_sound(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Checks a further claim, such as one of the command line, and adds it to the program if there is no error in it.
    /// Returns the numbers of the new claims.
    pub fn add_claim(
        &mut self,
        store: &TermStore,
        claim: &ast::Claim,
    ) -> (std::ops::Range<usize>, Vec<Diagnostic>) {
        let first = self.program.claims.len();
        let mut checker = Checker::new(
            store,
            std::mem::take(&mut self.program),
            std::mem::take(&mut self.tables),
        );
        checker.claim(claim);
        checker.report_unknown();
        self.program = checker.program;
        self.tables = checker.tables;
        let found = checker.sink.into_sorted();
        if found.iter().any(Diagnostic::is_error) {
            self.program.claims.truncate(first);
        }
        (first..self.program.claims.len(), found)
    }
}

/// Checks a file and lowers it to a program.
pub fn check(file: &ast::File, store: &TermStore, tuples: TupleMode) -> Checked {
    check_after(file, &[], store, tuples)
}

/// Checks a file that has syntax errors at these places.
fn check_after(
    file: &ast::File,
    mistakes: &[Diagnostic],
    store: &TermStore,
    tuples: TupleMode,
) -> Checked {
    check_noting(file, mistakes, store, tuples, None).0
}

/// The same, and writes down what names refer to if there is a list for it.
fn check_noting(
    file: &ast::File,
    mistakes: &[Diagnostic],
    store: &TermStore,
    tuples: TupleMode,
    mentions: Option<Vec<Mention>>,
) -> (Checked, Vec<Mention>) {
    let mistakes = mistakes.iter().filter(|d| d.is_error());
    let mistakes: Vec<Span> = mistakes.filter_map(Diagnostic::primary).collect();
    let program = Program {
        tuples,
        ..Program::default()
    };
    let mut checker = Checker::new(store, program, Tables::default());
    checker.mentions = mentions;
    // What is doubtful about another file is said where that file is checked.
    checker.sink.warn_only_about(file.span.file);
    checker.file(&file.expanded(), &mistakes);
    let mentions = checker.mentions.unwrap_or_default();
    let mut diagnostics = gathered(checker.sink.into_sorted());
    for d in &mut diagnostics {
        say_where_it_was_used(d, file);
    }
    let checked = Checked {
        program: checker.program,
        diagnostics,
        tables: checker.tables,
    };
    (checked, mentions)
}

/// Adds to a mistake in another file the place of the `use` that led to it.
fn say_where_it_was_used(d: &mut Diagnostic, file: &ast::File) {
    let place = d.primary().map(|span| span.file);
    if let Some((_, root)) = file.used.iter().find(|(used, _)| Some(*used) == place) {
        let bare = Diagnostic::new(d.code, "");
        *d = crate::lang::syntax::link::led_to(std::mem::replace(d, bare), *root);
    }
}

/// More uses of one name with one and the same mistake than this are a mistake of its declaration.
const REPEATED: usize = 2;

/// Leaves one of many reports that say the same about one name.
fn gathered(list: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let key = |d: &Diagnostic| {
        let names_something = matches!(
            d.code,
            Code::WrongArity
                | Code::FamilyWithoutArguments
                | Code::NotAFamily
                | Code::EventArity
                | Code::ProcessAsChannel
                | Code::SystemAsProcess
                | Code::TypeContradiction
                | Code::TypeMismatch
        );
        names_something.then(|| (d.code, d.message.clone()))
    };
    let mut counts: FxHashMap<(Code, String), usize> = FxHashMap::default();
    for d in &list {
        if let Some(key) = key(d) {
            *counts.entry(key).or_default() += 1;
        }
    }
    let mut kept = Vec::with_capacity(list.len());
    for d in list {
        let count = key(&d).and_then(|key| counts.get_mut(&key));
        match count {
            Some(0) => {}
            Some(count) if *count > REPEATED => {
                let more = *count - 1;
                *count = 0;
                kept.push(d.note(format!("the same at {more} more places")));
            }
            _ => kept.push(d),
        }
    }
    kept
}

impl<'a> Checker<'a> {
    fn new(store: &'a TermStore, program: Program, tables: Tables) -> Self {
        Checker {
            store,
            program,
            tables,
            sink: Diagnostics::new(),
            body: Facts::default(),
            file: FileId::default(),
            broken: false,
            unknowns: Vec::new(),
            known_unknown: FxHashSet::default(),
            clashed: FxHashSet::default(),
            symmetric_keys: FxHashMap::default(),
            key_arguments: Vec::new(),
            applications: Vec::new(),
            mentions: None,
        }
    }

    /// A new variable of the program.
    fn variable(&mut self, label: &Name, ty: Type, span: Span, origin: Origin) -> u32 {
        let var = self.program.vars.len() as u32;
        self.program.vars.push(VarInfo {
            label: label.clone(),
            ty,
            span,
        });
        self.tables.origins.push(origin);
        self.tables.used.push(false);
        var
    }

    /// The event of this name, made at its first occurrence.
    fn event_named(&mut self, name: &Ident, types: Vec<Type>) -> EventId {
        if let Some(&id) = self.tables.events.get(&name.name) {
            let known = &mut self.tables.event_types[id.index()];
            for (known, ty) in known.iter_mut().zip(types) {
                *known = known.join(ty);
            }
            return id;
        }
        let id = EventId(self.program.events.len() as u32);
        self.program.events.push(EventInfo {
            label: name.name.clone(),
            arity: types.len(),
            span: name.span,
        });
        self.tables.events.insert(name.name.clone(), id);
        self.tables.event_types.push(types);
        id
    }

    /// A term as it would be written.
    fn show(&self, t: TermId) -> String {
        let vars = &self.program.vars;
        self.store
            .show_with(t, &|atom| match self.store.view(atom) {
                View::Var(v) => vars.get(v as usize).map(|info| info.label.to_string()),
                _ => None,
            })
    }
}

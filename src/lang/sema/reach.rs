//! What a system can run: definitions, events and fresh names, through all its instantiations.

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

use super::Checker;
use super::globals::{NameKind, Symbol};
use super::scope::Origin;
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::Name;
use crate::process::{DefId, EventId, Proc, SiteId, SystemId};
use crate::term::TermId;

/// So much is collected for claims about systems before all further systems count as one.
const REACH_WORK: usize = 2_000_000;

/// What was seen in one body.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// The definition, if it is one.
    pub def: Option<DefId>,
    /// The declaration.
    pub span: Span,
    /// Instantiations with their arguments.
    pub calls: Vec<(DefId, Vec<TermId>)>,
    /// Instantiations before any input or output.
    pub unguarded: Vec<(DefId, Span)>,
    /// Events.
    pub events: Vec<EventId>,
    /// Fresh names.
    pub sites: Vec<SiteId>,
    /// Whether something that it runs is not known.
    pub hole: bool,
    /// Whether only declared names can occur: a claim, or what the attacker knows.
    pub closed: bool,
    /// Whether its length was reported.
    pub too_long: bool,
}

impl Default for Facts {
    fn default() -> Self {
        Facts {
            def: None,
            span: Span::new(crate::base::source::FileId::default(), 0..0),
            calls: Vec::new(),
            unguarded: Vec::new(),
            events: Vec::new(),
            sites: Vec::new(),
            hole: false,
            closed: false,
            too_long: false,
        }
    }
}

/// Everything a system can run.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Definitions.
    pub defs: FxHashSet<DefId>,
    /// Events.
    pub events: FxHashSet<EventId>,
    /// Fresh names by label, each list in the order of the text.
    pub sites: FxHashMap<Name, Vec<SiteId>>,
    /// Whether something that it runs is not known: nothing is missing for sure.
    pub hole: bool,
    /// The arguments of its instantiations of each definition.
    pub calls: FxHashMap<DefId, Vec<Vec<TermId>>>,
}

impl Checker<'_> {
    /// What a system can run; computed once.
    pub(super) fn reach(&mut self, system: SystemId) -> Arc<Reach> {
        if let Some(reach) = self.tables.reach.get(&system) {
            return reach.clone();
        }
        // Many systems that share many definitions would take quadratic time; the last of them are
        // taken to run everything, which only spares them a remark.
        let systems = &self.tables.systems;
        let mut reach = if self.tables.reach_work < REACH_WORK {
            self.reach_from(std::slice::from_ref(&systems[system.index()]))
        } else {
            self.reach_from(systems)
        };
        self.tables.reach_work += reach.defs.len() + reach.events.len() + reach.sites.len();
        for sites in reach.sites.values_mut() {
            sites.sort_unstable();
        }
        let reach = Arc::new(reach);
        if self.tables.reach_work < REACH_WORK {
            self.tables.reach.insert(system, reach.clone());
        } else {
            let all = (0..self.program.systems.len()).map(|i| SystemId(i as u32));
            for system in all {
                let known = self.tables.reach.entry(system);
                known.or_insert_with(|| reach.clone());
            }
        }
        reach
    }

    fn reach_from(&self, start: &[Facts]) -> Reach {
        let mut reach = Reach::default();
        let mut work: Vec<&Facts> = start.iter().collect();
        while let Some(facts) = work.pop() {
            reach.hole |= facts.hole;
            reach.events.extend(&facts.events);
            for site in &facts.sites {
                let label = self.program.sites[site.index()].label.clone();
                reach.sites.entry(label).or_default().push(*site);
            }
            for (def, args) in &facts.calls {
                reach.calls.entry(*def).or_default().push(args.clone());
                if reach.defs.insert(*def) {
                    work.push(&self.tables.definitions[def.index()]);
                }
            }
        }
        reach
    }

    /// Warnings about names, definitions and parameters that nothing uses.
    pub(super) fn check_unused(&mut self) {
        let run = self.reach_from(&self.tables.systems).defs;
        let idle = self.program.systems.is_empty();
        let mut found = Vec::new();
        for global in self.tables.globals.iter() {
            let name = &global.name;
            let (what, help) = match &global.symbol {
                Symbol::Definition(def) if !idle && !run.contains(def) => (
                    "no system runs it",
                    "instantiate it in a system, or remove it",
                ),
                Symbol::Family(..)
                | Symbol::Function(..)
                | Symbol::Name(NameKind::Channel | NameKind::Private, _)
                    if !global.used =>
                {
                    ("never used", "remove the declaration")
                }
                _ => continue,
            };
            if name.starts_with('_') {
                continue;
            }
            found.push(
                Diagnostic::new(Code::UnusedName, format!("`{name}` is never used"))
                    .at(global.span, what)
                    .help(help),
            );
        }
        for (i, (info, origin)) in self
            .program
            .vars
            .iter()
            .zip(&self.tables.origins)
            .enumerate()
        {
            if self.tables.used[i] || info.label.starts_with('_') {
                continue;
            }
            let label = &info.label;
            let d = match origin {
                Origin::Restricted => Diagnostic::new(
                    Code::UnusedName,
                    format!("the fresh name `{label}` is never used"),
                )
                .at(info.span, "made and forgotten"),
                // An agent among the parameters says who takes part, even if no message names it.
                Origin::Parameter if !info.ty.is_agent() => Diagnostic::new(
                    Code::UnusedName,
                    format!("the parameter `{label}` is never used"),
                )
                .at(info.span, "never used"),
                _ => continue,
            };
            let d = d.help(format!("remove it, or call it `_{label}`"));
            found.push(d.instead(format!("_{label}")));
        }
        self.sink.extend(found);
    }

    /// Definitions that come back to themselves without doing anything, one report for each cycle.
    pub(super) fn check_recursion(&mut self) {
        // Depth-first search with an explicit stack: 0 unseen, 1 on the path, 2 done.
        let count = self.program.definitions.len();
        let mut state = vec![0u8; count];
        for start in 0..count {
            if state[start] != 0 {
                continue;
            }
            let mut path: Vec<(usize, usize)> = vec![(start, 0)];
            state[start] = 1;
            while let Some((def, next)) = path.last_mut() {
                let Some(&(to, span)) = self.tables.definitions[*def].unguarded.get(*next) else {
                    state[*def] = 2;
                    path.pop();
                    continue;
                };
                *next += 1;
                match state[to.index()] {
                    0 => {
                        state[to.index()] = 1;
                        path.push((to.index(), 0));
                    }
                    1 => {
                        let label = self.program.definitions[to.index()].label.clone();
                        let place = self.program.definitions[to.index()].span;
                        self.sink.push(
                            Diagnostic::new(
                                Code::UnguardedRecursion,
                                format!("`{label}` starts itself again before doing anything"),
                            )
                            .at(span, "no input or output comes before this")
                            .and(place, format!("`{label}` is declared here"))
                            .note("the recursion is unfolded up to the bound of the analysis all the same")
                            .help("put a step before it; for many copies write `!P` or `!3 P`"),
                        );
                    }
                    _ => {}
                }
            }
        }
    }

    /// Systems without a single step.
    pub(super) fn check_empty(&mut self) {
        // What could not be read is not nothing.
        if self.broken {
            return;
        }
        for i in 0..self.program.systems.len() {
            let system = &self.program.systems[i];
            let idle = |p: &Proc| match p {
                Proc::Nil => true,
                Proc::Par(parts) => parts
                    .iter()
                    .all(|p| matches!(self.program.proc(*p), Proc::Nil)),
                _ => false,
            };
            if idle(self.program.proc(system.body.root)) {
                let d = Diagnostic::new(
                    Code::EmptySystem,
                    format!("the system `{}` does nothing", system.label),
                )
                .at(system.span, "its process is `0`")
                .help("run some roles: `system S = Init(A, B) | Resp(B, A)`");
                self.sink.push(d);
            }
        }
    }
}

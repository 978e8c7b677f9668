//! Unfolding one system after another [Sem 3.6].
//!
//! The systems that `--sessions` makes are threads in parallel, and neighbours have all but their last threads in common.
//! Here the system unfolded before is cut back to what it has in common with the next one, and goes on from there. The
//! result is what [`super::unfold`] gives for the next system alone, number for number.
//!
//! Nothing is copied for that: whoever was handed a system gives it back when nobody else holds it. If it does not come
//! back, the next one is unfolded from the beginning.

use super::shape::Shapes;
use super::unfold::{Frame, Unfolder, begin};
use super::{
    Bounds, Closed, Proc, ProcId, Program, SiteId, StepId, System, SystemDecl, UnfoldError,
};
use crate::term::TermStore;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Systems of one program, unfolded one after another.
pub struct Series<'a> {
    program: &'a Program,
    store: &'a TermStore,
    bounds: Bounds,
    shapes: Shapes,
    last: Option<Last>,
    /// The system of `last`, if it has come back.
    system: Option<System>,
}

impl std::fmt::Debug for Series<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Series").finish_non_exhaustive()
    }
}

/// How the system unfolded last came to be.
struct Last {
    closed: Closed,
    /// The restrictions at its top.
    sites: Vec<SiteId>,
    frame: Frame,
    copies: FxHashMap<Arc<str>, u32>,
    /// Lengths before the first thread.
    start: Lengths,
    /// Its threads, each with its first step and the lengths after it.
    threads: Vec<(ProcId, StepId, Lengths)>,
}

/// How much of everything there was at some point.
#[derive(Clone, Copy)]
struct Lengths {
    steps: usize,
    names: usize,
    instances: usize,
    vars: usize,
    cuts: usize,
    copied: usize,
    rests: usize,
    shapes: usize,
}

impl Lengths {
    fn of(system: &System, shapes: &Shapes) -> Self {
        Self {
            steps: system.steps.len(),
            names: system.names.len(),
            instances: system.instances.len(),
            vars: system.vars.len(),
            cuts: system.cuts.len(),
            copied: system.copied.len(),
            rests: system.rests.len(),
            shapes: shapes.len(),
        }
    }
}

/// The restrictions at the top of a system.
fn sites(program: &Program, decl: &SystemDecl) -> Vec<SiteId> {
    let mut sites = Vec::new();
    let mut root = decl.body.root;
    while let Proc::New(more, then) = program.proc(root) {
        sites.extend(more);
        root = *then;
    }
    sites
}

impl<'a> Series<'a> {
    /// A series that is yet to begin.
    pub fn new(program: &'a Program, store: &'a TermStore, bounds: Bounds) -> Self {
        Self {
            program,
            store,
            bounds,
            shapes: Shapes::new(),
            last: None,
            system: None,
        }
    }

    /// Unfolds the next system: these threads under the restrictions of a system.
    pub fn unfold(
        &mut self,
        closed: &Closed,
        parts: &[ProcId],
    ) -> Result<Arc<System>, UnfoldError> {
        let (program, store) = (self.program, self.store);
        let decl = &program.systems[closed.system.index()];
        let sites = sites(program, decl);
        let (mut last, system) = match (self.last.take(), self.system.take()) {
            (Some(last), Some(system)) if self.continues(&last, decl, closed, &sites) => {
                (last, system)
            }
            _ => self.begin(decl, closed, sites)?,
        };
        let common = last
            .threads
            .iter()
            .zip(parts)
            .take_while(|((before, ..), now)| before == *now)
            .count();
        let system = self.cut(system, &mut last, common);
        let (shapes, bounds, copies) = (&mut self.shapes, self.bounds, last.copies);
        let mut unfolder = Unfolder::new(program, store, bounds, shapes, system, copies);
        for part in &parts[common..] {
            let step = unfolder.process(*part, &mut last.frame, false, decl.span)?;
            let lengths = Lengths::of(&unfolder.system, unfolder.shapes);
            last.threads.push((*part, step, lengths));
        }
        let steps = last.threads.iter().map(|(_, step, _)| *step).collect();
        unfolder.system.lost.clear();
        let root = unfolder.with_losses(steps, &closed.lost, decl.span, &last.frame)?;
        let (system, copies) = unfolder.end(root);
        last.copies = copies;
        last.closed = closed.clone();
        self.last = Some(last);
        Ok(Arc::new(system))
    }

    /// Takes back the system unfolded last.
    pub fn give_back(&mut self, system: Arc<System>) {
        self.system = Arc::try_unwrap(system).ok();
    }

    /// Whether a system begins like the one before: all but its threads is the same.
    fn continues(&self, last: &Last, decl: &SystemDecl, closed: &Closed, sites: &[SiteId]) -> bool {
        let before = &self.program.systems[last.closed.system.index()];
        last.sites == sites
            && last.closed.args == closed.args
            && before.label == decl.label
            && before.span == decl.span
            && before.body.params == decl.body.params
    }

    fn begin(
        &mut self,
        decl: &SystemDecl,
        closed: &Closed,
        sites: Vec<SiteId>,
    ) -> Result<(Last, System), UnfoldError> {
        self.shapes.truncate(0);
        let (mut frame, system) = begin(decl, closed)?;
        let (shapes, bounds) = (&mut self.shapes, self.bounds);
        let none = FxHashMap::default();
        let mut unfolder = Unfolder::new(self.program, self.store, bounds, shapes, system, none);
        // The body of a system speaks for nobody, so its names need no event that tells of them.
        unfolder.make_names(&sites, &mut frame);
        let (system, copies) = unfolder.end(StepId(0));
        let last = Last {
            closed: closed.clone(),
            sites,
            frame,
            copies,
            start: Lengths::of(&system, &self.shapes),
            threads: Vec::new(),
        };
        Ok((last, system))
    }

    /// Cuts a system back to its first threads.
    fn cut(&mut self, mut system: System, last: &mut Last, threads: usize) -> System {
        last.threads.truncate(threads);
        let to = last.threads.last().map_or(last.start, |(.., l)| *l);
        for name in system.names.drain(to.names..) {
            let label = &self.program.sites[name.site.index()].label;
            if let Some(count) = last.copies.get_mut(label) {
                *count -= 1;
            }
        }
        system.steps.truncate(to.steps);
        system.instances.truncate(to.instances);
        system.vars.truncate(to.vars);
        system.cuts.truncate(to.cuts);
        system.copied.truncate(to.copied);
        system.rests.truncate(to.rests);
        self.shapes.truncate(to.shapes);
        system
    }
}

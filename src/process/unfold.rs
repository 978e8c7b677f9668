//! Bounded unfolding of a system into steps [Sem 3.6].
//!
//! Definitions are inlined with fresh variables and names; a definition is entered recursively at most
//! [`Bounds::recursion`] times along a path, a bare `!` makes [`Bounds::copies`] copies. Where the bound cut
//! something off, the system says so, and so must every verdict about it.

use super::shape::Shapes;
use super::{
    Action, Closed, EventId, Instance, InstanceId, Loss, NameOrigin, Proc, ProcId, Program, Step,
    StepId, System, SystemDecl, Test,
};
use crate::base::source::Span;
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// How far recursion and replication are unfolded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// How often a definition is entered along one path.
    pub recursion: u32,
    /// Copies made by a bare `!`.
    pub copies: u32,
    /// Largest number of steps.
    pub steps: u32,
    /// Drop tests that guard nothing [Sem 3.1]. The honest run and the transparent attacker keep them: a role stuck
    /// at its last test has not finished.
    pub trim: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            recursion: 0,
            copies: 1,
            steps: 200_000,
            trim: true,
        }
    }
}

/// Operators and names of the largest argument of a definition.
const LARGEST: u32 = 20_000;

/// Why a system can't be unfolded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnfoldError {
    /// More steps than [`Bounds::steps`].
    TooLarge {
        /// The limit.
        limit: u32,
        /// Where the limit was met.
        span: Span,
    },
    /// An argument of a definition with more operators and names than this; terms are walked as trees.
    Huge {
        /// The limit.
        limit: u32,
        /// The instantiation.
        span: Span,
    },
    /// A secrecy target picks an instance that the system does not have.
    NothingPicked {
        /// The target.
        span: Span,
    },
    /// What is asked for is not done for claims with `unless`.
    Unless {
        /// What is asked for, in the plural.
        what: &'static str,
        /// The events that excuse.
        span: Span,
    },
    /// What is asked for is not done for systems with phases.
    Phases {
        /// What is asked for, in the plural: `state spaces`.
        what: &'static str,
        /// A process waits for a phase here.
        span: Span,
    },
    /// The number of arguments differs from the number of parameters.
    Arguments {
        /// Parameters of the system.
        expected: usize,
        /// Arguments given.
        found: usize,
    },
    /// A comparison was asked for what is asked of one system, or the other way round.
    OtherKind,
}

impl EventId {
    /// Marks the creation of a restricted name by an instance whose agents are known only at run time; such an
    /// event is added by the unfolding and has the name as its one argument.
    pub const CREATED: EventId = EventId(u32::MAX);

    /// Marked by no step of any system.
    pub const NEVER: EventId = EventId(u32::MAX - 1);
}

/// What the variables of a body stand for, and whose body it is.
pub(super) struct Frame {
    pub(super) vars: FxHashMap<u32, TermId>,
    instance: InstanceId,
}

/// A system on its way.
pub(super) struct Unfolder<'a> {
    program: &'a Program,
    store: &'a TermStore,
    pub(super) shapes: &'a mut Shapes,
    bounds: Bounds,
    pub(super) system: System,
    /// How many names of a label there are.
    pub(super) copies: FxHashMap<Arc<str>, u32>,
    /// How often each definition was entered on the path to here.
    entered: FxHashMap<u32, u32>,
    /// Declared agents and spies.
    agents: FxHashSet<TermId>,
    /// How copies are marked, if they are.
    repetition: Option<&'a Repetition>,
    /// Numbers of bare `!` so far, and of those that are in no other.
    stars: [u32; 2],
    /// Bare `!` around what is unfolded.
    nested: u32,
}

/// Copies of bare `!` that are marked in the system.
#[derive(Clone, Debug, Default)]
pub struct Repetition {
    /// Each role instance in the body of this instance is under a `!`.
    pub roles: Option<InstanceId>,
    /// So many `!` more around each one that is in no other, in the order of unfolding: `!P` and `!!P` do the same.
    pub more: Vec<u32>,
}

/// What a `!` copies.
enum Copied<'p> {
    Body(ProcId),
    Call(u32, &'p [TermId]),
}

/// Unfolds a system. Systems unfolded with one table of shapes have comparable shapes.
pub fn unfold(
    program: &Program,
    store: &TermStore,
    closed: &Closed,
    bounds: Bounds,
    shapes: &mut Shapes,
) -> Result<System, UnfoldError> {
    unfold_with(program, store, closed, bounds, shapes, None)
}

/// Unfolds a system and marks the copies of bare `!`.
pub fn unfold_repeated(
    program: &Program,
    store: &TermStore,
    closed: &Closed,
    bounds: Bounds,
    shapes: &mut Shapes,
    repetition: &Repetition,
) -> Result<System, UnfoldError> {
    unfold_with(program, store, closed, bounds, shapes, Some(repetition))
}

fn unfold_with<'a>(
    program: &'a Program,
    store: &'a TermStore,
    closed: &Closed,
    bounds: Bounds,
    shapes: &'a mut Shapes,
    repetition: Option<&'a Repetition>,
) -> Result<System, UnfoldError> {
    let decl = &program.systems[closed.system.index()];
    let (mut frame, system) = begin(decl, closed)?;
    let mut unfolder = Unfolder::new(program, store, bounds, shapes, system, FxHashMap::default());
    unfolder.repetition = repetition;
    let mut root = unfolder.process(decl.body.root, &mut frame, false, decl.span)?;
    if !closed.lost.is_empty() {
        let threads = unfolder.threads(root);
        root = unfolder.with_losses(threads, &closed.lost, decl.span, &frame)?;
    }
    Ok(unfolder.end(root).0)
}

/// A system of which nothing is unfolded, and the frame of its body.
pub(super) fn begin(decl: &SystemDecl, closed: &Closed) -> Result<(Frame, System), UnfoldError> {
    let params = &decl.body.params;
    if params.len() != closed.args.len() {
        return Err(UnfoldError::Arguments {
            expected: params.len(),
            found: closed.args.len(),
        });
    }
    let body = Instance {
        def: None,
        label: decl.label.clone(),
        args: closed.args.clone(),
        actors: Vec::new(),
        parent: None,
        continues: false,
        role: InstanceId(0),
        span: decl.span,
    };
    let system = System {
        label: decl.label.clone(),
        steps: Vec::new(),
        root: StepId(0),
        names: Vec::new(),
        instances: vec![body],
        vars: Vec::new(),
        cuts: Vec::new(),
        copied: Vec::new(),
        copies: FxHashMap::default(),
        rests: Vec::new(),
        lost: Vec::new(),
        shapes: 0,
    };
    let values = params.iter().copied().zip(closed.args.iter().copied());
    let frame = Frame {
        vars: values.collect(),
        instance: InstanceId(0),
    };
    Ok((frame, system))
}

impl<'a> Unfolder<'a> {
    pub(super) fn new(
        program: &'a Program,
        store: &'a TermStore,
        bounds: Bounds,
        shapes: &'a mut Shapes,
        system: System,
        copies: FxHashMap<Arc<str>, u32>,
    ) -> Self {
        Self {
            program,
            store,
            shapes,
            bounds,
            system,
            copies,
            entered: FxHashMap::default(),
            agents: program.signature.everybody().collect(),
            repetition: None,
            stars: [0, 0],
            nested: 0,
        }
    }

    /// The finished system, and how many names of each label it has.
    pub(super) fn end(mut self, root: StepId) -> (System, FxHashMap<Arc<str>, u32>) {
        self.system.root = root;
        self.system.shapes = self.shapes.len() as u32;
        (self.system, self.copies)
    }

    fn push(&mut self, action: Action, span: Span, frame: &Frame) -> Result<StepId, UnfoldError> {
        if self.system.steps.len() >= self.bounds.steps as usize {
            return Err(UnfoldError::TooLarge {
                limit: self.bounds.steps,
                span,
            });
        }
        let (shape, args, live) =
            self.shapes
                .classify(self.store, &self.system.steps, &self.system.vars, &action);
        self.system.steps.push(Step {
            action,
            span,
            instance: frame.instance,
            live,
            shape,
            args,
        });
        Ok(StepId(self.system.steps.len() as u32 - 1))
    }

    pub(super) fn fork(
        &mut self,
        parts: Vec<StepId>,
        span: Span,
        frame: &Frame,
    ) -> Result<StepId, UnfoldError> {
        let mut flat = Vec::new();
        for part in parts {
            match &self.system.step(part).action {
                Action::Nil => {}
                Action::Fork(inner) => flat.extend(inner.iter().copied()),
                _ => flat.push(part),
            }
        }
        match flat.as_slice() {
            [] => self.push(Action::Nil, span, frame),
            [one] => Ok(*one),
            _ => self.push(Action::Fork(flat), span, frame),
        }
    }

    /// The threads that a first step stands for; what was put around them is taken back.
    fn threads(&mut self, root: StepId) -> Vec<StepId> {
        let last = root.index() + 1 == self.system.steps.len();
        if last && matches!(self.system.step(root).action, Action::Fork(_)) {
            let fork = self.system.steps.pop().map(|s| s.action);
            if let Some(Action::Fork(parts)) = fork {
                return parts;
            }
        }
        vec![root]
    }

    /// These threads, and beside them what is lost: on a channel that everybody has.
    pub(super) fn with_losses(
        &mut self,
        mut threads: Vec<StepId>,
        lost: &[Loss],
        span: Span,
        frame: &Frame,
    ) -> Result<StepId, UnfoldError> {
        for loss in lost {
            let end = self.push(Action::Nil, loss.span, frame)?;
            let gives = Action::Output {
                channel: self.store.zero(),
                message: loss.message,
                next: end,
            };
            let mut thread = self.push(gives, loss.span, frame)?;
            self.system.lost.extend([end, thread]);
            if loss.phase > 0 {
                let waits = Action::Phase {
                    number: loss.phase,
                    next: thread,
                };
                thread = self.push(waits, loss.span, frame)?;
                self.system.lost.push(thread);
            }
            threads.push(thread);
        }
        self.fork(threads, span, frame)
    }

    fn is_nil(&self, step: StepId) -> bool {
        matches!(self.system.step(step).action, Action::Nil)
    }

    fn term(&self, frame: &Frame, t: TermId) -> TermId {
        if !self.store.facts(t).has_var {
            return t;
        }
        self.store
            .map_atoms(t, &mut |atom| match self.store.view(atom) {
                View::Var(v) => frame.vars.get(&v).copied(),
                _ => None,
            })
    }

    fn terms(&self, frame: &Frame, terms: &[TermId]) -> Vec<TermId> {
        terms.iter().map(|t| self.term(frame, *t)).collect()
    }

    /// A fresh variable for a binder of the template.
    fn bind(&mut self, frame: &mut Frame, var: u32) -> u32 {
        let fresh = self.system.vars.len() as u32;
        self.system
            .vars
            .push(self.program.vars[var as usize].clone());
        frame.vars.insert(var, self.store.var(fresh));
        fresh
    }

    pub(super) fn process(
        &mut self,
        proc: ProcId,
        frame: &mut Frame,
        acted: bool,
        near: Span,
    ) -> Result<StepId, UnfoldError> {
        let program = self.program;
        match program.proc(proc) {
            Proc::Nil => self.push(Action::Nil, near, frame),
            Proc::Par(parts) => {
                let parts = parts
                    .iter()
                    .map(|p| self.process(*p, frame, acted, near))
                    .collect::<Result<Vec<_>, _>>()?;
                self.fork(parts, near, frame)
            }
            Proc::New(sites, then) => self.restrict(sites, *then, frame, acted, near),
            Proc::Output {
                channel,
                message,
                then,
                span,
            } => {
                let (channel, message) = (self.term(frame, *channel), self.term(frame, *message));
                let next = self.process(*then, frame, true, *span)?;
                self.push(
                    Action::Output {
                        channel,
                        message,
                        next,
                    },
                    *span,
                    frame,
                )
            }
            Proc::Input {
                channel,
                binder,
                then,
                span,
            } => {
                let channel = self.term(frame, *channel);
                let binder = self.bind(frame, *binder);
                let next = self.process(*then, frame, true, *span)?;
                self.push(
                    Action::Input {
                        channel,
                        binder,
                        next,
                    },
                    *span,
                    frame,
                )
            }
            Proc::Test(test, then, otherwise) => {
                let failed = self.process(*otherwise, frame, true, test.span)?;
                let binds: Vec<u32> = test.binds.iter().map(|v| self.bind(frame, *v)).collect();
                let equations = test
                    .equations
                    .iter()
                    .map(|(a, b)| (self.term(frame, *a), self.term(frame, *b)))
                    .collect();
                let then = self.process(*then, frame, true, test.span)?;
                if self.bounds.trim && self.is_nil(then) && self.is_nil(failed) {
                    return Ok(then);
                }
                let test = Arc::new(Test {
                    kind: test.kind,
                    equations,
                    binds,
                    has_else: test.has_else,
                    span: test.span,
                });
                let span = test.span;
                self.push(
                    Action::Test {
                        test,
                        then,
                        otherwise: failed,
                    },
                    span,
                    frame,
                )
            }
            Proc::Event {
                event,
                args,
                then,
                span,
            } => {
                let args = self.terms(frame, args);
                let actors = self.system.instance(frame.instance).actors.clone();
                let next = self.process(*then, frame, true, *span)?;
                self.push(
                    Action::Event {
                        event: *event,
                        args,
                        actors,
                        next,
                    },
                    *span,
                    frame,
                )
            }
            Proc::Phase { number, then, span } => {
                let next = self.process(*then, frame, true, *span)?;
                let number = *number;
                self.push(Action::Phase { number, next }, *span, frame)
            }
            Proc::Call { def, args, span } => {
                let args = self.terms(frame, args);
                if args.iter().any(|a| self.store.facts(*a).size > LARGEST) {
                    return Err(UnfoldError::Huge {
                        limit: LARGEST,
                        span: *span,
                    });
                }
                let roles = self.repetition.and_then(|r| r.roles);
                if roles == Some(frame.instance) && self.nested == 0 {
                    self.system.copied.push(*span);
                    return self.repeat(&Copied::Call(def.0, &args), frame, acted, *span);
                }
                self.call(def.0, args, frame, acted, *span)
            }
            Proc::Replicate {
                copies: None,
                body,
                span,
            } if self.repetition.is_some() => {
                self.system.copied.push(*span);
                let mut body = *body;
                while let Proc::Replicate {
                    copies: None,
                    body: inner,
                    ..
                } = program.proc(body)
                {
                    body = *inner;
                }
                self.repeat(&Copied::Body(body), frame, acted, *span)
            }
            Proc::Replicate { copies, body, span } => {
                if copies.is_none() {
                    self.system.copied.push(*span);
                }
                let parts = (0..copies.unwrap_or(self.bounds.copies))
                    .map(|_| self.process(*body, frame, acted, *span))
                    .collect::<Result<Vec<_>, _>>()?;
                if copies.is_none() {
                    for part in parts.iter().skip(1) {
                        self.may_rest(*part);
                    }
                }
                self.fork(parts, *span, frame)
            }
        }
    }

    /// The copies of a bare `!`, marked.
    fn repeat(
        &mut self,
        what: &Copied<'_>,
        frame: &mut Frame,
        acted: bool,
        span: Span,
    ) -> Result<StepId, UnfoldError> {
        let mut levels = 1;
        if self.nested == 0 {
            let more = self.repetition.map_or(&[][..], |r| &r.more);
            levels += more.get(self.stars[1] as usize).copied().unwrap_or(0);
            self.stars[1] += 1;
        }
        self.copies_of(what, levels, frame, acted, span)
    }

    fn copies_of(
        &mut self,
        what: &Copied<'_>,
        levels: u32,
        frame: &mut Frame,
        acted: bool,
        span: Span,
    ) -> Result<StepId, UnfoldError> {
        let star = self.stars[0];
        self.stars[0] += 1;
        let mut parts = Vec::new();
        for copy in 0..self.bounds.copies {
            self.nested += 1;
            let part = match what {
                _ if levels > 1 => self.copies_of(what, levels - 1, frame, acted, span)?,
                Copied::Body(body) => self.process(*body, frame, acted, span)?,
                Copied::Call(def, args) => self.call(*def, args.to_vec(), frame, acted, span)?,
            };
            self.nested -= 1;
            let steps = match &self.system.step(part).action {
                Action::Nil => Vec::new(),
                Action::Fork(inner) => inner.clone(),
                _ => vec![part],
            };
            for step in steps {
                let path = self.system.copies.entry(step).or_default();
                path.insert(0, (star, copy));
            }
            if copy > 0 {
                self.may_rest(part);
            }
            parts.push(part);
        }
        self.fork(parts, span, frame)
    }

    /// Threads may stay at the start of this for ever.
    fn may_rest(&mut self, start: StepId) {
        match &self.system.step(start).action {
            Action::Nil => {}
            Action::Fork(parts) => {
                let parts = parts.clone();
                self.system.rests.extend(parts);
            }
            _ => self.system.rests.push(start),
        }
    }

    fn restrict(
        &mut self,
        sites: &[super::SiteId],
        then: ProcId,
        frame: &mut Frame,
        acted: bool,
        near: Span,
    ) -> Result<StepId, UnfoldError> {
        let program = self.program;
        let first = self.system.names.len();
        self.make_names(sites, frame);
        let mut step = self.process(then, frame, acted, near)?;
        if self.system.is_honest(self.store, frame.instance).is_none() {
            let actors = self.system.instance(frame.instance).actors.clone();
            for (i, site) in sites.iter().enumerate().rev() {
                let span = program.sites[site.index()].span;
                let action = Action::Event {
                    event: EventId::CREATED,
                    args: vec![self.system.names[first + i].term],
                    actors: actors.clone(),
                    next: step,
                };
                step = self.push(action, span, frame)?;
            }
        }
        Ok(step)
    }

    /// Makes the names of a restriction.
    pub(super) fn make_names(&mut self, sites: &[super::SiteId], frame: &mut Frame) {
        for site in sites {
            let info = &self.program.sites[site.index()];
            let copy = self.copies.entry(info.label.clone()).or_insert(0);
            *copy += 1;
            let name = self
                .store
                .name_id(NameClass::Restricted, info.label.clone(), *copy);
            let term = self.store.name_term(name);
            frame.vars.insert(info.var, term);
            self.system.names.push(NameOrigin {
                name,
                term,
                site: *site,
                instance: frame.instance,
            });
        }
    }

    fn call(
        &mut self,
        def: u32,
        args: Vec<TermId>,
        frame: &Frame,
        acted: bool,
        span: Span,
    ) -> Result<StepId, UnfoldError> {
        let program = self.program;
        let definition = &program.definitions[def as usize];
        let entered = self.entered.get(&def).copied().unwrap_or(0);
        // The first entry is free: the bound counts how often a definition comes back to itself.
        if entered > self.bounds.recursion {
            self.system.cuts.push(span);
            return self.push(Action::Nil, span, frame);
        }
        let params = &definition.body.params;
        let mut actors: Vec<TermId> = params
            .iter()
            .zip(&args)
            .filter(|(p, a)| program.vars[**p as usize].ty.is_agent() || self.is_agent(**a))
            .map(|(_, a)| *a)
            .collect();
        if acted {
            for a in &self.system.instance(frame.instance).actors {
                if !actors.contains(a) {
                    actors.push(*a);
                }
            }
        }
        let instance = InstanceId(self.system.instances.len() as u32);
        self.system.instances.push(Instance {
            def: Some(super::DefId(def)),
            label: definition.label.clone(),
            args: args.clone(),
            actors,
            parent: Some(frame.instance),
            continues: acted,
            role: if acted {
                self.system.role_of(frame.instance)
            } else {
                instance
            },
            span,
        });
        let vars = params.iter().copied().zip(args).collect();
        let mut inner = Frame { vars, instance };
        self.entered.insert(def, entered + 1);
        // An instance that continues another one has acted already: what it instantiates continues it too.
        let step = self.process(definition.body.root, &mut inner, acted, span)?;
        self.entered.insert(def, entered);
        if entered > 0 {
            self.may_rest(step);
        }
        Ok(step)
    }

    /// Whether the term, as it stands before the run, is a declared agent or spy: then it is an agent of its instance, also
    /// in a place without a type [Sem 4.8].
    fn is_agent(&self, t: TermId) -> bool {
        self.agents.contains(&t)
    }
}

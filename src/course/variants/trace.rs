//! What the places of a file stand for in its honest runs.
//!
//! The honest runs of the systems say which message left at which output and arrived at which input. Written term and
//! message are gone through side by side, with tuples that keep their length, so every written ciphertext, tuple or
//! hash gets the value it has in the run; received ones as well, since a variable that took a part of a message is
//! looked at again by `case` and `let`. What is not reached by an honest run has no value and is left out.

use crate::analysis::{Gate, Settings, honest_run};
use crate::base::limits::{Halt, Observer};
use crate::base::source::Span;
use crate::engine::honest::{HonestMove, HonestRun};
use crate::lang::syntax::ast::{
    self, DeclKind, Name, Pattern, PatternKind, Prefix, PrefixKind, Process, TailKind, Term,
    TermKind, Thread,
};
use crate::present::report::Values;
use crate::process::{ClaimKind, Closed, InstanceId, StepId, SystemId};
use crate::term::{TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};

use super::value::{Declared, Known};
use crate::analysis::Model;

/// What kind of container a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The arguments of an output or an input.
    Message,
    /// A tuple.
    Tuple,
    /// A ciphertext or signature.
    Cipher,
    /// A hash.
    Hash,
}

/// A written container and its value.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Where it stands.
    pub span: Span,
    /// The declaration it stands in, by number.
    pub decl: usize,
    /// A pattern: a receiver's end.
    pub pattern: bool,
    /// Which kind.
    pub form: Form,
    /// Its value in the run.
    pub value: TermId,
    /// Its components: where they stand, and their values.
    pub parts: Vec<(Span, TermId)>,
    /// The components that give a name to what arrives.
    pub binds: Vec<bool>,
    /// The key as written, and its value.
    pub key: Option<(Term, TermId)>,
    /// The message it goes out or comes in with, counted in the order of the run.
    pub message: usize,
    /// Its role instance, by its number among the actors.
    actor: usize,
    /// So many of the names that the instance knows in the end are known there: before a pattern, and with what an output itself shows.
    known: usize,
}

/// A role instance in an honest run.
#[derive(Clone, Debug)]
pub(crate) struct Actor {
    /// The system, by number.
    pub system: SystemId,
    /// The declaration it runs, by number.
    pub decl: usize,
    /// The values of its parameters.
    pub params: Vec<(Name, TermId)>,
    /// Its outputs and inputs in the order of the run: where they stand, when, and what was known by then.
    pub acts: Vec<Act>,
    /// Everything it knows in the end.
    pub known: Known,
    /// None of its agents is a spy.
    pub honest: bool,
}

/// An output or input of an actor.
#[derive(Clone, Debug)]
pub(crate) struct Act {
    /// Where it stands.
    pub span: Span,
    /// An output.
    pub output: bool,
    /// Its number in the run.
    pub time: usize,
    /// Its message, counted as in [`Place::message`].
    pub message: usize,
    /// So many of the names that its actor knows in the end it knows just before.
    pub known: usize,
}

impl Actor {
    /// What it knows when it does something.
    pub(crate) fn known_at(&self, act: &Act) -> &[(Name, TermId)] {
        &self.known.all()[..act.known]
    }
}

/// The values of a file's places.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// The containers.
    pub places: Vec<Place>,
    /// The role instances.
    pub actors: Vec<Actor>,
}

impl Trace {
    /// The names that are known at a place.
    pub(crate) fn known_at(&self, place: &Place) -> &[(Name, TermId)] {
        &self.actors[place.actor].known.all()[..place.known]
    }

    /// Follows the honest runs of all systems that can be run, as far as the limits go.
    pub(crate) fn new(
        tree: &ast::File,
        variant: &Model,
        settings: &Settings,
        observer: &dyn Observer,
    ) -> Trace {
        let mut trace = Trace::default();
        let settings = &Settings {
            limits: settings.limits.pinned(),
            ..*settings
        };
        let limits = settings.limits.start();
        let halt = Halt::new(&limits, observer);
        let program = &variant.flat.program;
        let mut all: Vec<Closed> = Vec::new();
        // Whole systems first: in them every message has both its ends.
        for partial in [false, true] {
            for (i, system) in (0u32..).zip(&program.systems) {
                if system.partial == partial && system.body.params.is_empty() {
                    all.push(Closed::new(SystemId(i), Vec::new()));
                }
            }
        }
        for claim in &program.claims {
            if let ClaimKind::Equivalence(l, r) | ClaimKind::Preorder(l, r) = &claim.kind {
                all.extend(
                    [l.clone(), r.clone()]
                        .into_iter()
                        .filter(|c| !c.args.is_empty()),
                );
            }
        }
        let mut declared = FxHashMap::default();
        for (i, decl) in tree.decls.iter().enumerate() {
            let (what, name) = match &decl.kind {
                DeclKind::Def(def) => (Written::Def, &def.name.name),
                DeclKind::System(system) => (Written::System, &system.name.name),
                _ => continue,
            };
            declared.entry((what, name.clone())).or_insert(i);
        }
        let file = File {
            tree,
            variant,
            declared,
            halt,
        };
        for closed in all {
            if file.halt.stopped() {
                break;
            }
            trace.follow(&file, &closed, settings, observer);
        }
        trace
    }

    fn follow(
        &mut self,
        file: &File<'_>,
        closed: &Closed,
        settings: &Settings,
        observer: &dyn Observer,
    ) {
        let (store, program) = (&file.variant.store, &file.variant.flat.program);
        let Ok(gate) = honest_run(store, program, closed, settings, observer) else {
            return;
        };
        // Who did something in one run need not be followed through another.
        let mut followed: FxHashSet<InstanceId> = FxHashSet::default();
        let nothing = HonestRun::default();
        for run in gate.all().chain([&nothing]) {
            self.follow_run(file, closed, &gate, run, &mut followed);
        }
    }

    fn follow_run(
        &mut self,
        file: &File<'_>,
        closed: &Closed,
        gate: &Gate,
        run: &HonestRun,
        followed: &mut FxHashSet<InstanceId>,
    ) {
        let File { tree, variant, .. } = *file;
        let store = &variant.store;
        let system = &gate.system;
        let values = Values::of_honest(store, system, &run.moves);
        let declared = Declared::new(store, &variant.flat.program);
        let mut told: FxHashMap<(InstanceId, Span), (TermId, usize, usize)> = FxHashMap::default();
        let mut events: FxHashMap<(InstanceId, Span), Vec<TermId>> = FxHashMap::default();
        let mut number = 0;
        let mut numbers = FxHashMap::default();
        // What an instance says to the spy is no message of this run unless somebody takes it.
        let taken = |m: &HonestMove| match m {
            HonestMove::Deliver { from, .. } => Some(*from),
            _ => None,
        };
        let taken: FxHashSet<StepId> = run.moves.iter().filter_map(taken).collect();
        let counts = |step: StepId| {
            let role = system.role_of(system.step(step).instance);
            system.is_honest(store, role) != Some(false) || taken.contains(&step)
        };
        for (time, m) in run.moves.iter().enumerate() {
            let key = |step| (system.step(step).instance, system.step(step).span);
            match m {
                HonestMove::Output { step, message, .. } => {
                    let counted = counts(*step);
                    number += usize::from(counted);
                    let own = if counted { number } else { 0 };
                    numbers.insert(*step, own);
                    told.insert(key(*step), (*message, own, time));
                }
                HonestMove::Deliver {
                    from, to, message, ..
                } => {
                    let number = numbers.get(from).copied().unwrap_or(0);
                    told.insert(key(*to), (*message, number, time));
                }
                HonestMove::Event { step, args } => {
                    events.insert(key(*step), args.clone());
                }
            }
        }
        for (i, instance) in (0u32..).zip(&system.instances) {
            if file.halt.stopped() {
                return;
            }
            if followed.contains(&InstanceId(i)) {
                continue;
            }
            let what = match instance.def {
                Some(_) => Written::Def,
                None => Written::System,
            };
            let Some(decl) = file.declared.get(&(what, instance.label.clone())).copied() else {
                continue;
            };
            let (DeclKind::Def(ast::Def { params, body, .. })
            | DeclKind::System(ast::System { params, body, .. })) = &tree.decls[decl].kind
            else {
                continue;
            };
            let params: Vec<(Name, TermId)> = params
                .iter()
                .zip(&instance.args)
                .map(|(p, a)| (p.name.name.clone(), values.of(store, *a)))
                .collect();
            let mut known = Known::default();
            for (name, value) in &params {
                known.learn(name, *value);
            }
            let mut reader = Reader {
                store,
                declared: &declared,
                halt: &file.halt,
                decl,
                actor: self.actors.len(),
                instance: InstanceId(i),
                told: &told,
                events: &events,
                places: Vec::new(),
                acts: Vec::new(),
                known,
                message: 0,
            };
            reader.process(body);
            let Reader {
                places,
                mut acts,
                known,
                ..
            } = reader;
            if acts.is_empty() && !run.moves.is_empty() {
                continue;
            }
            followed.insert(InstanceId(i));
            acts.sort_by_key(|a| a.time);
            self.places.extend(places);
            self.actors.push(Actor {
                system: closed.system,
                decl,
                params,
                acts,
                known,
                honest: system.is_honest(store, InstanceId(i)) == Some(true),
            });
        }
    }
}

/// What a declaration is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Written {
    Def,
    System,
}

/// The file whose runs are followed.
struct File<'a> {
    tree: &'a ast::File,
    variant: &'a Model,
    /// The numbers of its declarations.
    declared: FxHashMap<(Written, Name), usize>,
    halt: Halt<'a>,
}

struct Reader<'a> {
    store: &'a TermStore,
    declared: &'a Declared<'a>,
    halt: &'a Halt<'a>,
    decl: usize,
    actor: usize,
    instance: InstanceId,
    told: &'a FxHashMap<(InstanceId, Span), (TermId, usize, usize)>,
    events: &'a FxHashMap<(InstanceId, Span), Vec<TermId>>,
    places: Vec<Place>,
    acts: Vec<Act>,
    known: Known,
    message: usize,
}

impl Reader<'_> {
    fn process(&mut self, process: &Process) {
        for thread in &process.threads {
            if self.halt.stopped() {
                return;
            }
            self.thread(thread);
        }
    }

    fn thread(&mut self, thread: &Thread) {
        for prefix in &thread.prefixes {
            self.prefix(prefix);
        }
        match &thread.tail.kind {
            TailKind::Group(process) => self.process(process),
            TailKind::IntCase(case) => {
                self.thread(&case.zero);
                self.thread(&case.succ);
            }
            TailKind::Nil | TailKind::Omitted | TailKind::Error => {}
        }
    }

    fn prefix(&mut self, prefix: &Prefix) {
        let told = self.told.get(&(self.instance, prefix.span)).copied();
        if let Some((_, number, time)) = told {
            self.message = number;
            self.acts.push(Act {
                span: prefix.span,
                output: matches!(prefix.kind, PrefixKind::Output(..)),
                time,
                message: number,
                known: self.known.all().len(),
            });
        }
        match &prefix.kind {
            PrefixKind::Output(_, parts) => {
                let before = self.places.len();
                if let Some((value, ..)) = told {
                    self.terms(prefix.span, Form::Message, value, value, parts, None);
                }
                // A name is known before it is sent: what the output showed counts for it too.
                let known = self.known.all().len();
                for place in &mut self.places[before..] {
                    place.known = known;
                }
                if let (Some(act), Some(_)) = (self.acts.last_mut(), told) {
                    act.known = known;
                }
            }
            PrefixKind::Apply(apply) => {
                if let (Some((value, ..)), Some(parts)) = (told, &apply.args) {
                    self.patterns(prefix.span, Form::Message, value, value, parts, None);
                }
            }
            PrefixKind::Let(pattern, term, otherwise)
            | PrefixKind::Case(term, pattern, otherwise) => {
                self.applied(term);
                if let Some(value) = self.declared.value(term, &self.known) {
                    self.pattern(pattern, value);
                }
                if let Some(thread) = otherwise {
                    self.thread(thread);
                }
            }
            PrefixKind::Match(_, _, Some(otherwise)) => self.thread(otherwise),
            PrefixKind::Event(_, args) => {
                let values = self.events.get(&(self.instance, prefix.span)).cloned();
                for (term, value) in args.iter().zip(values.into_iter().flatten()) {
                    // For what it tells about names; the event itself is no message.
                    if let TermKind::Name(name) = &term.kind {
                        self.learn(name, value);
                    }
                }
            }
            PrefixKind::New(_)
            | PrefixKind::Match(_, _, None)
            | PrefixKind::Phase(..)
            | PrefixKind::Replicate(_)
            | PrefixKind::Error => {}
        }
    }

    fn learn(&mut self, name: &Name, value: TermId) {
        self.known.learn(name, value);
    }

    /// The containers among the arguments of a destructor.
    fn applied(&mut self, term: &Term) {
        if let TermKind::Apply(_, args) = &term.kind {
            for arg in args {
                match self.declared.value(arg, &self.known) {
                    Some(value) => self.term(arg, value),
                    None => self.applied(arg),
                }
            }
        }
    }

    /// The components of a body that was written with this many.
    fn body(&self, value: TermId, written: usize) -> Option<Vec<TermId>> {
        if written == 1 {
            return Some(vec![value]);
        }
        match self.store.view(value) {
            View::Tuple(parts) if parts.len() == written => Some(parts.to_vec()),
            _ => None,
        }
    }

    fn terms(
        &mut self,
        span: Span,
        form: Form,
        value: TermId,
        body: TermId,
        written: &[Term],
        key: Option<(Term, TermId)>,
    ) {
        let Some(values) = self.body(body, written.len()) else {
            return;
        };
        if written.len() > 1 || form != Form::Message {
            self.places.push(Place {
                span,
                decl: self.decl,
                pattern: false,
                form,
                value,
                parts: written.iter().map(|t| t.span).zip(values.clone()).collect(),
                binds: vec![false; written.len()],
                key,
                message: self.message,
                actor: self.actor,
                known: self.known.all().len(),
            });
        }
        for (term, value) in written.iter().zip(values) {
            self.term(term, value);
        }
    }

    fn term(&mut self, term: &Term, value: TermId) {
        match (&term.kind, self.store.view(value)) {
            (TermKind::Name(name), _) => self.learn(name, value),
            (TermKind::Tuple(parts), View::Tuple(_)) => {
                self.terms(term.span, Form::Tuple, value, value, parts, None);
            }
            (TermKind::Hash(parts), View::Hash(body)) => {
                self.terms(term.span, Form::Hash, value, body, parts, None);
            }
            (
                TermKind::Encrypt(_, parts, key),
                View::Senc(body, k) | View::Aenc(body, k) | View::Sign(body, k),
            ) => {
                if let TermKind::Name(name) = &key.kind {
                    self.learn(name, k);
                }
                let key = Some(((**key).clone(), k));
                self.terms(term.span, Form::Cipher, value, body, parts, key);
            }
            (TermKind::Suc(inner), View::Suc(v)) => self.term(inner, v),
            (TermKind::Apply(_, args), View::Function(_, values)) if args.len() == values.len() => {
                for (arg, value) in args.iter().zip(values.to_vec()) {
                    self.term(arg, value);
                }
            }
            (TermKind::Apply(..), _) => self.applied(term),
            _ => {}
        }
    }

    fn patterns(
        &mut self,
        span: Span,
        form: Form,
        value: TermId,
        body: TermId,
        written: &[Pattern],
        key: Option<(Term, TermId)>,
    ) {
        let Some(values) = self.body(body, written.len()) else {
            return;
        };
        if written.len() > 1 || form != Form::Message {
            let binds = |p: &Pattern| !matches!(p.kind, PatternKind::Equal(_));
            self.places.push(Place {
                span,
                decl: self.decl,
                pattern: true,
                form,
                value,
                parts: written.iter().map(|p| p.span).zip(values.clone()).collect(),
                binds: written.iter().map(binds).collect(),
                key,
                message: self.message,
                actor: self.actor,
                known: self.known.all().len(),
            });
        }
        for (pattern, value) in written.iter().zip(values) {
            self.pattern(pattern, value);
        }
    }

    fn pattern(&mut self, pattern: &Pattern, value: TermId) {
        match (&pattern.kind, self.store.view(value)) {
            (PatternKind::Bind(binder), _) => self.learn(&binder.name.name, value),
            (PatternKind::Equal(term) | PatternKind::Term(term), _) => self.term(term, value),
            (PatternKind::Tuple(parts), View::Tuple(_)) => {
                self.patterns(pattern.span, Form::Tuple, value, value, parts, None);
            }
            (
                PatternKind::Cipher(_, parts, key),
                View::Senc(body, k) | View::Aenc(body, k) | View::Sign(body, k),
            ) => {
                let key = Some(((**key).clone(), k));
                self.patterns(pattern.span, Form::Cipher, value, body, parts, key);
            }
            _ => {}
        }
    }
}

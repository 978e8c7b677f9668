//! A run of messages that are only delivered, checked move by move. It shares nothing with the search but the system.

use crate::reference::random::seeds;
use spi::engine::honest::{HonestMove, HonestRun};
use spi::process::{Action, EventId, InstanceId, Program, StepId, System, TupleMode, Type};
use spi::term::{FamilyKind, NameClass, Subst, TermId, TermStore, View, unify};
use std::collections::{BTreeMap, BTreeSet};

/// A system in the middle of an honest run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Players {
    /// Where threads wait.
    pub ready: BTreeSet<u32>,
    /// The variables' values, by the place of their terms in the store.
    pub values: BTreeMap<u32, usize>,
    /// Tests without `else` that failed, and values of other types than declared.
    pub wrong: Vec<u32>,
}

pub struct Stage<'a> {
    pub store: &'a TermStore,
    pub program: &'a Program,
    pub system: &'a System,
    /// Values have exactly their types, as in typed analysis.
    pub exact: bool,
    /// Terms by their place, to keep states comparable.
    terms: std::cell::RefCell<BTreeMap<usize, TermId>>,
}

impl<'a> Stage<'a> {
    pub fn new(
        store: &'a TermStore,
        program: &'a Program,
        system: &'a System,
        exact: bool,
    ) -> Self {
        Stage {
            store,
            program,
            system,
            exact,
            terms: std::cell::RefCell::default(),
        }
    }

    fn keep(&self, t: TermId) -> usize {
        self.terms.borrow_mut().insert(t.slot(), t);
        t.slot()
    }

    pub fn value(&self, players: &Players, t: TermId) -> TermId {
        self.store.map_atoms(t, &mut |a| match self.store.view(a) {
            View::Var(v) => players.values.get(&v).map(|s| self.terms.borrow()[s]),
            _ => None,
        })
    }

    /// Goes on from a step up to where something is shown or received.
    pub fn reach(&self, players: &mut Players, step: StepId) {
        match &self.system.step(step).action {
            Action::Phase { .. } => panic!("honest runs know no phases"),
            Action::Nil => {}
            Action::Fork(parts) => parts.iter().for_each(|p| self.reach(players, *p)),
            Action::Event {
                event: EventId::CREATED,
                next,
                ..
            } => self.reach(players, *next),
            Action::Test {
                test,
                then,
                otherwise,
            } => {
                let value = |t: TermId| self.value(players, t);
                let sides: Vec<_> = test
                    .equations
                    .iter()
                    .map(|(a, b)| (value(*a), value(*b)))
                    .collect();
                let mut found = Subst::new();
                if unify(self.store, &sides, &|_| Some(0), &mut found) {
                    let asks = self.asks(test);
                    for v in &test.binds {
                        let value = found.resolve(self.store, self.store.var(*v));
                        if asks && !self.fits(*v, value) {
                            players.wrong.push(step.0);
                        }
                        players.values.insert(*v, self.keep(value));
                    }
                    self.reach(players, *then);
                } else if test.has_else {
                    self.reach(players, *otherwise);
                } else {
                    players.wrong.push(step.0);
                }
            }
            Action::Output { .. } | Action::Input { .. } | Action::Event { .. } => {
                players.ready.insert(step.0);
            }
        }
    }

    /// A thread takes its step, with a message if it receives.
    pub fn step(&self, players: &mut Players, step: StepId, message: Option<TermId>) {
        assert!(players.ready.remove(&step.0), "{step:?} does not wait");
        match &self.system.step(step).action {
            Action::Output { next, .. } | Action::Event { next, .. } => self.reach(players, *next),
            Action::Input { binder, next, .. } => {
                let message = message.expect("an input takes a message");
                if !self.fits(*binder, message) {
                    players.wrong.push(step.0);
                }
                players.values.insert(*binder, self.keep(message));
                self.reach(players, *next);
            }
            other => panic!("{other:?} never waits"),
        }
    }

    fn asks(&self, test: &spi::process::Test) -> bool {
        let mut asks = false;
        for side in test.equations.iter().flat_map(|(a, b)| [*a, *b]) {
            self.store.visit(side, &mut |t| {
                asks |= matches!(self.store.view(t), View::Var(v) if !test.binds.contains(&v));
                true
            });
        }
        asks
    }

    /// Whether a value has the declared type of a variable.
    fn fits(&self, var: u32, value: TermId) -> bool {
        let declared = self.system.vars[var as usize].ty;
        let signature = &self.program.signature;
        let name_type = |t: TermId| {
            if signature.agents.contains(&t) || signature.spies.contains(&t) {
                return Type::Agent;
            }
            let made = self.system.names.iter().find(|n| n.term == t);
            made.map_or_else(
                || self.program.type_of_name(t),
                |n| self.program.sites[n.site.index()].ty,
            )
        };
        match (self.store.view(value), declared) {
            (_, Type::Msg) => true,
            (_, Type::Sort(sort)) => signature.sorts[sort.index()].members.contains(&value),
            (View::Name(_), wanted) => match name_type(value) {
                Type::Msg => wanted != Type::Agent,
                is => is == wanted,
            },
            (View::Zero | View::Suc(_), wanted) => wanted == Type::Int,
            (View::Pub(_), wanted) => wanted == Type::Pub,
            (View::Priv(_), wanted) => wanted == Type::Priv,
            (View::Family(f, _), wanted) => {
                wanted == Type::Sym && self.store.family_info(f).kind == FamilyKind::Symmetric
            }
            (View::Share(..), wanted) => wanted == Type::Share,
            (View::Joint(..), wanted) => wanted == Type::Sym,
            (View::Function(f, _), wanted) if self.exact => {
                let made = signature.functions.iter().find(|g| g.id == f);
                made.is_some_and(|g| g.result == wanted)
            }
            _ if self.exact => false,
            (View::Tuple(_), wanted) => wanted == Type::Data,
            (_, wanted) => matches!(wanted, Type::Sym | Type::Data),
        }
    }

    pub fn channel(&self, players: &Players, step: StepId) -> TermId {
        match &self.system.step(step).action {
            Action::Output { channel, .. } | Action::Input { channel, .. } => {
                self.value(players, *channel)
            }
            other => panic!("{other:?} has no channel"),
        }
    }

    pub fn role(&self, step: StepId) -> InstanceId {
        self.system.role_of(self.system.step(step).instance)
    }

    fn below(&self, step: StepId) -> BTreeSet<StepId> {
        let mut found = BTreeSet::from([step]);
        let mut work = vec![step];
        while let Some(s) = work.pop() {
            let next = match &self.system.step(s).action {
                Action::Nil => Vec::new(),
                Action::Fork(parts) => parts.clone(),
                Action::Output { next, .. }
                | Action::Input { next, .. }
                | Action::Phase { next, .. }
                | Action::Event { next, .. } => vec![*next],
                Action::Test {
                    then, otherwise, ..
                } => vec![*then, *otherwise],
            };
            for n in next {
                found.insert(n);
                work.push(n);
            }
        }
        found
    }

    /// Whether a message from one step to the other would be heard by its sender.
    pub fn is_oneself(&self, from: StepId, to: StepId) -> bool {
        let instance = self.system.step(from).instance;
        let speaks = !self.system.instance(instance).actors.is_empty();
        speaks && self.system.step(to).instance == instance
            || self.below(from).contains(&to)
            || self.below(to).contains(&from)
    }

    /// Whether two steps are of the same role: another instance of a definition that speaks for agents, or another
    /// thread of the same shape.
    pub fn are_peers(&self, a: StepId, b: StepId) -> bool {
        let (one, other) = (self.party(a), self.party(b));
        if one == other {
            return false;
        }
        let (x, y) = (self.system.instance(one.0), self.system.instance(other.0));
        match (x.actors.is_empty(), y.actors.is_empty()) {
            (false, false) => x.def == y.def,
            (true, true) => match (one.1, other.1) {
                (Some(s), Some(t)) => self.system.step(s).shape == self.system.step(t).shape,
                _ => false,
            },
            _ => false,
        }
    }

    /// Who takes a step: a role instance that speaks for agents, or a thread at the top.
    pub fn party(&self, step: StepId) -> (InstanceId, Option<StepId>) {
        let role = self.role(step);
        if !self.system.instance(role).actors.is_empty() {
            return (role, None);
        }
        let top = self
            .tops()
            .into_iter()
            .find(|t| self.below(*t).contains(&step));
        (role, top)
    }

    pub fn tops(&self) -> Vec<StepId> {
        match &self.system.step(self.system.root).action {
            Action::Fork(parts) => parts.clone(),
            Action::Nil => Vec::new(),
            _ => vec![self.system.root],
        }
    }

    pub fn is_public(&self, channel: TermId) -> bool {
        match self.store.view(channel) {
            View::Name(n) => {
                self.store.name_info(n).class != NameClass::Restricted
                    && !self.program.signature.privates.contains(&channel)
            }
            View::Zero => true,
            _ => false,
        }
    }

    pub fn occurs(&self, part: TermId, whole: TermId) -> bool {
        let mut found = false;
        self.store.visit(whole, &mut |t| {
            found |= t == part;
            true
        });
        found
    }

    /// Checks that this is an honest run, and that those who are said to finish do.
    pub fn check(&self, run: &HonestRun) {
        let mut players = Players::default();
        self.reach(&mut players, self.system.root);
        // Tests that fail without anybody's doing are none of this run, if their party takes no part.
        let early = std::mem::take(&mut players.wrong);
        let mut sent: BTreeMap<StepId, (TermId, TermId, Vec<StepId>)> = BTreeMap::new();
        let mut heard: Vec<TermId> = Vec::new();
        let mut part: BTreeSet<InstanceId> = BTreeSet::new();
        for (i, m) in run.moves.iter().enumerate() {
            match m {
                HonestMove::Output {
                    step,
                    channel,
                    message,
                } => {
                    let Action::Output { message: own, .. } = &self.system.step(*step).action
                    else {
                        panic!("{step:?} is no output");
                    };
                    assert_eq!(self.channel(&players, *step), *channel);
                    assert_eq!(self.value(&players, *own), *message);
                    let open =
                        self.is_public(*channel) || heard.iter().any(|m| self.occurs(*channel, *m));
                    if open {
                        heard.push(*message);
                    } else {
                        let next = run.moves.get(i + 1);
                        assert!(
                            matches!(next, Some(HonestMove::Deliver { from, .. }) if from == step),
                            "nobody hears {step:?}"
                        );
                    }
                    sent.insert(*step, (*channel, *message, Vec::new()));
                    self.step(&mut players, *step, None);
                    part.insert(self.role(*step));
                }
                HonestMove::Deliver {
                    from,
                    to,
                    channel,
                    message,
                } => {
                    let (on, what, takers) = sent.get_mut(from).expect("it was sent before");
                    assert_eq!((*on, *what), (*channel, *message));
                    assert_eq!(self.channel(&players, *to), *channel);
                    let private = !self.is_public(*channel);
                    assert!(
                        private || !self.is_oneself(*from, *to),
                        "heard by its sender"
                    );
                    takers.push(*to);
                    if takers.len() > 1 {
                        let parties: BTreeSet<_> = takers.iter().map(|t| self.party(*t)).collect();
                        assert_eq!(parties.len(), takers.len(), "one hears it twice");
                        let peer = takers.iter().any(|t| self.are_peers(*from, *t));
                        assert!(!peer, "several hear it, one of them the sender's peer");
                    }
                    self.step(&mut players, *to, Some(*message));
                    part.insert(self.role(*to));
                }
                HonestMove::Event { step, args } => {
                    let Action::Event { args: own, .. } = &self.system.step(*step).action else {
                        panic!("{step:?} is no event");
                    };
                    let own: Vec<_> = own.iter().map(|t| self.value(&players, *t)).collect();
                    assert_eq!(&own, args);
                    self.step(&mut players, *step, None);
                    part.insert(self.role(*step));
                }
            }
        }
        assert!(players.wrong.is_empty(), "a test fails, or a type is wrong");
        let rests = |s: StepId| {
            let below = |r: &StepId| self.below(*r).contains(&s);
            self.system.rests.iter().any(below)
        };
        for instance in part {
            let spied = self.system.is_honest(self.store, instance) == Some(false);
            assert!(
                spied || run.finished.contains(&instance),
                "{instance:?} takes part and is not said to finish"
            );
        }
        for instance in &run.finished {
            // Of an instance that is one party nothing may be left; other threads are parties of their own.
            if self.system.instance(*instance).actors.is_empty() {
                continue;
            }
            assert!(!early.iter().any(|s| self.role(StepId(*s)) == *instance));
            for left in &players.ready {
                let left = StepId(*left);
                assert!(
                    self.role(left) != *instance || rests(left),
                    "{instance:?} is not at its end"
                );
            }
        }
    }
}

fn check_all(text: &str, tuples: TupleMode, exact: bool) -> (usize, usize) {
    let store = TermStore::new();
    let Some(program) = crate::honest::sound(&store, text, tuples) else {
        return (0, 0);
    };
    let (mut runs, mut stuck) = (0, 0);
    for (_, gate) in crate::honest::gates(&store, &program, exact) {
        let stage = Stage::new(&store, &program, &gate.system, exact);
        for run in &gate.runs {
            stage.check(run);
        }
        runs += gate.runs.len();
        stuck += usize::from(gate.is_closed());
    }
    (runs, stuck)
}

#[test]
fn the_runs_of_the_library_are_honest() {
    let mut files = Vec::new();
    let mut work = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols")];
    while let Some(folder) = work.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|e| e == "spi") {
                files.push(path);
            }
        }
    }
    let mut runs = 0;
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        // Who waits for a phase takes part in no honest run.
        if text.contains("phase 1.") {
            continue;
        }
        for (tuples, typed) in [(TupleMode::Nested, false), (TupleMode::Flat, true)] {
            runs += check_all(&text, tuples, typed).0;
        }
    }
    assert!(runs > 300, "{runs}");
}

#[test]
fn the_runs_of_random_systems_are_honest() {
    let (mut runs, mut stuck) = (0, 0);
    for seed in seeds(60) {
        for text in crate::honest::texts(seed) {
            let (r, s) = check_all(&text, TupleMode::Nested, seed % 2 == 1);
            runs += r;
            stuck += s;
        }
    }
    assert!(runs > 50 && stuck > 20, "{runs} runs, {stuck} stuck");
}

//! Experiments and attacks as processes, in the syntax of the language.
//!
//! One pattern takes all parts out of a message as soon as the keys are known ([`super::opening`]).
//! Other destructors become `let` and `case` steps at the first place where they are needed. A
//! destructor that must fail becomes a step whose `else` goes on. The process's own names are
//! restricted at the front.

use super::opening::Openings;
use crate::certify::{Condition, Experiment, Probe, Recipe};
use crate::process::TupleMode;
use crate::term::{NameClass, Naming, Op, TermId, TermStore, View, application, ranges};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What a printed process does and shows.
#[derive(Clone, Copy, Debug)]
pub struct Script<'a> {
    /// What it sends and hears.
    pub actions: &'a [Probe],
    /// What must hold at the end.
    pub conditions: &'a [Condition],
    /// What it sends on its own channel at the end; 0 if nothing is given.
    pub shows: Option<&'a Arc<Recipe>>,
    /// Names that mean something where the process will stand.
    pub reserved: &'a [String],
    /// What to call the parts of messages.
    pub hints: &'a FxHashMap<Recipe, String>,
    /// How tuples will be read where the process will stand.
    pub tuples: TupleMode,
}

/// A process as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The process, one step a line.
    pub process: String,
    /// The channel on which it sends at its end.
    pub barb: String,
    /// It passes whenever the conditions hold. Otherwise not where something that is no integer has
    /// no predecessor: the language has no process that goes on there.
    pub exact: bool,
}

impl Experiment {
    /// The experiment as a test process, one step a line. It sends on the channel `success` (or
    /// `success1`, ..) when it passes. `initial` is the initial knowledge that its recipes refer
    /// to.
    pub fn test_process(&self, store: &TermStore, initial: &[TermId]) -> String {
        self.written(store, initial, &[]).process
    }

    /// The same; `spell` may choose names for the tester's own.
    pub fn test_process_named(
        &self,
        store: &TermStore,
        initial: &[TermId],
        spell: &dyn Fn(TermId) -> Option<String>,
    ) -> String {
        let mut hints = FxHashMap::default();
        let actions = self.actions.iter().flat_map(Probe::recipes);
        let conditions = self.conditions.iter().flat_map(Condition::recipes);
        let mut work: Vec<&Arc<Recipe>> = actions.chain(conditions).collect();
        while let Some(recipe) = work.pop() {
            if let Recipe::Constant(t) = &**recipe
                && let Some(name) = spell(*t)
            {
                hints.insert((**recipe).clone(), name);
            }
            work.extend(recipe.parts());
        }
        let script = Script {
            actions: &self.actions,
            conditions: &self.conditions,
            shows: None,
            reserved: &[],
            hints: &hints,
            tuples: TupleMode::Nested,
        };
        script.write(store, initial, "success").process
    }

    /// The same, with names that it must not use for itself.
    pub fn written(&self, store: &TermStore, initial: &[TermId], reserved: &[String]) -> Written {
        let script = Script {
            actions: &self.actions,
            conditions: &self.conditions,
            shows: None,
            reserved,
            hints: &FxHashMap::default(),
            tuples: TupleMode::Nested,
        };
        script.write(store, initial, "success")
    }

    /// Whether a process of the language passes exactly where the experiment does.
    pub fn is_writable(&self, store: &TermStore, initial: &[TermId]) -> bool {
        self.written(store, initial, &[]).exact
    }
}

impl Script<'_> {
    /// The process, which ends with an output on a channel of this name or a similar one.
    pub fn write(&self, store: &TermStore, initial: &[TermId], barb: &str) -> Written {
        let mut printer = Printer::new(store, initial, self, barb);
        let own = printer.own_names();
        let body = printer.actions(self.actions, self.conditions, 0, Scope::default());
        let process = if own.is_empty() {
            body
        } else {
            format!("new {}.\n{body}", own.join(", "))
        };
        Written {
            process,
            barb: printer.barb,
            exact: printer.exact,
        }
    }
}

/// What is bound at a point of the test process.
#[derive(Clone, Default)]
pub(super) struct Scope {
    /// Recipes that have a term over the variables bound so far.
    pub terms: FxHashMap<Recipe, TermId>,
}

pub(super) struct Printer<'a> {
    pub store: &'a TermStore,
    initial: &'a [TermId],
    names: FxHashMap<TermId, String>,
    taken: FxHashSet<String>,
    next_var: u32,
    barb: String,
    exact: bool,
    own: Vec<TermId>,
    shows: Option<Arc<Recipe>>,
    pub openings: Openings,
    hints: FxHashMap<Recipe, String>,
    pub tuples: TupleMode,
}

impl Naming for Printer<'_> {
    fn spell(&self, atom: TermId) -> Option<String> {
        self.names.get(&atom).cloned()
    }

    fn keeps_arity(&self) -> bool {
        self.tuples == TupleMode::Flat
    }
}

/// A step of the test process.
pub(super) enum Step {
    /// It can't fail on its own account, or what follows its failure is nothing.
    Plain(String),
    /// A `let` or `case` that may fail.
    Open(String),
    /// `case M of 0: .. suc(y):`, with `M` and `y`.
    Predecessor(String, String),
}

impl Step {
    fn then(&self, rest: &str) -> String {
        match self {
            Step::Plain(text) | Step::Open(text) => format!("{text}\n{rest}"),
            Step::Predecessor(m, y) => format!("case {m} of 0: 0 suc({y}):\n{rest}"),
        }
    }

    /// The step in a test for failure: `rest` follows if it fails. The integer case has no `else`
    /// in the language, so the text says in a comment what a failing predecessor means for other
    /// terms than 0.
    fn or_else(&self, inner: &str, rest: &str) -> String {
        let rest = indent(rest);
        let block = |inner: &str| match inner {
            "0" => "0".to_owned(),
            _ => format!("(\n{}\n)", indent(inner)),
        };
        match self {
            Step::Plain(text) => format!("{text}\n{inner}"),
            Step::Open(text) => format!("{text} {} else (\n{rest}\n)", block(inner)),
            Step::Predecessor(m, y) => format!(
                "case {m} of 0: (  // a term that is no integer goes here, too\n{rest}\n) suc({y}): {}",
                block(inner)
            ),
        }
    }
}

impl<'a> Printer<'a> {
    fn new(store: &'a TermStore, initial: &'a [TermId], script: &Script<'_>, barb: &str) -> Self {
        let mut printer = Self {
            store,
            initial,
            names: FxHashMap::default(),
            taken: script.reserved.iter().cloned().collect(),
            next_var: ranges::TESTERS.start,
            barb: String::new(),
            exact: true,
            own: Vec::new(),
            shows: script.shows.cloned(),
            openings: Openings::default(),
            hints: script.hints.clone(),
            tuples: script.tuples,
        };
        let actions = script.actions.iter().flat_map(Probe::recipes);
        let conditions = script.conditions.iter().flat_map(Condition::recipes);
        for recipe in actions.clone().chain(conditions).chain(script.shows) {
            printer.collect(recipe);
        }
        // What a condition needs to fail must not be taken apart before.
        let made = script.conditions.iter().filter_map(|c| match c {
            Condition::Fails(_) => None,
            other => Some(other.recipes()),
        });
        for recipe in actions.chain(made.flatten()).chain(script.shows) {
            printer.openings.note(recipe);
        }
        printer.barb = printer.fresh(barb);
        printer
    }

    /// Notes the names that occur, so that none is captured.
    fn collect(&mut self, recipe: &Recipe) {
        match recipe {
            Recipe::Constant(t) => {
                if let View::Name(n) = self.store.view(*t) {
                    let info = self.store.name_info(n);
                    if info.class == NameClass::Attacker {
                        if !self.own.contains(t) {
                            self.own.push(*t);
                        }
                    } else {
                        self.taken.insert(info.label.to_string());
                    }
                }
            }
            Recipe::Initial(i) => {
                let (store, taken) = (self.store, &mut self.taken);
                if let Some(t) = self.initial.get(*i) {
                    store.visit(*t, &mut |s| {
                        match store.view(s) {
                            View::Name(n) => {
                                taken.insert(store.name_info(n).label.to_string());
                            }
                            View::Family(f, _) => {
                                taken.insert(store.family_info(f).label.to_string());
                            }
                            View::Function(f, _) => {
                                taken.insert(store.function_info(f).label.to_string());
                            }
                            _ => {}
                        }
                        true
                    });
                }
            }
            Recipe::Member(f, _) | Recipe::PublicPart(f, _) => {
                self.taken
                    .insert(self.store.family_info(*f).label.to_string());
            }
            Recipe::Build(Op::Function(f), _) => {
                self.taken
                    .insert(self.store.function_info(*f).label.to_string());
            }
            Recipe::Destruct(d, _) => {
                self.taken
                    .insert(self.store.destructor_label(*d).to_owned());
            }
            _ => {}
        }
        for part in recipe.parts() {
            self.collect(part);
        }
    }

    /// An identifier that does not occur yet.
    fn fresh(&mut self, stem: &str) -> String {
        let mut name = stem.to_owned();
        let mut i = 1;
        while !self.taken.insert(name.clone()) {
            name = format!("{stem}{i}");
            i += 1;
        }
        name
    }

    fn own_names(&mut self) -> Vec<String> {
        let mut own = std::mem::take(&mut self.own);
        self.store.sort(&mut own);
        let mut spelt = Vec::new();
        for t in own {
            let hint = self.hints.get(&Recipe::Constant(t)).cloned();
            let name = self.fresh(hint.as_deref().unwrap_or("n"));
            self.names.insert(t, name.clone());
            spelt.push(name);
        }
        spelt
    }

    /// A variable for a part of a message.
    pub fn part_variable(&mut self, recipe: &Recipe) -> TermId {
        let stem = self.hints.get(recipe).cloned();
        self.variable(stem.as_deref().unwrap_or("y"))
    }

    fn variable(&mut self, stem: &str) -> TermId {
        let var = self.store.var(self.next_var);
        self.next_var += 1;
        let name = self.fresh(stem);
        self.names.insert(var, name);
        var
    }

    pub fn show(&self, t: TermId) -> String {
        self.store.show_with(t, self)
    }

    /// What is sent, without the parentheses of an outermost tuple.
    fn message(&self, t: TermId) -> String {
        let text = self.show(t);
        match self.store.view(t) {
            View::Tuple(_) => text[1..text.len() - 1].to_owned(),
            _ => text,
        }
    }

    /// The term as a channel: names, family members, their key parts and tuples stand as they are.
    fn channel(&self, t: TermId) -> String {
        let mut base = t;
        while let View::Pub(inner) | View::Priv(inner) = self.store.view(base) {
            base = inner;
        }
        let text = self.show(t);
        match self.store.view(base) {
            View::Name(_) | View::Var(_) | View::Family(..) | View::Tuple(_) => text,
            _ => format!("({text})"),
        }
    }

    fn actions(
        &mut self,
        actions: &[Probe],
        conditions: &[Condition],
        heard: usize,
        mut scope: Scope,
    ) -> String {
        let Some((action, rest)) = actions.split_first() else {
            return self.conditions(conditions, scope);
        };
        let mut steps = Vec::new();
        let next = match action {
            Probe::Send { channel, message } => {
                let c = self.term(channel, &mut scope, &mut steps);
                let m = self.term(message, &mut scope, &mut steps);
                let step = format!("{}<{}>.", self.channel(c), self.message(m));
                steps.push(Step::Plain(step));
                heard
            }
            Probe::Hear { channel } => {
                let c = self.term(channel, &mut scope, &mut steps);
                let w = self.variable(&format!("w{}", heard + 1));
                let step = format!("{}({}).", self.channel(c), self.show(w));
                steps.push(Step::Plain(step));
                scope.terms.insert(Recipe::Heard(heard), w);
                self.open_all(&Recipe::Heard(heard), &mut scope, &mut steps);
                heard + 1
            }
            Probe::Phase(number) => {
                steps.push(Step::Plain(format!("phase {number}.")));
                heard
            }
        };
        let rest = self.actions(rest, conditions, next, scope);
        lines(&steps, &rest)
    }

    fn conditions(&mut self, conditions: &[Condition], mut scope: Scope) -> String {
        let Some((condition, rest)) = conditions.split_first() else {
            return self.barb_step(scope);
        };
        let mut steps = Vec::new();
        match condition {
            Condition::Equal(r, s) => {
                let r = self.term(r, &mut scope, &mut steps);
                let s = self.term(s, &mut scope, &mut steps);
                let text = format!("[{} is {}]", self.show(r), self.show(s));
                steps.push(Step::Plain(text));
                let rest = self.conditions(rest, scope);
                lines(&steps, &rest)
            }
            Condition::Different(r, s) => {
                let r = self.term(r, &mut scope, &mut steps);
                let s = self.term(s, &mut scope, &mut steps);
                let rest = self.conditions(rest, scope);
                let text = format!("[{} is {}] 0 else", self.show(r), self.show(s));
                steps.push(Step::Plain(text));
                lines(&steps, &rest)
            }
            Condition::Succeeds(r) => {
                self.term(r, &mut scope, &mut steps);
                let rest = self.conditions(rest, scope);
                lines(&steps, &rest)
            }
            Condition::Fails(r) => {
                let rest = self.conditions(rest, scope.clone());
                self.term(r, &mut scope, &mut steps);
                self.exact &= !(steps.iter()).any(|s| matches!(s, Step::Predecessor(..)));
                // Each destructor may be the one that fails: the rest follows any of their `else`s.
                steps
                    .iter()
                    .rev()
                    .fold("0".to_owned(), |inner, step| step.or_else(&inner, &rest))
            }
        }
    }

    fn barb_step(&mut self, mut scope: Scope) -> String {
        let mut steps = Vec::new();
        let shown = self
            .shows
            .take()
            .map_or(self.store.zero(), |r| self.term(&r, &mut scope, &mut steps));
        let rest = format!("{}<{}>", self.barb, self.message(shown));
        lines(&steps, &rest)
    }

    /// The recipe as a term over the variables in scope; destructors add steps that bind variables.
    pub fn term(
        &mut self,
        recipe: &Arc<Recipe>,
        scope: &mut Scope,
        steps: &mut Vec<Step>,
    ) -> TermId {
        if let Some(t) = scope.terms.get(&**recipe) {
            return *t;
        }
        let parts: Vec<TermId> = recipe
            .parts()
            .into_iter()
            .map(|p| self.term(p, scope, steps))
            .collect();
        let store = self.store;
        let made = match &**recipe {
            Recipe::Initial(i) => self.initial.get(*i).copied().unwrap_or(store.zero()),
            Recipe::Heard(_) => store.zero(),
            Recipe::Constant(t) => *t,
            Recipe::Build(op, _) if op.opens_with_its_lock() => {
                let key = self.plain_key(parts[1], steps);
                store.make(*op, [parts[0], key].into_iter().collect())
            }
            Recipe::Build(op, _) => store.make(*op, parts.iter().copied().collect()),
            Recipe::Member(f, _) => store.family(*f, &parts),
            Recipe::PublicPart(f, _) => store.pub_part(store.family(*f, &parts)),
            Recipe::Part { index, arity, .. } => {
                let y = self.part_variable(recipe);
                let holes: Vec<String> = (0..*arity)
                    .map(|i| {
                        if i == *index {
                            self.show(y)
                        } else {
                            "_".to_owned()
                        }
                    })
                    .collect();
                let text = format!("let ({}) = {} in", holes.join(", "), self.show(parts[0]));
                steps.push(Step::Open(text));
                y
            }
            Recipe::Predecessor(_) => {
                let y = self.part_variable(recipe);
                steps.push(Step::Predecessor(self.show(parts[0]), self.show(y)));
                y
            }
            Recipe::Destruct(d, _) => {
                let y = self.part_variable(recipe);
                let args: Vec<String> = parts.iter().map(|t| self.show(*t)).collect();
                let label = store.destructor_label(*d);
                let text = format!("let {} = {} in", self.show(y), application(label, &args));
                steps.push(Step::Open(text));
                y
            }
            Recipe::Open(op, ..) if op.opens_with_its_lock() => {
                let key = self.plain_key(parts[1], steps);
                self.open(recipe, parts[0], op.braces(false), key, steps)
            }
            Recipe::Open(op, ..) => self.open(recipe, parts[0], op.braces(false), parts[1], steps),
        };
        scope.terms.insert((**recipe).clone(), made);
        made
    }

    fn open(
        &mut self,
        recipe: &Recipe,
        sealed: TermId,
        (left, right): (&str, &str),
        key: TermId,
        steps: &mut Vec<Step>,
    ) -> TermId {
        let y = self.part_variable(recipe);
        let (m, k) = (self.show(sealed), self.show(key));
        let text = format!("case {m} of {left}{}{right}{k} in", self.show(y));
        steps.push(Step::Open(text));
        y
    }

    /// A symmetric key that is written with `+` or `-` would make the encryption asymmetric: give
    /// it a name.
    fn plain_key(&mut self, key: TermId, steps: &mut Vec<Step>) -> TermId {
        if !self.store.node(key).op.is_key_part() {
            return key;
        }
        let y = self.variable("y");
        let text = format!("let {} = {} in", self.show(y), self.show(key));
        steps.push(Step::Plain(text));
        y
    }
}

fn lines(steps: &[Step], rest: &str) -> String {
    steps
        .iter()
        .rev()
        .fold(rest.to_owned(), |rest, step| step.then(&rest))
}

fn indent(text: &str) -> String {
    text.lines()
        .map(|l| format!("  {l}"))
        .collect::<Vec<_>>()
        .join("\n")
}

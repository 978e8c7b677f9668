//! Partially ordered runs of one side, and the messages that the environment derives from them.
//!
//! A run says how far some threads have gone and which message each of their inputs took. Variables stand for messages of
//! the environment's own choice. Of the order of actions it keeps only what is needed: the actions of a thread
//! follow each other, what an input's recipe uses comes before the input, and what a fork starts comes after the action
//! before the fork. A run has everything that its actions follow in this way.

use super::cast::Cast;
use super::renaming::{Renaming, Vars};
use super::tree::{Kind, LOCAL};
use crate::engine::joint::trail::Recipe;
use crate::term::{TermId, TermStore, View};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// An action: the thread and the number of the action in it.
pub(super) type Event = (u16, u16);

/// How many actions each of some threads has done, by thread.
pub(super) type Clock = SmallVec<[(u16, u16); 4]>;

/// The inputs before which a choice must have been made; none if it may be made at the end.
pub(super) type Deadlines = SmallVec<[Event; 2]>;

/// Actions and those of other threads that they follow.
pub(super) type Forks = SmallVec<[(Event, Event); 2]>;

/// An input of a run.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    /// Which one.
    pub event: Event,
    /// The message.
    pub term: TermId,
    /// How the environment makes it.
    pub recipe: Arc<Recipe>,
    /// What must have been done before.
    pub needs: Clock,
}

/// A partially ordered run. All its variables are choices of the environment, numbered from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// The side whose run it is.
    pub side: usize,
    /// How far each thread has gone.
    pub clock: Clock,
    /// The inputs, by event.
    pub sent: Vec<Sent>,
    /// The choices: the variable and the recipe `Choice` of the same number.
    pub choices: Vec<Deadlines>,
    /// The first actions after forks and the ones that they follow, sorted.
    pub forks: Forks,
    /// The last action of each thread, as an item of its role: it tells which branches were taken.
    pub last: Last,
    /// The tests that failed on the way.
    pub against: Vec<Against>,
}

/// The last action of some threads, by thread.
pub(super) type Last = SmallVec<[(u16, u32); 4]>;

/// A test that fails.
#[derive(Clone, Debug)]
pub(super) struct Against {
    /// An action that it comes before.
    pub event: Event,
    /// The equations; variables from [`LOCAL`] on are bound by them.
    pub equations: Vec<(TermId, TermId)>,
}

/// The look of a run, without recipes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    clock: Clock,
    sent: Vec<(Event, TermId, Clock)>,
    choices: Vec<Deadlines>,
    last: Last,
    /// Further terms.
    terms: Vec<TermId>,
}

/// The later of two clocks.
pub(super) fn join(clock: &mut Clock, other: &[(u16, u16)]) {
    for (thread, count) in other {
        match clock.binary_search_by_key(thread, |(t, _)| *t) {
            Ok(i) => clock[i].1 = clock[i].1.max(*count),
            Err(i) => clock.insert(i, (*thread, *count)),
        }
    }
}

/// Books that one action follows another.
pub(super) fn fork(forks: &mut Forks, pair: (Event, Event)) {
    if let Err(i) = forks.binary_search(&pair) {
        forks.insert(i, pair);
    }
}

/// The actions that an action follows by a fork.
fn started_by(forks: &[(Event, Event)], event: Event) -> impl Iterator<Item = Event> + '_ {
    let first = forks.partition_point(|(e, _)| *e < event);
    let mine = forks[first..].iter().take_while(move |(e, _)| *e == event);
    mine.map(|(_, of)| *of)
}

/// Books the last action of a thread.
pub(super) fn book(last: &mut Last, thread: u16, item: u32) {
    match last.binary_search_by_key(&thread, |(t, _)| *t) {
        Ok(i) => last[i].1 = item,
        Err(i) => last.insert(i, (thread, item)),
    }
}

/// The last action of a thread.
pub(super) fn last_of(last: &[(u16, u32)], thread: u16) -> Option<u32> {
    let found = last.binary_search_by_key(&thread, |(t, _)| *t).ok();
    found.map(|i| last[i].1)
}

/// How many actions a thread has done.
pub(super) fn done(clock: &[(u16, u16)], thread: u16) -> u16 {
    clock
        .binary_search_by_key(&thread, |(t, _)| *t)
        .map_or(0, |i| clock[i].1)
}

/// The actions in an order that respects what they need; `None` if there is none.
pub(super) fn linear(
    clock: &[(u16, u16)],
    sent: &[Sent],
    forks: &[(Event, Event)],
) -> Option<Vec<Event>> {
    let mut now: Clock = clock.iter().map(|(t, _)| (*t, 0)).collect();
    let mut events = Vec::new();
    loop {
        let mut moved = false;
        for i in 0..clock.len() {
            let thread = clock[i].0;
            while now[i].1 < clock[i].1 {
                let event = (thread, now[i].1);
                if !started_by(forks, event).all(|(t, at)| done(&now, t) > at) {
                    break;
                }
                if let Ok(s) = sent.binary_search_by_key(&event, |s| s.event) {
                    let ready = |(t, n): &(u16, u16)| done(&now, *t) >= *n;
                    if !sent[s].needs.iter().all(ready) {
                        break;
                    }
                }
                events.push(event);
                now[i].1 += 1;
                moved = true;
            }
        }
        if now[..] == *clock {
            return Some(events);
        }
        if !moved {
            return None;
        }
    }
}

/// Everything that comes before each input, in the order of the inputs.
pub(super) fn pasts(run: &Run) -> Vec<Clock> {
    let mut pasts = vec![Clock::new(); run.sent.len()];
    for event in linear(&run.clock, &run.sent, &run.forks).unwrap_or_default() {
        let Ok(i) = run.sent.binary_search_by_key(&event, |s| s.event) else {
            continue;
        };
        let mut past: Clock = run.sent[i].needs.clone();
        join(&mut past, &[event]);
        let own = started_by(&run.forks, event);
        own.for_each(|(t, at)| join(&mut past, &[(t, at + 1)]));
        // What a fork follows may be in threads that were not in it so far.
        loop {
            let known = past.clone();
            for (j, s) in run.sent.iter().enumerate() {
                if done(&known, s.event.0) > s.event.1 {
                    let before = pasts[j].clone();
                    join(&mut past, &before);
                }
            }
            for ((thread, at), of) in &run.forks {
                if done(&known, *thread) > *at {
                    join(&mut past, &[(of.0, of.1 + 1)]);
                }
            }
            if past == known {
                break;
            }
        }
        pasts[i] = past;
    }
    pasts
}

/// Whether the first clock is nowhere ahead of the second.
pub(super) fn within(clock: &[(u16, u16)], of: &[(u16, u16)]) -> bool {
    clock.iter().all(|(t, n)| done(of, *t) >= *n)
}

/// The number of an output as a recipe has it.
pub(super) fn heard(event: Event) -> usize {
    (usize::from(event.0) << 16) | usize::from(event.1)
}

/// The output of a number.
pub(super) fn output(heard: usize) -> Event {
    ((heard >> 16) as u16, heard as u16)
}

/// Calls `visit` with the outputs that a recipe uses, in order.
fn outputs(recipe: &Recipe, visit: &mut impl FnMut(Event)) {
    match recipe {
        Recipe::Heard(h) => visit(output(*h)),
        Recipe::Initial(_) | Recipe::Choice(_) | Recipe::Constant(_) => {}
        Recipe::Apply(_, args) | Recipe::Destruct(_, args) => {
            for arg in args {
                outputs(arg, visit);
            }
        }
        Recipe::Part(of, ..) | Recipe::Predecessor(of) => outputs(of, visit),
        Recipe::Open(_, of, key) => {
            outputs(of, visit);
            outputs(key, visit);
        }
    }
}

impl Run {
    /// The beginning of a run of a side.
    pub(super) fn new(side: usize) -> Self {
        Self {
            side,
            ..Self::default()
        }
    }

    /// The kind and channel of an action.
    pub(super) fn label(&self, cast: &Cast, (thread, at): Event) -> Option<(Kind, TermId)> {
        let role = cast.role(self.side, thread);
        let last = last_of(&self.last, thread)?;
        let later = done(&self.clock, thread).checked_sub(at + 1)?;
        let item = role.item(role.earlier(last, later)?);
        Some((item.kind, item.channel))
    }

    /// Adds threads in the order in which they are met from the outputs of a recipe.
    fn meet(&self, recipe: &Recipe, order: &mut Vec<u16>) {
        let mut found = Vec::new();
        outputs(recipe, &mut |event| found.push(event.0));
        for thread in found {
            self.meet_thread(thread, order);
        }
    }

    fn meet_thread(&self, thread: u16, order: &mut Vec<u16>) {
        if order.contains(&thread) {
            return;
        }
        order.push(thread);
        for sent in self.sent.iter().filter(|s| s.event.0 == thread) {
            self.meet(&sent.recipe, order);
        }
        for (_, of) in self.forks.iter().filter(|(e, _)| e.0 == thread) {
            self.meet_thread(of.0, order);
        }
    }

    /// The renaming that puts the run with some further terms and a recipe into canonical form. Bundles are numbered within
    /// their classes as their threads are met, from the given thread or else the recipe on; variables as they occur.
    pub(super) fn canonical(
        &self,
        store: &TermStore,
        cast: &Cast,
        side: usize,
        first: Option<u16>,
        recipe: Option<&Recipe>,
        terms: &[TermId],
    ) -> Renaming {
        let mut order = Vec::new();
        if let Some(first) = first {
            self.meet_thread(first, &mut order);
        }
        if let Some(recipe) = recipe {
            self.meet(recipe, &mut order);
        }
        for (thread, _) in &self.clock {
            self.meet_thread(*thread, &mut order);
        }
        let mut renaming = Renaming::default();
        let mut taken: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        let mut images: FxHashMap<u32, u32> = FxHashMap::default();
        for from in order.iter().flat_map(|thread| cast.bundles_of(*thread)) {
            if images.contains_key(&from) {
                continue;
            }
            let bundle = &cast.bundles[from as usize];
            let parent = images.get(&bundle.parent).copied().unwrap_or(0);
            let next = taken.entry((parent, bundle.class)).or_insert(0);
            let to = cast.bundles[parent as usize].classes[bundle.class as usize][*next];
            *next += 1;
            images.insert(from, to);
            renaming.bundle(cast, side, from, to);
        }
        let mut table = FxHashMap::default();
        let mut number = |t: TermId| {
            store.visit(t, &mut |s| {
                if let View::Var(v) = store.view(s)
                    && v < LOCAL
                {
                    let next = table.len() as u32;
                    table.entry(v).or_insert(next);
                }
                store.facts(s).has_var
            });
        };
        for thread in &order {
            let mine = self.sent.iter().filter(|s| s.event.0 == *thread);
            mine.for_each(|s| number(s.term));
        }
        terms.iter().copied().for_each(&mut number);
        for v in 0..self.choices.len() as u32 {
            let next = table.len() as u32;
            table.entry(v).or_insert(next);
        }
        renaming.vars = Vars::Table(table);
        renaming
    }

    /// The run renamed.
    #[must_use]
    pub(super) fn renamed(&self, store: &TermStore, renaming: &Renaming) -> Run {
        let mut sent: Vec<Sent> = self
            .sent
            .iter()
            .map(|s| Sent {
                event: renaming.event(s.event),
                term: renaming.term(store, s.term),
                recipe: renaming.recipe(&s.recipe),
                needs: renaming.clock(&s.needs),
            })
            .collect();
        sent.sort_by_key(|s| s.event);
        let mut choices = match &renaming.vars {
            Vars::Shift(_) => self.choices.clone(),
            Vars::Table(table) => vec![Deadlines::new(); table.len()],
        };
        if let Vars::Table(table) = &renaming.vars {
            for (v, deadlines) in self.choices.iter().enumerate() {
                if let Some(new) = table.get(&(v as u32)) {
                    choices[*new as usize] = renaming.deadlines(deadlines);
                }
            }
        }
        let against = self.against.iter().map(|a| renaming.against(store, a));
        Run {
            side: self.side,
            clock: renaming.clock(&self.clock),
            sent,
            choices,
            forks: renaming.forks(&self.forks),
            last: renaming.last(&self.last),
            against: against.collect(),
        }
    }

    /// The look of the run with some further terms.
    pub(super) fn shape(&self, terms: Vec<TermId>) -> Shape {
        let sent = self.sent.iter();
        Shape {
            clock: self.clock.clone(),
            sent: sent.map(|s| (s.event, s.term, s.needs.clone())).collect(),
            choices: self.choices.clone(),
            last: self.last.clone(),
            terms,
        }
    }
}

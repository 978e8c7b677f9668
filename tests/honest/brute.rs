//! Honest runs by brute force: anybody may begin at any time, and whatever may be delivered may be delivered. No demand is
//! followed, nobody is interchangeable, nothing is tried in small groups first.

use crate::honest::checker::{Players, Stage};
use crate::reference::random::seeds;
use spi::engine::honest::HonestRun;
use spi::process::{Action, InstanceId, StepId, TupleMode};
use spi::term::{TermId, TermStore};
use std::collections::{BTreeMap, BTreeSet};

/// States after which it gives up.
const STATES: usize = 3_000;

type Party = (InstanceId, Option<StepId>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct State {
    players: Players,
    /// Open messages: step, and who has heard it.
    pool: BTreeMap<StepId, Vec<StepId>>,
    begun: BTreeSet<Party>,
}

struct Brute<'a> {
    stage: Stage<'a>,
    messages: BTreeMap<usize, TermId>,
}

impl Brute<'_> {
    fn parties(&self) -> BTreeMap<Party, Vec<StepId>> {
        let mut parties: BTreeMap<Party, Vec<StepId>> = BTreeMap::new();
        for top in self.stage.tops() {
            parties.entry(self.stage.party(top)).or_default().push(top);
        }
        parties
    }

    fn is_spied(&self, party: Party) -> bool {
        self.stage.system.is_honest(self.stage.store, party.0) == Some(false)
    }

    fn message(&self, state: &State, step: StepId) -> TermId {
        let Action::Output { message, .. } = &self.stage.system.step(step).action else {
            panic!("an output");
        };
        self.stage.value(&state.players, *message)
    }

    fn is_open(&self, state: &State, channel: TermId) -> bool {
        let heard = |s: &StepId| {
            let message = self.messages[&(s.0 as usize)];
            self.stage.occurs(channel, message)
        };
        self.stage.is_public(channel) || state.pool.keys().any(heard)
    }

    /// Whether a party can finish together with all that take part; `None` if that is too much to try.
    fn finishes(&mut self, wanted: Party) -> Option<bool> {
        let parties = self.parties();
        let mut seen: BTreeSet<(State, Vec<usize>)> = BTreeSet::new();
        let mut work = vec![(State::default(), BTreeMap::<usize, TermId>::new())];
        while let Some((state, messages)) = work.pop() {
            self.messages = messages;
            let Some(state) = self.settled(state) else {
                continue;
            };
            let said = self.messages.values().map(|m| m.slot()).collect();
            if !seen.insert((state.clone(), said)) {
                continue;
            }
            if seen.len() > STATES {
                return None;
            }
            let obliged = |s: &u32| !self.is_spied(self.stage.party(StepId(*s)));
            if state.begun.contains(&wanted) && !state.players.ready.iter().any(obliged) {
                return Some(true);
            }
            for (party, tops) in &parties {
                if !state.begun.contains(party) {
                    let mut next = state.clone();
                    next.begun.insert(*party);
                    for top in tops {
                        self.stage.reach(&mut next.players, *top);
                    }
                    work.push((next, self.messages.clone()));
                }
            }
            for to in state.players.ready.iter().map(|s| StepId(*s)) {
                if !matches!(self.stage.system.step(to).action, Action::Input { .. }) {
                    continue;
                }
                for from in state.pool.keys() {
                    self.delivery(&state, *from, to, &mut work);
                }
                for from in state.players.ready.iter().map(|s| StepId(*s)) {
                    self.meeting(&state, from, to, &mut work);
                }
            }
        }
        Some(false)
    }

    fn delivery(
        &self,
        state: &State,
        from: StepId,
        to: StepId,
        work: &mut Vec<(State, BTreeMap<usize, TermId>)>,
    ) {
        let stage = &self.stage;
        let takers = &state.pool[&from];
        let on = self.messages[&(from.0 as usize + (1 << 30))];
        if stage.channel(&state.players, to) != on || stage.is_oneself(from, to) {
            return;
        }
        if !takers.is_empty() {
            let mut all = takers.clone();
            all.push(to);
            let parties: BTreeSet<Party> = all.iter().map(|t| stage.party(*t)).collect();
            if parties.len() < all.len() || all.iter().any(|t| stage.are_peers(from, *t)) {
                return;
            }
        }
        let mut next = state.clone();
        next.pool.entry(from).or_default().push(to);
        stage.step(
            &mut next.players,
            to,
            Some(self.messages[&(from.0 as usize)]),
        );
        work.push((next, self.messages.clone()));
    }

    fn meeting(
        &self,
        state: &State,
        from: StepId,
        to: StepId,
        work: &mut Vec<(State, BTreeMap<usize, TermId>)>,
    ) {
        let stage = &self.stage;
        let output = matches!(stage.system.step(from).action, Action::Output { .. });
        if output && stage.channel(&state.players, from) == stage.channel(&state.players, to) {
            let message = self.message(state, from);
            let mut next = state.clone();
            stage.step(&mut next.players, from, None);
            stage.step(&mut next.players, to, Some(message));
            work.push((next, self.messages.clone()));
        }
    }

    /// Everything that is open happens; `None` if a test fails.
    fn settled(&mut self, mut state: State) -> Option<State> {
        loop {
            if !state.players.wrong.is_empty() {
                return None;
            }
            let shows = |s: &StepId| match &self.stage.system.step(*s).action {
                Action::Event { .. } => true,
                Action::Output { .. } => {
                    let channel = self.stage.channel(&state.players, *s);
                    self.is_open(&state, channel)
                }
                _ => false,
            };
            let next = state.players.ready.iter().map(|s| StepId(*s)).find(shows);
            let Some(step) = next else {
                return Some(state);
            };
            if matches!(self.stage.system.step(step).action, Action::Output { .. }) {
                let message = self.message(&state, step);
                let channel = self.stage.channel(&state.players, step);
                self.messages.insert(step.0 as usize, message);
                self.messages.insert(step.0 as usize + (1 << 30), channel);
                state.pool.insert(step, Vec::new());
            }
            self.stage.step(&mut state.players, step, None);
        }
    }
}

/// Whom brute force brings to its end finishes in a run that was found, and nobody else does.
#[test]
fn who_finishes_by_brute_force_finishes() {
    let (mut yes, mut no) = (0, 0);
    for seed in seeds(40) {
        let exact = seed % 2 == 1;
        for text in crate::honest::texts(seed) {
            let store = TermStore::new();
            let Some(program) = crate::honest::sound(&store, &text, TupleMode::Nested) else {
                continue;
            };
            for (name, gate) in crate::honest::gates(&store, &program, exact) {
                if !gate.system.rests.is_empty() {
                    continue;
                }
                let mut brute = Brute {
                    stage: Stage::new(&store, &program, &gate.system, exact),
                    messages: BTreeMap::new(),
                };
                let shows = |run: &HonestRun, i: InstanceId| run.finished.contains(&i);
                // Threads that are parties of their own are judged together.
                let mut expected: BTreeMap<InstanceId, Option<bool>> = BTreeMap::new();
                for party in brute.parties().into_keys() {
                    if !brute.is_spied(party) {
                        let one = brute.finishes(party);
                        let all = expected.entry(party.0).or_insert(Some(true));
                        *all = all.zip(one).map(|(a, b)| a && b);
                    }
                }
                for (instance, expected) in expected {
                    let speaks = !gate.system.instance(instance).actors.is_empty();
                    let found = gate.runs.iter().any(|r| shows(r, instance))
                        || gate.alike.contains(&instance);
                    match expected {
                        Some(true) => assert!(found, "{name}: {instance:?} finishes\n{text}"),
                        Some(false) if speaks => {
                            assert!(!found, "{name}: {instance:?} does not finish\n{text}");
                        }
                        _ => continue,
                    }
                    yes += usize::from(found);
                    no += usize::from(!found);
                }
            }
        }
    }
    assert!(yes > 40 && no > 20, "{yes} finish, {no} do not");
}

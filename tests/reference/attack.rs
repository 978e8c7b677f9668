//! A brute-force attacker for the reachability claims: every order of the steps, every message of a bounded kind.

use super::concrete::{Config, Offer};
use super::messages::{Vocabulary, Width};
use spi::certify::{Deduction, Move, MoveKind, Source, Violation, Witness};
use spi::process::{ClaimKind, EventId, EventPattern, SecrecyTarget, Strength, System};
use spi::term::{NameClass, Subst, TermId, TermStore, View, unify};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The messages for each input.
    pub width: Width,
    /// Largest number of configurations.
    pub states: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            width: Width {
                own: 1,
                messages: 40,
                size: 12,
            },
            states: 5_000,
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A run that violates the claim (for `reachable`: fulfils it).
    Found(Witness),
    /// No run of the bounded kind does.
    NotFound,
    /// The limits were met before one was found.
    Unknown,
}

#[derive(Clone, Debug)]
struct Past {
    at: usize,
    event: EventId,
    args: Vec<TermId>,
    actors: Vec<TermId>,
}

#[derive(Clone)]
struct State<'a> {
    config: Config,
    knowledge: Deduction<'a>,
    heard: Vec<TermId>,
    moves: Vec<Move>,
    past: Vec<Past>,
}

struct Search<'a> {
    store: &'a TermStore,
    system: &'a System,
    claim: &'a ClaimKind,
    vocabulary: Vocabulary,
    limits: Limits,
    /// The messages tried, for each knowledge.
    tried: RefCell<HashMap<Vec<TermId>, Rc<Vec<TermId>>>>,
}

/// Looks for a run that violates the claim, breadth first.
pub fn find(
    store: &TermStore,
    system: &System,
    initial: &[TermId],
    claim: &ClaimKind,
    limits: Limits,
) -> Answer {
    look(store, system, initial, claim, limits, false)
}

/// The same for the attacker that leaves nobody stuck.
pub fn find_transparent(
    store: &TermStore,
    system: &System,
    initial: &[TermId],
    claim: &ClaimKind,
    limits: Limits,
) -> Answer {
    look(store, system, initial, claim, limits, true)
}

fn look(
    store: &TermStore,
    system: &System,
    initial: &[TermId],
    claim: &ClaimKind,
    limits: Limits,
    transparent: bool,
) -> Answer {
    let search = Search {
        store,
        system,
        claim,
        vocabulary: Vocabulary::new(store, &[system], initial, limits.width),
        limits,
        tried: RefCell::default(),
    };
    let mut seen = HashSet::new();
    let mut layer = vec![State {
        config: Config::start(store, system),
        knowledge: Deduction::with_initial(store, initial),
        heard: Vec::new(),
        moves: Vec::new(),
        past: Vec::new(),
    }];
    while !layer.is_empty() {
        let mut next = Vec::new();
        for state in layer {
            if transparent && state.config.stuck {
                continue;
            }
            if (!transparent || search.rests(&state))
                && let Some(violation) = search.violation(&state)
            {
                return Answer::Found(Witness {
                    moves: state.moves,
                    violation,
                    transparent,
                });
            }
            if !seen.insert(key(&state)) {
                continue;
            }
            if seen.len() > limits.states {
                return Answer::Unknown;
            }
            search.successors(&state, &mut next);
        }
        layer = next;
    }
    Answer::NotFound
}

/// What a state's future depends on.
fn key(state: &State<'_>) -> String {
    let heard = known(state);
    let events: Vec<_> = state.past.iter().map(|p| (p.event, &p.args)).collect();
    format!(
        "{:?} {:?} {:?} {heard:?} {events:?}",
        state.config.phase, state.config.ready, state.config.values
    )
}

/// What was heard, as a set.
fn known(state: &State<'_>) -> Vec<TermId> {
    let mut heard = state.heard.clone();
    heard.sort_by_key(|t| t.slot());
    heard.dedup();
    heard
}

fn spy_free(store: &TermStore, actors: &[TermId]) -> bool {
    // Neither a spy, nor a name that the attacker made up, nor no name at all.
    let nobody = [NameClass::Spy, NameClass::Attacker];
    actors.iter().all(
        |a| matches!(store.view(*a), View::Name(n) if !nobody.contains(&store.name_info(n).class)),
    )
}

impl<'a> Search<'a> {
    fn messages(&self, state: &State<'a>) -> Rc<Vec<TermId>> {
        let known = known(state);
        if let Some(messages) = self.tried.borrow().get(&known) {
            return messages.clone();
        }
        let width = self.limits.width;
        let messages = Rc::new(
            self.vocabulary
                .candidates(self.store, &state.knowledge, width),
        );
        self.tried.borrow_mut().insert(known, messages.clone());
        messages
    }

    fn successors(&self, state: &State<'a>, next: &mut Vec<State<'a>>) {
        let (store, system) = (self.store, self.system);
        for step in &state.config.ready {
            match state.config.offer(store, system, *step) {
                Offer::Output { channel, message } => {
                    if state.knowledge.derivable(channel) {
                        let mut s = state.clone();
                        s.config = state.config.after(store, system, *step, None);
                        s.knowledge.learn(Source::Sent(state.moves.len()), message);
                        s.heard.push(message);
                        s.moves.push(Move {
                            step: *step,
                            kind: MoveKind::Send { channel, message },
                        });
                        next.push(s);
                    }
                    for taker in &state.config.ready {
                        if state.config.offer(store, system, *taker) != (Offer::Input { channel }) {
                            continue;
                        }
                        let mut s = state.clone();
                        s.config = state.config.after(store, system, *step, None).after(
                            store,
                            system,
                            *taker,
                            Some(message),
                        );
                        s.moves.push(Move {
                            step: *step,
                            kind: MoveKind::Communicate {
                                receiver: *taker,
                                channel,
                                message,
                            },
                        });
                        next.push(s);
                    }
                }
                Offer::Input { channel } => {
                    if !state.knowledge.derivable(channel) {
                        continue;
                    }
                    for message in self.messages(state).iter() {
                        let mut s = state.clone();
                        s.config = state.config.after(store, system, *step, Some(*message));
                        s.moves.push(Move {
                            step: *step,
                            kind: MoveKind::Receive {
                                channel,
                                message: *message,
                            },
                        });
                        next.push(s);
                    }
                }
                Offer::Phase(number) => {
                    let mut s = state.clone();
                    s.config = state.config.in_phase(store, system, number);
                    s.moves.push(Move {
                        step: *step,
                        kind: MoveKind::Phase { number },
                    });
                    next.push(s);
                }
                Offer::Event {
                    event,
                    args,
                    actors,
                } => {
                    let mut s = state.clone();
                    s.config = state.config.after(store, system, *step, None);
                    s.past.push(Past {
                        at: state.moves.len(),
                        event,
                        args: args.clone(),
                        actors,
                    });
                    s.moves.push(Move {
                        step: *step,
                        kind: MoveKind::Event { args },
                    });
                    next.push(s);
                }
            }
        }
    }

    /// Whether nothing happens unless the attacker sends something.
    fn rests(&self, state: &State<'a>) -> bool {
        let offers: Vec<Offer> = state
            .config
            .ready
            .iter()
            .map(|s| state.config.offer(self.store, self.system, *s))
            .collect();
        offers.iter().all(|offer| match offer {
            Offer::Event { .. } => false,
            Offer::Input { .. } | Offer::Phase(_) => true,
            Offer::Output { channel, .. } => {
                let taken = Offer::Input { channel: *channel };
                !state.knowledge.derivable(*channel) && !offers.contains(&taken)
            }
        })
    }

    fn violation(&self, state: &State<'a>) -> Option<Violation> {
        match self.claim {
            ClaimKind::Secrecy { targets, .. } => targets.iter().enumerate().find_map(|(i, t)| {
                self.copies(state, t)
                    .into_iter()
                    .find(|names| state.knowledge.derivable(self.instance(t, t.term, names)))
                    .map(|names| Violation::Leak { target: i, names })
            }),
            ClaimKind::Unsendable {
                channel, target, ..
            } => self
                .copies(state, target)
                .into_iter()
                .find(|names| {
                    [*channel, target.term]
                        .iter()
                        .all(|t| state.knowledge.derivable(self.instance(target, *t, names)))
                })
                .map(|names| Violation::Sendable { names }),
            ClaimKind::SecrecyAfter {
                term,
                event,
                unless,
                ..
            } => state
                .past
                .iter()
                .filter(|p| spy_free(self.store, &p.actors))
                .find(|p| {
                    self.fits(event, p, &Subst::new()).is_some_and(|b| {
                        let excused = state.past.iter().any(|q| self.excuses(unless, q, &b));
                        !excused && state.knowledge.derivable(b.resolve(self.store, *term))
                    })
                })
                .map(|p| Violation::LeakAfter { event: p.at }),
            ClaimKind::Reachable { event, .. } => state
                .past
                .iter()
                .find(|p| self.fits(event, p, &Subst::new()).is_some())
                .map(|p| Violation::Reached { event: p.at }),
            ClaimKind::Agreement {
                strength,
                after,
                before,
                unless,
                ..
            } => {
                let mut asking = Vec::new();
                for p in state
                    .past
                    .iter()
                    .filter(|p| spy_free(self.store, &p.actors))
                {
                    let Some(bound) = self.fits(after, p, &Subst::new()) else {
                        continue;
                    };
                    let mut past = state.past.iter().filter(|q| q.at < p.at);
                    if past.any(|q| self.excuses(unless, q, &bound)) {
                        continue;
                    }
                    let earlier: Vec<usize> = state
                        .past
                        .iter()
                        .filter(|q| q.at < p.at && self.fits(before, q, &bound).is_some())
                        .map(|q| q.at)
                        .collect();
                    if earlier.is_empty() {
                        return Some(Violation::Unmatched { events: vec![p.at] });
                    }
                    asking.push((p.at, earlier));
                }
                (*strength == Strength::Injective)
                    .then(|| crowded(&asking))
                    .flatten()
                    .map(|events| Violation::Unmatched { events })
            }
            other => panic!("{other:?} is no reachability claim"),
        }
    }

    fn excuses(&self, unless: &[EventPattern], past: &Past, bound: &Subst) -> bool {
        unless.iter().any(|e| self.fits(e, past, bound).is_some())
    }

    fn fits(&self, pattern: &EventPattern, past: &Past, bound: &Subst) -> Option<Subst> {
        let mut found = bound.clone();
        let pairs: Vec<_> = pattern
            .args
            .iter()
            .copied()
            .zip(past.args.iter().copied())
            .collect();
        (pattern.event == past.event && unify(self.store, &pairs, &|_| Some(0), &mut found))
            .then_some(found)
    }

    fn instance(&self, target: &SecrecyTarget, term: TermId, names: &[TermId]) -> TermId {
        let vars = target.names.iter().map(|n| self.store.var(n.var));
        vars.zip(names.iter().copied())
            .collect::<Subst>()
            .apply(self.store, term)
    }

    /// All choices of honest copies for the target's names.
    fn copies(&self, state: &State<'a>, target: &SecrecyTarget) -> Vec<Vec<TermId>> {
        let (store, system) = (self.store, self.system);
        let mut choices: Vec<Vec<TermId>> = vec![vec![]];
        for secret in &target.names {
            let fine = system.names.iter().filter(|origin| {
                let picked = secret.instance.as_ref().is_none_or(|(def, args)| {
                    let mut at = Some(origin.instance);
                    std::iter::from_fn(|| {
                        let i = system.instance(at?);
                        at = i.parent;
                        Some(i)
                    })
                    .any(|i| {
                        let values: Vec<_> = i
                            .args
                            .iter()
                            .map(|a| state.config.value(store, *a))
                            .collect();
                        i.def == Some(*def) && values == *args
                    })
                });
                let honest = system.is_honest(store, origin.instance).unwrap_or_else(|| {
                    state
                        .config
                        .created
                        .iter()
                        .any(|(name, actors)| *name == origin.term && spy_free(store, actors))
                });
                secret.sites.contains(&origin.site)
                    && picked
                    && (honest || secret.instance.is_some())
            });
            let fine: Vec<TermId> = fine.map(|o| o.term).collect();
            choices = choices
                .into_iter()
                .flat_map(|c| fine.iter().map(move |t| [c.clone(), vec![*t]].concat()))
                .collect();
        }
        choices
    }
}

/// A set of events with fewer earlier events than members: Hall's condition, tried on every subset.
fn crowded(asking: &[(usize, Vec<usize>)]) -> Option<Vec<usize>> {
    (1u32..1 << asking.len().min(12)).find_map(|mask| {
        let chosen: Vec<_> = asking
            .iter()
            .enumerate()
            .filter(|(i, _)| mask & (1 << i) != 0)
            .map(|(_, a)| a)
            .collect();
        let earlier: HashSet<usize> = chosen.iter().flat_map(|(_, e)| e.iter().copied()).collect();
        (earlier.len() < chosen.len()).then(|| chosen.iter().map(|(at, _)| *at).collect())
    })
}

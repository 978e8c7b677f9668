//! From proposed runs to certified, short attacks.
//!
//! A proposal is tried against every way in which it could violate the claim; once confirmed, it is shortened: each
//! move is dropped together with everything its thread did afterwards, and the rest is replayed. What is left is a run
//! in which every move is needed, unless a limit is met on the way.

use crate::base::limits::Halt;
use crate::certify::{
    CertifyError, Move, MoveKind, Replayed, Violation, Witness, replay_any, replay_unless,
};
use crate::engine::search::{Goal, Proposal};
use crate::process::{Action, ClaimKind, InstanceId, StepId, Strength, System};
use crate::term::{NameClass, TermId, TermStore, View};
use std::sync::Arc;

/// A certified run.
#[derive(Clone, Debug)]
pub struct Attack {
    /// The system it runs in.
    pub system: Arc<System>,
    /// The run.
    pub witness: Witness,
    /// What its replay showed.
    pub replayed: Replayed,
}

impl Attack {
    /// The instances at the top of the system that take part, in the order of their first moves.
    pub fn taking_part(&self) -> Vec<InstanceId> {
        let mut found: Vec<InstanceId> = Vec::new();
        for m in &self.witness.moves {
            let receiver = match &m.kind {
                MoveKind::Communicate { receiver, .. } => Some(*receiver),
                _ => None,
            };
            for step in [Some(m.step), receiver].into_iter().flatten() {
                let top = self.system.top_of(self.system.step(step).instance);
                if !found.contains(&top) {
                    found.push(top);
                }
            }
        }
        found
    }
}

/// Why no run was confirmed: the first proposal's error.
#[derive(Clone, Debug)]
pub struct AttackError {
    /// What the certifier said to the last way that was tried.
    pub error: CertifyError,
    /// The rejected run.
    pub moves: Vec<Move>,
}

/// Certifies and shortens proposals for one system and claim.
pub(super) struct Certifier<'a> {
    pub store: &'a TermStore,
    pub system: &'a Arc<System>,
    pub knows: &'a [TermId],
    pub claim: &'a ClaimKind,
    pub goal: &'a Goal,
    /// The attacker has to leave nobody stuck [Sem 4.5].
    pub transparent: bool,
    /// Reorderings of a run that are tried for other orders of starting.
    pub reorderings: usize,
    pub guard: &'a Halt<'a>,
}

impl Certifier<'_> {
    /// The certified, shortened attack behind a proposal. If a limit is met first, the error says that the replay was
    /// stopped; once confirmed, an attack is merely not shortened as far as it could be.
    pub(super) fn certify(&self, proposal: &Proposal) -> Result<Attack, AttackError> {
        let failed = |error: CertifyError, moves: &[Move]| AttackError {
            error,
            moves: moves.to_vec(),
        };
        let found = self
            .confirm(proposal)
            .map_err(|error| failed(error, proposal))?;
        let shortest = self.shorten(found);
        let renamed = self.rename_own(shortest.witness.moves.clone());
        match self.confirm(&renamed) {
            // It is confirmed as it is.
            Err(CertifyError::Stopped) => Ok(shortest),
            other => other.map_err(|error| failed(error, &renamed)),
        }
    }

    fn witness(&self, moves: &[Move], violation: Violation) -> Witness {
        Witness {
            moves: moves.to_vec(),
            violation,
            transparent: self.transparent,
        }
    }

    fn replay(&self, witness: &Witness) -> Result<Replayed, CertifyError> {
        let stopped = || self.guard.stopped();
        let (store, knows) = (self.store, self.knows);
        replay_unless(&stopped, store, self.system, knows, self.claim, witness)
    }

    /// The ways in which a run could violate the claim.
    fn violations(&self, moves: &[Move]) -> Vec<Violation> {
        let events = |wanted: crate::process::EventId| -> Vec<usize> {
            let is = |m: &Move| {
                matches!(m.kind, MoveKind::Event { .. })
                    && matches!(self.system.step(m.step).action,
                        Action::Event { event, .. } if event == wanted)
            };
            (0..moves.len()).filter(|i| is(&moves[*i])).collect()
        };
        match (self.claim, self.goal) {
            (ClaimKind::Secrecy { .. }, Goal::Leak(secrets)) => secrets
                .iter()
                .map(|s| Violation::Leak {
                    target: s.target,
                    names: s.names.clone(),
                })
                .collect(),
            (ClaimKind::Unsendable { .. }, Goal::Send { messages, .. }) => messages
                .iter()
                .map(|s| Violation::Sendable {
                    names: s.names.clone(),
                })
                .collect(),
            (ClaimKind::SecrecyAfter { event, .. }, _) => events(event.event)
                .into_iter()
                .map(|event| Violation::LeakAfter { event })
                .collect(),
            (ClaimKind::Reachable { event, .. }, _) => events(event.event)
                .into_iter()
                .map(|event| Violation::Reached { event })
                .collect(),
            (
                ClaimKind::Agreement {
                    strength, after, ..
                },
                _,
            ) => {
                let all = events(after.event);
                let mut found: Vec<Violation> = all
                    .iter()
                    .map(|i| Violation::Unmatched { events: vec![*i] })
                    .collect();
                if *strength == Strength::Injective && all.len() > 1 {
                    found.extend(self.overcommitted(moves, &all));
                }
                found
            }
            _ => Vec::new(),
        }
    }

    /// Events that each have a match but not all one of their own: the fewest that dropping one after another leaves.
    fn overcommitted(&self, moves: &[Move], all: &[usize]) -> Option<Violation> {
        let attempt =
            |events: Vec<usize>| self.replay(&self.witness(moves, Violation::Unmatched { events }));
        let counts = |i: &usize| matches!(attempt(vec![*i]), Err(CertifyError::Matched { .. }));
        let mut events: Vec<usize> = all.iter().copied().filter(counts).collect();
        attempt(events.clone()).ok()?;
        let mut i = 0;
        while i < events.len() {
            let mut fewer = events.clone();
            fewer.remove(i);
            if attempt(fewer.clone()).is_ok() {
                events = fewer;
            } else {
                i += 1;
            }
        }
        Some(Violation::Unmatched { events })
    }

    /// Numbers the attacker's own names by first use: runs that differ only in them become equal.
    fn rename_own(&self, mut moves: Vec<Move>) -> Vec<Move> {
        let store = self.store;
        let mut order: Vec<TermId> = Vec::new();
        let mut rename = |t: &mut TermId| {
            *t = store.map_atoms(*t, &mut |atom| match store.view(atom) {
                View::Name(n) if store.name_info(n).class == NameClass::Attacker => {
                    let at = order.iter().position(|o| *o == atom).unwrap_or_else(|| {
                        order.push(atom);
                        order.len() - 1
                    });
                    Some(store.name(NameClass::Attacker, "n", at as u32 + 1))
                }
                _ => None,
            });
        };
        for m in &mut moves {
            match &mut m.kind {
                MoveKind::Send { channel, message }
                | MoveKind::Receive { channel, message }
                | MoveKind::Communicate {
                    channel, message, ..
                } => {
                    rename(channel);
                    rename(message);
                }
                MoveKind::Event { args } => args.iter_mut().for_each(&mut rename),
                MoveKind::Phase { .. } => {}
            }
        }
        moves
    }

    /// The attack, and for every other order in which its role instances can start one run with that order: whether
    /// the spy opens its session before or after the honest one is a difference that matters to people.
    pub(super) fn start_orders(&self, attack: Attack) -> Vec<Attack> {
        let mut orders = vec![self.start_order(&attack.witness.moves)];
        let mut runs = vec![attack.witness.moves.clone()];
        let mut found = vec![attack];
        let mut next = 0;
        while next < runs.len() && runs.len() < self.reorderings && !self.guard.stopped() {
            let moves = runs[next].clone();
            next += 1;
            for i in 1..moves.len() {
                let mut swapped = moves.clone();
                swapped.swap(i - 1, i);
                if runs.contains(&swapped) {
                    continue;
                }
                let Ok(confirmed) = self.confirm(&self.rename_own(swapped.clone())) else {
                    continue;
                };
                let order = self.start_order(&swapped);
                runs.push(swapped);
                if !orders.contains(&order) {
                    orders.push(order);
                    found.push(confirmed);
                }
            }
        }
        found
    }

    /// The moves as an attack, with the first violation that is confirmed.
    pub(super) fn confirm(&self, moves: &[Move]) -> Result<Attack, CertifyError> {
        let stopped = || self.guard.stopped();
        let (store, knows) = (self.store, self.knows);
        let (run, ways) = ((moves, self.transparent), self.violations(moves));
        let replayed = replay_any(&stopped, store, self.system, knows, self.claim, run, ways)?;
        Ok(Attack {
            system: self.system.clone(),
            witness: self.witness(moves, replayed.violation.clone()),
            replayed,
        })
    }

    /// The role instances in the order of their first moves.
    fn start_order(&self, moves: &[Move]) -> Vec<InstanceId> {
        let mut order = Vec::new();
        for step in moves.iter().flat_map(ends) {
            let role = self.system.role_of(self.system.step(step).instance);
            if !order.contains(&role) {
                order.push(role);
            }
        }
        order
    }

    /// Drops what is not needed, last moves first, until nothing more can go or a limit is met.
    fn shorten(&self, found: Attack) -> Attack {
        let mut best = found;
        loop {
            let before = best.witness.moves.len();
            let mut i = before;
            while i > 0 {
                let moves = &best.witness.moves;
                i = (i - 1).min(moves.len().saturating_sub(1));
                if moves.is_empty() || self.guard.stopped() {
                    break;
                }
                if let Ok(shorter) = self.confirm(&self.without(moves, i)) {
                    best = shorter;
                }
            }
            if best.witness.moves.len() == before {
                return best;
            }
        }
    }

    /// The run without a move and everything that follows it in the same thread.
    fn without(&self, moves: &[Move], i: usize) -> Vec<Move> {
        let mut gone = vec![false; self.system.steps.len()];
        self.mark(ends(&moves[i]), &mut gone);
        let mut kept: Vec<Move> = moves[..i].to_vec();
        for m in &moves[i + 1..] {
            let ends = ends(m);
            if ends.iter().any(|s| gone[s.index()]) {
                self.mark(ends, &mut gone);
            } else {
                kept.push(m.clone());
            }
        }
        kept
    }

    /// Marks steps and all that follows them.
    fn mark(&self, steps: Vec<StepId>, gone: &mut [bool]) {
        let mut work = steps;
        while let Some(step) = work.pop() {
            if std::mem::replace(&mut gone[step.index()], true) {
                continue;
            }
            match &self.system.step(step).action {
                Action::Nil => {}
                Action::Fork(parts) => work.extend(parts),
                Action::Output { next, .. }
                | Action::Input { next, .. }
                | Action::Event { next, .. }
                | Action::Phase { next, .. } => work.push(*next),
                Action::Test {
                    then, otherwise, ..
                } => work.extend([*then, *otherwise]),
            }
        }
    }
}

/// The steps a move runs.
fn ends(m: &Move) -> Vec<StepId> {
    match &m.kind {
        MoveKind::Communicate { receiver, .. } => vec![m.step, *receiver],
        // Nobody's: any of those who wait for it will do.
        MoveKind::Phase { .. } => Vec::new(),
        _ => vec![m.step],
    }
}

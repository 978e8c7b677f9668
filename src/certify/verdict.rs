//! The claims, checked again by their definition at the end of a replayed run.

use super::matching;
use super::replay::Replayer;
use super::{CertifyError, Derivation, Evidence, Move, Violation};
use crate::process::{
    ClaimKind, EventId, EventPattern, InstanceId, SecrecyTarget, SecretName, Strength, System,
};
use crate::term::{NameClass, Subst, TermId, TermStore, View};
use std::sync::Arc;

/// An event of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    /// Its move.
    pub at: usize,
    /// Which event.
    pub event: EventId,
    /// Its arguments.
    pub args: Vec<TermId>,
    /// The agents of the instance that made it.
    pub actors: Vec<TermId>,
}

/// Whether the instance that speaks for these agents is honest: each is a name, and neither a spy's nor one that the
/// attacker made up.
fn honest(store: &TermStore, actors: &[TermId]) -> bool {
    actors.iter().all(|a| match store.view(*a) {
        View::Name(n) => !matches!(
            store.name_info(n).class,
            NameClass::Spy | NameClass::Attacker
        ),
        _ => false,
    })
}

/// Confirms that the run violates the claim in the stated way.
pub(super) fn confirm(
    replayer: &Replayer<'_>,
    claim: &ClaimKind,
    violation: &Violation,
) -> Result<Evidence, CertifyError> {
    match (claim, violation) {
        (ClaimKind::Secrecy { targets, .. }, Violation::Leak { target, names }) => {
            let target = targets.get(*target).ok_or(CertifyError::WrongViolation)?;
            let copies = replayer.copies(target, names)?;
            let term = copies.apply(replayer.run.store, target.term);
            Ok(Evidence::Derived(replayer.leaked(term)?))
        }
        (
            ClaimKind::SecrecyAfter {
                term,
                event,
                unless,
                ..
            },
            Violation::LeakAfter { event: at },
        ) => {
            let (_, bound) = replayer.honest_event(event, *at)?;
            replayer.unexcused(unless, usize::MAX, &bound)?;
            let term = bound.apply(replayer.run.store, *term);
            Ok(Evidence::Derived(replayer.leaked(term)?))
        }
        (
            ClaimKind::Agreement {
                strength,
                after,
                before,
                unless,
                ..
            },
            Violation::Unmatched { events },
        ) => {
            let distinct = events
                .iter()
                .enumerate()
                .all(|(i, e)| !events[..i].contains(e));
            let injective = *strength == Strength::Injective;
            if events.is_empty() || !distinct || (events.len() > 1 && !injective) {
                return Err(CertifyError::WrongViolation);
            }
            for at in events {
                let (_, bound) = replayer.honest_event(after, *at)?;
                replayer.unexcused(unless, *at, &bound)?;
            }
            replayer.unmatched(after, before, events)
        }
        (ClaimKind::Reachable { event, .. }, Violation::Reached { event: at }) => {
            replayer.event(event, *at)?;
            Ok(Evidence::Reached)
        }
        (
            ClaimKind::Unsendable {
                channel, target, ..
            },
            Violation::Sendable { names },
        ) => {
            let copies = replayer.copies(target, names)?;
            let store = replayer.run.store;
            Ok(Evidence::Sent {
                channel: replayer.leaked(copies.apply(store, *channel))?,
                message: replayer.leaked(copies.apply(store, target.term))?,
            })
        }
        _ => Err(CertifyError::WrongViolation),
    }
}

impl Replayer<'_> {
    fn leaked(&self, term: TermId) -> Result<Arc<Derivation>, CertifyError> {
        self.derive(term)?.ok_or(CertifyError::NotLeaked { term })
    }

    /// The substitution of a target's restricted names by the given copies, each of which must be one that the target
    /// ranges over and made by an honest instance.
    fn copies(&self, target: &SecrecyTarget, names: &[TermId]) -> Result<Subst, CertifyError> {
        if names.len() != target.names.len() {
            return Err(CertifyError::WrongViolation);
        }
        let mut copies = Subst::new();
        for (secret, name) in target.names.iter().zip(names) {
            let origin = self
                .run
                .system
                .names
                .iter()
                .find(|o| o.term == *name && secret.sites.contains(&o.site))
                .ok_or(CertifyError::NotACopy { name: *name })?;
            if !self.made_by(secret, origin.instance) {
                return Err(CertifyError::NotACopy { name: *name });
            }
            // An instance picked by name counts whoever its agents are.
            if secret.instance.is_none() && !self.honestly_made(*name, origin.instance) {
                return Err(CertifyError::NotHonest { name: *name });
            }
            copies.bind(self.run.store.var(secret.var), *name);
        }
        Ok(copies)
    }

    /// Whether the instance is the one that the target picks, or is part of it.
    fn made_by(&self, secret: &SecretName, instance: InstanceId) -> bool {
        let Some((def, args)) = &secret.instance else {
            return true;
        };
        let mut inner = Some(instance);
        while let Some(i) = inner {
            let info = self.run.system.instance(i);
            if info.def == Some(*def) && self.run.all_values(&info.args) == *args {
                return true;
            }
            inner = info.parent;
        }
        false
    }

    fn honestly_made(&self, name: TermId, instance: InstanceId) -> bool {
        let system = self.run.system;
        match system.is_honest(self.run.store, instance) {
            Some(answer) => answer,
            None => self
                .created()
                .iter()
                .any(|c| c.name == name && honest(self.run.store, &c.actors)),
        }
    }

    /// The event of this move, if it matches the pattern, with the values of the pattern's variables.
    fn event(
        &self,
        pattern: &EventPattern,
        at: usize,
    ) -> Result<(&Occurrence, Subst), CertifyError> {
        let occurrence = self
            .history
            .iter()
            .find(|o| o.at == at)
            .ok_or(CertifyError::NotTheEvent { at })?;
        let mut bound = Subst::new();
        if self.fits(pattern, occurrence, &mut bound) {
            Ok((occurrence, bound))
        } else {
            Err(CertifyError::NotTheEvent { at })
        }
    }

    fn honest_event(
        &self,
        pattern: &EventPattern,
        at: usize,
    ) -> Result<(&Occurrence, Subst), CertifyError> {
        let (occurrence, bound) = self.event(pattern, at)?;
        if honest(self.run.store, &occurrence.actors) {
            Ok((occurrence, bound))
        } else {
            Err(CertifyError::DishonestEvent { at })
        }
    }

    fn fits(&self, pattern: &EventPattern, occurrence: &Occurrence, bound: &mut Subst) -> bool {
        pattern.event == occurrence.event
            && pattern.args.len() == occurrence.args.len()
            && pattern
                .args
                .iter()
                .zip(&occurrence.args)
                .all(|(p, a)| matching::fits(self.run.store, *p, *a, bound))
    }

    /// Confirms that no event before a move excuses what happened.
    fn unexcused(
        &self,
        unless: &[EventPattern],
        until: usize,
        bound: &Subst,
    ) -> Result<(), CertifyError> {
        let excuses = |o: &&Occurrence| {
            let fits = |p: &EventPattern| self.fits(p, o, &mut bound.clone());
            o.at < until && unless.iter().any(fits)
        };
        match self.history.iter().find(excuses) {
            Some(o) => Err(CertifyError::Excused { at: o.at }),
            None => Ok(()),
        }
    }

    /// Confirms that the events can't be given distinct matching earlier events.
    fn unmatched(
        &self,
        after: &EventPattern,
        before: &EventPattern,
        events: &[usize],
    ) -> Result<Evidence, CertifyError> {
        let mut candidates = Vec::new();
        for at in events {
            let (_, bound) = self.honest_event(after, *at)?;
            let earlier: Vec<usize> = self
                .history
                .iter()
                .filter(|o| o.at < *at && self.fits(before, o, &mut bound.clone()))
                .map(|o| o.at)
                .collect();
            candidates.push((*at, earlier));
        }
        match assign(&candidates) {
            Some(chosen) => Err(CertifyError::Matched {
                pairs: events.iter().copied().zip(chosen).collect(),
            }),
            None => Ok(Evidence::Unmatched(candidates)),
        }
    }
}

/// A way in which a run violates a claim (for `reachable`: fulfils it), found by trying all.
pub fn violation(
    store: &TermStore,
    system: &System,
    initial: &[TermId],
    claim: &ClaimKind,
    moves: &[Move],
) -> Result<Option<Violation>, CertifyError> {
    let replayer = Replayer::after(store, system, initial, moves)?;
    for violation in replayer.candidates(claim) {
        match confirm(&replayer, claim, &violation) {
            Ok(_) => return Ok(Some(violation)),
            Err(error @ CertifyError::BadDerivation { .. }) => return Err(error),
            Err(_) => {}
        }
    }
    Ok(None)
}

impl Replayer<'_> {
    /// The ways in which the claim could be violated.
    fn candidates(&self, claim: &ClaimKind) -> Vec<Violation> {
        let events = |wanted: EventId| -> Vec<usize> {
            let all = self.history.iter();
            all.filter(|o| o.event == wanted).map(|o| o.at).collect()
        };
        match claim {
            ClaimKind::Secrecy { targets, .. } => (0..)
                .zip(targets)
                .flat_map(|(target, t)| {
                    let leak = move |names| Violation::Leak { target, names };
                    self.choices(t).into_iter().map(leak)
                })
                .collect(),
            ClaimKind::Unsendable { target, .. } => {
                let sendable = |names| Violation::Sendable { names };
                self.choices(target).into_iter().map(sendable).collect()
            }
            ClaimKind::SecrecyAfter { event, .. } => events(event.event)
                .into_iter()
                .map(|event| Violation::LeakAfter { event })
                .collect(),
            ClaimKind::Reachable { event, .. } => events(event.event)
                .into_iter()
                .map(|event| Violation::Reached { event })
                .collect(),
            ClaimKind::Agreement {
                strength, after, ..
            } => {
                let one = |e: &usize| Violation::Unmatched { events: vec![*e] };
                let fits = |at: &usize| self.honest_event(after, *at).is_ok();
                let all: Vec<usize> = events(after.event).into_iter().filter(fits).collect();
                let mut found: Vec<Violation> = all.iter().map(one).collect();
                if *strength == Strength::Injective {
                    // Too few for the first so many are too few: the shortest such list is told.
                    found.extend((2..=all.len()).map(|n| Violation::Unmatched {
                        events: all[..n].to_vec(),
                    }));
                }
                found
            }
            ClaimKind::StrongSecrecy { .. }
            | ClaimKind::Equivalence(..)
            | ClaimKind::Preorder(..) => Vec::new(),
        }
    }

    /// The copies that a target's names can stand for.
    fn choices(&self, target: &SecrecyTarget) -> Vec<Vec<TermId>> {
        let mut all: Vec<Vec<TermId>> = vec![Vec::new()];
        for secret in &target.names {
            let copies: Vec<TermId> = self
                .run
                .system
                .names
                .iter()
                .filter(|o| secret.sites.contains(&o.site))
                .map(|o| o.term)
                .collect();
            all = all
                .into_iter()
                .flat_map(|chosen| {
                    let with = move |c: &TermId| chosen.iter().copied().chain([*c]).collect();
                    copies.iter().map(with).collect::<Vec<_>>()
                })
                .collect();
        }
        all
    }
}

/// Distinct candidates, one for each event: each event in turn takes one, and those in its way move on if they can.
fn assign(events: &[(usize, Vec<usize>)]) -> Option<Vec<usize>> {
    let mut chosen: Vec<Option<usize>> = vec![None; events.len()];
    for event in 0..events.len() {
        if !take(events, event, &mut chosen, &mut Vec::new()) {
            return None;
        }
    }
    chosen.into_iter().collect()
}

fn take(
    events: &[(usize, Vec<usize>)],
    event: usize,
    chosen: &mut Vec<Option<usize>>,
    tried: &mut Vec<usize>,
) -> bool {
    for candidate in &events[event].1 {
        if tried.contains(candidate) {
            continue;
        }
        tried.push(*candidate);
        let holder = chosen.iter().position(|c| *c == Some(*candidate));
        if holder.is_none_or(|other| take(events, other, chosen, tried)) {
            chosen[event] = Some(*candidate);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::assign;

    #[test]
    fn an_assignment_gives_distinct_candidates_or_none() {
        let events = [(5, vec![0, 1]), (6, vec![0])];
        assert_eq!(assign(&events), Some(vec![1, 0]));
        let events = [(5, vec![0]), (6, vec![0])];
        assert_eq!(assign(&events), None);
        assert_eq!(assign(&[(5, vec![])]), None);
    }
}

//! Keys that are lost: `forward secrecy`, and who is meant by a claim `given` somebody's key.

use super::Checker;
use super::globals::Symbol;
use super::phase::phases_not_covered;
use crate::base::source::{Code, Diagnostic, Span};
use crate::process::{ClaimKind, Closed, Loss, Type};
use crate::term::{FamilyKind, TermId, View};

/// More keys than this are not given away.
const MOST: usize = 1_000;

impl Checker<'_> {
    /// For `forward secrecy`: in phase 1, when all roles are gone, the attacker gets every long-term key.
    pub(super) fn forward(&mut self, forward: Option<Span>, closed: Option<&mut Closed>) {
        let (Some(span), Some(closed)) = (forward, closed) else {
            return;
        };
        if let Some(phase) = self.program.phase_in(closed.system) {
            let d = phases_not_covered("claims of forward secrecy", span, phase);
            self.sink.push(d);
            return;
        }
        let Some(keys) = self.long_term_keys(span) else {
            return;
        };
        if keys.is_empty() {
            self.sink.push(
                Diagnostic::new(Code::NothingLost, "there is no long-term key to be lost")
                    .at(span, "this is about what is secret although keys are lost later")
                    .note("long-term keys are the members of `keypair` and `key` families for the declared agents, and private names of type `Sym`")
                    .help("declare whose keys they are: `keypair K(Agent)`; or lose something else in a `phase 1.` of the system"),
            );
            return;
        }
        let phase = 1;
        let message = self.tuple(&keys, span);
        closed.lost.push(Loss {
            phase,
            message,
            span,
        });
    }

    /// The keys of all honest agents: members of families, and private names of the type for keys. `None` if they can't be listed.
    fn long_term_keys(&mut self, span: Span) -> Option<Vec<TermId>> {
        let mut keys = Vec::new();
        let mut wrong = None;
        for global in self.tables.globals.iter() {
            let Symbol::Family(kind, id, params) = &global.symbol else {
                continue;
            };
            if params.iter().any(|ty| !ty.is_agent()) {
                wrong = wrong.or(Some((global.name.clone(), global.span)));
                continue;
            }
            let mut members: Vec<Vec<TermId>> = vec![Vec::new()];
            for ty in params {
                let signature = &self.program.signature;
                let able = |a: &&TermId| signature.may_play(**a, *ty);
                let able: Vec<TermId> = signature.agents.iter().filter(able).copied().collect();
                if members.len() * able.len() > MOST {
                    wrong = wrong.or(Some((global.name.clone(), global.span)));
                    members.clear();
                }
                let with = |m: &Vec<TermId>, a: &TermId| [m.as_slice(), &[*a]].concat();
                members = (members.iter())
                    .flat_map(|m| able.iter().map(|a| with(m, a)).collect::<Vec<_>>())
                    .collect();
            }
            keys.extend(members.iter().map(|m| {
                let member = self.store.family(*id, m);
                match kind {
                    FamilyKind::KeyPair => self.store.priv_part(member),
                    FamilyKind::Symmetric => member,
                }
            }));
        }
        if let Some((name, place)) = wrong {
            self.sink.push(
                Diagnostic::new(
                    Code::NothingLost,
                    format!("the keys `{name}(..)` can't be listed"),
                )
                .at(span, "every long-term key is lost here")
                .and(
                    place,
                    "its members are not those of the declared agents, or too many",
                )
                .help("write what is lost into the system: `phase 1. net<..>`"),
            );
            return None;
        }
        let signature = &self.program.signature;
        let is_key = |t: &&TermId| self.program.type_of_name(**t) == Type::Sym;
        keys.extend(signature.privates.iter().filter(is_key));
        Some(keys)
    }

    /// If what is given from the start are keys of one agent, and the first argument of the event, which says whose it is, is a
    /// variable, then this agent is meant: its session, although its key is lost.
    pub(super) fn about_who_lost(&self, kind: &mut ClaimKind) {
        let store = self.store;
        let Some(agent) = kind.system().and_then(|s| self.one_loser(s)) else {
            return;
        };
        let (ClaimKind::SecrecyAfter { event, .. } | ClaimKind::Agreement { after: event, .. }) =
            &*kind
        else {
            return;
        };
        let Some(first) = event.args.first().copied() else {
            return;
        };
        if !matches!(store.view(first), View::Var(_)) {
            return;
        }
        let put = |t: &mut TermId| {
            *t = store.map_atoms(*t, &mut |atom| (atom == first).then_some(agent));
        };
        match kind {
            ClaimKind::SecrecyAfter {
                term,
                event,
                unless,
                ..
            } => {
                put(term);
                let excuses = unless.iter_mut().flat_map(|e| &mut e.args);
                event.args.iter_mut().chain(excuses).for_each(put);
            }
            ClaimKind::Agreement {
                after,
                before,
                unless,
                ..
            } => {
                let excuses = unless.iter_mut().flat_map(|e| &mut e.args);
                let asked = after.args.iter_mut().chain(&mut before.args);
                asked.chain(excuses).for_each(put);
            }
            _ => {}
        }
    }

    /// The honest agent whose keys are given from the start, if it is one.
    fn one_loser(&self, closed: &Closed) -> Option<TermId> {
        let store = self.store;
        let mut loser = None;
        for loss in closed.lost.iter().filter(|l| l.phase == 0) {
            let mut parts = vec![loss.message];
            while let Some(t) = parts.pop() {
                let key = match store.view(t) {
                    View::Tuple(inner) => {
                        parts.extend(inner);
                        continue;
                    }
                    View::Priv(pair) => pair,
                    _ => t,
                };
                let View::Family(_, owners) = store.view(key) else {
                    return None;
                };
                let [owner] = owners[..] else { return None };
                let honest = self.program.signature.agents.contains(&owner);
                if !honest || *loser.get_or_insert(owner) != owner {
                    return None;
                }
            }
        }
        loser
    }
}

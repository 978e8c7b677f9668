//! What a run has shown, in words: who believes what, and why it is wrong.

use super::cast::Party;
use super::company::Company;
use super::owner::Owner;
use super::story::{Context, Happening, Story};
use crate::analysis::Attack;
use crate::certify::{Derivation, Evidence, Source, Violation};
use crate::process::{Action, ClaimKind, EventPattern, InstanceId, Strength, System};
use crate::term::{NameClass, Subst, TermId, TermStore, View, unify};

/// The end of the story of a run that violates (for `reachable`: fulfils) a claim; one sentence each.
pub fn ending(ctx: Context<'_>, claim: &ClaimKind, attack: &Attack, story: &Story) -> Vec<String> {
    let end = Ending {
        ctx,
        attack,
        system: &attack.system,
        story,
    };
    let replayed = &attack.replayed;
    match (claim, &replayed.violation, &replayed.evidence) {
        (ClaimKind::Secrecy { .. }, Violation::Leak { names, .. }, Evidence::Derived(d)) => {
            let mut said = vec![end.knows(d)];
            said.extend(names.iter().filter_map(|n| end.made_by(*n)));
            said.extend(names.iter().find_map(|n| end.handed_over(*n, d)));
            said.extend(end.private(d.term));
            said
        }
        (ClaimKind::SecrecyAfter { .. }, Violation::LeakAfter { event }, Evidence::Derived(d)) => {
            let mut said = vec![end.knows(d)];
            if let Some(happened) = story.event_at(*event) {
                let name = &story.cast.players[happened.player].name;
                said.push(format!(
                    "{name} believes it secret: {}.",
                    end.event(happened)
                ));
            }
            said
        }
        (
            ClaimKind::Agreement {
                strength,
                after,
                before,
                ..
            },
            _,
            Evidence::Unmatched(events),
        ) => end.disagreement(*strength, after, before, events),
        (ClaimKind::Reachable { .. }, Violation::Reached { event }, _) => story
            .event_at(*event)
            .map(|e| {
                let name = &story.cast.players[e.player].name;
                format!("{name} has done {}.", end.event(e))
            })
            .into_iter()
            .collect(),
        (ClaimKind::Unsendable { .. }, _, Evidence::Sent { channel, message }) => vec![format!(
            "{} can send {} on {}: it {}.",
            story.cast.spy,
            end.show(message.term),
            end.show(channel.term),
            story.teller(ctx.store).make(message),
        )],
        _ => Vec::new(),
    }
}

struct Ending<'a> {
    ctx: Context<'a>,
    attack: &'a Attack,
    system: &'a System,
    story: &'a Story,
}

impl Ending<'_> {
    fn store(&self) -> &TermStore {
        self.ctx.store
    }

    fn show(&self, term: TermId) -> String {
        self.story.spelling.show(self.store(), term)
    }

    fn event(&self, happening: &Happening) -> String {
        let info = &self.ctx.program.events[happening.event.index()];
        self.call(&info.label, &happening.args)
    }

    fn call(&self, label: &str, args: &[TermId]) -> String {
        let args: Vec<String> = args.iter().map(|t| self.show(*t)).collect();
        format!("{label}({})", args.join(", "))
    }

    /// `C knows Nb: it decrypts 5 with K(C)-.`
    fn knows(&self, derivation: &Derivation) -> String {
        let spy = &self.story.cast.spy;
        let term = self.show(derivation.term);
        let teller = self.story.teller(self.store());
        let uses = super::making::uses(derivation);
        let plain = uses.iter().all(|u| u.opened.is_empty());
        let atom = self.store().node(derivation.term).args.is_empty();
        let own = super::making::own_names(self.store(), derivation.term) == [derivation.term];
        if own {
            return format!("{spy} knows {term}: it made it up itself.");
        }
        if let View::Name(n) = self.store().view(derivation.term)
            && self.store().name_info(n).class.is_public()
        {
            return format!("{spy} knows {term}: it is public.");
        }
        if plain && atom && !uses.is_empty() {
            let mut sent: Vec<String> = uses
                .iter()
                .filter(|u| matches!(u.source, Source::Sent(_)))
                .map(|u| teller.source(u.source))
                .collect();
            sent.dedup();
            return match sent.as_slice() {
                [] => format!("{spy} knows {term} from before."),
                _ => format!("{spy} knows {term}: it reads it in {}.", sent.join(", ")),
            };
        }
        format!("{spy} knows {term}: it {}.", teller.make(derivation))
    }

    /// That a name is declared private.
    fn private(&self, term: TermId) -> Option<String> {
        match self.store().view(term) {
            View::Name(n) if self.store().name_info(n).class == NameClass::Private => {
                Some(format!("{} is declared private.", self.show(term)))
            }
            _ => None,
        }
    }

    /// Who made a name, and for whom.
    fn made_by(&self, name: TermId) -> Option<String> {
        let origin = self.system.names.iter().find(|o| o.term == name)?;
        let role = self.system.role_of(origin.instance);
        let spelt = self.show(name);
        let plays = super::cast::written(self.store(), self.system, role, &self.story.values);
        let values = &self.story.values;
        let company = Company::new(self.store(), self.ctx.program, self.system, values);
        let owner = company.owner(role);
        let friends = self.friends(role, &owner);
        let who = match self.story.cast.players.iter().find(|p| p.role == role) {
            Some(player) => player.name.clone(),
            None => owner.label(self.store()),
        };
        Some(match friends.as_slice() {
            [] => format!("{spelt} was made in {plays}, to be kept secret."),
            _ if owner.agent().is_none() => format!(
                "{spelt} was made in {plays}, for {} alone.",
                friends.join(" and ")
            ),
            _ => format!(
                "{who} made {spelt} in {plays}, to share it with {} alone.",
                friends.join(" and ")
            ),
        })
    }

    /// That whoever made a name has itself sent it under a key of the spy's, or to the spy under a key that the spy made up, for an agent that it
    /// learned from a message: whom an instance speaks for is said by its arguments alone.
    fn handed_over(&self, name: TermId, derivation: &Derivation) -> Option<String> {
        let store = self.store();
        let origin = self.system.names.iter().find(|o| o.term == name)?;
        let role = self.system.role_of(origin.instance);
        let uses = super::making::uses(derivation);
        let spys = |key: &TermId| {
            let mut found = false;
            store.visit(*key, &mut |t| {
                found |= store.is_spy(t);
                !found
            });
            found
        };
        let [used] = uses.as_slice() else {
            return None;
        };
        let Source::Sent(at) = used.source else {
            return None;
        };
        let to_spy = self.story.sent_by(at).is_some_and(|sent| {
            let to = &sent.to;
            matches!(
                to,
                Party::Spy {
                    acting_as: None,
                    ..
                }
            )
        });
        let own_keys = |key: &TermId| to_spy && !super::making::own_names(store, *key).is_empty();
        let sender = self.attack.replayed.moves.get(at)?.action.step;
        let own = self.system.role_of(self.system.step(sender).instance) == role;
        if !own
            || !used
                .opened
                .iter()
                .flat_map(|o| &o.with)
                .any(|k| spys(k) || own_keys(k))
        {
            return None;
        }
        // Who names its partner was tricked into that.
        let values = &self.story.values;
        let owner = Company::new(store, self.ctx.program, self.system, values).owner(role);
        if !self.friends(role, &owner).is_empty() {
            return None;
        }
        let plays = super::cast::written(store, self.system, role, values);
        Some(format!(
            "{plays} itself sends {} to {}. A role instance speaks for the agents among its arguments, not for those that it learns \
             from messages, so {plays} counts as honest. If it may serve spies, claim `secrecy k after E(.., k)` for an \
             event E of those it is meant for.",
            self.show(name),
            self.story.cast.spy
        ))
    }

    /// The agents that an instance talks to, its owner left out.
    fn friends(&self, role: InstanceId, owner: &Owner) -> Vec<String> {
        let instance = self.system.instance(role);
        instance
            .actors
            .iter()
            .map(|a| self.story.values.of(self.store(), *a))
            .filter(|a| Some(*a) != owner.agent())
            .map(|a| self.store().show(a))
            .collect()
    }

    fn disagreement(
        &self,
        strength: Strength,
        after: &EventPattern,
        before: &EventPattern,
        events: &[(usize, Vec<usize>)],
    ) -> Vec<String> {
        let happened: Vec<&Happening> = events
            .iter()
            .filter_map(|(at, _)| self.story.event_at(*at))
            .collect();
        let Some(first) = happened.first() else {
            return Vec::new();
        };
        let name = &self.story.cast.players[first.player].name;
        let label = &self.ctx.program.events[before.event.index()].label;
        let wanted = self.wanted(after, before, &first.args);
        let wanted_text = self.pattern(label, &wanted);
        if happened.len() > 1 {
            let matching: usize = {
                let mut all: Vec<usize> = events.iter().flat_map(|(_, m)| m.clone()).collect();
                all.sort_unstable();
                all.dedup();
                all.len()
            };
            let done: Vec<String> = happened
                .iter()
                .map(|h| {
                    let who = &self.story.cast.players[h.player].name;
                    format!("{who} does {}", self.event(h))
                })
                .collect();
            let times = match matching {
                0 => "never".to_owned(),
                1 => "once".to_owned(),
                n => format!("only {n} times"),
            };
            return vec![
                format!("{}.", done.join(", ")),
                format!("But {wanted_text} happened {times}: the same run was accepted again."),
            ];
        }
        let mut said = vec![format!("{name} believes {}.", self.event(first))];
        let who = wanted.first().map(|t| self.show(*t));
        match strength {
            Strength::Aliveness => {
                let who = who.unwrap_or_else(|| "its partner".to_owned());
                said.push(format!("But {who} has not done {label} at all."));
            }
            _ => said.push(format!("But {wanted_text} has not happened before.")),
        }
        let instead: Vec<String> = self
            .story
            .beats
            .iter()
            .filter_map(|b| match b {
                super::story::Beat::Event(e) if e.event == before.event && e.at != first.at => {
                    Some(self.event(e))
                }
                _ => None,
            })
            .collect();
        if !instead.is_empty() {
            said.push(format!("What did happen is {}.", instead.join(", ")));
        }
        said.extend(self.spys_own(first));
        said
    }

    /// That the event is about a spy, of whom its role instance was told by a message: whom an instance speaks for, and so whether it counts, is
    /// said by its arguments alone.
    fn spys_own(&self, first: &Happening) -> Option<String> {
        let store = self.store();
        let Action::Event { args, .. } = &self.system.step(first.step).action else {
            return None;
        };
        let agent = |t: &TermId| match store.view(*t) {
            View::Var(v) => self.system.vars[v as usize].ty.is_agent(),
            _ => false,
        };
        let mut told = args.iter().zip(&first.args);
        let (_, spy) = told.find(|(arg, value)| agent(arg) && store.is_spy(**value))?;
        let player = &self.story.cast.players[first.player];
        Some(format!(
            "This is a session of {} with the spy {}. A role instance speaks for the agents among its arguments, not for those that it learns \
             from messages, so it counts. To leave such sessions out, give the role its partner as an argument, and compare.",
            player.name,
            self.show(*spy)
        ))
    }

    /// The arguments that the earlier event should have had.
    fn wanted(&self, after: &EventPattern, before: &EventPattern, args: &[TermId]) -> Vec<TermId> {
        let store = self.store();
        let pairs: Vec<(TermId, TermId)> = after
            .args
            .iter()
            .copied()
            .zip(args.iter().copied())
            .collect();
        let rank = |t: TermId| matches!(store.view(t), View::Var(_)).then_some(0);
        let mut bound = Subst::new();
        unify(store, &pairs, &rank, &mut bound);
        before
            .args
            .iter()
            .map(|t| bound.resolve(store, *t))
            .collect()
    }

    /// An event whose unbound arguments are shown as `_`.
    fn pattern(&self, label: &str, args: &[TermId]) -> String {
        let store = self.store();
        let args: Vec<String> = args
            .iter()
            .map(|t| {
                store.show_with(*t, &|atom: TermId| match store.view(atom) {
                    View::Var(_) => Some("_".to_owned()),
                    _ => crate::term::Naming::spell(&self.story.spelling, atom),
                })
            })
            .collect();
        format!("{label}({})", args.join(", "))
    }
}

//! Claims that hold for nothing [Sem 6.3]: nothing in the system makes them say anything.
//!
//! A claim protects honest agents. If no honest role instance makes the secret, or marks the event from which on something must be so,
//! then no attacker can break the claim, and none had to be kept from it.

use super::Gate;
use super::claimed_instances::keeps_own;
use super::one_system::instance_name;
use super::own_event::keeps_with_itself;
use super::proof::NoProof;
use super::question::{Answer, Question};
use super::sessions::Cast;
use crate::attacker::solver::Typing;
use crate::engine::honest::HonestMove;
use crate::engine::search::{Goal, Options, Outcome, Secret, Setup, explore};
use crate::process::{
    Action, ClaimKind, EventId, EventPattern, InstanceId, NameOrigin, Program, SecrecyTarget,
    Strength, System, UnfoldError,
};
use crate::term::{NameClass, TermId, TermStore, View};
use std::sync::Arc;

/// Why a claim says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vacuity {
    /// Nobody makes the secret.
    NotMade {
        /// The target as written.
        target: String,
    },
    /// Only role instances with a spy among their agents make the secret.
    MadeForSpies {
        /// The target as written.
        target: String,
        /// The instances.
        instances: Vec<String>,
    },
    /// The system does not mention a private name of the secret.
    NotMentioned {
        /// The target as written.
        target: String,
        /// The name.
        name: String,
    },
    /// The fresh name of the secret is made, but no message, key, channel or test has it.
    NotUsedSecret {
        /// The target as written.
        target: String,
        /// The name.
        name: String,
    },
    /// Whoever marks the event has itself marked the one that must come before.
    OwnEvent {
        /// The later event.
        after: String,
        /// The earlier one.
        before: String,
    },
    /// No role instance marks the event.
    NotMarked {
        /// The event.
        event: String,
    },
    /// Only role instances with a spy among their agents mark the event.
    MarkedForSpies {
        /// The event.
        event: String,
        /// The instances.
        instances: Vec<String>,
    },
    /// No run gets to the event in a role instance of honest agents.
    NotReached {
        /// The event.
        event: String,
    },
    /// A system is compared with itself.
    SameSystem,
    /// The system does not use the parameter that is to stay secret.
    NotUsed {
        /// The parameter.
        parameter: String,
    },
}

/// Why a claim that compares systems says nothing, if it does not.
pub(super) fn of_comparison(
    store: &TermStore,
    program: &Program,
    claim: &ClaimKind,
) -> Option<Vacuity> {
    match claim {
        ClaimKind::Equivalence(left, right) | ClaimKind::Preorder(left, right) => {
            (left == right).then_some(Vacuity::SameSystem)
        }
        ClaimKind::StrongSecrecy { param, system } => {
            let body = &program.systems[system.system.index()].body;
            let parameter = *body.params.get(*param)?;
            let var = store.var(parameter);
            // Variables are numbered apart over the whole program.
            let used = (program.procs.iter()).any(|proc| mentions(store, &proc.terms(), var));
            (!used).then(|| Vacuity::NotUsed {
                parameter: program.vars[parameter as usize].label.to_string(),
            })
        }
        _ => None,
    }
}

/// Whether the arguments of a step may be those of a claim: names in the same place are the same.
fn may_be(store: &TermStore, asked: &[TermId], args: &[TermId]) -> bool {
    let known = |t: TermId| store.is_ground(t);
    let mut pairs = asked.iter().zip(args);
    pairs.all(|(a, b)| a == b || !known(*a) || !known(*b))
}

fn mentions(store: &TermStore, terms: &[TermId], part: TermId) -> bool {
    let mut found = false;
    for t in terms {
        store.visit(*t, &mut |s| {
            found |= s == part;
            !found
        });
    }
    found
}

/// Why a claim about one system that holds says nothing, if it does not. The honest run of the system shows at once that most events
/// can happen.
pub(super) fn of_claim(
    question: &Question<'_>,
    gate: Option<&Gate>,
) -> Result<Option<Vacuity>, UnfoldError> {
    let asked = Asked::new(question)?;
    Ok(match question.claim {
        ClaimKind::Secrecy { targets, .. } => asked.secrets(targets),
        ClaimKind::Unsendable { target, .. } => asked.secrets(std::slice::from_ref(target)),
        ClaimKind::SecrecyAfter { event, .. } => asked.event(event, gate),
        ClaimKind::Agreement { after, before, .. } => {
            let (store, program) = (asked.question.store, asked.question.program);
            let label = |e: &EventPattern| program.events[e.event.index()].label.to_string();
            let with_itself = || {
                keeps_with_itself(store, &asked.system, after, before).then(|| Vacuity::OwnEvent {
                    after: label(after),
                    before: label(before),
                })
            };
            asked.event(after, gate).or_else(with_itself)
        }
        _ => None,
    })
}

/// What a claim is asked of: the system as it is written, or all role instances of `--sessions` together.
struct Asked<'a> {
    question: &'a Question<'a>,
    system: Arc<System>,
    /// It is the system as it is written.
    written: bool,
}

impl<'a> Asked<'a> {
    fn new(question: &'a Question<'a>) -> Result<Self, UnfoldError> {
        let Question {
            store,
            systems,
            program,
            closed,
            claim,
            settings,
            ..
        } = *question;
        let (bounds, most) = (settings.bounds, settings.budgets.everyone);
        if settings.sessions.is_some()
            && let Cast::All(all) =
                systems.everyone(store, program, closed, keeps_own(claim), bounds, most)
        {
            return Ok(Self {
                question,
                system: all.unfolded.clone(),
                written: false,
            });
        }
        Ok(Self {
            question,
            system: systems.unfolded(store, program, closed, bounds)?,
            written: true,
        })
    }

    /// The role instances that these belong to, each once.
    fn names(&self, instances: impl Iterator<Item = InstanceId>) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for i in instances {
            let name = instance_name(self.question.store, &self.system, self.system.role_of(i));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Every target must have an instance that counts.
    fn secrets(&self, targets: &[SecrecyTarget]) -> Option<Vacuity> {
        let store = self.question.store;
        let goal = Goal::new(store, &self.system, self.question.claim)?;
        let (Goal::Leak(secrets)
        | Goal::Send {
            messages: secrets, ..
        }) = goal
        else {
            return None;
        };
        for (i, target) in targets.iter().enumerate() {
            let text = || target.text.clone();
            let mut copies = secrets.iter().filter(|s| s.target == i).peekable();
            if copies.peek().is_none() {
                // Some restricted name of it has no copy that counts.
                let makers = self.names(target.names.iter().flat_map(|name| {
                    let made = |o: &&NameOrigin| name.sites.contains(&o.site);
                    self.system.names.iter().filter(made).map(|o| o.instance)
                }));
                return Some(if makers.is_empty() {
                    Vacuity::NotMade { target: text() }
                } else {
                    Vacuity::MadeForSpies {
                        target: text(),
                        instances: makers,
                    }
                });
            }
            if let Some(name) = self.not_mentioned(target) {
                return Some(Vacuity::NotMentioned {
                    target: text(),
                    name: store.show(name),
                });
            }
            let unused = |s: &Secret| s.names.iter().copied().find(|n| !self.is_used(*n));
            if let Some(names) = copies.map(unused).collect::<Option<Vec<TermId>>>()
                && let Some(name) = names.first()
            {
                return Some(Vacuity::NotUsedSecret {
                    target: text(),
                    name: self.label(*name),
                });
            }
        }
        None
    }

    /// Whether some message, key, channel or test has a name: in events nobody hears it.
    fn is_used(&self, name: TermId) -> bool {
        let store = self.question.store;
        let quiet = |action: &Action| matches!(action, Action::Event { .. });
        let steps = &mut self.system.steps.iter().filter(|s| !quiet(&s.action));
        steps.any(|step| mentions(store, &step.action.terms(), name))
    }

    /// A name as the model writes it.
    fn label(&self, name: TermId) -> String {
        let store = self.question.store;
        match store.view(name) {
            View::Name(n) => store.name_info(n).label.to_string(),
            _ => store.show(name),
        }
    }

    /// A private name of a target that no step mentions.
    fn not_mentioned(&self, target: &SecrecyTarget) -> Option<TermId> {
        let store = self.question.store;
        let mut private: Vec<TermId> = Vec::new();
        store.visit(target.term, &mut |t| {
            if let View::Name(n) = store.view(t)
                && store.name_info(n).class == NameClass::Private
            {
                private.push(t);
            }
            true
        });
        let used = |name: &TermId| {
            let steps = &mut self.system.steps.iter();
            steps.any(|step| mentions(store, &step.action.terms(), *name))
        };
        private.into_iter().find(|name| !used(name))
    }

    /// An instance of honest agents must come to the event.
    fn event(&self, pattern: &EventPattern, gate: Option<&Gate>) -> Option<Vacuity> {
        let Question { store, program, .. } = *self.question;
        let label = || program.events[pattern.event.index()].label.to_string();
        let (mut marked, mut meant) = (false, false);
        let mut for_spies: Vec<InstanceId> = Vec::new();
        for step in &self.system.steps {
            if let Action::Event {
                event,
                actors,
                args,
                ..
            } = &step.action
                && *event == pattern.event
            {
                if actors.iter().any(|a| store.is_spy(*a)) {
                    for_spies.push(step.instance);
                } else {
                    marked = true;
                    meant |= may_be(store, &pattern.args, args);
                }
            }
        }
        if !marked && for_spies.is_empty() {
            return Some(Vacuity::NotMarked { event: label() });
        }
        if !marked {
            return Some(Vacuity::MarkedForSpies {
                event: label(),
                instances: self.names(for_spies.into_iter()),
            });
        }
        // In a part of a system nobody need get there: what keeps them from it may be what is claimed.
        let partial = program.systems[self.question.closed.system.index()].partial;
        let seen = gate.is_some_and(|gate| happens(store, gate, pattern));
        let reached = meant && (!self.written || partial || seen || self.is_reached(pattern));
        (!reached).then(|| Vacuity::NotReached { event: label() })
    }

    /// Whether some attacker may bring a role instance of honest agents to the event; a limit that is met counts as yes, and so does a bound: one
    /// more copy, or one more return, might get there. Then only a proof for any number of copies says no.
    fn is_reached(&self, pattern: &EventPattern) -> bool {
        let Question {
            store,
            program,
            settings,
            observer,
            ..
        } = *self.question;
        let goal = Goal::honest_event(store, pattern);
        let typing = settings.typed.then(|| Typing::new(program, &self.system));
        let signature = &program.signature;
        let named = signature.named();
        let setup = Setup::new(
            store,
            &self.system,
            &signature.knows,
            &signature.spies,
            &named,
            typing.as_ref(),
            &goal,
            Options {
                all: false,
                workers: 1,
                ..settings.search
            },
        );
        let mut limits = settings.limits.start();
        let states = settings.budgets.event_states as u64;
        limits.states = Some(limits.states.unwrap_or(states).min(states));
        let reached = match explore(&setup, &limits, observer).0 {
            Outcome::Complete(found) => !found.is_empty(),
            Outcome::Reached(_) | Outcome::Stopped(..) => true,
        };
        let bounded = !self.system.cuts.is_empty() || !self.system.copied.is_empty();
        reached || bounded && !self.never_happens(pattern)
    }

    /// Whether it is proved that no role instance of honest agents gets to the event, however many copies there are.
    fn never_happens(&self, pattern: &EventPattern) -> bool {
        let claim = ClaimKind::Agreement {
            strength: Strength::Full,
            after: pattern.clone(),
            before: EventPattern {
                event: EventId::NEVER,
                args: Vec::new(),
                span: pattern.span,
            },
            unless: Vec::new(),
            system: self.question.closed.clone(),
        };
        let asked = Question {
            claim: &claim,
            ..*self.question
        };
        match asked.proof(|_| {}) {
            Ok(Answer::Proved(found, ..)) => !found.cut && !found.copied,
            Err(NoProof::Refused(error)) => {
                debug_assert!(false, "a wrong proof: {error}");
                false
            }
            _ => false,
        }
    }
}

/// Whether an honest run marks the event in a role instance of honest agents, with arguments that a pattern of variables fits.
fn happens(store: &TermStore, gate: &Gate, pattern: &EventPattern) -> bool {
    let mut seen: Vec<TermId> = Vec::new();
    let open = pattern.args.iter().all(|t| {
        let fresh = !seen.contains(t);
        seen.push(*t);
        fresh && matches!(store.view(*t), View::Var(_))
    });
    let moves = &mut gate.runs.iter().flat_map(|run| &run.moves);
    open && moves.any(|m| {
        let HonestMove::Event { step, .. } = m else {
            return false;
        };
        match &gate.system.step(*step).action {
            Action::Event { event, actors, .. } => {
                *event == pattern.event && !actors.iter().any(|a| store.is_spy(*a))
            }
            _ => false,
        }
    })
}

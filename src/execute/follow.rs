//! Following a narration by the concrete semantics: who sends what, and who receives it.
//!
//! Each line is one message, and nothing else happens. Messages have variables for the values that
//! the narration names; a name stands for the same value on all lines. A message of a role must be
//! what the role really sends, whether the attacker can read it or not. A message of the attacker
//! must be one that it can make. A role marks its events as soon as it reaches them, its first ones
//! when it first acts.

use super::narration::{Discrepancy, End, Followed, Line, NarratedSystem};
use crate::certify::budgets::TALES;
use crate::certify::{CertifyError, Checked, Deduction, Move, MoveKind, Run, Source, fits};
use crate::process::{Action, InstanceId, StepId};
use crate::term::{NameClass, Subst, TermId, TermStore, View};

/// Follows a narration to its end. Returns all runs that fit, or else the one that gets furthest.
pub fn follow(
    narration: NarratedSystem<'_>,
    lines: &[Line],
) -> Result<Vec<Followed>, CertifyError> {
    let (run, _) = Run::start(narration.store, narration.system)?;
    let start = State {
        run,
        knowledge: Deduction::with_initial(narration.store, narration.initial),
        moves: Vec::new(),
        bound: Subst::new(),
        numbered: Vec::new(),
        line: 0,
    };
    let mut teller = Follower {
        narration,
        lines,
        furthest: None,
    };
    let mut ends = Vec::new();
    let mut work = vec![start];
    let mut tries = 0;
    while let Some(state) = work.pop() {
        tries += 1;
        if tries > TALES {
            break;
        }
        if state.line == lines.len() {
            ends.push(state.told(None));
            continue;
        }
        let mut next = teller.successors(&state)?;
        next.reverse();
        work.extend(next);
    }
    if ends.is_empty() {
        ends.extend(teller.furthest);
    }
    for end in &mut ends {
        end.limited = tries > TALES;
    }
    Ok(ends)
}

#[derive(Clone)]
struct State<'a> {
    run: Run<'a>,
    knowledge: Deduction<'a>,
    moves: Vec<Move>,
    bound: Subst,
    /// The instances behind numbered names.
    numbered: Vec<(String, InstanceId)>,
    line: usize,
}

impl State<'_> {
    fn told(&self, discrepancy: Option<Discrepancy>) -> Followed {
        Followed {
            moves: self.moves.clone(),
            bound: self.bound.clone(),
            discrepancy: discrepancy.map(|t| (self.line, t)),
            limited: false,
        }
    }

    /// Lets a step run, and the events that it leads to.
    fn take(
        &mut self,
        step: StepId,
        kind: MoveKind,
        message: Option<TermId>,
    ) -> Result<Vec<Checked>, CertifyError> {
        let waiting = self.run.ready.clone();
        self.moves.push(Move { step, kind });
        let mut checked = self.run.take(step, message)?;
        while let Some((event, args)) = self.event(|s| !waiting.contains(&s)) {
            self.moves.push(Move {
                step: event,
                kind: MoveKind::Event { args },
            });
            checked.extend(self.run.take(event, None)?);
        }
        Ok(checked)
    }

    /// An event that is ready.
    fn event(&self, wanted: impl Fn(StepId) -> bool) -> Option<(StepId, Vec<TermId>)> {
        self.run.ready.iter().find_map(|s| {
            let Action::Event { args, .. } = &self.run.system.step(*s).action else {
                return None;
            };
            wanted(*s).then(|| (*s, self.run.all_values(args)))
        })
    }

    /// The events that a role instance has before its first message.
    fn wake(&mut self, role: InstanceId) -> Result<(), CertifyError> {
        let system = self.run.system;
        let is_its = |s: StepId| system.role_of(system.step(s).instance) == role;
        while let Some((event, args)) = self.event(is_its) {
            self.take(event, MoveKind::Event { args }, None)?;
        }
        Ok(())
    }
}

struct Follower<'a, 'b> {
    narration: NarratedSystem<'a>,
    lines: &'b [Line],
    furthest: Option<Followed>,
}

impl<'a> Follower<'a, '_> {
    /// The states after the next line.
    fn successors(&mut self, state: &State<'a>) -> Result<Vec<State<'a>>, CertifyError> {
        let line = &self.lines[state.line];
        let mut found = Vec::new();
        match &line.from {
            End::Spy => {
                let mut state = state.clone();
                let message = self.made(&mut state, line.message);
                if let Some(part) = lacking(self.narration.store, &state.knowledge, message) {
                    self.note(&state, Discrepancy::Lacks(part));
                    return Ok(found);
                }
                self.deliver(&state, &line.to, message, &mut found)?;
            }
            End::Roles(..) => {
                for (state, message) in self.said(state, line)? {
                    self.deliver(&state, &line.to, message, &mut found)?;
                }
            }
        }
        for state in &mut found {
            state.line += 1;
        }
        Ok(found)
    }

    /// The message of a line of the attacker's: names without a value are its own.
    fn made(&self, state: &mut State<'a>, message: TermId) -> TermId {
        let store = self.narration.store;
        store.visit(message, &mut |t| {
            if let View::Var(_) = store.view(t)
                && state.bound.get(t).is_none()
            {
                let copy = state.bound.len() as u32 + 1;
                state
                    .bound
                    .bind(t, store.name(NameClass::Attacker, "n", copy));
            }
            true
        });
        state.bound.apply(store, message)
    }

    /// The states in which the sender of a line has sent its message.
    fn said(
        &mut self,
        state: &State<'a>,
        line: &Line,
    ) -> Result<Vec<(State<'a>, TermId)>, CertifyError> {
        let mut found = Vec::new();
        for awake in instances(state, &line.from)? {
            let (awake, role) = awake;
            for (step, channel, message) in self.outputs(&awake, role) {
                let mut bound = awake.bound.clone();
                let same = fits(self.narration.store, line.message, message, &mut bound)
                    && self.sensible(&bound);
                if !same {
                    self.note(state, Discrepancy::Differs(message));
                    continue;
                }
                let mut next = awake.clone();
                next.bound = bound;
                let at = next.moves.len();
                next.take(step, MoveKind::Send { channel, message }, None)?;
                next.knowledge.learn(Source::Sent(at), message);
                found.push((next, message));
            }
        }
        if found.is_empty() {
            self.note(state, Discrepancy::Silent);
        }
        Ok(found)
    }

    /// Whether no name stands for a declared name, and no two names for one value.
    fn sensible(&self, bound: &Subst) -> bool {
        let store = self.narration.store;
        let declared = |t: TermId| match store.view(t) {
            View::Name(n) => matches!(
                store.name_info(n).class,
                NameClass::Public | NameClass::Spy | NameClass::Private
            ),
            View::Zero => true,
            _ => false,
        };
        let all: Vec<TermId> = bound.iter().map(|(_, t)| t).collect();
        let twice = |i: usize, t: &TermId| all[..i].contains(t);
        !all.iter()
            .enumerate()
            .any(|(i, t)| declared(*t) || twice(i, t))
    }

    fn outputs(&self, state: &State<'a>, role: InstanceId) -> Vec<(StepId, TermId, TermId)> {
        let system = self.narration.system;
        let ready = state.run.ready.iter();
        ready
            .filter(|s| system.role_of(system.step(**s).instance) == role)
            .filter_map(|s| state.run.output(*s).map(|(c, m)| (*s, c, m)))
            .filter(|(_, c, _)| state.knowledge.derivable(*c))
            .collect()
    }

    /// The states in which the message has got where the line says.
    fn deliver(
        &mut self,
        state: &State<'a>,
        to: &End,
        message: TermId,
        found: &mut Vec<State<'a>>,
    ) -> Result<(), CertifyError> {
        if *to == End::Spy {
            found.push(state.clone());
            return Ok(());
        }
        let system = self.narration.system;
        let mut heard = false;
        for (awake, role) in instances(state, to)? {
            let inputs = awake.run.ready.iter();
            let inputs: Vec<(StepId, TermId)> = inputs
                .filter(|s| system.role_of(system.step(**s).instance) == role)
                .filter_map(|s| awake.run.input(*s).map(|c| (*s, c)))
                .filter(|(_, c)| awake.knowledge.derivable(*c))
                .collect();
            for (step, channel) in inputs {
                heard = true;
                let mut next = awake.clone();
                let checked =
                    next.take(step, MoveKind::Receive { channel, message }, Some(message))?;
                match self.refusal(step, message, &checked) {
                    Some(test) => self.note(state, Discrepancy::Refused(message, test)),
                    None => found.push(next),
                }
            }
        }
        if !heard {
            self.note(state, Discrepancy::Deaf);
        }
        Ok(())
    }

    /// The test at which a role gives up, if it does.
    fn refusal(&self, step: StepId, message: TermId, checked: &[Checked]) -> Option<StepId> {
        let NarratedSystem {
            system, accepts, ..
        } = self.narration;
        if let Action::Input { binder, .. } = &system.step(step).action
            && !accepts(*binder, message)
        {
            return Some(step);
        }
        let stuck = |c: &&Checked| match &system.step(c.step).action {
            Action::Test { test, .. } => {
                (!c.passed && !test.has_else) || c.bound.iter().any(|(v, t)| !accepts(*v, *t))
            }
            _ => false,
        };
        checked.iter().find(stuck).map(|c| c.step)
    }

    /// Records why the narration does not go on, if no other way got further. Of several reasons at
    /// one line the most specific one is kept.
    fn note(&mut self, state: &State<'a>, discrepancy: Discrepancy) {
        let weight = |t: &Discrepancy| match t {
            Discrepancy::Lacks(_) => 4,
            Discrepancy::Refused(..) => 3,
            Discrepancy::Differs(_) => 2,
            Discrepancy::Deaf => 1,
            Discrepancy::Silent => 0,
        };
        let rank = |f: &Followed| {
            let (line, discrepancy) = f.discrepancy.as_ref()?;
            Some((*line, weight(discrepancy)))
        };
        let new = state.told(Some(discrepancy));
        if self
            .furthest
            .as_ref()
            .is_none_or(|old| rank(old) < rank(&new))
        {
            self.furthest = Some(new);
        }
    }
}

/// The instances that an end of a line can mean, each ready to act.
fn instances<'a>(
    state: &State<'a>,
    end: &End,
) -> Result<Vec<(State<'a>, InstanceId)>, CertifyError> {
    let End::Roles(roles, number) = end else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for role in roles {
        let mut state = state.clone();
        if let Some(number) = number {
            let chosen = state.numbered.iter();
            let other = |(n, r): &(String, InstanceId)| (n == number) != (r == role);
            if chosen.clone().any(other) {
                continue;
            }
            state.numbered.push((number.clone(), *role));
        }
        state.wake(*role)?;
        found.push((state, *role));
    }
    Ok(found)
}

/// The smallest part of a term that keeps the attacker from making it.
fn lacking(store: &TermStore, knowledge: &Deduction<'_>, term: TermId) -> Option<TermId> {
    if knowledge.derivable(term) {
        return None;
    }
    let parts = match store.view(term) {
        View::Family(..) | View::Priv(_) | View::Pub(_) => &[][..],
        _ => &store.node(term).args,
    };
    let inner = parts.iter().find_map(|p| lacking(store, knowledge, *p));
    Some(inner.unwrap_or(term))
}

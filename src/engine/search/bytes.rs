//! States and their keys as bytes that mean the same in every process.
//!
//! A state is written as it is, without the run that led to it: that is walked again if it is needed. Its key is written
//! with the names of the canonical form, each part by itself, the parts in the order of their bytes: keys are equal
//! exactly if those of one process are.

use super::Setup;
use super::key::{Kind, named};
use super::state::{Disequation, Happened, State, Thread};
use crate::attacker::knowledge::{Death, Element};
use crate::attacker::solver::{GenericInfo, Generics};
use crate::base::cluster::{Reader, Writer};
use crate::process::{EventId, StepId, Type};
use crate::term::{TermReader, TermWriter};

/// A state.
pub(super) fn write(setup: &Setup<'_>, state: &State) -> Vec<u8> {
    let mut w = TermWriter::new(setup.store);
    w.out.number(u64::from(state.level));
    w.out.byte(u8::from(state.won));
    w.out.byte(state.phase);
    w.out.number(u64::from(state.generics.len()));
    for g in 0..state.generics.len() {
        let info = state.generics.info(g);
        w.out.number(u64::from(info.level));
        w.out.number(u64::from(info.ty.number()));
    }
    w.out.number(state.threads.len() as u64);
    for thread in &state.threads {
        w.out.number(u64::from(thread.step.0));
        w.out.byte(u8::from(thread.acted));
        w.terms(thread.env.iter());
    }
    w.out.number(state.elements.len() as u64);
    for e in &state.elements {
        w.term(e.term);
        w.out.number(u64::from(e.born));
        w.out
            .byte(u8::from(e.opened) | u8::from(e.dead.is_some()) << 1);
        if let Some(death) = e.dead {
            w.out.number(u64::from(death.level));
            w.term(death.recipe);
        }
    }
    w.out.number(state.lambda.len() as u64);
    for d in &state.lambda {
        w.out.number(d.equations.len() as u64);
        for (a, b) in &d.equations {
            w.term(*a);
            w.term(*b);
        }
    }
    w.out.number(state.events.len() as u64);
    for h in &state.events {
        w.out.number(u64::from(h.event.0));
        w.terms(h.args.iter());
        w.terms(h.actors.iter());
    }
    w.out.into_bytes()
}

/// The state of some bytes; `None` if they are none.
pub(super) fn read(setup: &Setup<'_>, bytes: &[u8]) -> Option<State> {
    let mut r = TermReader::new(setup.store, bytes);
    let level = r.from.word()?;
    let won = r.from.byte()? != 0;
    let phase = r.from.byte()?;
    let mut generics = Generics::new();
    for (level, ty) in r.from.list(|r| Some((r.word()?, r.word()?)))? {
        let ty = Type::numbered(ty);
        generics.push(GenericInfo { level, ty });
    }
    let threads = r.list(|r| {
        let step = StepId(r.from.word()?);
        setup.system.steps.get(step.index())?;
        Some(Thread {
            step,
            acted: r.from.byte()? != 0,
            env: r.terms()?.into(),
        })
    })?;
    let elements = r.list(|r| {
        let (term, born, flags) = (r.term()?, r.from.word()?, r.from.byte()?);
        let dead = if flags & 2 == 0 {
            None
        } else {
            let (level, recipe) = (r.from.word()?, r.term()?);
            Some(Death { level, recipe })
        };
        Some(Element {
            term,
            born,
            dead,
            opened: flags & 1 != 0,
        })
    })?;
    let lambda = r.list(|r| {
        let equations = r.list(|r| Some((r.term()?, r.term()?)))?;
        Some(Disequation { equations })
    })?;
    let events = r.list(|r| {
        Some(Happened {
            event: EventId(r.from.word()?),
            args: r.terms()?.into(),
            actors: r.terms()?.into(),
        })
    })?;
    r.from.is_done().then(|| State {
        threads: threads.into(),
        elements,
        level,
        generics,
        lambda,
        events,
        won,
        phase,
        trace: None,
    })
}

/// The key of a state: what must be equal, and the list of the elements.
pub(super) fn write_key(setup: &Setup<'_>, state: &State) -> (Vec<u8>, Vec<Vec<u8>>) {
    let store = setup.store;
    let named = named(setup, state);
    let mut threads = Vec::new();
    let mut elements = Vec::new();
    for item in &named.items {
        let (tag, a, b) = item.kind.numbers();
        let mut w = TermWriter::new(store);
        for n in [tag, a, b, item.terms.len() as u32] {
            w.out.number(u64::from(n));
        }
        for t in &item.terms {
            w.term(named.rename(store, *t));
        }
        match item.kind {
            Kind::Element(..) => elements.push(w.out.into_bytes()),
            _ => threads.push(w.out.into_bytes()),
        }
    }
    threads.sort_unstable();
    elements.sort_unstable();
    elements.dedup();
    let mut out = Writer::new();
    out.number(threads.len() as u64);
    for t in &threads {
        out.string(t);
    }
    for (rank, level, ty) in &named.generics {
        for n in [*rank, *level, *ty] {
            out.number(u64::from(n));
        }
    }
    (out.into_bytes(), elements)
}

/// Both parts of a key as one.
pub(super) fn join(threads: &[u8], elements: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Writer::new();
    out.string(threads);
    out.number(elements.len() as u64);
    for e in elements {
        out.string(e);
    }
    out.into_bytes()
}

/// The parts of a key.
pub(super) fn split(key: &[u8]) -> Option<(&[u8], Vec<&[u8]>)> {
    let mut r = Reader::new(key);
    Some((r.string()?, r.list(Reader::string)?))
}

//! Keys that are received without a type.
//!
//! `{n}k` is symmetric encryption unless `k` is written with a sign or has the type of a part of a key pair. If the other
//! side sends `K(b)+` where `k` is received, public-key encryption was meant, and the model says something else: whoever
//! knows `K(b)+`, that is everybody, opens the message. The text does not show it, so it is told.
//!
//! What reaches `k` depends on the run. Here the seat in a message stands for it: how many parts there are, which one it
//! is, and whether they are encrypted. A doubt, not a proof; a type at `k` removes it.

use rustc_hash::FxHashMap;

use super::Checker;
use super::scope::Origin;
use crate::base::source::{Code, Diagnostic, Span, Spot};
use crate::lang::syntax::ast::{
    DeclKind, File, Part, Pattern, PatternKind, PrefixKind, Process, TailKind, Term, TermKind,
    Thread,
};
use crate::process::Type;

/// A place in a message: whether it is encrypted, the number of parts, the number of this part.
type Seat = (bool, usize, usize);

/// Where parts of key pairs are sent, and where variables are received.
#[derive(Default)]
struct Seats {
    sent: FxHashMap<Seat, (Part, Span)>,
    /// By the place of the variable.
    received: FxHashMap<Span, Seat>,
}

impl Checker<'_> {
    /// Reports variables without a type that are used as symmetric keys where parts of key pairs are sent.
    pub(super) fn check_received_keys(&mut self, file: &File) {
        let vars = &self.program.vars;
        let received = |v: u32| self.tables.origins[v as usize] != Origin::Parameter;
        let mut keys: Vec<(Span, u32)> = self
            .symmetric_keys
            .iter()
            .filter(|(v, _)| received(**v) && vars[**v as usize].ty == Type::Msg)
            .map(|(v, place)| (*place, *v))
            .collect();
        if keys.is_empty() {
            return;
        }
        keys.sort_unstable();
        let mut seats = Seats::default();
        for decl in &file.decls {
            match &decl.kind {
                DeclKind::Def(def) => seats.process(&def.body),
                DeclKind::System(system) => seats.process(&system.body),
                _ => {}
            }
        }
        for (place, var) in keys {
            let info = &self.program.vars[var as usize];
            let seat = seats.received.get(&info.span);
            let Some((part, sent)) = seat.and_then(|seat| seats.sent.get(seat)) else {
                continue;
            };
            let name = &info.label;
            let (sign, ty) = match part {
                Part::Public => ('+', "Pub"),
                Part::Private => ('-', "Priv"),
            };
            let d = Diagnostic::new(
                Code::TypeMismatch,
                format!("`{name}` may be a part of a key pair, but is used as a symmetric key"),
            )
            .at(
                place,
                format!("`{name}` has no type, so this is symmetric encryption"),
            )
            .and(*sent, format!("a key with `{sign}` is sent in this place"))
            .help(format!(
                "if a key pair is meant, write `{name}: {ty}` where it is received"
            ))
            .help(format!("if a symmetric key is meant, write `{name}: Sym`"))
            .repair(Spot::At(info.span), format!("{name}: {ty}"))
            .repair(Spot::At(info.span), format!("{name}: Sym"));
            self.sink.push(d);
        }
    }
}

impl Seats {
    fn process(&mut self, process: &Process) {
        for thread in &process.threads {
            self.thread(thread);
        }
    }

    fn thread(&mut self, thread: &Thread) {
        for prefix in &thread.prefixes {
            match &prefix.kind {
                PrefixKind::Output(_, parts) => self.sends(false, parts),
                PrefixKind::Apply(apply) => {
                    self.receives(false, apply.args.as_deref().unwrap_or_default());
                }
                PrefixKind::Let(pattern, ..) | PrefixKind::Case(_, pattern, _) => {
                    self.receives(false, std::slice::from_ref(pattern));
                }
                _ => {}
            }
            if let Some(otherwise) = prefix.kind.otherwise() {
                self.thread(otherwise);
            }
        }
        match &thread.tail.kind {
            TailKind::Group(process) => self.process(process),
            TailKind::IntCase(case) => {
                self.thread(&case.zero);
                self.thread(&case.succ);
            }
            TailKind::Nil | TailKind::Omitted | TailKind::Error => {}
        }
    }

    fn sends(&mut self, sealed: bool, parts: &[Term]) {
        if let [
            Term {
                kind: TermKind::Tuple(parts),
                ..
            },
        ] = parts
        {
            return self.sends(sealed, parts);
        }
        for (i, part) in parts.iter().enumerate() {
            match &part.kind {
                TermKind::Part(_, sign) => {
                    let seat = (sealed, parts.len(), i);
                    self.sent.entry(seat).or_insert((*sign, part.span));
                }
                TermKind::Tuple(inner) => self.sends(sealed, inner),
                TermKind::Encrypt(_, inner, _) => self.sends(true, inner),
                _ => {}
            }
        }
    }

    fn receives(&mut self, sealed: bool, parts: &[Pattern]) {
        if let [
            Pattern {
                kind: PatternKind::Tuple(parts),
                ..
            },
        ] = parts
        {
            return self.receives(sealed, parts);
        }
        for (i, part) in parts.iter().enumerate() {
            match &part.kind {
                PatternKind::Bind(binder) => {
                    let seat = (sealed, parts.len(), i);
                    self.received.insert(binder.name.span, seat);
                }
                PatternKind::Tuple(inner) => self.receives(sealed, inner),
                PatternKind::Cipher(_, inner, _) => self.receives(true, inner),
                _ => {}
            }
        }
    }
}

//! The story of a certified run: its messages as Alice and Bob would tell them.
//!
//! A [`Story`] is data; text, JSON and charts are made from it and add nothing. It is derived from the replay alone:
//! nothing is told that the certifier has not seen happen.
//!
//! An output that the attacker hears and a receipt of what the attacker made are two messages, `B -> C(A)` and
//! `C(A) -> B`; an output that is handed on unchanged and at once to the partner it was meant for is one, `A -> B`.

use super::cast::{Cast, Party};
use super::company::Company;
use super::making::{Manner, Teller, Use, manner, uses};
use super::reference::{Reference, Shape};
use super::spelling::Spelling;
use super::values::Values;
use crate::analysis::{Attack, Model};
use crate::attacker::solver::Typing;
use crate::base::source::{SourceMap, Span};
use crate::certify::{Checked, Deduction, Evidence, MoveKind, Played, Source};
use crate::process::{Action, EventId, Program, StepId, System, TestKind};
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::FxHashSet;

/// What a report looks things up in.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The terms.
    pub store: &'a TermStore,
    /// The checked file.
    pub program: &'a Program,
    /// Its text.
    pub map: &'a SourceMap,
}

impl<'a> Context<'a> {
    /// A model and its text, in the lowering that was analysed.
    pub fn of(model: &'a Model, map: &'a SourceMap, typed: bool) -> Context<'a> {
        Context {
            store: &model.store,
            program: model.program(typed),
            map,
        }
    }

    /// ` of roles.spi`, if a place lies in a file that the file of the systems uses.
    pub fn of_used(&self, span: Span) -> String {
        let own = self.program.systems.first().map(|s| s.span.file);
        let file = self.map.get(span.file).filter(|_| own != Some(span.file));
        file.map_or_else(String::new, |f| format!(" of {}", f.name))
    }
}

/// How a message got where it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// An output that the attacker took.
    Heard,
    /// Something the attacker made and sent.
    Made,
    /// An output that reached the partner it was meant for.
    Delivered,
}

/// What the attacker got to know.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The names and keys.
    pub terms: Vec<TermId>,
    /// Where they come from.
    pub uses: Vec<Use>,
    /// The same in words: `decrypts 1 with K(C)-, learns Na`.
    pub words: String,
}

/// How the attacker made a message.
#[derive(Clone, Debug)]
pub struct Making {
    /// In short.
    pub manner: Manner,
    /// What it used.
    pub uses: Vec<Use>,
    /// In words: `decrypts 1 with K(C)-, encrypts for B`.
    pub words: String,
}

/// A variable that took a value.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The variable's name.
    pub label: String,
    /// Its declared type, as it is written.
    pub ty: String,
    /// Its value.
    pub value: TermId,
    /// Whether the value is of the declared type, or at least of the kind that the honest run has there.
    pub fits: bool,
    /// The value is of another kind than in the honest run: a name for a ciphertext, a tuple for a name. A name that
    /// the attacker made up stands for anything and is never unusual.
    pub unusual: bool,
}

/// A test that ran.
#[derive(Clone, Debug)]
pub struct Acceptance {
    /// Whose.
    pub player: usize,
    /// The test.
    pub step: StepId,
    /// Where it stands.
    pub span: Span,
    /// Whether it succeeded.
    pub passed: bool,
    /// What it bound, hidden variables left out.
    pub bound: Vec<Binding>,
}

/// A message.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its number, from 1.
    pub number: usize,
    /// Who sent it.
    pub from: Party,
    /// Who took it.
    pub to: Party,
    /// The channel.
    pub channel: TermId,
    /// The message.
    pub term: TermId,
    /// How it travelled.
    pub route: Route,
    /// The move of the witness that sent it, and its step.
    pub sent: Option<(usize, StepId)>,
    /// The move of the witness that received it, and its step.
    pub received: Option<(usize, StepId)>,
    /// How the attacker made it.
    pub making: Option<Making>,
    /// What the attacker learned from it.
    pub learned: Vec<Learned>,
    /// The variable that the receiver put it into, if it has a name.
    pub taken: Option<Binding>,
    /// The tests that ran because of it.
    pub accepted: Vec<Acceptance>,
}

impl Message {
    /// Whether it went from one to the other on a channel that not everybody has.
    pub fn is_private(&self, store: &TermStore) -> bool {
        let handed = match (self.sent, self.received) {
            (Some((sent, _)), Some((received, _))) => sent == received,
            _ => false,
        };
        let mut secret = false;
        store.visit(self.channel, &mut |t| {
            secret |=
                matches!(store.view(t), View::Name(n) if !store.name_info(n).class.is_public());
            !secret
        });
        handed && secret
    }
}

/// An event.
#[derive(Clone, Debug)]
pub struct Happening {
    /// The move of the witness.
    pub at: usize,
    /// Its step.
    pub step: StepId,
    /// Who.
    pub player: usize,
    /// Which event.
    pub event: EventId,
    /// Its arguments.
    pub args: Vec<TermId>,
    /// The tests that ran because of it.
    pub accepted: Vec<Acceptance>,
}

/// A line of the story.
#[derive(Clone, Debug)]
pub enum Beat {
    /// A message.
    Message(Box<Message>),
    /// An event.
    Event(Happening),
    /// A phase begins: who does not wait for it or a later one is gone.
    Phase(u8),
}

/// The story of a run.
#[derive(Clone, Debug)]
pub struct Story {
    /// Who plays.
    pub cast: Cast,
    /// What happens.
    pub beats: Vec<Beat>,
    /// How the names are spelt.
    pub spelling: Spelling,
    /// The values of variables at the end.
    pub values: Values,
    /// The number of the message that each move of the witness sends.
    pub numbers: Vec<Option<usize>>,
}

impl Story {
    /// The messages.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.beats.iter().filter_map(|b| match b {
            Beat::Message(m) => Some(&**m),
            Beat::Event(_) | Beat::Phase(_) => None,
        })
    }

    /// The message of this number.
    pub fn message(&self, number: usize) -> Option<&Message> {
        self.messages().find(|m| m.number == number)
    }

    /// The message that a move of the witness sent.
    pub fn sent_by(&self, at: usize) -> Option<&Message> {
        self.message(self.numbers.get(at).copied().flatten()?)
    }

    /// The event of a move of the witness.
    pub fn event_at(&self, at: usize) -> Option<&Happening> {
        self.beats.iter().find_map(|b| match b {
            Beat::Event(e) if e.at == at => Some(e),
            _ => None,
        })
    }

    /// Puts derivations into words, in the names of the story.
    pub fn teller<'a>(&'a self, store: &'a TermStore) -> Teller<'a> {
        Teller {
            store,
            spelling: &self.spelling,
            numbers: &self.numbers,
        }
    }

    /// Tells a certified run.
    pub fn of_attack(ctx: Context<'_>, reference: &Reference, attack: &Attack) -> Story {
        let Context { store, program, .. } = ctx;
        let system = &*attack.system;
        let replayed = &attack.replayed;
        let values = Values::of_attack(system, replayed);
        let steps: Vec<StepId> = replayed
            .moves
            .iter()
            .flat_map(|m| ends(&m.action.kind, m.action.step))
            .filter(|s| !system.lost.contains(s))
            .collect();
        let company = Company::new(store, program, system, &values);
        let cast = Cast::new(&company, reference, &steps);
        let mut terms: Vec<TermId> = Vec::new();
        for played in &replayed.moves {
            match &played.action.kind {
                MoveKind::Send { channel, message }
                | MoveKind::Receive { channel, message }
                | MoveKind::Communicate {
                    channel, message, ..
                } => terms.extend([*message, *channel]),
                MoveKind::Event { args } => terms.extend(args),
                MoveKind::Phase { .. } => {}
            }
        }
        match &replayed.evidence {
            Evidence::Derived(d) => terms.push(d.term),
            Evidence::Sent { channel, message } => terms.extend([channel.term, message.term]),
            Evidence::Reached | Evidence::Unmatched(_) => {}
        }
        let spelling = Spelling::new(store, program, &cast.spy, &terms);
        let mut writer = Writer {
            ctx,
            system,
            reference,
            company,
            moves: &replayed.moves,
            typing: Typing::new(program, system),
            knowledge: Deduction::with_initial(store, &program.signature.knows),
            story: Story {
                cast,
                beats: Vec::new(),
                spelling,
                values,
                numbers: vec![None; replayed.moves.len()],
            },
            messages: 0,
        };
        writer.write();
        writer.story
    }
}

fn ends(kind: &MoveKind, step: StepId) -> Vec<StepId> {
    match kind {
        MoveKind::Communicate { receiver, .. } => vec![step, *receiver],
        MoveKind::Phase { .. } => Vec::new(),
        _ => vec![step],
    }
}

struct Writer<'a> {
    ctx: Context<'a>,
    system: &'a System,
    reference: &'a Reference,
    company: Company<'a>,
    moves: &'a [Played],
    typing: Typing,
    knowledge: Deduction<'a>,
    story: Story,
    messages: usize,
}

impl Writer<'_> {
    fn write(&mut self) {
        let mut merged: FxHashSet<usize> = FxHashSet::default();
        for (at, played) in self.moves.iter().enumerate() {
            if merged.contains(&at) {
                continue;
            }
            let step = played.action.step;
            match &played.action.kind {
                MoveKind::Send { .. } => {
                    let to = self.delivered_by(at);
                    merged.extend(to);
                    self.send(at, to);
                }
                MoveKind::Receive { channel, message } => {
                    let receiver = self.story.cast.player(self.system, step);
                    let partner = self.partner(step);
                    let mut m = self.message(*channel, *message, Route::Made);
                    m.from = self
                        .story
                        .cast
                        .spy_as(self.ctx.store, partner.as_ref(), *channel);
                    if let Party::Anybody(_) = m.from {
                        m.from = Party::Spy {
                            spy: self.story.cast.spy.clone(),
                            acting_as: None,
                        };
                    }
                    m.to = Party::Player(receiver);
                    m.received = Some((at, step));
                    m.taken = self.taken(step, *message);
                    m.making = played.made.as_deref().map(|d| self.making(at, d));
                    m.accepted = self.accepted(played);
                    self.push(m);
                }
                MoveKind::Communicate {
                    receiver,
                    channel,
                    message,
                } => {
                    let mut m = self.message(*channel, *message, Route::Delivered);
                    m.from = Party::Player(self.story.cast.player(self.system, step));
                    m.to = Party::Player(self.story.cast.player(self.system, *receiver));
                    m.sent = Some((at, step));
                    m.received = Some((at, *receiver));
                    m.taken = self.taken(*receiver, *message);
                    m.accepted = self.accepted(played);
                    self.story.numbers[at] = Some(m.number);
                    self.push(m);
                }
                MoveKind::Event { args } => {
                    let Action::Event { event, .. } = &self.system.step(step).action else {
                        continue;
                    };
                    let happening = Happening {
                        at,
                        step,
                        player: self.story.cast.player(self.system, step),
                        event: *event,
                        args: args.clone(),
                        accepted: self.accepted(played),
                    };
                    self.story.beats.push(Beat::Event(happening));
                }
                MoveKind::Phase { number } => self.story.beats.push(Beat::Phase(*number)),
            }
        }
    }

    fn push(&mut self, message: Message) {
        self.story.beats.push(Beat::Message(Box::new(message)));
    }

    fn message(&mut self, channel: TermId, term: TermId, route: Route) -> Message {
        self.messages += 1;
        let nobody = Party::Anybody(String::new());
        Message {
            number: self.messages,
            from: nobody.clone(),
            to: nobody,
            channel,
            term,
            route,
            sent: None,
            received: None,
            making: None,
            learned: Vec::new(),
            taken: None,
            accepted: Vec::new(),
        }
    }

    /// The binding of a receipt, if the variable has a name.
    fn taken(&self, step: StepId, message: TermId) -> Option<Binding> {
        match &self.system.step(step).action {
            Action::Input { binder, .. } => self.binding(*binder, message),
            _ => None,
        }
    }

    fn partner(&self, step: StepId) -> Option<super::owner::Owner> {
        self.reference.partner(&self.company, step)
    }

    /// An output, with the receipt if it reached the partner it was meant for.
    fn send(&mut self, at: usize, receipt: Option<usize>) {
        let played = &self.moves[at];
        let step = played.action.step;
        let MoveKind::Send { channel, message } = played.action.kind else {
            return;
        };
        let route = receipt.map_or(Route::Heard, |_| Route::Delivered);
        let mut m = self.message(channel, message, route);
        self.story.numbers[at] = Some(m.number);
        m.sent = Some((at, step));
        if self.system.lost.contains(&step) {
            // Nobody sends it.
            m.from = Party::Anybody("lost".to_owned());
            m.to = Party::Spy {
                spy: self.story.cast.spy.clone(),
                acting_as: None,
            };
            self.knowledge.learn(Source::Sent(at), message);
            m.learned = self.learned(at, &played.gained);
            self.push(m);
            return;
        }
        m.from = Party::Player(self.story.cast.player(self.system, step));
        m.accepted = self.accepted(played);
        if let Some(receipt) = receipt {
            let taken = &self.moves[receipt];
            m.to = Party::Player(self.story.cast.player(self.system, taken.action.step));
            m.received = Some((receipt, taken.action.step));
            m.taken = self.taken(taken.action.step, message);
            m.accepted.extend(self.accepted(taken));
        } else {
            let partner = self.partner(step);
            m.to = self
                .story
                .cast
                .spy_as(self.ctx.store, partner.as_ref(), channel);
        }
        self.knowledge.learn(Source::Sent(at), message);
        m.learned = self.learned(at, &played.gained);
        self.push(m);
    }

    /// The receipt of an output that is handed on unchanged, at once and to the partner it was meant for.
    fn delivered_by(&self, at: usize) -> Option<usize> {
        let sent = &self.moves[at].action;
        if self.system.lost.contains(&sent.step) {
            return None;
        }
        let (next, taken) = self
            .moves
            .iter()
            .enumerate()
            .skip(at + 1)
            .find(|(_, m)| !matches!(m.action.kind, MoveKind::Event { .. }))?;
        let taken = &taken.action;
        let same = match (&sent.kind, &taken.kind) {
            (
                MoveKind::Send { channel, message },
                MoveKind::Receive {
                    channel: c,
                    message: m,
                },
            ) => channel == c && message == m,
            _ => false,
        };
        if !same {
            return None;
        }
        let cast = &self.story.cast;
        let owner = |step| &cast.players[cast.player(self.system, step)].owner;
        let meant = self.partner(sent.step);
        let expected = self.partner(taken.step);
        let fits = meant.as_ref() == Some(owner(taken.step))
            && expected.as_ref().is_none_or(|e| e == owner(sent.step));
        fits.then_some(next)
    }

    fn making(&self, at: usize, derivation: &crate::certify::Derivation) -> Making {
        let teller = self.story.teller(self.ctx.store);
        let words = match manner(derivation) {
            Manner::Copied(source @ Source::Sent(of)) => {
                let number = teller.source(source);
                let again = self.moves[..at].iter().any(|m| {
                    matches!(&m.action.kind, MoveKind::Receive { message, .. }
                        if *message == derivation.term)
                });
                let receiver = self
                    .story
                    .cast
                    .player(self.system, self.moves[at].action.step);
                let author = self
                    .story
                    .cast
                    .player(self.system, self.moves[of].action.step);
                if receiver == author {
                    format!("sends {number} back")
                } else if again {
                    format!("replays {number}")
                } else {
                    format!("forwards {number}")
                }
            }
            Manner::Copied(Source::Initial(_)) => "replays what it had recorded".to_owned(),
            _ => teller.make(derivation),
        };
        Making {
            manner: manner(derivation),
            uses: uses(derivation),
            words,
        }
    }

    /// The names and keys among what was gained, by the way they were taken out.
    fn learned(&self, at: usize, gained: &[TermId]) -> Vec<Learned> {
        let store = self.ctx.store;
        let teller = self.story.teller(store);
        let mut found: Vec<Learned> = Vec::new();
        for term in gained.iter().copied().filter(|t| is_secret(store, *t)) {
            let Some(derivation) = self.knowledge.derive(term) else {
                continue;
            };
            let mut uses = uses(&derivation);
            // What counts is the way, not what comes out at its end.
            for one in &mut uses {
                one.term = derivation.term;
                one.whole = false;
            }
            let same = |l: &&mut Learned| {
                l.uses.len() == uses.len()
                    && l.uses
                        .iter()
                        .zip(&uses)
                        .all(|(a, b)| a.source == b.source && a.opened == b.opened)
            };
            match found.iter_mut().find(same) {
                Some(known) => known.terms.push(term),
                None => found.push(Learned {
                    terms: vec![term],
                    uses,
                    words: String::new(),
                }),
            }
        }
        for learned in &mut found {
            let opened: Vec<Use> = learned
                .uses
                .iter()
                .filter(|u| !u.opened.is_empty())
                .cloned()
                .collect();
            let number = teller.source(Source::Sent(at));
            let mut clauses: Vec<String> = teller
                .take(&opened)
                .into_iter()
                .map(|c| c.replace(&format!("decrypts {number} with"), "decrypts it with"))
                .map(|c| c.replace(&format!(" to {number}"), " to it"))
                .filter(|c| c.starts_with("decrypts") || c.starts_with("applies"))
                .collect();
            let names: Vec<String> = learned
                .terms
                .iter()
                .map(|t| self.story.spelling.show(store, *t))
                .collect();
            clauses.push(format!("learns {}", names.join(", ")));
            learned.words = clauses.join(", ");
        }
        found
    }

    fn accepted(&self, played: &Played) -> Vec<Acceptance> {
        // That a rule does not fit is no branch that anybody wrote.
        let rule = |c: &&Checked| match &self.system.step(c.step).action {
            Action::Test { test, .. } => !c.passed && test.kind == TestKind::Rule,
            _ => false,
        };
        let told = played
            .checked
            .iter()
            .filter(|c| !rule(c) && !names_only(self.ctx.store, self.system, c.step));
        told.map(|c| self.acceptance(c)).collect()
    }

    fn acceptance(&self, checked: &Checked) -> Acceptance {
        let step = self.system.step(checked.step);
        let bound = checked
            .bound
            .iter()
            .filter_map(|(v, value)| self.binding(*v, *value))
            .collect();
        Acceptance {
            player: self.story.cast.player(self.system, checked.step),
            step: checked.step,
            span: step.span,
            passed: checked.passed,
            bound,
        }
    }
}

/// Whether a test gives messages names and nothing else, as `let k = kdf(m, 0) in` does: it accepts nothing.
pub(super) fn names_only(store: &TermStore, system: &System, step: StepId) -> bool {
    let Action::Test { test, .. } = &system.step(step).action else {
        return false;
    };
    let named = |t: TermId| matches!(store.view(t), View::Var(v) if test.binds.contains(&v));
    test.equations.iter().all(|(a, b)| named(*a) || named(*b)) && !test.equations.is_empty()
}

impl Writer<'_> {
    /// A variable with its value; `None` for hidden variables.
    fn binding(&self, var: u32, value: TermId) -> Option<Binding> {
        let store = self.ctx.store;
        let info = &self.system.vars[var as usize];
        let own = matches!(store.view(value), View::Name(n)
            if store.name_info(n).class == NameClass::Attacker);
        let unusual = self
            .reference
            .is_unusual(info.span, Shape::of(store, value));
        // A ciphertext for data is what the honest run takes as well: nothing is confused.
        let meant = unusual == Some(false) && !matches!(store.view(value), View::Name(_));
        info.label
            .starts_with(|c: char| c.is_alphabetic())
            .then(|| Binding {
                label: info.label.to_string(),
                ty: (self.ctx.program.signature.type_label(info.ty)).to_owned(),
                value,
                fits: meant || self.typing.fits(store, value, info.ty),
                unusual: !own && unusual == Some(true),
            })
    }
}

/// A name or key that not everybody knows.
fn is_secret(store: &TermStore, t: TermId) -> bool {
    store.facts(t).has_secret
        && matches!(
            store.view(t),
            View::Name(_) | View::Family(..) | View::Priv(_)
        )
}

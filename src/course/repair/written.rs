//! Additions to processes: what both ends of a ciphertext know in an honest run, and what a receiver could compare.
//!
//! The honest runs say which places of the text handle the same ciphertext, hash or tuple, and what each role knows there
//! (`variants::Trace`). A part is added wherever the same thing is handled: makers write it, and receivers who know it compare it.

use crate::analysis::{Model, Settings};
use crate::base::limits::Observer;
use crate::base::source::{SourceFile, Span};
use crate::course::variants::{Act, Form, Place, Trace};
use crate::lang::syntax::ast::{
    DeclKind, File, Name, Pattern, PatternKind, Prefix, PrefixKind, Process, TailKind, Thread,
};
use crate::process::Type;
use crate::term::{NameClass, TermId, View};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Addition;
use super::addition::AT_FRONT;
use super::container::{Brackets, End, place_in};
use super::narrated::unused;

/// All additions to the processes of a file.
pub(super) fn additions(
    file: &SourceFile,
    model: &Model,
    settings: &Settings,
    observer: &dyn Observer,
) -> Vec<Addition> {
    let trace = Trace::new(&model.tree, model, settings, observer);
    let maker = Maker {
        file,
        model,
        trace: &trace,
        steps: Steps::of(&model.tree, file),
    };
    let mut found = Vec::new();
    maker.parts(&mut found);
    maker.comparisons(&mut found);
    maker.challenges(&mut found);
    found
}

/// The outputs and inputs of a text, and what follows each step.
#[derive(Default)]
struct Steps {
    /// Where an output or input is written: whether it binds with a pattern of its own.
    messages: FxHashSet<Span>,
    /// Each pattern that binds a name, with the place of what follows its step.
    bound: FxHashMap<Span, (Name, u32)>,
}

impl Steps {
    fn of(tree: &File, file: &SourceFile) -> Steps {
        let mut steps = Steps::default();
        for decl in &tree.decls {
            if decl.span.file != file.id {
                continue;
            }
            match &decl.kind {
                DeclKind::Def(def) => steps.process(&def.body),
                DeclKind::System(system) => steps.process(&system.body),
                _ => {}
            }
        }
        steps
    }

    fn process(&mut self, process: &Process) {
        process.threads.iter().for_each(|t| self.thread(t));
    }

    fn thread(&mut self, thread: &Thread) {
        for (i, prefix) in thread.prefixes.iter().enumerate() {
            let next = thread
                .prefixes
                .get(i + 1)
                .map_or(thread.tail.span, |p| p.span);
            // Behind the last step nobody is kept from anything.
            let goes_on =
                i + 1 < thread.prefixes.len() || matches!(thread.tail.kind, TailKind::Group(_));
            self.prefix(prefix, goes_on.then_some(next.start));
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

    fn prefix(&mut self, prefix: &Prefix, next: Option<u32>) {
        match &prefix.kind {
            PrefixKind::Output(..) => {
                self.messages.insert(prefix.span);
            }
            PrefixKind::Apply(apply) => {
                if let Some(args) = &apply.args {
                    self.messages.insert(prefix.span);
                    for p in args {
                        self.pattern(p, next);
                    }
                }
            }
            PrefixKind::Let(pattern, ..) | PrefixKind::Case(_, pattern, _) => {
                self.pattern(pattern, next);
            }
            _ => {}
        }
        if let Some(otherwise) = prefix.kind.otherwise() {
            self.thread(otherwise);
        }
    }

    fn pattern(&mut self, pattern: &Pattern, next: Option<u32>) {
        match &pattern.kind {
            PatternKind::Bind(binder) => {
                if let Some(next) = next {
                    let name = binder.name.name.clone();
                    self.bound.insert(pattern.span, (name, next));
                }
            }
            PatternKind::Tuple(parts) | PatternKind::Cipher(_, parts, _) => {
                for p in parts {
                    self.pattern(p, next);
                }
            }
            _ => {}
        }
    }
}

/// An output or input, with the definition that it stands in.
type Doing<'a> = (usize, &'a Act);

/// What handles one thing, each place once, in the run of the first that makes it.
struct Class<'a> {
    places: Vec<&'a Place>,
}

impl<'a> Class<'a> {
    fn first(&self) -> &'a Place {
        self.places[0]
    }
}

struct Maker<'a> {
    file: &'a SourceFile,
    model: &'a Model,
    trace: &'a Trace,
    steps: Steps,
}

impl<'a> Maker<'a> {
    /// The things that are made and taken apart in this file, in the order of their messages. Whoever can't say what a thing is worth
    /// in the run of its first maker leaves it alone.
    fn classes(&self) -> Vec<Class<'a>> {
        let places = &self.trace.places;
        let sealed = |p: &&Place| p.form != Form::Message && p.span.file == self.file.id;
        let mut makers: Vec<&Place> = (places.iter().filter(sealed))
            .filter(|p| !p.pattern)
            .collect();
        makers.sort_by_key(|p| (p.message == 0, p.message));
        let mut seen: FxHashSet<Span> = FxHashSet::default();
        let mut classes = Vec::new();
        for first in makers {
            if seen.contains(&first.span) {
                continue;
            }
            let mut spans = FxHashSet::default();
            let same = |p: &&Place| p.value == first.value && p.parts.len() == first.parts.len();
            let mut own: Vec<&Place> = vec![first];
            spans.insert(first.span);
            for place in places.iter().filter(sealed).filter(same) {
                if spans.insert(place.span) {
                    own.push(place);
                }
            }
            seen.extend(&spans);
            classes.push(Class { places: own });
        }
        classes
    }

    fn text(&self, span: Span) -> String {
        let words: Vec<&str> = self.file.slice(span).split_whitespace().collect();
        words.join(" ")
    }

    /// `message 2, {na, Nb}K(a)+`
    fn place(&self, place: &Place) -> String {
        let text = self.text(place.span);
        match place.message {
            0 => text,
            n => format!("message {n}, {text}"),
        }
    }

    /// How a role writes a value at a place: by a name that it has for it, or as it writes it elsewhere.
    fn written(&self, place: &Place, value: TermId) -> Option<Name> {
        let env = self.trace.known_at(place);
        let own = env.iter().find(|(_, v)| *v == value);
        if let Some((name, _)) = own {
            return Some(name.clone());
        }
        if matches!(self.model.store.view(value), View::Share(..)) {
            let own =
                |p: &&Place| p.decl == place.decl && !p.pattern && p.span.file == self.file.id;
            let parts = self.trace.places.iter().filter(own).flat_map(|p| &p.parts);
            return parts
                .filter(|(_, v)| *v == value)
                .map(|(span, _)| Name::from(self.text(*span)))
                .next();
        }
        let signature = &self.model.flat.program.signature;
        if !signature.agents.contains(&value) {
            return None;
        }
        let View::Name(name) = self.model.store.view(value) else {
            return None;
        };
        let label = self.model.store.name_info(name).label.clone();
        let shadowed = env.iter().any(|(n, _)| **n == *label);
        (!shadowed).then(|| Name::from(&*label))
    }

    /// What a value is, if it is something that one adds to a message.
    fn object(&self, value: TermId) -> Option<&'static str> {
        let store = &self.model.store;
        let program = &self.model.flat.program;
        match store.view(value) {
            View::Name(n) => {
                if program.signature.agents.contains(&value) {
                    return Some("identity");
                }
                let info = store.name_info(n);
                if info.class != NameClass::Restricted {
                    return None;
                }
                let site = program.sites.iter().find(|s| s.label == info.label)?;
                // A key is not shown to others.
                (!matches!(site.ty, Type::Sym | Type::Priv)).then_some("nonce")
            }
            View::Share(..) => Some("share"),
            _ => None,
        }
    }

    /// The values that are worth adding, as the first maker of a thing knows them.
    fn values(&self, first: &Place) -> Vec<(TermId, &'static str)> {
        let mut found: Vec<(TermId, &'static str)> = Vec::new();
        let agents = self.model.flat.program.signature.agents.iter();
        let own = |p: &&Place| p.decl == first.decl && !p.pattern;
        let shares = self.trace.places.iter().filter(own).flat_map(|p| &p.parts);
        let share = |v: &&TermId| matches!(self.model.store.view(**v), View::Share(..));
        let known = (self.trace.known_at(first).iter().map(|(_, v)| v))
            .chain(agents)
            .chain(shares.map(|(_, v)| v).filter(share));
        for value in known {
            if let Some(object) = self.object(*value)
                && !found.iter().any(|(v, _)| v == value)
            {
                found.push((*value, object));
            }
        }
        found.sort_by_key(|(_, object)| *object != "identity");
        found
    }

    fn brackets(place: &Place) -> Brackets {
        match (&place.key, place.form) {
            (Some((key, _)), _) => Brackets::Before(key.span),
            (None, Form::Tuple) => Brackets::Own,
            (None, _) => Brackets::Last,
        }
    }

    fn insertion(&self, place: &Place, end: End, part: &str) -> Option<(u32, String)> {
        let at = place_in(self.file, place.span, Self::brackets(place), end)?;
        Some((at, end.written(part)))
    }

    /// Something that both ends know, or the number of the message.
    fn parts(&self, found: &mut Vec<Addition>) {
        let classes = self.classes();
        for end in [End::Back, End::Front] {
            for (number, class) in (1..).zip(&classes) {
                let first = class.first();
                let front = if end == End::Front { AT_FRONT } else { "" };
                for (value, object) in self.values(first) {
                    if first.parts.iter().any(|(_, v)| *v == value) {
                        continue;
                    }
                    let Some((name, insertions)) = self.part(class, value, end) else {
                        continue;
                    };
                    found.push(Addition {
                        object,
                        what: format!("{}: add {object} {name}{front}", self.place(first)),
                        span: first.span,
                        parts: 1,
                        insertions,
                    });
                }
                if end == End::Front {
                    let tag = |place: &&Place| {
                        let part = if place.pattern {
                            format!("={number}")
                        } else {
                            number.to_string()
                        };
                        self.insertion(place, end, &part)
                    };
                    let insertions: Option<Vec<(u32, String)>> =
                        class.places.iter().map(tag).collect();
                    found.extend(insertions.map(|insertions| Addition {
                        object: "number",
                        what: format!("{}: add number {number}", self.place(first)),
                        span: first.span,
                        parts: 1,
                        insertions,
                    }));
                }
            }
        }
    }

    /// A value at all ends of a thing, one of which compares it, with its name at the first.
    fn part(
        &self,
        class: &Class<'_>,
        value: TermId,
        end: End,
    ) -> Option<(Name, Vec<(u32, String)>)> {
        let mut compared = class.places.iter().filter(|p| !p.pattern).count() > 1;
        let mut insertions = Vec::new();
        for place in &class.places {
            let name = self.written(place, value);
            let part = match (name, place.pattern) {
                (Some(name), true) => {
                    compared = true;
                    format!("={name}")
                }
                (Some(name), false) => name.to_string(),
                (None, true) => "_".to_owned(),
                (None, false) => return None,
            };
            insertions.push(self.insertion(place, end, &part)?);
        }
        let name = self.written(class.first(), value)?;
        compared.then_some((name, insertions))
    }

    /// A received part that was known already.
    fn comparisons(&self, found: &mut Vec<Addition>) {
        let patterns = self.trace.places.iter().filter(|p| p.pattern);
        let mut seen: FxHashSet<(Span, Name)> = FxHashSet::default();
        for place in patterns.filter(|p| p.span.file == self.file.id) {
            for (span, value) in &place.parts {
                let Some((bound, next)) = self.steps.bound.get(span) else {
                    continue;
                };
                let Some(known) = self.written(place, *value).filter(|n| n != bound) else {
                    continue;
                };
                if !seen.insert((*span, known.clone())) {
                    continue;
                }
                found.push(Addition {
                    object: "comparison",
                    what: format!("{}: compare {bound} with {known}", self.place(place)),
                    span: *span,
                    parts: 1,
                    insertions: vec![(*next, format!("[{bound} is {known}] "))],
                });
            }
        }
    }

    /// A fresh name that goes out with one message and comes back, protected, in a later one.
    fn challenges(&self, found: &mut Vec<Addition>) {
        let text = &self.file.text;
        let (fresh, heard) = (unused(text, "N"), unused(text, "n"));
        let classes = self.classes();
        let mut seen: FxHashSet<(Span, Span)> = FxHashSet::default();
        for (out, into) in self.deliveries() {
            for class in &classes {
                // Made by whoever heard it, read by whoever asked.
                let (makers, readers): (Vec<&Place>, Vec<&Place>) =
                    class.places.iter().partition(|p| !p.pattern);
                let ([maker], [reader]) = (&makers[..], &readers[..]) else {
                    continue;
                };
                let later = maker.message > out.1.message;
                if maker.decl != into.0 || reader.decl != out.0 || !later {
                    continue;
                }
                if !seen.insert((out.1.span, maker.span)) {
                    continue;
                }
                let insertions = || {
                    Some(vec![
                        (out.1.span.start, format!("new {fresh}: Nonce. ")),
                        self.message_end(out.1.span, &fresh)?,
                        self.message_end(into.1.span, &heard)?,
                        self.insertion(maker, End::Back, &heard)?,
                        self.insertion(reader, End::Back, &format!("={fresh}"))?,
                    ])
                };
                found.extend(insertions().map(|insertions| Addition {
                    object: "challenge",
                    what: format!(
                        "{}: a challenge {fresh} goes with it; {}: it comes back",
                        self.text(out.1.span),
                        self.place(maker)
                    ),
                    span: out.1.span,
                    parts: 2,
                    insertions,
                }));
            }
        }
    }

    fn message_end(&self, span: Span, part: &str) -> Option<(u32, String)> {
        let known = self.steps.messages.contains(&span) && span.file == self.file.id;
        let at = known.then(|| place_in(self.file, span, Brackets::Last, End::Back))??;
        Some((at, End::Back.written(part)))
    }

    /// Outputs with the inputs that take them in an honest run: definition and act of each.
    fn deliveries(&self) -> Vec<(Doing<'a>, Doing<'a>)> {
        let mut found = Vec::new();
        for from in &self.trace.actors {
            for out in from.acts.iter().filter(|a| a.output) {
                for to in self.trace.actors.iter().filter(|a| a.system == from.system) {
                    let taken = |a: &&Act| !a.output && a.message != 0 && a.message == out.message;
                    if let Some(into) = to.acts.iter().find(taken) {
                        found.push(((from.decl, out), (to.decl, into)));
                    }
                }
            }
        }
        found
    }
}

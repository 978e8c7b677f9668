//! Additions to a narration: a part in a line, a challenge in one line that a later one answers, two lines in which a key is shown.
//!
//! A line says both ends of a message at once, and the roles check what they can (`syntax::narration`). So an addition is made where it
//! is written, and at all places that are written alike: what is handed on stays the same.

use crate::analysis::Model;
use crate::base::source::{SourceFile, Span};
use crate::lang::syntax::ast::{
    Cipher, DeclKind, File, LineKind, Protocol, Source, Term, TermKind, declared_names,
};
use rustc_hash::FxHashSet;

use super::Addition;
use super::addition::AT_FRONT;
use super::container::{Brackets, End, place_in};

/// A container that is written in a line.
struct Container {
    /// Its text without blanks, by which it is the same as another one.
    alike: String,
    span: Span,
    brackets: Brackets,
    /// The texts of its parts.
    parts: Vec<String>,
    /// An argument of a function that is no tuple: it becomes one.
    wrapped: bool,
}

/// A message of a narration.
struct Message {
    from: String,
    to: String,
    span: Span,
    containers: Vec<Container>,
}

/// All additions to the narrations of a file.
pub(super) fn additions(file: &SourceFile, model: &Model) -> Vec<Addition> {
    let mut found = Vec::new();
    for decl in &model.tree.decls {
        if let DeclKind::Protocol(protocol) = &decl.kind
            && decl.span.file == file.id
        {
            let narration = Narration::new(file, model, protocol);
            narration.parts(&mut found);
            narration.challenges(&mut found);
            narration.handshakes(&mut found);
        }
    }
    found
}

/// Something that can be added to a message.
struct Value {
    object: &'static str,
    text: String,
}

struct Narration<'a> {
    file: &'a SourceFile,
    messages: Vec<Message>,
    values: Vec<Value>,
    /// Names that stand as keys of shared-key encryptions, or are made as such.
    keys: Vec<String>,
    roles: Vec<String>,
    /// A name that nobody uses.
    fresh: String,
}

impl<'a> Narration<'a> {
    fn new(file: &'a SourceFile, model: &Model, protocol: &Protocol) -> Self {
        let functions = functions(&model.tree);
        let mut narration = Narration {
            file,
            messages: Vec::new(),
            values: Vec::new(),
            keys: Vec::new(),
            roles: protocol.roles.iter().map(|r| r.name.to_string()).collect(),
            fresh: unused(&file.text, "N"),
        };
        let declared = declared(&model.tree);
        for role in &protocol.roles {
            narration.value("identity", &role.name.name);
        }
        for line in &protocol.lines {
            match &line.kind {
                LineKind::Message { from, to, message } => {
                    for end in [from, to] {
                        narration.value("identity", &end.name);
                    }
                    for term in message {
                        narration.names(term, &declared);
                    }
                    let mut containers = Vec::new();
                    for term in message {
                        narration.containers(term, &functions, &mut containers);
                    }
                    narration.messages.push(Message {
                        from: from.to_string(),
                        to: to.to_string(),
                        span: line.span,
                        containers,
                    });
                }
                LineKind::Creates(_, binders) => {
                    for binder in binders {
                        let ty = binder.ty.as_ref().map(|t| &*t.name.name);
                        if ty == Some("Sym") {
                            narration.key(&binder.name.name);
                        } else {
                            narration.value("nonce", &binder.name.name);
                        }
                    }
                }
                LineKind::Knows(..) => {}
            }
        }
        // A name that serves as a key is not shown to others.
        let keys = narration.keys.clone();
        narration.values.retain(|v| !keys.contains(&v.text));
        narration
    }

    fn text(&self, span: Span) -> String {
        squeezed(self.file.slice(span))
    }

    fn value(&mut self, object: &'static str, text: &str) {
        if self.values.iter().all(|v| v.text != text) {
            let text = text.to_owned();
            self.values.push(Value { object, text });
        }
    }

    fn key(&mut self, text: &str) {
        if !self.keys.iter().any(|k| k == text) {
            self.keys.push(text.to_owned());
        }
    }

    /// The fresh names and shares of a term.
    fn names(&mut self, term: &Term, declared: &FxHashSet<String>) {
        match &term.kind {
            TermKind::Name(name) if !declared.contains(&**name) => self.value("nonce", name),
            TermKind::Power(base, _) if !matches!(base.kind, TermKind::Power(..)) => {
                let text = self.text(term.span);
                self.value("share", &text);
            }
            TermKind::Tuple(parts) | TermKind::Hash(parts) | TermKind::Apply(_, parts) => {
                for part in parts {
                    self.names(part, declared);
                }
            }
            TermKind::Encrypt(cipher, parts, key) => {
                for part in parts {
                    self.names(part, declared);
                }
                if let (Cipher::Braces, TermKind::Name(name)) = (cipher, &key.kind)
                    && !declared.contains(&**name)
                {
                    self.key(name);
                }
            }
            _ => {}
        }
    }

    fn containers(&self, term: &Term, functions: &FxHashSet<String>, found: &mut Vec<Container>) {
        let own = |parts: &[Term], brackets| Container {
            alike: self.text(term.span),
            span: term.span,
            brackets,
            parts: parts.iter().map(|p| self.text(p.span)).collect(),
            wrapped: false,
        };
        match &term.kind {
            TermKind::Encrypt(_, parts, key) => {
                found.push(own(parts, Brackets::Before(key.span)));
                for part in parts.iter().chain([&**key]) {
                    self.containers(part, functions, found);
                }
            }
            TermKind::Hash(parts) => {
                found.push(own(parts, Brackets::Last));
                for part in parts {
                    self.containers(part, functions, found);
                }
            }
            TermKind::Tuple(parts) => {
                for part in parts {
                    self.containers(part, functions, found);
                }
            }
            TermKind::Apply(head, args) if functions.contains(&*head.name) => {
                for (i, arg) in args.iter().enumerate() {
                    let parts: Vec<String> = match &arg.kind {
                        TermKind::Tuple(parts) => parts.iter().map(|p| self.text(p.span)).collect(),
                        _ => vec![self.text(arg.span)],
                    };
                    found.push(Container {
                        alike: format!("{} {i}", self.text(term.span)),
                        span: arg.span,
                        brackets: Brackets::Own,
                        wrapped: !matches!(arg.kind, TermKind::Tuple(_)),
                        parts,
                    });
                    self.containers(arg, functions, found);
                }
            }
            _ => {}
        }
    }

    /// Every container once, with the number of its message; and all that are written like it.
    fn classes(&self) -> Vec<(usize, &Container, Vec<&Container>)> {
        let all = || self.messages.iter().flat_map(|m| &m.containers);
        let mut seen = FxHashSet::default();
        let mut classes = Vec::new();
        for (i, message) in self.messages.iter().enumerate() {
            for container in &message.containers {
                if seen.insert(&container.alike) {
                    let alike = all().filter(|c| c.alike == container.alike).collect();
                    classes.push((i, container, alike));
                }
            }
        }
        classes
    }

    /// What is written where, for a part more.
    fn written(&self, alike: &[&Container], end: End, part: &str) -> Option<Vec<(u32, String)>> {
        let mut insertions = Vec::new();
        for container in alike {
            if container.wrapped {
                let (open, close) = match end {
                    End::Back => ("(".to_owned(), format!(", {part})")),
                    End::Front => (format!("({part}, "), ")".to_owned()),
                };
                insertions.push((container.span.start, open));
                insertions.push((container.span.end, close));
            } else {
                let at = place_in(self.file, container.span, container.brackets, end)?;
                insertions.push((at, end.written(part)));
            }
        }
        Some(insertions)
    }

    /// `message 2, {Na, Nb}K(A)+`
    fn place(&self, message: usize, container: &Container) -> String {
        let text = self.file.slice(container.span);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("message {}, {text}", message + 1)
    }

    /// A value that is known, or the number of the message.
    fn parts(&self, found: &mut Vec<Addition>) {
        for end in [End::Back, End::Front] {
            for (message, container, alike) in self.classes() {
                let place = self.place(message, container);
                let number = (message + 1).to_string();
                let mut add = |object: &'static str, text: &str, end: End| {
                    let place = &place;
                    found.extend(self.written(&alike, end, text).map(|insertions| Addition {
                        object,
                        what: format!("{place}: add {object} {text}{}", at_front(end, object)),
                        span: container.span,
                        parts: 1,
                        insertions,
                    }));
                };
                for value in &self.values {
                    if !container.parts.contains(&value.text) {
                        add(value.object, &value.text, end);
                    }
                }
                if end == End::Front {
                    add("number", &number, end);
                }
            }
        }
    }

    /// A fresh name that goes out in one message and comes back, protected, in a later one.
    fn challenges(&self, found: &mut Vec<Addition>) {
        for (i, out) in self.messages.iter().enumerate() {
            for (j, container, alike) in self.classes() {
                if j <= i || self.messages[j].to != out.from {
                    continue;
                }
                let Some(mut insertions) = self.written(&alike, End::Back, &self.fresh) else {
                    continue;
                };
                insertions.push((out.span.end, format!(", {}", self.fresh)));
                found.push(Addition {
                    object: "challenge",
                    what: format!(
                        "message {}: {} adds a challenge {}; {}: it comes back",
                        i + 1,
                        out.from,
                        self.fresh,
                        self.place(j, container)
                    ),
                    span: out.span,
                    parts: 2,
                    insertions,
                });
            }
        }
    }

    /// Two messages more, in which one of two roles shows the other that it has a key, now.
    fn handshakes(&self, found: &mut Vec<Addition>) {
        let Some(last) = self.messages.last() else {
            return;
        };
        let (text, n) = (&self.file.text, self.messages.len());
        let start = text[..last.span.start as usize]
            .rfind('\n')
            .map_or(0, |i| i + 1);
        let line = &text[start..last.span.start as usize];
        let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
        // Lines that are numbered go on being so.
        let written = self.file.slice(last.span);
        let numbered = written.starts_with(|c: char| c.is_ascii_digit());
        let number = |i: usize| {
            if numbered {
                format!("{i}. ")
            } else {
                String::new()
            }
        };
        for key in &self.keys {
            for asks in &self.roles {
                for shows in self.roles.iter().filter(|r| *r != asks) {
                    let (one, two, fresh) = (n + 1, n + 2, &self.fresh);
                    let lines = format!(
                        "\n{indent}{}{asks} -> {shows}: {{{one}, {fresh}}}{key}\n{indent}{}{shows} -> {asks}: {{{two}, {fresh}}}{key}",
                        number(one),
                        number(two)
                    );
                    found.push(Addition {
                        object: "handshake",
                        what: format!(
                            "two messages more: {asks} asks {shows} to show that it has {key}"
                        ),
                        span: last.span,
                        parts: 4,
                        insertions: vec![(last.span.end, lines)],
                    });
                }
            }
        }
    }
}

/// Said of what is added before everything else, where that is not what one does.
fn at_front(end: End, object: &str) -> &'static str {
    if end == End::Front && object != "number" {
        AT_FRONT
    } else {
        ""
    }
}

/// The text without blanks.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// A name that does not occur in a text: `N1`, `N2`, ..
pub(super) fn unused(text: &str, stem: &str) -> String {
    let occurs = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            !inside(text[..at].chars().next_back())
                && !inside(text[at + name.len()..].chars().next())
        })
    };
    let mut i = 1;
    loop {
        let name = format!("{stem}{i}");
        if !occurs(&name) {
            return name;
        }
        i += 1;
    }
}

/// The names of the functions of a file and of what it uses.
fn functions(tree: &File) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    let mut add = |kind: &DeclKind| {
        if let DeclKind::Functions(list) = kind {
            found.extend(list.iter().map(|f| f.name.to_string()));
        }
    };
    for decl in &tree.decls {
        add(&decl.kind);
        if let DeclKind::Use(items) = &decl.kind {
            for item in items {
                item.decls.iter().for_each(|d| add(&d.kind));
            }
        }
    }
    found
}

/// The declared names of a file, what its narrations stand for aside.
fn declared(tree: &File) -> FxHashSet<String> {
    let mut found: FxHashSet<String> = FxHashSet::default();
    for decl in &tree.decls {
        match &decl.kind {
            DeclKind::Protocol(_) => {}
            DeclKind::Use(items) => {
                let files = items.iter().filter(|u| matches!(u.what, Source::File(_)));
                found.extend(files.flat_map(|u| u.decls.iter().flat_map(declared_names)));
            }
            _ => found.extend(declared_names(decl)),
        }
    }
    found
}

//! One role of a narration: what it has at each point, and the process that it becomes.
//!
//! A role checks everything that it can check as soon as it can: a part of a message that it could make is compared, what it can open is
//! opened, and what it can't is bound whole. Whenever it learns something, whatever was bound whole is looked at again: it is opened if its
//! key is there by now, and compared if the role could make it by now.

use super::message::{Message, Sign, Style, fit};
use super::world::{Rule, World};
use crate::base::source::Span;
use crate::lang::syntax::ast::Name;
use std::collections::BTreeMap;

/// A step of a role, and the place in the narration that it comes from.
pub(super) struct Step {
    pub text: String,
    pub span: Span,
}

/// Something that a role has under a name of its own.
struct Held {
    message: Message,
    variable: String,
    /// It was taken apart.
    opened: bool,
    /// It was compared with what the role makes itself.
    compared: bool,
}

/// A role on its way through the narration.
pub(super) struct Role<'a> {
    world: &'a World,
    /// Its name in the narration.
    pub name: Name,
    /// What the agents of the protocol are called in the role.
    agents: BTreeMap<Name, String>,
    /// The types of fresh names.
    types: &'a BTreeMap<Name, String>,
    held: Vec<Held>,
    /// What it was said to know.
    granted: Vec<Message>,
    /// What is sealed and occurs again in what it sends or takes.
    recurring: &'a [Message],
    /// The names that it has made.
    created: Vec<Name>,
    /// Every name in use in it.
    used: Vec<String>,
    channel: String,
    pub steps: Vec<Step>,
}

impl<'a> Role<'a> {
    /// A role before the first line. `agents` says what the agents are called in it, `fresh` which names it will make, `recurring` what is
    /// sealed and occurs again.
    pub(super) fn new(
        world: &'a World,
        name: Name,
        agents: BTreeMap<Name, String>,
        types: &'a BTreeMap<Name, String>,
        fresh: &[Name],
        recurring: &'a [Message],
        channel: &str,
    ) -> Self {
        let used = agents.values().cloned();
        let used = used.chain(fresh.iter().map(ToString::to_string)).collect();
        Self {
            world,
            name,
            agents,
            types,
            held: Vec::new(),
            granted: Vec::new(),
            recurring,
            created: Vec::new(),
            used,
            channel: channel.to_owned(),
            steps: Vec::new(),
        }
    }

    /// The role is said to know this.
    pub(super) fn grant(&mut self, message: Message) {
        self.granted.push(message);
    }

    fn step(&mut self, text: String, span: Span) {
        self.steps.push(Step { text, span });
    }

    /// Makes fresh names.
    pub(super) fn create(&mut self, names: &[Name], span: Span) {
        if names.is_empty() {
            return;
        }
        let shown: Vec<String> = names.iter().map(|n| self.typed(n, n)).collect();
        self.step(format!("new {}.", shown.join(", ")), span);
        self.created.extend(names.iter().cloned());
    }

    /// Whether it has made this name.
    pub(super) fn has_created(&self, name: &Name) -> bool {
        self.created.contains(name)
    }

    fn typed(&self, shown: &str, name: &Name) -> String {
        match self.types.get(name) {
            Some(ty) => format!("{shown}: {ty}"),
            None => shown.to_owned(),
        }
    }

    /// Marks an event.
    pub(super) fn event(&mut self, text: &str, span: Span) {
        self.step(format!("event {text}."), span);
    }

    /// Sends a message, or says what it lacks for it.
    pub(super) fn send(&mut self, message: &[Message], span: Span) -> Result<(), Message> {
        let mut parts = Vec::new();
        for part in message {
            match self.compose(part) {
                Some(text) => parts.push(text),
                None => return Err(self.lacks(part)),
            }
        }
        self.step(format!("{}<{}>.", self.channel, parts.join(", ")), span);
        Ok(())
    }

    /// Takes a message.
    pub(super) fn receive(&mut self, message: &[Message], span: Span) {
        let parts: Vec<String> = message.iter().map(|part| self.pattern(part)).collect();
        self.step(format!("{}({}).", self.channel, parts.join(", ")), span);
        self.look_again(span);
    }

    /// The term by which the role makes a message, if it can.
    pub(super) fn compose(&self, message: &Message) -> Option<String> {
        self.compose_without(message, None)
    }

    /// The same without what it holds at one place.
    fn compose_without(&self, message: &Message, without: Option<usize>) -> Option<String> {
        let held = self.held.iter().enumerate();
        let mut held = held.filter(|(i, _)| Some(*i) != without);
        if let Some((_, held)) = held.find(|(_, h)| h.message == *message) {
            return Some(held.variable.clone());
        }
        let part = |m: &Message| self.compose_without(m, without);
        let list = |parts: &[Message]| -> Option<String> {
            let parts: Option<Vec<String>> = parts.iter().map(part).collect();
            Some(parts?.join(", "))
        };
        match message {
            Message::Name(name) => match self.agents.get(name) {
                Some(agent) => Some(agent.clone()),
                None => self.has_name(name).then(|| name.to_string()),
            },
            Message::Int(n) => Some(n.to_string()),
            Message::Suc(inner) => Some(format!("suc({})", part(inner)?)),
            Message::Tuple(parts) => Some(format!("({})", list(parts)?)),
            Message::Hash(parts) => Some(format!("H({})", list(parts)?)),
            Message::Sealed(style, body, key) => {
                let (open, close) = brackets(*style);
                let key = as_key(key, part(key)?);
                Some(format!("{open}{}{close}{key}", list(body)?))
            }
            Message::Part(of, sign) => {
                let public = *sign == Sign::Plus && self.is_pair(of);
                let own = public || self.owns(message) || self.owns(of);
                let of = match &**of {
                    Message::Apply(name, args) if own && args.is_empty() => name.to_string(),
                    Message::Apply(name, args) if own => format!("{name}({})", list(args)?),
                    Message::Name(name) if own => name.to_string(),
                    // The whole pair was received.
                    Message::Name(_) => part(of)?,
                    other => format!("({})", part(other)?),
                };
                let sign = if *sign == Sign::Plus { "+" } else { "-" };
                Some(format!("{of}{sign}"))
            }
            Message::Power(base, exponents) => self.power(base, exponents, without),
            Message::Apply(name, args) => {
                let function = self.world.functions.contains(name);
                if !function && !self.owns(message) {
                    return None;
                }
                Some(format!("{name}({})", list(args)?))
            }
        }
    }

    /// A share from its exponent; a joint key from a share and the other exponent.
    fn power(
        &self,
        base: &Message,
        exponents: &[Message],
        without: Option<usize>,
    ) -> Option<String> {
        let part = |m: &Message| self.compose_without(m, without);
        let raised =
            |of: String, by: &Message| Some(format!("{of}^{}", in_brackets(by, part(by)?)));
        match exponents {
            [one] => raised(in_brackets(base, part(base)?), one),
            [one, other] => {
                let ways = [(one, other), (other, one)];
                ways.into_iter().find_map(|(inner, outer)| {
                    let share = Message::Power(Box::new(base.clone()), vec![inner.clone()]);
                    raised(self.compose_without(&share, without)?, outer)
                })
            }
            _ => None,
        }
    }

    /// Whether a name is there without having been received.
    fn has_name(&self, name: &Name) -> bool {
        self.world.public.contains(name)
            || self.created.contains(name)
            || self.owns(&Message::Name(name.clone()))
    }

    /// Whether it is a key pair that was declared: everybody has its public part.
    fn is_pair(&self, of: &Message) -> bool {
        match of {
            Message::Apply(name, _) | Message::Name(name) => {
                self.world.families.get(name) == Some(&true)
            }
            _ => false,
        }
    }

    /// Whether a key is the role's from the start, or a pair that it has made: a member of a family with its name among the arguments, or
    /// what it is said to know.
    fn owns(&self, message: &Message) -> bool {
        if self.granted.contains(message) {
            return true;
        }
        match message {
            Message::Apply(name, args) => {
                let me = Message::Name(self.name.clone());
                self.world.families.contains_key(name) && args.contains(&me)
            }
            Message::Name(name) => self.created.contains(name),
            _ => false,
        }
    }

    /// The smallest part of a message for which the role lacks something.
    pub(super) fn lacks(&self, message: &Message) -> Message {
        let parts: Vec<&Message> = match message {
            Message::Suc(inner) => vec![inner],
            Message::Tuple(parts) | Message::Hash(parts) => parts.iter().collect(),
            Message::Apply(name, args) if self.world.functions.contains(name) => {
                args.iter().collect()
            }
            Message::Sealed(_, body, key) => body.iter().chain([&**key]).collect(),
            _ => Vec::new(),
        };
        let missing = parts.into_iter().find(|p| self.compose(p).is_none());
        missing.map_or_else(|| message.clone(), |p| self.lacks(p))
    }

    /// A message that it holds and could not open, with this in it, and the key that it lacks for it.
    pub(super) fn sealed(&self, part: &Message) -> Option<(Message, Message)> {
        let held = self.held.iter().filter(|h| !h.opened);
        held.filter(|h| h.message.contains(part)).find_map(|h| {
            let Message::Sealed(style, _, key) = &h.message else {
                return None;
            };
            Some((h.message.clone(), Message::opener(*style, key)?))
        })
    }

    /// The pattern for a part of a message.
    fn pattern(&mut self, message: &Message) -> String {
        if let Message::Tuple(parts) = message {
            let parts: Vec<String> = parts.iter().map(|p| self.pattern(p)).collect();
            return format!("({})", parts.join(", "));
        }
        if let Some(term) = self.compose(message) {
            return format!("={term}");
        }
        if self.is_remade(message)
            && let Some(pattern) = self.opening(message)
        {
            return pattern;
        }
        self.bind(message)
    }

    /// Whether the role has no need of it, once it is opened, or can seal it again. A signature can't be: what is passed on or compared
    /// is kept whole.
    fn is_remade(&self, message: &Message) -> bool {
        match message {
            Message::Sealed(_, _, key) => {
                !self.recurring.contains(message) || self.compose(key).is_some()
            }
            _ => true,
        }
    }

    /// The pattern that takes a ciphertext apart, if the key is there.
    fn opening(&mut self, message: &Message) -> Option<String> {
        let Message::Sealed(style, body, key) = message else {
            return None;
        };
        let opener = Message::opener(*style, key)?;
        self.compose(&opener)?;
        let parts: Vec<String> = body.iter().map(|p| self.pattern(p)).collect();
        let key = as_key(&opener, self.compose(&opener)?);
        let (open, close) = brackets(*style);
        Some(format!("{open}{}{close}{key}", parts.join(", ")))
    }

    /// A variable for a message that is taken whole.
    fn bind(&mut self, message: &Message) -> String {
        let variable = self.free(&hint(message));
        let shown = match message {
            Message::Name(name) => self.typed(&variable, name),
            Message::Power(_, exponents) if exponents.len() == 1 => format!("{variable}: Share"),
            Message::Part(_, Sign::Plus) => format!("{variable}: Pub"),
            Message::Part(_, Sign::Minus) => format!("{variable}: Priv"),
            _ => variable.clone(),
        };
        self.held.push(Held {
            message: message.clone(),
            variable,
            opened: false,
            compared: matches!(message, Message::Name(_)),
        });
        shown
    }

    /// A name like the hint that nobody uses.
    fn free(&mut self, hint: &str) -> String {
        let free = free_name(hint, |name| {
            self.used.iter().any(|u| u == name) || self.world.taken.contains(name)
        });
        self.used.push(free.clone());
        free
    }

    /// Opens and compares what is possible by now, until nothing more is.
    fn look_again(&mut self, span: Span) {
        let mut index = 0;
        while index < self.held.len() {
            if self.compare(index, span) || self.open(index, span) {
                index = 0;
            } else {
                index += 1;
            }
        }
    }

    /// Compares what is held with what the role makes itself.
    fn compare(&mut self, index: usize, span: Span) -> bool {
        if self.held[index].compared {
            return false;
        }
        let message = self.held[index].message.clone();
        let Some(term) = self.compose_without(&message, Some(index)) else {
            return false;
        };
        let held = &mut self.held[index];
        (held.compared, held.opened) = (true, true);
        let text = format!("[{} is {term}]", held.variable);
        self.step(text, span);
        true
    }

    /// Takes apart what is held.
    fn open(&mut self, index: usize, span: Span) -> bool {
        if self.held[index].opened {
            return false;
        }
        let (message, variable) = {
            let held = &self.held[index];
            (held.message.clone(), held.variable.clone())
        };
        if let Some(pattern) = self.opening(&message) {
            let held = &mut self.held[index];
            (held.compared, held.opened) = (true, true);
            self.step(format!("case {variable} of {pattern} in"), span);
            return true;
        }
        self.destruct(index, &message, &variable, span)
    }

    /// Applies the destructor with the most arguments that the role has.
    fn destruct(&mut self, index: usize, message: &Message, variable: &str, span: Span) -> bool {
        let world = self.world;
        let Message::Apply(function, _) = message else {
            return false;
        };
        let mut best: Option<(usize, String, Message, bool)> = None;
        for rule in &world.rules {
            for (at, form) in rule.args.iter().enumerate() {
                if !matches!(form, Message::Apply(f, _) if f == function) {
                    continue;
                }
                let mut values = Vec::new();
                let variables = |name: &Name| world.is_variable(name);
                if !fit(form, message, &variables, &mut values) {
                    continue;
                }
                let arg = |(i, a): (usize, &Message)| {
                    if i == at {
                        Some(variable.to_owned())
                    } else {
                        self.compose(&a.with(&values))
                    }
                };
                let args: Option<Vec<String>> = rule.args.iter().enumerate().map(arg).collect();
                let Some(args) = args else { continue };
                if best.as_ref().is_none_or(|(n, ..)| args.len() > *n) {
                    let call = format!("{}({})", rule.name, args.join(", "));
                    let whole = determines(world, rule, at);
                    best = Some((args.len(), call, rule.result.with(&values), whole));
                }
            }
        }
        let Some((_, call, result, whole)) = best else {
            return false;
        };
        self.held[index].opened = true;
        self.held[index].compared |= whole;
        let pattern = match &result {
            Message::Name(name) if world.public.contains(name) => "_".to_owned(),
            result => self.pattern(result),
        };
        self.step(format!("let {pattern} = {call} in"), span);
        true
    }

    /// Whether a word stands in one of its steps.
    pub(super) fn uses(&self, word: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let mut words = self
            .steps
            .iter()
            .flat_map(|s| s.text.split(|c| !is_part(c)));
        words.any(|w| w == word)
    }
}

/// Whether the other arguments of a rule and its result determine what it takes apart: whoever has them need not make it anew to compare.
fn determines(world: &World, rule: &Rule, at: usize) -> bool {
    let mut told = Vec::new();
    rule.result.names(&mut told);
    let others = rule.args.iter().enumerate().filter(|(i, _)| *i != at);
    others.for_each(|(_, arg)| arg.names(&mut told));
    let mut taken = Vec::new();
    rule.args[at].names(&mut taken);
    let told = |name: &Name| !world.is_variable(name) || told.contains(name);
    taken.iter().all(told)
}

/// A name like the hint for which `taken` is false.
pub(super) fn free_name(hint: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(hint) {
        return hint.to_owned();
    }
    let primed = (1..).map(|n| format!("{hint}{n}"));
    primed
        .into_iter()
        .find(|name| !taken(name))
        .unwrap_or_default()
}

/// What a variable for a message may be called.
pub(super) fn hint(message: &Message) -> String {
    match message {
        Message::Name(name) => {
            let mut chars = name.chars();
            let first = chars.next().map(|c| c.to_ascii_lowercase());
            let hint: String = first.into_iter().chain(chars).collect();
            // The words of the language are no names.
            let word = |(w, _): &(&str, _)| *w == hint;
            if crate::lang::syntax::token::Token::KEYWORDS.iter().any(word) {
                format!("{hint}1")
            } else {
                hint
            }
        }
        Message::Power(_, exponents) if exponents.len() > 1 => "k".to_owned(),
        Message::Power(..) | Message::Part(..) => "y".to_owned(),
        _ => "x".to_owned(),
    }
}

fn brackets(style: Style) -> (&'static str, &'static str) {
    match style {
        Style::Braces => ("{", "}"),
        Style::Public => ("{[", "]}"),
        Style::Signature => ("[{", "}]"),
    }
}

/// A term as a key: what is more than a name with arguments and a sign stands in brackets.
fn as_key(key: &Message, text: String) -> String {
    match key {
        Message::Power(..) | Message::Sealed(..) => format!("({text})"),
        _ => text,
    }
}

/// A term as an operand of a power.
fn in_brackets(operand: &Message, text: String) -> String {
    match operand {
        Message::Power(..) | Message::Sealed(..) => format!("({text})"),
        _ => text,
    }
}

//! Messages of a narration, as values that can be compared.

use crate::lang::syntax::ast::{Cipher, Name, Part, Term, TermKind};

/// A message. Equal messages of a narration are equal here: exponents have one order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Message {
    /// A name: an agent, something declared, or something fresh.
    Name(Name),
    /// A number.
    Int(u32),
    /// The next number.
    Suc(Box<Message>),
    /// A tuple.
    Tuple(Vec<Message>),
    /// A hash.
    Hash(Vec<Message>),
    /// A ciphertext or signature, with its key.
    Sealed(Style, Vec<Message>, Box<Message>),
    /// A part of a key pair.
    Part(Box<Message>, Sign),
    /// A power, with its exponents in order.
    Power(Box<Message>, Vec<Message>),
    /// A member of a key family, or a function applied to arguments.
    Apply(Name, Vec<Message>),
}

/// How a ciphertext is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Style {
    /// `{M}k`
    Braces,
    /// `{[M]}t`
    Public,
    /// `[{M}]t`
    Signature,
}

/// `+` or `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sign {
    /// Public.
    Plus,
    /// Private.
    Minus,
}

impl Message {
    /// The message that a term stands for.
    pub(super) fn of(term: &Term) -> Message {
        match &term.kind {
            TermKind::Name(name) => Message::Name(name.clone()),
            TermKind::Apply(name, args) => Message::Apply(name.name.clone(), Message::all(args)),
            TermKind::Int(n) => Message::Int(*n),
            TermKind::Suc(inner) => Message::Suc(Box::new(Message::of(inner))),
            TermKind::Tuple(parts) => Message::tuple(Message::all(parts)),
            TermKind::Hash(parts) => Message::Hash(Message::all(parts)),
            TermKind::Encrypt(cipher, body, key) => {
                let style = match cipher {
                    Cipher::Braces => Style::Braces,
                    Cipher::Public => Style::Public,
                    Cipher::Signature => Style::Signature,
                };
                Message::Sealed(style, Message::all(body), Box::new(Message::of(key)))
            }
            TermKind::Part(of, part) => {
                let sign = match part {
                    Part::Public => Sign::Plus,
                    Part::Private => Sign::Minus,
                };
                Message::Part(Box::new(Message::of(of)), sign)
            }
            TermKind::Power(base, exponent) => match Message::of(base) {
                Message::Power(base, mut exponents) => {
                    exponents.push(Message::of(exponent));
                    exponents.sort();
                    Message::Power(base, exponents)
                }
                base => Message::Power(Box::new(base), vec![Message::of(exponent)]),
            },
            // What could not be read was reported.
            TermKind::Error => Message::Int(0),
        }
    }

    /// Those of several terms.
    pub(super) fn all(terms: &[Term]) -> Vec<Message> {
        terms.iter().map(Message::of).collect()
    }

    /// A tuple; one that ends in a tuple is a longer one.
    pub(super) fn tuple(mut parts: Vec<Message>) -> Message {
        if let Some(Message::Tuple(_)) = parts.last()
            && let Some(Message::Tuple(rest)) = parts.pop()
        {
            parts.extend(rest);
        }
        match parts.len() {
            1 => parts.remove(0),
            _ => Message::Tuple(parts),
        }
    }

    /// Whether the message is, or has in it, another one. What a key opens is in it; the key is not.
    pub(super) fn contains(&self, part: &Message) -> bool {
        if self == part {
            return true;
        }
        match self {
            Message::Name(_) | Message::Int(_) | Message::Power(..) | Message::Apply(..) => false,
            Message::Suc(inner) | Message::Part(inner, _) => inner.contains(part),
            Message::Tuple(parts) | Message::Hash(parts) | Message::Sealed(_, parts, _) => {
                parts.iter().any(|p| p.contains(part))
            }
        }
    }

    /// The names in it, each as often as it occurs, from left to right. Families and functions are no such names.
    pub(super) fn names(&self, found: &mut Vec<Name>) {
        match self {
            Message::Name(name) => found.push(name.clone()),
            Message::Int(_) => {}
            Message::Suc(inner) | Message::Part(inner, _) => inner.names(found),
            Message::Tuple(parts) | Message::Hash(parts) | Message::Apply(_, parts) => {
                for p in parts {
                    p.names(found);
                }
            }
            Message::Sealed(_, body, key) => {
                for p in body {
                    p.names(found);
                }
                key.names(found);
            }
            Message::Power(base, exponents) => {
                base.names(found);
                for p in exponents {
                    p.names(found);
                }
            }
        }
    }

    /// What is sealed in it, itself included, each as often as it occurs.
    pub(super) fn sealed<'a>(&'a self, found: &mut Vec<&'a Message>) {
        let mut all = |parts: &'a [Message]| {
            for p in parts {
                p.sealed(found);
            }
        };
        match self {
            Message::Name(_) | Message::Int(_) => {}
            Message::Suc(inner) | Message::Part(inner, _) => inner.sealed(found),
            Message::Tuple(parts) | Message::Hash(parts) | Message::Apply(_, parts) => all(parts),
            Message::Sealed(_, body, key) => {
                all(body);
                key.sealed(found);
                found.push(self);
            }
            Message::Power(base, exponents) => {
                base.sealed(found);
                for p in exponents {
                    p.sealed(found);
                }
            }
        }
    }

    /// Operators and names.
    pub(super) fn size(&self) -> usize {
        let all = |parts: &[Message]| parts.iter().map(Message::size).sum::<usize>();
        1 + match self {
            Message::Name(_) => 0,
            Message::Int(n) => *n as usize,
            Message::Suc(inner) | Message::Part(inner, _) => inner.size(),
            Message::Tuple(parts) | Message::Hash(parts) | Message::Apply(_, parts) => all(parts),
            Message::Sealed(_, body, key) => all(body) + key.size(),
            Message::Power(base, exponents) => base.size() + all(exponents),
        }
    }

    /// The names that are symmetric keys in it: what stands behind a bracket, without a sign.
    pub(super) fn keys(&self, found: &mut Vec<Name>) {
        match self {
            Message::Name(_) | Message::Int(_) => {}
            Message::Suc(inner) | Message::Part(inner, _) => inner.keys(found),
            Message::Tuple(parts) | Message::Hash(parts) | Message::Apply(_, parts) => {
                for p in parts {
                    p.keys(found);
                }
            }
            Message::Sealed(style, body, key) => {
                for p in body {
                    p.keys(found);
                }
                match &**key {
                    Message::Name(name) if *style == Style::Braces => found.push(name.clone()),
                    key => key.keys(found),
                }
            }
            Message::Power(base, exponents) => {
                base.keys(found);
                for p in exponents {
                    p.keys(found);
                }
            }
        }
    }

    /// The message with what stands for some names in their place.
    pub(super) fn with(&self, values: &[(Name, Message)]) -> Message {
        let all = |parts: &[Message]| parts.iter().map(|p| p.with(values)).collect::<Vec<_>>();
        match self {
            Message::Name(name) => {
                let value = values.iter().find(|(n, _)| n == name);
                value.map_or_else(|| self.clone(), |(_, v)| v.clone())
            }
            Message::Int(n) => Message::Int(*n),
            Message::Suc(inner) => Message::Suc(Box::new(inner.with(values))),
            Message::Part(inner, sign) => Message::Part(Box::new(inner.with(values)), *sign),
            Message::Tuple(parts) => Message::tuple(all(parts)),
            Message::Hash(parts) => Message::Hash(all(parts)),
            Message::Apply(name, parts) => Message::Apply(name.clone(), all(parts)),
            Message::Sealed(style, body, key) => {
                Message::Sealed(*style, all(body), Box::new(key.with(values)))
            }
            Message::Power(base, exponents) => {
                Message::Power(Box::new(base.with(values)), all(exponents))
            }
        }
    }

    /// The key that opens a message sealed in this style, if any does.
    pub(super) fn opener(style: Style, key: &Message) -> Option<Message> {
        let other = |inner: &Message, sign| Some(Message::Part(Box::new(inner.clone()), sign));
        match (style, key) {
            (Style::Braces | Style::Public, Message::Part(inner, Sign::Plus)) => {
                other(inner, Sign::Minus)
            }
            (Style::Braces | Style::Signature, Message::Part(inner, Sign::Minus)) => {
                other(inner, Sign::Plus)
            }
            (Style::Braces, key) => Some(key.clone()),
            _ => None,
        }
    }
}

/// Fits a form with variables to a message: what the variables stand for. Names that are no variables stand for themselves.
pub(super) fn fit(
    form: &Message,
    message: &Message,
    is_variable: &dyn Fn(&Name) -> bool,
    values: &mut Vec<(Name, Message)>,
) -> bool {
    let mut all = |a: &[Message], b: &[Message]| {
        let mut pairs = a.iter().zip(b);
        a.len() == b.len() && pairs.all(|(a, b)| fit(a, b, is_variable, values))
    };
    match (form, message) {
        (Message::Name(name), _) if is_variable(name) => {
            if let Some((_, value)) = values.iter().find(|(n, _)| n == name) {
                value == message
            } else {
                values.push((name.clone(), message.clone()));
                true
            }
        }
        (Message::Suc(a), Message::Suc(b)) => fit(a, b, is_variable, values),
        (Message::Part(a, s), Message::Part(b, t)) => s == t && fit(a, b, is_variable, values),
        (Message::Tuple(a), Message::Tuple(b)) | (Message::Hash(a), Message::Hash(b)) => all(a, b),
        (Message::Apply(f, a), Message::Apply(g, b)) => f == g && all(a, b),
        (Message::Sealed(s, a, k), Message::Sealed(t, b, l)) => {
            s == t && all(a, b) && fit(k, l, is_variable, values)
        }
        _ => form == message,
    }
}

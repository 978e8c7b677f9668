//! Systems with an attack by construction: a run is made up first, message by message, and the system is written around
//! it. Whatever the tests ask, the made-up run passes them, so any other verdict than "attack" is wrong.

#![allow(
    clippy::unnecessary_box_returns,
    reason = "what is made becomes part of a term"
)]

use super::random::Random;
use std::fmt::{Display, Formatter, Result};

const HEADER: &str =
    "agent A, B\nspy C\nchannel c\npublic a, b\nprivate j\nkeypair K(Msg)\nkey L(Msg)\n";

/// A term as it is written; without variables, a message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum T {
    Name(&'static str),
    Var(usize),
    Pair(Box<T>, Box<T>),
    Hash(Box<T>),
    Senc(Box<T>, Box<T>),
    Aenc(Box<T>, Box<T>),
    Sign(Box<T>, Box<T>),
    Pub(Box<T>),
    Priv(Box<T>),
    /// A member of the family of key pairs.
    Pair0(Box<T>),
    /// A member of the family of symmetric keys.
    Shared(Box<T>),
}

impl Display for T {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            T::Name(n) => f.write_str(n),
            T::Var(x) => write!(f, "x{x}"),
            T::Pair(a, b) => write!(f, "({a}, {b})"),
            T::Hash(t) => write!(f, "H({t})"),
            T::Senc(m, k) => write!(f, "{{{m}}}{}", k.as_symmetric_key()),
            T::Aenc(m, k) => write!(f, "{{[{m}]}}({k})"),
            T::Sign(m, k) => write!(f, "[{{{m}}}]({k})"),
            T::Pub(t) => write!(f, "({t})+"),
            T::Priv(t) => write!(f, "({t})-"),
            T::Pair0(t) => write!(f, "K({t})"),
            T::Shared(t) => write!(f, "L({t})"),
        }
    }
}

/// Stands where a term can't be written.
const UNWRITABLE: char = '?';

impl T {
    /// The term as the key of `{M}t`, which would not be symmetric if `t` were a key part.
    fn as_symmetric_key(&self) -> String {
        match self {
            T::Pub(_) | T::Priv(_) => UNWRITABLE.to_string(),
            _ => format!("({self})"),
        }
    }

    fn map(&self, image: &mut impl FnMut(&T) -> Option<T>) -> T {
        if let Some(t) = image(self) {
            return t;
        }
        let mut go = |t: &T| Box::new(t.map(image));
        match self {
            T::Name(_) | T::Var(_) => self.clone(),
            T::Pair(a, b) => T::Pair(go(a), go(b)),
            T::Hash(t) => T::Hash(go(t)),
            T::Senc(a, b) => T::Senc(go(a), go(b)),
            T::Aenc(a, b) => T::Aenc(go(a), go(b)),
            T::Sign(a, b) => T::Sign(go(a), go(b)),
            T::Pub(t) => T::Pub(go(t)),
            T::Priv(t) => T::Priv(go(t)),
            T::Pair0(t) => T::Pair0(go(t)),
            T::Shared(t) => T::Shared(go(t)),
        }
    }
}

/// What the made-up attacker has heard, taken apart.
#[derive(Default)]
struct Knowledge(Vec<T>);

impl Knowledge {
    fn learn(&mut self, t: T) {
        self.keep(t);
        loop {
            let opened: Vec<T> = self.0.iter().filter_map(|t| self.opened(t)).collect();
            let before = self.0.len();
            for t in opened {
                self.keep(t);
            }
            if self.0.len() == before {
                return;
            }
        }
    }

    fn keep(&mut self, t: T) {
        if let T::Pair(a, b) = t {
            self.keep(*a);
            self.keep(*b);
        } else if !self.0.contains(&t) {
            self.0.push(t);
        }
    }

    fn opened(&self, t: &T) -> Option<T> {
        let (content, key) = match t {
            T::Senc(m, k) => (m, (**k).clone()),
            T::Aenc(m, k) => match &**k {
                T::Pub(t) => (m, T::Priv(t.clone())),
                _ => return None,
            },
            T::Sign(m, k) => match &**k {
                T::Priv(t) => (m, T::Pub(t.clone())),
                _ => return None,
            },
            _ => return None,
        };
        self.has(&key).then(|| (**content).clone())
    }

    fn has(&self, t: &T) -> bool {
        if self.0.contains(t) {
            return true;
        }
        match t {
            T::Name(n) => matches!(*n, "a" | "b" | "A" | "B" | "C"),
            T::Var(_) => false,
            T::Pair(a, b) | T::Senc(a, b) | T::Aenc(a, b) | T::Sign(a, b) => {
                self.has(a) && self.has(b)
            }
            T::Pub(t) => match &**t {
                T::Pair0(owner) => self.has(owner) || self.has(t),
                _ => self.has(t),
            },
            T::Hash(t) | T::Priv(t) => self.has(t),
            T::Pair0(owner) | T::Shared(owner) => **owner == T::Name("C"),
        }
    }
}

/// A thread being written: its steps so far and what its variables stand for in the made-up run.
#[derive(Default)]
struct Thread {
    text: String,
    values: Vec<(usize, T)>,
    /// Brackets still open.
    open: usize,
}

struct Writer<'r> {
    random: &'r mut Random,
    knowledge: Knowledge,
    threads: Vec<Thread>,
    vars: usize,
}

fn name(n: &'static str) -> Box<T> {
    Box::new(T::Name(n))
}

impl Writer<'_> {
    fn var(&mut self, thread: usize, value: T) -> usize {
        self.vars += 1;
        self.threads[thread].values.push((self.vars, value));
        self.vars
    }

    fn value(&self, thread: usize, t: &T) -> T {
        let values = &self.threads[thread].values;
        t.map(&mut |t| match t {
            T::Var(x) => values.iter().find(|(y, _)| y == x).map(|(_, v)| v.clone()),
            _ => None,
        })
    }

    /// A message that the attacker can send now.
    fn sendable(&mut self, depth: usize) -> T {
        let known = self.knowledge.0.len();
        if known > 0 && !self.random.one_in(3) {
            let i = self.random.below(known);
            return self.knowledge.0[i].clone();
        }
        let public = ["a", "a", "b", "A", "C"];
        let kind = if depth == 0 { 0 } else { self.random.below(9) };
        let mut part = || Box::new(self.sendable(depth.saturating_sub(1)));
        match kind {
            0..=2 => T::Name(public[self.random.below(5)]),
            3 => T::Hash(part()),
            4 => T::Pair(part(), part()),
            5 => T::Senc(part(), Box::new(T::Hash(part()))),
            6 => T::Pub(Box::new(T::Pair0(part()))),
            7 => T::Pub(part()),
            _ => T::Aenc(part(), Box::new(T::Pub(part()))),
        }
    }

    fn atom(&mut self, thread: usize) -> Box<T> {
        let values = &self.threads[thread].values;
        if !values.is_empty() && !self.random.one_in(3) {
            return Box::new(T::Var(values[self.random.below(values.len())].0));
        }
        name(["a", "b", "k", "k", "j", "A"][self.random.below(6)])
    }

    fn key(&mut self, thread: usize) -> Box<T> {
        let secret = ["k", "k", "j"][self.random.below(3)];
        let x = self.atom(thread);
        Box::new(match self.random.below(7) {
            0 => T::Name(secret),
            1 | 2 => T::Hash(Box::new(T::Pair(x, name(secret)))),
            3 => T::Senc(x, name(secret)),
            4 => T::Shared(x),
            5 => *x,
            _ => T::Hash(x),
        })
    }

    fn term(&mut self, thread: usize, depth: usize) -> T {
        if depth == 0 {
            return *self.atom(thread);
        }
        let kind = self.random.below(11);
        let m = Box::new(self.term(thread, depth - 1));
        match kind {
            0 => *m,
            1 => T::Hash(m),
            2 => T::Pair(m, self.atom(thread)),
            3..=5 => T::Senc(m, self.key(thread)),
            6 => T::Aenc(m, Box::new(T::Pub(Box::new(T::Pair0(self.atom(thread)))))),
            7 => T::Aenc(m, Box::new(T::Pub(self.atom(thread)))),
            8 => T::Sign(m, Box::new(T::Priv(self.atom(thread)))),
            9 => T::Pair0(self.atom(thread)),
            _ => T::Pub(m),
        }
    }

    /// The message written with variables where these have the values of its parts; `not` is not used.
    fn written(&mut self, thread: usize, message: &T, not: usize) -> T {
        let values = &self.threads[thread].values;
        let random = &mut *self.random;
        message.map(&mut |t| {
            let same: Vec<usize> = values
                .iter()
                .filter(|(x, v)| *x != not && v == t)
                .map(|(x, _)| *x)
                .collect();
            if same.is_empty() || random.one_in(3) {
                return None;
            }
            Some(T::Var(same[random.below(same.len())]))
        })
    }

    fn add(&mut self, thread: usize, text: &str) {
        self.threads[thread].text += text;
    }

    /// A test that fails in the made-up run, which goes on in the `else`.
    fn otherwise(&mut self, thread: usize, test: &str) {
        self.add(thread, test);
        self.add(thread, " 0 else ( ");
        self.threads[thread].open += 1;
    }

    fn receive(&mut self, thread: usize) {
        let message = self.sendable(2);
        let x = self.var(thread, message);
        self.add(thread, &format!("c(x{x}). "));
    }

    fn send(&mut self, thread: usize) {
        let known = self.knowledge.0.len();
        let t = match self.random.below(6) {
            // Locked with something that the attacker has: it will open.
            0..=2 if known > 0 => {
                let i = self.random.below(known);
                let key = self.knowledge.0[i].clone();
                let m = Box::new(self.term(thread, 1));
                match key {
                    T::Priv(t) => T::Aenc(m, Box::new(self.written(thread, &T::Pub(t), 0))),
                    T::Pub(t) => T::Sign(m, Box::new(self.written(thread, &T::Priv(t), 0))),
                    key => T::Senc(m, Box::new(self.written(thread, &key, 0))),
                }
            }
            3 => *self.key(thread),
            _ => self.term(thread, 2),
        };
        self.add(thread, &format!("c<{t}>. "));
        let message = self.value(thread, &t);
        self.knowledge.learn(message);
    }

    fn test(&mut self, thread: usize) {
        let values = &self.threads[thread].values;
        let (x, value) = values[self.random.below(values.len())].clone();
        match (self.random.below(4), &value) {
            (0, T::Senc(m, k)) => {
                let key = self.written(thread, k, x);
                let y = self.var(thread, (**m).clone());
                let key = key.as_symmetric_key();
                self.add(thread, &format!("case x{x} of {{x{y}}}{key} in "));
            }
            (0, T::Aenc(m, k)) if matches!(**k, T::Pub(_)) => {
                let T::Pub(pair) = &**k else { return };
                let key = self.written(thread, &T::Priv(pair.clone()), x);
                let y = self.var(thread, (**m).clone());
                self.add(thread, &format!("case x{x} of {{[x{y}]}}({key}) in "));
            }
            (0, T::Sign(m, k)) if matches!(**k, T::Priv(_)) => {
                let T::Priv(pair) = &**k else { return };
                let key = self.written(thread, &T::Pub(pair.clone()), x);
                let y = self.var(thread, (**m).clone());
                self.add(thread, &format!("case x{x} of [{{x{y}}}]({key}) in "));
            }
            (0 | 1, T::Pair(a, b)) => {
                let y = self.var(thread, (**a).clone());
                let z = self.var(thread, (**b).clone());
                self.add(thread, &format!("let (x{y}, x{z}) = x{x} in "));
            }
            (2, _) => {
                let t = self.term(thread, 2);
                if self.value(thread, &t) == value {
                    self.add(thread, &format!("[x{x} is {t}] "));
                } else {
                    self.otherwise(thread, &format!("[x{x} is {t}]"));
                }
            }
            _ => {
                let t = self.written(thread, &value, x);
                self.add(thread, &format!("[x{x} is {t}] "));
            }
        }
    }
}

/// How long the made-up runs are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Short,
    /// With more ciphertexts than are tried without a look at which of them can help.
    Long,
}

/// A file with a system in which the secret `s` goes out in the made-up run.
pub fn file(seed: u64, length: Length) -> String {
    let mut random = Random::new(seed);
    let most = if length == Length::Long { 1200 } else { 700 };
    loop {
        let text = attempt(&mut random, length);
        if text.len() < most && !text.contains(UNWRITABLE) {
            return text;
        }
    }
}

fn attempt(random: &mut Random, length: Length) -> String {
    let count = 1 + random.below(3) / 2;
    let (steps, sends) = match length {
        Length::Short => (4 + random.below(6), 6),
        Length::Long => (9 + random.below(6), 7),
    };
    let mut writer = Writer {
        random,
        knowledge: Knowledge::default(),
        threads: (0..count).map(|_| Thread::default()).collect(),
        vars: 0,
    };
    for _ in 0..steps {
        let thread = writer.random.below(count);
        match writer.random.below(10) {
            0..=3 => writer.receive(thread),
            n if n <= sends => writer.send(thread),
            _ if writer.threads[thread].values.is_empty() => writer.receive(thread),
            _ => writer.test(thread),
        }
    }
    // What was received is looked at once more: the end is reached by few other runs.
    for (x, value) in writer.threads[0].values.clone() {
        if writer.random.one_in(2) {
            let t = writer.written(0, &value, x);
            writer.add(0, &format!("[x{x} is {t}] "));
        }
    }
    writer.add(0, "c<s>");
    let parts: Vec<String> = writer
        .threads
        .iter()
        .enumerate()
        .map(|(i, t)| {
            let end = if i == 0 { "" } else { "0" };
            format!("( {}{end}{} )", t.text, " )".repeat(t.open))
        })
        .collect();
    format!(
        "{HEADER}partial system S = new k. new s. ( {} )\nsecrecy s in S\n",
        parts.join(" | ")
    )
}

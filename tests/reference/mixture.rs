//! Random systems that mix what the other generators keep apart: members of key families with received arguments, key parts of
//! anything and keys that are messages, numbers, nested patterns that compare, channels that are terms, `else` under `else`,
//! roles called at run time, several instances, replication, and claims of all kinds about them.
//!
//! Most inputs expect something like a message that somebody sends, so that threads have to do with each other. A second text
//! from the same seed may differ in one atom: the decision with the number of the *glitch* is another one.

use super::random::Random;
use super::spelt::{HASH, MEMBER, Op, PRIV, PUB, SUC, T, one};
use std::fmt::Write;

/// The declarations of all systems here.
pub const HEADER: &str = "agent A, B\nspy C\nchannel c, d, c0, c1, c2\npublic a, b\nprivate s, t\n\
                          keypair K(Msg)\nkey L(Msg, Msg)\n";

const PUBLIC: [&str; 6] = ["A", "B", "C", "a", "b", "0"];

/// What a system is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Everything.
    Open,
    /// Every thread has a channel of its own and does not fork.
    Apart,
    /// Threads do not fork and share public channels.
    Shared,
}

/// Grows processes as text.
struct Grower {
    random: Random,
    style: Style,
    fresh: usize,
    /// The names and variables in reach.
    scope: Vec<String>,
    /// What was sent so far.
    sent: Vec<T>,
    /// The atom that is to be another one, and how many there were.
    glitch: Option<usize>,
    atoms: usize,
    /// The channel of the thread.
    own: Option<String>,
    events: bool,
}

impl Grower {
    fn new(seed: u64, style: Style, glitch: Option<usize>) -> Self {
        Self {
            random: Random::new(seed),
            style,
            fresh: 0,
            scope: Vec::new(),
            sent: Vec::new(),
            glitch,
            atoms: 0,
            own: None,
            events: false,
        }
    }

    fn variable(&mut self) -> String {
        self.fresh += 1;
        let x = format!("x{}", self.fresh);
        self.scope.push(x.clone());
        x
    }

    fn atom(&mut self) -> T {
        let (n, here) = (self.random.below(6), self.random.below(97));
        let mut pick = match n {
            0 => here % PUBLIC.len(),
            _ => PUBLIC.len() + self.scope.len() - 1 - here % self.scope.len().min(6),
        };
        if self.glitch == Some(self.atoms) {
            pick = (pick + 1 + here % 4) % (PUBLIC.len() + self.scope.len());
        }
        self.atoms += 1;
        T::Atom(match pick.checked_sub(PUBLIC.len()) {
            None => PUBLIC[pick].to_owned(),
            Some(i) => self.scope[i].clone(),
        })
    }

    /// A symmetric key: never a part of a pair as it is written.
    fn key(&mut self) -> T {
        let x = Box::new(self.atom());
        match self.random.below(9) {
            0 | 1 => T::Two(Op::Shared, x, Box::new(self.atom())),
            2 => one(HASH, *x),
            3 => T::Two(Op::Pair, x, Box::new(self.atom())),
            4 => T::Two(Op::Senc, x, Box::new(self.atom())),
            _ => *x,
        }
    }

    /// A part of a key pair, or what may have been received as one.
    fn part(&mut self, which: (&'static str, &'static str)) -> T {
        let x = self.atom();
        match self.random.below(6) {
            0 | 1 => one(which, one(MEMBER, x)),
            2 => one(which, one(HASH, x)),
            3 | 4 => one(which, x),
            _ => x,
        }
    }

    fn term(&mut self, depth: usize) -> T {
        if depth == 0 || self.random.one_in(4) {
            return self.atom();
        }
        let t = Box::new(self.term(depth - 1));
        match self.random.below(14) {
            0..=2 => T::Two(Op::Pair, t, Box::new(self.term(depth - 1))),
            3 => one(HASH, *t),
            4..=6 => T::Two(Op::Senc, t, Box::new(self.key())),
            7 => T::Two(Op::Aenc, t, Box::new(self.part(PUB))),
            8 => T::Two(Op::Sign, t, Box::new(self.part(PRIV))),
            9 => one(SUC, *t),
            10 => self.part(PUB),
            11 => self.part(PRIV),
            12 => one(MEMBER, *t),
            _ => T::Two(Op::Shared, t, Box::new(self.atom())),
        }
    }

    fn knows(&self, t: &T) -> bool {
        match t {
            T::Atom(x) => self.scope.contains(x) || PUBLIC.contains(&x.as_str()),
            T::One(_, t, _) => self.knows(t),
            T::Two(_, t, u) => self.knows(t) && self.knows(u),
        }
    }

    /// The term with something in reach for what is not.
    fn here(&mut self, t: &T) -> T {
        match t {
            T::Atom(_) if self.knows(t) && !self.random.one_in(12) => t.clone(),
            T::Atom(_) => self.atom(),
            T::One(before, t, after) => T::One(before, Box::new(self.here(t)), after),
            T::Two(op, t, u) => T::Two(*op, Box::new(self.here(t)), Box::new(self.here(u))),
        }
    }

    /// Something like what was sent before, or something new.
    fn message(&mut self) -> T {
        if self.sent.is_empty() || self.random.one_in(2) {
            return self.term(2);
        }
        let t = self.sent[self.random.below(self.sent.len())].clone();
        self.here(&t)
    }

    /// A pattern for a term; what it binds is in scope from there on.
    fn pattern(&mut self, t: &T) -> String {
        let known = self.knows(t);
        match self.random.below(8) {
            0 | 1 => return self.variable(),
            2 if known => return format!("=({t})"),
            3 if known => {
                let other = self.here(t);
                return format!("=({other})");
            }
            _ => {}
        }
        match t {
            T::Two(Op::Pair, t, u) => {
                let p = self.pattern(t);
                format!("({p}, {})", self.pattern(u))
            }
            T::Two(Op::Senc | Op::Aenc | Op::Sign, ..) => {
                let sealed = self.sealed(t);
                sealed.unwrap_or_else(|| self.variable())
            }
            _ if known => format!("=({t})"),
            _ => self.variable(),
        }
    }

    /// A pattern that opens the term, if there is a key for that in reach.
    fn sealed(&mut self, t: &T) -> Option<String> {
        let (m, key, kind) = match t {
            T::Two(Op::Senc, m, k) => (m, (**k).clone(), 0),
            T::Two(Op::Aenc, m, k) => match &**k {
                T::One(_, z, ")+") => (m, one(PRIV, (**z).clone()), 1),
                _ => return None,
            },
            T::Two(Op::Sign, m, k) => match &**k {
                T::One(_, z, ")-") => (m, one(PUB, (**z).clone()), 2),
                _ => return None,
            },
            _ => return None,
        };
        let key = if self.knows(&key) && !self.random.one_in(8) {
            key
        } else {
            self.here(&key)
        };
        let p = self.pattern(m);
        Some(match kind {
            0 => format!("{{{p}}}{key}"),
            1 => format!("{{[{p}]}}{key}"),
            _ => format!("[{{{p}}}]{key}"),
        })
    }

    fn channel(&mut self) -> String {
        if let Some(own) = &self.own {
            return own.clone();
        }
        if self.style == Style::Open && self.random.one_in(6) {
            return match self.random.below(4) {
                0 => format!("({})", self.term(1)),
                1 => "s".to_owned(),
                _ => format!("({})", self.atom()),
            };
        }
        ["c", "c", "d"][self.random.below(3)].to_owned()
    }

    /// A process with so many steps along a branch.
    fn process(&mut self, length: usize) -> String {
        if length == 0 {
            return "0".to_owned();
        }
        let known = self.scope.len();
        let text = match self.random.below(17) {
            0..=5 => {
                let (c, m) = (self.channel(), self.message());
                let text = format!("{c}<{m}>. ");
                self.sent.push(m);
                text + &self.process(length - 1)
            }
            6..=9 => {
                let c = self.channel();
                if self.random.one_in(3) && !self.sent.is_empty() {
                    let t = self.sent[self.random.below(self.sent.len())].clone();
                    let p = self.pattern(&t);
                    format!("{c}({p}). {}", self.process(length - 1))
                } else {
                    let x = self.variable();
                    let then = if self.random.one_in(3) {
                        self.process(length - 1)
                    } else {
                        self.test(length, &T::Atom(x.clone()))
                    };
                    format!("{c}({x}). {then}")
                }
            }
            10 => {
                let n = self.variable();
                format!("new {n}. {}", self.process(length - 1))
            }
            11 if self.style == Style::Open => {
                let left = self.process(length - 1);
                format!("( {left} | {} )", self.process(length - 1))
            }
            12 | 13 if self.events => {
                let e = ["E", "F"][self.random.below(2)];
                let (t, u) = (self.term(1), self.atom());
                format!("event {e}({t}, {u}). {}", self.process(length - 1))
            }
            14 => {
                let t = self.atom();
                let zero = self.process(length - 1);
                let x = self.variable();
                let more = self.process(length - 1);
                format!("case {t} of 0: ( {zero} ) suc({x}): ( {more} )")
            }
            _ => {
                let subject = self.atom();
                self.test(length, &subject)
            }
        };
        self.scope.truncate(known);
        text
    }

    /// A test of a term, and what follows.
    fn test(&mut self, length: usize, subject: &T) -> String {
        let known = self.scope.len();
        let like = self.message();
        let test = match self.random.below(4) {
            0 => {
                let like = self.here(&like);
                format!("[{subject} is {like}]")
            }
            1 => format!("let {} = {subject} in", self.pattern(&like)),
            _ => match self.sealed(&like) {
                Some(sealed) => format!("case {subject} of {sealed} in"),
                None => format!("let {} = {subject} in", self.pattern(&like)),
            },
        };
        let then = self.process(length - 1);
        self.scope.truncate(known);
        if !self.random.one_in(3) {
            return format!("{test} ( {then} )");
        }
        format!("{test} ( {then} ) else ( {} )", self.process(length - 1))
    }

    /// A system of threads over common names.
    fn system(&mut self, threads: usize, length: usize) -> String {
        self.scope = ["s", "t", "k", "n"].map(str::to_owned).to_vec();
        let count = 1 + self.random.below(threads);
        let texts: Vec<String> = (0..count)
            .map(|i| {
                self.own = (self.style == Style::Apart).then(|| format!("c{i}"));
                self.process(length)
            })
            .collect();
        format!("new k. new n. ( {} )", texts.join(" | "))
    }

    /// Two roles and a system of their instances.
    fn roles(&mut self) -> String {
        let mut text = String::new();
        for role in ["P", "Q"] {
            self.scope = ["s", "t", "u", "v", "n"].map(str::to_owned).to_vec();
            let body = self.process(5);
            let _ = writeln!(text, "def {role}(u: Agent, v) = new n. {body}");
        }
        let parts = [
            "P(A, B)",
            "P(A, s)",
            "P(B, A)",
            "Q(B, A)",
            "Q(A, t)",
            "P(A, C)",
            "Q(B, C)",
            "Q(C, A)",
            "c(y: Agent). P(y, B)",
            "c(y). Q(y, k)",
            "!2 Q(B, A)",
            "new m. (P(A, m) | Q(B, m))",
        ];
        let count = 1 + self.random.below(3);
        let chosen: Vec<&str> = (0..count)
            .map(|_| parts[self.random.below(parts.len())])
            .collect();
        let _ = writeln!(text, "partial system S = new k. ( {} )", chosen.join(" | "));
        text
    }
}

/// How a system is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Threads.
    Threads,
    /// Role instances.
    Roles,
}

/// A file with one system and claims about it.
pub fn file(seed: u64, form: Form) -> String {
    let mut grower = Grower::new(seed, Style::Open, None);
    grower.events = true;
    let system = match form {
        Form::Threads => format!("partial system S = {}\n", grower.system(3, 5)),
        Form::Roles => grower.roles(),
    };
    let random = &mut grower.random;
    let mut text = String::from(HEADER);
    for known in [
        "{s}t",
        "H(s)",
        "{[s]}K(A)+",
        "L(A, B)",
        "K(a)-",
        "{t}L(A, a)",
    ] {
        if random.one_in(6) {
            let _ = writeln!(text, "knows {known}");
        }
    }
    text += &system;
    text += "secrecy s in S\nsecrecy n in S\nsecrecy ({s}t) in S\nunsendable s<t> in S\n";
    let (e, f) = (text.contains("event E("), text.contains("event F("));
    if e {
        text += "reachable E(_, x) in S\nsecrecy x after E(x, _) in S\n";
        text += "agreement E(x, _) => E(x, x) in S\n";
    }
    if e && f {
        text += "agreement E(x, y) => F(x, y) in S\nagreement E(x, A) => F(_, x) in S\n\
                 injective agreement F(x, y) => E(x, y) in S\n\
                 injective agreement E(x, _) => F(x, _) in S\naliveness E(x, _) => F(x, _) in S\n";
    }
    text
}

/// Declarations and two processes that differ in one atom.
pub fn pair(seed: u64, style: Style) -> (String, [String; 2]) {
    let mut random = Random::new(!seed);
    let mut grower = Grower::new(seed, style, None);
    let one = grower.system(3, 5);
    let mut other = one.clone();
    for _ in 0..8 {
        let glitch = random.below(grower.atoms.max(1));
        other = Grower::new(seed, style, Some(glitch)).system(3, 5);
        if other != one {
            break;
        }
    }
    let mut header = HEADER.to_owned();
    if random.one_in(3) {
        header += "knows {s}t, K(a)-\n";
    }
    (header, [one, other])
}

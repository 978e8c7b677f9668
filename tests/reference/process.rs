//! Random processes as text, and near misses: pairs of processes that differ in one place.

use super::random::Random;
use super::theories::Theory;
use std::fmt::{Display, Formatter, Result, Write};

/// The declarations that all processes of this module need.
pub const HEADER: &str = "channel c, d\npublic a, b, ok\n";

/// A term as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum T {
    Atom(String),
    Zero,
    Suc(Box<T>),
    Pair(Box<T>, Box<T>),
    Hash(Box<T>),
    Senc(Box<T>, Box<T>),
    /// Public-key encryption; the second is the key pair.
    Aenc(Box<T>, Box<T>),
    /// Signature; the second is the key pair.
    Sign(Box<T>, Box<T>),
    Pub(Box<T>),
    Priv(Box<T>),
    /// A declared function or destructor.
    Apply(String, Vec<T>),
}

/// A test and how it binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    Match(T, T),
    Split(T, String, String),
    Decrypt(T, String, T),
    /// With the private part of the key pair.
    DecryptPrivate(T, String, T),
    /// With the public part of the key pair.
    Verify(T, String, T),
    /// What a declared destructor gives.
    Destruct(String, Vec<T>, String),
}

/// A process as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum P {
    Nil,
    Par(Vec<P>),
    New(String, Box<P>),
    Out(T, T, Box<P>),
    In(T, String, Box<P>),
    Test(Check, Box<P>, Option<Box<P>>),
    Integer(T, Box<P>, String, Box<P>),
    Event(String, T, Box<P>),
    Phase(u8, Box<P>),
}

impl Display for T {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            T::Atom(name) => f.write_str(name),
            T::Zero => f.write_char('0'),
            T::Suc(t) => write!(f, "suc({t})"),
            T::Pair(t, u) => write!(f, "({t}, {u})"),
            T::Hash(t) => write!(f, "H({t})"),
            T::Senc(t, k) => write!(f, "{{{t}}}{k}"),
            T::Aenc(t, k) => write!(f, "{{[{t}]}}{k}+"),
            T::Sign(t, k) => write!(f, "[{{{t}}}]{k}-"),
            T::Pub(k) => write!(f, "{k}+"),
            T::Priv(k) => write!(f, "{k}-"),
            T::Apply(name, args) => write!(f, "{name}({})", list(args)),
        }
    }
}

/// Arguments as they are written.
pub fn list(args: &[T]) -> String {
    let all: Vec<String> = args.iter().map(ToString::to_string).collect();
    all.join(", ")
}

impl Display for P {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            P::Nil => f.write_char('0'),
            P::Par(parts) => {
                f.write_str("( ")?;
                for (i, p) in parts.iter().enumerate() {
                    write!(f, "{}{p}", if i > 0 { " | " } else { "" })?;
                }
                f.write_str(" )")
            }
            P::New(n, p) => write!(f, "new {n}. {p}"),
            P::Out(c, m, p) => write!(f, "{c}<{m}>. {p}"),
            P::In(c, x, p) => write!(f, "{c}({x}). {p}"),
            P::Event(e, t, p) => write!(f, "event {e}({t}). {p}"),
            P::Phase(n, p) => write!(f, "phase {n}. {p}"),
            P::Integer(t, p, x, q) => write!(f, "case {t} of 0: ( {p} ) suc({x}): ( {q} )"),
            P::Test(check, p, q) => {
                match check {
                    Check::Match(t, u) => write!(f, "[{t} is {u}]")?,
                    Check::Split(t, x, y) => write!(f, "let ({x}, {y}) = {t} in")?,
                    Check::Decrypt(t, x, k) => write!(f, "case {t} of {{{x}}}{k} in")?,
                    Check::DecryptPrivate(t, x, k) => write!(f, "case {t} of {{[{x}]}}{k}- in")?,
                    Check::Verify(t, x, k) => write!(f, "case {t} of [{{{x}}}]{k}+ in")?,
                    Check::Destruct(d, args, x) => write!(f, "let {x} = {d}({}) in", list(args))?,
                }
                write!(f, " ( {p} )")?;
                match q {
                    Some(q) => write!(f, " else ( {q} )"),
                    None => Ok(()),
                }
            }
        }
    }
}

/// What random processes may contain.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Style {
    /// Prefixes along a thread.
    pub length: usize,
    /// Threads.
    pub threads: usize,
    /// Depth of messages.
    pub depth: usize,
    /// With `else` branches.
    pub otherwise: bool,
    /// With events `E(..)` and `F(..)`.
    pub events: bool,
    /// With private channels and channels received in messages.
    pub mobile: bool,
    /// With parallel compositions within threads.
    pub forks: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            length: 4,
            threads: 2,
            depth: 2,
            otherwise: true,
            events: false,
            mobile: false,
            forks: false,
        }
    }
}

/// Grows processes.
pub struct Grower<'r> {
    pub random: &'r mut Random,
    pub style: Style,
    /// The declared functions and destructors; without any nothing else is drawn than without a theory.
    pub theory: Theory,
    fresh: usize,
}

pub fn atom(name: &str) -> T {
    T::Atom(name.to_owned())
}

impl<'r> Grower<'r> {
    pub fn new(random: &'r mut Random, style: Style) -> Self {
        Self {
            random,
            style,
            theory: Theory::default(),
            fresh: 0,
        }
    }

    /// A closed process over the header's names: `new k. new n. new s. ( .. | .. )`.
    pub fn system(&mut self) -> P {
        let names: Vec<String> = ["a", "b", "k", "n", "s"].map(str::to_owned).to_vec();
        let count = 1 + self.random.below(self.style.threads);
        let threads = (0..count)
            .map(|_| self.thread(self.style.length, &names))
            .collect();
        ["s", "n", "k"]
            .iter()
            .fold(P::Par(threads), |p, n| P::New((*n).to_owned(), Box::new(p)))
    }

    fn variable(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    pub fn some_atom(&mut self, scope: &[String]) -> T {
        // Late names are variables and restricted names: prefer them.
        let n = scope.len();
        let i = if self.random.one_in(3) {
            self.random.below(n)
        } else {
            n - 1 - self.random.below(n.min(4))
        };
        atom(&scope[i])
    }

    /// A random term over the names in scope.
    pub fn term(&mut self, scope: &[String], depth: usize) -> T {
        if depth > 0 && !self.theory.is_empty() && !self.random.one_in(4) {
            return self.applied(scope, depth);
        }
        if depth == 0 || self.random.one_in(3) {
            return if self.random.one_in(12) {
                T::Zero
            } else {
                self.some_atom(scope)
            };
        }
        let t = Box::new(self.term(scope, depth - 1));
        match self.random.below(10) {
            0..=1 => T::Pair(t, Box::new(self.term(scope, depth - 1))),
            2 => T::Hash(t),
            3..=5 => T::Senc(t, Box::new(self.key(scope))),
            6 => T::Aenc(t, Box::new(self.key(scope))),
            7 => T::Sign(t, Box::new(self.key(scope))),
            8 => T::Suc(t),
            _ => T::Pub(Box::new(self.key(scope))),
        }
    }

    pub fn key(&mut self, scope: &[String]) -> T {
        let restricted = ["k", "n", "s"];
        if self.random.one_in(4) {
            self.some_atom(scope)
        } else {
            let name = *self.random.pick(&restricted);
            atom(name)
        }
    }

    fn channel(&mut self, scope: &[String]) -> T {
        if self.style.mobile && self.random.one_in(3) {
            return self.some_atom(scope);
        }
        let name = *self.random.pick(&["c", "c", "d"]);
        atom(name)
    }

    fn thread(&mut self, length: usize, scope: &[String]) -> P {
        if length == 0 {
            return P::Nil;
        }
        if self.style.forks && length > 1 && self.random.one_in(4) {
            let count = 2 + self.random.below(2);
            let part = |_| self.thread(length - 1, scope);
            return P::Par((0..count).map(part).collect());
        }
        let depth = self.style.depth;
        let mut inner = scope.to_vec();
        match self.random.below(if self.style.events { 14 } else { 12 }) {
            0..=4 => {
                let (c, m) = (self.channel(scope), self.term(scope, depth));
                P::Out(c, m, Box::new(self.thread(length - 1, scope)))
            }
            5..=7 => {
                let (c, x) = (self.channel(scope), self.variable("x"));
                inner.push(x.clone());
                let then = self.thread_after_input(length - 1, &inner);
                P::In(c, x, Box::new(then))
            }
            8 => {
                let n = self.variable("m");
                inner.push(n.clone());
                P::New(n, Box::new(self.thread(length - 1, &inner)))
            }
            9..=11 => self.test(length, scope),
            12 => P::Event(
                "E".to_owned(),
                self.term(scope, 1),
                Box::new(self.thread(length - 1, scope)),
            ),
            _ => P::Event(
                "F".to_owned(),
                self.term(scope, 1),
                Box::new(self.thread(length - 1, scope)),
            ),
        }
    }

    /// What was received is often looked into.
    fn thread_after_input(&mut self, length: usize, scope: &[String]) -> P {
        if length > 0 && !self.random.one_in(3) {
            self.test(length, scope)
        } else {
            self.thread(length, scope)
        }
    }

    fn test(&mut self, length: usize, scope: &[String]) -> P {
        if !self.theory.is_empty() && !self.random.one_in(3) {
            let (check, bound) = self.destruct(scope);
            let mut inner = scope.to_vec();
            inner.extend(bound);
            return self.tested(check, length, scope, &inner);
        }
        let subject = self.some_atom(scope);
        let mut inner = scope.to_vec();
        let kind = self.random.below(9);
        if kind == 8 {
            let x = self.variable("i");
            inner.push(x.clone());
            let zero = Box::new(self.thread(length - 1, scope));
            let more = Box::new(self.thread(length - 1, &inner));
            return P::Integer(subject, zero, x, more);
        }
        let check = match kind {
            0..=2 => Check::Match(subject, self.term(scope, self.style.depth.min(2))),
            3 => {
                let (x, y) = (self.variable("y"), self.variable("y"));
                inner.extend([x.clone(), y.clone()]);
                Check::Split(subject, x, y)
            }
            _ => {
                let (x, k) = (self.variable("y"), self.key(scope));
                inner.push(x.clone());
                match kind {
                    4 | 5 => Check::Decrypt(subject, x, k),
                    6 => Check::DecryptPrivate(subject, x, k),
                    _ => Check::Verify(subject, x, k),
                }
            }
        };
        self.tested(check, length, scope, &inner)
    }

    fn tested(&mut self, check: Check, length: usize, scope: &[String], inner: &[String]) -> P {
        let then = Box::new(self.thread(length - 1, inner));
        let otherwise = (self.style.otherwise && self.random.one_in(3))
            .then(|| Box::new(self.thread(length - 1, scope)));
        P::Test(check, then, otherwise)
    }

    /// A destructor applied to what may fit one of its rules, with the name of what it gives.
    fn destruct(&mut self, scope: &[String]) -> (Check, Option<String>) {
        let theory = self.theory.clone();
        let rule = self.random.pick(&theory.rules).clone();
        let args = self.arguments(&rule, scope);
        if self.random.one_in(5) {
            // Compared at once, inside a term.
            let other = self.some_atom(scope);
            return (Check::Match(T::Apply(rule.name, args), other), None);
        }
        let x = self.variable("y");
        (Check::Destruct(rule.name, args, x.clone()), Some(x))
    }

    /// The process with one random change: another term, channel, branch, or one prefix less. May be equal to it.
    pub fn mutate(&mut self, p: &P) -> P {
        let mut changed = p.clone();
        let mut prefixes = 0;
        changed.walk(&mut |_| prefixes += 1);
        let place = self.random.below(prefixes.max(1));
        let scope: Vec<String> = ["a", "b", "k", "n", "s"].map(str::to_owned).to_vec();
        let mut i = 0;
        changed.walk(&mut |q| {
            if i == place {
                self.change(q, &scope);
            }
            i += 1;
        });
        changed
    }

    fn change(&mut self, p: &mut P, scope: &[String]) {
        match p {
            P::Nil => *p = P::Out(atom("d"), atom("ok"), Box::new(P::Nil)),
            P::Par(parts) => {
                let i = self.random.below(parts.len());
                parts.rotate_left(i);
            }
            P::New(..) | P::Phase(..) => {}
            P::Out(c, m, then) => match self.random.below(4) {
                0 => *c = atom(if *c == atom("c") { "d" } else { "c" }),
                1 => *p = (**then).clone(),
                _ => self.change_term(m, scope),
            },
            P::In(c, ..) => *c = atom(if *c == atom("c") { "d" } else { "c" }),
            P::Event(_, t, _) | P::Integer(t, ..) => self.change_term(t, scope),
            P::Test(check, then, otherwise) => match self.random.below(3) {
                0 => {
                    *otherwise = match otherwise {
                        Some(_) => None,
                        None => Some(Box::new(P::Out(atom("d"), atom("ok"), Box::new(P::Nil)))),
                    };
                }
                1 if matches!(check, Check::Match(..)) => *p = (**then).clone(),
                _ => match check {
                    Check::Match(_, t)
                    | Check::Split(t, ..)
                    | Check::Decrypt(_, _, t)
                    | Check::DecryptPrivate(_, _, t)
                    | Check::Verify(_, _, t) => *t = self.some_atom(scope),
                    Check::Destruct(_, args, _) => {
                        let i = self.random.below(args.len());
                        self.change_term(&mut args[i], scope);
                    }
                },
            },
        }
    }

    /// Changes a term in one place.
    pub fn change_term(&mut self, t: &mut T, scope: &[String]) {
        let deeper = !self.random.one_in(3);
        match t {
            T::Suc(u) | T::Hash(u) | T::Pub(u) | T::Priv(u) if deeper => self.change_term(u, scope),
            T::Pair(u, v) | T::Senc(u, v) | T::Aenc(u, v) | T::Sign(u, v) if deeper => {
                let into = if self.random.one_in(2) { u } else { v };
                self.change_term(into, scope);
            }
            T::Apply(_, args) if deeper => {
                let i = self.random.below(args.len());
                self.change_term(&mut args[i], scope);
            }
            _ => *t = self.some_atom(scope),
        }
    }
}

impl P {
    /// Visits every process within, itself first; what replaces a process is not visited again.
    fn walk(&mut self, visit: &mut impl FnMut(&mut P)) {
        visit(self);
        match self {
            P::Nil => {}
            P::Par(parts) => parts.iter_mut().for_each(|p| p.walk(visit)),
            P::New(_, p)
            | P::Out(_, _, p)
            | P::In(_, _, p)
            | P::Event(_, _, p)
            | P::Phase(_, p) => p.walk(visit),
            P::Test(_, p, q) => {
                p.walk(visit);
                if let Some(q) = q {
                    q.walk(visit);
                }
            }
            P::Integer(_, p, _, q) => {
                p.walk(visit);
                q.walk(visit);
            }
        }
    }
}

/// A random process and a near miss of it: one to three changes.
pub fn near_miss(seed: u64, style: Style) -> (P, P) {
    near_miss_with(seed, style, &Theory::default())
}

/// The same with declared functions and destructors.
pub fn near_miss_with(seed: u64, style: Style, theory: &Theory) -> (P, P) {
    let mut random = Random::new(seed);
    let mut grower = Grower::new(&mut random, style);
    grower.theory = theory.clone();
    let p = grower.system();
    let mut q = grower.mutate(&p);
    while q == p || grower.random.one_in(3) {
        q = grower.mutate(&q);
        if grower.random.one_in(8) {
            break;
        }
    }
    (p, q)
}

/// A file that declares both processes as systems `P` and `Q`.
pub fn pair_file(p: &impl Display, q: &impl Display) -> String {
    format!("{HEADER}partial system P = {p}\npartial system Q = {q}\nP ~ Q\n")
}

/// A file with one random system and claims about it: secrecy of its names, agreement of its events.
pub fn claims_file(seed: u64, style: Style) -> String {
    claims_file_with(seed, style, &Theory::default())
}

/// The same with declared functions and destructors.
pub fn claims_file_with(seed: u64, style: Style, theory: &Theory) -> String {
    let mut random = Random::new(seed);
    let style = Style {
        events: true,
        ..style
    };
    let mut grower = Grower::new(&mut random, style);
    grower.theory = theory.clone();
    let p = grower.system().to_string();
    format!(
        "{HEADER}{theory}partial system S = {p}\n{}",
        claims_about(&p)
    )
}

/// Claims about a system `S` that is this process.
pub fn claims_about(p: &str) -> String {
    let mut claims = String::from("secrecy k in S\nsecrecy n in S\nsecrecy s in S\n");
    let (e, f) = (p.contains("event E("), p.contains("event F("));
    if e {
        claims += "reachable E(_) in S\nsecrecy x after E(x) in S\n";
    }
    if e && f {
        claims += "agreement E(x) => F(x) in S\ninjective agreement F(x) => E(x) in S\n";
    }
    claims
}

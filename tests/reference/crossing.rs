//! Pairs of systems about joint keys that differ in one place: an exponent is another one, exponents are exchanged, a key is a fresh name.
//!
//! Shares are passed on and raised, keys stand in tests, hashes, ciphertexts, sealed pairs, as keys and as channels; threads fork and come
//! twice.

use super::random::Random;
use std::fmt::{Display, Formatter, Result};

/// What the processes need.
pub const HEADER: &str = "channel c, d, c0, d0, c1, d1, c2, d2, c3, d3
public a, b, ok
group g with neutral one
group h
private function seal(Msg, Msg): Data
function mac(Msg, Msg): Data
destructor same(seal(x, x)) = ok
destructor unseal(seal(x, y), y) = x
destructor owner(mac(x, y), y) = ok
";

/// What pairs may contain.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools)]
pub struct Style {
    /// Every thread has channels of its own.
    pub apart: bool,
    /// Keys and what was received are channels too.
    pub mobile: bool,
    /// Parallel compositions within threads.
    pub forks: bool,
    /// Threads come twice.
    pub copies: bool,
}

/// The style of a seed.
pub fn style(seed: u64) -> Style {
    let apart = !seed.is_multiple_of(3);
    Style {
        apart,
        mobile: !apart && seed.is_multiple_of(2),
        forks: seed.is_multiple_of(4),
        copies: seed.is_multiple_of(5),
    }
}

#[derive(Clone, PartialEq, Eq)]
enum Term {
    Name(String),
    Share(&'static str, Box<Term>),
    Key(&'static str, Box<Term>, Box<Term>),
    /// Of what was received.
    Power(String, Box<Term>),
    Pair(Box<Term>, Box<Term>),
    Hash(Box<Term>),
    Senc(Box<Term>, Box<Term>),
    Seal(Box<Term>, Box<Term>),
    Mac(Box<Term>, Box<Term>),
}

#[derive(Clone, PartialEq, Eq)]
enum Process {
    Nil,
    Fork(Vec<Process>),
    Out(Term, Term, Box<Process>),
    In(Term, String, Box<Process>),
    Is(Term, Term, Box<Process>, Option<Box<Process>>),
    /// What is computed, and its name.
    Let(String, Term, Box<Process>, Option<Box<Process>>),
    /// The ciphertext, its content, and the key.
    Open(Term, String, Term, Box<Process>, Option<Box<Process>>),
    /// The pair, a component it must have, and the other one.
    Split(Term, Term, String, Box<Process>, Option<Box<Process>>),
    /// A destructor, its arguments and what it gives.
    Apply(
        &'static str,
        Vec<Term>,
        String,
        Box<Process>,
        Option<Box<Process>>,
    ),
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Term::Name(n) => f.write_str(n),
            Term::Share(g, x) => write!(f, "({g}^({x}))"),
            Term::Key(g, x, y) => write!(f, "({g}^({x})^({y}))"),
            Term::Power(v, x) => write!(f, "({v}^({x}))"),
            Term::Pair(t, u) => write!(f, "({t}, {u})"),
            Term::Hash(t) => write!(f, "H({t})"),
            Term::Senc(t, k) => write!(f, "{{{t}}}({k})"),
            Term::Seal(t, u) => write!(f, "seal({t}, {u})"),
            Term::Mac(t, u) => write!(f, "mac({t}, {u})"),
        }
    }
}

impl Display for Process {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let tail = |f: &mut Formatter<'_>, p: &Process, q: &Option<Box<Process>>| {
            write!(f, " ( {p} )")?;
            q.as_ref().map_or(Ok(()), |q| write!(f, " else ( {q} )"))
        };
        match self {
            Process::Nil => f.write_str("0"),
            Process::Fork(parts) => {
                let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                write!(f, "( {} )", parts.join(" | "))
            }
            Process::Out(c, m, p) => write!(f, "{c}<{m}>. {p}"),
            Process::In(c, x, p) => write!(f, "{c}({x}). {p}"),
            Process::Is(t, u, p, q) => {
                write!(f, "[{t} is {u}]")?;
                tail(f, p, q)
            }
            Process::Let(x, t, p, q) => {
                write!(f, "let {x} = {t} in")?;
                tail(f, p, q)
            }
            Process::Open(t, x, k, p, q) => {
                write!(f, "case {t} of {{{x}}}({k}) in")?;
                tail(f, p, q)
            }
            Process::Split(t, u, x, p, q) => {
                write!(f, "let (={u}, {x}) = {t} in")?;
                tail(f, p, q)
            }
            Process::Apply(d, args, x, p, q) => {
                let args: Vec<String> = args.iter().map(ToString::to_string).collect();
                write!(f, "let {x} = {d}({}) in", args.join(", "))?;
                tail(f, p, q)
            }
        }
    }
}

/// What can be named in a thread.
#[derive(Clone)]
struct Scope {
    lane: Option<usize>,
    /// What was received or computed.
    values: Vec<String>,
}

struct Grower<'r> {
    random: &'r mut Random,
    style: Style,
    fresh: usize,
}

fn name(n: &str) -> Term {
    Term::Name(n.to_owned())
}

impl Grower<'_> {
    fn group(&mut self) -> &'static str {
        if self.random.one_in(10) { "h" } else { "g" }
    }

    #[allow(clippy::unnecessary_box_returns)]
    fn exponent(&mut self, scope: &Scope) -> Box<Term> {
        let value = !scope.values.is_empty() && self.random.one_in(3);
        Box::new(if value {
            name(&self.random.pick(&scope.values).clone())
        } else if self.random.one_in(5) {
            name(["a", "b"][self.random.below(2)])
        } else {
            name(["x", "y", "z"][self.random.below(3)])
        })
    }

    fn share(&mut self, scope: &Scope) -> Term {
        if !scope.values.is_empty() && self.random.one_in(4) {
            return name(&self.random.pick(&scope.values).clone());
        }
        if self.random.one_in(20) {
            return name(["g", "one"][self.random.below(2)]);
        }
        Term::Share(self.group(), self.exponent(scope))
    }

    fn key(&mut self, scope: &Scope) -> Term {
        if !scope.values.is_empty() && self.random.one_in(3) {
            let of = self.random.pick(&scope.values).clone();
            return Term::Power(of, self.exponent(scope));
        }
        let group = self.group();
        Term::Key(group, self.exponent(scope), self.exponent(scope))
    }

    fn small(&mut self, scope: &Scope) -> Term {
        match self.random.below(5) {
            0 | 1 => self.key(scope),
            2 | 3 => self.share(scope),
            _ => *self.exponent(scope),
        }
    }

    fn message(&mut self, scope: &Scope) -> Term {
        let mut two = || (Box::new(self.small(scope)), Box::new(self.small(scope)));
        let (t, u) = two();
        match self.random.below(13) {
            0..=3 => *t,
            4 => Term::Pair(t, u),
            5 => Term::Hash(Box::new(self.key(scope))),
            6 | 7 => Term::Senc(t, Box::new(self.key(scope))),
            8 => Term::Senc(Box::new(self.key(scope)), u),
            9 | 10 => {
                let keys = [self.key(scope), self.key(scope)].map(Box::new);
                let [t, u] = keys;
                Term::Seal(t, u)
            }
            _ => Term::Mac(t, Box::new(self.key(scope))),
        }
    }

    fn channel(&mut self, scope: &Scope) -> Term {
        if self.style.mobile && self.random.one_in(4) {
            return self.small(scope);
        }
        let stem = ["c", "c", "d"][self.random.below(3)];
        name(&scope.lane.map_or(stem.to_owned(), |i| format!("{stem}{i}")))
    }

    fn variable(&mut self, scope: &Scope) -> (String, Scope) {
        self.fresh += 1;
        let variable = format!("v{}", self.fresh);
        let mut inner = scope.clone();
        inner.values.push(variable.clone());
        (variable, inner)
    }

    fn thread(&mut self, length: usize, scope: &Scope) -> Process {
        if length == 0 {
            return Process::Nil;
        }
        if self.style.forks && length > 1 && scope.lane.is_none() && self.random.one_in(5) {
            let parts = (0..2).map(|_| self.thread(length - 1, scope));
            return Process::Fork(parts.collect());
        }
        match self.random.below(10) {
            0..=3 => {
                let (c, m) = (self.channel(scope), self.message(scope));
                Process::Out(c, m, Box::new(self.thread(length - 1, scope)))
            }
            4..=6 => {
                let c = self.channel(scope);
                let (x, inner) = self.variable(scope);
                let then = if self.random.one_in(2) {
                    self.test(length - 1, &inner)
                } else {
                    self.thread(length - 1, &inner)
                };
                Process::In(c, x, Box::new(then))
            }
            _ => self.test(length, scope),
        }
    }

    fn test(&mut self, length: usize, scope: &Scope) -> Process {
        if length == 0 || scope.values.is_empty() {
            return self.thread(length, scope);
        }
        let subject = self.random.pick(&scope.values).clone();
        let kind = self.random.below(9);
        let (x, inner) = self.variable(scope);
        let bound = if kind < 3 { scope } else { &inner };
        let then = Box::new(self.thread(length - 1, bound));
        let otherwise = self
            .random
            .one_in(3)
            .then(|| Box::new(self.thread(length - 1, scope)));
        match kind {
            0 => Process::Is(name(&subject), self.small(scope), then, otherwise),
            1 | 2 => Process::Is(self.key(scope), self.key(scope), then, otherwise),
            3 | 4 => {
                let power = Term::Power(subject, self.exponent(scope));
                Process::Let(x, power, then, otherwise)
            }
            5 => Process::Open(name(&subject), x, self.key(scope), then, otherwise),
            6 => Process::Split(name(&subject), self.key(scope), x, then, otherwise),
            7 => Process::Apply("same", vec![name(&subject)], x, then, otherwise),
            _ => {
                let args = vec![name(&subject), self.key(scope)];
                let d = ["unseal", "owner"][self.random.below(2)];
                Process::Apply(d, args, x, then, otherwise)
            }
        }
    }

    fn system(&mut self) -> Process {
        let count = 1 + self.random.below(if self.style.apart { 3 } else { 2 });
        let mut threads = Vec::new();
        while threads.len() < count {
            let length = 2 + self.random.below(if self.style.apart { 3 } else { 2 });
            let twice = self.style.copies && self.random.one_in(2);
            let lane = |i: usize| self.style.apart.then_some(i);
            let lanes = [lane(threads.len()), lane(threads.len() + 1)];
            let scope = |lane| Scope {
                lane,
                values: Vec::new(),
            };
            let thread = self.thread(length, &scope(lanes[0]));
            if twice {
                let mut copy = thread.clone();
                copy.terms(&mut |t| {
                    if let (Term::Name(n), [Some(i), Some(j)]) = (&mut *t, lanes)
                        && (*n == format!("c{i}") || *n == format!("d{i}"))
                    {
                        *t = name(&format!("{}{j}", &n[..1]));
                    }
                });
                threads.push(copy);
            }
            threads.push(thread);
        }
        Process::Fork(threads)
    }

    /// Another term in the place of one.
    fn change(&mut self, t: &mut Term) {
        let scope = Scope {
            lane: None,
            values: Vec::new(),
        };
        match t {
            // Often nothing that can be seen.
            Term::Key(_, x, y) if !self.random.one_in(3) => std::mem::swap(x, y),
            Term::Key(..) if self.random.one_in(2) => *t = self.key(&scope),
            Term::Share(_, x) if !self.random.one_in(3) => *x = self.exponent(&scope),
            Term::Share(..) => *t = name(["r", "g", "one"][self.random.below(3)]),
            Term::Name(n) if ["x", "y", "z", "a", "b"].contains(&n.as_str()) => {
                *t = *self.exponent(&scope);
            }
            Term::Name(n) if n.starts_with('v') => *t = self.small(&scope),
            Term::Name(_) | Term::Power(..) => {}
            Term::Pair(p, q) | Term::Seal(p, q) => std::mem::swap(p, q),
            Term::Key(..) | Term::Hash(_) | Term::Senc(..) | Term::Mac(..) => *t = name("r"),
        }
    }
}

impl Term {
    fn visit(&mut self, f: &mut impl FnMut(&mut Term)) {
        f(self);
        match self {
            Term::Name(_) => {}
            Term::Share(_, t) | Term::Power(_, t) | Term::Hash(t) => t.visit(f),
            Term::Key(_, t, u)
            | Term::Pair(t, u)
            | Term::Senc(t, u)
            | Term::Seal(t, u)
            | Term::Mac(t, u) => {
                t.visit(f);
                u.visit(f);
            }
        }
    }
}

impl Process {
    /// Visits all terms, what they are made of too.
    fn terms(&mut self, f: &mut impl FnMut(&mut Term)) {
        let (then, otherwise) = match self {
            Process::Nil => return,
            Process::Fork(parts) => {
                for p in parts {
                    p.terms(f);
                }
                return;
            }
            Process::Out(c, m, then) => {
                c.visit(f);
                m.visit(f);
                (then, None)
            }
            Process::In(c, _, then) => {
                c.visit(f);
                (then, None)
            }
            Process::Is(t, u, then, otherwise)
            | Process::Open(t, _, u, then, otherwise)
            | Process::Split(t, u, _, then, otherwise) => {
                t.visit(f);
                u.visit(f);
                (then, otherwise.as_mut())
            }
            Process::Let(_, t, then, otherwise) => {
                t.visit(f);
                (then, otherwise.as_mut())
            }
            Process::Apply(_, args, _, then, otherwise) => {
                for t in args {
                    t.visit(f);
                }
                (then, otherwise.as_mut())
            }
        };
        then.terms(f);
        if let Some(q) = otherwise {
            q.terms(f);
        }
    }
}

fn written(p: &Process) -> String {
    format!("new x. new y. new z. new r. {p}")
}

/// Two systems that differ in one place, or in two.
pub fn pair(seed: u64, style: Style) -> (String, String) {
    let mut random = Random::new(seed ^ 0x6b65_7973);
    let mut grower = Grower {
        random: &mut random,
        style,
        fresh: 0,
    };
    let p = grower.system();
    let mut q = p.clone();
    let mut count = 0;
    q.terms(&mut |_| count += 1);
    let mut tries = 0;
    while q == p && tries < 20 && count > 0 {
        tries += 1;
        for _ in 0..=usize::from(grower.random.one_in(4)) {
            let at = grower.random.below(count);
            let mut i = 0;
            q.terms(&mut |t| {
                if i == at {
                    grower.change(t);
                }
                i += 1;
            });
        }
    }
    if grower.random.one_in(4)
        && let Process::Fork(parts) = &mut q
    {
        parts.rotate_left(1);
    }
    (written(&p), written(&q))
}

//! Processes with powers: a random process with shares and keys of a group in the place of hashes, signatures and parts of key pairs.
//!
//! Not every process can be written so: a third exponent, or the power of a name, is a mistake. Such seeds are passed over.

use super::load::is_sound;
use super::process::{Check, Grower, P, Style, T, near_miss};
use super::random::Random;
use std::fmt::Write;

/// What the processes need.
pub const HEADER: &str =
    "channel c, d, c0, d0, c1, d1, c2, d2\npublic a, b, ok\ngroup g with neutral one\n";

/// How processes are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spelling {
    /// The exponents of keys are exchanged.
    pub exchanged: bool,
    /// Some of what is received is declared to be a share.
    pub typed: bool,
    /// Every thread has channels of its own.
    pub apart: bool,
    /// The thread that is written.
    pub lane: Option<usize>,
}

impl Spelling {
    /// A value of which a power may be computed.
    fn base(self, t: &T) -> String {
        match t {
            // What was received, or taken out of that.
            T::Atom(name) if name.starts_with('x') || name.starts_with('y') => name.clone(),
            T::Zero => "one".to_owned(),
            t => format!("(g^({}))", self.term(t)),
        }
    }

    fn channel(self, c: &T) -> String {
        match (c, self.lane) {
            (T::Atom(name), Some(lane)) if name == "c" || name == "d" => format!("{name}{lane}"),
            (T::Atom(name), _) => name.clone(),
            _ => format!("({})", self.term(c)),
        }
    }

    fn key(self, t: &T, u: &T) -> String {
        let (t, u) = (self.term(t), self.term(u));
        if self.exchanged {
            format!("(g^({u})^({t}))")
        } else {
            format!("(g^({t})^({u}))")
        }
    }

    /// A term with powers.
    fn term(self, t: &T) -> String {
        match t {
            T::Atom(name) => name.clone(),
            T::Zero => "0".to_owned(),
            T::Suc(t) => format!("{}^k", self.base(t)),
            T::Pair(t, u) => format!("({}, {})", self.term(t), self.term(u)),
            T::Hash(t) => format!("(g^({}))", self.term(t)),
            T::Senc(t, k) => format!("{{{}}}{}", self.term(t), self.term(k)),
            T::Aenc(t, k) => format!("{{{}}}{}", self.term(t), self.key(t, k)),
            T::Sign(t, k) => self.key(t, k),
            T::Pub(k) | T::Priv(k) => format!("(g^({}))", self.term(k)),
            T::Apply(..) => unreachable!("no theory is asked for"),
        }
    }

    /// A process with powers.
    pub fn process(self, p: &P) -> String {
        let term = |t: &T| self.term(t);
        match p {
            P::Nil => "0".to_owned(),
            P::Par(parts) => {
                let inner = |i: usize| Spelling {
                    lane: self.lane.or(self.apart.then_some(i)),
                    ..self
                };
                let parts = parts.iter().enumerate();
                let parts: Vec<String> = parts.map(|(i, p)| inner(i).process(p)).collect();
                format!("( {} )", parts.join(" | "))
            }
            P::New(n, p) => format!("new {n}. {}", self.process(p)),
            P::Out(c, m, p) => {
                let c = self.channel(c);
                format!("{c}<{}>. {}", term(m), self.process(p))
            }
            P::In(c, x, p) => {
                let share = self.typed && x.ends_with(['1', '4', '7']);
                let ty = if share { ": Share" } else { "" };
                format!("{}({x}{ty}). {}", self.channel(c), self.process(p))
            }
            P::Phase(n, p) => format!("phase {n}. {}", self.process(p)),
            P::Event(e, t, p) => format!("event {e}({}). {}", term(t), self.process(p)),
            P::Integer(t, p, x, q) => {
                // Is it a share, and what is its power?
                let (p, q) = (self.process(p), self.process(q));
                format!("let {x} = {}^n in ( {q} ) else ( {p} )", self.base(t))
            }
            P::Test(check, p, q) => {
                let mut text = match check {
                    Check::Match(t, u) => format!("[{} is {}]", term(t), term(u)),
                    Check::Split(t, x, y) => format!("let ({x}, {y}) = {} in", term(t)),
                    Check::Decrypt(t, x, k) => {
                        format!("case {} of {{{x}}}{} in", term(t), term(k))
                    }
                    Check::DecryptPrivate(t, x, k) | Check::Verify(t, x, k) => {
                        format!("let {x} = {}^{} in", self.base(t), term(k))
                    }
                    Check::Destruct(..) => unreachable!("no theory is asked for"),
                };
                let _ = write!(text, " ( {} )", self.process(p));
                if let Some(q) = q {
                    let _ = write!(text, " else ( {} )", self.process(q));
                }
                text
            }
        }
    }
}

/// A file with one random system and claims about it.
pub fn claims_file(seed: u64, style: Style, spelling: Spelling) -> Option<String> {
    let mut random = Random::new(seed);
    let style = Style {
        events: true,
        ..style
    };
    let p = Grower::new(&mut random, style).system();
    let p = spelling.process(&p);
    let mut claims = String::from("secrecy k in S\nsecrecy n in S\nsecrecy s in S\n");
    let (e, f) = (p.contains("event E("), p.contains("event F("));
    if e {
        claims += "reachable E(_) in S\nsecrecy x after E(x) in S\n";
    }
    if e && f {
        claims += "agreement E(x) => F(x) in S\ninjective agreement F(x) => E(x) in S\n";
    }
    let text = format!("{HEADER}partial system S = {p}\n{claims}");
    is_sound(&text).then_some(text)
}

/// The same for the first seed from this one on that can be written so.
pub fn some_claims_file(seed: u64, style: Style) -> String {
    let mut all = (0..).map(|i| seed + 1_000_000 * i);
    let file = all.find_map(|seed| claims_file(seed, style, Spelling::default()));
    file.expect("most seeds can")
}

/// A file with a random pair, for the first seed from this one on that can be written so.
pub fn some_pair_file(seed: u64, style: Style) -> String {
    let mut all = (0..).map(|i| seed + 1_000_000 * i);
    let found = all.find_map(|seed| pair(seed, style, Spelling::default()));
    let (p, q) = found.expect("most seeds can");
    format!("{HEADER}partial system P = {p}\npartial system Q = {q}\nP ~ Q\n")
}

/// A random process and a near miss of it.
pub fn pair(seed: u64, style: Style, spelling: Spelling) -> Option<(String, String)> {
    let (p, q) = near_miss(seed, style);
    let (p, q) = (spelling.process(&p), spelling.process(&q));
    let sound = |p: &String| is_sound(&format!("{HEADER}partial system S = {p}\n"));
    (sound(&p) && sound(&q)).then_some((p, q))
}

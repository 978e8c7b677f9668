//! Random systems about locks: ciphertexts under composed and received keys, oracles that hand out the makings of a key,
//! messages chosen before the key was known and after.

use super::random::Random;
use std::fmt::Write;

const HEADER: &str =
    "agent A, B\nspy C\nchannel c\npublic a, b\nkey L(Agent, Agent)\nkeypair K(Agent)\n";

/// What a gadget can see.
struct Scope<'r> {
    random: &'r mut Random,
    received: Vec<String>,
    fresh: usize,
    /// The kind of lock that most of the system is about: what one part locks another helps to open.
    favourite: usize,
}

impl Scope<'_> {
    fn variable(&mut self) -> String {
        self.fresh += 1;
        let name = format!("x{}", self.fresh);
        self.received.push(name.clone());
        name
    }

    fn received(&mut self) -> String {
        if self.received.is_empty() || self.random.one_in(3) {
            return ["a", "a", "a", "b"][self.random.below(4)].to_owned();
        }
        let i = self.random.below(self.received.len());
        self.received[i].clone()
    }

    fn secret(&mut self) -> &'static str {
        ["k", "k", "k", "n"][self.random.below(4)]
    }

    fn atom(&mut self) -> String {
        if self.random.one_in(3) {
            self.secret().to_owned()
        } else {
            self.received()
        }
    }

    /// A symmetric key: composed, often from something received.
    fn lock(&mut self) -> String {
        let (x, k) = (self.received(), self.secret());
        let kind = if self.random.one_in(4) {
            self.random.below(14)
        } else {
            self.favourite
        };
        match kind {
            0..=2 => format!("H({x}, {k})"),
            3 => format!("H({k}, {x})"),
            4 => format!("({x}, {k})"),
            5 => format!("{{{x}}}{k}"),
            6 => format!("H({x})"),
            7 => format!("H(H({x}, {k}))"),
            8 => format!("L(A, {x})"),
            9 => format!("L({x}, B)"),
            10 => k.to_owned(),
            11 => format!("suc({x})"),
            12 => format!("{x}+"),
            _ => x,
        }
    }

    /// A key pair.
    fn pair(&mut self) -> String {
        let (x, k) = (self.received(), self.secret());
        match self.random.below(6) {
            0 => format!("K({x})"),
            1 => "K(A)".to_owned(),
            2 => x,
            3 => format!("H({x}, {k})"),
            _ => k.to_owned(),
        }
    }

    fn ciphertext(&mut self, inner: &str) -> String {
        match self.random.below(6) {
            0 => format!("{{[{inner}]}}({})+", self.pair()),
            1 => format!("[{{{inner}}}]({})-", self.pair()),
            _ => format!("{{{inner}}}({})", self.lock()),
        }
    }

    /// Something to send.
    fn message(&mut self) -> String {
        match self.random.below(12) {
            0..=1 => self.lock(),
            2..=4 => self.ciphertext("s"),
            5 => {
                let t = self.atom();
                self.ciphertext(&t)
            }
            6 => {
                let t = self.lock();
                self.ciphertext(&t)
            }
            7 => format!("({}, {})", self.received(), self.lock()),
            8 => {
                let inner = self.ciphertext("s");
                self.ciphertext(&inner)
            }
            9 => format!("({})+", self.pair()),
            10 => self.received(),
            _ => self.atom(),
        }
    }

    /// A test of something received.
    fn test(&mut self) -> String {
        let x = self.received();
        match self.random.below(8) {
            0 => format!("[{x} is {}]", self.message()),
            1 => format!("[{x} is {}]", self.lock()),
            2 => {
                let key = self.pair();
                format!("case {x} of {{[{}]}}({key})- in", self.variable())
            }
            3 => {
                let key = self.pair();
                format!("case {x} of [{{{}}}]({key})+ in", self.variable())
            }
            4 => {
                let (y, z) = (self.variable(), self.variable());
                format!("let ({y}, {z}) = {x} in")
            }
            _ => {
                let key = self.lock();
                format!("case {x} of {{{}}}({key}) in", self.variable())
            }
        }
    }

    fn gadget(&mut self, length: usize) -> String {
        let known = self.received.len();
        let mut text = String::new();
        if !self.random.one_in(4) {
            let _ = write!(text, "c({}). ", self.variable());
        }
        if length > 0 && self.random.one_in(4) {
            let _ = write!(text, "c({}). ", self.variable());
        }
        if !self.received.is_empty() && !self.random.one_in(3) {
            let before = self.received.len();
            let test = self.test();
            let then = self.rest(length);
            let _ = write!(text, "{test} ( {then} )");
            self.received.truncate(before);
            if self.random.one_in(3) {
                let _ = write!(text, " else ( c<{}> )", self.message());
            }
            self.received.truncate(known);
            return text;
        }
        text += &self.rest(length);
        self.received.truncate(known);
        text
    }

    fn rest(&mut self, length: usize) -> String {
        let mut text = format!("c<{}>", self.message());
        if length > 0 && !self.random.one_in(3) {
            let _ = write!(text, ". {}", self.gadget(length - 1));
        }
        text
    }
}

/// A file with one system of locks, and the secrecy of its names.
pub fn file(seed: u64) -> String {
    let mut random = Random::new(seed);
    let count = 2 + random.below(3);
    let favourite = random.below(14);
    let mut scope = Scope {
        random: &mut random,
        received: Vec::new(),
        fresh: 0,
        favourite,
    };
    let gadgets: Vec<String> = (0..count).map(|_| scope.gadget(1)).collect();
    let joined = gadgets.join(" | ");
    format!(
        "{HEADER}partial system S = new k. new n. new s. ( {joined} )\nsecrecy s in S\nsecrecy k in S\n"
    )
}

//! Random systems about levels: messages chosen at different times, ciphertexts under keys made of them, keys that come out of
//! other ciphertexts or are sent later, and at the end a comparison of an early message with what was learned since.

use super::random::Random;
use std::fmt::Write;

/// The declarations of all systems here.
pub const HEADER: &str = "agent A\nspy C\nchannel net, flag\npublic a, b\nprivate s, r, k, h, n, m\n\
                          keypair K(Msg)\nkey L(Msg, Msg)\n";

struct Scope<'r> {
    random: &'r mut Random,
    received: Vec<String>,
    /// The names that are inside ciphertexts so far.
    inside: Vec<String>,
    /// Whether there are key pairs.
    asymmetric: bool,
    /// Whether there are keys that belong to agents or to what was received.
    families: bool,
}

impl Scope<'_> {
    fn pick(&mut self, of: &[&str]) -> String {
        (*self.random.pick(of)).to_owned()
    }

    /// Something received, or a public name.
    fn open(&mut self) -> String {
        if self.received.is_empty() || self.random.one_in(5) {
            return self.pick(&["a", "a", "b"]);
        }
        let i = self.random.below(self.received.len());
        self.received[i].clone()
    }

    fn name(&mut self) -> String {
        self.pick(&["k", "k", "h", "n", "m"])
    }

    /// A name that may come out of a ciphertext.
    fn learned(&mut self) -> String {
        if self.inside.is_empty() || self.random.one_in(4) {
            return self.name();
        }
        let i = self.random.below(self.inside.len());
        self.inside[i].clone()
    }

    /// A key that depends on what was received.
    fn lock(&mut self) -> String {
        let x = self.open();
        match self.random.below(10) {
            0..=3 => format!("({{{x}}}s)"),
            9 if self.families => format!("L({}, {x})", self.pick(&["A", "k", "a"])),
            4 => format!("({{{x}, {}}}s)", self.open()),
            5 => format!("H({x}, {})", self.name()),
            6 => format!("({{{x}}}{})", self.pick(&["r", "k"])),
            _ => self.learned(),
        }
    }

    fn pair(&mut self) -> String {
        let x = self.open();
        match self.random.below(5) {
            0 if self.families => format!("K({x})"),
            1 => x,
            2 => format!("H({x}, s)"),
            _ => self.name(),
        }
    }

    /// What a ciphertext has inside.
    fn content(&mut self, depth: usize) -> String {
        match self.random.below(10) {
            0..=4 => {
                let name = self.name();
                self.inside.push(name.clone());
                name
            }
            5 => format!("{{{}}}s", self.pick(&["a", "b", "a, b", "n"])),
            6 => format!("({}, {})", self.name(), self.open()),
            7 if self.asymmetric => format!("({})-", self.pair()),
            _ if depth > 0 => self.sealed(depth - 1),
            _ => self.name(),
        }
    }

    fn sealed(&mut self, depth: usize) -> String {
        let inside = self.content(depth);
        if self.asymmetric && self.random.one_in(3) {
            let z = self.pair();
            let x = self.open();
            return match self.random.below(4) {
                0 => format!("[{{{inside}}}]({z})-"),
                1 if x.starts_with('x') => format!("{{[{inside}]}}{x}"),
                _ => format!("{{[{inside}]}}({z})+"),
            };
        }
        format!("{{{inside}}}{}", self.lock())
    }

    fn output(&mut self) -> String {
        match self.random.below(12) {
            0 => self.name(),
            1 => format!("{{{}}}s", self.pick(&["a", "b", "a, b", "k"])),
            2 if self.asymmetric => format!("({})+", self.pair()),
            _ => self.sealed(1),
        }
    }

    /// What an early message has to be.
    fn test(&mut self) -> String {
        let x = self.open();
        let (n, lock) = (self.learned(), self.lock());
        match self.random.below(8) {
            0..=3 => format!("[{x} is {n}]"),
            4 => format!("[{x} is {{{n}}}{lock}]"),
            5 => format!("case {x} of {{y}}{lock} in [y is {n}]"),
            6 => format!("[{x} is H({n}, {})]", self.open()),
            _ => format!("[{x} is {{{}}}s]", self.open()),
        }
    }
}

/// A process with a place for what is to be reached, written `@`.
pub fn process(seed: u64) -> String {
    let mut random = Random::new(seed);
    let asymmetric = random.one_in(3);
    let mut scope = Scope {
        random: &mut random,
        received: Vec::new(),
        inside: Vec::new(),
        asymmetric,
        families: true,
    };
    let mut text = String::new();
    let _ = write!(text, "net<{{{}}}s>. ", scope.pick(&["a", "b", "a, b", "a"]));
    let inputs = 2 + scope.random.below(2);
    let few = 3 + scope.random.below(3);
    for i in 0..inputs {
        for _ in 0..scope.random.below(few + i).min(3) {
            let _ = write!(text, "net<{}>. ", scope.output());
        }
        let _ = write!(text, "net(x{i}). ");
        scope.received.push(format!("x{i}"));
    }
    for _ in 0..=scope.random.below(3) {
        let _ = write!(text, "net<{}>. ", scope.output());
    }
    if scope.random.one_in(2) {
        let _ = write!(text, "net<{}>. ", scope.name());
    }
    let _ = write!(text, "{} ", scope.test());
    if scope.random.one_in(4) {
        let _ = write!(text, "{} ", scope.test());
    }
    text + "@"
}

/// A file with two ways to go on that are alike but for the names that the attacker hears about, and the secrecy of these.
pub fn twins(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut scope = Scope {
        random: &mut random,
        received: vec!["x".to_owned()],
        inside: Vec::new(),
        asymmetric: false,
        families: false,
    };
    let names = "new s. new r. new k. new h. new n. new m.";
    let mut way = || {
        format!(
            "net<{}>. net<{}>. Tail(k, h)",
            scope.sealed(1),
            scope.output()
        )
    };
    let (one, other) = (way(), way());
    let tail = scope.pick(&[
        "net<k>",
        "net<h>",
        "net<{k}h>. net<h>",
        "net<{y}k>. net(z). [z is {a}k] net<h>",
    ]);
    format!(
        "channel net\npublic a, b\n\
         def Tail(k, h) = net(y). {tail}\n\
         partial system S = {names} net<{{a}}s>. net(x). [x is a] ( {one} ) else ( {other} )\n\
         secrecy n in S\nsecrecy m in S\nsecrecy ({{n}}m) in S\nsecrecy k in S\n"
    )
}

//! Random processes that exercise history: what the attacker could send before it learned more.
//!
//! A single thread sends ciphertexts, hashes and keys, receives messages in between and compares them afterwards; the
//! other process is the same without the last output, or with a test turned around. Whether they are equivalent depends
//! on levels, on elements that have died, and on what messages are known not to be.

#![allow(dead_code)]

use crate::reference::random::Random;
use std::fmt::Write;

/// The declarations.
pub const HEADER: &str = "channel c, d  public a, b, ok";

const SECRETS: [&str; 3] = ["k", "n", "s"];

struct Grower {
    random: Random,
    /// Variables in scope.
    vars: Vec<String>,
    fresh: u32,
    /// Terms sent so far: they are worth comparing with.
    sent: Vec<String>,
}

impl Grower {
    fn atom(&mut self) -> String {
        if !self.vars.is_empty() && self.random.one_in(2) {
            return self.random.pick(&self.vars).clone();
        }
        let n = self.random.below(5);
        ["k", "n", "s", "a", "b"][n].to_owned()
    }

    fn message(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.one_in(3) {
            return self.atom();
        }
        let (m, k) = (self.message(depth - 1), self.atom());
        match self.random.below(9) {
            0..=2 => format!("{{{m}}}{k}"),
            3 => format!("H({m})"),
            4 => format!("({m}, {k})"),
            5 => format!("{{[{m}]}}{k}+"),
            6 => format!("[{{{m}}}]{k}-"),
            7 => format!("{k}+"),
            _ => format!("{k}-"),
        }
    }

    fn target(&mut self) -> String {
        if !self.sent.is_empty() && self.random.one_in(2) {
            return self.random.pick(&self.sent).clone();
        }
        self.message(1)
    }

    fn var(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    /// A chain of prefixes; returns the text before the last output and the brackets that close it.
    fn chain(&mut self, length: u32) -> (String, String) {
        let (mut text, mut close) = (String::new(), String::new());
        for i in 0..length {
            let test = i * 2 >= length || self.random.one_in(5);
            match self.random.below(if test { 7 } else { 3 }) {
                0 => {
                    let x = self.var("x");
                    let _ = write!(text, "c({x}). ");
                    self.vars.push(x);
                }
                1 => {
                    let m = self.message(2);
                    let _ = write!(text, "c<{m}>. ");
                    self.sent.push(m);
                }
                2 => {
                    let n = self.random.below(3);
                    let key = SECRETS[n];
                    let form = ["", "+", "-"][self.random.below(5).saturating_sub(2)];
                    let _ = write!(text, "c<{key}{form}>. ");
                }
                _ if self.vars.is_empty() => {}
                n => {
                    let x = self.random.pick(&self.vars.clone()).clone();
                    let y = self.var("y");
                    let other = self.random.one_in(3);
                    match n {
                        3 => {
                            let t = self.target();
                            let _ = write!(text, "[{x} is {t}] ");
                        }
                        4 => {
                            let k = self.atom();
                            let _ = write!(text, "case {x} of {{{y}}}{k} in ");
                        }
                        5 => {
                            let k = self.atom();
                            let open = if other { "{[" } else { "[{" };
                            let (shut, part) = if other { ("]}", "-") } else { ("}]", "+") };
                            let _ = write!(text, "case {x} of {open}{y}{shut}{k}{part} in ");
                        }
                        _ => {
                            let _ = write!(text, "let ({y}, z{y}) = {x} in ");
                        }
                    }
                    if self.random.one_in(4) {
                        // Go on in the other branch.
                        text.push_str("0 else ( ");
                    } else {
                        text.push_str("( ");
                        if n == 6 {
                            self.vars.push(format!("z{y}"));
                        }
                        if n != 3 {
                            self.vars.push(y);
                        }
                    }
                    close.push_str(" )");
                }
            }
        }
        (text, close)
    }
}

/// A pair: the same chain with and without its last output.
pub fn pair(seed: u64) -> (String, String) {
    let mut grower = Grower {
        random: Random::new(seed ^ 0x5eed_0000),
        vars: Vec::new(),
        fresh: 0,
        sent: Vec::new(),
    };
    let length = 5 + grower.random.below(4) as u32;
    let (text, close) = grower.chain(length);
    // A variable bound in a branch that was left is out of scope: only whole chains are used, so names are safe.
    let last = match grower.random.below(3) {
        0 => "d<ok>".to_owned(),
        1 => "c<a>. d<ok>".to_owned(),
        _ => {
            let t = grower.message(1);
            format!("d<{t}>")
        }
    };
    let other = match grower.random.below(3) {
        0 => "0".to_owned(),
        1 => "new m. d<m>".to_owned(),
        _ => {
            let t = grower.message(1);
            format!("d<{t}>")
        }
    };
    let wrap = |end: &str| format!("new k. new n. new s. {text}{end}{close}");
    (wrap(&last), wrap(&other))
}

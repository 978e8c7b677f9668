//! Random systems in which somebody may be left stuck: tests with and without `else`, events that may wait, private channels
//! that the attacker may come to learn, roles of a spy.

use super::random::Random;

const HEADER: &str = "agent A\nspy C\nchannel net\npublic a\n";

/// Writes threads.
struct Writer {
    random: Random,
    fresh: usize,
    /// Whether there are channels that the attacker lacks.
    private: bool,
}

impl Writer {
    fn term(&mut self, scope: &[String]) -> String {
        let atom = |w: &mut Self| w.random.pick(scope).clone();
        match self.random.below(8) {
            0..=4 => atom(self),
            5 => format!("({}, {})", atom(self), atom(self)),
            _ => format!("{{{}}}{}", atom(self), self.random.pick(&["k", "t"])),
        }
    }

    fn channel(&mut self, scope: &[String]) -> String {
        if !self.private || self.random.one_in(2) {
            return "net".to_owned();
        }
        match self.random.below(6) {
            0 => self.random.pick(scope).clone(),
            1 => format!(
                "({{{}}}{})",
                self.random.pick(scope),
                self.random.pick(&["k", "t"])
            ),
            _ => "pc".to_owned(),
        }
    }

    fn variable(&mut self) -> String {
        self.fresh += 1;
        format!("x{}", self.fresh)
    }

    fn thread(&mut self, length: usize, scope: &[String]) -> String {
        if length == 0 {
            return "0".to_owned();
        }
        let mut inner = scope.to_vec();
        match self.random.below(10) {
            0..=3 => {
                let (channel, term) = (self.channel(scope), self.term(scope));
                format!("{channel}<{term}>. {}", self.thread(length - 1, scope))
            }
            4..=5 => {
                let (channel, x) = (self.channel(scope), self.variable());
                inner.push(x.clone());
                format!("{channel}({x}). {}", self.thread(length - 1, &inner))
            }
            6..=7 => {
                let event = *self.random.pick(&["E", "F"]);
                let about = self.random.pick(scope).clone();
                format!("event {event}({about}). {}", self.thread(length - 1, scope))
            }
            _ => {
                let (left, y) = (self.random.pick(scope).clone(), self.variable());
                let test = if self.random.one_in(3) {
                    inner.push(y.clone());
                    format!("case {left} of {{{y}}}k in")
                } else {
                    format!("[{left} is {}]", self.term(scope))
                };
                let then = self.thread(length - 1, &inner);
                match self.random.below(3) {
                    0 => format!("{test} ( {then} )"),
                    1 => format!("{test} ( {then} ) else 0"),
                    _ => format!(
                        "{test} ( {then} ) else ( {} )",
                        self.thread(length - 1, scope)
                    ),
                }
            }
        }
    }
}

/// A file with one random system and claims about it.
pub fn file(seed: u64) -> String {
    let mut writer = Writer {
        random: Random::new(seed),
        fresh: 0,
        private: !seed.is_multiple_of(4),
    };
    let scope: Vec<String> = ["a", "k", "s", "t", "pc"].map(str::to_owned).to_vec();
    let mut inside = scope.clone();
    inside.push("p".to_owned());
    let role = writer.thread(3, &inside);
    let mut parts: Vec<String> = (0..=writer.random.below(3))
        .map(|_| {
            let length = 2 + writer.random.below(2);
            writer.thread(length, &scope)
        })
        .collect();
    let threads = parts.len();
    for agent in ["A", "C"] {
        if writer.random.one_in(2) {
            parts.push(format!("R({agent}, k, s, t, pc)"));
        }
    }
    let mut text = format!(
        "{HEADER}def R(p: Agent, k, s, t, pc) = new m. {role}\n\
         partial system S = new k. new s. new t. new pc. ( {} )\n",
        parts.join(" | ")
    );
    text += "secrecy s in S\n";
    let mut run = parts[..threads].concat();
    if parts.len() > threads {
        text += "secrecy m in S\n";
        run += &role;
    }
    let (e, f) = (run.contains("event E("), run.contains("event F("));
    if e {
        text += "reachable E(_) in S\nsecrecy x after E(x) in S\n";
    }
    if e && f {
        text += "agreement E(x) => F(x) in S\ninjective agreement E(x) => F(x) in S\n";
    }
    text
}

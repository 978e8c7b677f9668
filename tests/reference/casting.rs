//! Random roles: steps that make, send and wait for messages about agents, and compare whom they name.

use super::random::Random;

/// Writes roles that name agents.
pub struct Writer<'a> {
    pub random: &'a mut Random,
    pub agents: &'a [&'static str],
    pub spies: &'a [&'static str],
    /// Whether roles name agents.
    pub names: bool,
    /// Variables in scope.
    pub scope: Vec<String>,
    pub fresh: usize,
}

impl Writer<'_> {
    pub fn agent(&mut self) -> String {
        let all: Vec<&str> = self.agents.iter().chain(self.spies).copied().collect();
        (*self.random.pick(&all)).to_owned()
    }

    /// Somebody: mostly a variable in scope, now and then an agent by name.
    fn who(&mut self, named: usize) -> String {
        if self.scope.is_empty() || self.names && self.random.one_in(named) {
            self.agent()
        } else {
            self.random.pick(&self.scope).clone()
        }
    }

    /// A key and what opens what was locked with it.
    fn key(&mut self) -> (String, String) {
        let (a, b) = (self.who(8), self.who(8));
        let both = |k: String| (k.clone(), k);
        match self.random.below(16) {
            0..=6 => both("j".to_owned()),
            7 | 8 => ("M(sk)+".to_owned(), "M(sk)-".to_owned()),
            9 | 10 => both(format!("L({a}, {b})")),
            11 => both(format!("L({b}, {a})")),
            12 | 13 => (format!("K({a})+"), format!("K({a})-")),
            _ => (format!("K({a})-"), format!("K({a})+")),
        }
    }

    pub fn tag(&mut self) -> &'static str {
        ["t", "t", "t", "u"][self.random.below(4)]
    }

    fn step(&mut self) -> String {
        match self.random.below(12) {
            0..=2 => {
                let ((lock, _), tag) = (self.key(), self.tag());
                let (a, b) = (self.who(8), self.who(8));
                format!("net<{{{tag}, {a}, {b}}}{lock}>. ")
            }
            3..=5 => {
                let ((_, key), tag) = (self.key(), self.tag());
                let i = self.fresh;
                self.fresh += 1;
                let typed = if self.random.one_in(3) { ": Agent" } else { "" };
                self.scope.extend([format!("x{i}"), format!("y{i}")]);
                format!("net(z{i}). case z{i} of {{={tag}, x{i}{typed}, y{i}}}{key} in ")
            }
            6..=8 => {
                let (a, b, c) = (self.who(99), self.who(2), self.who(9));
                let other = match self.random.below(8) {
                    0 | 1 => format!("H({b})"),
                    3 => format!("L({b}, {c})"),
                    2 => format!("({b}, m)"),
                    _ => b,
                };
                let not = if self.random.one_in(3) { "0 else " } else { "" };
                format!("[{a} is {other}] {not}")
            }
            9 => format!("event E({}, {}). ", self.who(9), self.who(9)),
            10 => format!("event F({}, {}). ", self.who(9), self.who(9)),
            _ => format!("net(w{}). ", self.fresh),
        }
    }

    pub fn steps(&mut self, count: usize) -> String {
        (0..count).map(|_| self.step()).collect()
    }
}

/// A definition; the types of its parameters join `roles`.
pub fn role(writer: &mut Writer<'_>, roles: &mut Vec<Vec<bool>>, most: usize) -> String {
    let count = 1 + writer.random.below(most);
    let mut params: Vec<bool> = (0..count).map(|_| !writer.random.one_in(6)).collect();
    if writer.random.one_in(2) {
        params.push(false);
    }
    let typed = |t: &bool| if *t { ": Agent" } else { "" };
    let declared: Vec<String> = (params.iter().zip(0..))
        .map(|(t, i)| format!("p{i}{}", typed(t)))
        .collect();
    writer.scope = (0..params.len()).map(|i| format!("p{i}")).collect();
    let count = writer.random.below(4);
    let steps = writer.steps(count);
    let number = roles.len();
    let end = match writer.random.below(9) {
        0 | 1 => "0".to_owned(),
        2 | 3 => format!("Sub({}, {}, n{number})", writer.who(3), writer.who(3)),
        4 if number > 0 => {
            let other = writer.random.below(number);
            let args: Vec<String> = roles[other].iter().map(|_| writer.who(5)).collect();
            format!("(P{other}({}) | net<n{number}>)", args.join(", "))
        }
        _ => format!("net<n{number}>"),
    };
    roles.push(params);
    let declared = declared.join(", ");
    format!("def P{number}({declared}) = new n{number}. {steps}{end}\n")
}

/// Arguments for a role: mostly different agents.
pub fn arguments(writer: &mut Writer<'_>, params: &[bool], has_parameter: bool) -> Vec<String> {
    let mut args: Vec<String> = Vec::new();
    for typed in params {
        let mut arg = writer.agent();
        if args.contains(&arg) && !writer.random.one_in(3) {
            arg = writer.agent();
        }
        if has_parameter && writer.random.one_in(4) {
            "q".clone_into(&mut arg);
        }
        if *typed {
            if writer.random.one_in(16) {
                (*writer.random.pick(&["pa", "r", "m"])).clone_into(&mut arg);
            }
        } else {
            let other = writer.agent();
            let first = args.first().unwrap_or(&other).clone();
            arg = match writer.random.below(12) {
                0 => "m".to_owned(),
                1 | 7 | 8 => format!("H({other})"),
                2 => format!("L({first}, {other})"),
                3 => format!("({first}, m)"),
                4 => "j".to_owned(),
                5 => "r".to_owned(),
                6 => format!("K({first})+"),
                _ => arg,
            };
        }
        args.push(arg);
    }
    args
}

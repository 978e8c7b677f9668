//! Who never gets to an end in a comparison [Sem 6.4], against brute force and against certified runs.
//!
//! Random systems of roles, each of which marks an event of its own at all its ends. Whoever brute force brings to its event may not be blamed, and
//! whoever is not blamed gets to its event in a run that is certified.

use crate::reference::attack::{self, Answer};
use crate::reference::load;
use crate::reference::random::{Random, seeds};
use spi::analysis::{Decision, Model, Outcome, Settings};
use spi::base::limits::Silent;
use std::collections::BTreeSet;
use std::fmt::Write as _;

const ROLES: usize = 2;

struct Writer {
    random: Random,
    fresh: usize,
}

impl Writer {
    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("x{}", self.fresh)
    }

    fn message(&mut self, scope: &[String]) -> String {
        let (one, two) = (
            self.random.pick(scope).clone(),
            self.random.pick(scope).clone(),
        );
        match self.random.below(5) {
            0..=2 => one,
            3 => format!("({one}, {two})"),
            _ => format!("{{{one}}}{}", self.random.pick(&["k", "l"])),
        }
    }

    fn thread(&mut self, length: usize, scope: &[String], end: &str) -> String {
        if length == 0 {
            return format!("event {end}");
        }
        let channel = *self.random.pick(&["c", "c", "c", "d"]);
        let otherwise = if self.random.one_in(4) {
            format!(" else event {end}")
        } else {
            String::new()
        };
        let mut inner = scope.to_vec();
        match self.random.below(6) {
            0 => {
                let n = self.name();
                inner.push(n.clone());
                format!("new {n}. {}", self.thread(length - 1, &inner, end))
            }
            1 => {
                let message = self.message(scope);
                format!(
                    "{channel}<{message}>. {}",
                    self.thread(length - 1, scope, end)
                )
            }
            2 | 3 => {
                let x = self.name();
                inner.push(x.clone());
                format!("{channel}({x}). {}", self.thread(length - 1, &inner, end))
            }
            4 => {
                let (of, y) = (self.random.pick(scope).clone(), self.name());
                let key = *self.random.pick(&["k", "l"]);
                inner.push(y.clone());
                let then = self.thread(length - 1, &inner, end);
                format!("case {of} of {{{y}}}{key} in ({then}){otherwise}")
            }
            _ => {
                let (one, two) = (
                    self.random.pick(scope).clone(),
                    self.random.pick(scope).clone(),
                );
                let then = self.thread(length - 1, scope, end);
                format!("[{one} is {two}] ({then}){otherwise}")
            }
        }
    }
}

/// The systems `S` and `T` and their comparison; `P0` is the role of `S` that marks `EP0`, and so on.
fn file(seed: u64) -> String {
    let mut writer = Writer {
        random: Random::new(seed),
        fresh: 0,
    };
    let scope = ["a", "b"].map(str::to_owned);
    let mut text = "channel c public a, b private k, l, d\n".to_owned();
    for role in ["P", "Q"] {
        for i in 0..ROLES {
            let length = 2 + writer.random.below(3);
            let thread = writer.thread(length, &scope, &format!("E{role}{i}"));
            let _ = writeln!(text, "def {role}{i} = {thread}");
        }
    }
    text.push_str("system S = P0 | P1\nsystem T = Q0 | Q1\nS ~ T\n");
    for (role, system) in [("P", "S"), ("Q", "T")] {
        for i in 0..ROLES {
            let _ = writeln!(text, "reachable E{role}{i} in {system}");
        }
    }
    text
}

#[test]
fn who_is_blamed_is_brought_to_its_end_by_nobody() {
    let (mut ends, mut stuck, mut closed) = (0, 0, 0);
    for seed in seeds(60) {
        let text = file(seed);
        // Some events are never marked.
        let Ok(model) = Model::from_text(&text) else {
            continue;
        };
        let settings = Settings::default();
        let decide = |i: usize| {
            let decided = model.decide(i, &settings, &Silent);
            decided.expect("the system is small")
        };
        let Decision::Compared(comparison) = decide(0) else {
            panic!("a comparison");
        };
        let [Some(left), Some(right)] = &comparison.gates else {
            continue;
        };
        let blamed: BTreeSet<String> = [left, right]
            .into_iter()
            .filter(|gate| !gate.limited)
            .flat_map(|gate| {
                let label =
                    |i: &spi::analysis::Idle| gate.system.instance(i.instance()).label.to_string();
                gate.idle.iter().map(label).collect::<Vec<_>>()
            })
            .collect();
        for (i, claim) in model.claims().iter().enumerate().skip(1) {
            let role = claim.text.split([' ', '(']).nth(1).expect("an event")[1..].to_owned();
            let system = load::system(
                &model.store,
                model.program(false),
                if role.starts_with('P') { "S" } else { "T" },
            );
            let brute = attack::find(
                &model.store,
                &system,
                &[],
                &claim.kind,
                attack::Limits::default(),
            );
            let idle = blamed.contains(&role);
            if idle {
                assert!(
                    !matches!(brute, Answer::Found(_)),
                    "seed {seed}: {role} gets to its end\n{text}"
                );
            }
            let reached = match decide(i).outcome() {
                Outcome::Reached => true,
                Outcome::Unreachable => false,
                other => panic!("seed {seed}: {other:?}\n{text}"),
            };
            assert_eq!(idle, !reached, "seed {seed}: {role}\n{text}");
            ends += usize::from(reached);
            stuck += usize::from(idle);
        }
        let idle = |gate: &spi::analysis::Gate| !gate.idle.is_empty();
        assert_eq!(
            comparison.is_idle(),
            idle(left) && idle(right),
            "seed {seed}\n{text}"
        );
        closed += usize::from(comparison.is_idle());
    }
    assert!(
        ends > 60 && stuck > 20 && closed > 3,
        "{ends} end, {stuck} do not, {closed} closed"
    );
}

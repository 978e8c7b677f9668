//! Random theories with key families, agents and roles: parties apply destructors to what they receive, with long-term keys among the arguments.

use super::load::is_sound;
use super::process::{Grower, Style, T};
use super::random::Random;
use super::theories::{Theory, admitted};
use std::fmt::Write;

/// What every file declares, but for its theory.
const HEADER: &str = "agent A, B
spy C
channel net
public a, b, ok
private k, s
keypair K(Agent)
key L(Agent, Agent)
";

/// Role instances that a system may have.
const CALLS: [&str; 6] = [
    "P0(A, B)", "P1(B, A)", "P0(A, C)", "P1(B, C)", "P0(B, A)", "P1(A, B)",
];

/// A file: theory, roles, the instances of its system, and claims.
#[derive(Clone, Debug)]
pub struct Parties {
    above: String,
    calls: Vec<&'static str>,
    claims: String,
}

impl Parties {
    /// The file of a seed; some seeds have none.
    pub fn new(seed: u64) -> Option<Self> {
        let theory = admitted(seed / 3, !seed.is_multiple_of(3), false);
        let mut random = Random::new(seed ^ 0x7061_7274);
        let roles = [0, 1].map(|i| role(&mut random, &theory, i));
        let mut calls = vec![CALLS[0], CALLS[1]];
        if random.one_in(2) {
            calls.push(CALLS[random.below(CALLS.len())]);
        }
        let mut claims = "secrecy k in S\nsecrecy s in S\nsecrecy n in S\n".to_owned();
        let both = roles.concat();
        let (e, f) = (both.contains("event E("), both.contains("event F("));
        if e {
            claims += "reachable E(_, _, _) in S\nsecrecy x after E(_, _, x) in S\n";
        }
        if e && f {
            claims += "agreement E(p, q, x) => F(q, p, x) in S\ninjective agreement F(p, q, x) => E(q, p, x) in S\n";
        }
        let above = format!("{HEADER}{theory}{both}");
        let parties = Self {
            above,
            calls,
            claims,
        };
        is_sound(&parties.written(1)).then_some(parties)
    }

    /// The file, every role instance so many times.
    pub fn written(&self, times: usize) -> String {
        let calls: Vec<&str> = (0..times)
            .flat_map(|_| self.calls.iter().copied())
            .collect();
        let calls = calls.join(" | ");
        format!("{}partial system S = {calls}\n{}", self.above, self.claims)
    }

    /// How many role instances there are.
    pub fn size(&self) -> usize {
        self.calls.len()
    }
}

fn role(random: &mut Random, theory: &Theory, number: usize) -> String {
    let mut grower = Grower::new(random, Style::default());
    grower.theory = theory.clone();
    let mut scope: Vec<String> = ["a", "me", "peer", "k", "s", "n"]
        .map(str::to_owned)
        .to_vec();
    let keys = [
        "K(me)+",
        "K(peer)+",
        "K(me)-",
        "L(me, peer)",
        "L(peer, me)",
        "K(me)",
        "K(peer)",
    ];
    for _ in 0..3 {
        scope.push((*grower.random.pick(&keys)).to_owned());
    }
    let mut body = "new n. ".to_owned();
    let mut received: Vec<String> = Vec::new();
    for i in 0..2 + grower.random.below(4) {
        let written = match grower.random.below(8) {
            0..=2 => {
                let t = grower.applied(&scope, 2);
                write!(body, "net<{t}>. ")
            }
            3 | 4 => {
                received.push(format!("x{i}"));
                scope.push(format!("x{i}"));
                write!(body, "net(x{i}). ")
            }
            5 | 6 if !received.is_empty() => {
                let rule = grower.random.pick(&theory.rules).clone();
                let mut args = grower.arguments(&rule, &scope);
                let at = grower.random.below(args.len());
                args[at] = T::Atom(grower.random.pick(&received).clone());
                scope.push(format!("y{i}"));
                let args = super::process::list(&args);
                write!(body, "let y{i} = {}({args}) in ", rule.name)
            }
            _ => {
                let t = grower.some_atom(&scope);
                let event = ["E", "F"][number];
                write!(body, "event {event}(me, peer, {t}). ")
            }
        };
        written.expect("it is a string");
    }
    let last = grower.some_atom(&scope);
    format!(
        "def P{number}(me: Agent, peer: Agent) = {body}event {}(me, peer, {last})\n",
        ["E", "F"][number]
    )
}

//! Random protocols of the Needham-Schroeder kind as text: two roles, up to four messages under shared, public or
//! private keys, with secrecy and agreement claims.

use super::random::Random;
use std::fmt::Write;

/// What a message part is, seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    AgentA,
    AgentB,
    NonceA,
    NonceB,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lock {
    None,
    /// The receiver's public key.
    Public,
    /// The sender's private key.
    Private,
    /// The key that both share.
    Shared,
    Hash,
}

#[derive(Clone, Debug)]
struct Message {
    from_initiator: bool,
    parts: Vec<Part>,
    lock: Lock,
    /// Parts sent in the clear before the locked ones.
    clear: Vec<Part>,
}

/// A role while its text is written.
struct Role {
    initiator: bool,
    text: String,
    /// The nonces it can use by now: own or received.
    knows: Vec<Part>,
}

impl Role {
    fn spell(&self, part: Part) -> &'static str {
        match (part, self.initiator) {
            (Part::AgentA, _) => "a",
            (Part::AgentB, _) => "b",
            (Part::NonceA, true) => "Na",
            (Part::NonceA, false) => "na",
            (Part::NonceB, true) => "nb",
            (Part::NonceB, false) => "Nb",
        }
    }

    fn send(&mut self, m: &Message) {
        let list = |parts: &[Part]| {
            let names: Vec<&str> = parts.iter().map(|p| self.spell(*p)).collect();
            names.join(", ")
        };
        let (inside, clear) = (list(&m.parts), list(&m.clear));
        let (me, peer) = if self.initiator {
            ("a", "b")
        } else {
            ("b", "a")
        };
        let body = match m.lock {
            Lock::None => format!("({inside})"),
            Lock::Public => format!("{{{inside}}}K({peer})+"),
            Lock::Private => format!("{{{inside}}}K({me})-"),
            Lock::Shared => format!("{{{inside}}}L(a, b)"),
            Lock::Hash => format!("H({inside})"),
        };
        let comma = if clear.is_empty() { "" } else { ", " };
        let _ = writeln!(self.text, "  net<{clear}{comma}{body}>.");
    }

    fn receive(&mut self, m: &Message, number: usize) {
        let x = format!("x{number}");
        let mut pattern = |parts: &[Part]| {
            let mut spelt = Vec::new();
            for part in parts {
                let name = self.spell(*part);
                if self.knows.contains(part) {
                    spelt.push(format!("={name}"));
                } else {
                    spelt.push(name.to_owned());
                    self.knows.push(*part);
                }
            }
            spelt.join(", ")
        };
        let clear = pattern(&m.clear);
        let inside = pattern(&m.parts);
        let (me, peer) = if self.initiator {
            ("a", "b")
        } else {
            ("b", "a")
        };
        let body = match m.lock {
            Lock::None if m.parts.len() == 1 => inside.clone(),
            Lock::None => format!("({inside})"),
            Lock::Public => format!("{{{inside}}}K({me})-"),
            Lock::Private => format!("{{{inside}}}K({peer})+"),
            Lock::Shared => format!("{{{inside}}}L(a, b)"),
            Lock::Hash => format!("=H({})", inside.replace('=', "")),
        };
        let comma = if clear.is_empty() { "" } else { ", " };
        if clear.is_empty() && matches!(m.lock, Lock::Public | Lock::Private | Lock::Shared) {
            let _ = writeln!(self.text, "  net({x}). case {x} of {body} in");
        } else {
            let _ = writeln!(self.text, "  net({x}). let ({clear}{comma}{body}) = {x} in");
        }
    }
}

/// Which role instances run.
const SCENARIOS: [&str; 5] = [
    "Init(A, B) | Resp(B, A)",
    "Init(A, C) | Resp(B, A)",
    "Init(A, B) | Init(A, C) | Resp(B, A)",
    "Init(A, B) | Resp(B, A) | Resp(A, B)",
    "Init(A, B) | Listen(B)",
];

/// A random protocol as a file. Every claim is about the system `S`.
pub fn file(seed: u64) -> String {
    let mut random = Random::new(seed);
    let count = 2 + random.below(3);
    let mut init = Role {
        initiator: true,
        text: String::new(),
        knows: vec![Part::AgentA, Part::AgentB, Part::NonceA],
    };
    let mut resp = Role {
        initiator: false,
        text: String::new(),
        knows: vec![Part::AgentA, Part::AgentB, Part::NonceB],
    };
    for number in 0..count {
        let from_initiator = number % 2 == 0;
        let (sender, receiver) = if from_initiator {
            (&mut init, &mut resp)
        } else {
            (&mut resp, &mut init)
        };
        let message = invent(&mut random, from_initiator, &sender.knows, &receiver.knows);
        sender.send(&message);
        receiver.receive(&message, number);
    }
    let agreed = match (
        resp.knows.contains(&Part::NonceA),
        init.knows.contains(&Part::NonceB),
    ) {
        (true, _) => Some(("Na", "na")),
        (false, true) => Some(("nb", "Nb")),
        _ => None,
    };
    let mut claims = String::from(
        "secrecy Na in S\nsecrecy Nb in S\nsecrecy Na, Nb in S\nreachable Done(_, _) in S\n",
    );
    let (mut first, mut last) = (String::new(), String::new());
    if let Some((of_init, of_resp)) = agreed {
        // The initiator's event comes first if it knows the value from the start, else at its end.
        let running = format!("  event Running(a, b, {of_init}).\n");
        if of_init == "Na" {
            first = running;
        } else {
            last = running;
        }
        let _ = writeln!(resp.text, "  event Agreed(b, a, {of_resp}).");
        for claim in ["agreement", "injective agreement"] {
            let _ = writeln!(claims, "{claim} Agreed(b, a, n) => Running(a, b, n) in S");
        }
        let _ = writeln!(claims, "secrecy n after Agreed(_, _, n) in S");
    }
    let scenario = random.pick(&SCENARIOS);
    format!(
        "agent A, B\nspy C\nchannel net\nkeypair K(Agent)\nkey L(Agent, Agent)\n\n\
         def Init(a: Agent, b: Agent) =\n  new Na.\n{first}{}{last}  0\n\n\
         def Resp(b: Agent, a: Agent) =\n  new Nb.\n{}  event Done(b, a)\n\n\
         def Listen(b: Agent) = net(a: Agent). Resp(b, a)\n\n\
         partial system S = {scenario}\n\n{claims}",
        init.text, resp.text
    )
}

fn invent(
    random: &mut Random,
    from_initiator: bool,
    sender: &[Part],
    receiver: &[Part],
) -> Message {
    let lock = *random.pick(&[
        Lock::None,
        Lock::Public,
        Lock::Public,
        Lock::Public,
        Lock::Private,
        Lock::Shared,
        Lock::Shared,
        Lock::Hash,
    ]);
    let usable: Vec<Part> = sender
        .iter()
        .copied()
        .filter(|p| lock != Lock::Hash || receiver.contains(p))
        .collect();
    let count = 1 + random.below(3);
    let mut parts = Vec::new();
    for _ in 0..count {
        let part = if random.one_in(2) {
            usable[usable.len() - 1]
        } else {
            *random.pick(&usable)
        };
        parts.push(part);
    }
    let clear = if random.one_in(4) {
        vec![*random.pick(sender)]
    } else {
        vec![]
    };
    Message {
        from_initiator,
        parts,
        lock,
        clear,
    }
}

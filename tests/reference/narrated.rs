//! Random narrations, and the roles of one run against messages that somebody has changed.
//!
//! A role should take what it is sent if and only if all that it could compute of the messages as they are told, and all that is equal in
//! them, is so in the messages that come. That is a question about two frames, and knows nothing of how roles are made.

use super::concrete::{Config, Offer};
use super::load;
use super::random::Random;
use super::statics::{Frame, refuted};
use spi::base::source::{SourceFile, SourceMap};
use spi::lang::syntax::{link, narration};
use spi::process::{StepId, System};
use spi::term::{FamilyKind, NameClass, TermId, TermStore, View};
use std::collections::BTreeMap;
use std::fmt::Write;

const HEADER: &str = "keypair K(Agent)
key L(Agent, Agent)
key M(Agent)
group g
use aead, sig
function box(Msg, Sym): Data
function mac(Msg, Sym): Data
destructor unbox(box(x, k), k) = x
agent S
protocol P(A, B)
  S knows M(A), M(B)
";

/// A narration line by line: who speaks to whom.
pub struct Told {
    pub text: String,
    lines: Vec<(&'static str, &'static str)>,
}

/// A random narration. A line that its sender can't say is left out.
pub fn told(seed: u64) -> Told {
    let mut random = Random::new(seed);
    let roles: &[&'static str] = if random.one_in(2) {
        &["A", "B"]
    } else {
        &["A", "B", "S"]
    };
    let mut told = Told {
        text: HEADER.to_owned(),
        lines: Vec::new(),
    };
    let mut said: Vec<String> = Vec::new();
    for _ in 0..3 + random.below(4) {
        let from = *random.pick(roles);
        let others: Vec<&'static str> = roles.iter().copied().filter(|r| *r != from).collect();
        let to = *random.pick(&others);
        let count = said.len();
        let parts: Vec<String> = (0..=random.below(3))
            .map(|_| message(&mut random, &mut said, 2))
            .collect();
        let text = format!("{}  {from} -> {to}: {}\n", told.text, parts.join(", "));
        let file = SourceFile::anonymous("t", &text);
        if link::parse(&mut SourceMap::new(), &file).1.is_empty() {
            told.text = text;
            told.lines.push((from, to));
        } else {
            said.truncate(count);
        }
    }
    told
}

fn name(random: &mut Random) -> String {
    (*random.pick(&["Na", "Nb", "Kab", "N1"])).to_owned()
}

fn key(random: &mut Random) -> String {
    match random.below(10) {
        0..3 => "L(A, B)".to_owned(),
        3..5 => format!("M({})", random.pick(&["A", "B"])),
        5 | 6 => "Kab".to_owned(),
        7 => "(g^x^y)".to_owned(),
        8 => format!("(H({}))", name(random)),
        _ => "Nb".to_owned(),
    }
}

fn message(random: &mut Random, said: &mut Vec<String>, depth: usize) -> String {
    if depth == 0 || random.one_in(3) {
        let plain = ["A", "B", "g^x", "g^y", "1", "kp+", "kp", "g^x^y"];
        return if random.one_in(2) {
            name(random)
        } else {
            (*random.pick(&plain)).to_owned()
        };
    }
    if !said.is_empty() && random.one_in(6) {
        return random.pick(said).clone();
    }
    let mut part = |random: &mut Random| message(random, said, depth - 1);
    let who = |random: &mut Random| *random.pick(&["A", "B"]);
    let made = match random.below(12) {
        0 => format!("({}, {})", part(random), part(random)),
        1 => format!("H({}, {})", part(random), part(random)),
        2 => format!("H({})", part(random)),
        3 => format!("{{{}, {}}}{}", part(random), part(random), key(random)),
        4 => format!("{{{}}}{}", part(random), key(random)),
        5 => format!("{{{}}}K({})+", part(random), who(random)),
        6 => format!("{{{}}}K({})-", part(random), who(random)),
        7 => format!("{{{}}}kp+", part(random)),
        8 => format!("mac({}, {})", part(random), key(random)),
        9 => format!("box({}, {})", part(random), key(random)),
        10 => {
            let (k, n, d) = (key(random), name(random), part(random));
            format!("aead({k}, {n}, {d}, {})", part(random))
        }
        _ => format!("sig({}, K({})-)", part(random), who(random)),
    };
    said.push(made.clone());
    made
}

/// A role of a narration: what it does, has, and is sent.
pub struct Part {
    pub role: &'static str,
    system: System,
    has: Vec<TermId>,
    pub sent: Vec<TermId>,
}

/// The roles that are sent something, with what they are sent if nobody interferes.
pub fn parts(store: &TermStore, told: &Told) -> Vec<Part> {
    let file = SourceFile::anonymous("t", &told.text);
    let (tree, mistakes) = link::parse(&mut SourceMap::new(), &file);
    assert!(mistakes.is_empty(), "{}\n{mistakes:?}", told.text);
    let mut text = narration::expanded(&file, &tree);
    let mut roles: Vec<&'static str> = told.lines.iter().flat_map(|(a, b)| [*a, *b]).collect();
    roles.sort_unstable();
    roles.dedup();
    for role in &roles {
        let _ = writeln!(text, "\npartial system Only{role} = P_{role}(A, B)");
    }
    let program = load::program(store, &text);
    let system = |role: &&'static str| load::untrimmed(store, &program, &format!("Only{role}"));
    let systems: Vec<System> = roles.iter().map(system).collect();
    let mut configs: BTreeMap<&str, Config> = BTreeMap::new();
    let mut sent: BTreeMap<&str, Vec<TermId>> = BTreeMap::new();
    let at = |role: &str| roles.iter().position(|r| *r == role).expect("a role");
    for (role, system) in roles.iter().zip(&systems) {
        configs.insert(role, settled(store, system, Config::start(store, system)));
    }
    for (from, to) in &told.lines {
        let (config, system) = (&configs[from], &systems[at(from)]);
        let (step, offer) = next(store, system, config).expect("who speaks has something to say");
        let Offer::Output { message, .. } = offer else {
            panic!("{from} waits\n{text}")
        };
        let after = config.after(store, system, step, None);
        configs.insert(from, settled(store, system, after));
        let (config, system) = (&configs[to], &systems[at(to)]);
        let Some((step, Offer::Input { .. })) = next(store, system, config) else {
            panic!("{to} does not listen\n{text}")
        };
        let after = settled(
            store,
            system,
            config.after(store, system, step, Some(message)),
        );
        assert!(!after.stuck, "{to} refuses what it should be sent\n{text}");
        configs.insert(to, after);
        sent.entry(to).or_default().push(message);
    }
    let parts = roles.into_iter().zip(systems).map(|(role, system)| Part {
        role,
        has: owned(store, role, &system),
        sent: sent.remove(role).unwrap_or_default(),
        system,
    });
    parts.filter(|part| !part.sent.is_empty()).collect()
}

/// What a role has from the start, or makes.
fn owned(store: &TermStore, role: &str, system: &System) -> Vec<TermId> {
    let member = |kind, label, agents: &[&str]| {
        let agents: Vec<TermId> = agents.iter().map(|a| store.public(a)).collect();
        store.family(store.family_id(kind, label, agents.len() as u32), &agents)
    };
    let mut has: Vec<TermId> = system.names.iter().map(|o| o.term).collect();
    let long = |agent| member(FamilyKind::Symmetric, "M", &[agent]);
    if role == "S" {
        has.extend([long("A"), long("B")]);
    } else {
        let pair = member(FamilyKind::KeyPair, "K", &[role]);
        let shared = member(FamilyKind::Symmetric, "L", &["A", "B"]);
        has.extend([long(role), shared, pair, store.priv_part(pair)]);
    }
    has
}

fn next(store: &TermStore, system: &System, config: &Config) -> Option<(StepId, Offer)> {
    let step = *config.ready.first()?;
    Some((step, config.offer(store, system, step)))
}

/// After the events that are next.
fn settled(store: &TermStore, system: &System, mut config: Config) -> Config {
    while let Some((step, Offer::Event { .. })) = next(store, system, &config) {
        config = config.after(store, system, step, None);
    }
    config
}

impl Part {
    /// Whether the role goes on to its end if it is sent these.
    pub fn takes(&self, store: &TermStore, messages: &[TermId]) -> bool {
        let system = &self.system;
        let mut config = Config::start(store, system);
        let mut messages = messages.iter();
        while let Some((step, offer)) = next(store, system, &config) {
            let message = matches!(offer, Offer::Input { .. }).then(|| messages.next().copied());
            config = config.after(store, system, step, message.flatten());
        }
        !config.stuck && messages.next().is_none()
    }

    /// Whether these agree with what it is told that it is sent, as far as it can tell.
    pub fn may_take(&self, store: &TermStore, messages: &[TermId]) -> bool {
        let frame = |heard| Frame {
            initial: &self.has,
            heard,
        };
        refuted(store, frame(&self.sent), frame(messages)).is_none()
    }

    /// The messages with something in them changed, once or everywhere.
    pub fn changed(&self, store: &TermStore, random: &mut Random) -> Vec<TermId> {
        let mut messages = self.sent.clone();
        for _ in 0..=random.below(2) {
            let at = random.below(messages.len());
            let places = places(store, messages[at]);
            let old = *random.pick(&places);
            let Some(new) = self.other(store, random, old) else {
                continue;
            };
            let only = if random.one_in(2) { Some(at) } else { None };
            // At one place: the first, or another one.
            let mut skipped = if only.is_some() { random.below(2) } else { 0 };
            for (i, message) in messages.iter_mut().enumerate() {
                if only.is_none_or(|only| only == i) {
                    let mut left = if only.is_some() { 1 } else { usize::MAX };
                    *message = put(store, *message, old, new, &mut skipped, &mut left);
                }
            }
        }
        messages
    }

    /// Something that may stand in the place of a term: a share in that of a share, a public part in that of one.
    fn other(&self, store: &TermStore, random: &mut Random, old: TermId) -> Option<TermId> {
        let own = store.name(NameClass::Attacker, "z", 0);
        let is_part = |t: &TermId| matches!(store.view(*t), View::Pub(_) | View::Priv(_));
        Some(match store.view(old) {
            View::Family(..) => return None,
            View::Pub(_) => store.pub_part(own),
            View::Priv(_) => store.priv_part(own),
            View::Share(g, _) => store.share(g, own),
            _ => {
                let share = store.share(store.public("g"), own);
                let mut pool = vec![
                    own,
                    store.public("A"),
                    store.hash(own),
                    store.senc(own, own),
                    store.joint(share, own),
                ];
                let parts = self.sent.iter().flat_map(|m| places(store, *m));
                pool.extend(parts.filter(|t| !is_part(t)));
                *random.pick(&pool)
            }
        })
    }
}

/// The parts of a message that may be changed.
fn places(store: &TermStore, message: TermId) -> Vec<TermId> {
    let mut found = vec![message];
    let whole = |t| {
        let view = store.view(t);
        matches!(
            view,
            View::Pub(_) | View::Priv(_) | View::Share(..) | View::Joint(..) | View::Family(..)
        )
    };
    if !whole(message) {
        for part in &store.node(message).args {
            found.extend(places(store, *part));
        }
    }
    found
}

/// A message with a part of it replaced, but for the first places, and in so many places.
fn put(
    store: &TermStore,
    message: TermId,
    old: TermId,
    new: TermId,
    skipped: &mut usize,
    left: &mut usize,
) -> TermId {
    if message == old && *left > 0 {
        if *skipped == 0 {
            *left -= 1;
            return new;
        }
        *skipped -= 1;
    }
    if places(store, message).len() == 1 {
        return message;
    }
    let node = store.node(message);
    let parts = node
        .args
        .iter()
        .map(|t| put(store, *t, old, new, skipped, left));
    store.make(node.op, parts.collect())
}

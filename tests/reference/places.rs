//! Random systems as people write them: something first, then several processes, and processes that split later.

use super::process::{P, Style, T, near_miss};
use super::random::Random;
use std::collections::BTreeSet;

/// The process with others at the end of its main branch.
fn then(p: &P, others: &P) -> P {
    let next = |p: &P| Box::new(then(p, others));
    match p {
        P::Nil => others.clone(),
        P::Par(parts) => {
            let rest = parts.iter().skip(1).cloned();
            let first = parts.first().map_or(P::Nil, |p| then(p, others));
            P::Par(std::iter::once(first).chain(rest).collect())
        }
        P::New(n, p) => P::New(n.clone(), next(p)),
        P::Out(c, m, p) => P::Out(c.clone(), m.clone(), next(p)),
        P::In(c, x, p) => P::In(c.clone(), x.clone(), next(p)),
        P::Test(check, p, q) => P::Test(check.clone(), next(p), q.clone()),
        P::Integer(t, p, x, q) => P::Integer(t.clone(), next(p), x.clone(), q.clone()),
        P::Event(e, t, p) => P::Event(e.clone(), t.clone(), next(p)),
        P::Phase(n, p) => P::Phase(*n, next(p)),
    }
}

/// What the processes of a system start with becomes what the first one goes on with; or each goes on with the next.
fn late(p: &P, how: u64) -> P {
    match p {
        P::New(n, p) => P::New(n.clone(), Box::new(late(p, how))),
        P::Par(parts) if how > 0 && parts.len() > 1 => {
            let again = parts.last().into_iter().filter(|_| how == 2);
            let rest = P::Par(parts.iter().skip(1).chain(again).cloned().collect());
            then(&parts[0], &rest)
        }
        other => other.clone(),
    }
}

/// Gives every process of a system channels of its own.
pub struct Channels {
    /// The channels given.
    pub used: BTreeSet<String>,
    /// The first part of a fork goes on with the channel of the process that splits.
    pub go_on: bool,
}

impl Channels {
    /// The process with one channel for all that it does until it splits.
    pub fn on(&mut self, channel: &str, p: &P) -> P {
        let c = T::Atom(channel.to_owned());
        let mut next = |p: &P| Box::new(self.on(channel, p));
        match p {
            P::Nil => P::Nil,
            P::Par(parts) => {
                let mut placed = Vec::new();
                for (i, p) in parts.iter().enumerate() {
                    let own = format!("{channel}{}", i + 1);
                    let stays = i == 0 && self.go_on && channel != "e";
                    placed.push(self.on(if stays { channel } else { &own }, p));
                }
                P::Par(placed)
            }
            P::New(n, p) => P::New(n.clone(), next(p)),
            P::Out(_, m, p) => {
                let p = next(p);
                self.used.insert(channel.to_owned());
                P::Out(c, m.clone(), p)
            }
            P::In(_, x, p) => {
                let p = next(p);
                self.used.insert(channel.to_owned());
                P::In(c, x.clone(), p)
            }
            P::Test(check, p, q) => {
                let p = next(p);
                P::Test(check.clone(), p, q.as_ref().map(|q| next(q)))
            }
            P::Integer(t, p, x, q) => {
                let p = next(p);
                P::Integer(t.clone(), p, x.clone(), next(q))
            }
            P::Event(e, t, p) => P::Event(e.clone(), t.clone(), next(p)),
            P::Phase(n, p) => P::Phase(*n, next(p)),
        }
    }
}

/// A pair of near misses with prefixes and late forks, on shared channels.
pub fn late_forks(seed: u64) -> (P, P) {
    let mut random = Random::new(seed);
    let style = Style {
        threads: 2 + random.below(2),
        length: 2 + random.below(2),
        forks: random.one_in(2),
        ..Style::default()
    };
    let how = random.below(4) as u64;
    let (p, q) = near_miss(random.next(), style);
    (late(&p, how.min(2)), late(&q, how.min(2)))
}

/// The same with channels for every process: the declarations, and the pair.
pub fn placed(seed: u64) -> (String, P, P) {
    let (p, q) = late_forks(seed);
    on_channels(&p, &q, seed.is_multiple_of(3))
}

fn on_channels(p: &P, q: &P, go_on: bool) -> (String, P, P) {
    let mut channels = Channels {
        used: BTreeSet::from(["e".to_owned()]),
        go_on,
    };
    let (p, q) = (channels.on("e", p), channels.on("e", q));
    let used: Vec<String> = channels.used.into_iter().collect();
    let header = format!("channel {}\npublic a, b, ok\n", used.join(", "));
    (header, p, q)
}

/// Two copies of each system of a small pair, with names of their own and channels for every process.
pub fn copied(seed: u64) -> (String, P, P) {
    let mut random = Random::new(seed);
    let style = Style {
        threads: 2,
        length: 2 + random.below(2),
        forks: random.one_in(3),
        ..Style::default()
    };
    let how = random.below(3) as u64;
    let (p, q) = near_miss(random.next(), style);
    let twice = |p: &P| P::Par(vec![late(p, how), late(p, how)]);
    on_channels(&twice(&p), &twice(&q), !random.one_in(3))
}

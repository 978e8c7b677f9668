//! Random systems with phases: keys that are lost, threads that wait, and the same said without phases.

use super::process::{Check, Grower, HEADER, P, Style, T, atom, claims_about};
use super::random::Random;
use std::fmt::Write;

/// A random process without phases, of threads side by side under restrictions of `k`, `n` and `s`.
fn grown(random: &mut Random, mobile: bool, forks: bool) -> P {
    let style = Style {
        events: true,
        mobile,
        forks,
        ..Style::default()
    };
    Grower::new(random, style).system()
}

/// A random process of threads to which `k`, `n` and `s` open something: who has a key in time gets further, who gets it late reads what was
/// sent.
fn locked(random: &mut Random) -> P {
    let names = ["k", "n", "s"];
    let count = 2 + random.below(3);
    let threads = (0..count).map(|i| lock(random, i, &names)).collect();
    (names.iter().rev()).fold(P::Par(threads), |p, n| P::New((*n).to_owned(), Box::new(p)))
}

fn lock(random: &mut Random, i: usize, names: &[&str]) -> P {
    let c = || atom("c");
    let name = |random: &mut Random| atom(names[random.below(names.len())]);
    let sealed = |t: T, k: T| T::Senc(Box::new(t), Box::new(k));
    let end = match random.below(5) {
        0 => P::Event("E".to_owned(), name(random), Box::new(P::Nil)),
        1 => P::Event("F".to_owned(), name(random), Box::new(P::Nil)),
        2 => P::Out(c(), name(random), Box::new(P::Nil)),
        _ => P::Out(c(), sealed(name(random), name(random)), Box::new(P::Nil)),
    };
    let (x, y) = (format!("x{i}"), format!("y{i}"));
    let taken = |check: Check, then: P| {
        P::In(
            c(),
            x.clone(),
            Box::new(P::Test(check, Box::new(then), None)),
        )
    };
    match random.below(4) {
        0 => P::Out(c(), sealed(name(random), name(random)), Box::new(end)),
        1 => taken(Check::Match(atom(&x), name(random)), end),
        2 => taken(Check::Decrypt(atom(&x), y, name(random)), end),
        _ => {
            // A challenge, and whoever answers it.
            let m = format!("m{i}");
            let answered = taken(Check::Match(atom(&x), atom(&m)), end);
            let asked = P::Out(c(), sealed(atom(&m), name(random)), Box::new(answered));
            P::New(m, Box::new(asked))
        }
    }
}

/// Puts phases that do not fall before some of the steps.
fn sprinkle(random: &mut Random, p: P, at: u8) -> P {
    if !matches!(p, P::Nil) && random.one_in(4) {
        let n = (at + random.below(2) as u8).clamp(1, 3);
        return P::Phase(n, Box::new(sprinkle(random, p, n)));
    }
    let mut on = |p: Box<P>| Box::new(sprinkle(random, *p, at));
    match p {
        P::Nil => P::Nil,
        P::Par(parts) => P::Par(parts.into_iter().map(|p| *on(Box::new(p))).collect()),
        P::New(n, p) => P::New(n, on(p)),
        P::Out(c, m, p) => P::Out(c, m, on(p)),
        P::In(c, x, p) => P::In(c, x, on(p)),
        P::Event(e, t, p) => P::Event(e, t, on(p)),
        P::Phase(n, p) => P::Phase(n, on(p)),
        P::Test(check, p, q) => {
            let p = on(p);
            P::Test(check, p, q.map(&mut on))
        }
        P::Integer(t, p, x, q) => {
            let p = on(p);
            P::Integer(t, p, x, on(q))
        }
    }
}

/// The innermost process under restrictions, changed.
fn inside(p: P, change: &mut dyn FnMut(P) -> P) -> P {
    match p {
        P::New(n, p) if ["k", "n", "s"].contains(&&*n) => P::New(n, Box::new(inside(*p, change))),
        other => change(other),
    }
}

fn beside(p: P, thread: P) -> P {
    P::Par(vec![p, thread])
}

fn sent(what: &str) -> Box<P> {
    Box::new(P::Out(atom("c"), atom(what), Box::new(P::Nil)))
}

fn file(p: &P) -> String {
    let p = p.to_string();
    format!("{HEADER}partial system S = {p}\n{}", claims_about(&p))
}

/// A random system in which threads wait for phases and keys are lost in some.
pub fn system(seed: u64) -> String {
    let mut random = Random::new(seed);
    let (mobile, forks) = (random.one_in(4), random.one_in(3));
    let p = match seed % 2 {
        0 => grown(&mut random, mobile, forks),
        _ => locked(&mut random),
    };
    let p = inside(p, &mut |p| {
        let p = sprinkle(&mut random, p, 0);
        let lost = P::Phase(1, sent(["k", "n"][random.below(2)]));
        if random.one_in(4) {
            return beside(beside(p, lost), P::Phase(2, sent("n")));
        }
        beside(p, lost)
    });
    file(&p)
}

/// The key `k` is lost when all is over, and three other ways to say something about it.
pub struct Lost {
    /// In phase 1.
    pub phase: String,
    /// From the start.
    pub start: String,
    /// When somebody takes away for good what every input needs and gives back.
    pub token: String,
    /// In phase 1, with a thread that waits for phase 2 and does nothing.
    pub idle: String,
}

/// A random system that loses a key.
pub fn lost(seed: u64) -> Lost {
    let mut random = Random::new(seed);
    let p = match seed % 2 {
        0 => grown(&mut random, false, false),
        _ => locked(&mut random),
    };
    let with = |change: &mut dyn FnMut(P) -> P| file(&inside(p.clone(), change));
    let nothing = P::Phase(2, Box::new(P::Nil));
    Lost {
        phase: with(&mut |p| beside(p, P::Phase(1, sent("k")))),
        start: with(&mut |p| beside(p, *sent("k"))),
        idle: with(&mut |p| beside(beside(p, P::Phase(1, sent("k"))), nothing.clone())),
        token: with(&mut |p| {
            let begun = P::Out(atom("token"), atom("ok"), Box::new(P::Nil));
            let over = P::In(atom("token"), "over".to_owned(), sent("k"));
            let mut count = 0;
            let all = P::Par(vec![turns(p, &mut count), begun, over]);
            P::New("token".to_owned(), Box::new(all))
        }),
    }
}

/// Who receives takes the token before, and gives it back after.
fn turns(p: P, count: &mut usize) -> P {
    let mut on = |p: Box<P>| Box::new(turns(*p, count));
    match p {
        P::In(c, x, p) => {
            let then = on(p);
            *count += 1;
            let t = format!("turn{count}");
            let back = P::Out(atom("token"), atom(&t), then);
            P::In(atom("token"), t, Box::new(P::In(c, x, Box::new(back))))
        }
        P::Nil => P::Nil,
        P::Par(parts) => P::Par(parts.into_iter().map(|p| *on(Box::new(p))).collect()),
        P::New(n, p) => P::New(n, on(p)),
        P::Out(c, m, p) => P::Out(c, m, on(p)),
        P::Event(e, t, p) => P::Event(e, t, on(p)),
        P::Phase(n, p) => P::Phase(n, on(p)),
        P::Test(check, p, q) => {
            let p = on(p);
            P::Test(check, p, q.map(&mut on))
        }
        P::Integer(t, p, x, q) => {
            let p = on(p);
            P::Integer(t, p, x, on(q))
        }
    }
}

/// The private key `k` is lost from the start, or when all is over: as a claim says it, and as the system does it.
pub struct Said {
    pub given: String,
    pub at_once: String,
    pub forward: String,
    pub late: String,
}

/// A random system with a private key, whose loss is said in two ways.
pub fn said(seed: u64) -> Said {
    let mut random = Random::new(seed);
    let p = match seed % 2 {
        0 => grown(&mut random, true, true),
        _ => locked(&mut random),
    };
    let P::New(_, p) = p else {
        return said(seed + 1);
    };
    let lost = |phase: &str| format!("({p}) | {phase}(0)<k>");
    let file = |system: &str, kind: &str, rest: &str| {
        let mut claims = String::new();
        for target in ["n", "s"] {
            let _ = writeln!(claims, "{kind}secrecy {target} in S{rest}");
        }
        if system.contains("event E(") {
            let _ = writeln!(claims, "{kind}secrecy x after E(x) in S{rest}");
        }
        format!("{HEADER}private k: Sym\npartial system S = {system}\n{claims}")
    };
    let plain = p.to_string();
    Said {
        given: file(&plain, "", " given k"),
        at_once: file(&lost(""), "", ""),
        forward: file(&plain, "forward ", ""),
        late: file(&lost("phase 1. "), "", ""),
    }
}

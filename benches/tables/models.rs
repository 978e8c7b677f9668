//! The protocols whose comparisons are measured.

use super::scenario::{Channels, Hand, Player, Protocol, roles};
use Player::{Initiator, Responder, Server};

/// What strong secrecy asks about, and the sessions beside.
const SECRET: [&str; 3] = ["A", "B", "m"];
const BESIDE: &[[&str; 2]] = &[["B", "A"], ["A", "B"]];
const SECRETS: [&str; 2] = ["m1", "m2"];

/// Denning-Sacco.
pub const DENNING_SACCO: Protocol = Protocol {
    text: include_str!("../models/denning-sacco.spi"),
    roles: &[
        (Initiator, "Init(#, $i, $r)"),
        (Responder, "Resp(#, $r, $i)"),
        (Server, "Server(#, $i, $r, $k)"),
    ],
    asked: SECRET,
    others: BESIDE,
    spied: &["Init(#, A, C)", "Resp(#, B, C)", "Server(#, A, C, n1)"],
    parameter: "m",
    values: SECRETS,
};

/// Wide-Mouthed Frog.
pub const WIDE_MOUTHED_FROG: Protocol = Protocol {
    text: include_str!("../models/wide-mouthed-frog.spi"),
    roles: &[
        (Initiator, "Init(#, $i, $r, $k)"),
        (Responder, "Resp(#, $r, $i)"),
        (Server, "Server(#, $i, $r)"),
    ],
    asked: SECRET,
    others: BESIDE,
    spied: &["Init(#, A, C, n1)", "Resp(#, B, C)", "Server(#, C, B)"],
    parameter: "m",
    values: SECRETS,
};

/// Needham-Schroeder-Lowe.
pub const LOWE: Protocol = Protocol {
    text: include_str!("../models/needham-schroeder-lowe.spi"),
    roles: &[
        (Initiator, "Init(#, $i, $r)"),
        (Responder, "Resp(#, $r, $i, $k)"),
    ],
    asked: SECRET,
    others: BESIDE,
    spied: &["Init(#, A, C)", "Resp(#, B, C, n1)"],
    parameter: "m",
    values: SECRETS,
};

/// Otway-Rees.
pub const OTWAY_REES: Protocol = Protocol {
    text: include_str!("../models/otway-rees.spi"),
    roles: &[
        (Initiator, "Init(#, $i, $r)"),
        (Responder, "Resp(#, $r, $i)"),
        (Server, "Server(#, $i, $r, $k)"),
    ],
    asked: SECRET,
    others: BESIDE,
    spied: &[],
    parameter: "m",
    values: SECRETS,
};

/// Otway-Rees with numbers in the ciphertexts.
pub const OTWAY_REES_FLAT: Protocol = Protocol {
    text: include_str!("../models/otway-rees-flat.spi"),
    ..OTWAY_REES
};

/// Yahalom in Lowe's version, what the key protects.
pub const YAHALOM: Protocol = Protocol {
    text: include_str!("../models/yahalom.spi"),
    roles: &[
        (Initiator, "Init(#, $i, $r)"),
        (Responder, "Resp(#, $r, $i, $k)"),
        (Server, "Server(#, $i, $r)"),
    ],
    asked: SECRET,
    others: BESIDE,
    spied: &[],
    parameter: "m",
    values: SECRETS,
};

/// Yahalom in Lowe's version, the key itself.
pub const YAHALOM_KEY: Protocol = Protocol {
    text: include_str!("../models/yahalom-key.spi"),
    roles: &[
        (Initiator, "Init(#, $i, $r)"),
        (Responder, "Resp(#, $r, $i)"),
        (Server, "Server(#, $i, $r, $k)"),
    ],
    asked: SECRET,
    others: BESIDE,
    spied: &[],
    parameter: "m",
    values: SECRETS,
};

/// Private authentication with a decoy.
pub const PRIVATE_AUTHENTICATION: Protocol = Protocol {
    text: include_str!("../models/private-authentication.spi"),
    roles: &[
        (Initiator, "Init(#, $i, $r)"),
        (Responder, "Resp(#, $r, $i)"),
    ],
    asked: ["m", "B", ""],
    others: &[["A", "B"], ["D", "A"], ["B", "A"]],
    spied: &["Init(#, C, B)", "Resp(#, B, C)"],
    parameter: "m: Agent",
    values: ["A", "D"],
};

const ACCESS_CONTROL: &str = include_str!("../models/passport.spi");
const PASSIVE: &str = include_str!("../models/passive-authentication.spi");
const AKA: &str = include_str!("../models/aka.spi");

/// A file with two systems and the question whether they are equivalent.
fn compared(text: &str, hand: &Hand, left: &[String], right: &[String]) -> String {
    format!(
        "{}{}\npartial system Left = {}\npartial system Right = {}\nLeft ~ Right\n",
        roles(text),
        hand.declarations(),
        left.join(" | "),
        right.join(" | ")
    )
}

/// Basic access control with an error message: one passport so many times, or as many passports.
pub fn access_control(channels: Channels, sessions: usize) -> String {
    let mut hand = Hand::new(channels, "c");
    let calls: Vec<String> = (0..sessions)
        .map(|_| {
            let (reader, passport) = (hand.next(), hand.next());
            format!("(Reader({reader}, Ke, Km) | Passport({passport}, Ke, Km))")
        })
        .collect();
    let same = format!("(new Ke: Sym, Km: Sym. ({}))", calls.join(" | "));
    let others: Vec<String> = calls
        .iter()
        .map(|call| format!("(new Ke: Sym, Km: Sym. {call})"))
        .collect();
    compared(ACCESS_CONTROL, &hand, &[same], &others)
}

/// Passive authentication, so many sessions and a reader that shares keys with the spy: whose passport is read first?
pub fn anonymity(channels: Channels, sessions: usize) -> String {
    passive(channels, sessions, |i, left| match (i, left) {
        (0, true) | (1, _) => "ann".to_owned(),
        (0, false) | (2, _) => "bob".to_owned(),
        (i, _) => format!("d{i}"),
    })
}

/// The same: are passports read twice?
pub fn unlinkability(channels: Channels, sessions: usize) -> String {
    passive(channels, sessions, |i, left| {
        format!("d{}", if left { i / 2 } else { i })
    })
}

fn passive(channels: Channels, sessions: usize, data: fn(usize, bool) -> String) -> String {
    let mut hand = Hand::new(channels, "c");
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for i in 0..sessions {
        let (reader, passport) = (hand.next(), hand.next());
        left.push(format!("Session({reader}, {passport}, {})", data(i, true)));
        right.push(format!("Session({reader}, {passport}, {})", data(i, false)));
    }
    let spys = format!("Reader({}, Ke, Kf)", hand.next());
    left.push(spys.clone());
    right.push(spys);
    let names: Vec<String> = (0..sessions).map(|i| format!("d{i}: Data")).collect();
    let text = format!("{}\npublic {}", roles(PASSIVE), names.join(", "));
    compared(&text, &hand, &left, &right)
}

/// 3G authentication: two phones that nobody knows, or the known one twice; then one phone up to three times, and as many others
/// as there are further sessions.
pub fn telephony(channels: Channels, sessions: usize) -> String {
    let mut hand = Hand::new(channels, "c");
    let calls: Vec<[String; 2]> = (0..sessions)
        .map(|_| {
            let (phone, network) = (hand.next(), hand.next());
            ["imsi", "known"].map(|who| format!("Session({phone}, {network}, k, {who})"))
        })
        .collect();
    let unknown = |these: &[[String; 2]]| {
        let these: Vec<&str> = these.iter().map(|c| c[0].as_str()).collect();
        format!("(new k: Sym, imsi: Data. ({}))", these.join(" | "))
    };
    let (first, rest) = calls.split_at(sessions.min(2));
    let known: Vec<&str> = first.iter().map(|c| c[1].as_str()).collect();
    let (one, others) = rest.split_at(rest.len().min(3));
    let mut beside: Vec<String> = others
        .iter()
        .map(|c| unknown(std::slice::from_ref(c)))
        .collect();
    if !one.is_empty() {
        beside.push(unknown(one));
    }
    let mut left: Vec<String> = first
        .iter()
        .map(|c| unknown(std::slice::from_ref(c)))
        .collect();
    let mut right = vec![format!("(new k: Sym. ({}))", known.join(" | "))];
    left.extend(beside.iter().cloned());
    right.extend(beside);
    compared(AKA, &hand, &left, &right)
}

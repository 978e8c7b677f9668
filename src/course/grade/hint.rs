//! Hints in three steps: where, why, which kind of repair.
//!
//! For an attack they are read off the certified run. The place is where a role accepts something
//! that the spy hands on without being able to make it. The reason and the repair follow from the
//! kind of the attack.

use crate::present::report::json::{ClaimEntry, Run, Step};

/// Where, why, which kind of repair.
#[derive(Clone, Debug)]
pub struct Hints(pub [String; 3]);

impl Hints {
    /// Three sentences.
    pub fn new(
        place: impl Into<String>,
        reason: impl Into<String>,
        repair: impl Into<String>,
    ) -> Hints {
        Hints([place.into(), reason.into(), repair.into()])
    }

    /// With the words of the exercise's author added.
    #[must_use]
    pub fn with(mut self, author: &[Option<String>; 3]) -> Hints {
        for (own, added) in self.0.iter_mut().zip(author) {
            if let Some(text) = added {
                own.push(' ');
                own.push_str(text);
            }
        }
        self
    }
}

/// Hints for a claim that is refuted.
pub fn of_refuted(entry: &ClaimEntry) -> Hints {
    match entry.runs.first() {
        Some(run) => of_attack(&entry.claim, run),
        None => Hints::new(
            format!("Look at the claim `{}`.", entry.claim),
            "No run of the system reaches what it asks for.",
            "Let every role get to its end and mark its events.",
        ),
    }
}

/// Hints for an attack that needs other sessions than those of the exercise, which are named.
pub fn of_beyond(claim: &str, run: &Run, sessions: &str) -> Hints {
    let [place, reason, repair] = of_attack(claim, run).0;
    Hints::new(
        format!("The sessions of the exercise are not all there are. Think of {sessions}. {place}"),
        reason,
        format!("{repair} `spi check` shows the run, beyond what is written."),
    )
}

/// Hints for an attack on a claim.
fn of_attack(claim: &str, run: &Run) -> Hints {
    let handed_on = |made: &[String]| made.len() == 1 && made[0].contains("from step");
    let receives = || run.steps.iter().filter(|s| s.kind == "receive");
    let decisive = receives()
        .rfind(|s| handed_on(&s.made))
        .or_else(|| receives().next_back());
    let place = match decisive {
        Some(step) => format!(
            "Look at line {}: {} accepts {} there.{}",
            step.place.as_ref().map_or(0, |p| p.line),
            step.role,
            step.message.as_deref().unwrap_or("a message"),
            misused(run, step)
        ),
        None => match run.steps.iter().rfind(|s| s.kind == "send") {
            Some(step) => format!(
                "Look at line {}: {} sends {} there.",
                step.place.as_ref().map_or(0, |p| p.line),
                step.role,
                step.message.as_deref().unwrap_or("a message")
            ),
            None => format!("Look at the claim `{claim}`."),
        },
    };
    let kind = run.kinds.first().map_or("", String::as_str);
    // In a type flaw the name of an agent may have been taken for the secret.
    if let Some(hints) = in_clear(run).filter(|_| kind != "type flaw") {
        return hints;
    }
    let (reason, repair) = of_kind(kind);
    Hints::new(
        place,
        format!(
            "The attack is of the kind {kind}, and {}: {reason}",
            shown(run)
        ),
        repair,
    )
}

/// Which message of the submission a role is handed that was not meant for it, and what that
/// message lacks.
fn misused(run: &Run, accepted: &Step) -> String {
    let Some(message) = accepted.message.as_deref() else {
        return String::new();
    };
    let before = run.steps.iter().take_while(|s| !std::ptr::eq(*s, accepted));
    let sealed =
        |s: &&Step| s.kind == "send" && s.message.as_deref().is_some_and(|m| shares(m, message));
    let Some(sent) = before.filter(sealed).last() else {
        return String::new();
    };
    let line = sent.place.as_ref().map_or(0, |p| p.line);
    let (to, from) = (agents(&accepted.role), agents(&sent.role));
    let mentioned = |agent: &&str| words(message).any(|w| w == *agent);
    let missing: Vec<&str> = to.iter().copied().filter(|a| !mentioned(a)).collect();
    let lack = if run.kinds.first().is_some_and(|k| k == "type flaw") {
        "nothing in it says which message it is".to_owned()
    } else if let [first, ..] = missing.as_slice() {
        format!("nothing in it names {first}")
    } else if to == from {
        "nothing in it says for which run it is".to_owned()
    } else {
        "nothing in it says which role its reader plays".to_owned()
    };
    format!(
        " It is what {} sends in line {line}, and {lack}.",
        sent.role
    )
}

/// Whether two messages have a ciphertext in common.
fn shares(sent: &str, accepted: &str) -> bool {
    let starts = accepted.match_indices('{').map(|(i, _)| &accepted[i..]);
    let mut sealed = starts.filter_map(|text| {
        let mut depth = 0;
        let end = text.char_indices().find(|(_, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        end.map(|(i, _)| &text[..=i])
    });
    sealed.any(|text| sent.contains(text))
}

/// The arguments of a role instance as it is written.
fn agents(role: &str) -> Vec<&str> {
    let inside = role.split_once('(').map_or("", |(_, rest)| rest);
    words(inside).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
    parts.filter(|w| !w.is_empty())
}

/// What the run shows, without the numbers of steps that nobody sees here.
fn shown(run: &Run) -> String {
    let mut pieces = run.shows.split(" in step ");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        text + piece.trim_start_matches(|c: char| c.is_ascii_digit())
    })
}

/// Whatever else happens in the run: the secret is sent for everybody to read.
fn in_clear(run: &Run) -> Option<Hints> {
    let secret = run.shows.strip_prefix("the attacker derives ")?;
    let told = |message: &str| {
        let mut depth = 0;
        let outside: String = message
            .chars()
            .filter(|c| {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                depth == 0
            })
            .collect();
        outside
            .split([',', '(', ')', '}'])
            .any(|part| part.trim() == secret)
    };
    let step = run
        .steps
        .iter()
        .find(|s| s.kind == "send" && s.message.as_deref().is_some_and(told))?;
    let (reason, repair) = of_kind("eavesdropping");
    Some(Hints::new(
        format!(
            "Look at line {}: {} sends {} there, and {secret} is in it for everybody to read.",
            step.place.as_ref().map_or(0, |p| p.line),
            step.role,
            step.message.as_deref().unwrap_or("a message")
        ),
        format!("The attacker hears {secret}: {reason}"),
        repair,
    ))
}

/// Why attacks of a kind work, and what helps against them.
fn of_kind(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "man in the middle" => (
            "the spy hands on, in a session with somebody else, what one honest agent made for another, and nothing in it says who made it or for whom.",
            "Let the message say, under the encryption, who made it or whom it is for, and let the receiver compare.",
        ),
        "reflection" => (
            "an agent gets back what it, or the same agent in the other role, has made: the message does not say in which direction it goes.",
            "Make the two directions differ under the encryption: the name of the sender, or a tag for each message.",
        ),
        "replay" => (
            "a message that was accepted once is accepted again: nothing in it is new for the one who accepts it.",
            "Let the receiver contribute something fresh, and let the message contain it.",
        ),
        "parallel session" => (
            "a message of another session fits here: it does not say to which session it belongs.",
            "Bind the message to its session: put the names of both agents and a nonce of the receiver under the encryption.",
        ),
        "type flaw" => (
            "a part of a message is taken for something of another type: two messages have the same shape.",
            "Make the shapes differ: another order or number of parts, or a tag in each message.",
        ),
        "lost key" => (
            "the spy has an old key and the messages that went with it: nothing tells an old message from a new one.",
            "Let the receiver contribute a nonce before the key is made, and let the message with the key contain it.",
        ),
        "dishonest partner" => (
            "the spy takes part in its own name, and the role counts as honest whomever it talks to: its arguments name no partner.",
            "Let the role name its partner among its arguments, or claim `secrecy k after E(.., k)` for an event E of those it is meant for.",
        ),
        "impersonation" => (
            "whoever likes can make what is accepted: it needs no key that only the partner has, or nothing fresh is asked for.",
            "Accept only what needs the partner's key and contains something of your own.",
        ),
        "eavesdropping" => (
            "what should be secret is sent so that the spy can read it.",
            "Encrypt it for the one agent that should have it.",
        ),
        "no secret" => (
            "the spy knows it from the start.",
            "Make it fresh with `new` in the role that needs it.",
        ),
        _ => (
            "the claim fails even if nobody interferes.",
            "Look at the order of the events: the earlier one must be marked before the message that the later one relies on.",
        ),
    }
}

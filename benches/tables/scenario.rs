//! Systems with a growing number of sessions, made from the roles of a file.

use std::fmt::Write;

/// Where the roles of a system talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// All on one channel.
    Shared,
    /// Each on its own.
    Own,
}

/// Hands out the channels of a system.
pub struct Hand {
    channels: Channels,
    shared: &'static str,
    own: usize,
}

impl Hand {
    /// A system on the channel that the file has for all, or on one for each role.
    pub fn new(channels: Channels, shared: &'static str) -> Self {
        Self {
            channels,
            shared,
            own: 0,
        }
    }

    /// The channel of the next role.
    pub fn next(&mut self) -> String {
        match self.channels {
            Channels::Shared => self.shared.to_owned(),
            Channels::Own => {
                self.own += 1;
                format!("own{}", self.own)
            }
        }
    }

    /// The declarations of what was handed out.
    pub fn declarations(&self) -> String {
        let mut text = String::new();
        for i in 1..=self.own {
            let _ = write!(text, "\nchannel own{i}");
        }
        text
    }
}

/// The declarations and roles of a file, without its systems and claims.
pub fn roles(text: &str) -> &str {
    let end = text.find("\npartial system");
    &text[..end.unwrap_or(text.len())]
}

/// Who plays a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// The one who begins.
    Initiator,
    /// The one who is asked.
    Responder,
    /// A third one, whom everybody trusts.
    Server,
}

/// A protocol whose strong secrecy or anonymity is asked.
pub struct Protocol {
    /// The file with its roles.
    pub text: &'static str,
    /// The roles of a session: `#` stands for a channel, `$i` and `$r` for the agents, `$k` for the secret.
    pub roles: &'static [(Player, &'static str)],
    /// The session that is asked about: agents and secret, with the parameter `m` of the system among them.
    pub asked: [&'static str; 3],
    /// The sessions of honest agents beside it, again and again.
    pub others: &'static [[&'static str; 2]],
    /// The roles of a session with the spy that accompanies sessions which are all asked about.
    pub spied: &'static [&'static str],
    /// The parameter of the system, with its type.
    pub parameter: &'static str,
    /// The two values that it takes.
    pub values: [&'static str; 2],
}

/// Sessions in which the spy C takes part, again and again.
const DISHONEST: [[&str; 2]; 4] = [["A", "C"], ["C", "B"], ["B", "C"], ["C", "A"]];

impl Protocol {
    /// The number of roles of a session of honest agents.
    pub fn size(&self) -> usize {
        self.roles.len()
    }

    /// The number of roles in a session in which the spy takes part.
    pub fn size_with_spy(&self) -> usize {
        self.roles.len() - 1
    }

    /// So many sessions of the honest agents that are all asked about, and so many with the spy.
    pub fn alike(&self, channels: Channels, honest: usize, spied: usize) -> String {
        let mut hand = Hand::new(channels, "net");
        let mut parts = Vec::new();
        for _ in 0..honest {
            self.session(self.asked, &mut hand, &mut parts);
        }
        for role in std::iter::repeat_n(self.spied, spied).flatten() {
            parts.push(role.replace('#', &hand.next()));
        }
        self.question(&hand, &parts)
    }

    /// One session that is asked about, further ones of honest agents with secrets of their own up to the number `honest`, and
    /// so many in which the spy plays a role, in the other roles of which somebody honest is.
    pub fn mixed(&self, channels: Channels, honest: usize, dishonest: usize) -> String {
        let mut hand = Hand::new(channels, "net");
        let mut parts = Vec::new();
        self.session(self.asked, &mut hand, &mut parts);
        // Without the spy all sessions are between the same two.
        let [i, r, _] = self.asked;
        let same = [[if i == "m" { "A" } else { i }, r]];
        let others = if dishonest == 0 { &same } else { self.others };
        for [i, r] in others.iter().cycle().take(honest.saturating_sub(1)) {
            self.session([i, r, "k"], &mut hand, &mut parts);
        }
        for [i, r] in DISHONEST.iter().cycle().take(dishonest) {
            self.session([i, r, "k"], &mut hand, &mut parts);
        }
        self.question(&hand, &parts)
    }

    /// Adds the roles of a session, without those that the spy plays. A secret called `k` is made by the role that has it.
    fn session(&self, [i, r, k]: [&str; 3], hand: &mut Hand, parts: &mut Vec<String>) {
        for (player, role) in self.roles {
            let spys = match player {
                Player::Initiator => i == "C",
                Player::Responder => r == "C",
                Player::Server => false,
            };
            if spys {
                continue;
            }
            let call = role
                .replace('#', &hand.next())
                .replace("$i", i)
                .replace("$r", r)
                .replace("$k", k);
            parts.push(if k == "k" && role.contains("$k") {
                format!("(new k. {call})")
            } else {
                call
            });
        }
    }

    fn question(&self, hand: &Hand, parts: &[String]) -> String {
        let [one, other] = self.values;
        format!(
            "{}{}\npartial system Asked({}) = {}\nAsked({one}) ~ Asked({other})\n",
            roles(self.text),
            hand.declarations(),
            self.parameter,
            parts.join(" | ")
        )
    }
}

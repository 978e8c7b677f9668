//! Systems with a growing number of sessions, made from the files in `benches/models` and `protocols`.

/// Where the roles of a system talk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Channels {
    /// All on one channel.
    Shared,
    /// Each on its own.
    Own,
}

/// A protocol whose strong secrecy or anonymity is asked.
pub struct Protocol {
    /// The file with its roles.
    pub text: &'static str,
    /// The roles of a session of the honest agents; `#` stands for a channel, `m` is the parameter of the system.
    pub session: &'static [&'static str],
    /// The roles of a session with the spy.
    pub spied: &'static [&'static str],
    /// The parameter of the system, with its type.
    pub parameter: &'static str,
    /// The two values that it takes.
    pub values: [&'static str; 2],
}

impl Protocol {
    /// A file that asks about so many sessions of the honest agents, and so many with the spy.
    pub fn sessions(&self, channels: Channels, honest: usize, spied: usize) -> String {
        let roles = self
            .text
            .find("\npartial system")
            .expect("the file has a system");
        let mut own = 0;
        let mut parts = Vec::new();
        let honest = std::iter::repeat_n(self.session, honest);
        let spied = std::iter::repeat_n(self.spied, spied);
        for role in honest.chain(spied).flatten() {
            let channel = if channels == Channels::Own {
                own += 1;
                format!("own{own}")
            } else {
                "net".to_owned()
            };
            parts.push(role.replace('#', &channel));
        }
        let channels: Vec<String> = (1..=own).map(|i| format!("\nchannel own{i}")).collect();
        let channels = channels.concat();
        let [one, other] = self.values;
        format!(
            "{}{channels}\npartial system Asked({}) = {}\nAsked({one}) ~ Asked({other})\n",
            &self.text[..roles],
            self.parameter,
            parts.join(" | ")
        )
    }
}

/// Denning-Sacco.
pub const DENNING_SACCO: Protocol = Protocol {
    text: include_str!("../models/denning-sacco.spi"),
    session: &["Init(#, A, B)", "Resp(#, B, A)", "Server(#, A, B, m)"],
    spied: &["Init(#, A, C)", "Resp(#, B, C)", "Server(#, A, C, n1)"],
    parameter: "m",
    values: ["m1", "m2"],
};

/// Wide-Mouthed Frog.
pub const WIDE_MOUTHED_FROG: Protocol = Protocol {
    text: include_str!("../models/wide-mouthed-frog.spi"),
    session: &["Init(#, A, B, m)", "Resp(#, B, A)", "Server(#, A, B)"],
    spied: &["Init(#, A, C, n1)", "Resp(#, B, C)", "Server(#, C, B)"],
    parameter: "m",
    values: ["m1", "m2"],
};

/// Needham-Schroeder-Lowe.
pub const LOWE: Protocol = Protocol {
    text: include_str!("../models/needham-schroeder-lowe.spi"),
    session: &["Init(#, A, B)", "Resp(#, B, A, m)"],
    spied: &["Init(#, A, C)", "Resp(#, B, C, n1)"],
    parameter: "m",
    values: ["m1", "m2"],
};

/// Otway-Rees.
pub const OTWAY_REES: Protocol = Protocol {
    text: include_str!("../models/otway-rees.spi"),
    session: &["Init(#, A, B)", "Resp(#, B, A)", "Server(#, A, B, m)"],
    spied: &[],
    parameter: "m",
    values: ["m1", "m2"],
};

/// Yahalom in Lowe's version.
pub const YAHALOM: Protocol = Protocol {
    text: include_str!("../models/yahalom.spi"),
    session: &["Init(#, A, B)", "Resp(#, B, A, m)", "Server(#, A, B)"],
    spied: &[],
    parameter: "m",
    values: ["m1", "m2"],
};

/// Private authentication with a decoy.
pub const PRIVATE_AUTHENTICATION: Protocol = Protocol {
    text: include_str!("../models/private-authentication.spi"),
    session: &["Init(#, m, B)", "Resp(#, B, m)"],
    spied: &["Init(#, C, B)", "Resp(#, B, C)"],
    parameter: "m: Agent",
    values: ["A", "D"],
};

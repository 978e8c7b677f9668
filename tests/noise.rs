//! The models of the Noise patterns are what their pattern language says, with the grades of the specification as claims.
//! `UPDATE=1 cargo test --test all noise::` writes them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A pattern with, for each message, how far its source is authenticated (0 to 2) and its payload is confidential (0 to 5), as section 7.7 of
/// the specification has it.
struct Pattern {
    name: &'static str,
    before: &'static [&'static str],
    lines: &'static [&'static str],
    grades: &'static [(u8, u8)],
}

const fn pattern(
    name: &'static str,
    before: &'static [&'static str],
    lines: &'static [&'static str],
    grades: &'static [(u8, u8)],
) -> Pattern {
    Pattern {
        name,
        before,
        lines,
        grades,
    }
}

const PATTERNS: [Pattern; 15] = [
    pattern("N", &["<- s"], &["-> e, es"], &[(0, 2)]),
    pattern("K", &["-> s", "<- s"], &["-> e, es, ss"], &[(1, 2)]),
    pattern("X", &["<- s"], &["-> e, es, s, ss"], &[(1, 2)]),
    pattern(
        "NN",
        &[],
        &["-> e", "<- e, ee", "->"],
        &[(0, 0), (0, 1), (0, 1)],
    ),
    pattern(
        "NK",
        &["<- s"],
        &["-> e, es", "<- e, ee", "->"],
        &[(0, 2), (2, 1), (0, 5)],
    ),
    pattern(
        "NX",
        &[],
        &["-> e", "<- e, ee, s, es", "->"],
        &[(0, 0), (2, 1), (0, 5)],
    ),
    pattern(
        "XN",
        &[],
        &["-> e", "<- e, ee", "-> s, se", "<-"],
        &[(0, 0), (0, 1), (2, 1), (0, 5)],
    ),
    pattern(
        "XK",
        &["<- s"],
        &["-> e, es", "<- e, ee", "-> s, se"],
        &[(0, 2), (2, 1), (2, 5)],
    ),
    pattern(
        "XX",
        &[],
        &["-> e", "<- e, ee, s, es", "-> s, se"],
        &[(0, 0), (2, 1), (2, 5)],
    ),
    pattern(
        "KN",
        &["-> s"],
        &["-> e", "<- e, ee, se", "->", "<-"],
        &[(0, 0), (0, 3), (2, 1), (0, 5)],
    ),
    pattern(
        "KK",
        &["-> s", "<- s"],
        &["-> e, es, ss", "<- e, ee, se"],
        &[(1, 2), (2, 4)],
    ),
    pattern(
        "KX",
        &["-> s"],
        &["-> e", "<- e, ee, se, s, es"],
        &[(0, 0), (2, 3)],
    ),
    pattern(
        "IN",
        &[],
        &["-> e, s", "<- e, ee, se", "->", "<-"],
        &[(0, 0), (0, 3), (2, 1), (0, 5)],
    ),
    pattern(
        "IK",
        &["<- s"],
        &["-> e, es, s, ss", "<- e, ee, se"],
        &[(1, 2), (2, 4)],
    ),
    pattern(
        "IX",
        &[],
        &["-> e, s", "<- e, ee, se, s, es"],
        &[(0, 0), (2, 3)],
    ),
];

impl Pattern {
    /// The direction of a message and its tokens.
    fn message(line: &str) -> (bool, Vec<&str>) {
        let (arrow, tokens) = line.split_at(2);
        let tokens = tokens.split(',').map(str::trim).filter(|t| !t.is_empty());
        (arrow == "->", tokens.collect())
    }

    /// Whether the long-term key of the initiator, or of the responder, is known when a message is sent.
    fn shown(&self, initiator: bool, message: usize) -> bool {
        let all = self.before.iter().chain(&self.lines[..message]);
        all.map(|l| Self::message(l))
            .any(|(of, tokens)| of == initiator && tokens.contains(&"s"))
    }

    /// Whether the initiator, or the responder, has a long-term key.
    fn has_static(&self, initiator: bool) -> bool {
        self.shown(initiator, self.lines.len())
    }
}

/// What is written of a role so far.
struct Role<'a> {
    pattern: &'a Pattern,
    initiator: bool,
    lines: Vec<String>,
    /// What was said, in the clear.
    said: Vec<String>,
    /// The keys exchanged so far, and how often the one made of them was used.
    exchanged: Vec<String>,
    used: u32,
    /// How many keys and hashes have names.
    named: [u32; 2],
}

impl<'a> Role<'a> {
    fn new(pattern: &'a Pattern, initiator: bool) -> Self {
        let before = pattern.before.iter().map(|line| {
            let who = if Pattern::message(line).0 { "a" } else { "b" };
            format!("g^L({who})")
        });
        Self {
            pattern,
            initiator,
            lines: Vec::new(),
            said: std::iter::once("name".to_owned()).chain(before).collect(),
            exchanged: Vec::new(),
            used: 0,
            named: [0; 2],
        }
    }

    /// The key that an exchange of two exponents gives, as this role makes it.
    fn joint(&self, token: &str) -> String {
        let (mine, theirs) = if self.initiator {
            token.split_at(1)
        } else {
            let (i, r) = token.split_at(1);
            (r, i)
        };
        let (me, other) = if self.initiator {
            ("a", "b")
        } else {
            ("b", "a")
        };
        let (x, share) = if self.initiator {
            ("x", "gy")
        } else {
            ("y", "gx")
        };
        let base = match theirs {
            "e" => share.to_owned(),
            _ => format!("g^L({other})"),
        };
        match mine {
            "e" => format!("{base}^{x}"),
            _ => format!("{base}^L({me})"),
        }
    }

    /// The key for a purpose, made of all that was exchanged, each after what came before it.
    fn derived(&self, purpose: &str) -> String {
        let chain = |ck: String, dh: &String| {
            if ck.is_empty() {
                dh.clone()
            } else {
                format!("(kdf({ck}, chain), {dh})")
            }
        };
        let all = self.exchanged.iter().fold(String::new(), chain);
        format!("kdf({all}, {purpose})")
    }

    fn exchange(&mut self, token: &str) {
        self.lines
            .push(format!("let {token} = {} in", self.joint(token)));
        self.exchanged.push(token.to_owned());
        self.used = 0;
    }

    /// The key, the nonce and what is bound of the next encryption, if there is a key.
    fn sealing(&mut self) -> Option<String> {
        if self.exchanged.is_empty() {
            return None;
        }
        if self.used == 0 {
            self.named[0] += 1;
            let line = format!("let k{} = {} in", self.named[0], self.derived("sealing"));
            self.lines.push(line);
        }
        self.used += 1;
        self.named[1] += 1;
        let line = format!("let h{} = H({}) in", self.named[1], self.said.join(", "));
        self.lines.push(line);
        let [k, h] = self.named;
        Some(format!("k{k}, {}, h{h}", self.used - 1))
    }

    /// A part of a message, under the key if there is one.
    fn sealed(&mut self, part: String) -> String {
        let sent = self.sealing();
        let sent = sent.map_or(part.clone(), |s| format!("aead({s}, {part})"));
        self.said.push(part);
        sent
    }

    fn send(&mut self, number: usize, tokens: &[&str]) {
        let (me, other, x) = if self.initiator {
            ("a", "b", "x")
        } else {
            ("b", "a", "y")
        };
        let mut parts = Vec::new();
        for token in tokens {
            match *token {
                "e" => {
                    self.lines.push(format!("new {x}: Nonce."));
                    parts.push(format!("g^{x}"));
                    self.said.push(format!("g^{x}"));
                }
                "s" => parts.push(self.sealed(format!("g^L({me})"))),
                joint => self.exchange(joint),
            }
        }
        self.lines.push(format!("new m{number}: Data."));
        parts.push(self.sealed(format!("m{number}")));
        self.lines
            .push(format!("event Sent{number}({me}, {other}, m{number})."));
        self.lines.push(format!("net<{}>.", parts.join(", ")));
    }

    fn receive(&mut self, number: usize, tokens: &[&str]) {
        let (me, other, gx) = if self.initiator {
            ("a", "b", "gy")
        } else {
            ("b", "a", "gx")
        };
        let at = self.lines.len();
        let mut parts = Vec::new();
        for token in tokens {
            match *token {
                "e" => {
                    parts.push(format!("{gx}: Share"));
                    self.said.push(gx.to_owned());
                }
                "s" => {
                    let share = format!("g^L({other})");
                    parts.push(match self.sealing() {
                        Some(sealing) => {
                            self.lines
                                .push(format!("let ={share} = open(s, {sealing}) in"));
                            "s: Data".to_owned()
                        }
                        None => format!("={share}"),
                    });
                    self.said.push(share);
                }
                joint => self.exchange(joint),
            }
        }
        let m = format!("m{number}");
        parts.push(match self.sealing() {
            Some(sealing) => {
                self.lines
                    .push(format!("let {m}: Data = open(c{number}, {sealing}) in"));
                format!("c{number}: Data")
            }
            None => format!("{m}: Data"),
        });
        self.said.push(m.clone());
        self.lines.insert(at, format!("net({}).", parts.join(", ")));
        self.lines
            .push(format!("event Got{number}({me}, {other}, {m})."));
    }

    /// A message after the handshake.
    fn transport(&mut self, number: usize, sends: bool) {
        let (me, other) = if self.initiator {
            ("a", "b")
        } else {
            ("b", "a")
        };
        let way = if sends == self.initiator {
            "there"
        } else {
            "back"
        };
        let key = self.derived(way);
        self.lines.extend(if sends {
            [
                format!("new m{number}: Data."),
                format!("event Sent{number}({me}, {other}, m{number})."),
                format!("net<aead({key}, 0, 0, m{number})>."),
            ]
        } else {
            [
                format!("net(c{number}: Data)."),
                format!("let m{number}: Data = open(c{number}, {key}, 0, 0) in"),
                format!("event Got{number}({me}, {other}, m{number})."),
            ]
        });
    }

    /// The process of the role.
    fn process(mut self) -> String {
        for (i, line) in self.pattern.lines.iter().enumerate() {
            let (from_initiator, tokens) = Pattern::message(line);
            let sends = from_initiator == self.initiator;
            match (tokens.is_empty(), sends) {
                (true, _) => self.transport(i + 1, sends),
                (false, true) => self.send(i + 1, &tokens),
                (false, false) => self.receive(i + 1, &tokens),
            }
        }
        if let Some(last) = self.lines.last_mut() {
            last.pop();
        }
        self.lines.iter().fold(String::new(), |mut text, line| {
            let _ = write!(text, "\n  {line}");
            text
        })
    }
}

/// The claims that say a grade, with what is expected.
fn claims(p: &Pattern, i: usize) -> Vec<(String, &'static str)> {
    let n = i + 1;
    let (source, target) = p.grades[i];
    let (there, _) = Pattern::message(p.lines[i]);
    let (s, r) = if there { ("a", "b") } else { ("b", "a") };
    let (sender, receiver) = if there { ("A", "B") } else { ("B", "A") };
    let system = p.name;
    let given = |who: &str, has: bool| {
        if has {
            format!(" given L({who})")
        } else {
            String::new()
        }
    };
    let kci = given(receiver, p.has_static(!there));
    let own = given(sender, p.has_static(there));
    // Who has shown no long-term key so far is nobody in particular to its partner.
    let met = if p.shown(!there, i) { r } else { "_" };
    let agreement = format!("agreement Got{n}({r}, {s}, m) => Sent{n}({s}, {met}, m) in {system}");
    let secrecy = format!("secrecy m after Sent{n}({s}, {r}, m) in {system}");
    let reached = format!("forward secrecy m after Got{n}({r}, {s}, m) in {system}");
    let mut all = match source {
        0 => vec![(agreement, "attack")],
        1 => vec![(agreement.clone(), "proof"), (agreement + &kci, "attack")],
        _ => vec![(agreement + &kci, "proof")],
    };
    match target {
        0 | 1 => all.push((secrecy, "attack")),
        2 | 3 => {
            all.push((secrecy.clone(), "proof"));
            all.push((format!("forward {secrecy}"), "attack"));
            // Who gets the keys later has everything; of grade 3 only if it had answered itself.
            if source > 0 && target == 2 {
                all.push((reached, "attack"));
            }
        }
        4 => {
            all.push((format!("forward {secrecy}"), "proof"));
            all.push((format!("forward {secrecy}{own}"), "attack"));
        }
        _ => all.push((format!("forward {secrecy}{own}"), "proof")),
    }
    all
}

/// What the grades of a message mean, for the head of the file.
fn meaning((source, target): (u8, u8)) -> String {
    let source = [
        "from anybody",
        "from its sender, unless the receiver's key is lost",
        "from its sender",
    ][usize::from(source)];
    let target = [
        "in the clear",
        "for whoever answered",
        "for the receiver, until its key is lost; may be sent again",
        "for the receiver, until its key is lost if somebody else had answered",
        "for the receiver for ever, unless the sender's key was lost",
        "for the receiver for ever",
    ][usize::from(target)];
    format!("{source}; {target}")
}

fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut line = String::from("//");
    for word in text.split_whitespace() {
        if line.len() + 1 + word.len() > 118 {
            out += &line;
            out.push('\n');
            line = String::from("//");
        }
        line.push(' ');
        line += word;
    }
    out + &line + "\n"
}

fn model(p: &Pattern) -> String {
    let mut text = format!("// Noise {}, generated from its pattern.\n//\n", p.name);
    for line in p.before {
        let _ = writeln!(text, "//   {line}");
    }
    if !p.before.is_empty() {
        text += "//   ...\n";
    }
    for (line, grade) in p.lines.iter().zip(p.grades) {
        let _ = writeln!(text, "//   {line:<22}{} {}", grade.0, grade.1);
    }
    text += "//\n// Source: Perrin 2018 (The Noise protocol framework, revision 34): patterns and grades of section 7.7.\n//\n";
    text += &wrapped(
        "Scenario: initiators and responders with honest partners and with the spy. Every message has a payload. A key is \
         made of all exchanges so far, and an encryption binds all that was said. A responder knows whom it talks to, \
         and compares a long-term share that it is sent.",
    );
    text += "//\n";
    let mut verdict = "Verdict: the grades of the specification.".to_owned();
    for (i, grade) in p.grades.iter().enumerate() {
        let _ = write!(verdict, " Message {} is {}.", i + 1, meaning(*grade));
    }
    // Every pattern but those with one message goes on with messages under the keys of the whole handshake.
    if p.lines.len() > 1 && p.lines.last().is_some_and(|l| l.contains(' ')) {
        verdict += " The messages after these, which are 2 5, are left out.";
    }
    text += &wrapped(&verdict);
    text += "\nuse aead, kdf\n\nagent A, B\nspy C\nchannel net\n";
    let statics = [p.has_static(true), p.has_static(false)];
    if statics.contains(&true) {
        text += "key L(Agent)\n";
    }
    text += "group g\n";
    let roles: Vec<String> = [true, false]
        .iter()
        .map(|i| Role::new(p, *i).process())
        .collect();
    let mut labels = BTreeSet::new();
    for label in ["name", "sealing", "chain", "there", "back"] {
        let used = |r: &String| {
            r.split(|c: char| !c.is_ascii_alphanumeric())
                .any(|w| w == label)
        };
        if roles.iter().any(used) {
            labels.insert(label);
        }
    }
    let labels: Vec<&str> = labels.into_iter().collect();
    let _ = writeln!(text, "public {}: Data", labels.join(", "));
    if statics.contains(&true) {
        text += "knows g^L(A), g^L(B)\n";
    }
    let _ = write!(
        text,
        "\ndef Init(a: Agent, b: Agent) ={}\n\ndef Resp(b: Agent, a: Agent) ={}\n",
        roles[0], roles[1]
    );
    let _ = writeln!(
        text,
        "\nsystem {} = Init(A, B) | Init(A, C) | Resp(B, A) | Resp(B, C)\n",
        p.name
    );
    for i in 0..p.lines.len() {
        for (claim, expect) in claims(p, i) {
            let _ = writeln!(text, "{claim} expect {expect}");
        }
    }
    text
}

#[test]
fn the_models_of_noise_are_what_their_patterns_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols/modern/noise");
    for p in &PATTERNS {
        let path = root.join(format!("{}.spi", p.name.to_lowercase()));
        let text = crate::formatting::formatted(&model(p));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &text).expect("it can be written");
        }
        let there = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(there, text, "UPDATE=1 writes {}", path.display());
    }
}

/// `docs/modern.md` has the grades, and every model of today.
#[test]
fn the_page_has_all_models() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/modern.md")).expect("the page");
    for p in &PATTERNS {
        let grades: Vec<String> = p.grades.iter().map(|(s, t)| format!("{s} {t}")).collect();
        let (file, grades) = (p.name.to_lowercase(), grades.join(", "));
        let row = format!(
            "| [{}](../protocols/modern/noise/{file}.spi) | {grades} |",
            p.name
        );
        assert!(page.contains(&row), "no row {row}");
    }
    let lost = fs::read_to_string(root.join("docs/lost-keys.md")).expect("the page");
    for folder in ["modern", "exchange"] {
        for entry in fs::read_dir(root.join("protocols").join(folder)).expect("the folder") {
            let name = entry.expect("a file").file_name();
            let link = format!("(../protocols/{folder}/{})", name.to_string_lossy());
            let there = page.contains(&link) || lost.contains(&link);
            assert!(there || !link.ends_with(".spi)"), "no link {link}");
        }
    }
}

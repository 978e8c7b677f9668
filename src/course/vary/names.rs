//! Other names: agents, what is called after them, roles, channels and keys.
//!
//! A renaming gives each name of the files another one that none of them has, always the same one. So nothing changes but
//! the text: what was equal stays equal, and nothing else becomes so.

use rustc_hash::{FxHashMap, FxHashSet};

use super::random::Random;
use crate::base::source::SourceFile;
use crate::lang::syntax::ast::{DeclKind, File, Type, agents};
use crate::lang::syntax::lexer::lex;
use crate::lang::syntax::token::Token;

/// Agents, of which the last is for a spy, if there is one.
const AGENTS: &[&[&str]] = &[
    &["P", "Q", "R", "T", "E"],
    &["U", "V", "W", "X", "I"],
    &["D", "F", "G", "J", "M"],
    &["L", "O", "Q", "Y", "Z"],
    &["X", "Y", "Z", "W", "M"],
];

/// Words for the same thing.
const WORDS: &[&[&str]] = &[
    &["Init", "Opener", "Caller", "First", "Asker"],
    &["Resp", "Answerer", "Callee", "Second", "Replier"],
    &["Server", "Centre", "Authority", "Third", "Keeper"],
    &["net", "air", "wire", "bus", "line"],
    &["c", "radio", "pipe", "link", "path"],
    &["m1", "yes", "left", "north", "red"],
    &["m2", "no", "right", "south", "blue"],
    &["Handshake", "Exchange", "Greeting", "Meeting"],
    &["Payload", "Delivery", "Cargo", "Parcel"],
    &["NSL", "Three", "Trust", "Talk"],
    &["Session", "Visit", "Round", "Course"],
    &["BothRoles", "Turned", "Crossed", "Swapped"],
    &["K", "Pk", "Pair", "Own"],
    &["S", "Whole", "Scene", "Plan"],
    &["NS", "Two", "Pact", "Meet"],
    &["Running", "Starts", "Begins", "Opens"],
    &["Commit", "Sure", "Accepts", "Believes"],
    &["Answered", "Replied", "Responds", "Reacts"],
    &["Done", "Ends", "Finished", "Closed"],
    &["Issued", "Made", "Granted", "Dealt"],
];

/// First letters of nonces.
const NONCES: &[&str] = &["N", "M", "R", "T"];

/// A renaming.
pub(super) struct Names(FxHashMap<String, String>);

impl Names {
    /// Chooses names for all that these files have in common.
    pub(super) fn choose(files: &[SourceFile], trees: &[File], random: &mut Random) -> Names {
        let mut taken: FxHashSet<String> = files.iter().flat_map(words).collect();
        let keywords = Token::KEYWORDS.iter().map(|(word, _)| (*word).to_owned());
        taken.extend(keywords);
        taken.extend(Type::ALL.iter().map(|ty| ty.as_str().to_owned()));
        let mut names = Names(FxHashMap::default());
        let theme = AGENTS[random.below(AGENTS.len())];
        let (honest, spies) = people(trees);
        let mut free = theme[..theme.len() - 1].iter();
        for agent in &honest {
            names.give(agent, &mut free, &mut taken);
        }
        for spy in &spies {
            names.give(spy, &mut theme[theme.len() - 1..].iter(), &mut taken);
        }
        let letter = NONCES[random.below(NONCES.len())];
        let mut all: Vec<String> = files.iter().flat_map(words).collect();
        all.sort();
        all.dedup();
        for word in &all {
            if let Some(new) = names.after_agents(word, letter) {
                names.give(word, &mut [&*new].iter(), &mut taken);
            }
        }
        for synonyms in WORDS {
            if all.iter().any(|w| w == synonyms[0]) {
                let mut others = synonyms[1..].to_vec();
                random.shuffle(&mut others);
                names.give(synonyms[0], &mut others.iter(), &mut taken);
            }
        }
        names
    }

    /// Gives a name the first of these that nothing has.
    fn give<'a>(
        &mut self,
        name: &str,
        others: &mut impl Iterator<Item = &'a &'a str>,
        taken: &mut FxHashSet<String>,
    ) {
        if self.0.contains_key(name) {
            return;
        }
        if let Some(new) = others.find(|new| !taken.contains(**new)) {
            taken.insert((*new).to_owned());
            self.0.insert(name.to_owned(), (*new).to_owned());
        }
    }

    /// What is called after agents: `a` for A, `Na`, `Kab`, `nb'`.
    fn after_agents(&self, word: &str, letter: &str) -> Option<String> {
        let end = word.len() - word.chars().rev().take_while(|c| *c == '\'').count();
        let (stem, primes) = word.split_at(end);
        let first = stem.chars().next()?;
        let mut rest = &stem[first.len_utf8()..];
        let mut new = String::new();
        if rest.is_empty() {
            rest = stem;
        } else if matches!(first, 'N' | 'n') {
            let letter = letter.to_owned();
            new = if first == 'n' {
                letter.to_lowercase()
            } else {
                letter
            };
        } else if matches!(first, 'K' | 'k' | 'T' | 't') {
            new.push(first);
        } else {
            return None;
        }
        if rest.is_empty() || rest.len() > 2 {
            return None;
        }
        for c in rest.chars() {
            if !c.is_ascii_lowercase() {
                return None;
            }
            let agent = self.0.get(&c.to_ascii_uppercase().to_string())?;
            new.push_str(&agent.to_lowercase());
        }
        Some(new + primes)
    }

    /// A text with these names; everything else stays.
    pub(super) fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
        while let Some(at) = rest.find(part) {
            let length = rest[at..].find(|c| !part(c)).unwrap_or(rest.len() - at);
            let word = &rest[at..at + length];
            out.push_str(&rest[..at]);
            out.push_str(self.0.get(word).map_or(word, String::as_str));
            rest = &rest[at + length..];
        }
        out + rest
    }

    /// Whether a text has one of the names that change.
    pub(super) fn touches(&self, text: &str) -> bool {
        self.apply(text) != text
    }
}

/// The identifiers of a file.
fn words(file: &SourceFile) -> Vec<String> {
    let tokens = lex(file).tokens.into_iter();
    tokens
        .filter_map(|(token, _)| match token {
            Token::Ident(name) => Some(name.to_string()),
            _ => None,
        })
        .collect()
}

/// The agents and the spies, in the order of their declarations.
fn people(trees: &[File]) -> (Vec<String>, Vec<String>) {
    let (mut honest, mut spies) = (Vec::new(), Vec::new());
    for decl in trees.iter().flat_map(|t| &t.decls) {
        let (list, groups) = match &decl.kind {
            DeclKind::Agents(groups) => (&mut honest, groups),
            DeclKind::Spies(groups) => (&mut spies, groups),
            _ => continue,
        };
        for agent in agents(groups) {
            if !list.contains(&agent.to_string()) {
                list.push(agent.to_string());
            }
        }
    }
    (honest, spies)
}

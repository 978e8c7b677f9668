//! A model of the library: its header and its verdicts.

use serde_json::Value;
use std::fs;

use super::header::Header;
use super::works::Works;

/// A model.
pub struct Entry {
    /// Its path from the top of the project.
    pub path: String,
    /// What it says of itself.
    pub header: Header,
    /// The works that it cites.
    pub works: Vec<String>,
    /// The first year that its source names.
    pub year: Option<String>,
    /// Its claims.
    pub claims: Vec<Claim>,
    /// Each system with its role instances.
    pub systems: Vec<String>,
    /// The kinds of its attacks.
    pub kinds: Vec<String>,
}

/// A claim with its verdicts.
pub struct Claim {
    /// As it is written.
    pub text: String,
    /// The verdict.
    pub untyped: String,
    /// The verdict with `--typed`; none for comparisons.
    pub typed: Option<String>,
}

impl Entry {
    /// Is it a solution of an exercise? Those who read the page are to find it themselves.
    pub fn is_solution(file: &Value) -> bool {
        file["file"]
            .as_str()
            .is_some_and(|f| f.contains("/solutions/"))
    }

    /// From the documents of `spi test`.
    pub fn new(file: &Value, typed: &Value, works: &Works) -> Entry {
        let path = file["file"].as_str().expect("a path");
        let text = fs::read_to_string(super::root().join(path)).expect("a text");
        let header = Header::read(&text);
        let source = header.paragraph("Source: ").unwrap_or_default();
        let mut entry = Entry {
            path: path.to_owned(),
            works: works.cited(source),
            year: years(source).into_iter().min(),
            header,
            claims: Vec::new(),
            systems: Vec::new(),
            kinds: Vec::new(),
        };
        let again = typed["claims"].as_array().expect("claims");
        for (claim, typed) in file["claims"].as_array().expect("claims").iter().zip(again) {
            entry.add(claim, typed);
        }
        entry
    }

    fn add(&mut self, claim: &Value, typed: &Value) {
        let keeps_types = typed["scope"]["typed"].as_bool() == Some(true);
        self.claims.push(Claim {
            text: claim["claim"].as_str().unwrap_or_default().to_owned(),
            untyped: short(&claim["verdict"]).to_owned(),
            typed: keeps_types.then(|| short(&typed["verdict"]).to_owned()),
        });
        let instances = list(&claim["scope"]["instances"]);
        if !instances.is_empty() {
            let system = list(&claim["scope"]["systems"]).join(" ");
            add(
                &mut self.systems,
                format!("`{system}` = `{}`", instances.join(" | ")),
            );
        }
        for kind in list(&claim["runs"][0]["kinds"]) {
            add(&mut self.kinds, kind);
        }
        if !claim["test"].is_null() {
            add(&mut self.kinds, "distinguishing test".to_owned());
        }
    }

    /// The folder that it is in; the two models at the top are about public keys.
    pub fn family(&self) -> &str {
        match self.path.split('/').collect::<Vec<_>>()[..] {
            [_, family, .., _] => family,
            _ => "public-key",
        }
    }

    /// The name of its place on the page of its family.
    pub fn place(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.trim_end_matches(".spi")
    }

    /// `4 proved, 2 attack`
    pub fn counts(&self) -> String {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for claim in &self.claims {
            match counts.iter_mut().find(|(word, _)| *word == claim.untyped) {
                Some((_, n)) => *n += 1,
                None => counts.push((&claim.untyped, 1)),
            }
        }
        let parts: Vec<String> = counts
            .iter()
            .map(|(word, n)| format!("{n} {word}"))
            .collect();
        parts.join(", ")
    }
}

fn add(list: &mut Vec<String>, item: String) {
    if !list.contains(&item) {
        list.push(item);
    }
}

fn list(value: &Value) -> Vec<String> {
    let items = value.as_array().map_or(&[][..], Vec::as_slice);
    items
        .iter()
        .map(|v| v.as_str().unwrap_or_default().to_owned())
        .collect()
}

fn short(verdict: &Value) -> &str {
    match verdict.as_str().unwrap_or_default() {
        "equivalent for these runs only" => "holds for these runs only",
        "not equivalent" | "does not hold" | "unreachable" => "attack",
        other => other,
    }
}

fn years(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_digit());
    let years = words.filter(|w| w.len() == 4 && (w.starts_with("19") || w.starts_with("20")));
    years.map(str::to_owned).collect()
}

//! A family of protocols, the models of one folder, and its page: each model with its narration, where it comes from, why its
//! verdicts are what they are, and the verdicts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use super::entry::Entry;
use super::header::Part;
use super::markdown::{capital, code, fill, prose};

/// A family.
pub struct Family<'a> {
    /// The name of its folder.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// What it is about.
    pub about: String,
    /// Its models.
    pub entries: Vec<&'a Entry>,
}

impl<'a> Family<'a> {
    /// All families: those of `families.txt` in its order, then others.
    pub fn all(entries: &'a [Entry]) -> Vec<Family<'a>> {
        let mut by_name: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in entries {
            by_name.entry(entry.family()).or_default().push(entry);
        }
        let path = super::root().join("tests/library/families.txt");
        let text = fs::read_to_string(path).expect("the families");
        let mut all = Vec::new();
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let mut parts = line.splitn(3, " = ");
            let (Some(name), Some(title)) = (parts.next(), parts.next()) else {
                continue;
            };
            all.extend(by_name.remove(name).map(|entries| Family {
                name: name.to_owned(),
                title: title.to_owned(),
                about: parts.next().unwrap_or_default().to_owned(),
                entries,
            }));
        }
        all.extend(by_name.into_iter().map(|(name, entries)| Family {
            name: name.to_owned(),
            title: name.replace('-', " "),
            about: String::new(),
            entries,
        }));
        all
    }

    /// The page.
    pub fn page(&self) -> String {
        let mut page = format!(
            "# {}\n\n[All protocols](../protocols.md)\n",
            prose(&self.title)
        );
        if !self.about.is_empty() {
            let _ = write!(page, "\n{}\n", fill(&self.about, 0));
        }
        page.push('\n');
        for entry in &self.entries {
            let _ = writeln!(
                page,
                "- [{}](#{})",
                prose(&entry.header.title),
                entry.place()
            );
        }
        for entry in &self.entries {
            page.push('\n');
            page.push_str(&model(entry));
        }
        page
    }
}

/// What is said of a model.
fn model(entry: &Entry) -> String {
    let mut text = format!(
        "<a id=\"{}\"></a>\n## {}\n",
        entry.place(),
        prose(&entry.header.title)
    );
    for part in &entry.header.parts {
        match part {
            Part::Set(lines) => {
                let _ = write!(text, "\n```text\n{}\n```\n", lines.join("\n"));
            }
            Part::Prose(paragraph) => {
                let word = ["Source", "Scenario", "Verdict"]
                    .into_iter()
                    .find(|w| paragraph.starts_with(&format!("{w}: ")));
                let shown = match word {
                    Some(word) => format!(
                        "**{word}.** {}",
                        prose(&capital(&paragraph[word.len() + 2..]))
                    ),
                    None => prose(paragraph),
                };
                let _ = write!(text, "\n{}\n", fill(&shown, 0));
            }
        }
    }
    for name in crate::pictures::of_model(&entry.path) {
        let _ = write!(
            text,
            "\n![{}](../pictures/{name}.svg)\n",
            prose(&entry.header.title)
        );
    }
    let _ = write!(
        text,
        "\nModel: [{}](../../{})",
        prose(&entry.path),
        entry.path
    );
    if !entry.kinds.is_empty() {
        let _ = write!(text, ". Attack: {}", entry.kinds.join(", "));
    }
    text.push_str(".\n");
    verdicts(entry, &mut text);
    text
}

fn verdicts(entry: &Entry, text: &mut String) {
    let same = |c: &super::entry::Claim| c.typed.as_ref().is_none_or(|t| *t == c.untyped);
    if entry.claims.iter().all(same) {
        text.push_str("\n| claim | verdict |\n|---|---|\n");
        for claim in &entry.claims {
            let _ = writeln!(text, "| {} | {} |", code(&claim.text), claim.untyped);
        }
    } else {
        text.push_str("\n| claim | verdict | with `--typed` |\n|---|---|---|\n");
        for claim in &entry.claims {
            let typed = claim.typed.as_deref().unwrap_or("-");
            let _ = writeln!(
                text,
                "| {} | {} | {typed} |",
                code(&claim.text),
                claim.untyped
            );
        }
    }
    if !entry.systems.is_empty() {
        text.push('\n');
    }
    for system in &entry.systems {
        let _ = writeln!(text, "{}", fill(&format!("- {system}"), 2));
    }
}

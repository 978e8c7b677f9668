//! The page about the whole library: by protocol, by attack, by year, and what is cited.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::entry::Entry;
use super::family::Family;
use super::markdown::{capital, fill, prose};
use super::works::Works;

/// An example of each kind of attack: the kind, and the picture of `docs/pictures`.
const EXAMPLES: &[(&str, &str)] = &[
    ("man in the middle", "lowe"),
    ("type flaw", "otway-rees-type-flaw"),
    ("reflection", "reflection"),
    ("replay", "replay"),
    ("impersonation", "impersonation"),
    ("parallel session", "parallel-session"),
    ("lost key", "lost-key"),
    ("eavesdropping", "eavesdropping"),
    ("distinguishing test", "distinguishing-test"),
];

/// What follows the introduction.
pub fn page(families: &[Family], works: &Works) -> String {
    let mut page = String::new();
    let count: usize = families.iter().map(|f| f.entries.len()).sum();
    let claims: usize = all(families).map(|e| e.claims.len()).sum();
    let _ = write!(
        page,
        "{count} models with {claims} claims, in {} families.\n\n## By protocol\n",
        families.len()
    );
    for family in families {
        by_protocol(family, &mut page);
    }
    page.push_str("\n## By attack\n");
    by_attack(families, &mut page);
    page.push_str("\n## By year\n\nThe year of the oldest work that a model cites.\n\n");
    for (year, entries) in grouped(families, |e| e.year.iter().cloned().collect()) {
        let links: Vec<String> = entries.iter().map(|e| link(e)).collect();
        let _ = writeln!(
            page,
            "{}",
            fill(&format!("- **{year}** {}", links.join("; ")), 2)
        );
    }
    page.push_str("\n## Bibliography\n\n");
    let mut cited: Vec<(&str, String)> = Vec::new();
    let groups = grouped(families, |e| e.works.clone());
    for (name, entries) in &groups {
        let links: Vec<String> = entries.iter().map(|e| link(e)).collect();
        let whole = works.whole(name);
        cited.push((
            whole,
            fill(
                &format!(
                    "- {}. *Models:* {}",
                    prose(whole.trim_end_matches('.')),
                    links.join("; ")
                ),
                2,
            ),
        ));
    }
    cited.sort_by_key(|(whole, _)| whole.to_lowercase());
    for (_, line) in cited {
        let _ = writeln!(page, "{line}");
    }
    page
}

fn by_protocol(family: &Family, page: &mut String) {
    let _ = write!(
        page,
        "\n### [{}](protocols/{}.md)\n\n",
        prose(&family.title),
        family.name
    );
    if !family.about.is_empty() {
        let _ = write!(page, "{}\n\n", fill(&family.about, 0));
    }
    page.push_str("| protocol | year | claims | attack |\n|---|---|---|---|\n");
    for entry in &family.entries {
        let kinds = if entry.kinds.is_empty() {
            "-".to_owned()
        } else {
            entry.kinds.join(", ")
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {kinds} |",
            link(entry),
            entry.year.as_deref().unwrap_or("-"),
            entry.counts(),
        );
    }
}

fn by_attack(families: &[Family], page: &mut String) {
    for (kind, entries) in grouped(families, |e| e.kinds.clone()) {
        let _ = write!(page, "\n### {}\n\n", capital(&kind));
        // `spi explain` says the word again, and then what it means.
        if let Some(told) = spi::base::source::explain::word(&kind, usize::MAX) {
            let meaning = told.split("\n\n").nth(1).unwrap_or_default();
            let _ = write!(
                page,
                "{}\n\n",
                fill(&prose(meaning.replace('\n', " ").trim()), 0)
            );
        }
        for entry in &entries {
            let year = entry.year.as_ref().map(|y| format!(", {y}"));
            let _ = writeln!(page, "- {}{}", link(entry), year.unwrap_or_default());
        }
        if let Some((_, picture)) = EXAMPLES.iter().find(|(k, _)| *k == kind) {
            let of = crate::pictures::model_of(picture);
            let entry = entries.iter().find(|e| e.path == of).expect("an example");
            let title = prose(&entry.header.title);
            let _ = write!(
                page,
                "\nFor example, {title}\n\n![{title}](pictures/{picture}.svg)\n"
            );
        }
    }
}

fn all<'a>(families: &'a [Family]) -> impl Iterator<Item = &'a Entry> {
    families.iter().flat_map(|f| f.entries.iter().copied())
}

fn grouped<'a>(
    families: &'a [Family],
    keys: impl Fn(&Entry) -> Vec<String>,
) -> BTreeMap<String, Vec<&'a Entry>> {
    let mut groups: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    for entry in all(families) {
        for key in keys(entry) {
            groups.entry(key).or_default().push(entry);
        }
    }
    groups
}

fn link(entry: &Entry) -> String {
    format!(
        "[{}](protocols/{}.md#{})",
        prose(&entry.header.title),
        entry.family(),
        entry.place()
    )
}

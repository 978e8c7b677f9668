//! What the models cite: `works.txt` has `Lowe 1995 = the whole reference`; the words before the sign stand in the headers.

use std::fs;

/// The works that are known in full.
pub struct Works(Vec<(String, String)>);

impl Works {
    /// The list, the longest names first: `Lowe 1996 (Some ..` is another work than `Lowe 1996`.
    pub fn read() -> Works {
        let path = super::root().join("tests/library/works.txt");
        let text = fs::read_to_string(path).expect("the works");
        let mut works: Vec<(String, String)> = text
            .lines()
            .filter(|l| !l.starts_with('#'))
            .filter_map(|l| l.split_once(" = "))
            .map(|(name, whole)| (name.trim().to_owned(), whole.trim().to_owned()))
            .collect();
        works.sort_by_key(|(name, _)| (usize::MAX - name.len(), name.clone()));
        Works(works)
    }

    /// The whole reference, or what was cited if it is not known in full.
    pub fn whole<'a>(&'a self, cited: &'a str) -> &'a str {
        let found = self.0.iter().find(|(name, _)| name == cited);
        found.map_or(cited, |(_, whole)| whole)
    }

    /// The works that a source names. A part between semicolons that names none that is known is one itself.
    pub fn cited(&self, source: &str) -> Vec<String> {
        let mut all = Vec::new();
        for part in parts(source.trim_end_matches('.')) {
            let mut rest = part.to_owned();
            let before = all.len();
            for (name, _) in &self.0 {
                if let Some(at) = rest.find(name.as_str()) {
                    rest.replace_range(at..at + name.len(), "");
                    all.push(name.clone());
                }
            }
            let work = without_label(part);
            if all.len() == before && !is_ours(work) {
                all.push(work.to_owned());
            }
        }
        all
    }
}

/// Is it no work of others?
fn is_ours(part: &str) -> bool {
    part.is_empty() || part.starts_with("a model of ours") || part == "an exercise of the course"
}

/// The parts between semicolons, but for those within parentheses.
fn parts(source: &str) -> Vec<&str> {
    let (mut depth, mut start, mut all) = (0_i32, 0, Vec::new());
    for (at, c) in source.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ';' if depth <= 0 => {
                all.push(source[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(source[start..].trim());
    all
}

/// Without the word for what it is cited for, `attack: `.
fn without_label(part: &str) -> &str {
    match part.split_once(": ") {
        Some((label, work)) if !label.contains('(') => work,
        _ => part,
    }
}

//! The exercise file: lines `key: value`, continued by indented lines; `#` starts a comment.
//!
//! | key | meaning |
//! |---|---|
//! | `title` | what it is called |
//! | `kind` | `fix`, `claim`, `equivalence` or `attack` |
//! | `model` | the model it is about (not for `claim`) |
//! | `good`, `bad` | for `claim`: variants on which the claim must hold, and must fail; each may be given several times |
//! | `claim` | for `attack`: the claim to break, as it stands in the model; without it the first that expects an attack. For `equivalence`: the question `S ~ T`; without it the first such claim of the model |
//! | `purpose` | for `fix`: an event with its arguments that an honest run must still reach; several times |
//! | `keys` | for `fix`: secret keys that a role may use although it does not in the model: `Init K(a)`; several times |
//! | `at-most` | for `fix`: `9 parts`, `2 encryptions` in all messages together |
//! | `points` | what a submission that passes is worth, a whole number; 1 if not given |
//! | `hint 1`, `hint 2`, `hint 3` | where, why, which kind of repair |
//!
//! Paths are relative to the exercise file.

use crate::base::source::lines;
use std::fmt;
use std::path::{Path, PathBuf};

/// What is to be handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A repaired model.
    Fix,
    /// A claim that tells good variants from bad ones.
    Claim,
    /// Two systems are equivalent, or a test tells them apart.
    Equivalence,
    /// An attack that breaks a claim.
    Attack,
}

impl Kind {
    /// What a submission is.
    pub(super) fn wants(self) -> &'static str {
        match self {
            Kind::Fix => "hand in the whole model, with other roles",
            Kind::Claim => "hand in a claim, such as `agreement E(x) => F(x) in S`",
            Kind::Equivalence => {
                "hand in the claim `S ~ T`, or a test: `def Test = ..` with `event passed`"
            }
            Kind::Attack => {
                "hand in a process of the attacker, `system Attack = ..`, or a narration with lines `A -> B : message`"
            }
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Fix => "fix",
            Kind::Claim => "claim",
            Kind::Equivalence => "equivalence",
            Kind::Attack => "attack",
        })
    }
}

/// What is counted in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Names and variables, keys not counted.
    Parts,
    /// Encryptions, signatures and hashes.
    Encryptions,
}

/// How much the messages of all roles may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    /// At most this many.
    pub most: usize,
    /// Of what.
    pub of: Measure,
}

/// An exercise.
#[derive(Clone, Debug)]
pub(crate) struct Exercise {
    /// What it is called.
    pub title: String,
    /// What is to be handed in.
    pub kind: Kind,
    /// The model.
    pub model: Option<PathBuf>,
    /// Variants on which a claim must hold.
    pub good: Vec<PathBuf>,
    /// Variants on which it must fail.
    pub bad: Vec<PathBuf>,
    /// The claim to break.
    pub claim: Option<String>,
    /// Events that an honest run must reach.
    pub purpose: Vec<String>,
    /// Roles with secret keys that they may use.
    pub keys: Vec<(String, String)>,
    /// Limits.
    pub limits: Vec<Limit>,
    /// What a submission that passes is worth.
    pub points: u32,
    /// The author's hints.
    pub hints: [Option<String>; 3],
}

/// What is wrong with an exercise file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExerciseError {
    /// The line, from 1; 0 if none in particular.
    pub line: usize,
    /// What.
    pub message: String,
}

impl Exercise {
    /// Reads the text of an exercise file that stands at `path`.
    pub(crate) fn parse(text: &str, path: &Path) -> Result<Exercise, ExerciseError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let fail = |line: usize, message: String| Err(ExerciseError { line, message });
        let mut kind = None;
        let mut exercise = Exercise {
            title: String::new(),
            kind: Kind::Fix,
            model: None,
            good: Vec::new(),
            bad: Vec::new(),
            claim: None,
            purpose: Vec::new(),
            keys: Vec::new(),
            limits: Vec::new(),
            points: 1,
            hints: [None, None, None],
        };
        for (line, key, value) in entries(text)? {
            let file = || folder.join(&value);
            match &*key {
                "title" => exercise.title = value,
                "kind" => {
                    kind = match &*value {
                        "fix" => Some(Kind::Fix),
                        "claim" => Some(Kind::Claim),
                        "equivalence" => Some(Kind::Equivalence),
                        "attack" => Some(Kind::Attack),
                        _ => {
                            let known = "the kinds are `fix`, `claim`, `equivalence`, `attack`";
                            return fail(line, format!("unknown kind `{value}`; {known}"));
                        }
                    }
                }
                "model" => exercise.model = Some(file()),
                "good" => exercise.good.push(file()),
                "bad" => exercise.bad.push(file()),
                "claim" => exercise.claim = Some(value),
                "purpose" => exercise.purpose.push(spaceless(&value)),
                "keys" => match value.split_once(' ') {
                    Some((role, keys)) => {
                        let keys = keys.split_whitespace().map(str::to_owned);
                        exercise.keys.extend(keys.map(|k| (role.to_owned(), k)));
                    }
                    None => return fail(line, "give a role and its keys".to_owned()),
                },
                "at-most" => match limit(&value) {
                    Some(limit) => exercise.limits.push(limit),
                    None => {
                        return fail(line, "give a number of `parts` or `encryptions`".to_owned());
                    }
                },
                "points" => match value.parse() {
                    Ok(points) => exercise.points = points,
                    Err(_) => return fail(line, "give a whole number of points".to_owned()),
                },
                "hint 1" => exercise.hints[0] = Some(value),
                "hint 2" => exercise.hints[1] = Some(value),
                "hint 3" => exercise.hints[2] = Some(value),
                _ => return fail(line, format!("unknown key `{key}`")),
            }
        }
        let Some(kind) = kind else {
            return fail(0, "the exercise has no `kind`".to_owned());
        };
        exercise.kind = kind;
        let incomplete = match kind {
            Kind::Claim => exercise.good.is_empty() || exercise.bad.is_empty(),
            Kind::Fix | Kind::Equivalence | Kind::Attack => exercise.model.is_none(),
        };
        if incomplete {
            let needs = match kind {
                Kind::Claim => "a `good` and a `bad` variant",
                Kind::Fix | Kind::Equivalence | Kind::Attack => "a `model`",
            };
            return fail(0, format!("an exercise of kind `{kind}` needs {needs}"));
        }
        Ok(exercise)
    }
}

impl Exercise {
    /// The keys and values of a text, in its order; those of a text without mistakes.
    pub(crate) fn fields(text: &str) -> Vec<(String, String)> {
        let all = entries(text).unwrap_or_default().into_iter();
        all.map(|(_, key, value)| (key, value)).collect()
    }
}

fn limit(value: &str) -> Option<Limit> {
    let (number, of) = value.split_once(' ')?;
    Some(Limit {
        most: number.parse().ok()?,
        of: match of.trim() {
            "parts" => Measure::Parts,
            "encryptions" => Measure::Encryptions,
            _ => return None,
        },
    })
}

/// Without blanks: events are compared as text.
pub(super) fn spaceless(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

type Entry = (usize, String, String);

fn entries(text: &str) -> Result<Vec<Entry>, ExerciseError> {
    let mut found: Vec<Entry> = Vec::new();
    for (i, line) in lines::bare(text).enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let indented = line.starts_with([' ', '\t']);
        match (indented, found.last_mut(), line.split_once(':')) {
            (true, Some((_, _, value)), _) => {
                value.push(' ');
                value.push_str(line.trim());
            }
            (false, _, Some((key, value))) => {
                found.push((i + 1, key.trim().to_owned(), value.trim().to_owned()));
            }
            _ => {
                return Err(ExerciseError {
                    line: i + 1,
                    message: "write `key: value`".to_owned(),
                });
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_values_and_continued_lines() {
        let text = "# an exercise\ntitle: Repair it\nkind: fix\nmodel: ns.spi\nat-most: 9 parts\nhint 3: name\n  the sender\n";
        let e = Exercise::parse(text, Path::new("course/a.exercise")).expect("an exercise");
        assert_eq!(e.kind, Kind::Fix);
        assert_eq!(e.model.as_deref(), Some(Path::new("course/ns.spi")));
        assert_eq!(e.hints[2].as_deref(), Some("name the sender"));
        assert_eq!(e.limits[0].most, 9);
    }

    #[test]
    fn mistakes_have_lines() {
        let error = |text: &str| Exercise::parse(text, Path::new("a")).expect_err("a mistake");
        assert_eq!(error("kind: poem\n").line, 1);
        assert_eq!(error("kind: fix\n\nfoo: bar\n").line, 3);
        assert_eq!(error("kind fix\n").line, 1);
        assert_eq!(error("kind: fix\npoints: -1\n").line, 2);
        assert!(error("kind: fix\n").message.contains("`model`"));
        assert!(
            error("kind: claim\ngood: a.spi\n")
                .message
                .contains("`bad`")
        );
    }
}

//! The exercise, or the variants of a folder, as `spi vary` writes them: each student has one.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use super::super::folder::Found;
use crate::base::source::{Code, Diagnostic, SourceMap, Span, lines, load};
use crate::course::grade::Exercise;

/// What submissions are judged by.
pub(super) enum Exercises {
    /// All by the same.
    One(Box<Exercise>),
    /// Each by the variant in the folder of the same name.
    Variants(Box<Variants>),
}

/// Variants by the names of their folders.
pub(super) struct Variants {
    title: String,
    first: Exercise,
    all: BTreeMap<String, Exercise>,
}

impl Exercises {
    /// Reads an exercise, or all below a folder.
    pub(super) fn read(path: &Path, map: &mut SourceMap) -> Result<Exercises, Diagnostic> {
        if !path.is_dir() {
            return Ok(Exercises::One(Box::new(exercise(path, map)?.0)));
        }
        let found = Found::everything(path);
        if let Some(problem) = found.problems.into_iter().next() {
            return Err(problem);
        }
        let mut all = BTreeMap::new();
        for file in &found.files {
            if file.extension() != Some(OsStr::new("exercise")) {
                continue;
            }
            let below = file.strip_prefix(path).unwrap_or(file);
            let read = exercise(file, map)?.0;
            if all
                .insert(folder(&below.display().to_string()), read)
                .is_some()
            {
                let message = format!(
                    "`{}` is not the only exercise of its folder",
                    file.display()
                );
                let help = "give an exercise, or a folder with a folder for each variant, as `spi vary` writes it";
                return Err(Diagnostic::new(Code::BadExercise, message).help(help));
            }
        }
        let Some(first) = all.values().next().cloned() else {
            let message = format!("no exercise below `{}`", path.display());
            let help = "exercises are files that end in `.exercise`";
            return Err(Diagnostic::new(Code::BadExercise, message).help(help));
        };
        Ok(Exercises::Variants(Box::new(Variants {
            title: path.display().to_string(),
            first,
            all,
        })))
    }

    /// What they are called together.
    pub(super) fn title(&self) -> String {
        match self {
            Exercises::One(exercise) => exercise.title.clone(),
            Exercises::Variants(variants) => variants.title.clone(),
        }
    }

    /// The exercise of a submission, by its path below the folder of all.
    pub(super) fn of(&self, submission: &str) -> Result<&Exercise, Diagnostic> {
        match self {
            Exercises::One(exercise) => Ok(exercise),
            Exercises::Variants(variants) => {
                let folder = folder(submission);
                variants.all.get(&folder).ok_or_else(|| {
                    let message = format!("there is no variant `{folder}` for `{submission}`");
                    let help = "submissions for a variant lie in a folder of the same name";
                    Diagnostic::new(Code::BadExercise, message).help(help)
                })
            }
        }
    }

    /// One of them.
    pub(super) fn any(&self) -> &Exercise {
        match self {
            Exercises::One(exercise) => exercise,
            Exercises::Variants(variants) => &variants.first,
        }
    }
}

/// The first folder of a path.
fn folder(path: &str) -> String {
    let mut parts = Path::new(path).components();
    let first = parts
        .next()
        .map(|c| c.as_os_str().to_string_lossy().into_owned());
    first.unwrap_or_default()
}

/// Reads an exercise, and its text.
pub(in super::super) fn exercise(
    path: &Path,
    map: &mut SourceMap,
) -> Result<(Exercise, String), Diagnostic> {
    let text = load::load(map, path)?;
    let read = Exercise::parse(&text.text, path).map_err(|error| {
        let before = error.line.saturating_sub(1);
        let start: usize = lines::whole(&text.text).take(before).map(str::len).sum();
        let line = lines::bare(&text.text[start..]).next();
        let end = start + line.map_or(0, str::len);
        Diagnostic::new(Code::BadExercise, error.message)
            .at(Span::new(text.id, start..end), "in this exercise")
    })?;
    Ok((read, text.text.to_string()))
}

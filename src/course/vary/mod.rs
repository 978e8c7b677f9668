//! Variants of an exercise from a seed, so that not everybody in a class has the same: other names, another order, and for
//! models that are to be repaired another broken protocol.
//!
//! A variant is made from the exercise and a solution of it. It is believed only when it was tried: its solution passes, and a
//! model handed in as it was given does not.
//!
//! Left to others: what a grade asks (`grade`), where files go (`cli`).

mod another;
mod names;
mod random;
mod text;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::analysis::{Model, Settings};
use crate::base::limits::Observer;
use crate::base::source::{Code, Diagnostic, SourceFile, SourceMap, load};
use crate::course::grade::{Exercise, Kind, grade};
use crate::lang::syntax::ast::{Expect, File};
use crate::lang::syntax::format::format;
use crate::lang::syntax::link;
use names::Names;
use random::Random;

/// A variant: files by their names.
pub(crate) struct Variant {
    /// What students get: the exercise and its models.
    pub files: Vec<(PathBuf, String)>,
    /// What they do not get.
    pub solution: (PathBuf, String),
    /// What is other than in the exercise, in words.
    pub what: Vec<String>,
}

/// What a variant is made from.
pub(crate) struct Source<'a> {
    /// The exercise.
    pub exercise: &'a Exercise,
    /// Its text, and where it stands.
    pub text: &'a str,
    /// Where that stands.
    pub path: &'a Path,
    /// A solution.
    pub solution: &'a Path,
}

/// A model or a solution on its way.
struct Paper {
    name: PathBuf,
    text: String,
    is_model: bool,
}

/// Makes the variant of a seed.
pub(crate) fn vary(
    source: &Source<'_>,
    seed: u64,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Variant, Vec<Diagnostic>> {
    let maker = Maker {
        source,
        seed,
        settings,
        observer,
    };
    // Another protocol may turn out to be no exercise; then it stays the same protocol.
    for attempt in 0..2 {
        let variant = maker.variant(attempt == 0)?;
        if maker.is_one(&variant)? {
            return Ok(variant);
        }
    }
    let message = format!("`{}` does not pass", source.solution.display());
    let help = "a variant is made from an exercise and a solution that passes; `spi grade` says what is wrong with this one";
    Err(vec![Diagnostic::new(Code::BadExercise, message).help(help)])
}

struct Maker<'a> {
    source: &'a Source<'a>,
    seed: u64,
    settings: &'a Settings,
    observer: &'a dyn Observer,
}

impl Maker<'_> {
    fn variant(&self, may_be_another: bool) -> Result<Variant, Vec<Diagnostic>> {
        let mut random = Random::new(self.seed);
        let mut what = Vec::new();
        let mut papers = self.papers()?;
        let mut is_another = false;
        if may_be_another && self.is_to_be_repaired() && random.below(4) > 0 {
            let solution = papers.len() - 1;
            let text = &papers[solution].text;
            let made = another::broken(text, self.settings, self.observer, &mut random);
            if let Some(broken) = made {
                papers[0].text = broken.model;
                papers[solution].text = broken.solution;
                what = broken.what;
                is_another = true;
            }
        }
        let files: Vec<SourceFile> = (papers.iter())
            .map(|p| SourceFile::anonymous(&p.name.display().to_string(), &p.text))
            .collect();
        let trees: Vec<File> = files.iter().filter_map(another::read).collect();
        let names = Names::choose(&files, &trees, &mut random);
        let title = format!("{}, variant {}", self.source.exercise.title, self.seed);
        for (paper, file) in papers.iter_mut().zip(&files) {
            if let Some(tree) = another::read(file).filter(|_| paper.is_model) {
                let claims = self.source.exercise.kind == Kind::Fix;
                paper.text = text::reordered(file, &tree, claims, &mut random);
            }
            paper.text = names.apply(&paper.text);
            if paper.is_model {
                paper.text = laid_out(&paper.text, &title)?;
            }
        }
        let exercise = self.exercise(&title, &names, is_another);
        let name = PathBuf::from(self.source.path.file_name().unwrap_or_default());
        let solution = papers.pop().map(|p| (p.name, p.text)).unwrap_or_default();
        let mut files = vec![(name, exercise)];
        files.extend(papers.into_iter().map(|p| (p.name, p.text)));
        Ok(Variant {
            files,
            solution,
            what,
        })
    }

    /// The models and, last, the solution, without comments.
    fn papers(&self) -> Result<Vec<Paper>, Vec<Diagnostic>> {
        let Source {
            exercise, solution, ..
        } = self.source;
        let given = exercise
            .model
            .iter()
            .chain(&exercise.good)
            .chain(&exercise.bad);
        let mut all: Vec<(PathBuf, bool)> = given.map(|p| (p.clone(), true)).collect();
        all.push((solution.to_path_buf(), exercise.kind == Kind::Fix));
        let mut papers: Vec<Paper> = Vec::new();
        for (path, is_model) in all {
            let file = load::load(&mut SourceMap::new(), &path).map_err(|d| vec![d])?;
            let name = PathBuf::from(path.file_name().unwrap_or_default());
            let text = if is_model {
                let (_, mistakes) = link::parse_alone(&file, "a variant is made of one file");
                if mistakes.iter().any(Diagnostic::is_error) {
                    let message = format!("`{}` has mistakes", path.display());
                    let help = format!("`spi check {}` shows them", path.display());
                    return Err(vec![Diagnostic::new(Code::BadExercise, message).help(help)]);
                }
                text::bare(&file.text)
            } else {
                file.text.to_string()
            };
            papers.push(Paper {
                name,
                text,
                is_model,
            });
        }
        Ok(papers)
    }

    /// Whether it is a broken model that is to be repaired, and not one that is to be shortened.
    fn is_to_be_repaired(&self) -> bool {
        let exercise = self.source.exercise;
        let model = exercise
            .model
            .as_ref()
            .filter(|_| exercise.kind == Kind::Fix);
        let verdicts = model
            .filter(|_| exercise.limits.is_empty())
            .and_then(|path| {
                let mut map = SourceMap::new();
                let file = load::load(&mut map, path).ok()?;
                let model = Model::from_file(&mut map, &file).ok()?;
                another::verdicts(&model, self.settings, self.observer)
            });
        verdicts.is_some_and(|v| v.contains(&Expect::Attack))
    }

    /// The text of the exercise. Hints that speak of what has changed are left out: `spi grade` has others.
    fn exercise(&self, title: &str, names: &Names, is_another: bool) -> String {
        let mut text = String::new();
        for (key, value) in Exercise::fields(self.source.text) {
            let name = || {
                Path::new(&value)
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
            };
            let new = match &*key {
                "title" => title.to_owned(),
                "model" | "good" | "bad" => name().into_owned(),
                "claim" | "purpose" | "keys" => names.apply(&value),
                "hint 1" | "hint 2" | "hint 3" if is_another || names.touches(&value) => continue,
                _ => value.clone(),
            };
            let _ = writeln!(text, "{key}: {new}");
        }
        text
    }

    /// Tries it: the solution passes, and the model as it is does not.
    fn is_one(&self, variant: &Variant) -> Result<bool, Vec<Diagnostic>> {
        let place = tempfile::TempDir::new().map_err(|e| vec![unwritten(&e)])?;
        for (name, text) in variant.files.iter().chain([&variant.solution_apart()]) {
            fs::write(place.path().join(name), text).map_err(|e| vec![unwritten(&e)])?;
        }
        let (name, text) = &variant.files[0];
        let path = place.path().join(name);
        let Ok(exercise) = Exercise::parse(text, &path) else {
            return Ok(false);
        };
        let passes = |file: &Path| {
            let mut map = SourceMap::new();
            let path = place.path().join(file);
            grade(&exercise, &path, &mut map, self.settings, self.observer)
        };
        if !passes(&variant.solution_apart().0)?.passed() {
            return Ok(false);
        }
        match variant.files.get(1).filter(|_| exercise.kind == Kind::Fix) {
            Some((model, _)) => Ok(passes(model)?.failed()),
            None => Ok(true),
        }
    }
}

impl Variant {
    /// The solution under a name that no other file has.
    fn solution_apart(&self) -> (PathBuf, String) {
        let (name, text) = &self.solution;
        (
            Path::new("solution").with_extension(name.extension().unwrap_or_default()),
            text.clone(),
        )
    }
}

/// In the canonical layout, with a title.
fn laid_out(text: &str, title: &str) -> Result<String, Vec<Diagnostic>> {
    let file = SourceFile::anonymous(
        "variant.spi",
        &format!("// {title}\n\n{}", text.trim_start()),
    );
    format(&file)
}

fn unwritten(error: &std::io::Error) -> Diagnostic {
    Diagnostic::new(Code::CannotWrite, format!("cannot try a variant: {error}"))
}

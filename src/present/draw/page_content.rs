//! The content of a page, as data: the chart, the steps, the attacker's knowledge, the source.

use super::chart::{Chart, Tone};
use crate::base::source::{FileId, SourceMap, Span};

/// A heading with lines of text below it.
#[derive(Clone, Debug)]
pub(crate) struct Detail {
    /// What it is about.
    pub heading: String,
    /// The lines; terms and sentences.
    pub lines: Vec<String>,
}

/// A step of the run.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Its number, from 1; rows of the chart have the same.
    pub number: usize,
    /// A few words: `2. C(A) → B`.
    pub title: String,
    /// The message or event.
    pub message: String,
    /// What is to be said about it.
    pub details: Vec<Detail>,
    /// The places in the source where it happens.
    pub places: Vec<Span>,
}

/// Something the attacker knows.
#[derive(Clone, Debug)]
pub(crate) struct Knowledge {
    /// The step since which; 0 is from the start.
    pub since: usize,
    /// The term.
    pub term: String,
    /// How the attacker learned it.
    pub how: String,
}

/// Everything on a page.
#[derive(Clone, Debug)]
pub(crate) struct PageContent {
    /// The file, as it was typed.
    pub file: String,
    /// The claim or system.
    pub title: String,
    /// The verdict.
    pub verdict: String,
    /// Good or bad.
    pub tone: Tone,
    /// The scope of the verdict and its cost, in sentences.
    pub facts: Vec<String>,
    /// The chart.
    pub chart: Chart,
    /// The steps.
    pub steps: Vec<Step>,
    /// Who knows: the name of the attacker.
    pub knower: String,
    /// What the attacker knows, in the order of learning.
    pub knowledge: Vec<Knowledge>,
    /// Further texts, such as a test as a process.
    pub texts: Vec<Detail>,
    /// The files whose lines are shown.
    pub listings: Vec<Listing>,
}

/// A page that was written by the same command.
#[derive(Clone, Debug)]
pub(crate) struct PageLink {
    /// Its file, in the same folder.
    pub file: String,
    /// The claim or system.
    pub title: String,
    /// The verdict.
    pub verdict: String,
}

/// A file with the lines that are active at each step.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    /// Its name.
    pub name: String,
    /// Its lines, each with the steps at which it is active.
    pub lines: Vec<(String, Vec<usize>)>,
}

impl PageContent {
    /// The files in which the steps have their places.
    pub(super) fn listings(map: &SourceMap, steps: &[Step]) -> Vec<Listing> {
        let mut files: Vec<FileId> = steps
            .iter()
            .flat_map(|s| s.places.iter().map(|p| p.file))
            .collect();
        files.sort_unstable();
        files.dedup();
        files
            .into_iter()
            .filter_map(|id| map.get(id))
            .map(|file| {
                let mut lines: Vec<(String, Vec<usize>)> = file
                    .text
                    .lines()
                    .map(|l| (l.to_owned(), Vec::new()))
                    .collect();
                for step in steps {
                    for place in step.places.iter().filter(|p| p.file == file.id) {
                        let first = file.line_column(place.start).0;
                        let last = file.line_column(place.end.max(place.start)).0;
                        for (_, active) in lines.iter_mut().take(last).skip(first - 1) {
                            if !active.contains(&step.number) {
                                active.push(step.number);
                            }
                        }
                    }
                }
                Listing {
                    name: file.name.to_string(),
                    lines,
                }
            })
            .collect()
    }
}

//! One file: its claims decided and compared with what they expect.
//!
//! A claim about one system is met only if that system runs: where some role instance certainly never finishes and the
//! system is not declared `partial`, the claim fails, whatever it expects.

use std::path::Path;

use crate::analysis::{Decision, Outcome, Settings};
use crate::base::source::render::Look;
use crate::front::cli::Status;
use crate::front::cli::demands::Demands;
use crate::front::cli::isolate::isolated;
use crate::front::cli::opened::{Opened, Unsound};
use crate::front::cli::progress::Watch;
use crate::present::report::{self, ClaimNames, Style, json, summary, too_large};

/// How a claim fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// As expected.
    Met,
    /// Not as expected.
    Missed,
    /// Nothing was expected.
    Open,
}

/// A claim with its end.
pub(super) struct Tested {
    /// As expected or not.
    pub mark: Mark,
    /// Everything about its verdict.
    pub entry: json::ClaimEntry,
    /// What was established.
    pub outcome: Outcome,
    /// What breaks it beyond what is written.
    pub beyond: Option<String>,
    /// The system does not run, so that the verdict says nothing: the instances that never finish.
    pub idle: Vec<String>,
    /// The whole report, of what was not expected.
    pub report: Vec<u8>,
}

impl Tested {
    /// The verdict in words, with the kind of an attack.
    pub(super) fn found(&self) -> String {
        let mut text = self.entry.verdict.to_owned();
        if let Some(run) = self.entry.runs.first().filter(|r| !r.kinds.is_empty()) {
            text = format!("{text} ({})", run.kinds.join(", "));
        }
        if let Some(beyond) = &self.beyond {
            text = format!("{text}; {beyond}");
        }
        text
    }

    /// The lines that say what differs.
    pub(super) fn difference(&self) -> Vec<String> {
        if self.mark != Mark::Missed {
            return Vec::new();
        }
        let mut lines = vec![
            format!("- expected {}", self.entry.expect.unwrap_or("nothing")),
            format!("+ found    {}", self.found()),
        ];
        if !self.idle.is_empty() && self.outcome != Outcome::NotExecutable {
            lines.push(format!(
                "+ the system does not run: {} never {}",
                self.idle.join(", "),
                if self.idle.len() == 1 {
                    "finishes"
                } else {
                    "finish"
                }
            ));
        }
        if let Some(reason) = &self.entry.reason {
            lines.push(format!("  {reason}"));
        }
        lines
    }

    /// What it means for the exit code.
    pub(super) fn status(&self) -> Status {
        match (self.mark, self.outcome) {
            (Mark::Missed, Outcome::Internal) => Status::Error,
            // Nothing speaks against what was expected.
            (Mark::Missed, Outcome::Inconclusive) if self.idle.is_empty() => Status::Inconclusive,
            (Mark::Missed, _) => Status::Refuted,
            (Mark::Met | Mark::Open, _) => Status::Holds,
        }
    }
}

/// A file with its end.
pub(super) struct FileTested {
    /// The path as it was typed or found.
    pub name: String,
    /// Its claims.
    pub claims: Vec<Tested>,
    /// Why it could not be tested, or not all of it.
    pub problem: Option<Unsound>,
}

impl FileTested {
    /// What the file means for the exit code.
    pub(super) fn status(&self) -> Status {
        let start = match self.problem {
            Some(_) => Status::Error,
            None => Status::Holds,
        };
        let ends = self.claims.iter().map(Tested::status);
        ends.fold(start, Status::worst)
    }
}

/// What is asked of all claims.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// How to analyse.
    pub settings: &'a Settings,
    /// What is asked beyond that a claim holds.
    pub demands: &'a Demands,
}

/// Tests a file.
pub(super) fn file(path: &Path, asked: &Asked<'_>, watch: &Watch, look: Look) -> FileTested {
    let mut tested = FileTested {
        name: path.display().to_string(),
        claims: Vec::new(),
        problem: None,
    };
    let opened = match Opened::load(path) {
        Ok(opened) => opened,
        Err(unsound) => {
            tested.problem = Some(unsound);
            return tested;
        }
    };
    if opened.asked().all(|(_, c)| c.expect.is_none()) {
        tested.problem = Some(Unsound {
            diagnostics: vec![opened.nothing_expected()],
            map: opened.map,
        });
        return tested;
    }
    for (number, tried) in opened.asked() {
        let decided = isolated(&tried.text, || claim(&opened, number, asked, watch, look));
        let diagnostic = match decided {
            Ok(Ok(claim)) => {
                tested.claims.push(claim);
                continue;
            }
            Ok(Err(error)) => too_large(tried.span, &error),
            Err(panicked) => panicked.at(tried.span, "this claim"),
        };
        let problem = tested.problem.get_or_insert_with(|| Unsound {
            diagnostics: Vec::new(),
            map: opened.map.clone(),
        });
        problem.diagnostics.push(diagnostic);
    }
    tested
}

type Decided = Result<Tested, crate::process::UnfoldError>;

/// Columns by which reports are indented.
pub(super) const INDENT: usize = 5;

fn style(look: Look) -> Style {
    Style {
        look: Look {
            width: look.width.saturating_sub(INDENT),
            ..look
        },
        timed: false,
        brief: false,
        told: false,
    }
}

/// A claim, decided and compared with what it expects.
fn claim(opened: &Opened, number: usize, asked: &Asked<'_>, watch: &Watch, look: Look) -> Decided {
    let settings = asked.settings;
    let claim = &opened.model.claims()[number];
    let decision = opened.model.decide(number, settings, watch)?;
    let mark = match claim.expect {
        Some(expected) if asked.demands.met(&decision, expected) => Mark::Met,
        Some(_) => Mark::Missed,
        None => Mark::Open,
    };
    let mut report = Vec::new();
    let written = "writing to memory can't fail";
    let entry = match &decision {
        Decision::Compared(comparison) => {
            let ctx = opened.context(false);
            let names = ClaimNames::new(ctx, claim);
            if mark == Mark::Missed {
                report::write_comparison(&mut report, names.of(ctx), comparison, style(look))
                    .expect(written);
            }
            json::comparison(names.of(ctx), Some(claim), comparison)
        }
        Decision::One(result) => {
            let context = opened.context(settings.typed);
            if mark == Mark::Missed {
                report::write(&mut report, context, result, style(look)).expect(written);
            }
            json::claim(context, result)
        }
    };
    let beyond = match &decision {
        Decision::One(result) => report::beyond(&opened.model.store, result),
        Decision::Compared(_) => None,
    };
    Ok(Tested {
        mark,
        idle: if decision.is_idle() {
            entry.unfinished.clone()
        } else {
            Vec::new()
        },
        outcome: decision.outcome(),
        beyond,
        entry,
        report,
    })
}

/// The cost of a claim, for people.
pub(super) fn cost(entry: &json::ClaimEntry) -> String {
    format!(
        "{}, {}",
        match entry.stats.clauses {
            Some(n) => summary::count(n as u64, "clause", "clauses"),
            None => summary::count(entry.stats.states, "state", "states"),
        },
        summary::duration(std::time::Duration::from_secs_f64(entry.stats.seconds))
    )
}

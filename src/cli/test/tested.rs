//! One file: its claims decided and compared with what they expect.
//!
//! A claim about one system is met only if that system runs: where some role instance certainly never finishes and the
//! system is not declared `partial`, the claim fails, whatever it expects.

use std::path::Path;

use crate::analysis::{Gate, Settings, Verdict, check_claim, honest_run};
use crate::cli::Status;
use crate::cli::check::compare;
use crate::cli::isolate::isolated;
use crate::cli::model::{Model, Unsound};
use crate::cli::watch::Watch;
use crate::process::{Claim, ClaimKind};
use crate::report::{self, ClaimNames, Style, json, summary, too_large};
use crate::source::render::Look;

/// How a claim fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// As expected.
    Met,
    /// Not as expected.
    Missed,
    /// Nothing was expected.
    Open,
}

/// A claim with its end.
pub struct Tested {
    /// As expected or not.
    pub mark: Mark,
    /// Everything about its verdict.
    pub entry: json::ClaimEntry,
    /// The system does not run, so that the verdict says nothing: the instances that never finish.
    pub idle: Vec<String>,
    /// The whole report, of what was not expected.
    pub report: Vec<u8>,
}

impl Tested {
    /// The verdict in words, with the kind of an attack.
    pub fn found(&self) -> String {
        let mut text = self.entry.verdict.to_owned();
        if let Some(run) = self.entry.runs.first().filter(|r| !r.kinds.is_empty()) {
            text = format!("{text} ({})", run.kinds.join(", "));
        }
        text
    }

    /// The lines that say what differs.
    pub fn difference(&self) -> Vec<String> {
        if self.mark != Mark::Missed {
            return Vec::new();
        }
        let mut lines = vec![
            format!("- expected {}", self.entry.expect.unwrap_or("nothing")),
            format!("+ found    {}", self.found()),
        ];
        if !self.idle.is_empty() && self.entry.verdict != "not executable" {
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

    fn status(&self) -> Status {
        match (self.mark, self.entry.verdict) {
            (Mark::Missed, "internal error") => Status::Error,
            // Nothing speaks against what was expected.
            (Mark::Missed, "inconclusive") if self.idle.is_empty() => Status::Inconclusive,
            (Mark::Missed, _) => Status::Refuted,
            (Mark::Met | Mark::Open, _) => Status::Holds,
        }
    }
}

/// A file with its end.
pub struct FileTested {
    /// The path as it was typed or found.
    pub name: String,
    /// Its claims.
    pub claims: Vec<Tested>,
    /// Why it could not be tested, or not all of it.
    pub problem: Option<Unsound>,
}

impl FileTested {
    /// What the file means for the exit code.
    pub fn status(&self) -> Status {
        let start = match self.problem {
            Some(_) => Status::Error,
            None => Status::Holds,
        };
        let ends = self.claims.iter().map(Tested::status);
        ends.fold(start, Status::worst)
    }
}

/// Tests a file.
pub fn file(path: &Path, settings: &Settings, watch: &Watch, look: Look) -> FileTested {
    let mut tested = FileTested {
        name: path.display().to_string(),
        claims: Vec::new(),
        problem: None,
    };
    let model = match Model::load(path) {
        Ok(model) => model,
        Err(unsound) => {
            tested.problem = Some(unsound);
            return tested;
        }
    };
    if model.claims().all(|(c, _)| c.expect.is_none()) {
        tested.problem = Some(Unsound {
            diagnostics: vec![model.nothing_expected()],
            map: model.map,
        });
        return tested;
    }
    for (nested, flat) in model.claims() {
        let decided = isolated(&nested.text, || {
            match compared(&model, nested, settings, watch, look) {
                Some(decided) => decided,
                None => about_one(&model, nested, flat, settings, watch, look),
            }
        });
        let diagnostic = match decided {
            Ok(Ok(claim)) => {
                tested.claims.push(claim);
                continue;
            }
            Ok(Err(error)) => too_large(nested.span, &error),
            Err(panicked) => panicked.at(nested.span, "this claim"),
        };
        let problem = tested.problem.get_or_insert_with(|| Unsound {
            diagnostics: Vec::new(),
            map: model.map.clone(),
        });
        problem.diagnostics.push(diagnostic);
    }
    tested
}

type Decided = Result<Tested, crate::process::UnfoldError>;

/// Columns by which reports are indented.
pub const INDENT: usize = 5;

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

/// A claim about one system.
fn about_one(
    model: &Model,
    nested: &Claim,
    flat: &Claim,
    settings: &Settings,
    watch: &Watch,
    look: Look,
) -> Decided {
    let mut result = check_claim(&model.subject(), nested, flat, settings, watch)?;
    let program = model.program(settings.typed);
    // For `reachable` the analysis needs no honest run; a test does.
    if let ClaimKind::Reachable { system, .. } = &result.claim.kind
        && !program.systems[system.system.index()].partial
    {
        let gate = honest_run(&model.store, program, system, settings, watch)?;
        result.gate = Some(gate);
    }
    let closed = result.gate.as_ref().is_some_and(Gate::is_closed);
    let meets = |verdict: &Verdict, expected| verdict.meets(expected) && !closed;
    let mark = match result.claim.expect {
        Some(expected) if meets(&result.verdict, expected) => Mark::Met,
        Some(_) => Mark::Missed,
        None => Mark::Open,
    };
    let context = model.context(settings.typed);
    let entry = json::claim(context, &result);
    let mut report = Vec::new();
    if mark == Mark::Missed {
        report::write(&mut report, context, &result, style(look))
            .expect("writing to memory can't fail");
    }
    Ok(Tested {
        mark,
        idle: if closed {
            entry.unfinished.clone()
        } else {
            Vec::new()
        },
        entry,
        report,
    })
}

/// A claim that compares systems; `None` for other claims.
fn compared(
    model: &Model,
    claim: &Claim,
    settings: &Settings,
    watch: &Watch,
    look: Look,
) -> Option<Decided> {
    let comparison = match compare(model, claim, settings, watch)? {
        Ok(comparison) => comparison,
        Err(error) => return Some(Err(error)),
    };
    let mark = match claim.expect {
        Some(expected) if report::meets(&comparison, expected) => Mark::Met,
        Some(_) => Mark::Missed,
        None => Mark::Open,
    };
    let ctx = model.context(false);
    let names = ClaimNames::new(ctx, claim);
    let entry = json::comparison(names.of(ctx), Some(claim), &comparison);
    let mut report = Vec::new();
    if mark == Mark::Missed {
        report::write_comparison(&mut report, names.of(ctx), &comparison, style(look))
            .expect("writing to memory can't fail");
    }
    Some(Ok(Tested {
        mark,
        entry,
        idle: Vec::new(),
        report,
    }))
}

/// The cost of a claim, for people.
pub fn cost(entry: &json::ClaimEntry) -> String {
    format!(
        "{}, {}",
        match entry.stats.clauses {
            Some(_) => "proved".to_owned(),
            None => summary::count(entry.stats.states, "state", "states"),
        },
        summary::duration(std::time::Duration::from_secs_f64(entry.stats.seconds))
    )
}

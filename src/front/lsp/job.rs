//! Running a claim in a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use super::STACK;
use super::server::Event;
use super::snapshot::Snapshot;
use crate::analysis::{ClaimResult, Decision, Model, Settings, Verdict, resident_memory};
use crate::base::limits::{Observer, Progress};
use crate::base::source::SourceMap;
use crate::base::source::render::{self, Look, WIDTH};
use crate::present::draw::{self, PageContent};
use crate::present::report::{self, ClaimNames, Context, Story, Style, summary, too_large};
use crate::process::{Claim, UnfoldError};

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// The verdict, with the kinds of an attack: `attack (man in the middle)`.
    pub verdict: String,
    /// Its scope: instances, bounds, assumptions.
    pub scope: String,
    /// The whole report, as the command line prints it.
    pub narration: String,
    /// Whether the verdict is the expected one, or none was expected.
    pub as_expected: bool,
    /// A page to step through what was found, if there is something to be drawn.
    pub page: Option<String>,
}

impl Outcome {
    /// The verdict with its scope on one line.
    pub(super) fn line(&self) -> String {
        if self.scope.is_empty() {
            return self.verdict.clone();
        }
        format!("{}; {}", self.verdict, self.scope)
    }
}

/// A claim to run.
pub(super) struct Job {
    /// The number of the run.
    pub number: u64,
    /// The document.
    pub uri: String,
    /// The number of the claim.
    pub claim: usize,
    /// The text.
    pub snapshot: Arc<Snapshot>,
    /// How to analyse.
    pub settings: Settings,
    /// Set to end the run.
    pub cancel: Arc<AtomicBool>,
}

/// An observer with a flag that stops the run.
struct Cancellable(Arc<AtomicBool>);

impl Observer for Cancellable {
    fn progress(&self, _: &Progress) {}

    fn interrupted(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    fn memory(&self) -> Option<u64> {
        resident_memory()
    }
}

impl Job {
    /// Starts a thread that runs the claim and reports to `sender`.
    pub(super) fn start(self, sender: Sender<Event>) -> std::io::Result<()> {
        let thread = std::thread::Builder::new()
            .name("spi lsp claim".to_owned())
            .stack_size(STACK);
        thread.spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| self.run())).unwrap_or_else(|_| {
                // The panic has printed its message to standard error.
                failed(
                    "internal error",
                    "this is a mistake in spi: please report it",
                )
            });
            let finished = Event::Finished {
                number: self.number,
                uri: self.uri,
                claim: self.claim,
                outcome: Box::new(outcome),
            };
            // The receiver is gone if the server has ended.
            let _ = sender.send(finished);
        })?;
        Ok(())
    }

    fn run(&self) -> Outcome {
        let mut map = self.snapshot.map.clone();
        let Ok(model) = Model::from_file(&mut map, &self.snapshot.file) else {
            return failed("not analysed", "the text has mistakes");
        };
        let Some(claim) = model.claims().get(self.claim) else {
            return failed("no such claim", "the text has changed");
        };
        self.decided(&model, &map, claim).unwrap_or_else(|error| {
            let diagnostic = too_large(claim.span, &error);
            Outcome {
                narration: render::to_string(&map, std::slice::from_ref(&diagnostic)),
                ..failed("not analysed", &diagnostic.message)
            }
        })
    }

    fn decided(
        &self,
        model: &Model,
        map: &SourceMap,
        claim: &Claim,
    ) -> Result<Outcome, UnfoldError> {
        let name = &self.snapshot.file.name;
        let observer = Cancellable(self.cancel.clone());
        let decision = model.decide(self.claim, &self.settings, &observer)?;
        let mut text = Vec::new();
        let (verdict, scope, page) = match &decision {
            Decision::Compared(comparison) => {
                let ctx = Context::of(model, map, false);
                let names = ClaimNames::new(ctx, claim);
                // Writing to memory does not fail.
                let _ = report::write_comparison(&mut text, names.of(ctx), comparison, STYLE);
                let word = report::comparison_word(comparison).0;
                let page = comparison.refutation().map(|refutation| {
                    draw::comparison_page(names.of(ctx), name, comparison, refutation)
                });
                let scope = report::comparison_scope(comparison);
                (word.to_owned(), scope, page)
            }
            Decision::One(result) => {
                let ctx = Context::of(model, map, self.settings.typed);
                let _ = report::write(&mut text, ctx, result, STYLE);
                let page = drawn(ctx, name, result);
                let words = report::verdict_words(ctx, result);
                (words, summary::meaning(result), page)
            }
        };
        Ok(Outcome {
            verdict: report::plain(&verdict),
            scope: report::plain(&scope.join("; ")),
            narration: String::from_utf8_lossy(&text).into_owned(),
            as_expected: claim.expect.is_none_or(|e| decision.meets(e)),
            page: page.map(|sheet| draw::page(&sheet, &[], 0)),
        })
    }
}

/// The run to draw: an attack, a run that reaches an event, or an attack beyond what is written.
fn drawn(ctx: Context<'_>, name: &str, result: &ClaimResult) -> Option<PageContent> {
    let reference = report::reference(ctx, result);
    let run = match &result.verdict {
        Verdict::Attack(attacks) => attacks.first(),
        Verdict::Holds { run } => run.as_deref(),
        _ => None,
    };
    if let Some(run) = run {
        let story = Story::of_attack(ctx, &reference, run);
        let verdict = report::verdict_line(ctx, result, run, &story);
        return Some(draw::attack_page(ctx, name, result, &verdict, run, &story));
    }
    let (beyond, verdict) = (result.beyond()?, report::beyond(ctx.store, result)?);
    let story = Story::of_attack(ctx, &reference, &beyond.attack);
    let run = &beyond.attack;
    Some(draw::attack_page(ctx, name, result, &verdict, run, &story))
}

const STYLE: Style = Style {
    look: Look {
        color: false,
        width: WIDTH,
    },
    timed: true,
    brief: false,
    told: false,
};

fn failed(verdict: &str, why: &str) -> Outcome {
    Outcome {
        verdict: verdict.to_owned(),
        scope: why.to_owned(),
        narration: format!("{verdict}: {why}"),
        as_expected: false,
        page: None,
    }
}

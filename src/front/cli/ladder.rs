//! `spi check --ladder INIT RESP`: how sure two roles are of each other.

use serde::Serialize;
use std::io;
use std::path::PathBuf;

use super::check::{Format, PLAIN, tell};
use super::demands::Demands;
use super::findings::{self, Finding};
use super::isolate::isolated;
use super::opened::Opened;
use super::progress::Watch;
use super::{Console, Status};
use crate::analysis::Model;
use crate::analysis::{Decision, Settings, Verdict};
use crate::base::source::{Code, Diagnostic};
use crate::course::variants::{Decided, LadderError, RUNGS, ladder};
use crate::present::report::json::{self, ClaimEntry, SCHEMA};
use crate::present::report::{self, Context, Ink, Paper, Style, summary, too_large};

/// What was asked.
pub(super) struct Asked<'a> {
    /// The files.
    pub files: &'a [PathBuf],
    /// The two roles.
    pub roles: (&'a str, &'a str),
    /// Only this system.
    pub system: Option<&'a str>,
    /// How results are written.
    pub format: Format,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    files: Vec<FileEntry>,
}

#[derive(Serialize)]
struct FileEntry {
    #[serde(rename = "file")]
    name: String,
    ladders: Vec<LadderEntry>,
}

#[derive(Serialize)]
struct LadderEntry {
    role: String,
    about: String,
    /// The events were marked by the honest run, not by the file.
    marked: bool,
    /// The highest rung that holds, with all below it.
    reaches: Option<&'static str>,
    /// The lowest rung that breaks; its entry has the attack.
    breaks: Option<&'static str>,
    rungs: Vec<RungEntry>,
}

/// What was found in a file, for other programs.
#[derive(Default)]
struct Collected {
    ladders: Vec<LadderEntry>,
    findings: Vec<Finding>,
}

#[derive(Serialize)]
struct RungEntry {
    rung: &'static str,
    #[serde(flatten)]
    entry: ClaimEntry,
}

/// Climbs the ladders of all files.
pub(super) fn run(
    asked: &Asked<'_>,
    settings: &Settings,
    demands: &Demands,
    watch: &Watch,
    console: &mut Console,
) -> io::Result<Status> {
    let mut status = Status::Holds;
    let mut found = Collected::default();
    let mut document = Document {
        schema: SCHEMA,
        files: Vec::new(),
    };
    for (i, path) in asked.files.iter().enumerate() {
        if i > 0 && asked.format == Format::Human {
            writeln!(console.out())?;
        }
        let opened = match Opened::load(path) {
            Ok(opened) => opened,
            Err(unsound) => {
                tell(
                    &unsound.map,
                    &unsound.diagnostics,
                    &mut found.findings,
                    console,
                )?;
                status = status.worst(Status::Error);
                continue;
            }
        };
        let climbed = isolated(&opened.name, || {
            one(
                asked, &opened, settings, demands, watch, console, &mut found,
            )
        });
        status = status.worst(match climbed {
            Ok(status) => status?,
            Err(panicked) => {
                watch.clear();
                tell(&opened.map, &[panicked], &mut found.findings, console)?;
                Status::Error
            }
        });
        document.files.push(FileEntry {
            name: opened.name.clone(),
            ladders: std::mem::take(&mut found.ladders),
        });
    }
    match (asked.format, asked.format.findings()) {
        (_, Some(form)) => findings::write(console.out(), form, &found.findings)?,
        (Format::Json, _) => json::write(console.out(), &document)?,
        _ => {}
    }
    Ok(status)
}

fn one(
    asked: &Asked<'_>,
    opened: &Opened,
    settings: &Settings,
    demands: &Demands,
    watch: &Watch,
    console: &mut Console,
    found: &mut Collected,
) -> io::Result<Status> {
    let mut fail = |console: &mut Console, diagnostics: &[Diagnostic]| -> io::Result<Status> {
        tell(&opened.map, diagnostics, &mut found.findings, console)?;
        Ok(Status::Error)
    };
    if let Some(system) = asked.system
        && let Err(diagnostic) = opened.system(system)
    {
        return fail(console, &[diagnostic]);
    }
    // Roles of a file that is used are roles like others.
    let tree = opened.model.tree.expanded();
    let original = match Model::from_tree(tree.clone().into_owned()) {
        Ok(variant) => variant,
        Err(diagnostics) => return fail(console, &diagnostics),
    };
    let climbed = ladder(&tree, &original, asked.roles, asked.system, settings, watch);
    let ladder = match climbed {
        Ok(ladder) => ladder,
        Err(error) => return fail(console, &[explain(&error)]),
    };
    let variant = match Model::from_tree(ladder.tree.clone()) {
        Ok(variant) => variant,
        Err(diagnostics) => return fail(console, &diagnostics),
    };
    let mut status = Status::Holds;
    for (i, about) in ladder.about.iter().enumerate() {
        let first = i * RUNGS.len();
        let decided: Vec<Decided> = (first..first + RUNGS.len())
            .map(|c| Decided::of(&variant, c, settings, watch))
            .collect();
        watch.clear();
        for d in &decided {
            status = status.worst(match d {
                Decided::Done(decision) => demands.status(decision),
                Decided::Failed(error) => {
                    let d = too_large(variant.claims()[first].span, error);
                    tell(&opened.map, &[d], &mut found.findings, console)?;
                    return Ok(Status::Error);
                }
            });
        }
        let broken = decided.iter().position(|d| !d.holds());
        let ctx = Context::of(&variant, &opened.map, settings.typed);
        if asked.format != Format::Human {
            found.ladders.push(LadderEntry {
                role: about.of.to_string(),
                about: about.about.to_string(),
                marked: about.marked,
                reaches: broken
                    .unwrap_or(RUNGS.len())
                    .checked_sub(1)
                    .map(|r| RUNGS[r].1),
                breaks: broken.map(|r| RUNGS[r].1),
                rungs: decided
                    .iter()
                    .zip(RUNGS)
                    .filter_map(|(d, (_, rung))| match d {
                        Decided::Done(Decision::One(result)) => Some(RungEntry {
                            rung,
                            entry: json::claim(ctx, result),
                        }),
                        _ => None,
                    })
                    .collect(),
            });
            if let Some(Decided::Done(decision @ Decision::One(result))) =
                broken.map(|b| &decided[b])
            {
                let mut text = Vec::new();
                report::write(&mut text, ctx, result, PLAIN)?;
                let entry = json::claim(ctx, result);
                let finding = Finding::claim(&entry, demands.status(decision), &text);
                found.findings.extend(finding);
            }
            continue;
        }
        if i > 0 {
            writeln!(console.out())?;
        }
        let (look, quiet) = (console.look(), console.quiet());
        let mut paper = Paper::new(console.out(), look);
        let title = format!("{} about {}", about.of, about.about);
        let size = title.chars().count() + 2;
        let title = paper.paint(&title, Ink::Strong);
        // The rung in the middle asks for what the file or the honest run says, and no more.
        let text = &variant.claims()[first + 2].text;
        let asked_for = text.strip_prefix("agreement ").unwrap_or(text);
        let note = if about.marked {
            " (events marked by the honest run)"
        } else {
            ""
        };
        paper.hanging(&format!("{title}: "), size, &format!("{asked_for}{note}"))?;
        for (d, (_, rung)) in decided.iter().zip(RUNGS) {
            let Decided::Done(Decision::One(result)) = d else {
                continue;
            };
            let (word, ink) = summary::word(result.outcome());
            // A rung may be proved while the one above it is only searched: each says for itself how far it goes.
            let (sign, more) = match &result.verdict {
                Verdict::Holds { .. } => ("", summary::runs(&result.scope)),
                Verdict::Vacuous(reason) => (":", report::vacuity(reason)),
                Verdict::Inconclusive(reason) | Verdict::Unconfirmed(reason) => {
                    (":", summary::stopped(*reason))
                }
                _ => match d.kinds(&variant, &opened.map, settings.typed) {
                    kinds if kinds.is_empty() => ("", String::new()),
                    kinds => ("", format!("({})", kinds.join(", "))),
                },
            };
            let head = format!("  {rung:<24} {}{sign}", paper.paint(word, ink));
            if more.is_empty() {
                paper.line(&head)?;
            } else {
                let width = 2 + 24 + 1 + word.len() + sign.len() + 1;
                paper.hanging(&format!("{head} "), width, &more)?;
            }
            if let Some(beyond) = d.beyond(&variant) {
                paper.paragraph(27, &beyond, Ink::Doubt)?;
            }
        }
        let held = decided.iter().filter_map(|d| match d {
            Decided::Done(Decision::One(result)) if d.holds() => Some(&result.scope),
            _ => None,
        });
        // With `--sessions` only a proof has role instances to name.
        if let Some(scope) = held.max_by_key(|scope| scope.proved.is_some()) {
            for sentence in summary::setting(scope) {
                paper.paragraph(2, &sentence, Ink::Faint)?;
            }
        }
        if let Some(Decided::Done(Decision::One(result))) = broken.map(|b| &decided[b])
            && !quiet
        {
            paper.gap()?;
            if let Some(note) = made_up(&result.claim.text, text) {
                paper.paragraph(2, &note, Ink::Faint)?;
                paper.gap()?;
            }
            let style = Style { look, ..PLAIN };
            let mut text = Vec::new();
            report::write(&mut text, ctx, result, style)?;
            paper.indented(2, &text)?;
        }
    }
    Ok(status)
}

/// What the earlier event of a lower rung is, if it is not that of the file: `A => Start'(u) in S`.
fn made_up(rung: &str, asked: &str) -> Option<String> {
    let earlier = |claim: &str| -> Option<String> {
        let (_, event) = claim.split_once("=> ")?;
        Some(event.split_once(" in ")?.0.to_owned())
    };
    let (event, written) = (earlier(rung)?, earlier(asked)?);
    let label = |event: &str| event.split('(').next().map(str::to_owned);
    (label(&event) != label(&written)).then(|| {
        format!("{event} is no event of the file: every role marks it before the first thing that it sends.")
    })
}

fn explain(error: &LadderError) -> Diagnostic {
    match error {
        LadderError::UnknownRole(role, known) => {
            let known: Vec<String> = known.iter().map(|n| format!("`{n}`")).collect();
            Diagnostic::new(Code::UnknownName, format!("no role is called `{role}`"))
                .note(format!("the definitions of this file: {}", known.join(", ")))
        }
        LadderError::Unrelated(x, y) => Diagnostic::new(
            Code::UnrelatedRoles,
            format!("nothing relates `{x}` and `{y}`"),
        )
        .help("claim an agreement between an event of one and an event of the other, or give both two parameters of type Agent and a system in which they are partners"),
    }
}

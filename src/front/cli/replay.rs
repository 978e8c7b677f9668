//! `spi replay`: an attack written as a process, run beside the system.

use std::io;
use std::path::{Path, PathBuf};

use super::format::Format;
use super::opened::Opened;
use super::progress::Watch;
use super::search::SearchArgs;
use super::{Console, Status, equiv};
use crate::analysis::{
    Effect, Encounter, Opponent, ReplayError, ReplayResult, replay_attack, replay_test,
};
use crate::base::source::{Code, Diagnostic, FileId, SourceFile, SourceMap, Span, load};
use crate::lang::sema::{AttackFile, Checked, check_attack};
use crate::present::report::{self, ClaimNames, Context, Contrast, Shown, json, too_large};
use crate::process::{System, SystemId, TupleMode};
use crate::term::{TermId, TermStore};

/// Arguments of `spi replay`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The model: `FILE` or `FILE:SYSTEM`; two of them to try a test on both
    #[arg(required = true, num_args = 1..=2, value_name = "MODEL")]
    models: Vec<String>,

    /// The attack, such as `--emit-attack` writes
    #[arg(value_name = "ATTACK")]
    attack: PathBuf,

    /// How results are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    #[command(flatten)]
    search: SearchArgs,
}

/// Replays an attack.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    match args.models.as_slice() {
        [left, right] => on_two(args, left, right, console),
        [opened] => on_claims(args, opened, console),
        _ => Ok(Status::Error),
    }
}

/// An attack that was read.
struct Attacker {
    checked: Checked,
    system: SystemId,
    own: Vec<TermId>,
}

impl Attacker {
    fn opponent(&self) -> Opponent<'_> {
        Opponent {
            program: &self.checked.program,
            system: self.system,
            own: &self.own,
        }
    }
}

/// Reads the attack; `None` if it is none.
fn attacker(
    path: &Path,
    map: &mut SourceMap,
    models: &[SourceFile],
    store: &TermStore,
    tuples: TupleMode,
    console: &mut Console,
) -> io::Result<Option<Attacker>> {
    let file = match load::load(map, path) {
        Ok(file) => file,
        Err(diagnostic) => {
            console.diagnostics(map, &[diagnostic])?;
            return Ok(None);
        }
    };
    let AttackFile {
        checked,
        system,
        own,
    } = check_attack(map, models, &file, store, tuples);
    console.diagnostics(map, &checked.diagnostics)?;
    Ok(system
        .filter(|_| checked.is_sound())
        .map(|system| Attacker {
            checked,
            system,
            own,
        }))
}

/// The attack on the claims of one file.
fn on_claims(args: &Args, name: &str, console: &mut Console) -> io::Result<Status> {
    let settings = args.search.settings(false);
    let (path, system) = equiv::split(name);
    let mut opened = match Opened::load(Path::new(path)) {
        Ok(opened) => opened,
        Err(unsound) => {
            console.diagnostics(&unsound.map, &unsound.diagnostics)?;
            return Ok(Status::Error);
        }
    };
    if let Some(Err(diagnostic)) = system.map(|s| opened.only_about(s)) {
        console.diagnostics(&opened.map, &[diagnostic])?;
        return Ok(Status::Error);
    }
    if opened.chosen.is_empty() {
        console.diagnostics(&opened.map, &[opened.nothing_to_check()])?;
        return Ok(Status::Error);
    }
    let tuples = if settings.typed {
        TupleMode::Flat
    } else {
        TupleMode::Nested
    };
    let texts: Vec<SourceFile> = opened.map.get(FileId(0)).cloned().into_iter().collect();
    let map = &mut opened.map;
    let Some(attacker) = attacker(
        &args.attack,
        map,
        &texts,
        &opened.model.store,
        tuples,
        console,
    )?
    else {
        return Ok(Status::Error);
    };
    let opponent = attacker.opponent();
    let ctx = opened.context(settings.typed);
    let style = console.style();
    let watch = Watch::new(console.quiet());
    let mut told = Told::default();
    let mut entries = Vec::new();
    let mut first = true;
    for (number, nested) in opened.asked() {
        let claim = &opened.model.program(settings.typed).claims[number];
        let tried = replay_attack(
            &opened.model.store,
            ctx.program,
            claim,
            opponent,
            &settings,
            &watch,
        );
        let result = match tried {
            Ok(result) => result,
            Err(error) => {
                console.diagnostics(&opened.map, &[failed(claim.span, &error)])?;
                return Ok(Status::Error);
            }
        };
        let names = ClaimNames::new(opened.context(false), nested);
        if args.format == Format::Json {
            entries.push(json::replayed(ctx, &result));
        } else {
            if !first && !console.quiet() {
                writeln!(console.out())?;
            }
            let shown = Shown {
                attack: &result.attack,
                names: names.systems(),
            };
            report::write_replay(console.out(), ctx, &result, shown, style)?;
        }
        first = false;
        told.note(ctx, &result, console)?;
    }
    if args.format == Format::Json {
        let document = json::ReplayDocument {
            schema: json::SCHEMA,
            file: opened.name.clone(),
            attack: args.attack.display().to_string(),
            claims: entries,
        };
        json::write(console.out(), &document)?;
    }
    Ok(told.status())
}

/// What the claims came to; a stuck attack is explained once.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)]
struct Told {
    broken: bool,
    finished: bool,
    limited: bool,
    explained: bool,
    /// It uses what no attacker has.
    lacks: bool,
}

impl Told {
    fn note(
        &mut self,
        ctx: Context<'_>,
        result: &ReplayResult,
        console: &mut Console,
    ) -> io::Result<()> {
        self.broken |= result.breaks();
        match &result.effect {
            Effect::Breaks { .. } | Effect::Tells { .. } => self.finished = true,
            Effect::Nothing(e) => {
                self.finished = true;
                self.limited |= e.limited;
            }
            Effect::Alike(both) => {
                self.limited |= both.iter().any(|e| e.limited || e.is_open());
                let arrived =
                    |e: &Encounter| e.attack_run.finished || !e.attack_run.barbs.is_empty();
                if both.iter().any(arrived) {
                    self.finished = true;
                } else if let Some(furthest) = both.iter().max_by_key(|e| e.attack_run.followed) {
                    self.explain(ctx, &result.attack, furthest, console)?;
                }
            }
            Effect::Stops(e) => {
                self.limited |= e.limited;
                self.explain(ctx, &result.attack, e, console)?;
            }
        }
        Ok(())
    }

    fn explain(
        &mut self,
        ctx: Context<'_>,
        attack: &System,
        e: &Encounter,
        console: &mut Console,
    ) -> io::Result<()> {
        // Claims about one system stop it at the same place.
        if let Some(d) = report::hindrance(ctx, attack, e).filter(|_| !self.explained) {
            self.lacks = d.code == Code::AttackLacks;
            console.diagnostics(ctx.map, &[d])?;
            self.explained = true;
        }
        Ok(())
    }

    fn status(&self) -> Status {
        match self {
            Told { broken: true, .. } => Status::Refuted,
            Told { limited: true, .. } => Status::Inconclusive,
            // An attack that uses what no attacker has is none, unless it got to its end on another claim.
            Told {
                lacks: true,
                finished: false,
                ..
            } => Status::Error,
            // It gets to its end in vain, or it is stopped: the protocol withstands it.
            _ => Status::Holds,
        }
    }
}

/// A test on two systems, of one file or of two.
fn on_two(args: &Args, left: &str, right: &str, console: &mut Console) -> io::Result<Status> {
    let settings = args.search.settings(false);
    let store = TermStore::new();
    let mut map = SourceMap::new();
    let mut loaded = Vec::new();
    for text in [left, right] {
        match equiv::operand(text, &mut map, &store) {
            Ok(found) => loaded.push(found),
            Err(diagnostics) => {
                console.diagnostics(&map, &diagnostics)?;
                return Ok(Status::Error);
            }
        }
    }
    let texts: Vec<SourceFile> = loaded.iter().map(|l| l.file.clone()).collect();
    let tuples = TupleMode::Nested;
    let Some(attacker) = attacker(&args.attack, &mut map, &texts, &store, tuples, console)? else {
        return Ok(Status::Error);
    };
    let opponent = attacker.opponent();
    let style = console.style();
    let watch = Watch::new(console.quiet());
    let mut met = Vec::new();
    for (text, one) in [left, right].into_iter().zip(&loaded) {
        let (program, closed) = (&one.program, &one.closed);
        let tried = replay_test(&store, program, closed, opponent, &settings, &watch);
        let (e, attack) = match tried {
            Ok(met) => met,
            Err(error) => {
                let span = one.program.systems[one.closed.system.index()].span;
                console.diagnostics(&map, &[failed(span, &error)])?;
                return Ok(Status::Error);
            }
        };
        let name = if loaded[0].name == loaded[1].name {
            text
        } else {
            &one.name
        };
        met.push((name, one, e, attack));
    }
    let tests: Vec<(&str, &Encounter)> = met.iter().map(|(name, _, e, _)| (*name, e)).collect();
    let contrast = report::contrast(&tests);
    if args.format == Format::Json {
        let entries = tests.iter().map(|(name, e)| json::tested(&store, name, e));
        let document = json::TestDocument::new(entries.collect());
        json::write(console.out(), &document)?;
    } else {
        report::write_tests(console.out(), &store, &tests, style)?;
    }
    // A test that one system fails has done its job; one that no system passes is explained.
    let mut told = Told::default();
    if contrast == Contrast::Neither {
        let furthest = met.iter().max_by_key(|(_, _, e, _)| e.attack_run.followed);
        if let Some((_, one, e, attack)) = furthest {
            let ctx = Context {
                store: &store,
                program: &one.program,
                map: &map,
            };
            told.explain(ctx, attack, e, console)?;
        }
    }
    Ok(match contrast {
        Contrast::ToldApart => Status::Refuted,
        Contrast::Both => Status::Holds,
        Contrast::Neither => told.status(),
        Contrast::Unknown => Status::Inconclusive,
    })
}

fn failed(span: Span, error: &ReplayError) -> Diagnostic {
    match error {
        ReplayError::Unfold(error) => too_large(span, error),
        ReplayError::Run(error) => Diagnostic::new(
            Code::Panicked,
            format!(
                "the attack can't be run ({error}); this is a mistake in spi: please report it"
            ),
        ),
    }
}

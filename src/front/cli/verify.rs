//! `spi verify`: a certificate that was written before, checked again. No engine runs.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::format::Format;
use super::opened::Opened;
use super::progress::Watch;
use super::search::duration;
use super::{Console, Status, equiv};
use crate::analysis::{
    Comparison, LimitSpec, Model, Operand, Settings, Shown, Unverified, verify_claim,
    verify_compared, verify_systems,
};
use crate::base::source::visible::visible;
use crate::base::source::{Code, Diagnostic, SourceFile, SourceMap, load};
use crate::certify::equivalence::EquivalenceError;
use crate::certify::file::{self, Asked, Draft, Header, Shows};
use crate::certify::proof::ProofError;
use crate::present::report::{self, ClaimNames, Names, json, too_large, write_comparison};
use crate::process::{Bounds, Claim, System};
use crate::term::TermStore;

/// Arguments of `spi verify`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The model; two of them if systems of two files were compared
    #[arg(required = true, num_args = 1..=2, value_name = "FILE")]
    models: Vec<PathBuf>,

    /// The certificate, such as `--certificate` writes
    #[arg(value_name = "CERTIFICATE")]
    certificate: PathBuf,

    /// How results are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// Give up after this time: `10s`, `500ms`, `2m`
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
}

/// The certificate of a claim as a file; `None` if something in it has no spelling.
pub(super) fn certificate(
    opened: &Opened,
    number: usize,
    settings: &Settings,
    shown: &Shown,
) -> Option<String> {
    let header = header(opened, number, settings, shown.sessions, shown.wider)?;
    let store = &opened.model.store;
    file::written_proof(store, &shown.system, &header, &shown.certificate)
}

/// The certificate of a comparison as a file, if it has one.
pub(super) fn of_comparison(
    opened: &Opened,
    number: usize,
    settings: &Settings,
    comparison: &Comparison,
) -> Option<String> {
    let header = header(opened, number, settings, settings.sessions, false)?;
    compared(&opened.model.store, &header, comparison)
}

/// The same for `spi equiv`, where the systems were named so.
pub(super) fn of_systems(
    store: &TermStore,
    [left, right]: [&str; 2],
    settings: &Settings,
    comparison: &Comparison,
) -> Option<String> {
    let names = [left, right].map(equiv::split);
    let prints = names.map(|(path, _)| print_of(Path::new(path)));
    let header = Header {
        models: prints.into_iter().collect::<Option<_>>()?,
        asked: Asked::Systems {
            left: names[0].1.map(str::to_owned),
            right: names[1].1.map(str::to_owned),
            preorder: comparison.preorder,
        },
        typed: settings.typed,
        unfold: settings.bounds.recursion,
        copies: settings.bounds.copies,
        sessions: settings.sessions,
        wider: false,
        semantics: settings.semantics,
    };
    compared(store, &header, comparison)
}

fn compared(store: &TermStore, header: &Header, comparison: &Comparison) -> Option<String> {
    let shown = comparison.certificate.as_ref()?;
    let systems = [&*comparison.left, &*comparison.right];
    let apart = shown.apart.as_deref();
    file::written_equivalence(store, systems, apart, header, &shown.certificate)
}

fn header(
    opened: &Opened,
    number: usize,
    settings: &Settings,
    sessions: Option<u32>,
    wider: bool,
) -> Option<Header> {
    let claim = &opened.model.claims()[number];
    let asked = if claim.span.file == opened.file.id {
        Asked::Claim(number)
    } else {
        let (target, system) = claim.text.strip_prefix("secrecy ")?.rsplit_once(" in ")?;
        Asked::Secrecy(target.to_owned(), system.to_owned())
    };
    Some(Header {
        models: vec![opened.print],
        asked,
        typed: settings.typed,
        unfold: settings.bounds.recursion,
        copies: settings.bounds.copies,
        sessions,
        wider,
        semantics: settings.semantics,
    })
}

/// Checks a certificate again.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let mut map = SourceMap::new();
    let file = match load::load(&mut map, &args.certificate) {
        Ok(file) => file,
        Err(diagnostic) => return failed(&map, diagnostic, console),
    };
    let draft = match file::read(&file) {
        Ok(draft) => draft,
        Err(diagnostic) => return failed(&map, diagnostic, console),
    };
    if let Asked::Systems { .. } = draft.header.asked {
        return systems(args, map, &file, draft, console);
    }
    let [model] = &args.models[..] else {
        let told = other(&file, "the certificate is about one file".to_owned());
        return failed(&map, told.help("name one model"), console);
    };
    let mut opened = match Opened::load(model) {
        Ok(opened) => opened,
        Err(unsound) => {
            console.diagnostics(&unsound.map, &unsound.diagnostics)?;
            return Ok(Status::Error);
        }
    };
    // In the map of the model the certificate has another number.
    let file = opened.map.add(&file.name, &file.text);
    match verified(args, &mut opened, &file, console)? {
        Ok(status) => Ok(status),
        Err((diagnostic, status)) => {
            failed(&opened.map, diagnostic, console)?;
            Ok(status)
        }
    }
}

/// Checks a certificate of two systems.
fn systems(
    args: &Args,
    mut map: SourceMap,
    file: &SourceFile,
    draft: Draft<'_>,
    console: &mut Console,
) -> io::Result<Status> {
    let header = draft.header.clone();
    let Asked::Systems {
        left,
        right,
        preorder,
    } = &header.asked
    else {
        return Ok(Status::Error);
    };
    let (first, last) = (
        &args.models[0],
        args.models.last().unwrap_or(&args.models[0]),
    );
    let prints = [first, last].map(|path| print_of(path));
    if prints.map(Option::unwrap_or_default)[..] != header.models[..] {
        let shown: Vec<String> = args
            .models
            .iter()
            .map(|m| m.display().to_string())
            .collect();
        let message = format!(
            "the certificate is for other models than `{}`",
            shown.join("`, `")
        );
        let told = other(file, message).help("write it again with `spi equiv .. --certificate`");
        return failed(&map, told, console);
    }
    let store = TermStore::new();
    let mut loaded = Vec::new();
    let name = |path: &Path, system: &Option<String>| match system {
        Some(system) => format!("{}:{system}", path.display()),
        None => path.display().to_string(),
    };
    let names = [name(first, left), name(last, right)];
    for name in &names {
        match equiv::operand(name, &mut map, &store) {
            Ok(found) => loaded.push(found),
            Err(diagnostics) => {
                console.diagnostics(&map, &diagnostics)?;
                return Ok(Status::Error);
            }
        }
    }
    let [l, r] = &loaded[..] else {
        return Ok(Status::Error);
    };
    let settings = settings(&header, args);
    let watch = Watch::new(console.quiet());
    let [one, two] = [l, r].map(|loaded| Operand {
        program: &loaded.program,
        closed: &loaded.closed,
    });
    let read = |store: &TermStore, systems: [&System; 2]| draft.equivalence(store, systems);
    let result = verify_systems(&store, one, two, *preorder, &settings, read, &watch);
    watch.clear();
    let comparison = match result {
        Ok(comparison) => comparison,
        Err(Unverified::Unfold(error)) => {
            let span = l.program.systems[l.closed.system.index()].span;
            return failed(&map, too_large(span, &error), console);
        }
        Err(why) => {
            let (diagnostic, status) = told(&why, file);
            failed(&map, diagnostic, console)?;
            return Ok(status);
        }
    };
    let (left, right) = if l.name == r.name {
        (&names[0], &names[1])
    } else {
        (&l.name, &r.name)
    };
    let (left, right) = (&*visible(left), &*visible(right));
    let sign = if *preorder { "<=" } else { "~" };
    let title = format!("{left} {sign} {right}");
    let names = Names {
        store: &store,
        map: &map,
        title: &title,
        left,
        right,
        note: None,
        programs: [&l.program, &r.program],
        expected: None,
    };
    show(args, names, None, &comparison, console)
}

/// Tells what a certificate of an equivalence shows.
fn show(
    args: &Args,
    names: Names<'_>,
    claim: Option<&Claim>,
    comparison: &Comparison,
    console: &mut Console,
) -> io::Result<Status> {
    if args.format == Format::Json {
        let mut entry = json::comparison(names, claim, comparison);
        entry.certificate = Some(args.certificate.display().to_string());
        document(&args.models[0].display().to_string(), entry, console)?;
    } else {
        let style = console.style();
        write_comparison(console.out(), names, comparison, style)?;
        console.note(CHECKED)?;
    }
    Ok(comparison.outcome().into())
}

fn document(file: &str, entry: json::ClaimEntry, console: &mut Console) -> io::Result<()> {
    let document = json::Document {
        schema: json::SCHEMA,
        files: vec![json::File {
            file: file.to_owned(),
            claims: vec![entry],
            problems: Vec::new(),
        }],
    };
    json::write(console.out(), &document)
}

/// What is not said by a verdict that was verified.
const CHECKED: &str = "the certificate was checked; who gets to an end in honest runs is not in it";

fn other(file: &SourceFile, message: String) -> Diagnostic {
    Diagnostic::new(Code::OtherModel, message).at(load::start_of(file.id), "this certificate")
}

/// How the question was asked.
fn settings(header: &Header, args: &Args) -> Settings {
    Settings {
        typed: header.typed,
        bounds: Bounds {
            recursion: header.unfold,
            copies: header.copies,
            ..Bounds::default()
        },
        sessions: header.sessions,
        semantics: header.semantics,
        limits: LimitSpec {
            timeout: args.timeout,
            ..LimitSpec::default()
        },
        ..Settings::default()
    }
}

fn failed(map: &SourceMap, diagnostic: Diagnostic, console: &mut Console) -> io::Result<Status> {
    console.diagnostics(map, &[diagnostic])?;
    Ok(Status::Error)
}

/// What is wrong, and how the run ends then.
type Failed = (Diagnostic, Status);

fn verified(
    args: &Args,
    opened: &mut Opened,
    file: &SourceFile,
    console: &mut Console,
) -> io::Result<Result<Status, Failed>> {
    let error = |d: Diagnostic| Ok(Err((d, Status::Error)));
    let draft = match file::read(file) {
        Ok(draft) => draft,
        Err(diagnostic) => return error(diagnostic),
    };
    let number = match asked(opened, &draft, file) {
        Ok(number) => number,
        Err(diagnostics) => {
            console.diagnostics(&opened.map, &diagnostics)?;
            return Ok(Ok(Status::Error));
        }
    };
    let header = draft.header.clone();
    let settings = settings(&header, args);
    if draft.shows == Shows::Equivalence {
        return compared_claim(args, opened, number, draft, file, console);
    }
    let watch = Watch::new(console.quiet());
    let claims = [false, true].map(|typed| &opened.model.program(typed).claims[number]);
    let result = verify_claim(
        &opened.model.subject(),
        claims,
        &settings,
        header.wider,
        |store, system| draft.proof(store, system),
        &watch,
    );
    watch.clear();
    let result = match result {
        Ok(result) => result,
        Err(why) => {
            let (diagnostic, status) = told(&why, file);
            if let Unverified::Unfold(e) = &why {
                return error(too_large(claims[0].span, e));
            }
            return Ok(Err((diagnostic, status)));
        }
    };
    let ctx = opened.context(settings.typed);
    if args.format == Format::Json {
        let mut entry = json::claim(ctx, &result);
        entry.certificate = Some(args.certificate.display().to_string());
        document(&opened.name, entry, console)?;
    } else {
        let style = console.style();
        report::write(console.out(), ctx, &result, style)?;
        console.note(CHECKED)?;
    }
    Ok(Ok(result.outcome().into()))
}

/// Checks a certificate of a claim that compares systems.
fn compared_claim(
    args: &Args,
    opened: &Opened,
    number: usize,
    draft: Draft<'_>,
    file: &SourceFile,
    console: &mut Console,
) -> io::Result<Result<Status, Failed>> {
    let settings = settings(&draft.header, args);
    let watch = Watch::new(console.quiet());
    let program = &opened.model.nested.program;
    let claim = &program.claims[number];
    let read = |store: &TermStore, systems: [&System; 2]| draft.equivalence(store, systems);
    let store = &opened.model.store;
    let result = verify_compared(store, program, &claim.kind, &settings, read, &watch);
    watch.clear();
    match result {
        Ok(comparison) => {
            let ctx = opened.context(false);
            let names = ClaimNames::new(ctx, claim);
            show(args, names.of(ctx), Some(claim), &comparison, console).map(Ok)
        }
        Err(Unverified::Unfold(error)) => Ok(Err((too_large(claim.span, &error), Status::Error))),
        Err(why) => Ok(Err(told(&why, file))),
    }
}

/// The number of the claim that a certificate is about.
fn asked(
    opened: &mut Opened,
    draft: &Draft<'_>,
    file: &SourceFile,
) -> Result<usize, Vec<Diagnostic>> {
    let other = |message: String| other(file, message);
    if draft.header.models != [opened.print] {
        let message = format!(
            "the certificate is for another model than `{}`",
            opened.name
        );
        let told = other(message).help("write it again with `spi check .. --certificate`");
        return Err(vec![told]);
    }
    match &draft.header.asked {
        Asked::Claim(number) if *number < opened.model.claims().len() => Ok(*number),
        Asked::Claim(number) => {
            let all = opened.model.claims().len();
            let message = format!(
                "the certificate is for claim {number}, counted from 0, and there are {all}"
            );
            Err(vec![other(message)])
        }
        Asked::Secrecy(target, system) => {
            let targets = [target.clone()];
            opened.claim_secrecy(&targets, Some(system))?;
            let found = opened.chosen.first().copied();
            found.ok_or_else(|| vec![other("the certificate is for no claim".to_owned())])
        }
        Asked::Systems { .. } => Err(vec![other(
            "the certificate is for two systems, not for a claim".to_owned(),
        )]),
    }
}

/// Why a certificate shows nothing, and how the run ends.
fn told(why: &Unverified, file: &SourceFile) -> Failed {
    let place = load::start_of(file.id);
    let refused = |message: String| {
        let told = Diagnostic::new(Code::Refused, message).at(place, "this certificate");
        (told, Status::Error)
    };
    match why {
        Unverified::Refused(ProofError::GaveUp | ProofError::Stopped)
        | Unverified::Unequal(EquivalenceError::GaveUp | EquivalenceError::Stopped) => {
            let (told, _) = refused(format!(
                "the certificate was not checked to its end: {}",
                reason(why)
            ));
            (told, Status::Inconclusive)
        }
        Unverified::Unread(diagnostic) => ((**diagnostic).clone(), Status::Error),
        Unverified::Unfold(_)
        | Unverified::Unprovable
        | Unverified::Less
        | Unverified::Unequal(_)
        | Unverified::Refused(_) => refused(format!("the certificate is refused: {}", reason(why))),
    }
}

fn reason(why: &Unverified) -> String {
    match why {
        Unverified::Refused(error) => error.to_string(),
        Unverified::Unequal(error) => error.to_string(),
        Unverified::Less => "it is about fewer runs or agents than it says".to_owned(),
        _ => "the claim is none that is proved".to_owned(),
    }
}

/// The fingerprint of the model in a file; `None` if it can't be read.
fn print_of(path: &Path) -> Option<u64> {
    let mut map = SourceMap::new();
    let file = load::load_file(&mut map, path).ok()?;
    Model::from_file(&mut map, &file).ok()?;
    Some(print(&map))
}

/// The fingerprint of a model: the words of its files.
pub(super) fn print(map: &SourceMap) -> u64 {
    let words = map
        .files()
        .iter()
        .flat_map(crate::lang::syntax::lexer::words);
    file::fingerprint(words)
}

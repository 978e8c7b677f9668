//! `spi equiv`: testing equivalence of two systems.

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::artifacts::{Artifacts, Charts, chart_path, refused, shell_word};
use super::cluster::{HostArgs, Question};
use super::format::Format;
use super::output::OutputArgs;
use super::progress::Watch;
use super::search::SearchArgs;
use super::watch::repeat;
use super::{Console, Status, verify};
use crate::analysis::{
    Comparison, ComparisonVerdict, Operand, Semantics, Settings, Vacuity, compare_systems,
    look_for_ends,
};
use crate::base::source::visible::visible;
use crate::base::source::{Code, Diagnostic, SourceFile, SourceMap, load};
use crate::lang::sema::{check_file, not_compared};
use crate::present::draw;
use crate::present::report::{Names, json, test_file, too_large, write_comparison};
use crate::process::{Closed, Program, TupleMode};
use crate::term::{FamilyKind, TermId, TermStore};

/// Arguments of `spi equiv`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The left system: `FILE:SYSTEM`, `FILE:SYSTEM(ARGUMENTS)`, or a file with one system
    #[arg(value_name = "FILE[:SYSTEM]")]
    left: String,

    /// The right system
    #[arg(value_name = "FILE[:SYSTEM]")]
    right: String,

    /// Only ask whether the right system can show whatever the left one can
    #[arg(long)]
    preorder: bool,

    /// Which internal communication counts: all of it (testing equivalence), or only on private channels
    #[arg(long, value_name = "WHICH", default_value = "classic")]
    semantics: SemanticsArg,

    /// How results are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// Write the test that tells the systems apart, for `spi replay`
    #[arg(long, value_name = "FILE.spi")]
    emit_attack: Option<PathBuf>,

    /// Draw what was found: a chart as `.svg` or, for papers, `.tex` (`TikZ`), or a page to step through as `.html`
    #[arg(long, value_name = "FILE", value_parser = chart_path)]
    chart: Option<PathBuf>,

    /// Write what shows that the systems are equivalent, for `spi verify`
    #[arg(long, value_name = "FILE.cert")]
    certificate: Option<PathBuf>,

    /// Do it again whenever a file is saved, until Ctrl-C
    #[arg(long, conflicts_with = "hosts")]
    watch: bool,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    others: HostArgs,
}

/// The semantics on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum SemanticsArg {
    /// Internal communication on any channel
    Classic,
    /// Internal communication only on channels that the environment lacks
    Private,
}

/// Compares two systems.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    if args.watch {
        let human = args.format == Format::Human;
        let paths = [&args.left, &args.right].map(|text| PathBuf::from(split(text).0));
        return repeat(&paths, human, console, |console| once(args, console));
    }
    once(args, console)
}

fn once(args: &Args, console: &mut Console) -> io::Result<Status> {
    let settings = Settings {
        semantics: match args.semantics {
            SemanticsArg::Classic => Semantics::Classic,
            SemanticsArg::Private => Semantics::Private,
        },
        ..args.search.settings(false)
    };
    let inputs = [&args.left, &args.right].map(|text| Path::new(split(text).0));
    let outputs = Rc::new(args.output.outputs(inputs));
    let wanted = args.emit_attack.iter().chain(&args.chart);
    let wanted = wanted.chain(&args.certificate);
    if args.others.reports() && refused(&outputs, wanted, console)? {
        return Ok(Status::Error);
    }
    if let Some(note) = args.search.unused_by_comparisons() {
        console.note(&note)?;
    }
    let store = TermStore::new();
    let mut map = SourceMap::new();
    let mut loaded = Vec::new();
    for text in [&args.left, &args.right] {
        match operand(text, &mut map, &store) {
            Ok(found) => {
                console.diagnostics(&map, &found.warnings)?;
                loaded.push(found);
            }
            Err(diagnostics) => {
                console.diagnostics(&map, &diagnostics)?;
                return Ok(Status::Error);
            }
        }
    }
    outputs.add_inputs(&map);
    let [left, right] = loaded.as_slice() else {
        return Ok(Status::Error);
    };
    if let Some(message) = different_worlds(&store, &left.program, &right.program) {
        let diagnostic = Diagnostic::new(Code::DifferentWorlds, message)
            .help("declare shared names alike in both files, or put both systems into one file");
        console.diagnostics(&map, &[diagnostic])?;
        return Ok(Status::Error);
    }
    let mut rules = loaded.iter().map(|l| &l.program.signature.not_compared);
    if let Some(rule) = rules.find_map(Option::as_ref) {
        console.diagnostics(&map, &[not_compared(rule, None)])?;
        return Ok(Status::Error);
    }
    let question = Question {
        options: format!(
            "equiv {} {:?} {}",
            args.preorder,
            [split(&args.left).1, split(&args.right).1],
            SearchArgs::question(&settings)
        ),
        files: [&args.left, &args.right]
            .map(|text| Path::new(split(text).0))
            .into(),
        timeout: args.search.timeout(),
    };
    let Ok(company) = args.others.join(&question, console)? else {
        return Ok(Status::Error);
    };
    let watch = Watch::with(console.quiet(), company);
    let settings = Settings {
        limits: settings.limits.pinned(),
        ..settings
    };
    let [l, r] = [left, right].map(|loaded| Operand {
        program: &loaded.program,
        closed: &loaded.closed,
    });
    let compared = compare_systems(&store, l, r, args.preorder, &settings, &watch);
    let compared = compared.and_then(|mut comparison| {
        comparison.vacuous = itself(&args.left, &args.right, &comparison, [l, r]);
        look_for_ends(&store, l, r, &mut comparison, &settings, &watch)?;
        Ok(comparison)
    });
    watch.clear();
    watch.company().leave(console)?;
    let reports = watch.company().reports();
    let comparison = match compared {
        Ok(comparison) => comparison,
        Err(error) => {
            let span = left.program.systems[left.closed.system.index()].span;
            console.diagnostics(&map, &[too_large(span, &error)])?;
            return Ok(Status::Error);
        }
    };
    // Two systems of one name are told apart by their files.
    let (l, r) = if left.name == right.name {
        (&args.left, &args.right)
    } else {
        (&left.name, &right.name)
    };
    let (l, r) = (&*visible(l), &*visible(r));
    let sign = if args.preorder { "<=" } else { "~" };
    let title = format!("{l} {sign} {r}");
    let names = Names {
        store: &store,
        map: &map,
        title: &title,
        left: l,
        right: r,
        note: None,
        programs: [&left.program, &right.program],
        expected: None,
    };
    let mut tests = Artifacts::new(
        args.emit_attack.as_ref().filter(|_| reports),
        "tests",
        &outputs,
    );
    let mut status: Status = comparison.outcome().into();
    if let (Some(refutation), Some(path)) = (comparison.refutation(), tests.next()) {
        let command = format!(
            "Replay it: spi replay{} {} {} {}",
            args.search.scope(),
            shell_word(&args.left),
            shell_word(&args.right),
            shell_word(&path.display().to_string())
        );
        let programs = [&left.program, &right.program];
        let text = test_file(&store, &programs, &title, &comparison, refutation, &command);
        status = status.worst(tests.write(text, console)?);
    }
    tests.finish(console)?;
    let mut charts = Charts::new(args.chart.as_ref().filter(|_| reports), &outputs);
    if let Some(refutation) = comparison.refutation() {
        let written = charts.write(
            || draw::comparison_chart(names, &comparison, refutation),
            || draw::comparison_page(names, &args.left, &comparison, refutation),
            console,
        )?;
        status = status.worst(written);
    }
    status = status.worst(charts.finish(console)?);
    let mut certificates = Artifacts::new(
        args.certificate.as_ref().filter(|_| reports),
        "certificates",
        &outputs,
    );
    let path = certificates.next().filter(|_| comparison.outcome().holds());
    let texts = [&*args.left, &*args.right];
    let text = path
        .as_ref()
        .and_then(|_| verify::of_systems(&store, texts, &settings, &comparison));
    let mut written = None;
    if let (Some(path), Some(text)) = (path, text) {
        let end = certificates.write(text, console)?;
        status = status.worst(end);
        written = (end == Status::Holds).then(|| path.display().to_string());
    }
    certificates.finish(console)?;
    if args.format == Format::Json {
        let mut entry = json::comparison(names, None, &comparison);
        entry.certificate = written;
        let file = json::File {
            file: args.left.clone(),
            claims: vec![entry],
            problems: Vec::new(),
        };
        let document = json::Document {
            schema: json::SCHEMA,
            files: vec![file],
        };
        json::write(console.out(), &document)?;
        return Ok(status);
    }
    let style = console.style();
    write_comparison(console.out(), names, &comparison, style)?;
    Ok(status)
}

/// A system that is compared with itself, and so is equivalent whatever it does.
fn itself(
    left: &str,
    right: &str,
    comparison: &Comparison,
    [l, r]: [Operand<'_>; 2],
) -> Option<Vacuity> {
    let same = split(left).0 == split(right).0 && l.closed == r.closed;
    let holds = matches!(comparison.verdict, ComparisonVerdict::Equivalent);
    (same && holds).then_some(Vacuity::SameSystem)
}

/// Why two files can't be placed in one environment, if they can't: a name that they declare differently, or different
/// initial knowledge.
fn different_worlds(store: &TermStore, left: &Program, right: &Program) -> Option<String> {
    let (a, b) = (kinds(store, left), kinds(store, right));
    for (name, kind) in &a {
        if let Some((_, other)) = b.iter().find(|(n, k)| n == name && k != kind) {
            return Some(format!(
                "`{name}` is {kind} in one file and {other} in the other"
            ));
        }
    }
    for one in &left.signature.destructors {
        let mut others = right.signature.destructors.iter();
        if others.any(|d| d.label == one.label && d.rules != one.rules) {
            return Some(format!("`{}` has other rules in the other file", one.label));
        }
    }
    let groups = [&left.signature.groups, &right.signature.groups];
    for [one, other] in [[groups[0], groups[1]], [groups[1], groups[0]]] {
        if let Some(group) = one.iter().find(|g| !other.contains(g)) {
            let name = store.show(group.base);
            return Some(format!(
                "`{name}` is a group in one file only, or with another neutral element"
            ));
        }
    }
    let (k, l) = (&left.signature.knows, &right.signature.knows);
    let extra = |of: &[TermId], than: &[TermId]| of.iter().find(|t| !than.contains(t)).copied();
    let only = extra(k, l).or_else(|| extra(l, k))?;
    Some(format!(
        "the attacker knows `{}` in one file only",
        store.show(only)
    ))
}

/// What each declared name of a file is to the attacker.
fn kinds(store: &TermStore, program: &Program) -> Vec<(String, &'static str)> {
    let s = &program.signature;
    let public = s.agents.iter().chain(&s.channels).chain(&s.publics);
    let atoms = (public.map(|t| (*t, "public")))
        .chain(s.spies.iter().map(|t| (*t, "a spy")))
        .chain(s.privates.iter().map(|t| (*t, "private")));
    let families = s.families.iter().map(|f| {
        let info = store.family_info(*f);
        let kind = match info.kind {
            FamilyKind::KeyPair => "a family of key pairs",
            FamilyKind::Symmetric => "a family of keys",
        };
        (info.label.to_string(), kind)
    });
    let functions = s.functions.iter().map(|f| {
        let kind = if f.private {
            "a private function"
        } else {
            "a function"
        };
        (store.function_info(f.id).label.to_string(), kind)
    });
    let destructors = s.destructors.iter();
    let destructors = destructors.map(|d| (d.label.to_string(), "a destructor"));
    atoms
        .map(|(t, kind)| (store.show(t), kind))
        .chain(families)
        .chain(functions)
        .chain(destructors)
        .collect()
}

/// A system, read and checked.
pub(super) struct Loaded {
    /// The text.
    pub file: SourceFile,
    /// The file, checked.
    pub program: Program,
    /// The system.
    pub closed: Closed,
    /// The system's name.
    pub name: String,
    warnings: Vec<Diagnostic>,
}

/// `FILE:SYSTEM` in its parts. A path may contain a colon: what follows the last one is a system only if no such file
/// exists.
pub(super) fn split(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((path, system)) if !PathBuf::from(text).exists() => (path, Some(system)),
        _ => (text, None),
    }
}

/// Reads the system that `FILE:SYSTEM` names.
pub(super) fn operand(
    text: &str,
    map: &mut SourceMap,
    store: &TermStore,
) -> Result<Loaded, Vec<Diagnostic>> {
    let (path, system) = split(text);
    let file = load::load(map, &PathBuf::from(path)).map_err(|d| vec![d])?;
    let mut checked = check_file(map, &file, store, TupleMode::Nested);
    if !checked.is_sound() {
        return Err(checked.diagnostics);
    }
    if let Some(text) = system.filter(|s| s.contains('(')) {
        return Ok(Loaded {
            closed: checked.instance(map, store, text)?,
            file,
            name: text.to_owned(),
            warnings: checked.diagnostics,
            program: checked.program,
        });
    }
    let systems = &checked.program.systems;
    let labels = || {
        let all: Vec<&str> = systems.iter().map(|s| &*s.label).collect();
        format!("the systems of this file: `{}`", all.join("`, `"))
    };
    let id = match system {
        Some(name) => checked.program.system_named(name).ok_or_else(|| {
            let message = format!("unknown system `{name}`");
            vec![Diagnostic::new(Code::UnknownSystem, message).note(labels())]
        })?,
        None if systems.len() == 1 => crate::process::SystemId(0),
        None if systems.is_empty() => {
            let message = format!("`{path}` has no system");
            return Err(vec![
                Diagnostic::new(Code::NoSystem, message).help("declare one: `system S = ..`"),
            ]);
        }
        None => {
            let message = format!("`{path}` has several systems");
            let closed = systems.iter().find(|s| s.body.params.is_empty());
            let example = closed.unwrap_or(&systems[0]);
            return Err(vec![
                Diagnostic::new(Code::SeveralSystems, message)
                    .note(labels())
                    .help(format!("name one: `{path}:{}`", example.label)),
            ]);
        }
    };
    let decl = &checked.program.systems[id.index()];
    if !decl.body.params.is_empty() {
        let n = decl.body.params.len();
        let noun = if n == 1 { "argument" } else { "arguments" };
        let message = format!("`{}` takes {n} {noun}", decl.label);
        return Err(vec![
            Diagnostic::new(Code::WrongArity, message)
                .at(decl.span, "declared here")
                .help(format!(
                    "give them: `{path}:{}({})`",
                    decl.label,
                    vec!["a"; n].join(", ")
                )),
        ]);
    }
    let name = decl.label.to_string();
    Ok(Loaded {
        closed: Closed::new(id, Vec::new()),
        file,
        name,
        warnings: checked.diagnostics,
        program: checked.program,
    })
}

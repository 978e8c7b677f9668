//! What a file uses: its `use` declarations filled with what they bring.
//!
//! A library comes with the program; the path of a file starts at the folder of the file that names it. What is used is read with all that it
//! uses in turn, each file once. It brings its names, keys, functions, definitions and what the attacker knows; its systems and claims stay
//! where they are: they are about that file, and checked with it.
//!
//! Mistakes in the text of a used file are reported at their places there, with the place of the `use` in the file that is read. What the
//! declarations mean together is left to `sema`.

use super::ast::{Decl, DeclKind, File, Name, Source, Used, declared_names};
use super::foreign::nearest;
use super::lexer::lex;
use super::narration;
use super::token::Token;
use crate::base::source::{Code, Diagnostic, SourceFile, SourceMap, Span, load, shipped};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// The text of all files that one file uses may be this large.
const MAX_BYTES: usize = load::MAX_BYTES as usize;

/// Parses a file, and all that it uses. Files that are read join `map`.
pub fn parse(map: &mut SourceMap, file: &SourceFile) -> (File, Vec<Diagnostic>) {
    let read = &mut |path: &Path| load::load_file(map, path);
    linked(file, read)
}

/// Parses a text that stands alone: it may use libraries, but no files, for the reason that is given.
pub fn parse_alone(file: &SourceFile, why: &str) -> (File, Vec<Diagnostic>) {
    let read = &mut |path: &Path| {
        let message = format!("`{}` can't be used here", path.display());
        Err(Diagnostic::new(Code::CannotUse, message).note(why))
    };
    linked(file, read)
}

/// Why a text that is made up can't use files.
pub const NOWHERE: &str = "this text does not lie in a folder, so the path leads nowhere";

type Read<'a> = &'a mut dyn FnMut(&Path) -> Result<SourceFile, Diagnostic>;

fn linked(file: &SourceFile, read: Read<'_>) -> (File, Vec<Diagnostic>) {
    let (mut tree, mut mistakes) = super::parse(file);
    if !tree
        .decls
        .iter()
        .any(|d| matches!(d.kind, DeclKind::Use(_)))
    {
        mistakes.extend(narration::fill(file, &mut tree));
        return (tree, mistakes);
    }
    let mut linker = Linker {
        read,
        known: vec![Identity::of(file)],
        open: vec![Identity::of(file)],
        bytes: file.text.len(),
        mistakes,
        used: Vec::new(),
        broken: tree.broken,
    };
    for decl in &mut tree.decls {
        if let DeclKind::Use(items) = &mut decl.kind {
            for item in items {
                let root = item.span;
                item.decls = linker.used(item, file, root).into();
            }
        }
    }
    tree.broken = linker.broken;
    tree.used = linker.used;
    let mut mistakes = linker.mistakes;
    mistakes.extend(narration::fill(file, &mut tree));
    (tree, mistakes)
}

/// The files that a text uses, and those that these use, as far as they can be read. Nothing is said of mistakes.
pub fn files_of(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<(PathBuf, Option<PathBuf>)> = Vec::new();
    // What can be read only once is left for whoever reads it.
    if !path.is_file() {
        return Vec::new();
    }
    let mut waiting = vec![path.to_owned()];
    while let Some(path) = waiting.pop() {
        let Ok(text) = load::load_file(&mut SourceMap::new(), &path) else {
            continue;
        };
        for path in paths(&text) {
            let whole = std::fs::canonicalize(&path).ok();
            let again =
                |(p, w): &(PathBuf, Option<PathBuf>)| *p == path || whole.is_some() && *w == whole;
            if !found.iter().any(again) {
                found.push((path.clone(), whole));
                waiting.push(path);
            }
        }
    }
    found.into_iter().map(|(path, _)| path).collect()
}

/// The paths that a text names, from where the text lies.
fn paths(file: &SourceFile) -> Vec<PathBuf> {
    if !file.text.contains("use") {
        return Vec::new();
    }
    let texts = lex(file).tokens.into_iter().filter_map(|(t, _)| match t {
        Token::Text(path) => Some(file.folder.join(&*path)),
        _ => None,
    });
    texts.collect()
}

/// The library that declares a name, if one does.
pub fn library_with(name: &str) -> Option<&'static str> {
    static DECLARED: LazyLock<Vec<(String, &'static str)>> = LazyLock::new(|| {
        let libraries = shipped::all().filter_map(|(library, _)| {
            let (tree, _) = super::parse(shipped::named(library)?);
            Some((library, tree.decls))
        });
        let names = libraries.flat_map(|(library, decls)| {
            let names: Vec<String> = decls.iter().flat_map(declared_names).collect();
            names.into_iter().map(move |name| (name, library))
        });
        names.collect()
    });
    let found = DECLARED.iter().find(|(declared, _)| declared == name);
    found.map(|(_, library)| *library)
}

/// Which text this is, however it was come by.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    Library(Arc<str>),
    File(PathBuf),
}

impl Identity {
    fn of(file: &SourceFile) -> Identity {
        if shipped::with_id(file.id).is_some() {
            Identity::Library(file.name.clone())
        } else {
            let name = Path::new(&*file.name).file_name().unwrap_or_default();
            Identity::at(&file.folder.join(name))
        }
    }

    fn at(path: &Path) -> Identity {
        Identity::File(std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))
    }
}

struct Linker<'a> {
    read: Read<'a>,
    /// What was brought, the file itself included.
    known: Vec<Identity>,
    /// What is being read, from the file itself to the one at hand.
    open: Vec<Identity>,
    bytes: usize,
    mistakes: Vec<Diagnostic>,
    used: Vec<(crate::base::source::FileId, Span)>,
    broken: bool,
}

impl Linker<'_> {
    /// What one item of a `use` in `from` brings; `root` is the place that led to it in the file that everything starts from.
    fn used(&mut self, item: &Used, from: &SourceFile, root: Span) -> Vec<Decl> {
        let identity = match &item.what {
            Source::Library(name) => Identity::Library(format!("<{name}>").into()),
            Source::File(path) => Identity::at(&from.folder.join(&**path)),
        };
        if let Some(at) = self.open.iter().position(|open| *open == identity) {
            self.cycle(item, at, root);
            return Vec::new();
        }
        if self.known.contains(&identity) {
            return Vec::new();
        }
        self.known.push(identity.clone());
        let file = match &item.what {
            Source::Library(name) => shipped::named(name)
                .cloned()
                .ok_or_else(|| unknown(name, item.span)),
            Source::File(path) => (self.read)(&from.folder.join(&**path)).map_err(|mut d| {
                if d.code != Code::InvalidUtf8 && d.code != Code::FileTooLarge {
                    d.help.clear();
                }
                let d = d.at(item.span, "used here");
                match shipped::named(path.trim_end_matches(".spi")) {
                    Some(_) => d.help(format!(
                        "what comes with `spi` is named without quotation marks: `use {}`",
                        path.trim_end_matches(".spi")
                    )),
                    None => d,
                }
            }),
        };
        let file = match file {
            Ok(file) => file,
            Err(d) => return self.lost(d, root),
        };
        if matches!(identity, Identity::File(_)) {
            self.bytes += file.text.len();
        }
        if self.bytes > MAX_BYTES {
            let d = Diagnostic::new(
                Code::FileTooLarge,
                "a file and what it uses are too large together",
            )
            .at(item.span, "used here")
            .note(format!("up to {} MiB are read", MAX_BYTES >> 20));
            return self.lost(d, root);
        }
        self.open.push(identity);
        self.used.push((file.id, root));
        let (mut tree, mut mistakes) = super::parse(&file);
        mistakes.extend(narration::fill(&file, &mut tree));
        self.broken |= tree.broken;
        for d in mistakes {
            self.say(d, root);
        }
        let mut brought = Vec::with_capacity(tree.decls.len());
        for decl in tree.decls {
            match &decl.kind {
                DeclKind::Use(items) => {
                    for item in items {
                        brought.extend(self.used(item, &file, root));
                    }
                }
                DeclKind::System(_) | DeclKind::Claim(_) => {}
                DeclKind::Protocol(protocol) => {
                    let about =
                        |d: &&Decl| !matches!(d.kind, DeclKind::System(_) | DeclKind::Claim(_));
                    brought.extend(protocol.decls.iter().filter(about).cloned());
                }
                _ => brought.push(decl),
            }
        }
        self.open.pop();
        brought
    }

    /// What could not be read may have declared any name.
    fn lost(&mut self, d: Diagnostic, root: Span) -> Vec<Decl> {
        self.say(d, root);
        self.broken = true;
        vec![Decl {
            kind: DeclKind::Error,
            span: root,
        }]
    }

    fn say(&mut self, d: Diagnostic, root: Span) {
        self.mistakes.push(led_to(d, root));
    }

    fn cycle(&mut self, item: &Used, at: usize, root: Span) {
        let name = |identity: &Identity| match identity {
            Identity::Library(name) => name.to_string(),
            Identity::File(path) => {
                let name = path.file_name().unwrap_or(path.as_os_str());
                format!("`{}`", name.to_string_lossy())
            }
        };
        let (first, rest) = (&self.open[at], &self.open[at + 1..]);
        let d = Diagnostic::new(Code::CannotUse, format!("{} uses itself", name(first)));
        let d = d.at(item.span, "used again here");
        let d = if rest.is_empty() {
            d
        } else {
            let way: Vec<String> = rest.iter().map(name).collect();
            d.note(format!("by way of {}", way.join(", ")))
        };
        let d = d.help("move what both need into a file of its own");
        self.say(d, root);
    }
}

/// A mistake in a used file, with the place of the `use` that led to it.
pub fn led_to(d: Diagnostic, root: Span) -> Diagnostic {
    match d.primary() {
        Some(place) if place.file != root.file => d.and(root, "used from here"),
        _ => d,
    }
}

fn unknown(name: &Name, span: Span) -> Diagnostic {
    let names = || shipped::all().map(|(name, _)| name);
    let d = Diagnostic::new(Code::CannotUse, format!("there is no library `{name}`"))
        .at(span, "used here");
    let same = || names().find(|n| n.eq_ignore_ascii_case(name));
    match same().or_else(|| nearest(name, names())) {
        Some(near) => d.did_you_mean(near),
        None => d
            .note(format!(
                "the libraries: `{}`",
                names().collect::<Vec<_>>().join("`, `")
            ))
            .help(format!(
                "a file is named in quotation marks: `use \"{name}.spi\"`"
            )),
    }
}

//! Does the submission declare the same agents, keys, channels and systems as the exercise?
//! Declarations are compared by their trees. Layout, comments and the order of parallel parts do
//! not matter.

use crate::base::source::{SourceFile, Span};
use crate::lang::syntax::ast::{
    AgentGroup, Binder, Decl, DeclKind, Family, File, Function, Name, Process,
};
use crate::lang::syntax::dump;

use super::ParsedFile;

/// One thing that is declared.
struct Item {
    /// What is compared.
    key: String,
    /// What is said about it.
    shown: String,
    /// The submission may have further ones: they change nothing, or help nobody but the reader.
    free: bool,
}

/// The first declaration of the exercise that the submission lacks or changes, or one it should not
/// have.
pub(super) fn other_world(given: &ParsedFile, own: &ParsedFile) -> Option<String> {
    let (given, own) = (items(given), items(own));
    let has = |list: &[Item], item: &Item| list.iter().any(|i| i.key == item.key);
    if let Some(lost) = given.iter().find(|g| !has(&own, g)) {
        return Some(format!("`{}` is gone or changed", lost.shown));
    }
    let added = own.iter().find(|o| !o.free && !has(&given, o))?;
    Some(format!("`{}` is not in the exercise", added.shown))
}

/// A declaration that is no claim and that the exercise does not have; public names count as well.
pub(super) fn foreign(given: &ParsedFile, own: &ParsedFile) -> Option<String> {
    let (given, own) = (items(given), items(own));
    own.into_iter()
        .find(|o| given.iter().all(|g| g.key != o.key))
        .map(|o| o.shown)
}

fn items(paper: &ParsedFile) -> Vec<Item> {
    let mut found = Vec::new();
    for decl in &paper.tree.decls {
        let mut add = |shown: String, key: String, free: bool| {
            found.push(Item { key, shown, free });
        };
        let plain: Vec<String> = match &decl.kind {
            DeclKind::Agents(names) => sorted("agent", names),
            DeclKind::Spies(names) => sorted("spy", names),
            DeclKind::Channels(names) => each("channel", names, ToString::to_string),
            DeclKind::Public(list) => each("public", list, binder),
            DeclKind::Private(list) => each("private", list, binder),
            DeclKind::Keypairs(list) => each("keypair", list, family),
            DeclKind::Keys(list) => each("key", list, family),
            DeclKind::Groups(list) => each("group", list, dump::group),
            _ => Vec::new(),
        };
        let public = matches!(decl.kind, DeclKind::Public(_));
        for item in plain {
            add(item.clone(), item, public);
        }
        match &decl.kind {
            DeclKind::Functions(list) => {
                for f in list {
                    add(function(f), dump::function(f), false);
                }
            }
            DeclKind::Destructors(list) => {
                for r in list {
                    let shown = format!("destructor {}", r.name);
                    add(shown, dump::rule(r), false);
                }
            }
            DeclKind::Knows(terms) => {
                for t in terms {
                    let shown = format!("knows {}", text(&paper.file, t.span));
                    add(shown, format!("knows {}", dump::term(t)), false);
                }
            }
            DeclKind::System(s) => {
                let params: Vec<String> = s.params.iter().map(binder).collect();
                let mut threads: Vec<String> = s
                    .body
                    .threads
                    .iter()
                    .map(|t| {
                        dump::process(&Process {
                            threads: vec![t.clone()],
                            span: t.span,
                        })
                    })
                    .collect();
                threads.sort_unstable();
                let key = format!(
                    "system {} {} {} {}",
                    s.partial,
                    s.name,
                    params.join(","),
                    threads.join(" | ")
                );
                add(text(&paper.file, decl.span), key, true);
            }
            _ => {}
        }
    }
    found
}

/// Each of several things with the word that declares it.
fn each<T>(word: &str, list: &[T], show: impl Fn(&T) -> String) -> Vec<String> {
    list.iter().map(|t| format!("{word} {}", show(t))).collect()
}

/// Each agent with the word that declares it and its sorts, in the order of the alphabet.
fn sorted(word: &str, groups: &[AgentGroup]) -> Vec<String> {
    let group = |group: &AgentGroup| {
        let mut sorts: Vec<&str> = group.sorts.iter().map(|s| &*s.name.name).collect();
        sorts.sort_unstable();
        let sorts = match sorts.as_slice() {
            [] => String::new(),
            sorts => format!(": {}", sorts.join(" | ")),
        };
        each(word, &group.names, |name| format!("{name}{sorts}"))
    };
    groups.iter().flat_map(group).collect()
}

fn binder(b: &Binder) -> String {
    match &b.ty {
        Some(ty) => format!("{}: {}", b.name, ty.name),
        None => b.name.to_string(),
    }
}

fn family(f: &Family) -> String {
    let params: Vec<String> = f.params.iter().map(|p| p.name.to_string()).collect();
    if params.is_empty() {
        f.name.to_string()
    } else {
        format!("{}({})", f.name, params.join(", "))
    }
}

fn function(f: &Function) -> String {
    let params: Vec<String> = f.params.iter().map(|p| p.name.to_string()).collect();
    let result = f.result.as_ref().map(|ty| format!(": {}", ty.name));
    let private = if f.private { "private " } else { "" };
    let (params, result) = (params.join(", "), result.unwrap_or_default());
    format!("{private}function {}({params}){result}", f.name)
}

/// A piece of a file in one line.
pub(super) fn text(file: &SourceFile, span: Span) -> String {
    let words: Vec<&str> = file.slice(span).split_whitespace().collect();
    words.join(" ")
}

/// The declarations and claims of the exercise with the roles of the submission.
pub(super) fn combined(given: &ParsedFile, own: &ParsedFile) -> File {
    let mut tree = given.tree.clone();
    tree.decls.retain(|d| !matches!(d.kind, DeclKind::Def(_)));
    let declared = |name: &Name| {
        given.tree.decls.iter().any(|d| match &d.kind {
            DeclKind::Public(list) => list.iter().any(|b| b.name.name == *name),
            _ => false,
        })
    };
    for decl in &own.tree.decls {
        match &decl.kind {
            DeclKind::Def(_) => tree.decls.push(decl.clone()),
            DeclKind::Public(list) => {
                let new: Vec<Binder> = list
                    .iter()
                    .filter(|b| !declared(&b.name.name))
                    .cloned()
                    .collect();
                if !new.is_empty() {
                    tree.decls.push(Decl {
                        kind: DeclKind::Public(new),
                        span: decl.span,
                    });
                }
            }
            _ => {}
        }
    }
    tree
}

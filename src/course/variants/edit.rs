//! Changes of a tree, each made at one or several places at once.

use crate::base::source::Span;
use crate::lang::syntax::ast::{
    Binder, Decl, DeclKind, File, Name, Pattern, PatternKind, Prefix, PrefixKind, Tail, TailKind,
    Term, TermKind, Thread,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::walk::{Visitor, walk_file};

/// What is done.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    /// A component is left out.
    Drop(usize),
    /// Two components change places.
    Swap(usize, usize),
    /// A component becomes another name, by the place of its container.
    Name(usize, FxHashMap<Span, Name>),
    /// The brackets and the key of a ciphertext or hash are left out.
    Open,
    /// Another key, by place.
    Key(FxHashMap<Span, Term>),
    /// A comparison in a pattern takes anything.
    Loosen,
    /// A step is left out.
    Skip,
    /// A fresh name is one and the same in every session.
    Reuse,
}

/// A change: what, and where.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// What.
    pub edit: Edit,
    /// The places; for [`Edit::Reuse`] that of the name.
    pub at: FxHashSet<Span>,
}

impl Change {
    /// The tree with the change.
    pub(crate) fn apply(&self, tree: &File) -> File {
        let mut tree = tree.clone();
        let mut editor = Editor {
            change: self,
            reused: Vec::new(),
        };
        walk_file(&mut tree, &mut editor);
        for binder in editor.reused {
            // A variable of a rule is no declared name.
            for decl in &mut tree.decls {
                rename_in_rules(decl, &binder.name.name);
            }
            let span = binder.name.span;
            tree.decls.push(Decl {
                kind: DeclKind::Private(vec![binder]),
                span,
            });
        }
        tree
    }
}

/// Gives another name to the variables of rules that are called so, also in what is used.
fn rename_in_rules(decl: &mut Decl, name: &Name) {
    match &mut decl.kind {
        DeclKind::Use(items) => {
            for item in items {
                let mut decls = item.decls.to_vec();
                for decl in &mut decls {
                    rename_in_rules(decl, name);
                }
                item.decls = decls.into();
            }
        }
        DeclKind::Destructors(rules) => {
            let other: Name = format!("{name}'").into();
            for rule in rules {
                for term in rule.args.iter_mut().chain([&mut rule.result]) {
                    rename(term, name, &other);
                }
            }
        }
        _ => {}
    }
}

fn rename(term: &mut Term, from: &Name, to: &Name) {
    match &mut term.kind {
        TermKind::Name(name) if *name == *from => *name = to.clone(),
        TermKind::Apply(_, args) | TermKind::Tuple(args) | TermKind::Hash(args) => {
            for arg in args {
                rename(arg, from, to);
            }
        }
        TermKind::Encrypt(_, args, key) => {
            for arg in args.iter_mut().chain([&mut **key]) {
                rename(arg, from, to);
            }
        }
        TermKind::Suc(inner) | TermKind::Part(inner, _) => rename(inner, from, to),
        TermKind::Power(of, exponent) => {
            rename(of, from, to);
            rename(exponent, from, to);
        }
        TermKind::Name(_) | TermKind::Int(_) | TermKind::Error => {}
    }
}

struct Editor<'a> {
    change: &'a Change,
    reused: Vec<Binder>,
}

impl Editor<'_> {
    fn here(&self, span: Span) -> bool {
        self.change.at.contains(&span)
    }

    /// Changes a list of components.
    fn parts<T>(&self, span: Span, parts: &mut Vec<T>, named: impl Fn(Name, Span) -> T) {
        match &self.change.edit {
            Edit::Drop(i) if *i < parts.len() && parts.len() > 1 => {
                parts.remove(*i);
            }
            Edit::Swap(i, j) if *i < parts.len() && *j < parts.len() => parts.swap(*i, *j),
            Edit::Name(i, names) => {
                if let (Some(part), Some(name)) = (parts.get_mut(*i), names.get(&span)) {
                    *part = named(name.clone(), span);
                }
            }
            _ => {}
        }
    }
}

fn name_term(name: Name, span: Span) -> Term {
    Term {
        kind: TermKind::Name(name),
        span,
    }
}

fn name_pattern(name: Name, span: Span) -> Pattern {
    Pattern {
        kind: PatternKind::Equal(name_term(name, span)),
        span,
    }
}

impl Visitor for Editor<'_> {
    fn term(&mut self, term: &mut Term) {
        if !self.here(term.span) {
            return;
        }
        let span = term.span;
        match &mut term.kind {
            TermKind::Tuple(parts) | TermKind::Hash(parts) | TermKind::Encrypt(_, parts, _) => {
                self.parts(span, parts, name_term);
            }
            _ => {}
        }
        if let (Edit::Key(keys), TermKind::Encrypt(_, _, key)) = (&self.change.edit, &mut term.kind)
            && let Some(other) = keys.get(&span)
        {
            **key = other.clone();
        }
        let open = matches!(self.change.edit, Edit::Open);
        match &mut term.kind {
            TermKind::Tuple(parts) if parts.len() == 1 => {
                *term = parts.remove(0);
            }
            TermKind::Hash(parts) | TermKind::Encrypt(_, parts, _) if open => {
                *term = if parts.len() == 1 {
                    parts.remove(0)
                } else {
                    Term {
                        kind: TermKind::Tuple(std::mem::take(parts)),
                        span,
                    }
                };
            }
            _ => {}
        }
    }

    fn pattern(&mut self, pattern: &mut Pattern) {
        if !self.here(pattern.span) {
            return;
        }
        let span = pattern.span;
        match &mut pattern.kind {
            PatternKind::Tuple(parts) | PatternKind::Cipher(_, parts, _) => {
                self.parts(span, parts, name_pattern);
            }
            PatternKind::Equal(_) if matches!(self.change.edit, Edit::Loosen) => {
                pattern.kind = PatternKind::Wildcard(None);
            }
            _ => {}
        }
        if let (Edit::Key(keys), PatternKind::Cipher(_, _, key)) =
            (&self.change.edit, &mut pattern.kind)
            && let Some(other) = keys.get(&span)
        {
            **key = other.clone();
        }
        let open = matches!(self.change.edit, Edit::Open);
        match &mut pattern.kind {
            PatternKind::Tuple(parts) if parts.len() == 1 => {
                *pattern = parts.remove(0);
            }
            PatternKind::Cipher(_, parts, _) if open => {
                *pattern = if parts.len() == 1 {
                    parts.remove(0)
                } else {
                    Pattern {
                        kind: PatternKind::Tuple(std::mem::take(parts)),
                        span,
                    }
                };
            }
            _ => {}
        }
    }

    fn prefix(&mut self, prefix: &mut Prefix) {
        let span = prefix.span;
        if self.here(span) {
            match &mut prefix.kind {
                PrefixKind::Output(_, parts) => self.parts(span, parts, name_term),
                PrefixKind::Apply(apply) => {
                    if let Some(parts) = &mut apply.args {
                        self.parts(span, parts, name_pattern);
                    }
                }
                _ => {}
            }
        }
        // A decryption without a ciphertext is a plain match.
        if let PrefixKind::Case(term, pattern, otherwise) = &mut prefix.kind
            && !matches!(pattern.kind, PatternKind::Cipher(..))
        {
            prefix.kind = PrefixKind::Let(pattern.clone(), term.clone(), otherwise.take());
        }
        if let (Edit::Reuse, PrefixKind::New(binders)) = (&self.change.edit, &mut prefix.kind) {
            let at = &self.change.at;
            let (reused, fresh) = std::mem::take(binders)
                .into_iter()
                .partition(|b: &Binder| at.contains(&b.name.span));
            self.reused.extend::<Vec<Binder>>(reused);
            *binders = fresh;
        }
    }

    fn thread(&mut self, thread: &mut Thread) {
        let skip = matches!(self.change.edit, Edit::Skip);
        let at = &self.change.at;
        thread.prefixes.retain(|p| {
            let empty = matches!(&p.kind, PrefixKind::New(binders) if binders.is_empty());
            !(empty || skip && at.contains(&p.span))
        });
        if thread.prefixes.is_empty() && matches!(thread.tail.kind, TailKind::Omitted) {
            thread.tail = Tail {
                kind: TailKind::Nil,
                span: thread.tail.span,
            };
        }
    }
}

//! Going through a tree: what is inside comes before what holds it.

use crate::lang::syntax::ast::{
    DeclKind, File, Pattern, PatternKind, Prefix, PrefixKind, Process, TailKind, Term, TermKind,
    Thread,
};

/// What is done at each place; a place may be changed.
pub trait Visitor {
    /// A term.
    fn term(&mut self, _: &mut Term) {}
    /// A pattern.
    fn pattern(&mut self, _: &mut Pattern) {}
    /// A step.
    fn prefix(&mut self, _: &mut Prefix) {}
    /// A thread.
    fn thread(&mut self, _: &mut Thread) {}
}

/// Goes through all definitions and systems of a file. Claims are left alone, and so are the arguments of events: what is
/// claimed does not change with the model.
pub fn walk_file(file: &mut File, visitor: &mut dyn Visitor) {
    for decl in &mut file.decls {
        match &mut decl.kind {
            DeclKind::Def(def) => walk_process(&mut def.body, visitor),
            DeclKind::System(system) => walk_process(&mut system.body, visitor),
            _ => {}
        }
    }
}

/// Goes through a process.
pub fn walk_process(process: &mut Process, visitor: &mut dyn Visitor) {
    for thread in &mut process.threads {
        walk_thread(thread, visitor);
    }
}

fn walk_thread(thread: &mut Thread, visitor: &mut dyn Visitor) {
    for prefix in &mut thread.prefixes {
        walk_prefix(prefix, visitor);
    }
    match &mut thread.tail.kind {
        TailKind::Group(process) => walk_process(process, visitor),
        TailKind::IntCase(case) => {
            walk_term(&mut case.scrutinee, visitor);
            walk_thread(&mut case.zero, visitor);
            walk_pattern(&mut case.binder, visitor);
            walk_thread(&mut case.succ, visitor);
        }
        TailKind::Nil | TailKind::Omitted | TailKind::Error => {}
    }
    visitor.thread(thread);
}

fn walk_prefix(prefix: &mut Prefix, visitor: &mut dyn Visitor) {
    let mut otherwise = None;
    match &mut prefix.kind {
        PrefixKind::Output(channel, parts) => {
            walk_term(channel, visitor);
            for t in parts.iter_mut() {
                walk_term(t, visitor);
            }
        }
        PrefixKind::Apply(apply) => {
            walk_term(&mut apply.subject, visitor);
            for p in apply.args.iter_mut().flatten() {
                walk_pattern(p, visitor);
            }
        }
        PrefixKind::Match(left, right, rest) => {
            walk_term(left, visitor);
            walk_term(right, visitor);
            otherwise = rest.as_deref_mut();
        }
        PrefixKind::Let(pattern, term, rest) | PrefixKind::Case(term, pattern, rest) => {
            walk_term(term, visitor);
            walk_pattern(pattern, visitor);
            otherwise = rest.as_deref_mut();
        }
        PrefixKind::New(_)
        | PrefixKind::Event(..)
        | PrefixKind::Phase(..)
        | PrefixKind::Replicate(_)
        | PrefixKind::Error => {}
    }
    if let Some(thread) = otherwise {
        walk_thread(thread, visitor);
    }
    visitor.prefix(prefix);
}

fn walk_term(term: &mut Term, visitor: &mut dyn Visitor) {
    match &mut term.kind {
        TermKind::Apply(_, args) | TermKind::Tuple(args) | TermKind::Hash(args) => {
            for t in args.iter_mut() {
                walk_term(t, visitor);
            }
        }
        TermKind::Encrypt(_, args, key) => {
            for t in args.iter_mut() {
                walk_term(t, visitor);
            }
            walk_term(key, visitor);
        }
        TermKind::Power(base, exponent) => {
            walk_term(base, visitor);
            walk_term(exponent, visitor);
        }
        TermKind::Suc(inner) | TermKind::Part(inner, _) => walk_term(inner, visitor),
        TermKind::Name(_) | TermKind::Int(_) | TermKind::Error => {}
    }
    visitor.term(term);
}

fn walk_pattern(pattern: &mut Pattern, visitor: &mut dyn Visitor) {
    match &mut pattern.kind {
        PatternKind::Equal(term) | PatternKind::Term(term) => walk_term(term, visitor),
        PatternKind::Tuple(parts) => {
            for p in parts.iter_mut() {
                walk_pattern(p, visitor);
            }
        }
        PatternKind::Cipher(_, parts, key) => {
            for p in parts.iter_mut() {
                walk_pattern(p, visitor);
            }
            walk_term(key, visitor);
        }
        PatternKind::Bind(_) | PatternKind::Wildcard(_) | PatternKind::Error => {}
    }
    visitor.pattern(pattern);
}

//! The structure of a tree as text, without spans.
//!
//! Two trees with the same dump say the same thing: tests of the parser and of the formatter compare
//! dumps. The form is that of nested lists, one declaration per line.

use std::fmt::Write;

use super::ast::{
    AgentGroup, Binder, Cipher, Claim, ClaimKind, DeclKind, EventArg, EventPattern, Family, File,
    Function, Group, Ident, Part, Pattern, PatternKind, Prefix, PrefixKind, Process, Rule,
    SecrecyTarget, Source, SystemRef, TailKind, Term, TermKind, Thread, TypeRef, Used,
};

/// The structure of a whole file.
pub fn file(file: &File) -> String {
    let mut out = String::new();
    for decl in &file.decls {
        out.push_str(&self::decl(&decl.kind));
        out.push('\n');
    }
    out
}

fn list(head: &str, items: impl IntoIterator<Item = String>) -> String {
    let mut out = format!("({head}");
    for item in items {
        let _ = write!(out, " {item}");
    }
    out.push(')');
    out
}

fn idents(items: &[Ident]) -> impl Iterator<Item = String> + '_ {
    items.iter().map(ToString::to_string)
}

fn binder(binder: &Binder) -> String {
    typed(&binder.name.name, binder.ty.as_ref())
}

fn typed(name: &str, ty: Option<&TypeRef>) -> String {
    ty.map_or_else(|| name.to_owned(), |ty| format!("{name}:{}", ty.name))
}

fn family(family: &Family) -> String {
    list(
        &family.name.name,
        family.params.iter().map(|t| t.name.to_string()),
    )
}

fn used(used: &Used) -> String {
    match &used.what {
        Source::Library(name) => name.to_string(),
        Source::File(path) => format!("\"{path}\""),
    }
}

/// A function with the types of its arguments and of what it makes.
pub fn function(f: &Function) -> String {
    let types = f.params.iter().map(|t| t.name.to_string());
    let head = list(&f.name.name, types);
    let typed = f.result.as_ref().map(|ty| format!(":{}", ty.name));
    let private = if f.private { "private " } else { "" };
    format!("{private}{head}{}", typed.unwrap_or_default())
}

/// A rule of a destructor.
pub fn rule(rule: &Rule) -> String {
    let args = rule.args.iter().map(term);
    let head = list(&rule.name.name, args);
    list("=", [head, term(&rule.result)])
}

/// A group.
pub fn group(group: &Group) -> String {
    let neutral = group.neutral.iter().map(ToString::to_string);
    list(&group.base.name, neutral)
}

/// Each agent with its sorts.
fn agent_group(group: &AgentGroup) -> Vec<String> {
    let sorts: Vec<&str> = group.sorts.iter().map(|s| &*s.name.name).collect();
    let sorts = match sorts.as_slice() {
        [] => String::new(),
        sorts => format!(":{}", sorts.join("|")),
    };
    let names = group.names.iter();
    names.map(|name| format!("{name}{sorts}")).collect()
}

fn decl(kind: &DeclKind) -> String {
    match kind {
        DeclKind::Use(items) => list("use", items.iter().map(used)),
        DeclKind::Agents(names) => list("agent", names.iter().flat_map(agent_group)),
        DeclKind::Spies(names) => list("spy", names.iter().flat_map(agent_group)),
        DeclKind::Channels(names) => list("channel", idents(names)),
        DeclKind::Public(names) => list("public", names.iter().map(binder)),
        DeclKind::Private(names) => list("private", names.iter().map(binder)),
        DeclKind::Keypairs(families) => list("keypair", families.iter().map(family)),
        DeclKind::Keys(families) => list("key", families.iter().map(family)),
        DeclKind::Functions(functions) => list("function", functions.iter().map(function)),
        DeclKind::Groups(groups) => list("group", groups.iter().map(group)),
        DeclKind::Destructors(rules) => list("destructor", rules.iter().map(rule)),
        DeclKind::Knows(terms) => list("knows", terms.iter().map(term)),
        DeclKind::Def(def) => {
            let head = list(&def.name.name, def.params.iter().map(binder));
            list("def", [head, process(&def.body)])
        }
        DeclKind::System(system) => {
            let head = list(&system.name.name, system.params.iter().map(binder));
            let word = if system.partial { "partial" } else { "system" };
            list(word, [head, process(&system.body)])
        }
        DeclKind::Protocol(protocol) => {
            let decls = protocol.decls.iter().map(|d| decl(&d.kind));
            list("protocol", decls)
        }
        DeclKind::Claim(claim) => self::claim(claim),
        DeclKind::Error => "ERROR".to_owned(),
    }
}

/// The structure of a term.
pub fn term(term: &Term) -> String {
    match &term.kind {
        TermKind::Name(name) => name.to_string(),
        TermKind::Apply(name, args) => list(&name.name, args.iter().map(self::term)),
        TermKind::Int(n) => n.to_string(),
        TermKind::Suc(inner) => list("suc", [self::term(inner)]),
        TermKind::Tuple(parts) => list("tuple", parts.iter().map(self::term)),
        TermKind::Hash(parts) => list("hash", parts.iter().map(self::term)),
        TermKind::Encrypt(style, body, key) => {
            let key = list("key", [self::term(key)]);
            list(cipher(*style), body.iter().map(self::term).chain([key]))
        }
        TermKind::Part(inner, Part::Public) => list("pub", [self::term(inner)]),
        TermKind::Part(inner, Part::Private) => list("priv", [self::term(inner)]),
        TermKind::Power(base, exponent) => list("^", [self::term(base), self::term(exponent)]),
        TermKind::Error => "ERROR".to_owned(),
    }
}

fn cipher(style: Cipher) -> &'static str {
    match style {
        Cipher::Braces => "enc",
        Cipher::Public => "aenc",
        Cipher::Signature => "sign",
    }
}

/// The structure of a pattern.
pub fn pattern(pattern: &Pattern) -> String {
    match &pattern.kind {
        PatternKind::Bind(b) => format!("?{}", binder(b)),
        PatternKind::Wildcard(ty) => typed("_", ty.as_ref()),
        PatternKind::Equal(t) => list("=", [term(t)]),
        PatternKind::Tuple(parts) => list("tuple", parts.iter().map(self::pattern)),
        PatternKind::Cipher(style, parts, key) => {
            let key = list("key", [term(key)]);
            list(cipher(*style), parts.iter().map(self::pattern).chain([key]))
        }
        PatternKind::Term(t) => list("term", [term(t)]),
        PatternKind::Error => "ERROR".to_owned(),
    }
}

/// The structure of a process.
pub fn process(process: &Process) -> String {
    match process.threads.as_slice() {
        [one] => thread(one),
        threads => list("par", threads.iter().map(thread)),
    }
}

fn thread(thread: &Thread) -> String {
    let mut items: Vec<String> = thread.prefixes.iter().map(prefix).collect();
    match &thread.tail.kind {
        TailKind::Nil => items.push("0".to_owned()),
        TailKind::Omitted => {}
        TailKind::Group(inner) => items.push(list("group", [process(inner)])),
        TailKind::IntCase(case) => {
            let parts = [
                term(&case.scrutinee),
                self::thread(&case.zero),
                pattern(&case.binder),
                self::thread(&case.succ),
            ];
            items.push(list("intcase", parts));
        }
        TailKind::Error => items.push("ERROR".to_owned()),
    }
    format!("[{}]", items.join(" "))
}

fn prefix(prefix: &Prefix) -> String {
    let otherwise = |e: &Option<Box<Thread>>| e.as_ref().map(|t| list("else", [thread(t)]));
    match &prefix.kind {
        PrefixKind::New(binders) => list("new", binders.iter().map(binder)),
        PrefixKind::Output(channel, message) => list(
            "out",
            [term(channel)].into_iter().chain(message.iter().map(term)),
        ),
        PrefixKind::Apply(apply) => match &apply.args {
            None => list("call", [term(&apply.subject)]),
            Some(args) => list(
                "apply",
                [term(&apply.subject)]
                    .into_iter()
                    .chain(args.iter().map(pattern)),
            ),
        },
        PrefixKind::Match(left, right, e) => list(
            "is",
            [term(left), term(right)].into_iter().chain(otherwise(e)),
        ),
        PrefixKind::Let(p, t, e) => {
            list("let", [pattern(p), term(t)].into_iter().chain(otherwise(e)))
        }
        PrefixKind::Case(t, p, e) => list(
            "case",
            [term(t), pattern(p)].into_iter().chain(otherwise(e)),
        ),
        PrefixKind::Event(name, args) => list(
            "event",
            [name.to_string()].into_iter().chain(args.iter().map(term)),
        ),
        PrefixKind::Phase(n, _) => list("phase", [n.to_string()]),
        PrefixKind::Replicate(None) => "!".to_owned(),
        PrefixKind::Replicate(Some(copies)) => format!("!{}", copies.count),
        PrefixKind::Error => "ERROR".to_owned(),
    }
}

fn claim(claim: &Claim) -> String {
    let mut items = match &claim.kind {
        ClaimKind::Secrecy {
            forward,
            targets,
            after,
            system,
        } => {
            let mut items: Vec<String> = forward.iter().map(|_| "forward".to_owned()).collect();
            items.push("secrecy".to_owned());
            items.extend(targets.iter().map(target));
            items.extend(after.iter().map(|e| list("after", [event(e)])));
            items.push(self::system(system));
            items
        }
        ClaimKind::Correspondence {
            strength,
            then,
            before,
            system,
        } => {
            vec![
                format!("{strength:?}"),
                event(then),
                event(before),
                self::system(system),
            ]
        }
        ClaimKind::Reachable { event, system } => {
            vec![
                "reachable".to_owned(),
                self::event(event),
                self::system(system),
            ]
        }
        ClaimKind::Unsendable {
            channel,
            message,
            system,
        } => {
            let message = list("message", message.iter().map(term));
            vec![
                "unsendable".to_owned(),
                term(channel),
                message,
                self::system(system),
            ]
        }
        ClaimKind::StrongSecrecy { params, system } => {
            let mut items = vec!["strong".to_owned()];
            items.extend(idents(params));
            items.push(self::system(system));
            items
        }
        ClaimKind::Compare {
            relation,
            left,
            right,
        } => {
            vec![format!("{relation:?}"), system(left), system(right)]
        }
    };
    items.extend(claim.expect.map(|e| format!("expect:{e:?}")));
    list("claim", items)
}

/// The structure of the target of a secrecy claim.
pub fn target(target: &SecrecyTarget) -> String {
    match target {
        SecrecyTarget::Name(name) => name.to_string(),
        SecrecyTarget::Instance {
            role, args, name, ..
        } => list(
            "instance",
            [list(&role.name, args.iter().map(term)), name.to_string()],
        ),
        SecrecyTarget::Term(t) => list("term", [term(t)]),
    }
}

fn event(event: &EventPattern) -> String {
    let arg = |arg: &EventArg| match arg {
        EventArg::Any(_) => "_".to_owned(),
        EventArg::Term(t) => term(t),
    };
    list(&event.name.name, event.args.iter().map(arg))
}

fn system(system: &SystemRef) -> String {
    let given = (!system.given.is_empty()).then(|| list("given", system.given.iter().map(term)));
    let unless = system.unless.iter().map(event);
    let unless = (!system.unless.is_empty()).then(|| list("unless", unless));
    let args = system.args.iter().map(term);
    list(&system.name.name, args.chain(given).chain(unless))
}

//! Completion items: keywords, declared names with their signatures, skeletons of claims.

use gen_lsp_types::{CompletionItem, CompletionItemKind as Kind, InsertTextFormat};

use super::local::Local;
use crate::base::source::shipped;
use crate::front::lsp::snapshot::Snapshot;
use crate::lang::syntax::ast::{Binder, DeclKind, Family, Group, Term, TermKind, Type, agents};
use crate::lang::syntax::lexer::Spanned;
use crate::lang::syntax::token::Token;

/// A declared name: its label, its declaration in short, its parameters.
struct Declared {
    name: String,
    detail: String,
    params: Vec<String>,
    kind: Kind,
}

/// All completion items of a file.
pub struct Items<'a> {
    snapshot: &'a Snapshot,
    tokens: &'a [Spanned],
    snippets: bool,
}

impl<'a> Items<'a> {
    /// The items of a text, given with its tokens.
    pub fn new(snapshot: &'a Snapshot, tokens: &'a [Spanned], snippets: bool) -> Items<'a> {
        Items {
            snapshot,
            tokens,
            snippets,
        }
    }

    /// Declarations and claims, with their skeletons.
    pub fn declarations(&self) -> Vec<CompletionItem> {
        let system = self.systems_named().first().cloned();
        let system = system.unwrap_or_else(|| "S".to_owned());
        let secret = self.fresh().first().cloned();
        let secret = secret.unwrap_or_else(|| "n".to_owned());
        let events = self.event_uses();
        let event = |i: usize, default: &str| {
            let found = events.get(i).cloned();
            found.unwrap_or_else(|| default.to_owned())
        };
        let (then, before) = (event(1, "Done(b, a, n)"), event(0, "Running(a, b, n)"));
        let skeletons = [
            (
                "use",
                "use ${1:aead}".to_owned(),
                "definitions that come with spi, or another file",
            ),
            (
                "function",
                "function ${1:f}(${2:Msg, Sym})".to_owned(),
                "what everybody can apply",
            ),
            (
                "destructor",
                "destructor ${1:open}(${2:seal(x, k), k}) = ${3:x}".to_owned(),
                "takes apart what functions make",
            ),
            ("agent", "agent ${1:A}, ${2:B}".to_owned(), "honest agents"),
            (
                "spy",
                "spy ${1:C}".to_owned(),
                "agents that the attacker plays",
            ),
            ("channel", "channel ${1:net}".to_owned(), "public channels"),
            (
                "public",
                "public ${1:m}: ${2:Data}".to_owned(),
                "names that everybody knows",
            ),
            (
                "private",
                "private ${1:k}: ${2:Sym}".to_owned(),
                "names that the attacker is not told",
            ),
            (
                "keypair",
                "keypair ${1:K}(${2:Agent})".to_owned(),
                "a key pair for each agent",
            ),
            (
                "key",
                "key ${1:S}(${2:Agent, Agent})".to_owned(),
                "shared keys",
            ),
            (
                "group",
                "group ${1:g}".to_owned(),
                "a group for Diffie-Hellman: shares `g^x`, keys `g^x^y`",
            ),
            (
                "knows",
                "knows ${1:M}".to_owned(),
                "what the attacker knows besides",
            ),
            (
                "def",
                "def ${1:Init}(${2:a: Agent, b: Agent}) =\n  $0".to_owned(),
                "a role",
            ),
            (
                "system",
                "system ${1:S} = $0".to_owned(),
                "what runs together",
            ),
            (
                "partial",
                "partial system ${1:S} = $0".to_owned(),
                "a system that is not complete",
            ),
            (
                "secrecy",
                format!("secrecy ${{1:{secret}}} in ${{2:{system}}}"),
                "the attacker never learns it",
            ),
            (
                "agreement",
                format!("agreement ${{1:{then}}} => ${{2:{before}}} in ${{3:{system}}}"),
                "each of the first events follows one of the second",
            ),
            (
                "injective",
                format!("injective agreement ${{1:{then}}} => ${{2:{before}}} in ${{3:{system}}}"),
                "by a different one each time",
            ),
            (
                "weak",
                format!("weak agreement ${{1:{then}}} => ${{2:{before}}} in ${{3:{system}}}"),
                "the agents agree",
            ),
            (
                "aliveness",
                format!("aliveness ${{1:{then}}} => ${{2:{before}}} in ${{3:{system}}}"),
                "the partner has run",
            ),
            (
                "reachable",
                format!("reachable ${{1:{then}}} in ${{2:{system}}}"),
                "some run gets there",
            ),
            (
                "unsendable",
                format!("unsendable ${{1:c}}<${{2:M}}> in ${{3:{system}}}"),
                "the attacker can't send it",
            ),
            (
                "strong",
                format!("strong secrecy ${{1:m}} in ${{2:{system}}}"),
                "no test learns anything about it",
            ),
            (
                "forward",
                format!("forward secrecy ${{1:k}} after ${{2:{then}}} in ${{3:{system}}}"),
                "secret although long-term keys are lost later",
            ),
            (
                "equivalence",
                format!("equivalence ${{1:{system}}} ~ ${{2:T}}"),
                "no test tells them apart",
            ),
        ];
        let items = skeletons
            .into_iter()
            .map(|(word, text, about)| self.snippet(word, &text, about, Kind::Keyword));
        items.collect()
    }

    /// The functions, for rules of destructors.
    pub fn constructors(&self) -> Vec<CompletionItem> {
        self.applied(|k| matches!(k, DeclKind::Functions(_)))
    }

    /// The steps of a process.
    pub fn steps(&self) -> Vec<CompletionItem> {
        let mut items = vec![
            self.snippet(
                "new",
                "new ${1:n}: ${2:Nonce}.\n$0",
                "a fresh name",
                Kind::Keyword,
            ),
            self.snippet(
                "event",
                "event ${1:E}(${2:a, b}).\n$0",
                "marks a point for claims",
                Kind::Keyword,
            ),
            self.snippet(
                "phase",
                "phase ${1:1}.\n$0",
                "waits until the attacker lets the phase begin",
                Kind::Keyword,
            ),
            self.snippet(
                "let",
                "let ${1:(x, y)} = ${2:M} in\n$0",
                "takes a tuple apart",
                Kind::Keyword,
            ),
            self.snippet(
                "case",
                "case ${1:x} of {${2:y}}${3:k} in\n$0",
                "opens a ciphertext",
                Kind::Keyword,
            ),
        ];
        for c in self.channels() {
            let (send, receive) = (format!("{c}<>"), format!("{c}()"));
            items.push(self.snippet(
                &send,
                &format!("{c}<${{1:M}}>.\n$0"),
                "sends on the channel",
                Kind::Interface,
            ));
            items.push(self.snippet(
                &receive,
                &format!("{c}(${{1:x}}).\n$0"),
                "receives on the channel",
                Kind::Interface,
            ));
        }
        items
    }

    /// Roles, with their parameters.
    pub fn roles(&self) -> Vec<CompletionItem> {
        self.applied(|k| matches!(k, DeclKind::Def(_)))
    }

    /// Systems.
    pub fn systems(&self) -> Vec<CompletionItem> {
        self.applied(|k| matches!(k, DeclKind::System(_)))
    }

    /// Types and sorts.
    pub fn types(&self) -> Vec<CompletionItem> {
        let mut items = words(&Type::ALL.map(Type::as_str), "type");
        let mut sorts: Vec<String> = Vec::new();
        for decl in &self.snapshot.tree.expanded().decls {
            if let DeclKind::Agents(groups) | DeclKind::Spies(groups) = &decl.kind {
                let names = groups.iter().flat_map(|g| &g.sorts);
                sorts.extend(names.map(|s| s.name.name.to_string()));
            }
        }
        sorts.sort_unstable();
        sorts.dedup();
        let sorts: Vec<&str> = sorts.iter().map(String::as_str).collect();
        items.extend(words(&sorts, "sort of agents"));
        items
    }

    /// Events that the file marks, with their arguments.
    pub fn events(&self) -> Vec<CompletionItem> {
        let uses = self.event_uses();
        let items = uses.iter().map(|use_| {
            let name = use_.split('(').next().unwrap_or(use_);
            let text = numbered(use_);
            self.snippet(name, &text, use_, Kind::Event)
        });
        items.collect()
    }

    /// What a secrecy claim can be about.
    pub fn secrets(&self) -> Vec<CompletionItem> {
        let fresh = self.fresh();
        let mut items: Vec<CompletionItem> = fresh
            .iter()
            .map(|n| item(n, "fresh name", Kind::Property))
            .collect();
        for d in self.declared(|k| matches!(k, DeclKind::Private(_))) {
            items.push(item(&d.name, &d.detail, d.kind));
        }
        items
    }

    /// Names in scope: those bound here first, then those that are declared.
    pub fn names(&self, locals: &[Local]) -> Vec<CompletionItem> {
        let mut items: Vec<CompletionItem> = Vec::new();
        for (i, local) in locals.iter().rev().enumerate() {
            let ty = local.ty.as_deref().unwrap_or("Msg");
            let detail = format!("{}: {ty} ({})", local.name, local.how);
            items.push(CompletionItem {
                // The nearest first.
                sort_text: Some(format!("0{i:04}")),
                ..item(&local.name, &detail, Kind::Variable)
            });
        }
        let known = self.declared(|k| {
            !matches!(
                k,
                DeclKind::Def(_) | DeclKind::System(_) | DeclKind::Claim(_)
            )
        });
        for d in known {
            items.push(if d.params.is_empty() {
                item(&d.name, &d.detail, d.kind)
            } else {
                self.application(&d)
            });
        }
        items
    }

    /// What can be applied to messages.
    pub fn functions(&self) -> Vec<CompletionItem> {
        vec![
            self.snippet("H", "H(${1:M})", "hash", Kind::Function),
            self.snippet("suc", "suc(${1:n})", "successor", Kind::Function),
        ]
    }

    fn snippet(&self, label: &str, text: &str, about: &str, kind: Kind) -> CompletionItem {
        let item = item(label, about, kind);
        if !self.snippets {
            return item;
        }
        CompletionItem {
            insert_text: Some(text.to_owned()),
            insert_text_format: Some(InsertTextFormat::Snippet),
            ..item
        }
    }

    fn applied(&self, wanted: impl Fn(&DeclKind) -> bool) -> Vec<CompletionItem> {
        let declared = self.declared(wanted);
        declared.iter().map(|d| self.application(d)).collect()
    }

    /// A name with its arguments to fill in.
    fn application(&self, d: &Declared) -> CompletionItem {
        let text = if d.params.is_empty() {
            d.name.clone()
        } else {
            numbered(&format!("{}({})", d.name, d.params.join(", ")))
        };
        self.snippet(&d.name, &text, &d.detail, d.kind)
    }

    fn channels(&self) -> Vec<String> {
        let channels = self.declared(|k| matches!(k, DeclKind::Channels(_)));
        channels.into_iter().map(|d| d.name).collect()
    }

    fn systems_named(&self) -> Vec<String> {
        let systems = self.declared(|k| matches!(k, DeclKind::System(_)));
        systems.into_iter().map(|d| d.name).collect()
    }

    /// The fresh names of the file, in its order.
    fn fresh(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut making = false;
        for (i, (token, _)) in self.tokens.iter().enumerate() {
            match token {
                Token::New => making = true,
                Token::Dot | Token::CloseParen => making = false,
                Token::Ident(name) if making => {
                    let typed = i > 0 && matches!(self.tokens[i - 1].0, Token::Colon);
                    if !typed && !found.iter().any(|f| **f == **name) {
                        found.push(name.to_string());
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The events as the roles mark them: `Running(a, b, Na)`.
    fn event_uses(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for i in 0..self.tokens.len() {
            let (Token::Event, Some((Token::Ident(name), at))) =
                (&self.tokens[i].0, self.tokens.get(i + 1))
            else {
                continue;
            };
            if names.contains(&&**name) {
                continue;
            }
            names.push(name);
            let text = &self.snapshot.file.text[at.start as usize..];
            let whole = match text[name.len()..].find(')') {
                Some(end) if text[name.len()..].starts_with('(') => &text[..=name.len() + end],
                _ => &text[..name.len()],
            };
            found.push(whole.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        found
    }

    fn declared(&self, wanted: impl Fn(&DeclKind) -> bool) -> Vec<Declared> {
        let mut found = Vec::new();
        let mut add = |name: &str, params: Vec<String>, word: &str, kind: Kind| {
            let args = if params.is_empty() {
                String::new()
            } else {
                format!("({})", params.join(", "))
            };
            found.push(Declared {
                name: name.to_owned(),
                detail: format!("{word} {name}{args}"),
                params: params
                    .iter()
                    .map(|p| p.split(':').next().unwrap_or(p).to_owned())
                    .collect(),
                kind,
            });
        };
        let tree = self.snapshot.tree.expanded();
        for decl in tree.decls.iter().filter(|d| wanted(&d.kind)) {
            match &decl.kind {
                DeclKind::Agents(groups) => {
                    for a in agents(groups) {
                        add(&a.name, Vec::new(), "agent", Kind::Constant);
                    }
                }
                DeclKind::Spies(groups) => {
                    for a in agents(groups) {
                        add(&a.name, Vec::new(), "spy", Kind::Constant);
                    }
                }
                DeclKind::Channels(names) => {
                    for c in names {
                        add(&c.name, Vec::new(), "channel", Kind::Interface);
                    }
                }
                DeclKind::Public(binders) => {
                    for b in binders {
                        add(&b.name.name, Vec::new(), "public", Kind::Constant);
                    }
                }
                DeclKind::Private(binders) => {
                    for b in binders {
                        add(&b.name.name, Vec::new(), "private", Kind::Constant);
                    }
                }
                DeclKind::Keypairs(families) => {
                    for f in families {
                        add(&f.name.name, types(f), "keypair", Kind::Class);
                    }
                }
                DeclKind::Keys(families) => {
                    for f in families {
                        add(&f.name.name, types(f), "key", Kind::Class);
                    }
                }
                DeclKind::Functions(functions) => {
                    for f in functions {
                        let types = f.params.iter().map(|t| t.name.to_string()).collect();
                        let word = if f.private {
                            "private function"
                        } else {
                            "function"
                        };
                        add(&f.name.name, types, word, Kind::Function);
                    }
                }
                // One entry for a destructor, however many rules it has.
                DeclKind::Destructors(rules) => {
                    for (i, r) in rules.iter().enumerate() {
                        let before = rules[..i].iter();
                        if before.clone().all(|b| b.name.name != r.name.name) {
                            let args = r.args.iter().map(argument).collect();
                            add(&r.name.name, args, "destructor", Kind::Function);
                        }
                    }
                }
                DeclKind::Groups(groups) => {
                    for name in groups.iter().flat_map(Group::names) {
                        add(&name.name, Vec::new(), "group", Kind::Constant);
                    }
                }
                DeclKind::Def(def) => {
                    add(&def.name.name, params(&def.params), "def", Kind::Function);
                }
                DeclKind::System(s) => {
                    add(&s.name.name, params(&s.params), "system", Kind::Module);
                }
                _ => {}
            }
        }
        // Rules of one destructor may stand in several declarations.
        let mut names: Vec<String> = Vec::new();
        found.retain(|d: &Declared| {
            let rule = d.detail.starts_with("destructor");
            let new = !rule || !names.contains(&d.name);
            names.push(d.name.clone());
            new
        });
        found
    }
}

/// A name for an argument of a destructor: the variable itself, or what is taken apart.
fn argument(term: &Term) -> String {
    match &term.kind {
        TermKind::Name(name) => name.to_string(),
        TermKind::Apply(head, _) => head.to_string(),
        _ => "M".to_owned(),
    }
}

/// What can be used: the libraries.
pub fn libraries() -> Vec<CompletionItem> {
    let libraries = shipped::all();
    libraries
        .map(|(name, about)| item(name, about, Kind::Module))
        .collect()
}

/// Words that stand for themselves.
pub fn words(words: &[&str], about: &str) -> Vec<CompletionItem> {
    let plain = |w: &&str| item(w, about, Kind::Keyword);
    words.iter().map(plain).collect()
}

fn types(family: &Family) -> Vec<String> {
    family.params.iter().map(|t| t.name.to_string()).collect()
}

fn params(binders: &[Binder]) -> Vec<String> {
    let shown = |b: &Binder| match &b.ty {
        Some(ty) => format!("{}: {}", b.name, ty.name),
        None => b.name.to_string(),
    };
    binders.iter().map(shown).collect()
}

/// `K(a, b)` with its arguments to fill in: `K(${1:a}, ${2:b})`.
fn numbered(text: &str) -> String {
    let Some((name, args)) = text.split_once('(') else {
        return text.to_owned();
    };
    let args = args.trim_end_matches(')').split(',').enumerate();
    let args: Vec<String> = args
        .map(|(i, a)| format!("${{{}:{}}}", i + 1, a.trim().replace(['$', '}', '\\'], "")))
        .collect();
    format!("{name}({})", args.join(", "))
}

fn item(label: &str, detail: &str, kind: Kind) -> CompletionItem {
    CompletionItem {
        label: label.to_owned(),
        detail: Some(detail.to_owned()),
        kind: Some(kind),
        ..CompletionItem::default()
    }
}

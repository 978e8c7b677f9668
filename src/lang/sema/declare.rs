//! The declarations of a file: first all names, then the bodies, because order does not matter.

use super::call::scope_of;
use super::globals::{NameKind, Symbol};
use super::scope::{Origin, Scope};
use super::{Checker, Facts, Referent};
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{
    self, AgentGroup, Binder, Decl, DeclKind, Family, File, Function, Ident, TypeRef,
};
use crate::process::{
    Body, DefId, Definition, FunctionDecl, ProcId, Speaker, SystemDecl, SystemId, Type,
};
use crate::term::{FamilyKind, NameClass, TermId};

impl Checker<'_> {
    /// Everything in the file, then the warnings that need all of it. `mistakes` are the places of
    /// syntax errors: the declarations around them are read for the names they declare, and no more
    /// is said about them.
    pub(super) fn file(&mut self, file: &File, mistakes: &[Span]) {
        self.broken = file.broken;
        self.file = file.span.file;
        let (sick, outside) = sick_declarations(file, mistakes);
        self.tables.globals.hole |= outside;
        self.tables.sort_hole |= outside;
        self.declare_sorts(file, &sick);
        for (decl, sick) in file.decls.iter().zip(&sick) {
            let (first, reports) = (self.tables.globals.len(), self.sink.len());
            self.declare(decl);
            if *sick {
                self.tables.globals.doubt_from(first);
                self.sink.truncate(reports);
                // A list of names may have lost some.
                let one = matches!(
                    decl.kind,
                    DeclKind::Def(_)
                        | DeclKind::System(_)
                        | DeclKind::Claim(_)
                        | DeclKind::Knows(_)
                );
                self.tables.globals.hole |= !one;
            }
        }
        self.order_sorts();
        self.read_rules(file, &sick);
        for (decl, sick) in file.decls.iter().zip(&sick) {
            let (unknowns, reports) = (self.unknowns.len(), self.sink.len());
            self.body(decl, *sick);
            if *sick {
                self.unknowns.truncate(unknowns);
                self.sink.truncate(reports);
            }
        }
        self.check_phases();
        for (decl, sick) in file.decls.iter().zip(&sick) {
            if let (DeclKind::Claim(claim), false) = (&decl.kind, *sick) {
                self.claim(claim);
            }
        }
        self.report_unknown();
        self.check_openings();
        self.check_key_arguments();
        self.check_received_keys(file);
        // After an error, what is missing may be a consequence of it.
        if !file.broken && !self.sink.has_errors() {
            self.check_recursion();
            self.check_empty();
            self.check_unused();
            self.check_sorts();
        }
    }

    fn declare(&mut self, decl: &Decl) {
        match &decl.kind {
            DeclKind::Agents(groups) => {
                for (name, sorts) in sorted(groups) {
                    let term = self.plain(name, NameKind::Agent, Type::Agent);
                    self.program.signature.agents.push(term);
                    self.enter_sorts(term, sorts);
                    self.check_agent_name(name);
                }
            }
            DeclKind::Spies(groups) => {
                for (name, sorts) in sorted(groups) {
                    let term = self.plain(name, NameKind::Spy, Type::Agent);
                    self.program.signature.spies.push(term);
                    self.enter_sorts(term, sorts);
                    self.check_agent_name(name);
                }
            }
            DeclKind::Channels(names) => {
                for name in names {
                    let term = self.plain(name, NameKind::Channel, Type::Name);
                    self.program.signature.channels.push(term);
                }
            }
            DeclKind::Public(binders) => {
                for binder in binders {
                    let term = self.typed(binder, NameKind::Public);
                    self.program.signature.publics.push(term);
                }
            }
            DeclKind::Private(binders) => {
                for binder in binders {
                    let term = self.typed(binder, NameKind::Private);
                    self.program.signature.privates.push(term);
                }
            }
            DeclKind::Keypairs(families) => {
                for family in families {
                    self.family(family, FamilyKind::KeyPair);
                }
            }
            DeclKind::Keys(families) => {
                for family in families {
                    self.family(family, FamilyKind::Symmetric);
                }
            }
            DeclKind::Functions(functions) => {
                for function in functions {
                    self.function(function);
                }
            }
            DeclKind::Destructors(rules) => {
                for rule in rules {
                    self.declare_destructor(rule);
                }
            }
            DeclKind::Groups(groups) => {
                for group in groups {
                    self.declare_group(group);
                }
            }
            DeclKind::Def(def) => {
                let id = DefId(self.program.definitions.len() as u32);
                self.reserved(&def.name);
                self.add_global(&def.name, def.head, Symbol::Definition(id));
                let mut scope = Scope::default();
                let params = self.parameters(&def.params, &mut scope);
                self.program.definitions.push(Definition {
                    label: def.name.name.clone(),
                    body: unread(params),
                    span: def.head,
                    speaker: def.speaker.as_ref().map(|speaker| match speaker {
                        ast::Speaker::Parameter(at) => Speaker::Parameter(*at),
                        ast::Speaker::Agent(name) => {
                            Speaker::Agent(self.store.name(NameClass::Public, name, 0))
                        }
                    }),
                });
            }
            DeclKind::System(system) => {
                let id = SystemId(self.program.systems.len() as u32);
                self.reserved(&system.name);
                self.add_global(&system.name, system.head, Symbol::System(id));
                let mut scope = Scope::default();
                let params = self.parameters(&system.params, &mut scope);
                self.program.systems.push(SystemDecl {
                    label: system.name.name.clone(),
                    body: unread(params),
                    partial: system.partial,
                    span: system.head,
                });
            }
            // Of a file that was read, these stand in its place (`File::expanded`).
            DeclKind::Use(_) | DeclKind::Protocol(_) | DeclKind::Knows(_) | DeclKind::Claim(_) => {}
            DeclKind::Error => self.tables.globals.hole = true,
        }
    }

    fn body(&mut self, decl: &Decl, sick: bool) {
        self.body = Facts {
            span: decl.span,
            closed: matches!(decl.kind, DeclKind::Knows(_)),
            hole: sick,
            ..Facts::default()
        };
        match &decl.kind {
            DeclKind::Def(def) => {
                let number = self.tables.definitions.len();
                self.body.def = Some(DefId(number as u32));
                let params = self.program.definitions[number].body.params.clone();
                self.check_parameters(&def.params);
                let scope = scope_of(&def.params, &params);
                let root = self.process(&def.body, &scope);
                self.program.definitions[number].body.root = root;
                self.tables.definitions.push(std::mem::take(&mut self.body));
            }
            DeclKind::System(system) => {
                let number = self.tables.systems.len();
                let params = self.program.systems[number].body.params.clone();
                self.check_parameters(&system.params);
                let scope = scope_of(&system.params, &params);
                let root = self.process(&system.body, &scope);
                self.program.systems[number].body.root = root;
                self.tables.systems.push(std::mem::take(&mut self.body));
            }
            DeclKind::Knows(terms) => {
                for term in terms {
                    let term = self.closed_term(term);
                    self.program.signature.knows.push(term);
                }
            }
            _ => {}
        }
    }

    /// Parameters are made before all names are known, so hiding is looked at afterwards.
    fn check_parameters(&mut self, params: &[Binder]) {
        let scope = Scope::default();
        for param in params {
            self.check_binder(&param.name, Origin::Parameter, &scope);
        }
    }

    pub(super) fn plain(&mut self, name: &Ident, kind: NameKind, ty: Type) -> TermId {
        let class = match kind {
            NameKind::Agent
            | NameKind::Channel
            | NameKind::Public
            | NameKind::Base
            | NameKind::Neutral => NameClass::Public,
            NameKind::Spy => NameClass::Spy,
            NameKind::Private => NameClass::Private,
        };
        let term = self.store.name(class, &name.name, 0);
        self.reserved(name);
        let first = self.add_global(name, name.span, Symbol::Name(kind, term));
        if first && ty != Type::Msg {
            self.tables.types.insert(term, ty);
            self.program.signature.types.push((term, ty));
        }
        term
    }

    fn typed(&mut self, binder: &Binder, kind: NameKind) -> TermId {
        let ty = self.type_ref(binder.ty.as_ref());
        self.check_name_type(binder);
        self.plain(&binder.name, kind, ty)
    }

    fn family(&mut self, family: &Family, kind: FamilyKind) {
        let params: Vec<Type> = family
            .params
            .iter()
            .map(|p| self.type_ref(Some(p)))
            .collect();
        let id = self
            .store
            .family_id(kind, &family.name.name, params.len() as u32);
        self.reserved(&family.name);
        if self.add_global(&family.name, family.span, Symbol::Family(kind, id, params)) {
            self.program.signature.families.push(id);
        }
    }

    fn function(&mut self, function: &Function) {
        let name = &function.name;
        let params = function.params.iter();
        let params: Vec<Type> = params.map(|p| self.type_ref(Some(p))).collect();
        let result = self.result_type(function);
        if params.is_empty() {
            self.sink.push(
                Diagnostic::new(
                    Code::FunctionWithoutArguments,
                    format!("the function `{name}` has no arguments"),
                )
                .at(function.span, "declared here")
                .help(format!(
                    "write the types of its arguments, such as `function {name}(Msg, Sym)`; a constant is `public {name}`, \
                     or `private {name}` if the attacker does not have it"
                )),
            );
        }
        let arity = params.len() as u32;
        let id = self.store.function_id(&name.name, arity, function.private);
        self.reserved(name);
        let symbol = Symbol::Function(id, params.clone(), result);
        if self.add_global(name, function.span, symbol) {
            if params.is_empty() {
                // What was meant is not known, so no more is said about its uses.
                let last = self.tables.globals.len() - 1;
                self.tables.globals.doubt_from(last);
            }
            let private = function.private;
            self.program.signature.functions.push(FunctionDecl {
                id,
                params,
                result,
                private,
            });
        }
    }

    /// What a function makes: nothing that has a form of its own.
    fn result_type(&mut self, function: &Function) -> Type {
        let (name, Some(written)) = (&function.name, &function.result) else {
            return Type::Msg;
        };
        let ty = self.type_ref(Some(written));
        let what = match ty {
            Type::Nonce | Type::Name | Type::Sym | Type::Data | Type::Msg => return ty,
            Type::Agent | Type::Sort(_) => "an agent is a declared name",
            Type::Pub => "a public key is `K+` for some `K`",
            Type::Priv => "a private key is `K-` for some `K`",
            Type::Int => "an integer is `0` or `suc(M)`",
            Type::Share => "a share is `g^x` for a declared group `g`",
        };
        let word = &written.name;
        self.sink.push(
            Diagnostic::new(
                Code::FunctionResult,
                format!("a function can't make what has the type `{word}`"),
            )
            .at(word.span, what)
            .and(
                name.span,
                "a function makes something that is equal to nothing else",
            )
            .help("leave the type out, or write `Sym`, `Data`, `Nonce`, `Name` or `Msg`")
            .instead("Msg"),
        );
        Type::Msg
    }

    /// Adds a declared name; a second declaration is reported with both places.
    pub(super) fn add_global(&mut self, name: &Ident, span: Span, symbol: Symbol) -> bool {
        let what = symbol.describe();
        let added = self.tables.globals.add(name.name.clone(), span, symbol);
        let first = added.cloned();
        if let Some(i) = self.tables.globals.index_of(&name.name) {
            self.mention_binding(name.span, Referent::Declared(i as u32));
        }
        let Some(first) = first else {
            return true;
        };
        let d = Diagnostic::new(
            Code::DuplicateDefinition,
            format!("`{name}` is declared twice"),
        )
        .help("choose another name for one of them");
        let already = first.symbol.describe();
        // Whoever reads this file can change its names, not those of a file that it uses.
        let used = span.file != self.file && first.span.file == self.file;
        let d = if used {
            d.at(first.span, format!("declared here, as {already}"))
                .and(span, format!("and in a file that is used, as {what}"))
        } else {
            d.at(span, format!("declared again, as {what}"))
                .and(first.span, format!("first declared here, as {already}"))
        };
        let d = if first.symbol.describe() == what {
            d
        } else {
            d.note("names, keys, functions, channels, processes and systems share one name space: the name alone decides whether `n(x)` receives or runs a process")
        };
        self.sink.push(d);
        false
    }
}

/// The agents of a declaration, each with its sorts.
fn sorted(groups: &[AgentGroup]) -> impl Iterator<Item = (&Ident, &[TypeRef])> {
    groups
        .iter()
        .flat_map(|g| g.names.iter().map(|n| (n, g.sorts.as_slice())))
}

/// A body whose process is still to be read.
fn unread(params: Vec<u32>) -> Body {
    Body {
        params,
        root: ProcId(0),
    }
}

/// Which declarations have a syntax error in them, and whether there is one outside all of them.
fn sick_declarations(file: &File, mistakes: &[Span]) -> (Vec<bool>, bool) {
    let (mut sick, mut outside) = (vec![false; file.decls.len()], false);
    // Declarations of other files stand between those of this one: each file is in order, all of them are not.
    let mut order: Vec<usize> = (0..file.decls.len()).collect();
    order.sort_by_key(|i| (file.decls[*i].span.file, file.decls[*i].span.start));
    for mistake in mistakes {
        let before = |i: &usize| {
            let span = file.decls[*i].span;
            (span.file, span.start) <= (mistake.file, mistake.start)
        };
        let place = order.partition_point(before).checked_sub(1);
        match place.map(|at| (order[at], file.decls[order[at]].span)) {
            Some((i, span)) if span.file == mistake.file && mistake.start <= span.end => {
                sick[i] = true;
            }
            _ => outside = true,
        }
    }
    (sick, outside)
}

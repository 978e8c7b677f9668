//! Destructors: their rules are read, checked and handed to the store [Sem 1.6].
//!
//! A name of a rule that is declared stands for itself, any other is a variable of the rule. Both sides are made of functions, the built-in
//! constructors, variables and public names; what a rule may mean for the attacker is decided by the store (`term::theory`).

use super::globals::{NameKind, Symbol};
use super::known::Demand;
use super::scope::Origin;
use super::term::plural;
use super::unknown::nearest;
use super::{Checker, Referent};
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{self, Cipher, DeclKind, File, Ident, Name, Part, Term, TermKind};
use crate::process::{DestructorDecl, NotCompared, Type};
use crate::term::{RULE, Reason, Rule, Subst, TermId, Unopenable, Unseen, UnseenPart, View, unify};

/// The report that systems are not compared under a rule.
pub fn not_compared(rule: &NotCompared, claim: Option<Span>) -> Diagnostic {
    let text = format!("systems are not compared under `{}`", rule.rule);
    let d = Diagnostic::new(Code::RuleNotCompared, text);
    let d = match claim {
        Some(claim) => d.at(claim, "this compares systems"),
        None => d,
    };
    d.at(rule.span, "this rule")
        .note(&*rule.reason)
        .help("give one argument of the rule all of its variables, and let it give one of its parts or a public constant")
}

/// A variable of a rule.
struct Variable {
    name: Name,
    span: Span,
    /// Its number among the variables of the program, for editors.
    var: u32,
    /// How often it occurs.
    times: u32,
}

/// A rule that has been read.
pub(super) struct ReadRule {
    /// Its destructor.
    destructor: u32,
    rule: Rule,
    names: Vec<Name>,
    /// Both sides.
    span: Span,
}

impl Checker<'_> {
    /// Enters the name of a destructor; further rules for it are read later.
    pub(super) fn declare_destructor(&mut self, rule: &ast::Rule) {
        let (name, arity) = (&rule.name, rule.args.len());
        if let Some(global) = self.tables.globals.get(&name.name)
            && let Symbol::Destructor(_, wanted) = global.symbol
        {
            let (place, known) = (global.span, global.doubtful);
            // The rules of a destructor stand in one file: no other file adds to what it says.
            if place.file != rule.head.file {
                if !known {
                    self.add_global(name, rule.head, Symbol::Destructor(0, arity));
                }
                return;
            }
            if let Some(i) = self.tables.globals.index_of(&name.name) {
                self.mention_binding(name.span, Referent::Declared(i as u32));
            }
            if arity != wanted {
                self.wrong_arity(&name.name, rule.head, place, wanted, arity);
            }
            return;
        }
        self.reserved(name);
        if arity == 0 {
            self.sink.push(
                Diagnostic::new(
                    Code::FunctionWithoutArguments,
                    format!("the destructor `{name}` has no arguments"),
                )
                .at(rule.head, "it takes something apart: what?")
                .help(format!(
                    "write what it takes: `destructor {name}(seal(x, k), k) = x`"
                )),
            );
        }
        let id = self.program.signature.destructors.len() as u32;
        if self.add_global(name, rule.head, Symbol::Destructor(id, arity)) {
            self.program.signature.destructors.push(DestructorDecl {
                label: name.name.clone(),
                rules: Vec::new(),
                span: name.span,
            });
            self.tables.rules.push(Vec::new());
        }
    }

    /// Reads all rules of a file, once all names are known, and tells the store what they come to.
    pub(super) fn read_rules(&mut self, file: &File, sick: &[bool]) {
        let mut rules: Vec<ReadRule> = Vec::new();
        let mut complete = true;
        for (decl, sick) in file.decls.iter().zip(sick) {
            let DeclKind::Destructors(list) = &decl.kind else {
                continue;
            };
            for rule in list {
                match self.read_rule(rule).filter(|_| !sick) {
                    Some(read) => rules.push(read),
                    None => complete = false,
                }
            }
        }
        for (i, second) in rules.iter().enumerate() {
            let same = |r: &&ReadRule| r.destructor == second.destructor;
            let disagreeing = rules[..i]
                .iter()
                .filter(same)
                .find_map(|first| Some((first, self.overlap(first, second)?)));
            if let Some((first, d)) = disagreeing {
                complete = false;
                self.sink.push(d.and(first.span, "another rule"));
            }
        }
        for read in &rules {
            let decl = &mut self.program.signature.destructors[read.destructor as usize];
            decl.rules.push(read.rule.clone());
            let text = self.show_rule(read);
            self.tables.rules[read.destructor as usize].push(text);
        }
        let mut all: Vec<Rule> = rules.iter().map(|r| r.rule.clone()).collect();
        all.extend(self.rules_of_powers());
        for group in &self.program.signature.groups {
            self.store.declare_group(group.base, group.neutral);
        }
        if !complete {
            return;
        }
        if let Err(why) = self.store.declare_rules(&all) {
            let d = self.unopenable(&rules[why.rule], &why);
            self.sink.push(d);
        }
        if let Some(unseen) = self.store.unseen() {
            // A rule of another file is reported there.
            let rule = self.store.rule(unseen.rule);
            let read = rules.iter().find(|r| r.rule == *rule);
            self.program.signature.not_compared = read.map(|r| self.not_compared(r, &unseen));
        }
    }

    /// Why systems are not compared under a rule.
    fn not_compared(&self, read: &ReadRule, unseen: &Unseen) -> NotCompared {
        let show = |t: TermId| self.show_rule_term(t, &read.names);
        let reason = match unseen.part {
            UnseenPart::Result => format!(
                "`{}` is neither a part of an argument nor something that everybody has",
                show(read.rule.result)
            ),
            UnseenPart::Side { principal, side } => format!(
                "there may be several `{}` for one `{}`: it does not have all variables",
                show(side),
                show(principal)
            ),
        };
        NotCompared {
            rule: self.show_rule(read).into(),
            span: read.span,
            reason: reason.into(),
        }
    }

    fn read_rule(&mut self, rule: &ast::Rule) -> Option<ReadRule> {
        let global = self.tables.globals.get(&rule.name.name)?;
        let Symbol::Destructor(destructor, arity) = global.symbol else {
            return None;
        };
        let fits = arity == rule.args.len() && arity > 0;
        let mut variables = Vec::new();
        let premises: Vec<Option<TermId>> = rule
            .args
            .iter()
            .map(|t| self.rule_term(t, &mut variables, false))
            .collect();
        let result = self.rule_term(&rule.result, &mut variables, true);
        let premises: Vec<TermId> = premises.into_iter().collect::<Option<_>>()?;
        let result = result?;
        for (term, written) in premises.iter().zip(&rule.args) {
            self.limit_size(*term, written.span);
        }
        self.limit_size(result, rule.result.span);
        self.check_variables(&variables);
        self.check_principal(&premises, result, rule)?;
        fits.then(|| ReadRule {
            destructor,
            rule: Rule {
                destructor: self.store.destructor_id(&rule.name.name),
                premises,
                result,
            },
            names: variables.into_iter().map(|v| v.name).collect(),
            span: rule.span,
        })
    }

    /// A term of a rule; `None` if it was reported to be none.
    fn rule_term(
        &mut self,
        t: &Term,
        variables: &mut Vec<Variable>,
        right: bool,
    ) -> Option<TermId> {
        match &t.kind {
            TermKind::Name(name) => self.rule_name(name, t.span, variables, right),
            TermKind::Apply(head, args) => self.rule_application(head, args, t, variables, right),
            TermKind::Int(n) => Some(self.integer(*n, t.span)),
            TermKind::Suc(inner) => {
                let inner = self.rule_term(inner, variables, right)?;
                Some(self.store.suc(inner))
            }
            TermKind::Tuple(parts) => self.rule_pair(parts, t.span, variables, right),
            TermKind::Hash(parts) => {
                let inner = self.rule_pair(parts, t.span, variables, right)?;
                Some(self.store.hash(inner))
            }
            TermKind::Encrypt(cipher, parts, key) => {
                let message = self.rule_pair(parts, t.span, variables, right);
                let k = self.rule_term(key, variables, right)?;
                let message = message?;
                Some(match (cipher, self.store.view(k)) {
                    (Cipher::Public, _) | (Cipher::Braces, View::Pub(_)) => {
                        self.store.aenc(message, k)
                    }
                    (Cipher::Signature, _) | (Cipher::Braces, View::Priv(_)) => {
                        self.store.sign(message, k)
                    }
                    (Cipher::Braces, _) => self.store.senc(message, k),
                })
            }
            TermKind::Part(pair, part) => {
                let inner = self.rule_term(pair, variables, right)?;
                Some(match part {
                    Part::Public => self.store.pub_part(inner),
                    Part::Private => self.store.priv_part(inner),
                })
            }
            TermKind::Power(base, exponent) => {
                let operands = [base, exponent].map(|t| self.rule_term(t, variables, right));
                if operands.iter().all(Option::is_some) {
                    self.power_in_rule(t.span);
                }
                None
            }
            TermKind::Error => None,
        }
    }

    fn rule_terms(
        &mut self,
        parts: &[Term],
        variables: &mut Vec<Variable>,
        right: bool,
    ) -> Option<Vec<TermId>> {
        let terms: Vec<Option<TermId>> = parts
            .iter()
            .map(|t| self.rule_term(t, variables, right))
            .collect();
        terms.into_iter().collect()
    }

    /// One part or a pair. A longer tuple is not the same in typed and untyped analysis, and a rule is.
    fn rule_pair(
        &mut self,
        parts: &[Term],
        span: Span,
        variables: &mut Vec<Variable>,
        right: bool,
    ) -> Option<TermId> {
        let terms = self.rule_terms(parts, variables, right);
        if parts.len() > 2 {
            let parts = plural(parts.len(), "part");
            self.sink.push(
                Diagnostic::new(Code::RuleTuple, "a rule has no tuples of more than two parts")
                    .at(span, format!("a tuple of {parts}"))
                    .note("such a tuple is nested pairs, but one of its own with `--typed`; a rule holds in both")
                    .help("nest pairs, `(x, (y, z))`, or declare the function with more arguments"),
            );
            return None;
        }
        Some(self.store.nested(&terms?))
    }

    /// A name of a rule: a public name, or a variable.
    fn rule_name(
        &mut self,
        name: &Name,
        span: Span,
        variables: &mut Vec<Variable>,
        right: bool,
    ) -> Option<TermId> {
        // What the file that uses this one declares has nothing to do with its rules.
        let place = self.tables.globals.get(name).map(|g| g.span);
        let outside = place.filter(|p| p.file != span.file && span.file != self.file);
        if let Some(place) = outside.filter(|p| p.file != self.file) {
            self.name_of_another_file(name, span, place);
            return None;
        }
        if outside.is_none() {
            self.mention_declared(name, span);
        }
        if outside.is_none()
            && let Some(global) = self.tables.globals.use_name(name)
        {
            if global.doubtful {
                return None;
            }
            let (place, what) = (global.span, global.symbol.describe());
            return match &global.symbol {
                Symbol::Name(kind, term) if *kind != NameKind::Private => {
                    let term = *term;
                    // Once is enough, and what a rule gives may well be a constant.
                    if !right {
                        self.check_constant(name, span, place, what);
                    }
                    Some(term)
                }
                Symbol::Function(_, params, _) => {
                    let example = vec!["x"; params.len()].join(", ");
                    let d = Diagnostic::new(
                        Code::FamilyWithoutArguments,
                        format!("`{name}` is {what} and needs its arguments"),
                    );
                    let d = d.at(span, "applied to what?").and(place, "declared here");
                    self.sink.push(d.help(format!("write `{name}({example})`")));
                    None
                }
                _ => {
                    self.not_in_rule(name, what, span, place);
                    None
                }
            };
        }
        if let Some(i) = variables.iter().position(|v| v.name == *name) {
            variables[i].times += 1;
            let var = variables[i].var;
            self.mention(span, Referent::Variable(var));
            return Some(self.store.var(RULE + i as u32));
        }
        if right {
            self.not_on_the_left(name, span, variables);
            return None;
        }
        let var = self.variable(name, Type::Msg, span, Origin::Rule);
        self.mention_binding(span, Referent::Variable(var));
        variables.push(Variable {
            name: name.clone(),
            span,
            var,
            times: 1,
        });
        Some(self.store.var(RULE + variables.len() as u32 - 1))
    }

    fn not_on_the_left(&mut self, name: &Name, span: Span, variables: &[Variable]) {
        if self.tables.globals.hole {
            return;
        }
        let d = Diagnostic::new(
            Code::RuleVariable,
            format!("`{name}` does not occur on the left of `=`"),
        )
        .at(span, "so there is nothing to give");
        let publics = self.tables.globals.iter();
        let publics = publics.filter(|g| matches!(g.symbol, Symbol::Name(..)));
        let names = publics.map(|g| &*g.name);
        let near = nearest(name, variables.iter().map(|v| &*v.name).chain(names));
        let d = match near {
            Some(near) => d.did_you_mean(near),
            None => d.help(format!(
                "a destructor gives parts of its arguments; a constant is declared: `public {name}`"
            )),
        };
        self.sink.push(d);
    }

    /// `f(M, N)` in a rule.
    fn rule_application(
        &mut self,
        head: &Ident,
        args: &[Term],
        whole: &Term,
        variables: &mut Vec<Variable>,
        right: bool,
    ) -> Option<TermId> {
        let terms = self.rule_terms(args, variables, right);
        self.mention_declared(&head.name, head.span);
        let Some(global) = self.tables.globals.use_name(&head.name) else {
            if !self.tables.globals.hole && self.known_unknown.insert(head.name.clone()) {
                let functions = self.tables.globals.iter();
                let functions = functions.filter(|g| matches!(g.symbol, Symbol::Function(..)));
                let near = nearest(&head.name, functions.map(|g| &*g.name));
                let types = vec!["Msg"; args.len().max(1)].join(", ");
                let d = Diagnostic::new(Code::UnknownName, format!("unknown function `{head}`"))
                    .at(head.span, "not declared");
                self.sink.push(match near {
                    Some(near) => d.did_you_mean(near),
                    None => d.help(format!("declare it with `function {head}({types})`")),
                });
            }
            return None;
        };
        if global.doubtful {
            return None;
        }
        let (place, what) = (global.span, global.symbol.describe());
        let Symbol::Function(id, params, _) = global.symbol.clone() else {
            self.not_in_rule(&head.name, what, head.span, place);
            return None;
        };
        if params.len() != args.len() {
            self.wrong_arity(&head.name, whole.span, place, params.len(), args.len());
            return None;
        }
        let terms = terms?;
        for ((arg, term), ty) in args.iter().zip(&terms).zip(params) {
            let what = &format!("the argument of `{}`", head.name);
            let span = place;
            if self.store.is_ground(*term) {
                self.demand(*term, arg.span, &Demand { ty, span, what });
            }
        }
        Some(self.store.function(id, &terms))
    }

    /// Something that can't stand in a rule.
    fn not_in_rule(&mut self, name: &str, what: &str, span: Span, place: Span) {
        let d = Diagnostic::new(
            Code::RuleSide,
            format!("`{name}` is {what}, which can't stand in a rule"),
        )
        .at(
            span,
            "a rule is made of functions, variables and public names",
        )
        .and(place, "declared here");
        self.sink.push(match self.tables.globals.get(name).map(|g| &g.symbol) {
            Some(Symbol::Destructor(..)) => d.help(
                "say what comes out in the end: a rule takes its arguments as they are, and a destructor that is applied to the result of another is written where it is used",
            ),
            Some(Symbol::Family(..)) => d.help("a rule holds for all keys: write a variable, `k`, `k+` or `k-`"),
            _ => d.help(format!(
                "if a variable of the rule is meant, rename one of the two, here or there (`{name}1`); a constant of a rule is a public name, since everybody can apply a destructor"
            )),
        });
    }

    /// A name in a rule of a used file that yet another file declares: neither a constant of the rule nor safely a variable.
    fn name_of_another_file(&mut self, name: &str, span: Span, place: Span) {
        self.sink.push(
            Diagnostic::new(
                Code::RuleSide,
                format!("`{name}` in this rule meets a name of another used file"),
            )
            .at(span, "a variable, or that name?")
            .and(place, "declared here")
            .note("what is used brings its names into one file")
            .help(format!(
                "rename one of the two, in the rule or where it is declared: `{name}1`"
            )),
        );
    }

    /// A public name of one letter looks like a variable.
    fn check_constant(&mut self, name: &Name, span: Span, place: Span, what: &str) {
        if name.chars().count() > 1 {
            return;
        }
        self.sink.push(
            Diagnostic::new(
                Code::RuleName,
                format!("`{name}` is {what} here, not a variable of the rule"),
            )
            .at(span, format!("fits only the name `{name}` itself"))
            .and(place, "declared here")
            .help("if a variable is meant, give it another name"),
        );
    }

    /// A variable that occurs once and is nearly a public name may be a slip.
    fn check_variables(&mut self, variables: &[Variable]) {
        for v in variables
            .iter()
            .filter(|v| v.times == 1 && v.name.len() > 2)
        {
            let publics = self.tables.globals.iter();
            let publics = publics
                .filter(|g| matches!(g.symbol, Symbol::Name(kind, _) if kind != NameKind::Private));
            let near = nearest(&v.name, publics.map(|g| &*g.name));
            if let Some(near) = near {
                let d = Diagnostic::new(
                    Code::RuleName,
                    format!(
                        "`{}` is a variable of the rule, not the name `{near}`",
                        v.name
                    ),
                )
                .at(v.span, "fits everything")
                .did_you_mean(near);
                self.sink.push(d);
            }
        }
    }

    /// What is taken apart is neither a tuple nor a number: these have patterns.
    fn check_principal(
        &mut self,
        premises: &[TermId],
        result: TermId,
        rule: &ast::Rule,
    ) -> Option<()> {
        let store = self.store;
        let holds = |t: TermId| {
            let mut found = false;
            store.visit(t, &mut |s| {
                found |= s == result && s != t;
                !found
            });
            found
        };
        let principal = premises
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, t)| !matches!(store.view(*t), View::Var(_)))
            .max_by_key(|(i, t)| (holds(*t), store.facts(*t).size, std::cmp::Reverse(*i)));
        let Some((i, principal)) = principal else {
            // One without arguments was reported.
            if !premises.is_empty() {
                self.takes_nothing_apart(rule);
            }
            return None;
        };
        let (what, help) = match store.view(principal) {
            View::Tuple(_) => (
                "a tuple",
                "a tuple is taken apart by a pattern, `let (x, y) = M in P`; give the function that is opened more arguments instead",
            ),
            View::Suc(_) => (
                "a number",
                "a number is taken apart by `case M of 0: P suc(x): Q`",
            ),
            _ => return Some(()),
        };
        let at = rule.args.get(i).map_or(rule.head, |t| t.span);
        self.sink.push(
            Diagnostic::new(
                Code::RuleTakesTuple,
                format!("`{}` would take {what} apart", rule.name),
            )
            .at(at, format!("{what} needs no destructor"))
            .help(help),
        );
        None
    }

    fn takes_nothing_apart(&mut self, rule: &ast::Rule) {
        let message = format!("`{}` would take nothing apart", rule.name);
        self.sink.push(
            Diagnostic::new(Code::RuleSide, message)
                .at(rule.head, "no argument of this rule has a form")
                .help("a rule fits messages of a form, such as `seal(x, k)`; what is made of any messages is a `function`, and what equals something is a test, `[x is y]`"),
        );
    }

    /// Two rules of one destructor that fit the same arguments and give different results.
    fn overlap(&self, first: &ReadRule, second: &ReadRule) -> Option<Diagnostic> {
        let store = self.store;
        let shift = first.names.len() as u32;
        let apart = |t: TermId| {
            store.map_atoms(t, &mut |atom| match store.view(atom) {
                View::Var(v) => Some(store.var(v + shift)),
                _ => None,
            })
        };
        let pairs: Vec<(TermId, TermId)> = first
            .rule
            .premises
            .iter()
            .zip(&second.rule.premises)
            .map(|(a, b)| (*a, apart(*b)))
            .collect();
        let mut subst = Subst::new();
        let rank = |t: TermId| matches!(store.view(t), View::Var(_)).then_some(0);
        if !unify(store, &pairs, &rank, &mut subst) {
            return None;
        }
        let one = subst.resolve(store, first.rule.result);
        let other = subst.resolve(store, apart(second.rule.result));
        if one == other {
            return None;
        }
        let mut names = first.names.clone();
        for name in &second.names {
            let mut name = name.to_string();
            while names.iter().any(|n| **n == *name) {
                name.push('\'');
            }
            names.push(name.into());
        }
        let show = |t: TermId| self.show_rule_term(t, &names);
        let arguments: Vec<String> = pairs
            .iter()
            .map(|(a, _)| show(subst.resolve(store, *a)))
            .collect();
        let label = &self.program.signature.destructors[second.destructor as usize].label;
        let call = format!("{label}({})", arguments.join(", "));
        Some(
            Diagnostic::new(
                Code::RulesDisagree,
                format!("two rules of `{label}` disagree"),
            )
            .at(second.span, "this rule")
            .note(format!(
                "`{call}` would be `{}` by the one and `{}` by the other",
                show(one),
                show(other)
            ))
            .help("make them fit different arguments, or use two destructors"),
        )
    }

    /// Why the attacker's uses of a rule can't be found by opening what it hears.
    fn unopenable(&self, read: &ReadRule, why: &Unopenable) -> Diagnostic {
        let show = |t: TermId| format!("`{}`", self.show_rule_term(t, &read.names));
        let premises: Vec<String> = why.premises.iter().map(|t| show(*t)).collect();
        let premises = match premises.as_slice() {
            [] => "nothing".to_owned(),
            some => some.join(", "),
        };
        let result = show(why.result);
        let label = &self.program.signature.destructors[read.destructor as usize].label;
        let d = |text: String| Diagnostic::new(Code::UnopenableRule, text);
        match why.reason {
            Reason::Grows => d(format!("what the attacker does with `{label}` can't be foreseen"))
                .at(read.span, "this rule")
                .note(format!(
                    "the attacker can apply functions itself, so by this rule it makes {result} of {premises}: nothing there is larger than {result} and has all of its variables"
                ))
                .help("give a part of an argument, or a public constant; if the result holds something that is hidden in an argument, add the rule that takes it out"),
            Reason::Key if why.result == self.store.zero() => {
                d(format!("`{label}` would tell a key from other terms"))
                    .at(read.span, "this rule")
                    .note(format!(
                        "the attacker can apply functions itself, so by this rule it sees of {premises} that it is such a part of a key pair, and nothing else shows that"
                    ))
                    .help("a key `k+` or `k-` stands in a rule beside something else with the same `k`")
            }
            Reason::Key => d(format!("`{label}` would take a key apart"))
                .at(read.span, "this rule")
                .note(format!("the attacker can apply functions itself, so by this rule it makes {result} of {premises}"))
                .help("a key `k+` or `k-` stands in a rule beside what it opens, not as what is opened"),
        }
    }

    /// A rule as it is written.
    fn show_rule(&self, read: &ReadRule) -> String {
        let show = |t: &TermId| self.show_rule_term(*t, &read.names);
        let label = &self.program.signature.destructors[read.destructor as usize].label;
        let args: Vec<String> = read.rule.premises.iter().map(show).collect();
        format!("{label}({}) = {}", args.join(", "), show(&read.rule.result))
    }

    /// A term of a rule, with its variables as they were written.
    fn show_rule_term(&self, t: TermId, names: &[Name]) -> String {
        let store = self.store;
        store.show_with(t, &|atom| match store.view(atom) {
            View::Var(v) => names
                .get(v.checked_sub(RULE)? as usize)
                .map(ToString::to_string),
            _ => None,
        })
    }
}

//! Groups and `M^N`: the shares and keys of Diffie-Hellman exchanges [Sem 1.8].
//!
//! `M^N` is a partial function like a destructor ([`super::apply`]): it gives `g^N` if M is the base of a group, `g^x^N` if M is a share `g^x`,
//! the neutral element if M is that, and nothing for any other M. Where the place says what M is, only that way is taken. A third exponent can't be
//! said.

use super::globals::NameKind;
use super::known::Fit;
use super::scope::Scope;
use super::{Checker, MAX_TERM};
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{Group, Term, TermKind};
use crate::process::{GroupDecl, Type};
use crate::term::{POWER, RULE, Rule, TermId, View};

impl Checker<'_> {
    /// Enters the names of a group.
    pub(super) fn declare_group(&mut self, group: &Group) {
        let base = self.plain(&group.base, NameKind::Base, Type::Share);
        let one = group.neutral.as_ref();
        let neutral = one.map(|one| self.plain(one, NameKind::Neutral, Type::Share));
        let signature = &mut self.program.signature;
        signature.publics.push(base);
        signature.publics.extend(neutral);
        signature.groups.push(GroupDecl { base, neutral });
    }

    /// What `^` does, as rules of a destructor; none without groups.
    pub(super) fn rules_of_powers(&self) -> Vec<Rule> {
        let store = self.store;
        let groups = &self.program.signature.groups;
        if groups.is_empty() {
            return Vec::new();
        }
        let [base, x, y] = [0, 1, 2].map(|i| store.var(RULE + i));
        let rule = |of: TermId, result: TermId| Rule {
            destructor: store.destructor_id(POWER),
            premises: vec![of, y],
            result,
        };
        let share = store.share(base, x);
        // Which group it is does not show.
        let mut rules = vec![rule(share, store.joint(share, y))];
        for group in groups {
            rules.push(rule(group.base, store.share(group.base, y)));
            rules.extend(group.neutral.map(|one| rule(one, one)));
        }
        rules
    }

    /// The ways to compute a power with this exponent in a process: one for the shares of each group, so that no base has to be guessed.
    fn ways_of_powers(&self, exponent: TermId) -> Vec<Rule> {
        let store = self.store;
        let x = store.var(RULE);
        let rule = |of: TermId, result: TermId| Rule {
            destructor: store.destructor_id(POWER),
            premises: vec![of],
            result,
        };
        let groups = &self.program.signature.groups;
        let shares = groups.iter().map(|g| {
            let share = store.share(g.base, x);
            rule(share, store.joint(share, exponent))
        });
        let bases = groups.iter().flat_map(|g| {
            let share = rule(g.base, store.share(g.base, exponent));
            [Some(share), g.neutral.map(|one| rule(one, one))]
        });
        shares.chain(bases.flatten()).collect()
    }

    /// `M^N`
    pub(super) fn power(
        &mut self,
        base: &Term,
        exponent: &Term,
        span: Span,
        scope: &Scope,
    ) -> TermId {
        if self.program.signature.groups.is_empty() {
            self.no_group(base, span, scope);
            self.term(exponent, scope);
            return self.store.zero();
        }
        let before = self.sink.len();
        let (m, n) = (self.term(base, scope), self.term(exponent, scope));
        let store = self.store;
        let known = self.value(&scope.values, m);
        match store.view(known) {
            View::Share(..) => return store.joint(known, n),
            View::Joint(..) => {
                self.three_exponents(known, m, base, span);
                return known;
            }
            View::Name(_) => {
                let groups = &self.program.signature.groups;
                if groups.iter().any(|g| g.base == known) {
                    return store.share(known, n);
                }
                if groups.iter().any(|g| g.neutral == Some(known)) {
                    return known;
                }
            }
            _ => {}
        }
        let is_free = self.open_variable(known).is_some();
        if !is_free || self.fit(known, Type::Share) == Fit::Contradiction {
            if self.is_unknown(base, scope) {
                // That is reported, and nothing is known of the power.
                return m;
            }
            if self.sink.len() == before && !self.tables.globals.hole {
                self.no_share(known, base);
            }
            return store.zero();
        }
        if self.body.closed {
            self.power_of_nothing(base, span);
            return store.zero();
        }
        if store.facts(m).size > MAX_TERM || store.facts(n).size > MAX_TERM {
            return self.limit_size(n, span);
        }
        let rules = self.ways_of_powers(n);
        self.apply(&rules, &[m], span)
    }

    /// Whether a term is, or is a power of, a name that nothing declares: that is reported once, for all its places.
    fn is_unknown(&self, t: &Term, scope: &Scope) -> bool {
        match &t.kind {
            TermKind::Name(name) => {
                scope.get(name).is_none() && self.tables.globals.get(name).is_none()
            }
            TermKind::Power(of, exponent) => {
                self.is_unknown(of, scope) || self.is_unknown(exponent, scope)
            }
            _ => false,
        }
    }

    fn no_group(&mut self, base: &Term, span: Span, scope: &Scope) {
        // A base that is not declared is what is missing; anything else is looked at.
        let unknown = match &base.kind {
            TermKind::Name(name)
                if scope.get(name).is_none() && self.tables.globals.get(name).is_none() =>
            {
                Some(name.to_string())
            }
            _ => {
                self.term(base, scope);
                None
            }
        };
        if self.tables.globals.hole {
            return;
        }
        let name = unknown.unwrap_or_else(|| "g".to_owned());
        let d = Diagnostic::new(Code::NoGroup, "there is no group to compute in").at(
            base.span.to(span),
            "`^` gives shares `g^x` and keys `g^x^y` of a declared group",
        );
        self.sink.push(d.help(format!(
            "declare the base: `group {name}`, or `group {name} with neutral one` if the neutral element may be sent"
        )));
    }

    fn three_exponents(&mut self, known: TermId, m: TermId, base: &Term, span: Span) {
        let shown = self.show(known);
        let mut d = Diagnostic::new(Code::ThreeExponents, "a key can't be raised once more").at(
            span,
            format!("`{shown}` has two exponents, and this would be a third"),
        );
        if known != m {
            d = d.and(base.span, format!("this is `{shown}`"));
        }
        self.sink.push(
            d.note("`g^x` and `g^x^y` can be said, powers with more exponents, products and inverses can't")
                .help("derive what is needed from the key: `H(g^x^y, M)`, or `kdf(g^x^y, M)` with `function kdf(Msg, Msg): Sym`"),
        );
    }

    fn no_share(&mut self, known: TermId, base: &Term) {
        let (shown, what) = (self.show(known), self.describe(known));
        let groups: Vec<String> = self
            .program
            .signature
            .groups
            .iter()
            .map(|g| self.show(g.base))
            .collect();
        let said = match self.store.view(known) {
            View::Name(_) | View::Var(_) if what == "a message" => "a name".to_owned(),
            _ => what,
        };
        let group = groups.first().map_or("g", String::as_str);
        self.sink.push(
            Diagnostic::new(Code::NotAShare, format!("`{shown}` can't be raised to a power"))
                .at(base.span, format!("this is {said}, neither a group nor a share"))
                .help(format!("write `{group}^x` for a share and `{group}^x^y` for a key, or `y^x` for a share `y` that was received")),
        );
    }

    fn power_of_nothing(&mut self, base: &Term, span: Span) {
        self.sink.push(
            Diagnostic::new(Code::DestructorPlace, "this power can't be computed here")
                .at(span, "only processes compute")
                .and(base.span, "what this is, is known only in a run")
                .note("claims and `knows` are about messages: `g^x` and `g^x^y` for a declared group `g`")
                .help("write the message that is meant, or mark it by an event: `event Key(k)`"),
        );
    }

    /// A power in a rule.
    pub(super) fn power_in_rule(&mut self, span: Span) {
        self.sink.push(
            Diagnostic::new(Code::RuleSide, "`^` can't stand in a rule")
                .at(span, "the order of its exponents does not matter, and rules compare forms")
                .note("rules are about functions, whose arguments have an order; keys `g^x^y` open nothing and are opened by nothing")
                .help("give the function a variable in its place: it takes shares and keys like all messages"),
        );
    }
}

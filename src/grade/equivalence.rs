//! Exercises of kind `equivalence`: two systems are the same to every test, or here is a test that tells them apart.
//!
//! The model has one claim `S ~ T`. The submission repeats it, or defines `Test`, which marks `event passed`. The test
//! runs beside each system with the channels taken from the attacker, so that nothing but the test is the environment.

use std::path::Path;

use super::hint::Hints;
use super::{Bench, Grade, Paper};
use crate::process::Expectation;
use crate::report::json;
use crate::report::{Names, comparison_word};
use crate::source::{Code, Diagnostic, SourceFile};
use crate::syntax;
use crate::syntax::ast::{
    Binder, ClaimKind, Decl, DeclKind, Def, File, Ident, Part, Relation, SystemRef, Term, TermKind,
};
use crate::variants::{Decided, Variant, Visitor, walk_process};

pub(super) fn grade(bench: &mut Bench<'_>, submission: &Path) -> Result<Grade, Vec<Diagnostic>> {
    let mut grade = Grade::default();
    let model = bench.exercise.model.clone().unwrap_or_default();
    let given = bench.given(&model)?;
    let Some((at, left, right)) = asked(&given.tree) else {
        return Err(vec![Diagnostic::new(
            Code::NothingToCheck,
            "the model of the exercise has no claim `S ~ T`",
        )]);
    };
    let original = Variant::new(&given.tree)?;
    let decided = original.decide(at, bench.settings, bench.observer);
    let (paper, mistakes) = match bench.read(submission) {
        Ok(read) => read,
        Err(diagnostic) => {
            grade.mistakes = vec![diagnostic];
            return Ok(grade);
        }
    };
    if !mistakes.is_empty() {
        grade.mistakes = mistakes;
        return Ok(grade);
    }
    let test = paper.tree.decls.iter().find_map(|d| match &d.kind {
        DeclKind::Def(def) if &*def.name.name == "Test" => Some(def.clone()),
        _ => None,
    });
    let says_equal = asked(&paper.tree).is_some_and(|(_, l, r)| {
        let name = |s: &SystemRef| s.name.name.clone();
        let forth = name(&l) == name(&left) && name(&r) == name(&right);
        let back = name(&l) == name(&right) && name(&r) == name(&left);
        forth || back
    });
    match (test, says_equal) {
        (Some(test), _) => tell_apart(bench, &given, &test, (&left, &right), &decided, &mut grade),
        (None, true) => equal(bench, &original, at, &decided, &mut grade),
        (None, false) => grade.wrong(
            "there is an answer",
            "neither a claim nor a test",
            Hints::new(
                "The file answers nothing.",
                "Either no test tells the two systems apart, or one does.",
                "Hand in the claim of the exercise if you think they are equivalent, or `def Test = ..` with `event passed` if not.",
            )
            .with(&bench.exercise.hints),
        ),
    }
    Ok(grade)
}

/// The comparison of a model, by the number of its claim.
fn asked(tree: &File) -> Option<(usize, SystemRef, SystemRef)> {
    let claims = tree.decls.iter().filter_map(|d| match &d.kind {
        DeclKind::Claim(claim) => Some(claim),
        _ => None,
    });
    claims.enumerate().find_map(|(i, c)| match &c.kind {
        ClaimKind::Compare {
            relation: Relation::Equivalent,
            left,
            right,
        } => Some((i, left.clone(), right.clone())),
        _ => None,
    })
}

/// The student says that the systems are equivalent.
fn equal(bench: &Bench<'_>, original: &Variant, at: usize, decided: &Decided, grade: &mut Grade) {
    let what = "the two systems are equivalent";
    if decided.holds() {
        grade.fine(what);
        return;
    }
    let Decided::Compared(comparison) = decided else {
        grade.open(what, decided.word());
        return;
    };
    if !decided.is_refuted() {
        grade.open(what, comparison_word(comparison).0);
        return;
    }
    let names = Names {
        store: &original.store,
        map: bench.map,
        title: &original.claims()[at].text,
        left: "the left system",
        right: "the right system",
        expected: None::<Expectation>,
        note: None,
        programs: [&original.nested.program; 2],
    };
    let entry = json::comparison(names, None, comparison);
    let (mut place, mut reason) = (String::new(), String::new());
    if let Some(test) = &entry.test {
        place = format!(
            "A test of {} actions tells them apart; the {} system passes it.",
            test.actions.len(),
            test.passes
        );
        reason = format!(
            "What the test compares in the end: {}",
            test.conditions.join(", ")
        );
    }
    grade.wrong(
        what,
        "a test tells them apart",
        Hints::new(
            place,
            reason,
            "Write it as `def Test = ..`: receive on the public channels, compare, and mark `event passed`. `spi equiv` shows such a test.",
        )
        .with(&bench.exercise.hints),
    );
}

/// The student hands in a test.
fn tell_apart(
    bench: &Bench<'_>,
    given: &Paper,
    test: &Def,
    (left, right): (&SystemRef, &SystemRef),
    decided: &Decided,
    grade: &mut Grade,
) {
    if let Some(secret) = secret_of(&given.tree, test) {
        grade.wrong(
            "the test uses only what everybody knows",
            format!("it uses {secret}"),
            Hints::new(
                format!("The test uses {secret}."),
                "A test knows what the attacker knows: public names and what it receives.",
                "Let it get what it needs from the messages of the systems.",
            ),
        );
        return;
    }
    grade.fine("the test uses only what everybody knows");
    let mut passes = [false, false];
    for (side, system) in [left, right].into_iter().enumerate() {
        let tree = match beside(&given.tree, test, system) {
            Ok(tree) => tree,
            Err(diagnostics) => {
                grade.mistakes = diagnostics;
                return;
            }
        };
        let variant = match Variant::new(&tree) {
            Ok(variant) => variant,
            Err(errors) => {
                grade.mistakes = errors;
                return;
            }
        };
        let reached = variant.decide(0, bench.settings, bench.observer);
        match reached.word() {
            "holds" => passes[side] = true,
            "unreachable" => {}
            other => {
                grade.open("the test was tried", other);
                return;
            }
        }
    }
    let what = "exactly one of the two systems passes the test";
    if passes[0] != passes[1] {
        grade.fine(what);
        return;
    }
    let detail = if passes[0] {
        "both pass it"
    } else {
        "neither passes it"
    };
    let equal = decided.holds();
    grade.wrong(
        what,
        detail,
        Hints::new(
            format!("The test does not tell them apart: {detail}."),
            if equal {
                "The two systems look different, but nobody who stands outside can see it."
            } else if passes[0] {
                "What it compares is the same in both systems."
            } else {
                "It waits for something that neither of them sends, or asks for too much."
            },
            if equal {
                "Think again about what the test can know: perhaps no test exists."
            } else {
                "Look for something that one system does and the other can't: equal messages, a key that opens, a message that comes twice."
            },
        )
        .with(&bench.exercise.hints),
    );
}

/// A secret that a test mentions.
fn secret_of(tree: &File, test: &Def) -> Option<String> {
    struct Mentions {
        names: Vec<String>,
        applied: Vec<Term>,
        public: Vec<crate::source::Span>,
    }
    impl Visitor for Mentions {
        fn term(&mut self, term: &mut Term) {
            match &term.kind {
                TermKind::Name(name) => self.names.push(name.to_string()),
                TermKind::Apply(..) => self.applied.push(term.clone()),
                TermKind::Part(inner, Part::Public) => self.public.push(inner.span),
                _ => {}
            }
        }
    }
    let mut mentions = Mentions {
        names: Vec::new(),
        applied: Vec::new(),
        public: Vec::new(),
    };
    walk_process(&mut test.body.clone(), &mut mentions);
    let mut spies: Vec<&str> = Vec::new();
    let mut secrets: Vec<&str> = Vec::new();
    let mut families: Vec<&str> = Vec::new();
    for decl in &tree.decls {
        match &decl.kind {
            DeclKind::Private(binders) => {
                secrets.extend(binders.iter().map(|b| &*b.name.name));
            }
            DeclKind::Spies(names) => spies.extend(names.iter().map(|n| &*n.name)),
            DeclKind::Keys(list) | DeclKind::Keypairs(list) => {
                families.extend(list.iter().map(|f| &*f.name.name));
            }
            _ => {}
        }
    }
    if let Some(name) = mentions.names.iter().find(|n| secrets.contains(&&***n)) {
        return Some(format!("the private name {name}"));
    }
    mentions.applied.iter().find_map(|term| {
        let TermKind::Apply(family, args) = &term.kind else {
            return None;
        };
        let spied = args
            .iter()
            .any(|a| matches!(&a.kind, TermKind::Name(n) if spies.contains(&&**n)));
        let open = mentions.public.contains(&term.span);
        (families.contains(&&*family.name) && !spied && !open)
            .then(|| format!("a secret key {}(..)", family.name))
    })
}

/// The system with the test beside it, with channels that only they have, and the question whether the test passes.
fn beside(tree: &File, test: &Def, system: &SystemRef) -> Result<File, Vec<Diagnostic>> {
    let frame = SourceFile::anonymous(
        "test",
        "partial system Beside = Tested | Test\nreachable passed in Beside\n",
    );
    let (mut frame, mistakes) = syntax::parse(&frame);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let mut decls: Vec<Decl> = Vec::new();
    for decl in &tree.decls {
        let kind = match &decl.kind {
            DeclKind::Channels(names) => DeclKind::Private(
                names
                    .iter()
                    .map(|n| Binder {
                        name: n.clone(),
                        ty: None,
                    })
                    .collect(),
            ),
            DeclKind::System(s) if s.name.name == system.name.name => DeclKind::Def(Def {
                name: named("Tested", s.name.span),
                params: s.params.clone(),
                body: s.body.clone(),
                head: s.head,
            }),
            DeclKind::System(_) | DeclKind::Claim(_) => continue,
            other => other.clone(),
        };
        decls.push(Decl {
            kind,
            span: decl.span,
        });
    }
    decls.push(Decl {
        kind: DeclKind::Def(test.clone()),
        span: test.head,
    });
    // `Tested` is given the arguments that the claim gives to the system.
    for decl in &mut frame.decls {
        if let DeclKind::System(s) = &mut decl.kind
            && !system.args.is_empty()
            && let Some(prefix) = s
                .body
                .threads
                .first_mut()
                .and_then(|t| t.prefixes.first_mut())
            && let syntax::ast::PrefixKind::Apply(apply) = &mut prefix.kind
        {
            apply.args = Some(system.args.iter().map(as_pattern).collect());
        }
    }
    decls.append(&mut frame.decls);
    Ok(File {
        decls,
        span: tree.span,
        broken: false,
    })
}

fn named(name: &str, span: crate::source::Span) -> Ident {
    Ident {
        name: name.into(),
        span,
    }
}

/// An argument of an instantiation, as the parser would read it.
fn as_pattern(term: &Term) -> syntax::ast::Pattern {
    use syntax::ast::{Pattern, PatternKind};
    let kind = match &term.kind {
        TermKind::Name(name) => PatternKind::Bind(Binder {
            name: Ident {
                name: name.clone(),
                span: term.span,
            },
            ty: None,
        }),
        _ => PatternKind::Term(term.clone()),
    };
    Pattern {
        kind,
        span: term.span,
    }
}

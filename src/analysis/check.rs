//! Deciding a claim about one system.

use super::honest_reach::honest_reach;
use super::question::{Answer, Brief, Question};
use super::sessions::{chosen_roles, reaches_all_agents};
use super::{ClaimResult, Gate, Kept, Reach, Scope, Settings, Verdict};
use crate::base::limits::Observer;
use crate::engine::search::Options;
use crate::process::{Claim, Closed, Program, TupleMode, UnfoldError};
use crate::term::TermStore;

/// A checked file, lowered in both ways: claims have the same number in both.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The terms of both.
    pub store: &'a TermStore,
    /// Tuples as nested pairs.
    pub nested: &'a Program,
    /// Tuples that keep their arity, for typed analysis.
    pub flat: &'a Program,
    /// What its claims have in common.
    pub kept: &'a Kept,
}

impl<'a> Subject<'a> {
    pub(super) fn program(&self, typed: bool) -> &'a Program {
        let program = if typed { self.flat } else { self.nested };
        debug_assert_eq!(program.tuples == TupleMode::Flat, typed);
        program
    }
}

/// Decides a claim about one system; the claim is given in both lowerings.
///
/// Claims that compare systems are not decided here.
pub fn check_claim(
    subject: &Subject<'_>,
    nested: &Claim,
    flat: &Claim,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<ClaimResult, UnfoldError> {
    let settings = &Settings {
        limits: settings.limits.pinned(),
        ..*settings
    };
    let (program, claim) = if settings.typed {
        (subject.program(true), flat)
    } else {
        (subject.program(false), nested)
    };
    let Some(closed) = claim.kind.system().cloned() else {
        return Err(UnfoldError::OtherKind);
    };
    let store = subject.store;
    let decl = &program.systems[closed.system.index()];
    if settings.search.transparent {
        let what = "transparent attackers";
        program.without_phases(&closed, what)?;
        if let Some(excuse) = claim.kind.unless().first() {
            let span = excuse.span;
            return Err(UnfoldError::Unless { what, span });
        }
    }
    // Who is gone when a phase begins never finishes, so it is not asked who does.
    let phases = program.phase_in(closed.system).is_some();
    let mut scope = scope(store, program, &closed, settings);
    let mut gate: Option<Gate> = None;
    let question = Question {
        store,
        systems: &subject.kept.systems,
        program,
        closed: &closed,
        claim: &claim.kind,
        settings,
        observer,
    };
    let (found, proof, certificate) = match question.answer()? {
        Answer::Proved(found, proof, reach, shown) => {
            scope.proved = Some(reach);
            scope.any_agents =
                reach == Reach::Everyone && reaches_all_agents(program, store, &closed);
            scope.as_written = settings.sessions.is_some() && reach != Reach::Everyone;
            (found, Some(proof), Some(shown))
        }
        Answer::Searched(found, generated) => {
            scope.generated = generated;
            scope.as_written = settings.sessions.is_some() && generated.is_none();
            (found, None, None)
        }
    };
    let like = Brief::like(&found, &settings.budgets);
    scope.instances = found.instances;
    scope.finished = scope.generated.map(|_| found.finished);
    scope.recursion_cut = found.cut.then_some(settings.bounds.recursion);
    scope.copies = found.copied.then_some(settings.bounds.copies);
    let mut verdict = found.verdict;
    // Who takes part does not depend on what is lost.
    let unharmed = closed.unharmed();
    if !decl.partial && !phases {
        let g = subject
            .kept
            .gate(true, store, program, &unharmed, settings, observer)?;
        // A run that reaches an event is there whoever finishes.
        if g.is_closed() && matches!(verdict, Verdict::Holds { run: None }) {
            verdict = Verdict::NotExecutable;
        }
        gate = Some(g);
    } else if matches!(
        verdict,
        Verdict::Attack(_) | Verdict::Holds { run: Some(_) }
    ) {
        // Nothing depends on it, but a report can tell who is whose partner.
        gate = Some(
            subject
                .kept
                .gate(false, store, program, &unharmed, settings, observer)?,
        );
    }
    if let (Verdict::Holds { run: Some(run) }, Some(gate)) = (&mut verdict, &gate)
        && let Some(honest) = honest_reach(&question, gate)
    {
        **run = honest;
    }
    let also_typed = match &verdict {
        Verdict::Attack(_) if settings.compare_typed && !settings.typed => {
            exists_typed(subject, flat, settings, observer, &like, decl.partial)
        }
        _ => None,
    };
    Ok(ClaimResult {
        claim: claim.clone(),
        verdict,
        scope,
        stats: found.stats,
        proof,
        certificate,
        stopped: found.stopped,
        gate,
        also_typed,
        wider: None,
    })
}

/// What a verdict is about, as far as the question tells.
pub(super) fn scope(
    store: &TermStore,
    program: &Program,
    closed: &Closed,
    settings: &Settings,
) -> Scope {
    let signature = &program.signature;
    let agents = signature.agents.iter().chain(&signature.spies);
    Scope {
        system: program.systems[closed.system.index()].label.to_string(),
        agents: agents.map(|a| store.show(*a)).collect(),
        sorts: !signature.sorts.is_empty(),
        instances: Vec::new(),
        roles: chosen_roles(program, store, closed),
        generated: None,
        finished: None,
        as_written: false,
        proved: None,
        any_agents: false,
        recursion_cut: None,
        copies: None,
        powers: !signature.groups.is_empty(),
        typed: settings.typed,
        transparent: settings.search.transparent,
    }
}

/// Whether an attack exists when types are respected; `None` if that was not found out, or if nobody gets anywhere then.
fn exists_typed(
    subject: &Subject<'_>,
    flat: &Claim,
    settings: &Settings,
    observer: &dyn Observer,
    like: &Brief,
    partial: bool,
) -> Option<bool> {
    let settings = Settings {
        typed: true,
        all: false,
        compare_typed: false,
        search: Options {
            all: false,
            ..settings.search
        },
        ..*settings
    };
    let question = Question {
        store: subject.store,
        systems: &subject.kept.systems,
        program: subject.program(true),
        closed: flat.kind.system()?,
        claim: &flat.kind,
        settings: &settings,
        observer,
    };
    // One that respects types is found after about as many states.
    let found = question.has_attack(like)?;
    if found || partial {
        return Some(found);
    }
    // Where the types let somebody get nowhere, it is no merit of theirs that there is no attack.
    let (store, program) = (question.store, question.program);
    let kept = subject.kept;
    let gate = kept.gate(true, store, program, question.closed, &settings, observer);
    (!gate.ok()?.is_closed()).then_some(false)
}

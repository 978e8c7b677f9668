//! Verdicts for machines: the schema `spi/3`, described in `docs/json.md`.
//!
//! Terms are text in the notation of the language, places are lines and columns counted from 1. Everything but the
//! fields named `seconds` is the same for the same input, whatever the machine and the number of threads.

mod escape;
mod honest;
mod replay;

pub use escape::write;
pub use honest::{HonestDocument, HonestSystem, honest};
pub use replay::{ReplayDocument, Replayed, Stopped, TestDocument, Tested, replayed, tested};

use super::refutation::Telling;
use super::text::reference_of;
use super::{Context, Kind, Spelling, Story, comparison, kinds, kinds_of_attack, reference};
use crate::analysis::{
    AnyNumber, Attack, ClaimResult, Comparison, ComparisonVerdict, Gate, InternalError, Reach,
    Semantics, Verdict,
};
use crate::base::limits::StopReason;
use crate::base::source::{Diagnostic, SourceMap, Span};
use crate::certify::{Derivation, Evidence, MoveKind, Operation, Played, Source};
use crate::engine::equiv::Way;
use crate::process::{Action, Claim, StepId, System};
use crate::term::{TermId, TermStore, application};
use serde::Serialize;

/// The version of the schema.
pub const SCHEMA: &str = "spi/3";

/// Everything about one run of the program.
#[derive(Debug, Serialize)]
pub struct Document {
    /// The version of the schema.
    pub schema: &'static str,
    /// The files, in the order given.
    pub files: Vec<File>,
}

/// What was found out about one file.
#[derive(Debug, Serialize)]
pub struct File {
    /// The path as it was typed.
    pub file: String,
    /// The claims that were checked.
    pub claims: Vec<ClaimEntry>,
    /// Why the file, or a claim of it, was not.
    pub problems: Vec<Problem>,
}

/// Something that could not be done.
#[derive(Debug, Serialize)]
pub struct Problem {
    /// The code of the diagnostic.
    pub code: String,
    /// Its message.
    pub message: String,
    /// Where: the claim, if it is about one.
    pub place: Option<Place>,
}

impl Problem {
    /// The errors among some diagnostics.
    pub fn all<'a>(
        map: &SourceMap,
        diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    ) -> Vec<Problem> {
        let errors = diagnostics.into_iter().filter(|d| d.is_error());
        let one = |d: &Diagnostic| Problem {
            code: d.code.to_string(),
            message: d.message.clone(),
            place: d.labels.first().and_then(|l| place(map, l.span)),
        };
        errors.map(one).collect()
    }
}

/// A claim with its verdict.
#[derive(Debug, Serialize)]
pub struct ClaimEntry {
    /// The claim as one line of source.
    pub claim: String,
    /// Where it stands.
    pub place: Option<Place>,
    /// `holds`, `proof` or `attack`, if the file says so.
    pub expect: Option<&'static str>,
    /// `proved`, `proved for these agents only`, `holds for these runs only`, `reachable`, `attack`, `unreachable`, `vacuous`, `not executable`, `inconclusive`,
    /// `internal error`; for claims that compare systems `equivalent for any number of copies`, `equivalent for these runs only`,
    /// `not equivalent`, for those that ask for one direction `holds for any number of copies`, `holds for these runs only`, `does not hold`.
    pub verdict: &'static str,
    /// Why there is no verdict, for `vacuous`, `inconclusive` and `internal error`.
    pub reason: Option<String>,
    /// What the verdict is about.
    pub scope: Scope,
    /// What it cost.
    pub stats: Stats,
    /// For an attack found untyped: whether one exists when types are respected.
    pub also_typed: Option<bool>,
    /// Role instances that never finish when nobody interferes.
    pub unfinished: Vec<String>,
    /// The attacks, the shortest first; for `reachable` the run that shows it.
    pub runs: Vec<Run>,
    /// For systems that are not equivalent: the test that tells them apart.
    pub test: Option<Test>,
    /// What was seen beyond what is written, if that was looked at.
    pub beyond: Option<Beyond>,
    /// The file with the certificate, if one was written or read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
}

/// What was seen beyond what is written.
#[derive(Debug, Serialize)]
pub struct Beyond {
    /// An attack.
    pub attack: Option<BeyondAttack>,
    /// Every role instance was there twice, and that was searched to the end.
    pub twice: bool,
    /// All assignments of agents to up to this many role instances were searched to the end.
    pub assigned: u32,
    /// States of all searches.
    pub states: u64,
}

/// An attack that needs more than is written.
#[derive(Debug, Serialize)]
pub struct BeyondAttack {
    /// The role instances that are not written, or not as often.
    pub added: Vec<String>,
    /// The declaration of the system with these.
    pub system: Option<String>,
    /// The number for `--sessions` that finds it, or one like it.
    pub sessions: Option<u32>,
    /// The run.
    pub run: Run,
}

/// A place in a file.
#[derive(Clone, Debug, Serialize)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

/// What a verdict is about.
#[derive(Debug, Serialize, Default)]
#[allow(clippy::struct_excessive_bools)]
pub struct Scope {
    /// The system, or both systems.
    pub systems: Vec<String>,
    /// The role instances.
    pub instances: Vec<String>,
    /// How many systems were generated, for `--sessions`.
    pub generated_systems: Option<usize>,
    /// Whether these are all; otherwise a limit was met while they were generated.
    pub generated_complete: Option<bool>,
    /// Of how many role instances each.
    pub generated_instances: Option<u32>,
    /// How many of them were searched to the end without a violation.
    pub generated_finished: Option<usize>,
    /// The claim was proved: `as_written`, `repeated` (each role instance any number of times) or `everyone` (all role instances
    /// that `--sessions` chooses from, any number of times).
    pub proved: Option<&'static str>,
    /// The proof covers every assignment of the declared agents to the roles.
    pub any_agents: bool,
    /// Recursion was cut after this many returns.
    pub recursion_cut: Option<u32>,
    /// Bare `!` was taken as this many copies.
    pub copies: Option<u32>,
    /// The systems are equivalent for any number of copies of each `!`, which was seen with this many.
    pub closed_at: Option<u32>,
    /// With this many copies nothing tells the systems apart either, but one more could do what these can't.
    pub open_at: Option<u32>,
    /// The most exponents of a power `g^x^y`; null if there is no group.
    pub exponents: Option<u32>,
    /// The attacker kept to the declared types.
    pub typed: bool,
    /// Only attackers that leave no role stuck.
    pub transparent: bool,
    /// Internal communication on public channels was left out.
    pub private_semantics: bool,
    /// Only one direction was asked for.
    pub preorder: bool,
}

/// What a verdict cost.
#[derive(Debug, Serialize)]
pub struct Stats {
    /// States (nodes, for comparisons).
    pub states: u64,
    /// Successors that had been seen.
    pub matched: u64,
    /// Depth covered completely.
    pub depth: u32,
    /// Wall time.
    pub seconds: f64,
    /// Clauses of the proof, if nothing was searched.
    pub clauses: Option<usize>,
    /// For comparisons: `joint` if states are nodes, `cones` if they are cones, `congruence` if there are none because the
    /// systems are structurally congruent.
    pub way: Option<&'static str>,
    /// For comparisons: equivalence was established role by role.
    pub role_by_role: bool,
    /// For comparisons: the steps within which the causal cones did not decide, if they did not.
    pub cones_undecided: Option<u64>,
    /// For comparisons: the nodes of joint explorations that did not decide in their turn.
    pub nodes_undecided: Option<u64>,
}

/// A certified run.
#[derive(Debug, Serialize)]
pub struct Run {
    /// For an attack: what it is called, the word that explains most first.
    pub kinds: Vec<String>,
    /// The steps.
    pub steps: Vec<Step>,
    /// What it violates or reaches, in the names of the steps.
    pub shows: String,
}

/// A step of a run.
#[derive(Debug, Serialize)]
pub struct Step {
    /// `send`, `receive`, `communicate`, `event`, `phase` or `lost`, for keys that the attacker gets from nobody.
    pub kind: &'static str,
    /// The role instance; empty for a phase and for what is lost.
    pub role: String,
    /// The receiving role instance of a communication that the attacker does not see.
    pub receiver: Option<String>,
    /// Where it stands.
    pub place: Option<Place>,
    /// The channel.
    pub channel: Option<String>,
    /// The message.
    pub message: Option<String>,
    /// The arguments of an event.
    pub arguments: Vec<String>,
    /// The phase that begins.
    pub phase: Option<u8>,
    /// For a receive: how the attacker made the message.
    pub made: Vec<String>,
    /// For a send: what the attacker learned.
    pub learned: Vec<String>,
}

/// A test that tells two systems apart.
#[derive(Debug, Serialize)]
pub struct Test {
    /// The system that passes: `left` or `right`.
    pub passes: &'static str,
    /// The test as a process.
    pub process: String,
    /// The actions of the environment with their recipes.
    pub actions: Vec<String>,
    /// What must hold in the end.
    pub conditions: Vec<String>,
    /// No test with fewer actions tells the systems apart; otherwise that was not found out.
    pub shortest: bool,
}

/// A span as a place.
pub fn place(map: &SourceMap, span: Span) -> Option<Place> {
    let file = map.get(span.file)?;
    let (line, column) = file.line_column(span.start);
    Some(Place {
        file: file.name.to_string(),
        line,
        column,
    })
}

fn expect(claim: &Claim) -> Option<&'static str> {
    claim.expect.map(super::summary::expectation)
}

/// The entry of a claim about one system.
pub fn claim(ctx: Context<'_>, result: &ClaimResult) -> ClaimEntry {
    let (runs, reason) = match &result.verdict {
        Verdict::Attack(attacks) => (attacks.iter().collect(), result.stopped.map(stopped)),
        Verdict::Holds { run: Some(run) } => (vec![&**run], None),
        Verdict::Inconclusive(reason) => (Vec::new(), Some(stopped(*reason))),
        Verdict::Unconfirmed(reason) => {
            let reason = stopped(*reason);
            (
                Vec::new(),
                Some(format!("{reason}, before a run was confirmed")),
            )
        }
        Verdict::Internal(InternalError::NotConfirmed(e)) => {
            (Vec::new(), Some(e.error.to_string()))
        }
        Verdict::Internal(InternalError::ProofRefused(e)) => (Vec::new(), Some(e.to_string())),
        Verdict::Vacuous(reason) => (Vec::new(), Some(super::vacuity(reason))),
        Verdict::Holds { run: None } | Verdict::Unreachable | Verdict::NotExecutable => {
            (Vec::new(), None)
        }
    };
    let s = &result.scope;
    let unfinished = result.gate.as_ref().map_or_else(Vec::new, |g| {
        g.idle
            .iter()
            .map(|i| instance(ctx.store, &g.system, i.instance()))
            .collect()
    });
    ClaimEntry {
        claim: result.claim.text.clone(),
        place: place(ctx.map, result.claim.span),
        expect: expect(&result.claim),
        verdict: super::summary::word(result.outcome()).0,
        reason,
        scope: Scope {
            systems: vec![s.system.clone()],
            instances: s.instances.clone(),
            generated_systems: s.generated.map(|g| g.systems),
            generated_complete: s.generated.map(|g| g.complete),
            generated_instances: s.generated.map(|g| g.instances),
            generated_finished: s.finished,
            proved: s.proved.map(|reach| match reach {
                Reach::AsWritten => "as_written",
                Reach::Repeated => "repeated",
                Reach::Everyone => "everyone",
            }),
            any_agents: s.any_agents,
            recursion_cut: s.recursion_cut,
            copies: s.copies,
            exponents: s.powers.then_some(2),
            typed: s.typed,
            transparent: s.transparent,
            ..Scope::default()
        },
        stats: Stats {
            states: result.stats.states,
            matched: result.stats.matched,
            depth: result.stats.depth,
            seconds: result.stats.time.as_secs_f64(),
            clauses: result.proof.map(|p| p.clauses),
            way: None,
            role_by_role: false,
            cones_undecided: None,
            nodes_undecided: None,
        },
        also_typed: result.also_typed,
        unfinished,
        runs: runs
            .into_iter()
            .map(|a| {
                let names = match result.verdict {
                    Verdict::Attack(_) => named(ctx, result, a),
                    _ => Vec::new(),
                };
                run(ctx, names, a)
            })
            .collect(),
        test: None,
        beyond: result.wider.as_ref().map(|wider| Beyond {
            attack: wider.attack.as_ref().map(|beyond| BeyondAttack {
                added: super::added(ctx.store, beyond),
                system: super::system_line(ctx, result, beyond),
                sessions: beyond.sessions,
                run: run(
                    ctx,
                    named_alone(ctx, result.gate.as_ref(), &beyond.attack),
                    &beyond.attack,
                ),
            }),
            twice: wider.twice,
            assigned: wider.assigned,
            states: wider.states,
        }),
        certificate: None,
    }
}

/// The entry of a claim that compares systems.
pub fn comparison(names: comparison::Names<'_>, at: Option<&Claim>, c: &Comparison) -> ClaimEntry {
    let test = match &c.verdict {
        ComparisonVerdict::Distinguished(r) | ComparisonVerdict::Bounded(r) => {
            let telling = Telling::new(names, c, r);
            Some(Test {
                passes: match r.experiment.passes {
                    crate::certify::Side::Left => "left",
                    crate::certify::Side::Right => "right",
                },
                process: telling.process(),
                actions: telling.actions(),
                conditions: telling.conditions(),
                shortest: r.shortest,
            })
        }
        _ => None,
    };
    let reason = match &c.verdict {
        ComparisonVerdict::Inconclusive(r) => Some(stopped(*r)),
        ComparisonVerdict::Internal(e) => Some(e.to_string()),
        ComparisonVerdict::Refused(e) => Some(e.to_string()),
        _ => match &c.vacuous {
            Some(vacuity) => Some(super::vacuity(vacuity)),
            None => comparison::doubt(c),
        },
    };
    let (closed_at, open_at) = match c.any_number {
        Some(AnyNumber::Closed(n)) => (Some(n), None),
        Some(AnyNumber::Open(n)) => (None, Some(n)),
        None => (None, None),
    };
    ClaimEntry {
        claim: names.title.to_owned(),
        place: at.and_then(|claim| place(names.map, claim.span)),
        expect: at.and_then(expect),
        verdict: comparison::word(c).0,
        reason,
        scope: Scope {
            systems: vec![names.left.to_owned(), names.right.to_owned()],
            recursion_cut: c.cut().then_some(c.bounds.recursion),
            copies: c.copied().then_some(c.bounds.copies),
            closed_at,
            open_at,
            exponents: c.powers.then_some(2),
            private_semantics: c.semantics == Semantics::Private,
            preorder: c.preorder,
            ..Scope::default()
        },
        stats: Stats {
            states: c.stats.nodes,
            matched: c.stats.matched,
            depth: c.stats.depth,
            seconds: c.stats.time.as_secs_f64(),
            clauses: None,
            way: Some(match c.stats.way {
                Way::Joint => "joint",
                Way::Cones => "cones",
                Way::Congruence => "congruence",
            }),
            role_by_role: c.stats.by_role,
            cones_undecided: c.stats.gave_up,
            nodes_undecided: Some(c.stats.left),
        },
        also_typed: None,
        unfinished: comparison::never_finish(names, c),
        runs: Vec::new(),
        test,
        beyond: None,
        certificate: None,
    }
}

fn stopped(reason: StopReason) -> String {
    super::summary::stopped(reason)
}

/// An instance as it would be written.
fn instance(store: &TermStore, system: &System, id: crate::process::InstanceId) -> String {
    let i = system.instance(system.role_of(id));
    if i.def.is_none() || i.args.is_empty() {
        return i.label.to_string();
    }
    let args: Vec<String> = i.args.iter().map(|a| store.show(*a)).collect();
    format!("{}({})", i.label, args.join(", "))
}

/// What the first attack on a claim is called; empty if there is none.
pub fn kinds_of(ctx: Context<'_>, result: &ClaimResult) -> Vec<String> {
    match &result.verdict {
        Verdict::Attack(attacks) => attacks
            .first()
            .map_or_else(Vec::new, |a| named(ctx, result, a)),
        _ => Vec::new(),
    }
}

/// What an attack is called; the honest run of its system tells who is whose partner.
fn named(ctx: Context<'_>, result: &ClaimResult, attack: &Attack) -> Vec<String> {
    let story = Story::of_attack(ctx, &reference(ctx, result), attack);
    texts(&kinds_of_attack(ctx, result, attack, &story))
}

/// The same for an attack beyond what is written, and for one that was replayed.
fn named_alone(ctx: Context<'_>, gate: Option<&Gate>, attack: &Attack) -> Vec<String> {
    let story = Story::of_attack(ctx, &reference_of(ctx, gate), attack);
    texts(&kinds(ctx, attack, &story, None))
}

fn texts(kinds: &[Kind]) -> Vec<String> {
    kinds.iter().map(ToString::to_string).collect()
}

fn run(ctx: Context<'_>, kinds: Vec<String>, attack: &Attack) -> Run {
    let terms: Vec<TermId> = attack
        .witness
        .moves
        .iter()
        .flat_map(|m| m.kind.terms())
        .collect();
    let spy = ctx
        .program
        .signature
        .spies
        .first()
        .map_or_else(|| "s".to_owned(), |s| ctx.store.show(*s));
    let spelling = Spelling::new(ctx.store, ctx.program, &spy, &terms);
    let show = |t: TermId| spelling.show(ctx.store, t);
    let system = &attack.system;
    let role = |step: StepId| instance(ctx.store, system, system.step(step).instance);
    let step = |p: &Played| {
        let m = &p.action;
        let mut told = Step {
            kind: "event",
            role: role(m.step),
            receiver: None,
            place: place(ctx.map, system.step(m.step).span),
            channel: None,
            message: None,
            arguments: Vec::new(),
            phase: None,
            made: p
                .made
                .as_deref()
                .map_or_else(Vec::new, |d| making(ctx.store, &show, d)),
            learned: p.gained.iter().map(|t| show(*t)).collect(),
        };
        match &m.kind {
            MoveKind::Send { channel, message } => {
                (told.kind, told.channel, told.message) =
                    ("send", Some(show(*channel)), Some(show(*message)));
                if system.lost.contains(&m.step) {
                    // Nobody sends it.
                    (told.kind, told.channel) = ("lost", None);
                    told.role.clear();
                }
            }
            MoveKind::Receive { channel, message } => {
                (told.kind, told.channel, told.message) =
                    ("receive", Some(show(*channel)), Some(show(*message)));
            }
            MoveKind::Communicate {
                receiver,
                channel,
                message,
            } => {
                (told.kind, told.channel, told.message) =
                    ("communicate", Some(show(*channel)), Some(show(*message)));
                told.receiver = Some(role(*receiver));
            }
            MoveKind::Event { args } => {
                told.arguments = args.iter().map(|t| show(*t)).collect();
            }
            MoveKind::Phase { number } => {
                // Nobody's step.
                (told.kind, told.phase, told.place) = ("phase", Some(*number), None);
                told.role.clear();
            }
        }
        told
    };
    let shows = match &attack.replayed.evidence {
        Evidence::Derived(d) => format!("the attacker derives {}", show(d.term)),
        Evidence::Sent { channel, message } => {
            format!(
                "the attacker sends {} on {}",
                show(message.term),
                show(channel.term)
            )
        }
        Evidence::Reached => "the event happens".to_owned(),
        Evidence::Unmatched(events) => {
            let told = |i: usize| {
                let m = attack.witness.moves.get(i)?;
                let (Action::Event { event, .. }, MoveKind::Event { args }) =
                    (&system.step(m.step).action, &m.kind)
                else {
                    return None;
                };
                let args: Vec<String> = args.iter().map(|t| show(*t)).collect();
                let label = &ctx.program.events.get(event.index())?.label;
                Some(format!("{label}({}) in step {}", args.join(", "), i + 1))
            };
            let events: Vec<String> = events.iter().filter_map(|(i, _)| told(*i)).collect();
            format!(
                "no matching earlier event of its own for {}",
                events.join(", ")
            )
        }
    };
    Run {
        kinds,
        steps: attack.replayed.moves.iter().map(step).collect(),
        shows,
    }
}

/// How a message was made, an operation a line; steps are counted from 1.
fn making(
    store: &TermStore,
    show: &impl Fn(TermId) -> String,
    derivation: &Derivation,
) -> Vec<String> {
    derivation
        .operations()
        .into_iter()
        .map(|o| match o {
            Operation::Take {
                term,
                source: Source::Sent(i),
            } => {
                format!("take {} from step {}", show(term), i + 1)
            }
            Operation::Take {
                term,
                source: Source::Initial(_),
            } => {
                format!("take {} from the initial knowledge", show(term))
            }
            Operation::Project { of, term } => format!("take {} out of {}", show(term), show(of)),
            Operation::Open { sealed, key, term } => {
                format!("open {} with {}: {}", show(sealed), show(key), show(term))
            }
            Operation::Destruct {
                destructor,
                args,
                term,
            } => {
                let args: Vec<String> = args.iter().map(|t| show(*t)).collect();
                let label = store.destructor_label(destructor);
                format!("apply {}: {}", application(label, &args), show(term))
            }
            Operation::Build { term } => format!("build {}", show(term)),
        })
        .collect()
}

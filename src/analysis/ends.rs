//! Whether the role instances of systems that are compared get to their ends [Sem 6.4].
//!
//! Systems in which nobody gets anywhere are equivalent, and say nothing about the protocol that was meant. The environment of a comparison
//! may take any part, so an instance is blamed only if it finishes in no honest run *and* nothing that the environment does brings it
//! to its end. A system that is declared `partial` is not asked.

use super::chosen::opened;
use super::gate::{Helps, finishes, helped_run, whole, whole_system};
use super::{Comparison, ComparisonVerdict, Gate, Operand, Settings};
use crate::base::limits::{Observer, Progress};
use crate::process::{ClaimKind, Closed, Program, Shapes, UnfoldError, unfold};
use crate::term::TermStore;

/// Passes on when to stop, and nothing else: what is asked here is small, and each of several processes asks for itself.
struct Alone<'a>(&'a dyn Observer);

impl Observer for Alone<'_> {
    fn progress(&self, _: &Progress) {}

    fn interrupted(&self) -> bool {
        self.0.interrupted()
    }

    fn memory(&self) -> Option<u64> {
        self.0.memory()
    }
}

/// Looks who never gets to an end in two systems, if their comparison came to a verdict.
pub fn look(
    store: &TermStore,
    left: Operand<'_>,
    right: Operand<'_>,
    comparison: &mut Comparison,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<(), UnfoldError> {
    if !is_decided(comparison) {
        return Ok(());
    }
    let alone = Alone(observer);
    for (side, operand) in [left, right].into_iter().enumerate() {
        if !operand.program.systems[operand.closed.system.index()].partial {
            let (program, closed) = (operand.program, operand.closed);
            let gate = helped(store, program, closed, settings, &alone)?;
            comparison.gates[side] = Some(gate);
        }
    }
    Ok(())
}

/// Who finishes where the environment plays along with everybody.
fn helped(
    store: &TermStore,
    program: &Program,
    closed: &Closed,
    settings: &Settings,
    alone: &Alone<'_>,
) -> Result<Gate, UnfoldError> {
    program.without_phases(closed, "honest runs")?;
    let system = whole_system(store, program, closed, settings)?;
    helped_run(store, program, closed, system, Helps::All, settings, alone)
}

/// The same for the comparison that a claim asks for.
pub(super) fn look_at_claim(
    store: &TermStore,
    program: &Program,
    claim: &ClaimKind,
    comparison: &mut Comparison,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<(), UnfoldError> {
    match claim {
        ClaimKind::Equivalence(left, right) | ClaimKind::Preorder(left, right) => {
            let of = |closed| Operand { program, closed };
            look(store, of(left), of(right), comparison, settings, observer)
        }
        ClaimKind::StrongSecrecy { param, system } => {
            let partial = program.systems[system.system.index()].partial;
            if is_decided(comparison) && !partial {
                let alone = Alone(observer);
                let gate = with_message(store, program, system, *param, settings, &alone)?;
                comparison.gates = [Some(gate.clone()), Some(gate)];
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn is_decided(comparison: &Comparison) -> bool {
    let decided = matches!(
        comparison.verdict,
        ComparisonVerdict::Equivalent | ComparisonVerdict::Distinguished(_)
    );
    decided && comparison.vacuous.is_none()
}

/// Strong secrecy is about all messages: the system runs with some message, and who is stuck with that may get on with another one.
fn with_message(
    store: &TermStore,
    program: &Program,
    system: &Closed,
    param: usize,
    settings: &Settings,
    alone: &Alone<'_>,
) -> Result<Gate, UnfoldError> {
    let mut closed = system.clone();
    if let Some(slot) = closed.args.get_mut(param) {
        *slot = store.public("message");
    }
    let mut gate = helped(store, program, &closed, settings, alone)?;
    if gate.idle.is_empty() {
        return Ok(gate);
    }
    let Some((program, closed)) = opened(store, program, system, param) else {
        return Ok(gate);
    };
    let open = unfold(
        &program,
        store,
        &closed,
        whole(settings),
        &mut Shapes::new(),
    )?;
    let ran = gate.system.clone();
    gate.idle.retain(|idle| {
        let one = ran.instance(idle.instance());
        let mut alike = (0u32..)
            .zip(&open.instances)
            .filter(|(_, other)| (other.def, other.span) == (one.def, one.span));
        !alike.any(|(i, _)| {
            let instance = crate::process::InstanceId(i);
            finishes(
                store,
                &program,
                &open,
                instance,
                Helps::All,
                settings,
                alone,
            ) != Some(false)
        })
    });
    Ok(gate)
}

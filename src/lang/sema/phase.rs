//! Phases: their numbers, and that none stands before one that is over.
//!
//! A run's phase only rises. Who has come to a step without `phase` in between is in the phase of the last one on the way,
//! so a smaller number after it would wait for what is over.

use rustc_hash::FxHashSet;

use super::Checker;
use crate::base::source::{Code, Diagnostic, Span};
use crate::process::{Proc, ProcId};

/// The last phase.
pub const MAX_PHASE: u32 = 9;

/// The report that something is not done for systems with phases.
pub fn phases_not_covered(what: &str, needed: Span, phase: Span) -> Diagnostic {
    Diagnostic::new(Code::PhasesNotCovered, format!("{what} know no phases"))
        .at(phase, "a process waits for a phase here")
        .and(needed, "needed for this")
        .help("secrecy, agreement, `reachable` and `unsendable` are decided for systems with phases; for anything else write the system without")
}

impl Checker<'_> {
    /// The number of a phase.
    pub(super) fn phase_number(&mut self, number: u32, at: Span) -> Option<u8> {
        if (1..=MAX_PHASE).contains(&number) {
            return u8::try_from(number).ok();
        }
        let d = Diagnostic::new(Code::PhaseNumber, format!("there is no phase {number}"));
        self.sink.push(if number == 0 {
            d.at(at, "every run begins in phase 0")
                .help("leave `phase 0.` out, or write the phase that this waits for: `phase 1.`")
        } else {
            d.at(at, format!("phases are numbered from 1 to {MAX_PHASE}"))
                .help("number the phases that there are 1, 2, ..")
        });
        None
    }

    /// Follows all ways through the definitions and systems, each definition from the phases in which it is entered.
    pub(super) fn check_phases(&mut self) {
        let has_phase = |p: &Proc| matches!(p, Proc::Phase { .. });
        if !self.program.procs.iter().any(has_phase) {
            return;
        }
        let definitions = self.program.definitions.iter().map(|d| d.body.root);
        let systems = self.program.systems.iter().map(|s| s.body.root);
        // The phase of a place, and where it was waited for.
        let roots = definitions.chain(systems);
        let mut work: Vec<(ProcId, Option<(u8, Span)>)> = roots.map(|p| (p, None)).collect();
        let mut seen: FxHashSet<(ProcId, u8)> = FxHashSet::default();
        let mut reported: FxHashSet<Span> = FxHashSet::default();
        while let Some((proc, phase)) = work.pop() {
            let current = phase.map_or(0, |(n, _)| n);
            if !seen.insert((proc, current)) {
                continue;
            }
            match self.program.proc(proc) {
                Proc::Phase { number, then, span } => {
                    let (number, then, span) = (*number, *then, *span);
                    if let Some((over, before)) = phase.filter(|(over, _)| number < *over)
                        && reported.insert(span)
                    {
                        let message = format!("phase {number} is over when phase {over} has begun");
                        let d = Diagnostic::new(Code::PhaseFalls, message);
                        self.sink.push(
                            d.at(span, "nobody gets any further here")
                                .and(before, "this comes before it")
                                .help("phases on the way of one process must not fall"),
                        );
                    }
                    work.push((then, Some((number.max(current), span))));
                }
                Proc::Call { def, .. } => {
                    let root = self.program.definitions.get(def.index());
                    work.extend(root.map(|d| (d.body.root, phase)));
                }
                other => work.extend(other.parts().into_iter().map(|p| (p, phase))),
            }
        }
    }
}

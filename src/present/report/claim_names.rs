//! What the systems of a claim that compares are called.

use super::comparison::Names;
use super::story::Context;
use crate::process::{Claim, ClaimKind, Closed};

/// The names of the systems that a claim compares.
pub struct ClaimNames<'a> {
    claim: &'a Claim,
    left: String,
    right: String,
    note: Option<String>,
}

impl<'a> ClaimNames<'a> {
    /// The names of the systems; empty for a claim about one system.
    pub fn new(ctx: Context<'_>, claim: &'a Claim) -> ClaimNames<'a> {
        let program = ctx.program;
        let name = |c: &Closed| {
            let label = &program.systems[c.system.index()].label;
            let args: Vec<String> = c.args.iter().map(|a| ctx.store.show(*a)).collect();
            if args.is_empty() {
                label.to_string()
            } else {
                format!("{label}({})", args.join(", "))
            }
        };
        let (left, right, note) = match &claim.kind {
            ClaimKind::Equivalence(l, r) | ClaimKind::Preorder(l, r) => (name(l), name(r), None),
            ClaimKind::StrongSecrecy { param, system } => {
                let system = &program.systems[system.system.index()];
                let label = &system.label;
                let param = system.body.params.get(*param);
                let param = param.map_or("it", |p| &*program.vars[*p as usize].label);
                let note = format!(
                    "The environment first sends two messages on `choose`: {label}(first) runs with the first of them for {param}, {label}(second) with the second."
                );
                (
                    format!("{label}(first)"),
                    format!("{label}(second)"),
                    Some(note),
                )
            }
            _ => (String::new(), String::new(), None),
        };
        ClaimNames {
            claim,
            left,
            right,
            note,
        }
    }

    /// The names alone.
    pub fn systems(&self) -> (&str, &str) {
        (&self.left, &self.right)
    }

    /// The names with the texts they stand in.
    pub fn of(&'a self, ctx: Context<'a>) -> Names<'a> {
        Names {
            store: ctx.store,
            map: ctx.map,
            title: &self.claim.text,
            left: &self.left,
            right: &self.right,
            note: self.note.as_deref(),
            programs: [ctx.program; 2],
            expected: self.claim.expect,
        }
    }
}

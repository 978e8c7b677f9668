//! Tests of the trusted core on systems built without a parser.

mod attack;
mod experiment;

use crate::base::source::{FileId, Span};
use crate::process::{
    Body, Bounds, Closed, DefId, Definition, EventId, NewName, Proc, ProcId, Program, Shapes,
    SiteId, StepId, System, SystemDecl, SystemId, Test, TestKind, Type, VarInfo, unfold,
};
use crate::term::{TermId, TermStore};

fn nowhere() -> Span {
    Span::new(FileId(0), 0..0)
}

/// Builds programs without a parser.
struct Builder<'a> {
    s: &'a TermStore,
    p: Program,
}

impl<'a> Builder<'a> {
    fn new(s: &'a TermStore) -> Self {
        Self {
            s,
            p: Program::default(),
        }
    }

    fn var(&mut self, ty: Type) -> u32 {
        self.p.vars.push(VarInfo {
            label: format!("v{}", self.p.vars.len()).into(),
            ty,
            span: nowhere(),
        });
        self.p.vars.len() as u32 - 1
    }

    fn site(&mut self, label: &str, def: Option<DefId>) -> (SiteId, TermId) {
        let var = self.var(Type::Nonce);
        self.p.sites.push(NewName {
            var,
            label: label.into(),
            ty: Type::Nonce,
            def,
            span: nowhere(),
        });
        (SiteId(self.p.sites.len() as u32 - 1), self.s.var(var))
    }

    fn nil(&mut self) -> ProcId {
        self.p.add(Proc::Nil)
    }

    fn out(&mut self, channel: TermId, message: TermId, then: ProcId) -> ProcId {
        let span = nowhere();
        self.p.add(Proc::Output {
            channel,
            message,
            then,
            span,
        })
    }

    fn input(&mut self, channel: TermId, binder: u32, then: ProcId) -> ProcId {
        let span = nowhere();
        self.p.add(Proc::Input {
            channel,
            binder,
            then,
            span,
        })
    }

    fn test(&mut self, equations: Vec<(TermId, TermId)>, binds: Vec<u32>, then: ProcId) -> ProcId {
        let otherwise = self.nil();
        let test = Test {
            kind: TestKind::Decrypt,
            equations,
            binds,
            has_else: false,
            span: nowhere(),
        };
        self.p.add(Proc::Test(test, then, otherwise))
    }

    fn event(&mut self, event: u32, args: Vec<TermId>, then: ProcId) -> ProcId {
        let (event, span) = (EventId(event), nowhere());
        self.p.add(Proc::Event {
            event,
            args,
            then,
            span,
        })
    }

    fn call(&mut self, def: u32, args: Vec<TermId>) -> ProcId {
        let (def, span) = (DefId(def), nowhere());
        self.p.add(Proc::Call { def, args, span })
    }

    fn define(&mut self, label: &str, params: Vec<u32>, root: ProcId) {
        self.p.definitions.push(Definition {
            label: label.into(),
            body: Body { params, root },
            span: nowhere(),
            speaker: None,
        });
    }

    fn system(&mut self, root: ProcId) -> System {
        self.p.systems.push(SystemDecl {
            label: "S".into(),
            body: Body {
                params: vec![],
                root,
            },
            partial: true,
            span: nowhere(),
        });
        unfold(
            &self.p,
            self.s,
            &closed(),
            Bounds::default(),
            &mut Shapes::new(),
        )
        .unwrap()
    }
}

fn closed() -> Closed {
    Closed::new(SystemId(0), vec![])
}

/// The steps of an instance in the order of the run; unfolding numbers them from the leaves up.
fn steps_of(system: &System, instance: usize) -> Vec<StepId> {
    let mut steps: Vec<StepId> = (0..system.steps.len() as u32)
        .map(StepId)
        .filter(|s| system.step(*s).instance.index() == instance)
        .filter(|s| {
            matches!(
                system.step(*s).action,
                crate::process::Action::Output { .. }
                    | crate::process::Action::Input { .. }
                    | crate::process::Action::Event { .. }
            )
        })
        .collect();
    steps.reverse();
    steps
}

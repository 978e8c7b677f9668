//! Strong secrecy as an equivalence: the two systems of such a claim.

use crate::process::{
    Body, Closed, DefId, Definition, Proc, Program, SystemDecl, SystemId, Test, TestKind, Type,
    VarInfo,
};
use crate::term::TermStore;
use std::sync::Arc;

/// The channel on which the environment hands over the two messages of a strong-secrecy claim.
pub const CHOOSE: &str = "choose";

/// The system of a strong-secrecy claim with a message that the environment chooses, once for the parameter.
pub(super) fn opened(
    store: &TermStore,
    program: &Program,
    system: &Closed,
    param: usize,
) -> Option<(Program, Closed)> {
    let mut program = program.clone();
    let decl = program.systems[system.system.index()].clone();
    let mut params = decl.body.params.clone();
    let mut args = system.args.clone();
    if param >= params.len() || param >= args.len() {
        return None;
    }
    let binder = params.remove(param);
    args.remove(param);
    let root = program.add(Proc::Input {
        channel: store.public(CHOOSE),
        binder,
        then: decl.body.root,
        span: decl.span,
    });
    program.systems.push(SystemDecl {
        body: Body { params, root },
        ..decl
    });
    let lost = system.lost.clone();
    let system = SystemId(program.systems.len() as u32 - 1);
    Some((program, Closed { system, args, lost }))
}

/// The two systems of a strong-secrecy claim: the environment first hands over two messages; the one system goes on
/// with the first of them as the parameter, the other with the second. That quantifies over any two messages the
/// environment can make.
pub(super) fn chosen(
    store: &TermStore,
    program: &Program,
    system: &Closed,
    param: usize,
) -> (Program, Closed, Closed) {
    let mut program = program.clone();
    let decl = program.systems[system.system.index()].clone();
    program.definitions.push(Definition {
        label: decl.label.clone(),
        body: decl.body.clone(),
        span: decl.span,
        speaker: None,
    });
    let def = DefId(program.definitions.len() as u32 - 1);
    let mut system_with = |which: usize| -> Closed {
        let mut var = |label: &str| {
            program.vars.push(VarInfo {
                label: Arc::from(label),
                ty: Type::Msg,
                span: decl.span,
            });
            program.vars.len() as u32 - 1
        };
        let (both, one, two) = (var("both"), var("one"), var("two"));
        let mut args = system.args.clone();
        if let Some(slot) = args.get_mut(param) {
            *slot = store.var([one, two][which]);
        }
        let nil = program.add(Proc::Nil);
        let call = program.add(Proc::Call {
            def,
            args,
            span: decl.span,
        });
        let test = Test {
            kind: TestKind::Let,
            equations: vec![(store.var(both), store.pair(store.var(one), store.var(two)))],
            binds: vec![one, two],
            has_else: false,
            span: decl.span,
        };
        let split = program.add(Proc::Test(test, call, nil));
        let root = program.add(Proc::Input {
            channel: store.public(CHOOSE),
            binder: both,
            then: split,
            span: decl.span,
        });
        program.systems.push(SystemDecl {
            label: decl.label.clone(),
            body: Body {
                params: Vec::new(),
                root,
            },
            partial: true,
            span: decl.span,
        });
        Closed {
            lost: system.lost.clone(),
            ..Closed::new(SystemId(program.systems.len() as u32 - 1), Vec::new())
        }
    };
    let (left, right) = (system_with(0), system_with(1));
    (program, left, right)
}

//! A system with every role instance there twice.
//!
//! A role instance is a definition that the system instantiates under restrictions, replications and parallel composition alone. Its
//! twin stands beside it, in the scope of the same restrictions: it is one more run with the same long-term secrets. What the system does
//! itself, in its own name, is done once.

use crate::process::{Closed, Proc, ProcId, Program, SystemDecl, SystemId};

/// Extends the program by the system with twins; `None` if it has no role instances.
pub fn twice(program: &Program, closed: &Closed) -> Option<(Program, Closed)> {
    let decl = program.systems[closed.system.index()].clone();
    let mut extended = program.clone();
    let root = twins(&mut extended, decl.body.root);
    if root == decl.body.root {
        return None;
    }
    let mut doubled = SystemDecl {
        partial: true,
        ..decl
    };
    doubled.body.root = root;
    extended.systems.push(doubled);
    let system = SystemId(extended.systems.len() as u32 - 1);
    let closed = closed.clone();
    Some((extended, Closed { system, ..closed }))
}

/// The process with twins; itself if there are none.
fn twins(program: &mut Program, proc: ProcId) -> ProcId {
    match program.proc(proc).clone() {
        Proc::Call { .. } => program.add(Proc::Par(vec![proc, proc])),
        Proc::Par(parts) => {
            let twice: Vec<ProcId> = parts.iter().map(|p| twins(program, *p)).collect();
            if twice == parts {
                return proc;
            }
            program.add(Proc::Par(twice))
        }
        Proc::New(sites, then) => match twins(program, then) {
            same if same == then => proc,
            then => program.add(Proc::New(sites, then)),
        },
        Proc::Replicate { copies, body, span } => match twins(program, body) {
            same if same == body => proc,
            body => program.add(Proc::Replicate { copies, body, span }),
        },
        Proc::Nil
        | Proc::Output { .. }
        | Proc::Input { .. }
        | Proc::Phase { .. }
        | Proc::Test(..)
        | Proc::Event { .. } => proc,
    }
}

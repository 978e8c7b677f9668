//! Role instances that the attacker can play itself.
//!
//! An instance with a spy among its agents that uses no key which the attacker lacks: whatever it sends, the attacker can make
//! of what was received, and no claim protects it. Left out, it is not missed.

use crate::process::{DefId, Proc, Program};
use crate::term::{FamilyKind, TermId, TermStore, View};

/// Whether the instance uses only keys that the attacker has: its messages are the attacker's anyway.
pub(super) fn is_spys_own(
    program: &Program,
    store: &TermStore,
    def: DefId,
    args: &[TermId],
) -> bool {
    let public = |t: &TermId| matches!(store.view(*t), View::Name(n) if store.name_info(n).class.is_public());
    if !args.iter().any(|a| store.is_spy(*a)) || !args.iter().all(public) {
        return false;
    }
    let body = &program.definitions[def.index()].body;
    let value = |t: TermId| {
        store.map_atoms(t, &mut |atom| {
            let i = body.params.iter().position(|p| store.var(*p) == atom)?;
            Some(args[i])
        })
    };
    let made = |t: &TermId| !needs_secret(store, value(*t), true);
    let tested = |t: &TermId| !needs_secret(store, value(*t), false);
    let mut stack = vec![body.root];
    while let Some(p) = stack.pop() {
        let own = match program.proc(p) {
            Proc::Nil => true,
            Proc::Par(parts) => {
                stack.extend(parts);
                true
            }
            Proc::New(_, then) => {
                stack.push(*then);
                true
            }
            Proc::Output {
                channel,
                message,
                then,
                ..
            } => {
                stack.push(*then);
                made(channel) && made(message)
            }
            Proc::Input { channel, then, .. } => {
                stack.push(*then);
                made(channel)
            }
            Proc::Test(test, then, otherwise) => {
                stack.extend([*then, *otherwise]);
                test.equations.iter().all(|(a, b)| tested(a) && tested(b))
            }
            Proc::Event { args, then, .. } => {
                stack.push(*then);
                args.iter().all(made)
            }
            // What is instantiated inside is not looked into. The attacker decides when a phase begins, but only if somebody waits
            // for it.
            Proc::Call { .. } | Proc::Phase { .. } => false,
            Proc::Replicate { body, .. } => {
                stack.push(*body);
                true
            }
        };
        if !own {
            return false;
        }
    }
    true
}

/// Whether the attacker may lack something that the term is made of. Who makes a term needs no more of a key pair than whose it is to have
/// its public part; in a test the public part may stand for decryption with the private one.
fn needs_secret(store: &TermStore, t: TermId, makes: bool) -> bool {
    let mut secret = false;
    store.visit(t, &mut |s| {
        match store.view(s) {
            View::Pub(k) if makes => {
                if let Some(owners) = owners(store, k) {
                    secret |= owners.iter().any(|o| needs_secret(store, *o, makes));
                    return false;
                }
            }
            View::Family(_, args) => secret |= !args.iter().any(|a| store.is_spy(*a)),
            View::Function(f, _) => secret |= store.function_info(f).private,
            View::Name(n) => secret |= !store.name_info(n).class.is_public(),
            _ => {}
        }
        !secret
    });
    secret
}

/// Whose key pair a member of a family is.
fn owners(store: &TermStore, key: TermId) -> Option<&[TermId]> {
    match store.view(key) {
        View::Family(f, args) if store.family_info(f).kind == FamilyKind::KeyPair => Some(args),
        _ => None,
    }
}

//! The claims of a file against attackers that get keys: those of the one that the claim is about, or everybody's when all is over.

use crate::analysis::Model;
use crate::base::source::Span;
use crate::lang::syntax::ast::{
    Claim, ClaimKind, DeclKind, Ident, Part, SystemRef, Term, TermKind,
};
use crate::term::{FamilyKind, TermStore};
use std::ops::Range;

/// What the attacker gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adversary {
    /// Nothing but what the file says.
    AsWritten,
    /// The long-term keys of the agent that the claim is about, from the start: key-compromise impersonation.
    OwnKeys,
    /// All long-term keys, when all roles are gone: forward secrecy.
    KeysLater,
}

/// All of them, with their names.
pub(crate) const ADVERSARIES: [(Adversary, &str); 3] = [
    (Adversary::AsWritten, "as written"),
    (Adversary::OwnKeys, "own keys lost"),
    (Adversary::KeysLater, "keys lost later"),
];

/// A claim of the file, and the claims to be decided for each of `ADVERSARIES`; none where it does not apply.
#[derive(Debug)]
pub struct Row {
    /// The claim as it is written.
    pub text: String,
    /// Numbers of claims of the model.
    pub claims: [Vec<Range<usize>>; 3],
}

/// Adds the claims to the model. Comparisons, and claims that speak of lost keys already, have no row.
pub fn adversaries(model: &mut Model, system: Option<&str>) -> Vec<Row> {
    let tree = model.tree.expanded().into_owned();
    let claims = tree.decls.iter().filter_map(|decl| match &decl.kind {
        DeclKind::Claim(claim) => Some(claim),
        _ => None,
    });
    let mut rows = Vec::new();
    for claim in claims {
        let Some(about) = plain_system(&claim.kind) else {
            continue;
        };
        if system.is_some_and(|s| s != &*about.name.name) {
            continue;
        }
        let Some(as_written) = add(model, claim.kind.clone(), claim.span) else {
            continue;
        };
        let spelled = || model.claims()[as_written.start].text.clone();
        let text = claim
            .goal
            .as_ref()
            .map_or_else(spelled, ToString::to_string);
        let mut own = Vec::new();
        for keys in keys_of_agents(model, claim.span) {
            let mut kind = claim.kind.clone();
            if has_event(&kind)
                && let Some(system) = system_mut(&mut kind)
            {
                system.given = keys;
                own.extend(add(model, kind, claim.span));
            }
        }
        let mut later = Vec::new();
        if let ClaimKind::Secrecy { .. } = claim.kind {
            let mut kind = claim.kind.clone();
            if let ClaimKind::Secrecy { forward, .. } = &mut kind {
                *forward = Some(claim.span);
            }
            later.extend(add(model, kind, claim.span));
        }
        rows.push(Row {
            text,
            claims: [vec![as_written], own, later],
        });
    }
    rows
}

/// The system of a claim that says nothing of lost keys.
fn plain_system(kind: &ClaimKind) -> Option<&SystemRef> {
    let (ClaimKind::Secrecy {
        forward: None,
        system,
        ..
    }
    | ClaimKind::Correspondence { system, .. }) = kind
    else {
        return None;
    };
    system.given.is_empty().then_some(system)
}

fn system_mut(kind: &mut ClaimKind) -> Option<&mut SystemRef> {
    match kind {
        ClaimKind::Secrecy { system, .. } | ClaimKind::Correspondence { system, .. } => {
            Some(system)
        }
        _ => None,
    }
}

/// Whether the claim is about what somebody has marked.
fn has_event(kind: &ClaimKind) -> bool {
    match kind {
        ClaimKind::Secrecy { after, .. } => after.is_some(),
        ClaimKind::Correspondence { .. } => true,
        _ => false,
    }
}

/// Adds a claim in both lowerings; none if it says nothing that can be asked.
fn add(model: &mut Model, kind: ClaimKind, span: Span) -> Option<Range<usize>> {
    let claim = Claim {
        kind,
        expect: None,
        goal: None,
        span,
    };
    let (numbers, _) = model.nested.add_claim(&model.store, &claim);
    model.flat.add_claim(&model.store, &claim);
    (!numbers.is_empty()).then_some(numbers)
}

/// For each declared honest agent the keys that are its alone.
fn keys_of_agents(model: &Model, span: Span) -> Vec<Vec<Term>> {
    let (store, signature) = (&model.store, &model.nested.program.signature);
    let families: Vec<(FamilyKind, String)> = (signature.families.iter())
        .map(|f| store.family_info(*f))
        .filter(|info| info.arity == 1)
        .map(|info| (info.kind, info.label.to_string()))
        .collect();
    let agents = signature.agents.iter();
    agents
        .map(|a| name(store, *a))
        .map(|agent| families.iter().map(|f| key(f, &agent, span)).collect())
        .filter(|keys: &Vec<Term>| !keys.is_empty())
        .collect()
}

fn name(store: &TermStore, agent: crate::term::TermId) -> String {
    store.show(agent)
}

/// `K(A)-` or `L(A)`.
fn key((kind, label): &(FamilyKind, String), agent: &str, span: Span) -> Term {
    let term = |kind| Term { kind, span };
    let head = Ident {
        name: label.as_str().into(),
        span,
    };
    let member = term(TermKind::Apply(
        head,
        vec![term(TermKind::Name(agent.into()))],
    ));
    match kind {
        FamilyKind::KeyPair => term(TermKind::Part(Box::new(member), Part::Private)),
        FamilyKind::Symmetric => member,
    }
}

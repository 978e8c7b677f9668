//! Does the submission claim as much as the exercise? Claims are compared by their trees. Layout,
//! names of variables and `expect` do not matter. Several secrets may be claimed together or one by
//! one.

use crate::lang::syntax::ast::{
    Claim, ClaimKind, Correspondence, Decl, DeclKind, EventArg, EventPattern, Expect, File, Name,
    SecrecyTarget, Term, TermKind, agents,
};
use crate::lang::syntax::dump;
use rustc_hash::FxHashMap;

use super::ParsedFile;
use super::same_declarations::text;

/// A claim of the exercise that is not there as it was: the claim, and what became of it.
pub(super) fn lost_claim(given: &ParsedFile, own: &ParsedFile) -> Option<(String, String)> {
    let theirs: Vec<(Plain, String)> = claims(&own.tree)
        .flat_map(|c| {
            let shown = shown(own, c);
            plain(c, &given.tree)
                .into_iter()
                .map(move |p| (p, shown.clone()))
        })
        .collect();
    for claim in claims(&given.tree) {
        for wanted in plain(claim, &given.tree) {
            if theirs.iter().any(|(t, _)| t.covers(&wanted)) {
                continue;
            }
            let text = shown(given, claim);
            let weaker = theirs
                .iter()
                .find(|(t, _)| wanted.strength.is_some() && t.core == wanted.core);
            let how = match weaker {
                Some((_, now)) => format!("`{text}` became `{now}`"),
                None => format!("`{text}` is gone or changed"),
            };
            return Some((text, how));
        }
    }
    None
}

fn claims(tree: &File) -> impl Iterator<Item = &Claim> {
    tree.decls.iter().filter_map(|d| match &d.kind {
        DeclKind::Claim(claim) => Some(claim),
        _ => None,
    })
}

/// A claim as written, without its expectation.
fn shown(paper: &ParsedFile, claim: &Claim) -> String {
    let all = text(&paper.file, claim.span);
    let end = match claim.expect {
        Some(Expect::Holds) => " expect holds",
        Some(Expect::Proof) => " expect proof",
        Some(Expect::Attack) => " expect attack",
        None => "",
    };
    all.strip_suffix(end).unwrap_or(&all).to_owned()
}

/// A claim in which only what matters is left.
struct Plain {
    /// How much is compared, for an agreement.
    strength: Option<u8>,
    core: String,
}

impl Plain {
    /// Whether this says as much.
    fn covers(&self, other: &Plain) -> bool {
        self.core == other.core && self.strength >= other.strength
    }
}

/// The parts of a claim: one for each target of a secrecy claim.
fn plain(claim: &Claim, tree: &File) -> Vec<Plain> {
    let mut strength = None;
    let mut kinds = vec![claim.kind.clone()];
    match &claim.kind {
        ClaimKind::Secrecy {
            forward,
            targets,
            after,
            system,
        } => {
            let one = |t: &SecrecyTarget| ClaimKind::Secrecy {
                forward: *forward,
                targets: vec![t.clone()],
                after: after.clone(),
                system: system.clone(),
            };
            kinds = targets.iter().map(one).collect();
        }
        ClaimKind::Correspondence { strength: s, .. } => {
            strength = Some(match s {
                Correspondence::Aliveness => 0,
                Correspondence::Weak => 1,
                Correspondence::Agreement => 2,
                Correspondence::Injective => 3,
            });
        }
        _ => {}
    }
    let core = |mut kind: ClaimKind| {
        rename(&mut kind, tree);
        dump::file(&File {
            decls: vec![Decl {
                kind: DeclKind::Claim(Claim {
                    kind,
                    expect: None,
                    goal: None,
                    span: claim.span,
                }),
                span: claim.span,
            }],
            span: claim.span,
            broken: false,
            used: Vec::new(),
        })
    };
    kinds
        .into_iter()
        .map(|kind| Plain {
            strength,
            core: core(kind),
        })
        .collect()
}

/// Gives the variables of a claim names in the order in which they occur.
fn rename(kind: &mut ClaimKind, tree: &File) {
    let mut names = Renaming {
        tree,
        given: FxHashMap::default(),
    };
    match kind {
        ClaimKind::Secrecy {
            targets,
            after: Some(event),
            ..
        } => {
            names.event(event);
            for target in targets {
                match target {
                    SecrecyTarget::Name(name) => {
                        if let Some(new) = names.given.get(&name.name) {
                            name.name = new.clone();
                        }
                    }
                    SecrecyTarget::Term(t) => names.term(t),
                    SecrecyTarget::Instance { .. } => {}
                }
            }
        }
        ClaimKind::Correspondence {
            strength,
            then,
            before,
            ..
        } => {
            *strength = Correspondence::Agreement;
            names.event(then);
            names.event(before);
        }
        ClaimKind::Reachable { event, .. } => names.event(event),
        _ => {}
    }
}

struct Renaming<'a> {
    tree: &'a File,
    given: FxHashMap<Name, Name>,
}

impl Renaming<'_> {
    fn event(&mut self, event: &mut EventPattern) {
        for arg in &mut event.args {
            if let EventArg::Term(t) = arg {
                self.term(t);
            }
        }
    }

    fn term(&mut self, term: &mut Term) {
        match &mut term.kind {
            TermKind::Name(name) => {
                if !declares(self.tree, name) {
                    let next = self.given.len();
                    let new = self
                        .given
                        .entry(name.clone())
                        .or_insert_with(|| format!("v{next}").into());
                    *name = new.clone();
                }
            }
            TermKind::Apply(_, args) | TermKind::Tuple(args) | TermKind::Hash(args) => {
                for t in args.iter_mut() {
                    self.term(t);
                }
            }
            TermKind::Encrypt(_, args, key) => {
                for t in args.iter_mut() {
                    self.term(t);
                }
                self.term(key);
            }
            TermKind::Power(base, exponent) => {
                self.term(base);
                self.term(exponent);
            }
            TermKind::Suc(inner) | TermKind::Part(inner, _) => self.term(inner),
            TermKind::Int(_) | TermKind::Error => {}
        }
    }
}

/// Whether a file declares a name that can stand in a claim.
fn declares(tree: &File, name: &Name) -> bool {
    tree.decls.iter().any(|d| match &d.kind {
        DeclKind::Agents(list) | DeclKind::Spies(list) => agents(list).any(|n| n.name == *name),
        DeclKind::Channels(list) => list.iter().any(|n| n.name == *name),
        DeclKind::Public(list) | DeclKind::Private(list) => {
            list.iter().any(|b| b.name.name == *name)
        }
        DeclKind::Keypairs(list) | DeclKind::Keys(list) => {
            list.iter().any(|f| f.name.name == *name)
        }
        DeclKind::Functions(list) => list.iter().any(|f| f.name.name == *name),
        DeclKind::Destructors(list) => list.iter().any(|r| r.name.name == *name),
        DeclKind::Groups(list) => list.iter().any(|g| g.names().any(|n| n.name == *name)),
        _ => false,
    })
}

//! Parts of the tree as one line of source, for messages and for the text of claims.

use std::fmt::Write;

use crate::lang::syntax::ast::{
    Cipher, ClaimKind, Correspondence, EventArg, EventPattern, Part, Relation, SecrecyTarget,
    SystemRef, Term, TermKind,
};

/// A term.
pub(super) fn term(t: &Term) -> String {
    match &t.kind {
        TermKind::Name(name) => name.to_string(),
        TermKind::Apply(head, args) => format!("{head}({})", list(args)),
        TermKind::Int(n) => n.to_string(),
        TermKind::Suc(inner) => format!("suc({})", term(inner)),
        TermKind::Tuple(parts) => format!("({})", list(parts)),
        TermKind::Hash(parts) => format!("H({})", list(parts)),
        TermKind::Encrypt(cipher, parts, key) => {
            let (open, close) = match cipher {
                Cipher::Braces => ("{", "}"),
                Cipher::Public => ("{[", "]}"),
                Cipher::Signature => ("[{", "}]"),
            };
            format!("{open}{}{close}{}", list(parts), term(key))
        }
        TermKind::Part(pair, part) => {
            let sign = if *part == Part::Public { '+' } else { '-' };
            // `{a}k+` would be an encryption with `k+`.
            match pair.kind {
                TermKind::Encrypt(..) | TermKind::Power(..) => format!("({}){sign}", term(pair)),
                _ => format!("{}{sign}", term(pair)),
            }
        }
        TermKind::Power(base, exponent) => {
            let (base, exponent) = (
                grouped(base, matches!(base.kind, TermKind::Encrypt(..))),
                grouped(
                    exponent,
                    matches!(exponent.kind, TermKind::Encrypt(..) | TermKind::Power(..)),
                ),
            );
            format!("{base}^{exponent}")
        }
        TermKind::Error => "?".to_owned(),
    }
}

fn grouped(t: &Term, brackets: bool) -> String {
    if brackets {
        format!("({})", term(t))
    } else {
        term(t)
    }
}

/// Several terms.
pub(super) fn list(terms: &[Term]) -> String {
    terms.iter().map(term).collect::<Vec<_>>().join(", ")
}

/// What is to stay secret.
pub(super) fn target(t: &SecrecyTarget) -> String {
    match t {
        SecrecyTarget::Name(name) => name.to_string(),
        SecrecyTarget::Instance {
            role, args, name, ..
        } => format!("{role}({}).{name}", list(args)),
        SecrecyTarget::Term(t) if matches!(t.kind, TermKind::Tuple(_)) => term(t),
        SecrecyTarget::Term(t) => format!("({})", term(t)),
    }
}

/// An event of a claim.
pub(super) fn event(e: &EventPattern) -> String {
    let args: Vec<String> = e
        .args
        .iter()
        .map(|a| match a {
            EventArg::Any(_) => "_".to_owned(),
            EventArg::Term(t) => term(t),
        })
        .collect();
    if args.is_empty() {
        e.name.to_string()
    } else {
        format!("{}({})", e.name, args.join(", "))
    }
}

/// A system of a claim.
pub(super) fn system(s: &SystemRef) -> String {
    let mut out = s.name.to_string();
    if !s.args.is_empty() {
        let _ = write!(out, "({})", list(&s.args));
    }
    if !s.given.is_empty() {
        let _ = write!(out, " given {}", list(&s.given));
    }
    if !s.unless.is_empty() {
        let events: Vec<String> = s.unless.iter().map(event).collect();
        let _ = write!(out, " unless {}", events.join(", "));
    }
    out
}

/// A claim without its expectation.
pub(super) fn claim(kind: &ClaimKind) -> String {
    let mut out = String::new();
    let _ = match kind {
        ClaimKind::Secrecy {
            forward,
            targets,
            after,
            system: s,
        } => {
            let forward = forward.map_or("", |_| "forward ");
            let targets: Vec<String> = targets.iter().map(target).collect();
            let after = after
                .as_ref()
                .map_or(String::new(), |e| format!(" after {}", event(e)));
            write!(
                out,
                "{forward}secrecy {}{after} in {}",
                targets.join(", "),
                system(s)
            )
        }
        ClaimKind::Correspondence {
            strength,
            then,
            before,
            system: s,
        } => {
            let word = match strength {
                Correspondence::Agreement => "agreement",
                Correspondence::Injective => "injective agreement",
                Correspondence::Weak => "weak agreement",
                Correspondence::Aliveness => "aliveness",
            };
            write!(
                out,
                "{word} {} => {} in {}",
                event(then),
                event(before),
                system(s)
            )
        }
        ClaimKind::Reachable {
            event: e,
            system: s,
        } => write!(out, "reachable {} in {}", event(e), system(s)),
        ClaimKind::Unsendable {
            channel,
            message,
            system: s,
        } => write!(
            out,
            "unsendable {}<{}> in {}",
            term(channel),
            list(message),
            system(s)
        ),
        ClaimKind::StrongSecrecy { params, system: s } => {
            let params: Vec<String> = params.iter().map(ToString::to_string).collect();
            write!(out, "strong secrecy {} in {}", params.join(", "), system(s))
        }
        ClaimKind::Compare {
            relation,
            left,
            right,
        } => {
            let sign = match relation {
                Relation::Equivalent => "~",
                Relation::Preorder => "<=",
            };
            write!(out, "{} {sign} {}", system(left), system(right))
        }
    };
    out
}

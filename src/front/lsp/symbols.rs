//! The outline of a file.

use gen_lsp_types::{DocumentSymbol, SymbolKind};

use super::snapshot::Snapshot;
use crate::base::source::Span;
use crate::base::source::visible::visible;
use crate::lang::syntax::ast::{DeclKind, Ident, agents};

/// The declarations of a file, in its order.
pub fn symbols(snapshot: &Snapshot) -> Vec<DocumentSymbol> {
    let mut found = Vec::new();
    for decl in &snapshot.tree.decls {
        let mut add = |name: &Ident, whole: Span, detail: &str, kind: SymbolKind| {
            found.push(symbol(snapshot, &name.name, whole, name.span, detail, kind));
        };
        match &decl.kind {
            DeclKind::Agents(groups) => {
                for name in agents(groups) {
                    add(name, name.span, "agent", SymbolKind::Constant);
                }
            }
            DeclKind::Spies(groups) => {
                for name in agents(groups) {
                    add(name, name.span, "spy", SymbolKind::Constant);
                }
            }
            DeclKind::Channels(names) => {
                for name in names {
                    add(name, name.span, "channel", SymbolKind::Interface);
                }
            }
            DeclKind::Public(binders) => {
                for b in binders {
                    add(&b.name, b.span(), "public", SymbolKind::Constant);
                }
            }
            DeclKind::Private(binders) => {
                for b in binders {
                    add(&b.name, b.span(), "private", SymbolKind::Constant);
                }
            }
            DeclKind::Keypairs(families) => {
                for f in families {
                    add(&f.name, f.span, "keypair", SymbolKind::Key);
                }
            }
            DeclKind::Keys(families) => {
                for f in families {
                    add(&f.name, f.span, "key", SymbolKind::Key);
                }
            }
            DeclKind::Functions(functions) => {
                for f in functions {
                    let what = if f.private {
                        "private function"
                    } else {
                        "function"
                    };
                    add(&f.name, f.span, what, SymbolKind::Operator);
                }
            }
            DeclKind::Destructors(rules) => {
                for r in rules {
                    add(&r.name, r.span, "destructor", SymbolKind::Operator);
                }
            }
            DeclKind::Groups(groups) => {
                for g in groups {
                    add(&g.base, g.base.span, "group", SymbolKind::Constant);
                    if let Some(one) = &g.neutral {
                        add(one, one.span, "neutral element", SymbolKind::Constant);
                    }
                }
            }
            DeclKind::Def(def) => add(&def.name, decl.span, "def", SymbolKind::Function),
            DeclKind::System(s) => add(&s.name, decl.span, "system", SymbolKind::Module),
            DeclKind::Claim(claim) => {
                let text = snapshot.file.slice(claim.span);
                let text: Vec<&str> = text.split_whitespace().collect();
                let text = text.join(" ");
                let (text, kind) = (visible(&text), SymbolKind::Property);
                found.push(symbol(
                    snapshot, &text, claim.span, claim.span, "claim", kind,
                ));
            }
            DeclKind::Protocol(p) => add(&p.name, decl.span, "protocol", SymbolKind::Module),
            DeclKind::Use(_) | DeclKind::Knows(_) | DeclKind::Error => {}
        }
    }
    found
}

// The field must be there, and there is no other way to leave it empty.
#[allow(deprecated)]
fn symbol(
    snapshot: &Snapshot,
    name: &str,
    whole: Span,
    selection: Span,
    detail: &str,
    kind: SymbolKind,
) -> DocumentSymbol {
    DocumentSymbol {
        name: name.to_owned(),
        detail: Some(detail.to_owned()),
        kind,
        tags: None,
        deprecated: None,
        range: snapshot.range(whole),
        selection_range: snapshot.range(selection),
        children: None,
    }
}

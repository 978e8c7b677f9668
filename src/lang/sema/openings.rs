//! The classical mistake with key pairs: opening with the part that made it.
//!
//! `case x of {p}K(b)+` checks a signature; beginners write it to open what was encrypted with
//! `K(b)+`. The received `x` can be anything, so one place alone does not show the mistake. But if
//! the whole file encrypts with `K(..)+` and never signs with `K(..)-`, a check of a signature
//! with `K(..)+` waits for something that no role sends.

use rustc_hash::FxHashMap;

use super::Checker;
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::Part;
use crate::term::{FamilyId, NameId, TermId, TermStore, View};

/// What identifies the key pairs of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Head {
    Family(FamilyId),
    Name(NameId),
}

/// What is opened at a place.
#[derive(Clone, Copy, Debug)]
struct Opening {
    part: Part,
    head: Head,
    pattern: Span,
    key: Span,
    pair: TermId,
}

/// Which parts of which key pairs make something, and which open something, in the whole file.
#[derive(Clone, Debug, Default)]
pub(super) struct KeyUses {
    made: FxHashMap<(Part, Head), Span>,
    opened: Vec<Opening>,
    /// Whether something is encrypted, or signed, with a key known only at run time.
    any: [bool; 2],
    /// Pairs that were used as a key without a sign: which part was meant is open, and so is what goes with it.
    unsigned: Vec<Head>,
}

fn head(store: &TermStore, pair: TermId) -> Option<Head> {
    match store.view(pair) {
        View::Family(f, _) => Some(Head::Family(f)),
        View::Name(n) => Some(Head::Name(n)),
        _ => None,
    }
}

impl KeyUses {
    /// Something is encrypted (public part) or signed (private part) with this key.
    pub(super) fn made(&mut self, store: &TermStore, part: Part, key: TermId, span: Span) {
        let pair = match (store.view(key), part) {
            (View::Pub(pair), Part::Public) | (View::Priv(pair), Part::Private) => Some(pair),
            _ => None,
        };
        match pair.and_then(|pair| head(store, pair)) {
            Some(head) => {
                self.made.entry((part, head)).or_insert(span);
            }
            None => self.any[part as usize] = true,
        }
    }

    /// A pair is used as a key, without its sign.
    pub(super) fn unsigned(&mut self, store: &TermStore, pair: TermId) {
        self.unsigned.extend(head(store, pair));
    }

    /// Something made with this part of the pair is opened.
    pub(super) fn opened(
        &mut self,
        store: &TermStore,
        part: Part,
        pair: TermId,
        pattern: Span,
        key: Span,
    ) {
        if let Some(head) = head(store, pair) {
            self.opened.push(Opening {
                part,
                head,
                pattern,
                key,
                pair,
            });
        }
    }
}

impl Checker<'_> {
    /// Reports openings of what nobody makes, if the other part of the pair is in use.
    pub(super) fn check_openings(&mut self) {
        let keys = std::mem::take(&mut self.tables.keys);
        for opening in &keys.opened {
            let other = match opening.part {
                Part::Public => Part::Private,
                Part::Private => Part::Public,
            };
            let none = !keys.unsigned.contains(&opening.head)
                && !keys.any[opening.part as usize]
                && !keys.made.contains_key(&(opening.part, opening.head));
            let Some(made) = keys
                .made
                .get(&(other, opening.head))
                .copied()
                .filter(|_| none)
            else {
                continue;
            };
            let pair = self.show(opening.pair);
            let kind = match opening.head {
                Head::Family(f) => format!("{}(..)", self.store.family_info(f).label),
                Head::Name(_) => pair.clone(),
            };
            let d = match opening.part {
                Part::Private => Diagnostic::new(
                    Code::ImpossibleDecryption,
                    "this decryption uses the wrong part of the key pair",
                )
                .at(
                    opening.key,
                    format!("`{pair}+` checks a signature made with `{pair}-`"),
                )
                .and(
                    made,
                    format!("what is encrypted with `{kind}+` is opened with `{kind}-`"),
                )
                .note(format!("no role of this file signs with `{kind}-`"))
                .help(format!("to decrypt, write `{pair}-`"))
                .instead(format!("{pair}-")),
                Part::Public => Diagnostic::new(
                    Code::ImpossibleDecryption,
                    "this signature check uses the wrong part of the key pair",
                )
                .at(
                    opening.key,
                    format!("`{pair}-` opens what was encrypted with `{pair}+`"),
                )
                .and(
                    made,
                    format!("a signature with `{kind}-` is checked with `{kind}+`"),
                )
                .note(format!("no role of this file encrypts with `{kind}+`"))
                .help(format!("to check the signature, write `{pair}+`"))
                .instead(format!("{pair}+")),
            };
            if !self.clashed.contains(&opening.pattern) {
                self.sink.push(d);
            }
        }
        self.tables.keys = keys;
    }
}

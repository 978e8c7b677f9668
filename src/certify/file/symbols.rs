//! Operators and names as words.

use super::words::{Line, bad, quoted};
use crate::base::source::Diagnostic;
use crate::process::System;
use crate::term::{FamilyKind, NameClass, NameId, Op, TermStore};
use rustc_hash::FxHashMap;

/// Operators that are one word.
const PLAIN: [(&str, Op); 11] = [
    ("zero", Op::Zero),
    ("suc", Op::Suc),
    ("tuple", Op::Tuple),
    ("hash", Op::Hash),
    ("senc", Op::Senc),
    ("pub", Op::Pub),
    ("priv", Op::Priv),
    ("aenc", Op::Aenc),
    ("sign", Op::Sign),
    ("share", Op::Share),
    ("joint", Op::Joint),
];

/// Names that are made by nobody in particular, by what they are to the attacker.
const CLASSES: [(&str, NameClass); 4] = [
    ("public", NameClass::Public),
    ("spy", NameClass::Spy),
    ("own", NameClass::Attacker),
    ("private", NameClass::Private),
];

/// The most arguments of a declared function.
const WIDEST: u32 = 1 << 16;

/// The spelling of what a system and its terms are made of.
pub(super) struct Symbols<'a> {
    store: &'a TermStore,
    restricted: Vec<NameId>,
    numbers: FxHashMap<NameId, usize>,
}

impl<'a> Symbols<'a> {
    /// The symbols of some systems: restricted names are numbered through.
    pub(super) fn new(store: &'a TermStore, systems: &[&System]) -> Self {
        let all = systems.iter().flat_map(|s| s.names.iter().map(|n| n.name));
        let mut restricted = Vec::new();
        let mut numbers = FxHashMap::default();
        for name in all {
            numbers.entry(name).or_insert_with(|| {
                restricted.push(name);
                restricted.len() - 1
            });
        }
        Self {
            store,
            restricted,
            numbers,
        }
    }

    /// The words for an operator; `None` for what stands in no certificate.
    pub(super) fn op(&self, op: Op) -> Option<String> {
        if let Some((word, _)) = PLAIN.iter().find(|(_, o)| *o == op) {
            return Some((*word).to_owned());
        }
        match op {
            Op::Name(n) => self.name(n),
            Op::Family(f) => {
                let info = self.store.family_info(f);
                let word = match info.kind {
                    FamilyKind::KeyPair => "keypair",
                    FamilyKind::Symmetric => "key",
                };
                Some(format!("{word} {} {}", quoted(&info.label), info.arity))
            }
            Op::Function(f) => {
                let info = self.store.function_info(f);
                let word = if info.private { "secret" } else { "function" };
                Some(format!("{word} {} {}", quoted(&info.label), info.arity))
            }
            _ => None,
        }
    }

    /// The words for a name.
    pub(super) fn name(&self, name: NameId) -> Option<String> {
        let info = self.store.name_info(name);
        let label = quoted(&info.label);
        if let Some(number) = self.numbers.get(&name) {
            return Some(format!("new {number} {label}"));
        }
        let (word, _) = CLASSES.iter().find(|(_, c)| *c == info.class)?;
        Some(match info.copy {
            0 => format!("{word} {label}"),
            copy => format!("{word} {label} {copy}"),
        })
    }

    /// Reads an operator, of which the first word is this one; `None` if it starts none.
    pub(super) fn read_op(
        &self,
        word: &str,
        line: &mut Line<'_>,
    ) -> Result<Option<Op>, Diagnostic> {
        if let Some((_, op)) = PLAIN.iter().find(|(w, _)| *w == word) {
            return Ok(Some(*op));
        }
        let op = match word {
            "keypair" | "key" => {
                let kind = if word == "key" {
                    FamilyKind::Symmetric
                } else {
                    FamilyKind::KeyPair
                };
                let label = line.string()?;
                Op::Family(self.store.family_id(kind, &label, line.up_to(WIDEST)?))
            }
            "function" | "secret" => {
                let label = line.string()?;
                let arity = line.up_to(WIDEST)?;
                Op::Function(self.store.function_id(&label, arity, word == "secret"))
            }
            _ => match self.read_name(word, line)? {
                Some(name) => Op::Name(name),
                None => return Ok(None),
            },
        };
        Ok(Some(op))
    }

    /// Reads a name, of which the first word is this one; `None` if it starts none.
    pub(super) fn read_name(
        &self,
        word: &str,
        line: &mut Line<'_>,
    ) -> Result<Option<NameId>, Diagnostic> {
        if word == "new" {
            let at = line.word("the number of a restricted name")?;
            let number = at.number().and_then(|n| self.restricted.get(n as usize));
            let name = *number.ok_or_else(|| {
                let all = self.restricted.len();
                let expected = format!("one of the {all} restricted names of the system");
                bad(at.span, &expected)
            })?;
            let at = line.word("the spelling of the name")?;
            let label = &self.store.name_info(name).label;
            if !at.quoted || *at.text != **label {
                return Err(bad(at.span, &format!("`{}`", quoted(label))));
            }
            return Ok(Some(name));
        }
        let Some((_, class)) = CLASSES.iter().find(|(w, _)| *w == word) else {
            return Ok(None);
        };
        let label = line.string()?;
        let copy = match line.next() {
            Some(word) if word.number().is_some_and(|n| n > 0) => word.number().unwrap_or(0),
            Some(word) => {
                line.give_back(word);
                0
            }
            None => 0,
        };
        Ok(Some(self.store.name_id(*class, label, copy)))
    }
}

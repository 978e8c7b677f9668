//! Terms as bytes that mean the same in every process: operators, labels and numbers, never ids.
//!
//! Names and compound terms that occur again are written as the number of their first occurrence, so that a state is not
//! longer than the graph of its terms. What is written depends on the content and on the order of writing only.

use super::{Args, Arity, FamilyKind, NameClass, Op, TermId, TermStore};
use crate::base::cluster::{Reader, Writer};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// The tag of a term that was written before; no operator has it.
const AGAIN: u8 = u8::MAX;

/// The deepest term that is read.
const DEEPEST: u32 = 1 << 15;

/// Writes terms and whatever lies between them.
#[derive(Debug)]
pub struct TermWriter<'a> {
    store: &'a TermStore,
    /// What was written.
    pub out: Writer,
    known: FxHashMap<TermId, u64>,
}

impl<'a> TermWriter<'a> {
    /// Writes terms of a store.
    pub fn new(store: &'a TermStore) -> Self {
        Self {
            store,
            out: Writer::new(),
            known: FxHashMap::default(),
        }
    }

    /// Appends a term.
    pub fn term(&mut self, t: TermId) {
        let store = self.store;
        if let Some(number) = self.known.get(&t) {
            self.out.byte(AGAIN);
            self.out.number(*number);
            return;
        }
        let node = store.node(t);
        self.out.byte(node.op.tag());
        match node.op {
            Op::Var(n) | Op::Generic(n) | Op::Index(n) => return self.out.number(u64::from(n)),
            Op::Name(n) => {
                let info = store.name_info(n);
                self.out.byte(info.class as u8);
                self.out.string(info.label.as_bytes());
                self.out.number(u64::from(info.copy));
            }
            Op::Family(f) => {
                let info = store.family_info(f);
                self.out.byte(info.kind as u8);
                self.out.string(info.label.as_bytes());
                self.out.number(u64::from(info.arity));
                self.out.number(node.args.len() as u64);
            }
            Op::Function(f) => {
                let info = store.function_info(f);
                self.out.byte(u8::from(info.private));
                self.out.string(info.label.as_bytes());
                self.out.number(node.args.len() as u64);
            }
            op => match op.row().arity {
                // 0 is not longer than the number of where it was written.
                Arity::Exactly(0) => return,
                Arity::Exactly(_) => {}
                Arity::AtLeast(_) | Arity::Declared => self.out.number(node.args.len() as u64),
            },
        }
        for a in &node.args {
            self.term(*a);
        }
        let number = self.known.len() as u64;
        self.known.insert(t, number);
    }

    /// Appends the number of some terms, and the terms.
    pub fn terms<'t>(&mut self, terms: impl ExactSizeIterator<Item = &'t TermId>) {
        self.out.number(terms.len() as u64);
        for t in terms {
            self.term(*t);
        }
    }
}

/// Reads what a [`TermWriter`] has written; `None` where something else is found.
#[derive(Debug)]
pub struct TermReader<'a> {
    store: &'a TermStore,
    /// What is left.
    pub from: Reader<'a>,
    known: Vec<TermId>,
}

impl<'a> TermReader<'a> {
    /// Reads terms into a store.
    pub fn new(store: &'a TermStore, bytes: &'a [u8]) -> Self {
        Self {
            store,
            from: Reader::new(bytes),
            known: Vec::new(),
        }
    }

    /// The next term.
    pub fn term(&mut self) -> Option<TermId> {
        self.nested(DEEPEST)
    }

    /// The next list of terms.
    pub fn terms(&mut self) -> Option<Vec<TermId>> {
        self.list(Self::term)
    }

    /// The next list, each item read in the same way.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.from.number()?;
        (0..count).map(|_| item(self)).collect()
    }

    fn nested(&mut self, depth: u32) -> Option<TermId> {
        let store = self.store;
        let depth = depth.checked_sub(1)?;
        let (op, count) = match self.from.byte()? {
            AGAIN => {
                let number = usize::try_from(self.from.number()?).ok()?;
                return self.known.get(number).copied();
            }
            Op::NAME => {
                let class = class(self.from.byte()?)?;
                let label = self.label()?;
                (Op::Name(store.name_id(class, label, self.from.word()?)), 0)
            }
            Op::INDEX => return Some(store.basis_index(self.from.word()?)),
            Op::GENERIC => return Some(store.generic(self.from.word()?)),
            Op::VAR => return Some(store.var(self.from.word()?)),
            Op::FAMILY => {
                let kind = match self.from.byte()? {
                    0 => FamilyKind::KeyPair,
                    1 => FamilyKind::Symmetric,
                    _ => return None,
                };
                let label = self.label()?;
                let family = store.family_id(kind, label, self.from.word()?);
                (Op::Family(family), self.from.number()?)
            }
            Op::FUNCTION => {
                let private = match self.from.byte()? {
                    0 => false,
                    1 => true,
                    _ => return None,
                };
                let label = self.label()?;
                let count = self.from.word()?;
                let function = store.function_id(label, count, private);
                (Op::Function(function), u64::from(count))
            }
            tag => {
                let op = *Op::FIXED.iter().find(|op| op.tag() == tag)?;
                let count = match op.row().arity {
                    Arity::Exactly(0) => return Some(store.make(op, Args::new())),
                    Arity::Exactly(n) => u64::from(n),
                    Arity::AtLeast(n) => self.from.number().filter(|c| *c >= u64::from(n))?,
                    Arity::Declared => self.from.number()?,
                };
                (op, count)
            }
        };
        let mut args: Args = smallvec![];
        for _ in 0..count {
            args.push(self.nested(depth)?);
        }
        let t = store.make(op, args);
        self.known.push(t);
        Some(t)
    }

    fn label(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.from.string()?).ok()
    }
}

fn class(byte: u8) -> Option<NameClass> {
    use NameClass::{Attacker, Private, Public, Restricted, Spy};
    let all = [Public, Spy, Attacker, Private, Restricted];
    all.into_iter().find(|c| *c as u8 == byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(s: &TermStore) -> Vec<TermId> {
        let k = s.family_id(FamilyKind::KeyPair, "K", 1);
        let n = s.name(NameClass::Restricted, "n", 300);
        let key = s.pub_part(s.family(k, &[s.public("A")]));
        let message = s.aenc(s.flat(&[n, s.generic(2), s.suc(s.zero())]), key);
        vec![
            message,
            s.sign(s.hash(message), s.priv_part(s.var(9))),
            s.senc(s.basis_index(1), n),
            s.function(s.function_id("mac", 2, false), &[n, key]),
            s.function(s.function_id("seal", 1, true), &[n]),
            s.joint(s.share(s.public("g"), n), s.hash(key)),
            n,
        ]
    }

    #[test]
    fn terms_mean_the_same_in_another_store() {
        let (here, there) = (TermStore::new(), TermStore::new());
        // Other ids there.
        there.hash(there.public("something else"));
        let mut writer = TermWriter::new(&here);
        writer.terms(terms(&here).iter());
        let bytes = writer.out.into_bytes();
        let mut reader = TermReader::new(&there, &bytes);
        assert_eq!(reader.terms(), Some(terms(&there)));
        assert!(reader.from.is_done());
        let mut again = TermWriter::new(&there);
        again.terms(terms(&there).iter());
        assert_eq!(again.out.into_bytes(), bytes);
    }

    #[test]
    fn nonsense_is_no_term() {
        let store = TermStore::new();
        for bytes in [
            &[6u8, 1, 0][..],
            &[AGAIN, 3],
            &[11, 0],
            &[1, 9, 1, 65, 0],
            &[99],
        ] {
            assert_eq!(TermReader::new(&store, bytes).term(), None);
        }
        let deep = vec![7u8; 1 << 20];
        assert_eq!(TermReader::new(&store, &deep).term(), None);
    }
}

//! The hash-consing store: nodes to ids and back.
//!
//! Two append-only tables: a concurrent index from nodes to ids, and a vector of nodes with cached facts that
//! can be read without locks. Facts are computed once, from the facts of the arguments.

use super::symbol::{
    DestructorId, FamilyId, FamilyInfo, FamilyKind, FunctionId, FunctionInfo, NameClass, NameId,
    NameInfo,
};
use super::theory::{OpeningRule, Rule, Unopenable, Unseen, opening_rules, unseen};
use super::{Args, Node, Op, View};
use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHasher};
use smallvec::smallvec;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A term. Equal ids are equal terms; the order of ids means nothing, so there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TermId(u32);

impl TermId {
    /// A dense number for tables indexed by term; not an order.
    pub fn slot(self) -> usize {
        self.0 as usize
    }

    /// The term of a number that [`TermId::slot`] gave.
    pub(crate) fn from_slot(slot: u32) -> Self {
        Self(slot)
    }
}

/// Facts about a term, computed when it is made.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// A hash of the content, the same in every run.
    pub hash: u64,
    /// Number of nodes, saturating.
    pub size: u32,
    /// Whether a process variable occurs.
    pub has_var: bool,
    /// Whether a generic occurs.
    pub has_generic: bool,
    /// Whether a private or restricted name, a family member or a private function occurs.
    pub has_secret: bool,
}

struct Entry {
    node: Node,
    facts: Facts,
}

/// Places in the table of recent atoms, as a power of two.
const RECENT: u32 = 8;

/// Atoms of one kind that were asked for lately, by number: the index is shared by all threads and would be asked for the
/// same few atoms all the time.
struct Recent {
    /// The number above, the id and one below; 0 if free.
    slots: Box<[AtomicU64]>,
}

impl Recent {
    fn new() -> Self {
        Self {
            slots: (0..1 << RECENT).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn get(&self, number: u32, make: impl FnOnce() -> TermId) -> TermId {
        let place = number.wrapping_mul(0x9e37_79b9) >> (u32::BITS - RECENT);
        let slot = &self.slots[place as usize];
        let seen = slot.load(Ordering::Acquire);
        if seen as u32 != 0 && (seen >> 32) as u32 == number {
            return TermId(seen as u32 - 1);
        }
        let made = make();
        let word = u64::from(number) << 32 | (u64::from(made.0) + 1);
        slot.store(word, Ordering::Release);
        made
    }
}

/// Parts of the index of nodes that are locked by themselves. A number of our own: to derive one from the number of
/// cores means to ask the system for it, which takes longer than to check a small file.
const SHARDS: usize = 64;

/// The same for names and key families, which are few.
const FEW_SHARDS: usize = 4;

fn table<K: Eq + Hash, V>(shards: usize) -> DashMap<K, V, FxBuildHasher> {
    DashMap::with_hasher_and_shard_amount(FxBuildHasher, shards)
}

/// The store of all terms of a run.
pub struct TermStore {
    nodes: boxcar::Vec<Entry>,
    index: DashMap<Node, TermId, FxBuildHasher>,
    vars: Recent,
    generics: Recent,
    indices: Recent,
    unlabelled: Recent,
    zero: OnceLock<TermId>,
    names: boxcar::Vec<NameInfo>,
    name_index: DashMap<NameInfo, NameId, FxBuildHasher>,
    families: boxcar::Vec<FamilyInfo>,
    family_index: DashMap<FamilyInfo, FamilyId, FxBuildHasher>,
    functions: boxcar::Vec<FunctionInfo>,
    function_index: DashMap<FunctionInfo, FunctionId, FxBuildHasher>,
    destructors: boxcar::Vec<Arc<str>>,
    rules: boxcar::Vec<Rule>,
    openings: boxcar::Vec<OpeningRule>,
    groups: boxcar::Vec<(TermId, Option<TermId>)>,
}

impl Default for TermStore {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for TermStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TermStore")
            .field("terms", &self.len())
            .finish_non_exhaustive()
    }
}

impl TermStore {
    /// An empty store.
    pub fn new() -> Self {
        Self {
            nodes: boxcar::Vec::new(),
            index: table(SHARDS),
            vars: Recent::new(),
            generics: Recent::new(),
            indices: Recent::new(),
            unlabelled: Recent::new(),
            zero: OnceLock::new(),
            names: boxcar::Vec::new(),
            name_index: table(FEW_SHARDS),
            families: boxcar::Vec::new(),
            family_index: table(FEW_SHARDS),
            functions: boxcar::Vec::new(),
            function_index: table(FEW_SHARDS),
            destructors: boxcar::Vec::new(),
            rules: boxcar::Vec::new(),
            openings: boxcar::Vec::new(),
            groups: boxcar::Vec::new(),
        }
    }

    /// Number of different terms made so far.
    pub fn len(&self) -> usize {
        self.nodes.count()
    }

    /// Whether no term was made yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The node of a term.
    pub fn node(&self, t: TermId) -> &Node {
        &self.nodes[t.slot()].node
    }

    /// The node of a term, spelt out.
    pub fn view(&self, t: TermId) -> View<'_> {
        self.node(t).view()
    }

    /// The cached facts of a term.
    pub fn facts(&self, t: TermId) -> Facts {
        self.nodes[t.slot()].facts
    }

    /// Whether neither a variable nor a generic occurs.
    pub fn is_ground(&self, t: TermId) -> bool {
        let f = &self.nodes[t.slot()].facts;
        !f.has_var && !f.has_generic
    }

    /// The term with this operator and these arguments.
    pub fn make(&self, op: Op, args: Args) -> TermId {
        let args = if op == Op::Joint {
            self.in_order(args)
        } else {
            args
        };
        let node = Node { op, args };
        if let Some(id) = self.index.get(&node) {
            return *id;
        }
        // The entry's shard stays locked while the node is appended, so each node gets one id.
        let stored = node.clone();
        *self.index.entry(node).or_insert_with(|| {
            let facts = self.compute_facts(&stored);
            TermId(self.nodes.push(Entry {
                node: stored,
                facts,
            }) as u32)
        })
    }

    fn compute_facts(&self, node: &Node) -> Facts {
        let mut hasher = FxHasher::default();
        node.op.tag().hash(&mut hasher);
        let mut facts = Facts {
            hash: 0,
            size: 1,
            has_var: false,
            has_generic: false,
            has_secret: false,
        };
        match node.op {
            Op::Name(n) => {
                let info = self.name_info(n);
                info.hash(&mut hasher);
                facts.has_secret = !info.class.is_public();
            }
            Op::Var(v) => {
                v.hash(&mut hasher);
                facts.has_var = true;
            }
            Op::Generic(g) => {
                g.hash(&mut hasher);
                facts.has_generic = true;
            }
            Op::Index(i) => i.hash(&mut hasher),
            Op::Family(f) => {
                self.family_info(f).hash(&mut hasher);
                facts.has_secret = true;
            }
            Op::Function(f) => {
                let info = self.function_info(f);
                info.hash(&mut hasher);
                facts.has_secret = info.private;
            }
            _ => {}
        }
        for a in &node.args {
            let f = self.facts(*a);
            f.hash.hash(&mut hasher);
            facts.size = facts.size.saturating_add(f.size);
            facts.has_var |= f.has_var;
            facts.has_generic |= f.has_generic;
            facts.has_secret |= f.has_secret;
        }
        facts.hash = hasher.finish();
        facts
    }

    /// Registers a name, or finds it.
    pub fn name_id(&self, class: NameClass, label: impl Into<Arc<str>>, copy: u32) -> NameId {
        let info = NameInfo {
            class,
            label: label.into(),
            copy,
        };
        if let Some(id) = self.name_index.get(&info) {
            return *id;
        }
        let stored = info.clone();
        *self
            .name_index
            .entry(info)
            .or_insert_with(|| NameId(self.names.push(stored) as u32))
    }

    /// What is known about a name.
    pub fn name_info(&self, n: NameId) -> &NameInfo {
        &self.names[n.0 as usize]
    }

    /// The labels of all declared names, key families and functions.
    pub fn declared_labels(&self) -> impl Iterator<Item = &str> {
        let names = self.names.iter().map(|(_, n)| n);
        let declared = names.filter(|n| n.class != NameClass::Restricted);
        let families = self.families.iter().map(|(_, f)| &*f.label);
        let functions = self.functions.iter().map(|(_, f)| &*f.label);
        let operators = families.chain(functions);
        declared.map(|n| &*n.label).chain(operators)
    }

    /// The name that an operator was declared with; empty for the others.
    pub fn declared_label(&self, op: Op) -> &str {
        match op {
            Op::Name(n) => &self.name_info(n).label,
            Op::Family(f) => &self.family_info(f).label,
            Op::Function(f) => &self.function_info(f).label,
            _ => "",
        }
    }

    /// A hash of what an operator was declared with, for operators that were declared and have arguments.
    pub fn declared_hash(&self, op: Op) -> Option<u64> {
        let mut hasher = FxHasher::default();
        match op {
            Op::Family(f) => self.family_info(f).hash(&mut hasher),
            Op::Function(f) => self.function_info(f).hash(&mut hasher),
            _ => return None,
        }
        Some(hasher.finish())
    }

    /// Registers a key family, or finds it.
    pub fn family_id(&self, kind: FamilyKind, label: &str, arity: u32) -> FamilyId {
        let info = FamilyInfo {
            kind,
            label: Arc::from(label),
            arity,
        };
        if let Some(id) = self.family_index.get(&info) {
            return *id;
        }
        let stored = info.clone();
        *self
            .family_index
            .entry(info)
            .or_insert_with(|| FamilyId(self.families.push(stored) as u32))
    }

    /// What is known about a key family.
    pub fn family_info(&self, f: FamilyId) -> &FamilyInfo {
        &self.families[f.0 as usize]
    }

    /// Registers a declared function, or finds it.
    pub fn function_id(&self, label: &str, arity: u32, private: bool) -> FunctionId {
        let info = FunctionInfo {
            private,
            label: Arc::from(label),
            arity,
        };
        if let Some(id) = self.function_index.get(&info) {
            return *id;
        }
        let stored = info.clone();
        *self
            .function_index
            .entry(info)
            .or_insert_with(|| FunctionId(self.functions.push(stored) as u32))
    }

    /// What is known about a declared function.
    pub fn function_info(&self, f: FunctionId) -> &FunctionInfo {
        &self.functions[f.0 as usize]
    }

    /// Registers a destructor, or finds it.
    pub fn destructor_id(&self, label: &str) -> DestructorId {
        let known = self.destructors.iter().find(|(_, l)| ***l == *label);
        let at = known.map_or_else(|| self.destructors.push(Arc::from(label)), |(i, _)| i);
        DestructorId(at as u32)
    }

    /// The name of a destructor.
    pub fn destructor_label(&self, d: DestructorId) -> &str {
        &self.destructors[d.0 as usize]
    }

    /// Declares the rules of a file's destructors; those that are there already are not declared again.
    pub fn declare_rules(&self, rules: &[Rule]) -> Result<(), Unopenable> {
        let openings = opening_rules(self, rules)?;
        let numbers: Vec<usize> = rules
            .iter()
            .map(|rule| {
                let known = self.rules.iter().find(|(_, r)| *r == rule);
                known.map_or_else(|| self.rules.push(rule.clone()), |(i, _)| i)
            })
            .collect();
        for mut opening in openings {
            opening.rule = numbers[opening.rule];
            if !self.openings.iter().any(|(_, o)| *o == opening) {
                self.openings.push(opening);
            }
        }
        Ok(())
    }

    /// The rules of the declared destructors, in the order of their numbers.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().map(|(_, rule)| rule)
    }

    /// The rule of this number.
    pub fn rule(&self, number: usize) -> &Rule {
        &self.rules[number]
    }

    /// The rules of a destructor, in their order.
    pub fn rules_of(&self, d: DestructorId) -> impl Iterator<Item = &Rule> {
        self.rules().filter(move |r| r.destructor == d)
    }

    /// Whether destructors were declared.
    pub fn has_rules(&self) -> bool {
        self.rules.count() > 0
    }

    /// Whether a term occurs in a rule: then it is not like other terms of its kind.
    pub fn is_in_rules(&self, t: TermId) -> bool {
        let mut terms = self
            .rules()
            .flat_map(|r| r.premises.iter().chain([&r.result]));
        terms.any(|whole| {
            let mut found = false;
            self.visit(*whole, &mut |s| {
                found |= s == t;
                !found
            });
            found
        })
    }

    /// What stands in the way of comparing systems with these destructors, if something does.
    pub fn unseen(&self) -> Option<Unseen> {
        unseen(self, self.rules(), self.openings())
    }

    /// All opening rules.
    pub fn openings(&self) -> impl Iterator<Item = &OpeningRule> {
        self.openings.iter().map(|(_, o)| o)
    }

    /// The key-pair families with their arities, in the order of their labels.
    pub fn key_pair_families(&self) -> Vec<(FamilyId, u32)> {
        let pairs = self
            .families
            .iter()
            .filter(|(_, f)| f.kind == FamilyKind::KeyPair);
        let mut all: Vec<(usize, &FamilyInfo)> = pairs.collect();
        all.sort_by(|a, b| a.1.cmp(b.1));
        all.into_iter()
            .map(|(i, f)| (FamilyId(i as u32), f.arity))
            .collect()
    }

    /// A name as a term.
    pub fn name(&self, class: NameClass, label: &str, copy: u32) -> TermId {
        self.name_term(self.name_id(class, label, copy))
    }

    /// A registered name as a term.
    pub fn name_term(&self, n: NameId) -> TermId {
        self.make(Op::Name(n), Args::new())
    }

    /// A public name.
    pub fn public(&self, label: &str) -> TermId {
        self.name(NameClass::Public, label, 0)
    }

    /// A restricted name without a label: one that stands for another when states are compared.
    pub fn unlabelled(&self, number: u32) -> TermId {
        let make = || self.name(NameClass::Restricted, "", number);
        self.unlabelled.get(number, make)
    }

    /// A process variable.
    pub fn var(&self, v: u32) -> TermId {
        self.vars.get(v, || self.make(Op::Var(v), Args::new()))
    }

    /// A generic term.
    pub fn generic(&self, g: u32) -> TermId {
        let make = || self.make(Op::Generic(g), Args::new());
        self.generics.get(g, make)
    }

    /// A basis index, for recipes.
    pub fn basis_index(&self, i: u32) -> TermId {
        self.indices.get(i, || self.make(Op::Index(i), Args::new()))
    }

    /// 0.
    pub fn zero(&self) -> TermId {
        *self.zero.get_or_init(|| self.make(Op::Zero, Args::new()))
    }

    /// Successor.
    pub fn suc(&self, t: TermId) -> TermId {
        self.make(Op::Suc, smallvec![t])
    }

    /// A pair.
    pub fn pair(&self, a: TermId, b: TermId) -> TermId {
        self.make(Op::Tuple, smallvec![a, b])
    }

    /// A tuple as right-nested pairs; one component is itself, none is 0.
    pub fn nested(&self, parts: &[TermId]) -> TermId {
        match parts {
            [] => self.zero(),
            [front @ .., last] => front
                .iter()
                .rfold(*last, |tail, head| self.pair(*head, tail)),
        }
    }

    /// A tuple that keeps its arity; one component is itself, none is 0.
    pub fn flat(&self, parts: &[TermId]) -> TermId {
        match parts {
            [] => self.zero(),
            [one] => *one,
            many => self.make(Op::Tuple, many.iter().copied().collect()),
        }
    }

    /// Hash.
    pub fn hash(&self, t: TermId) -> TermId {
        self.make(Op::Hash, smallvec![t])
    }

    /// Symmetric encryption.
    pub fn senc(&self, m: TermId, k: TermId) -> TermId {
        self.make(Op::Senc, smallvec![m, k])
    }

    /// Public part.
    pub fn pub_part(&self, t: TermId) -> TermId {
        self.make(Op::Pub, smallvec![t])
    }

    /// Private part.
    pub fn priv_part(&self, t: TermId) -> TermId {
        self.make(Op::Priv, smallvec![t])
    }

    /// Public-key encryption.
    pub fn aenc(&self, m: TermId, k: TermId) -> TermId {
        self.make(Op::Aenc, smallvec![m, k])
    }

    /// Signature.
    pub fn sign(&self, m: TermId, k: TermId) -> TermId {
        self.make(Op::Sign, smallvec![m, k])
    }

    /// Member of a key family.
    pub fn family(&self, f: FamilyId, args: &[TermId]) -> TermId {
        self.make(Op::Family(f), args.iter().copied().collect())
    }

    /// A declared function applied to its arguments.
    pub fn function(&self, f: FunctionId, args: &[TermId]) -> TermId {
        self.make(Op::Function(f), args.iter().copied().collect())
    }

    /// `g^x`.
    pub fn share(&self, base: TermId, exponent: TermId) -> TermId {
        self.make(Op::Share, smallvec![base, exponent])
    }

    /// `g^x^y`, of a share and an exponent.
    pub fn joint(&self, share: TermId, exponent: TermId) -> TermId {
        self.make(Op::Joint, smallvec![share, exponent])
    }

    /// The arguments of a joint key in the order of the exponents: of two equal terms one is made.
    fn in_order(&self, args: Args) -> Args {
        match self.exchanged(&args) {
            Some(other) if self.compare(other[1], args[1]).is_gt() => other.into(),
            _ => args,
        }
    }

    /// The share and the exponent that make the same joint key as these; none if they are the same again.
    fn exchanged(&self, args: &[TermId]) -> Option<[TermId; 2]> {
        let View::Share(base, x) = self.view(args[0]) else {
            return None;
        };
        (x != args[1]).then(|| [self.share(base, args[1]), x])
    }

    /// The other share and exponent that a joint key is made of: none if both exponents are the same.
    pub fn other_way(&self, joint: TermId) -> Option<[TermId; 2]> {
        self.exchanged(&self.node(joint).args)
    }

    /// Declares a group by its base, and its neutral element if that has a name.
    pub fn declare_group(&self, base: TermId, neutral: Option<TermId>) {
        let group = (base, neutral);
        if !self.groups.iter().any(|(_, g)| *g == group) {
            self.groups.push(group);
        }
    }

    /// The declared groups: base, neutral element.
    pub fn groups(&self) -> impl Iterator<Item = (TermId, Option<TermId>)> {
        self.groups.iter().map(|(_, g)| *g)
    }

    /// Whether a term is the base or the neutral element of a group.
    pub fn is_of_group(&self, t: TermId) -> bool {
        self.groups().any(|(base, one)| base == t || one == Some(t))
    }

    /// Whether there are joint keys: terms that can be equal in more ways than one.
    pub fn has_groups(&self) -> bool {
        self.groups.count() > 0
    }

    /// Whether the term is the name of a spy.
    pub fn is_spy(&self, t: TermId) -> bool {
        matches!(self.view(t), View::Name(n) if self.name_info(n).class == NameClass::Spy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_have_equal_ids_on_all_threads() {
        let store = TermStore::new();
        let build = |s: &TermStore| {
            (0..200)
                .map(|i| s.pair(s.hash(s.var(i)), s.public("a")))
                .collect::<Vec<_>>()
        };
        let all: Vec<_> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..4).map(|_| scope.spawn(|| build(&store))).collect();
            handles.into_iter().map(|h| h.join().unwrap()).collect()
        });
        assert!(all.iter().all(|v| *v == all[0]));
    }

    #[test]
    fn nested_tuples_are_pairs_and_flat_ones_are_not() {
        let s = TermStore::new();
        let [a, b, c] = ["a", "b", "c"].map(|l| s.public(l));
        assert_eq!(s.nested(&[a, b, c]), s.pair(a, s.pair(b, c)));
        assert_ne!(s.nested(&[a, b, c]), s.flat(&[a, b, c]));
        assert_eq!(s.nested(&[a, b]), s.flat(&[a, b]));
    }

    #[test]
    fn the_class_is_part_of_a_name() {
        let s = TermStore::new();
        assert_ne!(s.public("k"), s.name(NameClass::Private, "k", 0));
        assert!(s.facts(s.name(NameClass::Restricted, "n", 1)).has_secret);
    }
}

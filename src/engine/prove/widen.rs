//! Terms that grow without end are cut: what stands below the cut is told by a fact of its own.
//!
//! A server that wraps what it is sent, and takes its own answers for questions, makes the attacker get longer and longer
//! terms. A clause `H => attacker has C[t]`, where `t` stands deeper than any term of the first clauses reaches, is replaced by
//!
//! - `H => t may stand in C`, and
//! - `H, y may stand in C => attacker has C[y]`, with a new variable `y`.
//!
//! From these the clause follows, and with luck nothing more: contexts `C` that are equal up to the numbers of variables share one fact, so `t` of one
//! clause may come in the place of that of another. More is derived, never less. As contexts are of bounded depth there are
//! finitely many.
//!
//! Only a clause with nothing to resolve is replaced. Both that come in its place have nothing to resolve either, so that what it
//! derives they derive at once, and the argument of `saturate` goes through.

use super::clause::{Clause, Fact, Kind};
use super::initial_knowledge::Known;
use super::terms::{Args, Term, Terms, Values};
use super::{Options, options};
use crate::term::Op;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// A clause whose conclusion was cut.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub clause: Clause,
    /// That the part may stand in the context.
    pub part: Fact,
    /// That the new variable may.
    pub hole: Fact,
    /// The conclusion with the variable in the place of the part.
    pub context: Fact,
}

/// Where terms are cut, and what was cut so far.
#[derive(Debug)]
pub(super) struct Widening {
    /// How deep terms are cut: where the deepest term of the first clauses ends.
    depth: u32,
    /// The most earlier events that a clause tells of.
    events: usize,
    contexts: FxHashMap<Fact, u32>,
    cuts: Vec<Cut>,
}

impl Widening {
    pub(super) fn new(terms: &Terms, first: &[Clause], options: Options) -> Option<Self> {
        let depth = match options.cut {
            options::Cut::Never => return None,
            options::Cut::Deeper => first.iter().map(|c| c.depth(terms)).max().unwrap_or(0),
            options::Cut::Below(depth) => depth,
        };
        Some(Self {
            // The whole is no part.
            depth: depth.max(1),
            events: options.budgets.proof_events,
            contexts: FxHashMap::default(),
            cuts: Vec::new(),
        })
    }

    /// Whether a clause follows from one that was cut.
    pub(super) fn covers(&self, terms: &Terms, clause: &Clause, values: &mut Values) -> bool {
        let mut cuts = self.cuts.iter();
        cuts.any(|cut| cut.clause.subsumes(clause, terms, values))
    }

    /// The clauses that come in the place of one that is too deep.
    pub(super) fn cut(
        &mut self,
        terms: &mut Terms,
        known: &Known<'_>,
        clause: &Clause,
    ) -> Option<Vec<Clause>> {
        let limit = self.depth + 1;
        if let Some(deepest) = superfluous(terms, clause, limit, self.events) {
            let mut conditions = clause.conditions.clone();
            conditions.remove(deepest);
            let conclusion = clause.conclusion.clone();
            return Some(Clause::simple(terms, known, conditions, conclusion));
        }
        let place = place(&clause.conclusion)?;
        let whole = clause.conclusion.args[place];
        if clause.selected.is_some() || terms.depth(whole) <= limit {
            return None;
        }
        let variable = terms.var(clause.variables);
        let (rest, part) = below(terms, whole, self.depth, variable);
        let mut context = clause.conclusion.clone();
        context.args[place] = rest;
        let number = self.contexts.len() as u32;
        let number = *self.contexts.entry(context.clone()).or_insert(number);
        let number = terms.make(Op::Index(number), Args::new());
        let about = |t: Term| Fact {
            kind: Kind::Part,
            args: smallvec![number, t],
        };
        let (part, hole) = (about(part), about(variable));
        let conditions = clause.conditions.clone();
        let mut clauses = Clause::simple(terms, known, conditions, part.clone());
        let mut conditions = clause.conditions.clone();
        conditions.push(hole.clone());
        clauses.extend(Clause::simple(terms, known, conditions, context.clone()));
        self.cuts.push(Cut {
            clause: clause.clone(),
            part,
            hole,
            context,
        });
        Some(clauses)
    }

    /// All cuts, so that each comes after those that its parts may follow from: these are smaller.
    pub(super) fn cuts(self, terms: &Terms) -> Vec<Cut> {
        let mut cuts = self.cuts;
        cuts.sort_by_key(|cut| {
            let conclusion = &cut.clause.conclusion;
            place(conclusion).map(|at| terms.size(conclusion.args[at]))
        });
        cuts
    }
}

/// The argument of a conclusion that may be cut.
fn place(conclusion: &Fact) -> Option<usize> {
    match conclusion.kind {
        Kind::Attacker => Some(0),
        Kind::Part => Some(1),
        Kind::Message | Kind::After | Kind::Before | Kind::Received | Kind::Goal => None,
    }
}

/// The deepest earlier event among the conditions, if it is too deep or if there are too many: that it happened is not told then.
fn superfluous(terms: &Terms, clause: &Clause, limit: u32, events: usize) -> Option<usize> {
    let depth = |f: &Fact| f.args.iter().map(|t| terms.depth(*t)).max().unwrap_or(0);
    let told = clause.conditions.iter().enumerate();
    let earlier = told.filter(|(_, f)| f.kind == Kind::Before);
    let many = earlier.clone().count() > events;
    earlier
        .map(|(i, f)| (depth(f), i))
        .max()
        .filter(|(depth, _)| many || *depth > limit)
        .map(|(_, i)| i)
}

/// Puts the hole in the place of the deepest part, so far below the top; and the part.
fn below(terms: &mut Terms, t: Term, depth: u32, hole: Term) -> (Term, Term) {
    let deepest = |terms: &Terms| {
        let args = terms.args(t).iter().enumerate();
        args.max_by_key(|(i, a)| (terms.depth(**a), std::cmp::Reverse(*i)))
            .map(|(i, a)| (i, *a))
    };
    let Some((i, a)) = deepest(terms).filter(|_| depth > 0) else {
        return (hole, t);
    };
    let (context, part) = below(terms, a, depth - 1, hole);
    let mut args: Args = terms.args(t).iter().copied().collect();
    args[i] = context;
    (terms.make(terms.op(t), args), part)
}

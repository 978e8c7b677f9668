//! The terms of a system in clauses.
//!
//! A variable of the system is bound at one place, so it is a variable of the clauses as it is; so are the runs of each role
//! instance at the top. Restricted names are functions of these (`names`).

use super::certificate::{Certificate, Head};
use super::error::ProofError;
use super::names::Names;
use super::orders::Choice;
use super::terms::{Term, Terms};
use super::times::Times;
use crate::process::{InstanceId, Signature, StepId, System};
use crate::term::{NameClass, NameId, Op, TermId, TermStore, View};
use smallvec::SmallVec;

/// Operators in the largest term of a system or claim; terms are walked as trees.
const LARGEST: u32 = 2_500;

/// What a term of the system or of a claim may have in the place of a constant.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaf {
    Variable(u32),
    /// A restricted name.
    Name(NameId),
}

/// A system to be put into clauses.
pub(super) struct Translation<'a> {
    pub store: &'a TermStore,
    pub signature: &'a Signature,
    pub system: &'a System,
    pub names: Names,
    /// Whether clauses remember what was received.
    pub received: bool,
    pub times: Times,
}

impl<'a> Translation<'a> {
    pub fn new(
        store: &'a TermStore,
        signature: &'a Signature,
        system: &'a System,
        certificate: &Certificate,
    ) -> Self {
        Self {
            store,
            signature,
            system,
            names: Names::new(store, system, certificate),
            received: certificate.received,
            times: Times::of(system),
        }
    }

    /// The variable that stands for the run of a role instance: above those of the system.
    pub fn run(&self, terms: &mut Terms<'_>, role: InstanceId) -> Term {
        terms.variable(self.system.vars.len() as u32 + role.0)
    }

    /// A step of a run.
    pub fn place(&self, terms: &mut Terms<'_>, step: StepId) -> Term {
        match self.names.role(self.system.step(step).instance) {
            Some(role) => {
                let run = self.run(terms, role);
                terms.make(Head::Place(step), &[run])
            }
            None => terms.make(Head::Place(step), &[]),
        }
    }

    /// A term without variables and restricted names.
    pub fn constant(
        &self,
        terms: &mut Terms<'_>,
        t: TermId,
        choice: &Choice,
    ) -> Result<Term, ProofError> {
        self.term(terms, t, choice, &mut |_, _| Err(ProofError::NotExpressed))
    }

    /// A term, with what `leaf` says for variables and restricted names.
    pub fn term(
        &self,
        terms: &mut Terms<'_>,
        t: TermId,
        choice: &Choice,
        leaf: &mut dyn FnMut(&mut Terms<'_>, Leaf) -> Result<Term, ProofError>,
    ) -> Result<Term, ProofError> {
        if self.store.facts(t).size > LARGEST {
            return Err(ProofError::NotExpressed);
        }
        self.inner(terms, t, choice, leaf)
    }

    fn inner(
        &self,
        terms: &mut Terms<'_>,
        t: TermId,
        choice: &Choice,
        leaf: &mut dyn FnMut(&mut Terms<'_>, Leaf) -> Result<Term, ProofError>,
    ) -> Result<Term, ProofError> {
        let node = self.store.node(t);
        match node.view() {
            View::Var(v) => return leaf(terms, Leaf::Variable(v)),
            View::Generic(_) | View::Index(_) => return Err(ProofError::NotExpressed),
            View::Name(n) => match self.store.name_info(n).class {
                NameClass::Restricted => return leaf(terms, Leaf::Name(n)),
                // What a spy can do is said for those that are declared.
                NameClass::Spy if !self.signature.spies.contains(&t) => {
                    return Err(ProofError::NotExpressed);
                }
                _ => {}
            },
            View::Family(f, _) if !self.signature.families.contains(&f) => {
                return Err(ProofError::NotExpressed);
            }
            View::Function(f, _) if !self.signature.functions.iter().any(|d| d.id == f) => {
                return Err(ProofError::NotExpressed);
            }
            View::Share(base, _) if !self.signature.groups.iter().any(|g| g.base == base) => {
                return Err(ProofError::NotExpressed);
            }
            View::Joint(..) => {
                let parts = choice.read(self.store, t).ok_or(ProofError::NotExpressed)?;
                let [base, x, y] = parts;
                let share = self.store.share(base, x);
                let share = self.inner(terms, share, choice, leaf)?;
                let exponent = self.inner(terms, y, choice, leaf)?;
                return Ok(terms.apply(Op::Joint, &[share, exponent]));
            }
            _ => {}
        }
        let mut args: SmallVec<[Term; 4]> = SmallVec::new();
        for a in &node.args {
            args.push(self.inner(terms, *a, choice, leaf)?);
        }
        Ok(terms.apply(node.op, &args))
    }

    /// Whether the term is 0 or a public name: on such a channel the attacker hears and speaks.
    pub fn is_open(&self, channel: TermId) -> bool {
        match self.store.node(channel).op {
            Op::Zero => true,
            Op::Name(n) => !matches!(
                self.store.name_info(n).class,
                NameClass::Private | NameClass::Restricted
            ),
            _ => false,
        }
    }
}

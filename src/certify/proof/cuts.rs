//! Clauses that follow from two others, put together at a cut [the argument in `mod.rs`].

use super::closure::Closure;
use super::error::ProofError;
use super::import::Reader;

/// Checks the cuts in their order. One that is right is a clause to be compared with from then on.
pub(super) fn cuts(closure: &mut Closure<'_>, reader: &mut Reader<'_>) -> Result<(), ProofError> {
    for number in 0..reader.cuts() {
        let cut = reader.cut(&mut closure.terms, number)?;
        let matching = &mut closure.matching;
        matching.back_to(0);
        let facts = [&cut.clause.conclusion, &cut.part];
        // Variables of the clause stand for themselves; so the one in the hole, which takes the part, is none of them.
        let own = (cut.clause.conditions.iter().chain(facts))
            .all(|fact| matching.matches(&closure.terms, *fact, *fact));
        let joined = own
            && matching.matches(&closure.terms, cut.hole, cut.part)
            && matching.matches(&closure.terms, cut.context, cut.clause.conclusion);
        let mut conditions = cut.clause.conditions.clone();
        let part = joined && closure.at_once(&conditions, cut.part);
        conditions.push(cut.hole);
        if !part || !closure.at_once(&conditions, cut.context) {
            return Err(ProofError::Cut { cut: number });
        }
        closure.follows_too(cut.clause);
    }
    Ok(())
}

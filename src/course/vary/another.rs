//! Another broken protocol: a solution with parts of its messages in another order, and with one thing left out that a claim
//! notices.
//!
//! Both are mutants of the solution, made in its text: what changes at one end of a message changes at the other. A change of
//! order must leave every claim as it was; what is left out must break one of them, and everybody must still get to an end.

use rustc_hash::FxHashMap;

use super::random::Random;
use super::text::{Edits, edited, expecting};
use crate::analysis::{Model, Settings};
use crate::base::limits::Observer;
use crate::base::source::{SourceFile, Span};
use crate::course::variants::{Decided, Edit, Mutant, Trace, Visitor, mutants, walk_file};
use crate::lang::syntax::ast::{
    Expect, File, Pattern, PatternKind, Prefix, PrefixKind, Term, TermKind,
};
use crate::lang::syntax::link;

/// At most so many changes of order are tried.
const ORDERS: usize = 6;

/// A protocol that is to be repaired, and its repair.
pub(super) struct Broken {
    /// The text of the model.
    pub model: String,
    /// The text of a solution.
    pub solution: String,
    /// What was done, in words.
    pub what: Vec<String>,
}

/// Makes one from a solution, if there is one to be made.
pub(super) fn broken(
    solution: &str,
    settings: &Settings,
    observer: &dyn Observer,
    random: &mut Random,
) -> Option<Broken> {
    let maker = Maker { settings, observer };
    let mut solution = solution.to_owned();
    let mut what = Vec::new();
    let mut orders = maker.changes(&solution, |e| matches!(e, Edit::Swap(..)))?;
    random.shuffle(&mut orders);
    for (mutant, text) in orders.into_iter().take(ORDERS) {
        if maker
            .verdicts(&text)
            .is_some_and(|v| v.iter().all(|e| *e == Expect::Holds))
        {
            solution = text;
            what.push(mutant.what);
            break;
        }
    }
    let mut breaks = maker.changes(&solution, |e| matches!(e, Edit::Drop(_) | Edit::Loosen))?;
    random.shuffle(&mut breaks);
    for (mutant, text) in breaks {
        let Some(verdicts) = maker.verdicts(&text) else {
            continue;
        };
        if verdicts.contains(&Expect::Attack) {
            let file = SourceFile::anonymous("model.spi", &text);
            let tree = read(&file)?;
            what.push(mutant.what);
            return Some(Broken {
                model: expecting(&file, &tree, &verdicts),
                solution,
                what,
            });
        }
    }
    None
}

/// The tree of a text without mistakes.
pub(super) fn read(file: &SourceFile) -> Option<File> {
    let (tree, mistakes) = link::parse_alone(file, "a variant is made of one file");
    (!mistakes
        .iter()
        .any(crate::base::source::Diagnostic::is_error))
    .then_some(tree)
}

struct Maker<'a> {
    settings: &'a Settings,
    observer: &'a dyn Observer,
}

impl Maker<'_> {
    /// The mutants of some kinds, each with its text.
    fn changes(&self, text: &str, wanted: fn(&Edit) -> bool) -> Option<Vec<(Mutant, String)>> {
        let file = SourceFile::anonymous("model.spi", text);
        let tree = read(&file)?;
        let expanded = tree.expanded().into_owned();
        let model = Model::from_tree(expanded.clone()).ok()?;
        let trace = Trace::new(&expanded, &model, self.settings, self.observer);
        let mut parts = Parts(FxHashMap::default());
        walk_file(&mut tree.clone(), &mut parts);
        let all = mutants(&file, &expanded, &model, &trace);
        let made = all.into_iter().filter(|m| wanted(&m.change.edit));
        Some(
            made.filter_map(|m| {
                let text = parts.text(&file, &m)?;
                Some((m, text))
            })
            .collect(),
        )
    }

    /// What is to be expected of each claim; nothing if that is not known, or if somebody never gets to an end.
    fn verdicts(&self, text: &str) -> Option<Vec<Expect>> {
        verdicts(&Model::from_text(text).ok()?, self.settings, self.observer)
    }
}

/// What is to be expected of each claim of a model.
pub(super) fn verdicts(
    model: &Model,
    settings: &Settings,
    observer: &dyn Observer,
) -> Option<Vec<Expect>> {
    let verdict = |claim| {
        let decided = Decided::of(model, claim, settings, observer);
        if decided.is_idle() {
            None
        } else if decided.is_refuted() || decided.holds() && decided.breaks_beyond() {
            Some(Expect::Attack)
        } else {
            decided.holds().then_some(Expect::Holds)
        }
    };
    (0..model.claims().len()).map(verdict).collect()
}

/// The places of the parts of tuples, ciphertexts and messages, by the place of the whole.
struct Parts(FxHashMap<Span, Vec<Span>>);

impl Parts {
    /// The text of a mutant.
    fn text(&self, file: &SourceFile, mutant: &Mutant) -> Option<String> {
        let mut edits = Edits::new();
        for at in &mutant.change.at {
            match mutant.change.edit {
                Edit::Loosen => edits.push((*at, "_".to_owned())),
                Edit::Drop(i) => {
                    let parts = self.0.get(at).filter(|p| i < p.len() && p.len() > 1)?;
                    let out = match parts.get(i + 1) {
                        Some(next) => Span {
                            end: next.start,
                            ..parts[i]
                        },
                        None => Span {
                            start: parts[i - 1].end,
                            ..parts[i]
                        },
                    };
                    edits.push((out, String::new()));
                }
                Edit::Swap(i, j) => {
                    let parts = self.0.get(at).filter(|p| i.max(j) < p.len())?;
                    for (to, from) in [(i, j), (j, i)] {
                        edits.push((parts[to], file.slice(parts[from]).to_owned()));
                    }
                }
                _ => return None,
            }
        }
        Some(edited(&file.text, edits))
    }

    fn terms(&mut self, whole: Span, parts: &[Term]) {
        self.0.insert(whole, parts.iter().map(|p| p.span).collect());
    }

    fn patterns(&mut self, whole: Span, parts: &[Pattern]) {
        self.0.insert(whole, parts.iter().map(|p| p.span).collect());
    }
}

impl Visitor for Parts {
    fn term(&mut self, term: &mut Term) {
        if let TermKind::Tuple(parts) | TermKind::Hash(parts) | TermKind::Encrypt(_, parts, _) =
            &term.kind
        {
            self.terms(term.span, parts);
        }
    }

    fn pattern(&mut self, pattern: &mut Pattern) {
        if let PatternKind::Tuple(parts) | PatternKind::Cipher(_, parts, _) = &pattern.kind {
            self.patterns(pattern.span, parts);
        }
    }

    fn prefix(&mut self, prefix: &mut Prefix) {
        match &prefix.kind {
            PrefixKind::Output(_, parts) => self.terms(prefix.span, parts),
            PrefixKind::Apply(apply) => {
                self.patterns(prefix.span, apply.args.as_deref().unwrap_or_default());
            }
            _ => {}
        }
    }
}

//! What a page shows beside the chart: each step in detail, and the attacker's knowledge.

use super::page_content::{Detail, Knowledge, Step};
use super::run_chart::RunPlotter;
use crate::analysis::Attack;
use crate::certify::{Deduction, Derivation, MoveKind, Operation, Source};
use crate::present::report::{Acceptance, Beat, Context, Manner, Message, plain, uses};
use crate::term::{FamilyKind, TermId, View, application};

impl RunPlotter<'_> {
    /// The steps for the page.
    pub fn steps(&self, attack: Option<&Attack>) -> Vec<Step> {
        let cast = &self.story.cast;
        let mut steps = Vec::new();
        for (i, beat) in self.beats.iter().enumerate() {
            let step = match beat {
                Beat::Message(m) => {
                    let mut places = Vec::new();
                    let ends = [m.sent, m.received];
                    places.extend(
                        ends.into_iter()
                            .flatten()
                            .map(|(_, s)| self.system.step(s).span),
                    );
                    places.extend(m.accepted.iter().map(|a| a.span));
                    Step {
                        number: i + 1,
                        title: format!(
                            "{}. {} \u{2192} {}",
                            m.number,
                            cast.label(&m.from),
                            cast.label(&m.to)
                        ),
                        message: self.story.spelling.message(self.ctx.store, m.term),
                        details: self.details(m, attack),
                        places,
                    }
                }
                Beat::Event(e) => Step {
                    number: i + 1,
                    title: format!("{} does", cast.players[e.player].name),
                    message: self.event(e),
                    details: Vec::new(),
                    places: vec![self.system.step(e.step).span],
                },
                Beat::Phase(number) => Step {
                    number: i + 1,
                    title: format!("phase {number} begins"),
                    message: String::new(),
                    details: Vec::new(),
                    places: Vec::new(),
                },
            };
            steps.push(step);
        }
        steps
    }

    fn details(&self, m: &Message, attack: Option<&Attack>) -> Vec<Detail> {
        let spy = &self.story.cast.spy;
        let mut found = Vec::new();
        if let Some(making) = &m.making {
            let mut lines = vec![format!("{spy} {}", making.words)];
            let at = m.received.map(|(at, _)| at);
            let made = at.and_then(|at| attack?.replayed.moves.get(at)?.made.as_deref());
            if let (Some(made), Manner::Built | Manner::Extracted(_)) = (made, making.manner) {
                lines.extend(self.operations(made));
            }
            found.push(Detail {
                heading: "How the spy makes it".to_owned(),
                lines,
            });
        }
        if !m.learned.is_empty() {
            let lines = m.learned.iter().map(|l| format!("{spy} {}", l.words));
            found.push(Detail {
                heading: "What the spy learns".to_owned(),
                lines: lines.collect(),
            });
        }
        if !m.accepted.is_empty() {
            let one = |tests: &[Acceptance]| {
                let name = &self.story.cast.players[tests[0].player].name;
                let word = if tests[0].passed {
                    "accepts"
                } else {
                    "refuses"
                };
                format!("{name} {word}: {}", self.acceptance(tests))
            };
            found.push(Detail {
                heading: "Checks".to_owned(),
                lines: Self::together(m).into_iter().map(one).collect(),
            });
        }
        for detail in &mut found {
            for line in &mut detail.lines {
                *line = plain(line);
            }
        }
        found
    }

    /// How a message is built, an operation a line.
    fn operations(&self, derivation: &Derivation) -> Vec<String> {
        let teller = self.story.teller(self.ctx.store);
        derivation
            .operations()
            .into_iter()
            .map(|o| match o {
                Operation::Take { term, source } => match source {
                    Source::Sent(_) => {
                        format!("takes {} from {}", self.show(term), teller.source(source))
                    }
                    Source::Initial(_) => format!("has {} from before", self.show(term)),
                },
                Operation::Project { of, term } => {
                    format!("takes {} out of {}", self.show(term), self.show(of))
                }
                Operation::Open { sealed, key, term } => format!(
                    "opens {} with {}: {}",
                    self.show(sealed),
                    self.show(key),
                    self.show(term)
                ),
                Operation::Destruct {
                    destructor,
                    args,
                    term,
                } => {
                    let label = self.ctx.store.destructor_label(destructor);
                    let args: Vec<String> = args.iter().map(|t| self.show(*t)).collect();
                    format!("applies {}: {}", application(label, &args), self.show(term))
                }
                Operation::Build { term } => format!("builds {}", self.show(term)),
            })
            .collect()
    }

    /// What the attacker knows, in the order of learning.
    pub fn knowledge(&self, attack: &Attack) -> Vec<Knowledge> {
        let Context { store, program, .. } = self.ctx;
        let mut found = Vec::new();
        let s = &program.signature;
        let mut own = |term: TermId, how: &str| {
            found.push(Knowledge {
                since: 0,
                term: self.show(term),
                how: how.to_owned(),
            });
        };
        for family in &s.families {
            let info = store.family_info(*family);
            for spy in s.spies.iter().filter(|_| info.arity == 1) {
                let member = store.family(*family, &[*spy]);
                match info.kind {
                    FamilyKind::KeyPair => own(store.priv_part(member), "its own key"),
                    FamilyKind::Symmetric => own(member, "its own key"),
                }
            }
        }
        for term in &s.knows {
            own(*term, "known from the start");
        }
        let teller = self.story.teller(store);
        let mut knowledge = Deduction::with_initial(store, &s.knows);
        for (at, m) in attack.witness.moves.iter().enumerate() {
            let MoveKind::Send { message, .. } = &m.kind else {
                continue;
            };
            let sends = |b: &&Beat| matches!(b, Beat::Message(x) if x.sent.is_some_and(|(sent, _)| sent == at));
            let since = self.beats.iter().position(sends).map_or(0, |i| i + 1);
            for term in knowledge.learn(Source::Sent(at), *message) {
                let free = Deduction::new(store).derivable(term);
                let Some(derivation) = knowledge.derive(term).filter(|_| !free) else {
                    continue;
                };
                // A tuple is pairs within pairs; what is left of one without its first part is no
                // news.
                if term != *message && matches!(store.view(term), View::Tuple(_)) {
                    continue;
                }
                let how = if term == *message {
                    format!("heard in {}", teller.source(Source::Sent(at)))
                } else {
                    teller.take(&uses(&derivation)).join(", ")
                };
                found.push(Knowledge {
                    since,
                    term: self.show(term),
                    how: plain(&how),
                });
            }
        }
        found
    }
}

//! The chart of a refuted comparison, and its page: two systems, the environment between them, and
//! the test that tells them apart, with the first difference marked.

use super::chart::{Arrow, Chart, Form, Lane, LaneKind, Note, NoteKind, Row, Tone};
use super::page_content::{Detail, PageContent, Step};
use crate::analysis::{Comparison, Refutation};
use crate::base::source::Span;
use crate::certify::{Move, MoveKind, Obstacle, Probe, Side, Trial};
use crate::present::report::{Names, Telling, comparison_scope, comparison_word};
use crate::process::{InstanceId, StepId, System};
use crate::term::TermId;

/// The chart of a refuted comparison.
pub fn comparison_chart(
    names: Names<'_>,
    comparison: &Comparison,
    refutation: &Refutation,
) -> Chart {
    ComparisonPlotter::new(names, comparison, refutation).chart()
}

/// The page of a refuted comparison.
pub fn comparison_page(
    names: Names<'_>,
    file: &str,
    comparison: &Comparison,
    refutation: &Refutation,
) -> PageContent {
    let comparison_chart = ComparisonPlotter::new(names, comparison, refutation);
    let chart = comparison_chart.chart();
    let steps = comparison_chart.steps();
    let process = comparison_chart.telling.process();
    PageContent {
        file: file.to_owned(),
        title: names.title.to_owned(),
        verdict: chart.verdict.clone(),
        tone: Tone::Bad,
        facts: comparison_scope(comparison),
        chart,
        knower: String::new(),
        knowledge: Vec::new(),
        texts: vec![Detail {
            heading: "The test as a process, which signals when it passes".to_owned(),
            lines: process.lines().map(str::to_owned).collect(),
        }],
        listings: PageContent::listings(names.map, &steps),
        steps,
    }
}

/// One of the two systems.
struct Half<'a> {
    name: &'a str,
    system: &'a System,
    trial: &'a Trial,
    /// The instances that act, each with its lane.
    lanes: Vec<(InstanceId, usize)>,
    /// The lane next to the environment.
    near: usize,
    passes: bool,
}

struct ComparisonPlotter<'a> {
    names: Names<'a>,
    comparison: &'a Comparison,
    refutation: &'a Refutation,
    halves: [Half<'a>; 2],
    environment: usize,
    telling: Telling<'a>,
}

impl<'a> ComparisonPlotter<'a> {
    fn new(names: Names<'a>, comparison: &'a Comparison, refutation: &'a Refutation) -> Self {
        let shown = &refutation.shown;
        let left_passes = refutation.experiment.passes == Side::Left;
        let (left, right) = if left_passes {
            (&shown.passing, &shown.failing)
        } else {
            (&shown.failing, &shown.passing)
        };
        let one = instances(&comparison.left, left);
        let environment = one.len().max(1);
        let other = instances(&comparison.right, right);
        let number = |list: Vec<InstanceId>, first: usize| -> Vec<(InstanceId, usize)> {
            list.into_iter().zip(first..).collect()
        };
        ComparisonPlotter {
            names,
            comparison,
            refutation,
            environment,
            telling: Telling::new(names, comparison, refutation),
            halves: [
                Half {
                    name: names.left,
                    system: &comparison.left,
                    trial: left,
                    lanes: number(one, 0),
                    near: environment - 1,
                    passes: left_passes,
                },
                Half {
                    name: names.right,
                    system: &comparison.right,
                    trial: right,
                    lanes: number(other, environment + 1),
                    near: environment + 1,
                    passes: !left_passes,
                },
            ],
        }
    }

    fn show(&self, t: TermId) -> String {
        self.telling.term(t)
    }

    fn chart(&self) -> Chart {
        let experiment = &self.refutation.experiment;
        let shown = &self.refutation.shown;
        let mut rows = Vec::new();
        let actions = self.telling.actions();
        for (i, (probe, does)) in experiment.actions.iter().zip(actions).enumerate() {
            let mut row = Row {
                step: i + 1,
                before: vec![self.at_environment(does, NoteKind::Remark)],
                ..Row::default()
            };
            for half in &self.halves {
                self.half_row(half, i, probe, &mut row);
            }
            if shown.obstacle == Obstacle::Action(i) {
                row.marked = Some("first difference".to_owned());
            }
            rows.push(row);
        }
        for (j, text) in self.telling.conditions().into_iter().enumerate() {
            let mut row = Row {
                step: rows.len() + 1,
                before: vec![self.at_environment(text, NoteKind::Event)],
                ..Row::default()
            };
            let broken = shown.obstacle == Obstacle::Condition(j);
            for half in &self.halves {
                if half.passes || broken {
                    row.after.push(Note {
                        lane: half.near,
                        text: if half.passes {
                            "holds"
                        } else {
                            "does not hold"
                        }
                        .to_owned(),
                        kind: if half.passes {
                            NoteKind::Passed
                        } else {
                            NoteKind::Failed
                        },
                    });
                }
            }
            if broken {
                row.marked = Some("first difference".to_owned());
            }
            rows.push(row);
        }
        let (winner, loser) = match experiment.passes {
            Side::Left => (self.names.left, self.names.right),
            Side::Right => (self.names.right, self.names.left),
        };
        Chart {
            title: self.names.title.to_owned(),
            verdict: comparison_word(self.comparison).0.to_owned(),
            tone: Tone::Bad,
            lanes: self.lanes(),
            rows,
            legend: Vec::new(),
            ending: vec![format!(
                "{winner} passes this test; {loser} does not, whatever it does."
            )],
        }
    }

    fn lanes(&self) -> Vec<Lane> {
        let mut lanes = Vec::new();
        for (i, half) in self.halves.iter().enumerate() {
            if i == 1 {
                lanes.push(Lane {
                    name: "environment".to_owned(),
                    detail: "the test".to_owned(),
                    kind: LaneKind::Environment,
                });
            }
            let lane = |name: String| Lane {
                name,
                detail: half.name.to_owned(),
                kind: LaneKind::Honest,
            };
            if half.lanes.is_empty() {
                lanes.push(lane(half.system.label.to_string()));
            }
            for (instance, _) in &half.lanes {
                lanes.push(lane(self.instance(half.system, *instance)));
            }
        }
        lanes
    }

    fn instance(&self, system: &System, id: InstanceId) -> String {
        let i = system.instance(id);
        if i.def.is_none() || i.args.is_empty() {
            return i.label.to_string();
        }
        let args: Vec<String> = i.args.iter().map(|a| self.show(*a)).collect();
        format!("{}({})", i.label, args.join(", "))
    }

    fn at_environment(&self, text: String, kind: NoteKind) -> Note {
        Note {
            lane: self.environment,
            text,
            kind,
        }
    }

    /// One side of a row: what the system does, or that it can't.
    fn half_row(&self, half: &Half<'_>, i: usize, probe: &Probe, row: &mut Row) {
        let (silent, visible) = half.part(i);
        for m in silent {
            if let MoveKind::Communicate { message, .. } = &m.kind {
                row.before.push(Note {
                    lane: half.lane(m.step),
                    text: format!("among themselves: {}", self.show(*message)),
                    kind: NoteKind::Remark,
                });
            }
        }
        let arrow = |from, to, label, form| Arrow {
            from,
            to: Some(to),
            number: None,
            label,
            form,
            mask: None,
            overheard: None,
        };
        match visible.map(|m| (&m.kind, half.lane(m.step))) {
            Some((MoveKind::Receive { message, .. }, lane)) => row.arrows.push(arrow(
                self.environment,
                lane,
                self.show(*message),
                Form::Direct,
            )),
            Some((MoveKind::Send { message, .. }, lane)) => row.arrows.push(arrow(
                lane,
                self.environment,
                self.show(*message),
                Form::Direct,
            )),
            _ if self.refutation.shown.obstacle == Obstacle::Action(i) => {
                let (from, to, words) = match probe {
                    Probe::Send { .. } => (self.environment, half.near, "nobody takes it"),
                    Probe::Hear { .. } | Probe::Phase(_) => {
                        (half.near, self.environment, "nothing")
                    }
                };
                row.arrows
                    .push(arrow(from, to, words.to_owned(), Form::Missing));
            }
            _ => {}
        }
    }

    /// The steps for the page, with the recipes and what they give on both sides.
    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (i, does) in self.telling.actions().into_iter().enumerate() {
            let mut lines = Vec::new();
            let mut places: Vec<Span> = Vec::new();
            for half in &self.halves {
                let (silent, visible) = half.part(i);
                for m in silent.iter().chain(visible) {
                    places.push(half.system.step(m.step).span);
                    if let MoveKind::Communicate { receiver, .. } = &m.kind {
                        places.push(half.system.step(*receiver).span);
                    }
                }
                let text = match visible.map(|m| &m.kind) {
                    Some(MoveKind::Receive { message, .. }) => {
                        format!("takes {}", self.show(*message))
                    }
                    Some(MoveKind::Send { message, .. }) => {
                        format!("answers {}", self.show(*message))
                    }
                    _ => "can't go on".to_owned(),
                };
                lines.push(format!("{} {text}", half.name));
            }
            steps.push(Step {
                number: i + 1,
                title: format!("{}. the environment", i + 1),
                message: does,
                details: vec![Detail {
                    heading: "What the two systems do".to_owned(),
                    lines,
                }],
                places,
            });
        }
        for (j, looked) in self.telling.conditions().into_iter().enumerate() {
            let broken = self.refutation.shown.obstacle == Obstacle::Condition(j);
            let said = |half: &Half<'_>| match (half.passes, broken) {
                (true, _) => Some(format!("holds with {}", half.name)),
                (false, true) => Some(format!("does not hold with {}", half.name)),
                (false, false) => None,
            };
            steps.push(Step {
                number: steps.len() + 1,
                title: format!("{}. the environment compares", steps.len() + 1),
                message: looked,
                details: vec![Detail {
                    heading: "What the two systems do".to_owned(),
                    lines: self.halves.iter().filter_map(said).collect(),
                }],
                places: Vec::new(),
            });
        }
        steps
    }
}

impl Half<'_> {
    fn lane(&self, step: StepId) -> usize {
        let role = self.system.role_of(self.system.step(step).instance);
        let found = self.lanes.iter().find(|(i, _)| *i == role);
        found.map_or(self.near, |(_, lane)| *lane)
    }

    /// The silent moves before the tester's action of this number, and the move that follows the
    /// action.
    fn part(&self, action: usize) -> (&[Move], Option<&Move>) {
        let visible = |m: &Move| matches!(m.kind, MoveKind::Send { .. } | MoveKind::Receive { .. });
        let moves = &self.trial.moves;
        let ends: Vec<usize> = (0..moves.len()).filter(|i| visible(&moves[*i])).collect();
        let Some(end) = ends.get(action) else {
            return (&[], None);
        };
        let begin = action
            .checked_sub(1)
            .and_then(|a| ends.get(a))
            .map_or(0, |e| e + 1);
        (&moves[begin..*end], Some(&moves[*end]))
    }
}

/// The role instances of a run, in the order in which they act.
fn instances(system: &System, trial: &Trial) -> Vec<InstanceId> {
    let mut found = Vec::new();
    for m in &trial.moves {
        let mut ends = vec![m.step];
        if let MoveKind::Communicate { receiver, .. } = &m.kind {
            ends.push(*receiver);
        }
        for step in ends {
            let role = system.role_of(system.step(step).instance);
            if !found.contains(&role) {
                found.push(role);
            }
        }
    }
    found
}

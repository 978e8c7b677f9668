//! The chart of a run, attack or honest, and its page: from a story.

use super::abbreviate::Abbreviations;
use super::chart::{Arrow, Chart, Form, Lane, LaneKind, Note, NoteKind, Row, Tone};
use super::page_content::PageContent;
use crate::analysis::{Attack, ClaimResult, Gate};
use crate::certify::Evidence;
use crate::engine::honest::HonestRun;
use crate::present::report::{
    Acceptance, Beat, Context, Happening, Manner, Message, Party, Route, Story, ending,
    honest_verdict, plain, summary, watched, without_partner,
};
use crate::process::{Claim, System};
use crate::term::TermId;

/// The chart of a certified run.
pub fn attack_chart(
    ctx: Context<'_>,
    claim: &Claim,
    verdict: &str,
    attack: &Attack,
    story: &Story,
) -> Chart {
    RunPlotter::of_attack(ctx, claim, attack, story).chart(
        &claim.text,
        verdict,
        tone_of(attack),
        &ending(ctx, &claim.kind, attack, story),
    )
}

/// The page of a certified run.
pub fn attack_page(
    ctx: Context<'_>,
    file: &str,
    result: &ClaimResult,
    verdict: &str,
    attack: &Attack,
    story: &Story,
) -> PageContent {
    let claim = &result.claim;
    let plotter = RunPlotter::of_attack(ctx, claim, attack, story);
    let last = ending(ctx, &claim.kind, attack, story);
    let mut facts = summary::meaning(result);
    facts.push(summary::cost(&result.stats, result.proof, false));
    let tone = tone_of(attack);
    let steps = plotter.steps(Some(attack));
    PageContent {
        file: file.to_owned(),
        title: claim.text.clone(),
        verdict: verdict.to_owned(),
        tone,
        facts,
        chart: plotter.chart(&claim.text, verdict, tone, &last),
        knower: story.cast.spy.clone(),
        knowledge: plotter.knowledge(attack),
        texts: Vec::new(),
        listings: PageContent::listings(ctx.map, &steps),
        steps,
    }
}

/// The chart of an honest run.
pub fn honest_chart(ctx: Context<'_>, system: &str, gate: &Gate, run: &HonestRun) -> Chart {
    let story = Story::of_honest(ctx, gate, run);
    let (verdict, tone) = honest_tone(gate);
    RunPlotter::of_honest(ctx, gate, &story).chart(system, &verdict, tone, &[])
}

/// The page of an honest run.
pub fn honest_page(
    ctx: Context<'_>,
    file: &str,
    system: &str,
    gate: &Gate,
    run: &HonestRun,
) -> PageContent {
    let story = Story::of_honest(ctx, gate, run);
    let (verdict, tone) = honest_tone(gate);
    let plotter = RunPlotter::of_honest(ctx, gate, &story);
    let steps = plotter.steps(None);
    PageContent {
        file: file.to_owned(),
        title: system.to_owned(),
        chart: plotter.chart(system, &verdict, tone, &[]),
        verdict,
        tone,
        facts: vec!["a run in which nobody interferes".to_owned()],
        knower: String::new(),
        knowledge: Vec::new(),
        texts: Vec::new(),
        listings: PageContent::listings(ctx.map, &steps),
        steps,
    }
}

fn honest_tone(gate: &Gate) -> (String, Tone) {
    let (verdict, good) = honest_verdict(gate);
    let tone = match good {
        Some(true) => Tone::Good,
        Some(false) => Tone::Bad,
        None => Tone::Plain,
    };
    (verdict, tone)
}

fn tone_of(attack: &Attack) -> Tone {
    match attack.replayed.evidence {
        Evidence::Reached => Tone::Good,
        _ => Tone::Bad,
    }
}

/// Builds a chart from a story.
pub(super) struct RunPlotter<'a> {
    pub ctx: Context<'a>,
    pub story: &'a Story,
    pub system: &'a System,
    /// The beats that are drawn.
    pub beats: Vec<&'a Beat>,
    /// The lane of each player, and the spy's.
    lanes: Vec<usize>,
    spy: Option<usize>,
    /// What is said at the end, at which lane.
    last: Vec<Note>,
}

impl<'a> RunPlotter<'a> {
    fn of_attack(ctx: Context<'a>, claim: &'a Claim, attack: &'a Attack, story: &'a Story) -> Self {
        let told = |b: &&Beat| match b {
            Beat::Message(_) | Beat::Phase(_) => true,
            Beat::Event(e) => watched(&claim.kind, e.event),
        };
        let beats = story.beats.iter().filter(told).collect();
        let mut plotter = RunPlotter::new(ctx, story, &attack.system, beats, true);
        let show = |t: TermId| story.spelling.show(ctx.store, t);
        let spy = &story.cast.spy;
        let leaked = match &attack.replayed.evidence {
            Evidence::Derived(d) => Some(format!("{spy} knows {}", show(d.term))),
            Evidence::Sent { channel, message } => Some(format!(
                "{spy} can send {} on {}",
                show(message.term),
                show(channel.term)
            )),
            Evidence::Reached | Evidence::Unmatched(_) => None,
        };
        if let (Some(text), Some(lane)) = (leaked, plotter.spy) {
            plotter.last.push(Note {
                lane,
                text,
                kind: NoteKind::Leaked,
            });
        }
        if let Evidence::Unmatched(events) = &attack.replayed.evidence {
            let several = events.len() > 1;
            for at in without_partner(events) {
                if let Some(event) = story.event_at(at) {
                    let text = if several {
                        "no partner is left"
                    } else {
                        "nothing matches this"
                    };
                    plotter.last.push(Note {
                        lane: plotter.lanes[event.player],
                        text: text.to_owned(),
                        kind: NoteKind::Leaked,
                    });
                }
            }
        }
        plotter
    }

    fn of_honest(ctx: Context<'a>, gate: &'a Gate, story: &'a Story) -> Self {
        RunPlotter::new(
            ctx,
            story,
            &gate.system,
            story.beats.iter().collect(),
            false,
        )
    }

    /// The agent that starts stands on the left, the spy between it and the others.
    fn new(
        ctx: Context<'a>,
        story: &'a Story,
        system: &'a System,
        beats: Vec<&'a Beat>,
        with_spy: bool,
    ) -> Self {
        let players = &story.cast.players;
        let mut order: Vec<usize> = (0..players.len()).collect();
        let first_of = |i: usize| {
            let owner = &players[i].owner;
            players.iter().position(|p| p.owner == *owner)
        };
        order.sort_by_key(|i| (first_of(*i), *i));
        let left = order.iter().filter(|i| first_of(**i) == Some(0)).count();
        let spy = (with_spy && !players.is_empty()).then_some(left);
        let mut lanes = vec![0; players.len()];
        for (at, player) in order.into_iter().enumerate() {
            lanes[player] = at + usize::from(spy.is_some_and(|s| at >= s));
        }
        RunPlotter {
            ctx,
            story,
            system,
            beats,
            lanes,
            spy,
            last: Vec::new(),
        }
    }

    pub fn show(&self, t: TermId) -> String {
        self.story.spelling.show(self.ctx.store, t)
    }

    fn chart(&self, title: &str, verdict: &str, tone: Tone, ending: &[String]) -> Chart {
        let cast = &self.story.cast;
        let count = self.lanes.len() + usize::from(self.spy.is_some());
        let mut lanes = vec![
            Lane {
                name: cast.spy.clone(),
                detail: "the spy".to_owned(),
                kind: LaneKind::Spy,
            };
            count
        ];
        for (player, lane) in cast.players.iter().zip(&self.lanes) {
            let plain = player.name == player.plays;
            lanes[*lane] = Lane {
                name: player.name.clone(),
                detail: if plain {
                    String::new()
                } else {
                    player.plays.clone()
                },
                kind: LaneKind::Honest,
            };
        }
        let mut abbreviations = Abbreviations::default();
        let mut made: Vec<TermId> = Vec::new();
        let mut rows = Vec::new();
        for (i, beat) in self.beats.iter().enumerate() {
            let mut row = Row {
                step: i + 1,
                ..Row::default()
            };
            match beat {
                Beat::Message(m) => self.message(m, &mut row, &mut made, &mut abbreviations),
                Beat::Event(e) => {
                    row.before.extend(self.made(e.player, &e.args, &mut made));
                    row.before.push(Note {
                        lane: self.lanes[e.player],
                        text: self.event(e),
                        kind: NoteKind::Event,
                    });
                }
                Beat::Phase(number) => row.phase = Some(format!("phase {number}")),
            }
            rows.push(row);
        }
        if let Some(row) = rows.last_mut() {
            row.after.extend(self.last.iter().cloned());
        }
        Chart {
            title: title.to_owned(),
            verdict: verdict.to_owned(),
            tone,
            lanes,
            rows,
            legend: abbreviations.legend,
            ending: ending.iter().map(|s| plain(s)).collect(),
        }
    }

    pub fn event(&self, e: &Happening) -> String {
        let label = &self.ctx.program.events[e.event.index()].label;
        let args: Vec<String> = e.args.iter().map(|t| self.show(*t)).collect();
        format!("{label}({})", args.join(", "))
    }

    fn lane(&self, party: &Party) -> Option<usize> {
        match party {
            Party::Player(i) => Some(self.lanes[*i]),
            Party::Spy { .. } | Party::Anybody(_) => self.spy,
        }
    }

    fn message(
        &self,
        m: &Message,
        row: &mut Row,
        made: &mut Vec<TermId>,
        abbreviations: &mut Abbreviations,
    ) {
        let cast = &self.story.cast;
        if let (Party::Anybody(how), Some(lane)) = (&m.from, self.spy) {
            // Nobody sends it.
            row.before.push(Note {
                lane,
                text: format!(
                    "{}. {how}: {}",
                    m.number,
                    self.story.spelling.message(self.ctx.store, m.term)
                ),
                kind: NoteKind::Learned,
            });
            return;
        }
        if let Party::Player(sender) = m.from {
            row.before.extend(self.made(sender, &[m.term], made));
        }
        let form = match (&m.making, m.route) {
            (_, Route::Heard) if self.spy.is_some() => Form::Intercepted,
            (_, Route::Delivered | Route::Heard) => Form::Direct,
            (Some(making), Route::Made) if matches!(making.manner, Manner::Copied(_)) => {
                Form::Forwarded
            }
            (_, Route::Made) => Form::Forged,
        };
        let mask = [&m.from, &m.to]
            .into_iter()
            .find_map(|p| match (p, self.spy) {
                (Party::Spy { .. }, Some(lane)) if cast.label(p) != cast.spy => {
                    Some((lane, cast.label(p)))
                }
                _ => None,
            });
        let seen = m.sent.map(|(at, _)| at) != m.received.map(|(at, _)| at);
        let full = self.story.spelling.message(self.ctx.store, m.term);
        row.arrows.push(Arrow {
            from: self.lane(&m.from).unwrap_or(0),
            to: self.lane(&m.to),
            number: Some(m.number),
            label: abbreviations.shorten(&full, &self.sealed(m.term)),
            form,
            mask,
            overheard: self.spy.filter(|_| form == Form::Direct && seen),
        });
        if let (Form::Forged, Some(making), Some(lane)) = (form, &m.making, self.spy) {
            row.after.push(Note {
                lane,
                text: making.words.clone(),
                kind: NoteKind::Remark,
            });
        }
        if let Some(lane) = self.spy {
            for learned in &m.learned {
                let names: Vec<String> = learned.terms.iter().map(|t| self.show(*t)).collect();
                row.after.push(Note {
                    lane,
                    text: format!("learns {}", names.join(", ")),
                    kind: NoteKind::Learned,
                });
            }
        }
        for tests in Self::together(m) {
            row.after.push(Note {
                lane: self.lanes[tests[0].player],
                text: self.acceptance(tests),
                kind: if tests[0].passed {
                    NoteKind::Passed
                } else {
                    NoteKind::Failed
                },
            });
        }
    }

    /// The names that a player has made for these terms, told once.
    fn made(&self, player: usize, terms: &[TermId], told: &mut Vec<TermId>) -> Option<Note> {
        let role = self.story.cast.players[player].role;
        let mut names = Vec::new();
        for origin in &self.system.names {
            let its = self.system.role_of(origin.instance) == role;
            let used = terms.iter().any(|t| self.occurs(origin.term, *t));
            if its && used && !told.contains(&origin.term) {
                told.push(origin.term);
                names.push(self.show(origin.term));
            }
        }
        (!names.is_empty()).then(|| Note {
            lane: self.lanes[player],
            text: names.join(", "),
            kind: NoteKind::Made,
        })
    }

    fn line(&self, span: crate::base::source::Span) -> usize {
        let file = self.ctx.map.get(span.file);
        file.map_or(0, |f| f.line_column(span.start).0)
    }

    /// The tests that a message runs, those of one player with one outcome together.
    pub fn together(m: &Message) -> Vec<&[Acceptance]> {
        let same = |a: &Acceptance, b: &Acceptance| a.player == b.player && a.passed == b.passed;
        m.accepted.chunk_by(same).collect()
    }

    /// Where tests stand and what they bind: `lines 29-30: n = Ni`.
    pub fn acceptance(&self, tests: &[Acceptance]) -> String {
        let mut lines: Vec<usize> = tests.iter().map(|t| self.line(t.span)).collect();
        lines.dedup();
        let numbers = match lines.as_slice() {
            [one] => format!("line\u{a0}{one}"),
            [first, .., last] => format!("lines\u{a0}{first}\u{2013}{last}"),
            [] => String::new(),
        };
        let used = tests.first().map(|t| self.ctx.of_used(t.span));
        let numbers = numbers + &used.unwrap_or_default();
        if tests.iter().any(|t| !t.passed) {
            return format!("fails, {numbers}");
        }
        let small = |b: &&crate::present::report::Binding| self.ctx.store.facts(b.value).size <= 3;
        let bound: Vec<String> = tests
            .iter()
            .flat_map(|t| &t.bound)
            .filter(|b| !b.fits || b.unusual || small(b))
            .map(|b| format!("{} = {}", b.label, self.show(b.value)).replace(' ', "\u{a0}"))
            .collect();
        if bound.is_empty() {
            return numbers;
        }
        format!("{numbers}: {}", bound.join(", "))
    }

    fn occurs(&self, name: TermId, term: TermId) -> bool {
        let mut found = false;
        self.ctx.store.visit(term, &mut |t| {
            found |= t == name;
            !found
        });
        found
    }

    /// The ciphertexts, signatures and hashes in a term, as text.
    fn sealed(&self, term: TermId) -> Vec<String> {
        let store = self.ctx.store;
        let mut found = Vec::new();
        store.visit(term, &mut |t| {
            if t != term && store.node(t).op.is_sealed() {
                found.push(self.show(t));
            }
            true
        });
        found
    }
}

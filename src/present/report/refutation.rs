//! The experiment that tells two systems apart, side by side: what the environment does, what each side answers, where
//! they differ first, the test as a process, and the places in both sources.

use super::Spelling;
use super::comparison::Names;
use super::paper::{Ink, Paper};
use crate::analysis::{Comparison, Refutation};
use crate::base::source::{Label, LabelKind, render};
use crate::certify::{Condition, Move, MoveKind, Obstacle, Probe, Recipe, Side, Trial};
use crate::process::{StepId, System};
use crate::term::{
    Key, NameClass, Op, Opened, Printed, TermId, TermStore, View, application, power,
};
use std::io;
use std::sync::Arc;

/// Instances with longer arguments are called by their name only.
const LONG: usize = 24;

/// Everything that telling a refutation needs.
pub struct Telling<'a> {
    store: &'a TermStore,
    knows: &'a [TermId],
    refutation: &'a Refutation,
    spelling: Spelling,
}

/// One of the two systems with its run.
struct Party<'a> {
    name: &'a str,
    system: &'a System,
    trial: &'a Trial,
    /// For each action that it follows: the silent steps before it, and the step itself.
    answers: Vec<(Vec<&'a Move>, &'a Move)>,
}

impl<'a> Party<'a> {
    fn new(name: &'a str, system: &'a System, trial: &'a Trial) -> Self {
        let mut answers = Vec::new();
        let mut silent = Vec::new();
        for m in &trial.moves {
            match m.kind {
                MoveKind::Event { .. } => {}
                MoveKind::Communicate { .. } => silent.push(m),
                MoveKind::Send { .. } | MoveKind::Receive { .. } | MoveKind::Phase { .. } => {
                    answers.push((std::mem::take(&mut silent), m));
                }
            }
        }
        Self {
            name,
            system,
            trial,
            answers,
        }
    }
}

impl<'a> Telling<'a> {
    /// The refutation of a comparison, in the names that fit both of its runs.
    pub fn new(names: Names<'a>, comparison: &'a Comparison, refutation: &'a Refutation) -> Self {
        let mut terms = Vec::new();
        let recipes = |p: &Probe| match p {
            Probe::Send { channel, message } => vec![channel.clone(), message.clone()],
            Probe::Hear { channel } => vec![channel.clone()],
            Probe::Phase(_) => Vec::new(),
        };
        for recipe in refutation.experiment.actions.iter().flat_map(recipes) {
            constants(&recipe, &mut terms);
        }
        let (one, other) = match refutation.experiment.passes {
            Side::Left => (&comparison.left, &comparison.right),
            Side::Right => (&comparison.right, &comparison.left),
        };
        let shown = &refutation.shown;
        for (system, trial) in [(one, &shown.passing), (other, &shown.failing)] {
            terms.extend(&trial.heard);
            for m in &trial.moves {
                let mut steps = vec![m.step];
                if let MoveKind::Communicate {
                    receiver, message, ..
                } = &m.kind
                {
                    terms.push(*message);
                    steps.push(*receiver);
                }
                for step in steps {
                    terms.extend(&system.instance(system.step(step).instance).args);
                }
            }
        }
        Self {
            store: names.store,
            knows: &comparison.knows,
            refutation,
            spelling: Spelling::of_environment(names.store, &names.programs, &terms),
        }
    }

    /// The test process, with the names of this telling.
    pub fn process(&self) -> String {
        let spell = |atom: TermId| match self.store.view(atom) {
            View::Name(n) if self.store.name_info(n).class == NameClass::Attacker => {
                Some(self.term(atom))
            }
            _ => None,
        };
        self.refutation
            .experiment
            .test_process_named(self.store, self.knows, &spell)
    }

    /// The environment's actions in words.
    pub fn actions(&self) -> Vec<String> {
        let mut heard = 0;
        let actions = self.refutation.experiment.actions.iter();
        actions
            .map(|action| match action {
                Probe::Send { channel, message } => {
                    format!("send {} on {}", self.recipe(message), self.recipe(channel))
                }
                Probe::Hear { channel } => {
                    heard += 1;
                    format!("hear w{heard} on {}", self.recipe(channel))
                }
                Probe::Phase(number) => format!("let phase {number} begin"),
            })
            .collect()
    }

    /// What the environment sends, if it is the same on both sides and the recipe does not show it.
    fn sent(&self, action: &Probe) -> Option<String> {
        let Probe::Send { message, .. } = action else {
            return None;
        };
        let shown = &self.refutation.shown;
        let heard = [&shown.passing.heard, &shown.failing.heard];
        let [one, other] = heard.map(|h| message.evaluate(self.store, self.knows, h));
        let text = one.filter(|_| one == other).map(|t| self.term(t))?;
        (text != self.recipe(message)).then_some(text)
    }

    /// What the environment looks at, in words.
    pub fn conditions(&self) -> Vec<String> {
        let conditions = self.refutation.experiment.conditions.iter();
        conditions.map(|c| self.condition(c)).collect()
    }

    pub(super) fn write(
        &self,
        paper: &mut Paper<'_>,
        names: Names<'_>,
        comparison: &Comparison,
    ) -> io::Result<()> {
        let shown = &self.refutation.shown;
        let left = (names.left, &*comparison.left);
        let right = (names.right, &*comparison.right);
        let (one, other) = match self.refutation.experiment.passes {
            Side::Left => (left, right),
            Side::Right => (right, left),
        };
        let winner = Party::new(one.0, one.1, &shown.passing);
        let loser = Party::new(other.0, other.1, &shown.failing);
        paper.gap()?;
        paper.paragraph(
            2,
            &format!(
                "{} passes this test; {} has no run that does.",
                winner.name, loser.name
            ),
            Ink::Strong,
        )?;
        if !self.refutation.shortest {
            let doubt = "Whether a shorter one tells them apart was not found out.";
            paper.paragraph(2, doubt, Ink::Plain)?;
        }
        if let Some(note) = names.note {
            paper.paragraph(2, note, Ink::Plain)?;
        }
        let parties = [&winner, &loser];
        let width = parties.iter().map(|p| p.name.chars().count()).max();
        let width = width.unwrap_or(0);
        self.looks(paper, parties, width, 0)?;
        let mut heard = 0;
        for (i, action) in self.actions().iter().enumerate() {
            let head = format!("  {:>2}. ", i + 1);
            paper.hanging(&head, head.len(), action)?;
            if let Some(value) = self.sent(&self.refutation.experiment.actions[i]) {
                let text = format!("that is {value}");
                paper.hanging("      ", 6, &text)?;
            }
            let answers = parties.map(|p| self.answer(p, i));
            if answers[0] == answers[1] {
                Self::side(paper, "both", width, &plural(&answers[0]))?;
            } else {
                for (party, answer) in parties.into_iter().zip(&answers) {
                    Self::side(paper, party.name, width, answer)?;
                }
            }
            if matches!(self.refutation.experiment.actions[i], Probe::Hear { .. }) {
                heard += 1;
                self.looks(paper, parties, width, heard)?;
            }
        }
        paper.gap()?;
        paper.paragraph(2, &self.why(loser.name), Ink::Plain)?;
        paper.gap()?;
        let intro = "The test as a process, which signals when it passes:";
        paper.paragraph(2, intro, Ink::Plain)?;
        paper.indented(4, self.process().as_bytes())?;
        Self::excerpts(paper, names, &winner, &loser)
    }

    fn side(paper: &mut Paper<'_>, name: &str, width: usize, text: &str) -> io::Result<()> {
        let head = format!("        {name:width$}  ");
        let size = head.chars().count();
        paper.hanging(&head, size, text)
    }

    /// The looks that become possible when so many messages have been heard.
    fn looks(
        &self,
        paper: &mut Paper<'_>,
        parties: [&Party<'_>; 2],
        width: usize,
        heard: usize,
    ) -> io::Result<()> {
        for condition in &self.refutation.experiment.conditions {
            if condition.needs() != heard {
                continue;
            }
            let text = format!("{}?", self.condition(condition));
            paper.hanging("      ", 6, &text)?;
            for party in parties {
                let answer = self.look(party, condition);
                Self::side(paper, party.name, width, &answer)?;
            }
        }
        Ok(())
    }

    /// What a side does at an action.
    fn answer(&self, party: &Party<'_>, i: usize) -> String {
        let sends = matches!(self.refutation.experiment.actions[i], Probe::Send { .. });
        let Some((silent, last)) = party.answers.get(i).filter(|_| i < party.trial.followed) else {
            return match (i == party.trial.followed, sends) {
                (true, true) => "nobody takes it".to_owned(),
                (true, false) => "nothing is sent".to_owned(),
                (false, _) => "-".to_owned(),
            };
        };
        let who = self.who(party.system, last.step);
        let mut text = match &last.kind {
            MoveKind::Send { message, .. } => format!("{who}sends {}", self.term(*message)),
            _ if who.is_empty() => "takes it".to_owned(),
            _ => format!("{who}takes it"),
        };
        let inside: Vec<String> = silent
            .iter()
            .map(|m| self.silent(party.system, m))
            .collect();
        if !inside.is_empty() {
            text = format!("{text}, after {}", inside.join(", then "));
        }
        text
    }

    /// A communication that the environment does not see.
    fn silent(&self, system: &System, m: &Move) -> String {
        let MoveKind::Communicate {
            receiver, message, ..
        } = &m.kind
        else {
            return String::new();
        };
        let (from, to) = (self.who(system, m.step), self.who(system, *receiver));
        let message = self.term(*message);
        if from.is_empty() || to.is_empty() {
            format!("{message} was passed inside")
        } else {
            format!("{}passed {message} to {}", from, to.trim_end())
        }
    }

    /// The instance whose step it is, with a blank behind; empty for the body of the system.
    fn who(&self, system: &System, step: StepId) -> String {
        let instance = system.instance(system.step(step).instance);
        if instance.def.is_none() {
            return String::new();
        }
        let args: Vec<String> = instance.args.iter().map(|a| self.term(*a)).collect();
        let args = args.join(", ");
        let open = instance.args.iter().any(|a| !self.store.is_ground(*a));
        if args.is_empty() || open || args.chars().count() > LONG {
            format!("{} ", instance.label)
        } else {
            format!("{}({args}) ", instance.label)
        }
    }

    /// What a side shows at a look.
    fn look(&self, party: &Party<'_>, condition: &Condition) -> String {
        if condition.needs() > party.trial.heard.len() {
            return "-".to_owned();
        }
        let value = |r: &Arc<Recipe>| r.evaluate(self.store, self.knows, &party.trial.heard);
        let show = |t: Option<TermId>| t.map_or_else(|| "nothing".to_owned(), |t| self.term(t));
        let holds = condition.holds(self.store, self.knows, &party.trial.heard);
        let word = if holds { "yes" } else { "no" };
        match condition {
            Condition::Equal(r, s) | Condition::Different(r, s) => {
                let (a, b) = (value(r), value(s));
                if a == b {
                    format!("{word}: both are {}", show(a))
                } else {
                    format!("{word}: {} and {}", show(a), show(b))
                }
            }
            Condition::Succeeds(r) | Condition::Fails(r) => match value(r) {
                Some(t) => format!("{word}: {}", self.term(t)),
                None => word.to_owned(),
            },
        }
    }

    fn why(&self, loser: &str) -> String {
        match self.refutation.shown.obstacle {
            Obstacle::Action(i) => {
                let step = i + 1;
                format!("This is as far as {loser} gets: no run of it takes step {step}.")
            }
            Obstacle::Condition(i) => {
                let conditions = &self.refutation.experiment.conditions;
                let condition = self.condition(&conditions[i]);
                // One run may fail this condition and another run another one.
                if conditions.len() > 1 {
                    format!(
                        "This is as far as {loser} gets: none of its runs passes all these looks. In the one shown it is not so that {condition}."
                    )
                } else {
                    format!("This is as far as {loser} gets: in none of its runs {condition}.")
                }
            }
        }
    }

    /// Marks in both sources where the run ends.
    fn excerpts(
        paper: &mut Paper<'_>,
        names: Names<'_>,
        winner: &Party<'_>,
        loser: &Party<'_>,
    ) -> io::Result<()> {
        let ends = [
            (winner, "gets here", LabelKind::Primary),
            (loser, "gets no further than here", LabelKind::Secondary),
        ];
        let mut labels: Vec<Label> = Vec::new();
        for (party, text, kind) in ends {
            let Some((_, last)) = party.answers.last() else {
                continue;
            };
            let span = party.system.step(last.step).span;
            match labels.first_mut().filter(|l| l.span == span) {
                Some(label) => "both get here, and differ".clone_into(&mut label.message),
                None => labels.push(Label {
                    span,
                    message: format!("{} {text}", party.name),
                    kind,
                }),
            }
        }
        for label in labels {
            paper.gap()?;
            let look = paper.look();
            let excerpt = render::Excerpt {
                labels: vec![label],
                ..render::Excerpt::default()
            };
            render::write_excerpt(paper.out(), names.map, &excerpt, look)?;
        }
        Ok(())
    }

    /// A term in these names.
    pub fn term(&self, t: TermId) -> String {
        self.spelling.show(self.store, t)
    }

    /// A condition in words.
    fn condition(&self, condition: &Condition) -> String {
        let text = |r: &Recipe| self.recipe(r);
        match condition {
            Condition::Equal(a, b) => format!("{} = {}", text(a), text(b)),
            Condition::Different(a, b) => format!("{} differs from {}", text(a), text(b)),
            Condition::Succeeds(r) => format!("{} can be computed", text(r)),
            Condition::Fails(r) => format!("{} can't be computed", text(r)),
        }
    }

    /// A recipe that stands for a key: in parentheses if it is in words.
    fn key(&self, r: &Recipe) -> String {
        let text = self.recipe(r);
        if text.contains(' ') && !text.starts_with(['(', '{', '[']) {
            format!("({text})")
        } else {
            text
        }
    }

    /// The components of a tuple, right-nested pairs in a row; a single one for anything else.
    fn components(&self, r: &Recipe) -> Vec<String> {
        match r {
            Recipe::Build(Op::Tuple, args) => {
                let mut all: Vec<String> = Vec::new();
                for (i, a) in args.iter().enumerate() {
                    if i + 1 == args.len() {
                        all.extend(self.components(a));
                    } else {
                        all.push(self.recipe(a));
                    }
                }
                all
            }
            _ => vec![self.recipe(r)],
        }
    }

    /// A component, counted along right-nested pairs. The last of them is called a part if it is no pair itself on the
    /// side that passes.
    fn part(&self, r: &Recipe) -> String {
        let Recipe::Part { of, index, arity } = r else {
            return self.recipe(r);
        };
        let mut place = *index;
        let mut whole = of;
        while let Recipe::Part {
            of,
            index,
            arity: outer,
        } = &**whole
            && index + 1 == *outer
        {
            place += index;
            whole = of;
        }
        let heard = &self.refutation.shown.passing.heard;
        let value = r.evaluate(self.store, self.knows, heard);
        let more = index + 1 == *arity
            && value.is_some_and(|t| matches!(self.store.view(t), View::Tuple(_)));
        let whole = self.recipe(whole);
        if more {
            format!("parts {} and on of {whole}", place + 1)
        } else {
            format!("part {} of {whole}", place + 1)
        }
    }

    /// A message in braces with its key behind it. The sign of the key tells what the braces mean, if it has one.
    fn braces(&self, op: Op, message: &str, key: &Recipe) -> String {
        let text = self.recipe(key);
        let sign = match op.row().opened {
            Opened::With(Key::Counterpart { lock, .. }) => match lock.row().printed {
                Printed::Suffix(sign) => Some(sign),
                _ => None,
            },
            _ => None,
        };
        if sign.is_some_and(|sign| text.ends_with(sign)) {
            return format!("{{{message}}}{text}");
        }
        let (open, close) = op.braces(false);
        format!("{open}{message}{close}{}", self.key(key))
    }

    /// A recipe in the notation of terms; `w1` is the first message heard.
    fn recipe(&self, r: &Recipe) -> String {
        let text = |r: &Recipe| self.recipe(r);
        let list = |rs: &[Arc<Recipe>]| rs.iter().map(|r| text(r)).collect::<Vec<_>>().join(", ");
        let bare = |r: &Recipe| self.components(r).join(", ");
        match r {
            Recipe::Initial(i) => self
                .knows
                .get(*i)
                .map_or_else(|| format!("known{i}"), |t| self.term(*t)),
            Recipe::Heard(i) => format!("w{}", i + 1),
            Recipe::Constant(t) => self.term(*t),
            Recipe::Build(op, args) => match (op.row().printed, args.as_slice()) {
                (Printed::Number, [a]) => format!("suc({})", text(a)),
                (Printed::Infix(_), [a, b]) => power(&text(a), &text(b)),
                (Printed::Call(word), _) => format!("{word}({})", list(args)),
                (Printed::Suffix(sign), [a]) => format!("{}{sign}", text(a)),
                (Printed::Braces { .. }, [m, k]) => self.braces(*op, &bare(m), k),
                (Printed::Declared, _) => {
                    format!("{}({})", self.store.declared_label(*op), list(args))
                }
                _ => format!("({})", self.components(r).join(", ")),
            },
            Recipe::Member(f, args) => {
                format!("{}({})", self.store.family_info(*f).label, list(args))
            }
            Recipe::PublicPart(f, args) => {
                format!("{}({})+", self.store.family_info(*f).label, list(args))
            }
            Recipe::Part { .. } => self.part(r),
            Recipe::Predecessor(a) => format!("the predecessor of {}", text(a)),
            Recipe::Destruct(d, args) => {
                let args: Vec<String> = args.iter().map(|a| text(a)).collect();
                application(self.store.destructor_label(*d), &args)
            }
            Recipe::Open(Op::Sign, c, k) => {
                format!("the content of {} signed for {}", text(c), text(k))
            }
            Recipe::Open(_, c, k) => {
                format!("the content of {} under {}", text(c), text(k))
            }
        }
    }
}

/// The constants of a recipe, in order.
fn constants(recipe: &Recipe, found: &mut Vec<TermId>) {
    if let Recipe::Constant(t) = recipe {
        found.push(*t);
    }
    for part in recipe.parts() {
        constants(part, found);
    }
}

/// What both sides do, said of the two.
fn plural(answer: &str) -> String {
    ["takes ", "sends "]
        .iter()
        .find_map(|verb| {
            let rest = answer.strip_prefix(verb)?;
            Some(format!("{} {rest}", verb.trim_end_matches("s ")))
        })
        .unwrap_or_else(|| answer.to_owned())
}

//! A message sequence chart as data.

/// Good news, bad news, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Tone {
    Good,
    Bad,
    Plain,
}

/// Who stands in a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// A role instance.
    Honest,
    /// The attacker.
    Spy,
    /// The environment of a test.
    Environment,
}

/// A lane: somebody's time line.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The name at its head.
    pub name: String,
    /// What is played: `Init(A, C)`.
    pub detail: String,
    /// Who it is.
    pub kind: LaneKind,
}

/// How a message travels. Each has a form of its own, not only a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It reaches the partner it was meant for: a full line with a full head.
    Direct,
    /// The spy takes it: a full line that ends in a ring.
    Intercepted,
    /// The spy hands on what it heard, unchanged: a dashed line.
    Forwarded,
    /// The spy made it: a heavy line that starts with a diamond.
    Forged,
    /// It does not happen: a dotted line with a cross.
    Missing,
}

/// A message.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// The lane it starts from.
    pub from: usize,
    /// The lane it goes to; `None` if nobody takes it.
    pub to: Option<usize>,
    /// Its number, if it has one.
    pub number: Option<usize>,
    /// The message.
    pub label: String,
    /// How it travels.
    pub form: Form,
    /// The name that the spy uses, at its end of the arrow: `C(A)`.
    pub mask: Option<(usize, String)>,
    /// The spy's lane, if it hears what passes by.
    pub overheard: Option<usize>,
}

/// What a note says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// A secret is made.
    Made,
    /// A test is passed.
    Passed,
    /// A test fails, or nothing comes.
    Failed,
    /// The spy learns something, or how it makes a message.
    Learned,
    /// A secret is in the wrong hands.
    Leaked,
    /// An event.
    Event,
    /// Anything else.
    Remark,
}

/// A note at a lane.
#[derive(Clone, Debug)]
pub struct Note {
    /// The lane.
    pub lane: usize,
    /// The text.
    pub text: String,
    /// What it is.
    pub kind: NoteKind,
}

/// What happens in one step.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The number of the step, from 1.
    pub step: usize,
    /// What comes before the arrows.
    pub before: Vec<Note>,
    /// The arrows, all at one height.
    pub arrows: Vec<Arrow>,
    /// What comes after them.
    pub after: Vec<Note>,
    /// The row is marked, with these words.
    pub marked: Option<String>,
    /// A line across all lanes, with these words: a phase begins.
    pub phase: Option<String>,
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What it is about: the claim, the system.
    pub title: String,
    /// The verdict.
    pub verdict: String,
    /// Good or bad.
    pub tone: Tone,
    /// The lanes, from left to right.
    pub lanes: Vec<Lane>,
    /// The rows, from top to bottom.
    pub rows: Vec<Row>,
    /// Abbreviations and what they stand for.
    pub legend: Vec<(String, String)>,
    /// What the run shows, in sentences.
    pub ending: Vec<String>,
}

impl Chart {
    /// The forms that occur, in the order of the key.
    pub fn forms(&self) -> Vec<Form> {
        let all = [
            Form::Direct,
            Form::Intercepted,
            Form::Forwarded,
            Form::Forged,
            Form::Missing,
        ];
        let used = |f: &Form| {
            self.rows
                .iter()
                .flat_map(|r| &r.arrows)
                .any(|a| a.form == *f)
        };
        all.into_iter().filter(used).collect()
    }
}

impl Form {
    /// What it means.
    pub fn label(self) -> &'static str {
        match self {
            Form::Direct => "reaches its partner",
            Form::Intercepted => "intercepted",
            Form::Forwarded => "forwarded unchanged",
            Form::Forged => "made by the spy",
            Form::Missing => "can't happen",
        }
    }

    /// Its class in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Form::Direct => "direct",
            Form::Intercepted => "caught",
            Form::Forwarded => "relayed",
            Form::Forged => "forged",
            Form::Missing => "missing",
        }
    }
}

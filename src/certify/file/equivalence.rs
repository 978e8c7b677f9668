//! Equivalences: threads, bundles, recipes, and the facts and places of both sides.

use super::symbols::Symbols;
use super::words::{Line, Word, bad};
use super::{Draft, Header};
use crate::base::source::{Diagnostic, Span};
use crate::certify::equivalence::{Bundle, Certificate, Event, Fact, Place, Recipe, Run};
use crate::process::{Action, System};
use crate::term::{Op, TermId, TermStore, View};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::Arc;

/// What the sides are called.
const SIDES: [&str; 2] = ["left", "right"];

/// The most steps, threads, entries and so on.
const MOST: u32 = 1 << 22;

/// Operators of the largest recipe, how deep it may be, and the choices of all runs together.
const LARGEST: u32 = 1 << 14;
const DEEPEST: u32 = 1_000;
const CHOICES: u32 = 1 << 20;

/// The certificate with the systems that it is about.
#[derive(Debug)]
pub struct Compared {
    /// The certificate.
    pub certificate: Certificate,
    /// The systems with other channels, if it is about such.
    pub apart: Option<[System; 2]>,
}

/// Writes an equivalence of two systems, or of the same with other channels; `None` if something in it has no spelling.
pub fn written(
    store: &TermStore,
    systems: [&System; 2],
    apart: Option<&[System; 2]>,
    header: &Header,
    certificate: &Certificate,
) -> Option<String> {
    let symbols = Symbols::new(store, &systems);
    let mut writer = Writer {
        store,
        symbols,
        text: header.written(),
        recipes: FxHashMap::default(),
    };
    writer.text.push_str("equivalence\n");
    for side in [0, 1] {
        let Some(apart) = apart else { break };
        for (number, step) in apart[side].steps.iter().enumerate() {
            if let Some(channel) = channel(&step.action) {
                let name = writer.term(channel)?;
                let _ = writeln!(writer.text, "channel {} {number} {name}", SIDES[side]);
            }
        }
    }
    for channels in &certificate.threads {
        let mut line = "thread".to_owned();
        for channel in channels {
            let _ = write!(line, " {}", writer.term(*channel)?);
        }
        let _ = writeln!(writer.text, "{line}");
    }
    for bundle in &certificate.bundles {
        let mut line = format!("bundle {} {} threads", bundle.parent, bundle.class);
        for thread in &bundle.threads {
            let _ = write!(line, " {thread}");
        }
        for (side, names) in SIDES.iter().zip(&bundle.names) {
            let _ = write!(line, " {side}");
            for name in names {
                let _ = write!(line, " {}", writer.term(*name)?);
            }
        }
        let _ = writeln!(writer.text, "{line}");
    }
    for side in [0, 1] {
        for fact in &certificate.facts[side] {
            let recipe = writer.recipe(&fact.recipe)?;
            let run = writer.run(&fact.run)?;
            let _ = writeln!(writer.text, "fact {} {recipe}{run}", SIDES[side]);
        }
        for place in &certificate.places[side] {
            let run = writer.run(&place.run)?;
            let thread = place.thread;
            let _ = writeln!(writer.text, "place {} {thread}{run}", SIDES[side]);
        }
    }
    writer.text.push_str("end\n");
    Some(writer.text)
}

fn channel(action: &Action) -> Option<TermId> {
    match action {
        Action::Output { channel, .. } | Action::Input { channel, .. } => Some(*channel),
        _ => None,
    }
}

struct Writer<'a> {
    store: &'a TermStore,
    symbols: Symbols<'a>,
    text: String,
    recipes: FxHashMap<Arc<Recipe>, u32>,
}

impl Writer<'_> {
    /// A name, or 0.
    fn term(&self, t: TermId) -> Option<String> {
        match self.store.view(t) {
            View::Zero => Some("zero".to_owned()),
            View::Name(n) => self.symbols.name(n),
            _ => None,
        }
    }

    /// The number of a recipe, which is written if it is new.
    fn recipe(&mut self, recipe: &Arc<Recipe>) -> Option<u32> {
        if let Some(number) = self.recipes.get(recipe) {
            return Some(*number);
        }
        let line = match &**recipe {
            Recipe::Initial(i) => format!("initial {i}"),
            Recipe::Heard((thread, at)) => format!("heard {thread}:{at}"),
            Recipe::Choice(c) => format!("choice {c}"),
            Recipe::Constant(t) => format!("constant {}", self.term(*t)?),
            Recipe::Apply(op, args) => {
                let mut line = format!("apply {} (", self.symbols.op(*op)?);
                for arg in args {
                    let _ = write!(line, " {}", self.recipe(arg)?);
                }
                line + " )"
            }
            Recipe::Part(of, i, n) => format!("part {} {i} {n}", self.recipe(of)?),
            Recipe::Predecessor(of) => format!("predecessor {}", self.recipe(of)?),
            Recipe::Open(how, of, key) => {
                let how = self.symbols.op(*how)?;
                format!("open {how} {} {}", self.recipe(of)?, self.recipe(key)?)
            }
        };
        let number = self.recipes.len() as u32;
        let _ = writeln!(self.text, "{number} = {line}");
        self.recipes.insert(recipe.clone(), number);
        Some(number)
    }

    fn run(&mut self, run: &Run) -> Option<String> {
        let mut line = format!(" choices {} clock", run.choices);
        for (thread, count) in &run.clock {
            let _ = write!(line, " {thread}:{count}");
        }
        line.push_str(" sends");
        for ((thread, at), recipe) in &run.inputs {
            let _ = write!(line, " {thread}:{at}={}", self.recipe(recipe)?);
        }
        Some(line)
    }
}

/// Recipes that were read, with their sizes and depths.
#[derive(Default)]
struct Recipes {
    all: Vec<Arc<Recipe>>,
    sizes: Vec<(u32, u32)>,
    choices: u32,
}

impl Recipes {
    fn one(&self, line: &mut Line<'_>) -> Result<usize, Diagnostic> {
        let word = line.word("a recipe")?;
        let number = word.number().map(|n| n as usize);
        let number = number.filter(|n| *n < self.all.len());
        number.ok_or_else(|| bad(word.span, "the number of a recipe above"))
    }

    fn add(&mut self, recipe: Recipe, of: &[usize], at: Span) -> Result<(), Diagnostic> {
        let size = of
            .iter()
            .fold(1_u32, |n, i| n.saturating_add(self.sizes[*i].0));
        let depth = of.iter().map(|i| self.sizes[*i].1 + 1).max().unwrap_or(0);
        if size > LARGEST || depth > DEEPEST {
            return Err(bad(at, "a recipe that is not so large"));
        }
        self.all.push(Arc::new(recipe));
        self.sizes.push((size, depth));
        Ok(())
    }
}

impl Draft<'_> {
    /// Reads an equivalence of these systems.
    pub fn equivalence(
        mut self,
        store: &TermStore,
        systems: [&System; 2],
    ) -> Result<Compared, Diagnostic> {
        let symbols = Symbols::new(store, &systems);
        let mut certificate = Certificate::default();
        let mut recipes = Recipes::default();
        let mut apart: Option<[System; 2]> = None;
        loop {
            let mut line = self.lines.line()?;
            let word = line.word("a line of an equivalence")?;
            match &*word.text {
                "channel" => {
                    let side = line.one_of(&SIDES)?;
                    let step = line.word("a step")?;
                    let number = step.number().unwrap_or(u32::MAX) as usize;
                    let new = name(store, &symbols, &mut line)?;
                    let apart = apart.get_or_insert_with(|| systems.map(System::clone));
                    match apart[side].steps.get_mut(number).map(|s| &mut s.action) {
                        Some(Action::Output { channel, .. } | Action::Input { channel, .. }) => {
                            *channel = new;
                        }
                        _ => return Err(bad(step.span, "a step that sends or receives")),
                    }
                }
                "thread" => {
                    let mut channels = Vec::new();
                    while let Some(word) = line.next() {
                        line.give_back(word);
                        channels.push(name(store, &symbols, &mut line)?);
                    }
                    certificate.threads.push(channels);
                }
                "bundle" => {
                    let bundle = bundle(store, &symbols, &mut line)?;
                    certificate.bundles.push(bundle);
                }
                "fact" => {
                    let side = line.one_of(&SIDES)?;
                    let recipe = recipes.one(&mut line)?;
                    let recipe = recipes.all[recipe].clone();
                    let run = run(&mut recipes, &mut line)?;
                    certificate.facts[side].push(Fact { run, recipe });
                }
                "place" => {
                    let side = line.one_of(&SIDES)?;
                    let thread = line.up_to(u32::from(u16::MAX))? as u16;
                    let run = run(&mut recipes, &mut line)?;
                    certificate.places[side].push(Place { run, thread });
                }
                "end" => {
                    line.end()?;
                    break;
                }
                _ if word.number() == Some(recipes.all.len() as u32) => {
                    line.exactly("=")?;
                    recipe(store, &symbols, &mut recipes, &mut line)?;
                }
                _ => {
                    let next = recipes.all.len();
                    let expected = format!(
                        "recipe {next}, `channel`, `thread`, `bundle`, `fact`, `place` or `end`"
                    );
                    return Err(bad(word.span, &expected));
                }
            }
            line.end()?;
        }
        self.lines.nothing()?;
        Ok(Compared { certificate, apart })
    }
}

/// A name, or 0.
fn name(
    store: &TermStore,
    symbols: &Symbols<'_>,
    line: &mut Line<'_>,
) -> Result<TermId, Diagnostic> {
    let word = line.word("a name")?;
    if word.text == "zero" {
        return Ok(store.zero());
    }
    let name = symbols.read_name(&word.text, line)?;
    let name = name.ok_or_else(|| bad(word.span, "a name"))?;
    Ok(store.name_term(name))
}

fn bundle(
    store: &TermStore,
    symbols: &Symbols<'_>,
    line: &mut Line<'_>,
) -> Result<Bundle, Diagnostic> {
    let mut bundle = Bundle {
        parent: line.up_to(MOST)?,
        class: line.up_to(MOST)?,
        ..Bundle::default()
    };
    line.exactly("threads")?;
    loop {
        let word = line.word("a thread, or `left`")?;
        if word.text == SIDES[0] {
            break;
        }
        let thread = word.number().and_then(|n| u16::try_from(n).ok());
        let thread = thread.ok_or_else(|| bad(word.span, "a thread, or `left`"))?;
        bundle.threads.push(thread);
    }
    loop {
        let word = line.word("a name, or `right`")?;
        if word.text == SIDES[1] {
            break;
        }
        line.give_back(word);
        bundle.names[0].push(name(store, symbols, line)?);
    }
    while let Some(word) = line.next() {
        line.give_back(word);
        bundle.names[1].push(name(store, symbols, line)?);
    }
    Ok(bundle)
}

fn recipe(
    store: &TermStore,
    symbols: &Symbols<'_>,
    recipes: &mut Recipes,
    line: &mut Line<'_>,
) -> Result<(), Diagnostic> {
    let at = line.span;
    let ways = [
        "initial",
        "heard",
        "choice",
        "constant",
        "apply",
        "part",
        "predecessor",
        "open",
    ];
    let get = |recipes: &Recipes, i: usize| recipes.all[i].clone();
    match line.one_of(&ways)? {
        0 => recipes.add(Recipe::Initial(line.up_to(MOST)?), &[], at),
        1 => {
            let word = line.word("an action")?;
            let event = event(&word)?;
            recipes.add(Recipe::Heard(event), &[], at)
        }
        2 => recipes.add(Recipe::Choice(line.up_to(CHOICES)?), &[], at),
        3 => recipes.add(Recipe::Constant(name(store, symbols, line)?), &[], at),
        4 => {
            let op = operator(symbols, line)?;
            line.exactly("(")?;
            let mut args = Vec::new();
            loop {
                let word = line.word("a recipe, or `)`")?;
                if word.text == ")" {
                    break;
                }
                line.give_back(word);
                args.push(recipes.one(line)?);
            }
            let all = args.iter().map(|i| get(recipes, *i)).collect();
            recipes.add(Recipe::Apply(op, all), &args, at)
        }
        5 => {
            let of = recipes.one(line)?;
            let (i, n) = (line.up_to(MOST)?, line.up_to(MOST)?);
            recipes.add(Recipe::Part(get(recipes, of), i, n), &[of], at)
        }
        6 => {
            let of = recipes.one(line)?;
            recipes.add(Recipe::Predecessor(get(recipes, of)), &[of], at)
        }
        _ => {
            let how = operator(symbols, line)?;
            let (of, key) = (recipes.one(line)?, recipes.one(line)?);
            let open = Recipe::Open(how, get(recipes, of), get(recipes, key));
            recipes.add(open, &[of, key], at)
        }
    }
}

fn operator(symbols: &Symbols<'_>, line: &mut Line<'_>) -> Result<Op, Diagnostic> {
    let word = line.word("an operator")?;
    let op = symbols.read_op(&word.text, line)?;
    op.ok_or_else(|| bad(word.span, "an operator"))
}

/// `THREAD:NUMBER`.
fn event(word: &Word) -> Result<Event, Diagnostic> {
    let parts = word.text.split_once(':');
    let number = |text: &str| text.parse::<u16>().ok();
    let event = parts.and_then(|(t, n)| Some((number(t)?, number(n)?)));
    event.ok_or_else(|| bad(word.span, "an action such as `0:1`"))
}

fn run(recipes: &mut Recipes, line: &mut Line<'_>) -> Result<Run, Diagnostic> {
    let mut run = Run::default();
    line.exactly("choices")?;
    run.choices = line.up_to(CHOICES)?;
    recipes.choices = recipes.choices.saturating_add(run.choices);
    if recipes.choices > CHOICES {
        return Err(bad(line.span, "fewer choices"));
    }
    line.exactly("clock")?;
    loop {
        let word = line.word("a thread and how far it goes, or `sends`")?;
        if word.text == "sends" {
            break;
        }
        run.clock.push(event(&word)?);
    }
    while let Some(mut word) = line.next() {
        let wrong = bad(word.span, "an input and a recipe above, such as `0:1=2`");
        let (at, number) = word.text.split_once('=').ok_or_else(|| wrong.clone())?;
        let recipe = number
            .parse::<usize>()
            .ok()
            .and_then(|n| recipes.all.get(n));
        let recipe = recipe.ok_or(wrong)?.clone();
        word.text = at.to_owned();
        run.inputs.push((event(&word)?, recipe));
    }
    Ok(run)
}

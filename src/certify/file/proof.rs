//! Proofs: clauses and cuts over numbered entries.

use super::symbols::Symbols;
use super::words::{Line, bad};
use super::{Draft, Header};
use crate::base::source::Diagnostic;
use crate::certify::proof::{Certificate, Clause, Cut, Entry, Head, Kind, Written};
use crate::process::{StepId, System};
use crate::term::TermStore;
use smallvec::SmallVec;
use std::fmt::Write;

/// What facts are called.
const KINDS: [(&str, Kind); 7] = [
    ("attacker", Kind::Attacker),
    ("message", Kind::Message),
    ("after", Kind::After),
    ("before", Kind::Before),
    ("received", Kind::Received),
    ("part", Kind::Part),
    ("goal", Kind::Goal),
];

/// The most entries, clauses and cuts that are read: a file of the largest size has no more.
const MOST: u32 = 1 << 22;

/// Writes a proof; `None` if something in it has no spelling.
pub fn written(
    store: &TermStore,
    system: &System,
    header: &Header,
    certificate: &Certificate,
) -> Option<String> {
    let symbols = Symbols::new(store, &[system]);
    let mut text = header.written();
    text.push_str("proof\n");
    let told = if certificate.received { "yes" } else { "no" };
    let _ = writeln!(text, "received {told}");
    let mut inputs = certificate.inputs.clone();
    inputs.sort_by_key(|(name, _)| symbols.name(*name));
    for (name, count) in &inputs {
        let _ = writeln!(text, "depends {} {count}", symbols.name(*name)?);
    }
    for (number, entry) in certificate.entries.iter().enumerate() {
        let head = match entry.head {
            Head::Variable(v) => format!("variable {v}"),
            Head::Place(step) => format!("place {}", step.0),
            Head::Fact(kind) => KINDS.iter().find(|(_, k)| *k == kind)?.0.to_owned(),
            Head::Operator(op) => symbols.op(op)?,
        };
        let _ = write!(text, "{number} = {head}");
        if !entry.args.is_empty() {
            text.push_str(" (");
            for arg in &entry.args {
                let _ = write!(text, " {}", arg.0);
            }
            text.push_str(" )");
        }
        text.push('\n');
    }
    for clause in &certificate.clauses {
        text.push_str("clause");
        write_clause(&mut text, clause);
        text.push('\n');
    }
    for cut in &certificate.cuts {
        text.push_str("cut");
        write_clause(&mut text, &cut.clause);
        let (part, hole, context) = (cut.part.0, cut.hole.0, cut.context.0);
        let _ = writeln!(text, " part {part} hole {hole} in {context}");
    }
    text.push_str("end\n");
    Some(text)
}

fn write_clause(text: &mut String, clause: &Clause) {
    for (i, condition) in clause.conditions.iter().enumerate() {
        let _ = match clause.selected {
            Some(at) if at == i => write!(text, " [{}]", condition.0),
            _ => write!(text, " {}", condition.0),
        };
    }
    let _ = write!(text, " -> {}", clause.conclusion.0);
}

impl Draft<'_> {
    /// Reads a proof about this system.
    pub fn proof(mut self, store: &TermStore, system: &System) -> Result<Certificate, Diagnostic> {
        let symbols = Symbols::new(store, &[system]);
        let mut certificate = Certificate::default();
        let mut line = self.lines.start("received")?;
        certificate.received = line.one_of(&["no", "yes"])? == 1;
        line.end()?;
        loop {
            let mut line = self.lines.line()?;
            let word = line.word("a line of a proof")?;
            match &*word.text {
                "depends" => {
                    let name = line.word("a name")?;
                    let read = symbols.read_name(&name.text, &mut line)?;
                    let read = read.ok_or_else(|| bad(name.span, "a name"))?;
                    let count = line.up_to(MOST)? as usize;
                    certificate.inputs.push((read, count));
                }
                "clause" => {
                    let clause = clause(&mut line, &certificate)?;
                    certificate.clauses.push(clause);
                }
                "cut" => {
                    let clause = clause(&mut line, &certificate)?;
                    let mut after = |word: &str| {
                        line.exactly(word)?;
                        entry(&mut line, &certificate)
                    };
                    let cut = Cut {
                        clause,
                        part: after("part")?,
                        hole: after("hole")?,
                        context: after("in")?,
                    };
                    certificate.cuts.push(cut);
                }
                "end" => {
                    line.end()?;
                    break;
                }
                _ if word.number() == Some(certificate.entries.len() as u32) => {
                    line.exactly("=")?;
                    let written = written_entry(&mut line, &symbols, &certificate)?;
                    certificate.entries.push(written);
                }
                _ => {
                    let next = certificate.entries.len();
                    let expected = format!("entry {next}, `clause`, `cut`, `depends` or `end`");
                    return Err(bad(word.span, &expected));
                }
            }
            line.end()?;
        }
        self.lines.nothing()?;
        Ok(certificate)
    }
}

/// The number of an entry that was there before.
fn entry(line: &mut Line<'_>, certificate: &Certificate) -> Result<Entry, Diagnostic> {
    let word = line.word("an entry")?;
    let known = |n: &u32| (*n as usize) < certificate.entries.len();
    let number = word.number().filter(known);
    let number = number.ok_or_else(|| bad(word.span, "the number of an entry above"))?;
    Ok(Entry(number))
}

fn written_entry(
    line: &mut Line<'_>,
    symbols: &Symbols<'_>,
    certificate: &Certificate,
) -> Result<Written, Diagnostic> {
    let word = line.word("what stands at the top of the entry")?;
    let fact = KINDS.iter().find(|(w, _)| *w == word.text);
    let head = match (&*word.text, fact) {
        _ if word.quoted => None,
        (_, Some((_, kind))) => Some(Head::Fact(*kind)),
        ("variable", _) => Some(Head::Variable(line.up_to(MOST)?)),
        ("place", _) => Some(Head::Place(StepId(line.up_to(MOST)?))),
        (text, _) => symbols.read_op(text, line)?.map(Head::Operator),
    };
    let head = head.ok_or_else(|| bad(word.span, "an operator, a name, a place or a fact"))?;
    let mut args: SmallVec<[Entry; 3]> = SmallVec::new();
    if let Some(word) = line.next() {
        line.give_back(word);
        line.exactly("(")?;
        loop {
            let word = line.word("an entry, or `)`")?;
            if word.text == ")" {
                break;
            }
            line.give_back(word);
            args.push(entry(line, certificate)?);
        }
    }
    Ok(Written { head, args })
}

fn clause(line: &mut Line<'_>, certificate: &Certificate) -> Result<Clause, Diagnostic> {
    let mut conditions = Vec::new();
    let mut selected = None;
    loop {
        let mut word = line.word("a condition, or `->`")?;
        if word.text == "->" {
            break;
        }
        let inner = word
            .text
            .strip_prefix('[')
            .and_then(|w| w.strip_suffix(']'));
        if let Some(inner) = inner.map(str::to_owned) {
            if selected.is_some() {
                return Err(bad(word.span, "one selected condition"));
            }
            selected = Some(conditions.len());
            word.text = inner;
        }
        line.give_back(word);
        conditions.push(entry(line, certificate)?);
    }
    Ok(Clause {
        conditions,
        conclusion: entry(line, certificate)?,
        selected,
    })
}

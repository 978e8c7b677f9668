//! Parsing an attack in Alice-and-Bob notation.
//!
//! ```text
//! 1. A    -> C    : {Na, A}K(C)+
//! 2. C(A) -> B    : {Na, A}K(B)+
//! ```
//!
//! Each line with an arrow is a message; other lines are remarks. `C(A)` is the spy C in the place
//! of A. Names that the model does not declare stand for whatever they are in the run. Whether the
//! narration is true is left to [`super::narrated_attack`].

use crate::base::source::{Code, Diagnostic, SourceFile, Span, lines};
use crate::lang::syntax::ast::{Cipher, Part, Term, TermKind};
use crate::lang::syntax::parse_term;
use crate::process::{Program, TupleMode};
use crate::term::{FamilyId, FamilyKind, NameClass, TermId, TermStore, View, ranges};

/// The first variable for names of a narration.
const VARIABLES: u32 = ranges::NARRATIONS.start;

/// The sender or receiver of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Party {
    /// A spy.
    Spy,
    /// Somebody else: an agent or a role, as written, with the number behind `#`.
    Other(String, Option<String>),
}

/// A line of a narration.
#[derive(Clone, Debug)]
pub struct Told {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The sender.
    pub from: Party,
    /// The receiver.
    pub to: Party,
    /// The message.
    pub message: TermId,
    /// The message as written.
    pub text: String,
}

/// Whether a text is a narration: attack files have no arrows.
pub fn is_narration(text: &str) -> bool {
    lines::bare(text).any(|l| arrow(code(l)).is_some())
}

fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// What stands before and after the arrow.
fn arrow(line: &str) -> Option<(&str, &str)> {
    ["->", "→", "⟶"].iter().find_map(|a| line.split_once(a))
}

/// Whether a message is not at its end: a bracket is open, or a comma is last.
fn unfinished(line: &str) -> bool {
    let count = |signs: [char; 3]| line.matches(signs).count();
    count(['(', '{', '[']) > count([')', '}', ']']) || line.trim_end().ends_with(',')
}

/// The lines of a narration in the names of a program, or what is wrong with them.
pub fn narration(
    file: &SourceFile,
    store: &TermStore,
    program: &Program,
) -> Result<(Vec<Told>, Reader), Vec<Diagnostic>> {
    let mut reader = Reader::new(store, program);
    let mut told = Vec::new();
    let mut mistakes = Vec::new();
    let mut start = 0;
    let all: Vec<&str> = lines::whole(&file.text).collect();
    for (i, line) in all.iter().enumerate() {
        let text = line.trim_end();
        let span = Span::new(file.id, start..start + text.len());
        start += line.len();
        if arrow(code(text)).is_none() {
            continue;
        }
        // A long message continues on the next lines.
        let mut whole = code(text).trim_end().to_owned();
        for next in &all[i + 1..] {
            if !unfinished(&whole) || arrow(code(next)).is_some() {
                break;
            }
            whole.push(' ');
            whole.push_str(code(next).trim());
        }
        match reader.line(store, &whole) {
            Ok((from, to, message, text)) => told.push(Told {
                number: i + 1,
                from,
                to,
                message,
                text,
            }),
            Err((message, help)) => {
                let d = Diagnostic::new(Code::NoAttack, message).at(span, "in this line");
                mistakes.push(d.help(help));
            }
        }
    }
    if mistakes.is_empty() {
        Ok((told, reader))
    } else {
        Err(mistakes)
    }
}

type Read = Result<(Party, Party, TermId, String), (String, String)>;

/// The names of a program, and those of a narration.
pub struct Reader {
    tuples: TupleMode,
    declared: Vec<(String, TermId)>,
    agents: Vec<String>,
    spies: Vec<String>,
    roles: Vec<String>,
    families: Vec<(String, FamilyId, usize)>,
    /// The names of the narration, by the numbers of their variables.
    pub names: Vec<String>,
}

impl Reader {
    fn new(store: &TermStore, program: &Program) -> Reader {
        let s = &program.signature;
        let all = [&s.agents, &s.spies, &s.channels, &s.publics, &s.privates];
        let label = |t: &TermId| store.show(*t);
        Reader {
            tuples: program.tuples,
            declared: all.into_iter().flatten().map(|t| (label(t), *t)).collect(),
            agents: s.agents.iter().map(label).collect(),
            spies: s.spies.iter().map(label).collect(),
            roles: program
                .definitions
                .iter()
                .map(|d| d.label.to_string())
                .collect(),
            families: s
                .families
                .iter()
                .map(|f| {
                    let info = store.family_info(*f);
                    (info.label.to_string(), *f, info.arity as usize)
                })
                .collect(),
            names: Vec::new(),
        }
    }

    /// A term with the narration's names for its variables.
    pub fn spelt(&self, store: &TermStore, atom: TermId) -> Option<String> {
        match store.view(atom) {
            View::Var(v) => self.names.get(v.checked_sub(VARIABLES)? as usize).cloned(),
            _ => None,
        }
    }

    /// `2. C(A) -> B : {Na, A}K(B)+`
    fn line(&mut self, store: &TermStore, line: &str) -> Read {
        let form = "write `A -> B : message`, and `C(A)` for the spy C in the place of A";
        let wrong = || {
            (
                format!("`{}` is no line of a narration", line.trim()),
                form.to_owned(),
            )
        };
        let (from, rest) = arrow(line).ok_or_else(wrong)?;
        let (to, message) = rest.split_once(':').ok_or_else(wrong)?;
        let (from, to) = (self.party(from)?, self.party(to)?);
        let text = message.trim().to_owned();
        let file = SourceFile::anonymous("narration", &format!("({text})"));
        let (term, mistakes) = parse_term(&file);
        let Some(term) = term.filter(|_| mistakes.is_empty()) else {
            let first = mistakes.into_iter().next();
            let first = first.map_or_else(String::new, |d| format!(": {}", d.message));
            return Err((
                format!("`{text}` is no message{first}"),
                "messages are written as in the model: `{Na, A}K(B)+`".to_owned(),
            ));
        };
        let message = self.term(store, &term)?;
        Ok((from, to, message, text))
    }

    /// `A`, `C(A)`, `B#2`, with the number of the line before it.
    fn party(&self, text: &str) -> Result<Party, (String, String)> {
        let joined = text.trim().replace(" (", "(");
        let word = joined.split_whitespace().last().unwrap_or_default();
        let (name, as_whom) = match word.split_once('(') {
            Some((name, rest)) => (name, Some(rest.trim_end_matches(')'))),
            None => (word, None),
        };
        let spies = self.spies.join(", ");
        let help = if self.spies.is_empty() {
            format!("the agents are {}", self.agents.join(", "))
        } else {
            format!(
                "the agents are {}; the spy is {spies}",
                self.agents.join(", ")
            )
        };
        let known = |name: &str| {
            let name = name.split('#').next().unwrap_or(name);
            self.agents.iter().chain(&self.spies).any(|a| a == name) || self.role(name).is_some()
        };
        if let Some(other) = as_whom.filter(|a| !known(a)) {
            return Err((format!("`{other}` is no agent of the model"), help));
        }
        // A model without spies has an attacker all the same, under any name.
        let nameless = self.spies.is_empty() && !name.is_empty() && !known(name);
        if nameless || self.spies.iter().any(|s| s == name) {
            return Ok(Party::Spy);
        }
        if as_whom.is_some() && known(name) {
            return Err((format!("`{name}` is honest and acts as itself"), help));
        }
        let (plain, number) = match name.split_once('#') {
            Some((plain, _)) => (plain, Some(name.to_owned())),
            None => (name, None),
        };
        if self.agents.iter().any(|a| a == plain) {
            return Ok(Party::Other(plain.to_owned(), number));
        }
        match self.role(plain) {
            Some(role) => Ok(Party::Other(role.to_owned(), number)),
            None => Err((format!("`{plain}` is no agent of the model"), help)),
        }
    }

    /// A role by its name or by the beginning of it, as `S` for `Server`.
    fn role(&self, name: &str) -> Option<&str> {
        let mut fits = self
            .roles
            .iter()
            .filter(|r| !name.is_empty() && r.starts_with(name));
        let first = fits.next()?;
        (first == name || fits.next().is_none()).then_some(first)
    }

    fn terms(
        &mut self,
        store: &TermStore,
        terms: &[Term],
    ) -> Result<Vec<TermId>, (String, String)> {
        terms.iter().map(|t| self.term(store, t)).collect()
    }

    fn tuple(&mut self, store: &TermStore, terms: &[Term]) -> Result<TermId, (String, String)> {
        let parts = self.terms(store, terms)?;
        Ok(match (parts.as_slice(), self.tuples) {
            ([one], _) => *one,
            (parts, TupleMode::Nested) => store.nested(parts),
            (parts, TupleMode::Flat) => store.flat(parts),
        })
    }

    fn term(&mut self, store: &TermStore, term: &Term) -> Result<TermId, (String, String)> {
        Ok(match &term.kind {
            TermKind::Name(name) => {
                if let Some((_, t)) = self.declared.iter().find(|(d, _)| **d == **name) {
                    return Ok(*t);
                }
                if let Some((_, f, 0)) = self.families.iter().find(|(l, ..)| **l == **name) {
                    return Ok(store.family(*f, &[]));
                }
                let at = self.names.iter().position(|n| **n == **name);
                let at = at.unwrap_or_else(|| {
                    self.names.push(name.to_string());
                    self.names.len() - 1
                });
                store.var(VARIABLES + at as u32)
            }
            TermKind::Apply(family, args) => {
                let args = self.terms(store, args)?;
                let known = self.families.iter();
                let found = known
                    .clone()
                    .find(|(l, _, n)| **l == *family.name && *n == args.len());
                let Some((_, f, _)) = found else {
                    let known: Vec<&str> = known.map(|(l, ..)| l.as_str()).collect();
                    return Err((
                        format!("`{family}(..)` is no key of the model"),
                        format!("the keys are {}", known.join(", ")),
                    ));
                };
                store.family(*f, &args)
            }
            TermKind::Int(n) => (0..(*n).min(1000)).fold(store.zero(), |t, _| store.suc(t)),
            TermKind::Suc(inner) => store.suc(self.term(store, inner)?),
            TermKind::Tuple(parts) => self.tuple(store, parts)?,
            TermKind::Hash(parts) => store.hash(self.tuple(store, parts)?),
            TermKind::Part(inner, part) => {
                self.key_of_the_model(store, inner)?;
                let inner = self.term(store, inner)?;
                match part {
                    Part::Public => store.pub_part(inner),
                    Part::Private => store.priv_part(inner),
                }
            }
            TermKind::Encrypt(cipher, parts, key) => {
                let message = self.tuple(store, parts)?;
                self.key_of_the_model(store, key)?;
                let k = self.term(store, key)?;
                match (cipher, store.view(k)) {
                    (Cipher::Public, _) | (Cipher::Braces, View::Pub(_)) => store.aenc(message, k),
                    (Cipher::Signature, _) | (Cipher::Braces, View::Priv(_)) => {
                        store.sign(message, k)
                    }
                    (Cipher::Braces, _) => store.senc(message, k),
                }
            }
            TermKind::Power(base, exponent) => {
                let (base, exponent) = (self.term(store, base)?, self.term(store, exponent)?);
                match store.view(base) {
                    View::Share(..) => store.joint(base, exponent),
                    View::Name(_) if store.groups().any(|(g, _)| g == base) => {
                        store.share(base, exponent)
                    }
                    _ => {
                        return Err((
                            "only a group or a share can be raised to a power".to_owned(),
                            "write `g^x` for a share and `g^x^y` for a key, with the group of the model".to_owned(),
                        ));
                    }
                }
            }
            TermKind::Error => store.zero(),
        })
    }

    /// `Kb` is how papers write the key `K(B)`.
    fn key_of_the_model(&self, store: &TermStore, key: &Term) -> Result<(), (String, String)> {
        let TermKind::Name(name) = &key.kind else {
            return Ok(());
        };
        let known = self.declared.iter().any(|(d, _)| **d == **name)
            || self.families.iter().any(|(l, ..)| **l == **name)
            || self.names.iter().any(|n| **n == **name);
        if known {
            return Ok(());
        }
        for (label, f, arity) in &self.families {
            let Some(rest) = name.strip_prefix(label.as_str()).filter(|_| *arity == 1) else {
                continue;
            };
            let rest = rest.trim_matches(['_', '\'']).to_lowercase();
            let agents = self.agents.iter().chain(&self.spies);
            let agent = agents.into_iter().find(|a| {
                let a = a.to_lowercase();
                rest == a || rest.strip_suffix('s') == Some(a.as_str())
            });
            if let Some(agent) = agent {
                let sign = match store.family_info(*f).kind {
                    FamilyKind::KeyPair => "+",
                    FamilyKind::Symmetric => "",
                };
                return Err((
                    format!("`{name}` is no key of the model"),
                    format!("write `{label}({agent}){sign}`"),
                ));
            }
        }
        Ok(())
    }
}

/// Whether a term is a name of the attacker's own making.
pub fn is_own(store: &TermStore, term: TermId) -> bool {
    match store.view(term) {
        View::Name(n) => store.name_info(n).class == NameClass::Attacker,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::sema::check_text;

    fn read(text: &str) -> Result<Vec<Told>, Vec<Diagnostic>> {
        let model = "agent A, B spy C channel net keypair K(Agent) key L(Agent)";
        let store = TermStore::new();
        let model = check_text(
            &SourceFile::anonymous("m", model),
            &store,
            TupleMode::Nested,
        );
        let file = SourceFile::anonymous("n", text);
        narration(&file, &store, &model.program).map(|(told, _)| told)
    }

    #[test]
    fn lines_parties_and_remarks() {
        let text = "A in Init(A, C)\n1.1 A -> C : {Na, A}K(C)+\n   C learns Na\n(2) C (A) → B : {Na, A}K(B)+";
        assert!(is_narration(text));
        let told = read(text).expect("a narration");
        assert_eq!(told.len(), 2);
        assert_eq!(told[0].from, Party::Other("A".to_owned(), None));
        assert_eq!(told[0].to, Party::Spy);
        assert_eq!(told[1].from, Party::Spy);
        assert_eq!((told[0].number, told[1].number), (2, 4));
        let wrapped = read("A -> C : {Na,\n  A}K(C)+, B,\n  Nb\n").expect("a narration");
        assert_eq!(wrapped[0].text, "{Na, A}K(C)+, B, Nb");
    }

    #[test]
    fn what_is_no_line_is_reported_where_it_stands() {
        let wrong = |text: &str, help: &str| {
            let mistakes = read(text).expect_err(text);
            let shown = format!("{} {:?}", mistakes[0].message, mistakes[0]);
            assert!(shown.contains(help), "{shown}");
        };
        wrong("A -> C {Na}", "write `A -> B : message`");
        wrong("A -> C : {Na", "no message");
        wrong("A -> E : Na", "the spy is C");
        wrong("A -> C : {Na}Kc+", "write `K(C)+`");
        wrong("A -> C : {Na}Lbs", "write `L(B)`");
        wrong("A -> C : {Na,\nB -> C : Nb", "no message");
        assert!(!is_narration("system Attack = net(x). 0"));
    }
}

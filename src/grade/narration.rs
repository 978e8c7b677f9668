//! An attack told in Alice-and-Bob form, turned into the attacker's process.
//!
//! ```text
//! 1. A    -> C    : {Na, A}K(C)+
//! 2. C(A) -> B    : {Na, A}K(B)+
//! ```
//!
//! What somebody sends is received, and taken apart as far as the spy's keys go: names that the model does not declare
//! get the parts they stand for. What the spy sends is put together from these; a ciphertext that was heard and can't be
//! opened is sent as it came. A message between honest agents is handed on. At the end everything learned is told.
//! Lines without an arrow are remarks.

use crate::source::{Code, Diagnostic, SourceFile};
use crate::syntax::ast::{Cipher, DeclKind, File, Part, Term, TermKind};
use crate::syntax::parse_term;
use std::fmt::Write;

/// Whether a text is a narration: attack files have no arrows.
pub fn is_narration(text: &str) -> bool {
    text.lines().any(|l| code(l).contains("->"))
}

fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// The attack file that does what the narration tells.
pub fn to_attack(text: &str, model: &File) -> Result<String, Vec<Diagnostic>> {
    let mut teller = Teller::new(model);
    for line in text.lines() {
        if code(line).contains("->") {
            teller.line(code(line))?;
        }
    }
    Ok(teller.finish())
}

#[derive(Default)]
struct Teller {
    spies: Vec<String>,
    declared: Vec<String>,
    channel: String,
    /// Names that stand for something the attacker has learned.
    known: Vec<String>,
    /// Names of its own.
    own: Vec<String>,
    /// What was heard and not opened, as written, and the variable that has it.
    sealed: Vec<(String, String)>,
    steps: String,
    count: usize,
}

impl Teller {
    fn new(model: &File) -> Teller {
        let mut teller = Teller::default();
        for decl in &model.decls {
            match &decl.kind {
                DeclKind::Agents(names) | DeclKind::Channels(names) => {
                    if matches!(decl.kind, DeclKind::Channels(_)) && teller.channel.is_empty() {
                        teller.channel = names.first().map(ToString::to_string).unwrap_or_default();
                    }
                    teller
                        .declared
                        .extend(names.iter().map(ToString::to_string));
                }
                DeclKind::Spies(names) => {
                    teller.spies.extend(names.iter().map(ToString::to_string));
                    teller
                        .declared
                        .extend(names.iter().map(ToString::to_string));
                }
                DeclKind::Public(binders) => {
                    let names = binders.iter().map(|b| b.name.to_string());
                    teller.declared.extend(names);
                }
                _ => {}
            }
        }
        teller
    }

    /// `2. C(A) -> B : {Na, A}K(B)+`
    fn line(&mut self, line: &str) -> Result<(), Vec<Diagnostic>> {
        let wrong = || {
            vec![
                Diagnostic::new(
                    Code::NoAttack,
                    format!("`{}` is no line of a narration", line.trim()),
                )
                .help("write `A -> B : message`, and `C(A)` for the spy C in the place of A"),
            ]
        };
        let (from, rest) = line.split_once("->").ok_or_else(wrong)?;
        let (to, message) = rest.split_once(':').ok_or_else(wrong)?;
        let from = from
            .trim()
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let file = SourceFile::anonymous("narration", &format!("({})", message.trim()));
        let (term, mistakes) = parse_term(&file);
        let Some(term) = term.filter(|_| mistakes.is_empty()) else {
            let first = mistakes
                .into_iter()
                .next()
                .map_or_else(String::new, |d| d.message);
            return Err(vec![Diagnostic::new(
                Code::NoAttack,
                format!("in `{}`: {first}", line.trim()),
            )]);
        };
        let heard = (!self.is_spy(from)).then(|| self.hear(&file, &term));
        if self.is_spy(from) || !self.is_spy(to) {
            let sent = heard.unwrap_or_else(|| self.made(&file, &term));
            let _ = writeln!(self.steps, "  {}<{sent}>.", self.channel);
        }
        Ok(())
    }

    fn is_spy(&self, party: &str) -> bool {
        let name = party.split(['(', '#']).next().unwrap_or_default().trim();
        self.spies.iter().any(|s| s == name)
    }

    /// Receives a message; the variable that has it.
    fn hear(&mut self, file: &SourceFile, term: &Term) -> String {
        self.count += 1;
        let heard = format!("heard{}", self.count);
        let _ = writeln!(self.steps, "  {}({heard}).", self.channel);
        match &term.kind {
            // Whatever has an opener is written with braces.
            TermKind::Encrypt(..) if self.opener(term).is_some() => {
                let pattern = self.pattern(file, term);
                let _ = writeln!(self.steps, "  case {heard} of {pattern} in");
            }
            TermKind::Tuple(_) => {
                let pattern = self.pattern(file, term);
                let _ = writeln!(self.steps, "  let {pattern} = {heard} in");
            }
            TermKind::Name(name) if !self.declared.iter().any(|d| **d == **name) => {
                let pattern = self.pattern(file, term);
                let _ = writeln!(self.steps, "  let {pattern} = {heard} in");
            }
            _ => {}
        }
        self.sealed.push((written(file, term), heard.clone()));
        heard
    }

    /// The key that opens a ciphertext, if the attacker has it.
    fn opener(&self, term: &Term) -> Option<String> {
        let TermKind::Encrypt(Cipher::Braces, _, key) = &term.kind else {
            return None;
        };
        let spied = |t: &Term| match &t.kind {
            TermKind::Apply(_, args) => args.iter().any(
                |a| matches!(&a.kind, TermKind::Name(n) if self.spies.iter().any(|s| **s == **n)),
            ),
            TermKind::Name(n) => self.known.iter().chain(&self.own).any(|k| **k == **n),
            _ => false,
        };
        match &key.kind {
            TermKind::Part(inner, Part::Public) if spied(inner) => {
                Some(format!("{}-", plain(inner)))
            }
            TermKind::Part(inner, Part::Private) => Some(format!("{}+", plain(inner))),
            TermKind::Part(..) => None,
            _ if spied(key) => Some(plain(key)),
            _ => None,
        }
    }

    /// A pattern that takes apart what can be taken apart.
    fn pattern(&mut self, file: &SourceFile, term: &Term) -> String {
        let key = self.opener(term);
        match (&term.kind, key) {
            (TermKind::Name(name), _) => {
                let name = name.to_string();
                if self.declared.contains(&name) || self.known.contains(&name) {
                    return format!("={name}");
                }
                self.known.push(name.clone());
                name
            }
            (TermKind::Tuple(parts), _) => {
                let parts: Vec<String> = parts.iter().map(|p| self.pattern(file, p)).collect();
                format!("({})", parts.join(", "))
            }
            (TermKind::Encrypt(_, parts, _), Some(key)) => {
                let parts: Vec<String> = parts.iter().map(|p| self.pattern(file, p)).collect();
                format!("{{{}}}{key}", parts.join(", "))
            }
            _ => {
                self.count += 1;
                let var = format!("part{}", self.count);
                self.sealed.push((written(file, term), var.clone()));
                var
            }
        }
    }

    /// A message of the attacker's, from what it has.
    fn made(&mut self, file: &SourceFile, term: &Term) -> String {
        let text = written(file, term);
        if let Some((_, var)) = self.sealed.iter().find(|(t, _)| *t == text) {
            return var.clone();
        }
        let mut list = |parts: &[Term]| -> String {
            let parts: Vec<String> = parts.iter().map(|p| self.made(file, p)).collect();
            parts.join(", ")
        };
        match &term.kind {
            TermKind::Name(name) => {
                let name = name.to_string();
                let has = self.declared.contains(&name)
                    || self.known.contains(&name)
                    || self.own.contains(&name);
                if !has {
                    self.own.push(name.clone());
                }
                name
            }
            TermKind::Tuple(parts) => format!("({})", list(parts)),
            TermKind::Hash(parts) => format!("H({})", list(parts)),
            TermKind::Apply(family, parts) => format!("{family}({})", list(parts)),
            TermKind::Suc(inner) => format!("suc({})", self.made(file, inner)),
            TermKind::Part(inner, Part::Public) => format!("{}+", self.made(file, inner)),
            TermKind::Part(inner, Part::Private) => format!("{}-", self.made(file, inner)),
            TermKind::Encrypt(cipher, parts, key) => {
                let (open, close) = match cipher {
                    Cipher::Braces => ("{", "}"),
                    Cipher::Public => ("{[", "]}"),
                    Cipher::Signature => ("[{", "}]"),
                };
                let body = list(parts);
                format!("{open}{body}{close}{}", self.made(file, key))
            }
            TermKind::Int(_) | TermKind::Error => text,
        }
    }

    fn finish(self) -> String {
        let mut text = String::from("channel leak\n\nsystem Attack =\n");
        if !self.own.is_empty() {
            let _ = writeln!(text, "  new {}.", self.own.join(", "));
        }
        text.push_str(&self.steps);
        let told = if self.known.is_empty() {
            "0".to_owned()
        } else {
            self.known.join(", ")
        };
        let _ = writeln!(text, "  leak<{told}>");
        text
    }
}

/// A term as written, blanks aside.
fn written(file: &SourceFile, term: &Term) -> String {
    file.slice(term.span).split_whitespace().collect()
}

/// A key as text.
fn plain(term: &Term) -> String {
    match &term.kind {
        TermKind::Name(name) => name.to_string(),
        TermKind::Apply(family, args) => {
            let args: Vec<String> = args.iter().map(plain).collect();
            format!("{family}({})", args.join(", "))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax;

    #[test]
    fn lowe_s_attack_becomes_a_process() {
        let model = SourceFile::anonymous("m", "agent A, B spy C channel net keypair K(Agent)");
        let (tree, _) = syntax::parse(&model);
        let told = "1. A    -> C    : {Na, A}K(C)+
               C decrypts it with K(C)-, learns Na
            2. C(A) -> B    : {Na, A}K(B)+
            3. B    -> C(A) : {Na, Nb}K(A)+
            4. C    -> A    : {Na, Nb}K(A)+
            5. A    -> C    : {Nb}K(C)+";
        assert!(is_narration(told));
        let attack = to_attack(told, &tree).expect("a narration");
        let wanted = "channel leak

system Attack =
  net(heard1).
  case heard1 of {Na, =A}K(C)- in
  net<{Na, A}K(B)+>.
  net(heard2).
  net<heard2>.
  net(heard3).
  case heard3 of {Nb}K(C)- in
  leak<Na, Nb>
";
        assert_eq!(attack, wanted);
    }

    #[test]
    fn what_is_no_line_is_reported() {
        let (tree, _) = syntax::parse(&SourceFile::anonymous("m", "agent A spy C channel net"));
        assert!(to_attack("A -> C {Na}", &tree).is_err());
        assert!(to_attack("A -> C : {Na", &tree).is_err());
        assert!(!is_narration("system Attack = net(x). 0"));
    }
}

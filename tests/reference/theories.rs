//! Random theories: declared functions and destructors, and terms that their rules fit.
//!
//! Half of a theory is of a kind that people write (encryption, signatures, commitments, two ciphertexts that go together, things wrapped
//! in things), half is any rule whatever. What the checker refuses is left to whoever asks for a theory.

use super::process::{Grower, T, atom, list};
use super::random::Random;
use std::fmt::{Display, Formatter, Result};

/// A declared function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub arity: usize,
    pub private: bool,
}

/// A rule of a destructor; atoms that are no public names are variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    pub args: Vec<T>,
    pub result: T,
}

/// Functions and rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Theory {
    pub functions: Vec<Function>,
    pub rules: Vec<Rule>,
}

/// The variables of rules.
const VARIABLES: [&str; 4] = ["x", "y", "z", "w"];

impl Display for Theory {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for function in &self.functions {
            let word = if function.private { "private " } else { "" };
            let types = vec!["Msg"; function.arity].join(", ");
            writeln!(f, "{word}function {}({types})", function.name)?;
        }
        for rule in &self.rules {
            writeln!(f, "destructor {rule}")?;
        }
        Ok(())
    }
}

impl Display for Rule {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}({}) = {}", self.name, list(&self.args), self.result)
    }
}

impl Theory {
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The destructors, each once, with their arities.
    pub fn destructors(&self) -> Vec<(&str, usize)> {
        let mut found: Vec<(&str, usize)> = Vec::new();
        for rule in &self.rules {
            if found.iter().all(|(name, _)| *name != rule.name) {
                found.push((&rule.name, rule.args.len()));
            }
        }
        found
    }

    fn add(&mut self, functions: &[(&str, usize, bool)], rules: &[(&str, &[&str], &str)]) {
        for (name, arity, private) in functions {
            let function = Function {
                name: (*name).to_owned(),
                arity: *arity,
                private: *private,
            };
            if !self.functions.iter().any(|f| f.name == *name) {
                self.functions.push(function);
            }
        }
        for (name, args, result) in rules {
            let args = args.iter().map(|t| parsed(t)).collect();
            let (name, result) = ((*name).to_owned(), parsed(result));
            self.rules.push(Rule { name, args, result });
        }
    }
}

/// A term as it is written here: names, `f(..)`, `(x, y)`, and the built-in operators as functions `H`, `senc`, `aenc`, `sign`, `pub`, `priv`.
fn parsed(text: &str) -> T {
    let text = text.trim();
    let Some(at) = text.find('(') else {
        return atom(text);
    };
    let (head, inner) = (&text[..at], &text[at + 1..text.len() - 1]);
    let (mut depth, mut start, mut args) = (0, 0, Vec::new());
    for (i, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                args.push(parsed(&inner[start..i]));
                start = i + 1;
            }
            _ => {}
        }
    }
    args.push(parsed(&inner[start..]));
    built(head, args)
}

fn built(head: &str, mut args: Vec<T>) -> T {
    let mut next = || Box::new(args.remove(0));
    match head {
        "" => T::Pair(next(), next()),
        "H" => T::Hash(next()),
        "suc" => T::Suc(next()),
        "senc" => T::Senc(next(), next()),
        "aenc" => T::Aenc(next(), next()),
        "sign" => T::Sign(next(), next()),
        "pub" => T::Pub(next()),
        "priv" => T::Priv(next()),
        _ => T::Apply(head.to_owned(), args),
    }
}

/// A random theory; with `built_in`, over the built-in operators too.
pub fn theory(random: &mut Random, built_in: bool) -> Theory {
    let mut theory = Theory::default();
    if !random.one_in(3) {
        for _ in 0..=random.below(2) {
            known(random, built_in, &mut theory);
        }
    }
    if theory.is_empty() || random.one_in(3) {
        any(random, built_in, &mut theory);
    }
    theory
}

/// Adds something of a kind that people write.
#[allow(clippy::too_many_lines)]
fn known(random: &mut Random, built_in: bool, theory: &mut Theory) {
    let private = random.one_in(4);
    match random.below(if built_in { 26 } else { 18 }) {
        0 => theory.add(&[("e", 2, private)], &[("de", &["e(x, y)", "y"], "x")]),
        1 => theory.add(
            &[("e", 2, false), ("pk", 1, false)],
            &[("de", &["e(x, pk(y))", "y"], "x")],
        ),
        2 => theory.add(
            &[("v", 2, private), ("pk", 1, false)],
            &[("vf", &["v(x, y)", "x", "pk(y)"], "ok")],
        ),
        3 => theory.add(
            &[("e", 2, false), ("v", 2, private)],
            &[
                ("de", &["e(x, y)", "y"], "x"),
                ("de", &["v(x, y)", "y"], "x"),
            ],
        ),
        4 => theory.add(
            &[("w2", 1, false), ("h", 1, private)],
            &[("gt", &["w2(h(x))"], "x")],
        ),
        5 => theory.add(&[("m", 2, private)], &[("eq", &["m(x, x)"], "ok")]),
        6 => theory.add(
            &[("m", 2, random.one_in(2)), ("h", 2, true)],
            &[("tw", &["m(x, y)", "h(x, y)"], "y")],
        ),
        7 => theory.add(
            &[("e", 2, false), ("v", 2, private)],
            &[("lk", &["e(x, y)", "v(y, z)"], "x")],
        ),
        8 => theory.add(
            &[("co", 2, private)],
            &[
                ("op", &["co(x, y)", "y"], "x"),
                ("has", &["co(x, y)", "x"], "ok"),
            ],
        ),
        9 => theory.add(
            &[("a4", 3, false)],
            &[("oa", &["a4(x, y, z)", "x", "y"], "z")],
        ),
        10 => theory.add(
            &[("tg", 2, private)],
            &[("ut", &["tg(a, x)"], "x"), ("ut", &["tg(b, x)"], "ok")],
        ),
        11 => theory.add(
            &[("bl", 2, false), ("sg", 2, private)],
            &[
                ("ub", &["sg(bl(x, y), z)", "y"], "sg(x, z)"),
                ("nb", &["bl(x, y)", "y"], "x"),
            ],
        ),
        12 => theory.add(
            &[("e", 2, false), ("h", 1, random.one_in(2))],
            &[("dh", &["e(x, h(y))", "y"], "x")],
        ),
        13 => theory.add(
            &[("e", 2, private), ("h", 1, false)],
            &[("dk", &["e(x, y)", "h(y)"], "x")],
        ),
        14 => theory.add(&[("q", 2, false)], &[("lq", &["q((x, y), z)", "z"], "y")]),
        15 => theory.add(
            &[("w2", 1, private), ("h", 1, random.one_in(2))],
            &[("iw", &["w2(h(x))", "h(w2(x))"], "ok")],
        ),
        16 => theory.add(
            &[("e", 2, private), ("h", 1, false)],
            &[("dn", &["e(e(x, y), z)", "z", "h(y)"], "x")],
        ),
        17 => theory.add(
            &[("f1", 1, false), ("g1", 1, private)],
            &[("gf", &["f1(x)", "g1(x)"], "x")],
        ),
        18 => theory.add(&[], &[("dy", &["senc(x, y)", "H(y)"], "x")]),
        19 => theory.add(&[], &[("ds", &["sign(x, y)"], "x")]),
        20 => theory.add(&[], &[("vs", &["sign(H(x), y)", "x", "pub(y)"], "ok")]),
        21 => theory.add(
            &[("kd", 2, false)],
            &[("dd", &["senc(x, kd(y, z))", "z"], "x")],
        ),
        22 => theory.add(
            &[("e", 2, private)],
            &[("pe", &["e(x, pub(y))", "priv(y)"], "x")],
        ),
        23 => theory.add(&[], &[("hh", &["H(H(x))"], "x")]),
        24 => theory.add(
            &[("e", 2, private)],
            &[("ke", &["e(x, y)", "senc(y, z)", "z"], "x")],
        ),
        _ => theory.add(
            &[("st", 2, private)],
            &[("sp", &["st(suc(x), y)", "x"], "y")],
        ),
    }
}

/// Adds any rules whatever.
fn any(random: &mut Random, built_in: bool, theory: &mut Theory) {
    let names = ["f", "g", "h2"];
    for name in &names[..=random.below(3)] {
        theory.functions.push(Function {
            name: (*name).to_owned(),
            arity: 1 + random.below(2),
            private: random.one_in(4),
        });
    }
    for name in &["d1", "d2"][..=random.below(2)] {
        let arity = 1 + random.below(3);
        for _ in 0..=random.below(2) {
            let args: Vec<T> = (0..arity)
                .map(|i| side(random, built_in, theory, if i == 0 { 2 } else { 1 }))
                .collect();
            let mut inside = Vec::new();
            for t in &args {
                parts(t, &mut inside);
            }
            let result = if random.one_in(4) || inside.is_empty() {
                atom(if random.one_in(3) { "a" } else { "ok" })
            } else {
                random.pick(&inside).clone()
            };
            theory.rules.push(Rule {
                name: (*name).to_owned(),
                args,
                result,
            });
        }
    }
}

/// A side of a rule.
fn side(random: &mut Random, built_in: bool, theory: &Theory, depth: usize) -> T {
    if depth == 0 || (depth == 1 && random.one_in(2)) {
        return if random.one_in(10) {
            atom(["a", "b"][random.below(2)])
        } else {
            atom(VARIABLES[random.below(3)])
        };
    }
    if built_in && random.one_in(3) {
        let mut of = || Box::new(side(random, built_in, theory, depth - 1));
        let first = of();
        let key = Box::new(atom(VARIABLES[random.below(3)]));
        return match random.below(6) {
            0 => T::Hash(first),
            1 => T::Senc(first, key),
            2 => T::Aenc(first, key),
            3 => T::Sign(first, key),
            4 => T::Pub(key),
            _ => T::Priv(key),
        };
    }
    if random.one_in(10) {
        let mut of = || Box::new(side(random, built_in, theory, depth - 1));
        return T::Pair(of(), of());
    }
    let function = random.pick(&theory.functions).clone();
    let args = (0..function.arity).map(|_| side(random, built_in, theory, depth - 1));
    T::Apply(function.name, args.collect())
}

/// The proper parts of a term.
fn parts(t: &T, found: &mut Vec<T>) {
    for part in children(t) {
        found.push(part.clone());
        parts(part, found);
    }
}

fn children(t: &T) -> Vec<&T> {
    match t {
        T::Atom(_) | T::Zero => vec![],
        T::Suc(t) | T::Hash(t) | T::Pub(t) | T::Priv(t) => vec![t],
        T::Pair(t, u) | T::Senc(t, u) | T::Aenc(t, u) | T::Sign(t, u) => vec![t, u],
        T::Apply(_, args) => args.iter().collect(),
    }
}

/// The term with its variables replaced.
fn filled(t: &T, values: &[(String, T)]) -> T {
    let of = |t: &T| Box::new(filled(t, values));
    match t {
        T::Atom(name) => values
            .iter()
            .find(|(v, _)| v == name)
            .map_or_else(|| t.clone(), |(_, value)| value.clone()),
        T::Zero => T::Zero,
        T::Suc(t) => T::Suc(of(t)),
        T::Hash(t) => T::Hash(of(t)),
        T::Pub(t) => T::Pub(of(t)),
        T::Priv(t) => T::Priv(of(t)),
        T::Pair(t, u) => T::Pair(of(t), of(u)),
        T::Senc(t, u) => T::Senc(of(t), of(u)),
        T::Aenc(t, u) => T::Aenc(of(t), of(u)),
        T::Sign(t, u) => T::Sign(of(t), of(u)),
        T::Apply(name, args) => T::Apply(
            name.clone(),
            args.iter().map(|t| filled(t, values)).collect(),
        ),
    }
}

impl Grower<'_> {
    /// Values for the variables of rules.
    fn values(&mut self, scope: &[String]) -> Vec<(String, T)> {
        let value = |v: &&str| {
            let t = if self.random.one_in(2) {
                self.key(scope)
            } else {
                self.some_atom(scope)
            };
            ((*v).to_owned(), t)
        };
        VARIABLES.iter().map(value).collect()
    }

    /// Arguments that may fit a rule: one of them is likely something received.
    pub fn arguments(&mut self, rule: &Rule, scope: &[String]) -> Vec<T> {
        let values = self.values(scope);
        let mut args: Vec<T> = rule.args.iter().map(|t| filled(t, &values)).collect();
        let compound: Vec<usize> = (0..args.len())
            .filter(|i| !matches!(rule.args[*i], T::Atom(_)))
            .collect();
        if !compound.is_empty() && !self.random.one_in(4) {
            let i = *self.random.pick(&compound);
            args[i] = if self.random.one_in(6) {
                let inner = self.random.pick(&self.theory.rules.clone()).clone();
                let arity = inner.args.len();
                let inside = (0..arity).map(|_| self.some_atom(scope)).collect();
                T::Apply(inner.name, inside)
            } else {
                self.some_atom(scope)
            };
        }
        if self.random.one_in(5) {
            let i = self.random.below(args.len());
            args[i] = self.some_atom(scope);
        }
        args
    }

    /// A term with a declared function at its root, or a pair.
    pub fn applied(&mut self, scope: &[String], depth: usize) -> T {
        let theory = self.theory.clone();
        match self.random.below(12) {
            0..=5 => {
                // What a rule fits, nearly.
                let rule = self.random.pick(&theory.rules).clone();
                let whole = self.random.pick(&rule.args).clone();
                let values = self.values(scope);
                filled(&whole, &values)
            }
            6..=8 if !theory.functions.is_empty() => {
                let function = self.random.pick(&theory.functions).clone();
                let args = (0..function.arity).map(|_| self.term(scope, depth - 1));
                T::Apply(function.name, args.collect())
            }
            9 => {
                let rule = self.random.pick(&theory.rules).clone();
                T::Apply(rule.name.clone(), self.arguments(&rule, scope))
            }
            10 => {
                let t = Box::new(self.term(scope, depth - 1));
                T::Pair(t, Box::new(self.term(scope, depth - 1)))
            }
            _ => self.some_atom(scope),
        }
    }
}

/// Whether the checker admits a theory, for comparisons if they are asked for.
pub fn is_admitted(theory: &Theory, comparisons: bool) -> bool {
    let text = format!(
        "{}{theory}system P = 0\nsystem Q = 0\n{}",
        super::process::HEADER,
        if comparisons { "P ~ Q\n" } else { "" }
    );
    let file = spi::base::source::SourceFile::anonymous("test.spi", text.as_str());
    let store = spi::term::TermStore::new();
    spi::lang::sema::check_text(&file, &store, spi::process::TupleMode::Nested).is_sound()
}

/// The theory of a seed: the first that is admitted.
pub fn admitted(seed: u64, built_in: bool, comparisons: bool) -> Theory {
    let mut random = Random::new(seed ^ 0x7468_656f_7279);
    loop {
        let found = theory(&mut random, built_in);
        if is_admitted(&found, comparisons) {
            return found;
        }
    }
}

/// Systems that go along with a theory.
pub mod tuned {
    use super::super::process::{Check, Grower, HEADER, P, Style, T, atom};
    use super::super::random::Random;
    use super::{Theory, filled};

    const NAMES: [&str; 5] = ["k", "n", "s", "a", "ok"];

    fn closed(p: P) -> P {
        ["s", "n", "k"]
            .iter()
            .fold(p, |p, n| P::New((*n).to_owned(), Box::new(p)))
    }

    fn value(random: &mut Random, depth: usize, theory: &Theory) -> T {
        if depth > 0 && random.one_in(4) {
            return instance(random, depth - 1, theory);
        }
        let names = if random.one_in(4) { 5 } else { 3 };
        atom(NAMES[random.below(names)])
    }

    /// An argument of a rule, with names for its variables.
    fn instance(random: &mut Random, depth: usize, theory: &Theory) -> T {
        let rule = random.pick(&theory.rules).clone();
        let whole = random.pick(&rule.args).clone();
        let values: Vec<(String, T)> = super::VARIABLES
            .iter()
            .map(|v| ((*v).to_owned(), value(random, depth, theory)))
            .collect();
        filled(&whole, &values)
    }

    fn outputs(messages: Vec<T>, then: P) -> P {
        messages
            .into_iter()
            .rev()
            .fold(then, |then, m| P::Out(atom("c"), m, Box::new(then)))
    }

    /// Two systems that say a few things, the second something else in one place.
    pub fn frames(seed: u64, theory: &Theory) -> (P, P) {
        let mut random = Random::new(seed);
        let count = 2 + random.below(4);
        let messages: Vec<T> = (0..count)
            .map(|_| {
                if random.one_in(3) {
                    atom(NAMES[random.below(3)])
                } else {
                    instance(&mut random, 1, theory)
                }
            })
            .collect();
        let mut others = messages.clone();
        let mut grower = Grower::new(&mut random, Style::default());
        let scope: Vec<String> = NAMES.map(str::to_owned).to_vec();
        while others == messages {
            let i = grower.random.below(others.len());
            grower.change_term(&mut others[i], &scope);
            if grower.random.one_in(4) {
                let i = grower.random.below(others.len());
                let j = grower.random.below(others.len());
                others.swap(i, j);
            }
        }
        (
            closed(outputs(messages, P::Nil)),
            closed(outputs(others, P::Nil)),
        )
    }

    /// Somebody says a few things; somebody else applies destructors to what is received and says what comes out; a third waits for a secret.
    pub fn claims_system(seed: u64, theory: &Theory) -> P {
        let mut random = Random::new(seed);
        let count = 1 + random.below(3);
        let messages = (0..count)
            .map(|_| instance(&mut random, 1, theory))
            .collect();
        let speaker = outputs(messages, P::Nil);
        let mut grower = Grower::new(&mut random, Style::default());
        grower.theory = theory.clone();
        let rule = grower.random.pick(&theory.rules).clone();
        let mut scope: Vec<String> = ["a", "k", "n", "s"].map(str::to_owned).to_vec();
        scope.push("x1".to_owned());
        let mut args = grower.arguments(&rule, &scope);
        if !args.contains(&atom("x1")) {
            let i = grower.random.below(args.len());
            args[i] = atom("x1");
        }
        scope.push("y1".to_owned());
        let said = if grower.random.one_in(2) {
            atom("y1")
        } else {
            let (scope, depth) = (scope.clone(), 1);
            grower.term(&scope, depth)
        };
        let after = P::Event(
            "E".to_owned(),
            atom("y1"),
            Box::new(P::Out(atom("d"), said, Box::new(P::Nil))),
        );
        let otherwise = grower.random.one_in(3).then(|| {
            let t = grower.some_atom(&scope[..5]);
            Box::new(P::Out(atom("d"), t, Box::new(P::Nil)))
        });
        let check = Check::Destruct(rule.name, args, "y1".to_owned());
        let opener = P::In(
            atom("c"),
            "x1".to_owned(),
            Box::new(P::Test(check, Box::new(after), otherwise)),
        );
        let wanted = instance(&mut random, 1, theory);
        let waiter = P::In(
            atom("c"),
            "x2".to_owned(),
            Box::new(P::Test(
                Check::Match(atom("x2"), wanted),
                Box::new(P::Event("F".to_owned(), atom("x2"), Box::new(P::Nil))),
                None,
            )),
        );
        closed(P::Par(vec![speaker, opener, waiter]))
    }

    /// A file with such a system and claims about it.
    pub fn claims(seed: u64, theory: &Theory) -> String {
        let p = claims_system(seed, theory);
        format!(
            "{HEADER}{theory}partial system S = {p}\nsecrecy k in S\nsecrecy n in S\nsecrecy s in S\nreachable E(_) in S\nreachable F(_) in S\n\
             secrecy x after E(x) in S\nagreement F(x) => E(x) in S\n"
        )
    }
}

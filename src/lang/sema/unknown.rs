//! Names that are not declared, and what may have been meant.
//!
//! The reports are written after the whole file was read: only then is it known that a name is
//! fresh in another role, or bound a few lines further down.

use rustc_hash::FxHashMap;

use super::Checker;
use super::globals::{NameKind, Symbol};
use super::pattern::type_named;
use super::scope::{Origin, Scope};
use crate::base::source::{Code, Diagnostic, Span, Spot};
use crate::lang::syntax::ast::Name;
use crate::lang::syntax::foreign;
use crate::lang::syntax::link::library_with;

/// What a name was needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A message, a key or a channel.
    Term,
    /// A channel.
    Channel,
    /// A key family.
    Family,
    /// A definition.
    Process,
    /// An agent or other name in a claim or in `knows`.
    Closed,
}

/// So many reports look for a similar name; more than that are not shown anyway.
pub(super) const SUGGESTED: usize = 100;

/// An undeclared name, kept until the end.
pub(super) struct Unknown {
    name: Name,
    span: Span,
    wanted: Wanted,
    scope: Scope,
    /// The declaration it occurs in.
    within: Span,
}

impl Checker<'_> {
    /// Notes an undeclared name, once for each name; the rest would be repetition.
    pub(super) fn unknown(&mut self, name: &Name, span: Span, wanted: Wanted, scope: &Scope) {
        if scope.hole || self.tables.globals.hole || !self.known_unknown.insert(name.clone()) {
            return;
        }
        let wanted = match wanted {
            Wanted::Term if self.body.closed => Wanted::Closed,
            other => other,
        };
        self.unknowns.push(Unknown {
            name: name.clone(),
            span,
            wanted,
            scope: scope.clone(),
            within: self.body.span,
        });
    }

    /// Whether one more report may search the whole file for what was meant.
    pub(super) fn may_search(&mut self) -> bool {
        self.tables.explained += 1;
        self.tables.explained <= SUGGESTED
    }

    /// Reports the undeclared names.
    pub(super) fn report_unknown(&mut self) {
        let unknowns = std::mem::take(&mut self.unknowns);
        if unknowns.is_empty() {
            return;
        }
        let mut bound: FxHashMap<&Name, Vec<u32>> = FxHashMap::default();
        for (i, info) in self.program.vars.iter().enumerate() {
            bound.entry(&info.label).or_default().push(i as u32);
        }
        let reports: Vec<Diagnostic> = unknowns
            .iter()
            .enumerate()
            .map(|(i, unknown)| {
                let same = bound.get(&unknown.name).map_or(&[][..], |v| v);
                self.describe_unknown(unknown, same, i < SUGGESTED)
            })
            .collect();
        self.sink.extend(reports);
    }

    fn describe_unknown(&self, unknown: &Unknown, same: &[u32], suggest: bool) -> Diagnostic {
        let Unknown {
            name, span, wanted, ..
        } = unknown;
        let what = match wanted {
            Wanted::Term | Wanted::Closed => "name",
            Wanted::Channel => "channel",
            Wanted::Family => "function or key family",
            Wanted::Process => "process",
        };
        let d = Diagnostic::new(Code::UnknownName, format!("unknown {what} `{name}`"))
            .at(*span, "not declared");
        if let Some(local) = self.elsewhere(unknown, same) {
            return self.explain_elsewhere(d, unknown, local);
        }
        if suggest && let Some((family, member)) = self.member_meant(unknown) {
            return d
                .and(family, "a key is written with its owner")
                .did_you_mean(member);
        }
        // `exp(g, x)` is no slip for a name of the file.
        let called = matches!(wanted, Wanted::Family | Wanted::Process | Wanted::Channel);
        let foreign = foreign::hint(name);
        let library = library_with(name).filter(|_| called);
        let with_library = |d: Diagnostic| match library {
            Some(library) => d.repair(Spot::Declaration, format!("use {library}")),
            None => d,
        };
        if called && let Some(help) = foreign {
            let d = Diagnostic::new(Code::UnknownName, format!("there is no `{name}`"));
            let d = match library {
                Some(_) => d.at(*span, "not declared"),
                None => d.at(*span, "this is a word of another notation"),
            };
            return with_library(d.help(help));
        }
        if let Some(library) = library {
            return with_library(d.help(format!(
                "`use {library}` brings it: `spi explain {library}` shows how it is written"
            )));
        }
        if suggest && let Some(near) = self.near(unknown) {
            let d = match self.place_of(near, &unknown.scope) {
                Some(place) => d.and(place, format!("`{near}` is declared here")),
                None => d,
            };
            let d = d.did_you_mean(near);
            // Names such as `K1` are near to many others.
            let short = unknown.name.chars().count() <= 2 && *wanted == Wanted::Term;
            return if short {
                d.help(format!(
                    "otherwise make it with `new {name}.`, or receive it"
                ))
            } else {
                d
            };
        }
        if let Some(help) = foreign {
            return d.help(help);
        }
        match wanted {
            Wanted::Channel => d
                .help(format!("declare it with `channel {name}`"))
                .repair(Spot::Declaration, format!("channel {name}")),
            Wanted::Process => d.help(format!("declare it with `def {name}(..) = ..`")),
            Wanted::Family => d.help(format!(
                "declare `keypair {name}(Agent)`, `key {name}(Agent)` or `function {name}(Msg)`; a hash is written `H(..)`"
            ))
            .repair(Spot::Declaration, format!("keypair {name}(Agent)"))
            .repair(Spot::Declaration, format!("key {name}(Agent)"))
            .repair(Spot::Declaration, format!("function {name}(Msg)")),
            Wanted::Closed => d.help(format!(
                "declare it, for example with `agent {name}` or `public {name}`"
            ))
            .repair(Spot::Declaration, format!("agent {name}"))
            .repair(Spot::Declaration, format!("public {name}")),
            Wanted::Term => d.help(format!(
                "make it with `new {name}.`, receive it with an input or a pattern, or declare it: `channel {name}`, `agent {name}`, `public {name}`, `private {name}`"
            ))
            .repair(Spot::Declaration, format!("public {name}"))
            .repair(Spot::Declaration, format!("private {name}")),
        }
    }

    /// A variable of the same name that is out of scope: later in this declaration, or in another.
    fn elsewhere(&self, unknown: &Unknown, same: &[u32]) -> Option<u32> {
        if !matches!(unknown.wanted, Wanted::Term | Wanted::Channel) {
            return None;
        }
        let inside = |v: &&u32| {
            let span = self.program.vars[**v as usize].span;
            unknown.within.start <= span.start && span.end <= unknown.within.end
        };
        same.iter().find(inside).or_else(|| same.first()).copied()
    }

    fn explain_elsewhere(&self, d: Diagnostic, unknown: &Unknown, var: u32) -> Diagnostic {
        let name = &unknown.name;
        let place = self.program.vars[var as usize].span;
        let fresh = self.tables.origins[var as usize] == Origin::Restricted;
        let same = unknown.within.start <= place.start && place.end <= unknown.within.end;
        if same && place.start > unknown.span.start {
            d.and(place, format!("`{name}` is bound only here"))
                .note("names are known from where they are bound on, from left to right")
                .help("bind it further left, or in an earlier step")
        } else if same {
            d.and(
                place,
                format!("this `{name}` belongs to another branch or thread"),
            )
            .help("bind it before the threads part, or send it from one to the other")
        } else if fresh {
            d.and(place, format!("`{name}` is made here, by another role"))
                .note("a role knows only what it makes, is given or receives")
                .help(format!(
                    "receive it: use a variable in the pattern of an input, such as `n{}`",
                    name.trim_start_matches(['N', 'n'])
                ))
        } else {
            d.and(
                place,
                format!("this `{name}` is known only in its own definition"),
            )
            .help("make it a parameter of this definition, or receive it with an input")
        }
    }

    /// `Kb` where `keypair K(Agent)` is declared: the narration's name for the key of `b`.
    fn member_meant(&self, unknown: &Unknown) -> Option<(Span, String)> {
        if unknown.wanted != Wanted::Term {
            return None;
        }
        (1..unknown.name.len()).rev().find_map(|i| {
            let head = unknown.name.get(..i)?;
            let owner = unknown.name.get(i..)?.trim_start_matches('_');
            let global = self.tables.globals.get(head)?;
            let Symbol::Family(_, _, params) = &global.symbol else {
                return None;
            };
            let agents = self.tables.globals.iter();
            let agents = agents.filter(|g| matches!(g.symbol, Symbol::Name(..)));
            let mut known = (unknown.scope.names().map(|n| &**n)).chain(agents.map(|g| &*g.name));
            let owner = known.find(|n| n.eq_ignore_ascii_case(owner))?;
            (params.len() == 1).then(|| (global.span, format!("{head}({owner})")))
        })
    }

    fn near<'a>(&'a self, unknown: &'a Unknown) -> Option<&'a str> {
        let fits = |symbol: &Symbol| match unknown.wanted {
            Wanted::Process => matches!(symbol, Symbol::Definition(_)),
            Wanted::Family => matches!(
                symbol,
                Symbol::Family(..) | Symbol::Function(..) | Symbol::Destructor(..)
            ),
            Wanted::Closed | Wanted::Channel => matches!(symbol, Symbol::Name(..)),
            // Without arguments a family is hardly what was meant, unless the name is a long one.
            Wanted::Term => match symbol {
                Symbol::Family(_, _, params) => params.is_empty() || unknown.name.len() > 3,
                _ => matches!(symbol, Symbol::Name(..)),
            },
        };
        let globals = self.tables.globals.iter();
        let globals = globals.filter(|g| fits(&g.symbol)).map(|g| &*g.name);
        let locals = unknown.scope.names().map(|n| &**n);
        let locals = locals.filter(|_| matches!(unknown.wanted, Wanted::Term | Wanted::Channel));
        let names = locals.chain(globals);
        if unknown.wanted == Wanted::Closed {
            nearest_in_claim(&unknown.name, names)
        } else {
            nearest(&unknown.name, names)
        }
    }

    fn place_of(&self, name: &str, scope: &Scope) -> Option<Span> {
        scope
            .get(name)
            .map(|l| l.span)
            .or_else(|| self.tables.globals.get(name).map(|g| g.span))
    }

    /// Doubts and mistakes about introducing a name: names of types, and hiding.
    pub(super) fn check_binder(
        &mut self,
        name: &crate::lang::syntax::ast::Ident,
        origin: Origin,
        scope: &Scope,
    ) {
        if self.reserved(name) || name.name.starts_with('_') {
            return;
        }
        let local = scope.get(&name.name);
        let (place, what) = if let Some(local) = local {
            if (origin, local.origin) == (Origin::Message, Origin::Message) {
                // `net(x). case x of .. in net(x).` uses `x` for one message after the other.
                return;
            }
            (local.span, local.origin.describe())
        } else if let Some(global) = self.tables.globals.get(&name.name) {
            let agent = matches!(
                global.symbol,
                Symbol::Name(NameKind::Agent | NameKind::Spy, _)
            );
            if origin == Origin::Parameter && agent {
                // `def Init(A, B)` beside `agent A, B` says what it means.
                return;
            }
            (global.span, global.symbol.describe())
        } else {
            return;
        };
        // The hidden one is mentioned once, here, and not as unused too.
        match local {
            Some(local) => self.tables.used[local.var as usize] = true,
            None => {
                self.tables.globals.use_name(&name.name);
            }
        }
        let d = Diagnostic::new(
            Code::Shadowing,
            format!("this `{name}` hides another `{name}`"),
        )
        .at(name.span, "a new name from here on")
        .and(place, format!("hides {what} of the same name"));
        self.sink.push(match origin {
            Origin::Pattern | Origin::Message => d.help(format!(
                "to compare with the known `{name}` write `={name}`; otherwise choose another name"
            ))
            .instead(format!("={name}")),
            _ => d.help("choose another name"),
        });
    }

    /// Reports the declaration of a name that is a type.
    pub(super) fn reserved(&mut self, name: &crate::lang::syntax::ast::Ident) -> bool {
        if type_named(&name.name).is_none() {
            return false;
        }
        self.sink.push(
            Diagnostic::new(Code::ReservedName, format!("`{name}` is a type"))
                .at(name.span, "nothing else can have this name")
                .help("choose another name"),
        );
        true
    }
}

/// A list of names for a message, sorted, not too long; nothing if there are none.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    let more = if names.len() > 10 { ", ..." } else { "" };
    names.truncate(10);
    (!names.is_empty()).then(|| format!("`{}`{more}", names.join("`, `")))
}

/// The candidate that differs least from `word`, if it differs little.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let allowed = match word.chars().count() {
        0..=1 => 0,
        2..=5 => 1,
        _ => 2,
    };
    candidates
        .filter(|c| *c != word)
        .filter_map(|c| {
            let d = if c.eq_ignore_ascii_case(word) {
                0
            } else {
                foreign::distance(word, c)
            };
            (d <= allowed).then_some((d, c))
        })
        .min()
        .map(|(_, c)| c)
}

/// The same for a name of a claim. Of two letters, as `Nb` is, every name is near to every other: then only capitals may differ.
pub(super) fn nearest_in_claim<'a>(
    word: &str,
    mut candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.chars().count() > 2 {
        return nearest(word, candidates);
    }
    candidates.find(|c| *c != word && c.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_slips_are_found_and_short_words_are_left_alone() {
        let words = ["Init", "Resp", "net", "Na", "a"];
        let near = |w| nearest(w, words.iter().copied());
        assert_eq!(near("Inti"), Some("Init"));
        assert_eq!(near("init"), Some("Init"));
        assert_eq!(near("nett"), Some("net"));
        assert_eq!(near("b"), None);
        assert_eq!(near("A"), Some("a"));
        assert_eq!(near("server"), None);
        let near = |w| nearest_in_claim(w, words.iter().copied());
        assert_eq!((near("Nb"), near("na")), (None, Some("Na")));
        assert_eq!(near("Inti"), Some("Init"));
    }
}

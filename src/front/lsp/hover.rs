//! Hover: the type and scope of a name, and whether the attacker knows it.

use gen_lsp_types::{Hover, MarkupContent, MarkupKind};

use super::document::{Document, Run};
use super::index::Group;
use super::snapshot::Snapshot;
use crate::base::source::{Span, explain};
use crate::certify::Deduction;
use crate::lang::sema::{Meaning, Nature, Referent};
use crate::lang::syntax::ast::{Source, Used, declared_names};
use crate::process::{Claim, Proc, Signature, Type};

/// With more initial knowledge than this, what can be made from it is not worked out.
const KNOWLEDGE: usize = 100;

/// At most this many arguments of a parameter are named.
const NAMED: usize = 6;

/// What is to be said about a place.
pub(super) fn hover(document: &mut Document, position: gen_lsp_types::Position) -> Option<Hover> {
    let snapshot = document.snapshot();
    let offset = snapshot.offset(position);
    let name = snapshot.index.at(offset);
    let claim = claim_at(&snapshot, offset);
    let mut parts: Vec<String> = Vec::new();
    let mut span = None;
    if let Some((place, group)) = name {
        span = Some(place);
        parts.extend(about(&snapshot, place));
        parts.extend(verdicts(&snapshot, document, group));
    } else if let Some((i, claim)) = claim {
        span = Some(claim.span);
        parts.push(match document.runs.get(&i) {
            Some(Run::Done(outcome)) => format!("```text\n{}\n```", outcome.narration.trim_end()),
            Some(Run::Running { .. }) => "This claim is being checked.".to_owned(),
            None => "This claim has not been checked since the last change.".to_owned(),
        });
    }
    if let Some(item) = snapshot.item_at(offset) {
        span = Some(item.span);
        parts.push(brought(&snapshot, item));
    }
    if parts.is_empty() {
        return None;
    }
    Some(Hover {
        contents: MarkupContent {
            kind: MarkupKind::Markdown,
            value: parts.join("\n\n"),
        }
        .into(),
        range: span.map(|s| snapshot.range(s)),
    })
}

/// What a used library or file brings.
fn brought(snapshot: &Snapshot, item: &Used) -> String {
    match &item.what {
        Source::Library(name) => explain::library(name).map_or_else(
            || format!("There is no library `{name}`."),
            |text| format!("```text\n{}\n```", text.trim_end()),
        ),
        Source::File(path) => {
            let names: Vec<String> = item.decls.iter().flat_map(declared_names).collect();
            let path = snapshot.file.folder.join(&**path);
            if names.is_empty() {
                return format!(
                    "`{}` brings nothing that is not there already.",
                    path.display()
                );
            }
            format!("`{}` brings `{}`.", path.display(), names.join("`, `"))
        }
    }
}

/// The claim at an offset, with its number; of several at one place the first.
fn claim_at(snapshot: &Snapshot, offset: usize) -> Option<(usize, &Claim)> {
    let claims = snapshot.checked.program.claims.iter().enumerate();
    let mut claims = claims.filter(|(_, c)| {
        let range = c.span.range();
        range.start <= offset && offset <= range.end
    });
    claims.next()
}

/// The verdicts of the claims that speak of a name.
fn verdicts(snapshot: &Snapshot, document: &Document, group: Group) -> Vec<String> {
    let places = snapshot.index.places(group);
    let claims = &snapshot.checked.program.claims;
    let mut said = Vec::new();
    for (i, claim) in claims.iter().enumerate() {
        let inside = |s: &Span| claim.span.start <= s.start && s.end <= claim.span.end;
        if let Some(Run::Done(outcome)) = document.runs.get(&i)
            && places.iter().any(inside)
        {
            said.push(format!("`{}`: {}", claim.text, outcome.line()));
        }
    }
    said
}

/// What the name at a place is.
fn about(snapshot: &Snapshot, place: Span) -> Vec<String> {
    let referents = snapshot.index.referents(place);
    let checked = &snapshot.checked;
    let mut said: Vec<String> = Vec::new();
    for referent in referents {
        let Some(meaning) = checked.meaning(referent) else {
            continue;
        };
        // The variable of a claim that stands for fresh names is not worth a word beside them.
        if meaning.nature == Nature::ClaimVariable && !said.is_empty() {
            continue;
        }
        let scope = binding_scope(snapshot, referent);
        let head = format!(
            "```spi\n{}\n```",
            signature(&checked.program.signature, &meaning)
        );
        let text = format!("{head}\n{}", describe(snapshot, referent, &meaning, scope));
        if !said.contains(&text) {
            said.push(text);
        }
    }
    said
}

/// The definition or system in which something is bound.
fn binding_scope(snapshot: &Snapshot, referent: Referent) -> Option<String> {
    let Referent::Variable(var) = referent else {
        return None;
    };
    let info = snapshot.checked.program.vars.get(var as usize)?;
    snapshot.around(info.span).map(str::to_owned)
}

/// The declaration in short.
fn signature(declared: &Signature, meaning: &Meaning) -> String {
    let named = |ty: Type| declared.type_label(ty);
    let label = &meaning.label;
    let typed = |ty: Type| match ty {
        Type::Msg => label.clone(),
        ty => format!("{label}: {}", named(ty)),
    };
    let types = |types: &[Type]| {
        let types: Vec<&str> = types.iter().map(|t| named(*t)).collect();
        if types.is_empty() {
            label.clone()
        } else {
            format!("{label}({})", types.join(", "))
        }
    };
    let params = |params: &[(String, Type)]| {
        let params: Vec<String> = params
            .iter()
            .map(|(name, ty)| match ty {
                Type::Msg => name.clone(),
                ty => format!("{name}: {}", named(*ty)),
            })
            .collect();
        if params.is_empty() {
            label.clone()
        } else {
            format!("{label}({})", params.join(", "))
        }
    };
    match &meaning.nature {
        Nature::Agent => format!("agent {}", sorted(declared, meaning)),
        Nature::Spy => format!("spy {}", sorted(declared, meaning)),
        Nature::Channel => format!("channel {label}"),
        Nature::Public => format!("public {}", typed(meaning.ty)),
        Nature::Private => format!("private {}", typed(meaning.ty)),
        Nature::Group => format!("group {label}"),
        Nature::Neutral => format!("{label}: Share"),
        Nature::KeyPairs(args) => format!("keypair {}", types(args)),
        Nature::Keys(args) => format!("key {}", types(args)),
        Nature::Function(args, private) => {
            let word = if *private {
                "private function"
            } else {
                "function"
            };
            match meaning.ty {
                Type::Msg => format!("{word} {}", types(args)),
                ty => format!("{word} {}: {}", types(args), named(ty)),
            }
        }
        Nature::Destructor(rules) => {
            let lines: Vec<String> = rules.iter().map(|r| format!("destructor {r}")).collect();
            lines.join("\n")
        }
        Nature::Definition(args) => format!("def {}", params(args)),
        Nature::System(args) => format!("system {}", params(args)),
        Nature::Fresh => format!("new {}", typed(meaning.ty)),
        Nature::Parameter | Nature::Received | Nature::ClaimVariable | Nature::RuleVariable => {
            match meaning.ty {
                Type::Msg => format!("{label}: Msg"),
                ty => typed(ty),
            }
        }
        Nature::Event(args) => format!("event {}", types(args)),
        Nature::Sort(_) => format!("sort {label}"),
    }
}

/// An agent with its sorts, if it is not of all.
fn sorted(declared: &Signature, meaning: &Meaning) -> String {
    let sorts = meaning
        .term
        .map(|t| declared.sorts_of(t))
        .unwrap_or_default();
    if sorts.len() == declared.sorts.len() {
        return meaning.label.clone();
    }
    let sorts = sorts
        .into_iter()
        .map(|s| declared.type_label(Type::Sort(s)));
    let sorts: Vec<&str> = sorts.collect();
    format!("{}: {}", meaning.label, sorts.join(" | "))
}

/// Type, scope and attacker in a sentence or two.
fn describe(
    snapshot: &Snapshot,
    referent: Referent,
    meaning: &Meaning,
    scope: Option<String>,
) -> String {
    let label = &meaning.label;
    let of = scope.map_or_else(String::new, |name| format!(" of `{name}`"));
    match &meaning.nature {
        Nature::Agent => "An honest agent. Its name is public: the attacker knows it.".to_owned(),
        Nature::Spy => "An agent that the attacker plays, with all its keys.".to_owned(),
        Nature::Channel => "A public channel: the attacker listens and sends on it.".to_owned(),
        Nature::Public => "A public name: the attacker knows it.".to_owned(),
        Nature::Group => format!(
            "The base of a group: `{}^x` is a share, `{}^x^y` the key of an exchange. The attacker knows it.",
            meaning.label, meaning.label
        ),
        Nature::Neutral => {
            "The neutral element of a group: whatever its exponent, its power is itself.".to_owned()
        }
        Nature::Private => {
            let known = private_known(snapshot, meaning);
            let fact = match known {
                Some(true) => "the attacker gets it from what `knows` gives away",
                Some(false) => "the attacker does not know it at the start",
                None => "the attacker is not told it",
            };
            format!("A global name; {fact}.")
        }
        Nature::KeyPairs(args) => {
            let member = member(label, args.len());
            format!(
                "Key pairs. `{member}+` is known to everybody, `{member}-` only to its owner{}.",
                spies(snapshot, args)
            )
        }
        Nature::Keys(args) => format!(
            "Symmetric keys that the attacker does not know at the start{}.",
            spies(snapshot, args)
        ),
        Nature::Function(_, false) => {
            "A function: everybody applies it. What it makes is taken apart by destructors alone.".to_owned()
        }
        Nature::Function(_, true) => {
            "A private function: only roles apply it. The attacker has what it makes only if it hears it.".to_owned()
        }
        Nature::Destructor(_) => {
            "A destructor: everybody applies it, the attacker too. It gives the right side of the first rule that fits its arguments; if none fits, it fails.".to_owned()
        }
        Nature::Definition(_) => "A process definition.".to_owned(),
        Nature::System(_) => "A system that claims can be about.".to_owned(),
        Nature::Parameter => format!("A parameter{of}.{}", arguments(snapshot, referent)),
        Nature::Fresh => format!(
            "A fresh name{of}, another one in each instance. The attacker does not know it when it is made."
        ),
        Nature::Received => format!(
            "A received value{of}: as far as no check fixes it, the attacker may have chosen it."
        ),
        Nature::RuleVariable => "A variable of this rule: any message.".to_owned(),
        Nature::ClaimVariable => "A variable of this claim: any message.".to_owned(),
        Nature::Sort(members) => {
            let names: Vec<String> = (members.iter())
                .map(|a| format!("`{}`", snapshot.store.show(*a)))
                .collect();
            format!(
                "A sort of agents: {}. An agent declared without a sort is of every sort.",
                names.join(", ")
            )
        }
        Nature::Event(_) => {
            "An event: claims speak of it, the attacker does not see it.".to_owned()
        }
    }
}

fn member(label: &str, arity: usize) -> String {
    match arity {
        0 => label.to_owned(),
        1 => format!("{label}(t)"),
        n => format!("{label}({})", vec!["t"; n].join(", ")),
    }
}

/// What the attacker owns of a key family.
fn spies(snapshot: &Snapshot, params: &[Type]) -> String {
    let spies = &snapshot.checked.program.signature.spies;
    if spies.is_empty() || params.is_empty() {
        return String::new();
    }
    let names: Vec<String> = spies.iter().map(|s| snapshot.store.show(*s)).collect();
    format!("; the attacker owns those of {}", names.join(", "))
}

/// Whether the attacker can make a private name from what it is given.
fn private_known(snapshot: &Snapshot, meaning: &Meaning) -> Option<bool> {
    let knows = &snapshot.checked.program.signature.knows;
    if knows.len() > KNOWLEDGE || !snapshot.checked.is_sound() {
        return None;
    }
    let given = Deduction::with_initial(&snapshot.store, knows);
    Some(given.derivable(meaning.term?))
}

/// What a parameter of a definition is instantiated with, as far as the file says it in closed
/// terms.
fn arguments(snapshot: &Snapshot, referent: Referent) -> String {
    let Referent::Variable(var) = referent else {
        return String::new();
    };
    let program = &snapshot.checked.program;
    let place = program.definitions.iter().enumerate().find_map(|(i, def)| {
        let at = def.body.params.iter().position(|p| *p == var)?;
        Some((i, at))
    });
    let Some((def, at)) = place else {
        return String::new();
    };
    let mut values: Vec<String> = Vec::new();
    for proc in &program.procs {
        if let Proc::Call {
            def: called, args, ..
        } = proc
            && called.index() == def
            && let Some(arg) = args.get(at)
            && snapshot.store.is_ground(*arg)
        {
            let shown = format!("`{}`", snapshot.store.show(*arg));
            if !values.contains(&shown) {
                values.push(shown);
            }
            if values.len() > NAMED {
                values.pop();
                values.push("…".to_owned());
                break;
            }
        }
    }
    if values.is_empty() {
        return String::new();
    }
    format!(" Instantiated with {}.", values.join(", "))
}

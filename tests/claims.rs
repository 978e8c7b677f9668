//! Claims: what they mean, once their names are found.

use spi::base::source::{SourceFile, SourceMap, render};
use spi::lang::sema::{Checked, check_text};
use spi::process::{
    Claim, ClaimKind, EventPattern, Expectation, Program, SecrecyTarget, Strength, TupleMode,
};
use spi::term::{TermId, TermStore, View};

const MODEL: &str = "
agent A, B  spy C  channel net  private s: Data  keypair K(Agent)
def Init(a: Agent, b: Agent) =
  new Na: Nonce. event Running(a, b, Na). net<{Na, a}K(b)+>. net(x).
  case x of {=Na, nb}K(a)- in net<{nb, s}K(b)+>
def Resp(b: Agent, a: Agent) =
  net(x). case x of {na, =a}K(b)- in new Nb, Na. net<{na, Nb, Na}K(a)+>. event Done(b, a, na)
def Other = new Nc. net<Nc>
system S = Init(A, B) | Init(A, C) | Resp(B, A)
system T = Other
system V(m, n) = net<{m, n}K(A)+>
";

struct Model {
    checked: Checked,
    store: TermStore,
}

impl Model {
    fn with(claims: &str) -> Model {
        let text = format!("{MODEL}{claims}\n");
        let file = SourceFile::anonymous("t.spi", &text);
        let store = TermStore::new();
        let checked = check_text(&file, &store, TupleMode::Nested);
        let shown = render::to_string(&SourceMap::from(file), &checked.diagnostics);
        assert!(checked.diagnostics.is_empty(), "{shown}");
        Model { checked, store }
    }

    fn program(&self) -> &Program {
        &self.checked.program
    }

    fn only(&self) -> &Claim {
        assert_eq!(self.program().claims.len(), 1);
        &self.program().claims[0]
    }

    fn show(&self, t: TermId) -> String {
        self.store
            .show_with(t, &|atom| match self.store.view(atom) {
                View::Var(v) => Some(format!("?{}", self.program().vars[v as usize].label)),
                _ => None,
            })
    }

    fn event(&self, e: &EventPattern) -> String {
        let args: Vec<String> = e.args.iter().map(|t| self.show(*t)).collect();
        format!(
            "{}({})",
            self.program().events[e.event.index()].label,
            args.join(", ")
        )
    }

    /// The term, and for each of its names the label with the number of places that make it.
    fn target(&self, t: &SecrecyTarget) -> (String, Vec<(String, usize)>) {
        let names = t.names.iter().map(|n| {
            let label = self.program().sites[n.sites[0].index()].label.to_string();
            assert_eq!(label, *self.program().vars[n.var as usize].label);
            (label, n.sites.len())
        });
        (self.show(t.term), names.collect())
    }
}

fn secrecy(claim: &str) -> Vec<(String, Vec<(String, usize)>)> {
    let model = Model::with(claim);
    match &model.only().kind {
        ClaimKind::Secrecy { targets, .. } => targets.iter().map(|t| model.target(t)).collect(),
        other => panic!("{other:?}"),
    }
}

fn agreement(claim: &str) -> (Strength, String, String) {
    let model = Model::with(claim);
    match &model.only().kind {
        ClaimKind::Agreement {
            strength,
            after,
            before,
            ..
        } => (*strength, model.event(after), model.event(before)),
        other => panic!("{other:?}"),
    }
}

fn name(label: &str, sites: usize) -> (String, usize) {
    (label.to_owned(), sites)
}

#[test]
fn secrecy_of_a_label_covers_every_place_that_makes_it() {
    assert_eq!(
        secrecy("secrecy Na, Nb in S"),
        [
            ("?Na".into(), vec![name("Na", 2)]),
            ("?Nb".into(), vec![name("Nb", 1)])
        ]
    );
}

#[test]
fn a_declared_name_stands_for_itself() {
    assert_eq!(secrecy("secrecy s in S"), [("s".into(), vec![])]);
}

#[test]
fn a_whole_term_may_mention_names_by_label() {
    assert_eq!(
        secrecy("secrecy (Na, {Nb, s, Na}K(A)+) in S"),
        [(
            "(?Na, {?Nb, s, ?Na}K(A)+)".into(),
            vec![name("Na", 2), name("Nb", 1)]
        )]
    );
}

#[test]
fn an_instance_picks_the_names_of_its_definition() {
    let model = Model::with("secrecy Init(A, C).Na in S");
    let ClaimKind::Secrecy { targets, .. } = &model.only().kind else {
        panic!();
    };
    let (def, args) = targets[0].names[0].instance.clone().expect("an instance");
    assert_eq!(&*model.program().definitions[def.index()].label, "Init");
    assert_eq!(
        args.iter().map(|t| model.show(*t)).collect::<Vec<_>>(),
        ["A", "C"]
    );
    assert_eq!(targets[0].text, "Init(A, C).Na");
}

#[test]
fn secrecy_after_an_event_is_about_its_arguments() {
    let model = Model::with("secrecy n after Done(_, a, n) in S");
    let ClaimKind::SecrecyAfter { term, event, .. } = &model.only().kind else {
        panic!();
    };
    assert_eq!(model.show(*term), "?n");
    assert_eq!(event.args[2], *term);
    assert_eq!(model.event(event), "Done(?_, ?a, ?n)");
    assert_eq!(model.only().text, "secrecy n after Done(_, a, n) in S");
}

#[test]
fn agreement_shares_variables_and_keeps_declared_names() {
    assert_eq!(
        agreement("agreement Done(b, A, n) => Running(A, b, n) in S expect attack"),
        (
            Strength::Full,
            "Done(?b, A, ?n)".into(),
            "Running(A, ?b, ?n)".into()
        )
    );
    let model =
        Model::with("injective agreement Done(b, a, n) => Running(a, b, n) in S expect holds");
    assert_eq!(model.only().expect, Some(Expectation::Holds));
    let ClaimKind::Agreement { after, before, .. } = &model.only().kind else {
        panic!();
    };
    assert_eq!(after.args[0], before.args[1]);
    assert_eq!(after.args[2], before.args[2]);
}

#[test]
fn weaker_agreements_compare_less() {
    assert_eq!(
        agreement("weak agreement Done(b, a, n) => Running(a, b, n) in S"),
        (
            Strength::Weak,
            "Done(?b, ?a, ?n)".into(),
            "Running(?a, ?b, ?_)".into()
        )
    );
    assert_eq!(
        agreement("aliveness Done(b, a, n) => Running(a, b, n) in S"),
        (
            Strength::Aliveness,
            "Done(?b, ?a, ?n)".into(),
            "Running(?a, ?_, ?_)".into()
        )
    );
}

#[test]
fn the_other_claims() {
    let model = Model::with(
        "reachable Done(B, _, _) in S
         unsendable net<{Na, A}K(B)+> in S
         strong secrecy n in V(s)
         V(A, B) ~ V(B, A)
         equivalence S ~ T
         T <= S",
    );
    let texts: Vec<&str> = model.program().claims.iter().map(|c| &*c.text).collect();
    assert_eq!(
        texts,
        [
            "reachable Done(B, _, _) in S",
            "unsendable net<{Na, A}K(B)+> in S",
            "strong secrecy n in V(s)",
            "V(A, B) ~ V(B, A)",
            "S ~ T",
            "T <= S"
        ]
    );
    let kinds: Vec<&ClaimKind> = model.program().claims.iter().map(|c| &c.kind).collect();
    let ClaimKind::Unsendable {
        channel, target, ..
    } = kinds[1]
    else {
        panic!();
    };
    assert_eq!(model.show(*channel), "net");
    assert_eq!(
        model.target(target),
        ("{?Na, A}K(B)+".into(), vec![name("Na", 2)])
    );
    let ClaimKind::StrongSecrecy { param, system } = kinds[2] else {
        panic!();
    };
    assert_eq!((*param, system.args.len()), (1, 2));
    assert_eq!(model.show(system.args[0]), "s");
    assert!(matches!(kinds[3], ClaimKind::Equivalence(l, r) if l.args != r.args));
    assert!(matches!(kinds[5], ClaimKind::Preorder(..)));
}

#[test]
fn claims_of_the_command_line() {
    let mut model = Model::with("");
    let mut map = SourceMap::new();
    let mut add = |target: &str, system: Option<&str>| {
        model
            .checked
            .add_secrecy(&mut map, &model.store, target, system)
            .map_err(|d| d[0].code.as_str())
    };
    assert_eq!(add("Na", None), Ok(0..1), "only `S` makes it");
    assert_eq!(add("Init(A, B).Na", Some("S")), Ok(1..2));
    assert_eq!(add("({Na}K(A)+)", Some("S")), Ok(2..3));
    assert_eq!(
        add("s", None),
        Ok(3..5),
        "in each system without parameters"
    );
    assert_eq!(add("Nz", None), Err("E0403"));
    assert_eq!(add("Na", Some("Z")), Err("E0401"));
    assert_eq!(add("Na Nb", None), Err("E0101"));
}

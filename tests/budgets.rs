//! Budgets are how much is tried of the tool's own accord. With hardly any of them less is known, and nothing else.
//! `UPDATE=1 cargo test --test all budgets::` writes their table in docs/semantics.md.

use crate::models::models;
use crate::support::is_large;
use spi::analysis::{LimitSpec, Model, Outcome, Settings};
use spi::base::limits::{Budgets, Silent};
use spi::base::source::{SourceMap, load};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const START: &str = "<!-- budgets: written by `UPDATE=1 cargo test --test all budgets::` -->\n";
const END: &str = "<!-- end of the budgets -->";

/// What may be said of a claim instead, with less of a budget.
fn weaker(said: Outcome, instead: Outcome) -> bool {
    use Outcome::{Holds, Inconclusive, NotExecutable, Proved, ProvedForAgents, Vacuous};
    match said {
        _ if instead == said || instead == Inconclusive => true,
        Proved => matches!(instead, ProvedForAgents | Holds),
        // A look that is cut does not see that the claim says nothing.
        ProvedForAgents | Vacuous | NotExecutable => instead == Holds,
        _ => false,
    }
}

/// What is said of all claims of a file.
fn outcomes(path: &Path, budgets: Budgets) -> Vec<Outcome> {
    let mut map = SourceMap::new();
    let file = load::load(&mut map, path).expect("a text");
    let model = Model::from_file(&mut map, &file).expect("no mistakes");
    let settings = Settings {
        budgets,
        limits: LimitSpec {
            states: Some(200),
            ..LimitSpec::default()
        },
        ..Settings::default()
    };
    let decided = |claim| model.decide(claim, &settings, &Silent);
    let outcomes = (0..model.claims().len()).map(decided);
    outcomes
        .map(|d| d.expect("a system of moderate size").outcome())
        .collect()
}

#[test]
fn with_the_least_budgets_verdicts_of_the_library_are_weaker_and_never_different() {
    let mut files = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    models(&root.join("protocols"), &mut files);
    files.retain(|f| !is_large(f));
    let (mut wrong, mut fewer) = (String::new(), 0);
    for path in &files {
        let said = outcomes(path, Budgets::default());
        let instead = outcomes(path, Budgets::all(1));
        for (claim, (said, instead)) in said.into_iter().zip(instead).enumerate() {
            fewer += usize::from(said != instead);
            if !weaker(said, instead) {
                let _ = writeln!(wrong, "{} {claim}: {said:?}, {instead:?}", path.display());
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(fewer > 0, "budgets of 1 are less than the usual ones");
}

#[test]
fn the_manual_lists_all_budgets() {
    let mut table = String::from("| budget | | |\n|---|---:|---|\n");
    for (name, amount, what) in Budgets::default().rows() {
        let _ = writeln!(table, "| `{name}` | {amount} | {what} |");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/semantics.md");
    let text = fs::read_to_string(&path).expect("a text");
    let from = text.find(START).expect("the table starts") + START.len();
    let to = from + text[from..].find(END).expect("the table ends");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, [&text[..from], &table, &text[to..]].concat()).expect("written");
    } else {
        assert_eq!(&text[from..to], table);
    }
}

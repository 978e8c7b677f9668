//! From text to a program: every construct, and every process with a known verdict.

use spi::base::source::{SourceFile, SourceMap, render};
use spi::lang::sema::{Checked, check_text, system_from_process};
use spi::process::{Proc, ProcId, Program, TupleMode};
use spi::term::{TermId, TermStore, View};

fn rendered(text: &str, checked: &Checked) -> String {
    let map = SourceMap::from(SourceFile::anonymous("t.spi", text));
    render::to_string(&map, &checked.diagnostics)
}

fn lower(text: &str) -> (Program, TermStore) {
    let store = TermStore::new();
    let checked = check_text(
        &SourceFile::anonymous("t.spi", text),
        &store,
        TupleMode::Nested,
    );
    assert!(
        checked.diagnostics.is_empty(),
        "{}",
        rendered(text, &checked)
    );
    (checked.program, store)
}

/// The rows of a table under `tests/data`.
fn rows(table: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/data/{table}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect(&path);
    text.lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .map(|l| l.split('\t').map(str::to_owned).collect())
        .collect()
}

fn all_lower(declarations: &str, processes: impl Iterator<Item = String>) -> usize {
    let store = TermStore::new();
    let mut count = 0;
    for process in processes {
        for tuples in [TupleMode::Nested, TupleMode::Flat] {
            if let Err(diagnostics) = system_from_process(declarations, &process, &store, tuples) {
                panic!("{process}\n{diagnostics:#?}");
            }
        }
        count += 1;
    }
    count
}

#[test]
fn the_labelled_random_pairs_lower() {
    let pairs = rows("random-pairs.tsv").into_iter();
    let processes = pairs.flat_map(|row| row[1..3].to_vec());
    assert_eq!(all_lower("channel c, d  public a, b, ok", processes), 1000);
}

#[test]
fn the_named_pairs_lower() {
    let pairs = rows("equivalences.tsv").into_iter();
    let processes = pairs.flat_map(|row| row[2..4].to_vec());
    let count = all_lower("channel a, b, c, d, e, f  public m1, m2, ok, ko", processes);
    assert_eq!(count, 2 * 72);
}

#[test]
fn the_file_of_the_manual_lowers() {
    let path = format!("{}/tests/grammar/nsl.spi", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect(&path);
    let (program, _) = lower(&text);
    assert_eq!(program.definitions.len(), 2);
    assert_eq!(program.systems.len(), 1);
    assert_eq!(program.claims.len(), 2);
    let outputs = program
        .procs
        .iter()
        .filter(|p| matches!(p, Proc::Output { .. }))
        .count();
    assert_eq!(outputs, 3);
}

/// A template as text: variables by label (hidden ones as `_`, made apart by their number).
fn show(program: &Program, store: &TermStore, proc: ProcId) -> String {
    let label = |v: u32| {
        let label = &program.vars[v as usize].label;
        if label.starts_with(['_', '<']) {
            format!("_{v}")
        } else {
            label.to_string()
        }
    };
    let term = |t: TermId| {
        store.show_with(t, &|atom| match store.view(atom) {
            View::Var(v) => Some(label(v)),
            _ => None,
        })
    };
    let terms = |ts: &[TermId]| ts.iter().map(|t| term(*t)).collect::<Vec<_>>().join(", ");
    let next = |p: ProcId| show(program, store, p);
    match program.proc(proc) {
        Proc::Nil => "0".into(),
        Proc::Par(parts) => {
            let parts: Vec<String> = parts.iter().map(|p| next(*p)).collect();
            format!("({})", parts.join(" | "))
        }
        Proc::New(sites, then) => {
            let names = sites.iter().map(|s| &*program.sites[s.index()].label);
            format!(
                "new {}. {}",
                names.collect::<Vec<_>>().join(", "),
                next(*then)
            )
        }
        Proc::Output {
            channel,
            message,
            then,
            ..
        } => format!("{}<{}>. {}", term(*channel), term(*message), next(*then)),
        Proc::Input {
            channel,
            binder,
            then,
            ..
        } => format!("{}({}). {}", term(*channel), label(*binder), next(*then)),
        Proc::Test(test, then, otherwise) => {
            let equations: Vec<String> = test
                .equations
                .iter()
                .map(|(a, b)| format!("{} = {}", term(*a), term(*b)))
                .collect();
            let binds: Vec<String> = test.binds.iter().map(|v| label(*v)).collect();
            format!(
                "[{}; {}] {} else {}",
                equations.join(", "),
                binds.join(" "),
                next(*then),
                next(*otherwise)
            )
        }
        Proc::Event {
            event, args, then, ..
        } => format!(
            "{}({}). {}",
            program.events[event.index()].label,
            terms(args),
            next(*then)
        ),
        Proc::Phase { number, then, .. } => format!("phase {number}. {}", next(*then)),
        Proc::Call { def, args, .. } => {
            format!(
                "{}({})",
                program.definitions[def.index()].label,
                terms(args)
            )
        }
        Proc::Replicate { copies, body, .. } => {
            let copies = copies.map_or(String::new(), |n| n.to_string());
            format!("!{copies} {}", next(*body))
        }
    }
}

const DECLARATIONS: &str = "agent A, B  spy C  channel c, d  public m: Data, k0  private s
    keypair K(Agent)  keypair One  key S(Agent)  key L(Agent, Agent)
    def D(x, y) = c<x, y>";

/// The template of a process, beside some declarations.
fn process_with(text: &str, tuples: TupleMode) -> String {
    let store = TermStore::new();
    match system_from_process(DECLARATIONS, text, &store, tuples) {
        Ok((program, system)) => show(&program, &store, program.systems[system.index()].body.root),
        Err(diagnostics) => panic!("{text}: {diagnostics:#?}"),
    }
}

/// The first message that a process sends.
fn sent(store: &TermStore, text: &str, tuples: TupleMode) -> TermId {
    let (program, system) =
        system_from_process(DECLARATIONS, text, store, tuples).expect("no errors");
    let mut proc = program.systems[system.index()].body.root;
    loop {
        match program.proc(proc) {
            Proc::Output { message, .. } => return *message,
            Proc::New(_, then) => proc = *then,
            other => panic!("{text}: {other:?}"),
        }
    }
}

fn process(text: &str) -> String {
    process_with(text, TupleMode::Nested)
}

#[test]
fn terms() {
    assert_eq!(process("c<3>"), "c<3>. 0");
    assert_eq!(process("c<suc(suc(0))>"), "c<2>. 0");
    assert_eq!(process("c<(A, B, C)>"), process("c<A, (B, C)>"));
    assert_ne!(process("c<(A, B), C>"), process("c<A, B, C>"));
    assert_eq!(process("c<H(A, B)>"), process("c<hash((A, B))>"));
    assert_eq!(process("c<{A, B}S(C)>"), "c<{A, B}S(C)>. 0");
    assert_eq!(process("c<{m}K(A)+>"), process("c<{[m]}K(A)+>"));
    assert_eq!(process("c<{m}K(A)->"), process("c<[{m}]K(A)->"));
    assert_ne!(process("c<{[m]}k0>"), process("c<{m}k0>"));
    assert_eq!(process("c<{m}H(k0)>"), "c<{m}H(k0)>. 0");
    assert_eq!(process("c<{m}(k0, m)>"), "c<{m}(k0, m)>. 0");
    assert_eq!(process("c<L(A, B)>"), "c<L(A, B)>. 0");
    assert_eq!(process("c<{[m]}One+>"), "c<{m}One+>. 0");
}

#[test]
fn flat_tuples_keep_their_arity() {
    let store = TermStore::new();
    let message = |text, tuples| sent(&store, text, tuples);
    let [flat, paired] = ["c<(A, B, C)>", "c<A, (B, C)>"].map(|p| message(p, TupleMode::Flat));
    assert_ne!(flat, paired);
    assert_eq!(message("c<(A, B, C)>", TupleMode::Nested), paired);
}

#[test]
fn a_key_of_declared_type_makes_the_encryption_asymmetric() {
    let def = "def P(x: Pub, y: Priv, z) = c<{m}x, {m}y, {m}z>
        system T = P(K(A)+, K(A)-, S(A))";
    let (program, store) = lower(&format!(
        "channel c public m keypair K(Agent) key S(Agent) agent A {def}"
    ));
    let root = program.definitions[0].body.root;
    assert_eq!(show(&program, &store, root), "c<({[m]}x, [{m}]y, {m}z)>. 0");
}

#[test]
fn steps() {
    assert_eq!(process("c<A>. c(x). d<x>"), "c<A>. c(x). d<x>. 0");
    assert_eq!(process("new n, k. c<{n}k>. 0"), "new n, k. c<{n}k>. 0");
    assert_eq!(process("c<A> | d<B> | 0"), "(c<A>. 0 | d<B>. 0 | 0)");
    assert_eq!(process("c(x). (d<x> | d<A>)"), "c(x). (d<x>. 0 | d<A>. 0)");
    assert_eq!(process("!c<A>"), "! c<A>. 0");
    assert_eq!(process("!3 c(x). D(x, A)"), "!3 c(x). D(x, A)");
    assert_eq!(process("D(A, (A, B))"), "D(A, (A, B))");
    assert_eq!(process("event e(A, B). event f"), "e(A, B). f(). 0");
    assert_eq!(process("c(x). x(y). y<x>"), "c(x). x(y). y<x>. 0");
}

#[test]
fn tests_are_equations() {
    assert_eq!(
        process("c(x). [x is A] d<x> else d<B>"),
        "c(x). [x = A; ] d<x>. 0 else d<B>. 0"
    );
    assert_eq!(
        process("c(x). let (y, z) = x in d<y, z>"),
        "c(x). [x = (y, z); y z] d<(y, z)>. 0 else 0"
    );
    assert_eq!(
        process("c(x). case x of {y}S(A) in d<y> else d<x>"),
        "c(x). [x = {y}S(A); y] d<y>. 0 else d<x>. 0"
    );
    assert_eq!(
        process("c(x). case x of 0: d<A> suc(y): d<y>"),
        "c(x). [x = 0; ] d<A>. 0 else [x = suc(y); y] d<y>. 0 else 0"
    );
}

#[test]
fn a_pattern_is_opened_with_the_other_part() {
    let decrypt = "c(x). [x = {y}K(A)+; y] d<y>. 0 else 0";
    assert_eq!(process("c(x). case x of {y}K(A)- in d<y>"), decrypt);
    assert_eq!(process("c(x). case x of {[y]}K(A)- in d<y>"), decrypt);
    let check = "c(x). [x = {y}K(A)-; y] d<y>. 0 else 0";
    assert_eq!(process("c(x). case x of {y}K(A)+ in d<y>"), check);
    assert_eq!(process("c(x). case x of [{y}]K(A)+ in d<y>"), check);
}

#[test]
fn a_key_that_does_not_show_its_pair_gets_a_hidden_variable() {
    let open = process("c(k). c(x). case x of {[y]}k in d<y>");
    assert_eq!(
        open,
        "c(k). c(x). [k = _5-, x = {y}_5+; y _5] d<y>. 0 else 0"
    );
    let check = process("c(k). c(x). case x of [{y}]k in d<y>");
    assert_eq!(
        check,
        "c(k). c(x). [k = _5+, x = {y}_5-; y _5] d<y>. 0 else 0"
    );
}

#[test]
fn inputs_with_patterns_take_the_message_and_test_it() {
    assert_eq!(
        process("c(x, =A, _). d<x>"),
        "c(_2). [_2 = (x, A, _4); x _4] d<x>. 0 else 0"
    );
    assert_eq!(process("c(_). d<A>"), "c(_2). d<A>. 0");
    assert_eq!(
        process("c({x, =m}S(A)). d<x>"),
        "c(_2). [_2 = {x, m}S(A); x] d<x>. 0 else 0"
    );
    assert_eq!(
        process("c(k, {x}k, =H(x)). d<x>"),
        "c(_2). [_2 = (k, {x}k, H(x)); k x] d<x>. 0 else 0",
        "a later part uses what an earlier one bound"
    );
}

#[test]
fn an_inner_name_hides_an_outer_one() {
    assert_eq!(
        process("new n. c<n>. new n. c<n>"),
        "new n. c<n>. new n. c<n>. 0"
    );
    let store = TermStore::new();
    let text = "new n. c<n>. new n. c<n>";
    let (program, _) =
        system_from_process(DECLARATIONS, text, &store, TupleMode::Nested).expect("no errors");
    assert_ne!(program.sites[0].var, program.sites[1].var);
}

#[test]
fn two_files_on_one_store_share_their_public_names() {
    let store = TermStore::new();
    let one = sent(&store, "c<{m, A}K(B)+>", TupleMode::Nested);
    let two = sent(&store, "new x. d<{m, A}K(B)+>. d<x>", TupleMode::Nested);
    assert_eq!(one, two);
}

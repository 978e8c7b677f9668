//! What an editor gets while one writes: completion, repairs, semantic tokens, inlay hints, all claims at once, charts.

pub mod client;
mod repairs;

use client::{Client, MODEL, URI, at, edited, place};
use serde_json::{Value, json};

/// What is offered at the end of a text.
fn offered(client: &mut Client, text: &str) -> Vec<Value> {
    client.did_open(URI, text);
    let line = text.matches('\n').count();
    let last = text.rsplit('\n').next().unwrap_or("");
    let position = json!({ "line": line, "character": last.encode_utf16().count() });
    let items = client.ask("textDocument/completion", &at(&position));
    items.as_array().expect("a list").clone()
}

fn labels(items: &[Value]) -> Vec<&str> {
    items
        .iter()
        .map(|i| i["label"].as_str().expect("a label"))
        .collect()
}

fn named<'a>(items: &'a [Value], label: &str) -> &'a Value {
    let found = items.iter().find(|i| i["label"] == label);
    found.unwrap_or_else(|| panic!("no {label} in {:?}", labels(items)))
}

const HEAD: &str = "agent A, B: User\nspy C\nchannel net\nkeypair K(Agent)\nprivate k0: Sym\n\n\
    def Init(a: Agent, b: Agent) = new Na: Nonce. event Running(a, b, Na). net<{Na, a}K(b)+>\n\
    system S = Init(A, B)\n";

#[test]
fn completion_follows_the_place() {
    let mut client = Client::open();
    let mut at_end = |more: &str| offered(&mut client, &format!("{HEAD}{more}"));

    let items = at_end("");
    for word in [
        "agent",
        "def",
        "system",
        "secrecy",
        "agreement",
        "equivalence",
    ] {
        named(&items, word);
    }
    let skeleton = &named(&items, "secrecy")["insertText"];
    assert_eq!(
        skeleton, "secrecy ${1:Na} in ${2:S}",
        "names of the file are filled in"
    );

    let items = at_end("def Resp(b: ");
    assert!(
        labels(&items).starts_with(&["Agent", "Nonce"]),
        "{:?}",
        labels(&items)
    );
    named(&items, "User");

    // Names in scope, the nearest first, with their types; roles and steps where a step may stand.
    let items =
        at_end("def Resp(b: Agent, a: Agent) =\n  net({na: Nonce, =a}K(b)-). new Nb. net<{na, ");
    assert_eq!(named(&items, "Nb")["sortText"], "00000");
    assert_eq!(named(&items, "na")["detail"], "na: Nonce (received)");
    assert_eq!(named(&items, "b")["detail"], "b: Agent (parameter)");
    assert_eq!(named(&items, "K")["insertText"], "K(${1:Agent})");
    named(&items, "A");
    named(&items, "H");
    assert!(!labels(&items).contains(&"secrecy") && !labels(&items).contains(&"Na"));
    let items = at_end("def Resp(b: Agent) =\n  ");
    for word in ["new", "event", "case", "let", "net<>", "net()", "Init"] {
        named(&items, word);
    }

    let items = at_end("system T = Init(A, B) | ");
    let role = named(&items, "Init");
    assert_eq!(role["insertText"], "Init(${1:a}, ${2:b})");
    assert_eq!(role["detail"], "def Init(a: Agent, b: Agent)");

    assert_eq!(labels(&at_end("secrecy ")), ["Na", "k0"]);
    assert_eq!(labels(&at_end("secrecy Na in ")), ["S"]);
    assert_eq!(labels(&at_end("secrecy Na in S ")), ["expect"]);
    assert_eq!(
        labels(&at_end("secrecy Na in S expect ")),
        ["holds", "proof", "attack"]
    );
    let items = at_end("agreement ");
    assert_eq!(
        named(&items, "Running")["insertText"],
        "Running(${1:a}, ${2:b}, ${3:Na})"
    );
    assert_eq!(labels(&at_end("// agree")), [""; 0]);
    assert_eq!(
        labels(&at_end("agent ")),
        [""; 0],
        "a new name is nobody's business"
    );
    client.leave();
}

/// An editor that does not fill in places gets plain words.
#[test]
fn completion_without_snippets_is_plain() {
    let mut client = Client::start();
    client.initialize(&json!({}));
    let items = offered(&mut client, HEAD);
    assert_eq!(named(&items, "secrecy").get("insertText"), None);
    client.leave();
}

/// The titles of the repairs at a place, and the text after the first.
fn repaired(client: &mut Client, text: &str, what: &str) -> (Vec<String>, String) {
    client.did_open(URI, text);
    let start = place(text, what, 0, 0);
    let range = json!({ "start": start, "end": start });
    let params =
        json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
    let actions = client.ask("textDocument/codeAction", &params);
    let actions: Vec<&Value> = actions
        .as_array()
        .expect("a list")
        .iter()
        .filter(|a| a["kind"] == "quickfix")
        .collect();
    let titles = actions
        .iter()
        .map(|a| a["title"].as_str().expect("a title").to_owned());
    let titles: Vec<String> = titles.collect();
    let after = actions.first().map_or(text.to_owned(), |a| {
        edited(text, &a["edit"]["changes"][URI])
    });
    (titles, after)
}

#[test]
fn what_a_diagnostic_knows_to_mend_is_offered() {
    let mut client = Client::open();
    let cases = [
        ("net<{nb}K(b)+>", "net<{nbb}K(b)+>", "nbb", "write `nb`"),
        (
            "case x of {=Na, nb: Nonce}K(a)-",
            "case x of {=Na, nb: Nonce}K(a)+",
            "K(a)+ in",
            "write `K(a)-`",
        ),
        (
            "net(x). case x of {=Na",
            "net(x) case x of {=Na",
            " case x of {=Na",
            "insert `.`",
        ),
        ("channel net", "", "net<{Na", "declare `channel net`"),
        (
            "keypair K(Agent)",
            "",
            "K(b)+>",
            "declare `keypair K(Agent)`",
        ),
        ("K(b)+>.", "K(b)⁺>.", "⁺", "write `+`"),
        (
            "new Nb: Nonce.",
            "new Nb: Nonce, Nc: Nonce.",
            "Nc",
            "write `_Nc`",
        ),
        (
            "event Done(b, a, na)",
            "event Done(b, a, na).",
            "\n\nsystem",
            "remove `.`",
        ),
    ];
    for (old, new, at, title) in cases {
        assert!(MODEL.contains(old), "{old}");
        let wrong = MODEL.replacen(old, new, 1);
        let (titles, after) = repaired(&mut client, &wrong, at);
        assert_eq!(
            titles.first().map(String::as_str),
            Some(title),
            "{new}: {titles:?}"
        );
        client.did_open(URI, &after);
        let lenses = client.lenses();
        assert!(!lenses.is_empty(), "{title}: the file can be run\n{after}");
    }
    let (titles, _) = repaired(&mut client, MODEL, "net<");
    assert_eq!(titles, [""; 0], "nothing is wrong");
    client.leave();
}

#[test]
fn words_have_their_kinds() {
    let mut client = Client::start();
    let capabilities = client.initialize(&json!({}))["capabilities"].clone();
    let types = capabilities["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
    client.did_open(URI, MODEL);
    let params = json!({ "textDocument": { "uri": URI } });
    let tokens = client.ask("textDocument/semanticTokens/full", &params);
    let data: Vec<usize> = tokens["data"]
        .as_array()
        .expect("numbers")
        .iter()
        .map(|n| n.as_u64().expect("a number") as usize)
        .collect();
    let lines: Vec<&str> = MODEL.lines().collect();
    let (mut line, mut column) = (0, 0);
    let mut found: Vec<(String, String, usize)> = Vec::new();
    for token in data.chunks(5) {
        column = if token[0] == 0 {
            column + token[1]
        } else {
            token[1]
        };
        line += token[0];
        let word: String = lines[line].chars().skip(column).take(token[2]).collect();
        let kind = types[token[3]].as_str().expect("a type").to_owned();
        found.push((word, kind, token[4]));
    }
    let has = |word: &str, kind: &str, declared: usize| {
        let wanted = (word.to_owned(), kind.to_owned(), declared);
        assert!(found.contains(&wanted), "{wanted:?} in {found:?}");
    };
    has("agent", "keyword", 0);
    has("A", "enumMember", 1);
    has("A", "enumMember", 0);
    has("net", "property", 0);
    has("K", "class", 1);
    has("Init", "function", 1);
    has("Init", "function", 0);
    has("a", "parameter", 1);
    has("Na", "property", 1);
    has("nb", "variable", 0);
    has("Running", "event", 0);
    has("Nonce", "type", 0);
    has("NS", "namespace", 0);
    assert!(
        found
            .iter()
            .any(|(w, k, _)| k == "comment" && w.starts_with("//"))
    );
    client.leave();
}

#[test]
fn arguments_and_names_without_type_have_hints() {
    let text = "agent A, B\nchannel c\nkey K(Agent)\n\ndef P(a, n) = c<{n}K(a)>\n\nsystem S = P(A, B) | P(a, B)\n"
        .replace("P(a, B)", "P(B, A)");
    let mut client = Client::open();
    client.did_open(URI, &text);
    let whole =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let params = json!({ "textDocument": { "uri": URI }, "range": whole });
    let hints = client.ask("textDocument/inlayHint", &params);
    let hints = hints.as_array().expect("a list");
    let shown: Vec<(&str, &Value)> = hints
        .iter()
        .map(|h| (h["label"].as_str().expect("text"), &h["position"]))
        .collect();
    assert!(
        shown.contains(&(": Agent", &place(&text, "P(a", 0, 3))),
        "{shown:?}"
    );
    assert!(
        shown.contains(&("n:", &place(&text, "B) |", 0, 0))),
        "{shown:?}"
    );
    let needless = ("a:", &place(&text, "A, B) |", 0, 0));
    assert!(!shown.contains(&needless), "A is for a: {shown:?}");
    let typed = hints.iter().find(|h| h["kind"] == 1).expect("a type");
    let after = edited(&text, &typed["textEdits"]);
    assert!(after.contains("def P(a: Agent, n)"), "{after}");
    client.leave();
}

#[test]
fn all_claims_run_with_one_command_and_attacks_are_drawn() {
    let mut client = Client::with_charts();
    client.did_open(URI, MODEL);
    let lenses = client.lenses();
    let all = lenses
        .iter()
        .find(|l| l["command"]["command"] == "spi.runAll");
    let all = all.expect("a lens for all claims")["command"].clone();
    let params = json!({ "command": "spi.runAll", "arguments": all["arguments"] });
    assert_eq!(
        client.ask("workspace/executeCommand", &params)["started"],
        4
    );
    let done = loop {
        let titles = client.titles();
        let open = |t: &String| t == "check" || t.starts_with("running");
        if !titles.iter().any(open) {
            break titles;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    let attack = |t: &String| t.starts_with("attack (man in the middle)");
    assert!(done.iter().any(attack), "{done:?}");
    let charts = client.lenses();
    let charts: Vec<&Value> = charts
        .iter()
        .filter(|l| l["command"]["command"] == "spi.chart")
        .collect();
    assert!(!charts.is_empty(), "{done:?}");
    let command = &charts[0]["command"];
    let params = json!({ "command": "spi.chart", "arguments": command["arguments"] });
    let answer = client.ask("workspace/executeCommand", &params);
    let page = answer["page"].as_str().expect("a page");
    assert!(page.starts_with("<!doctype html>") && page.contains("secrecy Nb in NS"));
    let wrong = json!({ "command": "spi.runAll", "arguments": [] });
    assert!(
        client
            .refused("workspace/executeCommand", &wrong)
            .1
            .contains("uri")
    );
    client.leave();
}

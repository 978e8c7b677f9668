//! The language server from outside: a client that talks to the built program over its standard streams.

use crate::editor::client;
use client::{Client, MODEL, PATIENCE, URI, at, edited, place, whole};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The lenses of the model while nothing has been run.
const CHECKS: [&str; 5] = ["check", "check", "check", "check", "check all 4 claims"];

#[test]
fn a_whole_session() {
    let mut client = Client::open();

    // Mistakes, with their places, codes, explanations and help.
    let wrong = MODEL.replace("net<{nb}K(b)+>", "net<{nbb}K(b)+>");
    client.did_open(URI, &wrong);
    let found = client.diagnostics(1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["code"], "E0201");
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["range"]["start"], place(&wrong, "nbb", 0, 0));
    assert_eq!(found[0]["range"]["end"], place(&wrong, "nbb", 0, 3));
    let related = found[0]["relatedInformation"].to_string();
    assert!(related.contains("did you mean `nb`?") && related.contains("declared here"));
    assert_eq!(
        client.lenses(),
        Vec::<Value>::new(),
        "claims of a wrong file can't be run"
    );

    // Mended by a change of one character.
    let range = json!({ "start": place(&wrong, "nbb", 0, 1), "end": place(&wrong, "nbb", 0, 2) });
    client.did_change(2, &json!([{ "range": range, "text": "" }]));
    assert_eq!(client.diagnostics(2), Vec::<Value>::new());

    // Hover.
    let hover = |client: &mut Client, position: &Value| {
        let hover = client.ask("textDocument/hover", &at(position));
        hover["contents"]["value"].as_str().unwrap_or("").to_owned()
    };
    let fresh = hover(&mut client, &place(MODEL, "new Na", 0, 4));
    assert!(
        fresh.contains("new Na: Nonce") && fresh.contains("of `Init`"),
        "{fresh}"
    );
    assert!(fresh.contains("The attacker does not know it"), "{fresh}");
    let channel = hover(&mut client, &place(MODEL, "net<", 0, 1));
    assert!(channel.contains("channel net") && channel.contains("the attacker listens"));
    let key = hover(&mut client, &place(MODEL, "K(b)", 0, 0));
    assert!(
        key.contains("keypair K(Agent)") && key.contains("those of C"),
        "{key}"
    );
    let parameter = hover(&mut client, &place(MODEL, "b: Agent", 0, 0));
    assert!(
        parameter.contains("Instantiated with `B`, `C`"),
        "{parameter}"
    );
    let received = hover(&mut client, &place(MODEL, "nb: Nonce", 0, 0));
    assert!(received.contains("nb: Nonce") && received.contains("may have chosen it"));

    // Definition, references, highlights.
    let definition = client.ask(
        "textDocument/definition",
        &at(&place(MODEL, "Init(A, C)", 0, 2)),
    );
    assert_eq!(
        definition[0]["range"]["start"],
        place(MODEL, "def Init", 0, 4)
    );
    let secret = client.ask(
        "textDocument/definition",
        &at(&place(MODEL, "secrecy Nb", 0, 8)),
    );
    assert_eq!(secret[0]["range"]["start"], place(MODEL, "new Nb", 0, 4));
    let event = client.ask(
        "textDocument/definition",
        &at(&place(MODEL, "=> Running", 0, 4)),
    );
    assert_eq!(
        event[0]["range"]["start"],
        place(MODEL, "event Running", 0, 6)
    );
    let mut params = at(&place(MODEL, "new Nb", 0, 4));
    params["context"] = json!({ "includeDeclaration": true });
    let references = client.ask("textDocument/references", &params);
    assert_eq!(references.as_array().expect("a list").len(), 5);
    let highlights = client.ask(
        "textDocument/documentHighlight",
        &at(&place(MODEL, "new Nb", 0, 4)),
    );
    assert_eq!(highlights.as_array().expect("a list").len(), 5);

    // The outline.
    let params = json!({ "textDocument": { "uri": URI } });
    let outline = client.ask("textDocument/documentSymbol", &params);
    let names: Vec<&str> = outline
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|s| s["name"].as_str())
        .collect();
    assert!(
        names.starts_with(&["A", "B", "C", "net", "K", "Init", "Resp", "NS"]),
        "{names:?}"
    );

    // A claim is run, and its verdict is shown in place.
    assert_eq!(client.titles(), CHECKS);
    let run = client.lenses()[1]["command"].clone();
    let result = client.ask("workspace/executeCommand", &run);
    assert_eq!(result["verdict"], "attack (man in the middle)");
    client.wait("refresh", |m| m["method"] == "workspace/codeLens/refresh");
    let titles = client.titles();
    assert_eq!(
        titles[1],
        "attack (man in the middle); in Init(A, B) | Init(A, C) | Resp(B, A)"
    );
    assert_eq!(titles[2], "show");
    let text = hover(&mut client, &place(MODEL, "secrecy Nb", 0, 1));
    assert!(
        text.contains("C(A)") && text.contains("{Na, Nb}K(A)+"),
        "{text}"
    );
    let text = hover(&mut client, &place(MODEL, "new Nb", 0, 4));
    assert!(text.contains("`secrecy Nb in NS`: attack"), "{text}");
    let narrate = client.lenses()[2]["command"].clone();
    let narration = client.ask("workspace/executeCommand", &narrate);
    assert!(
        narration
            .as_str()
            .expect("a text")
            .contains("{Na, Nb}K(A)+")
    );
    client.wait("message", |m| m["method"] == "window/showMessage");

    // The same without lenses.
    let line = place(MODEL, "secrecy Na", 0, 0);
    let mut params = json!({ "textDocument": { "uri": URI }, "context": { "diagnostics": [] } });
    params["range"] = json!({ "start": line, "end": line });
    let actions = client.ask("textDocument/codeAction", &params);
    assert_eq!(actions[0]["command"], "spi.run");

    // New text, no verdicts.
    client.did_change(3, &whole(&format!("{MODEL}\n")));
    assert_eq!(client.titles(), CHECKS);
    let (_, why) = client.refused("workspace/executeCommand", &narrate);
    assert_eq!(why, "run the claim first");

    client.notify(
        "textDocument/didClose",
        &json!({ "textDocument": { "uri": URI } }),
    );
    client.wait("no diagnostics", |m| {
        m["method"] == "textDocument/publishDiagnostics" && m["params"].get("version").is_none()
    });
    client.leave();
}

#[test]
fn renaming_keeps_the_meaning_or_is_refused() {
    let mut client = Client::open();
    client.did_open(URI, MODEL);
    let rename = |what: &str, skip: usize, new: &str| {
        let mut params = at(&place(MODEL, what, 0, skip));
        params["newName"] = new.into();
        params
    };
    for (what, skip, new) in [
        ("new Nb", 4, "Nresp"),
        ("def Init", 4, "Initiator"),
        ("net<", 0, "c'"),
        ("event Running", 6, "Started"),
        ("nb: Nonce", 0, "answer"),
        ("agent A", 6, "Alice"),
        ("Done(b", 5, "responder"),
    ] {
        let params = rename(what, skip, new);
        let prepared = client.ask("textDocument/prepareRename", &params);
        let old = prepared["placeholder"].as_str().expect("a name").to_owned();
        let edit = client.ask("textDocument/rename", &params);
        let renamed = edited(MODEL, &edit["changes"][URI]);
        let count = |text: &str, word: &str| {
            text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'')
                .filter(|w| *w == word)
                .count()
        };
        assert!(count(&renamed, new) >= 2, "{old} -> {new}: {renamed}");
        client.did_open("file:///models/renamed.spi", &renamed);
        let clean = client.wait("diagnostics", |m| {
            m["method"] == "textDocument/publishDiagnostics"
                && m["params"]["uri"] == "file:///models/renamed.spi"
        });
        assert_eq!(clean["params"]["diagnostics"], json!([]), "{old} -> {new}");
    }
    for (what, skip, new, why) in [
        ("new Na", 4, "in", "keyword"),
        ("new Na", 4, "Nonce", "type"),
        ("new Na", 4, "N a", "not a name"),
        ("new Na", 4, "", "not a name"),
        ("new Na", 4, "ν", "keyword"),
        ("new Na", 4, "// Na", "not a name"),
        ("new Na", 4, "x", "would"),
        ("new Na", 4, "a", "can't be renamed"),
        ("new Na", 4, "A", "would hide"),
        ("agent A", 6, "B", "declared twice"),
        ("agent A", 6, "n", "can't be renamed"),
        ("// Needham", 4, "x", "no name"),
    ] {
        let (_, message) = client.refused("textDocument/rename", &rename(what, skip, new));
        assert!(message.contains(why), "{what} -> {new}: {message}");
    }
    client.did_change(2, &whole(&MODEL.replace("system NS =", "system NS")));
    let (_, message) = client.refused("textDocument/rename", &rename("new Na", 4, "Nz"));
    assert!(message.contains("mend"), "{message}");
    client.leave();
}

#[test]
fn a_run_can_be_cancelled_in_three_ways_and_blocks_nothing() {
    // No proof, as `m` is safe only because a run gives one of its two keys away and never both; and far more states than
    // can be explored while anybody waits.
    let model = "agent A, B
channel net
def P(a: Agent) = new m, k1, k2. net<{{m}k1}k2>. net(x). net(y).
  [x is (y, a)] net<k1>. net<{[x, a]}k1> else net<k2>. net<{[x, a]}k2>
system S = !9 P(A) | !9 P(B)
secrecy m in S
";
    let mut client = Client::open();
    client.did_open(URI, model);
    let run = client.lenses()[0]["command"].clone();

    // A second click.
    let first = client.request("workspace/executeCommand", &run);
    assert_eq!(client.titles()[0], "running: cancel");
    let hover = client.ask("textDocument/hover", &at(&place(model, "secrecy", 0, 0)));
    assert!(hover.to_string().contains("being checked"));
    let second = client.request("workspace/executeCommand", &run);
    for id in [first, second] {
        assert_eq!(client.response(id)["result"]["verdict"], "cancelled");
    }
    assert_eq!(client.titles()[0], "check");

    // The client's own way.
    let third = client.request("workspace/executeCommand", &run);
    client.notify("$/cancelRequest", &json!({ "id": third }));
    assert_eq!(client.response(third)["error"]["code"], -32800);
    assert_eq!(client.titles()[0], "check");

    // New text.
    let fourth = client.request("workspace/executeCommand", &run);
    client.did_change(2, &whole(MODEL));
    assert_eq!(client.response(fourth)["result"]["verdict"], "cancelled");

    // The claim of the new text is answered, by nobody else.
    let run = client.lenses()[0]["command"].clone();
    let result = client.ask("workspace/executeCommand", &run);
    assert_eq!(result["verdict"], "proved");
    client.leave();
}

/// Waits until no claim is being run: what was cancelled has stopped, not only been forgotten.
#[cfg(target_os = "linux")]
fn rest(client: &Client) {
    let tasks = format!("/proc/{}/task", client.child.id());
    let end = std::time::Instant::now() + PATIENCE;
    loop {
        let tasks = fs::read_dir(&tasks).expect("the threads of the server");
        let names = tasks.filter_map(|t| fs::read_to_string(t.ok()?.path().join("comm")).ok());
        if !names.into_iter().any(|n| n.trim() == "spi lsp claim") {
            return;
        }
        assert!(
            std::time::Instant::now() < end,
            "a claim is still being run"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_claim_about_thousands_of_threads_stops_when_it_is_cancelled() {
    let model = |copies: usize, claim: &str| {
        format!(
            "agent A
channel net
def P(a: Agent, z) = new m, k1, k2. net<{{{{m}}k1}}k2>. net(x). net(y).
  [x is (y, a)] net<k1>. net<{{[x, a]}}k1> else net<k2>. net<{{[x, z]}}k2>
system S = !{copies} !{copies} P(A, 0)
system T = !{copies} !{copies} P(A, 1)
{claim}
"
        )
    };
    // In the honest run, in the search, in a comparison; early and late.
    let cases = [(20, "secrecy m in S", 500), (50, "secrecy m in S", 100)];
    let more = [(50, "secrecy m in S", 1000), (20, "S ~ T", 500)];
    for (copies, claim, delay) in cases.into_iter().chain(more) {
        let model = model(copies, claim);
        let mut client = Client::open();
        client.did_open(URI, &model);
        let run = client.lenses()[0]["command"].clone();
        let later = || std::thread::sleep(Duration::from_millis(delay));

        let first = client.request("workspace/executeCommand", &run);
        later();
        let second = client.request("workspace/executeCommand", &run);
        for id in [first, second] {
            assert_eq!(client.response(id)["result"]["verdict"], "cancelled");
        }
        rest(&client);

        let third = client.request("workspace/executeCommand", &run);
        later();
        client.notify("$/cancelRequest", &json!({ "id": third }));
        assert_eq!(client.response(third)["error"]["code"], -32800);
        rest(&client);

        let fourth = client.request("workspace/executeCommand", &run);
        later();
        client.did_change(2, &whole(&format!("{model}\n// changed\n")));
        assert_eq!(client.response(fourth)["result"]["verdict"], "cancelled");
        rest(&client);
        client.leave();
    }
}

#[test]
fn no_message_has_blanks_that_are_none() {
    // A client without lenses gets verdicts as diagnostics.
    for lenses in [true, false] {
        let capabilities = if lenses {
            json!({ "textDocument": { "codeLens": {} } })
        } else {
            json!({})
        };
        let mut client = Client::start();
        client.initialize(&capabilities);
        client.did_open(URI, MODEL);
        let run = client.lenses()[0]["command"].clone();
        let mut said = vec![client.ask("workspace/executeCommand", &run)];
        let hover = at(&place(MODEL, "secrecy", 0, 0));
        said.push(client.ask("textDocument/hover", &hover));
        said.extend(client.lenses());
        if !lenses {
            let verdict = client.wait("a verdict", |m| {
                m["params"]["diagnostics"].to_string().contains("secrecy")
            });
            said.push(verdict);
        }
        for message in said {
            assert!(!message.to_string().contains('\u{a0}'), "{message}");
        }
        client.leave();
    }
}

#[test]
fn formatting_is_that_of_spi_fmt_and_leaves_wrong_files_alone() {
    let mut client = Client::open();
    let messy = MODEL
        .replace("net(x). case x of {=Na,", "net( x ) .   case x of {=Na,")
        .replace("system NS = Init", "system NS=Init");
    client.did_open(URI, &messy);
    let params = json!({
        "textDocument": { "uri": URI },
        "options": { "tabSize": 8, "insertSpaces": false },
    });
    let edits = client.ask("textDocument/formatting", &params);
    assert_eq!(edited(&messy, &edits), MODEL);
    let before = edits[0]["range"]["start"]["line"].as_u64();
    assert!(before > Some(20), "the first lines stay: {edits}");
    client.did_change(2, &whole(MODEL));
    assert_eq!(client.ask("textDocument/formatting", &params), json!([]));
    client.did_change(3, &whole("agent agent"));
    assert_eq!(client.ask("textDocument/formatting", &params), json!([]));
    client.leave();
}

#[test]
fn positions_count_utf_16_code_units() {
    let text = "/* 𝒩ν */ agent A /* 𝒩 */, A\r\nchannel c\r\nsystem S = /* 𝒩 */ c<d>\r\n";
    let mut client = Client::open();
    client.did_open(URI, text);
    let found = client.diagnostics(1);
    let starts: Vec<&Value> = found.iter().map(|d| &d["range"]["start"]).collect();
    assert_eq!(found[0]["code"], "E0202");
    assert_eq!(*starts[0], json!({ "line": 0, "character": 28 }));
    assert_eq!(*starts[1], json!({ "line": 2, "character": 22 }));
    let hover = client.ask(
        "textDocument/hover",
        &at(&json!({ "line": 2, "character": 20 })),
    );
    assert!(hover.to_string().contains("channel c"), "{hover}");
    // Beyond the line, beyond the text, in the middle of a character.
    for (line, character) in [(0, 9999), (9999, 0), (0, 4), (u32::MAX, u32::MAX)] {
        let position = json!({ "line": line, "character": character });
        client.ask("textDocument/hover", &at(&position));
    }
    client.leave();
}

#[test]
fn an_editor_without_lenses_and_places_is_told_everything_in_diagnostics() {
    let mut client = Client::start();
    client.initialize(&json!({}));
    client.did_open(URI, &MODEL.replace("net<{nb}K(b)+>", "net<{nbb}K(b)+>"));
    let message = client.diagnostics(1)[0]["message"].to_string();
    assert!(message.contains("did you mean `nb`?"), "{message}");
    client.did_change(
        2,
        &whole(&MODEL.replace("Nb in NS expect attack", "Nb in NS expect holds")),
    );
    assert_eq!(client.diagnostics(2), Vec::<Value>::new());
    let run = client.lenses()[1]["command"].clone();
    client.ask("workspace/executeCommand", &run);
    let verdict = client.diagnostics(2);
    assert_eq!(verdict[0]["severity"], 2, "not as expected");
    assert!(
        verdict[0]["message"]
            .to_string()
            .contains("attack (man in the middle")
    );
    client.leave();
}

#[test]
fn the_order_of_the_protocol_is_kept() {
    let mut client = Client::start();
    let (code, _) = client.refused("textDocument/hover", &at(&json!({})));
    assert_eq!(code, -32002);
    client.did_open(URI, MODEL);
    client.initialize(&json!({}));
    assert_eq!(client.refused("initialize", &json!({})).0, -32600);
    assert_eq!(
        client.refused("textDocument/nonsense", &json!({})).0,
        -32601
    );
    assert_eq!(
        client
            .refused("textDocument/hover", &json!({ "position": 3 }))
            .0,
        -32602
    );
    // What was opened too early is not open.
    let (code, why) = client.refused(
        "textDocument/hover",
        &at(&json!({ "line": 0, "character": 0 })),
    );
    assert_eq!(
        (code, &*why),
        (-32602, "the document `file:///models/ns.spi` is not open")
    );
    assert_eq!(
        client
            .refused("workspace/executeCommand", &json!({ "command": "rm" }))
            .0,
        -32602
    );
    client.ask("shutdown", &Value::Null);
    assert_eq!(client.refused("shutdown", &Value::Null).0, -32600);
    client.notify("exit", &Value::Null);
    assert_eq!(client.end(), (Some(0), String::new()));

    let mut client = Client::open();
    client.notify("exit", &Value::Null);
    assert_eq!(client.end().0, Some(1), "without shutdown");
    assert_eq!(Client::open().end().0, Some(1), "the client is gone");
}

#[test]
fn what_is_no_message_is_answered_and_skipped() {
    let mut client = Client::open();
    for (bytes, code) in [
        ("Content-Length: 5\r\n\r\n{\"a\":", -32700),
        ("Content-Length: 4\r\n\r\n\"\u{80}\"", -32600),
        ("Content-Length: many\r\n\r\n", -32700),
        ("Content-Length: 2\r\n\r\n[]", -32600),
        ("Content-Length: 4\r\n\r\nnull", -32600),
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", -32700),
        (
            "Content-Length: 23\r\n\r\n{\"id\":{},\"method\":\"a\"}  ",
            -32600,
        ),
    ] {
        client.write(bytes.as_bytes());
        let answer = client.wait("answer", |m| m["id"].is_null() && m.get("error").is_some());
        assert_eq!(answer["error"]["code"], code, "{bytes}");
    }
    client.write(b"Content-Length: 3\r\n\r\n\"\xff\"");
    client.wait("answer", |m| m["id"].is_null());
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    client.write(format!("Content-Length: {}\r\n\r\n{deep}", deep.len()).as_bytes());
    client.wait("answer", |m| m["id"].is_null());
    // Answers to requests that nobody made, and notifications that nobody knows.
    client.send(&json!({ "jsonrpc": "2.0", "id": 77, "result": null }));
    client.send(&json!({ "jsonrpc": "2.0", "id": "spi-1", "error": { "code": 1, "message": "" } }));
    client.notify("$/unknown", &json!([]));
    client.notify("textDocument/didOpen", &json!({ "textDocument": 7 }));
    client.notify("textDocument/didChange", &json!(null));
    client.did_open("file:///%ff%fe%00/%.spi", MODEL);
    client.did_open("", "agent");
    client.did_open(URI, MODEL);
    assert_eq!(client.titles().len(), CHECKS.len());
    client.leave();
}

#[test]
fn large_and_strange_texts_are_answered() {
    let mut client = Client::open();
    let long = format!(
        "agent A // {}\nchannel c\nsystem S = {}0\n",
        "x".repeat(1 << 20),
        "c<A>. ".repeat(20_000)
    );
    for (version, text) in (2..).zip([
        String::new(),
        "\u{feff}agent A".to_owned(),
        "\0\u{1}\u{2}".repeat(1000),
        "(".repeat(100_000),
        "agent A, ".repeat(50_000),
        long,
        "ν⟨𝒩⟩ ".repeat(10_000),
    ]) {
        if version == 2 {
            client.did_open(URI, "");
        }
        client.did_change(version, &whole(&text));
        let found = client.diagnostics(version);
        assert!(found.len() <= 101, "{}", found.len());
        client.titles();
        for position in [
            json!({ "line": 0, "character": 3 }),
            json!({ "line": 2, "character": 40_000 }),
        ] {
            client.ask("textDocument/hover", &at(&position));
            client.ask("textDocument/definition", &at(&position));
        }
        let params = json!({ "textDocument": { "uri": URI } });
        client.ask("textDocument/documentSymbol", &params);
    }
    client.leave();
}

#[test]
fn no_edit_brings_the_server_down() {
    let mut client = Client::open();
    client.did_open(URI, MODEL);
    // A simple generator: the same edits in every run.
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let pieces = [
        "",
        "\n",
        "{",
        "}",
        "new ",
        "𝒩",
        " ν",
        "(",
        ")",
        "secrecy Na in NS",
        "a",
        "'",
        "/*",
        "\r",
    ];
    for round in 0..150 {
        let start = json!({ "line": random(50), "character": random(60) });
        let mut end = start.clone();
        end["character"] = (end["character"].as_u64().unwrap_or(0) + random(4)).into();
        let piece = pieces[usize::try_from(random(pieces.len() as u64)).expect("small")];
        let change = json!([{ "range": { "start": start, "end": end }, "text": piece }]);
        client.did_change(i64::from(round) + 2, &change);
        let mut params = at(&json!({ "line": random(50), "character": random(60) }));
        client.ask("textDocument/hover", &params);
        client.ask("textDocument/definition", &params);
        client.titles();
        params["newName"] = "renamed".into();
        let id = client.request("textDocument/rename", &params);
        client.response(id);
        if round % 10 == 9 {
            client.did_change(i64::from(round) + 2, &whole(MODEL));
        }
    }
    client.leave();
}

#[test]
fn the_grammar_for_editors_has_the_keywords_and_types_of_the_language() {
    use spi::lang::syntax::ast::Type;
    use spi::lang::syntax::token::Token;
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs/editors/vscode/syntaxes/spi.tmLanguage.json");
    let text = fs::read_to_string(path).expect("the grammar");
    let grammar: Value = serde_json::from_str(&text).expect("JSON");
    let words = |pattern: &Value| -> Vec<String> {
        let pattern = pattern["match"].as_str().expect("a pattern");
        let start = pattern.find(")(?:").expect("a list") + 4;
        let list = &pattern[start..start + pattern[start..].find(')').expect("its end")];
        list.split('|').map(str::to_owned).collect()
    };
    let keywords = grammar["repository"]["keywords"]["patterns"].as_array();
    let mut listed: Vec<String> = keywords.expect("a list").iter().flat_map(words).collect();
    let mut known: Vec<String> = Token::KEYWORDS
        .iter()
        .map(|(k, _)| (*k).to_owned())
        .collect();
    listed.sort();
    known.sort();
    assert_eq!(listed, known);
    let types = Type::ALL.map(|t| t.as_str().to_owned());
    assert_eq!(words(&grammar["repository"]["types"]), types);

    let editors = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/editors");
    let vim = fs::read_to_string(editors.join("vim/syntax/spi.vim")).expect("the syntax file");
    let has = |word: &str| vim.split_whitespace().any(|w| w == word);
    for word in known.iter().chain(&types) {
        assert!(has(word), "docs/editors/vim/syntax/spi.vim lacks {word}");
    }
    let tree = fs::read_to_string(editors.join("tree-sitter/grammar.js")).expect("the grammar");
    // `if` and `then` are words of other notations, and reserved for a better message.
    for word in known.iter().filter(|w| !matches!(&***w, "if" | "then")) {
        let quoted = format!("\"{word}\"");
        assert!(
            tree.contains(&quoted),
            "docs/editors/tree-sitter/grammar.js lacks {word}"
        );
    }
}

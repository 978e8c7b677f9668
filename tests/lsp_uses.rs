//! The language server on functions, destructors, and texts that use other files.

use crate::editor::client;
use client::{Client, place, whole};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

const ROLES: &str = "use \"keys.spi\"
channel net
function box(Msg, Sym): Data
destructor open(box(x, k), k) = x
def Init(a: Agent, b: Agent) = new m: Data. net<box(m, S(a, b))>
";

const KEYS: &str = "key S(Agent, Agent)\n";

const MODEL: &str = "use \"roles.spi\", mac
agent A, B
def Resp(b: Agent, a: Agent) =
  net(c: Data).
  let x = open(c, S(a, b)) in
  new k.
  net<box(x, k)>
function own(Msg, Sym): Data
destructor undo(own(y, k), k) = y
destructor whose(own(y, k), y) = k
system T = Init(A, B) | Resp(B, A)
secrecy m in T
";

struct Desk {
    folder: TempDir,
    client: Client,
}

impl Desk {
    fn new() -> Desk {
        let folder = TempDir::new().expect("a folder");
        for (name, text) in [("roles.spi", ROLES), ("keys.spi", KEYS)] {
            fs::write(folder.path().join(name), text).expect("written");
        }
        let client = Client::open();
        Desk { folder, client }
    }

    fn uri(&self, name: &str) -> String {
        let folder = self.folder.path().canonicalize().expect("it is there");
        format!("file://{}", folder.join(name).display())
    }

    /// What is wrong with a text, by the next report about it.
    fn complaints(&mut self, name: &str) -> Vec<Value> {
        let uri = self.uri(name);
        let message = self.client.wait("diagnostics", |m| {
            m["method"] == "textDocument/publishDiagnostics" && m["params"]["uri"] == *uri
        });
        let list = message["params"]["diagnostics"].as_array();
        list.expect("a list").clone()
    }

    fn at(&self, what: &str, n: usize, skip: usize) -> Value {
        let uri = self.uri("m.spi");
        json!({ "textDocument": { "uri": uri }, "position": place(MODEL, what, n, skip) })
    }

    fn hover(&mut self, what: &str, n: usize, skip: usize) -> String {
        let params = self.at(what, n, skip);
        let hover = self.client.ask("textDocument/hover", &params);
        hover["contents"]["value"].as_str().unwrap_or("").to_owned()
    }

    fn labels(&mut self, text: &str) -> Vec<String> {
        let uri = self.uri("typing.spi");
        self.client.did_open(&uri, text);
        self.complaints("typing.spi");
        let position = place(&format!("{text}|"), "|", 0, 0);
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        let items = self.client.ask("textDocument/completion", &params);
        let items = items.as_array().expect("a list");
        let label = |i: &Value| i["label"].as_str().expect("a label").to_owned();
        items.iter().map(label).collect()
    }
}

#[test]
fn names_of_used_files_lead_there() {
    let mut desk = Desk::new();
    let uri = desk.uri("m.spi");
    desk.client.did_open(&uri, MODEL);
    assert_eq!(desk.complaints("m.spi"), Vec::<Value>::new());

    let open = desk.hover("open(c", 0, 1);
    assert!(open.contains("destructor open(box(x, k), k) = x"), "{open}");
    let file = desk.hover("\"roles.spi\"", 0, 2);
    assert!(file.contains("`box`") && file.contains("`S`"), "{file}");
    let library = desk.hover("mac", 0, 1);
    assert!(library.contains("function mac(Msg"), "{library}");
    let own = desk.hover("undo(own", 0, 1);
    assert!(own.contains("destructor undo(own(y, k), k) = y"), "{own}");

    let role = desk.at("Init(A", 0, 1);
    let found = desk.client.ask("textDocument/definition", &role);
    assert_eq!(found[0]["uri"], desk.uri("roles.spi"), "{found}");
    assert_eq!(found[0]["range"]["start"], place(ROLES, "Init", 0, 0));
    let path = desk.at("\"roles.spi\"", 0, 3);
    let found = desk.client.ask("textDocument/definition", &path);
    assert_eq!(found[0]["uri"], desk.uri("roles.spi"), "{found}");

    // A name of another file is renamed there; one of this file across its rules.
    let mut params = desk.at("box(x", 0, 1);
    params["newName"] = json!("crate");
    let (_, said) = desk.client.refused("textDocument/rename", &params);
    assert!(
        said.contains("roles.spi") && said.contains("rename it there"),
        "{said}"
    );
    let mut params = desk.at("own(Msg", 0, 1);
    params["newName"] = json!("mine");
    let edits = desk.client.ask("textDocument/rename", &params);
    let edits = edits["changes"][&uri].as_array().expect("edits").len();
    assert_eq!(edits, 3, "the declaration and both rules");

    // The type that a function wants is a hint; paths have a colour of their own.
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let params = json!({ "textDocument": { "uri": uri }, "range": range });
    let hints = desk
        .client
        .ask("textDocument/inlayHint", &params)
        .to_string();
    assert!(hints.contains(": Sym"), "{hints}");
    let params = json!({ "textDocument": { "uri": uri } });
    let tokens = desk.client.ask("textDocument/semanticTokens/full", &params);
    let data = tokens["data"].as_array().expect("numbers");
    let numbers: Vec<u64> = data.iter().filter_map(Value::as_u64).collect();
    assert_eq!(
        numbers[5..10],
        [0, 4, 11, 13, 0],
        "`\"roles.spi\"` is a text"
    );
    desk.client.leave();
}

#[test]
fn unsaved_texts_are_used_as_they_stand() {
    let mut desk = Desk::new();
    let (model, roles) = (desk.uri("m.spi"), desk.uri("roles.spi"));
    desk.client.did_open(&model, MODEL);
    assert_eq!(desk.complaints("m.spi"), Vec::<Value>::new());
    desk.client.did_open(
        &roles,
        &ROLES.replace("box(m, S(a, b))", "box(mm, S(a, b))"),
    );
    let found = desk.complaints("m.spi");
    assert_eq!(found.len(), 1, "{found:?}");
    let message = found[0]["message"].as_str().expect("a text");
    assert!(
        message.contains("roles.spi, line 5: unknown name `mm`"),
        "{message}"
    );
    assert_eq!(
        found[0]["range"]["start"],
        place(MODEL, "\"roles.spi\"", 0, 0)
    );
    let related = &found[0]["relatedInformation"];
    assert!(related.to_string().contains(&roles), "{related}");
    let document = json!({ "uri": roles, "version": 2 });
    let params = json!({ "textDocument": document, "contentChanges": whole(ROLES) });
    desk.client.notify("textDocument/didChange", &params);
    assert_eq!(desk.complaints("m.spi"), Vec::<Value>::new());
    // What lies on disk counts again once it is closed, and when it is saved by others.
    let wrong = ROLES.replace("channel net", "channel nett");
    fs::write(desk.folder.path().join("roles.spi"), wrong).expect("written");
    let params = json!({ "textDocument": { "uri": roles } });
    desk.client.notify("textDocument/didClose", &params);
    assert!(!desk.complaints("m.spi").is_empty());
    fs::write(desk.folder.path().join("roles.spi"), ROLES).expect("written");
    desk.client.notify("textDocument/didSave", &params);
    assert_eq!(desk.complaints("m.spi"), Vec::<Value>::new());
    desk.client.leave();
}

#[test]
fn libraries_functions_and_destructors_are_completed() {
    let mut desk = Desk::new();
    let labels = desk.labels("use aead, ");
    assert!(labels.contains(&"kdf".to_owned()), "{labels:?}");
    let text = "use \"roles.spi\", mac\nprivate function seal(Msg)\ndef P(x) = net<";
    let labels = desk.labels(text);
    for name in ["open", "box", "mac", "seal", "S", "x"] {
        assert!(labels.contains(&name.to_owned()), "{name}: {labels:?}");
    }
    let labels = desk.labels("use \"roles.spi\"\ndestructor again(");
    assert_eq!(labels, ["box"]);
    let labels = desk.labels("function f(");
    assert!(labels.contains(&"Sym".to_owned()), "{labels:?}");
    let labels = desk.labels("");
    for word in ["use", "function", "destructor"] {
        assert!(labels.contains(&word.to_owned()), "{labels:?}");
    }
    desk.client.leave();
}

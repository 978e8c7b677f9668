//! A client of the language server: it starts the built program and talks to it over its standard streams.

// Not every test that has a client uses all of it.
#![allow(dead_code)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A debug build on a busy machine may take this long for an answer.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub const MODEL: &str = include_str!("../../protocols/ns.spi");
pub const URI: &str = "file:///models/ns.spi";

pub struct Client {
    pub child: Child,
    pub input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that came while another one was waited for.
    pub kept: Vec<Value>,
    next: i64,
}

impl Client {
    /// A server, before `initialize`.
    pub fn start() -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_spi"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let output = child.stdout.take().expect("a pipe");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Client {
            input: child.stdin.take(),
            child,
            messages,
            kept: Vec::new(),
            next: 0,
        }
    }

    /// A session with an editor that can do everything.
    pub fn open() -> Client {
        let mut client = Client::start();
        client.initialize(&json!({
            "workspace": { "codeLens": { "refreshSupport": true } },
            "textDocument": {
                "codeLens": {},
                "publishDiagnostics": { "relatedInformation": true },
                "completion": { "completionItem": { "snippetSupport": true } },
            },
        }));
        client
    }

    pub fn initialize(&mut self, capabilities: &Value) -> Value {
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities });
        let result = self.ask("initialize", &params);
        self.notify("initialized", &json!({}));
        result
    }

    /// A session with an editor that shows pages.
    pub fn with_charts() -> Client {
        let mut client = Client::start();
        let capabilities = json!({ "textDocument": { "codeLens": {} } });
        let options = json!({ "charts": true, "narrations": true });
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities,
                             "initializationOptions": options });
        client.ask("initialize", &params);
        client.notify("initialized", &json!({}));
        client
    }

    pub fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the pipe is open");
        input.write_all(bytes).expect("the server reads");
        input.flush().expect("the server reads");
    }

    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its number.
    pub fn request(&mut self, method: &str, params: &Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The first message, now or later, of which this is true.
    pub fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(i) = self.kept.iter().position(&wanted) {
            return self.kept.remove(i);
        }
        loop {
            let Ok(message) = self.messages.recv_timeout(PATIENCE) else {
                panic!("no {what}; kept: {:?}", self.kept);
            };
            if wanted(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    pub fn response(&mut self, id: i64) -> Value {
        self.wait(&format!("response {id}"), |m| {
            m["id"] == id && m.get("method").is_none()
        })
    }

    /// Asks and returns the result.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        let response = self.response(id);
        assert_eq!(response.get("error"), None, "{method}");
        response["result"].clone()
    }

    /// Asks and returns the code of the error with its message.
    pub fn refused(&mut self, method: &str, params: &Value) -> (i64, String) {
        let id = self.request(method, params);
        let response = self.response(id);
        let error = &response["error"];
        let code = error["code"].as_i64();
        let code = code.unwrap_or_else(|| panic!("{method}: {response}"));
        (code, error["message"].as_str().expect("a text").to_owned())
    }

    pub fn diagnostics(&mut self, version: i64) -> Vec<Value> {
        let message = self.wait("diagnostics", |m| {
            m["method"] == "textDocument/publishDiagnostics" && m["params"]["version"] == version
        });
        let list = message["params"]["diagnostics"].as_array();
        list.expect("a list").clone()
    }

    pub fn did_open(&mut self, uri: &str, text: &str) {
        let item = json!({ "uri": uri, "languageId": "spi", "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": item }));
    }

    pub fn did_change(&mut self, version: i64, changes: &Value) {
        let document = json!({ "uri": URI, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", &params);
    }

    pub fn lenses(&mut self) -> Vec<Value> {
        let params = json!({ "textDocument": { "uri": URI } });
        let lenses = self.ask("textDocument/codeLens", &params);
        lenses.as_array().expect("a list").clone()
    }

    pub fn titles(&mut self) -> Vec<String> {
        let title = |l: &Value| l["command"]["title"].as_str().expect("a title").to_owned();
        self.lenses().iter().map(title).collect()
    }

    /// Leaves in order; the server must have said nothing on standard error.
    pub fn leave(mut self) {
        assert_eq!(self.ask("shutdown", &Value::Null), Value::Null);
        self.notify("exit", &Value::Null);
        let (code, said) = self.end();
        assert_eq!((code, &*said), (Some(0), ""));
    }

    /// Waits for the end of the server: its exit code, and what it said on standard error.
    pub fn end(mut self) -> (Option<i32>, String) {
        self.input = None;
        let status = self.child.wait().expect("it ends");
        let mut said = String::new();
        let mut stderr = self.child.stderr.take().expect("a pipe");
        stderr.read_to_string(&mut said).expect("text");
        (status.code(), said)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(n) => length = Some(n.parse().ok()?),
            None if line.trim_end().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length?];
    input.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// The position of the `n`th occurrence of a text, `skip` characters into it.
pub fn place(text: &str, what: &str, n: usize, skip: usize) -> Value {
    let (at, _) = text.match_indices(what).nth(n).expect("it occurs");
    let before = &text[..at + skip];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    json!({ "line": line, "character": before[start..].encode_utf16().count() })
}

pub fn at(position: &Value) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": position })
}

pub fn whole(text: &str) -> Value {
    json!([{ "text": text }])
}

/// Applies edits, which must not overlap.
pub fn edited(text: &str, edits: &Value) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let offset = |p: &Value| {
        let number =
            |name: &str| usize::try_from(p[name].as_u64().expect("a number")).expect("small");
        let (line, column) = (number("line"), number("character"));
        let start: usize = lines[..line].iter().map(|l| l.len()).sum();
        let rest = lines.get(line).copied().unwrap_or("");
        let mut units = 0;
        let skipped = rest.chars().take_while(|c| {
            units += c.len_utf16();
            units <= column
        });
        start + skipped.map(char::len_utf8).sum::<usize>()
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .expect("a list")
        .iter()
        .map(|e| {
            let (start, end) = (offset(&e["range"]["start"]), offset(&e["range"]["end"]));
            (start, end, e["newText"].as_str().expect("a text"))
        })
        .collect();
    edits.sort_unstable();
    let mut out = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

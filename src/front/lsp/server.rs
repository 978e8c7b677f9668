//! The session: its phases, the requests and notifications allowed in each, and the answers.

use gen_lsp_types::json_rpc::{Error, Id, RequestObject, ResponseObject};
use gen_lsp_types::{
    CancelParams, CodeLensRefreshRequest, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, ErrorCodes, InitializeRequest, LspErrorCodes, LspNotificationMethod,
    LspRequestMethod, MessageType, Notification, PublishDiagnosticsNotification,
    PublishDiagnosticsParams, Request, ShowMessageNotification, ShowMessageParams, ShutdownRequest,
    Uri,
};
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};

use super::document::{Document, Run};
use super::frames::{self, Incoming};
use super::job::Outcome;
use super::options::Options;
use super::{capabilities, diagnostics};
use crate::base::source::Unsaved;

/// An event.
pub(super) enum Event {
    /// A message of the client.
    Incoming(Incoming),
    /// The client is gone.
    End,
    /// A run has ended.
    Finished {
        /// The number of the run.
        number: u64,
        /// The document.
        uri: String,
        /// The number of the claim.
        claim: usize,
        /// What it established.
        outcome: Box<Outcome>,
    },
}

/// The phase of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    New,
    /// Requests are answered.
    Open,
    /// After `shutdown`.
    Closed,
}

/// A session.
pub(super) struct Server<'w> {
    out: &'w mut dyn Write,
    pub(super) sender: Sender<Event>,
    pub(super) documents: FxHashMap<String, Document>,
    pub(super) options: Options,
    /// Runs and requests so far, for their numbers.
    pub(super) count: u64,
    phase: Phase,
}

/// Why a request is not answered.
pub(super) fn refusal(code: impl Into<i32>, message: impl Into<String>) -> Error {
    Error {
        code: ErrorCodes::from(code.into()),
        message: message.into(),
        data: None,
    }
}

/// A request that was understood and can't be fulfilled.
pub(super) fn failed(message: impl Into<String>) -> Error {
    refusal(LspErrorCodes::RequestFailed, message)
}

impl<'w> Server<'w> {
    /// A session that writes to `out`; `sender` is for what happens beside it.
    pub(super) fn new(out: &'w mut dyn Write, sender: Sender<Event>) -> Self {
        Server {
            out,
            sender,
            documents: FxHashMap::default(),
            options: Options::default(),
            count: 0,
            phase: Phase::New,
        }
    }

    /// Serves until the client leaves; returns whether it left in order.
    pub(super) fn run(mut self, events: &Receiver<Event>) -> io::Result<bool> {
        loop {
            let event = match events.try_recv() {
                Ok(event) => event,
                Err(TryRecvError::Empty) => {
                    // The queue is empty: check the text that was typed, and publish its
                    // diagnostics.
                    self.publish()?;
                    let Ok(event) = events.recv() else { break };
                    event
                }
                Err(TryRecvError::Disconnected) => break,
            };
            match event {
                Event::Incoming(Incoming::Message(value)) => {
                    if self.message(value)? {
                        break;
                    }
                }
                Event::Incoming(Incoming::Malformed(code, text)) => {
                    self.respond_error(Id::Null, refusal(code, text))?;
                }
                Event::Finished {
                    number,
                    uri,
                    claim,
                    outcome,
                } => self.finished(number, &uri, claim, *outcome)?,
                Event::End => break,
            }
        }
        for document in self.documents.values_mut() {
            document.cancel();
        }
        Ok(self.phase == Phase::Closed)
    }

    /// Handles a message. Returns whether it was the last.
    fn message(&mut self, value: Value) -> io::Result<bool> {
        let is_call = value.get("method").is_some();
        let id = value.get("id").cloned();
        match serde_json::from_value::<RequestObject>(value) {
            Ok(call) => {
                let (method, id, params) = call.into_parts();
                let params = params.unwrap_or(Value::Null);
                match id {
                    Some(id) => self.request(&method, id, params).map(|()| false),
                    None => self.notification(&method, params),
                }
            }
            // The answer to a request of ours: none of them needs one.
            Err(_) if !is_call && id.is_some() => Ok(false),
            Err(error) => {
                let id = id.and_then(|id| serde_json::from_value(id).ok());
                let text = format!("not a JSON-RPC message: {error}");
                let error = refusal(ErrorCodes::InvalidRequest, text);
                self.respond_error(id.unwrap_or(Id::Null), error)?;
                Ok(false)
            }
        }
    }

    fn request(&mut self, method: &str, id: Id, params: Value) -> io::Result<()> {
        // A message without a method that has an id is an answer to a request of ours.
        if method.is_empty() {
            return Ok(());
        }
        let known = LspRequestMethod::from(method);
        match (self.phase, known) {
            (Phase::New, LspRequestMethod::Initialize) => {
                self.options = Options::new(&params);
                self.phase = Phase::Open;
                self.respond::<InitializeRequest>(id, capabilities::result())
            }
            (Phase::New, _) => {
                let error = refusal(ErrorCodes::ServerNotInitialized, "`initialize` comes first");
                self.respond_error(id, error)
            }
            (Phase::Closed, _) => {
                let error = refusal(ErrorCodes::InvalidRequest, "after `shutdown` comes `exit`");
                self.respond_error(id, error)
            }
            (Phase::Open, LspRequestMethod::Initialize) => {
                let error = refusal(ErrorCodes::InvalidRequest, "`initialize` comes once");
                self.respond_error(id, error)
            }
            (Phase::Open, LspRequestMethod::Shutdown) => {
                self.phase = Phase::Closed;
                let uris: Vec<String> = self.documents.keys().cloned().collect();
                for uri in uris {
                    self.cancel_all(&uri)?;
                }
                self.respond::<ShutdownRequest>(id, ())
            }
            (Phase::Open, known) => {
                let again = id.clone();
                // A bug costs one answer, not the session. The panic prints its message.
                let answered = catch_unwind(AssertUnwindSafe(|| self.question(known, id, params)));
                answered.unwrap_or_else(|_| {
                    let text = "internal error: this is a mistake in spi, please report it";
                    self.respond_error(again, refusal(ErrorCodes::InternalError, text))
                })
            }
        }
    }

    /// Handles a notification. Returns whether it was the last message.
    fn notification(&mut self, method: &str, params: Value) -> io::Result<bool> {
        let known = LspNotificationMethod::from(method);
        if known == LspNotificationMethod::Exit {
            return Ok(true);
        }
        if self.phase != Phase::Open {
            return Ok(false);
        }
        // A notification has no answer, so one that can't be read is passed over.
        match known {
            LspNotificationMethod::TextDocumentDidOpen => {
                if let Some(p) = read::<DidOpenTextDocumentParams>(params) {
                    let item = p.text_document;
                    let uri = item.uri.0;
                    self.cancel_all(&uri)?;
                    let document = Document::new(&uri, item.version, item.text);
                    self.documents.insert(uri, document);
                    self.others_changed()?;
                }
            }
            LspNotificationMethod::TextDocumentDidChange => {
                if let Some(p) = read::<DidChangeTextDocumentParams>(params) {
                    let uri = p.text_document.text_document_identifier.uri.0;
                    let version = p.text_document.version;
                    if let Some(document) = self.documents.get_mut(&uri) {
                        let waiting = document.change(version, p.content_changes);
                        self.release(waiting)?;
                        self.others_changed()?;
                    }
                }
            }
            LspNotificationMethod::TextDocumentDidClose => {
                if let Some(p) = read::<DidCloseTextDocumentParams>(params) {
                    let uri = p.text_document.uri;
                    self.cancel_all(&uri.0)?;
                    if self.documents.remove(&uri.0).is_some() {
                        self.send_diagnostics(uri, None, Vec::new())?;
                        self.others_changed()?;
                    }
                }
            }
            // A file that some document uses may be another one now.
            LspNotificationMethod::TextDocumentDidSave
            | LspNotificationMethod::WorkspaceDidChangeWatchedFiles => self.others_changed()?,
            LspNotificationMethod::CancelRequest => {
                if let Some(p) = read::<CancelParams>(params) {
                    self.cancel_request(&Id::from(p.id))?;
                }
            }
            _ => {}
        }
        Ok(false)
    }

    /// Updates the documents that use files.
    fn others_changed(&mut self) -> io::Result<()> {
        let users = self.documents.iter().filter(|(_, d)| d.uses_files());
        let users: Vec<String> = users.map(|(uri, _)| uri.clone()).collect();
        if users.is_empty() {
            return Ok(());
        }
        let texts = self.documents.values().map(Document::unsaved);
        let texts: Arc<Unsaved> = Arc::new(texts.collect());
        let mut waiting = Vec::new();
        for uri in users {
            if let Some(document) = self.documents.get_mut(&uri) {
                waiting.extend(document.reread(&texts));
            }
        }
        self.release(waiting)
    }

    /// Publishes the diagnostics of the texts that changed.
    fn publish(&mut self) -> io::Result<()> {
        let mut changed: Vec<String> = Vec::new();
        for (uri, document) in &self.documents {
            if !document.published {
                changed.push(uri.clone());
            }
        }
        changed.sort();
        for uri in changed {
            let Some(document) = self.documents.get_mut(&uri) else {
                continue;
            };
            document.published = true;
            let version = document.version;
            let uri = Uri(uri);
            let options = &self.options;
            let made = catch_unwind(AssertUnwindSafe(|| {
                diagnostics::all(&uri, document, options)
            }));
            if let Ok(list) = made {
                self.send_diagnostics(uri, Some(version), list)?;
            }
        }
        Ok(())
    }

    fn send_diagnostics(
        &mut self,
        uri: Uri,
        version: Option<i32>,
        diagnostics: Vec<gen_lsp_types::Diagnostic>,
    ) -> io::Result<()> {
        self.notify::<PublishDiagnosticsNotification>(PublishDiagnosticsParams {
            uri,
            version,
            diagnostics,
        })
    }

    /// Ends all runs of a document.
    fn cancel_all(&mut self, uri: &str) -> io::Result<()> {
        let waiting = self.documents.get_mut(uri).map(Document::cancel);
        self.release(waiting.unwrap_or_default())
    }

    /// Answers requests whose run was cancelled.
    pub(super) fn release(&mut self, waiting: Vec<Id>) -> io::Result<()> {
        for id in waiting {
            let result = serde_json::json!({ "verdict": "cancelled" });
            self.respond::<gen_lsp_types::ExecuteCommandRequest>(id, Some(result))?;
        }
        Ok(())
    }

    /// Ends the run that a request waits for.
    fn cancel_request(&mut self, id: &Id) -> io::Result<()> {
        let mut found = false;
        for document in self.documents.values_mut() {
            document.runs.retain(|_, run| match run {
                Run::Running {
                    waiting, cancel, ..
                } if waiting.as_ref() == Some(id) => {
                    cancel.store(true, std::sync::atomic::Ordering::SeqCst);
                    found = true;
                    false
                }
                _ => true,
            });
        }
        if !found {
            return Ok(());
        }
        let error = refusal(LspErrorCodes::RequestCancelled, "the run was cancelled");
        self.respond_error(id.clone(), error)?;
        self.refresh()
    }

    /// Stores the outcome of a run, unless it is out of date.
    fn finished(
        &mut self,
        number: u64,
        uri: &str,
        claim: usize,
        outcome: Outcome,
    ) -> io::Result<()> {
        let Some(document) = self.documents.get_mut(uri) else {
            return Ok(());
        };
        let current = match document.runs.get(&claim) {
            Some(Run::Running {
                number: n, waiting, ..
            }) if *n == number => Some(waiting.clone()),
            _ => None,
        };
        let Some(waiting) = current else {
            return Ok(());
        };
        let result = serde_json::json!({
            "verdict": outcome.verdict,
            "scope": outcome.scope,
            "narration": outcome.narration,
        });
        document.runs.insert(claim, Run::Done(outcome));
        // Clients without lenses see verdicts among the diagnostics.
        document.published &= self.options.lenses;
        if let Some(waiting) = waiting {
            self.respond::<gen_lsp_types::ExecuteCommandRequest>(waiting, Some(result))?;
        }
        self.run_next(uri)
    }

    /// Asks the client to fetch the lenses again, if it can.
    pub(super) fn refresh(&mut self) -> io::Result<()> {
        if !self.options.refresh {
            return Ok(());
        }
        self.count += 1;
        let id = Id::String(format!("spi-{}", self.count));
        let request = RequestObject::from_request::<CodeLensRefreshRequest>(id, ());
        frames::write(self.out, &request)
    }

    /// Shows a text to the user.
    pub(super) fn show(&mut self, text: &str) -> io::Result<()> {
        self.notify::<ShowMessageNotification>(ShowMessageParams {
            kind: MessageType::Info,
            message: text.to_owned(),
        })
    }

    fn notify<N: Notification>(&mut self, params: N::Params) -> io::Result<()> {
        frames::write(self.out, &RequestObject::from_notification::<N>(params))
    }

    pub(super) fn respond<R: Request>(&mut self, id: Id, result: R::Result) -> io::Result<()> {
        frames::write(self.out, &ResponseObject::from_success::<R>(id, result))
    }

    pub(super) fn respond_error(&mut self, id: Id, error: Error) -> io::Result<()> {
        frames::write(self.out, &ResponseObject::from_error(id, error))
    }
}

/// Parameters of a notification, if they have the right form.
fn read<P: DeserializeOwned>(params: Value) -> Option<P> {
    serde_json::from_value(params).ok()
}

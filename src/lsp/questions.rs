//! Requests about documents, one after the other.

use gen_lsp_types::json_rpc::{Error, Id};
use gen_lsp_types::{
    CodeActionRequest, CodeActionResponse, CodeLensRequest, Definition, DefinitionRequest,
    DocumentFormattingRequest, DocumentHighlight, DocumentHighlightRequest, DocumentSymbolRequest,
    ErrorCodes, ExecuteCommandParams, ExecuteCommandRequest, HoverRequest, Location,
    LspRequestMethod, Position, PrepareRenamePlaceholder, PrepareRenameRequest, Range,
    ReferencesRequest, RenameRequest, Request, TextDocumentIdentifier, TextEdit, Uri,
    WorkspaceEdit,
};
use serde_json::Value;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::document::{Document, Run};
use super::job::Job;
use super::lens::{self, NARRATE, RUN, Target};
use super::server::{Server, failed, refusal};
use super::snapshot::Snapshot;
use super::{hover, rename, symbols};
use crate::syntax::format::format;

impl Server<'_> {
    /// Answers a request about a document.
    pub(super) fn question(
        &mut self,
        method: LspRequestMethod<'_>,
        id: Id,
        params: Value,
    ) -> io::Result<()> {
        use LspRequestMethod as M;
        match method {
            M::TextDocumentHover => self.answer::<HoverRequest>(id, params, |s, p| {
                let at = p.text_document_position_params;
                Ok(hover::hover(s.document(&at.text_document)?, at.position))
            }),
            M::TextDocumentDefinition => self.answer::<DefinitionRequest>(id, params, |s, p| {
                let at = p.text_document_position_params;
                let uri = at.text_document.uri.clone();
                let snapshot = s.document(&at.text_document)?.snapshot();
                let spans = snapshot
                    .index
                    .at(snapshot.offset(at.position))
                    .map(|(_, group)| snapshot.index.bindings(group));
                let places = spans.map(|spans| located(&uri, &snapshot, spans));
                Ok(places.map(|places| Definition::from(places).into()))
            }),
            M::TextDocumentReferences => self.answer::<ReferencesRequest>(id, params, |s, p| {
                let at = p.text_document_position_params;
                let uri = at.text_document.uri.clone();
                let snapshot = s.document(&at.text_document)?.snapshot();
                let found = snapshot.index.at(snapshot.offset(at.position));
                Ok(found.map(|(_, group)| {
                    let mut spans = snapshot.index.places(group);
                    if !p.context.include_declaration {
                        let bindings = snapshot.index.bindings(group);
                        spans.retain(|span| !bindings.contains(span));
                    }
                    located(&uri, &snapshot, spans)
                }))
            }),
            M::TextDocumentDocumentHighlight => {
                self.answer::<DocumentHighlightRequest>(id, params, |s, p| {
                    let at = p.text_document_position_params;
                    let snapshot = s.document(&at.text_document)?.snapshot();
                    let found = snapshot.index.at(snapshot.offset(at.position));
                    Ok(found.map(|(_, group)| {
                        let spans = snapshot.index.places(group).into_iter();
                        let highlight = |span| DocumentHighlight {
                            range: snapshot.range(span),
                            kind: None,
                        };
                        spans.map(highlight).collect()
                    }))
                })
            }
            M::TextDocumentDocumentSymbol => {
                self.answer::<DocumentSymbolRequest>(id, params, |s, p| {
                    let snapshot = s.document(&p.text_document)?.snapshot();
                    Ok(Some(symbols::symbols(&snapshot).into()))
                })
            }
            M::TextDocumentFormatting => {
                self.answer::<DocumentFormattingRequest>(id, params, |s, p| {
                    let snapshot = s.document(&p.text_document)?.snapshot();
                    Ok(Some(formatted(&snapshot)))
                })
            }
            M::TextDocumentPrepareRename => {
                self.answer::<PrepareRenameRequest>(id, params, |s, p| {
                    let at = p.text_document_position_params;
                    let snapshot = s.document(&at.text_document)?.snapshot();
                    let (span, _) = rename::target(&snapshot, at.position).map_err(failed)?;
                    let placeholder = PrepareRenamePlaceholder {
                        range: snapshot.range(span),
                        placeholder: snapshot.file.slice(span).to_owned(),
                    };
                    Ok(Some(placeholder.into()))
                })
            }
            M::TextDocumentRename => self.answer::<RenameRequest>(id, params, |s, p| {
                let at = p.text_document_position_params;
                let snapshot = s.document(&at.text_document)?.snapshot();
                let edits = rename::rename(&snapshot, at.position, &p.new_name).map_err(failed)?;
                Ok(Some(WorkspaceEdit {
                    changes: Some(HashMap::from([(at.text_document.uri, edits)])),
                    ..WorkspaceEdit::default()
                }))
            }),
            M::TextDocumentCodeLens => self.answer::<CodeLensRequest>(id, params, |s, p| {
                let uri = p.text_document.uri.0.clone();
                Ok(Some(lens::lenses(&uri, s.document(&p.text_document)?)))
            }),
            M::TextDocumentCodeAction => self.answer::<CodeActionRequest>(id, params, |s, p| {
                let uri = p.text_document.uri.0.clone();
                let actions = lens::actions(&uri, s.document(&p.text_document)?, p.range);
                let actions = actions.into_iter().map(CodeActionResponse::from);
                Ok(Some(actions.collect()))
            }),
            M::WorkspaceExecuteCommand => self.execute(id, params),
            other => {
                let text = format!("the method `{}` is not known", other.as_str());
                self.respond_error(id, refusal(ErrorCodes::MethodNotFound, text))
            }
        }
    }

    fn answer<R: Request>(
        &mut self,
        id: Id,
        params: Value,
        work: impl FnOnce(&mut Self, R::Params) -> Result<R::Result, Error>,
    ) -> io::Result<()> {
        let answer = match serde_json::from_value(params) {
            Ok(params) => work(self, params),
            Err(error) => Err(refusal(ErrorCodes::InvalidParams, error.to_string())),
        };
        match answer {
            Ok(result) => self.respond::<R>(id, result),
            Err(error) => self.respond_error(id, error),
        }
    }

    fn document(&mut self, document: &TextDocumentIdentifier) -> Result<&mut Document, Error> {
        self.open_document(&document.uri.0)
    }

    fn open_document(&mut self, uri: &str) -> Result<&mut Document, Error> {
        self.documents.get_mut(uri).ok_or_else(|| {
            let text = format!("the document `{uri}` is not open");
            refusal(ErrorCodes::InvalidParams, text)
        })
    }

    /// Runs a command. A run of a claim is answered when it ends.
    fn execute(&mut self, id: Id, params: Value) -> io::Result<()> {
        let params: ExecuteCommandParams = match serde_json::from_value(params) {
            Ok(params) => params,
            Err(error) => {
                let error = refusal(ErrorCodes::InvalidParams, error.to_string());
                return self.respond_error(id, error);
            }
        };
        let target = Target::read(params.arguments.as_deref().unwrap_or_default());
        let done = match (&*params.command, target) {
            (RUN, Some(target)) => self.run_claim(&id, &target),
            (NARRATE, Some(target)) => self.narrate(&id, &target),
            (RUN | NARRATE, None) => {
                let text = "the argument is `{ uri, claim, text }`";
                Err(refusal(ErrorCodes::InvalidParams, text))
            }
            (other, _) => {
                let text = format!("the command `{other}` is not known");
                Err(refusal(ErrorCodes::InvalidParams, text))
            }
        };
        match done {
            Ok(written) => written,
            Err(error) => self.respond_error(id, error),
        }
    }

    /// The text that a command is about, if its claim is still the one that was meant.
    fn meant(&mut self, target: &Target) -> Result<Arc<Snapshot>, Error> {
        let snapshot = self.open_document(&target.uri)?.snapshot();
        if !snapshot.checked.is_sound() {
            return Err(failed("mend the mistakes of the file first"));
        }
        let claim = snapshot.checked.program.claims.get(target.claim);
        if claim.is_none_or(|c| c.text != target.text) {
            return Err(failed("the file has changed: try again"));
        }
        Ok(snapshot)
    }

    /// Starts the run of a claim, or ends it if it runs.
    fn run_claim(&mut self, id: &Id, target: &Target) -> Result<io::Result<()>, Error> {
        let snapshot = self.meant(target)?;
        self.count += 1;
        let number = self.count;
        let document = self.open_document(&target.uri)?;
        if let Some(Run::Running {
            cancel, waiting, ..
        }) = document.runs.remove(&target.claim)
        {
            cancel.store(true, Ordering::SeqCst);
            return Ok(self
                .release(vec![waiting, id.clone()])
                .and_then(|()| self.refresh()));
        }
        let cancel = Arc::new(AtomicBool::new(false));
        document.runs.insert(
            target.claim,
            Run::Running {
                number,
                cancel: cancel.clone(),
                waiting: id.clone(),
            },
        );
        let job = Job {
            number,
            uri: target.uri.clone(),
            claim: target.claim,
            snapshot,
            settings: self.options.settings,
            cancel,
        };
        if let Err(error) = job.start(self.sender.clone()) {
            self.open_document(&target.uri)?.runs.remove(&target.claim);
            return Err(failed(format!("the run can't be started: {error}")));
        }
        Ok(self.refresh())
    }

    /// Tells what a run established.
    fn narrate(&mut self, id: &Id, target: &Target) -> Result<io::Result<()>, Error> {
        self.meant(target)?;
        let document = self.open_document(&target.uri)?;
        let Some(Run::Done(outcome)) = document.runs.get(&target.claim) else {
            return Err(failed("run the claim first"));
        };
        let text = outcome.narration.clone();
        let shown = if self.options.narrations {
            Ok(())
        } else {
            self.show(&text)
        };
        let result = Some(Value::from(text));
        Ok(shown.and_then(|()| self.respond::<ExecuteCommandRequest>(id.clone(), result)))
    }
}

fn located(uri: &Uri, snapshot: &Snapshot, spans: Vec<crate::source::Span>) -> Vec<Location> {
    let place = |span| Location {
        uri: uri.clone(),
        range: snapshot.range(span),
    };
    spans.into_iter().map(place).collect()
}

/// The edit that puts a text into the canonical layout. Lines at both ends that stay are left alone, and so is a file
/// with mistakes.
fn formatted(snapshot: &Snapshot) -> Vec<TextEdit> {
    let old = &*snapshot.file.text;
    let Ok(new) = format(&snapshot.file) else {
        return Vec::new();
    };
    if *new == *old {
        return Vec::new();
    }
    let same = |a: &mut dyn Iterator<Item = &str>, b: &mut dyn Iterator<Item = &str>| {
        let lines = a.zip(b).take_while(|(x, y)| x == y);
        lines.map(|(x, _)| x.len()).sum::<usize>()
    };
    let start = same(
        &mut old.split_inclusive('\n'),
        &mut new.split_inclusive('\n'),
    );
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end = same(
        &mut old_rest.split_inclusive('\n').rev(),
        &mut new_rest.split_inclusive('\n').rev(),
    );
    let position = |offset| -> Position { snapshot.lines.position(old, offset) };
    vec![TextEdit {
        range: Range {
            start: position(start),
            end: position(old.len() - end),
        },
        new_text: new_rest[..new_rest.len() - end].to_owned(),
    }]
}

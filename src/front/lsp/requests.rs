//! Requests about documents: each is answered from the snapshot of its document.

use gen_lsp_types::json_rpc::{Error, Id};
use gen_lsp_types::{
    CodeActionRequest, CodeActionResponse, CodeLensRequest, CompletionRequest, Definition,
    DefinitionRequest, DocumentFormattingRequest, DocumentHighlight, DocumentHighlightRequest,
    DocumentSymbolRequest, ErrorCodes, HoverRequest, InlayHintRequest, Location, LspRequestMethod,
    Position, PrepareRenamePlaceholder, PrepareRenameRequest, Range, ReferencesRequest,
    RenameRequest, Request, SemanticTokensRequest, TextDocumentIdentifier, TextEdit, Uri,
    WorkspaceEdit,
};
use serde_json::Value;
use std::collections::HashMap;
use std::io;

use super::document::Document;
use super::server::{Server, failed, refusal};
use super::snapshot::Snapshot;
use super::{completion, hover, inlay, lens, quick_fixes, rename, symbols, tokens, uri};
use crate::lang::syntax::format::format;

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
                let offset = snapshot.offset(at.position);
                if let Some(path) = snapshot.used_at(offset) {
                    let start = Range::default();
                    let uri = Uri(uri::of(&path));
                    return Ok(Some(
                        Definition::from(vec![Location { uri, range: start }]).into(),
                    ));
                }
                let spans = snapshot.index.at(offset).map(|(_, group)| {
                    let elsewhere = snapshot.index.elsewhere(group);
                    if elsewhere.is_empty() {
                        snapshot.index.bindings(group)
                    } else {
                        elsewhere
                    }
                });
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
                let (uri, charts) = (p.text_document.uri.0.clone(), s.options.charts);
                let document = s.document(&p.text_document)?;
                Ok(Some(lens::lenses(&uri, document, charts)))
            }),
            M::TextDocumentCodeAction => self.answer::<CodeActionRequest>(id, params, |s, p| {
                let uri = p.text_document.uri.clone();
                let document = s.document(&p.text_document)?;
                let snapshot = document.snapshot();
                let repairs = quick_fixes::actions(&uri, &snapshot, p.range);
                let commands = lens::actions(&uri.0, document, p.range);
                let repairs = repairs.into_iter().map(CodeActionResponse::from);
                let commands = commands.into_iter().map(CodeActionResponse::from);
                Ok(Some(repairs.chain(commands).collect()))
            }),
            M::TextDocumentCompletion => self.answer::<CompletionRequest>(id, params, |s, p| {
                let at = p.text_document_position_params;
                let snippets = s.options.snippets;
                let snapshot = s.document(&at.text_document)?.snapshot();
                let items = completion::complete(&snapshot, at.position, snippets);
                Ok(Some(items.into()))
            }),
            M::TextDocumentSemanticTokensFull => {
                self.answer::<SemanticTokensRequest>(id, params, |s, p| {
                    let snapshot = s.document(&p.text_document)?.snapshot();
                    Ok(Some(tokens::tokens(&snapshot)))
                })
            }
            M::TextDocumentInlayHint => self.answer::<InlayHintRequest>(id, params, |s, p| {
                let snapshot = s.document(&p.text_document)?.snapshot();
                Ok(Some(inlay::hints(&snapshot, p.range)))
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

    pub(super) fn open_document(&mut self, uri: &str) -> Result<&mut Document, Error> {
        self.documents.get_mut(uri).ok_or_else(|| {
            let text = format!("the document `{uri}` is not open");
            refusal(ErrorCodes::InvalidParams, text)
        })
    }
}

fn located(uri: &Uri, snapshot: &Snapshot, spans: Vec<crate::base::source::Span>) -> Vec<Location> {
    let place = |span| {
        let (other, range) = snapshot.place(span)?;
        let uri = other.map_or_else(|| uri.clone(), Uri);
        Some(Location { uri, range })
    };
    spans.into_iter().filter_map(place).collect()
}

/// The edit that puts a text into the canonical layout. Lines at both ends that stay are left
/// alone, and so is a file with mistakes.
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

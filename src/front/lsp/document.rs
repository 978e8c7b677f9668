//! An open document: its text, the snapshot of it, and the runs of its claims.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::job::Outcome;
use super::position::Lines;
use super::snapshot::Snapshot;
use super::uri;
use crate::base::source::{SourceFile, Unsaved};
use crate::lang::syntax::lexer::lex;
use crate::lang::syntax::token::Token;
use gen_lsp_types::TextDocumentContentChangeEvent;
use gen_lsp_types::json_rpc::Id;

/// A claim that was run or runs.
#[derive(Debug)]
pub(super) enum Run {
    /// It runs.
    Running {
        /// The number of the run: the outcome of another one is out of date.
        number: u64,
        /// Set to end it.
        cancel: Arc<AtomicBool>,
        /// The request that waits for its end, if there is one.
        waiting: Option<Id>,
    },
    /// It came to an end.
    Done(Outcome),
}

/// An open document.
#[derive(Debug)]
pub(super) struct Document {
    name: String,
    text: String,
    /// The version that the client gave to the text.
    pub version: i32,
    /// Whether the diagnostics of this text have been published.
    pub published: bool,
    /// What is known about the claims, by their number.
    pub runs: FxHashMap<usize, Run>,
    /// Claims that are to be run after those that run.
    pub queue: VecDeque<usize>,
    snapshot: Option<Arc<Snapshot>>,
    /// The texts of all documents, if this one uses files.
    others: Arc<Unsaved>,
}

impl Document {
    /// A document that was opened.
    pub(super) fn new(uri: &str, version: i32, text: String) -> Document {
        Document {
            name: uri::name(uri),
            text,
            version,
            published: false,
            runs: FxHashMap::default(),
            queue: VecDeque::new(),
            snapshot: None,
            others: Arc::default(),
        }
    }

    /// Whether the text uses other files.
    pub(super) fn uses_files(&self) -> bool {
        let file = SourceFile::anonymous(&self.name, &self.text);
        self.text.contains("use")
            && lex(&file)
                .tokens
                .iter()
                .any(|(t, _)| matches!(t, Token::Text(_)))
    }

    /// The text, for documents that use it, under its path.
    pub(super) fn unsaved(&self) -> (PathBuf, Arc<str>) {
        let path = std::fs::canonicalize(&self.name);
        let path = path.unwrap_or_else(|_| PathBuf::from(&self.name));
        (path, self.text.as_str().into())
    }

    /// Uses other texts from now on. Snapshot, runs and verdicts of this one are dropped.
    pub(super) fn reread(&mut self, others: &Arc<Unsaved>) -> Vec<Id> {
        self.others = others.clone();
        self.published = false;
        self.snapshot = None;
        self.cancel()
    }

    /// The text, checked; it is checked at most once for each version.
    pub(super) fn snapshot(&mut self) -> Arc<Snapshot> {
        let made = || Arc::new(Snapshot::among(&self.name, &self.text, &self.others));
        self.snapshot.get_or_insert_with(made).clone()
    }

    /// Changes the text. Snapshot, runs and verdicts are dropped; the requests that wait for a run
    /// are returned.
    pub(super) fn change(
        &mut self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> Vec<Id> {
        for change in changes {
            match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                    self.text = whole.text;
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    let lines = Lines::new(&self.text);
                    let start = lines.offset(&self.text, part.range.start);
                    let end = lines.offset(&self.text, part.range.end);
                    let range = start.min(end)..start.max(end);
                    self.text.replace_range(range, &part.text);
                }
            }
        }
        self.version = version;
        self.published = false;
        self.snapshot = None;
        self.cancel()
    }

    /// Ends all runs and forgets all verdicts; returns the requests that wait for one.
    pub(super) fn cancel(&mut self) -> Vec<Id> {
        let mut waiting = Vec::new();
        self.queue.clear();
        for (_, run) in self.runs.drain() {
            if let Run::Running {
                cancel,
                waiting: id,
                ..
            } = run
            {
                cancel.store(true, Ordering::SeqCst);
                waiting.extend(id);
            }
        }
        waiting
    }
}

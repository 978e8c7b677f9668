//! What the client can do and wants.
//!
//! The capabilities are looked up one by one: what a client says beyond them does not matter,
//! however it says it.

use serde_json::Value;
use std::time::Duration;

use crate::analysis::{LimitSpec, Settings};

/// What matters of the parameters of `initialize`.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Options {
    /// It shows lenses.
    pub lenses: bool,
    /// It fetches lenses again on request.
    pub refresh: bool,
    /// It shows places that belong to a diagnostic.
    pub related: bool,
    /// It shows a narration that a command returns, so it need not be sent as a message.
    pub narrations: bool,
    /// It fills in the marked places of what it completes.
    pub snippets: bool,
    /// It shows the page that a command returns.
    pub charts: bool,
    /// How claims are analysed.
    pub settings: Settings,
}

impl Options {
    /// Reads the parameters of `initialize`.
    pub(super) fn new(params: &Value) -> Options {
        let yes = |path: &str| params.pointer(path).and_then(Value::as_bool) == Some(true);
        let there = |path: &str| params.pointer(path).is_some_and(Value::is_object);
        let wanted = |name: &str| params.pointer(&format!("/initializationOptions/{name}"));
        let number = |name: &str| wanted(name).and_then(Value::as_u64);
        let mut settings = Settings {
            typed: wanted("typed").and_then(Value::as_bool) == Some(true),
            sessions: number("sessions").map(|n| n.clamp(1, 12) as u32),
            limits: LimitSpec {
                timeout: number("timeout").map(Duration::from_secs),
                memory: number("maxMemory").map(|n| n.saturating_mul(1 << 20)),
                ..LimitSpec::default()
            },
            ..Settings::default()
        };
        settings.search.workers = number("threads").map_or(0, |n| n.min(1024) as usize);
        Options {
            lenses: there("/capabilities/textDocument/codeLens"),
            refresh: yes("/capabilities/workspace/codeLens/refreshSupport"),
            related: yes("/capabilities/textDocument/publishDiagnostics/relatedInformation"),
            narrations: wanted("narrations").and_then(Value::as_bool) == Some(true),
            snippets: yes("/capabilities/textDocument/completion/completionItem/snippetSupport"),
            charts: wanted("charts").and_then(Value::as_bool) == Some(true),
            settings,
        }
    }
}

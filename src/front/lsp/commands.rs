//! Commands: running claims, and showing what the runs found.

use gen_lsp_types::json_rpc::{Error, Id};
use gen_lsp_types::{ErrorCodes, ExecuteCommandParams, ExecuteCommandRequest};
use serde_json::Value;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::document::Run;
use super::job::Job;
use super::lens::{CHART, NARRATE, RUN, RUN_ALL, Target};
use super::server::{Server, failed, refusal};
use super::snapshot::Snapshot;

impl Server<'_> {
    /// Runs a command. A run of a claim is answered when it ends.
    pub(super) fn execute(&mut self, id: Id, params: Value) -> io::Result<()> {
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
            (CHART, Some(target)) => self.chart(&id, &target),
            (RUN_ALL, _) => self.run_all(&id, params.arguments.as_deref().unwrap_or_default()),
            (RUN | NARRATE | CHART, None) => {
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
        self.meant(target)?;
        let document = self.open_document(&target.uri)?;
        document.queue.retain(|claim| *claim != target.claim);
        if let Some(Run::Running {
            cancel, waiting, ..
        }) = document.runs.remove(&target.claim)
        {
            cancel.store(true, Ordering::SeqCst);
            let waiting = waiting.into_iter().chain([id.clone()]).collect();
            return Ok(self
                .release(waiting)
                .and_then(|()| self.run_next(&target.uri)));
        }
        self.start(&target.uri, target.claim, Some(id.clone()))?;
        Ok(self.refresh())
    }

    /// Runs all claims of a document, one after the other; it is answered at once.
    fn run_all(&mut self, id: &Id, arguments: &[Value]) -> Result<io::Result<()>, Error> {
        let uri = arguments.first().and_then(|a| a.get("uri")?.as_str());
        let Some(uri) = uri.map(str::to_owned) else {
            let text = "the argument is `{ uri }`";
            return Err(refusal(ErrorCodes::InvalidParams, text));
        };
        let document = self.open_document(&uri)?;
        let snapshot = document.snapshot();
        if !snapshot.checked.is_sound() {
            return Err(failed("mend the mistakes of the file first"));
        }
        let claims = 0..snapshot.checked.program.claims.len();
        let idle = |claim: &usize| !matches!(document.runs.get(claim), Some(Run::Running { .. }));
        document.queue = claims.filter(idle).collect();
        let result = serde_json::json!({ "started": document.queue.len() });
        let next = self.run_next(&uri);
        let answer = |s: &mut Self| s.respond::<ExecuteCommandRequest>(id.clone(), Some(result));
        Ok(next.and_then(|()| answer(self)))
    }

    /// Starts the next claim of those that wait, unless one runs.
    pub(super) fn run_next(&mut self, uri: &str) -> io::Result<()> {
        if let Some(document) = self.documents.get_mut(uri) {
            let running = |run: &Run| matches!(run, Run::Running { .. });
            if !document.runs.values().any(running)
                && let Some(claim) = document.queue.pop_front()
            {
                // One that can't be started is as if it had not been asked for.
                let _ = self.start(uri, claim, None);
            }
        }
        self.refresh()
    }

    /// Starts the run of a claim.
    fn start(&mut self, uri: &str, claim: usize, waiting: Option<Id>) -> Result<(), Error> {
        self.count += 1;
        let (number, settings) = (self.count, self.options.settings);
        let sender = self.sender.clone();
        let document = self.open_document(uri)?;
        let snapshot = document.snapshot();
        let cancel = Arc::new(AtomicBool::new(false));
        let running = Run::Running {
            number,
            cancel: cancel.clone(),
            waiting,
        };
        document.runs.insert(claim, running);
        let job = Job {
            number,
            uri: uri.to_owned(),
            claim,
            snapshot,
            settings,
            cancel,
        };
        if let Err(error) = job.start(sender) {
            document.runs.remove(&claim);
            return Err(failed(format!("the run can't be started: {error}")));
        }
        Ok(())
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

    /// The page that draws what a run found.
    fn chart(&mut self, id: &Id, target: &Target) -> Result<io::Result<()>, Error> {
        self.meant(target)?;
        let document = self.open_document(&target.uri)?;
        let Some(Run::Done(outcome)) = document.runs.get(&target.claim) else {
            return Err(failed("run the claim first"));
        };
        let Some(page) = &outcome.page else {
            return Err(failed("nothing was found that could be drawn"));
        };
        let result = serde_json::json!({ "title": target.text, "page": page });
        Ok(self.respond::<ExecuteCommandRequest>(id.clone(), Some(result)))
    }
}

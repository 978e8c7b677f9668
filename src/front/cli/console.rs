//! Standard output and standard error.
//!
//! What is written never fails in between: a run goes on whatever becomes of its output (`stream`). A reader that stopped reading
//! is no error; any other failure to write is reported at the end, which is an error then. What goes to people passes a gate
//! ([`Gate`]) that marks whatever a terminal would obey.

use clap::ValueEnum;
use std::io::{self, IsTerminal, Write};

use super::Status;
use super::stream::Stream;
use crate::base::source::render::{self, Look, WIDTH};
use crate::base::source::visible::{Gate, visible};
use crate::base::source::{Diagnostic, SourceMap};
use crate::present::report::Style;

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    fn resolve(self, terminal: bool) -> bool {
        match self {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
                terminal && !refused
            }
        }
    }
}

/// Columns of a line for people: those of the terminal, unless it is very narrow or so wide that lines would be hard to
/// follow; 80 if there is none.
pub(super) fn width(terminal: bool) -> usize {
    if !terminal {
        return WIDTH;
    }
    terminal_size::terminal_size()
        .map_or(WIDTH, |(columns, _)| usize::from(columns.0).clamp(40, 100))
}

/// Where a command writes.
pub struct Console {
    out: Stream<Gate<Box<dyn Write>>>,
    err: Stream<Gate<Box<dyn Write>>>,
    look: Look,
    look_err: Look,
    quiet: bool,
    /// Where results go that nobody wants.
    muted: Option<io::Sink>,
}

impl Console {
    /// A console on the standard streams.
    pub fn new(color: ColorChoice, quiet: bool) -> Console {
        let look = |terminal| Look {
            color: color.resolve(terminal),
            width: width(terminal),
        };
        let looks = [
            look(io::stdout().is_terminal()),
            look(io::stderr().is_terminal()),
        ];
        Console::on(Box::new(io::stdout()), Box::new(io::stderr()), looks, quiet)
    }

    /// A console on two streams, with colour or without: what a program that calls us reads.
    pub fn elsewhere(
        out: Box<dyn Write>,
        err: Box<dyn Write>,
        color: ColorChoice,
        quiet: bool,
    ) -> Console {
        let look = Look {
            color: color.resolve(false),
            ..Look::default()
        };
        Console::on(out, err, [look, look], quiet)
    }

    fn on(
        out: Box<dyn Write>,
        err: Box<dyn Write>,
        [look, look_err]: [Look; 2],
        quiet: bool,
    ) -> Console {
        Console {
            out: Stream::new(Gate::new(out, look.color)),
            err: Stream::new(Gate::new(err, look_err.color)),
            look,
            look_err,
            quiet,
            muted: None,
        }
    }

    /// Prints no results from now on: another process does.
    pub fn mute(&mut self) {
        self.muted = Some(io::sink());
    }

    /// Standard output, buffered.
    pub fn out(&mut self) -> &mut dyn Write {
        match &mut self.muted {
            Some(sink) => sink,
            None => &mut self.out,
        }
    }

    /// Writes bytes as they are: what is for other programs.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.muted.is_some() {
            return Ok(());
        }
        self.out.flush()?;
        self.out.inner().open(true);
        self.out.write_all(bytes)?;
        self.out.flush()?;
        self.out.inner().open(false);
        Ok(())
    }

    /// Colour and width of results.
    pub fn look(&self) -> Look {
        self.look
    }

    /// Whether only what is necessary is to be printed.
    pub fn quiet(&self) -> bool {
        self.quiet
    }

    /// How reports look.
    pub fn style(&self) -> Style {
        Style {
            look: self.look,
            timed: true,
            brief: self.quiet,
            told: false,
        }
    }

    /// Prints diagnostics to standard error.
    pub fn diagnostics(&mut self, map: &SourceMap, diagnostics: &[Diagnostic]) -> io::Result<()> {
        self.out.flush()?;
        let mut text = Vec::new();
        render::write(&mut text, map, diagnostics, self.look_err)?;
        self.err.write_all(&text)?;
        self.err.flush()
    }

    /// Says something about the work itself on standard error, unless only what is necessary is wanted.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        self.remark(text)
    }

    /// Says something on standard error in any case.
    pub fn remark(&mut self, text: &str) -> io::Result<()> {
        self.out.flush()?;
        writeln!(self.err, "{}", visible(text))?;
        self.err.flush()
    }

    /// Whether nobody reads the results any more.
    pub fn is_closed(&self) -> bool {
        self.muted.is_none() && self.out.is_closed()
    }

    /// Flushes what was written and turns the end of a command into a status.
    pub fn conclude(mut self, result: io::Result<Status>) -> Status {
        let flushed = self.out.flush().and_then(|()| self.err.flush());
        let failure = match &result {
            Err(error) => Some(error),
            Ok(_) => self.out.failure().or(self.err.failure()),
        };
        let failure = failure.or(flushed.as_ref().err()).map(ToString::to_string);
        if let Some(error) = failure {
            // If even this cannot be written, there is nobody left to tell.
            let _ = writeln!(io::stderr(), "Error: cannot write the output: {error}");
            return Status::Error;
        }
        result.unwrap_or(Status::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_overrides_the_terminal() {
        assert!(ColorChoice::Always.resolve(false));
        assert!(!ColorChoice::Never.resolve(true));
        assert!(!ColorChoice::Auto.resolve(false));
    }
}

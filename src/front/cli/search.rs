//! Arguments that steer an analysis, and what they mean.

use std::fmt::Write;
use std::time::Duration;

use crate::analysis::{LimitSpec, Settings};
use crate::engine::search::Options;
use crate::process::Bounds;

/// How to search, common to the commands that analyse.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Analysis")]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct SearchArgs {
    /// Check every assignment of the declared agents to N role instances, instead of the system as written
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=12))]
    sessions: Option<u32>,

    /// How often a recursive definition may come back to itself
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    unfold: u32,

    /// Copies that a bare `!` stands for
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100))]
    copies: u32,

    /// Comparisons: each role instance any number of times, where that can be shown
    #[arg(long)]
    any: bool,

    /// The attacker sends only messages of the declared types, and tuples keep their length
    #[arg(long)]
    typed: bool,

    /// Only attackers that leave no role stuck at a test
    #[arg(long)]
    transparent: bool,

    /// Give up after this time for each claim: `10s`, `500ms`, `2m`
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// Give up after this many states for each claim
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,

    /// Give up when the process uses this much memory: `500M`, `2G`
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,

    /// Work of the causal cones before comparisons are explored; without it both take turns
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_steps: Option<u64>,

    /// Worker threads; 0 is one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,

    /// Switch a reduction off; verdicts do not change. Several are separated by commas, or the option is repeated
    #[arg(
        long,
        value_name = "NAME",
        value_enum,
        value_delimiter = ',',
        hide_short_help = true
    )]
    no_reduction: Vec<Reduction>,
}

/// What a search may leave out: attacker searches and comparisons have most of it in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Reduction {
    /// Outputs are taken as soon as possible (attacks)
    Eager,
    /// States that are equal up to renaming are explored once
    Sharing,
    /// States are dropped if one that can do more was seen
    Subsumption,
    /// Of interchangeable role instances only one moves
    Symmetry,
    /// Role instances that can't contribute are dropped (attacks)
    Pruning,
    /// Claims are first tried to be proved for any number of runs (attacks)
    Proofs,
    /// Of the runs of systems with a channel for each thread, those in a normal form are enough (comparisons)
    Compression,
    /// Systems with channels for each thread are compared by the causal past of what can be seen (comparisons)
    Cones,
    /// Systems on shared channels are first compared role by role (comparisons)
    Roles,
    /// Systems that are the same but for renaming and order are not explored (comparisons)
    Congruence,
}

impl SearchArgs {
    /// The arguments that decide which system is looked at, as they would be typed.
    pub(super) fn scope(&self) -> String {
        let mut text = String::new();
        let mut add = |name: &str, value: Option<u32>| {
            if let Some(n) = value {
                let _ = write!(text, " --{name} {n}");
            }
        };
        add("sessions", self.sessions);
        add("unfold", Some(self.unfold).filter(|n| *n != 0));
        add("copies", Some(self.copies).filter(|n| *n != 2));
        if self.typed {
            text.push_str(" --typed");
        }
        text
    }

    /// A remark if a reduction is to be switched off that comparisons do not have.
    pub(super) fn unused_by_comparisons(&self) -> Option<String> {
        let names: Vec<&str> = [
            (Reduction::Eager, "eager"),
            (Reduction::Pruning, "pruning"),
            (Reduction::Proofs, "proofs"),
        ]
        .into_iter()
        .filter(|(r, _)| self.no_reduction.contains(r))
        .map(|(_, name)| name)
        .collect();
        (!names.is_empty()).then(|| {
            let names = names.join(", ");
            format!(
                "--no-reduction {names}: comparisons have no such reduction, it is about attacks"
            )
        })
    }

    /// What other processes must have been asked as well, apart from what is special about a command.
    pub(super) fn question(settings: &Settings) -> String {
        let mut settings = *settings;
        settings.search.workers = 0;
        settings.limits.memory = None;
        format!("{settings:?}")
    }

    /// How long an analysis may take.
    pub(super) fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// What was typed, in the terms of the analyses.
    pub(super) fn settings(&self, all: bool) -> Settings {
        let on = |r: Reduction| !self.no_reduction.contains(&r);
        Settings {
            typed: self.typed,
            all,
            bounds: Bounds {
                recursion: self.unfold,
                copies: self.copies,
                ..Bounds::default()
            },
            sessions: self.sessions,
            search: Options {
                eager: on(Reduction::Eager),
                sharing: on(Reduction::Sharing),
                subsumption: on(Reduction::Subsumption),
                symmetry: on(Reduction::Symmetry),
                pruning: on(Reduction::Pruning),
                transparent: self.transparent,
                all,
                workers: self.threads,
            },
            limits: LimitSpec {
                timeout: self.timeout,
                states: self.max_states,
                memory: self.max_memory,
                steps: self.max_steps,
                ..LimitSpec::default()
            },
            any: self.any,
            proofs: on(Reduction::Proofs),
            compression: on(Reduction::Compression),
            cones: on(Reduction::Cones),
            by_role: on(Reduction::Roles),
            congruence: on(Reduction::Congruence),
            ..Settings::default()
        }
    }
}

/// `10s`, `500ms`, `2m`, `1h`; a bare number is seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let number: f64 = number
        .parse()
        .map_err(|_| "give a time such as `10s`, `500ms` or `2m`".to_owned())?;
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("unknown unit `{unit}`: use `ms`, `s`, `m` or `h`")),
    };
    Duration::try_from_secs_f64(number * scale).map_err(|_| "this time is out of range".to_owned())
}

/// `500M`, `2G`; a bare number is bytes.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let number: f64 = number
        .parse()
        .map_err(|_| "give a size such as `500M` or `2G`".to_owned())?;
    let shift = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "K" | "k" => 10,
        "M" => 20,
        "G" => 30,
        _ => return Err(format!("unknown unit `{unit}`: use `K`, `M` or `G`")),
    };
    let bytes = number * f64::from(1u32 << shift);
    if bytes.is_finite() && (0.0..1e15).contains(&bytes) {
        // Checked: positive and far below the limit of the type.
        #[allow(clippy::cast_sign_loss)]
        return Ok(bytes as u64);
    }
    Err("this size is out of range".to_owned())
}

/// A number and what follows it.
fn split(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(duration("10"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5 m"), Ok(Duration::from_secs(90)));
        assert!(duration("soon").is_err() && duration("3 days").is_err());
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(size("500 MiB"), Ok(500 << 20));
        assert!(size("-1").is_err() && size("9999999G").is_err());
    }
}

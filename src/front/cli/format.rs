//! `--format`, for commands whose results only people and programs read; `check`, `test` and `grade` have more forms.

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people
    Human,
    /// The schema of `docs/json.md`
    Json,
}

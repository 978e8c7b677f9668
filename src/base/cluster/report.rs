//! What processes tell each other at the end of a round.

use super::bytes::{Reader, Writer};
use super::path::Path;

/// A reason to stop, encoded by the exploration.
pub type Stop = (u8, u64);

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// States that were new.
    pub fresh: u64,
    /// Children that were looked up, new or not.
    pub children: u64,
    /// Children that needed no lookup.
    pub dropped: u64,
    /// The sum of the widths of the new states.
    pub width: u64,
    /// The greatest width of a new state.
    pub widest: u64,
}

impl Totals {
    /// Adds other counts.
    pub fn add(&mut self, other: &Totals) {
        self.fresh += other.fresh;
        self.children += other.children;
        self.dropped += other.dropped;
        self.width += other.width;
        self.widest = self.widest.max(other.widest);
    }

    fn write(&self, out: &mut Writer) {
        for n in [
            self.fresh,
            self.children,
            self.dropped,
            self.width,
            self.widest,
        ] {
            out.number(n);
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Totals> {
        Some(Totals {
            fresh: from.number()?,
            children: from.number()?,
            dropped: from.number()?,
            width: from.number()?,
            widest: from.number()?,
        })
    }
}

/// The end of a round, as one process sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// Why it could not finish, if it could not.
    pub stop: Option<Stop>,
    /// What it counted.
    pub totals: Totals,
    /// The first of its states that reaches the goal.
    pub hit: Option<Path>,
    /// Something was left out.
    pub flawed: bool,
}

impl Report {
    /// As bytes.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        let (code, value) = self.stop.unwrap_or_default();
        out.byte(u8::from(self.stop.is_some()));
        out.byte(code);
        out.number(value);
        self.totals.write(&mut out);
        out.byte(u8::from(self.hit.is_some()));
        out.string(self.hit.as_deref().unwrap_or_default());
        out.byte(u8::from(self.flawed));
        out.into_bytes()
    }

    /// From bytes.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Report> {
        let mut from = Reader::new(bytes);
        let stopped = from.byte()? != 0;
        let stop = (from.byte()?, from.number()?);
        let totals = Totals::read(&mut from)?;
        let found = from.byte()? != 0;
        let hit = from.string()?.to_vec();
        Some(Report {
            stop: stopped.then_some(stop),
            totals,
            hit: found.then_some(hit),
            flawed: from.byte()? != 0,
        })
    }

    /// The reports of all processes as one: the first reason to stop, the first hit.
    pub(super) fn together(all: &[Report]) -> Report {
        let mut sum = Report::default();
        for one in all {
            sum.stop = sum.stop.or(one.stop);
            sum.totals.add(&one.totals);
            sum.flawed |= one.flawed;
            sum.hit = match (sum.hit.take(), &one.hit) {
                (Some(a), Some(b)) => Some(a.min(b.clone())),
                (a, b) => a.or_else(|| b.clone()),
            };
        }
        sum
    }
}

/// Paths as bytes.
pub(super) fn write_paths<'a>(paths: impl ExactSizeIterator<Item = &'a Path>, out: &mut Writer) {
    out.number(paths.len() as u64);
    for path in paths {
        out.string(path);
    }
}

/// Paths from bytes.
pub(super) fn read_paths(from: &mut Reader<'_>) -> Option<Vec<Path>> {
    from.list(|r| r.string().map(<[u8]>::to_vec))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_as_written() {
        let one = Report {
            stop: Some((3, 77)),
            totals: Totals {
                fresh: 1,
                children: 2,
                dropped: 3,
                width: 4,
                widest: 5,
            },
            hit: Some(vec![1, 2]),
            flawed: true,
        };
        assert_eq!(Report::from_bytes(&one.to_bytes()), Some(one.clone()));
        let two = Report {
            hit: Some(vec![1, 1]),
            ..Report::default()
        };
        let sum = Report::together(&[one, two]);
        assert_eq!((sum.hit, sum.stop), (Some(vec![1, 1]), Some((3, 77))));
    }
}

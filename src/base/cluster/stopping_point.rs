//! Where in a layer a single process would have stopped.
//!
//! A single process expands a layer chunk by chunk. The end of a chunk is found by counting states
//! from the start of the layer. Each process knows only its own part of the layer, so the processes
//! exchange the paths around the wanted place. This happens once, at the end of a search.

use super::bytes::{Reader, Writer};
use super::liveness::Loss;
use super::path::{self, Path};
use super::report::{read_paths, write_paths};
use super::round::Round;
use super::session::Session;

/// The state of the layer whose children include the new state of this number, counted from 0 in
/// the order of the paths; the start of the layer if no new state is needed.
pub(super) fn reaches(
    session: &mut Session<'_>,
    round: &Round,
    number: Option<u64>,
) -> Result<Path, Loss> {
    let wanted = number.map_or(0, |n| (n as usize).saturating_add(1));
    let mine = &round.fresh[..wanted.min(round.fresh.len())];
    let mut out = Writer::new();
    write_paths(mine.iter().map(|(path, _)| path), &mut out);
    let mut all: Vec<Path> = exchange(session, &out, read_paths)?.concat();
    all.sort_unstable();
    let child = wanted.checked_sub(1).and_then(|n| all.into_iter().nth(n));
    Ok(child.and_then(|c| path::parent(&c)).unwrap_or_default())
}

/// The first state behind the chunk that a state of the layer is in; none if the chunk is the last.
pub(super) fn after(
    session: &mut Session<'_>,
    round: &Round,
    state: &Path,
    chunk: usize,
) -> Result<Option<Path>, Loss> {
    let before = round.parents.partition_point(|p| p.path < *state);
    let near = &round.parents[before..(before + chunk + 1).min(round.parents.len())];
    let mut out = Writer::new();
    out.number(before as u64);
    write_paths(near.iter().map(|p| &p.path), &mut out);
    let all = exchange(session, &out, |from| {
        Some((from.number()?, read_paths(from)?))
    })?;
    let rank: u64 = all.iter().map(|(before, _)| before).sum();
    let mut paths: Vec<Path> = all.into_iter().flat_map(|(_, near)| near).collect();
    paths.sort_unstable();
    let chunk = chunk as u64;
    let ahead = (rank / chunk + 1) * chunk - rank;
    Ok(paths.into_iter().nth(ahead as usize))
}

/// The hits of all processes in the order in which a single one would have met them: by depth, then
/// by path.
pub(super) fn gather(session: &mut Session<'_>, mine: &[(u32, Path)]) -> Result<Vec<Path>, Loss> {
    let mut out = Writer::new();
    out.number(mine.len() as u64);
    for (depth, path) in mine {
        out.number(u64::from(*depth));
        out.string(path);
    }
    let hit = |from: &mut Reader<'_>| Some((from.word()?, from.string()?.to_vec()));
    let mut all = exchange(session, &out, |from| from.list(hit))?.concat();
    all.sort_unstable();
    Ok(all.into_iter().map(|(_, path)| path).collect())
}

/// Sends the same bytes to all processes, and parses what each of them sends.
fn exchange<T>(
    session: &mut Session<'_>,
    told: &Writer,
    mut read: impl FnMut(&mut Reader<'_>) -> Option<T>,
) -> Result<Vec<T>, Loss> {
    let all = session.share(told.bytes())?;
    let mut found = Vec::with_capacity(all.len());
    for (process, bytes) in all.iter().enumerate() {
        match read(&mut Reader::new(bytes)) {
            Some(item) => found.push(item),
            None => return Err(session.lose(process)),
        }
    }
    Ok(found)
}

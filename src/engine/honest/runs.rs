//! Honest runs of a system: groups of partners, one after another.
//!
//! Groups without a common member make up one run. Who can't finish in it, because its partners had to do with others,
//! gets a run of its own, unless somebody interchangeable has finished: then it has such a run too. Who waits for most is looked at
//! first: one that only sends would finish alone, and nobody would hear it.

use super::blame::{Stuck, blame};
use super::effort::Effort;
use super::furthest::furthest;
use super::group::{Best, Found, Group, Search, Taken};
use super::party::Stage;
use super::{HonestMove, Types};
use crate::process::{InstanceId, Program, StepId, System};
use crate::term::TermStore;
use rustc_hash::{FxHashMap, FxHashSet};

/// In a further run, so many may be found to have no partners left before the next run begins.
const MISSES: usize = 8;

/// A run in which nobody interferes.
#[derive(Clone, Debug, Default)]
pub struct HonestRun {
    /// What happens.
    pub moves: Vec<HonestMove>,
    /// The role instances that take part and come to their end.
    pub finished: Vec<InstanceId>,
}

/// What the honest runs show.
#[derive(Clone, Debug, Default)]
pub struct Honest {
    /// Runs in which all that take part finish.
    pub runs: Vec<HonestRun>,
    /// Instances that finish in a run like one of these, in the place of an instance that differs in its own names only.
    pub alike: Vec<InstanceId>,
    /// Instances that finish in no run, or in none that was tried.
    pub stuck: Vec<Stuck>,
    /// If somebody is stuck: how far they all get.
    pub furthest: Option<HonestRun>,
    /// The clock, the memory or the user ended it.
    pub stopped: bool,
}

/// Tries honest runs until each role instance without a spy has finished in one. For each, `limit` states are looked at,
/// and for all together a few times as many; `stopped` may end it before.
pub fn honest_runs(
    store: &TermStore,
    program: &Program,
    system: &System,
    types: Types,
    limit: usize,
    stopped: &dyn Fn() -> bool,
) -> Honest {
    let stage = Stage::new(store, program, system, types);
    let mut runs = Runs {
        stage: &stage,
        finished: vec![false; stage.parties.len()],
        passed: FxHashSet::default(),
        failed: Vec::new(),
        doubtful: FxHashSet::default(),
        groups: Vec::new(),
        rounds: 0,
    };
    let total = limit.saturating_mul(4) + 64 * stage.parties.len();
    let mut effort = Effort::new(total, stopped);
    let mut pending: Vec<usize> = (0..stage.parties.len())
        .filter(|p| !stage.parties[*p].spied && !stage.parties[*p].spare)
        .collect();
    pending.sort_by_key(|p| std::cmp::Reverse(stage.inputs(*p)));
    let mut alike: Vec<usize> = Vec::new();
    while !pending.is_empty() {
        runs.round(&pending, limit, &mut effort);
        let failed: FxHashSet<usize> = runs.failed.iter().map(|f| f.party).collect();
        pending.retain(|p| !runs.finished[*p] && !failed.contains(p));
        // Whoever is like one that has finished would finish too.
        let class = |p: usize| stage.parties[p].class;
        let done: FxHashSet<usize> = (0..stage.parties.len())
            .filter(|p| runs.finished[*p])
            .map(class)
            .collect();
        alike.extend(pending.iter().filter(|p| done.contains(&class(**p))));
        pending.retain(|p| !done.contains(&class(*p)));
        // And whoever is like one that is stuck is stuck like it.
        pending.retain(|p| !runs.doubtful.contains(&class(*p)));
    }
    let Runs {
        failed,
        groups,
        mut passed,
        ..
    } = runs;
    let runs = packed(&stage, needed(groups));
    let mut rest = Effort::new(limit, stopped);
    let furthest = (!failed.is_empty()).then(|| furthest(&stage, &mut passed, &mut rest));
    let told = runs.iter().chain(&furthest).flat_map(|r| &r.moves);
    let told: Vec<&HonestMove> = told.collect();
    let stuck = blame(&stage, &failed, &passed, &told, &mut rest);
    let instance = |p: &usize| stage.parties[*p].instance;
    Honest {
        alike: alike.iter().map(instance).collect(),
        runs,
        stuck,
        furthest,
        stopped: effort.was_stopped() || rest.was_stopped(),
    }
}

/// A party for which no partners were found.
#[derive(Debug)]
pub(super) struct Failed {
    pub party: usize,
    /// There are none, for certain.
    pub certain: bool,
    pub best: Best,
}

struct Runs<'a> {
    stage: &'a Stage<'a>,
    finished: Vec<bool>,
    passed: FxHashSet<StepId>,
    failed: Vec<Failed>,
    /// The classes of those.
    doubtful: FxHashSet<usize>,
    groups: Vec<Group>,
    /// How often it began anew.
    rounds: usize,
}

impl Runs<'_> {
    /// Looks for groups without a common member, for parties that have not finished.
    fn round(&mut self, pending: &[usize], limit: usize, effort: &mut Effort<'_>) {
        let stage = self.stage;
        let mut used = Taken::new(stage);
        let mut fresh = true;
        let mut missed: FxHashSet<usize> = FxHashSet::default();
        for party in pending {
            let class = stage.parties[*party].class;
            if used.contains(*party) || missed.contains(&class) || self.doubtful.contains(&class) {
                continue;
            }
            if effort.was_stopped() {
                self.fail(*party, false, Best::default());
                continue;
            }
            let mut search = Search {
                stage,
                taken: &used,
                passed: &mut self.passed,
                best: Best::default(),
            };
            let found = effort.within(limit, |effort| search.partners(*party, effort));
            let best = search.best;
            match found {
                Found::Group(group) => {
                    for member in &group.members {
                        used.insert(stage, *member);
                        self.finished[*member] |= !stage.parties[*member].spied;
                    }
                    fresh = false;
                    self.groups.push(group);
                }
                Found::None | Found::Unknown if fresh => {
                    self.fail(*party, matches!(found, Found::None), best);
                }
                Found::None | Found::Unknown => {
                    missed.insert(class);
                    if self.rounds > 0 && missed.len() >= MISSES {
                        break;
                    }
                }
            }
        }
        self.rounds += 1;
    }

    fn fail(&mut self, party: usize, certain: bool, best: Best) {
        self.doubtful.insert(self.stage.parties[party].class);
        self.failed.push(Failed {
            party,
            certain,
            best,
        });
    }
}

/// The groups without those whose members all finish in other ones.
fn needed(mut groups: Vec<Group>) -> Vec<Group> {
    let mut often: FxHashMap<usize, usize> = FxHashMap::default();
    for member in groups.iter().flat_map(|g| &g.members) {
        *often.entry(*member).or_default() += 1;
    }
    groups.sort_by_key(|g| g.members.len());
    groups.retain(|group| {
        let spare = group.members.iter().all(|m| often[m] > 1);
        if spare {
            for member in &group.members {
                *often.entry(*member).or_default() -= 1;
            }
        }
        !spare
    });
    groups
}

/// Runs made of groups without a common member, in the order of the system.
fn packed(stage: &Stage<'_>, mut groups: Vec<Group>) -> Vec<HonestRun> {
    groups.sort_by_key(|g| g.members.iter().min().copied());
    let mut used: Vec<FxHashSet<usize>> = Vec::new();
    let mut runs: Vec<HonestRun> = Vec::new();
    for group in groups {
        let fits = |used: &FxHashSet<usize>| group.members.iter().all(|m| !used.contains(m));
        let at = used.iter().position(fits).unwrap_or_else(|| {
            used.push(FxHashSet::default());
            runs.push(HonestRun::default());
            runs.len() - 1
        });
        runs[at].moves.extend(group.moves);
        for member in group.members {
            used[at].insert(member);
            let party = &stage.parties[member];
            if !party.spied {
                runs[at].finished.push(party.instance);
            }
        }
    }
    for run in &mut runs {
        run.finished.sort_unstable();
        run.finished.dedup();
    }
    runs
}

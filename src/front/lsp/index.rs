//! The names of a text, by place.
//!
//! Names that stand or fall together form one group: all places that refer to one thing, and all
//! fresh names that one secrecy claim speaks of by their common label.

use rustc_hash::FxHashMap;

use crate::base::source::{FileId, Span};
use crate::lang::sema::{Mention, Referent};

/// A number of a group.
pub(super) type Group = usize;

/// The names of a text.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// In the order of the text.
    mentions: Vec<Mention>,
    /// The group of each mention.
    groups: Vec<Group>,
    /// The mentions of each group.
    members: Vec<Vec<usize>>,
    /// Where things are declared in the files that the text uses.
    elsewhere: FxHashMap<Referent, Vec<Span>>,
}

impl Index {
    /// Sorts the mentions of one file, which come in the order of the text, into groups; of other
    /// files only the declarations count.
    pub(super) fn new(mentions: Vec<Mention>, file: FileId) -> Index {
        let (mentions, others): (Vec<Mention>, Vec<Mention>) =
            mentions.into_iter().partition(|m| m.span.file == file);
        let mut elsewhere: FxHashMap<Referent, Vec<Span>> = FxHashMap::default();
        for mention in others.iter().filter(|m| m.binding) {
            elsewhere
                .entry(mention.referent)
                .or_default()
                .push(mention.span);
        }
        let mut parent: Vec<usize> = (0..mentions.len()).collect();
        let mut seen: FxHashMap<Referent, usize> = FxHashMap::default();
        for (i, mention) in mentions.iter().enumerate() {
            let first = *seen.entry(mention.referent).or_insert(i);
            join(&mut parent, first, i);
            if i > 0 && mentions[i - 1].span == mention.span {
                join(&mut parent, i - 1, i);
            }
        }
        let mut numbers: FxHashMap<usize, Group> = FxHashMap::default();
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut groups = Vec::with_capacity(mentions.len());
        for i in 0..mentions.len() {
            let root = root(&mut parent, i);
            let group = *numbers.entry(root).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            members[group].push(i);
            groups.push(group);
        }
        Index {
            mentions,
            groups,
            members,
            elsewhere,
        }
    }

    /// The places in used files that declare the names of a group.
    pub(super) fn elsewhere(&self, group: Group) -> Vec<Span> {
        let mut spans: Vec<Span> = self
            .of(group)
            .filter_map(|m| self.elsewhere.get(&m.referent))
            .flatten()
            .copied()
            .collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    /// The name at an offset, or just before it: its place and its group.
    pub(super) fn at(&self, offset: usize) -> Option<(Span, Group)> {
        let offset = offset as u32;
        let after = self.mentions.partition_point(|m| m.span.start <= offset);
        let touching = |i: &usize| self.mentions[*i].span.end >= offset;
        let i = after.checked_sub(1).filter(touching)?;
        Some((self.mentions[i].span, self.groups[i]))
    }

    /// All places of a group, in the order of the text.
    pub(super) fn places(&self, group: Group) -> Vec<Span> {
        let mut spans: Vec<Span> = self.of(group).map(|m| m.span).collect();
        spans.dedup();
        spans
    }

    /// The places that declare or bind the names of a group; its first place if none does.
    pub(super) fn bindings(&self, group: Group) -> Vec<Span> {
        let mut spans: Vec<Span> = self
            .of(group)
            .filter(|m| m.binding)
            .map(|m| m.span)
            .collect();
        spans.dedup();
        if spans.is_empty() {
            spans.extend(self.of(group).next().map(|m| m.span));
        }
        spans
    }

    /// What the place at `span` refers to, things that are bound in the text first.
    pub(super) fn referents(&self, span: Span) -> Vec<Referent> {
        let first = self.mentions.partition_point(|m| m.span < span);
        let here = self.mentions[first..].iter().take_while(|m| m.span == span);
        let here: Vec<Referent> = here.map(|m| m.referent).collect();
        let bound = |r: &Referent| {
            let group = self.groups[first];
            self.of(group).any(|m| m.referent == *r && m.binding)
        };
        let (mut named, rest): (Vec<Referent>, Vec<Referent>) = here.into_iter().partition(bound);
        named.extend(rest);
        named.dedup();
        named
    }

    /// What stands at a place, and whether it is bound there; of several things that which is bound
    /// in the text.
    pub(super) fn here(&self, span: Span) -> Option<(Referent, bool)> {
        let first = self.mentions.partition_point(|m| m.span < span);
        let here = self.mentions[first..].iter().take_while(|m| m.span == span);
        let mention = here.max_by_key(|m| m.binding)?;
        Some((mention.referent, mention.binding))
    }

    /// How the text resolves, without regard to what the names are: for each of
    /// [`Index::all_places`] the number of the first place of its group.
    pub(super) fn shape(&self) -> Vec<usize> {
        let mut first: FxHashMap<Group, usize> = FxHashMap::default();
        let groups = self.distinct().map(|(_, group)| group);
        let numbered = groups.enumerate();
        numbered
            .map(|(i, g)| *first.entry(g).or_insert(i))
            .collect()
    }

    /// All places of names, in the order of the text.
    pub(super) fn all_places(&self) -> Vec<Span> {
        self.distinct().map(|(span, _)| span).collect()
    }

    fn distinct(&self) -> impl Iterator<Item = (Span, Group)> {
        let all = self.mentions.iter().zip(&self.groups);
        let mut last = None;
        all.filter_map(move |(mention, group)| {
            let new = last.replace(mention.span) != Some(mention.span);
            new.then_some((mention.span, *group))
        })
    }

    fn of(&self, group: Group) -> impl Iterator<Item = &Mention> {
        let members = self.members.get(group).map_or(&[][..], |m| m);
        members.iter().map(|i| &self.mentions[*i])
    }
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

fn join(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
}

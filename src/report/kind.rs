//! Attack kinds in words, computed from the story of the certified run.
//!
//! The words are those of the literature; there they have no definitions, here they have. A run may be of several
//! kinds; the first is the one that explains most. With *author* of a message the player that sent it, *fed* for "is
//! used in a message that the attacker made for", and *sealed* for a ciphertext, signature or hash that the attacker
//! uses without opening it:
//!
//! 1. **type flaw**: a variable took a value that is not of its declared type, or no attack exists if messages keep to
//!    their declared types (decided by the search);
//! 2. **lost key**: the run uses a secret that the attacker was given by `knows`;
//! 3. **reflection**: a sealed term is fed to a player of the same agent that sent it;
//! 4. **man in the middle**: two players of different agents are fed from each other's messages, in both directions,
//!    and at least one of the two does not talk to the other's agent or gets an altered message;
//! 5. **replay**: a sealed term is accepted by two players of one role, or comes from recorded messages;
//! 6. **parallel session**: a player is fed from a player that is not the partner it thinks it talks to, or from two
//!    players of one role;
//! 7. **impersonation**: the attacker acts as an honest agent;
//! 8. **eavesdropping**: the attacker sends nothing, or only in its own name to agents that chose to talk to it.

use super::cast::Party;
use super::making::{Use, uses};
use super::story::{Context, Message, Story};
use crate::analysis::Attack;
use crate::certify::{Evidence, Source};
use crate::term::{NameClass, TermId, TermStore, View};
use std::fmt;

/// What an attack is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Kind {
    TypeFlaw,
    LostKey,
    Reflection,
    ManInTheMiddle,
    Replay,
    ParallelSession,
    Impersonation,
    Eavesdropping,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::TypeFlaw => "type flaw",
            Kind::LostKey => "lost key",
            Kind::Reflection => "reflection",
            Kind::ManInTheMiddle => "man in the middle",
            Kind::Replay => "replay",
            Kind::ParallelSession => "parallel session",
            Kind::Impersonation => "impersonation",
            Kind::Eavesdropping => "eavesdropping",
        })
    }
}

/// Something fed to a player: which message used what.
struct Feed<'s> {
    to: usize,
    message: &'s Message,
    used: &'s Use,
    /// The player that sent it; `None` for initial knowledge.
    author: Option<usize>,
}

/// The kinds of an attack, the one that explains most first. `also_typed` says whether an attack exists when types
/// are respected.
pub fn kinds(
    ctx: Context<'_>,
    attack: &Attack,
    story: &Story,
    also_typed: Option<bool>,
) -> Vec<Kind> {
    let look = Look { ctx, story };
    let feeds = look.feeds();
    let flaw = also_typed == Some(false) || look.confused();
    let middle = look.in_the_middle(&feeds);
    let tried = [
        (Kind::TypeFlaw, flaw),
        (Kind::LostKey, look.lost_key(&attack.replayed.evidence)),
        (Kind::Reflection, feeds.iter().any(|f| look.reflects(f))),
        (Kind::ManInTheMiddle, middle),
        (Kind::Replay, look.replays(&feeds)),
        (Kind::ParallelSession, !middle && look.parallel(&feeds)),
    ];
    let mut found: Vec<Kind> = tried
        .into_iter()
        .filter(|(_, yes)| *yes)
        .map(|(kind, _)| kind)
        .collect();
    if found.is_empty() {
        let acts = story.messages().any(|m| {
            matches!(
                &m.from,
                Party::Spy {
                    acting_as: Some(_),
                    ..
                }
            )
        });
        found.push(if acts {
            Kind::Impersonation
        } else {
            Kind::Eavesdropping
        });
    }
    found
}

struct Look<'a> {
    ctx: Context<'a>,
    story: &'a Story,
}

impl<'a> Look<'a> {
    fn feeds(&self) -> Vec<Feed<'a>> {
        let mut feeds = Vec::new();
        for message in self.story.messages() {
            let (Party::Player(to), Some(making)) = (&message.to, &message.making) else {
                continue;
            };
            for used in &making.uses {
                let author = match used.source {
                    Source::Initial(_) => None,
                    Source::Sent(at) => self.author(at),
                };
                feeds.push(Feed {
                    to: *to,
                    message,
                    used,
                    author,
                });
            }
        }
        feeds
    }

    fn author(&self, at: usize) -> Option<usize> {
        match self.story.sent_by(at)?.from {
            Party::Player(p) => Some(p),
            _ => None,
        }
    }

    /// A variable took a value that is not of its type.
    fn confused(&self) -> bool {
        self.story
            .messages()
            .flat_map(|m| &m.accepted)
            .flat_map(|a| &a.bound)
            .any(|b| !b.fits)
    }

    /// A secret among the initial knowledge is used: a key that opens or seals something.
    fn lost_key(&self, evidence: &Evidence) -> bool {
        let store = self.ctx.store;
        let knows = &self.ctx.program.signature.knows;
        let lost = |t: TermId| {
            knows.contains(&t)
                && match store.view(t) {
                    View::Name(n) => store.name_info(n).class == NameClass::Private,
                    View::Family(..) | View::Priv(_) => true,
                    _ => false,
                }
        };
        let last = match evidence {
            Evidence::Derived(d) => uses(d),
            Evidence::Sent { message, .. } => uses(message),
            Evidence::Reached | Evidence::Unmatched(_) => Vec::new(),
        };
        let makings = self.story.messages().filter_map(|m| m.making.as_ref());
        let learned = self.story.messages().flat_map(|m| &m.learned);
        makings
            .flat_map(|m| &m.uses)
            .chain(learned.flat_map(|l| &l.uses))
            .chain(&last)
            .any(|u| lost(u.term) || u.opened.iter().any(|(_, k)| lost(*k)))
    }

    fn same_agent(&self, a: usize, b: usize) -> bool {
        let players = &self.story.cast.players;
        players[a].owner == players[b].owner && players[a].owner.agent().is_some() || a == b
    }

    fn reflects(&self, feed: &Feed<'_>) -> bool {
        sealed(self.ctx.store, feed.used.term)
            && feed.author.is_some_and(|a| self.same_agent(a, feed.to))
    }

    /// Messages flow both ways between two players, and not as the two would have it.
    fn in_the_middle(&self, feeds: &[Feed<'_>]) -> bool {
        let mut flows: Vec<(usize, usize)> = feeds
            .iter()
            .filter_map(|f| Some((f.author?, f.to)))
            .collect();
        for m in self.story.messages() {
            if let (Party::Player(a), Party::Player(b)) = (&m.from, &m.to) {
                flows.push((*a, *b));
            }
        }
        flows.iter().any(|(a, b)| {
            !self.same_agent(*a, *b)
                && flows.contains(&(*b, *a))
                && feeds.iter().any(|f| {
                    let between =
                        (f.author, f.to) == (Some(*a), *b) || (f.author, f.to) == (Some(*b), *a);
                    between && (!f.used.whole || f.message.term != f.used.term || self.strays(f))
                })
        })
    }

    /// The author did not mean the message for the player that it was fed to.
    fn strays(&self, feed: &Feed<'_>) -> bool {
        let Source::Sent(at) = feed.used.source else {
            return true;
        };
        let Some(sent) = self.story.sent_by(at) else {
            return true;
        };
        let owner = self.story.cast.players[feed.to].owner.label(self.ctx.store);
        match &sent.to {
            Party::Player(p) => self.story.cast.players[*p].owner.label(self.ctx.store) != owner,
            Party::Spy {
                acting_as: Some(agent),
                ..
            } => *agent != owner,
            Party::Spy { .. } | Party::Anybody(_) => true,
        }
    }

    fn replays(&self, feeds: &[Feed<'_>]) -> bool {
        let store = self.ctx.store;
        let recorded = feeds
            .iter()
            .any(|f| matches!(f.used.source, Source::Initial(_)) && sealed(store, f.used.term));
        let definition = |p: usize| self.label(p);
        let mut taken: Vec<(usize, TermId)> = Vec::new();
        for m in self.story.messages() {
            let Party::Player(to) = m.to else { continue };
            for part in sealed_parts(store, m.term) {
                taken.push((to, part));
            }
        }
        let twice = taken.iter().enumerate().any(|(i, (p, t))| {
            taken[..i]
                .iter()
                .any(|(q, u)| t == u && p != q && definition(*p) == definition(*q))
        });
        recorded || twice
    }

    fn label(&self, player: usize) -> &str {
        let plays = &self.story.cast.players[player].plays;
        plays.split('(').next().unwrap_or(plays)
    }

    fn parallel(&self, feeds: &[Feed<'_>]) -> bool {
        let stray = feeds
            .iter()
            .any(|f| f.author.is_some_and(|a| a != f.to) && self.strays(f));
        let twice = feeds.iter().any(|f| {
            feeds.iter().any(|g| match (f.author, g.author) {
                (Some(a), Some(b)) => f.to == g.to && a != b && self.label(a) == self.label(b),
                _ => false,
            })
        });
        stray || twice
    }
}

/// A ciphertext, signature or hash.
fn sealed(store: &TermStore, t: TermId) -> bool {
    !sealed_parts(store, t).is_empty()
}

/// The ciphertexts, signatures and hashes of a message, not looking into them.
fn sealed_parts(store: &TermStore, t: TermId) -> Vec<TermId> {
    match store.view(t) {
        View::Tuple(parts) => parts.iter().flat_map(|p| sealed_parts(store, *p)).collect(),
        View::Senc(..) | View::Aenc(..) | View::Sign(..) | View::Hash(_) => vec![t],
        _ => Vec::new(),
    }
}

//! Attack kinds in words, computed from the story of the certified run.
//!
//! The words are those of the literature; there they have no definitions, here they have. A run may be of several
//! kinds; the first is the one that explains most. Players are role instances. A player is *fed* from another if the
//! attacker made a message for it with something out of a message of the other; a *sealed* term is a ciphertext,
//! signature or hash that the attacker uses without opening it.
//!
//! 1. **type flaw**: no attack exists if messages keep to their declared types (decided by the search), or a variable
//!    took a value that is not of its declared type, unless the honest run has the like there, or one of another kind than in the honest run: a name for a
//!    ciphertext, a tuple for a name. If there is an attack without a confusion too, the word does not stand alone.
//! 2. **lost key**: the run uses a secret that the attacker was given by `knows`.
//! 3. **reflection**: a sealed term is fed to the player that sent it, or to one of the same agent in another role.
//! 4. **man in the middle**: a player that thinks it talks to agent A is fed from a player of A, and either it gets an
//!    altered message that was meant for it, or the player of A talks to a spy in the spy's own name, or is fed in
//!    return; and not everything is simply handed on as it was meant.
//! 5. **replay**: a sealed term is accepted by two players of one role, or comes from recorded messages. If two
//!    acceptances are what the claim forbids, the run is no man in the middle.
//! 6. **parallel session**: a player is fed from a player of another run: one of other agents, that does not talk to it,
//!    or one of the same agent in the same role.
//! 7. **dishonest partner**: the attacker sends something of its own, but all of it in the name of a spy, to players that chose to talk to that
//!    or whose arguments name no partner and that are told of the spy, at least one. Such a player counts as honest whomever it talks to.
//! 8. **impersonation**: the attacker sends something of its own to a player that did not choose to talk to a spy.
//! 9. **eavesdropping**: the attacker sends nothing of its own, or only in its own name to agents that chose to talk to
//!    it, and what leaks was heard; or, whatever else happens, a player sends a name that it has made itself for
//!    everybody to read.
//! 10. **no secret**: what leaks follows from the initial knowledge alone.
//! 11. **no attacker needed**: nothing leaks and every message arrives as it was meant, or the honest run breaks the claim
//!     already, whatever else happens in the run that is shown.

use super::cast::Party;
use super::making::{Use, uses};
use super::story::{Binding, Context, Message, Story};
use super::undisturbed::broken;
use crate::analysis::{Attack, ClaimResult};
use crate::certify::{Derivation, Evidence, Source, Violation};
use crate::process::Action;
use crate::term::{NameClass, TermId, TermStore, View};
use std::fmt;

/// The kinds of an attack on a claim. If the claim fails although nobody interferes, no attacker explains anything.
pub fn kinds_of_attack(
    ctx: Context<'_>,
    result: &ClaimResult,
    attack: &Attack,
    story: &Story,
) -> Vec<Kind> {
    let claim = &result.claim.kind;
    let partial = claim
        .system()
        .is_some_and(|closed| ctx.program.systems[closed.system.index()].partial);
    // Where not everybody finishes, what happens without an attacker says nothing.
    let gate = result
        .gate
        .as_ref()
        .filter(|gate| !partial && gate.idle.is_empty());
    match gate.and_then(|gate| broken(ctx, claim, gate)) {
        Some(_) => vec![Kind::NoAttacker],
        None => kinds(ctx, attack, story, result.also_typed),
    }
}

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
    DishonestPartner,
    Impersonation,
    Eavesdropping,
    NoSecret,
    NoAttacker,
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
            Kind::DishonestPartner => "dishonest partner",
            Kind::Impersonation => "impersonation",
            Kind::Eavesdropping => "eavesdropping",
            Kind::NoSecret => "no secret",
            Kind::NoAttacker => "no attacker needed",
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
pub fn kinds<'a>(
    ctx: Context<'a>,
    attack: &'a Attack,
    story: &'a Story,
    also_typed: Option<bool>,
) -> Vec<Kind> {
    let look = Look { ctx, attack, story };
    let feeds = look.feeds();
    // Somebody who tells its secret to everybody needs no confusion for it, unless that is how it gets there.
    if also_typed != Some(false) && look.told_by_its_maker() {
        return vec![Kind::Eavesdropping];
    }
    let flaw = also_typed == Some(false) || look.confused();
    let reflects = feeds.iter().any(|f| look.reflects(f));
    let middle = feeds.iter().any(|f| look.in_the_middle(f, &feeds));
    let replays = look.replays(&feeds);
    // Whatever else happens in a run that is accepted twice, that is what is wrong with it.
    let twice = matches!(&attack.replayed.violation,
        Violation::Unmatched { events } if events.len() > 1);
    let middle = middle && !(twice && replays);
    let plain = !reflects && !middle && !replays;
    let parallel = feeds
        .iter()
        .any(|f| look.same_role(f) || plain && look.strays(f));
    let tried = [
        (Kind::TypeFlaw, flaw),
        (Kind::LostKey, look.lost_key(&attack.replayed.evidence)),
        (Kind::Reflection, reflects),
        (Kind::ManInTheMiddle, middle),
        (Kind::Replay, replays),
        (Kind::ParallelSession, parallel),
    ];
    let mut found: Vec<Kind> = tried
        .into_iter()
        .filter(|(_, yes)| *yes)
        .map(|(kind, _)| kind)
        .collect();
    // A confusion that is not needed explains nothing by itself.
    if found.is_empty() || also_typed == Some(true) && found == [Kind::TypeFlaw] {
        found.insert(0, look.plain());
    }
    found
}

fn in_own_name(party: &Party) -> bool {
    matches!(
        party,
        Party::Spy {
            acting_as: None,
            ..
        }
    )
}

struct Look<'a> {
    ctx: Context<'a>,
    attack: &'a Attack,
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

    /// Whether the secret is a name that its maker sends in the open.
    fn told_by_its_maker(&self) -> bool {
        let Evidence::Derived(derivation) = &self.attack.replayed.evidence else {
            return false;
        };
        let used = uses(derivation);
        let [used] = used.as_slice() else {
            return false;
        };
        let Source::Sent(at) = used.source else {
            return false;
        };
        let system = &self.attack.system;
        let origin = system.names.iter().find(|o| o.term == derivation.term);
        let sender = self.attack.witness.moves.get(at);
        used.opened.is_empty()
            && origin.zip(sender).is_some_and(|(origin, sender)| {
                let role = system.role_of(system.step(sender.step).instance);
                system.role_of(origin.instance) == role
            })
    }

    /// The kind of a run in which nothing sealed goes where it should not.
    fn plain(&self) -> Kind {
        // Where a role speaks to whoever is there, its partner is not known: it did not choose the spy.
        let chosen = |m: &Message| in_own_name(&m.from) && self.talks_to_spy(&m.to);
        let open = |m: &Message| in_own_name(&m.from) && self.is_told_of_spy(&m.to);
        let made = || self.story.messages().filter(|m| m.making.is_some());
        let acts = made().any(|m| !chosen(m));
        let openly = made().all(|m| chosen(m) || open(m));
        let heard = |d: &Derivation| uses(d).iter().any(|u| matches!(u.source, Source::Sent(_)));
        match &self.attack.replayed.evidence {
            _ if acts && openly => Kind::DishonestPartner,
            _ if acts => Kind::Impersonation,
            Evidence::Derived(d) if !heard(d) => Kind::NoSecret,
            Evidence::Sent { channel, message } if !heard(channel) && !heard(message) => {
                Kind::NoSecret
            }
            Evidence::Derived(_) | Evidence::Sent { .. } => Kind::Eavesdropping,
            Evidence::Reached | Evidence::Unmatched(_) => self.crossed(),
        }
    }

    /// Whether a player speaks for nobody but its owner, and was told in a message that it talks to a spy.
    fn is_told_of_spy(&self, party: &Party) -> bool {
        let Party::Player(player) = party else {
            return false;
        };
        let player = &self.story.cast.players[*player];
        let (store, system) = (self.ctx.store, &self.attack.system);
        let value = |t: TermId| self.story.values.of(store, t);
        let owner = player.owner.agent();
        let actors = &system.instance(player.role).actors;
        let own = system
            .steps
            .iter()
            .filter(|s| system.role_of(s.instance) == player.role);
        let mut bound = own.flat_map(|step| match &step.action {
            Action::Input { binder, .. } => std::slice::from_ref(binder),
            Action::Test { test, .. } => &test.binds,
            _ => &[],
        });
        actors.iter().all(|a| Some(value(*a)) == owner)
            && bound.any(|v| store.is_spy(value(store.var(*v))))
    }

    /// Whether a spy is among the agents of a player.
    fn talks_to_spy(&self, party: &Party) -> bool {
        let Party::Player(player) = party else {
            return false;
        };
        let role = self.story.cast.players[*player].role;
        let store = self.ctx.store;
        let actors = &self.attack.system.instance(role).actors;
        actors
            .iter()
            .any(|a| store.is_spy(self.story.values.of(store, *a)))
    }

    /// Nothing leaks and the attacker made nothing: either messages reached other players than they were meant for, or
    /// the claim fails in a run that nobody disturbs.
    fn crossed(&self) -> Kind {
        let players = &self.story.cast.players;
        let roles =
            |f: &dyn Fn(usize, usize) -> bool| (0..players.len()).any(|i| (0..i).any(|j| f(i, j)));
        // Two runs are needed for crossing.
        if roles(&|i, j| self.label(i) == self.label(j)) {
            Kind::ParallelSession
        } else {
            Kind::NoAttacker
        }
    }

    /// A variable took a value that is not of its type.
    fn confused(&self) -> bool {
        let odd = |b: &Binding| !b.fits || b.unusual;
        self.story.messages().any(|m| {
            m.taken.as_ref().is_some_and(odd) || m.accepted.iter().flat_map(|a| &a.bound).any(odd)
        })
    }

    /// A secret among the initial knowledge is used: a key that opens or seals something.
    fn lost_key(&self, evidence: &Evidence) -> bool {
        let store = self.ctx.store;
        let knows = &self.ctx.program.signature.knows;
        let nobodys = |m: &&Message| matches!(m.from, Party::Anybody(_));
        let given: Vec<TermId> = (self.story.messages().filter(nobodys))
            .flat_map(|m| m.learned.iter().flat_map(|l| l.terms.clone()))
            .collect();
        let lost = |t: TermId| {
            (knows.contains(&t) || given.contains(&t))
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
        let heard = self.story.messages().filter(|m| !nobodys(m));
        let learned = heard.flat_map(|m| &m.learned);
        makings
            .flat_map(|m| &m.uses)
            .chain(learned.flat_map(|l| &l.uses))
            .chain(&last)
            .any(|u| lost(u.term) || u.opened.iter().flat_map(|o| &o.with).any(|k| lost(*k)))
    }

    fn same_agent(&self, a: usize, b: usize) -> bool {
        let players = &self.story.cast.players;
        players[a].owner == players[b].owner && players[a].owner.agent().is_some() || a == b
    }

    fn reflects(&self, feed: &Feed<'_>) -> bool {
        let back = |a: usize| {
            a == feed.to || self.same_agent(a, feed.to) && self.label(a) != self.label(feed.to)
        };
        sealed(self.ctx.store, feed.used.term) && feed.author.is_some_and(back)
    }

    /// Fed from another player of the same agent in the same role.
    fn same_role(&self, feed: &Feed<'_>) -> bool {
        feed.author.is_some_and(|a| {
            a != feed.to && self.same_agent(a, feed.to) && self.label(a) == self.label(feed.to)
        })
    }

    fn in_the_middle(&self, feed: &Feed<'_>, feeds: &[Feed<'_>]) -> bool {
        let Some(author) = feed.author.filter(|a| !self.same_agent(*a, feed.to)) else {
            return false;
        };
        let Some(sent) = self.sent(feed) else {
            return false;
        };
        let expects_author = self.stands_for(&feed.message.from, author);
        let meant = self.stands_for(&sent.to, feed.to);
        let altered = sent.term != feed.message.term;
        let in_return = feeds
            .iter()
            .any(|f| f.author == Some(feed.to) && f.to == author);
        expects_author && (in_own_name(&sent.to) || meant && altered || !meant && in_return)
    }

    /// The message that something was taken from.
    fn sent(&self, feed: &Feed<'_>) -> Option<&'a Message> {
        match feed.used.source {
            Source::Sent(at) => self.story.sent_by(at),
            Source::Initial(_) => None,
        }
    }

    /// Whether a party is a player's agent, or the attacker in its place.
    fn stands_for(&self, party: &Party, player: usize) -> bool {
        let players = &self.story.cast.players;
        match party {
            Party::Player(p) => self.same_agent(*p, player),
            Party::Spy { acting_as, .. } => {
                acting_as.as_deref() == Some(&*players[player].owner.label(self.ctx.store))
            }
            Party::Anybody(_) => false,
        }
    }

    /// Fed from a player of a run of other agents, that did not mean the message for it.
    fn strays(&self, feed: &Feed<'_>) -> bool {
        let Some(author) = feed.author.filter(|a| *a != feed.to) else {
            return false;
        };
        let agents = |player: usize| {
            let system = &self.attack.system;
            let actors = &system.instance(self.story.cast.players[player].role).actors;
            let mut names: Vec<String> = actors
                .iter()
                .map(|a| {
                    self.ctx
                        .store
                        .show(self.story.values.of(self.ctx.store, *a))
                })
                .collect();
            names.sort();
            names
        };
        let (mine, theirs) = (agents(feed.to), agents(author));
        let apart =
            !mine.iter().all(|a| theirs.contains(a)) && !theirs.iter().all(|a| mine.contains(a));
        apart
            && self
                .sent(feed)
                .is_some_and(|m| !self.stands_for(&m.to, feed.to))
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
}

/// A ciphertext, signature or hash.
fn sealed(store: &TermStore, t: TermId) -> bool {
    !sealed_parts(store, t).is_empty()
}

/// The ciphertexts, signatures and hashes of a message, not looking into them.
fn sealed_parts(store: &TermStore, t: TermId) -> Vec<TermId> {
    match store.view(t) {
        View::Tuple(parts) => parts.iter().flat_map(|p| sealed_parts(store, *p)).collect(),
        _ if store.node(t).op.is_sealed() => vec![t],
        _ => Vec::new(),
    }
}

//! What a role does, read off the lowered program: the events that it marks, the secret keys that
//! it needs, the agents that it knows by name, and what it sends.
//!
//! Everything is computed on resolved terms. Definitions that a role continues with are part of it.
//! A variable that `let`, a pattern or a comparison has given a value stands for that value. So
//! names and the division into definitions do not matter. Parameters are shown by number, fresh
//! names by their label, received values as `?`.

use crate::process::{Body, DefId, Proc, ProcId, Program, SiteId, Test, TestKind};
use crate::term::{NameClass, Subst, TermId, TermStore, View, unify};

use super::Measure;
use super::exercise::spaceless;
use super::messages::{binding, learn, size};

/// At most this many steps of a role are read: enough for any role that a person writes.
const STEPS: usize = 20_000;

/// At most this many definitions are followed, one after another.
const DEPTH: usize = 12;

/// An event of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Which one.
    pub label: String,
    /// With its arguments, as text.
    pub text: String,
    /// Inputs that come before it.
    pub inputs: usize,
}

/// What a role does.
#[derive(Clone, Debug, Default)]
pub struct Conduct {
    /// The events.
    pub events: Vec<Marked>,
    /// The members of key families that only their owners have, and that it can't do without.
    pub keys: Vec<String>,
    /// Those that it could do without: it opens what it might as well make and compare.
    pub spared: Vec<String>,
    /// Private names that it mentions.
    pub secrets: Vec<String>,
    /// Agents that it mentions as such.
    pub agents: Vec<String>,
    /// What it uses as a channel, besides declared channels and names that it has made.
    pub channels: Vec<String>,
    /// Not all of it was read.
    pub cut: bool,
    parts: usize,
    encryptions: usize,
}

impl Conduct {
    /// How much the messages have.
    pub fn measure(&self, of: Measure) -> usize {
        match of {
            Measure::Parts => self.parts,
            Measure::Encryptions => self.encryptions,
        }
    }
}

/// The definitions that the systems of a program instantiate.
pub fn roles(program: &Program) -> Vec<DefId> {
    let mut found = Vec::new();
    let mut work: Vec<ProcId> = program.systems.iter().map(|s| s.body.root).collect();
    while let Some(p) = work.pop() {
        match program.proc(p) {
            Proc::Call { def, .. } => {
                if !found.contains(def) {
                    found.push(*def);
                }
            }
            Proc::Nil => {}
            Proc::Par(parts) => work.extend(parts),
            Proc::New(_, then)
            | Proc::Output { then, .. }
            | Proc::Input { then, .. }
            | Proc::Event { then, .. }
            | Proc::Phase { then, .. }
            | Proc::Replicate { body: then, .. } => work.push(*then),
            Proc::Test(_, then, otherwise) => work.extend([*then, *otherwise]),
        }
    }
    found.sort_unstable();
    found
}

/// What a definition does.
pub fn conduct(store: &TermStore, program: &Program, def: DefId) -> Conduct {
    let body = &program.definitions[def.index()].body;
    of_body(store, program, body)
}

fn of_body(store: &TermStore, program: &Program, body: &Body) -> Conduct {
    let mut reader = Reader {
        store,
        program,
        fresh: program.vars.len() as u32,
        found: Conduct::default(),
    };
    // Parameters stand for themselves, under their numbers.
    let params: Subst = (0..)
        .zip(&body.params)
        .map(|(i, p)| {
            let number: usize = i;
            let name = store.name(NameClass::Restricted, &format!("#{number}"), 0);
            (store.var(*p), name)
        })
        .collect();
    reader.read(body.root, &params);
    reader.found
}

/// A place in a role.
#[derive(Clone)]
struct Place {
    proc: ProcId,
    /// What variables must be equal to here.
    equal: Subst,
    /// What variables were made from: `let` and arguments, but nothing about messages that were
    /// received.
    made: Subst,
    inputs: usize,
    /// The number of definitions followed.
    depth: usize,
}

struct Reader<'a> {
    store: &'a TermStore,
    program: &'a Program,
    /// The next variable that nothing uses.
    fresh: u32,
    found: Conduct,
}

impl Reader<'_> {
    fn read(&mut self, root: ProcId, params: &Subst) {
        let mut work = vec![Place {
            proc: root,
            equal: params.clone(),
            made: params.clone(),
            inputs: 0,
            depth: 0,
        }];
        for _ in 0..STEPS {
            let Some(mut place) = work.pop() else {
                return;
            };
            match self.program.proc(place.proc) {
                Proc::Nil => {}
                Proc::Par(parts) => {
                    work.extend(parts.iter().rev().map(|p| Place {
                        proc: *p,
                        ..place.clone()
                    }));
                }
                Proc::New(sites, then) => {
                    for site in sites {
                        self.make(*site, &mut place);
                    }
                    place.proc = *then;
                    work.push(place);
                }
                Proc::Replicate { body: then, .. } | Proc::Phase { then, .. } => {
                    place.proc = *then;
                    work.push(place);
                }
                Proc::Output {
                    channel,
                    message,
                    then,
                    ..
                } => {
                    let sent = place.made.resolve(self.store, *message);
                    self.found.parts += size(self.store, sent, Measure::Parts);
                    self.found.encryptions += size(self.store, sent, Measure::Encryptions);
                    self.channel(place.equal.resolve(self.store, *channel));
                    self.built(place.equal.resolve(self.store, *message));
                    place.proc = *then;
                    work.push(place);
                }
                Proc::Input { channel, then, .. } => {
                    self.channel(place.equal.resolve(self.store, *channel));
                    place.inputs += 1;
                    place.proc = *then;
                    work.push(place);
                }
                Proc::Event {
                    event, args, then, ..
                } => {
                    self.mark(&place, event.index(), args);
                    place.proc = *then;
                    work.push(place);
                }
                Proc::Test(test, then, otherwise) => {
                    work.push(Place {
                        proc: *otherwise,
                        ..place.clone()
                    });
                    self.test(test, &mut place);
                    // What follows a rule of a destructor follows the next one too, and counts
                    // once.
                    if test.kind != TestKind::Rule {
                        place.proc = *then;
                        work.push(place);
                    }
                }
                Proc::Call { def, args, .. } => {
                    for a in args {
                        self.built(place.equal.resolve(self.store, *a));
                    }
                    if place.depth < DEPTH {
                        self.go_on(*def, args, &mut place);
                        work.push(place);
                    }
                }
            }
        }
        self.found.cut = !work.is_empty();
    }

    /// A fresh name stands for itself.
    fn make(&mut self, site: SiteId, place: &mut Place) {
        let info = &self.program.sites[site.index()];
        self.fresh += 1;
        let name = self
            .store
            .name(NameClass::Restricted, &info.label, self.fresh);
        let var = self.store.var(info.var);
        for known in [&mut place.equal, &mut place.made] {
            if known.get(var).is_none() {
                known.bind(var, name);
            }
        }
    }

    /// Goes on to a definition. Nothing but the arguments matters there; their variables get new
    /// numbers, since the definition may be one that we come from.
    fn go_on(&mut self, def: DefId, args: &[TermId], place: &mut Place) {
        let body = &self.program.definitions[def.index()].body;
        for known in [&mut place.equal, &mut place.made] {
            let mut renamed = Subst::new();
            let mut next = Subst::new();
            for (param, arg) in body.params.iter().zip(args) {
                let value = known.resolve(self.store, *arg);
                let value = self.store.map_atoms(value, &mut |atom| {
                    let View::Var(_) = self.store.view(atom) else {
                        return None;
                    };
                    if renamed.get(atom).is_none() {
                        self.fresh += 1;
                        renamed.bind(atom, self.store.var(self.fresh));
                    }
                    renamed.get(atom)
                });
                next.bind(self.store.var(*param), value);
            }
            *known = next;
        }
        place.depth += 1;
        place.proc = body.root;
    }

    fn mark(&mut self, place: &Place, event: usize, args: &[TermId]) {
        let Some(info) = self.program.events.get(event) else {
            return;
        };
        let label = info.label.to_string();
        let shown: Vec<String> = args
            .iter()
            .map(|a| self.shown(place.equal.resolve(self.store, *a)))
            .collect();
        for a in args {
            self.built(place.equal.resolve(self.store, *a));
        }
        self.found.events.push(Marked {
            text: spaceless(&format!("{label}({})", shown.join(","))),
            label,
            inputs: place.inputs,
        });
    }

    /// A test that succeeds: what it needs, and what is known after it.
    fn test(&mut self, test: &Test, place: &mut Place) {
        let store = self.store;
        for (subject, pattern) in &test.equations {
            self.built(place.equal.resolve(store, *subject));
            let pattern = place.equal.resolve(store, *pattern);
            if test.kind == TestKind::Match && !binding(store, pattern, &test.binds) {
                self.built(pattern);
            } else {
                self.opened(pattern, &test.binds);
            }
        }
        for (subject, pattern) in &test.equations {
            let subject = place.made.resolve(store, *subject);
            learn(store, *pattern, subject, &test.binds, &mut place.made);
        }
        let rank = |t: TermId| matches!(store.view(t), View::Var(_)).then_some(0);
        // Where it fails, two different parameters would have to be equal: they are told apart all
        // the same.
        unify(store, &test.equations, &rank, &mut place.equal);
    }

    fn channel(&mut self, channel: TermId) {
        self.built(channel);
        let made = match self.store.view(channel) {
            View::Name(n) => self.store.name_info(n).class == NameClass::Restricted,
            _ => false,
        };
        if !made && !self.program.signature.channels.contains(&channel) {
            let shown = spaceless(&self.shown(channel));
            if !self.found.channels.contains(&shown) {
                self.found.channels.push(shown);
            }
        }
    }

    /// What is needed to build a term.
    fn built(&mut self, term: TermId) {
        let store = self.store;
        let mut families = Vec::new();
        let mut atoms = Vec::new();
        store.visit(term, &mut |t| match store.view(t) {
            // The public part of a key pair is everybody's.
            View::Pub(pair) => match store.view(pair) {
                View::Family(_, args) => {
                    atoms.extend_from_slice(args);
                    false
                }
                _ => true,
            },
            View::Family(..) => {
                families.push(t);
                true
            }
            View::Name(_) => {
                atoms.push(t);
                true
            }
            _ => true,
        });
        for atom in atoms {
            self.mention(atom);
        }
        for member in families {
            self.need(member);
        }
    }

    /// What is needed to match a pattern: where variables are bound inside, an encryption is opened
    /// and a signature only checked; what has no variables to bind is made and compared.
    fn opened(&mut self, pattern: TermId, binds: &[u32]) {
        let store = self.store;
        match store.view(pattern) {
            View::Aenc(message, key) => {
                match store.view(key) {
                    View::Pub(pair) if binding(store, message, binds) => self.built(pair),
                    View::Pub(pair) => {
                        self.built(key);
                        if let View::Family(..) = store.view(pair) {
                            self.found.spared.push(spaceless(&self.shown(pair)));
                        }
                    }
                    _ => self.built(key),
                }
                self.opened(message, binds);
            }
            View::Sign(message, key) => {
                match store.view(key) {
                    View::Priv(pair) => self.built(store.pub_part(pair)),
                    _ => self.built(key),
                }
                self.opened(message, binds);
            }
            View::Senc(message, key) => {
                self.built(key);
                self.opened(message, binds);
            }
            View::Tuple(parts) => {
                for p in parts {
                    self.opened(*p, binds);
                }
            }
            View::Suc(inner) => self.opened(inner, binds),
            _ => self.built(pattern),
        }
    }

    fn need(&mut self, member: TermId) {
        let View::Family(_, args) = self.store.view(member) else {
            return;
        };
        // What has a spy among its arguments is the attacker's anyway.
        if args.iter().any(|a| self.store.is_spy(*a)) {
            return;
        }
        let shown = spaceless(&self.shown(member));
        if !self.found.keys.contains(&shown) {
            self.found.keys.push(shown);
        }
    }

    fn mention(&mut self, atom: TermId) {
        let View::Name(n) = self.store.view(atom) else {
            return;
        };
        let info = self.store.name_info(n);
        let list = match info.class {
            NameClass::Private => &mut self.found.secrets,
            _ if self.program.signature.agents.contains(&atom) || self.store.is_spy(atom) => {
                &mut self.found.agents
            }
            _ => return,
        };
        let label = info.label.to_string();
        if !list.contains(&label) {
            list.push(label);
        }
    }

    fn shown(&self, term: TermId) -> String {
        let store = self.store;
        store.show_with(term, &|atom| match store.view(atom) {
            View::Var(_) => Some("?".to_owned()),
            View::Name(n) => {
                let info = store.name_info(n);
                (info.class == NameClass::Restricted).then(|| info.label.to_string())
            }
            _ => None,
        })
    }
}

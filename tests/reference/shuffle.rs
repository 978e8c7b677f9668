//! The same process written in another way: bound names and variables renamed, parallel compositions reordered and regrouped,
//! restrictions moved, and what nobody sees added.

use super::process::{Check, P, T};
use super::random::Random;

/// Writes processes in another way.
pub struct Shuffle<'r> {
    random: &'r mut Random,
    fresh: usize,
    /// Restrictions that move to the front.
    moved: Vec<String>,
}

/// What bound names are called now; the last one counts.
type Scope = Vec<(String, String)>;

impl<'r> Shuffle<'r> {
    pub fn new(random: &'r mut Random) -> Self {
        Self {
            random,
            fresh: 0,
            moved: Vec::new(),
        }
    }

    /// The process, structurally congruent to what it was.
    pub fn process(&mut self, p: &P) -> P {
        let mut changed = self.within(p, &Scope::new());
        while !self.moved.is_empty() {
            let i = self.random.below(self.moved.len());
            changed = P::New(self.moved.swap_remove(i), Box::new(changed));
        }
        changed
    }

    fn name(&mut self, scope: &Scope, old: &str) -> (String, Scope) {
        self.fresh += 1;
        let new = format!("z{}", self.fresh);
        let mut inner = scope.clone();
        inner.push((old.to_owned(), new.clone()));
        (new, inner)
    }

    fn within(&mut self, p: &P, scope: &Scope) -> P {
        match p {
            P::Nil => P::Nil,
            P::Par(parts) => self.parallel(parts, scope),
            P::New(n, p) => {
                let (n, inner) = self.name(scope, n);
                let p = self.within(p, &inner);
                if self.random.one_in(2) {
                    self.moved.push(n);
                    p
                } else {
                    P::New(n, Box::new(p))
                }
            }
            P::Out(c, m, p) => P::Out(
                term(c, scope),
                term(m, scope),
                Box::new(self.within(p, scope)),
            ),
            P::In(c, x, p) => {
                let (x, inner) = self.name(scope, x);
                P::In(term(c, scope), x, Box::new(self.within(p, &inner)))
            }
            P::Phase(n, p) => P::Phase(*n, Box::new(self.within(p, scope))),
            P::Event(e, t, p) => {
                P::Event(e.clone(), term(t, scope), Box::new(self.within(p, scope)))
            }
            P::Integer(t, p, x, q) => {
                let (x, inner) = self.name(scope, x);
                let p = Box::new(self.within(p, scope));
                P::Integer(term(t, scope), p, x, Box::new(self.within(q, &inner)))
            }
            P::Test(check, p, q) => {
                let (check, inner) = self.check(check, scope);
                let p = Box::new(self.within(p, &inner));
                let q = q.as_ref().map(|q| Box::new(self.within(q, scope)));
                P::Test(check, p, q)
            }
        }
    }

    /// The parts in another order, in other groups, beside processes that do nothing.
    fn parallel(&mut self, parts: &[P], scope: &Scope) -> P {
        let mut parts: Vec<P> = parts.iter().map(|p| self.within(p, scope)).collect();
        if self.random.one_in(4) {
            let a = || T::Atom("a".to_owned());
            let silent = P::Test(Check::Match(a(), a()), Box::new(P::Nil), None);
            parts.push(if self.random.one_in(2) {
                P::Nil
            } else {
                silent
            });
        }
        for i in (1..parts.len()).rev() {
            parts.swap(i, self.random.below(i + 1));
        }
        while parts.len() > 2 && self.random.one_in(2) {
            let from = self.random.below(parts.len() - 1);
            let group = parts.splice(from..from + 2, []).collect();
            parts.push(P::Par(group));
        }
        P::Par(parts)
    }

    fn check(&mut self, check: &Check, scope: &Scope) -> (Check, Scope) {
        let of = |t: &T| term(t, scope);
        match check {
            Check::Match(t, u) => (Check::Match(of(t), of(u)), scope.clone()),
            Check::Split(t, x, y) => {
                let (x, inner) = self.name(scope, x);
                let (y, inner) = self.name(&inner, y);
                (Check::Split(of(t), x, y), inner)
            }
            Check::Decrypt(t, x, k) => {
                let (x, inner) = self.name(scope, x);
                (Check::Decrypt(of(t), x, of(k)), inner)
            }
            Check::DecryptPrivate(t, x, k) => {
                let (x, inner) = self.name(scope, x);
                (Check::DecryptPrivate(of(t), x, of(k)), inner)
            }
            Check::Verify(t, x, k) => {
                let (x, inner) = self.name(scope, x);
                (Check::Verify(of(t), x, of(k)), inner)
            }
            Check::Destruct(d, args, x) => {
                let (x, inner) = self.name(scope, x);
                let args = args.iter().map(of).collect();
                (Check::Destruct(d.clone(), args, x), inner)
            }
        }
    }
}

fn term(t: &T, scope: &Scope) -> T {
    let of = |t: &T| Box::new(term(t, scope));
    match t {
        T::Atom(name) => {
            let new = scope.iter().rfind(|(old, _)| old == name);
            T::Atom(new.map_or(name, |(_, new)| new).clone())
        }
        T::Zero => T::Zero,
        T::Suc(t) => T::Suc(of(t)),
        T::Pair(t, u) => T::Pair(of(t), of(u)),
        T::Hash(t) => T::Hash(of(t)),
        T::Senc(t, k) => T::Senc(of(t), of(k)),
        T::Aenc(t, k) => T::Aenc(of(t), of(k)),
        T::Sign(t, k) => T::Sign(of(t), of(k)),
        T::Pub(k) => T::Pub(of(k)),
        T::Priv(k) => T::Priv(of(k)),
        T::Apply(name, args) => {
            T::Apply(name.clone(), args.iter().map(|t| term(t, scope)).collect())
        }
    }
}

//! Terms as they are written, for the generator of mixtures: what a key is opened with is read off them.

use std::fmt::{Display, Formatter, Result};

/// A term as it is written.
#[derive(Clone, Debug)]
pub enum T {
    Atom(String),
    /// Successor, hash or a part of a key pair, or a member of a family of pairs: what stands before and after the argument.
    One(&'static str, Box<T>, &'static str),
    Two(Op, Box<T>, Box<T>),
}

/// What is made of two. Keys stand as they are.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Pair,
    Shared,
    Senc,
    Aenc,
    Sign,
}

pub const SUC: (&str, &str) = ("suc(", ")");
pub const HASH: (&str, &str) = ("H(", ")");
pub const MEMBER: (&str, &str) = ("K(", ")");
pub const PUB: (&str, &str) = ("(", ")+");
pub const PRIV: (&str, &str) = ("(", ")-");

pub fn one((before, after): (&'static str, &'static str), t: T) -> T {
    T::One(before, Box::new(t), after)
}

impl Display for T {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            T::Atom(name) => f.write_str(name),
            T::One(before, t, after) => write!(f, "{before}{t}{after}"),
            T::Two(op, t, u) => match op {
                Op::Pair => write!(f, "({t}, {u})"),
                Op::Shared => write!(f, "L({t}, {u})"),
                Op::Senc => write!(f, "{{{t}}}{u}"),
                Op::Aenc => write!(f, "{{[{t}]}}{u}"),
                Op::Sign => write!(f, "[{{{t}}}]{u}"),
            },
        }
    }
}

//! Processes with functions of their own in the place of the built-in encryptions and signatures.
//!
//! The header declares for each built-in operator a function and, for what opens, a destructor with the same rule. A process that is written with them
//! has the same runs, and nobody can tell it from the one that is written as usual.

use super::process::{Check, P, T};
use std::fmt::Write;

/// The functions and destructors that stand for the built-in operators.
pub const HEADER: &str = "\
channel c, d
public a, b, ok
function enc(Msg, Msg)
function penc(Msg, Msg)
function sig(Msg, Msg)
function pk(Msg)
function sk(Msg)
function digest(Msg)
destructor dec(enc(x, y), y) = x
destructor pdec(penc(x, pk(y)), sk(y)) = x
destructor read(sig(x, sk(y)), pk(y)) = x
";

/// A term with declared functions.
fn term(t: &T) -> String {
    match t {
        T::Atom(name) => name.clone(),
        T::Zero => "0".to_owned(),
        T::Suc(t) => format!("suc({})", term(t)),
        T::Pair(t, u) => format!("({}, {})", term(t), term(u)),
        T::Hash(t) => format!("digest({})", term(t)),
        T::Senc(t, k) => format!("enc({}, {})", term(t), term(k)),
        T::Aenc(t, k) => format!("penc({}, pk({}))", term(t), term(k)),
        T::Sign(t, k) => format!("sig({}, sk({}))", term(t), term(k)),
        T::Pub(k) => format!("pk({})", term(k)),
        T::Priv(k) => format!("sk({})", term(k)),
        T::Apply(name, args) => format!("{name}({})", terms(args)),
    }
}

fn terms(args: &[T]) -> String {
    let all: Vec<String> = args.iter().map(term).collect();
    all.join(", ")
}

/// A process with declared functions and destructors.
pub fn process(p: &P) -> String {
    match p {
        P::Nil => "0".to_owned(),
        P::Par(parts) => {
            let parts: Vec<String> = parts.iter().map(process).collect();
            format!("( {} )", parts.join(" | "))
        }
        P::New(n, p) => format!("new {n}. {}", process(p)),
        P::Out(c, m, p) => format!("{}<{}>. {}", term(c), term(m), process(p)),
        P::In(c, x, p) => format!("{}({x}). {}", term(c), process(p)),
        P::Phase(n, p) => format!("phase {n}. {}", process(p)),
        P::Event(e, t, p) => format!("event {e}({}). {}", term(t), process(p)),
        P::Integer(t, p, x, q) => {
            let (p, q) = (process(p), process(q));
            format!("case {} of 0: ( {p} ) suc({x}): ( {q} )", term(t))
        }
        P::Test(check, p, q) => {
            let mut text = match check {
                Check::Match(t, u) => format!("[{} is {}]", term(t), term(u)),
                Check::Split(t, x, y) => format!("let ({x}, {y}) = {} in", term(t)),
                Check::Decrypt(t, x, k) => format!("let {x} = dec({}, {}) in", term(t), term(k)),
                Check::DecryptPrivate(t, x, k) => {
                    format!("let {x} = pdec({}, sk({})) in", term(t), term(k))
                }
                Check::Verify(t, x, k) => {
                    format!("let {x} = read({}, pk({})) in", term(t), term(k))
                }
                Check::Destruct(d, args, x) => format!("let {x} = {d}({}) in", terms(args)),
            };
            let _ = write!(text, " ( {} )", process(p));
            if let Some(q) = q {
                let _ = write!(text, " else ( {} )", process(q));
            }
            text
        }
    }
}

//! Terms in the syntax of the language.

use super::{Op, Printed, TermId, TermStore, View};
use std::fmt::Write;

/// The name of the destructor that raises shares to powers.
pub const POWER: &str = "^";

/// How atoms are spelt; `None` falls back to the default spelling.
pub trait Naming {
    /// The spelling of a name, variable, generic or index.
    fn spell(&self, atom: TermId) -> Option<String>;

    /// Whether tuples keep their arity, so that a tuple at the end of a pair needs its parentheses.
    fn keeps_arity(&self) -> bool {
        false
    }
}

impl<F: Fn(TermId) -> Option<String>> Naming for F {
    fn spell(&self, atom: TermId) -> Option<String> {
        self(atom)
    }
}

impl TermStore {
    /// The term with default names: labels, `x7` for variables, `?3` for generics, `#2` for indices.
    pub fn show(&self, t: TermId) -> String {
        self.show_with(t, &|_| None)
    }

    /// The term with the given names.
    pub fn show_with(&self, t: TermId, naming: &impl Naming) -> String {
        let mut out = String::new();
        self.print(t, naming, &mut out);
        out
    }

    fn print(&self, t: TermId, naming: &impl Naming, out: &mut String) {
        if self.node(t).args.is_empty()
            && let Some(text) = naming.spell(t)
        {
            out.push_str(&text);
            return;
        }
        let node = self.node(t);
        let args = &node.args;
        match node.op.row().printed {
            Printed::Atom => self.print_atom(t, out),
            Printed::Number => self.print_integer(t, naming, out),
            Printed::Tuple => {
                out.push('(');
                self.print_list(t, naming, out);
                out.push(')');
            }
            Printed::Call(word) => {
                out.push_str(word);
                out.push('(');
                match args.as_slice() {
                    [one] => self.print_list(*one, naming, out),
                    all => self.print_all(all, naming, out),
                }
                out.push(')');
            }
            Printed::Infix(sign) => {
                self.print_base(args[0], naming, out);
                out.push(sign);
                self.print_exponent(args[1], naming, out);
            }
            Printed::Suffix(sign) => self.print_part(args[0], sign, naming, out),
            Printed::Braces { open, close } => {
                let (message, key) = (args[0], args[1]);
                let plain = node.op.needs_no_mark(self.node(key).op);
                let (open, close) = if plain { ("{", "}") } else { (open, close) };
                out.push_str(open);
                self.print_list(message, naming, out);
                out.push_str(close);
                self.print(key, naming, out);
            }
            Printed::Declared => {
                out.push_str(self.declared_label(node.op));
                if args.is_empty() {
                    return;
                }
                out.push('(');
                self.print_all(args, naming, out);
                out.push(')');
            }
        }
    }

    fn print_all(&self, args: &[TermId], naming: &impl Naming, out: &mut String) {
        for (i, a) in args.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.print(*a, naming, out);
        }
    }

    fn print_atom(&self, t: TermId, out: &mut String) {
        let _ = match self.node(t).op {
            Op::Var(v) => write!(out, "x{v}"),
            Op::Generic(g) => write!(out, "?{g}"),
            Op::Index(i) => write!(out, "#{i}"),
            op => {
                out.push_str(self.declared_label(op));
                match op {
                    Op::Name(n) if self.name_info(n).copy > 0 => {
                        write!(out, "'{}", self.name_info(n).copy)
                    }
                    _ => Ok(()),
                }
            }
        };
    }

    /// A part of a key pair. `{a}k+` is an encryption with `k+`, so the pair may need brackets.
    fn print_part(&self, pair: TermId, sign: char, naming: &impl Naming, out: &mut String) {
        let op = self.node(pair).op;
        if op.is_cipher() || matches!(op.row().printed, Printed::Infix(_)) {
            out.push('(');
            self.print(pair, naming, out);
            out.push(')');
        } else {
            self.print(pair, naming, out);
        }
        out.push(sign);
    }

    /// The base of a power, left of the sign, which takes the key of a ciphertext with it.
    fn print_base(&self, base: TermId, naming: &impl Naming, out: &mut String) {
        self.print_grouped(base, self.node(base).op.is_cipher(), naming, out);
    }

    /// The exponent of a power: what stands right of the sign ends before the next.
    fn print_exponent(&self, exponent: TermId, naming: &impl Naming, out: &mut String) {
        let op = self.node(exponent).op;
        let open = op.is_cipher() || matches!(op.row().printed, Printed::Infix(_));
        self.print_grouped(exponent, open, naming, out);
    }

    fn print_grouped(&self, t: TermId, grouped: bool, naming: &impl Naming, out: &mut String) {
        if grouped {
            out.push('(');
        }
        self.print(t, naming, out);
        if grouped {
            out.push(')');
        }
    }

    /// A message without the parentheses of its outermost tuple; right-nested pairs are written flat if they are tuples.
    fn print_list(&self, t: TermId, naming: &impl Naming, out: &mut String) {
        let mut rest = t;
        while let View::Tuple(parts) = self.view(rest) {
            let Some((last, front)) = parts.split_last() else {
                break;
            };
            for part in front {
                self.print(*part, naming, out);
                out.push_str(", ");
            }
            rest = *last;
            if parts.len() > 2 || naming.keeps_arity() {
                break;
            }
        }
        self.print(rest, naming, out);
    }

    fn print_integer(&self, t: TermId, naming: &impl Naming, out: &mut String) {
        let (mut n, mut base) = (0u32, t);
        while let View::Suc(inner) = self.view(base) {
            n += 1;
            base = inner;
        }
        if self.view(base) == View::Zero {
            let _ = write!(out, "{n}");
            return;
        }
        out.push_str(&"suc(".repeat(n as usize));
        self.print(base, naming, out);
        out.push_str(&")".repeat(n as usize));
    }
}

/// A destructor applied to some arguments, as it is written.
pub fn application(label: &str, args: &[String]) -> String {
    match args {
        [base, exponent] if label == POWER => power(base, exponent),
        _ => format!("{label}({})", args.join(", ")),
    }
}

/// `M^N` of texts, with parentheses where there may be need of them.
pub fn power(base: &str, exponent: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '#' | '?');
    let grouped = |text: &str, also: char| {
        if text.chars().all(|c| is_plain(c) || c == also) {
            text.to_owned()
        } else {
            format!("({text})")
        }
    };
    format!("{}^{}", grouped(base, '^'), grouped(exponent, '_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::FamilyKind;

    #[test]
    fn terms_print_as_they_are_typed() {
        let s = TermStore::new();
        let [a, b, k] = ["a", "b", "k"].map(|l| s.public(l));
        let fam = s.family(s.family_id(FamilyKind::KeyPair, "K", 1), &[a]);
        assert_eq!(
            s.show(s.aenc(s.nested(&[a, b, k]), s.pub_part(fam))),
            "{a, b, k}K(a)+"
        );
        assert_eq!(s.show(s.aenc(a, k)), "{[a]}k");
        assert_eq!(s.show(s.sign(a, s.priv_part(k))), "{a}k-");
        assert_eq!(
            s.show(s.senc(s.pair(s.pair(a, b), k), s.hash(k))),
            "{(a, b), k}H(k)"
        );
        assert_eq!(s.show(s.pub_part(s.senc(a, k))), "({a}k)+");
        let single = s.family(s.family_id(FamilyKind::Symmetric, "S", 0), &[]);
        assert_eq!(s.show(s.senc(a, single)), "{a}S");
        assert_eq!(s.show(s.senc(a, s.pub_part(k))), "{|a|}k+");
        assert_eq!(s.show(s.senc(a, s.priv_part(k))), "{|a|}k-");
        assert_eq!(s.show(s.share(b, s.share(b, a))), "b^(b^a)");
        let joint = s.joint(s.share(b, k), s.pub_part(a));
        assert_eq!(s.show(s.senc(joint, joint)), "{b^k^a+}b^k^a+");
        assert_eq!(s.show(s.pub_part(joint)), "(b^k^a+)+");
        assert_eq!(s.show(s.suc(s.suc(s.zero()))), "2");
        assert_eq!(s.show(s.suc(a)), "suc(a)");
        assert_eq!(s.show(s.nested(&[a, b, k])), "(a, b, k)");
    }
}

//! Words of other notations, and what to write instead.
//!
//! Users come from `ProVerif`, Scyther, Tamarin or from a paper; the word they typed tells what they
//! wanted.

use super::token::{Kind, Token};

/// What to write instead of a word of another notation, for words that are not declared.
pub fn hint(word: &str) -> Option<&'static str> {
    Some(match word {
        "out" | "send" | "output" => "an output is written `c<M>. P`",
        "recv" | "receive" | "read" | "input" => "an input is written `c(x). P`",
        "process" | "main" => "the process to analyse is written `system S = …`",
        "free" | "const" | "constant" | "name" => {
            "public names are declared with `public n`, channels with `channel c`, secret ones with `private s`"
        }
        "query" | "lemma" | "claim" | "goal" => {
            "a claim starts with its kind: `secrecy n in S`, `agreement E(x) => F(x) in S`, …"
        }
        "role" | "proc" | "let_process" | "define" => "a role is written `def Role(a: Agent) = …`",
        "type" | "types" => "the types are fixed: Agent Nonce Name Sym Pub Priv Data Int Msg",
        "fun" | "reduc" | "equation" | "functions" | "hashfunction" => {
            "the operations are fixed: tuples, `H(M)`, `suc(M)`, `{M}k`, `{M}K+`, `{M}K-`"
        }
        "enc" | "senc" | "encrypt" | "aenc" => {
            "an encryption is written `{M}k`, or `{M}K+` for public keys"
        }
        "dec" | "sdec" | "decrypt" | "adec" => "a decryption is written `case M of {x}k in P`",
        "sign" => "a signature is written `{M}K-`",
        "verify" | "checksign" => "a signature is checked by `case M of {x}K+ in P`",
        "pk" => "the public part of the key pair K is written `K+`",
        "sk" => "the private part of the key pair K is written `K-`",
        "nil" | "stop" | "null" => "the process that does nothing is `0`",
        "fresh" | "nu" | "restrict" => "a fresh name is made by `new n. P`",
        "agents" | "principal" | "principals" => "agents are declared with `agent A, B`",
        _ => return None,
    })
}

/// The declaration keyword nearest to a word, if one is near.
pub fn nearest_declaration(word: &str) -> Option<&'static str> {
    let keywords = Token::KEYWORDS
        .iter()
        .filter(|(_, t)| t.kind() <= Kind::Equivalence);
    nearest(word, keywords.map(|(text, _)| *text))
}

/// The candidate nearest to `word` by edit distance, if it is near enough to be meant: at most one
/// edit for short words, a third of the length for longer ones. The first of several wins.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let d = distance(word, candidate);
        if d > 0 && d <= limit && best.is_none_or(|(b, _)| d < b) {
            best = Some((d, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance with swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    let width = b.len() + 1;
    let mut table: Vec<usize> = vec![0; (a.len() + 1) * width];
    for (j, cost) in table.iter_mut().take(width).enumerate() {
        *cost = j;
    }
    for i in 1..=a.len() {
        table[i * width] = i;
        for j in 1..=b.len() {
            let differ = usize::from(a[i - 1] != b[j - 1]);
            let mut cost = (table[(i - 1) * width + j] + 1)
                .min(table[i * width + j - 1] + 1)
                .min(table[(i - 1) * width + j - 1] + differ);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if swapped {
                cost = cost.min(table[(i - 2) * width + j - 2] + 1);
            }
            table[i * width + j] = cost;
        }
    }
    table[a.len() * width + b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        assert_eq!(nearest_declaration("agnet"), Some("agent"));
        assert_eq!(nearest_declaration("chanel"), Some("channel"));
        assert_eq!(
            nearest_declaration("secrecy"),
            None,
            "the word itself is no help"
        );
        assert_eq!(nearest_declaration("banana"), None);
        assert_eq!(nearest("Na", ["Nb", "Ma"].into_iter()), Some("Nb"));
        assert_eq!(nearest("x", ["yy"].into_iter()), None);
    }
}

//! Words of other notations: what to write instead, or that it can't be said.
//!
//! Users come from `ProVerif`, `DeepSec`, Tamarin, Scyther, Verifpal or from a paper; the word they typed tells what they
//! wanted. Each word has its own sentence. What the language does not have is said as plainly as what it has: a model
//! that only looks right would be worse than none.

use super::token::{Kind, Token};

/// What to write instead of a word of another notation, for words that are not declared.
pub fn hint(word: &str) -> Option<&'static str> {
    actions(word)
        .or_else(|| declarations(word))
        .or_else(|| operations(word))
        .or_else(|| claims(word))
        .or_else(|| numbered(word))
}

/// The same for words that open a declaration or a claim.
pub(super) fn opening(word: &str) -> Option<&'static str> {
    let also = matches!(word, "table" | "restriction" | "axiom");
    declarations(word)
        .or_else(|| claims(word))
        .or_else(|| actions(word).filter(|_| also))
}

/// Words for what a role does.
fn actions(word: &str) -> Option<&'static str> {
    Some(match word {
        "out" | "Out" | "send" | "output" => "an output is written `c<M>. P`, not `out(c, M)`",
        "In" | "recv" | "receive" | "read" | "input" => {
            "an input is written `c(x). P`, not `in(c, x)`; `c(=M, y)` compares the first part"
        }
        "nil" | "stop" | "null" => "the process that does nothing is `0`",
        "fresh" | "Fr" | "nu" | "restrict" | "generates" => "a fresh name is made by `new n. P`",
        "leaks" => {
            "what leaks is sent where everybody can read it: `net<k>`; to leak it late, send it after the step that it has to follow"
        }
        "insert" | "get" | "table" => {
            "there are no tables; a value is kept by sending it on a private channel, `private store`: `store<M>` puts it there and `store(x)` takes it"
        }
        "yield" | "sync" | "barrier" => {
            "there are no barriers; order is made by messages, on a private channel if nobody may interfere"
        }
        "choice" | "diff" => {
            "there is no `choice`; write a system with a parameter and compare two uses of it: `S(m1) ~ S(m2)`"
        }
        "match" | "not" => "a test is written `[M is N] P else Q`",
        "restriction" | "axiom" | "Eq" => {
            "runs can't be left out by a restriction; a test is written where it is made: `[M is N] P`"
        }
        _ => return None,
    })
}

/// Words that open a declaration.
fn declarations(word: &str) -> Option<&'static str> {
    Some(match word {
        "process" | "main" => "the process to analyse is written `system S = …`",
        "let" | "proc" | "let_process" | "define" => "a process is defined by `def P(x, y) = …`",
        "free" | "name" => {
            "public names are declared with `public n`, channels with `channel c`, secret ones with `private s`"
        }
        "const" | "constant" | "constants" => "a constant that everybody knows is `public n`",
        "type" | "types" => {
            "types can't be declared; they are Agent Nonce Name Sym Pub Priv Data Int Msg"
        }
        "usertype" => {
            "types can't be declared; a value of a kind of its own is `Data`, a key is `Sym`"
        }
        "bitstring" | "Ticket" => "a message of any kind has the type `Msg`, which may be left out",
        "fun" | "functions" | "hashfunction" => {
            "a function is declared with `function f(Msg, Sym)`, or `private function f(Msg)` if the attacker can't apply it; what takes it apart is a `destructor`"
        }
        "reduc" | "rewrite" => {
            "what takes messages apart is declared with `destructor open(seal(x, k), k) = x`: without `forall`, names that are not declared are variables"
        }
        "equation" | "equations" => {
            "equations between messages can't be declared; what takes one apart is a partial function: `destructor open(seal(x, k), k) = x`, used as `let x = open(M, k) in P`"
        }
        "builtins" => {
            "hashing, symmetric and asymmetric encryption and signatures are always there; `use mac, aead, kdf, sig` brings further ones, and `spi explain aead` shows what"
        }
        "principal" => {
            "a principal is an agent and a role: `agent Alice` and `def Role(a: Agent) = …`, played in `system S = Role(Alice)`"
        }
        "agents" | "principals" => "agents are declared with `agent A, B`",
        "attacker" | "intruder" => {
            "the attacker is always active and on every channel; a dishonest agent is `spy C`, and what the attacker knows besides is `knows M`"
        }
        "untrusted" | "compromised" => "a dishonest agent, whose keys the attacker has, is `spy C`",
        "role" => "a role is written `def Role(a: Agent, b: Agent) = …`",
        "Protocol" => {
            "a protocol is told line by line in `protocol P(A, B)`, with lines `A -> B: M`, or written as a `def` for each role"
        }
        "theory" | "begin" | "end" => {
            "a file is a list of declarations, without a frame: `agent`, `channel`, keys, `def` for each role, `system`, claims"
        }
        "rule" => {
            "there are no rules; a role is a process: `def Role(a: Agent) = net(x). … net<M>. …`"
        }
        "set" | "option" => {
            "settings are options of the command line: `spi check --help` lists them"
        }
        "macro" => "there are no macros; `let x = M in P` gives a message a name",
        "inverse" | "inversekeys" => {
            "a key pair is declared with `keypair K(Agent)`; its parts are `K(a)+` and `K(a)-`"
        }
        _ => return None,
    })
}

/// Words for operations on messages.
fn operations(word: &str) -> Option<&'static str> {
    Some(match word {
        "exp" | "pow" | "dh" | "DH" | "G" => {
            "a power is written `g^x`, the key of an exchange `g^x^y`, and the base is declared: `group g`; three exponents, inverses and sums can't be said"
        }
        "xor" | "XOR" => {
            "there is no exclusive or: it can't be said, since it rests on equations; if it only hides a message, `{M}k` does"
        }
        "mult" | "inv" | "add" => "there is no arithmetic but `suc(M)`: it can't be said",
        "mac" | "MAC" | "hmac" | "HMAC" => {
            "a MAC is `mac(M, k)` after `use mac`; whoever has k checks it with `=mac(M, k)`"
        }
        "h" | "HASH" | "sha" | "sha256" => "the hash of M is `H(M)`, of several parts `H(M, N)`",
        "enc" | "encrypt" | "senc" | "ENC" => "symmetric encryption is written `{M}k`",
        "dec" | "decrypt" | "sdec" | "DEC" => {
            "symmetric decryption is written `case M of {x}k in P`"
        }
        "aenc" | "PKE_ENC" => "encryption with a public key is written `{M}K(a)+`",
        "adec" | "PKE_DEC" => "decryption with a private key is written `case M of {x}K(a)- in P`",
        "aead" | "AEAD_ENC" | "AEAD_DEC" => {
            "authenticated encryption is `aead(k, n, d, M)` after `use aead`, opened by `let x = open(c, k, n, d) in P`"
        }
        "sign" | "SIGN" => "a signature is written `{M}K(a)-`",
        "verify" | "checksign" => {
            "a signature that shows what was signed is checked by `case M of {x}K(a)+ in P`; one that does not is `sig(M, K(a)-)` after `use sig`, checked by `let _ = verify(s, M, K(a)+) in P`"
        }
        "SIGNVERIF" => {
            "a signature is `sig(M, K(a)-)` after `use sig`, checked by `let _ = verify(s, M, K(a)+) in P`"
        }
        "pk" | "pub" => "the public part of a key pair is written `K(a)+`",
        "sk" => "the private part of a key pair is written `K(a)-`",
        "fst" | "snd" | "proj" | "pair" => {
            "a pair is written `(M, N)` and taken apart by a pattern: `let (x, y) = M in P`"
        }
        "blind" | "unblind" | "BLIND" | "UNBLIND" => {
            "a blind signature is made after `use blind`: `blind(M, r)` is signed, and `let s = unblind(t, r) in P` takes the blinding away"
        }
        "commit" => {
            "a commitment is `commit(M, r)` after `use commit`; it is opened by sending M and r, and checked with `=commit(M, r)`"
        }
        "open" => {
            "what a function makes is opened by a destructor: `destructor open(seal(x, k), k) = x`; that of `aead` comes with `use aead`"
        }
        "encap" | "decap" | "KEM_ENC" | "kem" => {
            "a key is encapsulated by `encap(s, K(b)+)` after `use kem`, with a fresh s, and taken out by `let s = decap(c, K(b)-) in P`"
        }
        "trapdoor" | "zk" => "trapdoors and zero-knowledge proofs can't be said",
        "SHAMIR_SPLIT" | "SHAMIR_JOIN" | "RINGSIGN" | "RINGSIGNVERIF" => {
            "there is no library for this; functions of one's own are declared with `function` and `destructor`"
        }
        "PW_HASH" => "a hash of a password is `H(M)`; that passwords can be guessed can't be said",
        "CONCAT" | "SPLIT" => {
            "messages are put together by a tuple, `(M, N)`, and taken apart by a pattern: `let (x, y) = M in P`"
        }
        "checkmac" | "ASSERT" => "two messages are compared by `[M is N] P`",
        "HKDF" | "extract" | "expand" => {
            "after `use hkdf`, `extract(s, M)` makes a key of the secret M with the salt s, and `expand(k, l)` a further one for each label l"
        }
        "kdf" | "KDF" | "prf" | "PRF" => {
            "a derived key is `kdf(M, l)` after `use kdf`: both sides write it with the same label l"
        }
        _ => return None,
    })
}

/// Words for what is asked.
fn claims(word: &str) -> Option<&'static str> {
    Some(match word {
        "query" | "queries" | "lemma" | "claim" | "goal" | "goals" => {
            "a claim starts with its kind: `secrecy n in S`, `agreement E(x) => F(x) in S`, `S ~ T`"
        }
        "confidentiality" | "secret" | "Secret" | "SKR" | "weaksecret" => {
            "secrecy is claimed by `secrecy n in S`"
        }
        "authentication" | "correspondence" | "Nisynch" | "Niagree" => {
            "authentication is claimed by `injective agreement E(x) => F(x) in S`, where the roles have `event E(x)` and `event F(x)`"
        }
        "Alive" | "Weakagree" | "Commit" | "Running" => {
            "who ran with whom is marked by `event E(a, b)` and claimed by `aliveness`, `weak agreement` or `agreement`"
        }
        "inj" => "an injective claim is written `injective agreement E(x) => F(x) in S`",
        "freshness" => "that nothing is accepted twice is `injective agreement E(x) => F(x) in S`",
        "noninterf" | "unlinkability" => {
            "that nobody can tell values apart is `strong secrecy x in S`, or a comparison: `S(m1) ~ S(m2)`"
        }
        "trace_equiv" | "session_equiv" | "obs_equiv" => {
            "an equivalence is claimed by `S ~ T`; it is testing equivalence, which may test"
        }
        "trace_incl" | "session_incl" => "an inclusion is claimed by `S <= T`",
        "all" | "Ex" | "forall" | "exists" => {
            "claims have no quantifiers: variables of `agreement E(x, y) => F(x, y) in S` stand for all values"
        }
        _ => return None,
    })
}

/// Scyther's `send_1`, `recv_1`, `claim_i1`.
fn numbered(word: &str) -> Option<&'static str> {
    let (head, _) = word.split_once('_')?;
    Some(match head {
        "send" => {
            "`send_1(I, R, M)` is the output `net<M>`: messages have no numbers, and who gets them is up to the attacker"
        }
        "recv" | "read" => {
            "`recv_1(I, R, M)` is the input `net(p)`, where p is the pattern of the message"
        }
        "claim" => {
            "claims stand beside the roles: `secrecy n in S`, `agreement E(x) => F(x) in S`, with `event E(x)` in the role"
        }
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

/// Edit distance with swaps of neighbours; words longer than 64 characters are far from everything.
pub fn distance(a: &str, b: &str) -> usize {
    if a.chars().count().max(b.chars().count()) > 64 {
        return usize::MAX;
    }
    strsim::osa_distance(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_a_sentence_of_its_own() {
        let words = "out recv nil fresh leaks table yield choice process let free const type usertype fun reduc \
                     equation builtins principal attacker role Protocol rule exp xor mac senc sdec aenc adec sign \
                     verify SIGNVERIF pk sk fst blind commit open encap kdf HKDF aead zk query trace_equiv trace_incl inj send_1 recv_1 claim_i2";
        let mut seen = std::collections::BTreeMap::new();
        for word in words.split_whitespace() {
            let sentence = hint(word).expect(word);
            assert_eq!(seen.insert(sentence, word), None, "{word}: {sentence}");
        }
        let keyword = |(word, _): &&(&str, Token)| hint(word).is_some();
        let ours: Vec<&str> = Token::KEYWORDS
            .iter()
            .filter(keyword)
            .map(|(w, _)| *w)
            .collect();
        assert_eq!(ours, ["let"], "which opens no declaration here");
    }

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

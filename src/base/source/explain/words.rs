//! The words of a report that somebody may ask about: `spi explain injective`.

use super::paragraph;

/// Words that mean the same, the usual one first, and what they mean.
const WORDS: &[(&[&str], &str)] = &[
    (
        &["proved", "proof"],
        "No attacker breaks the claim, for any number of runs and every assignment of the declared agents to the roles. It was shown \
         by saturating clauses; a second program checked the proof. It is about the symbolic model: cryptography is perfect, \
         and the attacker controls every public channel.",
    ),
    (
        &["proved for these agents only", "these agents only"],
        "No attacker breaks the claim, for any number of runs, with the agents as the system writes them. There is no proof for \
         other agents in the roles, for instance a session with the spy that nobody wrote: the report says if a wider \
         look found an attack there.",
    ),
    (
        &["holds", "holds for these runs only"],
        "No attacker breaks the claim in the role instances that the system writes down: the search was complete, but there is no \
         proof for more. A second run of a role, or another pair of agents, may still break it: the report says if a wider look found \
         something, `--sessions N` asks for every assignment of agents to N role instances.",
    ),
    (
        &["beyond what is written", "beyond", "wider look"],
        "The claim is about the system as it is written. After that the same roles are looked at with every instance twice, and with \
         other agents in the roles. An attack found there is told under this headline, with the `system` line that shows it. \
         The claim as written is not broken. Whether the protocol is depends on whether such a run is meant to be possible: \
         unless agents have sorts, any of them may play any role. `--strict` makes the exit code 1, `--as-written` leaves the \
         look out. A look that finds nothing proves nothing.",
    ),
    (
        &["attack", "broken"],
        "Here is a run that breaks the claim. It was executed step by step by a program of its own before it was shown, so it is no \
         guess. The narration tells who sends what, what the spy makes of it, and which step breaks the claim; \
         `--emit-attack FILE` writes it as a process for `spi replay`.",
    ),
    (
        &["vacuous", "vacuously"],
        "Nothing in the system makes the claim say anything: no instance with honest agents makes the secret, or marks the event, or \
         no run gets to the event; or the secret is made and never used; or whoever marks the later event has marked the earlier one itself; or a \
         system is compared with itself. Such a claim would hold whatever the protocol does. Look at the agents in the `system` line.",
    ),
    (
        &["not executable", "stuck", "honest run", "gate"],
        "Some role instance never gets to its end, even if nobody interferes. Most claims hold for a protocol that stops half way, so \
         they say nothing; so do most comparisons, where the environment may take any part. The report marks the step that is never passed: compare the message that is sent with the pattern \
         that is to take it. `spi run FILE` shows the honest run. `partial system` says that a system is not meant to finish.",
    ),
    (
        &["unreachable"],
        "No run of the system gets to the event of a `reachable` claim, whatever the attacker does: the model can't do what it is \
         meant to do.",
    ),
    (
        &["inconclusive", "timeout", "limit"],
        "A limit of time, states or memory, or Ctrl-C, ended the search before there was an answer. The report says how far it got. \
         Nothing is known: the claim may hold or not.",
    ),
    (
        &[
            "equivalent",
            "equivalent for these runs only",
            "equivalent for any number of copies",
            "any number of copies",
            "not equivalent",
            "testing equivalence",
            "equivalence",
        ],
        "Two systems are testing equivalent if no environment can tell them apart: whatever it sends and compares, it sees the same. \
         If they are not, the report shows a test that one passes and the other does not. The systems are compared as they are written: more \
         runs of their roles may still tell them apart. What is under a bare `!` is compared for any number of copies, if spi sees that \
         further copies add nothing; the first words of the verdict say so. `--any` asks that of every role instance.",
    ),
    (
        &["secrecy", "secret", "confidentiality"],
        "`secrecy Na in S` says that the attacker never gets to know a name `Na` that a role instance with honest agents makes. \
         Instances that have a spy among their arguments do not count: their secrets are the spy's. Agents that an instance learns from \
         messages are not its arguments: a server without arguments counts as honest, also when it makes a key for a spy. \
         `secrecy k after E(k) in S` is about the value of a variable, once the event has happened: use it there.",
    ),
    (
        &["strong secrecy"],
        "`strong secrecy m in S` says that nobody can tell which of two values was used: `S(m1) ~ S(m2)`. It is stronger than \
         secrecy: a vote between two known names is no secret, but it may be hidden which one was cast.",
    ),
    (
        &[
            "agreement",
            "authentication",
            "correspondence",
            "non-injective",
        ],
        "`agreement E(x) => F(x) in S` says: whenever `E(x)` happens in a role instance with honest agents, `F(x)` has happened \
         before, with the same x. The roles mark the events: `event F(x)` before a message that proves something is sent, \
         `event E(x)` after it was checked. One `F` may serve for many `E`: see `injective`.",
    ),
    (
        &["injective", "injective agreement"],
        "`injective agreement E(x) => F(x) in S` says that each `E(x)` has an `F(x)` of its own before it. Plain agreement lets one \
         `F` serve for many `E`, so a message that is replayed does not break it; an injective one is broken if somebody \
         accepts twice what was sent once. It needs something fresh: a nonce of the one who checks.",
    ),
    (
        &["weak agreement", "aliveness", "ladder"],
        "The weaker members of the family. `aliveness`: the partner has run at all. `weak agreement`: it has run, thinking to talk \
         to this agent. `agreement`: they agree about the values too. `spi check FILE --ladder INIT RESP` asks for all of them.",
    ),
    (
        &["reachable"],
        "`reachable E(x) in S` says that some run gets to the event: a check of the model itself. The verdict is `reachable`, with \
         the run, or `unreachable`; then the other claims probably hold for the wrong reason.",
    ),
    (
        &["unsendable"],
        "`unsendable c<M> in S` says that the attacker can never send `M` on the channel `c`.",
    ),
    (
        &["replay", "replay attack"],
        "Somebody accepts a message again that was recorded before. Secrecy and plain agreement may survive it; injective agreement \
         does not. The cure is something fresh in the message that the receiver checks. `spi replay` is another thing: it \
         runs an attack that was written down.",
    ),
    (
        &["man in the middle", "mitm"],
        "The attacker stands between two that think they talk to each other, or to it, and passes on what the one says to the other \
         with something altered. Lowe's attack on Needham-Schroeder: A talks to the spy, which talks to B in the name of A.",
    ),
    (
        &["type flaw", "type confusion"],
        "A role takes a message of another kind than was meant: a nonce for a key, a pair for a name. `--typed` asks whether the \
         attack is still there if every message has its declared type. If it is gone, a tag in each message cures it.",
    ),
    (
        &["reflection"],
        "The attacker sends a message back to the one who made it, or to the same agent in another role.",
    ),
    (
        &["parallel session"],
        "The attacker uses what it gets in one run for another run of the same roles.",
    ),
    (
        &["dishonest partner"],
        "The attacker takes part in the name of a spy, which it may, with a role whose arguments name no partner, such as a server for all. That role \
         counts as honest whomever it talks to, so the claim covers what it does with a spy. Name the partner among the arguments, or \
         claim `secrecy k after E(.., k)` for an event E of those it is meant for.",
    ),
    (
        &["impersonation"],
        "The attacker makes a message by itself and is taken for somebody else.",
    ),
    (
        &["eavesdropping"],
        "The attacker only listens: the secret goes over the channel so that it can be read.",
    ),
    (
        &["lost key"],
        "The attack uses a secret that the attacker was given by `knows`: it shows what an old key is worth.",
    ),
    (
        &["no attacker needed", "undisturbed"],
        "The claim fails although nobody interferes: the honest run breaks it already. Usually an event stands too late, or the arguments of \
         the two events differ. `spi run FILE` shows the order of the events.",
    ),
    (
        &["no secret"],
        "What leaks follows from what the attacker knows from the start: it was never secret.",
    ),
    (
        &["refuted", "refutes"],
        "An attack that breaks the claim, or a test that tells the systems apart, was run step by step and did so: the claim is refuted.",
    ),
    (
        &["may preorder", "preorder", "trace inclusion"],
        "`S <= T` says that whatever S can show to an environment, T can show too. Equivalence is that in both directions. `does not hold` \
         comes with a test that S passes and T does not.",
    ),
    (
        &["trace equivalence", "--semantics private"],
        "Equivalence where two processes talk to each other without being heard only on channels that the environment lacks.",
    ),
    (
        &[
            "cones",
            "cone",
            "look",
            "looks",
            "node",
            "nodes",
            "configuration",
            "configurations",
            "role by role",
            "the same but for renaming and order",
            "congruence",
        ],
        "Ways in which two systems are compared, and what they cost. `the same but for renaming and order`: nothing had to be explored. \
         `cones`: the causes of each single thing that can be seen were compared, each such thing is a look. `nodes`: both systems \
         were explored together, each node has the configurations that either may be in. `role by role`: each process of one system was \
         compared with one of the other. All are complete; the verdict does not depend on which was used.",
    ),
    (
        &["clauses", "states", "depth"],
        "What a verdict cost: the clauses of a proof, or the states of a search and the number of messages within which all were seen.",
    ),
    (
        &["partial system", "partial"],
        "`partial system S = ..` says that some role of S is not meant to get to its end, for instance because its partner is left out. \
         Then no verdict is `not executable`.",
    ),
    (
        &["internal error"],
        "The parts of spi that check each other disagree: a mistake in spi, never shown as an attack or a proof. Please report it.",
    ),
    (
        &["spy", "attacker", "intruder", "environment", "adversary"],
        "The attacker reads, holds back, repeats and sends whatever it can make, on every public channel. `spy C` declares an agent \
         whose keys the attacker has, so that honest agents may choose to talk to it. `knows M` gives it more.",
    ),
    (
        &["role", "instance", "role instance", "session", "run"],
        "A role is a `def`: what one party of the protocol does. A role instance is one run of it by certain agents, `Init(A, B)`; \
         the `system` lists them. `--sessions N` tries all ways to fill N instances.",
    ),
    (
        &["typed", "untyped"],
        "Untyped analysis, the default, lets a variable take any message and has tuples as nested pairs, so it finds type flaws. \
         `--typed` lets messages have their declared types only.",
    ),
    (
        &["transparent"],
        "`--transparent` looks only for attackers that leave no role stuck at a test: attacks that nobody would notice.",
    ),
    (
        &["certificate", "certified", "replayed"],
        "What the search and the prover find is only a proposal. A small program that shares no code with them checks it: an attack \
         is executed step by step, a proof is checked clause by clause. Only then it is told.",
    ),
    (
        &["event"],
        "`event E(a, n)` marks a point in a role, for claims. The attacker does not see it. `agreement` and `reachable` are about events.",
    ),
    (
        &["partner"],
        "The partner of a role instance is the one that finishes together with it in an honest run. `spi run FILE` shows who is whose partner.",
    ),
    (
        &["element", "level"],
        "An element is a term that the attacker has and can't compose from its other elements: `#0`, `#1`, .. in a state space. A level is \
         a moment in the history of its knowledge: an element is there from one level on, until it can be composed from others.",
    ),
    (
        &["generic", "narrowing", "specialisation"],
        "A generic stands for a message that the attacker chooses: `?0`, `?1`, .. in a state space. It has a level: the attacker could make \
         the message with what it had then. Where a test asks something of the message, the generic is narrowed: it is replaced \
         by as much structure as the test needs, and no more.",
    ),
    (
        &["recipe"],
        "How the environment makes a term from what it has heard. Two systems send different terms, so spi compares them by recipes: the \
         same recipe must work in both, and recipes that are equal in one must be equal in the other.",
    ),
    (
        &["barb", "test", "distinguishing test"],
        "A barb is an output that a process offers on a channel of its own. A test that tells two systems apart is a process: \
         it shows a barb beside one of them and can't beside the other. `--emit-attack FILE` writes it.",
    ),
    (
        &["bound", "--copies", "--unfold"],
        "A bound limits what is analysed of a model: a bare `!` stands for `--copies` copies, recursion is followed `--unfold` times. \
         A verdict that met a bound says so: what lies beyond was not looked at.",
    ),
];

/// Every word that can be asked about, the usual one of each group.
pub fn words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().filter_map(|(names, _)| names.first().copied())
}

/// What a word means, for a terminal of so many columns; capitals and blanks do not matter.
pub fn word(asked: &str, width: usize) -> Option<String> {
    let asked = plain(asked);
    let known = |names: &[&str]| names.iter().any(|n| plain(n) == asked);
    let (names, text) = WORDS.iter().find(|(names, _)| known(names))?;
    Some(format!(
        "{}\n\n{}\n",
        names.join(", "),
        paragraph(text, width)
    ))
}

/// All words, for somebody who looks for the one that was meant.
pub fn spellings() -> impl Iterator<Item = &'static str> {
    WORDS.iter().flat_map(|(names, _)| names.iter().copied())
}

fn plain(word: &str) -> String {
    let words: Vec<&str> = word
        .split([' ', '-', '_'])
        .filter(|w| !w.is_empty())
        .collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_stands_twice_and_each_is_found() {
        let mut seen = std::collections::BTreeSet::new();
        for name in WORDS.iter().flat_map(|(names, _)| names.iter()) {
            assert!(seen.insert(plain(name)), "{name}");
            assert!(word(&name.to_uppercase().replace(' ', "-"), 80).is_some());
        }
        assert!(word("banana", 80).is_none());
        assert!(
            word("Not Executable", 40).is_some_and(|t| t.lines().all(|l| l.chars().count() <= 60))
        );
    }
}

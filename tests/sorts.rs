//! Sorts of agents: who may play what, everywhere that agents are chosen or told apart.

use crate::support;
use spi::analysis::{Reach, Settings, assignments};
use spi::base::source::SourceFile;
use spi::engine::search::Options;
use spi::lang::sema::check_text;
use spi::process::{Closed, TupleMode, Type};
use spi::term::TermStore;
use support::{results, words};

/// Clients fetch the key of a server from an authority. Only clients and servers come in numbers.
const WEB: &str = "
    agent U, V: User, S: Server
    agent CA: Authority
    spy E: User | Server
    channel net
    keypair K(Agent), Sign(Authority)

    def Client(u: User, s: Server, ca: Authority) =
      net<u, s>. net({=s, ks: Pub}Sign(ca)+).
      new m: Data. event Sent(u, s, m). net<{u, m}ks>
    def Shop(s: Server, u: User) = net({=u, m: Data}K(s)-). event Got(s, u, m)
    def Issue(ca: Authority, s: Server) = net(u, =s). net<{s, K(s)+}Sign(ca)->

    system Web = Client(U, S, CA) | Shop(S, U) | Issue(CA, S)
    secrecy m in Web
    agreement Got(s, u, m) => Sent(u, s, m) in Web";

/// The file without sorts.
fn without_sorts(text: &str) -> String {
    let mut text = text
        .replace("agent U, V: User, S: Server", "agent U, V, S")
        .replace("agent CA: Authority", "agent CA")
        .replace("spy E: User | Server", "spy E");
    for sort in ["User", "Server", "Authority"] {
        text = text.replace(&format!(": {sort}"), ": Agent");
        text = text.replace(&format!("({sort})"), "(Agent)");
    }
    text
}

/// How many systems of so many role instances are generated for the first claim.
fn generated(text: &str, n: u32) -> usize {
    let store = TermStore::new();
    let file = SourceFile::anonymous("test.spi", text);
    let checked = check_text(&file, &store, TupleMode::Nested);
    assert!(checked.is_sound(), "{:?}", checked.diagnostics);
    let claim = &checked.program.claims[0].kind;
    let closed: &Closed = claim.system().expect("it is about a system");
    let all = assignments(&checked.program, &store, closed, n, false, &|| None);
    all.expect("there are roles").len()
}

fn searched(n: u32) -> Settings {
    Settings {
        sessions: Some(n),
        proofs: false,
        compare_typed: false,
        search: Options {
            workers: 1,
            ..Options::default()
        },
        ..Settings::default()
    }
}

#[test]
fn the_authority_plays_no_client() {
    let plain = without_sorts(WEB);
    let counts = [1, 2, 3].map(|n| (generated(WEB, n), generated(&plain, n)));
    assert_eq!(counts, [(7, 7), (34, 169), (126, 3893)]);
    // Ten instances, of which U and V tell three pairs apart: (55 + 13) / 2 multisets of two.
    // The attacks are there with fewer systems to look at.
    for n in [2, 3] {
        assert_eq!(words(WEB, &searched(n)), words(&plain, &searched(n)), "{n}");
    }
}

#[test]
fn a_proof_for_everybody_is_about_those_who_may_play() {
    let text = "
        agent A: Sender, B: Receiver  spy C: Sender  channel net  key K(Sender, Receiver)
        def Send(a: Sender, b: Receiver) = new n: Nonce. net<{n}K(a, b)>
        def Take(b: Receiver, a: Sender) = net({n: Nonce}K(a, b))
        system S = Send(A, B) | Take(B, A)
        secrecy n in S";
    let settings = Settings {
        sessions: Some(2),
        ..Settings::default()
    };
    let all = results(text, &settings);
    assert_eq!(all[0].scope.proved, Some(Reach::Everyone));
    // What the attacker can play itself is not among them.
    assert_eq!(all[0].scope.instances, ["Send(A, B)", "Take(B, A)"]);
}

/// An agent without a sort is of every sort, and so is a spy.
#[test]
fn who_has_no_sort_may_play_everything() {
    let text = |spy: &str| {
        format!(
            "agent A: User  agent S: Server  {spy}  channel net  private k: Sym
             def Client(u: User) = new n: Nonce. net<{{u, n}}k>
             def Shop(s: Server) = net({{u, n}}k). [u is C] [s is S] 0 else net<u>
             partial system Web = new s. (Client(A) | Shop(S) | net({{=C, x}}k). net<s>)
             secrecy s in Web"
        )
    };
    assert_eq!(words(&text("spy C"), &searched(1)), ["attack"]);
    assert_eq!(words(&text("spy C: User"), &searched(1)), ["attack"]);
    assert_eq!(words(&text("spy C: Server"), &searched(1)), ["holds"]);
}

/// A role may be written for agents of another sort through a parameter of the system: it is looked at all the same.
#[test]
fn what_is_written_is_looked_at_whatever_its_sort() {
    let text = "
        agent U: User, S: Server  channel net
        def Client(u: User) = new n: Nonce. [u is S] net<n>
        partial system Web(a: Agent) = Client(a)
        secrecy n in Web(S)";
    assert_eq!(words(text, &searched(1)), ["attack"]);
}

/// With `--typed` a variable of a sort takes the agents of that sort, one by one.
#[test]
fn a_typed_attacker_sends_agents_of_the_sort() {
    let text = |sort: &str, who: &str| {
        format!(
            "agent U: User, S: Server, A  spy C: User  channel net
             def Shop(s: Server) = new n: Nonce. net(u: {sort}). [u is {who}] net<n>
             partial system Web = Shop(S)
             secrecy n in Web"
        )
    };
    let typed = Settings {
        typed: true,
        sessions: None,
        ..searched(1)
    };
    let untyped = Settings {
        typed: false,
        ..typed
    };
    for (sort, who, found) in [
        ("User", "U", "attack"),
        ("User", "C", "attack"),
        ("User", "A", "attack"),
        ("User", "S", "holds"),
        ("Server", "S", "attack"),
        ("Server", "C", "holds"),
        ("Agent", "S", "attack"),
    ] {
        let text = text(sort, who);
        assert_eq!(words(&text, &typed), [found], "{sort} {who}");
        assert_eq!(words(&text, &untyped), ["attack"], "{sort} {who}");
    }
}

/// What an agent is, is known of agents of any sort: whom a claim protects, and what weak agreement compares.
#[test]
fn sorts_are_agents_for_claims() {
    let text = "
        agent A: User, S: Server  spy C: User  channel net  keypair K(Agent)
        def Shop(s: Server, u: User) = new n: Nonce. event Run(s, u, n). net<{n}K(u)+>
        def Client(u: User, s: Server) = net({n: Nonce}K(u)-). event Done(u, s, n)
        partial system Web = Shop(S, A) | Shop(S, C) | Client(A, S)
        secrecy n in Web
        weak agreement Done(u, s, n) => Run(s, u, n) in Web
        agreement Done(u, s, n) => Run(s, u, n) in Web";
    let settings = Settings {
        sessions: None,
        ..searched(1)
    };
    assert_eq!(words(text, &settings), ["holds", "attack", "attack"]);
    let other = text.replace(
        "Done(u, s, n) => Run(s, u, n)",
        "Done(u, s, n) => Run(s, _, n)",
    );
    assert_eq!(words(&other, &settings)[0], "holds");
}

#[test]
fn types_have_numbers_and_names() {
    let store = TermStore::new();
    let file = SourceFile::anonymous("test.spi", WEB);
    let program = check_text(&file, &store, TupleMode::Nested).program;
    let sorts: Vec<&str> = program.signature.sorts.iter().map(|s| &*s.label).collect();
    assert_eq!(sorts, ["User", "Server", "Authority"]);
    for number in 0..13 {
        let ty = Type::numbered(number);
        assert_eq!(ty.number(), number);
        assert_eq!(ty.is_agent(), number == 0 || number > 9, "{ty:?}");
    }
    let members = |i: usize| {
        let members = program.signature.sorts[i].members.iter();
        members.map(|a| store.show(*a)).collect::<Vec<_>>()
    };
    assert_eq!(members(0), ["U", "V", "E"]);
    assert_eq!(members(1), ["S", "E"]);
    assert_eq!(members(2), ["CA"]);
}

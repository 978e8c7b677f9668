//! Models whose honest runs were not honest, or were not found.

use crate::honest::gate;
use spi::engine::honest::HonestMove;
use spi::term::TermStore;

const LOGIN: &str = "agent U, V, S channel net key P(Agent)
def User(u: Agent, s: Agent) =
  net<u>. net(n: Nonce). net<{n, u}P(u)>
def Server(s: Agent, u: Agent) =
  net(=u). new N: Nonce. net<N>. net(x). case x of {=N, =u}P(u) in 0
";

/// A user used to hear its own name as the server's challenge.
#[test]
fn two_users_and_a_server_do_not_hear_themselves() {
    let store = TermStore::new();
    let text = format!("{LOGIN} system L = User(U, S) | User(V, S) | Server(S, U) | Server(S, V)");
    let gate = gate(&store, &text);
    assert!(!gate.is_closed());
    assert_eq!(gate.runs.len(), 1);
    let run = &gate.runs[0];
    assert_eq!(run.finished.len(), 4);
    let roles = |step| gate.system.role_of(gate.system.step(step).instance);
    for m in &run.moves {
        if let HonestMove::Deliver { from, to, .. } = m {
            assert_ne!(roles(*from), roles(*to));
        }
    }
}

/// A user without a server of its own hears what the server says to the other user, who does not hear the first one's name.
#[test]
fn a_user_without_a_server_of_its_own_hears_that_of_another() {
    let store = TermStore::new();
    let text = format!("{LOGIN} system L = User(U, S) | User(V, S) | Server(S, U)");
    let gate = gate(&store, &text);
    assert!(!gate.is_closed());
    assert_eq!(gate.runs.len(), 1);
    let challenge = gate.runs[0].moves.iter().filter_map(|m| match m {
        HonestMove::Deliver { from, to, .. } => Some((gate.system.step(*from).span, to)),
        _ => None,
    });
    let mut spans: Vec<_> = challenge.map(|(span, _)| span).collect();
    let all = spans.len();
    spans.sort();
    spans.dedup();
    assert_eq!((all, spans.len()), (4, 3));
}

/// The answer is forgotten; the initiator used to take its own nonce for it.
#[test]
fn a_partner_that_forgets_to_answer_is_noticed() {
    for system in [
        "Init(A, B) | Resp(B, A)",
        "Init(A, B) | Resp(B, A) | Init(A, B) | Resp(B, A)",
        "Init(A, B) | Resp(B, A) | Init(B, A) | Resp(A, B)",
    ] {
        let store = TermStore::new();
        let text = format!(
            "agent A, B channel net
            def Init(a: Agent, b: Agent) = new Na: Nonce. net<a, Na>. net(=a, x: Nonce). event Done(a, b, x)
            def Resp(b: Agent, a: Agent) = net(=a, y: Nonce). event Got(b, a, y)
            system S = {system}"
        );
        assert!(gate(&store, &text).is_closed(), "{system}");
    }
}

/// One message for two receivers is delivered twice only because it must be.
#[test]
fn a_message_is_heard_by_several_only_if_it_must() {
    let store = TermStore::new();
    let text = "agent A, B, D channel net private kb, kd, k
        def Snd(a: Agent) = new n. net<{n}k>. net({=n}kb). net({=n}kd). event Done(a)
        def RB(b: Agent) = net({x}k). net<{x}kb>
        def RD(d: Agent) = net({x}k). net<{x}kd>
        system S = Snd(A) | RB(B) | RD(D)";
    let gate = gate(&store, text);
    assert!(!gate.is_closed());
    let deliveries = |run: &spi::engine::honest::HonestRun| {
        let delivered = run.moves.iter().filter_map(|m| match m {
            HonestMove::Deliver { from, .. } => Some(*from),
            _ => None,
        });
        let mut from: Vec<_> = delivered.collect();
        let all = from.len();
        from.sort_unstable();
        from.dedup();
        (all, from.len())
    };
    assert_eq!(deliveries(&gate.runs[0]), (4, 3));
}

/// A value of another type used to be taken.
#[test]
fn values_have_their_declared_types() {
    let store = TermStore::new();
    let text = "agent A, B channel net
        def Init(a: Agent, b: Agent) = net<a>
        def Resp(b: Agent, a: Agent) = net(n: Nonce). event Got(b, n)
        system S = Init(A, B) | Resp(B, A)";
    assert!(gate(&store, text).is_closed());
    // A key that is a hash is a key.
    let text = "agent A, B channel net private s
        def Init(a: Agent, b: Agent) = new n: Nonce. net<{H(n)}s>
        def Resp(b: Agent, a: Agent) = net({k: Sym}s). event Got(b, k)
        system S = Init(A, B) | Resp(B, A)";
    assert!(!gate(&store, text).is_closed());
}

/// What typed analysis lets nobody take is taken in no run of it: the claims would hold because of that alone.
#[test]
fn with_types_nobody_takes_a_ciphertext_for_data() {
    let text = "agent A, B spy C channel net key K(Agent, Agent)
        def Init(a: Agent, b: Agent) = new n: Nonce. event Sent(a, b, n). net<{{n}K(a, b)}K(b, a)>
        def Resp(b: Agent, a: Agent) = net({y: Data}K(b, a)). case y of {n: Nonce}K(a, b) in event Got(b, a, n)
        system S = Init(A, B) | Resp(B, A)
        system T = Resp(B, C)";
    let store = TermStore::new();
    let program = crate::reference::load::program(&store, text);
    let closed = |typed: bool| {
        let gates = crate::honest::gates(&store, &program, typed);
        gates.iter().map(|(_, g)| g.is_closed()).collect::<Vec<_>>()
    };
    assert_eq!(closed(false), [false, false]);
    assert_eq!(closed(true), [true, true], "whoever sends it, a spy too");
}

#[test]
fn an_else_that_does_nothing_is_an_end() {
    let store = TermStore::new();
    let text = "agent A, B channel net keypair K(Agent)
        def Init(a: Agent, b: Agent) = new n. net<{n}K(a)+>. [a is b] net<a> else 0
        system S = Init(A, B)";
    assert!(!gate(&store, text).is_closed());
    let stuck = text.replace(" else 0", "");
    assert!(gate(&store, &stuck).is_closed());
}

/// A server that has come back to its start, and a spare copy, need not be used; the first copy must.
#[test]
fn copies_and_rounds_are_there_if_they_are_needed() {
    let server = "def Srv(s: Agent) = !(net({x}k). net<{x, x}k>)";
    let client = "def Client(a: Agent) = new n. net<{n}k>. net({=n, =n}k). event D(a)";
    let twice = client.replace("event D(a)", "new m. net<{m}k>. net({=m, =m}k). event D(a)");
    for (client, key, closed) in [
        (client, "k", false),
        (&twice, "k", false),
        (client, "j", true),
    ] {
        let store = TermStore::new();
        let server = server.replace("{x}k)", &format!("{{x}}{key})"));
        let text = format!(
            "agent A, S channel net private k, j {server} {client} system X = Client(A) | Srv(S)"
        );
        assert_eq!(gate(&store, &text).is_closed(), closed, "{text}");
    }
}

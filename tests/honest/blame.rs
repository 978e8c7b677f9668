//! Who is blamed: the marked place is the first step that is never passed, in the instance that is to blame.

use crate::honest::gate;
use crate::reference::load;
use spi::analysis::Idle;
use spi::engine::honest::{Cause, Stuck};
use spi::term::TermStore;

const HEADER: &str = "agent A, B channel net keypair K(Agent) key L(Agent) private k";

/// Who is stuck, those to blame first: the instance's name, the marked text, the cause.
fn stuck(roles: &str, system: &str) -> Vec<(String, String, Cause)> {
    let store = TermStore::new();
    let text = format!("{HEADER}\n{roles}\nsystem S = {system}");
    load::program(&store, &text);
    let gate = gate(&store, &text);
    assert!(gate.is_closed(), "{text}");
    gate.idle
        .iter()
        .map(|idle| {
            let Idle::Honest(Stuck {
                instance,
                at,
                cause,
                ..
            }) = idle
            else {
                panic!("an honest one");
            };
            let span = gate.system.step(*at).span;
            let marked = &text[span.start as usize..span.end as usize];
            let label = gate.system.instance(*instance).label.to_string();
            (label, marked.to_owned(), cause.clone())
        })
        .collect()
}

/// The first to blame, with the marked text, and how many others there are.
fn first(roles: &str) -> (String, String, Cause, usize) {
    let all = stuck(roles, "Init(A, B) | Resp(B, A)");
    let (who, marked, cause) = all[0].clone();
    (who, marked, cause, all.len() - 1)
}

const INIT: &str = "def Init(a: Agent, b: Agent) =
  new Na: Nonce. net<{Na, a}K(b)+>. net(x). case x of {=Na, nb: Nonce, =b}K(a)- in net<{nb}K(b)+>";
const RESP: &str = "def Resp(b: Agent, a: Agent) =
  net(x). case x of {na: Nonce, =a}K(b)- in new Nb: Nonce. net<{na, Nb, b}K(a)+>. net({=Nb}K(b)-)";

#[test]
fn a_wrong_key_at_the_responder() {
    let resp = RESP.replace("=a}K(b)-", "=a}K(a)-");
    let (who, marked, cause, others) = first(&format!("{INIT}\n{resp}"));
    assert_eq!(who, "Resp");
    assert_eq!(marked, "case x of {na: Nonce, =a}K(a)- in");
    assert!(matches!(cause, Cause::Refuses(_)), "{cause:?}");
    assert_eq!(others, 1, "the initiator waits");
}

#[test]
fn a_component_that_the_responder_forgets() {
    let resp = RESP.replace("{na, Nb, b}K(a)+", "{na, Nb}K(a)+");
    let all = stuck(&format!("{INIT}\n{resp}"), "Init(A, B) | Resp(B, A)");
    assert_eq!(all[0].0, "Init");
    assert_eq!(all[0].1, "case x of {=Na, nb: Nonce, =b}K(a)- in");
    assert!(matches!(all[0].2, Cause::Refuses(_)), "{:?}", all[0].2);
    assert_eq!(all[1].0, "Resp");
    assert!(
        matches!(all[1].2, Cause::Awaits { mutual: false, .. }),
        "{:?}",
        all[1].2
    );
}

#[test]
fn an_answer_that_is_never_sent() {
    let resp =
        "def Resp(b: Agent, a: Agent) = net(x). case x of {na: Nonce, =a}K(b)- in event Got(b, na)";
    let (who, marked, cause, others) = first(&format!("{INIT}\n{resp}"));
    assert_eq!((&*who, &*marked), ("Init", "net(x)"));
    assert!(matches!(cause, Cause::Silence), "{cause:?}");
    assert_eq!(others, 0, "the responder gets to its end");
    // In the open, its own nonce would do.
    let open =
        "def Init(a: Agent, b: Agent) = new Na: Nonce. net<Na>. net(x: Nonce). event Done(a, x)
        def Resp(b: Agent, a: Agent) = net(x: Nonce). event Got(b, x)";
    let (who, marked, cause, others) = first(open);
    assert_eq!((&*who, &*marked), ("Init", "net(x: Nonce)"));
    assert!(matches!(cause, Cause::OnlyOwn(_)), "{cause:?}");
    assert_eq!(others, 0);
}

#[test]
fn two_that_wait_for_each_other() {
    let roles = "def Init(a: Agent, b: Agent) = net({=b}k). net<{a}k>
        def Resp(b: Agent, a: Agent) = net({=a}k). net<{b}k>";
    let all = stuck(roles, "Init(A, B) | Resp(B, A)");
    assert_eq!(all.len(), 2);
    for (_, marked, cause) in &all {
        assert!(
            marked.starts_with("{=") || marked.starts_with("net({="),
            "{marked}"
        );
        assert!(
            matches!(cause, Cause::Awaits { mutual: true, .. }),
            "{cause:?}"
        );
    }
    // Somebody who waits for them is not one of them.
    let third = format!("{roles} def Third(a: Agent) = net({{=a, =a}}k)");
    let all = stuck(
        &third.replace("net<{b}k>", "net<{b}k>. net<{a, a}k>"),
        "Init(A, B) | Resp(B, A) | Third(A)",
    );
    let last = all.last().expect("the third");
    assert_eq!(last.0, "Third");
    assert!(
        matches!(last.2, Cause::Awaits { mutual: false, .. }),
        "{:?}",
        last.2
    );
}

#[test]
fn a_test_that_always_fails() {
    let init = INIT.replace("net(x). case", "[a is b] net(x). case");
    let all = stuck(&format!("{init}\n{RESP}"), "Init(A, B) | Resp(B, A)");
    assert_eq!((&*all[0].0, &*all[0].1), ("Init", "[a is b]"));
    assert!(matches!(all[0].2, Cause::Fails(_)), "{:?}", all[0].2);
}

#[test]
fn a_value_of_another_type() {
    let resp = RESP.replace("na: Nonce", "na: Sym");
    let (who, marked, cause, _) = first(&format!("{INIT}\n{resp}"));
    assert_eq!(who, "Resp");
    assert_eq!(marked, "case x of {na: Sym, =a}K(b)- in");
    let Cause::Refuses(near) = cause else {
        panic!("{cause:?}");
    };
    assert!(matches!(
        near.differ,
        spi::engine::honest::Difference::Type { .. }
    ));
}

#[test]
fn an_agent_that_is_another() {
    let all = stuck(&format!("{INIT}\n{RESP}"), "Init(A, B) | Resp(A, B)");
    assert_eq!(all[0].0, "Resp");
    assert!(matches!(all[0].2, Cause::Refuses(_)), "{:?}", all[0].2);
}

#[test]
fn nobody_receives_on_a_private_channel() {
    let roles = "def Init(a: Agent, b: Agent) = new c. c<a>. net<a>
        def Resp(b: Agent, a: Agent) = net(=a). event Got(b)";
    let (who, marked, cause, _) = first(roles);
    assert_eq!((&*who, &*marked), ("Init", "c<a>"));
    assert!(matches!(cause, Cause::Unheard), "{cause:?}");
}

/// A responder's key comes from a server, then a challenge and its answer.
const CLIENT: &str = "keypair KS
def Init(a: Agent, b: Agent) =
  net<(a, b)>. net(x). case x of {=b, k: Pub}KS+ in
  new Na: Nonce. net<{Na, a}k>. net(y). case y of {=Na}K(a)- in 0";
const ANSWER: &str =
    "def Resp(b: Agent, a: Agent) = net(x). case x of {n: Nonce, =a}K(b)- in net<{n}K(a)+>";
const SERVER: &str = "def Server = net((x: Agent, y: Agent)). net<{y, K(y)+}KS->";

/// The first to blame waits for something that nobody sends, here.
fn assert_missing(roles: &str, system: &str, place: &str) {
    let all = stuck(roles, system);
    let (who, marked, cause) = &all[0];
    assert_eq!((who.as_str(), marked.as_str()), ("Init", place), "{all:?}");
    assert!(matches!(cause, Cause::Missing(_)), "{cause:?}");
    // The others wait for the initiator, if at all: no far message is quoted to them.
    let waits = |(.., cause): &(String, String, Cause)| matches!(cause, Cause::Awaits { .. });
    assert!(all[1..].iter().all(waits), "{all:?}");
}

#[test]
fn a_role_that_the_system_forgets() {
    let roles = format!("{CLIENT}\n{ANSWER}\n{SERVER}");
    let place = "case x of {=b, k: Pub}KS+ in";
    assert_missing(&roles, "Init(A, B) | Resp(B, A)", place);
}

#[test]
fn a_server_that_sends_nothing() {
    let server = "def Server = net((x: Agent, y: Agent))";
    let roles = format!("{CLIENT}\n{ANSWER}\n{server}");
    let place = "case x of {=b, k: Pub}KS+ in";
    assert_missing(&roles, "Init(A, B) | Resp(B, A) | Server", place);
}

#[test]
fn a_responder_that_never_answers() {
    let answer = ANSWER.replace("net<{n}K(a)+>", "0");
    let roles = format!("{CLIENT}\n{answer}\n{SERVER}");
    let place = "case y of {=Na}K(a)- in";
    assert_missing(&roles, "Init(A, B) | Resp(B, A) | Server", place);
}

#[test]
fn what_was_heard_before_is_not_the_nearest() {
    // The responder forgets its second message: the first has been taken, and is not to blame.
    let (who, marked, cause, others) = first(
        "def Init(a: Agent, b: Agent) = new n: Nonce. net<{n}K(b)+>. net({=n, m: Nonce}K(a)-). net({=m}K(a)-)
         def Resp(b: Agent, a: Agent) = net({n: Nonce}K(b)-). new m: Nonce. net<{n, m}K(a)+>",
    );
    assert_eq!((&*who, &*marked, others), ("Init", "{=m}K(a)-", 0));
    assert!(matches!(cause, Cause::Missing(_)), "{cause:?}");
}

#[test]
fn the_right_message_in_a_wrong_envelope_is_still_the_nearest() {
    // In the clear, signed instead of encrypted, under the key of another.
    for sent in ["net<(n, a)>", "net<{n, a}K(b)->", "net<{n, a}K(a)+>"] {
        let roles = format!(
            "def Init(a: Agent, b: Agent) = new n: Nonce. {sent}
             def Resp(b: Agent, a: Agent) = net(x). case x of {{m: Nonce, =a}}K(b)- in 0"
        );
        let all = stuck(&roles, "Init(A, B) | Resp(B, A)");
        assert!(matches!(all[0].2, Cause::Refuses(_)), "{sent}: {all:?}");
    }
}

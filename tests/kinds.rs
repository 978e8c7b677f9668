//! Attack kinds: each word where it belongs, and only there.

use assert_cmd::Command;
use serde_json::Value;

/// The kinds of the attack on each claim, `None` where there is none.
fn kinds(model: &str) -> Vec<Option<Vec<String>>> {
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(["check", "--format", "json", "-"])
        .write_stdin(model)
        .output()
        .expect("it runs");
    let document: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let claims = document["files"][0]["claims"].as_array().expect("claims");
    claims
        .iter()
        .map(|c| {
            let run = c["runs"].get(0)?;
            let words = run["kinds"].as_array().expect("kinds");
            Some(
                words
                    .iter()
                    .map(|k| k.as_str().expect("a word").to_owned())
                    .collect(),
            )
        })
        .collect()
}

/// Who plays which role instance in the honest run: `A=Init(A, B), ..`.
fn cast(model: &str) -> String {
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(["run", "--system", "P", "-"])
        .write_stdin(model)
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let players = text.lines().skip(1).take_while(|l| !l.is_empty());
    let players: Vec<&str> = players.map(str::trim).collect();
    players.join(" ").replace(" in ", "=")
}

fn only(model: &str) -> Vec<String> {
    let found = kinds(model);
    assert_eq!(found.len(), 1, "one claim");
    found[0].clone().expect("an attack")
}

#[test]
fn what_was_heard_is_eavesdropping() {
    assert_eq!(
        only(
            "agent A, B channel c
            def P(a: Agent, b: Agent) = new m: Data. c<a, b, m>
            def Q(b: Agent, a: Agent) = c(=a, =b, _)
            system S = P(A, B) | Q(B, A)
            secrecy m in S"
        ),
        ["eavesdropping"]
    );
}

#[test]
fn who_tells_its_own_secret_is_overheard_whatever_the_spy_does() {
    // The spy has to start the server, but not to trick it.
    assert_eq!(
        only(
            "agent A, B channel c key K(Agent)
            def P(a: Agent, b: Agent) = c<a, b, {b}K(a)>. c(=a, k: Sym)
            def Q(b: Agent, a: Agent) = c(=a, =b, t). c<a, b, t, {a}K(b)>
            def S(a: Agent, b: Agent) = c(=a, =b, {=b}K(a), {=a}K(b)). new k: Sym. c<a, k>
            system Session = P(A, B) | Q(B, A) | S(A, B)
            secrecy k in Session"
        ),
        ["eavesdropping"]
    );
}

#[test]
fn a_ticket_as_an_argument_does_not_make_its_owner_speak() {
    let path = "protocols/neuman-stubblebine/repeated.spi";
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    let found = kinds(&std::fs::read_to_string(path).expect("a text"));
    let words = found.into_iter().flatten().next().expect("an attack");
    assert!(!words.contains(&"reflection".to_owned()), "{words:?}");
    assert!(words.contains(&"parallel session".to_owned()), "{words:?}");
}

#[test]
fn a_server_with_one_key_is_still_a_server() {
    // The server needs B's key only; what B sends it does not come back to B.
    let found = only(
        "agent A, B spy C channel c key K(Agent)
        def P(a: Agent, b: Agent) = new Na: Nonce. c<a, Na>. c(=b, k: Sym, =Na, t). c<t>
        def Q(b: Agent, a: Agent) = c(=a, na: Nonce). c<b, {a, na}K(b)>. c({=a, k: Sym}K(b))
        def S(a: Agent, b: Agent) =
          c(=b, {=a, na: Nonce}K(b)). new k: Sym. c<b, k, na, {a, k}K(b)>
        system Session = P(A, B) | Q(B, A) | S(A, B)
        secrecy k in Session",
    );
    assert_eq!(found, ["eavesdropping"]);
}

/// Servers take the agents that they serve as arguments. They used to be shown as the first of these, or as the one
/// whose key they had, so that an answer of the server was something that came back to its sender.
#[test]
fn a_server_is_not_the_agent_that_it_serves() {
    // Keys of two agents, of which one is the server.
    let pair = "agent A, B, S spy C channel net key L(Agent, Agent)
        def Init(a: Agent, b: Agent) =
          new Na: Nonce. net<a, b, Na>. net({=Na, =b, k: Sym, t}L(a, S)). net<t>
        def Resp(b: Agent, a: Agent) = net({k: Sym, =a}L(b, S)). event Done(b, a, k)
        def Server(a: Agent, b: Agent) =
          net(=a, =b, n: Nonce). new K: Sym. event Made(a, b, K).
          net<{n, b, K, {K, a}L(b, S)}L(a, S)>
        system P = Init(A, B) | Resp(B, A) | Server(A, B)
        system Q = Init(A, B) | Resp(B, A) | Resp(B, A) | Server(A, B)
        injective agreement Done(b, a, k) => Made(a, b, k) in Q";
    assert_eq!(cast(pair), "A=Init(A, B), S=Server(A, B), B=Resp(B, A)");
    assert_eq!(only(pair), ["replay"]);
    // The server comes last among its arguments.
    let last = pair
        .replace(
            "Server(a: Agent, b: Agent)",
            "Server(a: Agent, b: Agent, s: Agent)",
        )
        .replace(
            "{n, b, K, {K, a}L(b, S)}L(a, S)",
            "s, {n, b, K, {K, a}L(b, S)}L(a, S)",
        )
        .replace("net({=Na", "net(=S, {=Na")
        .replace("Server(A, B)", "Server(A, B, S)")
        .replace("L(Agent, Agent)", "L(Agent)")
        .replace(", S)}", ")}")
        .replace(", S))", "))")
        .replace(", S)>", ")>");
    assert_eq!(cast(&last), "A=Init(A, B), S=Server(A, B, S), B=Resp(B, A)");
    assert_eq!(only(&last), ["replay"]);
    // A password: the user has it as its own, the server as that of its client.
    let password = "agent A, S spy C channel net key Pw(Agent)
        def User(u: Agent, s: Agent) =
          new N: Nonce. event Ask(u, s, N). net<{N}Pw(u)>. net({=N, _}Pw(u))
        def Server(s: Agent, u: Agent) =
          net({n: Nonce}Pw(u)). new D: Data. event Served(s, u, n). net<{n, D}Pw(u)>
        system P = User(A, S) | Server(S, A) | Server(S, A)
        injective agreement Served(s, u, n) => Ask(u, s, n) in P";
    assert!(
        cast(password).starts_with("A=User(A, S), S=Server(S, A)"),
        "{}",
        cast(password)
    );
    assert_eq!(only(password), ["replay"]);
    // The same without an agent for the server: nothing says which of the two is A.
    let nameless = password
        .replace(", s: Agent", "")
        .replace("s: Agent, ", "")
        .replace("u, s, N", "u, N")
        .replace("s, u, n", "u, n")
        .replace("u, s, n", "u, n")
        .replace("(A, S)", "(A)")
        .replace("(S, A)", "(A)");
    assert!(
        cast(&nameless).starts_with("User=User(A), Server=Server(A)"),
        "{}",
        cast(&nameless)
    );
    assert_eq!(only(&nameless), ["replay"]);
    // A key pair that is nobody's, and no key at all.
    let certified = "agent A, B channel net keypair K(Agent), Ks
        def Init(a: Agent, b: Agent) =
          net<a, b>. net({kb: Pub, =b}Ks+). new Na: Nonce. net<{[Na, a]}kb>
        def Resp(b: Agent, a: Agent) = net({n: Nonce, =a}K(b)-)
        def Server(a: Agent, b: Agent) = net(=a, =b). net<{K(b)+, b}Ks->
        system P = Init(A, B) | Resp(B, A) | Server(A, B)";
    let told = "A=Init(A, B), Server=Server(A, B), B=Resp(B, A)";
    assert_eq!(cast(certified), told);
    let open = certified
        .replace("{kb: Pub, =b}Ks+", "kb: Pub, =b")
        .replace("{K(b)+, b}Ks-", "K(b)+, b")
        .replace(", Ks", "");
    assert_eq!(cast(&open), told);
}

/// What the rules for servers must not touch: an agent that plays both roles.
#[test]
fn an_agent_in_two_roles_stays_one_agent() {
    // A key that both know and neither names; a private part that only A can have.
    let shared = "agent A, B channel c private k: Sym
        def P(a: Agent, b: Agent) = new N: Nonce. c<N>. c({=N}k). event Got(a, b, N)
        def Q(b: Agent, a: Agent) = c(n: Nonce). event Answer(b, a, n). c<{n}k>
        partial system S = P(A, B) | Q(A, B)
        agreement Got(a, b, n) => Answer(b, a, n) in S";
    assert_eq!(only(shared), ["reflection"]);
    let own = "agent A channel c keypair K(Agent)
        def X(a: Agent) = new N: Nonce. c<{N}K(a)->
        def Y(b: Agent) = c({n: Nonce}K(b)+). c<{n, b}K(b)->
        system P = X(A) | Y(A)";
    assert_eq!(cast(own), "A#1=X(A), A#2=Y(A)");
}

/// The search may show a run with an attacker in it; the honest run breaks the claim as well.
#[test]
fn a_claim_that_the_honest_run_breaks_needs_no_attacker() {
    let model = |claim: &str| {
        format!(
            "agent A, B spy C channel net keypair K(Agent)
            def Init(a: Agent, b: Agent) = new N: Nonce. event Start(a, b, N). net<{{N, a}}K(b)+>. net({{=N, m: Nonce}}K(a)-). event Done(a, b, m)
            def Resp(b: Agent, a: Agent) = net({{n: Nonce, =a}}K(b)-). new M: Nonce. net<{{n, M}}K(a)+>. event Sent(a, b, M)
            system S = Init(A, B) | Resp(B, A) | Init(A, C)
            {claim} in S"
        )
    };
    for claim in [
        "agreement Start(a, b, n) => Done(a, b, _)",
        "agreement Start(a, b, n) => Sent(b, a, _)",
    ] {
        assert_eq!(only(&model(claim)), ["no attacker needed"], "{claim}");
    }
}

/// A server that confuses what it is sent where it need not.
#[test]
fn a_confusion_that_is_not_needed_does_not_stand_alone() {
    let server = "agent A, B spy C channel net key L(Agent)
        def Server = net(a: Agent, b: Agent). new Kab: Sym. net<{Kab, b}L(a), {Kab, a}L(b)>
        partial system S = Server
        secrecy Kab in S";
    assert_eq!(only(server), ["dishonest partner", "type flaw"]);
}

/// A server has keys of those whom its messages tell it of. It is not one of them, least of all the spy.
#[test]
fn who_serves_whom_it_is_told_of_is_not_one_of_these() {
    let model = "agent U, S, I spy E channel net key L(Agent), T(Agent)
        def User(u: Agent, s: Agent) = net<u, s>. net({k: Sym, =s}L(u), t). net<t>
        def Idp(_i: Agent) = net(u: Agent, s: Agent). new K: Sym. net<{K, s}L(u), {K, u}T(s)>
        def Service(s: Agent) = net({k: Sym, u: Agent}T(s)). event Serves(s, u, k)
        system P = User(U, S) | Idp(I) | Service(S)
        reachable Serves(s, u, k) in P";
    let cast = cast(model);
    assert!(
        cast.contains("I=Idp(I)") && cast.contains("S=Service(S)"),
        "{cast}"
    );
}

/// A key that somebody was handed by mistake does not make it somebody else.
#[test]
fn whose_key_was_handed_in_is_not_who_speaks() {
    let model = "agent A, B channel net key K(Agent)
        def Device(a: Agent, k) = new n. net<a, n>. net({=n, m}k). event In(a, m)
        def Host(b: Agent) = net(a: Agent, n). new m. event Out(a, m). net<{n, m}K(a)>
        system P = Device(A, K(B)) | Host(B)
        reachable In(a, m) in P";
    assert_eq!(cast(model), "A=Device(A, K(B)), B=Host(B)");
    // Whose it is counts where it is among those it speaks for, or where no other is named.
    let served = model.replace("Device(a: Agent, k)", "Device(a: Agent, _b: Agent, k)");
    let served = served.replace("Device(A, K(B))", "Device(B, A, K(A))");
    assert_eq!(cast(&served), "A=Device(B, A, K(A)), B=Host(B)");
}

/// The spy may take part in its own name, and a server that names no partner counts as honest whomever it serves.
#[test]
fn a_spy_that_is_served_in_its_own_name_impersonates_nobody() {
    let model = "agent A, B spy E channel net key L(Agent)
        def User(u: Agent) = new k: Sym. net<u, {k}L(u)>. net({_}k)
        def Server = net(u: Agent, {k: Sym}L(u)). new t. event Made(u, t). net<{t}k>
        system S = User(A) | Server";
    let secrecy = format!("{model} secrecy t in S");
    assert_eq!(only(&secrecy), ["dishonest partner"]);
    let partner = model
        .replace("Server =", "Server(v: Agent) =")
        .replace("u: Agent, {", "u: Agent, _: Agent, {");
    let partner = partner
        .replace("net<u, {k}", "net<u, u, {k}")
        .replace("| Server", "| Server(B)");
    assert_eq!(
        only(&format!("{partner} secrecy t in S")),
        ["dishonest partner"]
    );
    let told = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(["check", "-"])
        .write_stdin(secrecy)
        .output()
        .expect("it runs");
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("Server itself sends t to E."), "{told}");
}

#[test]
fn a_key_of_the_attacker_s_own_is_not_heard() {
    // The spy hands B a key that it made up; nothing was listened to.
    assert_eq!(
        only(
            "agent A, B channel c
            def P(a: Agent, b: Agent) = new k: Sym. c<k>
            def Q(b: Agent, a: Agent) = c(k: Sym). event Done(b, a, k)
            system S = P(A, B) | Q(B, A)
            secrecy k after Done(b, a, k) in S"
        ),
        ["impersonation"]
    );
}

#[test]
fn a_role_without_agents_is_not_a_friend_of_the_spy() {
    assert_eq!(
        only(
            "channel c
            def Q = c(k: Sym). event Done(k)
            partial system S = Q
            secrecy k after Done(k) in S"
        ),
        ["impersonation"]
    );
}

#[test]
fn what_was_known_from_the_start_is_no_secret() {
    assert_eq!(
        only(
            "agent A channel c public m: Data
            def P(a: Agent) = c<a>
            system S = P(A)
            secrecy m in S"
        ),
        ["no secret"]
    );
    assert_eq!(
        only(
            "agent A channel c
            def P(a: Agent) = c<a>
            system S = P(A)
            unsendable c<A> in S"
        ),
        ["no secret"]
    );
}

#[test]
fn a_claim_that_fails_by_itself_needs_no_attacker() {
    assert_eq!(
        only(
            "agent A, B channel c key K(Agent, Agent)
            def P(a: Agent, b: Agent) = new m: Data. c<{m}K(a, b)>. event Sent(a, b, m)
            def Q(b: Agent, a: Agent) = c({m: Data}K(a, b)). event Got(b, a, m)
            system S = P(A, B) | Q(B, A)
            agreement Got(b, a, m) => Sent(a, b, m) in S"
        ),
        ["no attacker needed"]
    );
}

#[test]
fn a_recorded_message_under_a_lost_key() {
    let found = only(
        "agent A, B channel c key K(Agent) private k0: Sym
        knows k0, {k0, A}K(B)
        def Q(b: Agent, a: Agent) = c({k: Sym, =a}K(b)). event Done(b, a, k)
        partial system S = Q(B, A)
        secrecy k after Done(b, a, k) in S",
    );
    assert_eq!(found, ["lost key", "replay"]);
}

#[test]
fn the_library_s_attacks_have_the_names_of_the_literature() {
    let table: &[(&str, usize, &str)] = &[
        ("ns.spi", 1, "man in the middle"),
        ("ns.spi", 2, "man in the middle"),
        ("iso/two-pass-without-name.spi", 0, "reflection"),
        ("andrew/andrew-concrete.spi", 3, "reflection"),
        ("iso/one-pass.spi", 1, "replay"),
        ("public-key/x509-1.spi", 2, "replay"),
        ("woo-lam/pi.spi", 0, "parallel session"),
        ("woo-lam/pi1.spi", 0, "type flaw"),
        ("neuman-stubblebine/initial.spi", 0, "type flaw"),
        ("symmetric/nssk-old-key.spi", 0, "lost key"),
        ("symmetric/kao-chow-old-key.spi", 0, "lost key"),
    ];
    for (file, claim, kind) in table {
        let path = format!("{}/protocols/{file}", env!("CARGO_MANIFEST_DIR"));
        let found = kinds(&std::fs::read_to_string(path).expect("a text"));
        let words = found[*claim].clone().expect("an attack");
        assert_eq!(words.first().map(String::as_str), Some(*kind), "{file}");
    }
}

fn checked(model: &str, options: &[&str]) -> String {
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .arg("check")
        .args(options)
        .arg("-")
        .write_stdin(model)
        .output()
        .expect("it runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The honest run has a ciphertext there too. That typed analysis, in which nobody gets anywhere, finds no attack says nothing.
#[test]
fn a_ciphertext_where_one_is_meant_is_no_confusion() {
    let model = "agent O, R spy X channel net keypair K(Agent)
        def Owner(o: Agent, r: Agent) = new file: Data, k: Sym. event Shared(o, r, file). net<{file}k, {k, o}K(r)+>
        def Reader(r: Agent, o: Agent) = net(blob: Data, {k: Sym, =o}K(r)-). case blob of {file: Data}k in event Read(r, o, file)
        system S = Owner(O, R) | Reader(R, O)
        agreement Read(r, o, f) => Shared(o, r, f) in S";
    assert_eq!(only(model), ["impersonation"]);
    let told = checked(model, &[]);
    assert!(
        !told.contains("--typed") && !told.contains("is no Data"),
        "{told}"
    );
    assert!(checked(model, &["--typed", "-q"]).ends_with("not executable\n"));
    // A nonce that is a ciphertext is a confusion, and types are what keeps it away.
    let nonce = "agent A, B spy C channel net key L(Agent, Agent)
        def P(a: Agent, b: Agent) = new n: Nonce, s: Data. net<{n}L(a, b)>. net({=n, k: Sym}L(a, b)). net<{s}k>
        def Q(b: Agent, a: Agent) = net({n: Nonce}L(a, b)). new k: Sym. net<{n, k}L(a, b)>. net({_}k)
        system S = P(A, B) | Q(B, A) | Q(B, A)
        secrecy s in S";
    assert!(!checked(nonce, &[]).contains("is no Sym"));
}

/// Whoever names its partner and uses a key of the spy's was tricked into that, and does not serve spies.
#[test]
fn who_names_its_partner_serves_no_spies() {
    let model = "agent A, B spy E channel net keypair Ca keypair K(Agent)
        def Server(b: Agent) = net<{b, K(b)+}Ca->. net({_: Sym}K(b)-)
        def Client(a: Agent, b: Agent) = net({_, pk: Pub}Ca+). new pre: Sym. net<{pre}pk>
        system S = Client(A, B) | Server(B) | Server(E)
        secrecy pre in S";
    let told = checked(model, &[]);
    assert!(told.contains("to share it with B alone"), "{told}");
    assert!(!told.contains("counts as honest"), "{told}");
}

/// `let k = ..` gives a name and accepts nothing.
#[test]
fn a_name_for_a_message_is_no_check() {
    let model = "agent A, B channel net function kdf(Msg): Sym
        def P(a: Agent, b: Agent) = new n. net<n>.
          let k = kdf(n) in
          net<{a}k>
        def Q(b: Agent, a: Agent) = net(n).
          let k = kdf(n) in
          net({=a}k). event Got(b, k)
        system P1 = P(A, B) | Q(B, A)
        secrecy k after Got(b, k) in P1";
    let told = checked(model, &[]);
    assert!(
        told.contains("attack") && !told.contains("(line 3)") && !told.contains("(line 6)"),
        "{told}"
    );
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(["run", "-"])
        .write_stdin(model)
        .output()
        .expect("it runs");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        told.contains("finishes") && !told.contains("(line 6)"),
        "{told}"
    );
}

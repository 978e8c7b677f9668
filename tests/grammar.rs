//! The grammar, construct by construct: text in, structure out.

use spi::base::source::{SourceFile, SourceMap, render};
use spi::lang::syntax::{dump, parse, parse_claim_target, parse_process, parse_term};

fn clean<T>(
    file: &SourceFile,
    (read, diagnostics): (Option<T>, Vec<spi::base::source::Diagnostic>),
) -> T {
    let shown = render::to_string(&SourceMap::from(file.clone()), &diagnostics);
    assert!(diagnostics.is_empty(), "{}\n{shown}", file.text);
    read.expect("no diagnostics, so a tree")
}

fn term(text: &str) -> String {
    let file = SourceFile::anonymous("<argument>", text);
    dump::term(&clean(&file, parse_term(&file)))
}

fn process(text: &str) -> String {
    let file = SourceFile::anonymous("<argument>", text);
    dump::process(&clean(&file, parse_process(&file)))
}

fn file(text: &str) -> String {
    let file = SourceFile::anonymous("t.spi", text);
    let (tree, diagnostics) = parse(&file);
    dump::file(&clean(&file, (Some(tree), diagnostics)))
}

fn target(text: &str) -> String {
    let file = SourceFile::anonymous("<argument>", text);
    dump::target(&clean(&file, parse_claim_target(&file)))
}

#[test]
fn terms() {
    assert_eq!(term("n"), "n");
    assert_eq!(term("3"), "3");
    assert_eq!(term("suc(suc(0))"), "(suc (suc 0))");
    assert_eq!(term("(M, N, L)"), "(tuple M N L)");
    assert_eq!(term("((M))"), "M");
    assert_eq!(term("H(M, N)"), "(hash M N)");
    assert_eq!(term("hash(M)"), "(hash M)");
    assert_eq!(term("{M, N}k"), "(enc M N (key k))");
    assert_eq!(term("{M}(k, n)"), "(enc M (key (tuple k n)))");
    assert_eq!(term("{M}H(k)"), "(enc M (key (hash k)))");
    assert_eq!(term("{M}K(a)+"), "(enc M (key (pub (K a))))");
    assert_eq!(term("{[M, r]}k+"), "(aenc M r (key (pub k)))");
    assert_eq!(term("[{M}]t"), "(sign M (key t))");
    assert_eq!(term("K(a)-"), "(priv (K a))");
    assert_eq!(term("(a, b)+"), "(pub (tuple a b))");
    assert_eq!(term("{M}{N}k"), "(enc M (key (enc N (key k))))");
}

#[test]
fn double_brackets_are_decided_by_matching() {
    assert_eq!(term("{[{b}]k-}n"), "(enc (sign b (key (priv k))) (key n))");
    assert_eq!(term("{[{b}k]}n+"), "(aenc (enc b (key k)) (key (pub n)))");
    assert_eq!(
        term("{[[{a, (b, k)}]ka-]}kb+"),
        "(aenc (sign a (tuple b k) (key (priv ka))) (key (pub kb)))"
    );
    assert_eq!(
        process("[{a}k is [{b}]k-] 0"),
        "[(is (enc a (key k)) (sign b (key (priv k)))) 0]"
    );
}

#[test]
fn actions() {
    assert_eq!(process("0"), "[0]");
    assert_eq!(process("c<M, N>. 0"), "[(out c M N) 0]");
    assert_eq!(process("c<{M}k->"), "[(out c (enc M (key (priv k))))]");
    assert_eq!(
        process("c(x, y: Nonce, _, =M). d<x>"),
        "[(apply c ?x ?y:Nonce _ (= M)) (out d x)]"
    );
    assert_eq!(
        process("c({x, =n}k, (y, z)). 0"),
        "[(apply c (enc ?x (= n) (key k)) (tuple ?y ?z)) 0]"
    );
    assert_eq!(
        process("P(M, H(n), K(a)+)"),
        "[(apply P ?M (term (hash n)) (term (pub (K a))))]"
    );
    assert_eq!(process("P"), "[(call P)]");
    assert_eq!(process("P()"), "[(apply P)]");
    assert_eq!(
        process("new n: Nonce, m. c<n>"),
        "[(new n:Nonce m) (out c n)]"
    );
    assert_eq!(
        process("event E(a, b). event F"),
        "[(event E a b) (event F)]"
    );
    assert_eq!(process("!P"), "[! (call P)]");
    assert_eq!(process("!3 P(x)"), "[!3 (apply P ?x)]");
    assert_eq!(process("!0"), "[! 0]");
    assert_eq!(process("!0 | 0"), "(par [! 0] [0])");
    assert_eq!(process("!2 0"), "[!2 0]");
}

#[test]
fn any_term_in_parentheses_is_a_channel() {
    assert_eq!(process("(a, b)<M>"), "[(out (tuple a b) M)]");
    assert_eq!(process("({M}k)(x). 0"), "[(apply (enc M (key k)) ?x) 0]");
    assert_eq!(
        process("K(a)(x). K(a)<x>"),
        "[(apply (K a) ?x) (out (K a) x)]"
    );
    assert_eq!(process("k+<M>"), "[(out (pub k) M)]");
}

#[test]
fn parallel_composition_binds_weakest() {
    assert_eq!(
        process("new n. P | Q"),
        "(par [(new n) (call P)] [(call Q)])"
    );
    assert_eq!(
        process("!P | Q | R"),
        "(par [! (call P)] [(call Q)] [(call R)])"
    );
    assert_eq!(
        process("new n. (P | Q)"),
        "[(new n) (group (par [(call P)] [(call Q)]))]"
    );
}

#[test]
fn tests_and_their_else() {
    assert_eq!(
        process("[a is b] P else Q"),
        "[(is a b (else [(call Q)])) (call P)]"
    );
    assert_eq!(
        process("[a is b] [c is d] P else Q else R"),
        "[(is a b (else [(call R)])) (is c d (else [(call Q)])) (call P)]",
        "an else belongs to the nearest test"
    );
    assert_eq!(
        process("[a is b] P else [c is d] Q else R"),
        "[(is a b (else [(is c d (else [(call R)])) (call Q)])) (call P)]"
    );
    assert_eq!(
        process("let (x, =b) = M in P"),
        "[(let (tuple ?x (= b)) M) (call P)]"
    );
    assert_eq!(
        process("case x of {y: Nonce, =b}K(a)- in P else Q"),
        "[(case x (enc ?y:Nonce (= b) (key (priv (K a)))) (else [(call Q)])) (call P)]"
    );
    assert_eq!(
        process("case x of {[y]}k- in 0"),
        "[(case x (aenc ?y (key (priv k)))) 0]"
    );
    assert_eq!(
        process("case x of [{y}]k+ in 0"),
        "[(case x (sign ?y (key (pub k)))) 0]"
    );
}

#[test]
fn integer_cases() {
    assert_eq!(
        process("case x of 0: P suc(y): Q"),
        "[(intcase x [(call P)] ?y [(call Q)])]"
    );
    assert_eq!(
        process("case x of 0: [a is b] 0 else 0 suc(_): case y of 0: 0 suc(z): c<z>"),
        "[(intcase x [(is a b (else [0])) 0] _ [(intcase y [0] ?z [(out c z)])])]"
    );
}

#[test]
fn spellings_of_the_papers() {
    assert_eq!(process("(νn) c⟨n⟩.0"), "[(new n) (out c n) 0]");
    assert_eq!(
        process("(νM)(νN)(c(x).c〈M〉.0 | c〈M〉.0)"),
        process("new M. new N. (c(x).c<M>.0 | c<M>.0)")
    );
    assert_eq!(process("(new n)"), "[(group [(new n)])]");
}

#[test]
fn declarations() {
    assert_eq!(
        file("agent A, B spy C channel c"),
        "(agent A B)\n(spy C)\n(channel c)\n"
    );
    assert_eq!(
        file("agent U, V: User, S: Server, A spy E: User | Server, F, G: User"),
        "(agent U:User V:User S:Server A)\n(spy E:User|Server F:User G:User)\n"
    );
    assert_eq!(
        file("public m: Data, t private k: Sym"),
        "(public m:Data t)\n(private k:Sym)\n"
    );
    assert_eq!(
        file("keypair K(Agent), S\nkey L(Agent, Agent)"),
        "(keypair (K Agent) (S))\n(key (L Agent Agent))\n"
    );
    assert_eq!(
        file("knows k0, {k0, A}S(B)"),
        "(knows k0 (enc k0 A (key (S B))))\n"
    );
    assert_eq!(
        file("def P(x: T, y) = 0 def Q = P(a, b)"),
        "(def (P x:T y) [0])\n(def (Q) [(apply P ?a ?b)])\n"
    );
    assert_eq!(
        file("partial system S(m) = c<m>"),
        "(partial (S m) [(out c m)])\n"
    );
}

#[test]
fn claims() {
    let claims = [
        (
            "secrecy Na, Init(A, B).Nb, ({a}k) in S expect holds",
            "(claim secrecy Na (instance (Init A B) Nb) (term (enc a (key k))) (S) expect:Holds)",
        ),
        (
            "secrecy k after E(_, k) in S",
            "(claim secrecy k (after (E _ k)) (S))",
        ),
        (
            "agreement E(a, n) => F(n, H(a)) in S expect attack",
            "(claim Agreement (E a n) (F n (hash a)) (S) expect:Attack)",
        ),
        (
            "injective agreement E => F in S",
            "(claim Injective (E) (F) (S))",
        ),
        (
            "weak agreement E(x) => F(x) in S",
            "(claim Weak (E x) (F x) (S))",
        ),
        (
            "aliveness E(x) => F(x) in S",
            "(claim Aliveness (E x) (F x) (S))",
        ),
        ("reachable E(_) in S(m)", "(claim reachable (E _) (S m))"),
        (
            "unsendable c<M, N> in S",
            "(claim unsendable c (message M N) (S))",
        ),
        (
            "unsendable K(A)<M> in S",
            "(claim unsendable (K A) (message M) (S))",
        ),
        ("strong secrecy m in S", "(claim strong m (S))"),
        (
            "S ~ T expect holds",
            "(claim Equivalent (S) (T) expect:Holds)",
        ),
        (
            "equivalence S(m1) ≈ S(m2)",
            "(claim Equivalent (S m1) (S m2))",
        ),
        ("S(m1) <= T", "(claim Preorder (S m1) (T))"),
    ];
    for (text, structure) in claims {
        assert_eq!(file(text), format!("{structure}\n"));
    }
    let all = claims.map(|(text, _)| text).join("\n");
    let every = claims.map(|(_, structure)| structure).join("\n");
    assert_eq!(file(&all).trim_end(), every, "claims need no separator");
}

#[test]
fn targets_of_the_command_line() {
    assert_eq!(target("Na"), "Na");
    assert_eq!(target("Init(A,B).Na"), "(instance (Init A B) Na)");
    assert_eq!(target("({Na}K(A)+)"), "(term (enc Na (key (pub (K A)))))");
    assert_eq!(target("(a, b)"), "(term (tuple a b))");
}

#[test]
fn the_whole_file_of_the_manual() {
    let text = include_str!("grammar/nsl.spi");
    insta::assert_snapshot!(file(text));
}

#[test]
fn the_equivalence_pairs_parse() {
    let pairs = include_str!("grammar/pairs.txt");
    for line in pairs.lines() {
        process(line);
    }
}

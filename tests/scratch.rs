mod support;
use spi::analysis::*;
#[test]
fn scratch() {
    let typed = std::env::var("TYPED").is_ok();
    let all = std::env::var("ALL").is_ok();
    for f in std::env::var("F").unwrap().split(' ') {
        let text = std::fs::read_to_string(f).unwrap();
        let s = Settings {
            typed,
            all,
            ..Settings::default()
        };
        for r in support::results(&text, &s) {
            println!(
                "{f}: {:55} {:14} typed:{:?} st {} tr {} d {} {:?}",
                r.claim.text,
                support::word(&r.verdict),
                r.also_typed,
                r.stats.states,
                r.stats.transitions,
                r.stats.depth,
                r.stats.time
            );
            match &r.verdict {
                Verdict::Internal(e) => println!("   {e:?}"),
                Verdict::Attack(a) => println!(
                    "   {} attacks, first {} moves",
                    a.len(),
                    a[0].witness.moves.len()
                ),
                Verdict::NotExecutable => println!("  {:?}", r.gate.as_ref().map(|g| &g.idle)),
                _ => {}
            }
        }
    }
}

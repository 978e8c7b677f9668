//! Several processes that explore together (`--hosts`, `--process`), over loopback: what they find is what one finds, and a
//! process that dies or never comes leaves the question open.

// Nobody uses a test from outside.
#![allow(unreachable_pub)]

#[cfg(feature = "distributed")]
mod rules;
#[cfg(feature = "distributed")]
mod strangers;

use std::process::{Command, Output};

fn spi(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spi"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What one process says.
fn alone(args: &[&str]) -> Output {
    spi(args).output().expect("it runs")
}

#[cfg(not(feature = "distributed"))]
#[test]
fn without_the_feature_it_says_how_to_get_it() {
    let args = [
        "lts",
        "protocols/papers/s3a-fig1.spi",
        "--hosts",
        "hosts",
        "--process",
        "0",
    ];
    let out = alone(&args);
    assert_eq!(out.status.code(), Some(2));
    let said = text(&out.stderr);
    assert!(
        said.contains("E0802") && said.contains("--features distributed"),
        "{said}"
    );
}

#[cfg(feature = "distributed")]
mod together {
    use super::{Output, alone, spi, text};
    use serde_json::Value;
    use std::net::TcpListener;
    use std::process::{Child, Stdio};
    use std::time::Duration;
    use tempfile::TempDir;

    const NS_SPACE: &str = "protocols/papers/s3a-ns.spi";

    /// Addresses that nothing uses.
    pub fn addresses(count: usize) -> String {
        let bound = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let bound: Vec<TcpListener> = bound.collect();
        let line = |l: &TcpListener| format!("{}\n", l.local_addr().expect("an address"));
        bound.iter().map(line).collect()
    }

    /// Processes that were started.
    struct Company {
        children: Vec<(usize, Child)>,
        _folder: TempDir,
    }

    impl Company {
        /// Starts those of `count` processes that are named; each may have arguments of its own.
        fn start(count: usize, who: &[usize], args: impl Fn(usize) -> Vec<String>) -> Company {
            let folder = TempDir::new().expect("a folder");
            let hosts = folder.path().join("hosts");
            std::fs::write(&hosts, addresses(count)).expect("written");
            let start = |process: usize| {
                let mut command = spi(&[]);
                command.args(args(process)).arg("--hosts").arg(&hosts);
                command.args(["--process", &process.to_string()]);
                command.stdout(Stdio::piped()).stderr(Stdio::piped());
                (process, command.spawn().expect("it starts"))
            };
            Company {
                children: who.iter().map(|p| start(*p)).collect(),
                _folder: folder,
            }
        }

        fn all(count: usize, args: &[&str]) -> Company {
            let who: Vec<usize> = (0..count).collect();
            Company::start(count, &who, |_| {
                args.iter().map(ToString::to_string).collect()
            })
        }

        fn kill(&mut self, process: usize) {
            let (_, child) = &mut self.children[process];
            child.kill().expect("it can be killed");
        }

        fn outputs(self) -> Vec<(usize, Output)> {
            let end = |(p, c): (usize, Child)| (p, c.wait_with_output().expect("it ends"));
            self.children.into_iter().map(end).collect()
        }
    }

    /// Lines about this machine and this run.
    fn is_measured(line: &str) -> bool {
        ["bytes per state", "time", "states per second"]
            .iter()
            .any(|m| line.trim_start().starts_with(m))
    }

    /// The document without times.
    fn timeless(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| name != "seconds");
                fields.values_mut().for_each(timeless);
            }
            Value::Array(items) => items.iter_mut().for_each(timeless),
            _ => {}
        }
    }

    fn document(bytes: &[u8]) -> Value {
        let mut value: Value = serde_json::from_slice(bytes).expect("JSON");
        timeless(&mut value);
        value
    }

    /// Two and four processes say what one says, verdicts, counts and runs; the others say nothing and end alike.
    ///
    /// Several processes do not look beyond what is written, so one is asked not to.
    fn same(args: &[&str], code: i32) {
        let mut args = args.to_vec();
        if args.first() == Some(&"check") {
            args.push("--as-written");
        }
        let args = &args[..];
        let one = alone(args);
        assert_eq!(
            one.status.code(),
            Some(code),
            "{args:?}: {}",
            text(&one.stderr)
        );
        for count in [2, 4] {
            for (process, out) in Company::all(count, args).outputs() {
                let said = text(&out.stderr);
                assert_eq!(out.status.code(), Some(code), "{args:?} {process}: {said}");
                if process > 0 {
                    assert!(out.stdout.is_empty() && out.stderr.is_empty(), "{said}");
                } else if args.contains(&"json") {
                    assert_eq!(document(&out.stdout), document(&one.stdout), "{args:?}");
                } else {
                    let kept = |bytes: &[u8]| -> Vec<String> {
                        let shown = text(bytes);
                        let lines = shown.lines().filter(|l| !is_measured(l));
                        lines.map(str::to_owned).collect()
                    };
                    assert_eq!(kept(&out.stdout), kept(&one.stdout), "{args:?}");
                }
            }
        }
    }

    #[test]
    fn state_spaces_have_the_same_figures() {
        same(&["lts", NS_SPACE, "--system", "NS22"], 0);
        let figure = "protocols/papers/s3a-fig1.spi";
        same(
            &["lts", figure, "--semantics", "private", "--no-symmetry"],
            0,
        );
        same(&["lts", figure, "--no-sharing", "--late"], 0);
    }

    #[test]
    fn comparisons_have_the_same_verdict_counts_and_test() {
        let file = |system: &str| format!("protocols/equivalence/wmf-one-session.spi:{system}");
        let (left, right) = (file("Authentic"), file("AuthenticSpec"));
        // With everything on each process decides by itself; the exploration is shared out.
        let joint = ["--no-reduction", "cones,roles"];
        let plain = ["equiv", &left, &right, "--format", "json"];
        same(&plain, 0);
        same(&[&plain[..], &joint].concat(), 0);
        let file = |system: &str| format!("protocols/equivalence/ns.spi:{system}");
        let (left, right) = (file("Impl"), file("Spec"));
        let plain = ["equiv", &left, &right, "--format", "json"];
        same(&plain, 1);
        same(&[&plain[..], &joint].concat(), 1);
        let less = ["--no-reduction", "compression"];
        same(&[&plain[..], &joint, &less].concat(), 1);
        same(
            &["equiv", &left, &right, "--preorder", "--format", "json"],
            1,
        );
        same(
            &[
                "equiv",
                &left,
                &right,
                "--format",
                "json",
                "--max-states",
                "3",
            ],
            3,
        );
    }

    #[test]
    fn claims_have_the_same_verdict_counts_and_attack() {
        same(&["check", "protocols/ns.spi", "--format", "json"], 1);
        same(&["check", "protocols/nsl.spi", "--format", "json"], 0);
        same(
            &[
                "check",
                "protocols/nsl.spi",
                "--format",
                "json",
                "--no-reduction",
                "proofs",
            ],
            0,
        );
        same(
            &["check", "protocols/ns.spi", "--format", "json", "--all"],
            1,
        );
        same(
            &[
                "check",
                "protocols/ns.spi",
                "--format",
                "json",
                "--sessions",
                "2",
            ],
            1,
        );
        let less = ["--no-reduction", "subsumption,symmetry"];
        same(
            &[
                &[
                    "check",
                    "protocols/nsl.spi",
                    "--format",
                    "json",
                    "--no-reduction",
                    "proofs",
                ][..],
                &less,
            ]
            .concat(),
            0,
        );
    }

    #[test]
    fn limits_on_states_end_where_one_process_ends() {
        // The last one ends in the middle of a layer.
        let plain = ["check", NS_SPACE, "--system", "NS23", "--format", "json"];
        let tree = [&plain[..], &["--no-reduction", "sharing,symmetry,proofs"]].concat();
        for limit in ["7", "600", "1500"] {
            same(&[&tree[..], &["--max-states", limit]].concat(), 3);
        }
        let file = |system: &str| format!("protocols/equivalence/wmf-nonce.spi:{system}");
        let (left, right) = (file("Impl"), file("Spec"));
        let plain = ["equiv", &left, &right, "--format", "json"];
        let tree = [
            &plain[..],
            &["--no-reduction", "sharing,symmetry,subsumption"],
            &["--no-reduction", "cones,roles"],
        ]
        .concat();
        for limit in ["20", "100"] {
            same(&[&tree[..], &["--max-states", limit]].concat(), 3);
        }
    }

    /// A space that no test waits for.
    fn endless() -> (TempDir, String) {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("large.spi");
        let model = std::fs::read_to_string(NS_SPACE).expect("the model");
        let many = "system Many = !8 Init(A, B) | !8 Resp(B, A)\n";
        std::fs::write(&path, format!("{model}\n{many}")).expect("written");
        let path = path.display().to_string();
        (folder, path)
    }

    #[test]
    fn a_process_that_is_killed_leaves_the_question_open() {
        let (_folder, model) = endless();
        for victim in [0, 2] {
            let mut company =
                Company::all(3, &["lts", &model, "--system", "Many", "--threads", "1"]);
            std::thread::sleep(Duration::from_secs(2));
            company.kill(victim);
            for (process, out) in company.outputs() {
                if process == victim {
                    continue;
                }
                let (shown, said) = (text(&out.stdout), text(&out.stderr));
                assert_eq!(out.status.code(), Some(3), "{process}: {shown}{said}");
                let place = if process == 0 { shown } else { said };
                let lost = format!("process {victim} was lost");
                assert!(place.contains(&lost), "{process}: {place}");
            }
        }
    }

    #[test]
    fn a_process_that_never_comes_leaves_the_question_open() {
        let args = [
            "check",
            "protocols/nsl.spi",
            "--format",
            "json",
            "--no-reduction",
            "proofs",
            "--timeout",
            "2s",
        ];
        let args = |_| args.iter().map(ToString::to_string).collect();
        for (process, out) in Company::start(3, &[0, 2], args).outputs() {
            assert_eq!(out.status.code(), Some(3), "{}", text(&out.stderr));
            assert!(
                text(&out.stderr).contains("process 1 did not come"),
                "{process}"
            );
            if process == 0 {
                let found = document(&out.stdout);
                let claims = found["files"][0]["claims"].as_array().expect("claims");
                assert!(!claims.is_empty());
                assert!(
                    claims.iter().all(|c| c["verdict"] == "inconclusive"),
                    "{found}"
                );
            }
        }
    }

    #[test]
    fn processes_that_are_asked_different_things_do_not_work_together() {
        let asked = |process: usize| {
            let copies = if process == 0 { "2" } else { "3" };
            // Without a key the one that is called can't know who it is: it waits for one that fits.
            let model = "protocols/papers/s3a-fig1.spi";
            let args = ["lts", model, "--copies", copies, "--timeout", "3s"];
            args.iter().map(ToString::to_string).collect()
        };
        for (process, out) in Company::start(2, &[0, 1], asked).outputs() {
            let said = text(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{said}");
            let other = format!("process {} was started with other options", 1 - process);
            assert!(said.contains("E0802") && said.contains(&other), "{said}");
            assert!(out.stdout.is_empty());
        }
    }

    #[test]
    fn lists_that_make_no_sense_are_explained() {
        let folder = TempDir::new().expect("a folder");
        let hosts = folder.path().join("hosts");
        let path = hosts.display().to_string();
        let cases = [
            ("127.0.0.1:4000\nsomewhere\n", "0", "line 2"),
            ("127.0.0.1:4000\n", "0", "lists one process only"),
            (
                "127.0.0.1:4000\n127.0.0.1:4001\n",
                "2",
                "there is no process 2",
            ),
        ];
        for (list, process, expected) in cases {
            std::fs::write(&hosts, list).expect("written");
            let model = "protocols/papers/s3a-fig1.spi";
            let out = alone(&["lts", model, "--hosts", &path, "--process", process]);
            let said = text(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{said}");
            assert!(said.contains("E0801") && said.contains(expected), "{said}");
        }
        let graph = ["lts", "protocols/papers/s3a-fig1.spi", "--format", "dot"];
        let out = alone(&[&graph[..], &["--hosts", &path, "--process", "0"]].concat());
        assert_eq!(out.status.code(), Some(2));
        assert!(text(&out.stderr).contains("figures only"));
    }
}

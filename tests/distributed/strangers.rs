//! Whoever else calls: slow, silent, foreign or false clients neither hold up the start nor end the run, and with a key nobody
//! joins who does not have it.

use super::{Output, spi, text};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const MODEL: &str = "protocols/papers/s3a-fig1.spi";

/// Two processes, started when they are asked for.
struct Pair {
    folder: TempDir,
    hosts: PathBuf,
    addresses: Vec<String>,
}

impl Pair {
    fn new() -> Pair {
        let folder = TempDir::new().expect("a folder");
        let hosts = folder.path().join("hosts");
        let list = super::together::addresses(2);
        std::fs::write(&hosts, &list).expect("written");
        let addresses = list.lines().map(str::to_owned).collect();
        Pair {
            folder,
            hosts,
            addresses,
        }
    }

    /// A file with a secret; readable by its owner only, if nothing else is said.
    fn key(&self, name: &str, secret: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.folder.path().join(name);
        std::fs::write(&path, secret).expect("written");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("set");
        path
    }

    fn start(&self, process: usize, key: Option<&PathBuf>, more: &[&str]) -> Child {
        let mut command = spi(&["lts", MODEL]);
        command.args(more).arg("--hosts").arg(&self.hosts);
        command.args(["--process", &process.to_string()]);
        if let Some(key) = key {
            command.arg("--cluster-key").arg(key);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    }

    /// A connection to process 0, as soon as it listens.
    fn intrude(&self) -> TcpStream {
        loop {
            match TcpStream::connect(&self.addresses[0]) {
                Ok(stream) => return stream,
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

fn end(child: Child) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().expect("it ends");
    (status.code(), text(&stdout), text(&stderr))
}

/// Both processes have done their work.
fn assert_done(first: Child, second: Child) {
    let (code, shown, said) = end(first);
    assert_eq!(code, Some(0), "{shown}{said}");
    assert!(shown.contains("states"), "{shown}");
    let (code, shown, said) = end(second);
    assert_eq!((code, shown.as_str(), said.as_str()), (Some(0), "", ""));
}

/// A greeting by somebody who knows how they begin: from process 1 to process 0, for records, without a key, other terms.
fn false_greeting() -> Vec<u8> {
    let mut bytes = b"spi-2\r\n\0".to_vec();
    bytes.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    bytes.extend_from_slice(&[9; 32 + 48]);
    bytes
}

#[test]
fn whoever_is_slow_or_silent_holds_up_nobody() {
    let pair = Pair::new();
    let first = pair.start(0, None, &["--timeout", "20s"]);
    let slow = pair.intrude();
    std::thread::spawn(move || {
        let mut slow = slow;
        for byte in false_greeting() {
            if slow.write_all(&[byte]).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(1500));
        }
    });
    let silent: Vec<TcpStream> = (0..20).map(|_| pair.intrude()).collect();
    let second = pair.start(1, None, &["--timeout", "20s"]);
    assert_done(first, second);
    drop(silent);
}

#[test]
fn a_crowd_holds_up_nobody() {
    let pair = Pair::new();
    let first = pair.start(0, None, &["--timeout", "20s"]);
    // More than are greeted at a time.
    let crowd: Vec<TcpStream> = (0..300).map(|_| pair.intrude()).collect();
    let second = pair.start(1, None, &["--timeout", "20s"]);
    assert_done(first, second);
    drop(crowd);
}

#[test]
fn whoever_speaks_something_else_or_has_other_terms_ends_nothing() {
    for keyed in [false, true] {
        let pair = Pair::new();
        let key = keyed.then(|| pair.key("key", "0123456789abcdef0123456789abcdef\n"));
        let first = pair.start(0, key.as_ref(), &["--timeout", "20s"]);
        let web = b"GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: somebody who has lost the way, and says so at length\r\n\r\n";
        pair.intrude().write_all(web).expect("sent");
        let mut liar = pair.intrude();
        liar.write_all(&false_greeting()).expect("sent");
        // It is answered and turned away before the real one comes.
        let mut heard = Vec::new();
        let _ = liar.read_to_end(&mut heard);
        assert!(heard.starts_with(b"spi-2"), "{heard:?}");
        assert_done(first, pair.start(1, key.as_ref(), &["--timeout", "20s"]));
    }
}

#[test]
fn who_has_the_key_joins() {
    let pair = Pair::new();
    let key = pair.key("key", "0123456789abcdef0123456789abcdef\n");
    // On another machine the file may have been saved without the line's end.
    let same = pair.key("same", "0123456789abcdef0123456789abcdef");
    let first = pair.start(0, Some(&key), &[]);
    assert_done(first, pair.start(1, Some(&same), &[]));
}

#[test]
fn who_has_another_key_or_none_does_not_join() {
    let cases = [
        (
            Some("one"),
            Some("two"),
            "has another key",
            "has another key",
        ),
        (
            Some("one"),
            None,
            "process 1 was started without `--cluster-key`",
            "process 0 was started with `--cluster-key`, this one without",
        ),
        (
            None,
            Some("two"),
            "process 1 was started with `--cluster-key`, this one without",
            "process 0 was started without `--cluster-key`",
        ),
    ];
    for (left, right, for_first, for_second) in cases {
        let pair = Pair::new();
        let secret = |k: &str| pair.key(k, &format!("{k} 0123456789abcdef"));
        let (left, right) = (left.map(secret), right.map(secret));
        let first = pair.start(0, left.as_ref(), &["--timeout", "3s"]);
        let second = pair.start(1, right.as_ref(), &["--timeout", "3s"]);
        for (child, expected) in [(first, for_first), (second, for_second)] {
            let (code, shown, said) = end(child);
            assert_eq!(code, Some(2), "{shown}{said}");
            assert!(said.contains("E0802") && said.contains(expected), "{said}");
        }
    }
}

#[test]
fn with_a_key_other_terms_are_told_at_once() {
    let pair = Pair::new();
    let key = pair.key("key", "0123456789abcdef");
    // Without a limit the first would wait half a minute for somebody else.
    let first = pair.start(0, Some(&key), &["--copies", "2"]);
    let second = pair.start(1, Some(&key), &["--copies", "3"]);
    for child in [first, second] {
        let (code, _, said) = end(child);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("was started with other options"), "{said}");
    }
}

#[test]
fn files_that_hold_no_secret_are_refused_and_careless_ones_are_warned_about() {
    use std::os::unix::fs::PermissionsExt;
    let pair = Pair::new();
    let missing = pair.folder.path().join("missing");
    let (code, _, said) = end(pair.start(0, Some(&missing), &[]));
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("E0601") && said.contains("chmod 600"),
        "{said}"
    );
    let empty = pair.key("empty", "\n");
    let (code, _, said) = end(pair.start(0, Some(&empty), &[]));
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("E0803") && said.contains("it is empty"),
        "{said}"
    );
    let open = pair.key("open", "secret");
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o644)).expect("set");
    let first = pair.start(0, Some(&open), &[]);
    let second = pair.start(1, Some(&open), &[]);
    for (code, _, said) in [end(first), end(second)] {
        assert_eq!(code, Some(0), "{said}");
        assert!(
            said.contains("W0801") && said.contains("chmod 600"),
            "{said}"
        );
        assert!(said.contains("short enough to be"), "{said}");
    }
}

#[test]
fn a_foreign_server_at_the_address_of_a_process_is_not_that_process() {
    let pair = Pair::new();
    let foreign = TcpListener::bind(&pair.addresses[0]).expect("a free port");
    std::thread::spawn(move || {
        for mut stream in foreign.incoming().flatten() {
            let _ = stream.write_all(b"220 mail.example.org ready, and glad to be of any service to you, whoever you are, today and every day of the week\r\n");
        }
    });
    let (code, shown, said) = end(pair.start(1, None, &["--timeout", "2s"]));
    assert_eq!(code, Some(3), "{shown}{said}");
    assert!(said.contains("process 0 did not come"), "{said}");
}

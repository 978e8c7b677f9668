//! How a connection begins: both sides send number and fingerprint, and prove that they have the
//! key.
//!
//! ```text
//! caller -> called : hello
//! called -> caller : hello
//! caller -> called : answer under the key        (with a key only)
//! called -> caller : yes, answer under the key   (or no)
//! ```
//!
//! The whole handshake has one deadline. A peer that is slow, silent or speaks another protocol is
//! a stranger.

use super::fingerprint::Fingerprint;
use super::key::{Key, SIZE, Side};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How long a whole handshake may take.
pub(super) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// The first bytes of a hello.
const MAGIC: [u8; 8] = *b"spi-2\r\n\0";

/// Length of a hello.
const HELLO_BYTES: usize = 8 + 4 + 4 + 1 + 1 + SIZE + 48;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Records of the exploration.
    Records = 0,
    /// Heartbeats.
    Heartbeat = 1,
}

/// Why a process does not belong to the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// It was started differently: in what.
    Fingerprint(&'static str),
    /// It has another key.
    Key,
    /// It has a key, this process has none.
    KeyThere,
    /// This process has a key, it has none.
    KeyHere,
}

/// How a handshake ended.
#[derive(Debug)]
pub enum Greeted {
    /// With a process of the cluster.
    Member(u32, Use),
    /// With a peer that claims to be that process and does not match. The flag says whether it
    /// really is that process: it has the key, or was found at its address.
    Mismatch(u32, Mismatch, bool),
    /// With anything else.
    Stranger,
}

/// What this process sends about itself.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Its number.
    pub me: u32,
    /// How many processes there are.
    pub size: u32,
    /// What it was asked.
    pub fingerprint: Fingerprint,
    /// The shared secret, if there is one.
    pub key: Option<Key>,
}

/// The first message of either side.
struct Hello {
    from: u32,
    to: u32,
    usage: Use,
    keyed: bool,
    fingerprint: Fingerprint,
}

impl Hello {
    /// As bytes, with a challenge.
    fn bytes(&self, challenge: [u8; SIZE]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&self.from.to_be_bytes());
        bytes.extend_from_slice(&self.to.to_be_bytes());
        bytes.extend_from_slice(&[self.usage as u8, u8::from(self.keyed)]);
        bytes.extend_from_slice(&challenge);
        bytes.extend_from_slice(&self.fingerprint.to_bytes());
        bytes
    }

    fn parse(bytes: &[u8; HELLO_BYTES]) -> Option<Hello> {
        let word = |at: usize| Some(u32::from_be_bytes(*bytes[at..].first_chunk()?));
        let usage = match bytes[16] {
            0 => Use::Records,
            1 => Use::Heartbeat,
            _ => return None,
        };
        (bytes[..8] == MAGIC && bytes[17] < 2).then_some(())?;
        Some(Hello {
            from: word(8)?,
            to: word(12)?,
            usage,
            keyed: bytes[17] == 1,
            fingerprint: Fingerprint::from_bytes(*bytes.last_chunk()?),
        })
    }
}

impl Identity {
    /// The handshake of the calling side.
    pub fn call(&self, stream: &TcpStream, other: u32, usage: Use) -> io::Result<Greeted> {
        let mut transcript = Transcript::new(stream)?;
        transcript.send(&self.hello(other, usage)?)?;
        let Some(hello) = transcript.receive_hello()? else {
            return Ok(Greeted::Stranger);
        };
        if (hello.from, hello.to, hello.usage) != (other, self.me, usage) {
            return Ok(Greeted::Stranger);
        }
        if let Some(mismatch) = self.keys_differ(&hello) {
            return Ok(Greeted::Mismatch(other, mismatch, true));
        }
        if let Some(key) = &self.key {
            let said = transcript.said.clone();
            transcript.send(&key.answer(Side::Caller, &said))?;
            let [verdict] = transcript.receive()?;
            let known =
                verdict == 1 && key.accepts(Side::Called, &said, &transcript.receive::<SIZE>()?);
            if !known {
                return Ok(Greeted::Mismatch(other, Mismatch::Key, true));
            }
        }
        transcript.settle()?;
        Ok(self.agree(&hello, true))
    }

    /// The handshake of the called side.
    pub fn answer(&self, stream: &TcpStream) -> io::Result<Greeted> {
        let mut transcript = Transcript::new(stream)?;
        let Some(hello) = transcript.receive_hello()? else {
            return Ok(Greeted::Stranger);
        };
        if hello.to != self.me || hello.from >= self.size || hello.from <= self.me {
            return Ok(Greeted::Stranger);
        }
        transcript.send(&self.hello(hello.from, hello.usage)?)?;
        if let Some(mismatch) = self.keys_differ(&hello) {
            return Ok(Greeted::Mismatch(hello.from, mismatch, false));
        }
        if let Some(key) = &self.key {
            let said = transcript.said.clone();
            if !key.accepts(Side::Caller, &said, &transcript.receive::<SIZE>()?) {
                // A peer without the key gets nothing that was made with it.
                transcript.send(&[0])?;
                return Ok(Greeted::Mismatch(hello.from, Mismatch::Key, false));
            }
            let mut yes = vec![1];
            yes.extend_from_slice(&key.answer(Side::Called, &said));
            transcript.send(&yes)?;
        }
        transcript.settle()?;
        Ok(self.agree(&hello, self.key.is_some()))
    }

    fn hello(&self, to: u32, usage: Use) -> io::Result<Vec<u8>> {
        let mut challenge = [0; SIZE];
        if self.key.is_some() {
            getrandom::fill(&mut challenge).map_err(io::Error::other)?;
        }
        let hello = Hello {
            from: self.me,
            to,
            usage,
            keyed: self.key.is_some(),
            fingerprint: self.fingerprint.clone(),
        };
        Ok(hello.bytes(challenge))
    }

    fn keys_differ(&self, hello: &Hello) -> Option<Mismatch> {
        match (self.key.is_some(), hello.keyed) {
            (true, false) => Some(Mismatch::KeyHere),
            (false, true) => Some(Mismatch::KeyThere),
            _ => None,
        }
    }

    fn agree(&self, hello: &Hello, sure: bool) -> Greeted {
        match self.fingerprint.difference(&hello.fingerprint) {
            Some(what) => Greeted::Mismatch(hello.from, Mismatch::Fingerprint(what), sure),
            None => Greeted::Member(hello.from, hello.usage),
        }
    }
}

/// A connection with a deadline, and all bytes that went over it.
struct Transcript<'a> {
    stream: &'a TcpStream,
    end: Instant,
    said: Vec<u8>,
}

impl<'a> Transcript<'a> {
    fn new(stream: &'a TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            end: Instant::now() + HANDSHAKE_TIMEOUT,
            said: Vec::new(),
        })
    }

    /// The time that is left.
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(Some(left))
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write_all(bytes)?;
        self.said.extend_from_slice(bytes);
        Ok(())
    }

    /// Receives N bytes. All reads together have the time that is left.
    fn receive<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        let mut got = 0;
        while got < N {
            self.stream.set_read_timeout(self.left()?)?;
            got += match self.stream.read(&mut bytes[got..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
                read => read?,
            };
        }
        self.said.extend_from_slice(&bytes);
        Ok(bytes)
    }

    fn receive_hello(&mut self) -> io::Result<Option<Hello>> {
        Ok(Hello::parse(&self.receive()?))
    }

    /// Resets the timeouts after the handshake.
    fn settle(&self) -> io::Result<()> {
        self.stream.set_read_timeout(None)?;
        self.stream.set_write_timeout(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn identity(me: u32, key: Option<&str>, options: &str) -> Identity {
        Identity {
            me,
            size: 2,
            fingerprint: Fingerprint::new(options, &[]),
            key: key.and_then(|k| Key::new(k.as_bytes())),
        }
    }

    /// Process 1 calls process 0: how it ends for the two.
    fn greeting(caller: &Identity, called: &Identity) -> (Greeted, Greeted) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        std::thread::scope(|scope| {
            let call = scope.spawn(|| {
                let stream = TcpStream::connect(address).expect("a connection");
                caller.call(&stream, 0, Use::Heartbeat).expect("a greeting")
            });
            let (stream, _) = listener.accept().expect("a call");
            let answered = called.answer(&stream).expect("a greeting");
            (call.join().expect("no panic"), answered)
        })
    }

    #[test]
    fn those_who_share_the_key_are_friends() {
        for key in [None, Some("a shared secret")] {
            let greeted = greeting(&identity(1, key, "o"), &identity(0, key, "o"));
            let (Greeted::Member(0, Use::Heartbeat), Greeted::Member(1, Use::Heartbeat)) = greeted
            else {
                panic!("{greeted:?}");
            };
        }
    }

    #[test]
    fn both_learn_why_they_do_not_fit() {
        use Mismatch::{Fingerprint, Key, KeyHere, KeyThere};
        let cases = [
            (Some("one"), Some("two"), "o", Key, Key, false),
            (Some("one"), None, "o", KeyHere, KeyThere, false),
            (None, Some("two"), "o", KeyThere, KeyHere, false),
            (
                None,
                None,
                "p",
                Fingerprint("options"),
                Fingerprint("options"),
                false,
            ),
            // A peer with the key is believed.
            (
                Some("one"),
                Some("one"),
                "p",
                Fingerprint("options"),
                Fingerprint("options"),
                true,
            ),
        ];
        for (caller, called, options, for_caller, for_called, sure) in cases {
            let greeted = greeting(&identity(1, caller, options), &identity(0, called, "o"));
            let (Greeted::Mismatch(0, first, true), Greeted::Mismatch(1, second, known)) = greeted
            else {
                panic!("{greeted:?}");
            };
            assert_eq!((first, second, known), (for_caller, for_called, sure));
        }
    }

    #[test]
    fn who_has_not_the_key_learns_nothing_made_with_it() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let mut stream =
            TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        let (served, _) = listener.accept().expect("a call");
        let hello = identity(1, Some("guess"), "o").hello(0, Use::Records);
        stream.write_all(&hello.expect("a hello")).expect("sent");
        stream.write_all(&[7; SIZE]).expect("sent");
        let greeted = identity(0, Some("right"), "o").answer(&served);
        drop(served);
        assert!(matches!(
            greeted,
            Ok(Greeted::Mismatch(1, Mismatch::Key, false))
        ));
        let mut heard = Vec::new();
        stream.read_to_end(&mut heard).expect("all of it");
        assert_eq!((heard.len(), heard.last()), (HELLO_BYTES + 1, Some(&0)));
    }
}

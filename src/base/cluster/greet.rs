//! How a connection begins: both sides tell who they are and on what terms, and prove that they have the key.
//!
//! ```text
//! caller -> called : hello
//! called -> caller : hello
//! caller -> called : answer under the key        (with a key only)
//! called -> caller : yes, answer under the key   (or no)
//! ```
//!
//! All of it has one deadline: whoever is slow, silent or speaks something else is a stranger.

use super::digest::Terms;
use super::key::{Key, SIZE, Side};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How long a whole greeting may take.
pub const GREETING: Duration = Duration::from_secs(5);

/// The first bytes of a greeting.
const MAGIC: [u8; 8] = *b"spi-2\r\n\0";

/// Bytes of a hello.
const HELLO: usize = 8 + 4 + 4 + 1 + 1 + SIZE + 48;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Records of the exploration.
    Records = 0,
    /// The pulse.
    Pulse = 1,
}

/// Why a process is not one of us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// It was started with something else: what.
    Terms(&'static str),
    /// It has another key.
    Key,
    /// It has a key, this process has none.
    KeyThere,
    /// This process has a key, it has none.
    KeyHere,
}

/// How a greeting ended.
#[derive(Debug)]
pub enum Met {
    /// With a process that works with this one.
    Friend(u32, Use),
    /// With somebody who claims to be that process and does not fit. Whether it is that process is sure if it has the key
    /// or was found at its address.
    Misfit(u32, Mismatch, bool),
    /// With something else.
    Stranger,
}

/// What this process says of itself.
#[derive(Clone, Debug)]
pub struct Manners {
    /// Its number.
    pub me: u32,
    /// How many processes there are.
    pub size: u32,
    /// What it was asked.
    pub terms: Terms,
    /// The secret of all, if there is one.
    pub key: Option<Key>,
}

/// A hello.
struct Hello {
    from: u32,
    to: u32,
    usage: Use,
    keyed: bool,
    terms: Terms,
}

impl Hello {
    /// Its bytes, with a challenge.
    fn bytes(&self, challenge: [u8; SIZE]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&self.from.to_be_bytes());
        bytes.extend_from_slice(&self.to.to_be_bytes());
        bytes.extend_from_slice(&[self.usage as u8, u8::from(self.keyed)]);
        bytes.extend_from_slice(&challenge);
        bytes.extend_from_slice(&self.terms.to_bytes());
        bytes
    }

    fn parse(bytes: &[u8; HELLO]) -> Option<Hello> {
        let word = |at: usize| Some(u32::from_be_bytes(*bytes[at..].first_chunk()?));
        let usage = match bytes[16] {
            0 => Use::Records,
            1 => Use::Pulse,
            _ => return None,
        };
        (bytes[..8] == MAGIC && bytes[17] < 2).then_some(())?;
        Some(Hello {
            from: word(8)?,
            to: word(12)?,
            usage,
            keyed: bytes[17] == 1,
            terms: Terms::from_bytes(*bytes.last_chunk()?),
        })
    }
}

impl Manners {
    /// Greets a process that was called.
    pub fn call(&self, stream: &TcpStream, other: u32, usage: Use) -> io::Result<Met> {
        let mut line = Line::new(stream)?;
        line.say(&self.hello(other, usage)?)?;
        let Some(hello) = line.hear_hello()? else {
            return Ok(Met::Stranger);
        };
        if (hello.from, hello.to, hello.usage) != (other, self.me, usage) {
            return Ok(Met::Stranger);
        }
        if let Some(mismatch) = self.keys_differ(&hello) {
            return Ok(Met::Misfit(other, mismatch, true));
        }
        if let Some(key) = &self.key {
            let said = line.said.clone();
            line.say(&key.answer(Side::Caller, &said))?;
            let [verdict] = line.hear()?;
            let known = verdict == 1 && key.accepts(Side::Called, &said, &line.hear::<SIZE>()?);
            if !known {
                return Ok(Met::Misfit(other, Mismatch::Key, true));
            }
        }
        line.settle()?;
        Ok(self.agree(&hello, true))
    }

    /// Greets whoever has called.
    pub fn answer(&self, stream: &TcpStream) -> io::Result<Met> {
        let mut line = Line::new(stream)?;
        let Some(hello) = line.hear_hello()? else {
            return Ok(Met::Stranger);
        };
        if hello.to != self.me || hello.from >= self.size || hello.from <= self.me {
            return Ok(Met::Stranger);
        }
        line.say(&self.hello(hello.from, hello.usage)?)?;
        if let Some(mismatch) = self.keys_differ(&hello) {
            return Ok(Met::Misfit(hello.from, mismatch, false));
        }
        if let Some(key) = &self.key {
            let said = line.said.clone();
            if !key.accepts(Side::Caller, &said, &line.hear::<SIZE>()?) {
                // Who does not have the key gets nothing that was made with it.
                line.say(&[0])?;
                return Ok(Met::Misfit(hello.from, Mismatch::Key, false));
            }
            let mut yes = vec![1];
            yes.extend_from_slice(&key.answer(Side::Called, &said));
            line.say(&yes)?;
        }
        line.settle()?;
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
            terms: self.terms.clone(),
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

    fn agree(&self, hello: &Hello, sure: bool) -> Met {
        match self.terms.difference(&hello.terms) {
            Some(what) => Met::Misfit(hello.from, Mismatch::Terms(what), sure),
            None => Met::Friend(hello.from, hello.usage),
        }
    }
}

/// A connection with a deadline, and what was said on it.
struct Line<'a> {
    stream: &'a TcpStream,
    end: Instant,
    said: Vec<u8>,
}

impl<'a> Line<'a> {
    fn new(stream: &'a TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            end: Instant::now() + GREETING,
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

    fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write_all(bytes)?;
        self.said.extend_from_slice(bytes);
        Ok(())
    }

    /// So many bytes. Each read has only the time that is left for all.
    fn hear<const N: usize>(&mut self) -> io::Result<[u8; N]> {
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

    fn hear_hello(&mut self) -> io::Result<Option<Hello>> {
        Ok(Hello::parse(&self.hear()?))
    }

    /// Gets the connection ready for what follows the greeting.
    fn settle(&self) -> io::Result<()> {
        self.stream.set_read_timeout(None)?;
        self.stream.set_write_timeout(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn manners(me: u32, key: Option<&str>, options: &str) -> Manners {
        Manners {
            me,
            size: 2,
            terms: Terms::new(options, &[]),
            key: key.and_then(|k| Key::new(k.as_bytes())),
        }
    }

    /// Process 1 calls process 0: how it ends for the two.
    fn meeting(caller: &Manners, called: &Manners) -> (Met, Met) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        std::thread::scope(|scope| {
            let call = scope.spawn(|| {
                let stream = TcpStream::connect(address).expect("a connection");
                caller.call(&stream, 0, Use::Pulse).expect("a greeting")
            });
            let (stream, _) = listener.accept().expect("a call");
            let answered = called.answer(&stream).expect("a greeting");
            (call.join().expect("no panic"), answered)
        })
    }

    #[test]
    fn those_who_share_the_key_are_friends() {
        for key in [None, Some("a shared secret")] {
            let met = meeting(&manners(1, key, "o"), &manners(0, key, "o"));
            let (Met::Friend(0, Use::Pulse), Met::Friend(1, Use::Pulse)) = met else {
                panic!("{met:?}");
            };
        }
    }

    #[test]
    fn both_learn_why_they_do_not_fit() {
        use Mismatch::{Key, KeyHere, KeyThere, Terms};
        let cases = [
            (Some("one"), Some("two"), "o", Key, Key, false),
            (Some("one"), None, "o", KeyHere, KeyThere, false),
            (None, Some("two"), "o", KeyThere, KeyHere, false),
            (None, None, "p", Terms("options"), Terms("options"), false),
            // Who has the key is believed.
            (
                Some("one"),
                Some("one"),
                "p",
                Terms("options"),
                Terms("options"),
                true,
            ),
        ];
        for (caller, called, options, for_caller, for_called, sure) in cases {
            let met = meeting(&manners(1, caller, options), &manners(0, called, "o"));
            let (Met::Misfit(0, first, true), Met::Misfit(1, second, known)) = met else {
                panic!("{met:?}");
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
        let hello = manners(1, Some("guess"), "o").hello(0, Use::Records);
        stream.write_all(&hello.expect("a hello")).expect("sent");
        stream.write_all(&[7; SIZE]).expect("sent");
        let met = manners(0, Some("right"), "o").answer(&served);
        drop(served);
        assert!(matches!(met, Ok(Met::Misfit(1, Mismatch::Key, false))));
        let mut heard = Vec::new();
        stream.read_to_end(&mut heard).expect("all of it");
        assert_eq!((heard.len(), heard.last()), (HELLO + 1, Some(&0)));
    }
}

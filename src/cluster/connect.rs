//! Finding each other: every process listens at its own address and calls those with smaller numbers.
//!
//! Between two processes there are two connections, one for records and one for the pulse. Each begins with a greeting
//! from both sides that tells who speaks and on what terms.

use super::digest::Terms;
use super::fate::{Fate, Loss};
use super::link::Cluster;
use super::wire::Wire;
use super::{pulse, worker};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long to wait for the others, unless something else is asked for.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How long a greeting may take.
const GREETING: Duration = Duration::from_secs(2);

/// The time between two calls.
const PAUSE: Duration = Duration::from_millis(20);

/// The first bytes of a greeting.
const MAGIC: [u8; 8] = *b"spi-1\r\n\0";

/// Why the processes do not work together.
#[derive(Debug)]
pub enum Failure {
    /// This process can't listen at its address.
    Listen(io::Error),
    /// A process was started with something else: what.
    Different(u32, &'static str),
    /// Something went wrong on this machine.
    Broken(String),
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Records = 0,
    Pulse = 1,
}

/// A greeting.
struct Greeting {
    from: u32,
    to: u32,
    usage: Use,
    terms: Terms,
}

impl Greeting {
    fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&self.from.to_be_bytes());
        bytes.extend_from_slice(&self.to.to_be_bytes());
        bytes.push(self.usage as u8);
        bytes.extend_from_slice(&self.terms.to_bytes());
        stream.write_all(&bytes)
    }

    fn read(stream: &mut TcpStream) -> io::Result<Greeting> {
        let mut head = [0; 17];
        stream.read_exact(&mut head)?;
        let mut terms = [0; 48];
        let word =
            |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let usage = match head[16] {
            0 => Use::Records,
            1 => Use::Pulse,
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        if head[..8] != MAGIC {
            return Err(io::ErrorKind::InvalidData.into());
        }
        stream.read_exact(&mut terms)?;
        Ok(Greeting {
            from: word(8),
            to: word(12),
            usage,
            terms: Terms::from_bytes(terms),
        })
    }
}

/// The connections found so far.
struct Party<'a> {
    me: u32,
    terms: &'a Terms,
    /// For each process those for records and for the pulse.
    found: Vec<[Option<TcpStream>; 2]>,
}

/// Connects this process to all others. A process that does not come in time is a loss, which the cluster then knows
/// from the start.
pub fn connect(
    hosts: &[String],
    me: usize,
    terms: &Terms,
    patience: Duration,
) -> Result<Cluster, Failure> {
    let listener = TcpListener::bind(hosts[me].as_str()).map_err(Failure::Listen)?;
    listener.set_nonblocking(true).map_err(Failure::Listen)?;
    let mut party = Party {
        me: me as u32,
        terms,
        found: hosts.iter().map(|_| [None, None]).collect(),
    };
    let end = Instant::now() + patience;
    while let Some(missing) = party.missing() {
        if Instant::now() >= end {
            return Ok(Cluster::broken(me, hosts.len(), Loss::Absent(missing)));
        }
        let mut idle = !party.answer(&listener)?;
        for (other, host) in hosts.iter().enumerate().take(me) {
            for usage in [Use::Records, Use::Pulse] {
                if party.found[other][usage as usize].is_none() {
                    idle &= !party.call(other as u32, host, usage)?;
                }
            }
        }
        if idle {
            std::thread::sleep(PAUSE);
        }
    }
    let fate = Arc::new(Fate::default());
    let mut wires = Vec::new();
    for (other, pair) in (0..).zip(party.found) {
        let [Some(records), Some(beats)] = pair else {
            wires.push(None);
            continue;
        };
        pulse::start(beats, other, &fate).map_err(|e| Failure::Broken(e.to_string()))?;
        wires.push(Some(Wire::new(records, other, fate.clone())));
    }
    let link = worker::start(wires, me, &fate).map_err(Failure::Broken)?;
    Ok(Cluster::new(me, hosts.len(), fate, link))
}

impl Party<'_> {
    /// The first process that is not connected.
    fn missing(&self) -> Option<u32> {
        let others = (0u32..).zip(&self.found);
        let mut missing = others.filter(|(p, f)| *p != self.me && f.iter().any(Option::is_none));
        missing.next().map(|(p, _)| p)
    }

    /// Takes one call, if there is one.
    fn answer(&mut self, listener: &TcpListener) -> Result<bool, Failure> {
        let Ok((mut stream, _)) = listener.accept() else {
            return Ok(false);
        };
        // Whoever calls and is none of us is not answered.
        let Ok(greeting) = prepare(&stream).and_then(|()| Greeting::read(&mut stream)) else {
            return Ok(true);
        };
        if greeting.to != self.me || greeting.from as usize >= self.found.len() {
            return Ok(true);
        }
        let answered = self
            .greeting(greeting.from, greeting.usage)
            .write(&mut stream);
        self.agree(&greeting)?;
        if answered.is_ok() && settle(&stream).is_ok() {
            self.found[greeting.from as usize][greeting.usage as usize] = Some(stream);
        }
        Ok(true)
    }

    /// Calls a process once.
    fn call(&mut self, other: u32, host: &str, usage: Use) -> Result<bool, Failure> {
        let addresses = host.to_socket_addrs().into_iter().flatten();
        let mut streams = addresses.filter_map(|a| TcpStream::connect_timeout(&a, GREETING).ok());
        let Some(mut stream) = streams.next() else {
            return Ok(false);
        };
        let greeted = prepare(&stream)
            .and_then(|()| self.greeting(other, usage).write(&mut stream))
            .and_then(|()| Greeting::read(&mut stream));
        let Ok(greeting) = greeted else {
            return Ok(false);
        };
        if greeting.from != other || greeting.to != self.me {
            return Ok(false);
        }
        self.agree(&greeting)?;
        if settle(&stream).is_ok() {
            self.found[other as usize][usage as usize] = Some(stream);
        }
        Ok(true)
    }

    fn greeting(&self, to: u32, usage: Use) -> Greeting {
        Greeting {
            from: self.me,
            to,
            usage,
            terms: self.terms.clone(),
        }
    }

    fn agree(&self, greeting: &Greeting) -> Result<(), Failure> {
        match self.terms.difference(&greeting.terms) {
            Some(what) => Err(Failure::Different(greeting.from, what)),
            None => Ok(()),
        }
    }
}

/// Gets a connection ready for greetings.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(GREETING))?;
    stream.set_write_timeout(Some(GREETING))
}

/// Gets a connection ready for what follows the greetings.
fn settle(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)
}

//! Finding each other: every process listens at its own address and calls those with smaller numbers.
//!
//! Between two processes there are two connections, one for records and one for the pulse; each begins with a greeting
//! (`greet.rs`). Greetings go on beside each other, so that whoever is slow or silent holds up nobody, and only somebody
//! who is known to be one of the processes can end the start.

use super::fate::{Fate, Loss};
use super::greet::{GREETING, Manners, Met, Mismatch, Use};
use super::link::Cluster;
use super::wire::Wire;
use super::{pulse, worker};
use std::collections::VecDeque;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// How long to wait for the others, unless something else is asked for.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The time between two calls, and between two looks at who has called.
const PAUSE: Duration = Duration::from_millis(20);

/// How many may be in the middle of a greeting; whoever is in it the longest has to go.
const GUESTS: usize = 200;

/// Why the processes do not work together.
#[derive(Debug)]
pub enum Failure {
    /// This process can't listen at its address.
    Listen(io::Error),
    /// A process does not fit.
    Misfit(u32, Mismatch),
    /// Something went wrong on this machine.
    Broken(String),
}

/// A connection and how its greeting ended.
type Meeting = (Met, TcpStream);

/// The connections found so far.
struct Party {
    me: usize,
    /// For each process those for records and for the pulse.
    found: Vec<[Option<TcpStream>; 2]>,
    /// For each process why somebody who claimed to be it was turned away.
    rumours: Vec<Option<Mismatch>>,
}

/// Connects this process to all others. A process that does not come in time is a loss, which the cluster then knows
/// from the start.
pub fn connect(
    hosts: &[String],
    manners: &Manners,
    patience: Duration,
) -> Result<Cluster, Failure> {
    let me = manners.me as usize;
    let listener = TcpListener::bind(hosts[me].as_str()).map_err(Failure::Listen)?;
    listener.set_nonblocking(true).map_err(Failure::Listen)?;
    let over = Arc::new(AtomicBool::new(false));
    let (sender, meetings) = channel();
    for (other, host) in (0..manners.me).zip(hosts) {
        for usage in [Use::Records, Use::Pulse] {
            let call = Call {
                manners: manners.clone(),
                host: host.clone(),
                other,
                usage,
                over: over.clone(),
            };
            let sender = sender.clone();
            spawn(move || call.until_met(&sender)).map_err(broken)?;
        }
    }
    let mut party = Party {
        me,
        found: hosts.iter().map(|_| [None, None]).collect(),
        rumours: vec![None; hosts.len()],
    };
    let mut guests = Guests::default();
    let gathered = party.gather(Instant::now() + patience, &meetings, || {
        guests.welcome(&listener, manners, &sender);
    });
    over.store(true, Ordering::SeqCst);
    guests.leave();
    match gathered? {
        Some(missing) => Ok(Cluster::broken(me, hosts.len(), Loss::Absent(missing))),
        None => party.start(),
    }
}

impl Party {
    /// Waits for all; the process that did not come in time, if there is one.
    fn gather(
        &mut self,
        end: Instant,
        meetings: &Receiver<Meeting>,
        mut welcome: impl FnMut(),
    ) -> Result<Option<u32>, Failure> {
        while let Some(missing) = self.missing() {
            if Instant::now() >= end {
                return match self.rumours[missing as usize] {
                    Some(mismatch) => Err(Failure::Misfit(missing, mismatch)),
                    None => Ok(Some(missing)),
                };
            }
            welcome();
            if let Ok(meeting) = meetings.recv_timeout(PAUSE) {
                self.take(meeting)?;
            }
        }
        Ok(None)
    }

    fn take(&mut self, (met, stream): Meeting) -> Result<(), Failure> {
        match met {
            // Who calls again has given up the connection that it had.
            Met::Friend(from, usage) => self.found[from as usize][usage as usize] = Some(stream),
            Met::Misfit(from, mismatch, true) => return Err(Failure::Misfit(from, mismatch)),
            Met::Misfit(from, mismatch, false) => self.rumours[from as usize] = Some(mismatch),
            Met::Stranger => {}
        }
        Ok(())
    }

    /// The first process that is not connected.
    fn missing(&self) -> Option<u32> {
        let lacks = |(other, pair): (usize, &[Option<TcpStream>; 2])| {
            other != self.me && pair.iter().any(Option::is_none)
        };
        let missing = self.found.iter().enumerate().position(lacks)?;
        u32::try_from(missing).ok()
    }

    /// Starts to work over the connections.
    fn start(self) -> Result<Cluster, Failure> {
        let (me, size) = (self.me, self.found.len());
        let fate = Arc::new(Fate::default());
        let mut wires = Vec::new();
        for (other, pair) in (0..).zip(self.found) {
            let [Some(records), Some(beats)] = pair else {
                wires.push(None);
                continue;
            };
            pulse::start(beats, other, &fate).map_err(broken)?;
            wires.push(Some(Wire::new(records, other, fate.clone())));
        }
        let link = worker::start(wires, me, &fate).map_err(Failure::Broken)?;
        Ok(Cluster::new(me, size, fate, link))
    }
}

/// Those who have called and are being greeted, the oldest first.
#[derive(Default)]
struct Guests(VecDeque<Weak<TcpStream>>);

impl Guests {
    /// Lets in whoever has called.
    fn welcome(&mut self, listener: &TcpListener, manners: &Manners, sender: &Sender<Meeting>) {
        while let Ok((stream, _)) = listener.accept() {
            self.0.retain(|guest| guest.strong_count() > 0);
            if self.0.len() >= GUESTS {
                self.0.pop_front().iter().for_each(hang_up);
            }
            let stream = Arc::new(stream);
            self.0.push_back(Arc::downgrade(&stream));
            let (manners, sender) = (manners.clone(), sender.clone());
            // A thread that can't be had is a guest who is not heard; one of us calls again.
            let _ = spawn(move || {
                let met = manners.answer(&stream);
                if let (Ok(met), Some(stream)) = (met, Arc::into_inner(stream)) {
                    let _ = sender.send((met, stream));
                }
            });
        }
    }

    /// Sends away whoever is still there.
    fn leave(&self) {
        self.0.iter().for_each(hang_up);
    }
}

fn hang_up(guest: &Weak<TcpStream>) {
    if let Some(stream) = guest.upgrade() {
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// A connection that this process has to make.
struct Call {
    manners: Manners,
    host: String,
    other: u32,
    usage: Use,
    /// Nobody waits for it any more.
    over: Arc<AtomicBool>,
}

impl Call {
    /// Calls until one of the processes answers.
    fn until_met(&self, sender: &Sender<Meeting>) {
        while !self.over.load(Ordering::SeqCst) {
            match self.once() {
                Some((Met::Stranger, _)) | None => std::thread::sleep(PAUSE),
                Some(meeting) => {
                    let _ = sender.send(meeting);
                    return;
                }
            }
        }
    }

    fn once(&self) -> Option<Meeting> {
        let addresses = self.host.to_socket_addrs().into_iter().flatten();
        let mut streams = addresses.filter_map(|a| TcpStream::connect_timeout(&a, GREETING).ok());
        let stream = streams.next()?;
        let met = self.manners.call(&stream, self.other, self.usage).ok()?;
        Some((met, stream))
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = std::thread::Builder::new().name("greeting".to_owned());
    builder.spawn(work).map(drop)
}

#[allow(clippy::needless_pass_by_value)] // Handed to `map_err`.
fn broken(error: io::Error) -> Failure {
    Failure::Broken(error.to_string())
}

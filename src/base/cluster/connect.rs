//! Connecting the processes: each listens at its own address and calls those with smaller numbers.
//!
//! Two processes have two connections, one for records and one for heartbeats. Each begins with a
//! handshake (`handshake.rs`). Handshakes run concurrently, so a slow or silent peer delays nobody.
//! Only a peer that is known to be one of the processes can make the start fail.

use super::handshake::{Greeted, HANDSHAKE_TIMEOUT, Identity, Mismatch, Use};
use super::liveness::{Liveness, Loss};
use super::session::Cluster;
use super::wire::Wire;
use super::{heartbeat, worker};
use std::collections::VecDeque;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// The default time to wait for the other processes.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The time between two calls, and between two polls of the listener.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// At most this many incoming handshakes at a time; the oldest is dropped for a new one.
const MAX_PENDING: usize = 200;

/// Why the processes do not work together.
#[derive(Debug)]
pub enum Failure {
    /// This process can't listen at its address.
    Listen(io::Error),
    /// A process was started differently, or has another key.
    Mismatch(u32, Mismatch),
    /// Something went wrong on this machine.
    Broken(String),
}

/// A connection and how its handshake ended.
type Greeting = (Greeted, TcpStream);

/// The connections found so far.
struct Connections {
    me: usize,
    /// For each process those for records and for heartbeats.
    found: Vec<[Option<TcpStream>; 2]>,
    /// For each process why a peer that claimed to be it was turned away.
    turned_away: Vec<Option<Mismatch>>,
}

/// Connects this process to all others. If one does not connect in time, the cluster starts with
/// that loss.
pub fn connect(
    hosts: &[String],
    identity: &Identity,
    timeout: Duration,
) -> Result<Cluster, Failure> {
    let me = identity.me as usize;
    let listener = TcpListener::bind(hosts[me].as_str()).map_err(Failure::Listen)?;
    listener.set_nonblocking(true).map_err(Failure::Listen)?;
    let over = Arc::new(AtomicBool::new(false));
    let (sender, greetings) = channel();
    for (other, host) in (0..identity.me).zip(hosts) {
        for usage in [Use::Records, Use::Heartbeat] {
            let call = OutgoingCall {
                identity: identity.clone(),
                host: host.clone(),
                other,
                usage,
                over: over.clone(),
            };
            let sender = sender.clone();
            spawn(move || call.until_connected(&sender)).map_err(broken)?;
        }
    }
    let mut connections = Connections {
        me,
        found: hosts.iter().map(|_| [None, None]).collect(),
        turned_away: vec![None; hosts.len()],
    };
    let mut pending = PendingHandshakes::default();
    let gathered = connections.gather(Instant::now() + timeout, &greetings, || {
        pending.accept(&listener, identity, &sender);
    });
    over.store(true, Ordering::SeqCst);
    pending.leave();
    match gathered? {
        Some(missing) => Ok(Cluster::broken(me, hosts.len(), Loss::Absent(missing))),
        None => connections.start(),
    }
}

impl Connections {
    /// Waits for all processes. Returns the first that did not connect in time, if there is one.
    fn gather(
        &mut self,
        end: Instant,
        greetings: &Receiver<Greeting>,
        mut accept: impl FnMut(),
    ) -> Result<Option<u32>, Failure> {
        while let Some(missing) = self.missing() {
            if Instant::now() >= end {
                return match self.turned_away[missing as usize] {
                    Some(mismatch) => Err(Failure::Mismatch(missing, mismatch)),
                    None => Ok(Some(missing)),
                };
            }
            accept();
            if let Ok(greeting) = greetings.recv_timeout(POLL_INTERVAL) {
                self.take(greeting)?;
            }
        }
        Ok(None)
    }

    fn take(&mut self, (greeted, stream): Greeting) -> Result<(), Failure> {
        match greeted {
            // A process that calls again has given up its earlier connection.
            Greeted::Member(from, usage) => {
                self.found[from as usize][usage as usize] = Some(stream);
            }
            Greeted::Mismatch(from, mismatch, true) => {
                return Err(Failure::Mismatch(from, mismatch));
            }
            Greeted::Mismatch(from, mismatch, false) => {
                self.turned_away[from as usize] = Some(mismatch);
            }
            Greeted::Stranger => {}
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

    /// Starts heartbeats and the timely worker on the connections.
    fn start(self) -> Result<Cluster, Failure> {
        let (me, size) = (self.me, self.found.len());
        let liveness = Arc::new(Liveness::default());
        let mut wires = Vec::new();
        for (other, pair) in (0..).zip(self.found) {
            let [Some(records), Some(beats)] = pair else {
                wires.push(None);
                continue;
            };
            heartbeat::start(beats, other, &liveness).map_err(broken)?;
            wires.push(Some(Wire::new(records, other, liveness.clone())));
        }
        let link = worker::start(wires, me, &liveness).map_err(Failure::Broken)?;
        Ok(Cluster::new(me, size, liveness, link))
    }
}

/// Incoming connections whose handshake is not finished, the oldest first.
#[derive(Default)]
struct PendingHandshakes(VecDeque<Weak<TcpStream>>);

impl PendingHandshakes {
    /// Accepts all waiting connections and starts their handshakes.
    fn accept(&mut self, listener: &TcpListener, identity: &Identity, sender: &Sender<Greeting>) {
        while let Ok((stream, _)) = listener.accept() {
            self.0.retain(|stream| stream.strong_count() > 0);
            if self.0.len() >= MAX_PENDING {
                self.0.pop_front().iter().for_each(hang_up);
            }
            let stream = Arc::new(stream);
            self.0.push_back(Arc::downgrade(&stream));
            let (identity, sender) = (identity.clone(), sender.clone());
            // Without a thread this connection is dropped; a process of the cluster calls again.
            let _ = spawn(move || {
                let greeted = identity.answer(&stream);
                if let (Ok(greeted), Some(stream)) = (greeted, Arc::into_inner(stream)) {
                    let _ = sender.send((greeted, stream));
                }
            });
        }
    }

    /// Drops the handshakes that are not finished.
    fn leave(&self) {
        self.0.iter().for_each(hang_up);
    }
}

fn hang_up(stream: &Weak<TcpStream>) {
    if let Some(stream) = stream.upgrade() {
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// A connection that this process has to open.
struct OutgoingCall {
    identity: Identity,
    host: String,
    other: u32,
    usage: Use,
    /// Set when nobody waits for it any more.
    over: Arc<AtomicBool>,
}

impl OutgoingCall {
    /// Calls until a process of the cluster answers.
    fn until_connected(&self, sender: &Sender<Greeting>) {
        while !self.over.load(Ordering::SeqCst) {
            match self.once() {
                Some((Greeted::Stranger, _)) | None => std::thread::sleep(POLL_INTERVAL),
                Some(greeting) => {
                    let _ = sender.send(greeting);
                    return;
                }
            }
        }
    }

    fn once(&self) -> Option<Greeting> {
        let addresses = self.host.to_socket_addrs().into_iter().flatten();
        let mut streams =
            addresses.filter_map(|a| TcpStream::connect_timeout(&a, HANDSHAKE_TIMEOUT).ok());
        let stream = streams.next()?;
        let greeted = self.identity.call(&stream, self.other, self.usage).ok()?;
        Some((greeted, stream))
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = std::thread::Builder::new().name("handshake".to_owned());
    builder.spawn(work).map(drop)
}

#[allow(clippy::needless_pass_by_value)] // Handed to `map_err`.
fn broken(error: io::Error) -> Failure {
    Failure::Broken(error.to_string())
}

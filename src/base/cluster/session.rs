//! The cluster as this process uses it: sending records to the owners of states and receiving
//! records, round by round.

use super::bytes::{Reader, Writer};
use super::liveness::{Liveness, Loss};
use super::worker::{Command, Event};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// A packet is sent when it has this many bytes.
const PACKET: usize = 32 << 10;

/// How often a wait checks whether a process was lost.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long to wait for the others at the end.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The channels to the thread that runs timely.
#[derive(Debug)]
pub(super) struct Link {
    commands: Sender<Command>,
    events: Receiver<Event>,
    worker: Thread,
    /// The current round.
    round: u64,
    /// Packets that have not been unpacked. Others may be a round ahead.
    early: VecDeque<(u64, Vec<u8>)>,
}

impl Link {
    /// The channels to a worker.
    pub(super) fn new(commands: Sender<Command>, events: Receiver<Event>, worker: Thread) -> Self {
        Self {
            commands,
            events,
            worker,
            round: 0,
            early: VecDeque::new(),
        }
    }

    fn command(&self, command: Command) {
        // If the worker is gone, the next wait finds out.
        let _ = self.commands.send(command);
        self.worker.unpark();
    }
}

/// The processes that work together, seen from this one.
#[derive(Debug)]
pub struct Cluster {
    me: usize,
    size: usize,
    liveness: Arc<Liveness>,
    /// None if the processes never connected.
    link: Option<Mutex<Link>>,
}

impl Cluster {
    pub(super) fn new(me: usize, size: usize, liveness: Arc<Liveness>, link: Link) -> Self {
        Self {
            me,
            size,
            liveness,
            link: Some(Mutex::new(link)),
        }
    }

    /// A cluster that has lost a process before it began.
    pub(super) fn broken(me: usize, size: usize, loss: Loss) -> Self {
        let liveness = Arc::new(Liveness::default());
        liveness.lose(loss);
        Self {
            me,
            size,
            liveness,
            link: None,
        }
    }

    /// The number of this process.
    pub fn me(&self) -> usize {
        self.me
    }

    /// How many processes there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The process that was lost, if one was.
    pub fn loss(&self) -> Option<Loss> {
        self.liveness.loss()
    }

    /// Starts to exchange records; for one exploration at a time.
    pub fn session(&self) -> Result<Session<'_>, Loss> {
        let (Some(link), None) = (&self.link, self.liveness.loss()) else {
            return Err(self.liveness.loss().unwrap_or(Loss::Gone(self.me as u32)));
        };
        Ok(Session {
            cluster: self,
            link: link.lock().unwrap_or_else(PoisonError::into_inner),
            packets: vec![Writer::new(); self.size],
        })
    }

    /// Leaves the cluster. What was sent is delivered; if others end now, that is no loss.
    pub fn leave(&self) {
        let (Some(link), None) = (&self.link, self.liveness.loss()) else {
            return;
        };
        self.liveness.register();
        self.liveness.close();
        let link = link.lock().unwrap_or_else(PoisonError::into_inner);
        link.command(Command::Close);
        let end = Instant::now() + CLOSE_TIMEOUT;
        while self.liveness.flushed() + 1 < self.size && Instant::now() < end {
            std::thread::park_timeout(POLL_INTERVAL);
        }
    }
}

/// An exchange of records, for one exploration.
#[derive(Debug)]
pub struct Session<'a> {
    cluster: &'a Cluster,
    link: MutexGuard<'a, Link>,
    /// The packet being filled for each process.
    packets: Vec<Writer>,
}

impl Session<'_> {
    /// The process that owns what has this hash.
    pub fn owner(&self, hash: u64) -> usize {
        // The high half of the product: all bits of the hash count.
        ((u128::from(hash) * self.cluster.size as u128) >> 64) as usize
    }

    /// The cluster.
    pub fn cluster(&self) -> &Cluster {
        self.cluster
    }

    /// Records that a process explores something else than the others.
    pub fn lose(&self, process: usize) -> Loss {
        let loss = Loss::Gone(process as u32);
        self.cluster.liveness.lose(loss);
        self.cluster.liveness.loss().unwrap_or(loss)
    }

    /// Makes sure that all processes have the same task: each sends the hash of its own.
    pub fn agree(&mut self, task: u64) -> Result<(), Loss> {
        let mine = task.to_be_bytes();
        let all = self.share(&mine)?;
        match all.iter().position(|theirs| *theirs != mine) {
            Some(other) => Err(self.lose(other)),
            None => Ok(()),
        }
    }

    /// Sends a record to a process, in the current round.
    pub fn send(&mut self, to: usize, record: &[u8]) {
        let packet = &mut self.packets[to];
        if packet.bytes().is_empty() {
            packet.number(self.cluster.me as u64);
        }
        packet.string(record);
        if packet.bytes().len() >= PACKET {
            self.post(to);
        }
    }

    fn post(&mut self, to: usize) {
        let packet = std::mem::take(&mut self.packets[to]).into_bytes();
        if packet.is_empty() {
            return;
        }
        if to == self.cluster.me {
            let round = self.link.round;
            self.link.early.push_back((round, packet));
        } else {
            self.link.command(Command::Send(to, packet));
        }
    }

    /// Hands the records of the current round that have arrived to `take`, each with its sender.
    /// `take` returns `None` for a malformed record.
    pub fn arrived(
        &mut self,
        take: &mut dyn FnMut(usize, &[u8]) -> Option<()>,
    ) -> Result<(), Loss> {
        while let Ok(event) = self.link.events.try_recv() {
            // The round can't be over: this process may still send.
            if let Event::Packet(round, packet) = event {
                self.link.early.push_back((round, packet));
            }
        }
        self.unpack(take)
    }

    /// Unpacks the packets of the current round.
    fn unpack(&mut self, take: &mut dyn FnMut(usize, &[u8]) -> Option<()>) -> Result<(), Loss> {
        let round = self.link.round;
        for (of, packet) in std::mem::take(&mut self.link.early) {
            if of != round {
                self.link.early.push_back((of, packet));
                continue;
            }
            let mut reader = Reader::new(&packet);
            let from = reader.number().unwrap_or(0) as usize;
            while !reader.is_done() {
                let taken = reader.string().and_then(|record| take(from, record));
                if taken.is_none() {
                    return Err(self.lose(from));
                }
            }
        }
        Ok(())
    }

    /// Ends the round: sends the last packets, waits until all processes have done so, and unpacks
    /// the rest.
    pub fn finish(&mut self, take: &mut dyn FnMut(usize, &[u8]) -> Option<()>) -> Result<(), Loss> {
        for to in 0..self.cluster.size {
            self.post(to);
        }
        self.link.command(Command::Advance);
        let round = self.link.round;
        loop {
            if let Some(loss) = self.cluster.liveness.loss() {
                return Err(loss);
            }
            match self.link.events.recv_timeout(POLL_INTERVAL) {
                Ok(Event::Packet(of, packet)) => {
                    self.link.early.push_back((of, packet));
                    // Unpack early, while the rest is on its way.
                    self.unpack(take)?;
                }
                Ok(Event::Passed(of)) if of == round => break,
                Ok(Event::Passed(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.lose(self.cluster.me));
                }
            }
        }
        self.unpack(take)?;
        self.link.round += 1;
        Ok(())
    }

    /// A round in which every process sends the same bytes to all others. Returns the bytes of
    /// each.
    pub fn share(&mut self, told: &[u8]) -> Result<Vec<Vec<u8>>, Loss> {
        let size = self.cluster.size;
        for to in 0..size {
            self.send(to, told);
        }
        let mut all: Vec<Option<Vec<u8>>> = vec![None; size];
        self.finish(&mut |from, record| {
            let place = all.get_mut(from)?;
            place.is_none().then(|| *place = Some(record.to_vec()))
        })?;
        let missing = all.iter().position(Option::is_none);
        if let Some(process) = missing {
            // It has ended in an orderly way, so it was doing something else.
            return Err(self.lose(process));
        }
        Ok(all.into_iter().flatten().collect())
    }
}

//! This process among the others: records to the others and from them, round by round.

use super::bytes::{Reader, Writer};
use super::fate::{Fate, Loss};
use super::worker::{Command, Event};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// Bytes of records that make a packet.
const PACKET: usize = 32 << 10;

/// How often a wait looks at what has become of the others.
const LOOK: Duration = Duration::from_millis(50);

/// How long the end of the others is waited for.
const FAREWELL: Duration = Duration::from_secs(5);

/// A way to the thread that runs timely.
#[derive(Debug)]
pub struct Link {
    commands: Sender<Command>,
    events: Receiver<Event>,
    worker: Thread,
    /// The round at hand.
    round: u64,
    /// Packets that came before they were asked for: others may be a round ahead.
    early: VecDeque<(u64, Vec<u8>)>,
}

impl Link {
    /// A way to a worker.
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

/// This process among the others.
#[derive(Debug)]
pub struct Cluster {
    me: usize,
    size: usize,
    fate: Arc<Fate>,
    /// None if the processes never came together.
    link: Option<Mutex<Link>>,
}

impl Cluster {
    pub(super) fn new(me: usize, size: usize, fate: Arc<Fate>, link: Link) -> Self {
        Self {
            me,
            size,
            fate,
            link: Some(Mutex::new(link)),
        }
    }

    /// A cluster that has lost a process before it began.
    pub(super) fn broken(me: usize, size: usize, loss: Loss) -> Self {
        let fate = Arc::new(Fate::default());
        fate.lose(loss);
        Self {
            me,
            size,
            fate,
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
        self.fate.loss()
    }

    /// Starts to exchange records; for one exploration at a time.
    pub fn session(&self) -> Result<Session<'_>, Loss> {
        let (Some(link), None) = (&self.link, self.fate.loss()) else {
            return Err(self.fate.loss().unwrap_or(Loss::Gone(self.me as u32)));
        };
        Ok(Session {
            cluster: self,
            link: link.lock().unwrap_or_else(PoisonError::into_inner),
            packets: vec![Writer::new(); self.size],
        })
    }

    /// Takes leave of the others: what was sent is delivered, and their end is no loss any more.
    pub fn leave(&self) {
        let (Some(link), None) = (&self.link, self.fate.loss()) else {
            return;
        };
        self.fate.register();
        self.fate.close();
        let link = link.lock().unwrap_or_else(PoisonError::into_inner);
        link.command(Command::Close);
        let end = Instant::now() + FAREWELL;
        while self.fate.flushed() + 1 < self.size && Instant::now() < end {
            std::thread::park_timeout(LOOK);
        }
    }
}

/// An exchange of records.
#[derive(Debug)]
pub struct Session<'a> {
    cluster: &'a Cluster,
    link: MutexGuard<'a, Link>,
    /// The packet to each process that is being filled.
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

    /// Notes that a process does something else than the others.
    pub fn lose(&self, process: usize) -> Loss {
        let loss = Loss::Gone(process as u32);
        self.cluster.fate.lose(loss);
        self.cluster.fate.loss().unwrap_or(loss)
    }

    /// Makes sure that all processes are about to do the same: each gives a number for it.
    pub fn agree(&mut self, task: u64) -> Result<(), Loss> {
        let mine = task.to_be_bytes();
        let all = self.share(&mine)?;
        match all.iter().position(|theirs| *theirs != mine) {
            Some(other) => Err(self.lose(other)),
            None => Ok(()),
        }
    }

    /// Sends a record to a process, in the round at hand.
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

    /// Takes the records of the round at hand that have come so far: each with its sender. `None` from `take` says that
    /// a record makes no sense.
    pub fn arrived(
        &mut self,
        take: &mut dyn FnMut(usize, &[u8]) -> Option<()>,
    ) -> Result<(), Loss> {
        while let Ok(event) = self.link.events.try_recv() {
            // The round can't be over: this process has not said that it has sent everything.
            if let Event::Packet(round, packet) = event {
                self.link.early.push_back((round, packet));
            }
        }
        self.unpack(take)
    }

    /// Takes the packets of the round at hand that are there.
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

    /// Ends the round: sends what was not sent yet, waits for all processes to do the same, and takes what is left.
    pub fn finish(&mut self, take: &mut dyn FnMut(usize, &[u8]) -> Option<()>) -> Result<(), Loss> {
        for to in 0..self.cluster.size {
            self.post(to);
        }
        self.link.command(Command::Advance);
        let round = self.link.round;
        loop {
            if let Some(loss) = self.cluster.fate.loss() {
                return Err(loss);
            }
            match self.link.events.recv_timeout(LOOK) {
                Ok(Event::Packet(of, packet)) => {
                    self.link.early.push_back((of, packet));
                    // Not all at the end: what has come can be taken while the rest is on its way.
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

    /// A round in which every process tells all others something: what each has told.
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
            // It has ended, and its end was confirmed: it does something else than this one.
            return Err(self.lose(process));
        }
        Ok(all.into_iter().flatten().collect())
    }
}

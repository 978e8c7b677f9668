//! The thread that runs timely: one dataflow for the life of the process.
//!
//! Packets enter with the number of their round. Timely exchanges them by destination and hands
//! them to the thread that explores. A probe behind the exchange says when a round is over: no
//! process can send anything for it any more, and everything that was sent has arrived.

use super::liveness::Liveness;
use super::session::Link;
use super::wire::Wire;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;
use std::time::Duration;
use timely::WorkerConfig;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{AllocatorBuilder, Hooks};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::InputHandle;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Input, Probe};
use timely::worker::Worker;

/// How long timely sleeps when nothing happens.
const IDLE_SLEEP: Duration = Duration::from_millis(20);

/// A packet and the process it is for.
type Packet = (u64, Vec<u8>);

/// What follows the packets.
type Nothing = CapacityContainerBuilder<Vec<()>>;

/// Commands of the exploring thread.
#[derive(Debug)]
pub(super) enum Command {
    /// Send a packet to a process, in the current round.
    Send(usize, Vec<u8>),
    /// This process has no more packets for the round.
    Advance,
    /// There are no more round.
    Close,
}

/// What the exploring thread is told.
#[derive(Debug)]
pub(super) enum Event {
    /// A packet of a round.
    Packet(u64, Vec<u8>),
    /// All packets of this round have been handed out.
    Passed(u64),
}

/// The ends of the channels that a timely worker takes into its thread.
struct Ends {
    commands: Receiver<Command>,
    events: Sender<Event>,
    awake: Sender<Thread>,
}

/// Starts timely over the connections to the others.
pub(super) fn start(
    wires: Vec<Option<Wire>>,
    me: usize,
    liveness: &Arc<Liveness>,
) -> Result<Link, String> {
    let hooks = Hooks::default();
    let own = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
    let (builders, guard) = initialize_networking_from_sockets(own, wires, me, 1, hooks)
        .map_err(|error| error.to_string())?;
    // Never join its threads: they may sleep on a connection that is gone.
    std::mem::forget(guard);
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    let (command, commands) = channel();
    let (event, events) = channel();
    let (awake, woken) = channel();
    let ends = Mutex::new(Some(Ends {
        commands,
        events: event,
        awake,
    }));
    let watched = liveness.clone();
    let run = move |worker: &mut Worker| {
        let taken = ends.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(ends) = taken else { return };
        let run_rounds = AssertUnwindSafe(|| run_rounds(worker, &ends, &watched));
        if std::panic::catch_unwind(run_rounds).is_err() || watched.loss().is_some() {
            // The exploring thread finds the channel closed, or the loss.
            drop(ends);
            loop {
                std::thread::park();
            }
        }
    };
    let config = WorkerConfig::default();
    let guards = timely::execute::execute_from(builders, Box::new(()), config, run)?;
    std::mem::forget(guards);
    let worker = woken.recv().map_err(|error| error.to_string())?;
    Ok(Link::new(command, events, worker))
}

/// Moves packets until there are no more round, or a process is lost.
fn run_rounds(worker: &mut Worker, ends: &Ends, liveness: &Liveness) {
    liveness.register();
    // If nobody listens, nobody needs the worker any more.
    let _ = ends.awake.send(std::thread::current());
    let mut input = InputHandle::new();
    let events = ends.events.clone();
    let probe = worker.dataflow::<u64, _, _>(|scope| {
        // No data leaves this operator: the probe looks at the progress only.
        let arrived = scope.input_from(&mut input).unary::<Nothing, _, _, _>(
            Exchange::new(|packet: &Packet| packet.0),
            "Packets",
            |_, _| {
                move |input, _| {
                    input.for_each_time(|time, batches| {
                        let round = *time.time();
                        for (_, packet) in batches.flat_map(|batch| batch.drain(..)) {
                            let _ = events.send(Event::Packet(round, packet));
                        }
                    });
                }
            },
        );
        let (probe, _) = arrived.probe();
        probe
    });
    let (mut round, mut passed) = (0u64, 0u64);
    while liveness.loss().is_none() {
        let mut sent = false;
        loop {
            match ends.commands.try_recv() {
                Ok(Command::Send(to, packet)) => {
                    input.send((to as u64, packet));
                    sent = true;
                }
                Ok(Command::Advance) => {
                    round += 1;
                    input.advance_to(round);
                }
                Ok(Command::Close) | Err(TryRecvError::Disconnected) => {
                    input.close();
                    while worker.has_dataflows() && liveness.loss().is_none() {
                        worker.step_or_park(Some(IDLE_SLEEP));
                    }
                    return;
                }
                Err(TryRecvError::Empty) => break,
            }
        }
        if sent {
            input.flush();
        }
        worker.step_or_park(Some(IDLE_SLEEP));
        while passed < round && !probe.less_than(&(passed + 1)) {
            let _ = ends.events.send(Event::Passed(passed));
            passed += 1;
        }
    }
}

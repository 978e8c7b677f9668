//! Heartbeats: on a second connection between two processes each shows that it is alive.
//!
//! The connections of a killed process close, and its peers notice at once. A process that hangs,
//! or whose machine is gone, only falls silent. A process that ends because it lost a third one
//! names that one, so that all report the same loss.

use super::liveness::{Liveness, Loss};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time between two heartbeats.
const INTERVAL: Duration = Duration::from_millis(500);

/// A process that is silent for this long is lost.
const SILENCE: Duration = Duration::from_secs(10);

/// The process is alive.
const ALIVE: u8 = 0;
/// It has finished.
const DONE: u8 = 1;
/// It has lost a process: this plus the number of that process.
const LOST: u8 = 2;

/// Starts sending heartbeats to a process and listening to its own.
pub(super) fn start(stream: TcpStream, to: u32, liveness: &Arc<Liveness>) -> io::Result<()> {
    let theirs = stream.try_clone()?;
    theirs.set_read_timeout(Some(INTERVAL))?;
    let (watching, beating) = (liveness.clone(), liveness.clone());
    let named = |name: &str| std::thread::Builder::new().name(format!("spi:{name}-{to}"));
    named("listen").spawn(move || listen(theirs, to, &watching))?;
    named("beat").spawn(move || beat(stream, &beating))?;
    Ok(())
}

/// Sends heartbeats until this process ends.
fn beat(mut stream: TcpStream, liveness: &Liveness) {
    liveness.register();
    loop {
        let said = match liveness.loss() {
            Some(loss) => LOST.saturating_add(loss.process().min(253) as u8),
            None if liveness.is_closing() => DONE,
            None => ALIVE,
        };
        // Whether the other is alive is decided by `listen`.
        if stream.write_all(&[said]).is_err() || said != ALIVE {
            return;
        }
        std::thread::park_timeout(INTERVAL);
    }
}

/// Listens until the other process ends.
fn listen(mut stream: TcpStream, to: u32, liveness: &Liveness) {
    let mut heard = Instant::now();
    let mut buffer = [0; 64];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return liveness.lose(Loss::Gone(to)),
            Ok(n) => {
                heard = Instant::now();
                match buffer[n - 1] {
                    ALIVE => {}
                    DONE => return,
                    other => return liveness.lose(Loss::Gone(u32::from(other - LOST))),
                }
            }
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock
                | io::ErrorKind::TimedOut
                | io::ErrorKind::Interrupted => {
                    if heard.elapsed() > SILENCE {
                        return liveness.lose(Loss::Gone(to));
                    }
                }
                _ => return liveness.lose(Loss::Gone(to)),
            },
        }
    }
}

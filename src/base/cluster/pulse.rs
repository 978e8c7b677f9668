//! The pulse: a second connection between two processes on which each shows that it is alive.
//!
//! A process that is killed closes its connections, which is noticed at once. One that hangs, or whose machine is gone,
//! only falls silent. And one that ends because of a third says which it was, so that all name the same.

use super::fate::{Fate, Loss};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time between two beats.
const BEAT: Duration = Duration::from_millis(500);

/// A process that shows nothing for this long is lost.
const SILENCE: Duration = Duration::from_secs(10);

/// The process is alive.
const ALIVE: u8 = 0;
/// It has ended well.
const DONE: u8 = 1;
/// It has lost the process of this number, less this.
const LOST: u8 = 2;

/// Starts both directions of the pulse to a process.
pub fn start(stream: TcpStream, to: u32, fate: &Arc<Fate>) -> io::Result<()> {
    let theirs = stream.try_clone()?;
    theirs.set_read_timeout(Some(BEAT))?;
    let (watching, beating) = (fate.clone(), fate.clone());
    let named = |name: &str| std::thread::Builder::new().name(format!("spi:{name}-{to}"));
    named("listen").spawn(move || listen(theirs, to, &watching))?;
    named("beat").spawn(move || beat(stream, &beating))?;
    Ok(())
}

/// Sends beats until this process ends.
fn beat(mut stream: TcpStream, fate: &Fate) {
    fate.register();
    loop {
        let said = match fate.loss() {
            Some(loss) => LOST.saturating_add(loss.process().min(253) as u8),
            None if fate.is_closing() => DONE,
            None => ALIVE,
        };
        // Whether the other is there is for the listener to say.
        if stream.write_all(&[said]).is_err() || said != ALIVE {
            return;
        }
        std::thread::park_timeout(BEAT);
    }
}

/// Listens until the other process ends.
fn listen(mut stream: TcpStream, to: u32, fate: &Fate) {
    let mut heard = Instant::now();
    let mut buffer = [0; 64];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return fate.lose(Loss::Gone(to)),
            Ok(n) => {
                heard = Instant::now();
                match buffer[n - 1] {
                    ALIVE => {}
                    DONE => return,
                    other => return fate.lose(Loss::Gone(u32::from(other - LOST))),
                }
            }
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock
                | io::ErrorKind::TimedOut
                | io::ErrorKind::Interrupted => {
                    if heard.elapsed() > SILENCE {
                        return fate.lose(Loss::Gone(to));
                    }
                }
                _ => return fate.lose(Loss::Gone(to)),
            },
        }
    }
}

//! A connection that timely reads and writes.
//!
//! Timely panics when a connection ends. Here the thread that notices it records a [`Loss`] and
//! sleeps; threads that wait for records check for losses.

use super::liveness::{Liveness, Loss};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use timely::communication::allocator::zero_copy::stream::Stream;

/// The connection to another process.
pub(super) struct Wire {
    stream: TcpStream,
    /// The other process.
    to: u32,
    liveness: Arc<Liveness>,
}

impl Wire {
    /// A connection to a process.
    pub(super) fn new(stream: TcpStream, to: u32, liveness: Arc<Liveness>) -> Self {
        Self {
            stream,
            to,
            liveness,
        }
    }

    /// Records that the other process is gone. Nobody needs this thread any more.
    fn gone(&self) -> ! {
        self.liveness.lose(Loss::Gone(self.to));
        loop {
            std::thread::park();
        }
    }
}

fn passing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Interrupted
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                Err(error) if passing(&error) => {}
                // Timely reads up to the end before it hands on the last record.
                Ok(0) if self.liveness.is_closing() => return Ok(0),
                Ok(0) | Err(_) => self.gone(),
                Ok(n) => return Ok(n),
            }
        }
    }
}

impl Write for Wire {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        loop {
            match self.stream.write(buffer) {
                Err(error) if passing(&error) => {}
                Ok(0) | Err(_) => self.gone(),
                Ok(n) => return Ok(n),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Wire {
    fn try_clone(&self) -> io::Result<Self> {
        let stream = self.stream.try_clone()?;
        Ok(Self::new(stream, self.to, self.liveness.clone()))
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    /// Timely shuts the connection down when everything has been written.
    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The other side may have shut it down already.
        let _ = self.stream.shutdown(how);
        self.liveness.flush();
        Ok(())
    }
}

//! A standard stream that does not fail its writer.
//!
//! A reader that stops reading (`spi .. | head`) is no error, and no reason to stop either: the exit code has to tell what it
//! would have told. Any other failure, such as a full disk, is kept for the end. From then on what is written is lost.

use std::io::{self, BufWriter, Write};

/// How a stream ended before we did.
#[derive(Debug)]
enum End {
    /// Nobody reads any more.
    Closed,
    Failed(io::Error),
}

/// A stream that takes whatever is written.
#[derive(Debug)]
pub(super) struct Stream<W: Write> {
    to: BufWriter<W>,
    end: Option<End>,
}

impl<W: Write> Stream<W> {
    /// What is written goes there, buffered.
    pub(super) fn new(to: W) -> Self {
        Self {
            to: BufWriter::new(to),
            end: None,
        }
    }

    /// Where what is written goes; what is still in the buffer is not there yet.
    pub(super) fn inner(&mut self) -> &mut W {
        self.to.get_mut()
    }

    /// Whether nobody reads any more.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self.end, Some(End::Closed))
    }

    /// Why something was lost, if it was.
    pub(super) fn failure(&self) -> Option<&io::Error> {
        match &self.end {
            Some(End::Failed(error)) => Some(error),
            _ => None,
        }
    }

    fn over(&mut self, error: io::Error) {
        self.end = Some(match error.kind() {
            io::ErrorKind::BrokenPipe => End::Closed,
            _ => End::Failed(error),
        });
    }
}

impl<W: Write> Write for Stream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.end.is_none()
            && let Err(error) = self.to.write_all(bytes)
        {
            self.over(error);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.end.is_none()
            && let Err(error) = self.to.flush()
        {
            self.over(error);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes so many bytes, then fails.
    struct Full(usize, io::ErrorKind);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(self.1.into());
            }
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_failure_is_told_at_the_end() {
        for (kind, closed) in [
            (io::ErrorKind::BrokenPipe, true),
            (io::ErrorKind::StorageFull, false),
        ] {
            let mut stream = Stream::new(Full(3, kind));
            for _ in 0..3 {
                stream.write_all(b"whatever").expect("it never fails");
                stream.flush().expect("it never fails");
            }
            assert_eq!(stream.is_closed(), closed);
            assert_eq!(
                stream.failure().map(io::Error::kind),
                (!closed).then_some(kind)
            );
        }
    }
}

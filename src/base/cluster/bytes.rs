//! Numbers and strings as bytes: the same on every machine.

/// Appends numbers and strings to bytes.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// What was written so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends a byte.
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Appends a number, seven bits to a byte, the lowest first.
    pub fn number(&mut self, n: u64) {
        let mut rest = n;
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    /// Appends a number of at most 128 bits.
    pub fn large(&mut self, n: u128) {
        self.number((n >> 64) as u64);
        self.number(n as u64);
    }

    /// Appends a string of bytes with its length.
    pub fn string(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends bytes as they are: what follows must be able to tell where they end.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

/// Reads what a [`Writer`] has written; `None` where something else is found.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the start.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What was not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether all was read.
    pub fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// The next number.
    pub fn number(&mut self) -> Option<u64> {
        let mut n = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(n);
            }
        }
        None
    }

    /// The next number, if it has at most 32 bits.
    pub fn word(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// The next number of at most 128 bits.
    pub fn large(&mut self) -> Option<u128> {
        let high = self.number()?;
        Some(u128::from(high) << 64 | u128::from(self.number()?))
    }

    /// The next string of bytes.
    pub fn string(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (string, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(string)
    }

    /// The next list, each item read in the same way.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        // An item has at least a byte, so a count that lies is found out before much is reserved.
        (0..count).map(|_| item(self)).collect()
    }
}

/// A hash of bytes, the same on every machine (FNV-1a, mixed once more so that the low bits are
/// good).
pub fn hash(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let h = bytes.iter().fold(start, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3)
    });
    let h = (h ^ (h >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h ^ (h >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut writer = Writer::new();
        for n in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            writer.number(n);
        }
        writer.string(b"abc");
        writer.large(u128::MAX - 5);
        let bytes = writer.into_bytes();
        let mut reader = Reader::new(&bytes);
        for n in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            assert_eq!(reader.number(), Some(n));
        }
        assert_eq!(reader.string(), Some(&b"abc"[..]));
        assert_eq!(reader.large(), Some(u128::MAX - 5));
        assert!(reader.is_done());
        assert_eq!(reader.byte(), None);
    }

    #[test]
    fn nonsense_is_not_read() {
        assert_eq!(Reader::new(&[0xff; 12]).number(), None);
        assert_eq!(Reader::new(&[9, 1, 2]).string(), None);
        assert_eq!(Reader::new(&[0xff, 0xff, 3]).list(Reader::byte), None);
    }
}

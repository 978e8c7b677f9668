//! The secret that the processes share: a process proves that it has it without sending it.
//!
//! Each side sends a fresh challenge. Each answers with the HMAC-SHA-256 of the whole handshake so
//! far under the secret. The HMAC covers the side that answers, so an answer can't be reflected.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;

/// Bytes of an answer, and of a challenge.
pub(super) const SIZE: usize = 32;

/// A shorter secret can be guessed.
pub(super) const MIN_BYTES: usize = 16;

/// The shared secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Vec<u8>);

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The process that calls.
    Caller = 1,
    /// The process that is called.
    Called = 2,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Key {
    /// The secret in a file, without trailing white space. `None` if nothing is left.
    pub fn new(file: &[u8]) -> Option<Self> {
        let key = file.trim_ascii_end();
        (!key.is_empty()).then(|| Self(key.to_vec()))
    }

    /// Whether it is short enough to be found by trying.
    pub fn is_short(&self) -> bool {
        self.0.len() < MIN_BYTES
    }

    /// The answer of a side to these bytes.
    pub(super) fn answer(&self, side: Side, said: &[u8]) -> [u8; SIZE] {
        self.mac(side, said).finalize().into_bytes().into()
    }

    /// Whether this is the answer, in constant time.
    pub(super) fn accepts(&self, side: Side, said: &[u8], answer: &[u8]) -> bool {
        self.mac(side, said).verify_slice(answer).is_ok()
    }

    fn mac(&self, side: Side, said: &[u8]) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0);
        let mut mac = mac.expect("HMAC takes keys of any length");
        mac.update(&[side as u8]);
        mac.update(said);
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Key {
        Key::new(text.as_bytes()).expect("a key")
    }

    #[test]
    fn only_the_key_gives_the_answer() {
        let answer = key("secret").answer(Side::Caller, b"hello");
        assert!(key("secret").accepts(Side::Caller, b"hello", &answer));
        assert!(!key("other").accepts(Side::Caller, b"hello", &answer));
        assert!(!key("secret").accepts(Side::Caller, b"hello again", &answer));
        // Not even the other side may use it.
        assert!(!key("secret").accepts(Side::Called, b"hello", &answer));
        assert!(!key("secret").accepts(Side::Caller, b"hello", &[]));
    }

    #[test]
    fn the_answer_is_the_hmac_of_the_standard() {
        // The data of RFC 4231, test case 2, with the byte of the side in front.
        let answer = key("Jefe").answer(Side::Caller, b"what do ya want for nothing?");
        let mut mac = Hmac::<Sha256>::new_from_slice(b"Jefe").expect("a key");
        mac.update(b"\x01what do ya want for nothing?");
        assert_eq!(answer[..], mac.finalize().into_bytes()[..]);
    }

    #[test]
    fn space_at_the_end_of_a_file_does_not_count() {
        assert_eq!(key("secret\n"), key("secret"));
        assert_eq!(Key::new(b" \r\n"), None);
        assert_eq!(Key::new(b""), None);
        assert!(key("short").is_short() && !key("0123456789abcdef").is_short());
        assert_eq!(format!("{:?}", key("secret")), "Key(..)");
    }
}

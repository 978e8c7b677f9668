//! What all processes must have in common: program, options and files, each as a hash.

/// The hashes of one process. Processes with different fingerprints do not work together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    parts: [u128; 3],
}

impl Fingerprint {
    /// The names of the parts, in order.
    pub const NAMES: [&'static str; 3] = ["version of spi", "options", "files"];

    /// The fingerprint of the options, written without paths of files, and of the contents of the
    /// files.
    pub fn new(options: &str, sources: &[&str]) -> Self {
        let mut files = Vec::new();
        for source in sources {
            files.extend_from_slice(&(source.len() as u64).to_be_bytes());
            files.extend_from_slice(source.as_bytes());
        }
        Self {
            parts: [
                number(env!("CARGO_PKG_VERSION").as_bytes()),
                number(options.as_bytes()),
                number(&files),
            ],
        }
    }

    /// What differs, if anything does.
    pub fn difference(&self, other: &Fingerprint) -> Option<&'static str> {
        let mut pairs = self.parts.iter().zip(&other.parts).zip(Self::NAMES);
        pairs.find(|((a, b), _)| a != b).map(|(_, name)| name)
    }

    /// The fingerprint as bytes.
    pub(super) fn to_bytes(&self) -> [u8; 48] {
        let mut bytes = [0; 48];
        for (place, part) in bytes.chunks_exact_mut(16).zip(&self.parts) {
            place.copy_from_slice(&part.to_be_bytes());
        }
        bytes
    }

    /// The fingerprint from bytes.
    pub(super) fn from_bytes(bytes: [u8; 48]) -> Self {
        let mut parts = [0; 3];
        for (part, place) in parts.iter_mut().zip(bytes.chunks_exact(16)) {
            *part = place.iter().fold(0, |n, b| n << 8 | u128::from(*b));
        }
        Self { parts }
    }
}

/// A hash (FNV-1a with 128 bits): against mistakes, not against malice.
fn number(bytes: &[u8]) -> u128 {
    let start = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    bytes.iter().fold(start, |h, b| {
        (h ^ u128::from(*b)).wrapping_mul(0x0100_0000_0000_0000_0000_013b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_tell_what_differs() {
        let a = Fingerprint::new("o", &["x", "y"]);
        assert_eq!(a.difference(&Fingerprint::from_bytes(a.to_bytes())), None);
        assert_eq!(
            a.difference(&Fingerprint::new("p", &["x", "y"])),
            Some("options")
        );
        assert_eq!(
            a.difference(&Fingerprint::new("o", &["xy", ""])),
            Some("files")
        );
    }
}

//! The name of a file, from its URI.
//!
//! A URI is the identity of a document and is otherwise left alone; only its name is shown to
//! people.

use std::fmt::Write;
use std::path::Path;

/// The name to show: the path of a `file:` URI, decoded as far as it is text, or the URI itself.
pub(super) fn name(uri: &str) -> String {
    let Some(path) = uri.strip_prefix("file://") else {
        return uri.to_owned();
    };
    let path = decode(path);
    // `/C:/x` on a system with drives.
    let drive = path.strip_prefix('/').filter(|p| p.get(1..2) == Some(":"));
    drive.unwrap_or(&path).to_owned()
}

/// The URI of a file.
pub(super) fn of(path: &Path) -> String {
    let mut text = String::from("file://");
    let path = path.to_string_lossy().replace('\\', "/");
    if !path.starts_with('/') {
        text.push('/');
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Replaces `%41` by `A`. Bytes that are not UTF-8 are replaced by a mark.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).filter(|_| byte == b'%');
        let code = digits
            .and_then(|d| std::str::from_utf8(d).ok())
            .and_then(|d| u8::from_str_radix(d, 16).ok());
        out.push(code.unwrap_or(byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_decoded_paths() {
        assert_eq!(name("file:///a%20b/%CE%BD.spi"), "/a b/ν.spi");
        assert_eq!(name("file:///c%3A/x.spi"), "c:/x.spi");
        assert_eq!(name("untitled:Untitled-1"), "untitled:Untitled-1");
        assert_eq!(name("file:///%ff%zz%"), "/\u{fffd}%zz%");
        assert_eq!(of(Path::new("/a b/ν.spi")), "file:///a%20b/%CE%BD.spi");
    }
}

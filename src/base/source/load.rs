//! From a path to a [`SourceFile`], or to a diagnostic.
//!
//! Whatever the path holds, reading ends in a value or a diagnostic of the `E06` group. The text is
//! not looked into beyond its encoding.

use std::io::{self, Read};
use std::path::Path;

use super::code::Code;
use super::diagnostic::Diagnostic;
use super::file::{FileId, SourceFile, SourceMap, Span};
use super::lines;

/// Largest accepted file: 4 MiB. A protocol has a few kilobytes, ten thousand role instances written down a few
/// hundred. Tokens, tree and program take up to a hundred bytes for each byte of text, so the limit keeps memory bounded;
/// it also keeps offsets in `u32`.
pub const MAX_BYTES: u64 = 4 << 20;

/// The path that stands for standard input.
pub const STDIN: &str = "-";

/// Reads `path` (`-` is standard input) into `map`.
pub fn load(map: &mut SourceMap, path: &Path) -> Result<SourceFile, Diagnostic> {
    if path.as_os_str() == STDIN {
        let bytes = read_limited(io::stdin().lock()).map_err(|e| unreadable("<stdin>", &e))?;
        return decode(map, "<stdin>", bytes);
    }
    load_file(map, path)
}

/// Reads the file at `path`, whatever it is called, into `map`.
pub fn load_file(map: &mut SourceMap, path: &Path) -> Result<SourceFile, Diagnostic> {
    let name = path.display().to_string();
    if let Some(text) = map.unsaved(path).cloned() {
        return decode_at(map, path, &name, text.as_bytes().to_vec());
    }
    let shown = format!("`{name}`");
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            return Err(
                Diagnostic::new(Code::IsADirectory, format!("{shown} is a directory"))
                    .help("give the path of a `.spi` file"),
            );
        }
        Ok(_) => {}
        Err(e) => return Err(unreadable(&name, &e)),
    }
    let bytes = std::fs::File::open(path)
        .and_then(read_limited)
        .map_err(|e| unreadable(&name, &e))?;
    decode_at(map, path, &name, bytes)
}

fn read_limited(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(name: &str, error: &io::Error) -> Diagnostic {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    Diagnostic::new(Code::CannotRead, format!("cannot read `{name}`: {reason}"))
}

/// Checks size and encoding of the bytes and adds them to `map` as a file.
pub fn decode(map: &mut SourceMap, name: &str, bytes: Vec<u8>) -> Result<SourceFile, Diagnostic> {
    decode_at(map, Path::new(name), name, bytes)
}

/// The same for bytes that were read from `path`.
fn decode_at(
    map: &mut SourceMap,
    path: &Path,
    name: &str,
    bytes: Vec<u8>,
) -> Result<SourceFile, Diagnostic> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(
            Diagnostic::new(Code::FileTooLarge, format!("`{name}` is too large"))
                .note(format!("files of up to {} MiB are read", MAX_BYTES >> 20)),
        );
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(map.add_at(path, name, &text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let line = lines::count(&String::from_utf8_lossy(&bytes[..at])) + 1;
            let byte = bytes.get(at).copied().unwrap_or_default();
            let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
            let help = if wide {
                "the file looks like UTF-16; save it as UTF-8"
            } else {
                "save the file as UTF-8"
            };
            Err(
                Diagnostic::new(Code::InvalidUtf8, format!("`{name}` is not UTF-8 text"))
                    .note(format!(
                        "line {line}, byte offset {at}: the byte 0x{byte:02x} is not valid"
                    ))
                    .help(help),
            )
        }
    }
}

/// The span to blame when a whole file is meant.
pub fn start_of(file: FileId) -> Span {
    Span::new(file, 0..0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(bytes: &[u8]) -> Result<(), Code> {
        decode(&mut SourceMap::new(), "t", bytes.to_vec())
            .map(|_| ())
            .map_err(|d| d.code)
    }

    #[test]
    fn only_utf_8_becomes_a_file() {
        assert_eq!(codes(b""), Ok(()));
        assert_eq!(codes("ν".as_bytes()), Ok(()));
        assert_eq!(codes(b"a\xff"), Err(Code::InvalidUtf8));
        assert_eq!(codes(&[0xff, 0xfe, b'a', 0]), Err(Code::InvalidUtf8));
    }

    #[test]
    fn directories_and_missing_files_are_diagnostics() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let code = |p: &Path| {
            load(&mut SourceMap::new(), p)
                .map(|_| ())
                .map_err(|d| d.code)
        };
        assert_eq!(code(dir.path()), Err(Code::IsADirectory));
        assert_eq!(code(&dir.path().join("none.spi")), Err(Code::CannotRead));
    }
}

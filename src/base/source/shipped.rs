//! Libraries of definitions that come with the program: what `use aead` brings.
//!
//! Each is a small file of the language with a header that says what it is and what it leaves out. They are files like others, with
//! places that can be shown; their numbers count down from the largest one, so that every map of files knows them.

use super::file::{FileId, SourceFile};
use std::path::Path;
use std::sync::LazyLock;

macro_rules! libraries {
    ($($name:literal, $about:literal;)*) => {
        /// A name, a line about it, the text.
        const TEXTS: &[(&str, &str, &str)] =
            &[$(($name, $about, include_str!(concat!("shipped/", $name, ".spi"))),)*];
    };
}

libraries! {
    "aead", "authenticated encryption with associated data";
    "blind", "blind signatures";
    "commit", "commitments";
    "hkdf", "key derivation in two steps: extract, then expand";
    "kdf", "key derivation in one step";
    "kem", "key encapsulation";
    "mac", "message authentication codes";
    "renc", "randomised encryption";
    "sig", "signatures that do not show what was signed";
}

static FILES: LazyLock<Vec<SourceFile>> = LazyLock::new(|| {
    let file = |(number, (name, _, text)): (u32, &(&str, &str, &str))| SourceFile {
        id: FileId(u32::MAX - number),
        name: format!("<{name}>").into(),
        text: (*text).into(),
        folder: Path::new("").into(),
    };
    (0..).zip(TEXTS).map(file).collect()
});

/// The library of this name.
pub fn named(name: &str) -> Option<&'static SourceFile> {
    let number = TEXTS.iter().position(|(n, _, _)| *n == name)?;
    FILES.get(number)
}

/// The library with this number.
pub fn with_id(id: FileId) -> Option<&'static SourceFile> {
    FILES.get((u32::MAX - id.0) as usize)
}

/// The names of all libraries, each with a line about it.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXTS.iter().map(|(name, about, _)| (*name, *about))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_library_is_found_by_its_name_and_its_number() {
        let names: Vec<&str> = all().map(|(name, _)| name).collect();
        assert!(names.is_sorted());
        for name in names {
            let file = named(name).expect("it is listed");
            assert_eq!(
                with_id(file.id).map(|f| f.name.clone()),
                Some(file.name.clone())
            );
            assert!(file.text.starts_with("// "), "{name} says what it is");
        }
        assert!(named("nothing").is_none() && with_id(FileId(0)).is_none());
    }
}

//! Files as they are quoted: with marks for what is hidden, and places that follow.
//!
//! A mark may have more bytes than what it stands for, so places in the text become places in the quotation. A byte-order
//! mark at the start is no part of the text and is left out.

use ariadne::{Cache, Source};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::fmt;

use super::file::{FileId, SourceMap, Span};
use super::visible::{mark, visible};

/// The files of a map, quoted when first asked for.
pub(super) struct Quotes<'a> {
    pub map: &'a SourceMap,
    made: FxHashMap<FileId, Quote<'a>>,
}

struct Quote<'a> {
    source: Source<Cow<'a, str>>,
    /// Places in the text, each with the bytes that the quotation has gained behind it.
    gained: Vec<(u32, isize)>,
}

impl<'a> Quotes<'a> {
    /// Nothing quoted yet.
    pub(super) fn new(map: &'a SourceMap) -> Quotes<'a> {
        Quotes {
            map,
            made: FxHashMap::default(),
        }
    }

    /// The place in the quotation.
    pub(super) fn place(&mut self, span: Span) -> Span {
        let gained = &self.quote(span.file).gained;
        let moved = |at: u32| {
            let passed = gained.partition_point(|(place, _)| *place < at);
            let bytes = passed.checked_sub(1).map_or(0, |i| gained[i].1);
            let place = (at as usize).checked_add_signed(bytes);
            place.and_then(|p| u32::try_from(p).ok()).unwrap_or(at)
        };
        Span {
            file: span.file,
            start: moved(span.start),
            end: moved(span.end),
        }
    }

    fn quote(&mut self, id: FileId) -> &Quote<'a> {
        let text = self.map.get(id).map_or("", |f| &*f.text);
        self.made.entry(id).or_insert_with(|| quoted(text))
    }
}

fn quoted(text: &str) -> Quote<'_> {
    let hidden = |c: char| mark(c).filter(|_| !matches!(c, '\n' | '\r' | '\t'));
    if !text.chars().any(|c| hidden(c).is_some()) {
        return Quote {
            source: Source::from(Cow::Borrowed(text)),
            gained: Vec::new(),
        };
    }
    let mut shown = String::with_capacity(text.len());
    let mut gained = Vec::new();
    for (at, c) in text.char_indices() {
        match hidden(c) {
            Some(_) if at == 0 && c == '\u{feff}' => {}
            Some(mark) => shown.push(mark),
            None => {
                shown.push(c);
                continue;
            }
        }
        let bytes = shown.len().cast_signed() - (at + c.len_utf8()).cast_signed();
        gained.push((u32::try_from(at).unwrap_or(u32::MAX), bytes));
    }
    Quote {
        source: Source::from(Cow::Owned(shown)),
        gained,
    }
}

impl<'a> Cache<FileId> for Quotes<'a> {
    type Storage = Cow<'a, str>;

    fn fetch(&mut self, id: &FileId) -> Result<&Source<Cow<'a, str>>, impl fmt::Debug> {
        Ok::<_, fmt::Error>(&self.quote(*id).source)
    }

    fn display<'b>(&self, id: &'b FileId) -> Option<impl fmt::Display + 'b> {
        self.map.get(*id).map(|f| visible(&f.name).into_owned())
    }
}

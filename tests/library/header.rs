//! The comment at the head of a model: a title, a narration, and paragraphs that open with a word.

/// A header.
pub struct Header {
    /// The first paragraph, without its full stop.
    pub title: String,
    /// What follows, in order.
    pub parts: Vec<Part>,
}

/// A part of a header.
pub enum Part {
    /// Lines that are set in, as they stand.
    Set(Vec<String>),
    /// A paragraph, its lines joined.
    Prose(String),
}

impl Header {
    /// The header of a text.
    pub fn read(text: &str) -> Header {
        let lines: Vec<&str> = text
            .lines()
            .map_while(|l| l.strip_prefix("//"))
            .map(|l| l.strip_prefix(' ').unwrap_or(l))
            .collect();
        let blocks = lines.split(|l| l.trim().is_empty());
        let mut parts = blocks.filter(|b| !b.is_empty()).map(|block| {
            if block.iter().all(|l| l.starts_with("  ")) {
                let indent = block.iter().map(|l| l.len() - l.trim_start().len()).min();
                let indent = indent.unwrap_or(0);
                Part::Set(block.iter().map(|l| l[indent..].to_owned()).collect())
            } else {
                Part::Prose(block.join(" "))
            }
        });
        let title = match parts.next() {
            Some(Part::Prose(title)) => title.trim_end_matches('.').to_owned(),
            _ => String::new(),
        };
        Header {
            title,
            parts: parts.collect(),
        }
    }

    /// Is there a line of a narration?
    pub fn is_narrated(&self) -> bool {
        self.parts
            .iter()
            .any(|p| matches!(p, Part::Set(lines) if lines.iter().any(|l| l.contains("->"))))
    }

    /// What follows this word at the start of a paragraph.
    pub fn paragraph(&self, word: &str) -> Option<&str> {
        self.parts.iter().find_map(|p| match p {
            Part::Prose(text) => text.strip_prefix(word),
            Part::Set(_) => None,
        })
    }
}

//! Short names for long parts of messages, listed below the chart.

/// Labels longer than this are abbreviated.
const LONG: usize = 56;
/// Parts shorter than this are never worth an abbreviation.
const SHORT: usize = 16;

/// The short names of one chart.
#[derive(Default)]
pub(super) struct Abbreviations {
    /// The short names with what they stand for.
    pub legend: Vec<(String, String)>,
}

impl Abbreviations {
    /// The text, short enough if its parts allow it.
    pub(super) fn shorten(&mut self, full: &str, parts: &[String]) -> String {
        let mut text = full.to_owned();
        let mut parts: Vec<&String> = parts
            .iter()
            .filter(|p| p.chars().count() >= SHORT)
            .collect();
        parts.sort_by_key(|p| std::cmp::Reverse(p.chars().count()));
        for part in parts {
            if text.chars().count() <= LONG {
                break;
            }
            if !text.contains(part.as_str()) {
                continue;
            }
            let known = self.legend.iter().find(|(_, f)| f == part);
            let short = if let Some((short, _)) = known {
                short.clone()
            } else {
                let short = format!("\u{2039}{}\u{203a}", self.legend.len() + 1);
                self.legend.push((short.clone(), part.clone()));
                short
            };
            text = text.replace(part.as_str(), &short);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Abbreviations;

    #[test]
    fn long_parts_get_short_names_once() {
        let mut a = Abbreviations::default();
        let part = "{Na, A, B, something, else}K(A)".to_owned();
        let long = format!("M, A, B, {part}, {part}");
        let short = a.shorten(&long, std::slice::from_ref(&part));
        assert_eq!(short, "M, A, B, \u{2039}1\u{203a}, \u{2039}1\u{203a}");
        assert_eq!(a.shorten(&part, &[]), part);
        a.shorten(&long, std::slice::from_ref(&part));
        assert_eq!(a.legend.len(), 1);
    }
}

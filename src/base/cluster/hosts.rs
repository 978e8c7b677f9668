//! The list of hosts: a line `host:port` for each process.

/// Why a list of hosts can't be used; lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadHosts {
    /// This line is no `host:port`.
    Line(usize, String),
    /// The same address a second time, in this line.
    Twice(usize, String),
    /// More than one process is needed.
    TooFew(usize),
    /// There is no process of this number.
    OutOfRange(usize, usize),
}

/// The addresses of a list; empty lines and those that start with `#` do not count.
pub fn hosts(text: &str, process: usize) -> Result<Vec<String>, BadHosts> {
    let mut found: Vec<String> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fits = line.rsplit_once(':').is_some_and(|(host, port)| {
            !host.is_empty() && port.parse::<u16>().is_ok_and(|p| p > 0)
        });
        if !fits || line.contains(char::is_whitespace) {
            return Err(BadHosts::Line(i + 1, line.to_owned()));
        }
        if found.iter().any(|known| known == line) {
            return Err(BadHosts::Twice(i + 1, line.to_owned()));
        }
        found.push(line.to_owned());
    }
    match found.len() {
        n @ (0 | 1) => Err(BadHosts::TooFew(n)),
        n if process >= n => Err(BadHosts::OutOfRange(process, n)),
        _ => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_an_address_a_line() {
        let text = "# two\n127.0.0.1:4000\n\n[::1]:4001 \n";
        let found = hosts(text, 1).expect("a good list");
        assert_eq!(found, ["127.0.0.1:4000", "[::1]:4001"]);
        assert_eq!(hosts(text, 2), Err(BadHosts::OutOfRange(2, 2)));
        assert_eq!(hosts("a:1\n", 0), Err(BadHosts::TooFew(1)));
        assert_eq!(hosts("a:1\nb\n", 0), Err(BadHosts::Line(2, "b".to_owned())));
        assert_eq!(
            hosts("a:1\na:1\n", 0),
            Err(BadHosts::Twice(2, "a:1".to_owned()))
        );
        assert!(matches!(
            hosts("a:0\nb:70000\n", 0),
            Err(BadHosts::Line(1, _))
        ));
    }
}

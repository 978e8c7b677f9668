//! Figures as they stand in the tables.

/// Seconds: two digits after the point below 10.
pub fn seconds(s: f64) -> String {
    match s {
        s if s < 0.01 => "< 0.01 s".to_owned(),
        s if s < 10.0 => format!("{s:.2} s"),
        s => format!("{s:.0} s"),
    }
}

/// Milliseconds.
pub fn milliseconds(s: f64) -> String {
    format!("{:.1} ms", s * 1000.0)
}

/// Mebibytes; nothing if it was too short to look.
pub fn megabytes(bytes: u64) -> String {
    match bytes {
        0 => "-".to_owned(),
        b => format!("{:.1} MB", b as f64 / 1024.0 / 1024.0),
    }
}

/// A number with commas between thousands.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(d);
    }
    text
}

/// The middle of some figures, 0 of none.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(0.0)
}

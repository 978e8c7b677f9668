//! How much memory the process uses.

/// Resident memory of this process in bytes, where the system tells.
pub fn resident_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    // The usual page; a system with larger ones is guarded more generously.
    Some(pages * 4096)
}

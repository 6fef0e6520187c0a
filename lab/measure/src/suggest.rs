//! "did you mean": the nearest known name to a misspelt one.

/// The addition to an error message, or nothing when no name is near.
pub fn did_you_mean(given: &str, known: &[&str]) -> String {
    let scored = known.iter().map(|name| (strsim::jaro_winkler(given, name), name));
    match scored.max_by(|left, right| left.0.total_cmp(&right.0)) {
        Some((score, name)) if score > 0.8 => format!(", did you mean '{name}'?"),
        _ => String::new(),
    }
}

//! "did you mean": the nearest known name to a misspelt one.

/// The known name that is near to a misspelt one, if one is.
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let scored = known.iter().map(|name| (strsim::jaro_winkler(given, name), *name));
    let best = scored.max_by(|left, right| left.0.total_cmp(&right.0));
    best.filter(|(score, _)| *score > 0.8).map(|(_, name)| name)
}

/// The addition to an error message, or nothing when no name is near.
pub fn did_you_mean(given: &str, known: &[&str]) -> String {
    nearest(given, known).map(|name| format!(", did you mean '{name}'?")).unwrap_or_default()
}

//! A target of the recorder, and whether a measured value meets it.

/// A target, and what was measured.
pub struct Target {
    pub is_met: bool,
    pub line: String,
}

impl Target {
    pub fn at_most(what: &str, value: f64, most: f64, unit: &str) -> Self {
        let line = format!("{what}: {value:.2}{unit} (at most {most}{unit})");
        Self { is_met: value <= most, line }
    }
}

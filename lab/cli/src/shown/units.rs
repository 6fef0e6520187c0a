//! Numbers as people read them.

use heapsmith_measure::metric::show_bytes;

pub fn show_size(bytes: u64) -> String {
    if bytes < 1024 { format!("{bytes} B") } else { show_bytes(bytes as f64) }
}

pub fn show_ns(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", ns as f64 / 1e6),
        _ => format!("{:.1} s", ns as f64 / 1e9),
    }
}

/// "+5.0 %", "−5.0 %", "new".
pub fn growth(share: f64) -> String {
    match share {
        f64::INFINITY => "new".to_string(),
        0.0 => "=".to_string(),
        share if share < 0.0 => format!("−{:.1} %", -100.0 * share),
        share => format!("+{:.1} %", 100.0 * share),
    }
}

/// Without digits that say nothing: "5", "2.5".
pub fn round(percent: f64) -> f64 {
    (percent * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_has_no_digits_of_rounding() {
        assert_eq!(round(100.0 * 0.07).to_string(), "7");
    }
}

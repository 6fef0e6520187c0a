//! Values of metrics as a person reads them.

use super::{Form, Metric};
use crate::digits::{self, significant};

impl Metric {
    /// A value as a person reads it, with three significant digits.
    pub fn show(self, value: f64) -> String {
        self.show_digits(value, digits::USUAL)
    }

    /// A value with the digits that its interval makes certain.
    pub fn show_within(self, value: f64, low: f64, high: f64) -> String {
        self.show_digits(value, digits::within(value, low, high))
    }

    fn show_digits(self, value: f64, digits: usize) -> String {
        match self.form() {
            Form::Seconds => show_seconds(value, digits),
            Form::Nanoseconds => show_seconds(value * 1e-9, digits),
            Form::Latency => show_latency(value, digits),
            Form::Bytes => show_bytes_in(value, digits),
            Form::PlainBytes => format!("{} B", significant(value, digits)),
            Form::Slope => show_slope(value, digits),
            Form::Count(_) => show_count(value, digits),
            Form::Ratio(_) => significant(value, digits),
            Form::Share => format!("{:.2} %", 100.0 * value),
            Form::Cpus => format!("{value:.2}"),
        }
    }
}

fn show_seconds(seconds: f64, digits: usize) -> String {
    let (scale, unit) = match seconds {
        _ if seconds < 0.000_000_099_95 => (1e9, "ns"),
        _ if seconds >= 0.9995 => (1.0, "s"),
        _ if seconds >= 0.000_999_5 => (1e3, "ms"),
        _ => (1e6, "µs"),
    };
    format!("{} {unit}", significant(seconds * scale, digits))
}

/// Single calls are compared in nanoseconds, unless they are long.
fn show_latency(ns: f64, digits: usize) -> String {
    if ns < 9_999.5 {
        return format!("{} ns", significant(ns, digits));
    }
    show_seconds(ns * 1e-9, digits)
}

pub fn show_bytes(bytes: f64) -> String {
    show_bytes_in(bytes, digits::USUAL)
}

fn show_bytes_in(bytes: f64, digits: usize) -> String {
    const KIB: f64 = 1024.0;
    let (scale, unit) = match bytes {
        _ if bytes >= KIB * KIB * KIB => (KIB * KIB * KIB, "GiB"),
        _ if bytes >= KIB * KIB => (KIB * KIB, "MiB"),
        _ => (KIB, "KiB"),
    };
    format!("{} {unit}", significant(bytes / scale, digits))
}

fn show_slope(bytes_per_min: f64, digits: usize) -> String {
    let sign = if bytes_per_min < 0.0 { "−" } else { "+" };
    format!("{sign}{}/min", show_bytes_in(bytes_per_min.abs(), digits))
}

fn show_count(count: f64, digits: usize) -> String {
    match count {
        _ if count >= 999_500.0 => format!("{} M", significant(count / 1e6, digits)),
        _ if count >= 9_999.5 => format!("{} k", significant(count / 1e3, digits)),
        _ if count.fract() == 0.0 => format!("{count:.0}"),
        _ => significant(count, digits),
    }
}

#[cfg(test)]
mod tests {
    //! Values at the borders of their units.
    use super::super::TABLE;
    use super::*;

    #[test]
    fn names_lead_back_to_their_metrics() {
        assert!(TABLE.iter().all(|(metric, name, ..)| Metric::named(name) == Some(*metric)));
        assert_eq!(Metric::named("speed"), None);
    }

    #[test]
    fn values_keep_three_digits_and_the_fitting_unit() {
        assert_eq!(Metric::Wall.show(1.2345), "1.23 s");
        assert_eq!(Metric::Wall.show(0.9999), "1.00 s");
        assert_eq!(Metric::Wall.show(0.01234), "12.3 ms");
        assert_eq!(Metric::Cpu.show(0.000_5), "500 µs");
        assert_eq!(Metric::Wall.show(0.000_000_05), "50.0 ns");
        assert_eq!(Metric::Alloc.show(1.234), "1.23 ns");
        assert_eq!(Metric::PeakRss.show(3.5 * 1024.0 * 1024.0), "3.50 MiB");
        assert_eq!(Metric::PeakRss.show(2048.0), "2.00 KiB");
        assert_eq!(Metric::PssSlope.show(-2048.0), "−2.00 KiB/min");
        assert_eq!(Metric::PageFaults.show(512.0), "512");
        assert_eq!(Metric::PageFaults.show(12_345.0), "12.3 k");
        assert_eq!(Metric::PageFaults.show(7_500_000.0), "7.50 M");
        assert_eq!(Metric::P999.show(340.51), "341 ns");
        assert_eq!(Metric::WorstCall.show(34_051.0), "34.1 µs");
        assert_eq!(Metric::RssPerByte.show(1.125), "1.12");
        assert_eq!(Metric::Utilisation.show(0.87654), "87.65 %");
    }
}

//! How many digits a number deserves: as many as its interval makes certain.

/// Three significant digits, as a value without an interval is shown.
pub const USUAL: usize = 3;

/// `value` with `digits` significant digits, but with all digits before the point.
pub fn significant(value: f64, digits: usize) -> String {
    let magnitude = value.abs();
    let at_least = |power: i32| {
        // 9.995 has two digits before the point, because it is shown as 10.0.
        magnitude >= 10_f64.powi(power) * (1.0 - 0.5 * 10_f64.powi(-(digits as i32)))
    };
    let before = (1..16).take_while(|power| at_least(*power)).count() + 1;
    format!("{value:.*}", digits.saturating_sub(before))
}

/// The digits of a value that lies between `low` and `high`: the last one is about as large as the
/// half of that interval. At least two, at most four.
pub fn within(value: f64, low: f64, high: f64) -> usize {
    let half = (high - low) / 2.0;
    let ratio = (value / half).abs();
    if !ratio.is_finite() {
        return 4;
    }
    (ratio.log10().ceil() as i64 + 1).clamp(2, 4) as usize
}

/// A ratio and its interval with the decimals that the interval makes certain, such as "×0.87" and
/// "[0.85, 0.90]". An end never seems to be on the other side of 1, nor 1 itself.
pub fn ratio(median: f64, low: f64, high: f64) -> (String, String) {
    let half = (high - low) / 2.0;
    let enough = if half > 0.0 { (-half.log10()).ceil().clamp(1.0, 3.0) as usize } else { 3 };
    let side = |value: f64| value.partial_cmp(&1.0);
    let keeps_side = |value: f64, decimals: usize| {
        let shown: f64 = format!("{value:.decimals$}").parse().unwrap_or(value);
        side(shown) == side(value)
    };
    let excludes_1 = low > 1.0 || high < 1.0;
    let mut decimals = enough;
    while excludes_1 && decimals < 6 && !(keeps_side(low, decimals) && keeps_side(high, decimals)) {
        decimals += 1;
    }
    (format!("×{median:.decimals$}"), format!("[{low:.decimals$}, {high:.decimals$}]"))
}

#[cfg(test)]
mod tests {
    //! Values at the borders of their digits.
    use super::*;

    #[test]
    fn digits_are_counted_after_rounding() {
        assert_eq!(significant(1.234, 3), "1.23");
        assert_eq!(significant(9.994, 3), "9.99");
        assert_eq!(significant(9.996, 3), "10.0");
        assert_eq!(significant(99.96, 3), "100");
        assert_eq!(significant(1234.5, 3), "1234");
        assert_eq!(significant(0.0, 3), "0.00");
        assert_eq!(significant(-1.234, 2), "-1.2");
    }

    #[test]
    fn a_narrow_interval_has_more_digits() {
        assert_eq!(within(1.234, 1.104, 1.364), 2);
        assert_eq!(within(1.234, 1.221, 1.247), 3);
        assert_eq!(within(1.234, 1.2335, 1.2345), 4);
        assert_eq!(within(1.234, 1.234, 1.234), 4);
        assert_eq!(within(0.0, 0.0, 1.0), 2);
    }

    #[test]
    fn a_ratio_has_the_decimals_of_its_interval() {
        let shown = |median, low, high| {
            let (ratio, interval) = ratio(median, low, high);
            format!("{ratio} {interval}")
        };
        assert_eq!(shown(0.873, 0.851, 0.902), "×0.87 [0.85, 0.90]");
        assert_eq!(shown(0.8731, 0.8712, 0.8761), "×0.873 [0.871, 0.876]");
        assert_eq!(shown(1.936, 0.784, 6.255), "×1.9 [0.8, 6.3]");
        assert_eq!(shown(1.0, 1.0, 1.0), "×1.000 [1.000, 1.000]");
    }

    #[test]
    fn an_interval_without_1_never_seems_to_contain_it() {
        assert_eq!(ratio(1.06, 1.002, 1.1).1, "[1.002, 1.100]");
        assert_eq!(ratio(0.9, 0.8, 0.9996).1, "[0.8000, 0.9996]");
        assert_eq!(ratio(1.06, 0.998, 1.1).1, "[1.00, 1.10]");
    }
}

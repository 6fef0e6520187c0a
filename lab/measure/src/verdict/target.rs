//! Whether a target is met: judged by the median, once its interval is narrow enough.

use crate::stats::Estimate;

/// An interval may extend this far to each side, as a share of the median or of the target, whichever
/// is larger: rounds that scatter by 10 % leave no doubt about 0.03 where 0.75 is enough.
pub const HALF_WIDTH: f64 = 0.05;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    Met,
    Missed,
    /// The interval is too wide. This counts as not met.
    CannotTell,
}

impl Reached {
    /// `meets` says whether a value meets the target.
    pub fn by_median(estimate: &Estimate, target: f64, meets: impl Fn(f64) -> bool) -> Self {
        match (is_precise(estimate, target), meets(estimate.median)) {
            (false, _) => Self::CannotTell,
            (true, true) => Self::Met,
            (true, false) => Self::Missed,
        }
    }

    pub fn of_exact(is_met: bool) -> Self {
        if is_met { Self::Met } else { Self::Missed }
    }

    /// Of two targets of which one suffices.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Met, _) | (_, Self::Met) => Self::Met,
            (Self::CannotTell, _) | (_, Self::CannotTell) => Self::CannotTell,
            _ => Self::Missed,
        }
    }
}

/// Half of the interval as a share of the median or of the target.
pub fn half_width(estimate: &Estimate, target: f64) -> f64 {
    if estimate.high == estimate.low {
        return 0.0;
    }
    (estimate.high - estimate.low) / 2.0 / estimate.median.max(target)
}

pub fn is_precise(estimate: &Estimate, target: f64) -> bool {
    half_width(estimate, target) <= HALF_WIDTH
}

#[cfg(test)]
mod tests {
    //! Wide intervals decide nothing, wherever they lie.
    use super::*;

    fn reached(median: f64, low: f64, high: f64) -> Reached {
        Reached::by_median(&Estimate { n: 11, median, low, high }, 1.1, |ratio| ratio <= 1.1)
    }

    #[test]
    fn the_median_of_a_narrow_interval_decides() {
        assert_eq!(reached(1.09, 1.05, 1.15), Reached::Met);
        assert_eq!(reached(1.11, 1.09, 1.13), Reached::Missed);
        assert_eq!(reached(0.0, 0.0, 0.0), Reached::Met);
    }

    #[test]
    fn a_wide_interval_cannot_tell() {
        assert_eq!(reached(1.936, 0.784, 6.255), Reached::CannotTell);
        assert_eq!(reached(0.973, 0.503, 1.659), Reached::CannotTell);
        assert_eq!(reached(1.0, 0.9, 1.1), Reached::CannotTell);
        assert_eq!(reached(2.0, 1.7, 2.3), Reached::CannotTell);
    }

    #[test]
    fn far_below_the_target_a_share_of_it_is_narrow_enough() {
        assert_eq!(reached(0.2, 0.15, 0.25), Reached::Met);
        assert_eq!(reached(0.2, 0.1, 0.3), Reached::CannotTell);
    }

    #[test]
    fn one_of_two_targets_suffices() {
        use Reached::{CannotTell, Met, Missed};
        assert_eq!((Missed.or(Met), CannotTell.or(Met)), (Met, Met));
        assert_eq!((Missed.or(CannotTell), Missed.or(Missed)), (CannotTell, Missed));
    }
}

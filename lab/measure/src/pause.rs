//! The pauses of a thread that looks at running processes again and again.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

pub const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// Sampling takes at most this share of one processor.
const SHARE: u32 = 10;

/// The cost of a sample is measured with it: wall time would grow on a busy machine.
pub fn thread_cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// A thousandth of the time so far, but long enough for the cost of one sample.
pub fn pause_after(elapsed: Duration, cost: Duration) -> Duration {
    (elapsed / 1_000).clamp(SHORTEST_PAUSE, LONGEST_PAUSE).max(cost * SHARE)
}

#[cfg(test)]
mod tests {
    //! The interval between samples.
    use super::*;

    #[test]
    fn the_interval_grows_with_the_run_and_with_the_cost_of_a_sample() {
        let ms = Duration::from_millis;
        assert_eq!(pause_after(ms(0), ms(0)), ms(1));
        assert_eq!(pause_after(ms(20_000), ms(1)), ms(20));
        assert_eq!(pause_after(ms(3_600_000), ms(1)), ms(50));
        assert_eq!(pause_after(ms(0), ms(30)), ms(300));
    }
}

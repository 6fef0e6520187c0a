//! Runs that rest after their last free, and then tell how much memory they still hold.
//!
//! Nothing is timed in them, so several contenders run at once, and their rests pass together.

use std::thread;

use anyhow::{Result, anyhow};
use heapsmith_measure::contender::Installed;
use heapsmith_measure::launch::{Ended, Launcher};
use heapsmith_measure::program::Program;
use heapsmith_measure::prove::preloads;

/// What allocators call short is over after this time: most delays are a second at most.
const REST_S: u8 = 2;

/// Rounds of rests: as many as an interval needs. Memory scatters less than time.
pub const ROUNDS: usize = 6;

/// At most so many run at once, and those whose peaks take more than this do not.
const AT_ONCE: usize = 12;
const BYTES_AT_ONCE: f64 = (4_u64 << 30) as f64;

/// How long a round takes whose runs take `work_s` without their rests.
pub fn round_s(work_s: f64, contenders: usize) -> f64 {
    work_s + f64::from(REST_S) * contenders.div_ceil(AT_ONCE) as f64
}

/// One run of each contender, in their order. Each contender comes with its peak memory.
pub fn run_all(
    launcher: &Launcher,
    program: &Program,
    contenders: &[(&Installed, f64)],
) -> Result<Vec<Ended>> {
    let mut argv = program.argv.clone();
    argv.extend(["--rest".into(), REST_S.to_string().into()]);
    let program = &Program { path: program.path.clone(), argv };
    let mut all = Vec::new();
    let mut rest = contenders;
    while !rest.is_empty() {
        let (together, later) = rest.split_at(fitting(rest.iter().map(|(_, peak)| *peak)));
        let ended: Vec<Result<Ended>> = thread::scope(|scope| {
            let start = |one| scope.spawn(move || launcher.run(program, &preloads(one, None)));
            let running: Vec<_> = together.iter().map(|(one, _)| start(*one)).collect();
            let failed = |_| Err(anyhow!("a thread that runs a program has failed"));
            running.into_iter().map(|one| one.join().unwrap_or_else(failed)).collect()
        });
        for ended in ended {
            all.push(ended?);
        }
        rest = later;
    }
    Ok(all)
}

/// How many of the first may run at once: one at least.
fn fitting(peaks: impl Iterator<Item = f64>) -> usize {
    let mut sum = 0.0;
    let fits = |peak: &f64| {
        sum += peak;
        sum <= BYTES_AT_ONCE
    };
    peaks.take(AT_ONCE).take_while(fits).count().max(1)
}

#[cfg(test)]
mod tests {
    //! How many run at once.
    use super::*;

    #[test]
    fn large_ones_run_alone_and_small_ones_together() {
        let gib = |count: f64| count * (1_u64 << 30) as f64;
        assert_eq!(fitting([gib(5.0), gib(1.0)].into_iter()), 1);
        assert_eq!(fitting([gib(3.0), gib(1.0), gib(1.0)].into_iter()), 2);
        assert_eq!(fitting(std::iter::repeat_n(gib(0.01), 40)), AT_ONCE);
    }
}

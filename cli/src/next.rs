//! The command worth running next, after what was just seen.

use crate::args::TryArgs;
use heapsmith_measure::contender::AS_BUILT;
use heapsmith_measure::failure::Failure;
use heapsmith_measure::metric::Metric;
use heapsmith_measure::program::quote;
use heapsmith_measure::row::Row;
use heapsmith_measure::stats::{self, Verdict};

/// Rounds that scatter by more than this hide what allocators differ by.
const NOISY: f64 = 0.05;

pub fn after_try(args: &TryArgs, row: &Row, baseline: &str, failures: &[Failure]) -> String {
    let program = quote(&args.program);
    if let Some(failure) = failures.first() {
        let name = &failure.contender;
        return format!("heapsmith try --show-output --alloc {AS_BUILT},{name} -- {program}");
    }
    let wall = |name: &str| row.named(name).map(|series| series.samples(Metric::Wall));
    let noise = wall(baseline).and_then(|samples| stats::noise(&samples)).unwrap_or(0.0);
    if noise > NOISY {
        return "heapsmith doctor   (the rounds scatter by more than 5 %: see what disturbs them)"
            .into();
    }
    match fastest(row, baseline) {
        Some((name, library)) => {
            format!("LD_PRELOAD={library} {program}   ({name} is measurably faster)")
        }
        None if args.rounds < 31 => {
            format!(
                "heapsmith try --rounds 31 -- {program}   (more rounds see smaller differences)"
            )
        }
        None => "./dev bench heap --quick   (programs where allocators do differ)".to_string(),
    }
}

/// The contender with the lowest time ratio among those that are measurably faster.
fn fastest(row: &Row, baseline: &str) -> Option<(String, String)> {
    let base = row.named(baseline)?;
    let compared =
        row.series.iter().filter(|series| series.name() != AS_BUILT).filter_map(|series| {
            let estimate = series.against(base, Metric::Wall)?;
            (estimate.verdict() == Verdict::Better).then_some((estimate.median, series))
        });
    let (_, series) = compared.min_by(|left, right| left.0.total_cmp(&right.0))?;
    Some((series.name().to_string(), series.identity.library.display().to_string()))
}

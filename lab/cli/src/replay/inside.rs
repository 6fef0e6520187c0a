//! What happens within a replay: the latency of calls, and the memory over time. Both are looked at in
//! runs of their own, which measure no time.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use heapsmith_measure::contender::Installed;
use heapsmith_measure::metric::Metric;
use heapsmith_measure::progress::Progress;
use heapsmith_measure::prove::Identity;
use heapsmith_measure::round::order;
use heapsmith_measure::row::Values;
use heapsmith_measure::stats;

use crate::replay::output::{Latency, at_peak};
use crate::replay::rounds::{Memory, Played, Replay, Stage};

const LATENCY_ROUNDS: usize = 3;
/// As many runs look at the memory if there is time, because it may differ from run to run. The one
/// with the median peak counts.
const MEMORY_ROUNDS: usize = 3;
/// Up to this duration of the recording, the memory is looked at in a replay that takes as long.
const PACED: Duration = Duration::from_secs(30);

impl Stage<'_> {
    /// The latency of calls, and the memory over time.
    pub fn look_inside(
        &self,
        entrants: &[(Installed, Identity)],
        how: &Replay,
        progress: &mut Progress,
        played: &mut Played,
    ) -> Result<()> {
        let repeat = format!("--repeat={}", how.repeat);
        let timed = self.program(&[how.touch.option(), &repeat, "--latency"])?;
        let mut options = vec![how.touch.option(), &repeat, "--memory"];
        if how.repeat == 1 && self.survey.duration_ns <= PACED.as_nanos() as u64 {
            options.push("--paced");
        }
        let sampled = self.program(&options)?;
        let latency_rounds = if how.looks_at_latency { LATENCY_ROUNDS } else { 0 };
        let longest =
            Duration::from_nanos(self.survey.duration_ns) * (MEMORY_ROUNDS * entrants.len()) as u32;
        let memory_rounds = if longest <= how.budget { MEMORY_ROUNDS } else { 1 };
        let mut latencies: BTreeMap<String, [Vec<Latency>; 2]> = BTreeMap::new();
        let mut memories: BTreeMap<String, Vec<Memory>> = BTreeMap::new();
        for round in 0..latency_rounds + memory_rounds {
            for who in order(round, entrants.len()) {
                let (installed, identity) = &entrants[who];
                if self.asked()
                    || played.failures.iter().any(|one| one.failure.contender == identity.name)
                {
                    continue;
                }
                let what = if round < latency_rounds { "latency" } else { "memory" };
                progress.step(&format!("{what}: {}", identity.name));
                let program = if round < latency_rounds { &timed } else { &sampled };
                let Ok((printed, _)) = self.player.once(program, Some(installed))? else {
                    continue;
                };
                if round < latency_rounds {
                    let of = latencies.entry(identity.name.clone()).or_default();
                    of[0].extend(printed.allocate);
                    of[1].extend(printed.free);
                } else {
                    let peak = printed.value("replay_peak_bytes");
                    let memory = Memory { peak, samples: printed.samples };
                    memories.entry(identity.name.clone()).or_default().push(memory);
                }
            }
        }
        for (name, mut runs) in memories {
            runs.sort_by(|left, right| left.peak.total_cmp(&right.peak));
            played.memory.insert(name, runs.swap_remove(runs.len() / 2));
        }
        for series in &mut played.row.series {
            let memory = played.memory.get(series.name());
            let Some(sample) = memory.and_then(|it| at_peak(&it.samples)) else { continue };
            let parts = sample.parts().into_iter();
            series.add(parts.map(|(metric, bytes)| (metric, vec![Some(bytes.max(0.0))])).collect());
        }
        for (name, [allocate, free]) in latencies {
            played.allocate.extend(middle(&allocate).map(|it| (name.clone(), it)));
            played.free.extend(middle(&free).map(|it| (name, it)));
        }
        for series in &mut played.row.series {
            let Some(latency) = played.allocate.get(series.name()) else { continue };
            let of = |value: f64| vec![Some(value)];
            let values = Values::from([
                (Metric::P50, of(latency.p50)),
                (Metric::P99, of(latency.p99)),
                (Metric::P999, of(latency.p999)),
                (Metric::WorstCall, of(latency.worst)),
            ]);
            series.add(values);
        }
        Ok(())
    }
}

/// Of each number the median of the runs; of the worst call the shortest, as the others of it were
/// disturbed.
fn middle(runs: &[Latency]) -> Option<Latency> {
    let of =
        |field: fn(&Latency) -> f64| stats::median(&runs.iter().map(field).collect::<Vec<_>>());
    Some(Latency {
        p50: of(|it| it.p50)?,
        p99: of(|it| it.p99)?,
        p999: of(|it| it.p999)?,
        worst: runs.iter().map(|it| it.worst).min_by(f64::total_cmp)?,
    })
}

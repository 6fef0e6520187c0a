//! Three small programs over real crates, with the global allocator that a feature selects.

mod allocator;
mod json_transform;
mod key_value;
#[cfg(feature = "overlapping")]
mod overlapping;
mod source;
mod text_index;

use std::process::{ExitCode, exit};
use std::time::Instant;

use heapsmith_bench::programs::WORKLOADS;
use heapsmith_bench::{Entry, Report, fail};

fn main() -> ExitCode {
    // A panic of a crate after a wrong block counts as a failed check.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("wrong: {panic}");
        exit(1)
    }));
    let entry = |workload: &str, threads, run| {
        let (contender, version) = (allocator::NAME, allocator::version as fn() -> String);
        let (workload, is_listed) = (workload.to_string(), !allocator::IS_FAULTY);
        Entry { workload, contender, version, threads, run, is_listed }
    };
    let [json, index, store] = WORKLOADS;
    heapsmith_bench::main(
        "rust-program",
        &[
            entry(json, 1, |request, report| timed(report, || json_transform::run(request))),
            entry(index, 1, |request, report| timed(report, || text_index::run(request))),
            entry(store, key_value::THREADS, |request, report| {
                timed(report, || key_value::run(request))
            }),
        ],
    )
}

/// Reports the time of a program, its peak of memory and its answer.
fn timed(report: &mut Report, run: impl FnOnce() -> u64) {
    allocator::begin();
    let begin = Instant::now();
    let answer = run();
    report.value("wall_s", begin.elapsed().as_secs_f64());
    report.value("peak_rss_bytes", peak_rss_bytes());
    report.answer(answer);
}

/// The peak of this program alone: the kernel resets it when a process executes another program.
fn peak_rss_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has this file");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kib.map_or_else(|| fail("no VmHWM in /proc/self/status"), |kib| kib * 1024.0)
}

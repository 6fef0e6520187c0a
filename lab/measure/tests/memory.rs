//! Memory over time: what is counted, and the figures.

mod lab;
mod served;

use std::time::Duration;

use heapsmith_measure::launch::{Exit, Launcher};
use heapsmith_measure::memory::{Memory, Source, Watched, watch};
use heapsmith_measure::metric::Metric;
use heapsmith_measure::pace::Pace;
use heapsmith_measure::program::Program;
use served::{Bench, compiled, own_processes};

const MIB: f64 = 1024.0 * 1024.0;

fn watched(bench: &Bench, argv: &[&str]) -> Watched {
    let argv: Vec<_> = argv.iter().map(Into::into).collect();
    let program = Program::find(&argv).expect("a program");
    watch(&bench.launcher(), &program, &[], &Pace::default()).expect("it runs")
}

fn figures(watched: &Watched) -> Memory {
    assert_eq!(watched.ended.exit, Exit::Code(0), "{:?}", watched.ended);
    watched.memory.expect("it was sampled")
}

#[test]
fn pages_that_forked_processes_share_count_once() {
    let bench = Bench::new();
    let forks = compiled("forks").display().to_string();
    let watched = watched(&bench, &[&forks, "64", "3", "3000"]);
    let memory = figures(&watched);
    // The control: the resident sets of the four processes sum to 256 MiB. The peak may be a sample
    // that a busy machine stretched over the moment at which a process ended.
    let mean = memory.mean.expect("a mean");
    assert!((48.0..80.0).contains(&(mean / MIB)), "mean {} MiB", mean / MIB);
    assert!((60.0..150.0).contains(&(memory.peak / MIB)), "peak {} MiB", memory.peak / MIB);
    assert_eq!(watched.curve.source, Source::Pss);
    assert!(watched.curve.t_s.len() > 5 && watched.curve.t_s.len() == watched.curve.values.len());
    assert!(mean <= memory.peak && memory.idle.is_none());
    assert!((50.0..90.0).contains(&(memory.end / MIB)), "{} MiB at the end", memory.end / MIB);
}

#[test]
fn separate_memory_of_several_processes_is_summed() {
    let bench = Bench::new();
    let forks = compiled("forks").display().to_string();
    let script = format!("{forks} 40 1 3000 & {forks} 40 1 3000 & wait");
    let peak = figures(&watched(&bench, &["sh", "-c", &script])).peak / MIB;
    assert!((76.0..110.0).contains(&peak), "{peak} MiB");
}

#[test]
fn a_program_that_ends_at_once_is_no_error() {
    let bench = Bench::new();
    assert_eq!(watched(&bench, &["true"]).ended.exit, Exit::Code(0));
}

fn watch_server(bench: &Bench, load: &str, pace: &Pace) -> Watched {
    let service = bench.service(&bench.port.to_string(), load);
    let launcher = Launcher { service: Some(&service), ..bench.launcher() };
    watch(&launcher, &bench.server(""), &[], pace).expect("it runs")
}

#[test]
fn a_server_has_a_peak_an_end_and_a_rest_after_idle_time() {
    let bench = Bench::new();
    let pace = Pace { idle: Duration::from_millis(300), duration: None };
    let load = bench.send("grow=30 grow=30 pause=1000 free grow=10 pause=1000");
    let watched = watch_server(&bench, &load, &pace);
    let memory = figures(&watched);
    let mib = |bytes: f64| bytes / MIB;
    assert!((59.0..75.0).contains(&mib(memory.peak)), "peak {}", mib(memory.peak));
    assert!((9.0..20.0).contains(&mib(memory.end)), "end {}", mib(memory.end));
    let idle = memory.idle.expect("idle time");
    assert!((9.0..20.0).contains(&mib(idle)), "idle {}", mib(idle));
    let mean = mib(memory.mean.expect("a mean"));
    assert!((15.0..60.0).contains(&mean), "mean {mean}");
    let last_s = watched.curve.t_s.last().expect("samples");
    let load_s = watched.ended.costs.load_s.expect("a load");
    assert!(*last_s > load_s + 0.29, "the curve ends at {last_s} s, the load took {load_s} s");
    assert!(own_processes(bench.port).is_empty());
}

#[test]
fn a_duration_repeats_the_load_and_growth_has_a_slope() {
    let bench = Bench::new();
    let pace = Pace { idle: Duration::ZERO, duration: Some(Duration::from_secs(3)) };
    let memory = figures(&watch_server(&bench, &bench.send("grow=1 pause=50"), &pace));
    let slope = memory.value(Metric::PssSlope).expect("a slope") / MIB;
    assert!(slope > 0.0, "{slope} MiB/min");
    assert!(memory.end / MIB > 3.0, "the load was repeated: {} MiB", memory.end / MIB);
}

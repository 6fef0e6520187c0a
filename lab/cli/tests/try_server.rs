//! `heapsmith try` on a server: redis under its own load generator.

mod common;

use std::net::TcpListener;

use common::{Try, control};

/// Outside the range that outgoing connections take their ports from. `test` tells tests apart that
/// run at the same time.
fn free_port(test: u16) -> u16 {
    let first = 10_000 + (std::process::id() % 197) as u16 * 100 + test * 10;
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    (first..first + 10).find(is_free).expect("a port")
}

#[test]
fn redis_is_measured_under_its_load() {
    let port = free_port(0).to_string();
    let load = format!("redis-benchmark -p {port} -q -t set -n 2000 -r 1000");
    let options = ["--ready", &port, "--load", &load, "--idle", "0.2"];
    let server = ["redis-server", "--port", &port, "--save", ""];
    let run = Try::run("glibc", &options, &server);
    assert_eq!(run.code(), 0, "{}", run.stderr());
    let samples = run.kind("sample");
    for (contender, metric) in [
        ("as-built", "load_s"),
        ("glibc", "load_s"),
        ("glibc", "pss_mean_bytes"),
        ("glibc", "pss_idle_bytes"),
    ] {
        let is_it =
            |one: &&serde_json::Value| one["contender"] == contender && one["metric"] == metric;
        let sample = samples.iter().find(is_it).expect("a sample");
        assert_eq!(sample["n"], 6, "{contender}, {metric}");
    }
    assert_eq!(run.kind("curve").len(), 2);
    assert_eq!(run.kind("verdict").len(), 1);
}

#[test]
fn a_replay_stands_beside_a_server_under_its_load() {
    let port = free_port(1).to_string();
    let load = format!("redis-benchmark -p {port} -q -t set -n 2000 -r 1000");
    let options =
        ["--record", "--baseline", "glibc", "--ready", &port, "--load", &load, "--no-memory"];
    let server = ["redis-server", "--port", &port, "--save", ""];
    let run = Try::run(&control("fresh"), &options, &server);
    assert_eq!(run.code(), 0, "{}", run.stderr());
    let text = run.stdout();
    let table = text.split("a replay beside the real runs").nth(1).expect("a table");
    let its = table.lines().find(|line| line.starts_with(" fresh")).expect("a row");
    assert!(its.contains("ms") && its.contains("MiB"), "{its}");
}

#[test]
fn a_server_without_a_load_is_a_usage_error() {
    let run = Try::run("glibc", &["--ready", "7391"], &["redis-server"]);
    assert_eq!(run.code(), 2);
    let run = Try::run("glibc", &["--duration", "20m"], &["redis-server"]);
    assert_eq!(run.code(), 2);
}

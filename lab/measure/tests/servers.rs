//! Servers under their load, and every way in which that fails.

mod lab;
mod served;

use std::net::TcpListener;
use std::time::{Duration, Instant};

use heapsmith_measure::launch::{Exit, Launcher};
use heapsmith_measure::program::Program;
use heapsmith_measure::serve::preflight;
use heapsmith_measure::service::Service;
use served::{Bench, own_processes};

/// The clause on what went wrong, with the last words of the server or its load.
fn trouble(bench: &Bench, service: &Service, mode: &str) -> String {
    let ended = bench.run(service, mode);
    assert!(matches!(ended.exit, Exit::NotServed { .. }), "{:?}", ended.exit);
    assert!(own_processes(bench.port).is_empty(), "{:?}", own_processes(bench.port));
    let last = ended.stderr_tail.trim_end().lines().next_back().unwrap_or_default().to_string();
    format!("{}: {last}", ended.trouble.expect("a clause"))
}

#[test]
fn a_server_is_ready_by_its_port_a_line_or_a_command() {
    let bench = Bench::new();
    let command = bench.send("pause=1");
    for condition in [bench.port.to_string(), "/ready to serve$/".to_string(), command] {
        let ended = bench.run(&bench.service(&condition, &bench.send("pause=120")), "");
        assert_eq!((ended.exit, &ended.trouble), (Exit::Code(0), &None), "{condition}");
        let load_s = ended.costs.load_s.expect("a load");
        assert!(load_s >= 0.12, "{load_s}");
        assert!(ended.costs.peak_rss_bytes > 500e3 && ended.costs.cpu_s < 1.0);
    }
    assert!(own_processes(bench.port).is_empty());
}

#[test]
fn the_memory_of_a_server_is_its_own() {
    let bench = Bench::new();
    let service = bench.service(&bench.port.to_string(), &bench.send("grow=50"));
    let peak = bench.run(&service, "").costs.peak_rss_bytes;
    assert!((50e6..80e6).contains(&peak), "{peak}");
}

#[test]
fn a_server_that_ends_before_it_is_ready_says_why() {
    let bench = Bench::new();
    let service = bench.service(&bench.port.to_string(), "true");
    assert_eq!(
        trouble(&bench, &service, "refuse"),
        "the server ended before it was ready, with exit code 1: serves: no such database"
    );
}

#[test]
fn a_daemon_is_told_to_stay_in_the_foreground() {
    let bench = Bench::new();
    let service = bench.service("/never/", "true");
    let script = format!("{} {} & exit 0", bench.path(), bench.port);
    let program = Program::shell(&script).expect("sh");
    let launcher = Launcher { service: Some(&service), ..bench.launcher() };
    let ended = launcher.run(&program, &[]).expect("it runs");
    assert_eq!(
        ended.trouble.as_deref(),
        Some(
            "the server ended before it was ready, with exit code 0; it must stay in the foreground, \
             not become a daemon"
        )
    );
    assert!(own_processes(bench.port).is_empty());
}

#[test]
fn a_server_that_never_gets_ready_is_ended() {
    let bench = Bench::new();
    let port = bench.port.to_string();
    let no_port = format!("nothing accepts connections on port {port}");
    let conditions = [
        (port.as_str(), no_port.as_str(), "300ms"),
        ("/ready/", "no line that matches /ready/", "300ms"),
        // The command must have ended once, on a busy machine, too.
        ("echo not yet >&2; exit 4", "still fails, with exit code 4: not yet", "3s"),
        ("sleep 600", "the command of --ready does not end", "300ms"),
    ];
    for (condition, expected, within) in conditions {
        let mut service = bench.service(condition, "true");
        service.ready_within = humantime::parse_duration(within).expect("a duration");
        let text = trouble(&bench, &service, "deaf");
        assert!(text.starts_with(&format!("the server was not ready after {within}: ")), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_port_in_use_is_not_taken_for_the_server() {
    let bench = Bench::new();
    let other = TcpListener::bind(("127.0.0.1", bench.port)).expect("the port");
    let service = bench.service(&bench.port.to_string(), "true");
    let text = trouble(&bench, &service, "");
    assert!(text.starts_with(&format!("port {} is already in use", bench.port)), "{text}");
    let launcher = Launcher { service: Some(&service), ..bench.launcher() };
    let error = preflight(&launcher).expect_err("in use").to_string();
    assert!(error.contains("already in use"), "{error}");
    drop(other);
    preflight(&launcher).expect("free again");

    let text = trouble(&bench, &bench.service("true", "true"), "");
    assert!(text.contains("succeeds before the server is started"), "{text}");
}

#[test]
fn a_failing_load_fails_the_run() {
    let bench = Bench::new();
    let by_port = bench.port.to_string();
    let service = bench.service(&by_port, "echo cannot load >&2; exit 3");
    assert_eq!(trouble(&bench, &service, ""), "the load failed, with exit code 3: cannot load");

    let service = bench.service(&by_port, &format!("sleep 600; : {}", bench.port));
    let launcher = Launcher { timeout: Some(Duration::from_millis(300)), ..bench.launcher() };
    let ended = bench.run_under(&launcher, &service, "");
    assert_eq!(ended.trouble.as_deref(), Some("the load did not end within 300ms"));
    assert!(own_processes(bench.port).is_empty());
}

#[test]
fn a_server_that_dies_under_its_load_is_named() {
    let bench = Bench::new();
    let by_port = bench.port.to_string();
    let dies = "the server ended during the load, killed by SIGABRT: serves: told to die";
    assert_eq!(trouble(&bench, &bench.service(&by_port, &bench.send("die")), ""), dies);
    let unnoticed = format!("{} || sleep 600; : {}", bench.send("die"), bench.port);
    assert_eq!(trouble(&bench, &bench.service(&by_port, &unnoticed), ""), dies);
}

#[test]
fn a_load_may_shut_the_server_down() {
    let bench = Bench::new();
    let load = format!("{} || true", bench.send("quit"));
    let ended = bench.run(&bench.service(&bench.port.to_string(), &load), "");
    assert_eq!((ended.exit, ended.trouble), (Exit::Code(0), None));
}

#[test]
fn a_server_that_does_not_stop_is_killed() {
    let bench = Bench::new();
    let mut service = bench.service(&bench.port.to_string(), "true");
    service.stop_within = Duration::from_millis(300);
    let text = trouble(&bench, &service, "stubborn");
    assert!(text.starts_with("the server did not stop within 300ms of SIGTERM"), "{text}");

    service.stop = "INT".parse().expect("a signal");
    service.stop_within = Duration::from_secs(60);
    let ended = bench.run(&service, "stubborn");
    assert_eq!((ended.exit, ended.trouble), (Exit::Code(0), None), "SIGINT stops it");
}

#[test]
fn the_signal_reaches_the_server_behind_a_wrapper() {
    let bench = Bench::new();
    // The shell waits for the server, and would not end before it.
    let script = format!("trap : TERM; {} {} & wait; wait; echo tidied", bench.path(), bench.port);
    let mut service = bench.service("/ready to serve/", "true");
    service.stop_within = Duration::from_secs(60);
    let program = Program::shell(&script).expect("sh");
    let launcher = Launcher { service: Some(&service), ..bench.launcher() };
    let began = Instant::now();
    let ended = launcher.run(&program, &[]).expect("it runs");
    assert_eq!((ended.exit, ended.trouble), (Exit::Code(0), None));
    assert!(began.elapsed() < Duration::from_secs(30));
    assert!(ended.stderr_tail.contains("tidied"), "the script went on: {}", ended.stderr_tail);
    assert!(own_processes(bench.port).is_empty());
}

#[test]
fn redis_is_measured_under_its_own_benchmark() {
    let bench = Bench::new();
    let port = bench.port.to_string();
    let load = format!("redis-benchmark -p {port} -t set,get -n 20000 -P 16 -r 5000 -d 200 -q");
    let service = bench.service(&port, &load);
    let argv = ["redis-server", "--port", &port, "--save", "", "--bind", "127.0.0.1"];
    let program = Program::find(&argv.map(Into::into)).expect("redis-server is installed");
    let launcher = Launcher { service: Some(&service), ..bench.launcher() };
    let ended = launcher.run(&program, &[]).expect("it runs");
    assert_eq!((ended.exit, ended.trouble), (Exit::Code(0), None), "{}", ended.stderr_tail);
    assert!(ended.costs.load_s.expect("a load") > 0.01);
    assert!(ended.costs.peak_rss_bytes > 5e6 && ended.costs.cpu_s > 0.0);
    assert!(own_processes(bench.port).is_empty());

    let other = TcpListener::bind(("127.0.0.1", bench.port)).expect("the port");
    let by_line = bench.service("/Ready to accept/", &load);
    let launcher = Launcher { service: Some(&by_line), ..bench.launcher() };
    let ended = launcher.run(&program, &[]).expect("it runs");
    let text = ended.trouble.expect("a clause");
    assert!(text.starts_with("the server ended before it was ready"), "{text}");
    assert!(ended.stderr_tail.contains("Address already in use"), "{}", ended.stderr_tail);
    drop(other);
}

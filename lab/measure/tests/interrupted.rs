//! An interrupt while a server is under its load. The only test here: signals are the process's.

mod lab;
mod served;

use std::time::{Duration, Instant};

use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::launch::{Exit, Launcher};
use served::{Bench, own_processes};

#[test]
fn an_interrupt_ends_the_server_and_its_load() {
    let bench = Bench { interrupt: Interrupt::listen().expect("signals"), ..Bench::new() };
    let load = format!("sleep 600; : {}", bench.port);
    let service = bench.service(&bench.port.to_string(), &load);
    let launcher = Launcher { service: Some(&service), ..bench.launcher() };
    let port = bench.port;
    let interrupter = std::thread::spawn(move || {
        let deadline = Instant::now() + Duration::from_secs(60);
        let loads = || own_processes(port).iter().any(|line| line.contains("sleep 600"));
        while !loads() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        // SAFETY: the process handles the signal.
        unsafe { libc::kill(libc::getpid(), libc::SIGTERM) };
        Instant::now()
    });
    let ended = launcher.run(&bench.server("stubborn"), &[]).expect("it runs");
    let asked_at = interrupter.join().expect("it asked");
    assert_eq!((ended.exit, ended.trouble), (Exit::Stopped, None));
    assert!(asked_at.elapsed() < Duration::from_secs(60), "{:?}", asked_at.elapsed());
    assert!(own_processes(port).is_empty(), "{:?}", own_processes(port));

    let ended = launcher.run(&bench.server(""), &[]).expect("it runs");
    assert_eq!((ended.exit, ended.pid), (Exit::Stopped, 0), "nothing starts after an interrupt");
}

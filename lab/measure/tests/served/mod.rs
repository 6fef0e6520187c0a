//! The test server of `programs/serves.c` on a port of its own.

#![allow(dead_code)] // Each test program uses its own part.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};

use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::launch::{Ended, Launcher, Output};
use heapsmith_measure::place::Lab;
use heapsmith_measure::program::Program;
use heapsmith_measure::service::{Ready, Service};

use crate::lab;

/// A program of tests/programs, compiled once.
pub fn compiled(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
        for name in ["serves", "forks"] {
            lab::cc(&[], &[&format!("lab/measure/tests/programs/{name}.c")], &folder.join(name));
        }
        let forks = ["lab/measure/tests/programs/forks.c"];
        lab::cc(&["-static"], &forks, &folder.join("forks-static"));
        folder
    });
    folder.join(name)
}

pub struct Bench {
    pub port: u16,
    pub lab: Lab,
    pub interrupt: Interrupt,
}

impl Bench {
    pub fn new() -> Self {
        // Outside the range that outgoing connections take their ports from.
        static NEXT: AtomicU16 = AtomicU16::new(0);
        let from = (std::process::id() % 197) as u16 * 100;
        let mut ports = std::iter::repeat_with(|| {
            10_000 + (from + NEXT.fetch_add(1, Ordering::Relaxed)) % 20_000
        });
        let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
        let port = ports.find(is_free).expect("a port");
        let lab = Lab::at(lab::lab()).expect("a lab");
        Self { port, lab, interrupt: Interrupt::default() }
    }

    pub fn launcher(&self) -> Launcher<'_> {
        Launcher {
            lab: &self.lab,
            interrupt: &self.interrupt,
            input: None,
            output: Output::Discard,
            timeout: None,
            service: None,
        }
    }

    pub fn path(&self) -> String {
        compiled("serves").display().to_string()
    }

    /// A load that sends these words.
    pub fn send(&self, words: &str) -> String {
        format!("{} send {} {words}", self.path(), self.port)
    }

    pub fn service(&self, ready: &str, load: &str) -> Service {
        Service::new(ready.parse::<Ready>().expect("a condition"), load)
    }

    pub fn server(&self, mode: &str) -> Program {
        let argv = [self.path(), self.port.to_string(), mode.to_string()];
        Program::find(&argv.map(Into::into)).expect("it was compiled")
    }

    pub fn run(&self, service: &Service, mode: &str) -> Ended {
        self.run_under(&self.launcher(), service, mode)
    }

    pub fn run_under(&self, launcher: &Launcher, service: &Service, mode: &str) -> Ended {
        let launcher = Launcher { service: Some(service), ..launcher.clone() };
        launcher.run(&self.server(mode), &[]).expect("it runs")
    }
}

/// The command lines of the processes that have `port` among their arguments.
pub fn own_processes(port: u16) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(&format!(" {port} ")) || line.contains(&format!(": {port}")) {
            found.push(line);
        }
    }
    found
}

//! The contenders of a search: the own one, and its peers.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use heapsmith_measure::contender::{GLIBC, Installed, Pinned, choose};
use heapsmith_measure::error::environment;
use heapsmith_measure::launch::{Launcher, Output};
use heapsmith_measure::place::Lab;
use heapsmith_measure::program::Program;
use heapsmith_measure::prove::prove;

use crate::runs::Runs;

pub struct Contenders {
    pub own: Installed,
    pub peers: Vec<Installed>,
    /// Name and version of each, own first.
    pub described: Vec<String>,
}

impl Contenders {
    /// Those that are installed and load. Without the own one or without any peer there is no
    /// search.
    pub fn find(
        lab: &Lab,
        runs: &Runs,
        [own, against]: [&str; 2],
        beside: &[PathBuf],
    ) -> Result<Self> {
        let pinned = Pinned::load()?;
        let (own, version) = proven(lab, runs, one(&pinned, own, beside)?)?;
        let (mut peers, mut described) = (Vec::new(), vec![version]);
        for wanted in pinned.parse_spec(against)? {
            let found = one(&pinned, &wanted.to_string(), beside)
                .and_then(|installed| proven(lab, runs, installed));
            match found {
                Ok((installed, version)) => {
                    peers.push(installed);
                    described.push(version);
                }
                Err(error) => eprintln!("left out: {error}"),
            }
        }
        if peers.is_empty() {
            return Err(environment("no peer is installed"));
        }
        Ok(Self { own, peers, described })
    }

    /// All, own first.
    pub fn all(&self) -> Vec<&Installed> {
        std::iter::once(&self.own).chain(&self.peers).collect()
    }
}

/// The allocator that `spec` names: the last one, since a baseline may stand before it.
fn one(pinned: &Pinned, spec: &str, beside: &[PathBuf]) -> Result<Installed> {
    let (chosen, _) = choose(pinned, &[spec.to_string()], GLIBC, beside)?;
    let last = chosen.into_iter().next_back();
    last.ok_or_else(|| environment(format!("{spec} is not installed")))
}

/// The allocator with its version, if it serves the program.
fn proven(lab: &Lab, runs: &Runs, installed: Installed) -> Result<(Installed, String)> {
    let (interrupt, output) = (&runs.interrupt, Output::Discard);
    let launcher = Launcher { lab, interrupt, input: None, output, timeout: None, service: None };
    let program: &Path = &runs.program;
    let argv = [program.as_os_str().to_os_string(), "--idle-ms".into(), OsString::from("0")];
    let proof = prove(&launcher, &Program::find(&argv)?, &installed)?;
    match proof.loaded {
        Ok(identity) => {
            let version = format!("{} {}", identity.name, identity.version);
            Ok((installed, version.trim_end().to_string()))
        }
        Err(failure) => Err(environment(format!("{}: {}", installed.name(), failure.line()))),
    }
}

//! Records a program, asks for advice, and measures the program that follows it.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use heapsmith_measure::error::environment;
use heapsmith_measure::launch::{Exit, Launcher, Setting};
use heapsmith_measure::place::Lab;
use heapsmith_measure::program::Program;
use heapsmith_measure::stats::{self, Estimate};
use serde_json::Value;
use tempfile::TempDir;

/// The malloc that is compared with glibc's.
const OTHER: &str = "heapsmith";

/// A program as it is, and with an advice followed.
pub struct Pair {
    pub as_is: Vec<OsString>,
    /// None: another malloc is the advice.
    pub advised: Option<Vec<OsString>>,
}

pub struct Bench<'a> {
    launcher: Launcher<'a>,
    /// Of the command and the programs.
    command: PathBuf,
    pub build: PathBuf,
    rounds: usize,
    folder: TempDir,
}

impl<'a> Bench<'a> {
    pub fn new(lab: &'a Lab, launcher: Launcher<'a>, rounds: usize) -> Result<Self> {
        let build = lab.build().to_path_buf();
        let command = build.join("heapsmith");
        if !command.is_file() {
            return Err(environment(format!("no {}: run ./dev bench advice", command.display())));
        }
        let folder = TempDir::with_prefix("heapsmith-advice-").context("a folder")?;
        Ok(Self { launcher, command, build, rounds, folder })
    }

    fn call(&self, words: &[OsString]) -> Result<()> {
        let mut command = Command::new(&self.command);
        let output = command.args(words).current_dir(self.folder.path()).stdin(Stdio::null());
        let output = output.output().context("the command")?;
        if !output.status.success() && !self.launcher.interrupt.asked() {
            bail!("heapsmith {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }

    /// What `heapsmith advise` says of a recording, or null after an interrupt.
    pub fn advise(&self, pair: &Pair) -> Result<Value> {
        let words = |all: &[&str]| all.iter().map(OsString::from).collect::<Vec<_>>();
        let mut record = words(&["record", "--twice", "-f", "-o", "demo.trace", "--"]);
        record.extend(pair.as_is.iter().cloned());
        self.call(&record)?;
        self.call(&words(&["advise", "demo.trace", "--alloc", OTHER, "--json", "advice.json"]))?;
        let file = self.folder.path().join("advice.json");
        let text = fs::read_to_string(&file).unwrap_or_else(|_| "null".to_string());
        fs::remove_file(&file).ok();
        Ok(serde_json::from_str(&text)?)
    }

    /// The share of the processor time that the program saves if it follows the advice. None:
    /// interrupted.
    pub fn measure(&self, pair: &Pair, malloc: Option<&Value>) -> Result<Option<Estimate>> {
        let as_is = Program::find(&pair.as_is)?;
        let advised = Program::find(pair.advised.as_ref().unwrap_or(&pair.as_is))?;
        let settings: Vec<Setting> = malloc.map(settings).unwrap_or_default();
        let mut saved = Vec::new();
        for round in 0..self.rounds {
            let run = |is_advised: bool| -> Result<(f64, String)> {
                let (program, settings) =
                    if is_advised { (&advised, &settings[..]) } else { (&as_is, &[][..]) };
                let ended = self.launcher.run(program, settings)?;
                if ended.exit != Exit::Code(0) && !self.launcher.interrupt.asked() {
                    bail!("{:?}: {}", pair.as_is, ended.exit.describe());
                }
                Ok((ended.costs.cpu_s, ended.stdout))
            };
            let is_first = round % 2 == 0;
            let (one, other) = (run(is_first)?, run(!is_first)?);
            if self.launcher.interrupt.asked() {
                return Ok(None);
            }
            if one.1 != other.1 {
                bail!("{:?}: another result if the advice is followed", pair.as_is);
            }
            let (changed, as_is) = if is_first { (one.0, other.0) } else { (other.0, one.0) };
            saved.push((as_is - changed) / as_is);
        }
        Ok(stats::estimate(&saved))
    }
}

/// The environment that has a program use another malloc.
fn settings(malloc: &Value) -> Vec<Setting> {
    let text = |it: &Value| it.as_str().unwrap_or_default().to_string();
    let preload = malloc["preload"].as_str().map(OsString::from);
    let given = malloc["settings"].as_array().into_iter().flatten();
    let given = given.map(|it| (text(&it[0]).into(), Some(text(&it[1]).into())));
    std::iter::once(("LD_PRELOAD".into(), preload)).chain(given).collect()
}

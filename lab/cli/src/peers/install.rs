//! `heapsmith peers install`: fetches, builds, proves and keeps allocators.
//!
//! Each one is built in a temporary folder of the cache and moved to its place once it is proven. A
//! lock allows one installation at a time, so whatever a killed one left can be removed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};
use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

use super::steps::{Steps, interrupted};
use super::{build, fetch, tools};
use crate::args::peers::InstallArgs;
use heapsmith_measure::contender::{Contender, Installed, Pinned, Source};
use heapsmith_measure::error::{ENVIRONMENT, INTERRUPTED, OK, environment, exit_code, usage};
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::launch::{Exit, Launcher, Output};
use heapsmith_measure::place::Lab;
use heapsmith_measure::preload::require_preloadable_path;
use heapsmith_measure::program::Program;
use heapsmith_measure::progress::Progress;
use heapsmith_measure::prove::prove;

const UNFINISHED: &str = ".building-";

pub fn run(args: &InstallArgs) -> Result<u8> {
    let pinned = Pinned::load()?;
    let peers = pinned.built.clone().ok_or_else(|| {
        environment("there is no home folder to build in: set HEAPSMITH_CACHE_DIR to a folder")
    })?;
    let lab = Lab::find()?;
    let is_missing = |(one, _): &(&Contender, &Source)| {
        let is_missing = args.rebuild || pinned.install(one, &[]).is_err();
        if !is_missing {
            println!("{}: is installed", title(one));
        }
        is_missing
    };
    let mut missing = choose(&pinned, &args.names)?;
    missing.retain(is_missing);
    if missing.is_empty() {
        return Ok(OK);
    }
    tools::require(missing.iter().map(|(_, source)| *source))?;
    require_preloadable_path(&peers)?;
    let _lock = lock(&peers)?;
    // Another installation may have built some of them while this one waited.
    missing.retain(is_missing);
    if missing.is_empty() {
        return Ok(OK);
    }
    remove_unfinished(&peers);
    let interrupt = Interrupt::listen()?;
    let progress = Progress::new(missing.iter().map(|(_, source)| count(source)).sum());
    let workshop = Workshop { lab: &lab, peers: &peers, interrupt: &interrupt, progress };
    workshop.install_all(&missing)
}

/// Fetching, copying and proving, beside the steps of the build.
fn count(source: &Source) -> usize {
    build::count(source) + 3
}

/// Those that the user names, or all.
fn choose<'a>(pinned: &'a Pinned, names: &[String]) -> Result<Vec<(&'a Contender, &'a Source)>> {
    if names.is_empty() {
        return Ok(pinned.buildable().collect());
    }
    let mut chosen: Vec<(&Contender, &Source)> = Vec::new();
    for name in names {
        let meant = pinned.meant(name)?;
        let found = meant.iter().find_map(|one| Some((*one, one.source.as_ref()?)));
        let all: Vec<_> = pinned.buildable().map(|(one, _)| one.name.as_str()).collect();
        let unknown =
            || usage(format!("heapsmith cannot build {name}: it builds {}", all.join(", ")));
        let found = found.ok_or_else(unknown)?;
        if !chosen.iter().any(|(one, _)| one.name == found.0.name) {
            chosen.push(found);
        }
    }
    Ok(chosen)
}

fn title(contender: &Contender) -> String {
    format!("{} {}", contender.name, contender.pinned.as_deref().unwrap_or_default())
}

/// Held until the file is closed, by the end of the process at the latest.
fn lock(peers: &Path) -> Result<File> {
    let shown = peers.display();
    fs::create_dir_all(peers).with_context(|| format!("cannot create {shown}"))?;
    let file =
        File::create(peers.join(".lock")).with_context(|| format!("cannot write to {shown}"))?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        eprintln!("another heapsmith peers install is at work: waiting for it");
        flock(&file, FlockOperation::LockExclusive).context("waiting for the lock")?;
    }
    Ok(file)
}

/// Only under the lock: no other installation is at work in these folders.
fn remove_unfinished(peers: &Path) {
    for entry in fs::read_dir(peers).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // A folder that cannot be removed only takes space.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

struct Workshop<'a> {
    lab: &'a Lab,
    peers: &'a Path,
    interrupt: &'a Interrupt,
    progress: Progress,
}

impl Workshop<'_> {
    /// A failure does not keep the others from being built.
    fn install_all(&self, missing: &[(&Contender, &Source)]) -> Result<u8> {
        let names: Vec<_> = missing.iter().map(|(one, _)| title(one)).collect();
        self.progress.note(&format!("building {} in {}", names.join(", "), self.peers.display()));
        let mut code = OK;
        for (contender, source) in missing {
            let start = Instant::now();
            match self.install(contender, source) {
                Ok(library) => self.progress.note(&format!(
                    "{}: installed in {:.0} s: {}",
                    title(contender),
                    start.elapsed().as_secs_f64(),
                    library.display()
                )),
                Err(error) if exit_code(&error) == INTERRUPTED => {
                    self.progress.finish();
                    return Err(error);
                }
                Err(error) => {
                    self.progress.note(&format!("{}: not installed: {error:#}", title(contender)));
                    code = ENVIRONMENT;
                }
            }
        }
        self.progress.finish();
        Ok(code)
    }

    fn install(&self, contender: &Contender, source: &Source) -> Result<PathBuf> {
        let work = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(self.peers)?;
        let steps = Steps {
            interrupt: self.interrupt,
            progress: &self.progress,
            name: title(contender),
            log: work.path().join("log"),
        };
        let place = self.peers.join(contender.folder_name());
        let built = self.make(&steps, contender, source, &work);
        let kept_log = self.peers.join(format!("{}.log", contender.folder_name()));
        match built {
            Ok(output) => {
                let _ = fs::remove_file(kept_log);
                replace(&output, &place)?;
                Ok(place.join(&contender.preload[0]))
            }
            Err(error) if exit_code(&error) == INTERRUPTED => Err(error),
            Err(error) => {
                let log = fs::copy(&steps.log, &kept_log);
                let hint =
                    log.map_or(String::new(), |_| format!("\n    log: {}", kept_log.display()));
                Err(anyhow!("{error:#}{hint}"))
            }
        }
    }

    /// The folder of the proven library.
    fn make(
        &self,
        steps: &Steps,
        contender: &Contender,
        source: &Source,
        work: &TempDir,
    ) -> Result<PathBuf> {
        let sources = fetch::fetch(steps, source, work.path())?;
        let output = work.path().join("output");
        fs::create_dir(&output)?;
        build::build(steps, contender, source, &sources, &output)?;
        steps.progress.step(&format!("{}: checking that it works", steps.name));
        let checked = self.check(contender, &output);
        if self.interrupt.asked() {
            return Err(interrupted(&steps.name));
        }
        checked?;
        self.progress.done_one();
        let about = format!(
            "{} from the package {} {} (SHA-256 {})\n",
            title(contender),
            source.package,
            source.version,
            source.sha256
        );
        fs::write(output.join("source.txt"), about)?;
        Ok(output)
    }

    /// Runs a small program under the library: it serves malloc and has the pinned version.
    fn check(&self, contender: &Contender, output: &Path) -> Result<()> {
        let library = output.join(&contender.preload[0]);
        let installed = Installed::new(contender.clone(), Some(library));
        let launcher = Launcher {
            lab: self.lab,
            interrupt: self.interrupt,
            input: None,
            output: Output::Discard,
            timeout: Some(std::time::Duration::from_secs(60)),
            service: None,
        };
        let own = std::env::current_exe().context("the command's own path")?;
        let argv = [own.into_os_string(), "peers".into(), "exercise".into()];
        let proof = prove(&launcher, &Program::find(&argv)?, &installed)?;
        let said = proof.ended.stderr_tail.trim();
        ensure!(
            proof.ended.exit == Exit::Code(0),
            "a program under it ended with {}: {said}",
            proof.ended.exit.describe()
        );
        let identity = proof.loaded.map_err(|failure| anyhow!("{}", failure.line()))?;
        let pinned = contender.pinned.as_deref().unwrap_or_default();
        ensure!(
            identity.version == pinned,
            "the library says that it is {}, not {pinned}",
            identity.version
        );
        Ok(())
    }
}

/// Moves `output` to `place`, so that nobody sees half a folder. If that fails, the old one stays.
fn replace(output: &Path, place: &Path) -> Result<()> {
    let old = output.with_file_name("old");
    let replaces = place.exists();
    if replaces {
        fs::rename(place, &old).with_context(|| place.display().to_string())?;
    }
    let moved = fs::rename(output, place);
    if moved.is_err() && replaces {
        // The first failure is the one to report.
        let _ = fs::rename(&old, place);
    }
    moved.with_context(|| place.display().to_string())
}

#[cfg(test)]
mod tests {
    //! The last step of an installation.
    use super::*;

    #[test]
    fn a_folder_is_replaced_and_stays_if_that_fails() {
        let folder = tempfile::tempdir().expect("a folder");
        let [output, place] = ["output", "place"].map(|name| folder.path().join(name));
        fs::create_dir(&place).expect("a folder");
        assert!(replace(&output, &place).is_err(), "there is no output");
        assert!(place.is_dir(), "the old one is back");
        fs::create_dir(&output).expect("a folder");
        fs::write(output.join("new"), "").expect("a file");
        replace(&output, &place).expect("moved");
        assert!(place.join("new").is_file() && !output.exists());
    }
}

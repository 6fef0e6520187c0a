//! The proof that an allocator was loaded: an unmeasured run with the probe shows whose malloc ran.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::contender::{ANY_VERSION, Installed, Pinned};
use crate::failure::Failure;
use crate::launch::{Ended, Launcher, Setting};
use crate::place::Lab;
use crate::program::Program;

/// A contender as results name it, with the library that was really loaded.
#[derive(Clone, Debug)]
pub struct Identity {
    pub name: String,
    pub version: String,
    pub library: PathBuf,
    pub loaded: bool,
    /// Environment variables that the program had under this contender only.
    pub settings: Vec<(String, String)>,
}

/// One line of the probe: a process of the program and the library that serves its malloc.
#[derive(Debug, PartialEq, Eq)]
struct Sighting {
    pid: i32,
    library: PathBuf,
    version: String,
}

/// The outcome of the unmeasured run.
pub struct Proof {
    pub ended: Ended,
    pub loaded: Result<Identity, Failure>,
    /// Libraries that serve malloc in further processes of the program, other than the expected.
    pub elsewhere: Vec<PathBuf>,
}

/// The environment of a run: the preloads (the contender's, then the probe, then the user's own) and
/// the contender's settings.
pub fn preloads(installed: &Installed, probe: Option<&Path>) -> Vec<Setting> {
    let user = std::env::var_os("LD_PRELOAD").filter(|value| !value.is_empty());
    let ours = installed.preload.iter().map(PathBuf::as_path).chain(probe);
    let all: Vec<OsString> = ours.map(OsString::from).chain(user).collect();
    let joined = all.join(OsString::from(":").as_os_str());
    let preload = ("LD_PRELOAD".into(), (!joined.is_empty()).then_some(joined));
    let settings = installed.settings.iter();
    let settings = settings.map(|(name, value)| (name.clone().into(), Some(value.into())));
    std::iter::once(preload).chain(settings).collect()
}

/// Runs the program once with the probe behind the allocator.
pub fn prove(launcher: &Launcher, program: &Program, installed: &Installed) -> Result<Proof> {
    let file = tempfile::NamedTempFile::new().context("a file for the probe")?;
    let mut settings = preloads(installed, Some(&launcher.lab.probe()));
    settings.push(("HEAPSMITH_PROBE_FILE".into(), Some(file.path().into())));
    let how = match installed.contender.version.as_deref() {
        Some(ANY_VERSION) => Some(Pinned::load()?.ways_to_ask()),
        how => how.map(str::to_string),
    };
    settings.push(("HEAPSMITH_PROBE_VERSION".into(), how.map(OsString::from)));
    let ended = launcher.run(program, &settings)?;
    let text = std::fs::read_to_string(file.path()).context("the probe's file")?;
    let sightings = parse(&text);
    Ok(judge(installed, ended, &sightings))
}

fn parse(text: &str) -> Vec<Sighting> {
    let line = |line: &str| {
        let mut fields = line.split('\t');
        let pid = fields.next()?.parse().ok()?;
        let library = PathBuf::from(fields.next()?);
        Some(Sighting { pid, library, version: fields.next().unwrap_or_default().to_string() })
    };
    text.lines().filter_map(line).collect()
}

/// The program's own process must run on the contender through every exec it makes; children that
/// run on something else are only worth a remark.
fn judge(installed: &Installed, ended: Ended, sightings: &[Sighting]) -> Proof {
    let own = || sightings.iter().filter(|sighting| sighting.pid == ended.pid);
    let expected = installed.preload.as_deref().map(real);
    let fits = |library: &Path| expected.as_ref().is_none_or(|path| *path == real(library));
    let mut elsewhere: Vec<PathBuf> = sightings
        .iter()
        .filter(|sighting| sighting.pid != ended.pid && !fits(&sighting.library))
        .map(|sighting| real(&sighting.library))
        .collect();
    elsewhere.sort();
    elsewhere.dedup();
    let failure = |why| Failure::of_loading(installed.name(), why, &ended);
    let loaded = match (own().find(|sighting| !fits(&sighting.library)), own().next_back()) {
        (Some(other), _) => Err(failure(format!(
            "{} did not take over: malloc comes from {}",
            installed.name(),
            other.library.display()
        ))),
        (None, None) => Err(failure("no preload reached the program's process".to_string())),
        (None, Some(last)) => Ok(Identity {
            name: installed.name().to_string(),
            version: version(installed, &last.version),
            library: real(&last.library),
            loaded: true,
            settings: installed.settings.clone(),
        }),
    };
    Proof { ended, loaded, elsewhere }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The version as people write it, from what the library or dpkg says.
fn version(installed: &Installed, reported: &str) -> String {
    let contender = &installed.contender;
    if contender.version.as_deref() == Some("package") {
        let package = contender.package.as_deref().unwrap_or_default();
        return package_version(package).unwrap_or_else(|| "unknown".to_string());
    }
    match (contender.version.as_deref(), reported) {
        (None, _) => "as built".to_string(),
        (Some(_), "") => "unknown".to_string(),
        (Some(_), number) if number.bytes().all(|byte| byte.is_ascii_digit()) => dotted(number),
        (Some(_), text) => plain(text),
    }
}

/// mimalloc says 209 for 2.0.9, and since 3.3 and 2.3 30302 for 3.3.2.
fn dotted(number: &str) -> String {
    match number.parse::<u32>() {
        Ok(whole @ 100..=999) => format!("{}.{}.{}", whole / 100, whole / 10 % 10, whole % 10),
        Ok(whole @ 10_000..=99_999) => {
            format!("{}.{}.{}", whole / 10_000, whole / 100 % 100, whole % 100)
        }
        _ => number.to_string(),
    }
}

/// "gperftools 2.10" is 2.10, "5.3.0-0-g54eaed" is 5.3.0.
fn plain(text: &str) -> String {
    let from = text.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    text[from..].split(['-', ' ']).next().unwrap_or(text).to_string()
}

fn package_version(package: &str) -> Option<String> {
    let query = ["-W", "-f", "${Version}", package];
    let output = Command::new("dpkg-query").args(query).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|text| !text.is_empty())?;
    Some(plain(&text))
}

/// The library that serves malloc when `installed` is loaded into a program that does nothing.
pub fn identify(lab: &Lab, installed: &Installed) -> Result<Result<Identity, Failure>> {
    let interrupt = crate::interrupt::Interrupt::default();
    let output = crate::launch::Output::Discard;
    let launcher =
        Launcher { lab, interrupt: &interrupt, input: None, output, timeout: None, service: None };
    let nothing = Program::find(&["true".into()])?;
    Ok(prove(&launcher, &nothing, installed)?.loaded)
}

#[cfg(test)]
mod tests {
    //! Reading the probe's lines and the versions libraries report.
    use super::*;

    #[test]
    fn lines_of_the_probe_are_read_and_noise_is_left_out() {
        let found = parse("12\t/lib/libc.so.6\t2.36\n13\t/x/libm.so\t\nnoise\n");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].version, "2.36");
        assert_eq!((found[1].pid, found[1].version.as_str()), (13, ""));
    }

    #[test]
    fn versions_are_written_as_people_write_them() {
        assert_eq!(dotted("209"), "2.0.9");
        assert_eq!(dotted("30302"), "3.3.2");
        assert_eq!(dotted("20250616"), "20250616");
        assert_eq!(plain("gperftools 2.10"), "2.10");
        assert_eq!(plain("5.3.0-0-g54eaed1d8b56b1"), "5.3.0");
        assert_eq!(plain("2021.8.0-2+deb12u1"), "2021.8.0");
        assert_eq!(plain("2.36"), "2.36");
    }
}

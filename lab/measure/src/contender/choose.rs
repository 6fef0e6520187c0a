//! Which contenders take part.

use std::path::PathBuf;

use anyhow::Result;

use super::{ANY_VERSION, Allocator, Contender, Installed, Pinned, Wanted, require_library};
use crate::error::{environment, usage};

/// The contenders of the `--alloc` options, with `baseline` first unless it is among them, or by
/// default, and for "all", the newest of each family that is here, with a line for each one that is
/// not.
pub fn choose(
    pinned: &Pinned,
    specs: &[String],
    baseline: &str,
    beside: &[PathBuf],
) -> Result<(Vec<Installed>, Vec<String>)> {
    if specs.iter().all(|spec| spec == "all") {
        let (mut chosen, absent) = pinned.usual(beside);
        add_baseline(&mut chosen, pinned, baseline, beside)?;
        return Ok((chosen, absent));
    }
    let mut chosen: Vec<(Installed, Wanted)> = Vec::new();
    for spec in specs {
        for wanted in pinned.parse_spec(spec)? {
            let installed = pinned.find(&wanted, beside)?;
            refuse_second(&chosen, &installed, &wanted)?;
            chosen.push((installed, wanted));
        }
    }
    let mut chosen: Vec<_> = chosen.into_iter().map(|(installed, _)| installed).collect();
    add_baseline(&mut chosen, pinned, baseline, beside)?;
    Ok((chosen, Vec::new()))
}

fn add_baseline(
    chosen: &mut Vec<Installed>,
    pinned: &Pinned,
    baseline: &str,
    beside: &[PathBuf],
) -> Result<()> {
    if !chosen.iter().any(|installed| installed.name() == baseline) {
        chosen.insert(0, pinned.install(pinned.named(baseline)?, beside)?);
    }
    Ok(())
}

fn refuse_second(
    chosen: &[(Installed, Wanted)],
    second: &Installed,
    wanted: &Wanted,
) -> Result<()> {
    let name = second.name();
    let Some((first, other)) = chosen.iter().find(|(first, _)| first.name() == name) else {
        return Ok(());
    };
    if first.preload != second.preload || first.settings != second.settings {
        return Err(usage(format!(
            "--alloc names two different allocators '{name}': write OTHER-NAME=LIBRARY for one"
        )));
    }
    let short = [wanted, other].into_iter().find_map(|one| match &one.allocator {
        Allocator::Named(short) if short != name && one.name.is_none() => Some(short),
        _ => None,
    });
    let why = short.map_or(String::new(), |short| format!(": '{short}' is {name} here"));
    Err(usage(format!("--alloc names '{name}' twice{why}")))
}

impl Pinned {
    fn find(&self, wanted: &Wanted, beside: &[PathBuf]) -> Result<Installed> {
        let mut installed = match &wanted.allocator {
            Allocator::Named(name) => self.newest(&self.meant(name)?, beside)?,
            Allocator::Library(path) => by_path(require_library(path)?),
        };
        if let Some(name) = &wanted.name {
            installed.contender.name.clone_from(name);
        }
        installed.settings.clone_from(&wanted.settings);
        installed.wanted = Some(wanted.clone());
        Ok(installed)
    }

    /// The first that is installed: the file lists the newest of a family first.
    fn newest(&self, family: &[&Contender], beside: &[PathBuf]) -> Result<Installed> {
        let mut absent = Vec::new();
        for contender in family {
            match self.install(contender, beside) {
                Ok(installed) => return Ok(installed),
                Err(error) => absent.push(error.to_string()),
            }
        }
        Err(environment(absent.join("; ")))
    }

    /// The newest of each family that is here, and a line for the others.
    fn usual(&self, beside: &[PathBuf]) -> (Vec<Installed>, Vec<String>) {
        let mut chosen: Vec<Installed> = Vec::new();
        let (mut absent, mut buildable) = (Vec::new(), Vec::new());
        for contender in &self.contenders {
            let sibling =
                |other: &Contender| contender.family.is_some() && other.family == contender.family;
            if chosen.iter().any(|installed| sibling(&installed.contender)) {
                continue;
            }
            match self.install(contender, beside) {
                Ok(installed) => chosen.push(installed),
                Err(_) if contender.source.is_some() => buildable.push(contender),
                Err(error) => absent.push(error.to_string()),
            }
        }
        let none_is_here = |contender: &&Contender| {
            let family = contender.family.as_ref();
            family.is_none() || !chosen.iter().any(|one| one.contender.family.as_ref() == family)
        };
        let names: Vec<_> = buildable.into_iter().filter(none_is_here).collect();
        if !names.is_empty() {
            let names: Vec<_> = names.iter().map(|contender| contender.name.as_str()).collect();
            absent.push(format!("{}: heapsmith peers install builds them", names.join(", ")));
        }
        (chosen, absent)
    }
}

/// A library that no entry of the file describes, named after its file.
fn by_path(path: PathBuf) -> Installed {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let contender = Contender {
        about: path.display().to_string(),
        preload: vec![name.clone()],
        name,
        version: Some(ANY_VERSION.to_string()),
        ..Contender::default()
    };
    Installed::new(contender, Some(path))
}

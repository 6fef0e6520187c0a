//! The pinned allocators of lab/contenders.toml, and where each one is on this machine.

mod choose;
mod library;
mod source;
mod spec;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::error::{environment, usage};
use crate::place;
use crate::preload::require_preloadable_path;

pub use choose::choose;
pub use library::require_library;
pub use source::{Build, Language, Source};
pub use spec::{Allocator, Wanted};

pub const AS_BUILT: &str = "as-built";
pub const GLIBC: &str = "glibc";
pub const HEAPSMITH: &str = "heapsmith";

/// The version of a library that no entry of the file describes is asked for in every known way.
pub const ANY_VERSION: &str = "any";

const PINNED: &str = include_str!("../../contenders.toml");

/// One entry of the file. lab/contenders.toml describes the keys.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    pub name: String,
    pub family: Option<String>,
    pub about: String,
    pub package: Option<String>,
    pub pinned: Option<String>,
    #[serde(default)]
    pub preload: Vec<String>,
    #[serde(default)]
    pub beside: bool,
    #[serde(default)]
    pub objects: Vec<String>,
    pub version: Option<String>,
    pub source: Option<Source>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pinned {
    directories: Vec<PathBuf>,
    #[serde(rename = "contender")]
    pub contenders: Vec<Contender>,
    /// The folder of the allocators that `heapsmith peers install` built.
    #[serde(skip)]
    pub built: Option<PathBuf>,
}

/// An installed contender. Only those of `as-built` have no `preload`.
#[derive(Clone, Debug)]
pub struct Installed {
    pub contender: Contender,
    pub preload: Option<PathBuf>,
    /// Environment variables that the program gets under this contender only.
    pub settings: Vec<(String, String)>,
    /// How `--alloc` asked for it, if it did.
    pub wanted: Option<Wanted>,
}

impl Installed {
    pub fn new(contender: Contender, preload: Option<PathBuf>) -> Self {
        Self { contender, preload, settings: Vec::new(), wanted: None }
    }

    pub fn name(&self) -> &str {
        &self.contender.name
    }

    /// The libraries its work happens in, under their real paths.
    pub fn objects(&self) -> Vec<PathBuf> {
        let Some(preload) = &self.preload else {
            return Vec::new();
        };
        let folder = preload.parent().unwrap_or(Path::new("/"));
        let further = self.contender.objects.iter().map(|name| folder.join(name));
        let all = std::iter::once(preload.clone()).chain(further);
        all.map(|path| path.canonicalize().unwrap_or(path)).collect()
    }
}

impl Contender {
    /// The folder of its build below `peers`: another pinned version gets another folder.
    pub fn folder_name(&self) -> String {
        format!("{}-{}", self.name, self.pinned.as_deref().unwrap_or("unknown"))
    }
}

impl Pinned {
    pub fn load() -> Result<Self> {
        Ok(Self { built: place::peers(), ..Self::parse(PINNED)? })
    }

    pub fn parse(text: &str) -> Result<Self> {
        let pinned: Self = toml::from_str(text).context("lab/contenders.toml")?;
        for (index, contender) in pinned.contenders.iter().enumerate() {
            let name = &contender.name;
            let twice = pinned.contenders[..index].iter().any(|other| other.name == *name);
            anyhow::ensure!(!twice, "lab/contenders.toml: '{name}' is listed twice");
            let bare = contender.preload.is_empty();
            anyhow::ensure!(
                bare == (name == AS_BUILT),
                "lab/contenders.toml: '{name}': only {AS_BUILT} has no preload"
            );
            anyhow::ensure!(
                contender.source.is_none() || contender.pinned.is_some(),
                "lab/contenders.toml: '{name}' has a source, but no pinned version"
            );
        }
        Ok(pinned)
    }

    pub fn names(&self) -> Vec<&str> {
        self.contenders.iter().map(|contender| contender.name.as_str()).collect()
    }

    /// The contenders that `heapsmith peers install` can build.
    pub fn buildable(&self) -> impl Iterator<Item = (&Contender, &Source)> {
        self.contenders.iter().filter_map(|one| Some((one, one.source.as_ref()?)))
    }

    pub fn named(&self, name: &str) -> Result<&Contender> {
        let found = self.contenders.iter().find(|contender| contender.name == name);
        found.ok_or_else(|| self.unknown(name))
    }

    /// The contender `name`, or else the contenders of the family `name`, the newest first.
    pub fn meant(&self, name: &str) -> Result<Vec<&Contender>> {
        let of_family = |one: &&Contender| one.family.as_deref() == Some(name);
        let family: Vec<_> = self.contenders.iter().filter(of_family).collect();
        if family.is_empty() { Ok(vec![self.named(name)?]) } else { Ok(family) }
    }

    fn unknown(&self, name: &str) -> anyhow::Error {
        let families = self.contenders.iter().filter_map(|one| one.family.as_deref());
        let mut known = self.names();
        known.extend(families);
        known.sort_unstable();
        known.dedup();
        usage(format!(
            "no allocator is called '{name}'{}; there are {}, and libraries by path, such as \
             ./lib.so",
            crate::suggest::did_you_mean(name, &known),
            known.join(", ")
        ))
    }

    /// Where `contender` is; the error is one line saying how to get it.
    pub fn install(&self, contender: &Contender, beside: &[PathBuf]) -> Result<Installed> {
        if contender.preload.is_empty() {
            return Ok(Installed::new(contender.clone(), None));
        }
        let of_build = self.built.iter().map(|peers| peers.join(contender.folder_name()));
        let folders: Vec<PathBuf> = match (contender.beside, &contender.source) {
            (true, _) => beside.to_vec(),
            (false, Some(_)) => of_build.collect(),
            (false, None) => self.directories.clone(),
        };
        let places = folders
            .iter()
            .flat_map(|folder| contender.preload.iter().map(|name| folder.join(name)));
        let Some(path) = places.into_iter().find(|path| path.is_file()) else {
            return Err(environment(how_to_get(contender)));
        };
        require_preloadable_path(&path)?;
        Ok(Installed::new(contender.clone(), Some(path)))
    }

    /// Every way to ask a library for its version that the file knows, as the probe expects them.
    pub fn ways_to_ask(&self) -> String {
        let mut ways: Vec<&str> =
            self.contenders.iter().filter_map(|one| one.version.as_deref()).collect();
        ways.retain(|way| way.contains(':'));
        ways.sort_unstable();
        ways.dedup();
        ways.join(" ")
    }
}

fn how_to_get(contender: &Contender) -> String {
    let Contender { name, preload, source, package, .. } = contender;
    match (source, package) {
        (Some(_), _) => format!("{name} is not installed: heapsmith peers install {name}"),
        (None, Some(package)) => format!("{name} is not installed: apt install {package}"),
        (None, None) => {
            format!(
                "{name}: no {} beside the command: install heapsmith again, or run ./dev build in \
                 its source tree",
                preload.join(" or ")
            )
        }
    }
}

#[cfg(test)]
mod tests;

//! The suites of the source tree: bench/*/suite.toml, and the whole programs of lab/workloads.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;
use heapsmith_measure::error::{environment, usage};
use heapsmith_measure::suggest::did_you_mean;

use crate::manifest::Manifest;

const WHOLE_PROGRAMS: &str = "lab/workloads/suite.toml";

#[derive(Debug)]
pub struct Catalogue(Vec<Manifest>);

impl Catalogue {
    /// The suites of the source tree that this program was built in, or that it runs in.
    pub fn find() -> Result<Self> {
        let own = env::current_exe().unwrap_or_default();
        let here = env::current_dir().unwrap_or_default();
        let folders = own.ancestors().chain(here.ancestors());
        let root = folders.into_iter().find(|folder| folder.join(WHOLE_PROGRAMS).is_file());
        Self::read(root.ok_or_else(|| {
            environment(format!("no {WHOLE_PROGRAMS}: run ./dev bench in the source tree"))
        })?)
    }

    pub fn read(root: &Path) -> Result<Self> {
        let mut suites = vec![Manifest::read(root, Path::new(WHOLE_PROGRAMS))?];
        for file in family_files(root) {
            let suite = Manifest::read(root, &file)?;
            if suites.iter().any(|known| known.name == suite.name) {
                let (file, name) = (file.display(), suite.name);
                return Err(environment(format!("{file}: name: another suite is called '{name}'")));
            }
            suites.push(suite);
        }
        let catalogue = Self(suites);
        match catalogue.0.iter().find(|suite| catalogue.find_named(&suite.next).is_none()) {
            None => Ok(catalogue),
            Some(Manifest { name, next, .. }) => {
                Err(environment(format!("suite {name}: next: no suite is called '{next}'")))
            }
        }
    }

    pub fn suites(&self) -> &[Manifest] {
        &self.0
    }

    fn find_named(&self, name: &str) -> Option<&Manifest> {
        self.0.iter().find(|suite| suite.name == name)
    }

    pub fn named(&self, name: &str) -> Result<&Manifest> {
        let known: Vec<&str> = self.0.iter().map(|suite| suite.name.as_str()).collect();
        self.find_named(name).ok_or_else(|| {
            let hint = did_you_mean(name, &known);
            usage(format!("no suite is called '{name}'{hint}; there are {}", known.join(", ")))
        })
    }
}

/// Relative to the root, in the order of their names.
fn family_files(root: &Path) -> Vec<PathBuf> {
    let entries = root.join("bench").read_dir().into_iter().flatten().flatten();
    let files = entries.map(|entry| Path::new("bench").join(entry.file_name()).join("suite.toml"));
    let mut files: Vec<_> = files.filter(|file| root.join(file).is_file()).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    //! The suites that are shipped.
    use super::*;

    #[test]
    fn every_shipped_manifest_is_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let catalogue = Catalogue::read(&root).expect("all manifests are good");
        let names: Vec<_> = catalogue.suites().iter().map(|suite| suite.name.as_str()).collect();
        let families = [
            "allocator",
            "arena",
            "containers",
            "examples",
            "growth",
            "hugepages",
            "instructions",
            "latency",
            "pool_resource",
            "pools",
            "programs",
            "region",
            "rust",
            "scale",
            "scope",
        ];
        assert_eq!(names[0], "heap");
        assert_eq!(names[1..], families);
        assert!(
            catalogue.named("regions").is_err_and(|error| error.to_string().contains("region"))
        );
    }

    #[test]
    fn a_name_is_given_once() {
        let root = tempfile::tempdir().expect("a folder");
        let text = "name = 'a'\nabout = 'b'\nkind = 'program'\nprogram = 'p'\nshown = []\n\
                    next = 'a'\ncontender = []\n";
        let whole =
            text.replace("program = 'p'\n", "").replace("kind = 'program'", "kind = 'processes'")
                + "[[workload]]\nnames = ['w']\nprogram = 'p'\nabout = 'x'\n";
        for (file, text) in [(WHOLE_PROGRAMS, whole.as_str()), ("bench/x/suite.toml", text)] {
            let file = root.path().join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, text).expect("written");
        }
        let error = Catalogue::read(root.path()).expect_err("twice").to_string();
        assert_eq!(error, "bench/x/suite.toml: name: another suite is called 'a'");
    }
}

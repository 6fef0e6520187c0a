//! Fetches the source package of a crate with cargo, and checks that it is the pinned one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use super::steps::{Step, Steps};
use super::tools::CARGO;
use heapsmith_measure::contender::Source;

/// Copies the sources into the folder `sources` of `work`. Returns that folder.
///
/// A crate that depends on the package is resolved by cargo, which honours the user's configuration
/// (mirrors, proxies) and verifies the download. Nothing of the package is compiled by cargo.
pub fn fetch(steps: &Steps, source: &Source, work: &Path) -> Result<PathBuf> {
    let user = work.join("fetch");
    fs::create_dir(&user)?;
    fs::write(user.join("lib.rs"), "")?;
    fs::write(user.join("Cargo.toml"), manifest(source))?;
    let metadata = user.join("metadata.json");
    let mut command = CARGO.command();
    command.args(["metadata", "--format-version=1"]);
    command.args(["--filter-platform", "x86_64-unknown-linux-gnu"]).current_dir(&user);
    let step = Step::new(format!("fetching {} {}", source.package, source.version), command);
    steps.run(step.into_file(fs::File::create(&metadata)?))?;

    let lock = fs::read_to_string(user.join("Cargo.lock")).context("cargo left no Cargo.lock")?;
    let found = checksum(&lock, &source.package).unwrap_or_default();
    if found != source.sha256 {
        bail!(
            "the registry's {} {} is not the pinned package: its SHA-256 is {found}, not {}",
            source.package,
            source.version,
            source.sha256
        );
    }
    let unpacked = unpacked(&fs::read_to_string(&metadata)?, source)?;
    let sources = work.join("sources");
    let mut copy = Command::new("cp");
    copy.arg("-r").arg(unpacked).arg(&sources);
    steps.run(Step::new("copying the sources", copy))?;
    Ok(sources)
}

/// A crate whose only dependency is the pinned package. Requirements ignore build metadata.
fn manifest(source: &Source) -> String {
    let version = source.version.split('+').next().unwrap_or_default();
    format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
         [lib]\npath = \"lib.rs\"\n[workspace]\n\
         [dependencies.{}]\nversion = \"={version}\"\ndefault-features = false\n",
        source.package
    )
}

/// The checksum of a package in a Cargo.lock: cargo has compared the download with it.
fn checksum<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut tables = lock.split("[[package]]");
    let table = tables.find(|table| table.lines().any(|line| line == name))?;
    let value = table.lines().find_map(|line| line.strip_prefix("checksum = "))?;
    Some(value.trim_matches('"'))
}

/// Where cargo unpacked the package.
fn unpacked(metadata: &str, source: &Source) -> Result<PathBuf> {
    let metadata: Value = serde_json::from_str(metadata).context("cargo's metadata")?;
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let package = packages.iter().find(|package| {
        package["name"] == source.package.as_str() && package["version"] == source.version.as_str()
    });
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    let folder = manifest.and_then(|manifest| Path::new(manifest).parent());
    let missing = || anyhow!("cargo found no {} {}", source.package, source.version);
    folder.map(Path::to_path_buf).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    //! Reading what cargo writes.
    use super::*;
    use heapsmith_measure::contender::Pinned;

    #[test]
    fn the_checksum_of_the_right_package_is_read() {
        let lock = "version = 4\n[[package]]\nname = \"a\"\nchecksum = \"11\"\n\
                    [[package]]\nname = \"ab\"\nversion = \"1\"\nchecksum = \"22\"\n";
        assert_eq!(checksum(lock, "ab"), Some("22"));
        assert_eq!(checksum(lock, "a"), Some("11"));
        assert_eq!(checksum(lock, "b"), None);
    }

    #[test]
    fn the_manifest_pins_the_version_without_build_metadata() {
        let pinned = Pinned::load().expect("lab/contenders.toml is good");
        for (contender, source) in pinned.buildable() {
            let text = manifest(source);
            assert!(text.contains("version = \"="), "{}", contender.name);
            assert!(!text.contains('+'), "{}: {text}", contender.name);
            assert_eq!(source.sha256.len(), 64, "{}", contender.name);
        }
    }

    #[test]
    fn the_unpacked_folder_is_the_manifests() {
        let pinned = Pinned::load().expect("lab/contenders.toml is good");
        let (_, source) = pinned.buildable().next().expect("there are some");
        let metadata = format!(
            r#"{{"packages": [{{"name": "{}", "version": "{}", "manifest_path": "/r/x/Cargo.toml"}}]}}"#,
            source.package, source.version
        );
        assert_eq!(unpacked(&metadata, source).expect("found"), Path::new("/r/x"));
        assert!(unpacked("{}", source).is_err());
    }
}

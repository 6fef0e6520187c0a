//! How a contender is built from the source package of a Rust crate.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A crate whose package carries the allocator's sources, and how to make a library of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    #[serde(rename = "crate")]
    pub package: String,
    pub version: String,
    /// Of the package, as the registry has it.
    pub sha256: String,
    /// The folder of the package that the following paths start from.
    pub folder: String,
    pub build: Build,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Build {
    /// Compiles each unit and links them all.
    Compile {
        language: Language,
        /// Folders with the files to compile.
        units: BTreeMap<String, Vec<String>>,
        flags: Vec<String>,
        #[serde(default)]
        link: Vec<String>,
    },
    /// Runs a configure script, then make.
    Configure {
        /// Copied into the folder first: some packages keep it apart.
        script: String,
        flags: Vec<String>,
        target: String,
        /// What make leaves.
        library: String,
    },
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum Language {
    #[serde(rename = "c")]
    C,
    #[serde(rename = "c++")]
    Cpp,
}

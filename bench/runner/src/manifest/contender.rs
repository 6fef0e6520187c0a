//! A contender of a suite, and the part that it takes.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    pub name: String,
    pub role: Option<Role>,
    /// One line for people.
    pub about: Option<String>,
    /// The allocator of lab/contenders.toml that its program runs with, if not that of its name.
    pub preload: Option<String>,
    /// Whether ratios are taken against it.
    #[serde(default)]
    pub baseline: bool,
    /// It takes part unless this contender is installed, such as a newer version.
    pub unless: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Part of heapsmith.
    Own,
    /// Own contenders are compared with the best of these.
    Peer,
    /// Does the same work without an allocator.
    Limit,
    /// The same allocator as an own contender: what differs between the two is noise.
    Twin,
}

impl Contender {
    /// The name of its allocator in lab/contenders.toml.
    pub fn allocator(&self) -> &str {
        self.preload.as_deref().unwrap_or(&self.name)
    }
}

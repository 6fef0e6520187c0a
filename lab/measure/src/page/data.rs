//! The data that the page shows.

use serde::Serialize;

use crate::machine::Machine;
use crate::prove::Identity;
use crate::record::{CodeAdvice, Curve, Failed, Process, Published, Record};
use crate::verdict::Judgement;

/// The data that the page reads. It checks `version`.
#[derive(Serialize)]
pub struct Page<'a> {
    pub version: u32,
    pub command: &'a str,
    pub created: &'a str,
    pub machine: &'a Machine,
    pub contenders: Vec<Entry>,
    pub records: &'a [Record],
    pub failures: &'a [Failed],
    pub verdict: Option<&'a Judgement>,
    pub curves: &'a [Curve],
    pub proof: &'a [Process],
    pub advice: &'a [CodeAdvice],
    pub published: &'a [Published],
}

#[derive(Serialize)]
pub struct Entry {
    name: String,
    version: String,
    library: String,
    loaded: bool,
    settings: Vec<(String, String)>,
}

impl Entry {
    pub fn of(identity: &Identity) -> Self {
        Self {
            name: identity.name.clone(),
            version: identity.version.clone(),
            library: identity.library.display().to_string(),
            loaded: identity.loaded,
            settings: identity.settings.clone(),
        }
    }
}

/// The part of the page that shows recorded traces.
#[derive(Clone, Debug)]
pub struct Traces {
    /// The data that the page reads. It checks `version`.
    pub json: String,
    /// The same as HTML, for readers without scripts.
    pub tables: String,
}

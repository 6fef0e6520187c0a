//! The sampled runs of one contender.

use heapsmith_measure::memory::{self, Memory};
use heapsmith_measure::prove::Identity;
use heapsmith_measure::record::Curve;
use heapsmith_measure::round::Entrant;
use heapsmith_measure::row::Row;

/// One contender's sampled runs.
pub struct Sampled {
    identity: Identity,
    pub runs: Vec<Option<Memory>>,
    /// Of the first run.
    pub curve: Option<Curve>,
}

impl Sampled {
    pub fn new(entrant: &Entrant) -> Self {
        Self { identity: entrant.identity.clone(), runs: Vec::new(), curve: None }
    }

    pub fn add_to(&self, row: &mut Row) {
        if self.runs.iter().any(Option::is_some) {
            row.add(memory::series(self.identity.clone(), &self.runs));
        }
    }
}

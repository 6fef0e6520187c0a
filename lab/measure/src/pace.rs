//! How long a server runs while its memory is sampled.

use std::time::Duration;

/// The length of a server's run. A program's run lasts as long as the program.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The pause between the load and the last sample.
    pub idle: Duration,
    /// The load is repeated until this time has passed.
    pub duration: Option<Duration>,
}

impl Default for Pace {
    fn default() -> Self {
        Self { idle: Duration::from_secs(3), duration: None }
    }
}

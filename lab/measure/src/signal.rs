//! The names of signals.

/// Such as `SIGTERM`; or `signal 34`, which has no name.
pub fn signal_name(signal: i32) -> String {
    let known = signal_hook::low_level::signal_name(signal);
    known.map_or_else(|| format!("signal {signal}"), str::to_string)
}

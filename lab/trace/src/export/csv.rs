//! A line for each site.

use std::io::{self, Write};

use super::Profile;

const HEADS: [&str; 12] = [
    "caller",
    "function",
    "file",
    "line",
    "module",
    "calls",
    "bytes",
    "blocks_at_peak",
    "bytes_at_peak",
    "blocks_never_freed",
    "bytes_never_freed",
    "mean_lifetime_ns",
];

pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = ::csv::Writer::from_writer(out);
    lines.write_record(HEADS).map_err(failed)?;
    for (caller, site) in profile.info.sites.iter().enumerate().filter(|(_, it)| it.calls != 0) {
        let place = profile.places.get(caller).and_then(|it| it.first());
        let module = profile.tables.callers.get(caller).and_then(|it| it.module);
        let module = module.and_then(|n| profile.tables.modules.get(n as usize));
        let number = |n: u64| n.to_string();
        lines
            .write_record([
                number(caller as u64),
                place.map(|it| it.name.clone()).unwrap_or_default(),
                place.and_then(|it| it.file.clone()).unwrap_or_default(),
                place.and_then(|it| it.line).map(|it| it.to_string()).unwrap_or_default(),
                module.map(|it| it.shown().into_owned()).unwrap_or_default(),
                number(site.calls),
                number(site.bytes),
                number(site.peak_blocks),
                number(site.peak_bytes),
                number(site.left_blocks),
                number(site.left_bytes),
                number(site.lifetime_ns / site.calls),
            ])
            .map_err(failed)?;
    }
    lines.flush()?;
    Ok(())
}

/// Only writing can fail.
fn failed(error: ::csv::Error) -> io::Error {
    io::Error::other(error)
}

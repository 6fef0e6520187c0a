//! Files of other tools, made into device traces.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::{Error, Result, at};
use crate::pickle::Refusal;
use crate::trace::Trace;
use crate::{log, snapshot};

/// An unpacked snapshot is at most so long. One of three million events has 220 MB without frames.
const LONGEST: u64 = 4 << 30;

/// The files that this module reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Snapshot,
    Log,
}

/// The format of a file, by its first bytes. None: another module may know it.
pub fn format_of(path: &Path) -> Result<Option<Format>> {
    let mut first = Vec::new();
    let opened = open(path).map_err(at(path))?;
    // A pack that is damaged at once is named when it is read.
    opened.take(256).read_to_end(&mut first).ok();
    if matches!(first[..], [0x80, 2..=5, ..]) {
        return Ok(Some(Format::Snapshot));
    }
    let text = String::from_utf8_lossy(&first);
    let line = text.lines().next().unwrap_or_default();
    Ok(log::is_log(line).then_some(Format::Log))
}

fn open(path: &Path) -> std::io::Result<Box<dyn BufRead>> {
    let mut file = File::open(path)?;
    let mut magic = Vec::new();
    file.by_ref().take(2).read_to_end(&mut magic)?;
    let is_packed = magic == [0x1F, 0x8B];
    let whole = BufReader::new(Cursor::new(magic).chain(file));
    Ok(if is_packed {
        Box::new(BufReader::new(MultiGzDecoder::new(whole).take(LONGEST)))
    } else {
        Box::new(whole)
    })
}

/// Reads a snapshot of PyTorch or a log, packed by gzip or not.
///
/// Errors: it is damaged or foreign, in one line.
pub fn read(path: &Path, format: Format) -> Result<Trace> {
    let input = open(path).map_err(at(path))?;
    let unusable = |what: String| Error::Unusable { path: path.to_path_buf(), what };
    match format {
        Format::Log => log::read(input).map_err(unusable),
        Format::Snapshot => snapshot::read(input).map_err(|refusal| match refusal {
            Refusal::Io(source) => at(path)(source),
            Refusal::Wrong(what) => unusable(what),
        }),
    }
}

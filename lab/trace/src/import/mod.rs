//! Traces of other tools, made into traces of heapsmith. They are approximate: these tools record no
//! threads, and less of the rest.
//!
//! | what | module |
//! |---|---|
//! | files of heaptrack | [`heaptrack`] |
//! | text as glibc's `mtrace` writes it | [`mtrace`] |

mod heaptrack;
mod mtrace;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::error::{Error, Result, at};
use crate::event::{Api, Event, Kind};
use crate::packed::{Caller, Meta, StackSample, Tables, Writer};

/// The trace that is being made of a file.
pub(crate) struct Import {
    writer: Writer,
    callers: Vec<Caller>,
    stacks: Vec<StackSample>,
    command: Vec<String>,
    blocks: u64,
    tick: u64,
    ticks_a_ns: f64,
    unknown_frees: u64,
    approximate: &'static str,
}

/// The error of a line: what is wrong with it.
type Line<T = ()> = std::result::Result<T, String>;

impl Import {
    fn event(&mut self, api: Api, caller: u32, kind: Kind) -> Result<()> {
        self.writer.push(&Event { tick: self.tick, thread: 1, api, caller, kind })
    }

    fn allocate(&mut self, api: Api, caller: u32, size: u64) -> Result<u64> {
        let block = self.blocks;
        self.blocks += 1;
        self.event(api, caller, Kind::Allocate { block, size, align: 1 })?;
        Ok(block)
    }
}

/// Makes the trace `to` of the file `from`, which is told by its first line. Returns its tables.
///
/// Errors: a file of neither kind; a line that is wrong, with its number.
pub fn import(from: &Path, to: &Path) -> Result<Tables> {
    let mut input = open(from)?;
    let mut first = String::new();
    input.by_ref().take(4096).read_line(&mut first).map_err(at(from))?;
    let unusable = |what: String| Error::Unusable { path: from.to_path_buf(), what };
    let is_heaptrack = first.starts_with("v ");
    if !is_heaptrack && !mtrace::is_line(first.trim_end()) {
        return Err(unusable(
            "it is neither a file of heaptrack (its first line is \"v VERSION\") nor text of mtrace \
             (\"= Start\", or lines \"@ place + 0xaddress 0xsize\")"
                .to_string(),
        ));
    }
    let mut import = Import {
        writer: Writer::create(to)?,
        callers: Vec::new(),
        stacks: Vec::new(),
        command: Vec::new(),
        blocks: 0,
        tick: 0,
        ticks_a_ns: 0.0,
        unknown_frees: 0,
        approximate: if is_heaptrack { heaptrack::APPROXIMATE } else { mtrace::APPROXIMATE },
    };
    let read = if is_heaptrack {
        heaptrack::read(&first, input, &mut import, from)
    } else {
        mtrace::read(&first, input, &mut import, from)
    };
    let read = read.and_then(|()| import.finish());
    if read.is_err() {
        std::fs::remove_file(to).ok();
    }
    read
}

impl Import {
    fn finish(self) -> Result<Tables> {
        let mut meta = Meta {
            command: self.command,
            ticks_a_ns: self.ticks_a_ns,
            events: self.writer.events,
            approximate: Some(self.approximate.to_string()),
            ..Meta::default()
        };
        meta.misfits.unknown = self.unknown_frees;
        let tables =
            Tables { meta, callers: self.callers, stacks: self.stacks, ..Tables::default() };
        self.writer.finish(&tables)?;
        Ok(tables)
    }
}

/// The text of a file, which may be packed with zstd or gzip.
fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    let mut file = BufReader::new(File::open(path).map_err(at(path))?);
    let head = file.fill_buf().map_err(at(path))?;
    if head.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
        let unpacked = zstd::stream::read::Decoder::with_buffer(file).map_err(at(path))?;
        return Ok(Box::new(BufReader::new(unpacked)));
    }
    if head.starts_with(&[0x1F, 0x8B]) {
        return Ok(Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(file))));
    }
    Ok(Box::new(file))
}

/// Calls `f` with each line, the first one included. A line of more than 64 KiB is an error.
fn each_line(
    first: &str,
    mut input: Box<dyn BufRead>,
    path: &Path,
    mut f: impl FnMut(&str) -> Result<Line>,
) -> Result<()> {
    const LONGEST: u64 = 64 * 1024;
    let mut line = first.as_bytes().to_vec();
    let mut number = 1u64;
    while !line.is_empty() {
        let wrong = |what: &str| Error::Unusable {
            path: path.to_path_buf(),
            what: format!("line {number}: {what}"),
        };
        if line.last() != Some(&b'\n') && line.len() as u64 >= LONGEST {
            return Err(wrong("it is longer than 64 KiB"));
        }
        let text = String::from_utf8_lossy(&line);
        f(text.trim_end_matches(['\n', '\r']))?.map_err(|what| wrong(&what))?;
        line.clear();
        input.by_ref().take(LONGEST).read_until(b'\n', &mut line).map_err(at(path))?;
        number += 1;
    }
    Ok(())
}

fn hex(word: Option<&str>) -> Line<u64> {
    let word = word.ok_or("a number is missing")?;
    let digits = word.strip_prefix("0x").unwrap_or(word);
    u64::from_str_radix(digits, 16).map_err(|_| format!("'{word}' is no hexadecimal number"))
}

//! The lines of a text, which may be packed.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::error::{Error, Result, at};

/// The error of a line: what is wrong with it.
pub type Line<T = ()> = std::result::Result<T, String>;

/// The text of a file, which may be packed with zstd or gzip.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>> {
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
pub fn each_line(
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

pub fn hex(word: Option<&str>) -> Line<u64> {
    let word = word.ok_or("a number is missing")?;
    let digits = word.strip_prefix("0x").unwrap_or(word);
    u64::from_str_radix(digits, 16).map_err(|_| format!("'{word}' is no hexadecimal number"))
}

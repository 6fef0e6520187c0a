//! Traces of other tools, made into traces of heapsmith. They are approximate: these tools record no
//! threads, and less of the rest.
//!
//! | what | module |
//! |---|---|
//! | files of heaptrack | [`heaptrack`] |
//! | text as glibc's `mtrace` writes it | [`mtrace`] |

mod builder;
mod heaptrack;
mod lines;
mod mtrace;

use std::io::{BufRead, Read};
use std::path::Path;

use crate::error::{Error, Result, at};
use crate::packed::Tables;
use builder::Import;
use lines::open;

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
    let approximate = if is_heaptrack { heaptrack::APPROXIMATE } else { mtrace::APPROXIMATE };
    let mut import = Import::create(to, approximate)?;
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

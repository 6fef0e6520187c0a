//! Text as glibc's `mtrace` writes it: `@ PLACE + ADDRESS SIZE` for an allocation, `- ADDRESS` for a
//! free, `< ADDRESS` and `> ADDRESS SIZE` for the two halves of a `realloc`, `! ADDRESS SIZE` for one
//! that failed. Other tools write the same without a place.

use std::io::BufRead;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::builder::Import;
use super::lines::{Line, each_line, hex};
use crate::error::Result;
use crate::event::{Api, Kind};
use crate::packed::Caller;

pub const APPROXIMATE: &str =
    "from mtrace: one thread, no times, and all calls as malloc, realloc or free";

pub fn is_line(line: &str) -> bool {
    line == "= Start" || matches!(parse(line), Ok(Some(_)))
}

struct Call<'a> {
    place: &'a str,
    what: &'a str,
    address: u64,
    size: u64,
}

/// The call of a line; none for the lines of the begin and the end.
fn parse(line: &str) -> Line<Option<Call<'_>>> {
    if line.is_empty() || line.starts_with('=') {
        return Ok(None);
    }
    let (place, rest) = match line.strip_prefix("@ ") {
        Some(rest) => rest.split_once(' ').ok_or("a place without a call")?,
        None => ("", line),
    };
    let mut words = rest.split(' ').filter(|word| !word.is_empty());
    let what = words.next().unwrap_or("");
    let has_size = match what {
        "+" | ">" | "!" => true,
        "-" | "<" => false,
        _ => return Err(format!("'{what}' is no call of mtrace: +, -, <, > or !")),
    };
    let address = hex(words.next())?;
    let size = if has_size { hex(words.next())? } else { 0 };
    if size > 1 << 56 && what != "!" {
        return Err("no block is so large".to_string());
    }
    Ok(Some(Call { place, what, address, size }))
}

pub fn read(first: &str, input: Box<dyn BufRead>, import: &mut Import, path: &Path) -> Result<()> {
    let mut places: FxHashMap<String, u32> = FxHashMap::default();
    let mut live: FxHashMap<u64, u64> = FxHashMap::default();
    let mut resized: Option<(u64, u64)> = None; // block and address of the half that came
    each_line(first, input, path, |line| {
        let call = match parse(line) {
            Ok(Some(call)) => call,
            Ok(None) => return Ok(Ok(())),
            Err(what) => return Ok(Err(what)),
        };
        let caller = match places.get(call.place) {
            Some(&caller) => caller,
            None => {
                let caller = import.callers.len() as u32;
                let name = (!call.place.is_empty()).then(|| call.place.to_string());
                import.callers.push(Caller { module: None, offset: 0, name });
                places.insert(call.place.to_string(), caller);
                caller
            }
        };
        match call.what {
            "+" => {
                let block = import.allocate(Api::Malloc, caller, call.size)?;
                live.insert(call.address, block);
            }
            "-" => match live.remove(&call.address) {
                Some(block) => import.event(Api::Free, caller, Kind::Free { block })?,
                None => import.unknown_frees += 1,
            },
            "<" => match live.remove(&call.address) {
                Some(block) => resized = Some((block, call.address)),
                None => import.unknown_frees += 1,
            },
            ">" => match resized.take() {
                Some((old, before)) => {
                    let block = import.blocks;
                    import.blocks += 1;
                    let in_place = before == call.address;
                    let kind = Kind::Resize { old, block, size: call.size, took: 0, in_place };
                    import.event(Api::Realloc, caller, kind)?;
                    live.insert(call.address, block);
                }
                None => {
                    let block = import.allocate(Api::Realloc, caller, call.size)?;
                    live.insert(call.address, block);
                }
            },
            _ => import.event(Api::Realloc, caller, Kind::Failed { size: call.size })?,
        }
        Ok(Ok(()))
    })
}

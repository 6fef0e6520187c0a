//! Names for callers: function, file and line, from the debug information of their modules.

use std::path::Path;

use addr2line::Loader;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use rustc_hash::FxHashMap;

use crate::packed::{Caller, Module};

/// The build id of a file in hexadecimal. None: the file has none, or cannot be read.
pub fn build_id(file: &Path) -> Option<String> {
    let bytes = std::fs::read(file).ok()?;
    let object = object::File::parse(&*bytes).ok()?;
    let id = object.build_id().ok()??;
    Some(id.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Looks names up, and keeps each module open.
#[derive(Default)]
pub struct Symbols {
    modules: FxHashMap<u32, Option<Opened>>,
}

struct Opened {
    lines: Loader,
    segments: Vec<Segment>,
    /// Functions: address, bytes, name; in the order of their addresses.
    functions: Vec<(u64, u64, String)>,
}

/// A part of a file that is mapped: offset, bytes, address.
type Segment = (u64, u64, u64);

fn open(module: &Module) -> Option<Opened> {
    let path = Path::new(&module.file);
    // Another file than the one that was recorded would give wrong names.
    if build_id(path).unwrap_or_default() != module.build_id {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let object = object::File::parse(&*bytes).ok()?;
    let segments = object
        .segments()
        .map(|part| (part.file_range().0, part.file_range().1, part.address()))
        .collect();
    let mut functions: Vec<_> = object
        .symbols()
        .chain(object.dynamic_symbols())
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() != 0)
        .filter_map(|symbol| {
            Some((symbol.address(), symbol.size(), symbol.name().ok()?.to_string()))
        })
        .collect();
    functions.sort();
    Some(Opened { lines: Loader::new(path).ok()?, segments, functions })
}

impl Symbols {
    /// "function at file:line", or what of it is known; at least "file+0x1234".
    pub fn name(&mut self, modules: &[Module], caller: &Caller) -> String {
        let Some((number, module)) =
            caller.module.and_then(|n| Some((n, modules.get(n as usize)?)))
        else {
            return caller.name.clone().unwrap_or_else(|| format!("0x{:x}", caller.offset));
        };
        let short = module.file.rsplit('/').next().unwrap_or(&module.file);
        let place = format!("{short}+0x{:x}", caller.offset);
        let Some(opened) = self.modules.entry(number).or_insert_with(|| open(module)) else {
            return place;
        };
        // A return address may lie behind the last instruction of its function.
        let at = caller.offset.saturating_sub(1);
        let Some(address) = opened
            .segments
            .iter()
            .find(|(from, bytes, _)| at.wrapping_sub(*from) < *bytes)
            .map(|(from, _, address)| at - from + address)
        else {
            return place;
        };
        let line = opened.lines.find_location(address).ok().flatten().and_then(|found| {
            let file = found.file?;
            let file = file.rsplit('/').next().unwrap_or(file).to_string();
            Some(match found.line {
                Some(line) => format!("{file}:{line}"),
                None => file,
            })
        });
        let function = function_at(opened, address);
        match (function, line) {
            (Some(function), Some(line)) => format!("{function} at {line}"),
            (Some(function), None) => format!("{function} in {short}"),
            (None, Some(line)) => line,
            (None, None) => place,
        }
    }
}

/// The innermost function of the debug information, or the symbol that has the address.
fn function_at(opened: &Opened, address: u64) -> Option<String> {
    let inlined = opened.lines.find_frames(address).ok().and_then(|mut frames| {
        let name = frames.next().ok()??.function?;
        Some(name.demangle().ok()?.into_owned())
    });
    inlined.or_else(|| {
        let after = opened.functions.partition_point(|(from, ..)| *from <= address);
        let (from, bytes, name) = opened.functions.get(after.checked_sub(1)?)?;
        (address - from < *bytes).then(|| demangled(name))
    })
}

fn demangled(name: &str) -> String {
    addr2line::demangle_auto(name.into(), None).into_owned()
}

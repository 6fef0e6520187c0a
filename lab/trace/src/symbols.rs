//! Names for callers: function, file and line, from the debug information of their modules.

use std::path::Path;

use addr2line::Loader;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::debug_files;
use crate::identity::{self, Nameless, build_id_of, parse};
use crate::packed::{Caller, Module};
use crate::printable::{name, name_of_bytes};
use crate::regular::Mapped;
use crate::split_units;

/// Looks names up, and keeps each module open.
#[derive(Default)]
pub struct Symbols {
    modules: FxHashMap<u32, Result<Opened, Nameless>>,
}

struct Opened {
    lines: Option<Loader>,
    segments: Vec<Segment>,
    /// In the order of their addresses.
    functions: Vec<Function>,
    /// If the only functions that it names are those for others.
    stripped: Option<Nameless>,
    has_unnamed: bool,
}

/// Address, bytes, name.
type Function = (u64, u64, String);

/// A part of a file that is mapped: offset, bytes, address.
type Segment = (u64, u64, u64);

fn open(module: &Module) -> Result<Opened, Nameless> {
    let mapped = identity::open(module)?;
    let object = parse(&mapped).ok_or(Nameless::NotElf)?;
    let segments = object
        .segments()
        .map(|part| (part.file_range().0, part.file_range().1, part.address()))
        .collect();
    let mut functions = functions(&mapped, &object);
    let debug = debug_files::with_debug_information(module.path(), &object);
    let separate = if debug == module.path() { None } else { Mapped::open(&debug).ok() };
    let separate = separate.as_ref().and_then(|it| Some((it, parse(it)?)));
    // Its addresses are those of the file.
    functions.extend(separate.iter().flat_map(|(mapped, object)| self::functions(mapped, object)));
    functions.sort();
    let is_stripped = object.symbol_table().is_none()
        && debug == module.path()
        && object.section_by_name(".debug_info").is_none();
    let stripped = is_stripped.then(|| Nameless::Stripped(build_id_of(&object)));
    Ok(Opened { lines: lines(&debug), segments, functions, stripped, has_unnamed: false })
}

/// The functions that have a name.
fn functions(mapped: &Mapped, object: &object::File) -> Vec<Function> {
    // The tables of a file have each name once. A damaged one may name the longest a million times.
    let mut room = 2 * mapped.bytes.len();
    let text = |symbol: &object::Symbol| symbol.kind() == SymbolKind::Text && symbol.size() != 0;
    object
        .symbols()
        .chain(object.dynamic_symbols())
        .filter(text)
        .filter_map(|symbol| Some((symbol.address(), symbol.size(), symbol.name_bytes().ok()?)))
        .map_while(|(address, size, name)| {
            room = room.checked_sub(name.len())?;
            Some((address, size, name_of_bytes(name)))
        })
        .collect()
}

/// The debug information of a file, if all files that belong to it are regular.
fn lines(debug: &Path) -> Option<Loader> {
    let mapped = Mapped::open(debug).ok()?;
    let object = parse(&mapped)?;
    let supplement = debug_files::supplement(debug, &object);
    let supplement =
        supplement.map(|it| Mapped::open(&it).is_ok_and(|it| parse(&it).is_some()).then_some(it));
    let is_regular = supplement != Some(None)
        && debug_files::is_package_regular(debug)
        && split_units::are_regular(&object);
    if !is_regular {
        return None;
    }
    Loader::new_with_sup(debug, supplement.flatten()).ok()
}

/// A function of the program that an address lies in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Frame {
    pub function: Option<String>,
    /// Without folders; like the function, without characters that a terminal obeys.
    pub file: Option<String>,
    pub line: Option<u32>,
    /// The file with its folders, as the compiler was given them: any characters.
    #[serde(skip)]
    pub path: Option<String>,
}

impl Symbols {
    /// The functions that a caller lies in, the innermost first: each is inlined into the next. Empty
    /// if nothing is known.
    pub fn frames(&mut self, modules: &[Module], caller: &Caller) -> Vec<Frame> {
        let found = caller.module.and_then(|n| Some((n, modules.get(n as usize)?)));
        let Some((number, module)) = found else { return Vec::new() };
        let Ok(opened) = self.modules.entry(number).or_insert_with(|| open(module)) else {
            return Vec::new();
        };
        // A return address may lie behind the last instruction of its function.
        let at = caller.offset.saturating_sub(1);
        let segment =
            opened.segments.iter().find(|(from, bytes, _)| at.wrapping_sub(*from) < *bytes);
        let frames = segment
            .map_or_else(Vec::new, |(from, _, address)| frames_at(opened, at - from + address));
        opened.has_unnamed |= frames.is_empty();
        frames
    }

    /// A line for each module in which names were looked up and not found.
    pub fn lacks(&self, modules: &[Module]) -> Vec<String> {
        let why = |number| match self.modules.get(&number)? {
            Err(why) => Some(why),
            Ok(opened) => opened.stripped.as_ref().filter(|_| opened.has_unnamed),
        };
        let all = (0..).zip(modules);
        all.filter_map(|(number, module)| Some(why(number)?.describe(module))).collect()
    }

    /// "function (inlined into other) at file:line", or what of it is known; at least "file+0x1234".
    pub fn name(&mut self, modules: &[Module], caller: &Caller) -> String {
        let frames = self.frames(modules, caller);
        let Some(module) = caller.module.and_then(|n| modules.get(n as usize)) else {
            let told = caller.name.as_deref().map(|it| name(it).into_owned());
            return told.unwrap_or_else(|| format!("0x{:x}", caller.offset));
        };
        let shown = module.shown();
        let short = file_name(&shown);
        let Some(inner) = frames.first() else {
            return format!("{short}+0x{:x}", caller.offset);
        };
        let line = inner.file.as_ref().map(|file| match inner.line {
            Some(line) => format!("{file}:{line}"),
            None => file.clone(),
        });
        let function = inner.function.as_ref().map(|it| format!("{it}{}", inlined(&frames)));
        match (function, line) {
            (Some(function), Some(line)) => format!("{function} at {line}"),
            (Some(function), None) => format!("{function} in {short}"),
            (None, Some(line)) => line,
            (None, None) => format!("{short}+0x{:x}", caller.offset),
        }
    }
}

/// " (inlined into other)"; of many others the first and the last two, which the user wrote rather
/// than a library.
fn inlined(frames: &[Frame]) -> String {
    const SHOWN: usize = 3;
    let names: Vec<String> =
        frames[1..].iter().filter_map(|it| it.function.as_deref()).map(brief).collect();
    match names.len() {
        0 => String::new(),
        n if n <= SHOWN => format!(" (inlined into {})", names.join(", ")),
        n => format!(" (inlined into {}, …, {})", names[0], names[n - 2..].join(", ")),
    }
}

/// A name without its parameters and the type of its result, and without what its templates are
/// made of.
pub(crate) fn brief(name: &str) -> String {
    let name = without_decltype(name);
    if name.contains("operator") || name.contains('{') {
        return name.to_string(); // its brackets are not in pairs, or a name of its own
    }
    // A function of a trait in Rust begins with its type: "<app::Table as app::Make>::make".
    let owner = if name.starts_with('<') { end_of_owner(name) } else { 0 };
    let (owner, rest) = name.split_at(owner);
    let (mut out, mut depth, mut is_within) = (String::new(), 0u32, false);
    for c in rest.chars() {
        match c {
            '(' if depth == 0 && !out.is_empty() && !out.ends_with("::") => break,
            '<' => {
                if depth == 0 {
                    out.push_str("<…>");
                }
                depth += 1;
            }
            '>' => depth = depth.saturating_sub(1),
            // Words before a space are the type of the result.
            ' ' if depth == 0 && !is_within => out.clear(),
            _ if depth == 0 => {
                is_within = c == '(' || is_within && c != ')'; // "(anonymous namespace)"
                out.push(c);
            }
            _ => {}
        }
    }
    if out.is_empty() { name.to_string() } else { format!("{}{out}", without_inner(owner)) }
}

/// The bytes up to the bracket that ends the first one. The arrow of "fn() -> u8" is no bracket.
fn end_of_owner(name: &str) -> usize {
    let (mut depth, mut last) = (0u32, ' ');
    for (at, c) in name.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if last == '-' => {}
            '>' if depth == 1 => return at + 1,
            '>' => depth -= 1,
            _ => {}
        }
        last = c;
    }
    0
}

/// "<a::B<c> as d::E>" without the inner brackets' contents: "<a::B<…> as d::E>".
fn without_inner(owner: &str) -> String {
    let (mut out, mut depth, mut last) = (String::new(), 0u32, ' ');
    for c in owner.chars() {
        let is_end = c == '>' && last != '-';
        depth -= u32::from(is_end);
        if depth == 1 && is_end {
            out.push('…');
        }
        if depth <= 1 {
            out.push(c);
        }
        depth += u32::from(c == '<');
        last = c;
    }
    out
}

/// A name behind "decltype (…)".
fn without_decltype(name: &str) -> &str {
    let Some(from) = name.strip_prefix("decltype").map(str::trim_start) else { return name };
    let mut depth = 0u32;
    for (at, c) in from.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return from[at + 1..].trim_start(),
            ')' => depth -= 1,
            _ if depth == 0 => return name,
            _ => {}
        }
    }
    name
}

pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The frames of the debug information, or the symbol that has the address.
fn frames_at(opened: &Opened, address: u64) -> Vec<Frame> {
    let mut frames = Vec::new();
    if let Some(Ok(mut found)) = opened.lines.as_ref().map(|it| it.find_frames(address)) {
        while let Ok(Some(frame)) = found.next() {
            let function =
                frame.function.and_then(|it| Some(name(&it.demangle().ok()?).into_owned()));
            let (path, line) = frame.location.map_or((None, None), |it| (it.file, it.line));
            let file = path.map(|path| name(file_name(path)).into_owned());
            frames.push(Frame { function, file, line, path: path.map(str::to_string) });
        }
    }
    if frames.is_empty() {
        frames.push(Frame::default());
    }
    let outer = frames.last_mut().expect("one is there");
    if outer.function.is_none() {
        outer.function = symbol_at(opened, address);
    }
    frames.retain(|frame| frame.function.is_some() || frame.file.is_some());
    frames
}

fn symbol_at(opened: &Opened, address: u64) -> Option<String> {
    let after = opened.functions.partition_point(|(from, ..)| *from <= address);
    let (from, bytes, name) = opened.functions.get(after.checked_sub(1)?)?;
    (address - from < *bytes).then(|| addr2line::demangle_auto(name.into(), None).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_outer_functions_are_brief() {
        for (name, expected) in [
            ("main", "main"),
            ("make(int, char const*)", "make"),
            (
                "std::vector<int, std::allocator<int> >::push_back(int&&)",
                "std::vector<…>::push_back",
            ),
            ("(anonymous namespace)::make(int)", "(anonymous namespace)::make"),
            ("ns::(anonymous namespace)::make(int)", "ns::(anonymous namespace)::make"),
            ("a::operator<(int)", "a::operator<(int)"),
            ("void std::vector<int>::grow<int>(int&&)", "std::vector<…>::grow<…>"),
            ("unsigned long (anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            ("decltype (::new ((void*)(0)) A((int)())) ns::make<A>(A*)", "ns::make<…>"),
            ("<a::B<c> as d::E>::f", "<a::B<…> as d::E>::f"),
            ("<a::B<c<d>, e>>::f::<g>", "<a::B<…>>::f::<…>"),
            ("<fn(u8) -> c as d::E<u8>>::f", "<fn(u8) -> c as d::E<…>>::f"),
            ("<a::B", "<…>"),
            ("decltype", "decltype"),
            ("void ", "void "),
        ] {
            assert_eq!(brief(name), expected);
        }
    }

    #[test]
    fn of_many_outer_functions_some_are_shown() {
        let frames = |n: usize| -> Vec<Frame> {
            let frame = |n| Frame { function: Some(format!("f{n}")), ..Frame::default() };
            (0..n).map(frame).collect()
        };
        assert_eq!(inlined(&frames(1)), "");
        assert_eq!(inlined(&frames(4)), " (inlined into f1, f2, f3)");
        assert_eq!(inlined(&frames(7)), " (inlined into f1, …, f5, f6)");
    }
}

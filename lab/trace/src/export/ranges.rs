//! The mappings of a profile for pprof. A trace has offsets in files and no addresses, so each part of
//! a file that has code gets a range of addresses.

use object::{Object, ObjectSegment, SegmentFlags, elf::PF_X};

use crate::identity::{open, parse};
use crate::packed::{Caller, Module, Tables};

/// Where the ranges begin: at multiples of it.
const EACH: u64 = 1 << 40;
/// pprof looks for the segment that begins in the page of a mapping's offset.
const PAGE: u64 = 4096;

/// A part of a file, mapped at addresses of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct Range {
    /// An index into the modules. None: the program, in which no caller lies.
    pub module: Option<usize>,
    pub start: u64,
    /// Where its first page lies in the file.
    pub offset: u64,
    /// Its first byte in the file, and the one behind its last.
    from: u64,
    to: u64,
}

impl Range {
    pub fn limit(&self) -> u64 {
        self.start + (self.to - self.offset)
    }
}

/// A range for each executable segment of each module. Those of the program come first: pprof takes
/// the first mapping for it.
pub struct Ranges(pub Vec<Range>);

impl Ranges {
    pub fn of(tables: &Tables) -> Self {
        let Tables { meta, modules, .. } = tables;
        let program = modules.iter().position(|it| it.file == meta.executable);
        let others = (0..modules.len()).filter(|&n| Some(n) != program).map(Some);
        let lacks_program = program.is_none() && !meta.executable.is_empty();
        let first = (program.is_some() || lacks_program).then_some(program);
        let parts = first.into_iter().chain(others).flat_map(|module| {
            let code = module.map(|n| code_of(&modules[n])).unwrap_or_default();
            // Of a file that cannot be read, any part may have code.
            let code = if code.is_empty() { vec![(0, EACH)] } else { code };
            code.into_iter().map(move |(from, to)| (module, from, to))
        });
        let range = |(n, (module, from, to)): (u64, _)| {
            let offset = from / PAGE * PAGE;
            Range { module, start: n * EACH, offset, from, to }
        };
        Self((1..).zip(parts).map(range).collect())
    }

    /// The number of the mapping that a call lies in, from 1 on, and the address of the call. 0: in
    /// none. `caller` has the address to which the call returns, which is behind it.
    pub fn find(&self, caller: &Caller) -> (u64, u64) {
        let at = caller.offset.saturating_sub(1);
        let Some(module) = caller.module else { return (0, at) };
        let has = |it: &Range| it.module == Some(module as usize) && (it.from..it.to).contains(&at);
        let Some(n) = self.0.iter().position(has) else { return (0, at) };
        (n as u64 + 1, self.0[n].start + (at - self.0[n].offset))
    }
}

/// The executable segments of a file: where each begins in it, and what is behind. Empty if it is
/// another file than the one that was recorded.
fn code_of(module: &Module) -> Vec<(u64, u64)> {
    let Ok(mapped) = open(module) else { return Vec::new() };
    let Some(object) = parse(&mapped) else { return Vec::new() };
    let has_code = |flags| matches!(flags, SegmentFlags::Elf { p_flags } if p_flags & PF_X != 0);
    let parts = object.segments().filter(|it| has_code(it.flags())).map(|it| it.file_range());
    let parts = parts.map(|(from, bytes)| (from, from.saturating_add(bytes).min(EACH)));
    parts.filter(|(from, to)| from < to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Files;
    use crate::packed::Meta;

    fn tables(executable: &str, files: &[&str]) -> Tables {
        let module = |file: &&str| Module { file: file.to_string(), ..Module::default() };
        let modules = files.iter().map(module).collect();
        let meta = Meta { executable: executable.into(), ..Meta::default() };
        Tables { meta, modules, ..Tables::default() }
    }

    #[test]
    fn the_program_is_first() {
        let modules = |executable, files: &[&str]| -> Vec<Option<usize>> {
            let ranges = Ranges::of(&tables(executable, files));
            ranges.0.iter().map(|it| it.module).collect()
        };
        assert_eq!(modules("/no/app", &["/no/a.so", "/no/app"]), [Some(1), Some(0)]);
        assert_eq!(modules("/no/app", &["/no/a.so"]), [None, Some(0)]);
        assert_eq!(modules("", &["/no/a.so"]), [Some(0)], "an anonymous or imported trace");
    }

    #[test]
    fn calls_lie_before_the_address_of_their_return() {
        let ranges = Ranges::of(&tables("/no/app", &["/no/app"]));
        let at = |module, offset| ranges.find(&Caller { module, offset, name: None });
        assert_eq!(at(Some(0), 0x1235), (1, EACH + 0x1234));
        assert_eq!(at(Some(0), EACH + 1), (0, EACH), "outside of the file");
        assert_eq!(at(Some(1), 0x1235), (0, 0x1234), "no such module");
        assert_eq!(at(None, 0x1235), (0, 0x1234));
    }

    #[test]
    fn each_segment_has_a_range() {
        let file = std::env::current_exe().expect("a path");
        let (module, _) = Files::default().module(&file, None);
        let mapped = open(&module).expect("a file");
        let tables = Tables { modules: vec![module], ..Tables::default() };
        let ranges = Ranges::of(&tables);
        let bytes = mapped.bytes.len() as u64;
        assert!(!ranges.0.is_empty());
        for it in &ranges.0 {
            assert!(it.offset <= it.from && it.from < it.to && it.to <= bytes, "{it:?}");
            assert!(it.offset % PAGE == 0 && it.limit() - it.start < EACH, "{it:?}");
        }
    }
}

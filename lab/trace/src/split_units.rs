//! Debug information that a compiler left in files of its own (`-gsplit-dwarf`), which the units of a
//! program name.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use addr2line::gimli::{
    self, AttributeValue, DwarfSections, EndianSlice, RunTimeEndian, UnitType, constants,
};
use object::{Object, ObjectSection};

use crate::regular;

type Text<'a> = EndianSlice<'a, RunTimeEndian>;
type Unit<'a> = gimli::Unit<Text<'a>>;

/// Whether each of these files is a regular one, or is not there.
pub fn are_regular(object: &object::File) -> bool {
    // Only units with such files look addresses up in a table, and some others.
    if object.section_by_name(".debug_addr").is_none() {
        return true;
    }
    let section = |id: gimli::SectionId| {
        let found = object.section_by_name(id.name());
        let bytes = found.and_then(|it| it.uncompressed_data().ok());
        Ok::<_, gimli::Error>(bytes.unwrap_or(Cow::Borrowed(&[])))
    };
    let Ok(sections) = DwarfSections::load(section) else { return false };
    let endian = match object.is_little_endian() {
        true => RunTimeEndian::Little,
        false => RunTimeEndian::Big,
    };
    let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, endian));
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        // Before version 5 all units have one type.
        if header.version() >= 5 && !matches!(header.type_(), UnitType::Skeleton(_)) {
            continue;
        }
        let Ok(unit) = dwarf.unit(header) else { continue };
        let file = file_of(&dwarf, &unit);
        if file.is_some_and(|file| file.exists() && regular::open(&file).is_err()) {
            return false;
        }
    }
    true
}

fn file_of(dwarf: &gimli::Dwarf<Text>, unit: &Unit) -> Option<PathBuf> {
    let mut entries = unit.entries();
    let (_, root) = entries.next_dfs().ok()??;
    let value = |name| -> Option<AttributeValue<Text>> { root.attr_value(name).ok()? };
    let name = value(constants::DW_AT_dwo_name).or_else(|| value(constants::DW_AT_GNU_dwo_name))?;
    let name = dwarf.attr_string(unit, name).ok()?;
    let mut file = PathBuf::new();
    if let Some(folder) = &unit.comp_dir {
        file.push(OsStr::from_bytes(folder.slice()));
    }
    file.push(OsStr::from_bytes(name.slice()));
    Some(file)
}

#[cfg(test)]
mod tests {
    //! A program whose units are in a file that becomes a pipe, for which nobody writes.
    use super::*;
    use crate::identity::Files;
    use crate::packed::Caller;
    use crate::symbols::Symbols;
    use std::process::Command;

    #[test]
    fn units_in_a_pipe_are_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = |program: &str, words: &[&str]| {
            let mut command = Command::new(program);
            let done = command.args(words).current_dir(folder.path()).status().expect(program);
            assert!(done.success(), "{program} {words:?}");
        };
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a.c"), "int main(void) { return 0; }\n").expect("written");
        for version in ["-gdwarf-4", "-gdwarf-5"] {
            run("cc", &["-O1", "-gsplit-dwarf", version, "-c", "a.c"]);
            run("cc", &["-Wl,--build-id", "a.o", "-o", "program"]);
            let program = at("program");
            let (module, _) = Files::default().module(&program, None);
            let names = || {
                let bytes = std::fs::read(&program).expect("read");
                let object = object::File::parse(&*bytes).expect("a program");
                let main = object.symbol_by_name("main").expect("main");
                let at = object::ObjectSymbol::address(&main) + 1;
                let segments = object.segments().map(|it| {
                    let (from, bytes) = object::ObjectSegment::file_range(&it);
                    (from, bytes, object::ObjectSegment::address(&it))
                });
                let mut parts = segments.filter(|it| (it.2..it.2 + it.1).contains(&at));
                let (from, _, address) = parts.next().expect("its part");
                let offset = at - address + from + 1;
                let caller = Caller { module: Some(0), offset, name: None };
                Symbols::default().name(std::slice::from_ref(&module), &caller)
            };
            assert_eq!(names(), "main at a.c:1", "{version}");
            run("rm", &["a.dwo"]);
            run("mkfifo", &["a.dwo"]);
            assert_eq!(names(), "main in program", "{version}");
            run("rm", &["a.dwo"]);
        }
    }
}

//! Names come from the file that was recorded and from no other, and a file of many processes is
//! opened once.

mod raw_files;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_trace::family::Family;
use heapsmith_trace::packed::{Module, Reader, Tables};
use heapsmith_trace::symbols::Symbols;
use object::{Object, ObjectSegment, ObjectSymbol};
use raw_files::{Call, Head, write_as};
use tempfile::TempDir;

const MAKE: &str = "__attribute__((noinline)) int make(int n) { return n * 3; }\n";

fn run(program: &str, words: &[&str], folder: &Path) {
    let mut command = Command::new(program);
    let done = command.args(words).current_dir(folder).status().expect(program);
    assert!(done.success(), "{program} {words:?}");
}

/// A program with the source, linked with these words.
fn build(folder: &Path, source: &str, words: &[&str]) -> PathBuf {
    fs::write(folder.join("a.c"), format!("{source}int main(int n, char** v);\n"))
        .expect("written");
    let text = "int make(int); int main(int n, char** v) { return make(n); }\n";
    fs::write(folder.join("main.c"), text).expect("written");
    let all = [&["-g", "-O1", "a.c", "main.c", "-o", "app"], words].concat();
    run("cc", &all, folder);
    folder.join("app")
}

/// The offset of a function in a file, and of the end of its first instruction.
fn place_of(file: &Path, function: &str) -> u64 {
    let bytes = fs::read(file).expect("read");
    let object = object::File::parse(&*bytes).expect("a program");
    let at = object.symbol_by_name(function).expect("a function").address() + 1;
    let parts = object.segments().map(|it| (it.file_range(), it.address()));
    let mut parts = parts.filter(|&((_, bytes), from)| (from..from + bytes).contains(&at));
    let ((offset, _), from) = parts.next().expect("its part");
    at - from + offset
}

fn stamp_of(file: &Path) -> String {
    use std::os::unix::fs::MetadataExt;
    let now = fs::metadata(file).expect("there");
    format!("stamp 0 {} {} {:09}\n", now.len(), now.mtime(), now.mtime_nsec())
}

/// The raw file of a process that allocates at `place` of the file.
fn record(folder: &Path, pid: u32, file: &Path, place: u64, stamp: &str) -> PathBuf {
    let raw = folder.join(format!("{pid}.0.raw"));
    let head = Head { pid, first_tick: u64::from(pid), ..Head::default() };
    write_as(&raw, &head, &[&[Call::Malloc(1000, 64)]]); // its caller is the address 0
    let file = file.display();
    let maps = format!("tick 1\n0-1000 r-xp {place:08x} 08:01 1   {file}\n{stamp}");
    fs::write(folder.join(format!("{pid}.0.raw.maps")), maps).expect("written");
    raw
}

fn tables_of(trace: &Path) -> Tables {
    let mut reader = Reader::open(trace).expect("a trace");
    reader.for_each(|_| {}).expect("events");
    reader.tables.take().expect("tables")
}

/// The tables of the only process, and what packing said.
fn pack(folder: &TempDir, file: &Path, place: u64, stamp: &str) -> (Tables, Vec<String>) {
    let raws = tempfile::tempdir_in(folder.path()).expect("a folder");
    let mut family = Family::of(vec![record(raws.path(), 1, file, place, stamp)], 100);
    let trace = raws.path().join("trace");
    let lacks = family.pack(0, &trace, false).expect("packed").lacks;
    (tables_of(&trace), lacks)
}

/// The name of the only caller, and what lacks.
fn look_up(tables: &Tables) -> (String, Vec<String>) {
    let mut symbols = Symbols::default();
    let name = symbols.name(&tables.modules, &tables.callers[0]);
    (name, symbols.lacks(&tables.modules))
}

fn touch(file: &Path, by_seconds: &str) {
    run("touch", &["-d", by_seconds, file.to_str().expect("UTF-8")], Path::new("/"));
}

#[test]
fn a_program_that_was_built_again_gives_no_names() {
    for id in ["none", "sha1"] {
        let folder = tempfile::tempdir().expect("a folder");
        let words = [format!("-Wl,--build-id={id}")];
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let app = build(folder.path(), MAKE, &words);
        let place = place_of(&app, "make") + 1;
        let stamp = stamp_of(&app);
        let (tables, told) = pack(&folder, &app, place, &stamp);
        assert_eq!(told, Vec::<String>::new());
        let sound = ("make at a.c:1".to_string(), Vec::new());
        assert_eq!(look_up(&tables), sound, "{id}");
        touch(&app, "2001-01-01");
        assert_eq!(look_up(&tables), sound, "{id}: the same bytes");

        // Where `make` was.
        let other =
            MAKE.replace("make", "unrelated") + "int make(int n) { return unrelated(n); }\n";
        build(folder.path(), &other, &words);
        let (name, lacks) = look_up(&tables);
        assert_eq!(name, format!("app+0x{place:x}"), "{id}");
        let line = format!("names are missing for {}: the file has changed", app.display());
        assert!(lacks.len() == 1 && lacks[0].starts_with(&line), "{lacks:?}");
        // Before it was packed.
        let (tables, told) = pack(&folder, &app, place, &stamp);
        assert!(told.len() == 1 && told[0].starts_with(&line), "{told:?}");
        assert_eq!(look_up(&tables).0, format!("app+0x{place:x}"), "{id}");

        fs::remove_file(&app).expect("removed");
        let (tables, told) = pack(&folder, &app, place, &stamp);
        assert!(told.len() == 1 && told[0].ends_with("not there any more"), "{told:?}");
        build(folder.path(), MAKE, &words);
        let (name, lacks) = look_up(&tables);
        assert_eq!(name, format!("app+0x{place:x}"), "another file came into its place");
        assert_eq!(lacks.len(), 1);
    }
}

#[test]
fn a_trace_without_stamps_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = build(folder.path(), MAKE, &["-Wl,--build-id=none"]);
    let (mut tables, _) = pack(&folder, &app, place_of(&app, "make") + 1, "");
    assert_eq!(look_up(&tables).0, "make at a.c:1");
    let text = format!(r#"{{"file": "{}", "build_id": ""}}"#, app.display());
    tables.modules[0] = serde_json::from_str::<Module>(&text).expect("as older traces have it");
    assert_eq!(look_up(&tables).0, "make at a.c:1");
}

#[test]
fn a_separate_file_has_names_without_lines_and_a_stripped_one_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = build(folder.path(), MAKE, &["-g0", "-Wl,--build-id"]);
    let place = place_of(&app, "make") + 1;
    run("objcopy", &["--only-keep-debug", "app", "app.debug"], folder.path());
    run("strip", &["app"], folder.path());
    run("objcopy", &["--add-gnu-debuglink=app.debug", "app"], folder.path());
    let (tables, _) = pack(&folder, &app, place, "");
    assert_eq!(look_up(&tables), ("make in app".to_string(), Vec::new()));
    fs::remove_file(folder.path().join("app.debug")).expect("removed");
    let (name, lacks) = look_up(&tables);
    assert_eq!(name, format!("app+0x{place:x}"));
    let id = &tables.modules[0].build_id;
    assert!(lacks.len() == 1 && lacks[0].contains(&format!("debuginfo {id}")), "{lacks:?}");
}

#[test]
fn a_file_of_many_processes_is_opened_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = build(folder.path(), MAKE, &["-Wl,--build-id=none"]);
    let (place, stamp) = (place_of(&app, "make") + 1, stamp_of(&app));
    let raws = (1..=20).map(|pid| record(folder.path(), pid, &app, place, &stamp)).collect();
    let mut family = Family::of(raws, 100);
    assert_eq!((family.len(), family.opened_files()), (20, 0));
    for member in 0..family.len() {
        let trace = folder.path().join(format!("{member}.trace"));
        family.pack(member, &trace, false).expect("packed");
        assert_eq!(family.opened_files(), 1);
        assert_eq!(look_up(&tables_of(&trace)).0, "make at a.c:1");
    }
}

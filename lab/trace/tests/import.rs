//! Files of other tools.

use std::fs;
use std::io::Write;
use std::path::Path;

use heapsmith_trace::import::import;
use heapsmith_trace::info::{Info, of_trace};
use heapsmith_trace::packed::Tables;
use heapsmith_trace::symbols::Symbols;

const HEAPTRACK: &str = "v 10400 3\nX ./app input\nI 1000 5e298d\ns 5 ./app\ns 4 main\n\
    s 9 src/app.c\ni 401000 1 2 3 2a\ni 402000 1\nt 1 0\nt 2 1\na 64 2\na 1000 1\n+ 0\n+ 1\nc a\n\
    + 0\n- 0\nR 10\n- 1\n- 1\n";

const MTRACE: &str = "= Start\n@ ./app:[0x401136] + 0x1000 0x64\n@ ./app:[0x40114a] + 0x2000 0x10\n\
    @ ./app:[0x401160] < 0x1000\n@ ./app:[0x401160] > 0x3000 0xc8\n@ ./app:[0x401170] - 0x2000\n\
    - 0x9999\n@ ./app:[0x401170] ! 0x3000 0xffffffffffffff\n= End\n";

fn read(bytes: &[u8]) -> Result<(Info, Tables), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("file"), folder.path().join("t.trace"));
    fs::write(&from, bytes).expect("written");
    let done = import(&from, &to).map_err(|error| error.to_string());
    assert_eq!(done.is_ok(), to.exists(), "a file that is wrong leaves no trace");
    done?;
    let (info, tables, damage) = of_trace(Path::new(&to)).expect("a trace");
    assert_eq!(damage, None);
    Ok((info, tables))
}

#[test]
fn a_file_of_heaptrack_becomes_a_trace() {
    let (info, tables) = read(HEAPTRACK.as_bytes()).expect("sound");
    assert_eq!((info.events, info.allocated_blocks, info.left_blocks), (5, 3, 1));
    assert_eq!((info.allocated_bytes, info.left_bytes), (0x64 * 2 + 0x1000, 0x64));
    assert_eq!((info.peak_bytes, info.duration_ns), (0x64 * 2 + 0x1000, 10_000_000));
    assert_eq!(tables.meta.misfits.unknown, 1);
    assert_eq!(tables.meta.command, ["./app", "input"]);
    assert!(tables.meta.approximate.is_some());
    let mut symbols = Symbols::default();
    assert_eq!(symbols.name(&tables.modules, &tables.callers[1]), "main at app.c:42");
    assert_eq!(symbols.name(&tables.modules, &tables.callers[2]), "app");
    assert!(tables.stacks.iter().any(|it| it.caller == 2 && it.frames == [1] && it.samples == 2));
}

#[test]
fn a_stack_that_is_too_deep_is_marked() {
    let of = |frames: u64| {
        let stacks: String = (0..frames).map(|n| format!("t 1 {n:x}\n")).collect();
        let head = "v 10400 3\nX ./app\nI 1000 5e298d\ns 5 ./app\ni 401000 1\n";
        let (_, tables) = read(format!("{head}{stacks}a 64 {frames:x}\n+ 0\n").as_bytes())?;
        let frames = tables.stacks[0].frames.clone();
        let last = *frames.last().expect("a frame") as usize;
        Ok::<_, String>((frames.len(), tables.callers[last].is_cut()))
    };
    assert_eq!(of(512), Ok((511, false)));
    assert_eq!(of(513), Ok((512, true)));
}

#[test]
fn packed_files_are_read() {
    let zstd = zstd::bulk::compress(HEAPTRACK.as_bytes(), 1).expect("packed");
    assert_eq!(read(&zstd).expect("sound").0.events, 5);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(HEAPTRACK.as_bytes()).expect("packed");
    assert_eq!(read(&gzip.finish().expect("packed")).expect("sound").0.events, 5);
}

#[test]
fn text_of_mtrace_becomes_a_trace() {
    let (info, tables) = read(MTRACE.as_bytes()).expect("sound");
    assert_eq!((info.events, info.allocated_blocks, info.left_blocks), (5, 3, 1));
    assert_eq!((info.resized_moved, info.left_bytes, info.failed), (1, 0xC8, 1));
    assert_eq!(tables.meta.misfits.unknown, 1);
    let name = Symbols::default().name(&tables.modules, &tables.callers[0]);
    assert_eq!(name, "./app:[0x401136]");
}

#[test]
fn wrong_lines_are_told_with_their_number() {
    for (text, line, what) in [
        ("v 10400 3\n+ 0\n", 2, "comes later"),
        ("v 10400 9\n", 1, "format 9"),
        ("v 10400 3\na 64\n", 2, "missing"),
        ("v 10400 3\nt 5 0\n", 2, "come later"),
        ("v 10400 3\nz 1\n", 2, "begins no line"),
        ("= Start\n@ x + 0x1000\n", 2, "missing"),
        ("= Start\n@ x * 0x1000\n", 2, "no call"),
        ("= Start\n+ 0x10 0xzz\n", 2, "no hexadecimal"),
    ] {
        let error = read(text.as_bytes()).expect_err(text);
        assert!(error.contains(&format!("line {line}: ")) && error.contains(what), "{error}");
    }
    for text in ["", "hello\n", "\u{0}\u{1}"] {
        let error = read(text.as_bytes()).expect_err(text);
        assert!(error.contains("neither"), "{error}");
    }
}

#[test]
fn cut_and_changed_files_are_read_or_told() {
    let mut random = fastrand::Rng::with_seed(3);
    let zstd = zstd::bulk::compress(HEAPTRACK.as_bytes(), 1).expect("packed");
    for whole in [HEAPTRACK.as_bytes(), MTRACE.as_bytes(), &zstd] {
        for n in 0..whole.len() {
            read(&whole[..n]).ok();
            let mut bytes = whole.to_vec();
            bytes[n] = random.u8(..);
            read(&bytes).ok();
        }
    }
}

//! Checks with a C compiler that the declarations agree with the C headers.
//!
//! Each function of `src/` is declared again in C after the headers, so that a different type is an
//! error. Sizes, offsets and constants become static assertions.
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::mem::{align_of, offset_of, size_of};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use heapsmith_sys::*;

const HEADERS: [&str; 5] =
    ["heapsmith.h", "heap.h", "region.h", "offset_region.h", "shared_region.h"];

fn here(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The messages of a C compiler about `text` after the headers.
fn complaints(text: &str) -> String {
    let mut compiler = Command::new("cc")
        .args(["-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c", "-"])
        .arg("-I")
        .arg(here("core/include"))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("there is a C compiler");
    let mut input = compiler.stdin.take().expect("the input is piped");
    for header in HEADERS {
        writeln!(input, "#include <heapsmith/{header}>").expect("the compiler reads");
    }
    input.write_all(text.as_bytes()).expect("the compiler reads");
    drop(input);
    let output = compiler.wait_with_output().expect("the compiler ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said.is_empty(), output.status.success(), "{said}");
    said
}

/// The C declaration of `name` with a type.
fn in_c(rust: &str, name: &str) -> String {
    if let Some(to) = rust.strip_prefix("*mut ") {
        return in_c(to, &format!("*{name}"));
    }
    if let Some(to) = rust.strip_prefix("*const ") {
        return format!("const {}", in_c(to, &format!("*{name}")));
    }
    if let Some(signature) = rust.strip_prefix("unsafe extern \"C\" fn") {
        return function_in_c(&format!("(*{name})"), signature);
    }
    let c = match rust {
        "usize" => "size_t",
        "u64" => "uint64_t",
        "c_int" => "int",
        "c_uint" => "unsigned",
        "c_char" => "char",
        "c_void" => "void",
        ours => ours,
    };
    format!("{c} {name}")
}

/// The C declaration of a function whose name is followed by `signature` in Rust.
fn function_in_c(name: &str, signature: &str) -> String {
    let end = signature.rfind(')').expect("parameters end");
    let result = signature[end + 1..].trim().strip_prefix("->").map_or("c_void", str::trim);
    let mut parameters = Vec::new();
    let (mut depth, mut start) = (0, 1);
    for (at, byte) in signature[..=end].bytes().enumerate() {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        if (byte == b',' && depth == 1) || (byte == b')' && depth == 0) {
            let parameter = signature[start..at].trim();
            if let Some((name, of)) = parameter.split_once(": ") {
                parameters.push(in_c(of, name));
            }
            start = at + 1;
        }
    }
    let list = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
    in_c(result, &format!("{name}({list})"))
}

/// The declared functions: name and signature.
fn functions() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for file in ["heap", "first_class", "region", "offset_region", "shared_region"] {
        let text = fs::read_to_string(here(&format!("src/{file}.rs"))).expect("the file exists");
        let text = text.split("unsafe extern \"C\" {").nth(1).expect("it declares functions");
        let code: Vec<_> =
            text.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect();
        for declaration in code.join(" ").split(';') {
            if let Some((_, function)) = declaration.split_once("fn ") {
                let name = function.split('(').next().expect("split() gives something");
                all.push((name.to_owned(), function[name.len()..].to_owned()));
            }
        }
    }
    all
}

#[test]
fn functions_have_their_types() {
    let functions = functions();
    let text: String =
        functions.iter().map(|(name, signature)| function_in_c(name, signature) + ";\n").collect();
    assert_eq!(complaints(&text), "");
    let wrong = function_in_c("hs_free", "(p: *const c_void)") + ";\n";
    assert!(complaints(&wrong).contains("conflicting types"), "the comparison compares nothing");
}

#[test]
fn no_function_is_missing() {
    let declared: BTreeSet<_> = functions().into_iter().map(|(name, _)| name).collect();
    let mut offered = BTreeSet::new();
    for header in HEADERS {
        let text = fs::read_to_string(here("core/include/heapsmith").join(header))
            .expect("the header exists");
        for declaration in text.split("HS_API ").skip(1) {
            let before = declaration.split('(').next().expect("split() gives something");
            let name = before.rsplit([' ', '*']).next().expect("rsplit() gives something");
            offered.extend(name.starts_with("hs_").then(|| name.to_owned()));
        }
    }
    assert_eq!(declared, offered);
}

macro_rules! layout {
    ($($of:ident { $($field:ident),* })*) => {
        String::new() $(
            + &format!("_Static_assert(sizeof({0}) == {1} && _Alignof({0}) == {2}, \"{0}\");\n",
                       stringify!($of), size_of::<$of>(), align_of::<$of>())
            $(+ &format!("_Static_assert(offsetof({0}, {1}) == {2}, \"{0}.{1}\");\n",
                         stringify!($of), stringify!($field), offset_of!($of, $field)))*
        )*
    };
}

#[test]
fn structures_have_their_layouts() {
    let text = layout! {
        hs_statistics {
            size, in_use_bytes, slab_bytes, large_bytes, direct_bytes, cached_bytes, metadata_bytes,
            committed_bytes, peak_bytes, heaps, direct_maps, span_takes, span_gives, growths,
            purges, purged_bytes, refaults
        }
        hs_heap_statistics {
            size, in_use_bytes, slab_bytes, large_bytes, direct_bytes, held_bytes, peak_bytes,
            limit_bytes
        }
        hs_region { opaque }
        hs_region_statistics {
            size, buffer_bytes, in_use_bytes, available_bytes, deferred_bytes, peak_bytes,
            largest_free_bytes, metadata_bytes, edge_bytes, failed_requests, blocks, buffers
        }
        hs_region_survey {
            size, blocks_in_use, deferred_blocks, free_blocks, largest_free_bytes,
            alignment_waste_bytes, free_histogram, free_histogram_bytes
        }
        hs_region_block { pointer, bytes, state }
        hs_region_state {}
        hs_offset_region { opaque }
        hs_offset_block { offset, node, generation }
        hs_offset_region_statistics {
            size, blocks, free_blocks, failed_requests, nodes, nodes_in_use, total_bytes,
            in_use_bytes, available_bytes, largest_free_bytes, waste_bytes, peak_bytes
        }
        hs_offset_region_view { block, bytes, in_use }
        hs_shared_region { segment }
    };
    assert_eq!(complaints(&text), "");
    assert_ne!(complaints("_Static_assert(sizeof(hs_statistics) == 1, \"\");\n"), "");
}

macro_rules! constants {
    ($($name:ident),*) => {
        String::new() $(
            + &format!("_Static_assert({0} == {1}, \"{0}\");\n", stringify!($name), $name)
        )*
    };
}

#[test]
fn constants_have_their_values() {
    let mut text = constants! {
        HEAPSMITH_VERSION_MAJOR, HEAPSMITH_VERSION_MINOR, HEAPSMITH_VERSION_PATCH, HS_REGION_BYTES,
        HS_REGION_BUFFERS, HS_REGION_HISTOGRAM, HS_REGION_FREE, HS_REGION_IN_USE,
        HS_REGION_DEFERRED, HS_OFFSET_REGION_BYTES, HS_OFFSET_REGION_NODE_BYTES,
        HS_OFFSET_REGION_PIECES, HS_SHARED_REGION_CONTROL_BYTES, HS_SHARED_REGION_ROOTS
    };
    text += &format!(
        "_Static_assert(HS_OFFSET_REGION_TABLE_BYTES(7) == {}, \"table\");\n",
        hs_offset_region_table_bytes(7)
    );
    assert_eq!(complaints(&text), "");
    let parts = [HEAPSMITH_VERSION_MAJOR, HEAPSMITH_VERSION_MINOR, HEAPSMITH_VERSION_PATCH];
    assert_eq!(parts.map(|n| n.to_string()).join("."), env!("CARGO_PKG_VERSION"));
}

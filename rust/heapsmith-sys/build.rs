//! Compiles the C++ core from the same sources and with the same flags as `libheapsmith.a`.
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The items of `set(NAME item…)` in one of our CMake files, which does not quote them.
fn cmake_list(file: &str, name: &str) -> Vec<String> {
    let path = format!("core/cmake/{file}");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let start = text.find(&format!("set({name}\n")).unwrap_or_else(|| panic!("{path}: no {name}"));
    let list = text[start..].split(')').next().expect("split() yields something");
    list.split_whitespace().skip(1).map(str::to_owned).collect()
}

/// Files that each include the sources of a folder, for the compiler to read their headers once.
fn joined(sources: &[&String]) -> Vec<PathBuf> {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let folder = |source: &String| Path::new(source).parent().map(Path::to_owned);
    let by_folder = sources.chunk_by(|a, b| folder(a) == folder(b));
    let write = |(number, of_folder): (usize, &[&String])| {
        let path = out.join(format!("seldom_run_{number}.cpp"));
        let lines: String = of_folder.iter().map(|s| format!("#include \"{s}\"\n")).collect();
        fs::write(&path, lines).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        path
    };
    by_folder.enumerate().map(write).collect()
}

/// The lists of sources that the enabled features need.
fn source_lists(is_linux: bool) -> Vec<&'static str> {
    let is_enabled = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    let (has_heap, has_region) = (is_linux && is_enabled("HEAP"), is_enabled("REGION"));
    let lists = [
        (has_heap, "HEAPSMITH_SOURCES"),
        (has_region, "HEAPSMITH_REGION_SOURCES"),
        (has_region && is_linux, "HEAPSMITH_SHARED_REGION_SOURCES"),
        (has_region && is_linux && !has_heap, "HEAPSMITH_LINUX_REGION_SOURCES"),
        (has_region && !is_linux, "HEAPSMITH_WINDOWS_SOURCES"),
    ];
    lists.into_iter().filter_map(|(is_needed, list)| is_needed.then_some(list)).collect()
}

/// A line that says what to install, if the compiler cannot be started.
fn missing_compiler() -> Option<String> {
    let found = compiler().try_get_compiler();
    let path = match &found {
        Ok(tool) if tool.to_command().arg("--version").output().is_ok() => return None,
        Ok(tool) => tool.path().display().to_string(),
        Err(_) => "a C++ compiler".to_owned(),
    };
    Some(format!(
        "heapsmith compiles its C++ core, and {path} was not found: install g++ (11 or newer) or \
         clang++ (14 or newer), or set CXX"
    ))
}

/// The compiler with the flags for every source of the core.
fn compiler() -> cc::Build {
    let mut build = cc::Build::new();
    build.cpp(true).cpp_link_stdlib(None).std("c++20").include("core/include").include("core/src");
    // Without optimization, the allocator would be the slowest part of any debug build.
    build.opt_level(2).define("NDEBUG", None).warnings(false);
    build.flags(cmake_list("runtime_free.cmake", "HEAPSMITH_RUNTIME_FREE_FLAGS"));
    if env::var_os("CARGO_FEATURE_LOCAL_DYNAMIC_TLS").is_some() {
        build.flag("-ftls-model=local-dynamic"); // after the other model, which it replaces
    }
    if build.get_compiler().is_like_gnu() {
        build.flags(cmake_list("runtime_free.cmake", "HEAPSMITH_RUNTIME_FREE_GCC_FLAGS"));
    }
    build
}

fn main() {
    for tracked in ["build.rs", "core/cmake", "core/include", "core/src", "src/stay_loaded.cpp"] {
        println!("cargo::rerun-if-changed={tracked}");
    }
    let target = |key: &str| env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    let is_linux = match [target("OS").as_str(), &target("ARCH"), &target("ENV")] {
        ["linux", "x86_64" | "aarch64", _] => true,
        ["windows", "x86_64", "gnu"] => false,
        _ => {
            println!(
                "cargo::error=the C++ core is for Linux (x86-64, aarch64) and x86_64-pc-windows-gnu"
            );
            println!("cargo::error=build heapsmith without its features \"heap\" and \"region\"");
            return;
        }
    };

    if !Path::new("core/src/adapt").exists() {
        println!(
            "cargo::error=the C++ sources are missing: heapsmith-sys/core has links to them, which \
             `cp -rL` follows when it copies heapsmith's folder rust"
        );
        return;
    }

    let lists = source_lists(is_linux);
    if lists.is_empty() {
        return;
    }
    if let Some(line) = missing_compiler() {
        println!("cargo::error={line}");
        return;
    }
    let sources: Vec<_> = lists.iter().flat_map(|list| cmake_list("sources.cmake", list)).collect();
    let seldom_run = cmake_list("sources.cmake", "HEAPSMITH_SELDOM_RUN_SOURCES");
    let in_core = |source: &String| format!("core/src/{source}");
    let is_small = |source: &&String| seldom_run.contains(source);

    // Compiled apart, the many short files that seldom run would take four times as long.
    let small: Vec<_> = sources.iter().filter(is_small).collect();
    let small = compiler().opt_level_str("s").files(joined(&small)).compile_intermediates();
    let fast = sources.iter().filter(|source| !is_small(source)).map(in_core);
    // The whole archive is linked, so that code that runs at the start and end of a process is.
    let mut library = compiler();
    if lists.contains(&"HEAPSMITH_SOURCES") {
        library.file("src/stay_loaded.cpp").link_lib_modifier("+whole-archive");
    }
    library.files(fast).objects(small).compile("heapsmith");
}

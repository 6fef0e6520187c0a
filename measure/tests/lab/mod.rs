//! The launcher, the probe and small programs that tests run: those of a build, or compiled here.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const PROGRAMS: [&str; 10] = [
    "launcher",
    "libprobe.so",
    "libheapsmith_recorder.so",
    "replayer",
    "libcontrol_plain.so",
    "libcontrol_slow.so",
    "libcontrol_leaky.so",
    "libcontrol_fresh.so",
    "pairs",
    "one-malloc",
];

/// HEAPSMITH_LAB_DIR, the lab of the release build, or one compiled here.
pub fn lab() -> &'static Path {
    static LAB: OnceLock<PathBuf> = OnceLock::new();
    LAB.get_or_init(|| {
        let built = source("build/release/lab");
        let named = std::env::var_os("HEAPSMITH_LAB_DIR").map(PathBuf::from);
        let places = named.into_iter().chain([built]);
        let complete = |lab: &PathBuf| PROGRAMS.iter().all(|name| lab.join(name).is_file());
        places.into_iter().find(complete).unwrap_or_else(build_lab)
    })
}

/// A file of the repository.
pub fn source(path: &str) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().find(|folder| folder.join("lab/contenders.toml").is_file());
    root.expect("the package lies in the repository").join(path)
}

fn build_lab() -> PathBuf {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
    let folder = folder.join("lab");
    std::fs::create_dir(&folder).expect("a folder");
    let launcher = ["lab/launcher/launcher.c", "lab/launcher/stop_tree.c"];
    cc(&["-static"], &launcher, &folder.join("launcher"));
    cc(&["-shared", "-fPIC"], &["lab/launcher/probe.c"], &folder.join("libprobe.so"));
    build_recorder(&folder.join("libheapsmith_recorder.so"));
    build_replayer(&folder.join("replayer"));
    for fault in ["PLAIN", "SLOW", "LEAKY", "FRESH"] {
        let library = folder.join(format!("libcontrol_{}.so", fault.to_lowercase()));
        let options = ["-shared", "-fPIC", "-fno-builtin", &format!("-D{fault}")];
        cc(&options, &["lab/controls/controls.c"], &library);
    }
    cc(&["-fno-builtin"], &["bench/instructions/pairs.c"], &folder.join("pairs"));
    cc(&[], &["lab/workloads/one_malloc.c"], &folder.join("one-malloc"));
    folder
}

fn build_recorder(output: &Path) {
    let options = ["-shared", "-ftls-model=initial-exec", "-fvisibility=hidden"];
    cxx(&options, &["lab/recorder", "src/watch/record"], output);
}

fn build_replayer(output: &Path) {
    cxx(&["-pthread", "-ldl"], &["lab/replayer"], output);
}

/// Compiles the C++ files of some folders, without a C++ runtime.
fn cxx(options: &[&str], folders: &[&str], output: &Path) {
    let sources = folders.iter().flat_map(|at| std::fs::read_dir(source(at)).expect("a folder"));
    let sources = sources.map(|entry| entry.expect("an entry").path());
    let mut command = Command::new("c++");
    command.args(["-std=gnu++20", "-O2", "-fPIC", "-fno-exceptions", "-fno-rtti"]);
    command.args(["-fno-builtin-malloc", "-fno-omit-frame-pointer", "-fno-threadsafe-statics"]);
    command.arg("-I").arg(source("src")).arg("-I").arg(source("include"));
    command.args(sources.filter(|path| path.extension().is_some_and(|end| end == "cpp")));
    let status = command.args(options).arg("-o").arg(output).status().expect("c++ runs");
    assert!(status.success(), "c++ builds {folders:?}");
}

pub fn cc(options: &[&str], sources: &[&str], output: &Path) {
    let sources = sources.iter().map(|path| source(path));
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-D_GNU_SOURCE", "-O2"]).args(options).args(sources);
    let status = command.arg("-o").arg(output).status().expect("cc runs");
    assert!(status.success(), "cc builds {}", output.display());
}

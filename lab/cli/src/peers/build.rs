//! Makes a shared library of an allocator's sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::steps::{Step, Steps};
use super::tools::{CC, CXX, MAKE, Tool};
use heapsmith_measure::contender::{Build, Contender, Language, Source};

/// The progress steps that building takes: compiling and linking, or configuring and making.
pub fn count(source: &Source) -> usize {
    match &source.build {
        Build::Compile { units, .. } => units.values().map(Vec::len).sum::<usize>() + 2,
        Build::Configure { .. } => 2,
    }
}

/// Leaves the library in `output` under the name that is preloaded.
pub fn build(
    steps: &Steps,
    contender: &Contender,
    source: &Source,
    sources: &Path,
    output: &Path,
) -> Result<()> {
    let folder = sources.join(&source.folder);
    let library = output.join(&contender.preload[0]);
    match &source.build {
        Build::Compile { language, units, flags, link } => {
            let version = contender.pinned.as_deref().unwrap_or_default();
            let version = version_unit(sources, version)?;
            let files = units.iter().flat_map(|(below, names)| {
                names.iter().map(move |name| Path::new(below).join(name))
            });
            let files: Vec<PathBuf> = files.chain([version]).collect();
            let compiler = if *language == Language::C { CC } else { CXX };
            let objects = compile(steps, compiler, &folder, &files, flags)?;
            let mut command = compiler.command();
            command.arg("-shared").arg("-o").arg(&library).args(objects).args(link);
            command.arg("-Wl,--no-undefined");
            steps.run(Step::new(format!("linking with {}", compiler.shown()), command))
        }
        Build::Configure { script, flags, target, library: made } => {
            fs::copy(folder.join(script), folder.join("configure"))
                .with_context(|| format!("{script} is not in the package"))?;
            let mut configure = Command::new("sh");
            configure.arg("./configure").args(flags).current_dir(&folder);
            steps.run(Step::new("configure", configure))?;
            let mut make = MAKE.command();
            make.arg(format!("-j{}", at_once())).arg(target).current_dir(&folder);
            steps.run(Step::new(MAKE.shown(), make))?;
            fs::copy(folder.join(made), &library)
                .with_context(|| format!("make left no {made}"))?;
            Ok(())
        }
    }
}

/// Compiles `files` of `folder` with several compilers at once. Returns the object files.
fn compile(
    steps: &Steps,
    compiler: Tool,
    folder: &Path,
    files: &[PathBuf],
    flags: &[String],
) -> Result<Vec<PathBuf>> {
    let objects = folder.join("heapsmith-objects");
    fs::create_dir(&objects)?;
    let mut all = Vec::new();
    let mut made = Vec::new();
    for (index, file) in files.iter().enumerate() {
        // Two files of different folders may have the same name.
        let object = objects.join(format!("{index}.o"));
        let mut command = compiler.command();
        command.args(flags).args(["-fPIC", "-c"]).arg(file).arg("-o").arg(&object);
        command.current_dir(folder);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        all.push(Step::new(format!("compiling {name}"), command));
        made.push(object);
    }
    steps.run_all(all, at_once())?;
    Ok(made)
}

fn at_once() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A source file with the function that tells the probe the version: some libraries have none.
fn version_unit(sources: &Path, version: &str) -> Result<PathBuf> {
    let path = sources.join("heapsmith_peer_version.c");
    let text = format!(
        "#ifdef __cplusplus\nextern \"C\"\n#endif\n\
         __attribute__((visibility(\"default\"))) const char* heapsmith_peer_version(void);\n\
         const char* heapsmith_peer_version(void) {{ return \"{version}\"; }}\n"
    );
    fs::write(&path, text)?;
    Ok(path)
}

//! The recorder in another process: how it is loaded, started and stopped. A process of its own, the
//! guardian, does this.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use heapsmith_measure::error::environment;

use super::functions::{Functions, function_in};
use super::guardian::{Guardian, Said};
use super::injected_call::Caller;
use super::process::Process;
use super::safe_point;

/// The `attach_result` of lab/recorder/attach.cpp.
#[derive(Clone, Copy, Debug)]
pub struct Attached {
    status: u32,
    error: i32,
    pub live_bytes: u64,
    /// Whether the allocator told them; else it is the anonymous memory of the process.
    pub is_told_by_allocator: bool,
    entries: u32,
    /// The address of two words of 32 bits: the number of the file, and whether to stop.
    mark: u64,
}

impl Attached {
    const BYTES: usize = 32;

    fn of(bytes: &[u8; Self::BYTES]) -> Self {
        let u32_at = |n: usize| u32::from_le_bytes(bytes[n..n + 4].try_into().expect("four bytes"));
        let u64_at =
            |n: usize| u64::from_le_bytes(bytes[n..n + 8].try_into().expect("eight bytes"));
        Self {
            status: u32_at(0),
            error: u32_at(4) as i32,
            live_bytes: u64_at(8),
            is_told_by_allocator: u32_at(16) == 1,
            entries: u32_at(20),
            mark: u64_at(24),
        }
    }
}

/// A process that is being recorded.
pub struct Recording<'a> {
    process: &'a Process,
    guardian: Guardian,
    pub attached: Attached,
}

/// Loads `library` into the process and has it record into `folder`. If this process ends without
/// `Recording::stop`, the recording ends.
pub fn attach<'a>(process: &'a Process, library: &Path, folder: &Path) -> Result<Recording<'a>> {
    let (guardian, bytes) = Guardian::start(|said: &mut Said| {
        match load(process, library, folder) {
            Ok((begun, bytes)) => {
                said.tell(&Ok(bytes.to_vec()));
                said.wait(); // until it is to end, or the other process has ended
                said.tell(&begun.stop().map(|()| Vec::new()));
            }
            Err(error) => said.tell(&Err(error)),
        }
    })?;
    let bytes: [u8; Attached::BYTES] = bytes.try_into().expect("the result of load");
    Ok(Recording { process, guardian, attached: Attached::of(&bytes) })
}

/// A recorder that has begun. Of the guardian.
struct Begun<'a> {
    process: &'a Process,
    library: PathBuf,
    stop: u64,
}

fn load<'a>(
    process: &'a Process,
    library: &Path,
    folder: &Path,
) -> Result<(Begun<'a>, [u8; Attached::BYTES])> {
    let functions = Functions::find(process)?;
    require_no_other_recorder(process, library)?;
    process.require_same_file(library)?;
    process.require_same_file(folder)?;
    let thread = safe_point::find(process, &functions)?;
    let mut caller = Caller::new(thread, process, &functions)?;
    let loading = (libc::RTLD_NOW | libc::RTLD_NODELETE) as u64;
    let handle =
        caller.call_with_text(functions.dlopen, library.as_os_str().as_bytes(), loading)?;
    if handle == 0 {
        let text = caller.call(functions.dlerror, &[])?;
        let (id, why) = (process.id, caller.read_text(text));
        return Err(environment(format!("process {id} cannot load the recorder: {why}")));
    }
    let start = function_in(process, library, "heapsmith_recorder_attach")?;
    let stop = function_in(process, library, "heapsmith_recorder_stop")?;
    let at = caller.call_with_text(start, folder.as_os_str().as_bytes(), 0)?;
    drop(caller);
    let mut bytes = [0; Attached::BYTES];
    process.read(at, &mut bytes)?;
    let attached = Attached::of(&bytes);
    let id = process.id;
    let begun = Begun { process, library: library.to_path_buf(), stop };
    let line = match (attached.status, attached.entries) {
        (0, 1..) => return Ok((begun, bytes)),
        (0, 0) => {
            if begun.stop().is_err() {
                end_by_mark(process, &attached);
            }
            format!("process {id} calls no allocator that the recorder can intercept")
        }
        (1, _) => format!("process {id} is being recorded already"),
        (2, _) => format!("process {id}: no allocator was found, or the recorder is preloaded"),
        _ => {
            let why = std::io::Error::from_raw_os_error(attached.error);
            format!("process {id} cannot make a file in {}: {why}", folder.display())
        }
    };
    Err(environment(line))
}

/// The recorder of another heapsmith would record this one's calls.
fn require_no_other_recorder(process: &Process, library: &Path) -> Result<()> {
    let id = process.id;
    for part in process.maps()? {
        let path = Path::new(OsStr::from_bytes(&part.file));
        let is_recorder = path.file_name() == library.file_name();
        if is_recorder && path != library {
            return Err(environment(format!(
                "process {id} has another recorder, {}: use the heapsmith beside it, or restart \
                 the program",
                path.display()
            )));
        }
    }
    let environ = std::fs::read(process.file("environ")).unwrap_or_default();
    let mut variables = environ.split(|&byte| byte == 0);
    if variables.any(|variable| variable.starts_with(b"HEAPSMITH_RECORD_DIR=")) {
        let line = format!("process {id} is being recorded by `heapsmith record` from its start");
        return Err(environment(line));
    }
    Ok(())
}

/// The next event of each thread sees it. Each call then takes a little longer than before.
fn end_by_mark(process: &Process, attached: &Attached) {
    let no_file_and_stopped = [0u32.to_le_bytes(), 1u32.to_le_bytes()].concat();
    process.write(attached.mark, &no_file_and_stopped).ok(); // it fails if it ended
}

impl Recording<'_> {
    /// Ends the recording. The process goes on, and the library stays in it. Returns: whether its
    /// calls go to the allocator again.
    pub fn stop(self) -> bool {
        let has_stopped = self.guardian.finish();
        if !has_stopped && self.process.is_there() {
            end_by_mark(self.process, &self.attached);
        }
        has_stopped
    }
}

impl Begun<'_> {
    fn stop(&self) -> Result<()> {
        let functions = Functions::find(self.process)?;
        // exec may have taken the library away.
        let stop = function_in(self.process, &self.library, "heapsmith_recorder_stop")?;
        if stop != self.stop || !self.process.is_there() {
            return Err(environment("the program is another one now"));
        }
        let thread = safe_point::find(self.process, &functions)?;
        Caller::new(thread, self.process, &functions)?.call(stop, &[])?;
        Ok(())
    }
}

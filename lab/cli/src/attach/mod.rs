//! `heapsmith record -p`: loads the recorder into a running process, and stops it there again.
//! docs/recording.md and docs/design/traces.md describe the method.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod functions;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod guardian;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod injected_call;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod process;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod remote_recorder;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod restart;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod safe_point;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod system_calls;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod thread;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod verb;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod waits;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use verb::run;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn run(_: &crate::args::record::RecordArgs, _: u32) -> anyhow::Result<u8> {
    let line =
        "`heapsmith record -p` needs Linux on x86-64; start the program with `heapsmith record`";
    Err(heapsmith_measure::error::environment(line))
}

//! The machine a result is about.

use std::ffi::CStr;
use std::fs;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    pub cpu: String,
    pub cpus: usize,
    pub memory_bytes: u64,
    pub kernel: String,
    pub os: String,
    pub libc: String,
    pub governor: String,
    pub transparent_huge_pages: String,
}

impl Machine {
    pub fn look() -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        // SAFETY: glibc returns a pointer to a constant string.
        let libc = unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) };
        Self {
            cpu: field("/proc/cpuinfo", "model name", ':'),
            cpus,
            memory_bytes: meminfo_bytes("MemTotal").unwrap_or(0),
            kernel: line("/proc/sys/kernel/osrelease"),
            os: field("/etc/os-release", "PRETTY_NAME", '='),
            libc: format!("glibc {}", libc.to_string_lossy()),
            governor: governor().unwrap_or_else(|| "unknown".to_string()),
            transparent_huge_pages: huge_pages().unwrap_or_else(|| "unknown".to_string()),
        }
    }
}

/// A one-line file of /proc or /sys; empty when it is not there.
pub fn line(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_string()
}

fn field(path: &str, name: &str, separator: char) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut pairs = text.lines().filter_map(|line| line.split_once(separator));
    let value = pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value);
    value.map_or("unknown".to_string(), |value| value.trim().trim_matches('"').to_string())
}

pub fn meminfo_bytes(name: &str) -> Option<u64> {
    let value = field("/proc/meminfo", name, ':');
    let kib: u64 = value.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

pub fn governor() -> Option<String> {
    let value = line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    (!value.is_empty()).then_some(value)
}

/// The mode in brackets: `always [madvise] never` is madvise.
pub fn huge_pages() -> Option<String> {
    let text = line("/sys/kernel/mm/transparent_hugepage/enabled");
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_string())
}

//! Conditions on this machine that would disturb a measurement, and how to mend each.

use std::fs;

use super::busy;
use heapsmith_measure::machine::{governor, huge_pages, line, meminfo_bytes};
use heapsmith_measure::metric::show_bytes;
use heapsmith_measure::others::{BUSY_CPUS, Taken, Watch};
use heapsmith_measure::progress::counted;

/// Below this, a program under test may be pushed out to swap or meet the out-of-memory killer.
const LOW_MEMORY_BYTES: u64 = 1 << 30;
const NAMED_PROCESSES: usize = 5;

#[derive(Debug)]
pub struct Disturbance {
    pub what: String,
    pub mend: String,
    /// It takes CPU time, now.
    pub is_other_work: bool,
}

fn other_work(what: String, mend: &str) -> Option<Disturbance> {
    Some(Disturbance { what, mend: mend.to_string(), is_other_work: true })
}

fn found(what: String, mend: &str) -> Option<Disturbance> {
    Some(Disturbance { what, mend: mend.to_string(), is_other_work: false })
}

/// Whether nothing takes CPU time from a program that is measured, in one sentence.
pub fn idleness(found: &[Disturbance]) -> String {
    let other_work = found.iter().filter(|one| one.is_other_work).count();
    match other_work {
        0 => "this machine is idle enough to measure".to_string(),
        _ => "this machine is not idle enough to measure: other work takes CPU time".to_string(),
    }
}

/// Everything that would disturb, worst first.
pub fn look() -> Vec<Disturbance> {
    let checks = [
        busy_processes,
        stolen,
        load,
        frequency_governor,
        turbo,
        few_cpus,
        low_memory,
        swap,
        overcommit,
        transparent_huge_pages,
        preload_already_set,
        traced,
        allocator_settings,
        address_space_limit,
    ];
    checks.iter().filter_map(|check| check()).collect()
}

fn load() -> Option<Disturbance> {
    let text = line("/proc/loadavg");
    let load: f64 = text.split(' ').next()?.parse().ok()?;
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if load < 0.3 * cpus as f64 {
        return None;
    }
    other_work(
        format!(
            "the load is {load:.2} on {}: other work takes time from the program",
            counted(cpus, "CPU")
        ),
        "stop or wait for other work; interleaved rounds lessen its effect, they do not remove it",
    )
}

fn frequency_governor() -> Option<Disturbance> {
    let governor = governor().filter(|governor| governor != "performance")?;
    found(
        format!("the CPU frequency governor is {governor}: the clock changes while measuring"),
        "cpupower frequency-set -g performance",
    )
}

fn turbo() -> Option<Disturbance> {
    let intel = line("/sys/devices/system/cpu/intel_pstate/no_turbo") == "0";
    let generic = line("/sys/devices/system/cpu/cpufreq/boost") == "1";
    let mend = match (intel, generic) {
        (true, _) => "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo",
        (_, true) => "echo 0 > /sys/devices/system/cpu/cpufreq/boost",
        _ => return None,
    };
    found("turbo is on: the clock depends on heat and on how many cores are busy".into(), mend)
}

fn few_cpus() -> Option<Disturbance> {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if cpus > 2 {
        return None;
    }
    found(
        format!(
            "only {} may be used: results of more threads measure the scheduler too",
            counted(cpus, "CPU")
        ),
        "use a larger machine for questions about scaling; check taskset and the cgroup's limit",
    )
}

fn low_memory() -> Option<Disturbance> {
    let free = meminfo_bytes("MemAvailable")?;
    if free >= LOW_MEMORY_BYTES {
        return None;
    }
    found(
        format!(
            "only {} of memory is available: reclaim would be measured",
            show_bytes(free as f64)
        ),
        "stop what uses memory, or measure a smaller case",
    )
}

fn swap() -> Option<Disturbance> {
    let used = meminfo_bytes("SwapTotal")?.saturating_sub(meminfo_bytes("SwapFree")?);
    if used == 0 {
        return None;
    }
    found(
        format!(
            "{} is swapped out: peak RSS does not count swapped pages",
            show_bytes(used as f64)
        ),
        "swapoff -a (with enough free memory)",
    )
}

fn overcommit() -> Option<Disturbance> {
    if line("/proc/sys/vm/overcommit_memory") != "2" {
        return None;
    }
    found(
        "vm.overcommit_memory is 2: the kernel refuses the address space that some allocators \
         reserve"
            .into(),
        "sysctl vm.overcommit_memory=0, unless this is what production has",
    )
}

fn transparent_huge_pages() -> Option<Disturbance> {
    if huge_pages()? != "always" {
        return None;
    }
    found(
        "transparent huge pages are always on: peak RSS grows in steps of 2 MiB".into(),
        "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, unless production has always",
    )
}

fn preload_already_set() -> Option<Disturbance> {
    let value = std::env::var("LD_PRELOAD").ok().filter(|value| !value.is_empty())?;
    found(
        format!("LD_PRELOAD is already {value}: every contender runs with it too"),
        "unset LD_PRELOAD",
    )
}

fn traced() -> Option<Disturbance> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?.trim();
    if tracer == "0" {
        return None;
    }
    found(
        format!("process {tracer} traces this one: every system call is slowed down"),
        "measure without the debugger or strace",
    )
}

/// Names that change how an allocator behaves.
fn allocator_settings() -> Option<Disturbance> {
    let tunes = |name: &str| {
        ["MALLOC_", "MIMALLOC_", "TCMALLOC_", "TBB_MALLOC_", "GLIBC_TUNABLES", "HEAPSMITH_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
            && !["HEAPSMITH_CACHE_DIR", "HEAPSMITH_LAB_DIR", "HEAPSMITH_PRELOAD"].contains(&name)
    };
    let names: Vec<String> = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| tunes(name))
        .collect();
    if names.is_empty() {
        return None;
    }
    found(format!("the environment tunes an allocator: {}", names.join(", ")), "unset them")
}

fn address_space_limit() -> Option<Disturbance> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a live struct of the right type.
    let failed = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } != 0;
    if failed || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    found(
        format!("the address space is limited to {}", show_bytes(limit.rlim_cur as f64)),
        "ulimit -v unlimited, unless production has the limit",
    )
}

/// The CPU time that other machines on the host take.
fn stolen() -> Option<Disturbance> {
    let watch = Watch::begin();
    std::thread::sleep(busy::WATCH);
    of_stolen(watch.end()?)
}

fn of_stolen(taken: Taken) -> Option<Disturbance> {
    let cpus = taken.by_host;
    if cpus <= BUSY_CPUS {
        return None;
    }
    other_work(
        format!("other machines on the host took {cpus:.2} CPUs from this one"),
        "wait, or measure on a host that is not shared",
    )
}

fn busy_processes() -> Option<Disturbance> {
    let named: Vec<_> = busy::look()
        .iter()
        .take(NAMED_PROCESSES)
        .map(|(name, share)| format!("{name} {:.0} %", 100.0 * share))
        .collect();
    if named.is_empty() {
        return None;
    }
    other_work(format!("busy processes: {}", named.join(", ")), "stop them or wait for them")
}

#[cfg(test)]
mod tests {
    //! Every finding is of use.
    use super::*;

    #[test]
    fn every_disturbance_says_how_to_mend_it() {
        assert!(look().iter().all(|found| !found.what.is_empty() && !found.mend.is_empty()));
    }

    #[test]
    fn stolen_time_is_other_work_and_settings_are_not() {
        let of = |by_host| of_stolen(Taken { by_processes: 0.0, by_host });
        assert!(of(0.05).is_none());
        let stolen = of(0.42).expect("that is much");
        assert!(stolen.what.contains("took 0.42 CPUs"), "{}", stolen.what);
        assert!(idleness(&[stolen]).contains("not idle enough"));
        let setting = found("turbo is on".to_string(), "turn it off").expect("a finding");
        assert!(!idleness(&[setting]).contains("not") && !idleness(&[]).contains("not"));
    }
}

//! The processes that use the CPU while we watch.

use std::fs;
use std::path::Path;
use std::time::Duration;

use heapsmith_measure::others::BUSY_CPUS;
use heapsmith_measure::proc::text_of;

pub const WATCH: Duration = Duration::from_millis(500);

/// The processes other than ourselves that are busy, with their shares of a CPU, busiest first.
pub fn look() -> Vec<(String, f64)> {
    let before = cpu_ticks_of_all();
    std::thread::sleep(WATCH);
    let own = std::process::id();
    // SAFETY: sysconf has no preconditions.
    let ticks_per_s = unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64;
    let share = |now: &Process| {
        let then = before.iter().find(|process| process.pid == now.pid)?;
        let ticks = now.ticks.saturating_sub(then.ticks);
        Some(ticks as f64 / ticks_per_s / WATCH.as_secs_f64())
    };
    let mut busy: Vec<(String, f64)> = cpu_ticks_of_all()
        .iter()
        .filter(|process| process.pid != own)
        .filter_map(|now| Some((format!("{} ({})", now.name, now.pid), share(now)?)))
        .filter(|(_, share)| *share > BUSY_CPUS)
        .collect();
    busy.sort_by(|left, right| right.1.total_cmp(&left.1));
    busy
}

struct Process {
    pid: u32,
    name: String,
    ticks: u64,
}

fn cpu_ticks_of_all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries.filter_map(|entry| process(&entry.ok()?.path())).collect()
}

/// User and system ticks: fields 14 and 15 of stat, counted after the name's closing parenthesis.
fn process(folder: &Path) -> Option<Process> {
    let pid = folder.file_name()?.to_str()?.parse().ok()?;
    let stat = text_of(folder.join("stat")).ok()?;
    let (head, tail) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_string();
    let mut fields = tail.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Process { pid, name, ticks: ticks()? + ticks()? })
}

#[cfg(test)]
mod tests {
    //! Reading /proc of ourselves, and noticing real work.
    use super::*;

    #[test]
    fn our_own_process_is_read() {
        let own = Path::new("/proc/self").canonicalize().expect("proc");
        let own = process(&own).expect("stat is readable");
        assert_eq!(own.pid, std::process::id());
        assert!(!own.name.is_empty());
    }

    #[test]
    fn a_spinning_process_is_busy() {
        let script = "while :; do :; done";
        let mut child =
            std::process::Command::new("sh").args(["-c", script]).spawn().expect("sh runs");
        let pid = format!("({})", child.id());
        let mut seen = false;
        // On a loaded machine its share may be small at first.
        for _ in 0..20 {
            seen = seen || look().iter().any(|(name, _)| name.ends_with(&pid));
        }
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        assert!(seen);
    }
}

//! The CPU time that other work took while something was measured.

use std::time::Instant;

use crate::machine::line;

/// Above this many CPUs, other work disturbs a measurement.
pub const BUSY_CPUS: f64 = 0.10;

/// The CPUs that others used on average: 1 is a whole CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Taken {
    /// Processes that are neither this one nor started by it.
    pub by_processes: f64,
    /// Other machines on the same host.
    pub by_host: f64,
}

impl Taken {
    pub fn disturbs(&self) -> bool {
        self.by_processes.max(self.by_host) > BUSY_CPUS
    }

    /// "other processes took 0.42 CPUs, other machines 0.03".
    pub fn describe(&self) -> String {
        let Self { by_processes, by_host } = self;
        format!("other processes took {by_processes:.2} CPUs, other machines {by_host:.2}")
    }
}

/// CPU seconds since the start of the machine, and of this process with those it has waited for.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    all_s: f64,
    stolen_s: f64,
    own_s: f64,
}

/// A span of time that is watched.
pub struct Watch {
    began: Instant,
    before: Option<Spent>,
}

impl Watch {
    pub fn begin() -> Self {
        Self { began: Instant::now(), before: Spent::look() }
    }

    /// The CPUs that others used since the beginning; none where the kernel does not tell.
    pub fn end(&self) -> Option<Taken> {
        Some(taken(self.before?, Spent::look()?, self.began.elapsed().as_secs_f64()))
    }
}

fn taken(before: Spent, after: Spent, wall_s: f64) -> Taken {
    let all_s = after.all_s - before.all_s;
    let own_s = after.own_s - before.own_s;
    // The kernel counts all time in ticks and ours exactly, so the difference may be below zero.
    let cpus = |seconds: f64| (seconds / wall_s.max(1e-9)).max(0.0);
    Taken { by_processes: cpus(all_s - own_s), by_host: cpus(after.stolen_s - before.stolen_s) }
}

impl Spent {
    fn look() -> Option<Self> {
        // SAFETY: sysconf has no preconditions.
        let ticks_per_s = unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64;
        let all = line("/proc/stat");
        let (all, stolen) = ticks(all.lines().next()?)?;
        let own_s = used_s(libc::RUSAGE_SELF)? + of_children_s()?;
        Some(Self { all_s: all / ticks_per_s, stolen_s: stolen / ticks_per_s, own_s })
    }
}

/// The ticks in which a CPU worked for this machine, and those it lost to others on the host: the
/// columns are user, nice, system, idle, waiting, interrupts, soft interrupts, stolen. Guests are
/// in user.
fn ticks(line: &str) -> Option<(f64, f64)> {
    let columns: Option<Vec<f64>> =
        line.strip_prefix("cpu ")?.split_whitespace().map(|it| it.parse().ok()).collect();
    let columns = columns.filter(|it| it.len() >= 8)?;
    Some((columns[0..3].iter().chain(&columns[5..7]).sum(), columns[7]))
}

/// Processor time of the children that were waited for, in seconds.
pub fn of_children_s() -> Option<f64> {
    used_s(libc::RUSAGE_CHILDREN)
}

fn used_s(who: libc::c_int) -> Option<f64> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a struct of the right type, which zeroes are valid for.
    let usage = unsafe {
        if libc::getrusage(who, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    Some(seconds(usage.ru_utime) + seconds(usage.ru_stime))
}

#[cfg(test)]
mod tests {
    //! Columns of /proc/stat, and made-up times.
    use super::*;

    #[test]
    fn waiting_and_guests_are_no_work() {
        let text = "cpu  100 20 3 9000 800 40 5 60 70 8";
        assert_eq!(ticks(text), Some((168.0, 60.0)));
        assert_eq!(ticks("cpu0 100 20 3 9000 800 40 5 60 70 8"), None);
        assert_eq!(ticks("cpu  1 2 3 4 5 6 7"), None, "an old kernel");
        assert!(Spent::look().is_some_and(|spent| spent.all_s > 0.0 && spent.own_s > 0.0));
    }

    #[test]
    fn what_is_left_of_all_work_is_that_of_others() {
        let before = Spent { all_s: 100.0, stolen_s: 5.0, own_s: 10.0 };
        let after = Spent { all_s: 103.0, stolen_s: 5.5, own_s: 12.0 };
        let found = taken(before, after, 2.0);
        assert_eq!(found, Taken { by_processes: 0.5, by_host: 0.25 });
        assert_eq!(taken(before, Spent { own_s: 14.0, ..after }, 2.0).by_processes, 0.0);
    }

    #[test]
    fn either_kind_of_other_work_disturbs() {
        let of = |by_processes, by_host| Taken { by_processes, by_host }.disturbs();
        assert!(of(0.11, 0.0) && of(0.0, 0.11) && !of(0.10, 0.10));
    }

    #[test]
    fn own_work_is_not_that_of_others() {
        let spin = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done";
        // Other tests run meanwhile, so the least of several is taken.
        let watched = || {
            let (watch, before) = (Watch::begin(), Spent::look().expect("it tells"));
            let done = std::process::Command::new("sh").args(["-c", spin]).status();
            assert!(done.expect("sh runs").success());
            let own_s = Spent::look().expect("it tells").own_s - before.own_s;
            (own_s, watch.end().expect("it tells"))
        };
        let (own_s, _) = watched();
        assert!(own_s > 0.02, "{own_s}: the children count");
    }
}

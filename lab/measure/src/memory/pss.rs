//! The memory of a process tree at one moment.

use std::io::{self, ErrorKind};

use serde::{Deserialize, Serialize};

use crate::proc::text_of;
use crate::tree;

/// A tree of which processes come and go is read at most this often for one sample.
const READINGS: usize = 4;

/// The quantity that was sampled: the least exact one of all processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    Pss,
    /// Some process does not let its PSS be read, so pages that it shares count more than once.
    Rss,
}

/// The sum over the descendants of `root`, in bytes. None if none of them has memory.
///
/// The pages that a process shares move to the others when it ends. Processes are read one after
/// another, so a sum taken while one of them ended or began counts shared pages twice or not at all.
/// Such a sum is taken again.
pub fn of_descendants(root: i32) -> Option<(u64, Source)> {
    let mut processes = with_memory(root);
    let mut sum = sum_of(&processes);
    for _ in 1..READINGS {
        let after = with_memory(root);
        if after == processes {
            break;
        }
        processes = after;
        sum = sum_of(&processes);
    }
    sum.filter(|(bytes, _)| *bytes > 0)
}

fn sum_of(processes: &[i32]) -> Option<(u64, Source)> {
    let readings = processes.iter().filter_map(|&pid| of_process(pid));
    readings.reduce(|sum, one| (sum.0 + one.0, sum.1.max(one.1)))
}

/// The descendants of `root` that have not given up their memory.
fn with_memory(root: i32) -> Vec<i32> {
    tree::descendants(root).into_iter().filter(|&pid| resident(pid) > Some(0)).collect()
}

/// None if the process has ended.
pub fn of_process(pid: i32) -> Option<(u64, Source)> {
    either(read_pss(pid), || resident(pid))
}

fn either(
    pss: io::Result<Option<u64>>,
    rss: impl FnOnce() -> Option<u64>,
) -> Option<(u64, Source)> {
    match pss {
        Ok(pss) => pss.map(|bytes| (bytes, Source::Pss)),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Some((rss()?, Source::Rss)),
        Err(_) => None,
    }
}

fn read_pss(pid: i32) -> io::Result<Option<u64>> {
    // Linux before 4.14 has only the list of mappings.
    let text = match text_of(format!("/proc/{pid}/smaps_rollup")) {
        Err(error) if error.kind() == ErrorKind::NotFound => text_of(format!("/proc/{pid}/smaps"))?,
        other => other?,
    };
    Ok(sum_of_pss(&text))
}

fn sum_of_pss(text: &str) -> Option<u64> {
    let kib = |line: &str| -> Option<u64> {
        line.strip_prefix("Pss:")?.trim().strip_suffix(" kB")?.parse().ok()
    };
    text.lines().filter_map(kib).reduce(|sum, one| sum + one).map(|kib| kib * 1024)
}

fn resident(pid: i32) -> Option<u64> {
    let text = text_of(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

#[cfg(test)]
mod tests {
    //! Reading this very process and the two forms of the kernel's text.
    use super::*;

    #[test]
    fn the_summary_and_the_list_of_mappings_are_read() {
        let rollup =
            "55-7f ---p 00000000 00:00 0  [rollup]\nRss: 10 kB\nPss:    7 kB\nPss_Dirty: 1 kB\n";
        assert_eq!(sum_of_pss(rollup), Some(7 * 1024));
        assert_eq!(sum_of_pss("Pss: 2 kB\nx\nPss: 3 kB\n"), Some(5 * 1024));
        assert_eq!(sum_of_pss(""), None, "a process that is ending has no mappings");
    }

    #[test]
    fn a_process_that_keeps_its_pss_to_itself_counts_with_its_rss() {
        let refused = |kind: ErrorKind| either(Err(kind.into()), || Some(4096));
        assert_eq!(refused(ErrorKind::PermissionDenied), Some((4096, Source::Rss)));
        assert_eq!(refused(ErrorKind::NotFound), None, "it has ended");
        assert_eq!(either(Ok(Some(1)), || None), Some((1, Source::Pss)));
        assert_eq!(either(Ok(None), || Some(4096)), None, "it is ending");
    }

    #[test]
    fn this_process_has_memory_and_its_pss_is_at_most_its_rss() {
        let own = std::process::id() as i32;
        let (pss, source) = of_process(own).expect("it runs");
        assert_eq!(source, Source::Pss);
        let rss = resident(own).expect("it runs");
        assert!(pss > 64 << 10 && pss <= rss + (4 << 20), "PSS {pss}, RSS {rss}");
    }
}

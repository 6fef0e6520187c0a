//! The memory that a program which starts now can have: of the machine, of its control groups, and of
//! the limits of this process.

use std::fs;
use std::path::{Path, PathBuf};

use crate::machine::meminfo_bytes;

const GROUPS: &str = "/sys/fs/cgroup";

/// In bytes. None: the kernel does not tell.
pub fn available_bytes() -> Option<u64> {
    let machine =
        meminfo_bytes("MemAvailable")?.saturating_add(meminfo_bytes("SwapFree").unwrap_or(0));
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let groups = of_groups(Path::new(GROUPS), &own);
    let limits = [libc::RLIMIT_AS, libc::RLIMIT_DATA].map(limit);
    limits.into_iter().flatten().chain(groups).chain([machine]).min()
}

fn limit(kind: libc::__rlimit_resource_t) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes to `limit`, which is whole.
    let is_known = unsafe { libc::getrlimit(kind, &mut limit) } == 0;
    (is_known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// The least that a group of `own`, the text of /proc/self/cgroup, or one around it leaves.
fn of_groups(root: &Path, own: &str) -> Option<u64> {
    let left = own.lines().filter_map(|line| {
        let (kinds, path) = line.split_once(':')?.1.split_once(':')?;
        match kinds {
            "" => of_group(root, path, ["memory.max", "memory.current", "inactive_file"]),
            kinds if kinds.split(',').any(|kind| kind == "memory") => {
                let files =
                    ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"];
                of_group(&root.join("memory"), path, files)
            }
            _ => None,
        }
    });
    left.min()
}

fn of_group(root: &Path, path: &str, [limit, used, idle]: [&str; 3]) -> Option<u64> {
    let own: PathBuf = root.join(path.trim_start_matches('/'));
    let around = own.ancestors().take_while(|folder| folder.starts_with(root));
    let left = around.filter_map(|folder| {
        let number = |name: &str| {
            fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok() // "max" is no number
        };
        let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
        let its = |line: &str| line.strip_prefix(idle)?.trim().parse::<u64>().ok();
        let idle = stat.lines().find_map(its).unwrap_or(0); // the kernel takes it back first
        Some(number(limit)?.saturating_sub(number(used)?.saturating_sub(idle)))
    });
    left.min()
}

#[cfg(test)]
mod tests {
    //! Groups as files, and this machine.
    use super::*;

    #[test]
    fn the_smallest_group_around_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| folder.path().join(path);
        let write = |path: &str, text: &str| {
            fs::create_dir_all(at(path).parent().expect("a parent")).expect("a folder");
            fs::write(at(path), text).expect("written");
        };
        let of = |own: &str| of_groups(folder.path(), own);
        write("a/b/memory.max", "max\n");
        write("a/b/memory.current", "50\n");
        assert_eq!(of("0::/a/b\n"), None);
        write("a/memory.max", "1000\n");
        write("a/memory.current", "700\n");
        write("a/memory.stat", "anon 1\ninactive_file 500\n");
        assert_eq!(of("0::/a/b\n"), Some(800));
        write("memory/a/memory.limit_in_bytes", "90\n");
        write("memory/a/memory.usage_in_bytes", "100\n");
        assert_eq!(of("5:cpu,memory:/a\n0::/a/b\n"), Some(0));
        assert_eq!(of("5:cpu:/a\n"), None);
    }

    #[test]
    fn this_machine_has_some() {
        let bytes = available_bytes().expect("the kernel tells");
        assert!(bytes > 1 << 20 && bytes < 1 << 50, "{bytes}");
    }
}

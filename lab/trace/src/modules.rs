//! The files that were mapped into a program, from FILE.maps of the recorder.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::error::{Result, at};
use crate::regular::{self, Stamp};

/// A mapped part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub from: u64,
    pub to: u64,
    /// Where the part begins in the file.
    pub offset: u64,
    /// As the kernel wrote it: `path_of` has the path. A file that lost its name is "… (deleted)", since
    /// another file may have that name now.
    pub file: Vec<u8>,
    /// Of the file, when the list was written.
    pub stamp: Option<Stamp>,
}

/// The mappings with code that /proc/self/maps named, in the order of their addresses. If two
/// lists disagree, the later one is right: the library was loaded after the first.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    mappings: Vec<Mapping>,
}

impl Modules {
    pub fn read(path: &Path) -> Result<Self> {
        let mut text = Vec::new();
        match regular::open(path).and_then(|mut file| file.read_to_end(&mut text)) {
            Ok(_) => Ok(Self::parse(&text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(at(path)(error)),
        }
    }

    /// Lines that are neither a mapping with code of a file nor its stamp are left out.
    pub fn parse(text: &[u8]) -> Self {
        let mut mappings: Vec<Mapping> = Vec::new();
        for line in text.split(|&b| b == b'\n') {
            if let Some((from, stamp)) = stamp_of(line) {
                let last = mappings.last_mut().filter(|last| last.from == from);
                last.into_iter().for_each(|last| last.stamp = Some(stamp));
                continue;
            }
            let Some(mapping) = mapping_of(line) else { continue };
            mappings.retain(|old| old.to <= mapping.from || old.from >= mapping.to);
            mappings.push(mapping);
        }
        mappings.sort_by_key(|mapping| mapping.from);
        Self { mappings }
    }

    /// The mapping of the file, and the offset in it, that an address of code lies at.
    pub fn find(&self, address: u64) -> Option<(&Mapping, u64)> {
        let after = self.mappings.partition_point(|mapping| mapping.from <= address);
        let mapping = &self.mappings[after.checked_sub(1)?];
        (address < mapping.to).then(|| (mapping, address - mapping.from + mapping.offset))
    }
}

/// "stamp 7f00 4096 1700000000 000000005" is about the mapping at 7f00: bytes, seconds, nanoseconds.
fn stamp_of(line: &[u8]) -> Option<(u64, Stamp)> {
    let line = std::str::from_utf8(line.strip_prefix(b"stamp ")?).ok()?;
    let mut words = line.split(' ');
    let from = u64::from_str_radix(words.next()?, 16).ok()?;
    let bytes = words.next()?.parse().ok()?;
    let (s, ns): (i64, i64) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let changed_ns = s.saturating_mul(1_000_000_000).saturating_add(ns);
    Some((from, Stamp { bytes, changed_ns }))
}

/// "7f00-7f10 r-xp 00001000 08:01 123 /usr/lib/x.so" has code of a file.
fn mapping_of(line: &[u8]) -> Option<Mapping> {
    let mut words = line.splitn(6, |&b| b == b' ');
    let mut word = || words.next();
    let range = std::str::from_utf8(word()?).ok()?;
    let (from, to) = range.split_once('-')?;
    let access = word()?;
    let offset = std::str::from_utf8(word()?).ok()?;
    let (_device, _inode, file) = (word()?, word()?, word()?);
    let file = file.trim_ascii_start();
    if access.get(2) != Some(&b'x') || !file.starts_with(b"/") {
        return None;
    }
    Some(Mapping {
        from: u64::from_str_radix(from, 16).ok()?,
        to: u64::from_str_radix(to, 16).ok()?,
        offset: u64::from_str_radix(offset, 16).ok()?,
        file: file.to_vec(),
        stamp: None,
    })
}

/// The path of a mapped file below `root`. The kernel writes a line end in a name as `\012`, and a
/// backslash as it is.
pub fn path_of(root: &Path, written: &[u8]) -> PathBuf {
    const LINE_END: &[u8] = b"\\012";
    let below = |name: &[u8]| {
        let mut path = root.as_os_str().as_bytes().to_vec();
        path.extend_from_slice(name);
        PathBuf::from(OsString::from_vec(path))
    };
    let path = below(written);
    if !written.windows(LINE_END.len()).any(|part| part == LINE_END) || path.exists() {
        return path;
    }
    let (mut name, mut rest) = (Vec::with_capacity(written.len()), written);
    while let Some((&first, behind)) = rest.split_first() {
        match rest.strip_prefix(LINE_END) {
            Some(behind) => (name.push(b'\n'), rest = behind),
            None => (name.push(first), rest = behind),
        };
    }
    below(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &[u8] = b"tick 5\n\
        55d0-55e0 r--p 00000000 08:01 1                          /bin/a b\n\
        55e0-55f0 r-xp 00001000 08:01 1                          /bin/a b\n\
        7f00-7f10 r-xp 00000000 00:00 0 \n\
        7f20-7f30 r-xp 00002000 08:01 2                          /lib/old.so\n\
        tick 9\n\
        7f20-7f30 r-xp 00003000 08:01 3                          /lib/new.so (deleted)\n\
        7f40-7f50 r-xp 00000000 08:01 4                          /lib/\xff\x1b.so\n\
        7f60-7f70 rwxp 00000000 00:01 5                          /memfd:jit (deleted)\n\
        7f80-7f90 r-xp 00001000 08:01 6                          /lib/stamped.so\n\
        stamp 7f80 4096 17 000000005\n\
        stamp 7f40 1 1 1\n\
        7fa0-7fb0 r-xp 00000000 08:01 6                          /lib/none.so\n";

    #[test]
    fn code_of_files_is_found_and_the_last_list_is_right() {
        let modules = Modules::parse(MAPS);
        let find = |at| modules.find(at).map(|(it, offset)| (&*it.file, offset));
        assert_eq!(find(0x55e4), Some((&b"/bin/a b"[..], 0x1004)));
        assert_eq!(find(0x55d4), None);
        assert_eq!(find(0x7f04), None);
        assert_eq!(find(0x7f20), Some((&b"/lib/new.so (deleted)"[..], 0x3000)));
        assert_eq!(find(0x7f30), None);
        assert_eq!(find(0x7f40), Some((&b"/lib/\xff\x1b.so"[..], 0)));
        assert_eq!(find(0x7f60), Some((&b"/memfd:jit (deleted)"[..], 0)));
        assert_eq!(find(0), None);
        let stamp = |at| modules.find(at).and_then(|(it, _)| it.stamp);
        assert_eq!(stamp(0x7f80), Some(Stamp { bytes: 4096, changed_ns: 17_000_000_005 }));
        assert_eq!([stamp(0x7f40), stamp(0x7fa0)], [None, None]);
    }

    #[test]
    fn line_ends_in_names_are_read_as_the_kernel_writes_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let of = |name: &[u8]| {
            let path = path_of(root, name);
            path.strip_prefix(root).expect("below").as_os_str().as_bytes().to_vec()
        };
        assert_eq!(of(b"/a\\012b\xff"), b"a\nb\xff");
        std::fs::write(root.join("a\\012b"), "").expect("written");
        assert_eq!(of(b"/a\\012b"), b"a\\012b", "the file that is there");
        assert_eq!(of(b"/a\\01"), b"a\\01");
    }
}

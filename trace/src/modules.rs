//! The files that were mapped into a program, from FILE.maps of the recorder.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Result, at};

/// A mapped part of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping {
    pub from: u64,
    pub to: u64,
    /// Where the part begins in the file.
    pub offset: u64,
    pub file: String,
}

/// The mappings with code that /proc/self/maps named, in the order of their addresses. If two
/// lists disagree, the later one is right: the library was loaded after the first.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    mappings: Vec<Mapping>,
}

impl Modules {
    pub fn read(path: &Path) -> Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(at(path)(error)),
        }
    }

    /// Lines that are no mapping with code of a file are left out.
    pub fn parse(text: &str) -> Self {
        let mut mappings: Vec<Mapping> = Vec::new();
        for line in text.lines() {
            let Some(mapping) = mapping_of(line) else { continue };
            mappings.retain(|old| old.to <= mapping.from || old.from >= mapping.to);
            mappings.push(mapping);
        }
        mappings.sort_by_key(|mapping| mapping.from);
        Self { mappings }
    }

    /// The file and the offset in it that an address of code lies at.
    pub fn find(&self, address: u64) -> Option<(&str, u64)> {
        let after = self.mappings.partition_point(|mapping| mapping.from <= address);
        let mapping = &self.mappings[after.checked_sub(1)?];
        (address < mapping.to).then(|| (&*mapping.file, address - mapping.from + mapping.offset))
    }
}

/// "7f00-7f10 r-xp 00001000 08:01 123 /usr/lib/x.so" has code of a file.
fn mapping_of(line: &str) -> Option<Mapping> {
    let mut words = line.splitn(6, ' ');
    let (from, to) = words.next()?.split_once('-')?;
    let access = words.next()?;
    let offset = words.next()?;
    let file = words.nth(2)?.trim_start();
    if access.as_bytes().get(2) != Some(&b'x') || !file.starts_with('/') {
        return None;
    }
    Some(Mapping {
        from: u64::from_str_radix(from, 16).ok()?,
        to: u64::from_str_radix(to, 16).ok()?,
        offset: u64::from_str_radix(offset, 16).ok()?,
        file: file.strip_suffix(" (deleted)").unwrap_or(file).to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "tick 5\n\
        55d0-55e0 r--p 00000000 08:01 1                          /bin/a b\n\
        55e0-55f0 r-xp 00001000 08:01 1                          /bin/a b\n\
        7f00-7f10 r-xp 00000000 00:00 0 \n\
        7f20-7f30 r-xp 00002000 08:01 2                          /lib/old.so\n\
        tick 9\n\
        7f20-7f30 r-xp 00003000 08:01 3                          /lib/new.so (deleted)\n";

    #[test]
    fn code_of_files_is_found_and_the_last_list_is_right() {
        let modules = Modules::parse(MAPS);
        assert_eq!(modules.find(0x55e4), Some(("/bin/a b", 0x1004)));
        assert_eq!(modules.find(0x55d4), None);
        assert_eq!(modules.find(0x7f04), None);
        assert_eq!(modules.find(0x7f20), Some(("/lib/new.so", 0x3000)));
        assert_eq!(modules.find(0x7f30), None);
        assert_eq!(modules.find(0), None);
    }
}

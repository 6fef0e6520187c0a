//! A raw file: its header, its blocks, and which parts of them belong to which thread.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::decode::Fragment;
use super::fields::{BLOCK, text_at, u32_at, u64_at};
use super::notes::{Note, notes_of};
use crate::error::{Error, Result, at};

/// The first bytes of a raw file.
pub const MAGIC: &[u8; 8] = b"HSRAWTRC";
pub const VERSION: u32 = 2;
pub(super) const BLOCK_MAGIC: u32 = 0x4B4C_4253;
const BLOCK_HEADER: usize = 32;
/// A file with more blocks is read as far as its header says.
const MOST_UNCLAIMED: usize = 1024;
const CONFINED_AT: usize = 20856;
const HOMES_AT: usize = 20868;
/// Where the command says that the file was packed.
pub const IS_PACKED_AT: usize = 20852;

/// The first block.
#[derive(Clone, Debug, Default)]
pub struct Header {
    pub page_bytes: u32,
    pub tick_shift: u32,
    pub pid: u32,
    pub parent_pid: u32,
    pub first: (u64, u64), // tick, nanoseconds of CLOCK_MONOTONIC
    pub last: (u64, u64),
    pub fork_tick: u64,
    pub blocks: u32,
    pub threads: u32,
    pub dropped: u64,
    pub drop_errno: u32,
    pub lost_children: u32,
    pub parent_file: String,
    pub executable: String,
    pub command: Vec<String>,
    /// Of a recorder that was attached to a running process: the bytes in use then, and 1 if the
    /// allocator told them, or 2 if the anonymous memory of the process stands for them.
    pub attached: Option<(u64, u32)>,
    /// Since this tick, ticks are made up, if it is not 0.
    pub stopped_tick: u64,
    /// Blocks that threads began to write into. Older recorders did not count them.
    pub homes: u32,
    /// Blocks were claimed ahead.
    pub is_confined: bool,
    /// On processes that may have no file.
    pub notes: Vec<Note>,
}

/// A raw file, mapped, and its fragments: parts of blocks that one thread wrote, in order of time.
pub struct RawFile {
    pub path: PathBuf,
    pub header: Header,
    map: Mmap,
    /// Lines about blocks that are damaged or missing.
    pub damage: Vec<String>,
    /// For each thread its fragments.
    pub threads: BTreeMap<u32, Vec<Fragment>>,
}

/// As `checksum_of` in src/record/format.hpp.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = bytes.len() as u64;
    for part in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
    sum
}

/// Words, each with a zero behind it. Some may be empty.
fn words_of(bytes: &[u8]) -> Vec<String> {
    if bytes.is_empty() {
        return Vec::new();
    }
    // The last word of a command that was cut off has none.
    let words = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    words.split(|&b| b == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

impl Header {
    fn read(b: &[u8]) -> Self {
        let words = 100; // where the fields of text begin
        let command_bytes = (u32_at(b, 96) as usize).min(16384);
        let command = &b[words + 256 + 4096..][..command_bytes];
        let behind = 20840; // the fields behind the text; files of older recorders have zeros there
        let (live_bytes, how) = (u64_at(b, behind), u32_at(b, behind + 8));
        Self {
            page_bytes: u32_at(b, 16),
            tick_shift: u32_at(b, 20),
            pid: u32_at(b, 24),
            parent_pid: u32_at(b, 28),
            first: (u64_at(b, 32), u64_at(b, 40)),
            last: (u64_at(b, 48), u64_at(b, 56)),
            fork_tick: u64_at(b, 64),
            blocks: u32_at(b, 72),
            threads: u32_at(b, 76),
            dropped: u64_at(b, 80),
            drop_errno: u32_at(b, 88),
            lost_children: u32_at(b, 92),
            parent_file: text_at(b, words, 256),
            executable: text_at(b, words + 256, 4096),
            command: words_of(command),
            attached: (how != 0).then_some((live_bytes, how)),
            stopped_tick: u64_at(b, behind + 48),
            homes: u32_at(b, HOMES_AT),
            is_confined: u32_at(b, CONFINED_AT) != 0,
            notes: notes_of(b),
        }
    }
}

/// Opens a file that others may have put there: no link is followed, and a pipe is not waited for.
fn open(path: &Path) -> Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let is_link = |error: &io::Error| error.raw_os_error() == Some(libc::ELOOP);
    let foreign = || Error::Foreign { path: path.to_path_buf() };
    let file = opened.map_err(|error| if is_link(&error) { foreign() } else { at(path)(error) })?;
    let meta = file.metadata().map_err(at(path))?;
    if meta.is_file() && meta.len() >= BLOCK as u64 { Ok(file) } else { Err(foreign()) }
}

/// The mapped file, if it is one of a version that is known.
fn map(path: &Path) -> Result<Mmap> {
    let file = open(path)?;
    // SAFETY: the file is mapped for reading. A program that still writes it changes bytes,
    // which are checked as they are decoded, and does not shorten it.
    let map = unsafe { Mmap::map(&file) }.map_err(at(path))?;
    if map.len() < BLOCK || &map[..8] != MAGIC {
        return Err(Error::Foreign { path: path.to_path_buf() });
    }
    let version = u32_at(&map, 8);
    let path_buf = || path.to_path_buf();
    if version > VERSION {
        return Err(Error::Newer { path: path_buf(), found: version, known: VERSION });
    }
    if version < VERSION {
        return Err(Error::Older { path: path_buf(), found: version, known: VERSION });
    }
    Ok(map)
}

impl RawFile {
    /// The header alone.
    pub fn header_of(path: &Path) -> Result<Header> {
        Ok(Header::read(&map(path)?))
    }

    /// Reads the header and finds the fragments. Damaged blocks are left out, and `damage` says
    /// which, and how many are missing.
    pub fn open(path: &Path) -> Result<Self> {
        let map = map(path)?;
        let header = Header::read(&map);
        let mut raw = Self {
            path: path.to_path_buf(),
            header,
            map,
            damage: Vec::new(),
            threads: BTreeMap::new(),
        };
        raw.find_fragments();
        Ok(raw)
    }

    pub fn bytes(&self, fragment: &Fragment) -> &[u8] {
        &self.map[fragment.from..fragment.to]
    }

    /// Of all events, with the records between them.
    pub fn event_bytes(&self) -> u64 {
        self.threads.values().flatten().map(|fragment| (fragment.to - fragment.from) as u64).sum()
    }

    fn find_fragments(&mut self) {
        let twice = self.twice();
        for index in self.blocks() {
            if twice.contains(&index) {
                continue;
            }
            let block = self.block(index);
            match fragments_of(block, index * BLOCK) {
                Ok((fragments, damage)) => {
                    self.damage.extend(damage.map(|what| format!("block {index} {what}")));
                    for fragment in fragments {
                        self.threads.entry(fragment.thread).or_default().push(fragment);
                    }
                }
                Err(what) => self.damage.push(format!("block {index} {what}")),
            }
        }
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match self.absent() {
            0 => {}
            1 => self.damage.push(format!("a block of {name} is missing")),
            n => self.damage.push(format!("{n} blocks of {name} are missing")),
        }
        for fragments in self.threads.values_mut() {
            fragments.sort_by_key(|fragment| fragment.first_tick); // stable: as they lie there
        }
    }

    /// If the program was killed while a home was copied, or before it was emptied, both have the same
    /// events. The copy counts if it is whole, and the home if it is not. Returns: the blocks that do
    /// not count.
    fn twice(&self) -> BTreeSet<usize> {
        let mut left_out = BTreeSet::new();
        for index in self.blocks() {
            let copy = self.block(index);
            let home = u32_at(copy, 4) as usize;
            let is_copy = u32_at(copy, 0) == BLOCK_MAGIC && is_closed(copy) && home != index;
            // Once the home is emptied, it has the number of its next copy.
            let is_twice = is_copy
                && self.blocks().contains(&home)
                && u32_at(self.block(home), 4) as usize == home
                && u64_at(self.block(home), 24) == u64_at(copy, 24);
            if is_twice {
                left_out.insert(if events_of(copy).is_ok() { home } else { index });
            }
        }
        left_out
    }

    /// All but the header; the last one may be cut off behind its events. The file of a confined
    /// process is far longer than the blocks that were claimed.
    pub(super) fn blocks(&self) -> Range<usize> {
        let end = (self.map.len() + BLOCK - BLOCK_HEADER) / BLOCK;
        let is_long = end > MOST_UNCLAIMED;
        1..if is_long { end.min((self.header.blocks as usize).max(1)) } else { end }
    }

    pub(super) fn block(&self, index: usize) -> &[u8] {
        &self.map[index * BLOCK..self.map.len().min((index + 1) * BLOCK)]
    }
}

pub(super) fn is_closed(block: &[u8]) -> bool {
    u32_at(block, 12) != 0
}

/// The events of a block, or what is wrong with it.
fn events_of(block: &[u8]) -> std::result::Result<&[u8], String> {
    let used = u32_at(block, 8) as usize;
    if !(BLOCK_HEADER..=block.len()).contains(&used) {
        return Err(format!("says that {used} bytes are used"));
    }
    let events = &block[BLOCK_HEADER..used];
    if is_closed(block) && checksum(events) != u64_at(block, 16) {
        return Err("has a wrong checksum".to_string());
    }
    Ok(events)
}

/// The fragments of a block that lies at `base`, and what is wrong behind them; or what is wrong
/// with the block.
fn fragments_of(
    block: &[u8],
    base: usize,
) -> std::result::Result<(Vec<Fragment>, Option<&'static str>), String> {
    if u32_at(block, 0) != BLOCK_MAGIC {
        // The program was killed between the claim of a block and its first byte, or the disk was
        // full; or the block is missing, as absent.rs finds out.
        let is_empty = u32_at(block, 0) == 0;
        return if is_empty { Ok((Vec::new(), None)) } else { Err("has no header".to_string()) };
    }
    let (fragments, whole) = Fragment::split(events_of(block)?, base + BLOCK_HEADER);
    Ok((fragments, (!whole).then_some("ends within an event, or has a foreign one")))
}

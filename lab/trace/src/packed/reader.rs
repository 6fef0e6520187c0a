//! Reads a packed trace, section by section, up to its end or to the first damage.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::columns::Section;
use super::{EVENTS, INHERITED, LONGEST, MAGIC, TABLES, Tables, VERSION};
use crate::error::{Error, Result, at};
use crate::event::Event;

pub struct Reader {
    path: PathBuf,
    input: BufReader<File>,
    offset: u64,
    packed: Vec<u8>,
    whole: Vec<u8>,
    events: u64,
    has_calls: bool,
    /// Known once the end was reached.
    pub tables: Option<Tables>,
    /// Why the trace ends before its end. The events before were read.
    pub damage: Option<Error>,
}

/// The first four words of a section.
struct Head {
    kind: u32,
    packed: u32,
    checksum: u32,
    whole: u32,
}

/// Threads and callers are numbered as they are met, so their numbers grow with the events. A reader
/// with a table of them needs no more memory than the trace has events.
fn numbers_are_sound(event: &Event, before: u64) -> bool {
    const AT_ONCE: u64 = 65536; // threads whose first events are looked at before the first one
    const FRAMES: u64 = 33; // of a stack, with the caller
    let threads = before + AT_ONCE;
    (1..=threads).contains(&u64::from(event.thread))
        && u64::from(event.caller) <= FRAMES * (before + AT_ONCE / 16)
}

impl Reader {
    /// Errors: no trace, or one of a newer version.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(at(path))?;
        let mut input = BufReader::with_capacity(1 << 20, file);
        let mut head = [0; 16];
        match input.read_exact(&mut head) {
            Ok(()) if head[..8] == *MAGIC => {}
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(at(path)(error)),
            _ => return Err(Error::Foreign { path: path.to_path_buf() }),
        }
        let found = u32::from_le_bytes(head[8..12].try_into().expect("four bytes"));
        if found > VERSION {
            return Err(Error::Newer { path: path.to_path_buf(), found, known: VERSION });
        }
        Ok(Self {
            path: path.to_path_buf(),
            input,
            offset: 16,
            events: 0,
            has_calls: false,
            packed: Vec::new(),
            whole: Vec::new(),
            tables: None,
            damage: None,
        })
    }

    /// Calls `f` with each event of the next section. Returns: whether there was one. Afterwards
    /// either `tables` or `damage` is there.
    pub fn next_events(&mut self, mut f: impl FnMut(&Event)) -> Result<bool> {
        if self.tables.is_some() || self.damage.is_some() {
            return Ok(false);
        }
        let start = self.offset;
        let is_inherited = match self.section()? {
            Ok(EVENTS) => {
                self.has_calls = true;
                false
            }
            Ok(INHERITED) if !self.has_calls => true,
            Ok(INHERITED) => {
                self.end_at(start, "inherited blocks behind the first call".to_string());
                return Ok(false);
            }
            Ok(TABLES) => {
                match serde_json::from_slice(&self.whole) {
                    Ok(tables) => self.tables = Some(tables),
                    Err(error) => self.end_at(start, format!("its tables do not parse: {error}")),
                }
                return Ok(false);
            }
            Ok(kind) => {
                self.end_at(start, format!("a section of the unknown kind {kind}"));
                return Ok(false);
            }
            Err(what) => {
                self.end_at(start, what);
                return Ok(false);
            }
        };
        let damaged = match Section::of(&self.whole, is_inherited) {
            Some(mut events) => {
                let seen = &mut self.events;
                let sound = events.by_ref().all(|event| {
                    let sound = numbers_are_sound(&event, *seen);
                    if sound {
                        *seen += 1;
                        f(&event);
                    }
                    sound
                });
                events.is_damaged || !sound
            }
            None => true,
        };
        if damaged {
            self.end_at(start, "a section whose columns do not fit together".to_string());
        }
        Ok(true)
    }

    /// Calls `f` with each event up to the end or to the damage.
    pub fn for_each(&mut self, mut f: impl FnMut(&Event)) -> Result<()> {
        while self.next_events(&mut f)? {}
        Ok(())
    }

    fn end_at(&mut self, at: u64, what: String) {
        self.damage = Some(Error::Damaged { path: self.path.clone(), at, what });
    }

    /// Reads a section into `whole`. Returns: its kind, or how it is damaged.
    fn section(&mut self) -> Result<std::result::Result<u32, String>> {
        let mut words = [0; 16];
        if !self.fill(&mut words)? {
            return Ok(Err("it ends here, before its tables: the packing was interrupted".into()));
        }
        let word =
            |i: usize| u32::from_le_bytes(words[i * 4..i * 4 + 4].try_into().expect("four bytes"));
        let head = Head { kind: word(0), packed: word(1), checksum: word(2), whole: word(3) };
        if head.packed > LONGEST || head.whole > LONGEST {
            return Ok(Err(format!("a section of {} bytes", head.packed.max(head.whole))));
        }
        let mut packed = std::mem::take(&mut self.packed);
        packed.resize(head.packed as usize, 0);
        let is_there = self.fill(&mut packed)?;
        let sum = crc32fast::hash(&packed);
        let unpacked = zstd::bulk::decompress(&packed, head.whole as usize);
        self.packed = packed;
        if !is_there {
            return Ok(Err("it ends within a section".into()));
        }
        if sum != head.checksum {
            return Ok(Err("a section with a wrong checksum".into()));
        }
        match unpacked {
            Ok(whole) if whole.len() == head.whole as usize => self.whole = whole,
            _ => return Ok(Err("a section that does not unpack".into())),
        }
        Ok(Ok(head.kind))
    }

    /// Fills `to` from the file. Returns: whether the file had as many bytes.
    fn fill(&mut self, to: &mut [u8]) -> Result<bool> {
        match self.input.read_exact(to) {
            Ok(()) => {
                self.offset += to.len() as u64;
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(at(&self.path)(error)),
        }
    }
}

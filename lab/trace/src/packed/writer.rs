//! Writes a packed trace, section by section.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::columns::Columns;
use super::{EVENTS, INHERITED, MAGIC, SECTION, TABLES, Tables, VERSION};
use crate::error::{Result, at};
use crate::event::{Event, Kind};

const LEVEL: i32 = 3;

pub struct Writer {
    path: PathBuf,
    out: BufWriter<File>,
    columns: Columns,
    blocks: u64,
    /// Whether `columns` has inherited blocks.
    is_inherited: bool,
    /// Without inherited blocks.
    pub events: u64,
    pub bytes: u64,
}

impl Writer {
    /// Begins a trace at `path`, which must not exist. It tells names and arguments of a program, so
    /// its owner alone may read it.
    pub fn create(path: &Path) -> Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(path).map_err(at(path))?;
        Ok(Self {
            path: path.to_path_buf(),
            out: BufWriter::new(file),
            columns: Columns::default(),
            blocks: 0,
            is_inherited: false,
            events: 0,
            bytes: 0,
        })
    }

    /// Appends an event. A block's number must be how many were allocated before it. Inherited
    /// blocks must come first.
    pub fn push(&mut self, event: &Event) -> Result<()> {
        let is_inherited = matches!(event.kind, Kind::Inherit { .. });
        if self.is_inherited != is_inherited {
            debug_assert!(self.events == 0, "inherited blocks come first");
            if self.columns.events != 0 {
                self.end_section()?;
            }
            self.is_inherited = is_inherited;
        }
        self.columns.push(event, self.blocks);
        if let Kind::Allocate { block, .. }
        | Kind::Inherit { block, .. }
        | Kind::Resize { block, .. } = event.kind
        {
            debug_assert_eq!(block, self.blocks);
            self.blocks += 1;
        }
        self.events += u64::from(!is_inherited);
        if self.columns.events == SECTION { self.end_section() } else { Ok(()) }
    }

    /// Ends the trace. Returns its bytes.
    pub fn finish(mut self, tables: &Tables) -> Result<u64> {
        if self.columns.events != 0 {
            self.end_section()?;
        }
        let text = serde_json::to_vec(tables).expect("tables have keys that are text");
        self.section(TABLES, &text)?;
        self.out.flush().map_err(at(&self.path))?;
        Ok(self.bytes)
    }

    fn end_section(&mut self) -> Result<()> {
        let bytes = self.columns.take();
        self.section(if self.is_inherited { INHERITED } else { EVENTS }, &bytes)
    }

    /// kind, packed bytes, checksum of those, whole bytes; then the packed bytes.
    fn section(&mut self, kind: u32, bytes: &[u8]) -> Result<()> {
        if self.bytes == 0 {
            // Readers of version 1 can read all but inherited blocks.
            let version = if kind == INHERITED { VERSION } else { 1 };
            self.write(MAGIC)?;
            self.write(&version.to_le_bytes())?;
            self.write(&0u32.to_le_bytes())?;
        }
        let packed = zstd::bulk::compress(bytes, LEVEL).map_err(at(&self.path))?;
        let checksum = crc32fast::hash(&packed);
        for word in [kind, packed.len() as u32, checksum, bytes.len() as u32] {
            self.write(&word.to_le_bytes())?;
        }
        self.write(&packed)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes).map_err(at(&self.path))
    }
}

//! Writes a packed trace, section by section.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::columns::Columns;
use super::{EVENTS, MAGIC, SECTION, TABLES, Tables, VERSION};
use crate::error::{Result, at};
use crate::event::{Event, Kind};

const LEVEL: i32 = 3;

pub struct Writer {
    path: PathBuf,
    out: BufWriter<File>,
    columns: Columns,
    blocks: u64,
    pub events: u64,
    pub bytes: u64,
}

impl Writer {
    /// Begins a trace at `path`, which must not exist.
    pub fn create(path: &Path) -> Result<Self> {
        let file = File::create_new(path).map_err(at(path))?;
        let mut writer = Self {
            path: path.to_path_buf(),
            out: BufWriter::new(file),
            columns: Columns::default(),
            blocks: 0,
            events: 0,
            bytes: 0,
        };
        writer.write(MAGIC)?;
        writer.write(&VERSION.to_le_bytes())?;
        writer.write(&0u32.to_le_bytes())?;
        Ok(writer)
    }

    /// Appends an event. A block's number must be how many were allocated before it.
    pub fn push(&mut self, event: &Event) -> Result<()> {
        self.columns.push(event, self.blocks);
        if let Kind::Allocate { block, .. } | Kind::Resize { block, .. } = event.kind {
            debug_assert_eq!(block, self.blocks);
            self.blocks += 1;
        }
        self.events += 1;
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
        self.section(EVENTS, &bytes)
    }

    /// kind, packed bytes, checksum of those, whole bytes; then the packed bytes.
    fn section(&mut self, kind: u32, bytes: &[u8]) -> Result<()> {
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

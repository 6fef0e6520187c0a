//! The file of a plan: a header, then pieces of 16 KiB, each of one thread.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::{MAGIC, PIECE, VERSION, op};
use crate::error::{Result, at};
use crate::numbers::put;

/// No call is longer.
const LONGEST: usize = 80;
/// A piece begins with the place of the next one.
const LINK: usize = 8;

struct Stream {
    first: u64,
    here: u64,
    bytes: Vec<u8>,
}

pub struct Pieces<'a> {
    path: &'a Path,
    file: File,
    streams: Vec<Option<Stream>>,
    end: u64,
    pub calls: u64,
}

/// The fields of the header behind the magic number and the version.
pub struct Head {
    pub slots: u64,
    pub largest: u64,
    pub samples: u32,
    pub uses_operators: bool,
    pub first_thread: u32,
    /// So many calls of the first thread come before the others, and are not measured.
    pub inherited: u64,
    /// By thread: whether it lives until the end.
    pub stays: Vec<bool>,
    /// The words of the treatments, two for each.
    pub treatments: Vec<u64>,
}

impl<'a> Pieces<'a> {
    pub fn create(path: &'a Path, threads: u32, treatments: usize) -> Result<Self> {
        let file = File::create_new(path).map_err(at(path))?;
        let table = 64 + 8 * (threads as usize + 1) + 16 * treatments;
        let end = (table.div_ceil(PIECE) * PIECE) as u64;
        let streams = (0..=threads).map(|_| None).collect();
        Ok(Self { path, file, streams, end, calls: 0 })
    }

    /// Appends a call of `thread`: its first byte, then numbers.
    pub fn call(&mut self, thread: u32, first: u8, numbers: &[u64]) -> Result<()> {
        self.calls += 1;
        let end = &mut self.end;
        let stream = self.streams[thread as usize].get_or_insert_with(|| {
            let first = *end;
            *end += PIECE as u64;
            Stream { first, here: first, bytes: vec![0; LINK] }
        });
        stream.bytes.push(first);
        for &number in numbers {
            put(&mut stream.bytes, number);
        }
        if stream.bytes.len() + LONGEST > PIECE {
            let next = self.end;
            self.end += PIECE as u64;
            Self::write(&self.file, self.path, stream, next)?;
            stream.here = next;
        }
        Ok(())
    }

    fn write(file: &File, path: &Path, stream: &mut Stream, next: u64) -> Result<()> {
        stream.bytes.push(op::END_OF_PIECE);
        stream.bytes.resize(PIECE, 0);
        stream.bytes[..LINK].copy_from_slice(&next.to_le_bytes());
        file.write_all_at(&stream.bytes, stream.here).map_err(at(path))?;
        stream.bytes.clear();
        stream.bytes.resize(LINK, 0);
        Ok(())
    }

    /// Writes the rest, and the header. A thread's word has the place of its first piece; its
    /// lowest bit says that it stays.
    pub fn finish(mut self, head: &Head) -> Result<u64> {
        for stream in self.streams.iter_mut().flatten() {
            Self::write(&self.file, self.path, stream, 0)?;
        }
        let mut bytes = MAGIC.to_vec();
        let threads = self.streams.len() as u32 - 1;
        for word in [VERSION, threads, head.samples, head.first_thread] {
            bytes.extend(word.to_le_bytes());
        }
        let treatments = head.treatments.len() as u64 / 2;
        let operators = u64::from(head.uses_operators) | treatments << 32;
        for word in [head.slots, head.largest, operators, self.calls, head.inherited] {
            bytes.extend(word.to_le_bytes());
        }
        for (number, stream) in self.streams.iter().enumerate() {
            let first = stream.as_ref().map_or(0, |stream| stream.first);
            let stays = u64::from(head.stays.get(number).copied().unwrap_or_default());
            bytes.extend((first | stays).to_le_bytes());
        }
        for word in &head.treatments {
            bytes.extend(word.to_le_bytes());
        }
        self.file.write_all_at(&bytes, 0).map_err(at(self.path))?;
        Ok(self.end)
    }
}

//! The bytes of a pickle, from a stream, with their places.

use std::io::{self, BufRead, Read};

/// Why the bytes of an opcode could not be had.
#[derive(Debug)]
pub enum Stop {
    End,
    Io(io::Error),
}

pub struct Bytes<R> {
    from: R,
    /// How many bytes have been read.
    pub at: u64,
}

impl<R: BufRead> Bytes<R> {
    pub fn new(from: R) -> Self {
        Self { from, at: 0 }
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let mut bytes = [0; N];
        self.from.read_exact(&mut bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Stop::End,
            _ => Stop::Io(error),
        })?;
        self.at += N as u64;
        Ok(bytes)
    }

    pub fn byte(&mut self) -> Result<u8, Stop> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u16(&mut self) -> Result<u64, Stop> {
        Ok(u16::from_le_bytes(self.array()?).into())
    }

    pub fn u32(&mut self) -> Result<u64, Stop> {
        Ok(u32::from_le_bytes(self.array()?).into())
    }

    pub fn u64(&mut self) -> Result<u64, Stop> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// `bytes` bytes, which grow as they come: a length may lie.
    pub fn vector(&mut self, bytes: u64) -> Result<Vec<u8>, Stop> {
        let mut all = Vec::new();
        self.from.by_ref().take(bytes).read_to_end(&mut all).map_err(Stop::Io)?;
        self.at += all.len() as u64;
        if all.len() as u64 == bytes { Ok(all) } else { Err(Stop::End) }
    }
}

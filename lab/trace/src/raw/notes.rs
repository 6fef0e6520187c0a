//! Notes in a raw file on other processes: those that its process forked or became, and that may
//! have no file.

use super::fields::{BLOCK, text_at, u32_at, u64_at};

/// As in src/record/format.hpp.
const NOTES_AT: usize = 24 * 1024;
const NOTE: usize = 256;
const NAME_AT: usize = 24;

/// Why a process has no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// If it has no file, nobody knows why.
    Unknown,
    Static,
    Secure,
    NoPreload,
    Foreign,
    Confined,
    NoLibrary,
    /// It was forked, and could make no file: an errno.
    NoFile(u32),
    Musl,
}

impl Why {
    /// Whether the process has no file for sure. The others may have made one.
    pub fn is_certain(self) -> bool {
        matches!(
            self,
            Self::Static | Self::NoPreload | Self::Foreign | Self::NoFile(_) | Self::Musl
        )
    }

    /// "it is linked statically".
    pub fn describe(self) -> String {
        let text = match self {
            Self::Unknown => {
                "it made no file: it ended at once, or could not write into the folder"
            }
            Self::Static => "it is linked statically",
            Self::Secure => {
                "it runs as another user or with other rights (setuid), so the loader preloads \
                 nothing"
            }
            Self::NoPreload => "LD_PRELOAD was taken out of its environment",
            // Older recorders say so of a program of musl, too.
            Self::Foreign => "it is a program of another machine, or of another libc than glibc",
            Self::Musl => {
                "it is a program of musl, whose loader cannot load the recorder, a library of glibc"
            }
            Self::Confined => {
                "in its root or as its user it could not make a file, and no open file was passed \
                 on to it"
            }
            Self::NoLibrary => "the recorder's library cannot be read in its root or as its user",
            Self::NoFile(0) => "it could make no file",
            Self::NoFile(errno) => {
                let error = std::io::Error::from_raw_os_error(errno as i32);
                return format!("it could make no file: {error}");
            }
        };
        text.to_string()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// 0: not known.
    pub pid: u32,
    pub tick: u64,
    pub why: Why,
    pub program: String,
}

fn note_at(bytes: &[u8]) -> Option<Note> {
    if u32_at(bytes, 0) == 0 {
        return None;
    }
    let why = match u32_at(bytes, 16) {
        1 => Why::Static,
        2 => Why::Secure,
        3 => Why::NoPreload,
        4 => Why::Foreign,
        5 => Why::Confined,
        6 => Why::NoLibrary,
        7 => Why::NoFile(u32_at(bytes, 20)),
        8 => Why::Musl,
        _ => Why::Unknown,
    };
    let program = text_at(bytes, NAME_AT, NOTE - NAME_AT);
    Some(Note { pid: u32_at(bytes, 4), tick: u64_at(bytes, 8), why, program })
}

/// The notes in the first block of a file, in the order of their ticks.
pub(super) fn notes_of(first_block: &[u8]) -> Vec<Note> {
    let area = first_block.get(NOTES_AT..BLOCK).unwrap_or_default();
    let mut notes: Vec<Note> = area.chunks_exact(NOTE).filter_map(note_at).collect();
    notes.sort_by_key(|note| note.tick);
    notes
}

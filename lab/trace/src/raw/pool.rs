//! The pool of a recording: a file with segments, for processes that could make no file of their own.
//! Each segment becomes a raw file.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::fields::{BLOCK, u32_at, u64_at};
use super::file::{IS_PACKED_AT, MAGIC};
use crate::error::{Result, at};

/// As in src/record/format.hpp.
pub const POOL_NAME: &str = "confined.pool";
const POOL_MAGIC: u64 = 0x314C_4F4F_5053_4800;
const MAPS_BYTES_AT: usize = 20872;
/// A process that makes a file by itself takes smaller numbers.
const FIRST_NUMBER: u32 = 10_000;

/// Whether a file that begins with these bytes is a pool.
pub fn is_pool(first: &[u8]) -> bool {
    first.starts_with(&POOL_MAGIC.to_le_bytes())
}

fn read(pool: &File, from: u64, bytes: usize) -> std::io::Result<Vec<u8>> {
    let mut read = vec![0; bytes];
    pool.read_exact_at(&mut read, from)?;
    Ok(read)
}

/// Opens a new file that only its owner can read, or one that an interrupted packing has left.
fn create(to: &Path, is_ours: impl Fn(&[u8]) -> bool) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    match options.clone().create_new(true).open(to) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let file = options.open(to)?;
            let mut first = [0; 8];
            let n = file.read_at(&mut first, 0)?;
            if !file.metadata()?.is_file() || !is_ours(&first[..n]) {
                return Err(error);
            }
            file.set_len(0)?;
            Ok(file)
        }
        opened => opened,
    }
}

/// Copies bytes. Blocks of zeros take no room.
fn copy(pool: &File, from: u64, bytes: u64, mut file: File) -> std::io::Result<()> {
    let mut part = vec![0; BLOCK];
    let mut done = 0;
    while done < bytes {
        let n = (bytes - done).min(BLOCK as u64) as usize;
        pool.read_exact_at(&mut part[..n], from + done)?;
        if part[..n].iter().all(|&byte| byte == 0) {
            file.seek(SeekFrom::Current(n as i64))?;
        } else {
            file.write_all(&part[..n])?;
        }
        done += n as u64;
    }
    file.set_len(bytes)
}

/// Makes a raw file of each segment that a process has used, and removes the pool. Processes that
/// still use one record no more.
pub fn split(folder: &Path) -> Result<()> {
    let path = folder.join(POOL_NAME);
    // Anything but a file is somebody else's, such as a link.
    if path.symlink_metadata().is_ok_and(|it| !it.is_file()) {
        return Ok(());
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let pool = match options.open(&path) {
        Ok(pool) => pool,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(at(&path)(error)),
    };
    let meta = pool.metadata().map_err(at(&path))?;
    if !meta.is_file() || meta.len() < BLOCK as u64 {
        return Ok(());
    }
    let header = read(&pool, 0, BLOCK).map_err(at(&path))?;
    if !is_pool(&header) {
        return Ok(()); // a file of somebody else
    }
    split_segments(&pool, &header, meta.len(), folder).map_err(at(&path))?;
    std::fs::remove_file(&path).map_err(at(&path))
}

fn split_segments(pool: &File, header: &[u8], length: u64, to: &Path) -> std::io::Result<()> {
    let segment_bytes = u64_at(header, 8);
    let is_usable = segment_bytes >= 2 * BLOCK as u64;
    let segments = if is_usable { u32_at(header, 16).min(u32_at(header, 20)) } else { 0 };
    for number in 0..segments {
        let from = (u64::from(number) + 1).saturating_mul(segment_bytes);
        if from.checked_add(segment_bytes).is_none_or(|end| end > length) {
            break;
        }
        let header = read(pool, from, BLOCK)?;
        if &header[..8] != MAGIC {
            continue; // its process was killed before it wrote the first bytes
        }
        pool.write_all_at(&1u32.to_le_bytes(), from + IS_PACKED_AT as u64)?;
        let bytes = (u64::from(u32_at(&header, 72)) * BLOCK as u64).min(segment_bytes);
        let name = format!("{}.{}.raw", u32_at(&header, 24), FIRST_NUMBER + number);
        let raw = create(&to.join(&name), |first| first == MAGIC)?;
        copy(pool, from, bytes.max(BLOCK as u64), raw)?;
        let (maps_bytes, maps_at) =
            (u64_at(&header, MAPS_BYTES_AT), u64_at(&header, MAPS_BYTES_AT + 8));
        if maps_bytes != 0 && maps_at.checked_add(maps_bytes).is_some_and(|it| it <= segment_bytes)
        {
            let maps =
                create(&to.join(format!("{name}.maps")), |first| first.starts_with(b"tick "))?;
            copy(pool, from + maps_at, maps_bytes, maps)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    //! A pool of two segments, of which one was used; and files of others.
    use super::*;
    use crate::raw::{RawFile, Why};

    const SEGMENT: usize = 8 * BLOCK;

    fn pool() -> Vec<u8> {
        let mut bytes = vec![0; 3 * SEGMENT];
        bytes[..8].copy_from_slice(&POOL_MAGIC.to_le_bytes());
        bytes[8..16].copy_from_slice(&(SEGMENT as u64).to_le_bytes());
        bytes[16..20].copy_from_slice(&2u32.to_le_bytes());
        bytes[20..24].copy_from_slice(&9u32.to_le_bytes()); // more than there are
        let segment = &mut bytes[SEGMENT..2 * SEGMENT];
        segment[..8].copy_from_slice(MAGIC);
        segment[8..12].copy_from_slice(&2u32.to_le_bytes());
        segment[24..28].copy_from_slice(&77u32.to_le_bytes());
        segment[72..76].copy_from_slice(&3u32.to_le_bytes());
        segment[MAPS_BYTES_AT..][..8].copy_from_slice(&7u64.to_le_bytes());
        segment[MAPS_BYTES_AT + 8..][..8].copy_from_slice(&(7 * BLOCK as u64).to_le_bytes());
        segment[7 * BLOCK..][..7].copy_from_slice(b"tick 1\n");
        let note = &mut segment[24 * 1024..][..256];
        note[..8].copy_from_slice(&[1, 0, 0, 0, 9, 0, 0, 0]);
        note[16] = 1;
        note[24..29].copy_from_slice(b"./app");
        bytes
    }

    #[test]
    fn a_segment_becomes_a_raw_file() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(POOL_NAME), pool()).expect("written");
        split(folder.path()).expect("it is a pool");
        let raw = folder.path().join("77.10000.raw");
        assert_eq!(raw.metadata().expect("made").len(), 3 * BLOCK as u64);
        let maps = std::fs::read(folder.path().join("77.10000.raw.maps")).expect("made");
        assert_eq!(maps, b"tick 1\n");
        let header = RawFile::header_of(&raw).expect("a raw file");
        let [note] = &header.notes[..] else { panic!("{:?}", header.notes) };
        assert_eq!((note.pid, note.why, note.program.as_str()), (9, Why::Static, "./app"));
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }

    #[test]
    fn files_of_others_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let (named, raw) = (folder.path().join(POOL_NAME), folder.path().join("77.10000.raw"));
        std::fs::write(&named, vec![7; BLOCK]).expect("written");
        split(folder.path()).expect("nothing to do");
        assert_eq!(std::fs::read(&named).expect("kept"), vec![7; BLOCK]);
        std::fs::write(&named, pool()).expect("written");
        std::fs::write(&raw, "a picture").expect("written");
        assert!(split(folder.path()).is_err());
        assert_eq!(std::fs::read(&raw).expect("kept"), b"a picture");
        assert!(named.exists());
    }

    #[test]
    fn a_link_or_a_folder_of_others_is_no_obstacle() {
        let folder = tempfile::tempdir().expect("a folder");
        let (named, other) = (folder.path().join(POOL_NAME), folder.path().join("other"));
        std::fs::write(&other, pool()).expect("written");
        std::os::unix::fs::symlink(&other, &named).expect("a link");
        split(folder.path()).expect("nothing to do");
        assert_eq!(std::fs::read(&other).expect("kept"), pool());
        std::fs::remove_file(&named).expect("removed");
        std::fs::create_dir(&named).expect("a folder");
        split(folder.path()).expect("nothing to do");
        assert!(named.is_dir() && !folder.path().join("77.10000.raw").exists());
    }

    /// What an interrupted packing has left is replaced.
    #[test]
    fn a_pool_may_be_split_again() {
        let folder = tempfile::tempdir().expect("a folder");
        for _ in 0..2 {
            std::fs::write(folder.path().join(POOL_NAME), pool()).expect("written");
            split(folder.path()).expect("it is a pool");
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }
}

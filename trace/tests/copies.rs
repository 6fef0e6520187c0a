//! Programs that were killed while a thread copied its block, or just after.

mod raw_files;

use std::fs;

use heapsmith_trace::pack::pack;
use raw_files::{BLOCK, Call, write};

/// As docs/trace-format.md defines it.
fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = bytes.len() as u64;
    for part in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
    sum
}

/// A file with a block of three calls, and behind it a copy of the block; `change` may change both.
/// Returns: the number of events, and the lines about damage.
fn packed(change: impl Fn(&mut [u8], &mut Vec<u8>)) -> (u64, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let (raw, trace) = (folder.path().join("1.0.raw"), folder.path().join("t.trace"));
    write(&raw, &[&[Call::Malloc(10, 1), Call::Malloc(20, 2), Call::Free(30, 1)]]);
    let mut bytes = fs::read(&raw).expect("the file");
    let mut copy = bytes[BLOCK..].to_vec();
    let used = u32::from_le_bytes(copy[8..12].try_into().expect("four bytes")) as usize;
    copy.truncate(used);
    copy[12] = 1; // closed
    let sum = checksum(&copy[32..]);
    copy[16..24].copy_from_slice(&sum.to_le_bytes());
    change(&mut bytes[BLOCK..], &mut copy);
    bytes.extend(copy);
    fs::write(&raw, bytes).expect("written");
    let meta = pack(&raw, &trace, false).expect("packed").tables.meta;
    (meta.events, meta.damage)
}

#[test]
fn a_copy_counts_once() {
    assert_eq!(packed(|_, _| ()), (3, vec![]));
}

#[test]
fn of_half_a_copy_the_block_itself_counts() {
    assert_eq!(packed(|_, copy| copy.truncate(copy.len() - 3)), (3, vec![]));
    assert_eq!(packed(|_, copy| *copy.last_mut().expect("bytes") ^= 1), (3, vec![]));
}

#[test]
fn damage_is_told_once_the_block_is_begun_again() {
    let restart = |block: &mut [u8]| {
        block[8] = 32; // no events
        block[24] = 1; // the number of the next copy
    };
    assert_eq!(packed(|block, _| restart(block)), (3, vec![]));
    let (events, damage) = packed(|block, copy| {
        restart(block);
        *copy.last_mut().expect("bytes") ^= 1;
    });
    assert_eq!((events, damage.len()), (0, 1), "{damage:?}");
    assert!(damage[0].contains("another checksum"), "{damage:?}");
}

//! Programs that were killed while a thread copied its home block, or just after.

mod raw_files;

use std::fs;

use heapsmith_trace::pack::pack;
use heapsmith_trace::raw::checksum;
use raw_files::{BLOCK, Call, write};

/// A file with a home of three calls, and behind it a copy of it; `change` may change both.
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
fn of_half_a_copy_the_home_counts() {
    assert_eq!(packed(|_, copy| copy.truncate(copy.len() - 3)), (3, vec![]));
    assert_eq!(packed(|_, copy| *copy.last_mut().expect("bytes") ^= 1), (3, vec![]));
}

#[test]
fn damage_is_told_once_the_home_is_emptied() {
    let empty = |block: &mut [u8]| {
        block[8] = 32; // no events
        block[24] = 1; // the number of the next copy
    };
    assert_eq!(packed(|block, _| empty(block)), (3, vec![]));
    let (events, damage) = packed(|block, copy| {
        empty(block);
        *copy.last_mut().expect("bytes") ^= 1;
    });
    assert_eq!((events, damage.len()), (0, 1), "{damage:?}");
    assert!(damage[0].contains("a wrong checksum"), "{damage:?}");
}

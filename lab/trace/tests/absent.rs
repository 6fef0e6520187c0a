//! Raw files that lack blocks: they were cut off, or parts of them are zeros.

mod raw_files;

use std::fs;

use heapsmith_trace::pack::pack;
use heapsmith_trace::raw::checksum;
use raw_files::{BLOCK, Call, write};

fn put(bytes: &mut [u8], at: usize, word: u32) {
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

/// A file as the recorder leaves it: homes of two threads in the blocks 1 and 2, and three copies of
/// the first home behind them.
fn whole() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let raw = folder.path().join("1.0.raw");
    let calls: Vec<_> = (0..40).map(|n| Call::Malloc(n * 9, n)).collect();
    write(&raw, &[&calls, &calls]);
    let mut bytes = fs::read(&raw).expect("the file");
    put(&mut bytes, 72, 6); // blocks, with the header
    put(&mut bytes, 20868, 2); // homes
    let mut copy = bytes[BLOCK..2 * BLOCK].to_vec();
    let used = u32::from_le_bytes(copy[8..12].try_into().expect("four bytes")) as usize;
    put(&mut copy, 12, 1); // closed
    let sum = checksum(&copy[32..used]);
    copy[16..24].copy_from_slice(&sum.to_le_bytes());
    for number in 0..3 {
        put(&mut copy, 24, number);
        bytes.extend(&copy);
    }
    put(&mut bytes, BLOCK + 24, 3); // the number of the next copy
    bytes
}

/// The lines about damage, and the number of events.
fn damage(bytes: &[u8]) -> (Vec<String>, u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let (raw, trace) = (folder.path().join("77.0.raw"), folder.path().join("t.trace"));
    fs::write(&raw, bytes).expect("written");
    let meta = pack(&raw, &trace, false).expect("packed").tables.meta;
    (meta.damage, meta.events)
}

fn without(blocks: &[usize]) -> Vec<u8> {
    let mut bytes = whole();
    for block in blocks {
        bytes[block * BLOCK..][..BLOCK].fill(0);
    }
    bytes
}

#[test]
fn a_whole_file_lacks_nothing() {
    assert_eq!(damage(&whole()).0, [""; 0]);
}

#[test]
fn blocks_of_zeros_are_missing() {
    let (lines, events) = damage(&without(&[4]));
    assert_eq!((lines, events < damage(&whole()).1), (vec![one()], true));
    for blocks in [&[1, 4][..], &[2, 3], &[3, 5], &[1, 2]] {
        assert_eq!(damage(&without(blocks)).0, ["2 blocks of 77.0.raw are missing"], "{blocks:?}");
    }
    assert_eq!(damage(&without(&[1])).0, [one()]);
    // The home of a thread that has no copies.
    assert_eq!(damage(&without(&[2])).0, [one()]);
    assert_eq!(damage(&without(&[1, 2, 3, 4, 5])).0, ["5 blocks of 77.0.raw are missing"]);
    // The reserve of a confined process is empty, too.
    let mut confined = without(&[2]);
    put(&mut confined, 72, 262);
    put(&mut confined, 20856, 1);
    assert_eq!(damage(&confined).0, [one()]);
}

fn one() -> String {
    "a block of 77.0.raw is missing".to_string()
}

#[test]
fn a_file_that_was_cut_off_says_so() {
    for (left, line) in [
        (5, "a block of 77.0.raw is missing"),
        (3, "3 blocks of 77.0.raw are missing"),
        (2, "4 blocks of 77.0.raw are missing"),
        (1, "5 blocks of 77.0.raw are missing"),
    ] {
        assert_eq!(damage(&whole()[..left * BLOCK]).0, [line]);
    }
}

#[test]
fn a_block_that_is_damaged_is_told_once() {
    let mut bytes = whole();
    bytes[4 * BLOCK] ^= 1;
    assert_eq!(damage(&bytes).0, ["block 4 has no header"]);
}

#[test]
fn a_block_without_an_event_is_not_missing() {
    // Claimed when the program was killed, or when the disk was full, or a reserve.
    let mut more = whole();
    put(&mut more, 72, 262);
    assert_eq!(damage(&more).0, [""; 0]);
    more.extend(vec![0; 3 * BLOCK]);
    assert_eq!(damage(&more).0, [""; 0]);
    // Of an older recorder.
    put(&mut more, 20868, 0);
    assert_eq!(damage(&more).0, [""; 0]);
    // The program was killed before its first event.
    let mut begun = whole()[..BLOCK].to_vec();
    put(&mut begun, 72, 2);
    put(&mut begun, 20868, 0);
    assert_eq!(damage(&begun).0, [""; 0]);
}

//! A trace for tests.

use crate::info::{Info, Site};
use crate::packed::{Caller, StackSample, Tables};

/// Two sites; the second has stacks. Nothing has a name.
pub fn example() -> (Info, Tables) {
    let site = |calls, bytes| Site { calls, bytes, peak_bytes: 7, ..Site::default() };
    let sites = vec![site(3, 300), site(10, 1001), Site::default()];
    let info = Info { sites, ..Info::default() };
    let caller = |offset| Caller { module: None, offset, name: None };
    let sample =
        |frames: &[u32], samples| StackSample { caller: 1, frames: frames.to_vec(), samples };
    let tables = Tables {
        callers: [0x10, 0x20, 0x30, 0x40].map(caller).to_vec(),
        stacks: vec![sample(&[2], 2), sample(&[2, 3], 1)],
        ..Tables::default()
    };
    (info, tables)
}

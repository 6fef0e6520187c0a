//! talc: boundary tags with binned free lists.

use std::ffi::{CStr, c_char, c_void};

use talc::DefaultBinning;
use talc::base::Talc;
use talc::source::Manual;

use crate::{STORAGE_ALIGN, layout, to_c};

type Peer = Talc<Manual, DefaultBinning>;

const _: () = assert!(align_of::<Peer>() <= STORAGE_ALIGN);

const VERSION: &str = concat!(env!("VERSION_OF_TALC"), "\0");

#[unsafe(no_mangle)]
pub extern "C" fn heapsmith_talc_version() -> *const c_char {
    CStr::from_bytes_with_nul(VERSION.as_bytes()).unwrap_or_default().as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn heapsmith_talc_storage_bytes() -> usize {
    size_of::<Peer>()
}

/// # Safety
/// `storage` is as the crate's head says, and `buffer` is `bytes` bytes that nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_talc_init(
    storage: *mut c_void,
    buffer: *mut c_void,
    bytes: usize,
) -> bool {
    let peer = storage.cast::<Peer>();
    // SAFETY: the storage and the buffer are the caller's to give.
    unsafe {
        peer.write(Peer::new(Manual));
        (*peer).claim(buffer.cast(), bytes).is_some()
    }
}

/// # Safety
/// `peer` was initialised; `align` is a power of two and `size` at most `isize::MAX - align`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_talc_allocate(
    peer: *mut c_void,
    size: usize,
    align: usize,
) -> *mut c_void {
    // SAFETY: as promised by the caller; the size of the layout is not 0.
    unsafe { to_c((*peer.cast::<Peer>()).allocate(layout(size, align))) }
}

/// # Safety
/// `block` is a block of `peer` that was allocated with `size` and `align`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_talc_deallocate(
    peer: *mut c_void,
    block: *mut c_void,
    size: usize,
    align: usize,
) {
    // SAFETY: as promised by the caller.
    unsafe { (*peer.cast::<Peer>()).deallocate(block.cast(), layout(size, align)) }
}

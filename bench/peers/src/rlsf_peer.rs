//! rlsf: two-level segregated fit, good fit in constant time.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::NonNull;

use rlsf::Tlsf;

use crate::{STORAGE_ALIGN, layout, to_c};

/// 28 doublings of 32 bytes, each cut into 32 classes: the finest cut that one word can index, as
/// fragmentation is what is compared here.
type Peer = Tlsf<'static, u32, u32, 28, 32>;

const _: () = assert!(align_of::<Peer>() <= STORAGE_ALIGN);

const VERSION: &str = concat!(env!("VERSION_OF_RLSF"), "\0");

#[unsafe(no_mangle)]
pub extern "C" fn heapsmith_rlsf_version() -> *const c_char {
    CStr::from_bytes_with_nul(VERSION.as_bytes()).unwrap_or_default().as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn heapsmith_rlsf_storage_bytes() -> usize {
    size_of::<Peer>()
}

/// # Safety
/// `storage` is as the crate's head says, and `buffer` is `bytes` bytes that nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_rlsf_init(
    storage: *mut c_void,
    buffer: *mut c_void,
    bytes: usize,
) -> bool {
    let Some(buffer) = NonNull::new(buffer.cast::<u8>()) else {
        return false;
    };
    let peer = storage.cast::<Peer>();
    // SAFETY: the storage and the buffer are the caller's to give.
    unsafe {
        peer.write(Peer::new());
        let given = NonNull::slice_from_raw_parts(buffer, bytes);
        (*peer).insert_free_block_ptr(given).is_some()
    }
}

/// # Safety
/// `peer` was initialised; `align` is a power of two and `size` at most `isize::MAX - align`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_rlsf_allocate(
    peer: *mut c_void,
    size: usize,
    align: usize,
) -> *mut c_void {
    // SAFETY: as promised by the caller.
    unsafe { to_c((*peer.cast::<Peer>()).allocate(layout(size, align))) }
}

/// # Safety
/// `block` is a block of `peer` that was allocated with `align`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_rlsf_deallocate(
    peer: *mut c_void,
    block: *mut c_void,
    _size: usize,
    align: usize,
) {
    // SAFETY: as promised by the caller; a block is never null.
    unsafe {
        let block = NonNull::new_unchecked(block.cast::<u8>());
        (*peer.cast::<Peer>()).deallocate(block, align);
    }
}

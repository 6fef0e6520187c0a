//! rlsf and talc for C: each lives in storage of the caller and serves blocks of one buffer.
//!
//! A peer is created in place by `*_init`, in storage of at least `*_storage_bytes` bytes aligned
//! to 16, and owns nothing: to forget it is to end it. The calls are not synchronised.

mod rlsf_peer;
mod talc_peer;

use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr::NonNull;

/// The storage of a peer is aligned to this by the caller.
const STORAGE_ALIGN: usize = 16;

/// The layout for a size and an alignment passed from C.
///
/// # Safety
/// `align` is a power of two, and `size` rounded up to it fits `isize`.
unsafe fn layout(size: usize, align: usize) -> Layout {
    // SAFETY: as promised by the caller; neither crate takes a size of 0.
    unsafe { Layout::from_size_align_unchecked(size.max(1), align) }
}

/// Null for none, as C has it.
fn to_c(block: Option<NonNull<u8>>) -> *mut c_void {
    block.map_or(std::ptr::null_mut(), |block| block.as_ptr().cast())
}

//! Values and slices written into memory that was just allocated.

use core::alloc::Layout;
use core::mem::forget;
use core::ptr::{self, NonNull};

use crate::error::AllocError;

/// Fails to compile for a `T` whose destructor would never run. `cargo check` does not instantiate
/// generic functions, so only `cargo build` reports the error.
pub(crate) const fn refuse_destructors<T>() {
    assert!(
        !core::mem::needs_drop::<T>(),
        "this type has a destructor, which would never run: allocate it with Scope::alloc_drop()"
    );
}

pub(crate) fn array_layout<T>(len: usize) -> Result<Layout, AllocError> {
    Layout::array::<T>(len).map_err(|_| AllocError::TooLarge)
}

/// The address of a block of size 0: aligned, and never read.
#[cfg(any(feature = "heap", feature = "region"))]
#[inline]
pub(crate) fn dangling(layout: Layout) -> NonNull<u8> {
    // SAFETY: an alignment is not 0.
    unsafe { NonNull::new_unchecked(ptr::without_provenance_mut(layout.align())) }
}

/// Writes the elements of a slice in order. If `make` panics, the elements written so far are
/// dropped.
///
/// # Safety
/// The memory has room for `len` elements, and nothing else uses it.
#[inline]
pub(crate) unsafe fn fill_slice<T>(
    first: NonNull<T>,
    len: usize,
    mut make: impl FnMut(usize) -> T,
) -> NonNull<[T]> {
    let mut written = Written { first, len: 0 };
    while written.len < len {
        // SAFETY: the memory has room for `len` elements.
        unsafe { first.add(written.len).write(make(written.len)) };
        written.len += 1;
    }
    forget(written);
    NonNull::slice_from_raw_parts(first, len)
}

/// The elements of an unfinished slice; drops them.
struct Written<T> {
    first: NonNull<T>,
    len: usize,
}

impl<T> Drop for Written<T> {
    fn drop(&mut self) {
        // SAFETY: `len` elements are written, and nothing else drops them.
        unsafe { ptr::slice_from_raw_parts_mut(self.first.as_ptr(), self.len).drop_in_place() }
    }
}

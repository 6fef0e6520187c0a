//! The bump path: what every call of `alloc` compiles to.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::bump::Bump;
use crate::error::AllocError;
use crate::piece::HEADROOM;

impl Bump {
    /// Memory for a value, in the fewest instructions. A size is a multiple of its alignment, so
    /// the end of the value can be computed at once and compared. `None`: take the slow path.
    #[inline(always)]
    pub(crate) fn reserve<T>(&self) -> Option<NonNull<T>> {
        let (size, align) = (size_of::<T>(), align_of::<T>());
        if size.saturating_add(align) > HEADROOM {
            return None;
        }
        let at = self.at.get().as_ptr();
        let stop = at.map_addr(|a| (a + (size + align - 1)) & !(align - 1));
        if stop.addr() > self.end.get().addr().get() {
            return None;
        }
        // SAFETY: [stop - size, stop) lies in the piece, or is empty at its end.
        unsafe {
            self.at.set(NonNull::new_unchecked(stop));
            Some(NonNull::new_unchecked(stop.sub(size)).cast())
        }
    }

    /// Allocates memory and writes the result of `make` to it. Panics if there is no room.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn put_with<T, F: FnOnce() -> T>(&self, make: F) -> NonNull<T> {
        let value = match self.reserve::<T>() {
            Some(value) => value,
            // A call in tail position spares the caller saving registers. Up to two words that
            // `make` captures travel in registers, too; more would be spilled to memory.
            None if size_of::<F>() <= 2 * size_of::<usize>() => return self.put_slow(make),
            None => self.reserve_slow(),
        };
        // SAFETY: the memory is new and has the layout of a T.
        unsafe { value.write(make()) };
        value
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn put_slow<T, F: FnOnce() -> T>(&self, make: F) -> NonNull<T> {
        let value = self.reserve_slow();
        // SAFETY: the memory is new and has the layout of a T.
        unsafe { value.write(make()) };
        value
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn reserve_slow<T>(&self) -> NonNull<T> {
        match self.take_slow(Layout::new::<T>()) {
            Some(value) => value.cast(),
            None => self.no_room(Layout::new::<T>()).panic(),
        }
    }

    /// Memory for a value, or an error if there is no room.
    #[inline(always)]
    pub(crate) fn try_reserve<T>(&self) -> Result<NonNull<T>, AllocError> {
        let slow = || self.take_slow(Layout::new::<T>()).map(NonNull::cast);
        self.reserve().or_else(slow).ok_or_else(|| self.no_room(Layout::new::<T>()))
    }

    /// Allocates the next `bytes` bytes, without alignment, if the piece has them.
    #[inline(always)]
    pub(crate) fn advance(&self, bytes: usize) -> bool {
        let at = self.at.get();
        let has_room = bytes <= self.end.get().addr().get() - at.addr().get();
        if has_room {
            // SAFETY: within the piece, or at its end.
            self.at.set(unsafe { at.add(bytes) });
        }
        has_room
    }
}

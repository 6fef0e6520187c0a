//! Places for values: the path that is compiled into every caller of `alloc`.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::bump::Bump;
use crate::chunk::NEAR;
use crate::error::AllocError;

impl Bump {
    /// A place for a value, in the fewest instructions: its end is reckoned at once, for the size is a
    /// multiple of the alignment, and compared. `None`: it takes a slower way.
    #[inline(always)]
    pub(crate) fn place<T>(&self) -> Option<NonNull<T>> {
        let (size, align) = (size_of::<T>(), align_of::<T>());
        if size.saturating_add(align) > NEAR {
            return None;
        }
        let at = self.at.get().as_ptr();
        let stop = at.map_addr(|a| (a + (size + align - 1)) & !(align - 1));
        if stop.addr() > self.end.get().addr().get() {
            return None;
        }
        // SAFETY: [stop - size, stop) lies in the chunk, or is empty at its end.
        unsafe {
            self.at.set(NonNull::new_unchecked(stop));
            Some(NonNull::new_unchecked(stop.sub(size)).cast())
        }
    }

    /// A value made where it is to live; panics when there is no room.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn put_with<T, F: FnOnce() -> T>(&self, make: F) -> NonNull<T> {
        let place = match self.place::<T>() {
            Some(place) => place,
            // A call that never comes back here spares the caller to save registers. What the
            // function has captured travels in registers, too, or else it would have to be in memory.
            None if size_of::<F>() <= 2 * size_of::<usize>() => return self.put_slowly(make),
            None => self.place_slowly(),
        };
        // SAFETY: the place has the layout of a T and is nobody else's.
        unsafe { place.write(make()) };
        place
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn put_slowly<T, F: FnOnce() -> T>(&self, make: F) -> NonNull<T> {
        let place = self.place_slowly();
        // SAFETY: the place has the layout of a T and is nobody else's.
        unsafe { place.write(make()) };
        place
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn place_slowly<T>(&self) -> NonNull<T> {
        match self.take_slowly(Layout::new::<T>()) {
            Some(place) => place.cast(),
            None => self.no_room(Layout::new::<T>()).panic(),
        }
    }

    /// A place for a value, or an error when there is no room.
    #[inline(always)]
    pub(crate) fn try_place<T>(&self) -> Result<NonNull<T>, AllocError> {
        let slowly = || self.take_slowly(Layout::new::<T>()).map(NonNull::cast);
        self.place().or_else(slowly).ok_or_else(|| self.no_room(Layout::new::<T>()))
    }

    /// Moves on by so many bytes, if the chunk has them.
    #[inline(always)]
    pub(crate) fn advance(&self, bytes: usize) -> bool {
        let at = self.at.get();
        let has_room = bytes <= self.end.get().addr().get() - at.addr().get();
        if has_room {
            // SAFETY: within the chunk, or at its end.
            self.at.set(unsafe { at.add(bytes) });
        }
        has_room
    }
}

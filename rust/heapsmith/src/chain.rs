//! What a scope must drop: a chain of notes through the scope's memory, the latest first.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::{self, NonNull};

use crate::error::AllocError;

/// A note in front of each value, or slice of values, that has a destructor.
struct Note {
    previous: Option<NonNull<Note>>,
    drop_what_follows: unsafe fn(NonNull<Note>),
}

#[repr(C)]
struct NotedValue<T> {
    note: Note,
    value: T,
}

#[repr(C)]
struct NotedSlice {
    note: Note,
    len: usize,
}

pub(crate) struct Chain {
    latest: Cell<Option<NonNull<Note>>>,
}

/// A place for a value that enters the chain once it is there.
pub(crate) struct PlaceForValue<T>(NonNull<NotedValue<T>>);

/// A place for a slice; elements already made are dropped if the making of one panics.
pub(crate) struct PlaceForSlice<T> {
    noted: NonNull<NotedSlice>,
    first: NonNull<T>,
}

impl Chain {
    pub(crate) const fn new() -> Self {
        Self { latest: Cell::new(None) }
    }

    #[inline(always)]
    fn enter(&self, note: NonNull<Note>, drop_what_follows: unsafe fn(NonNull<Note>)) {
        // SAFETY: the place was allocated for a note.
        unsafe { note.write(Note { previous: self.latest.get(), drop_what_follows }) };
        self.latest.set(Some(note));
    }

    /// Drops everything in the chain, the latest first. Goes on when a destructor panics; the panic
    /// goes on when all is dropped.
    pub(crate) fn drop_all(&self) {
        struct GoOn<'a>(&'a Chain);
        impl Drop for GoOn<'_> {
            fn drop(&mut self) {
                self.0.drop_all();
            }
        }
        while let Some(note) = self.latest.get() {
            // SAFETY: notes in the chain are valid, and each leaves it before its value is dropped.
            unsafe {
                self.latest.set(note.as_ref().previous);
                let rest = GoOn(self);
                (note.as_ref().drop_what_follows)(note);
                core::mem::forget(rest);
            }
        }
    }
}

impl<T> PlaceForValue<T> {
    #[inline(always)]
    pub(crate) fn get(
        allocate: impl FnOnce(Layout) -> Result<NonNull<u8>, AllocError>,
    ) -> Result<Self, AllocError> {
        Ok(Self(allocate(Layout::new::<NotedValue<T>>())?.cast()))
    }

    /// Writes the value, which `chain` will drop.
    #[inline(always)]
    pub(crate) fn fill(self, chain: &Chain, value: T) -> NonNull<T> {
        unsafe fn drop_value<T>(note: NonNull<Note>) {
            // SAFETY: the note stands at the start of a NotedValue<T>, filled below.
            unsafe { ptr::drop_in_place(&raw mut (*note.cast::<NotedValue<T>>().as_ptr()).value) }
        }
        // SAFETY: the place has the layout of a NotedValue<T> and is ours.
        unsafe {
            let place = NonNull::new_unchecked(&raw mut (*self.0.as_ptr()).value);
            place.write(value);
            chain.enter(self.0.cast(), drop_value::<T>);
            place
        }
    }
}

impl<T> PlaceForSlice<T> {
    pub(crate) fn get(
        len: usize,
        allocate: impl FnOnce(Layout) -> Result<NonNull<u8>, AllocError>,
    ) -> Result<Self, AllocError> {
        let (layout, offset) = Layout::array::<T>(len)
            .and_then(|elements| Layout::new::<NotedSlice>().extend(elements))
            .map_err(|_| AllocError::TooLarge)?;
        let noted = allocate(layout)?;
        // SAFETY: the offset is the elements' in the layout.
        let first = unsafe { noted.add(offset) }.cast();
        Ok(Self { noted: noted.cast(), first })
    }

    /// Makes `len` elements, as many as the place was got for, which `chain` will drop in order.
    pub(crate) fn fill(
        self,
        chain: &Chain,
        len: usize,
        mut make: impl FnMut(usize) -> T,
    ) -> NonNull<[T]> {
        unsafe fn drop_slice<T>(note: NonNull<Note>) {
            let noted = note.cast::<NotedSlice>();
            let (_, offset) = Layout::new::<NotedSlice>()
                .extend(Layout::new::<T>())
                .expect("the slice behind it was allocated");
            // SAFETY: the note stands in front of a slice made below, of that many elements.
            unsafe {
                let first = note.cast::<u8>().add(offset).cast::<T>();
                ptr::drop_in_place(
                    NonNull::slice_from_raw_parts(first, (*noted.as_ptr()).len).as_ptr(),
                );
            }
        }
        let mut made = Made { first: self.first, len: 0 };
        while made.len < len {
            // SAFETY: the place has room for `len` elements.
            unsafe { self.first.add(made.len).write(make(made.len)) };
            made.len += 1;
        }
        core::mem::forget(made);
        // SAFETY: the place begins with a NotedSlice.
        unsafe { (*self.noted.as_ptr()).len = len };
        chain.enter(self.noted.cast(), drop_slice::<T>);
        NonNull::slice_from_raw_parts(self.first, len)
    }
}

/// The elements of a slice that are made; dropped if it is not completed.
struct Made<T> {
    first: NonNull<T>,
    len: usize,
}

impl<T> Drop for Made<T> {
    fn drop(&mut self) {
        // SAFETY: that many elements were written, and nobody else drops them.
        unsafe {
            ptr::drop_in_place(NonNull::slice_from_raw_parts(self.first, self.len).as_ptr());
        }
    }
}

//! What a scope must drop: runs of values of one type, side by side in the scope's memory, the latest
//! first. A million values made in a row are one run, dropped in a loop without calls.

use core::alloc::Layout;
use core::cell::Cell;
use core::marker::PhantomData;
use core::mem::forget;
use core::ptr::{self, NonNull};

use crate::bump::Bump;
use crate::error::AllocError;

/// How the values of a run are dropped. Two types may share one if they agree in all of it.
pub(crate) struct Kind {
    /// Drops the values from `first` to `end`, all of them even if a destructor panics.
    drop: unsafe fn(first: NonNull<u8>, end: NonNull<u8>),
    /// From one value to the next, and what each is aligned to.
    stride: usize,
    align: usize,
}

/// A run as the header of the one after it remembers it.
struct Run {
    first: *mut u8,
    end: *mut u8,
    kind: *const Kind,
    older: Option<NonNull<Run>>,
}

/// The runs of a scope. The latest is here; each header, in front of a run, has the one before.
pub(crate) struct Runs {
    first: Cell<*mut u8>,
    end: Cell<*mut u8>,
    kind: Cell<*const Kind>,
    older: Cell<Option<NonNull<Run>>>,
}

/// The kinds of a type: single values, and slices, whose elements are dropped in order.
struct Of<T>(T);

impl<T> Of<T> {
    /// A value takes room even if it has no size, for its run to be as long as there are values.
    const VALUES: &'static Kind = &Kind {
        drop: drop_values::<T>,
        stride: if size_of::<T>() == 0 { align_of::<T>() } else { size_of::<T>() },
        align: align_of::<T>(),
    };
    const SLICE: &'static Kind = &Kind {
        drop: drop_slice::<T>,
        stride: if size_of::<T>() == 0 { 1 } else { size_of::<T>() },
        align: align_of::<T>(),
    };
}

impl Runs {
    pub(crate) const fn new() -> Self {
        Self {
            first: Cell::new(ptr::null_mut()),
            end: Cell::new(ptr::null_mut()),
            kind: Cell::new(ptr::null()),
            older: Cell::new(None),
        }
    }

    /// Makes a value that will be dropped. `None`: there is no room, and the value is not made, or
    /// dropped again if its making took the last of the room or left a child open.
    #[inline(always)]
    pub(crate) fn add_with<T>(&self, bump: &Bump, make: impl FnOnce() -> T) -> Option<NonNull<T>> {
        let kind = Of::<T>::VALUES;
        let open_scopes = bump.open_scopes.get();
        let place = match self.lengthen::<T>(bump) {
            Some(place) => place,
            None => self.begin(bump, kind, kind.stride)?,
        };
        // SAFETY: the place is new, and as large and aligned as a T needs.
        unsafe { place.cast::<T>().write(make()) };
        // SAFETY: the value is there, and so many bytes were allocated for it.
        unsafe { self.enter(bump, open_scopes, kind, place, kind.stride)? };
        Some(place.cast())
    }

    /// Makes a slice whose elements will be dropped in order. The error is as in `add_with`.
    pub(crate) fn add_slice_with<T>(
        &self,
        bump: &Bump,
        len: usize,
        mut make: impl FnMut(usize) -> T,
    ) -> Result<NonNull<[T]>, AllocError> {
        let kind = Of::<T>::SLICE;
        let bytes = len.checked_mul(kind.stride).ok_or(AllocError::TooLarge)?;
        let layout =
            Layout::from_size_align(bytes, kind.align).map_err(|_| AllocError::TooLarge)?;
        let open_scopes = bump.open_scopes.get();
        let place = self.begin(bump, kind, bytes).ok_or_else(|| bump.no_room(layout))?;
        let mut made = Made { first: place.cast::<T>(), len: 0 };
        while made.len < len {
            // SAFETY: the place has room for `len` elements.
            unsafe { made.first.add(made.len).write(make(made.len)) };
            made.len += 1;
        }
        forget(made);
        // SAFETY: the elements are there, in that many bytes.
        let entered = unsafe { self.enter(bump, open_scopes, kind, place, bytes) };
        entered.ok_or_else(|| match bump.open_scopes.get() == open_scopes {
            true => bump.no_room(Layout::new::<Run>()),
            false => AllocError::ChildIsOpen,
        })?;
        Ok(NonNull::slice_from_raw_parts(place.cast(), len))
    }

    /// The place behind the latest run, if its values are such and it ends where memory goes on.
    #[inline(always)]
    fn lengthen<T>(&self, bump: &Bump) -> Option<NonNull<u8>> {
        let (at, kind) = (bump.at.get(), Of::<T>::VALUES);
        // The kind says that what follows the run is aligned for T.
        let is_next = at.as_ptr() == self.end.get() && ptr::eq(self.kind.get(), kind);
        (is_next && bump.advance(kind.stride)).then_some(at)
    }

    /// Begins a run, as yet empty, and allocates what comes first in it.
    #[inline(never)]
    fn begin(&self, bump: &Bump, kind: &'static Kind, bytes: usize) -> Option<NonNull<u8>> {
        let contents = Layout::from_size_align(bytes, kind.align).ok()?;
        let (layout, offset) = Layout::new::<Run>().extend(contents).ok()?;
        let header = bump.take(layout)?;
        // SAFETY: the offset lies in the layout, and the header in front of it.
        unsafe {
            let place = header.add(offset);
            self.follow(header.cast(), kind, place.as_ptr());
            Some(place)
        }
    }

    /// Makes an empty run the latest; the header takes note of the one before.
    ///
    /// # Safety
    /// The header is a place for a `Run` that stays as it is until this scope ends.
    unsafe fn follow(&self, header: NonNull<Run>, kind: &'static Kind, place: *mut u8) {
        let (first, end) = (self.first.replace(place), self.end.replace(place));
        let (kind, older) = (self.kind.replace(kind), self.older.replace(Some(header)));
        // SAFETY: the caller's.
        unsafe { header.write(Run { first, end, kind, older }) };
    }

    /// Takes values that were made into the latest run, or into one of their own: what made them may
    /// have allocated here itself.
    ///
    /// # Safety
    /// The values of that kind are there, in so many bytes from `place` on.
    #[inline(always)]
    unsafe fn enter(
        &self,
        bump: &Bump,
        open_scopes: u32,
        kind: &'static Kind,
        place: NonNull<u8>,
        bytes: usize,
    ) -> Option<()> {
        // SAFETY: the end of what the caller says.
        let end = unsafe { place.add(bytes) };
        if self.end.get() != place.as_ptr() {
            // SAFETY: the caller's.
            unsafe { self.begin_behind(bump, open_scopes, kind, place, end)? };
        }
        self.end.set(end.as_ptr());
        Some(())
    }

    /// # Safety
    /// The values of that kind are there, from `place` to `end`.
    #[cold]
    #[inline(never)]
    unsafe fn begin_behind(
        &self,
        bump: &Bump,
        open_scopes: u32,
        kind: &'static Kind,
        place: NonNull<u8>,
        end: NonNull<u8>,
    ) -> Option<()> {
        // A header above the base of a child that was opened meanwhile would end with that child.
        let is_innermost = bump.open_scopes.get() == open_scopes;
        match is_innermost.then(|| bump.take(Layout::new::<Run>())).flatten() {
            // SAFETY: the header has the layout of a Run.
            Some(header) => unsafe { self.follow(header.cast(), kind, place.as_ptr()) },
            None => {
                // SAFETY: the values are there, and nobody else will drop them.
                unsafe { (kind.drop)(place, end) };
                return None;
            }
        }
        Some(())
    }

    /// Drops everything, the latest first. Goes on when a destructor panics; the panic goes on when
    /// all is dropped.
    #[inline]
    pub(crate) fn drop_all(&self) {
        if self.older.get().is_some() {
            self.drop_runs();
        }
    }

    #[inline(never)]
    fn drop_runs(&self) {
        struct GoOn<'a>(&'a Runs);
        impl Drop for GoOn<'_> {
            fn drop(&mut self) {
                self.0.drop_all();
            }
        }
        while let Some(header) = self.older.get() {
            // SAFETY: headers stay as they are until the scope has ended, which is after this.
            let before = unsafe { header.read() };
            self.older.set(before.older);
            let (first, end) = (self.first.replace(before.first), self.end.replace(before.end));
            let kind = self.kind.replace(before.kind);
            let rest = GoOn(self);
            // SAFETY: a run that follows a header has a kind, its first value and its end; it was
            // the latest until now, so its values are dropped once.
            unsafe { ((*kind).drop)(NonNull::new_unchecked(first), NonNull::new_unchecked(end)) };
            forget(rest);
        }
    }
}

/// Drops single values, the latest first.
///
/// # Safety
/// From `first` to `end` there are values of that type, a stride apart, nobody else's.
unsafe fn drop_values<T>(first: NonNull<u8>, end: NonNull<u8>) {
    // SAFETY: the caller's.
    unsafe {
        drop_last::<T>(first, (end.addr().get() - first.addr().get()) / Of::<T>::VALUES.stride)
    };
}

/// Counts rather than compares places: so the compiler knows how often the loop runs, and unrolls it.
///
/// # Safety
/// From `first` on there are so many values, as above.
unsafe fn drop_last<T>(first: NonNull<u8>, values: usize) {
    /// What is left when a destructor panics.
    struct Left<T> {
        first: NonNull<u8>,
        values: usize,
        of: PhantomData<T>,
    }
    impl<T> Drop for Left<T> {
        fn drop(&mut self) {
            // SAFETY: what is left is as the function was promised.
            unsafe { drop_last::<T>(self.first, self.values) };
        }
    }
    let mut left = Left::<T> { first, values, of: PhantomData };
    for before in (0..values).rev() {
        left.values = before;
        // SAFETY: so many values lie before this one, which is not among those left.
        unsafe { first.add(before * Of::<T>::VALUES.stride).cast::<T>().drop_in_place() };
    }
    forget(left);
}

/// Drops the elements of a slice in order.
///
/// # Safety
/// From `first` to `end` there are elements of that type, a stride apart, nobody else's.
unsafe fn drop_slice<T>(first: NonNull<u8>, end: NonNull<u8>) {
    let len = (end.addr().get() - first.addr().get()) / Of::<T>::SLICE.stride;
    // SAFETY: the caller's.
    unsafe { NonNull::slice_from_raw_parts(first.cast::<T>(), len).drop_in_place() };
}

/// The elements of a slice that are made; dropped if it is not completed.
struct Made<T> {
    first: NonNull<T>,
    len: usize,
}

impl<T> Drop for Made<T> {
    fn drop(&mut self) {
        // SAFETY: that many elements were written, and nobody else drops them.
        unsafe { NonNull::slice_from_raw_parts(self.first, self.len).drop_in_place() };
    }
}

//! The values that a scope drops, in runs of one type, side by side in the scope's memory. A
//! million values allocated in a row are one run, dropped in a loop without calls.

use core::alloc::Layout;
use core::cell::Cell;
use core::marker::PhantomData;
use core::mem::forget;
use core::ptr::{self, NonNull};

use crate::bump::Bump;
use crate::error::AllocError;
use crate::fill::fill_slice;

/// How the values of a run are dropped. Types that agree in all of it may share a kind.
pub(crate) struct Kind {
    /// Drops all values from `first` to `end`, even if a destructor panics.
    drop: unsafe fn(first: NonNull<u8>, end: NonNull<u8>),
    /// The distance from one value to the next, and their alignment.
    stride: usize,
    align: usize,
}

/// A run, as saved in the header of the run after it.
struct Run {
    first: *mut u8,
    end: *mut u8,
    kind: *const Kind,
    older: Option<NonNull<Run>>,
}

/// The runs of a scope. The latest is described here; the header in front of it describes the one
/// before, and so on.
pub(crate) struct Runs {
    first: Cell<*mut u8>,
    end: Cell<*mut u8>,
    kind: Cell<*const Kind>,
    older: Cell<Option<NonNull<Run>>>,
}

/// The kinds of a type: single values, dropped in reverse, and slices, dropped in order.
struct Of<T>(T);

impl<T> Of<T> {
    /// Values without a size take room, too, so that the length of a run gives their number.
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

    /// Allocates a value that will be dropped. `None`: there is no room, so `make` is not called;
    /// or `make` took the last of the room or left a child open, so the value is dropped again.
    #[inline(always)]
    pub(crate) fn add_with<T>(&self, bump: &Bump, make: impl FnOnce() -> T) -> Option<NonNull<T>> {
        let kind = Of::<T>::VALUES;
        let open_scopes = bump.open_scopes.get();
        let value = match self.lengthen::<T>(bump) {
            Some(value) => value,
            None => self.begin(bump, kind, kind.stride)?,
        };
        // SAFETY: the memory is new, large enough for a T, and aligned for it.
        unsafe { value.cast::<T>().write(make()) };
        // SAFETY: the value was written to the `stride` bytes allocated for it.
        unsafe { self.enter(bump, open_scopes, kind, value, kind.stride)? };
        Some(value.cast())
    }

    /// Allocates a slice whose elements will be dropped in order. Fails as `add_with` does.
    pub(crate) fn add_slice_with<T>(
        &self,
        bump: &Bump,
        len: usize,
        make: impl FnMut(usize) -> T,
    ) -> Result<NonNull<[T]>, AllocError> {
        let kind = Of::<T>::SLICE;
        let bytes = len.checked_mul(kind.stride).ok_or(AllocError::TooLarge)?;
        let layout =
            Layout::from_size_align(bytes, kind.align).map_err(|_| AllocError::TooLarge)?;
        let open_scopes = bump.open_scopes.get();
        let first = self.begin(bump, kind, bytes).ok_or_else(|| bump.no_room(layout))?;
        // SAFETY: the memory is new and has room for `len` elements, which are written to it.
        let (slice, entered) = unsafe {
            let slice = fill_slice(first.cast::<T>(), len, make);
            (slice, self.enter(bump, open_scopes, kind, first, bytes))
        };
        entered.ok_or_else(|| match bump.open_scopes.get() == open_scopes {
            true => bump.no_room(Layout::new::<Run>()),
            false => AllocError::ChildIsOpen,
        })?;
        Ok(slice)
    }

    /// Memory at the end of the latest run, if its values are of this type and it ends at the
    /// current position.
    #[inline(always)]
    fn lengthen<T>(&self, bump: &Bump) -> Option<NonNull<u8>> {
        let (at, kind) = (bump.at.get(), Of::<T>::VALUES);
        // A run of this kind ends aligned for T.
        let is_next = at.as_ptr() == self.end.get() && ptr::eq(self.kind.get(), kind);
        (is_next && bump.advance(kind.stride)).then_some(at)
    }

    /// Begins an empty run and allocates its first `bytes` bytes.
    #[inline(never)]
    fn begin(&self, bump: &Bump, kind: &'static Kind, bytes: usize) -> Option<NonNull<u8>> {
        let contents = Layout::from_size_align(bytes, kind.align).ok()?;
        let (layout, offset) = Layout::new::<Run>().extend(contents).ok()?;
        let header = bump.take(layout)?;
        // SAFETY: the offset lies in the layout, with the header in front of it.
        unsafe {
            let first = header.add(offset);
            self.follow(header.cast(), kind, first.as_ptr());
            Some(first)
        }
    }

    /// Makes an empty run the latest. The header saves the one before.
    ///
    /// # Safety
    /// The header is memory for a `Run`, which nothing else uses until this scope ends.
    unsafe fn follow(&self, header: NonNull<Run>, kind: &'static Kind, start: *mut u8) {
        let (first, end) = (self.first.replace(start), self.end.replace(start));
        let (kind, older) = (self.kind.replace(kind), self.older.replace(Some(header)));
        // SAFETY: the caller's promise.
        unsafe { header.write(Run { first, end, kind, older }) };
    }

    /// Adds new values to the latest run, or to a run of their own if `make` has allocated here.
    ///
    /// # Safety
    /// Values of that kind fill the `bytes` bytes at `first`.
    #[inline(always)]
    unsafe fn enter(
        &self,
        bump: &Bump,
        open_scopes: u32,
        kind: &'static Kind,
        first: NonNull<u8>,
        bytes: usize,
    ) -> Option<()> {
        // SAFETY: the end of the values.
        let end = unsafe { first.add(bytes) };
        if self.end.get() != first.as_ptr() {
            // SAFETY: the caller's promise.
            unsafe { self.begin_behind(bump, open_scopes, kind, first, end)? };
        }
        self.end.set(end.as_ptr());
        Some(())
    }

    /// # Safety
    /// Values of that kind lie from `first` to `end`.
    #[cold]
    #[inline(never)]
    unsafe fn begin_behind(
        &self,
        bump: &Bump,
        open_scopes: u32,
        kind: &'static Kind,
        first: NonNull<u8>,
        end: NonNull<u8>,
    ) -> Option<()> {
        // A header above the base of a child that `make` opened would end with that child.
        let is_innermost = bump.open_scopes.get() == open_scopes;
        match is_innermost.then(|| bump.take(Layout::new::<Run>())).flatten() {
            // SAFETY: the header has the layout of a Run.
            Some(header) => unsafe { self.follow(header.cast(), kind, first.as_ptr()) },
            None => {
                // SAFETY: the values are in no run, so nothing else drops them.
                unsafe { (kind.drop)(first, end) };
                return None;
            }
        }
        Some(())
    }

    /// Drops all values, the latest first. If a destructor panics, the others run before the panic
    /// continues.
    #[inline]
    pub(crate) fn drop_all(&self) {
        if self.older.get().is_some() {
            self.drop_runs();
        }
    }

    #[inline(never)]
    fn drop_runs(&self) {
        struct DropRest<'a>(&'a Runs);
        impl Drop for DropRest<'_> {
            fn drop(&mut self) {
                self.0.drop_all();
            }
        }
        while let Some(header) = self.older.get() {
            // SAFETY: headers stay unchanged until the scope has ended, which is after this.
            let before = unsafe { header.read() };
            self.older.set(before.older);
            let (first, end) = (self.first.replace(before.first), self.end.replace(before.end));
            let kind = self.kind.replace(before.kind);
            let rest = DropRest(self);
            // SAFETY: a run with a header has a kind, a first value and an end. It is no longer the
            // latest, so its values are dropped once.
            unsafe { ((*kind).drop)(NonNull::new_unchecked(first), NonNull::new_unchecked(end)) };
            forget(rest);
        }
    }
}

/// Drops single values, the latest first.
///
/// # Safety
/// Values of that type lie from `first` to `end`, a stride apart, and nothing else drops them.
unsafe fn drop_values<T>(first: NonNull<u8>, end: NonNull<u8>) {
    // SAFETY: the caller's promise.
    unsafe {
        drop_last::<T>(first, (end.addr().get() - first.addr().get()) / Of::<T>::VALUES.stride)
    };
}

/// Counts instead of comparing addresses, so that the compiler can unroll the loop.
///
/// # Safety
/// `values` values lie from `first` on, as above.
unsafe fn drop_last<T>(first: NonNull<u8>, values: usize) {
    /// The values that remain when a destructor panics.
    struct Left<T> {
        first: NonNull<u8>,
        values: usize,
        of: PhantomData<T>,
    }
    impl<T> Drop for Left<T> {
        fn drop(&mut self) {
            // SAFETY: these values are not dropped yet.
            unsafe { drop_last::<T>(self.first, self.values) };
        }
    }
    let mut left = Left::<T> { first, values, of: PhantomData };
    for before in (0..values).rev() {
        left.values = before;
        // SAFETY: `before` values lie before this one, which is not among those left.
        unsafe { first.add(before * Of::<T>::VALUES.stride).cast::<T>().drop_in_place() };
    }
    forget(left);
}

/// Drops the elements of a slice in order.
///
/// # Safety
/// Elements of that type lie from `first` to `end`, a stride apart, and nothing else drops them.
unsafe fn drop_slice<T>(first: NonNull<u8>, end: NonNull<u8>) {
    let len = (end.addr().get() - first.addr().get()) / Of::<T>::SLICE.stride;
    // SAFETY: the caller's promise.
    unsafe { NonNull::slice_from_raw_parts(first.cast::<T>(), len).drop_in_place() };
}

//! The methods that arenas and scopes have in common, written once.
//!
//! Each type brings `bump()`, the engine if it may be used now; what it allocates stays its caller's for
//! the lifetime the macro is given.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::error::AllocError;

/// Fails to compile where a value would be forgotten that has a destructor: `cargo build` does, while
/// `cargo check` makes no function of generic ones and notices nothing.
pub(crate) const fn refuse_destructors<T>() {
    assert!(
        !core::mem::needs_drop::<T>(),
        "this type has a destructor, which would never run: allocate it by alloc_drop() of a scope"
    );
}

/// Writes `len` elements into memory of their layout.
///
/// # Safety
/// The memory is the caller's and has room for them.
#[inline]
pub(crate) unsafe fn fill_slice<T>(
    first: NonNull<T>,
    len: usize,
    mut make: impl FnMut(usize) -> T,
) -> NonNull<[T]> {
    for i in 0..len {
        // SAFETY: the caller's; the elements need no destructor, so a panic may leave them.
        unsafe { first.add(i).write(make(i)) };
    }
    NonNull::slice_from_raw_parts(first, len)
}

pub(crate) fn array_layout<T>(len: usize) -> Result<Layout, AllocError> {
    Layout::array::<T>(len).map_err(|_| AllocError::TooLarge)
}

/// Adds the methods to the `impl` block it stands in; `$life` is how long what they return lives.
macro_rules! value_methods {
    ($life:lifetime) => {
        /// Moves a value into the memory of this allocator.
        ///
        /// A type with a destructor does not compile here, since the destructor would never run
        /// (`cargo check` alone does not notice); scopes have
        /// [`alloc_drop`](crate::Scope::alloc_drop) for those.
        ///
        /// Complexity: constant, but for a new chunk now and then.
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let number: &mut u32 = arena.alloc(1);
        /// *number += 1;
        /// ```
        ///
        /// # Panics
        /// When there is no room; [`try_alloc`](Self::try_alloc) returns an error instead.
        #[inline(always)]
        #[track_caller]
        pub fn alloc<T>(&self, value: T) -> &$life mut T {
            self.alloc_with(|| value)
        }

        /// [`alloc`](Self::alloc), or an error when there is no room.
        ///
        /// ```
        /// let mut buffer = [core::mem::MaybeUninit::uninit(); 100];
        /// let arena = heapsmith::Arena::in_buffer(&mut buffer);
        /// assert!(arena.try_alloc(1u64).is_ok());
        /// assert!(arena.try_alloc([1u64; 20]).is_err());
        /// ```
        #[inline(always)]
        pub fn try_alloc<T>(&self, value: T) -> Result<&$life mut T, AllocError> {
            self.try_alloc_with(|| value)
        }

        /// Makes a value where it is to live, which spares large ones a copy. The function is
        /// called once there is room for its value, and may allocate here itself.
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let pair = arena.alloc_with(|| (arena.alloc(1), [0u8; 1000]));
        /// assert_eq!(*pair.0, 1);
        /// ```
        ///
        /// # Panics
        /// When there is no room, or the function panics.
        #[inline(always)]
        #[track_caller]
        pub fn alloc_with<T>(&self, make: impl FnOnce() -> T) -> &$life mut T {
            const { crate::methods::refuse_destructors::<T>() };
            let value = match self.bump() {
                Ok(bump) => bump.put_with(make),
                Err(why) => why.panic(),
            };
            // SAFETY: the value is nobody else's for that lifetime.
            unsafe { &mut *value.as_ptr() }
        }

        /// [`alloc_with`](Self::alloc_with), or an error when there is no room, and then the
        /// function is not called.
        #[inline(always)]
        pub fn try_alloc_with<T>(
            &self,
            make: impl FnOnce() -> T,
        ) -> Result<&$life mut T, AllocError> {
            const { crate::methods::refuse_destructors::<T>() };
            let place = self.bump()?.try_place::<T>()?;
            // SAFETY: the place has the layout of a T and is nobody else's for that lifetime.
            unsafe {
                place.write(make());
                Ok(&mut *place.as_ptr())
            }
        }

        /// Copies a slice.
        ///
        /// Complexity: linear in its length.
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let list = arena.alloc_slice_copy(&[1, 2, 3]);
        /// list[0] = 4;
        /// assert_eq!(list, [4, 2, 3]);
        /// ```
        ///
        /// # Panics
        /// When there is no room.
        #[inline]
        #[track_caller]
        pub fn alloc_slice_copy<T: Copy>(&self, from: &[T]) -> &$life mut [T] {
            self.try_alloc_slice_copy(from).unwrap_or_else(|e| e.panic())
        }

        /// [`alloc_slice_copy`](Self::alloc_slice_copy), or an error when there is no room.
        #[inline]
        pub fn try_alloc_slice_copy<T: Copy>(
            &self,
            from: &[T],
        ) -> Result<&$life mut [T], AllocError> {
            let place = self.bump()?.allocate(Layout::for_value(from))?.cast::<T>();
            // SAFETY: the place has the layout of the slice and cannot overlap it: it is new.
            unsafe {
                core::ptr::copy_nonoverlapping(from.as_ptr(), place.as_ptr(), from.len());
                Ok(&mut *NonNull::slice_from_raw_parts(place, from.len()).as_ptr())
            }
        }

        /// Makes a slice of `len` elements, each by a call of the function with its index.
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// assert_eq!(arena.alloc_slice_with(4, |n| n * n), [0, 1, 4, 9]);
        /// ```
        ///
        /// # Panics
        /// When there is no room, or the function panics.
        #[track_caller]
        pub fn alloc_slice_with<T>(
            &self,
            len: usize,
            make: impl FnMut(usize) -> T,
        ) -> &$life mut [T] {
            self.try_alloc_slice_with(len, make).unwrap_or_else(|e| e.panic())
        }

        /// [`alloc_slice_with`](Self::alloc_slice_with), or an error when there is no room, and
        /// then the function is not called.
        pub fn try_alloc_slice_with<T>(
            &self,
            len: usize,
            make: impl FnMut(usize) -> T,
        ) -> Result<&$life mut [T], AllocError> {
            const { crate::methods::refuse_destructors::<T>() };
            let place = self.bump()?.allocate(crate::methods::array_layout::<T>(len)?)?.cast::<T>();
            // SAFETY: the place has the layout of so many elements and is nobody else's for that
            // lifetime.
            unsafe { Ok(&mut *crate::methods::fill_slice(place, len, make).as_ptr()) }
        }

        /// A slice of `len` elements that are all `value`.
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// assert_eq!(arena.alloc_slice_fill(3, '-'), ['-'; 3]);
        /// ```
        ///
        /// # Panics
        /// When there is no room.
        #[track_caller]
        pub fn alloc_slice_fill<T: Clone>(&self, len: usize, value: T) -> &$life mut [T] {
            self.alloc_slice_with(len, |_| value.clone())
        }

        /// [`alloc_slice_fill`](Self::alloc_slice_fill), or an error when there is no room.
        pub fn try_alloc_slice_fill<T: Clone>(
            &self,
            len: usize,
            value: T,
        ) -> Result<&$life mut [T], AllocError> {
            self.try_alloc_slice_with(len, |_| value.clone())
        }

        /// A slice of what an iterator yields.
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let lengths = arena.alloc_slice_iter(["a", "abc"].iter().map(|s| s.len()));
        /// assert_eq!(lengths, [1, 3]);
        /// ```
        ///
        /// # Panics
        /// When there is no room, or the iterator yields fewer elements than its length says; more
        /// are left in it.
        #[track_caller]
        pub fn alloc_slice_iter<T, I>(&self, from: I) -> &$life mut [T]
        where
            I: IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        {
            self.try_alloc_slice_iter(from).unwrap_or_else(|e| e.panic())
        }

        /// [`alloc_slice_iter`](Self::alloc_slice_iter), or an error when there is no room.
        pub fn try_alloc_slice_iter<T, I>(&self, from: I) -> Result<&$life mut [T], AllocError>
        where
            I: IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        {
            let mut from = from.into_iter();
            self.try_alloc_slice_with(from.len(), |_| {
                from.next().expect("an iterator yields as many elements as its length says")
            })
        }

        /// Copies a text.
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let name: &mut str = arena.alloc_str("name");
        /// name.make_ascii_uppercase();
        /// assert_eq!(name, "NAME");
        /// ```
        ///
        /// # Panics
        /// When there is no room.
        #[inline]
        #[track_caller]
        pub fn alloc_str(&self, from: &str) -> &$life mut str {
            self.try_alloc_str(from).unwrap_or_else(|e| e.panic())
        }

        /// [`alloc_str`](Self::alloc_str), or an error when there is no room.
        #[inline]
        pub fn try_alloc_str(&self, from: &str) -> Result<&$life mut str, AllocError> {
            let bytes = self.try_alloc_slice_copy(from.as_bytes())?;
            // SAFETY: the bytes of a text.
            Ok(unsafe { core::str::from_utf8_unchecked_mut(bytes) })
        }

        /// Writes a formatted text: `scope.alloc_fmt(format_args!("{name}: {n}"))`.
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// assert_eq!(arena.alloc_fmt(format_args!("{}-{:02}", 'a', 7)), "a-07");
        /// ```
        ///
        /// # Panics
        /// When there is no room; when what is displayed returns an error.
        #[track_caller]
        pub fn alloc_fmt(&self, text: core::fmt::Arguments<'_>) -> &$life mut str {
            self.try_alloc_fmt(text).unwrap_or_else(|e| e.panic())
        }

        /// [`alloc_fmt`](Self::alloc_fmt), or an error when there is no room.
        pub fn try_alloc_fmt(
            &self,
            text: core::fmt::Arguments<'_>,
        ) -> Result<&$life mut str, AllocError> {
            if let Some(text) = text.as_str() {
                return self.try_alloc_str(text);
            }
            let mut written = self.string();
            written.try_push_fmt(text)?;
            Ok(written.into_str())
        }
    };
}

pub(crate) use value_methods;

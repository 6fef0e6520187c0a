//! Boxes of arrays, slices and values of unknown type, turned into each other.

use core::any::Any;
use core::ptr::NonNull;

use super::{Memory, Owned};

/// A box of an array as a box of a slice.
impl<'live, T, M: Memory, const N: usize> From<Owned<'live, [T; N], M>> for Owned<'live, [T], M> {
    fn from(array: Owned<'live, [T; N], M>) -> Self {
        crate::unsize!(array)
    }
}

/// A box of a slice as a box of an array. The error is the slice, if it has another length.
impl<'live, T, M: Memory, const N: usize> TryFrom<Owned<'live, [T], M>>
    for Owned<'live, [T; N], M>
{
    type Error = Owned<'live, [T], M>;

    fn try_from(slice: Owned<'live, [T], M>) -> Result<Self, Self::Error> {
        if slice.len() != N {
            return Err(slice);
        }
        let array = Owned::as_non_null(&slice).cast();
        // SAFETY: so many elements are an array, with the same layout.
        Ok(unsafe { Owned::with_type(slice, array) })
    }
}

/// An empty slice, which needs no memory.
impl<T, M: Memory + Default> Default for Owned<'_, [T], M> {
    fn default() -> Self {
        let empty = NonNull::slice_from_raw_parts(NonNull::dangling(), 0);
        // SAFETY: a block of size 0 needs no memory.
        unsafe { Owned::from_parts(empty, M::default()) }
    }
}

/// An empty string, which needs no memory.
impl<M: Memory + Default> Default for Owned<'_, str, M> {
    fn default() -> Self {
        let bytes: Owned<'_, [u8], M> = Owned::default();
        let (empty, memory) = Owned::into_parts(bytes);
        // SAFETY: as above; the pointer is not null, and no bytes are valid UTF-8.
        unsafe { Owned::from_parts(NonNull::new_unchecked(empty.as_ptr() as *mut str), memory) }
    }
}

macro_rules! downcast {
    ($($any:ty),+) => {
        $(impl<'live, M: Memory> Owned<'live, $any, M> {
            /// Turns the box into one of a sized type if its value has this type.
            ///
            /// # Errors
            ///
            /// Returns the box if its value has another type.
            ///
            /// # Examples
            ///
            /// ```
            /// use core::any::Any;
            /// use heapsmith::{Arena, ArenaBox, unsize};
            ///
            /// let arena = Arena::new();
            #[doc = concat!("let value: ArenaBox<'_, ", stringify!($any), "> = unsize!(arena.alloc_box(7u32));")]
            /// let value = value.downcast::<i64>().unwrap_err();
            /// assert_eq!(*value.downcast::<u32>().unwrap(), 7);
            /// ```
            pub fn downcast<U: Any>(self) -> Result<Owned<'live, U, M>, Self> {
                if !self.is::<U>() {
                    return Err(self);
                }
                let value = Self::as_non_null(&self).cast();
                // SAFETY: the value is a `U`.
                Ok(unsafe { Self::with_type(self, value) })
            }
        })+
    };
}

downcast!(dyn Any, dyn Any + Send, dyn Any + Send + Sync);

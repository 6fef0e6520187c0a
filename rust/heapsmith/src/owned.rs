//! Boxes: owners of values in arenas, heaps and regions.

mod convert;
mod forward;
#[cfg(feature = "heap")]
mod in_heap;
#[cfg(feature = "region")]
mod in_region;
mod retype;

use core::alloc::Layout;
use core::borrow::{Borrow, BorrowMut};
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

#[cfg(feature = "heap")]
pub use in_heap::{HeapBox, InHeap};
#[cfg(feature = "region")]
pub use in_region::{InRegion, RegionBox};

/// The owner of a value in an arena, a heap or a region, as `Box` is in the global allocator.
///
/// * An [`ArenaBox`], made by [`Arena::alloc_box`](crate::Arena::alloc_box) and others, drops the
///   value. Its memory stays in use until the arena is reset or the scope ends.
/// * A [`HeapBox`], made by [`Heap::alloc`](crate::Heap::alloc) and others, drops the value and
///   frees its block, in any thread.
/// * A [`RegionBox`], made by [`Region::alloc`](crate::Region::alloc) and others, drops the value
///   and frees its block. It cannot leave its region's thread.
///
/// A box borrows its allocator for `'live`, including while it is dropped. So the allocator cannot
/// be reset or dropped before the box, and whatever the value borrows must outlive the box.
///
/// An `ArenaBox` or a `HeapBox` is as large as a pointer; a `RegionBox` also holds a reference to
/// its region.
///
/// # Examples
///
/// ```
/// use heapsmith::{Arena, ArenaBox};
///
/// let arena = Arena::new();
/// let mut list = arena.alloc_box(vec![1, 2]);
/// list.push(3);
/// let list: Vec<i32> = ArenaBox::into_inner(list); // moved out: nothing is left to drop
/// assert_eq!(list, [1, 2, 3]);
/// ```
pub struct Owned<'live, T: ?Sized, M: Memory> {
    /// The pointer that the allocator returned, which may be used for the whole block. It is never
    /// derived from a reference, which could be used for the value alone.
    value: NonNull<T>,
    memory: M,
    owned: PhantomData<(&'live (), T)>,
}

/// The owner of a value in an arena or a scope: see [`Owned`].
///
/// Use a box for a value that should be dropped before its arena is reset, or that will be moved
/// elsewhere. A value without a destructor needs no box: `alloc` returns a `&mut T`.
pub type ArenaBox<'live, T> = Owned<'live, T, InArena>;

/// Where a box keeps its value: [`InArena`], [`InHeap`] or [`InRegion`].
///
/// This trait is sealed. It has no methods to call.
pub trait Memory: sealed::Free {}

/// Marks boxes in an arena or a scope.
#[derive(Clone, Copy, Debug, Default)]
pub struct InArena;

pub(crate) mod sealed {
    use super::{Layout, NonNull};

    pub trait Free: Copy {
        /// Frees the block of a box; a block of size 0 needs no memory.
        ///
        /// # Safety
        /// The block is live, has this layout, and is not used any more.
        unsafe fn free(self, block: NonNull<u8>, layout: Layout);
    }
}

impl Memory for InArena {}

impl sealed::Free for InArena {
    /// Does nothing: the memory is reused after a reset.
    #[inline(always)]
    unsafe fn free(self, _: NonNull<u8>, _: Layout) {}
}

// SAFETY: a box has its value alone. Whether another thread may free the block, `M` says.
unsafe impl<T: Send + ?Sized, M: Memory + Send> Send for Owned<'_, T, M> {}
// SAFETY: as above.
unsafe impl<T: Sync + ?Sized, M: Memory + Sync> Sync for Owned<'_, T, M> {}

/// Frees a block when it is dropped, even if the value's destructor panics.
struct Block<M: Memory>(NonNull<u8>, Layout, M);

impl<M: Memory> Drop for Block<M> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the box that made this used the block last.
        unsafe { self.2.free(self.0, self.1) }
    }
}

impl<'live, T: ?Sized, M: Memory> Owned<'live, T, M> {
    /// # Safety
    /// The pointer may be used for the whole block, which the value fills, and which lives in this
    /// memory for `'live`. The value has no other owner.
    #[inline]
    pub(crate) unsafe fn from_parts(value: NonNull<T>, memory: M) -> Self {
        Self { value, memory, owned: PhantomData }
    }

    #[inline]
    pub(crate) fn into_parts(owner: Self) -> (NonNull<T>, M) {
        let owner = ManuallyDrop::new(owner);
        (owner.value, owner.memory)
    }

    /// Consumes the box and returns the value's address. The value is not dropped any more, and its
    /// block stays in use until the allocator is reset or dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let name = ArenaBox::into_raw(arena.alloc_box(String::from("name")));
    /// // SAFETY: the pointer comes from `into_raw`, and the arena is still borrowed.
    /// let name: ArenaBox<'_, String> = unsafe { ArenaBox::from_raw(name) };
    /// assert_eq!(*name, "name");
    /// ```
    #[inline]
    pub fn into_raw(owner: Self) -> *mut T {
        Self::into_parts(owner).0.as_ptr()
    }

    /// Makes a box from the address that [`into_raw`](Self::into_raw) returned.
    ///
    /// A `RegionBox` cannot be made this way, since it also needs its region.
    ///
    /// # Safety
    ///
    /// The address comes from a box in the same memory, `M`; the value lives for `'live`; and it
    /// has no other owner.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let name = ArenaBox::into_raw(arena.alloc_box(String::from("name")));
    /// // SAFETY: the pointer comes from `into_raw`, and the arena is still borrowed.
    /// let name: ArenaBox<'_, String> = unsafe { ArenaBox::from_raw(name) };
    /// assert_eq!(*name, "name");
    /// ```
    #[inline]
    pub unsafe fn from_raw(value: *mut T) -> Self
    where
        M: Default,
    {
        // SAFETY: the address of a value is not null; the rest is the caller's promise.
        unsafe { Self::from_parts(NonNull::new_unchecked(value), M::default()) }
    }

    /// Consumes the box and returns a reference to its value, which is never dropped. Its block
    /// stays in use until the allocator is reset or dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let number: &mut i32 = ArenaBox::leak(arena.alloc_box(1));
    /// *number += 1;
    /// ```
    #[inline]
    pub fn leak(owner: Self) -> &'live mut T
    where
        T: 'live,
    {
        // SAFETY: the value lives for 'live, and this was its owner.
        unsafe { &mut *Self::into_raw(owner) }
    }
}

impl<'live, T, M: Memory> Owned<'live, T, M> {
    /// Consumes the box, frees its block and returns the value.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let list = arena.alloc_box(vec![1, 2]);
    /// assert_eq!(ArenaBox::into_inner(list), [1, 2]);
    /// ```
    #[inline]
    pub fn into_inner(owner: Self) -> T {
        let (value, memory) = Self::into_parts(owner);
        let _block = Block(value.cast(), Layout::new::<T>(), memory);
        // SAFETY: the value was the box's, which does not drop it any more.
        unsafe { value.read() }
    }
}

impl<'live, T, M: Memory> Owned<'live, MaybeUninit<T>, M> {
    /// Converts to a box of the value.
    ///
    /// # Safety
    ///
    /// The value is initialized.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use heapsmith::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let mut value: ArenaBox<'_, MaybeUninit<u64>> = arena.alloc_box(MaybeUninit::uninit());
    /// value.write(1);
    /// // SAFETY: the value was written.
    /// let value = unsafe { ArenaBox::<MaybeUninit<u64>>::assume_init(value) };
    /// assert_eq!(*value, 1);
    /// ```
    #[inline]
    pub unsafe fn assume_init(owner: Self) -> Owned<'live, T, M> {
        let (value, memory) = Self::into_parts(owner);
        // SAFETY: the same block, and the caller's promise.
        unsafe { Owned::from_parts(value.cast(), memory) }
    }
}

impl<'live, T, M: Memory> Owned<'live, [MaybeUninit<T>], M> {
    /// Converts to a box of the elements.
    ///
    /// # Safety
    ///
    /// All elements are initialized.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use heapsmith::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let mut letters = arena.vec();
    /// letters.extend([MaybeUninit::uninit(); 3]);
    /// letters.iter_mut().for_each(|letter| _ = letter.write('x'));
    /// // SAFETY: all letters were written.
    /// let letters = unsafe { ArenaBox::<[_]>::assume_init(letters.into_boxed_slice()) };
    /// assert_eq!(*letters, ['x'; 3]);
    /// ```
    #[inline]
    pub unsafe fn assume_init(owner: Self) -> Owned<'live, [T], M> {
        let (all, memory) = Self::into_parts(owner);
        let all = NonNull::slice_from_raw_parts(all.cast(), all.len());
        // SAFETY: the same block, and the caller's promise.
        unsafe { Owned::from_parts(all, memory) }
    }
}

#[cfg(any(feature = "heap", feature = "region"))]
impl<'live, M: Memory> Owned<'live, [u8], M> {
    /// # Safety
    /// The bytes are valid UTF-8.
    pub(crate) unsafe fn into_str(owner: Self) -> Owned<'live, str, M> {
        let (bytes, memory) = Self::into_parts(owner);
        // SAFETY: not null, the same block, and the caller's promise.
        unsafe { Owned::from_parts(NonNull::new_unchecked(bytes.as_ptr() as *mut str), memory) }
    }
}

impl<T: ?Sized, M: Memory> Drop for Owned<'_, T, M> {
    #[inline]
    fn drop(&mut self) {
        let _block = Block(self.value.cast(), Layout::for_value::<T>(self), self.memory);
        // SAFETY: the box owns the value and ends here.
        unsafe { self.value.drop_in_place() }
    }
}

impl<T: ?Sized, M: Memory> Deref for Owned<'_, T, M> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the box owns the value, which is borrowed as the box is.
        unsafe { self.value.as_ref() }
    }
}

impl<T: ?Sized, M: Memory> DerefMut for Owned<'_, T, M> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { self.value.as_mut() }
    }
}

impl<T: ?Sized, M: Memory> AsRef<T> for Owned<'_, T, M> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized, M: Memory> AsMut<T> for Owned<'_, T, M> {
    fn as_mut(&mut self) -> &mut T {
        self
    }
}

impl<T: ?Sized, M: Memory> Borrow<T> for Owned<'_, T, M> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: ?Sized, M: Memory> BorrowMut<T> for Owned<'_, T, M> {
    fn borrow_mut(&mut self) -> &mut T {
        self
    }
}

impl<T: fmt::Debug + ?Sized, M: Memory> fmt::Debug for Owned<'_, T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: fmt::Display + ?Sized, M: Memory> fmt::Display for Owned<'_, T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq + ?Sized, M: Memory> PartialEq for Owned<'_, T, M> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq + ?Sized, M: Memory> Eq for Owned<'_, T, M> {}

impl<T: PartialOrd + ?Sized, M: Memory> PartialOrd for Owned<'_, T, M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: Ord + ?Sized, M: Memory> Ord for Owned<'_, T, M> {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: Hash + ?Sized, M: Memory> Hash for Owned<'_, T, M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

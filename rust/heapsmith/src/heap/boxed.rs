//! Owners of values in a heap of its own.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ptr::NonNull;

use heapsmith_sys as sys;

use super::first_class::Heap;

/// The owner of a value in a [`Heap`], as `Box` is of one in the process's heap: it drops the value
/// and frees its block. Any thread may do so. Made by [`Heap::alloc`] and its kin.
///
/// One pointer large. It borrows the heap, which cannot end or be reset before.
///
/// ```
/// # use heapsmith::{Heap, HeapBox};
/// let heap = Heap::new();
/// let mut list = heap.alloc(vec![1, 2]);
/// list.push(3);
/// let list: Vec<i32> = HeapBox::into_inner(list); // moved out; the block is free
/// assert_eq!((list.len(), heap.stats().in_use_bytes), (3, 0));
/// ```
pub struct HeapBox<'heap, T: ?Sized> {
    value: NonNull<T>,
    owned: PhantomData<(&'heap Heap, T)>,
}

// SAFETY: the owner has the value alone, and any thread may free the block.
unsafe impl<T: Send + ?Sized> Send for HeapBox<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync + ?Sized> Sync for HeapBox<'_, T> {}

/// Frees a block of a heap of its own, if there is one: values of size 0 have none.
///
/// # Safety
/// It is live, of that layout, and nobody uses it any more.
#[inline]
unsafe fn free(block: NonNull<u8>, layout: Layout) {
    if layout.size() != 0 {
        // SAFETY: the caller's.
        unsafe { sys::hs_heap_free(core::ptr::null_mut(), block.as_ptr().cast()) }
    }
}

/// Frees a block when it goes, also when the destructor of the value in it panics.
struct Block(NonNull<u8>, Layout);

impl Drop for Block {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: whoever made this was the last to use the block.
        unsafe { free(self.0, self.1) }
    }
}

impl<'heap, T: ?Sized> HeapBox<'heap, T> {
    /// The owner of a value that [`into_raw`](Self::into_raw) gave away.
    ///
    /// Both together change a type for one that it can be coerced to:
    ///
    /// ```
    /// # use heapsmith::{Heap, HeapBox};
    /// let heap = Heap::new();
    /// let name = HeapBox::into_raw(heap.alloc(String::from("name")));
    /// // SAFETY: this is that value's owner again, and the heap is borrowed as before.
    /// let shown: HeapBox<'_, dyn core::fmt::Display> = unsafe { HeapBox::from_raw(name) };
    /// assert_eq!(shown.to_string(), "name");
    /// ```
    ///
    /// # Safety
    /// The value fills a block of a heap that lives for `'heap`, or has size 0, and no other owner.
    #[inline]
    pub unsafe fn from_raw(value: *mut T) -> Self {
        // SAFETY: a place for a value is not null.
        Self { value: unsafe { NonNull::new_unchecked(value) }, owned: PhantomData }
    }

    /// The value's address; nothing drops the value any more, and its block ends with the heap.
    ///
    /// ```
    /// use heapsmith::{Heap, HeapBox};
    /// let heap = Heap::new();
    /// let name = HeapBox::into_raw(heap.alloc(String::from("name")));
    /// // SAFETY: this is that value's owner again.
    /// let name: HeapBox<'_, String> = unsafe { HeapBox::from_raw(name) };
    /// assert_eq!(*name, "name");
    /// ```
    #[inline]
    pub fn into_raw(owner: Self) -> *mut T {
        ManuallyDrop::new(owner).value.as_ptr()
    }

    /// The value without an owner: it is there until the heap ends, and nothing drops it.
    ///
    /// ```
    /// let heap = heapsmith::Heap::new();
    /// let kept: &mut u32 = heapsmith::HeapBox::leak(heap.alloc(1));
    /// *kept += 1;
    /// ```
    #[inline]
    pub fn leak(owner: Self) -> &'heap mut T
    where
        T: 'heap,
    {
        // SAFETY: the block is there for 'heap, and this was its owner.
        unsafe { &mut *Self::into_raw(owner) }
    }
}

impl<T> HeapBox<'_, T> {
    /// Takes the value out, and frees its block.
    ///
    /// ```
    /// let heap = heapsmith::Heap::new();
    /// let list = heap.alloc(vec![1, 2]);
    /// assert_eq!(heapsmith::HeapBox::into_inner(list), [1, 2]);
    /// ```
    #[inline]
    pub fn into_inner(owner: Self) -> T {
        let value = ManuallyDrop::new(owner).value;
        let _block = Block(value.cast(), Layout::new::<T>());
        // SAFETY: the value is there, and nobody else drops it.
        unsafe { value.read() }
    }
}

impl<'heap, T> HeapBox<'heap, MaybeUninit<T>> {
    /// The owner of a value that has been written.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use heapsmith::{Heap, HeapBox};
    /// let heap = Heap::new();
    /// let mut place: HeapBox<'_, MaybeUninit<u64>> = heap.alloc(MaybeUninit::uninit());
    /// place.write(1);
    /// // SAFETY: it has just been written.
    /// let value = unsafe { HeapBox::<MaybeUninit<u64>>::assume_init(place) };
    /// assert_eq!(*value, 1);
    /// ```
    ///
    /// # Safety
    /// It has.
    #[inline]
    pub unsafe fn assume_init(owner: Self) -> HeapBox<'heap, T> {
        // SAFETY: the same block; the caller's.
        unsafe { HeapBox::from_raw(Self::into_raw(owner).cast()) }
    }
}

impl<'heap, T> HeapBox<'heap, [MaybeUninit<T>]> {
    /// The owner of elements that have all been written.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use heapsmith::{Heap, HeapBox};
    /// let heap = Heap::new();
    /// let mut places = heap.alloc_slice_with(3, |_| MaybeUninit::uninit());
    /// places.iter_mut().for_each(|place| _ = place.write('x'));
    /// // SAFETY: all have been written.
    /// let letters = unsafe { HeapBox::<[MaybeUninit<char>]>::assume_init(places) };
    /// assert_eq!(*letters, ['x'; 3]);
    /// ```
    ///
    /// # Safety
    /// They have.
    #[inline]
    pub unsafe fn assume_init(owner: Self) -> HeapBox<'heap, [T]> {
        // SAFETY: the same block; the caller's.
        unsafe { HeapBox::from_raw(Self::into_raw(owner) as *mut [T]) }
    }
}

impl<T: ?Sized> Drop for HeapBox<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let _block = Block(self.value.cast(), Layout::for_value::<T>(self));
        // SAFETY: the value is there, and nobody else drops it.
        unsafe { self.value.drop_in_place() }
    }
}

crate::owner::owner_traits!(HeapBox);

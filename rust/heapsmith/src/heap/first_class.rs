//! Separate heaps, whose blocks end with them.

use core::alloc::Layout;
use core::ffi::c_void;
use core::fmt;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use heapsmith_sys as sys;

use super::name::Name;
use super::source::Source;
use super::stats::{HeapStats, limit_in_c};
use crate::error::AllocError;
use crate::fill::{array_layout, dangling, fill_slice};
use crate::methods::box_methods;
use crate::owned::{HeapBox, InHeap, Owned};

/// A general-purpose heap beside the process's own. Its blocks share no OS page with other heaps,
/// have their own statistics and limit, and all end with the heap, without a walk over them.
///
/// [`alloc`](Self::alloc) and the related methods return a [`HeapBox`], which can be
/// [leaked](HeapBox::leak) to end with the heap. With one of the features `allocator-api2-…`, a
/// `&Heap` is an allocator for collections. Boxes, leaked references and collections all borrow the
/// heap, so none of them can outlive it. Leaked values are not dropped.
///
/// # Thread safety
///
/// Any number of threads may allocate from a heap, and free blocks that others allocated.
///
/// # Complexity
///
/// As for the process's heap. Each thread that uses the heap takes about 11 KiB in it. Dropping the
/// heap takes a step for each slab of 64 KiB, not for each block.
///
/// # Examples
///
/// ```
/// use heapsmith::{Heap, HeapBox};
///
/// struct Node<'h> {
///     value: u32,
///     next: Option<&'h Node<'h>>,
/// }
///
/// let heap = Heap::new();
/// heap.set_limit(Some(16 << 20)); // for this request, for example
/// let mut list = None;
/// for value in 0..1000 {
///     let node: &Node = HeapBox::leak(heap.alloc(Node { value, next: list }));
///     list = Some(node);
/// }
/// let last = list.map(|node| (node.value, node.next.is_some()));
/// assert_eq!(last, Some((999, true)));
/// drop(heap); // ends all nodes, without a walk over them
/// ```
pub struct Heap {
    raw: NonNull<sys::hs_heap>,
    name: Option<Name>,
}

// SAFETY: any thread may use a heap, and only its owner can end it.
unsafe impl Send for Heap {}
// SAFETY: as above.
unsafe impl Sync for Heap {}

impl Heap {
    /// Creates an empty heap.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let heap = heapsmith::Heap::new();
    /// assert_eq!(heap.stats().in_use_bytes, 0);
    /// ```
    #[track_caller]
    pub fn new() -> Self {
        Self::try_new().unwrap_or_else(|e| e.panic())
    }

    /// Like [`new`](Self::new), but returns an error if out of memory.
    pub fn try_new() -> Result<Self, AllocError> {
        let raw = NonNull::new(sys::hs_heap_create());
        let raw = raw.ok_or(AllocError::OutOfMemory { layout: Layout::new::<Self>() })?;
        Ok(Self { raw, name: None })
    }

    /// Creates an empty heap with a name, which `Debug` shows with the statistics. The name is
    /// copied, and does not count as memory of this heap. Several heaps may have the same name.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let heap = heapsmith::Heap::with_name("cache");
    /// assert_eq!(heap.name(), Some("cache"));
    /// assert!(format!("{heap:?}").starts_with(r#"Heap { name: Some("cache"), stats: "#));
    /// ```
    #[track_caller]
    pub fn with_name(name: &str) -> Self {
        Self::try_with_name(name).unwrap_or_else(|e| e.panic())
    }

    /// Like [`with_name`](Self::with_name), but returns an error if out of memory.
    pub fn try_with_name(name: &str) -> Result<Self, AllocError> {
        let name = Name::copy_of(name)?;
        let mut heap = Self::try_new()?;
        heap.name = Some(name);
        Ok(heap)
    }

    /// Returns the name, if the heap has one.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(heapsmith::Heap::new().name(), None);
    /// ```
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    box_methods!(HeapBox, #[doc = "let memory = heapsmith::Heap::new();"]);

    /// Ends all blocks and keeps the heap, its limit and its peak. Values are not dropped.
    ///
    /// # Complexity
    ///
    /// Linear in the slabs, the large blocks and the threads that used the heap.
    ///
    /// # Examples
    ///
    /// ```
    /// # use heapsmith::{Heap, HeapBox};
    /// let mut heap = Heap::new();
    /// HeapBox::leak(heap.alloc([7u8; 100_000]));
    /// heap.reset();
    /// assert_eq!(heap.stats().held_bytes, 0);
    /// ```
    pub fn reset(&mut self) {
        // SAFETY: whatever is in the heap borrows it, and the exclusive borrow proves that it is
        // not used any more.
        unsafe { sys::hs_heap_reset(self.raw()) }
    }

    /// Limits the bytes that the heap holds in slabs, large blocks and direct maps. `None` removes
    /// the limit. Memory that the heap already holds is kept.
    ///
    /// # Examples
    ///
    /// ```
    /// # use heapsmith::Heap;
    /// let heap = Heap::new();
    /// heap.set_limit(Some(1 << 20));
    /// assert!(heap.try_alloc_slice_with(2 << 20, |_| 0u8).is_err());
    /// ```
    pub fn set_limit(&self, bytes: Option<usize>) {
        // SAFETY: the heap exists.
        unsafe { sys::hs_heap_set_limit(self.raw(), limit_in_c(bytes)) }
    }

    /// Returns the heap's statistics, as exact as those of [`stats`](crate::stats).
    ///
    /// # Complexity
    ///
    /// A walk over the heap's slabs.
    ///
    /// # Examples
    ///
    /// ```
    /// # use heapsmith::Heap;
    /// let heap = Heap::new();
    /// let block = heap.alloc(0u64);
    /// assert_eq!(heap.stats().in_use_bytes, 16); // sizes of blocks are multiples of 16
    /// ```
    pub fn stats(&self) -> HeapStats {
        // SAFETY: the heap exists, and the size of the structure is set.
        HeapStats::written_by(|out| unsafe { sys::hs_heap_stats(self.raw(), out) })
    }

    fn raw(&self) -> *mut sys::hs_heap {
        self.raw.as_ptr()
    }

    /// Allocates a block of any layout.
    #[inline]
    fn block(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        if layout.size() == 0 {
            return Ok(dangling(layout));
        }
        NonNull::new(self.allocate(layout)).ok_or(AllocError::OutOfMemory { layout })
    }

    #[inline]
    fn memory(&self) -> InHeap {
        InHeap
    }
}

impl Source for Heap {
    #[inline]
    fn malloc(&self, size: usize) -> *mut c_void {
        // SAFETY: the heap exists, here and below.
        unsafe { sys::hs_heap_malloc(self.raw(), size) }
    }

    #[inline]
    fn calloc(&self, size: usize) -> *mut c_void {
        // SAFETY: as above.
        unsafe { sys::hs_heap_calloc(self.raw(), 1, size) }
    }

    #[inline]
    fn aligned_alloc(&self, align: usize, size: usize) -> *mut c_void {
        // SAFETY: as above.
        unsafe { sys::hs_heap_aligned_alloc(self.raw(), align, size) }
    }

    #[inline]
    unsafe fn free(&self, p: *mut u8, _: Layout) {
        // SAFETY: the caller's promise.
        unsafe { sys::hs_heap_free(self.raw(), p.cast()) }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: as in `reset`.
        unsafe { sys::hs_heap_destroy(self.raw()) }
    }
}

impl Default for Heap {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Heap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, stats) = (self.name(), self.stats());
        f.debug_struct("Heap").field("name", &name).field("stats", &stats).finish()
    }
}

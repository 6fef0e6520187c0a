//! Handles: an index that knows whether its slot still holds the row it was given out for.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::num::NonZeroU64;

use crate::pool::tag::Tag;

/// Names a row of one pool, in 64 bits: 32 of index, 20 of generation, 12 of pool id.
///
/// A slot's generation moves on when its row ends, so a handle is *stale* from then on. A handle of
/// another pool is *foreign*. Pools answer `None` to both, and panic where `[]` is used. A handle
/// that is kept for a very long time can be mistaken only where numbers begin again:
///
/// * a pool that grows retires a slot after 2^20 rows, and is never mistaken; one of a fixed
///   capacity goes on with the slot's first generation;
/// * pool ids begin again after 4095 pools.
///
/// `T` is the type of the rows. Handles are plain values, whatever it is: they are copied, compared,
/// hashed, sent to other threads and stored as integers. `Option<Handle<T>>` takes 8 bytes too.
///
/// ```
/// use heapsmith::{Handle, Pool};
///
/// struct Node {
///     value: u32,
///     next: Option<Handle<Node>>,
/// }
///
/// let mut nodes = Pool::new();
/// let tail = nodes.insert(Node { value: 1, next: None });
/// let head = nodes.insert(Node { value: 2, next: Some(tail) });
/// assert_eq!(nodes[nodes[head].next.unwrap()].value, 1);
/// nodes.remove(tail);
/// assert!(nodes.get(tail).is_none());
/// assert_eq!(size_of::<Option<Handle<Node>>>(), 8);
/// ```
#[repr(C)]
pub struct Handle<T> {
    // The order of the fields is that of comparison, and of `bits`.
    tag: Tag,
    index: u32,
    /// Neither owns a row nor borrows one.
    row: PhantomData<fn() -> T>,
}

impl<T> Handle<T> {
    #[inline(always)]
    pub(crate) const fn new(tag: Tag, index: u32) -> Self {
        Self { tag, index, row: PhantomData }
    }

    #[inline(always)]
    pub(crate) const fn tag(self) -> Tag {
        self.tag
    }

    /// The same slot, tag and all, of a pool whose rows have another type.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) const fn cast<U>(self) -> Handle<U> {
        Handle::new(self.tag, self.index)
    }

    /// The slot's index, from 0 on.
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// assert_eq!((pool.insert('a').index(), pool.insert('b').index()), (0, 1));
    /// ```
    #[inline]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many rows the slot has had before this one, up to 2^20 - 1.
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let first = pool.insert('a');
    /// pool.remove(first);
    /// assert_eq!(pool.insert('b').generation(), 1);
    /// ```
    #[inline]
    pub const fn generation(self) -> u32 {
        self.tag.generation()
    }

    /// The pool's id, from 1 to 4095.
    ///
    /// ```
    /// let (mut a, mut b) = (heapsmith::Pool::new(), heapsmith::Pool::new());
    /// assert_ne!(a.insert(1).pool_id(), b.insert(1).pool_id());
    /// ```
    #[inline]
    pub const fn pool_id(self) -> u16 {
        self.tag.pool_id()
    }

    /// The handle as an integer, the pool id in the highest bits and the index in the lowest.
    ///
    /// ```
    /// use heapsmith::{Handle, Pool};
    ///
    /// let mut names = Pool::new();
    /// let handle = names.insert("Ada");
    /// let bits: u64 = handle.to_bits().get();
    /// assert_eq!(Handle::from_bits(bits), Some(handle));
    /// assert_eq!(Handle::<&str>::from_bits(0), None);
    /// ```
    #[inline]
    pub const fn to_bits(self) -> NonZeroU64 {
        let high = self.tag.get() as u64;
        NonZeroU64::new((high << 32) | self.index as u64).expect("a tag is never 0")
    }

    /// The handle that has been this integer; `None` when no handle can have been.
    ///
    /// Safe with any integer: a pool checks every handle.
    ///
    /// ```
    /// use heapsmith::{Handle, Pool};
    ///
    /// let mut pool = Pool::new();
    /// let stored = pool.insert("row").to_bits().get();
    /// let handle = Handle::from_bits(stored).ok_or("no handle")?;
    /// assert_eq!(pool[handle], "row");
    /// # Ok::<(), &str>(())
    /// ```
    #[inline]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        match Tag::from_bits((bits >> 32) as u32) {
            Some(tag) => Some(Self::new(tag, bits as u32)),
            None => None,
        }
    }
}

// By hand, since derived ones would ask the same of T.
impl<T> Clone for Handle<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && self.tag == other.tag
    }
}

impl<T> Eq for Handle<T> {}

impl<T> PartialOrd for Handle<T> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By pool, then by generation, then by index.
impl<T> Ord for Handle<T> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.to_bits().cmp(&other.to_bits())
    }
}

impl<T> Hash for Handle<T> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_bits().hash(state);
    }
}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({} v{} of pool {})", self.index, self.generation(), self.pool_id())
    }
}

//! Handles: an index with a tag that tells whether the slot still has the same row.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::num::NonZeroU64;

use crate::pool::tag::Tag;

/// A reference to a row of one pool, in 64 bits: 32 of index, 20 of generation, 12 of pool id.
///
/// When a row is removed, its slot's generation is incremented and the row's handle is *stale*. The
/// handle of another pool is *foreign*. Pools detect both: methods return `None`, and `[]` panics.
/// An old handle goes undetected only where numbers repeat:
///
/// * Generations repeat after 2^20 rows in one slot of a pool of fixed capacity. A pool that grows
///   retires such a slot instead, so stale handles are always detected.
/// * Pool ids repeat after 4095 pools.
///
/// `K` is the pool's key: the type of its rows, or a type of yours in a
/// [`KeyedPool`](crate::pool::KeyedPool), whose handles the compiler tells apart from all others.
/// Whatever it is, handles are plain values, which can be copied, compared, hashed, sent to other
/// threads and stored as integers. `Option<Handle<K>>` also takes 8 bytes.
///
/// # Examples
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
pub struct Handle<K> {
    // In the order in which handles are compared, and of `to_bits`.
    tag: Tag,
    index: u32,
    /// A handle neither owns nor borrows a row.
    key: PhantomData<fn() -> K>,
}

impl<K> Handle<K> {
    #[inline(always)]
    pub(crate) const fn new(tag: Tag, index: u32) -> Self {
        Self { tag, index, key: PhantomData }
    }

    #[inline(always)]
    pub(crate) const fn tag(self) -> Tag {
        self.tag
    }

    /// The same handle, with another key.
    #[inline(always)]
    pub(crate) const fn cast<U>(self) -> Handle<U> {
        Handle::new(self.tag, self.index)
    }

    /// Returns the slot's index, which starts at 0.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// assert_eq!((pool.insert('a').index(), pool.insert('b').index()), (0, 1));
    /// ```
    #[inline]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Returns the number of rows that the slot had before this one, up to 2^20 - 1.
    ///
    /// # Examples
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

    /// Returns the pool's id, from 1 to 4095.
    ///
    /// # Examples
    ///
    /// ```
    /// let (mut a, mut b) = (heapsmith::Pool::new(), heapsmith::Pool::new());
    /// assert_ne!(a.insert(1).pool_id(), b.insert(1).pool_id());
    /// ```
    #[inline]
    pub const fn pool_id(self) -> u16 {
        self.tag.pool_id()
    }

    /// Converts to an integer, with the pool id in the highest bits and the index in the lowest.
    ///
    /// # Examples
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

    /// Converts back from an integer, or returns `None` if the integer is not that of any handle.
    ///
    /// Any integer is safe, since pools check every handle. A
    /// [`SecondaryMap`](crate::SecondaryMap) takes memory up to the index of a handle that is
    /// inserted.
    ///
    /// # Examples
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

// Not derived, since derived impls would require the same of T.
impl<K> Clone for Handle<K> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Handle<K> {}

impl<K> PartialEq for Handle<K> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && self.tag == other.tag
    }
}

impl<K> Eq for Handle<K> {}

impl<K> PartialOrd for Handle<K> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares by pool, then by generation, then by index.
impl<K> Ord for Handle<K> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.to_bits().cmp(&other.to_bits())
    }
}

impl<K> Hash for Handle<K> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_bits().hash(state);
    }
}

impl<K> fmt::Debug for Handle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({} v{} of pool {})", self.index, self.generation(), self.pool_id())
    }
}

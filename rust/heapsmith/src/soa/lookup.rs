//! Finding rows and columns.

use crate::handle::Handle;
use crate::pool::Storage;
use crate::soa::{CloneColumns, Mut, Ref, Slices, SlicesMut, Soa, SoaPool, access};

impl<T: Soa, S: Storage<u32>, K> SoaPool<T, S, K> {
    /// Returns `true` if the pool has the handle's row.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, "one"));
    /// assert!(pool.contains(handle));
    /// pool.remove(handle);
    /// assert!(!pool.contains(handle));
    /// ```
    #[inline]
    pub fn contains(&self, handle: Handle<K>) -> bool {
        self.positions.contains(handle.cast())
    }

    /// Returns the position of the handle's row in all columns, or `None` if the handle is stale or
    /// foreign. It can change when a row is removed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// let [first, second] = [0, 1].map(|position| pool.handles()[position]);
    /// assert_eq!(pool.position_of(second), Some(1));
    /// pool.remove(first); // moves the last row to position 0
    /// assert_eq!(pool.position_of(second), Some(0));
    /// ```
    #[inline]
    pub fn position_of(&self, handle: Handle<K>) -> Option<usize> {
        self.positions.get(handle.cast()).map(|&position| position as usize)
    }

    /// Returns references to the fields of the handle's row, or `None` if the handle is stale or
    /// foreign.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, "one"));
    /// let (number, name) = pool.get(handle).unwrap();
    /// assert_eq!((*number, *name), (1, "one"));
    /// ```
    #[inline]
    pub fn get(&self, handle: Handle<K>) -> Option<Ref<'_, T>> {
        self.table.refs(self.position_of(handle)?).map(access::refs::<T>)
    }

    /// Returns mutable references to the fields of the handle's row, or `None` if the handle is
    /// stale or foreign.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, "one"));
    /// let (number, _) = pool.get_mut(handle).unwrap();
    /// *number = 7;
    /// assert_eq!(pool.columns().0, [7]);
    /// ```
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<K>) -> Option<Mut<'_, T>> {
        self.table.muts(self.position_of(handle)?).map(access::muts::<T>)
    }

    /// Returns a clone of the handle's row, or `None` if the handle is stale or foreign.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, String::from("one")));
    /// assert_eq!(pool.get_cloned(handle), Some((1, "one".into())));
    /// ```
    pub fn get_cloned(&self, handle: Handle<K>) -> Option<T>
    where
        T: Clone + Soa<Fields: CloneColumns>,
    {
        let fields = self.table.refs(self.position_of(handle)?)?;
        Some(access::join(CloneColumns::clone_row(fields)))
    }

    /// Returns each field of all rows as a slice.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::SoaPool<_> = [('a', 1), ('b', 2)].into_iter().collect();
    /// let (names, numbers) = pool.columns();
    /// assert_eq!((names, numbers), (&['a', 'b'][..], &[1, 2][..]));
    /// ```
    #[inline]
    pub fn columns(&self) -> Slices<'_, T> {
        access::slices::<T>(self.table.slices())
    }

    /// Returns each field of all rows as a mutable slice.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = [(1, 10), (2, 20)].into_iter().collect();
    /// let (small, large) = pool.columns_mut();
    /// small.iter_mut().zip(large).for_each(|(small, large)| *large += *small);
    /// assert_eq!(pool.columns().1, [11, 22]);
    /// ```
    #[inline]
    pub fn columns_mut(&mut self) -> SlicesMut<'_, T> {
        access::slices_mut::<T>(self.table.slices_mut())
    }

    /// Returns the handles of all rows, in the order of the columns.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::SoaPool<_> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// let found = pool.columns().1.iter().position(|letter| *letter == 'b').unwrap();
    /// assert_eq!(pool.get(pool.handles()[found]), Some((&2, &'b')));
    /// ```
    #[inline]
    pub fn handles(&self) -> &[Handle<K>] {
        &self.handles
    }

    /// Returns [`handles`](Self::handles) and [`columns_mut`](Self::columns_mut) at once.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((0, 'a'));
    /// let (handles, columns) = pool.handles_and_columns_mut();
    /// for (handle, number) in handles.iter().zip(columns.0) {
    ///     *number = handle.to_bits().get();
    /// }
    /// assert_eq!(pool.get(handle).unwrap().0, &handle.to_bits().get());
    /// ```
    #[inline]
    pub fn handles_and_columns_mut(&mut self) -> (&[Handle<K>], SlicesMut<'_, T>) {
        (&self.handles, access::slices_mut::<T>(self.table.slices_mut()))
    }
}

//! How rows and columns are found.

use crate::handle::Handle;
use crate::soa::{CloneColumns, Mut, Ref, Slices, SlicesMut, Soa, SoaPool};

impl<T: Soa> SoaPool<T> {
    /// Puts a row in the place of another, which is returned; the handle now names the new one. The
    /// new one itself comes back if the handle is stale or foreign.
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, "one"));
    /// assert_eq!(pool.replace(handle, (2, "two")), Ok((1, "one")));
    /// assert_eq!(pool.get(handle), Some((&2, &"two")));
    /// ```
    pub fn replace(&mut self, handle: Handle<T>, row: T) -> Result<T, T> {
        match self.place_of(handle) {
            Some(place) => {
                let old = self.table.replace(place, row.into_fields());
                Ok(T::from_fields(old.expect("places are those of rows")))
            }
            None => Err(row),
        }
    }

    /// Whether the handle's row lives, in this pool.
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, "one"));
    /// assert!(pool.contains(handle));
    /// pool.remove(handle);
    /// assert!(!pool.contains(handle));
    /// ```
    #[inline]
    pub fn contains(&self, handle: Handle<T>) -> bool {
        self.places.contains(handle.cast())
    }

    /// Where the handle's row is in all slices, until a row is removed.
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// let [first, second] = [0, 1].map(|place| pool.handles()[place]);
    /// assert_eq!(pool.place_of(second), Some(1));
    /// pool.remove(first); // and the last row takes its place
    /// assert_eq!(pool.place_of(second), Some(0));
    /// ```
    #[inline]
    pub fn place_of(&self, handle: Handle<T>) -> Option<usize> {
        self.places.get(handle.cast()).map(|&place| place as usize)
    }

    /// The fields of the handle's row.
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, "one"));
    /// let (number, name) = pool.get(handle).unwrap();
    /// assert_eq!((*number, *name), (1, "one"));
    /// ```
    #[inline]
    pub fn get(&self, handle: Handle<T>) -> Option<Ref<'_, T>> {
        self.table.refs(self.place_of(handle)?).map(T::name_refs)
    }

    /// The fields of the handle's row, to be changed.
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, "one"));
    /// let (number, _) = pool.get_mut(handle).unwrap();
    /// *number = 7;
    /// assert_eq!(pool.columns().0, [7]);
    /// ```
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<T>) -> Option<Mut<'_, T>> {
        self.table.muts(self.place_of(handle)?).map(T::name_muts)
    }

    /// A clone of the handle's row.
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, String::from("one")));
    /// assert_eq!(pool.get_cloned(handle), Some((1, "one".into())));
    /// ```
    pub fn get_cloned(&self, handle: Handle<T>) -> Option<T>
    where
        T::Fields: CloneColumns,
    {
        let fields = self.table.refs(self.place_of(handle)?)?;
        Some(T::from_fields(CloneColumns::clone_row(fields)))
    }

    /// Each field of all rows, as a slice.
    ///
    /// ```
    /// let pool: heapsmith::SoaPool<_> = [('a', 1), ('b', 2)].into_iter().collect();
    /// let (names, numbers) = pool.columns();
    /// assert_eq!((names, numbers), (&['a', 'b'][..], &[1, 2][..]));
    /// ```
    #[inline]
    pub fn columns(&self) -> Slices<'_, T> {
        T::name_slices(self.table.slices())
    }

    /// Each field of all rows, as a slice to be changed.
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = [(1, 10), (2, 20)].into_iter().collect();
    /// let (small, large) = pool.columns_mut();
    /// small.iter_mut().zip(large).for_each(|(small, large)| *large += *small);
    /// assert_eq!(pool.columns().1, [11, 22]);
    /// ```
    #[inline]
    pub fn columns_mut(&mut self) -> SlicesMut<'_, T> {
        T::name_slices_mut(self.table.slices_mut())
    }

    /// The handles of all rows, in the order of the columns.
    ///
    /// ```
    /// let pool: heapsmith::SoaPool<_> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// let found = pool.columns().1.iter().position(|letter| *letter == 'b').unwrap();
    /// assert_eq!(pool.get(pool.handles()[found]), Some((&2, &'b')));
    /// ```
    #[inline]
    pub fn handles(&self) -> &[Handle<T>] {
        &self.handles
    }

    /// [`handles`](Self::handles) and [`columns_mut`](Self::columns_mut) together.
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
    pub fn handles_and_columns_mut(&mut self) -> (&[Handle<T>], SlicesMut<'_, T>) {
        (&self.handles, T::name_slices_mut(self.table.slices_mut()))
    }
}

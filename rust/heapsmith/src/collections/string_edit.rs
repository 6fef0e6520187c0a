//! Editing strings, and turning them into bytes and back.

use core::ops::RangeBounds;
use core::str::{self, Utf8Error};

use super::vec_bulk::bounds;
use super::{ArenaString, ArenaVec};
use crate::error::AllocError;

impl<'live, 'grow> ArenaString<'live, 'grow> {
    /// Makes a string of bytes.
    ///
    /// # Errors
    ///
    /// Returns the bytes, and the error that says where, if they are not valid UTF-8.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes, which are checked and not copied.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::ArenaString;
    ///
    /// let arena = heapsmith::Arena::new();
    /// let text = ArenaString::from_utf8(heapsmith::vec![in arena; b'a', b'b']).unwrap();
    /// assert_eq!(text, "ab");
    /// let (bytes, error) = ArenaString::from_utf8(heapsmith::vec![in arena; b'a', 255]).unwrap_err();
    /// assert_eq!((bytes.len(), error.valid_up_to()), (2, 1));
    /// ```
    #[allow(clippy::type_complexity)] // the bytes, and why
    pub fn from_utf8(
        bytes: ArenaVec<'live, 'grow, u8>,
    ) -> Result<Self, (ArenaVec<'live, 'grow, u8>, Utf8Error)> {
        match str::from_utf8(&bytes) {
            Ok(_) => Ok(Self::new(bytes)),
            Err(error) => Err((bytes, error)),
        }
    }

    /// Turns the string into its bytes, which are not copied.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// assert_eq!(heapsmith::format!(in arena, "{}", 12).into_bytes(), [b'1', b'2']);
    /// ```
    pub fn into_bytes(self) -> ArenaVec<'live, 'grow, u8> {
        self.bytes
    }

    /// Inserts a character at byte `index` and moves everything after it.
    ///
    /// # Panics
    ///
    /// Panics if there is no room, or if `index` is not on a character boundary.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let mut text = heapsmith::format!(in arena, "ac");
    /// text.insert(1, 'b');
    /// assert_eq!(text, "abc");
    /// ```
    #[track_caller]
    pub fn insert(&mut self, index: usize, character: char) {
        self.insert_str(index, character.encode_utf8(&mut [0; 4]));
    }

    /// Like [`insert`](Self::insert), but returns an error if there is no room.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not on a character boundary.
    #[track_caller]
    pub fn try_insert(&mut self, index: usize, character: char) -> Result<(), AllocError> {
        self.try_insert_str(index, character.encode_utf8(&mut [0; 4]))
    }

    /// Removes and returns the character at byte `index`, and moves everything after it.
    ///
    /// # Panics
    ///
    /// Panics if no character begins at `index`.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let mut text = heapsmith::format!(in arena, "aßc");
    /// assert_eq!(text.remove(1), 'ß');
    /// assert_eq!(text, "ac");
    /// ```
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> char {
        let removed = self[index..].chars().next().expect("remove: the index is the string's end");
        self.bytes.drain(index..index + removed.len_utf8());
        removed
    }

    /// Keeps the characters for which `keep` returns `true`, in order. If `keep` panics, the
    /// characters after those kept until then are lost.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let mut text = heapsmith::format!(in arena, "1,234,567");
    /// text.retain(|character| character != ',');
    /// assert_eq!(text, "1234567");
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(char) -> bool) {
        /// Ends the bytes after those that were kept, which are whole characters.
        struct Kept<'a, 'live, 'grow>(&'a mut ArenaVec<'live, 'grow, u8>, usize);
        impl Drop for Kept<'_, '_, '_> {
            fn drop(&mut self) {
                self.0.truncate(self.1);
            }
        }
        let mut kept = Kept(&mut self.bytes, 0);
        let mut at = 0;
        // SAFETY: the bytes from `at` on are unchanged and begin with a character.
        while let Some(next) = unsafe { str::from_utf8_unchecked(&kept.0[at..]) }.chars().next() {
            let bytes = next.len_utf8();
            if keep(next) {
                kept.0.copy_within(at..at + bytes, kept.1);
                kept.1 += bytes;
            }
            at += bytes;
        }
    }

    /// Replaces the text in a range of bytes.
    ///
    /// # Panics
    ///
    /// Panics if there is no room, or if the range is out of bounds or not on character boundaries.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let mut text = heapsmith::format!(in arena, "a cat");
    /// text.replace_range(2.., "dog or two");
    /// assert_eq!(text, "a dog or two");
    /// ```
    #[track_caller]
    pub fn replace_range(&mut self, range: impl RangeBounds<usize>, with: &str) {
        self.try_replace_range(range, with).unwrap_or_else(|e| e.panic());
    }

    /// Like [`replace_range`](Self::replace_range), but returns an error if there is no room. The
    /// string is unchanged then.
    ///
    /// # Panics
    ///
    /// Panics if the range is out of bounds or not on character boundaries.
    #[track_caller]
    pub fn try_replace_range(
        &mut self,
        range: impl RangeBounds<usize>,
        with: &str,
    ) -> Result<(), AllocError> {
        let range = bounds(range, self.len());
        assert!(
            self.is_char_boundary(range.start) && self.is_char_boundary(range.end),
            "replace_range: bytes {range:?} do not begin and end at char boundaries"
        );
        let (end, old) = (range.end, range.len());
        if let Some(more) = with.len().checked_sub(old) {
            self.bytes.try_reserve(more)?;
            self.bytes.resize(self.bytes.len() + more, 0);
            self.bytes[end..].rotate_right(more);
        } else {
            self.bytes.drain(range.start + with.len()..end);
        }
        self.bytes[range.start..range.start + with.len()].copy_from_slice(with.as_bytes());
        Ok(())
    }

    /// Removes the text from byte `at` on, and returns it as a string in the same arena or scope.
    ///
    /// # Panics
    ///
    /// Panics if there is no room, or if `at` is not on a character boundary.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let mut key = heapsmith::format!(in arena, "key=value");
    /// let value = key.split_off(4);
    /// assert_eq!((&*key, &*value), ("key=", "value"));
    /// ```
    #[must_use = "`truncate` drops the text"]
    #[track_caller]
    pub fn split_off(&mut self, at: usize) -> Self {
        assert!(self.is_char_boundary(at), "split_off: byte {at} is not a char boundary");
        Self::new(self.bytes.split_off(at))
    }
}

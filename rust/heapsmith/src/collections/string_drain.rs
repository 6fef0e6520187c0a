//! The iterator that removes a range of a string.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::RangeBounds;

use super::vec_bulk::bounds;
use super::{ArenaDrain, ArenaString};

/// An iterator that removes characters of an [`ArenaString`], made by
/// [`drain`](ArenaString::drain). Dropping it removes the characters that are left.
///
/// # Examples
///
/// ```
/// let arena = heapsmith::Arena::new();
/// let mut line = heapsmith::format!(in arena, "key=value");
/// let mut key = line.drain(..4);
/// assert_eq!(key.next_back(), Some('='));
/// assert_eq!(key.as_str(), "key");
/// drop(key);
/// assert_eq!(line, "value");
/// ```
pub struct ArenaStringDrain<'a> {
    bytes: ArenaDrain<'a, u8>, // of whole characters
}

impl ArenaString<'_, '_> {
    /// Removes the text in a range of bytes, and returns an iterator over its characters. The text
    /// after the range moves to its start when the iterator is dropped.
    ///
    /// If the iterator is leaked, the text from the start of the range on is lost.
    ///
    /// # Panics
    ///
    /// Panics if the range is out of bounds or not on character boundaries.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let mut text = heapsmith::format!(in arena, "aßc");
    /// assert!(text.drain(1..).eq(['ß', 'c']));
    /// assert_eq!(text, "a");
    /// ```
    #[track_caller]
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> ArenaStringDrain<'_> {
        let range = bounds(range, self.len());
        assert!(
            self.is_char_boundary(range.start) && self.is_char_boundary(range.end),
            "drain: bytes {range:?} do not begin and end at char boundaries"
        );
        ArenaStringDrain { bytes: self.bytes.drain(range) }
    }
}

impl ArenaStringDrain<'_> {
    /// Returns the text that the iterator has not returned.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let mut text = heapsmith::format!(in arena, "abc");
    /// let mut removed = text.drain(..);
    /// removed.next();
    /// assert_eq!(removed.as_str(), "bc");
    /// ```
    pub fn as_str(&self) -> &str {
        // SAFETY: the range has whole characters, and whole characters are taken from it.
        unsafe { core::str::from_utf8_unchecked(self.bytes.as_slice()) }
    }
}

impl Iterator for ArenaStringDrain<'_> {
    type Item = char;

    #[inline]
    fn next(&mut self) -> Option<char> {
        let next = self.as_str().chars().next()?;
        self.bytes.rest.start += next.len_utf8();
        Some(next)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.as_str().chars().size_hint()
    }
}

impl DoubleEndedIterator for ArenaStringDrain<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<char> {
        let last = self.as_str().chars().next_back()?;
        self.bytes.rest.end -= last.len_utf8();
        Some(last)
    }
}

impl FusedIterator for ArenaStringDrain<'_> {}

impl fmt::Debug for ArenaStringDrain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ArenaStringDrain").field(&self.as_str()).finish()
    }
}

//! Strings made of other text, and their bytes.

use core::char::{DecodeUtf16Error, REPLACEMENT_CHARACTER, decode_utf16};

use super::{ArenaString, ArenaVec, GrowIn};
use crate::error::AllocError;

impl<'live, 'grow> ArenaString<'live, 'grow> {
    fn empty_in(place: impl GrowIn<'live, 'grow>) -> Self {
        Self::new(ArenaVec::new(place.room()))
    }

    /// Makes a string with a copy of a string slice.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let mut text = heapsmith::ArenaString::from_str_in("Ada", &arena);
    /// text.push('!');
    /// assert_eq!(text, "Ada!");
    /// ```
    #[track_caller]
    pub fn from_str_in(text: &str, place: impl GrowIn<'live, 'grow>) -> Self {
        Self::try_from_str_in(text, place).unwrap_or_else(|e| e.panic())
    }

    /// Like [`from_str_in`](Self::from_str_in), but returns an error if there is no room.
    pub fn try_from_str_in(
        text: &str,
        place: impl GrowIn<'live, 'grow>,
    ) -> Result<Self, AllocError> {
        let mut copy = Self::empty_in(place);
        copy.try_reserve_exact(text.len())?;
        copy.try_push_str(text)?;
        Ok(copy)
    }

    /// Makes a string of bytes. Each part that is not valid UTF-8 becomes one
    /// [`REPLACEMENT_CHARACTER`].
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let text = heapsmith::ArenaString::from_utf8_lossy_in(b"a\xffb", &arena);
    /// assert_eq!(text, "a\u{fffd}b");
    /// ```
    #[track_caller]
    pub fn from_utf8_lossy_in(bytes: &[u8], place: impl GrowIn<'live, 'grow>) -> Self {
        Self::try_from_utf8_lossy_in(bytes, place).unwrap_or_else(|e| e.panic())
    }

    /// Like [`from_utf8_lossy_in`](Self::from_utf8_lossy_in), but returns an error if there is no
    /// room.
    pub fn try_from_utf8_lossy_in(
        bytes: &[u8],
        place: impl GrowIn<'live, 'grow>,
    ) -> Result<Self, AllocError> {
        let mut text = Self::empty_in(place);
        text.try_reserve(bytes.len())?;
        for part in bytes.utf8_chunks() {
            text.try_push_str(part.valid())?;
            if !part.invalid().is_empty() {
                text.try_push(REPLACEMENT_CHARACTER)?;
            }
        }
        Ok(text)
    }

    /// Makes a string of UTF-16.
    ///
    /// # Errors
    ///
    /// Returns an error if a surrogate has no partner.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::ArenaString;
    ///
    /// let arena = heapsmith::Arena::new();
    /// let wide: Vec<u16> = "𝄞music".encode_utf16().collect();
    /// assert_eq!(ArenaString::from_utf16_in(&wide, &arena).unwrap(), "𝄞music");
    /// assert!(ArenaString::from_utf16_in(&wide[1..], &arena).is_err());
    /// ```
    #[track_caller]
    pub fn from_utf16_in(
        units: &[u16],
        place: impl GrowIn<'live, 'grow>,
    ) -> Result<Self, DecodeUtf16Error> {
        Self::try_from_utf16_in(units, place).unwrap_or_else(|e| e.panic())
    }

    /// Like [`from_utf16_in`](Self::from_utf16_in), but returns an error if there is no room.
    pub fn try_from_utf16_in(
        units: &[u16],
        place: impl GrowIn<'live, 'grow>,
    ) -> Result<Result<Self, DecodeUtf16Error>, AllocError> {
        let mut text = Self::empty_in(place);
        text.try_reserve(units.len())?;
        for character in decode_utf16(units.iter().copied()) {
            match character {
                Ok(character) => text.try_push(character)?,
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(text))
    }

    /// Makes a string of bytes without checking them.
    ///
    /// # Safety
    ///
    /// The bytes are valid UTF-8.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let digits = heapsmith::vec![in arena; b'1', b'2'];
    /// // SAFETY: ASCII is UTF-8.
    /// let text = unsafe { heapsmith::ArenaString::from_utf8_unchecked(digits) };
    /// assert_eq!(text, "12");
    /// ```
    pub unsafe fn from_utf8_unchecked(bytes: ArenaVec<'live, 'grow, u8>) -> Self {
        Self::new(bytes)
    }

    /// Returns the bytes as a vector.
    ///
    /// # Safety
    ///
    /// The bytes are valid UTF-8 when the borrow ends.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let mut text = heapsmith::format!(in arena, "abc");
    /// // SAFETY: ASCII stays ASCII in any order.
    /// unsafe { text.as_mut_vec() }.reverse();
    /// assert_eq!(text, "cba");
    /// ```
    pub unsafe fn as_mut_vec(&mut self) -> &mut ArenaVec<'live, 'grow, u8> {
        &mut self.bytes
    }
}

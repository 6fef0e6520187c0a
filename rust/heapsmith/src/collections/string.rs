//! Strings that grow in arenas and scopes.

use core::fmt;

use super::ArenaVec;
use crate::ArenaBox;
use crate::error::AllocError;

/// A growable string in an arena or scope, made by
/// [`Arena::string`](crate::Arena::string) and [`Scope::string`](crate::Scope::string).
///
/// It grows in place unless something else was allocated after it, and frees unused capacity when
/// it is turned into a `str`. The lifetimes are those of [`ArenaVec`].
///
/// # Examples
///
/// ```
/// use core::fmt::Write;
///
/// let arena = heapsmith::Arena::new();
/// let mut line = arena.string();
/// line.push_str("x");
/// write!(line, " = {}", 6 * 7)?;
/// let line: &str = line.into_str();
/// assert_eq!(line, "x = 42");
/// # Ok::<(), core::fmt::Error>(())
/// ```
pub struct ArenaString<'live, 'grow> {
    pub(super) bytes: ArenaVec<'live, 'grow, u8>, // valid UTF-8
}

impl<'live, 'grow> ArenaString<'live, 'grow> {
    pub(crate) fn new(bytes: ArenaVec<'live, 'grow, u8>) -> Self {
        Self { bytes }
    }

    /// Returns the number of bytes that the string can hold without allocating.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.reserve(100);
    /// assert!(text.capacity() >= 100);
    /// ```
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Returns the contents as a string slice.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.push_str("abc");
    /// assert_eq!(text.as_str(), "abc");
    /// ```
    #[inline]
    pub fn as_str(&self) -> &str {
        // SAFETY: only whole characters are added and removed.
        unsafe { core::str::from_utf8_unchecked(&self.bytes) }
    }

    /// Returns the contents as a mutable string slice.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = heapsmith::format!(in arena, "abc");
    /// text.as_mut_str().make_ascii_uppercase();
    /// assert_eq!(text, "ABC");
    /// ```
    #[inline]
    pub fn as_mut_str(&mut self) -> &mut str {
        // SAFETY: as in `as_str`; a `&mut str` stays valid.
        unsafe { core::str::from_utf8_unchecked_mut(&mut self.bytes) }
    }

    /// Reserves capacity for at least `additional` more bytes.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.reserve(3);
    /// let before = text.capacity();
    /// text.push_str("abc");
    /// assert_eq!(text.capacity(), before);
    /// ```
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        self.bytes.reserve(additional);
    }

    /// Like [`reserve`](Self::reserve), but returns an error if there is no room. The string is
    /// unchanged then.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), AllocError> {
        self.bytes.try_reserve(additional)
    }

    /// Reserves capacity for exactly `additional` more bytes, without extra for later growth.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.reserve_exact(10);
    /// assert_eq!(text.capacity(), 10);
    /// ```
    #[track_caller]
    pub fn reserve_exact(&mut self, additional: usize) {
        self.bytes.reserve_exact(additional);
    }

    /// Like [`reserve_exact`](Self::reserve_exact), but returns an error if there is no room. The
    /// string is unchanged then.
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), AllocError> {
        self.bytes.try_reserve_exact(additional)
    }

    /// Appends a string slice.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.push_str("ab");
    /// text.push_str("c");
    /// assert_eq!(text, "abc");
    /// ```
    #[inline]
    #[track_caller]
    pub fn push_str(&mut self, text: &str) {
        if !self.bytes.append_bytes(text.as_bytes()) {
            self.bytes.refusal(text.len()).panic();
        }
    }

    /// Like [`push_str`](Self::push_str), but returns an error if there is no room. Nothing is
    /// appended then.
    #[inline]
    pub fn try_push_str(&mut self, text: &str) -> Result<(), AllocError> {
        self.bytes.try_append(text.as_bytes())
    }

    /// Appends a character.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.push('→');
    /// assert_eq!(text.len(), 3);
    /// ```
    #[inline]
    #[track_caller]
    pub fn push(&mut self, character: char) {
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => self.bytes.push(byte),
            _ => self.push_str(character.encode_utf8(&mut [0; 4])),
        }
    }

    /// Like [`push`](Self::push), but returns an error if there is no room.
    #[inline]
    pub fn try_push(&mut self, character: char) -> Result<(), AllocError> {
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => self.bytes.try_push(byte),
            _ => self.try_push_str(character.encode_utf8(&mut [0; 4])),
        }
    }

    /// Appends formatted text.
    ///
    /// # Panics
    ///
    /// Panics if there is no room, or if a formatting trait returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.push_fmt(format_args!("{}-", 1));
    /// text.push_fmt(format_args!("{:02}", 7));
    /// assert_eq!(text, "1-07");
    /// ```
    #[track_caller]
    pub fn push_fmt(&mut self, text: fmt::Arguments<'_>) {
        self.try_push_fmt(text).unwrap_or_else(|e| e.panic());
    }

    /// Like [`push_fmt`](Self::push_fmt), but returns an error if there is no room, which `write!`
    /// could not distinguish from other errors. Part of the text may have been appended then.
    ///
    /// # Panics
    ///
    /// Panics if a formatting trait returns an error.
    pub fn try_push_fmt(&mut self, text: fmt::Arguments<'_>) -> Result<(), AllocError> {
        struct Writer<'t, 'live, 'grow> {
            text: &'t mut ArenaString<'live, 'grow>,
            refused: usize, // bytes
        }
        impl fmt::Write for Writer<'_, '_, '_> {
            fn write_str(&mut self, part: &str) -> fmt::Result {
                if self.text.bytes.append_bytes(part.as_bytes()) {
                    return Ok(());
                }
                self.refused = part.len();
                Err(fmt::Error)
            }
        }
        let mut writer = Writer { text: self, refused: 0 };
        let written = fmt::write(&mut writer, text);
        if writer.refused != 0 {
            return Err(writer.text.bytes.refusal(writer.refused));
        }
        written.expect("a formatting trait implementation returned an error");
        Ok(())
    }

    /// Removes and returns the last character, or returns `None` if the string is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.push_str("aß");
    /// assert_eq!((text.pop(), text.as_str()), (Some('ß'), "a"));
    /// ```
    pub fn pop(&mut self) -> Option<char> {
        let last = self.chars().next_back()?;
        self.bytes.truncate(self.bytes.len() - last.len_utf8());
        Some(last)
    }

    /// Inserts a string slice at byte `index` and moves everything after it.
    ///
    /// # Panics
    ///
    /// Panics if there is no room, or if `index` is not on a character boundary.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.push_str("ad");
    /// text.insert_str(1, "bc");
    /// assert_eq!(text, "abcd");
    /// ```
    #[track_caller]
    pub fn insert_str(&mut self, index: usize, text: &str) {
        self.try_insert_str(index, text).unwrap_or_else(|e| e.panic());
    }

    /// Like [`insert_str`](Self::insert_str), but returns an error if there is no room.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not on a character boundary.
    #[track_caller]
    pub fn try_insert_str(&mut self, index: usize, text: &str) -> Result<(), AllocError> {
        assert!(self.is_char_boundary(index), "insert_str: byte {index} is not a char boundary");
        self.try_push_str(text)?;
        self.bytes[index..].rotate_right(text.len());
        Ok(())
    }

    /// Shortens the string to `len` bytes. A shorter string is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if `len` is not on a character boundary.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.push_str("abcd");
    /// text.truncate(2);
    /// assert_eq!(text, "ab");
    /// ```
    #[track_caller]
    pub fn truncate(&mut self, len: usize) {
        if len < self.bytes.len() {
            assert!(self.is_char_boundary(len), "truncate: byte {len} is not a char boundary");
            self.bytes.truncate(len);
        }
    }

    /// Removes all characters and keeps the memory.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.push_str("abc");
    /// text.clear();
    /// assert!(text.is_empty() && text.capacity() > 0);
    /// ```
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Frees the unused capacity if nothing was allocated after the string.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.reserve(100);
    /// text.push_str("abc");
    /// text.shrink_to_fit();
    /// assert_eq!((text.capacity(), arena.stats().used), (3, 3));
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// Turns the string into a `str`, which lives as long as the arena or scope. Unused capacity is
    /// freed if nothing was allocated after the string.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut text = arena.string();
    /// text.push_str("abc");
    /// let text: &mut str = text.into_str();
    /// text.make_ascii_uppercase();
    /// assert_eq!(text, "ABC");
    /// ```
    #[inline]
    pub fn into_str(self) -> &'live mut str {
        // SAFETY: as in `as_str`.
        unsafe { core::str::from_utf8_unchecked_mut(self.bytes.into_slice()) }
    }

    /// Writes a text to this new string, and takes it out.
    #[inline]
    pub(crate) fn write_and_take(
        &mut self,
        text: fmt::Arguments<'_>,
    ) -> Result<&'live mut str, AllocError> {
        self.bytes.begin();
        self.try_push_fmt(text)?;
        let bytes = ArenaBox::leak(self.bytes.take_boxed_slice());
        // SAFETY: as in `as_str`.
        Ok(unsafe { core::str::from_utf8_unchecked_mut(bytes) })
    }
}

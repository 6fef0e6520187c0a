//! The traits that strings in arenas share with `String`.

use core::borrow::{Borrow, BorrowMut};
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Add, AddAssign, Deref, DerefMut};

use super::ArenaString;

impl Deref for ArenaString<'_, '_> {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl DerefMut for ArenaString<'_, '_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut str {
        self.as_mut_str()
    }
}

impl AsRef<str> for ArenaString<'_, '_> {
    fn as_ref(&self) -> &str {
        self
    }
}

impl AsRef<[u8]> for ArenaString<'_, '_> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl AsMut<str> for ArenaString<'_, '_> {
    fn as_mut(&mut self) -> &mut str {
        self
    }
}

impl Borrow<str> for ArenaString<'_, '_> {
    fn borrow(&self) -> &str {
        self
    }
}

impl BorrowMut<str> for ArenaString<'_, '_> {
    fn borrow_mut(&mut self) -> &mut str {
        self
    }
}

/// Returns an error if there is no room.
impl fmt::Write for ArenaString<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.try_push_str(text).map_err(|_| fmt::Error)
    }
}

impl fmt::Debug for ArenaString<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for ArenaString<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl<S: AsRef<str> + ?Sized> PartialEq<S> for ArenaString<'_, '_> {
    fn eq(&self, other: &S) -> bool {
        self.as_str() == other.as_ref()
    }
}

/// Compares text on the left with a string in an arena.
macro_rules! equal_on_the_left {
    ($($text:ty),+) => {
        $(impl<'live, 'grow> PartialEq<ArenaString<'live, 'grow>> for $text {
            fn eq(&self, other: &ArenaString<'live, 'grow>) -> bool {
                let text: &str = self.as_ref();
                text == other.as_str()
            }
        })+
    };
}

equal_on_the_left!(str, &str);
#[cfg(feature = "alloc")]
equal_on_the_left!(alloc::string::String, alloc::borrow::Cow<'_, str>);

impl Eq for ArenaString<'_, '_> {}

/// Panics if there is no room.
impl Extend<char> for ArenaString<'_, '_> {
    fn extend<I: IntoIterator<Item = char>>(&mut self, from: I) {
        from.into_iter().for_each(|character| self.push(character));
    }
}

/// Panics if there is no room.
impl<'a> Extend<&'a char> for ArenaString<'_, '_> {
    fn extend<I: IntoIterator<Item = &'a char>>(&mut self, from: I) {
        self.extend(from.into_iter().copied());
    }
}

macro_rules! extend_with_strings {
    ([$($life:lifetime),*], $text:ty) => {
        /// Panics if there is no room.
        impl<$($life),*> Extend<$text> for ArenaString<'_, '_> {
            fn extend<I: IntoIterator<Item = $text>>(&mut self, from: I) {
                from.into_iter().for_each(|text| self.push_str(&text));
            }
        }
    };
}

extend_with_strings!(['a], &'a str);
extend_with_strings!(['a, 'b], ArenaString<'a, 'b>);
#[cfg(feature = "alloc")]
extend_with_strings!([], alloc::string::String);
#[cfg(feature = "alloc")]
extend_with_strings!(['a], alloc::borrow::Cow<'a, str>);

/// Panics if there is no room.
impl Add<&str> for ArenaString<'_, '_> {
    type Output = Self;

    fn add(mut self, text: &str) -> Self {
        self.push_str(text);
        self
    }
}

/// Panics if there is no room.
impl AddAssign<&str> for ArenaString<'_, '_> {
    fn add_assign(&mut self, text: &str) {
        self.push_str(text);
    }
}

impl PartialOrd for ArenaString<'_, '_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ArenaString<'_, '_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other)
    }
}

impl Hash for ArenaString<'_, '_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

/// The clone lies in the same arena or scope. Panics if there is no room.
impl Clone for ArenaString<'_, '_> {
    fn clone(&self) -> Self {
        Self::new(self.bytes.clone())
    }
}

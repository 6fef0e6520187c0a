//! What owners of values are to those who use them, written once: as `Box`, they are taken for the
//! value.

/// The traits by which an owner, with its value at `value`, passes for the value itself.
macro_rules! owner_traits {
    ($owner:ident) => {
        impl<T: ?Sized> core::ops::Deref for $owner<'_, T> {
            type Target = T;

            #[inline]
            fn deref(&self) -> &T {
                // SAFETY: the value is there, and borrowed with its owner.
                unsafe { self.value.as_ref() }
            }
        }

        impl<T: ?Sized> core::ops::DerefMut for $owner<'_, T> {
            #[inline]
            fn deref_mut(&mut self) -> &mut T {
                // SAFETY: as above.
                unsafe { self.value.as_mut() }
            }
        }

        impl<T: ?Sized> AsRef<T> for $owner<'_, T> {
            fn as_ref(&self) -> &T {
                self
            }
        }

        impl<T: ?Sized> AsMut<T> for $owner<'_, T> {
            fn as_mut(&mut self) -> &mut T {
                self
            }
        }

        impl<T: ?Sized> core::borrow::Borrow<T> for $owner<'_, T> {
            fn borrow(&self) -> &T {
                self
            }
        }

        impl<T: ?Sized> core::borrow::BorrowMut<T> for $owner<'_, T> {
            fn borrow_mut(&mut self) -> &mut T {
                self
            }
        }

        impl<T: core::fmt::Debug + ?Sized> core::fmt::Debug for $owner<'_, T> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                (**self).fmt(f)
            }
        }

        impl<T: core::fmt::Display + ?Sized> core::fmt::Display for $owner<'_, T> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                (**self).fmt(f)
            }
        }

        impl<T: PartialEq + ?Sized> PartialEq for $owner<'_, T> {
            fn eq(&self, other: &Self) -> bool {
                **self == **other
            }
        }

        impl<T: Eq + ?Sized> Eq for $owner<'_, T> {}
    };
}

pub(crate) use owner_traits;

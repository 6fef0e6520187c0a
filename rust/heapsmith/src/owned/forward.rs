//! Traits that a box has because its value has them.

use core::error::Error;
use core::fmt;
use core::future::Future;
use core::hash::Hasher;
use core::iter::FusedIterator;
use core::pin::Pin;
use core::task::{Context, Poll};

use super::{Memory, Owned};

/// Implements `Iterator` for boxes of a type. One implementation for all types, sized or not, would
/// exclude `IntoIterator` for boxed slices.
macro_rules! iterator {
    ([$($generics:tt)*], $type:ty, $item:ty) => {
        impl<$($generics)*, M: Memory> Iterator for Owned<'_, $type, M> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                (**self).next()
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (**self).size_hint()
            }

            fn nth(&mut self, n: usize) -> Option<$item> {
                (**self).nth(n)
            }
        }
    };
}

/// The same for `DoubleEndedIterator`.
macro_rules! double_ended {
    ([$($generics:tt)*], $type:ty, $item:ty) => {
        impl<$($generics)*, M: Memory> DoubleEndedIterator for Owned<'_, $type, M> {
            #[inline]
            fn next_back(&mut self) -> Option<$item> {
                (**self).next_back()
            }

            fn nth_back(&mut self, n: usize) -> Option<$item> {
                (**self).nth_back(n)
            }
        }
    };
}

iterator!([I: Iterator], I, I::Item);
iterator!(['d, T], dyn Iterator<Item = T> + 'd, T);
iterator!(['d, T], dyn Iterator<Item = T> + Send + 'd, T);
iterator!(['d, T], dyn DoubleEndedIterator<Item = T> + 'd, T);
iterator!(['d, T], dyn DoubleEndedIterator<Item = T> + Send + 'd, T);
iterator!(['d, T], dyn ExactSizeIterator<Item = T> + 'd, T);
iterator!(['d, T], dyn ExactSizeIterator<Item = T> + Send + 'd, T);

double_ended!([I: DoubleEndedIterator], I, I::Item);
double_ended!(['d, T], dyn DoubleEndedIterator<Item = T> + 'd, T);
double_ended!(['d, T], dyn DoubleEndedIterator<Item = T> + Send + 'd, T);

impl<I: ExactSizeIterator, M: Memory> ExactSizeIterator for Owned<'_, I, M> {}
impl<'d, T, M: Memory> ExactSizeIterator for Owned<'_, dyn ExactSizeIterator<Item = T> + 'd, M> {}
impl<'d, T, M: Memory> ExactSizeIterator
    for Owned<'_, dyn ExactSizeIterator<Item = T> + Send + 'd, M>
{
}

impl<I: FusedIterator, M: Memory> FusedIterator for Owned<'_, I, M> {}

/// A future that must not move is polled through [`Owned::pinned`] or [`Owned::into_pin`].
impl<F: Future + Unpin + ?Sized, M: Memory> Future for Owned<'_, F, M> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        Pin::new(&mut **self).poll(context)
    }
}

macro_rules! writes {
    ($($name:ident: $number:ty),*) => {
        $(fn $name(&mut self, number: $number) {
            (**self).$name(number);
        })*
    };
}

impl<H: Hasher + ?Sized, M: Memory> Hasher for Owned<'_, H, M> {
    fn finish(&self) -> u64 {
        (**self).finish()
    }

    fn write(&mut self, bytes: &[u8]) {
        (**self).write(bytes);
    }

    writes!(write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128);
    writes!(write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128);
    writes!(write_usize: usize, write_isize: isize);
}

impl<E: Error + ?Sized, M: Memory> Error for Owned<'_, E, M> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        (**self).source()
    }
}

impl<W: fmt::Write + ?Sized, M: Memory> fmt::Write for Owned<'_, W, M> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        (**self).write_str(text)
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        (**self).write_char(character)
    }
}

/// Prints the address of the value.
impl<T: ?Sized, M: Memory> fmt::Pointer for Owned<'_, T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&Self::as_non_null(self), f)
    }
}

#[cfg(feature = "std")]
mod io {
    use std::io::{BufRead, IoSlice, IoSliceMut, Read, Result, Seek, SeekFrom, Write};

    use super::{Memory, Owned};

    impl<R: Read + ?Sized, M: Memory> Read for Owned<'_, R, M> {
        fn read(&mut self, to: &mut [u8]) -> Result<usize> {
            (**self).read(to)
        }

        fn read_vectored(&mut self, to: &mut [IoSliceMut<'_>]) -> Result<usize> {
            (**self).read_vectored(to)
        }

        fn read_to_end(&mut self, to: &mut alloc::vec::Vec<u8>) -> Result<usize> {
            (**self).read_to_end(to)
        }

        fn read_to_string(&mut self, to: &mut alloc::string::String) -> Result<usize> {
            (**self).read_to_string(to)
        }

        fn read_exact(&mut self, to: &mut [u8]) -> Result<()> {
            (**self).read_exact(to)
        }
    }

    impl<W: Write + ?Sized, M: Memory> Write for Owned<'_, W, M> {
        fn write(&mut self, from: &[u8]) -> Result<usize> {
            (**self).write(from)
        }

        fn write_vectored(&mut self, from: &[IoSlice<'_>]) -> Result<usize> {
            (**self).write_vectored(from)
        }

        fn flush(&mut self) -> Result<()> {
            (**self).flush()
        }

        fn write_all(&mut self, from: &[u8]) -> Result<()> {
            (**self).write_all(from)
        }
    }

    impl<R: BufRead + ?Sized, M: Memory> BufRead for Owned<'_, R, M> {
        fn fill_buf(&mut self) -> Result<&[u8]> {
            (**self).fill_buf()
        }

        fn consume(&mut self, bytes: usize) {
            (**self).consume(bytes);
        }
    }

    impl<S: Seek + ?Sized, M: Memory> Seek for Owned<'_, S, M> {
        fn seek(&mut self, to: SeekFrom) -> Result<u64> {
            (**self).seek(to)
        }
    }
}

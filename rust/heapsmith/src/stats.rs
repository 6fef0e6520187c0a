//! Structures of statistics that the C++ core fills in.

/// Defines a structure with the fields of a C structure, except for its `size`.
macro_rules! stats_struct {
    ($(#[$about:meta])* $name:ident of $c:ident { $($(#[$doc:meta])* $field:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$doc])* pub $field: usize,)*
        }

        impl $name {
            /// Calls a C function that fills in a structure whose `size` is set.
            pub(crate) fn written_by(
                write: impl FnOnce(*mut heapsmith_sys::$c) -> core::ffi::c_int,
            ) -> Self {
                let size = size_of::<heapsmith_sys::$c>();
                let mut c = heapsmith_sys::$c { size, ..Default::default() };
                let done = write(&mut c);
                debug_assert_eq!(done, 0, "the size is right");
                Self { $($field: c.$field,)* }
            }
        }
    };
}

pub(crate) use stats_struct;

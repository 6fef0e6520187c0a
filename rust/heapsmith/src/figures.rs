//! Structures of figures that the core fills in.

/// Defines the structure as the fields of a C structure without its `size`.
macro_rules! figures {
    ($(#[$about:meta])* $name:ident of $c:ident { $($(#[$doc:meta])* $field:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$doc])* pub $field: usize,)*
        }

        impl $name {
            /// What a C function writes that takes a structure of which the size is set.
            pub(crate) fn written_by(
                write: impl FnOnce(*mut heapsmith_sys::$c) -> core::ffi::c_int,
            ) -> Self {
                let mut c = heapsmith_sys::$c { size: size_of::<heapsmith_sys::$c>(), ..Default::default() };
                let done = write(&mut c);
                debug_assert_eq!(done, 0, "the size is right");
                Self { $($field: c.$field,)* }
            }
        }
    };
}

pub(crate) use figures;

//! The global allocator of this program, with its name and version.

/// An allocator that is a crate: its type, and the package whose version is reported.
macro_rules! global {
    ($feature:literal, $allocator:path, $version:expr) => {
        #[cfg(feature = $feature)]
        mod chosen {
            #[global_allocator]
            static GLOBAL: $allocator = $allocator;

            pub const NAME: &str = $feature;

            pub fn version() -> String {
                $version.to_string()
            }
        }
    };
}

global!("heapsmith", heapsmith::Heapsmith, heapsmith::version());
global!("jemalloc", tikv_jemallocator::Jemalloc, env!("VERSION_OF_TIKV_JEMALLOC_SYS"));
global!("mimalloc", mimalloc::MiMalloc, env!("VERSION_OF_LIBMIMALLOC_SYS"));
global!("snmalloc", snmalloc_rs::SnMalloc, env!("VERSION_OF_SNMALLOC_SYS"));
global!("tcmalloc", tcmalloc_better::TCMalloc, env!("VERSION_OF_LIBTCMALLOC_SYS"));

#[cfg(feature = "overlapping")]
mod chosen {
    use crate::overlapping::Overlapping;

    #[global_allocator]
    static GLOBAL: Overlapping = Overlapping::new();

    pub const NAME: &str = "overlapping";

    pub fn version() -> String {
        "0".to_string()
    }
}

#[cfg(not(any(
    feature = "heapsmith",
    feature = "jemalloc",
    feature = "mimalloc",
    feature = "overlapping",
    feature = "snmalloc",
    feature = "tcmalloc"
)))]
mod chosen {
    use std::ffi::{CStr, c_char};

    pub const NAME: &str = "glibc";

    unsafe extern "C" {
        safe fn gnu_get_libc_version() -> *const c_char;
    }

    pub fn version() -> String {
        // SAFETY: glibc's version is a static string.
        unsafe { CStr::from_ptr(gnu_get_libc_version()) }.to_string_lossy().into_owned()
    }
}

pub use chosen::{NAME, version};

pub const IS_FAULTY: bool = cfg!(feature = "overlapping");

/// Starts the work, and with it the overlaps, if any.
pub fn begin() {
    #[cfg(feature = "overlapping")]
    crate::overlapping::begin();
}

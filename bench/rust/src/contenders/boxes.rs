//! Contenders box-glibc and box-heapsmith: `Box`, `Vec` and `String` over the process's malloc.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use heapsmith_bench::expect;

use super::Contender;
use crate::rounds::recycled;
use crate::{objects, strings, vectors};

#[repr(C)]
struct DlInfo {
    file: *const c_char,
    base: *mut c_void,
    symbol: *const c_char,
    address: *mut c_void,
}

unsafe extern "C" {
    fn dladdr(address: *const c_void, found: *mut DlInfo) -> c_int;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    safe fn gnu_get_libc_version() -> *const c_char;
}

/// The first symbol of that name in the process's libraries, or null.
fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends with a zero. Null searches all libraries in order.
    unsafe { dlsym(ptr::null_mut(), name.as_ptr()) }
}

/// The file of the library whose malloc this process uses.
fn malloc_library() -> String {
    let mut found = DlInfo {
        file: ptr::null(),
        base: ptr::null_mut(),
        symbol: ptr::null(),
        address: ptr::null_mut(),
    };
    // SAFETY: `found` is a Dl_info, which dladdr fills in.
    let is_found = unsafe { dladdr(symbol(c"malloc"), &mut found) } != 0;
    expect(is_found && !found.file.is_null(), "no library has malloc");
    // SAFETY: a path that ends with a zero and lives while the library is loaded.
    unsafe { CStr::from_ptr(found.file) }.to_string_lossy().into_owned()
}

pub struct OnGlibc;
pub struct OnHeapsmith;

impl Contender for OnGlibc {
    const NAME: &'static str = "box-glibc";

    fn version() -> String {
        expect(malloc_library().contains("libc.so"), "malloc is not glibc's");
        // SAFETY: glibc's version is a static string.
        unsafe { CStr::from_ptr(gnu_get_libc_version()) }.to_string_lossy().into_owned()
    }
}

impl Contender for OnHeapsmith {
    const NAME: &'static str = "box-heapsmith";

    fn version() -> String {
        expect(malloc_library().contains("heapsmith"), "malloc is not heapsmith's");
        let function = symbol(c"hs_version");
        expect(!function.is_null(), "malloc's library has no hs_version");
        // SAFETY: the library's function of that name returns a static string.
        unsafe {
            let version: extern "C" fn() -> *const c_char = std::mem::transmute(function);
            CStr::from_ptr(version()).to_string_lossy().into_owned()
        }
    }
}

macro_rules! boxes {
    ($contender:ty) => {
        impl objects::Objects for $contender {
            type Memory = ();
            fn memory(_: usize, _: usize) {}
            fn round<T: objects::Object>(_: &mut (), round: &mut objects::Round<T>) {
                let all = round.make(|number| Box::new(T::make(number)));
                round.visit(&all);
                round.begin_to_end();
                let pointers = recycled(all);
                round.end(pointers);
            }
        }

        impl vectors::Vectors for $contender {
            type Memory = ();
            fn memory(_: usize) {}
            fn round(_: &mut (), round: &mut vectors::Round) {
                let all = round.grow(Vec::new);
                round.begin_to_end();
                drop(all);
                round.end();
            }
        }

        impl strings::Strings for $contender {
            type Memory = ();
            fn memory(_: usize) {}
            fn round(memory: &mut (), round: &mut strings::Round) {
                let all =
                    round.write(memory, |(), text| text.to_string(), |(), text| text.to_string());
                round.begin_to_end();
                drop(all);
                round.end();
            }
        }
    };
}

boxes!(OnGlibc);
boxes!(OnHeapsmith);

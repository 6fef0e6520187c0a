//! A shared library that contains the core is closed while a thread that has allocated runs on.
use std::ffi::{CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc;
use std::{mem, thread};

const RTLD_NOW: c_int = 2;

unsafe extern "C" {
    fn dlopen(name: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
}

/// Links the archive that the build script made, as for a cdylib.
fn shared_library() -> CString {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("unloading.so");
    let status = Command::new("cc")
        .arg("-shared")
        .arg("-Wl,--whole-archive")
        .arg(PathBuf::from(env!("OUT_DIR")).join("libheapsmith.a"))
        .args(["-Wl,--no-whole-archive", "-o"])
        .arg(&path)
        .status()
        .expect("there is a C compiler");
    assert!(status.success());
    CString::new(path.as_os_str().as_bytes()).expect("a path has no zeros")
}

#[test]
fn threads_end_after_the_library_was_closed() {
    let name = shared_library();
    // SAFETY: the library exists and has a function of this type.
    let (library, malloc) = unsafe {
        let library = dlopen(name.as_ptr(), RTLD_NOW);
        assert!(!library.is_null());
        let function = dlsym(library, c"hs_malloc".as_ptr());
        assert!(!function.is_null());
        (library, mem::transmute::<*mut c_void, extern "C" fn(usize) -> *mut c_void>(function))
    };
    let (tell_allocated, allocated) = mpsc::channel();
    let (tell_closed, closed) = mpsc::channel::<()>();
    let user = thread::spawn(move || {
        tell_allocated.send(malloc(100).is_null()).expect("the test waits");
        closed.recv().expect("the test closes the library");
    }); // and here what the core does when a thread ends
    assert_eq!(allocated.recv(), Ok(false));
    // SAFETY: only the library itself calls its functions from now on.
    assert_eq!(unsafe { dlclose(library) }, 0);
    tell_closed.send(()).expect("the thread waits");
    user.join().expect("the thread ends");
}

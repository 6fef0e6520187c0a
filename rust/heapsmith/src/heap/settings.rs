//! Settings of the heap that are part of the program.

/// Gives the program settings of the heap. Variables of the environment replace them.
///
/// Invoke it once in a program, best in `main.rs`. The string has items `NAME=VALUE` with commas
/// between them: `limit_bytes`, `cache_bytes`, `purge_delay_ms`, `purge_thread` (`0` or `1`),
/// `huge_pages` (`0`, `1` or `kernel`), `reserve`, `stats` (`0`, `1` or `json`), `stats_file` and
/// `verbose` (`0` or `1`). The heap reads it before it serves the first allocation. The variables
/// are `HEAPSMITH_LIMIT_BYTES` and so on.
///
/// # Errors
///
/// Each mistake in the string is one line on stderr when the process starts. A malformed
/// `limit_bytes` ends the program with status 78. A second invocation in one program fails to
/// link.
///
/// # Examples
///
/// ```standalone_crate
/// heapsmith::settings!("limit_bytes=512M,cache_bytes=64M");
///
/// #[global_allocator]
/// static A: heapsmith::Heapsmith = heapsmith::Heapsmith;
///
/// assert!(Vec::<u8>::new().try_reserve(1 << 30).is_err());
/// ```
#[macro_export]
macro_rules! settings {
    ($items:expr $(,)?) => {
        const _: () = {
            const TEXT: &str = ::core::concat!($items, "\0");
            // The C++ core looks for this name.
            #[allow(non_upper_case_globals)]
            #[used]
            #[unsafe(no_mangle)]
            static hs_settings: [u8; TEXT.len()] = match TEXT.as_bytes().first_chunk() {
                ::core::option::Option::Some(bytes) => *bytes,
                ::core::option::Option::None => [0; TEXT.len()],
            };
        };
    };
}

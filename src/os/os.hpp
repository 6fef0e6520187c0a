// The interface between the allocator and the operating system; os_linux.cpp implements it,
// together with report.hpp.
//
// Every function is thread-safe, allocates nothing, keeps errno, and is allowed to fail only where
// it says so. Addresses and lengths are multiples of page_bytes() unless said.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/hidden.hpp"
#include "os/report.hpp"

namespace heapsmith::os {

/// The size of an OS page in bytes: a power of two, 4 KiB to 64 KiB, constant for the process.
HS_HIDDEN std::size_t page_bytes();

/// Whether a limit bounds the address space of the process (RLIMIT_AS, RLIMIT_DATA). Call when the
/// process starts: later, a filter of system calls may end it for the question.
HS_HIDDEN bool address_space_is_limited();

/// Physical memory of the machine in bytes; 0 when unknown.
std::size_t physical_bytes();

/// An address, aligned to `align` (a power of two), behind which `bytes` of address space are
/// unused now and unlikely to be used by others soon. Nothing is mapped. `attempt` 0, 1, … gives
/// different ones, the later ones for kernels and tools that refuse the earlier. Null if no hole
/// exists.
void* find_hole(std::size_t bytes, std::size_t align, unsigned attempt);

/// Maps committed zeroed memory at just this address. False when it is in use or the kernel refuses
/// (address-space limit, commit limit, out of mappings); nothing has changed then.
bool map_at(void* p, std::size_t bytes);

/// Gives the memory behind mapped addresses back at once: they read as zero when next touched.
/// May be ignored by an OS that cannot; returns false then, and the contents are unspecified.
HS_HIDDEN bool decommit(void* p, std::size_t bytes);

/// Maps committed zeroed memory anywhere, aligned to `align`. Null when refused.
HS_HIDDEN void* map(std::size_t bytes, std::size_t align);

/// Ends a mapping or a part of one. False if the kernel is out of mappings: the memory is given
/// back, and the address space stays mapped.
HS_HIDDEN bool unmap(void* p, std::size_t bytes);

/// Grows or shrinks a mapping made by map(), moving it if need be; contents up to the smaller size
/// are kept. Null when refused, and the old mapping is intact. `lacks_room`: address space or
/// mappings are short. Otherwise the kernel does not move such pages, as where the program locked
/// them or gave advice for a part of them.
void* remap(void* p, std::size_t old_bytes, std::size_t new_bytes, bool& lacks_room);

/// Backs mapped memory with pages now instead of at first touch. May be ignored.
void populate(void* p, std::size_t bytes);

/// Whether the word at `p` is other than zero. False if nothing can be read there: `p` may be any
/// address. False if the OS does not say.
bool reads_nonzero(const std::uint32_t* p);

/// Whether anything is mapped at the page at `p`. True if the OS does not say.
HS_HIDDEN bool is_mapped(const void* p);

/// The size of a huge page in bytes; it is aligned to that.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// Asks for huge pages behind mapped memory from its next touch on, or for none. May be ignored.
void advise_huge_pages(void* p, std::size_t bytes, bool wanted);

/// A page that reads zero in a child that shares no memory with its parent, however it was forked.
/// Null when the OS has no such thing.
std::uint32_t* map_fork_detector();

/// Milliseconds of a monotonic clock.
HS_HIDDEN std::uint64_t now_ms();

/// Sleeps while *word == expected, until woken; may return early.
HS_HIDDEN void wait(const void* word, std::uint32_t expected);
void wake_one(const void* word);

/// Called before a thread sleeps on a lock: a child that no fork handler prepared may be waiting
/// for a thread it does not have. Calls the function that was set, once.
void before_waiting();
void set_before_waiting(void (*call)());

/// True when the process runs with more rights than its caller: the environment is not to be
/// trusted.
bool is_privileged();

/// The path with which the program was started, or "?".
const char* program_path();

/// The value of an environment variable, or null; reads the process's block, allocates nothing.
const char* environment(const char* name);

/// The environment while no program has changed it, up to a null pointer; null if it has none.
const char* const* first_environment();

/// A word that no other live thread has, without a call.
inline std::uintptr_t thread_token() {
  return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
}

}  // namespace heapsmith::os

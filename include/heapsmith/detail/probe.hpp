// What allocators tell the tools that watch memory: nothing in the normal build.
//
// Under AddressSanitizer memory that no user has is poisoned; in the library built for Valgrind
// (HEAPSMITH_VALGRIND) blocks are those of a memory pool. Engines call these functions and hold no
// #if of their own. What an allocator keeps in poisoned memory it reads and writes through load()
// and store(), which no tool checks.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define HS_PROBE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HS_PROBE_ASAN 1
#endif
#endif

#if defined(HS_PROBE_ASAN)
#include <sanitizer/asan_interface.h>

#include "heapsmith/detail/brief_lock.hpp"
#elif defined(HEAPSMITH_VALGRIND)
#include <valgrind/memcheck.h>
#include <valgrind/valgrind.h>
#endif

namespace heapsmith::detail::probe {

/// A word of an allocator's own, in memory that at other times holds anything. It is read and
/// written whole (relaxed), since caches in front of a region look at headers without its lock.
using word [[gnu::may_alias]] = std::uint64_t;

#if defined(HS_PROBE_ASAN)

inline constexpr bool is_watched = true;

[[gnu::no_sanitize_address]] inline std::uint64_t load(const word& from) {
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
}
[[gnu::no_sanitize_address]] inline void store(word& to, std::uint64_t value) {
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
}

/// The owner has got a buffer, of which nobody may use anything yet.
inline void enter_buffer(const void*, void* at, std::size_t bytes) {
  __asan_poison_memory_region(at, bytes);
}
/// The buffer is its supplier's again.
inline void leave_buffer(const void*, void* at, std::size_t bytes) {
  __asan_unpoison_memory_region(at, bytes);
}
/// `bytes` at `at` are a user's; what is left of `usable` is not.
inline void allocated(const void*, void* at, std::size_t bytes, std::size_t usable) {
  __asan_poison_memory_region(at, usable);
  __asan_unpoison_memory_region(at, bytes);
}
inline void freed(const void*, void* at, std::size_t usable) {
  __asan_poison_memory_region(at, usable);
}
/// The user may from now on use the block's first `bytes`, of which some may have been its before.
inline void resized(const void*, void* at, std::size_t bytes, std::size_t usable) {
  __asan_unpoison_memory_region(at, bytes);
  __asan_poison_memory_region(static_cast<char*>(at) + bytes, usable - bytes);
}
/// The allocator is about to move or copy the whole block, whatever part of it the user had.
inline void opened(const void*, const void* at, std::size_t usable) {
  __asan_unpoison_memory_region(at, usable);
}
/// A user's block is about to move, over its own place perhaps; it may use all of the new one.
inline void moved(const void*, void*, void* to, std::size_t usable) {
  __asan_unpoison_memory_region(to, usable);
}
/// The owner ends all its blocks.
inline void ended(const void*) {}
/// As allocated() and freed(), by whoever ends many blocks at once and keeps no books of single
/// ones. The tool keeps one byte for eight of memory, where the ends of two threads' blocks may
/// meet, and changes it in two steps: one thread at a time.
inline brief_lock shadow_lock;
inline void given(const void* at, std::size_t bytes) {
  shadow_lock.acquire();
  __asan_unpoison_memory_region(at, bytes);
  shadow_lock.release();
}
inline void taken(const void* at, std::size_t bytes) {
  shadow_lock.acquire();
  __asan_poison_memory_region(at, bytes);
  shadow_lock.release();
}

#elif defined(HEAPSMITH_VALGRIND)

inline constexpr bool is_watched = true;
/// What VALGRIND_GET_VBITS says of memory that nobody may use.
inline constexpr unsigned not_addressable = 3;

inline std::uint64_t load(const word& from) {
  VALGRIND_MAKE_MEM_DEFINED(&from, sizeof from);
  const std::uint64_t value = from;
  VALGRIND_MAKE_MEM_NOACCESS(&from, sizeof from);
  return value;
}
inline void store(word& to, std::uint64_t value) {
  VALGRIND_MAKE_MEM_DEFINED(&to, sizeof to);
  to = value;
  VALGRIND_MAKE_MEM_NOACCESS(&to, sizeof to);
}
inline void enter_buffer(const void* owner, void* at, std::size_t bytes) {
  if (!VALGRIND_MEMPOOL_EXISTS(owner)) VALGRIND_CREATE_MEMPOOL(owner, 8, 0);
  VALGRIND_MAKE_MEM_NOACCESS(at, bytes);
}
inline void leave_buffer(const void*, void* at, std::size_t bytes) {
  VALGRIND_MAKE_MEM_DEFINED(at, bytes);
}
inline void allocated(const void* owner, void* at, std::size_t bytes, std::size_t) {
  VALGRIND_MEMPOOL_ALLOC(owner, at, bytes);
}
inline void freed(const void* owner, void* at, std::size_t) {
  VALGRIND_MEMPOOL_FREE(owner, at);
}
/// What the user had keeps its contents for the tool, the rest is new to it.
inline void resized(const void* owner, void* at, std::size_t bytes, std::size_t usable) {
  VALGRIND_MEMPOOL_CHANGE(owner, at, at, bytes);
  char* const first = static_cast<char*>(at);
  for (std::size_t i = 0; i < bytes; ++i) {
    char bits;
    if (VALGRIND_GET_VBITS(first + i, &bits, 1) == not_addressable)
      VALGRIND_MAKE_MEM_UNDEFINED(first + i, 1);
  }
  VALGRIND_MAKE_MEM_NOACCESS(first + bytes, usable - bytes);
}
inline void opened(const void*, const void* at, std::size_t usable) {
  VALGRIND_MAKE_MEM_DEFINED(at, usable);
}
inline void moved(const void* owner, void* from, void* to, std::size_t usable) {
  VALGRIND_MEMPOOL_CHANGE(owner, from, to, usable);
  VALGRIND_MAKE_MEM_DEFINED(to, usable);
}
inline void ended(const void* owner) {
  if (VALGRIND_MEMPOOL_EXISTS(owner)) VALGRIND_DESTROY_MEMPOOL(owner);
}
inline void given(const void* at, std::size_t bytes) {
  VALGRIND_MAKE_MEM_UNDEFINED(at, bytes);
}
inline void taken(const void* at, std::size_t bytes) {
  VALGRIND_MAKE_MEM_NOACCESS(at, bytes);
}

#else

inline constexpr bool is_watched = false;

[[gnu::always_inline]] inline std::uint64_t load(const word& from) {
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
}
[[gnu::always_inline]] inline void store(word& to, std::uint64_t value) {
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
}
inline void enter_buffer(const void*, void*, std::size_t) {}
inline void leave_buffer(const void*, void*, std::size_t) {}
inline void allocated(const void*, void*, std::size_t, std::size_t) {}
inline void freed(const void*, void*, std::size_t) {}
inline void resized(const void*, void*, std::size_t, std::size_t) {}
inline void opened(const void*, const void*, std::size_t) {}
inline void moved(const void*, void*, void*, std::size_t) {}
inline void ended(const void*) {}
inline void given(const void*, std::size_t) {}
inline void taken(const void*, std::size_t) {}

#endif

}  // namespace heapsmith::detail::probe

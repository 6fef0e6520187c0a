// Events for tools that watch memory. They compile to nothing in the normal build.
//
// Under AddressSanitizer, memory that no user has is poisoned. In a build for Valgrind
// (HEAPSMITH_VALGRIND), blocks belong to a memory pool. Engines call these functions and need no
// #if. They read and write their own data in poisoned memory by load() and store(), which tools do
// not check.
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

/// A word of an allocator in memory that users have at other times. It is read and written whole
/// (relaxed), because caches in front of a region read headers without the lock.
using word [[gnu::may_alias]] = std::uint64_t;
/// The same for a link to a block. Where pointers have 64 bits, the two are one type.
using link_word [[gnu::may_alias]] = std::uintptr_t;

#if defined(HS_PROBE_ASAN)

inline constexpr bool is_watched = true;

[[gnu::no_sanitize_address]] inline std::uint64_t load(const word& from) {
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
}
[[gnu::no_sanitize_address]] inline void store(word& to, std::uint64_t value) {
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
}

/// The owner has got a buffer. Nobody may use it yet.
inline void enter_buffer(const void*, void* at, std::size_t bytes) {
  __asan_poison_memory_region(at, bytes);
}
/// The owner gives the buffer back to its supplier.
inline void leave_buffer(const void*, void* at, std::size_t bytes) {
  __asan_unpoison_memory_region(at, bytes);
}
/// A user may use `bytes` at `at`, but not the rest of `usable`.
inline void allocated(const void*, void* at, std::size_t bytes, std::size_t usable) {
  __asan_poison_memory_region(at, usable);
  __asan_unpoison_memory_region(at, bytes);
}
inline void freed(const void*, void* at, std::size_t usable) {
  __asan_poison_memory_region(at, usable);
}
/// The user may now use the first `bytes` of the block.
inline void resized(const void*, void* at, std::size_t bytes, std::size_t usable) {
  __asan_unpoison_memory_region(at, bytes);
  __asan_poison_memory_region(static_cast<char*>(at) + bytes, usable - bytes);
}
/// The allocator will move or copy the whole block, including bytes that the user may not use.
inline void opened(const void*, const void* at, std::size_t usable) {
  __asan_unpoison_memory_region(at, usable);
}
/// A user's block will move, and may overlap its old memory. The user may use all of the new one.
inline void moved(const void*, void*, void* to, std::size_t usable) {
  __asan_unpoison_memory_region(to, usable);
}
/// The owner ends all of its blocks.
inline void ended(const void*) {}
/// As allocated() and freed(), for owners that do not keep track of single blocks. AddressSanitizer
/// has one byte for eight bytes of memory, which two threads' blocks may share, and changes it in
/// two steps. So this takes a lock.
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
/// The result of VALGRIND_GET_VBITS for memory that nobody may use.
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
/// Bytes that the user had before stay defined; the others become undefined.
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

#if __STDC_HOSTED__
[[gnu::always_inline]] inline std::uint64_t load(const word& from) {
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
}
[[gnu::always_inline]] inline void store(word& to, std::uint64_t value) {
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
}
#else
// A free-standing build has no caches in front of a region, and 32-bit processors have no atomic
// access to 64 bits.
[[gnu::always_inline]] inline std::uint64_t load(const word& from) {
  return from;
}
[[gnu::always_inline]] inline void store(word& to, std::uint64_t value) {
  to = value;
}
#if UINTPTR_MAX < UINT64_MAX
[[gnu::always_inline]] inline std::uintptr_t load(const link_word& from) {
  return from;
}
[[gnu::always_inline]] inline void store(link_word& to, std::uintptr_t value) {
  to = value;
}
#endif
#endif
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

// The events of the program's calls. They compile to nothing but in libheapsmith_trace.so
// (HEAPSMITH_TRACE), where src/record writes them into a file.
//
// The functions of the interfaces report themselves here, for only they know which function the
// program called, and from where. The probes are inlined into them, so that the return address is
// theirs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/format.hpp"
#if defined(HEAPSMITH_TRACE)
#include "os/os.hpp"
#include "record/calls.hpp"
#endif

namespace heapsmith::probe {

using recorder::api, recorder::op;

/// Returns: the bytes of an array, or SIZE_MAX if no size can express them.
[[gnu::always_inline]] inline std::size_t bytes_of(std::size_t count, std::size_t each) {
  std::size_t bytes;
  return __builtin_mul_overflow(count, each, &bytes) ? SIZE_MAX : bytes;
}

#if defined(HEAPSMITH_TRACE)

inline constexpr bool is_watched = true;

/// Whether hs_trace_start() has been called last, and not hs_trace_stop().
extern constinit atomic<bool> is_tracing;

/// Returns: whether this thread's calls are recorded now.
[[gnu::always_inline]] inline bool is_on() {
  // relaxed: a thread that sees the change late records some events more or less.
  return is_tracing.load(relaxed) && !recorder::here.calls_itself;
}

[[gnu::always_inline]] inline std::size_t page_bytes() {
  return os::page_bytes();
}

constexpr op kind_of(api which) {
  switch (which) {
    case api::malloc:
      return op::malloc;
    case api::calloc:
      return op::calloc;
    case api::new_one:
      return op::new_one;
    case api::new_array:
      return op::new_array;
    default:
      return op::other_allocation;
  }
}

/// The function `which` has allocated `p`, or failed. Returns: p.
[[gnu::always_inline]] inline void* made(api which, void* p, std::size_t bytes,
                                         std::size_t align = 1) {
  if (is_on()) [[unlikely]]
    recorder::record_made(kind_of(which), which, p, bytes, align, HS_CALLER);
  return p;
}

/// The program frees `p`.
[[gnu::always_inline]] inline void ending(op what, const void* p) {
  if (is_on()) [[unlikely]]
    recorder::record_ended(what, p, HS_CALLER);
}

/// The program asks for the usable size of `p`.
[[gnu::always_inline]] inline void asked(const void* p) {
  if (p != nullptr && is_on()) [[unlikely]]
    recorder::record_usable_size(p, HS_CALLER);
}

/// A call of realloc, from its begin on.
class resizing {
 public:
  [[gnu::always_inline]] explicit resizing(const void* old) : old_(old), is_on_(is_on()) {
    if (is_on_) [[unlikely]]
      before_ = recorder::tick_now();
  }
  /// The call returns `p`, of `bytes` bytes.
  [[gnu::always_inline]] void* made(void* p, std::size_t bytes) const {
    if (is_on_) [[unlikely]]
      recorder::record_realloc(old_, p, bytes, before_, HS_CALLER);
    return p;
  }

 private:
  const void* old_;
  std::uint64_t before_ = 0;
  bool is_on_;
};

#else

inline constexpr bool is_watched = false;

constexpr std::size_t page_bytes() {
  return 0;
}
[[gnu::always_inline]] inline void* made(api, void* p, std::size_t, std::size_t = 1) {
  return p;
}
[[gnu::always_inline]] inline void ending(op, const void*) {}
[[gnu::always_inline]] inline void asked(const void*) {}
class resizing {
 public:
  [[gnu::always_inline]] explicit resizing(const void*) {}
  [[gnu::always_inline]] void* made(void* p, std::size_t) const { return p; }
};

#endif

}  // namespace heapsmith::probe

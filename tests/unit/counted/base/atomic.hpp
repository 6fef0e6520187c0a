// src/base/atomic.hpp for the build with assertions: tests count what a thread touches that other
// threads touch, too.
//
// A *touch* costs more the more threads there are. It moves a cache line from one processor to
// another: a load from a line that another thread wrote since this one used it, or a store or an
// exchange in a line that another thread has. Plain fields beside atomics are not seen.
#pragma once

#define HEAPSMITH_COUNTS_TOUCHES

#include <array>
#include <atomic>
#include <cstdint>
#include <sched.h>
#include <type_traits>

namespace heapsmith {

/// Who has each cache line. A line that falls on another one's place counts as new.
class line_uses {
 public:
  void load(const void* p) {
    use& u = enter(p);
    touches_ += (u.holders & me()) == 0 && u.is_written;
    u.holders |= me();
    u.is_busy.clear(std::memory_order_release);
  }

  void change(const void* p) {
    use& u = enter(p);
    touches_ += (u.holders & ~me()) != 0;
    u.holders = me();
    u.is_written = true;
    u.is_busy.clear(std::memory_order_release);
  }

  /// Those of this thread.
  static std::uint64_t touches() { return touches_; }

 private:
  struct use {
    std::uintptr_t line = 0;
    std::uint64_t holders = 0;  // a bit for each thread that used it since it was written last
    bool is_written = false;
    std::atomic_flag is_busy;
  };

  use& enter(const void* p) {
    const std::uintptr_t line = reinterpret_cast<std::uintptr_t>(p) / 64;
    use& u = uses_[line * 0x9e3779b97f4a7c15u >> 48];
    while (u.is_busy.test_and_set(std::memory_order_acquire)) sched_yield();
    if (u.line != line) {
      u.line = line;
      u.holders = 0;
      u.is_written = false;
    }
    return u;
  }

  /// Of more than 64 threads, some have the same bit.
  static std::uint64_t me() { return std::uint64_t{1} << number_ % 64; }

  static inline std::atomic<unsigned> threads_ = 0;
  static inline thread_local const unsigned number_ = threads_++;
  static inline thread_local std::uint64_t touches_ = 0;
  std::array<use, 1 << 16> uses_;
};

/// Null while nothing is counted. Written while no other thread works.
inline line_uses* the_line_uses = nullptr;

template <class T>
class atomic : public std::atomic<T> {
  using base = std::atomic<T>;

 public:
  using base::base;
  using base::operator=;
  constexpr atomic() noexcept : base(T{}) {}

  T load(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    if (the_line_uses != nullptr) the_line_uses->load(this);
    return base::load(order);
  }

#define HS_CHANGES(operation)                                                                      \
  template <class... Arguments>                                                                    \
  auto operation(Arguments&&... arguments) noexcept {                                              \
    if (the_line_uses != nullptr) the_line_uses->change(this);                                     \
    return base::operation(static_cast<Arguments&&>(arguments)...);                                \
  }
  HS_CHANGES(store)
  HS_CHANGES(exchange)
  HS_CHANGES(compare_exchange_weak)
  HS_CHANGES(compare_exchange_strong)
  HS_CHANGES(fetch_add)
  HS_CHANGES(fetch_sub)
  HS_CHANGES(fetch_or)
  HS_CHANGES(fetch_and)
#undef HS_CHANGES
};

template <class T>
using atomic_ref = std::atomic_ref<T>;

using memory_order = std::memory_order;
inline constexpr memory_order relaxed = std::memory_order_relaxed;
inline constexpr memory_order acquire = std::memory_order_acquire;
inline constexpr memory_order release = std::memory_order_release;
inline constexpr memory_order acq_rel = std::memory_order_acq_rel;

template <class T>
bool is_below(std::type_identity_t<T> n, const atomic<T>& bound) {
  return n < bound.load(relaxed);
}

}  // namespace heapsmith

// The kits of arenas: over an upstream, over a buffer, inline, for many threads, and over each
// other.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "heapsmith/concurrent_arena.hpp"
#include "heapsmith/counting.hpp"
#include "heapsmith/inline_arena.hpp"
#include "heapsmith/scope.hpp"
#include "kit.hpp"

namespace heapsmith::contract {

/// An arena runs out of memory if its upstream does. It reuses the memory of the last block, which
/// suffices for the loops of the suite.
struct arena_kit : kit<default_resource> {
  static constexpr std::size_t largest = std::size_t{16} << 20;
  static constexpr bool reuses = true;
};

template <>
struct kit<arena<>> : arena_kit {
  static constexpr const char* name = "arena";
  static arena<> make() { return arena<>(); }
};

template <>
struct kit<concurrent_arena<>> : arena_kit {
  static constexpr const char* name = "concurrent_arena";
  static concurrent_arena<> make() { return concurrent_arena<>(); }
};

template <>
struct kit<inline_arena<1000>> : arena_kit {
  static constexpr const char* name = "inline_arena";
  static inline_arena<1000> make() { return inline_arena<1000>(); }
};

template <>
struct kit<arena<global_heap>> : kit<global_heap> {
  static constexpr const char* name = "arena_over_global_heap";
  static arena<global_heap> make() { return arena<global_heap>(); }
  static constexpr std::size_t largest = arena_kit::largest;
};

/// Blocks of a fixed buffer are not freed one by one, so scarcity cannot end again.
struct fixed_kit : arena_kit {
  struct scarcity {
    scarcity() {}
    explicit operator bool() const { return false; }
  };
  static constexpr std::size_t refused = std::size_t{1} << 62;
};

template <>
struct kit<arena<null_resource>> : fixed_kit {
  static constexpr const char* name = "arena_over_buffer";
  static arena<null_resource> make() {
    static char buffer[std::size_t{256} << 20];  // only the touched part is backed by memory
    return {buffer, sizeof buffer};
  }
};

/// One block of memory, taken when the arena is made.
template <>
struct kit<fixed_arena<>> : fixed_kit {
  static constexpr const char* name = "fixed_arena";
  static fixed_arena<> make() { return fixed_arena<>(std::size_t{256} << 20); }
};

template <>
struct kit<counting<arena<>>> : arena_kit {
  static constexpr const char* name = "counting_arena";
  static counting<arena<>> make() { return {}; }
};

template <>
struct kit<synchronized<arena<>>> : arena_kit {
  static constexpr const char* name = "synchronized_arena";
  static synchronized<arena<>> make() { return {}; }
};

/// An arena over an arena over a small buffer.
struct nested_arenas {
  static constexpr bool deallocate_is_trivial = true;
  void* allocate(std::size_t bytes, std::size_t align) { return inner.allocate(bytes, align); }
  void* try_allocate(std::size_t bytes, std::size_t align) noexcept {
    return inner.try_allocate(bytes, align);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t align) noexcept {
    inner.deallocate(p, bytes, align);
  }
  bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                  std::size_t align) noexcept {
    return inner.try_expand(p, old_bytes, new_bytes, align);
  }
  void reset() noexcept { inner.reset(); }
  void release() noexcept {
    inner.release();
    outer.release();
  }

  inline_arena<5000> outer;
  arena<arena<>> inner{outer};
};

template <>
struct kit<nested_arenas> : arena_kit {
  static constexpr const char* name = "arena_over_inline_arena";
  static nested_arenas make() { return {}; }
};

/// An arena and the scope that is open on it.
struct open_scope {
  void* allocate(std::size_t bytes, std::size_t align) { return opened.allocate(bytes, align); }
  void* try_allocate(std::size_t bytes, std::size_t align) noexcept {
    return opened.try_allocate(bytes, align);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t align) noexcept {
    opened.deallocate(p, bytes, align);
  }
  bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                  std::size_t align) noexcept {
    return opened.try_expand(p, old_bytes, new_bytes, align);
  }
  void reset() noexcept { opened.reset(); }

  arena<> memory;
  scope<> opened{memory};
};

template <>
struct kit<open_scope> : arena_kit {
  static constexpr const char* name = "scope";
  static open_scope make() { return {}; }
};

using arena_resources =
    testing::Types<arena<>, arena<global_heap>, arena<null_resource>, inline_arena<1000>,
                   fixed_arena<>, concurrent_arena<>, synchronized<arena<>>, counting<arena<>>,
                   nested_arenas, open_scope>;

static_assert(all_resettable<arena_resources> && resettable_resource<scope<>>);

}  // namespace heapsmith::contract

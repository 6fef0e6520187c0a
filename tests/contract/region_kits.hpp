// How the contract suite makes regions: each over a mapping of its own.
#pragma once

#if defined(_WIN32)
#include <windows.h>
#undef max
#undef min
#else
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdlib>

#include "heapsmith/concurrent_region.hpp"
#include "heapsmith/decorators.hpp"
#include "heapsmith/region.hpp"
#include "kit.hpp"

namespace heapsmith::contract {

/// Address space for the regions of one test. Only the touched part is backed by memory. The two
/// buffers are used in turns: no test has more than two regions at a time.
class region_buffers {
 public:
  static constexpr std::size_t bytes = std::size_t{192} << 20;

  static void* next() {
    static void* buffers[2] = {};
    static unsigned turn = 0;
    void*& at = buffers[turn++ % 2];
    if (at != nullptr) unmap(at);
    at = map();
    if (at == nullptr) std::abort();
    return at;
  }

 private:
#if defined(_WIN32)
  static void* map() {
    return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  }
  static void unmap(void* p) { VirtualFree(p, 0, MEM_RELEASE); }
#else
  static void* map() {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
  }
  static void unmap(void* p) { munmap(p, bytes); }
#endif
};

template <class R>
struct region_kit {
  static R make() { return {region_buffers::next(), region_buffers::bytes}; }

  /// The memory of a region is always limited.
  struct scarcity {
    scarcity() {}  // not trivial, so that nobody calls it unused
    explicit operator bool() const { return true; }
  };

  static constexpr std::size_t largest = std::size_t{64} << 20;
  static constexpr std::size_t refused = std::size_t{1} << 62;
  static constexpr bool reuses = true;
};

template <>
struct kit<region> : region_kit<region> {
  static constexpr const char* name = "region";
};

template <>
struct kit<synchronized_region> : region_kit<synchronized_region> {
  static constexpr const char* name = "synchronized_region";
};

template <>
struct kit<concurrent_region> : region_kit<concurrent_region> {
  static constexpr const char* name = "concurrent_region";
};

}  // namespace heapsmith::contract

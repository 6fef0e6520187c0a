// How the contract suite makes a shared region: each in its own memory, which no other process
// maps.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "heapsmith/shared_region.hpp"
#include "kit.hpp"

namespace heapsmith::contract {

template <>
struct kit<shared_region> {
  static constexpr const char* name = "shared_region";

  static shared_region make() {
    static void* mapped[2] = {};  // used in turns: no test has more than two at a time
    static unsigned turn = 0;
    void*& at = mapped[turn++ % 2];
    if (at != nullptr) munmap(at, bytes + align_max);
    at =
        mmap(nullptr, bytes + align_max, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) std::abort();
    const auto segment = (reinterpret_cast<std::uintptr_t>(at) + align_max - 1) & ~(align_max - 1);
    shared_region r;
    if (r.create(reinterpret_cast<void*>(segment), bytes) != 0) std::abort();
    return r;
  }

  /// Its memory is always limited.
  struct scarcity {
    scarcity() {}  // not trivial, so that nobody calls it unused
    explicit operator bool() const { return true; }
  };

  static constexpr std::size_t largest = std::size_t{64} << 20;
  static constexpr std::size_t refused = std::size_t{1} << 62;
  static constexpr bool reuses = true;

 private:
  static constexpr std::size_t bytes = std::size_t{192} << 20;
  /// The highest alignment that the suite requests. The memory must have it, too.
  static constexpr std::size_t align_max = 64 * 1024;
};

}  // namespace heapsmith::contract

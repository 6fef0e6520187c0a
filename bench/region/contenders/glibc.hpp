// Contender glibc: malloc, which takes its memory from the kernel instead of the buffer.
//
// To keep the kernel out of the measurement, the heap first grows to the size of the buffer, and
// mallopt() forbids it to return memory or to map single blocks.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <gnu/libc-version.h>
#include <malloc.h>
#include <span>
#include <string>
#include <vector>

#include "support/report.hpp"

namespace bench {

class contender {
 public:
  static constexpr const char* name = "glibc";
  static constexpr bool uses_buffer = false;
  static constexpr bool is_thread_safe = true;

  static std::string version() { return gnu_get_libc_version(); }

  explicit contender(std::span<std::byte> buffer) {
    static const bool grown = grow(buffer.size());
    expect(grown, "glibc's heap does not grow");
  }

  void* allocate(std::size_t bytes) { return std::malloc(bytes); }

  void deallocate(void* block, std::size_t) { std::free(block); }

 private:
  static constexpr std::size_t piece = std::size_t{16} << 20;

  static bool grow(std::size_t bytes) {
    if (mallopt(M_MMAP_THRESHOLD, 2 * piece) == 0) return false;
    if (mallopt(M_TRIM_THRESHOLD, -1) == 0) return false;
    std::vector<void*> pieces;
    for (std::size_t got = 0; got < bytes; got += piece) {
      void* block = std::malloc(piece);
      if (block == nullptr) return false;
      std::memset(block, 1, piece);
      pieces.push_back(block);
    }
    for (void* block : pieces) std::free(block);
    return true;
  }
};

}  // namespace bench

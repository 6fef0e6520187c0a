// The memory from which a fuzzed region gets its buffers, and the bytes between them.
#pragma once

#include <string.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "model.hpp"
#include "tape.hpp"

namespace heapsmith::fuzz {

/// A part of memory: its first byte, and the one behind its last.
struct extent {
  unsigned char* begin;
  unsigned char* end;

  std::size_t bytes() const { return static_cast<std::size_t>(end - begin); }
};

/// Bytes outside all buffers have a value that must not change.
class region_storage {
 public:
  region_storage() { memset(bytes_, outside, size); }

  /// An extent of any size and address: usually apart from the buffers, sometimes just behind one
  /// or overlapping one.
  extent some_extent(tape& t, const std::vector<extent>& buffers) {
    const unsigned kind = t.byte() % 8;
    std::size_t begin = t.below(size / 16) * 16 + t.byte() % 32;
    std::size_t length = kind < 3 ? 16 * t.below(256) + t.byte() % 16 : t.below(65536) * 4;
    if (kind == 7 && !buffers.empty())
      begin = static_cast<std::size_t>(buffers[t.below(buffers.size())].end - bytes_);
    begin = std::min(begin, size);
    length = std::min(length, size - begin);
    return {bytes_ + begin, bytes_ + begin + length};
  }

  /// Checks that the buffers, given in the order of their addresses, can be written, and that the
  /// bytes around them are unchanged.
  void check_and_clear(const std::vector<extent>& buffers) {
    unsigned char* at = bytes_;
    for (const extent& e : buffers) {
      check_untouched({at, e.begin});
      memset(e.begin, outside, e.bytes());
      at = e.end;
    }
    check_untouched({at, bytes_ + size});
  }

 private:
  static constexpr std::size_t size = std::size_t{512} << 10;
  static constexpr unsigned char outside = 0xa5;

  static void check_untouched(extent e) {
    if (e.bytes() == 0) return;
    HS_MUST(e.begin[0] == outside);
    HS_MUST(memcmp(e.begin, e.begin + 1, e.bytes() - 1) == 0);
  }

  alignas(4096) static inline unsigned char bytes_[size];
};

}  // namespace heapsmith::fuzz

// Decision 0016: what do headers of 8 and of 16 bytes cost? Exact, by going through every size.
#include <cstdio>

#include "region/block.hpp"

namespace {

constexpr std::size_t line_bytes = 64;

/// A block for `bytes` with its header, at steps of 16 and no smaller than free blocks must be.
constexpr std::size_t block_bytes(std::size_t bytes, std::size_t header, std::size_t least) {
  const std::size_t size = (bytes + header + 15) / 16 * 16;
  return size < least ? least : size;
}

struct sizes {
  const char* name;
  std::size_t from, to, step;
};
constexpr sizes all[] = {{"list node, 24", 24, 24, 1},
                         {"map node, 48", 48, 48, 1},
                         {"16 to 256", 16, 256, 1},
                         {"powers of two, 16 to 4096", 16, 4096, 0},
                         {"1 to 1024", 1, 1024, 1}};

}  // namespace

int main() {
  static_assert(heapsmith::regions::block_size(24) == block_bytes(24, 8, 32));
  printf("%-28s %12s %12s %12s %18s\n", "sizes", "user's", "8 bytes", "16 bytes",
         "blocks a line: 8, 16");
  for (const sizes& s : all) {
    double user = 0, with_8 = 0, with_16 = 0, n = 0;
    for (std::size_t b = s.from; b <= s.to; b = s.step == 0 ? 2 * b : b + s.step, ++n) {
      user += static_cast<double>(b);
      with_8 += static_cast<double>(block_bytes(b, 8, 32));
      with_16 += static_cast<double>(block_bytes(b, 16, 32));
    }
    printf("%-28s %12.1f %12.1f %12.1f %11.2f, %.2f\n", s.name, user / n, with_8 / n, with_16 / n,
           line_bytes / (with_8 / n), line_bytes / (with_16 / n));
  }
}

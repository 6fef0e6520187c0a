// Decision 0003: what the number of size classes to a doubling costs in waste and in slabs.
//
// Pure arithmetic over distributions of sizes: the waste inside blocks, the classes touched, and
// what one program pays for the last slab of each class, which is half empty on average.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "base/size_classes.hpp"

namespace {

constexpr std::size_t page = 4096, samples = 1 << 20;

/// The block size for a request: steps of 16 bytes to 128, then `per_doubling` to each doubling.
std::size_t rounded(std::size_t bytes, unsigned per_doubling) {
  if (bytes <= 128) return bytes == 0 ? 16 : (bytes + 15) / 16 * 16;
  const std::size_t step = std::max<std::size_t>(16, std::bit_floor(bytes - 1) / per_doubling);
  return (bytes + step - 1) / step * step;
}

std::uint64_t seed;
double uniform() {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return static_cast<double>(seed >> 11) * 0x1p-53;
}

std::size_t uniform_small() {
  return 1 + static_cast<std::size_t>(uniform() * 1024);
}
std::size_t uniform_all() {
  return 1 + static_cast<std::size_t>(uniform() * 32768);
}
/// Density falling as 1/x from 8 bytes to 32 KiB: each doubling is as frequent as the last.
std::size_t pareto() {
  return static_cast<std::size_t>(8 * std::exp2(uniform() * 12));
}
std::size_t powers() {
  return std::size_t{16} << static_cast<int>(uniform() * 12);
}
/// A power of two and a header of 16 bytes, as of containers that grow by doubling.
std::size_t powers_and_header() {
  return powers() + (uniform() < 0.5 ? 16 : 0);
}
/// Objects of an interpreter: most between 24 and 96, dictionaries and lists that double, strings.
std::size_t interpreter() {
  const double kind = uniform();
  if (kind < 0.70) return 24 + 8 * static_cast<std::size_t>(uniform() * 10);
  if (kind < 0.85) return 49 + static_cast<std::size_t>(std::exp2(uniform() * 8));
  return 104 + (std::size_t{64} << static_cast<int>(uniform() * 8)) * 5 / 4;
}

struct distribution {
  const char* name;
  std::size_t (*draw)();
};
constexpr distribution distributions[] = {
    {"uniform 1…1024", uniform_small},
    {"uniform 1…32 K", uniform_all},
    {"Pareto 8…32 K", pareto},
    {"powers of two", powers},
    {"powers, headers", powers_and_header},
    {"interpreter", interpreter},
};

void print_row(const distribution& d) {
  printf("%-16s", d.name);
  for (const unsigned per_doubling : {4u, 8u, 16u}) {
    seed = 42;
    double asked = 0, got = 0;
    std::set<std::size_t> touched;
    for (std::size_t i = 0; i < samples; ++i) {
      const std::size_t bytes = d.draw(), block = rounded(bytes, per_doubling);
      if (bytes > heapsmith::slab_block_max) continue;
      if (block < bytes) abort();
      asked += static_cast<double>(bytes);
      got += static_cast<double>(block);
      touched.insert(block);
    }
    // Blocks are cut a page at a time: half of the last page, or of the last block, stays unused.
    std::size_t unused = 0;
    for (const std::size_t block : touched) unused += (block > page ? block : page) / 2;
    printf("  %6.2f %% %4zu %4zu K", 100 * (got - asked) / asked, touched.size(), unused / 1024);
  }
  printf("\n");
}

}  // namespace

int main() {
  for (std::size_t bytes = 1; bytes <= heapsmith::slab_block_max; ++bytes)
    if (heapsmith::class_bytes(heapsmith::class_of(bytes)) != rounded(bytes, 8)) abort();
  printf("%-16s  %-20s  %-20s  %-20s\n", "sizes", "4 per doubling", "8 per doubling",
         "16 per doubling");
  printf("%-16s  %-20s  %-20s  %-20s\n", "", "waste classes unused", "waste classes unused",
         "waste classes unused");
  for (const distribution& d : distributions) print_row(d);
}

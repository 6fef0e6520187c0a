// Decision 0022: what would it save to have a region's fast path inlined into the caller?
//
// usage: region_calls HOW N     N pairs of one block of 32 bytes, filled between
//   HOW   none (no block) | calls (of the C API) | inlined (the engine in this file)
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "heapsmith/region.h"
#include "region/engine.hpp"
#include "region/region_path.hpp"

namespace {

using engine = heapsmith::regions::engine<heapsmith::regions::address_frame>;

struct value {
  std::size_t words[4];
};

unsigned char buffer[1 << 20];

/// Fills a block in a way that the compiler cannot leave out.
void fill(void* p, std::size_t n) {
  if (p == nullptr) abort();
  *static_cast<value*>(p) = {{n, n, n, n}};
  asm volatile("" : : "r"(p) : "memory");
}

void none(std::size_t pairs) {
  for (value v; pairs > 0; --pairs) fill(&v, pairs);
}

void calls(std::size_t pairs) {
  static hs_region region;
  if (hs_region_init(&region, buffer, sizeof buffer) != 0) abort();
  for (; pairs > 0; --pairs) {
    void* const p = hs_region_malloc(&region, sizeof(value));
    fill(p, pairs);
    hs_region_free(&region, p);
  }
}

void inlined(std::size_t pairs) {
  static engine region;
  if (region.add_memory(buffer, sizeof buffer) != 0) abort();
  for (; pairs > 0; --pairs) {
    void* const p = region.allocate(sizeof(value));
    fill(p, pairs);
    region.deallocate(p);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string_view how = argv[1];
  const std::size_t pairs = strtoul(argv[2], nullptr, 10);
  if (how == "none") none(pairs);
  if (how == "calls") calls(pairs);
  if (how == "inlined") inlined(pairs);
}

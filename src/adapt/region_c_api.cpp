// The C API of regions: the engine whose links are addresses.
#define HEAPSMITH_BUILDING
#include "heapsmith/region.h"

#include <errno.h>
#include <string.h>

#include <bit>
#include <new>

#include "adapt/region_stats.hpp"
#include "adapt/stats.hpp"
#include "region/audit.hpp"

namespace {

namespace regions = heapsmith::regions;
namespace surface = heapsmith::surface;
using engine = regions::engine<regions::address_frame>;

static_assert(sizeof(engine) <= sizeof(hs_region) && alignof(engine) <= alignof(hs_region));
static_assert(HS_REGION_BUFFERS == regions::buffers_max);

engine& of(hs_region* region) {
  return *std::launder(reinterpret_cast<engine*>(region->opaque));
}
const engine& of(const hs_region* region) {
  return *std::launder(reinterpret_cast<const engine*>(region->opaque));
}

bool is_power_of_two(size_t n) {
  return n != 0 && (n & (n - 1)) == 0;
}

}  // namespace

extern "C" {

int hs_region_init(hs_region* region, void* buffer, size_t bytes) {
  if (of(region).is_started()) return EBUSY;
  return of(region).add_memory(buffer, bytes);
}
int hs_region_add_memory(hs_region* region, void* buffer, size_t bytes) {
  return of(region).add_memory(buffer, bytes);
}

// These two start at a cache line. Otherwise the code in front of them decides how many lines a
// call touches, and a change elsewhere makes calls a few per cent slower or faster.
[[gnu::aligned(64)]] void* hs_region_malloc(hs_region* region, size_t size) noexcept {
  return of(region).allocate(size);
}

void* hs_region_calloc(hs_region* region, size_t count, size_t size) noexcept {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;  // which fails
  void* const p = of(region).allocate(bytes);
  return p == nullptr ? nullptr : memset(p, 0, bytes);
}

void* hs_region_aligned_alloc(hs_region* region, size_t alignment, size_t size) noexcept {
  if (!is_power_of_two(alignment)) return of(region).refuse(EINVAL);
  return of(region).allocate_aligned(alignment, size);
}

[[gnu::aligned(64)]] void hs_region_free(hs_region* region, void* p) noexcept {
  of(region).deallocate(p);
}

void* hs_region_realloc(hs_region* region, void* p, size_t size) noexcept {
  if (p == nullptr) return of(region).allocate(size);
  if (size == 0) return of(region).deallocate(p), nullptr;
  return of(region).reallocate(p, 1, size);
}

void* hs_region_aligned_realloc(hs_region* region, void* p, size_t alignment,
                                size_t size) noexcept {
  if (!is_power_of_two(alignment)) return of(region).refuse(EINVAL);
  if (p == nullptr) return of(region).allocate_aligned(alignment, size);
  if (size == 0) return of(region).deallocate(p), nullptr;
  return of(region).reallocate(p, alignment, size);
}

int hs_region_try_expand(hs_region* region, void* p, size_t size) {
  return p != nullptr && of(region).try_resize(p, size) ? 0 : ENOMEM;
}
size_t hs_region_usable_size(const hs_region* region, const void* p) {
  return p == nullptr ? 0 : of(region).usable_size("region_usable_size", p);
}
int hs_region_owns(const hs_region* region, const void* p) {
  return of(region).owns(p) ? 1 : 0;
}

void hs_region_reset(hs_region* region) {
  of(region).reset();
}
void hs_region_destroy(hs_region* region) {
  of(region).destroy();
}
size_t hs_region_defragment(hs_region* region) {
  return of(region).defragment();
}

void hs_region_limit_deferred(hs_region* region, size_t bytes) {
  of(region).limit_deferred(bytes);
}

int hs_region_stats(const hs_region* region, hs_region_statistics* out) {
  if (!surface::can_take_stats(out)) return EINVAL;
  return surface::give_stats(regions::shown(of(region).measure(), sizeof *region), out);
}

int hs_region_survey_blocks(const hs_region* region, hs_region_survey* out) {
  if (!surface::can_take_stats(out)) return EINVAL;
  const regions::stats s = of(region).measure();
  hs_region_survey all = {};
  all.largest_free_bytes = s.largest_free;
  of(region).for_each_block([&](const void*, regions::block_info i) {
    all.blocks_in_use += i.is_live();
    all.deferred_blocks += i.has(regions::is_deferred);
    if (!i.has(regions::is_free)) return;
    ++all.free_blocks;
    const auto step = static_cast<size_t>(std::bit_width(i.size() / regions::granule)) - 1;
    ++all.free_histogram[step];
    all.free_histogram_bytes[step] += i.size();
  });
  all.alignment_waste_bytes = regions::edge_bytes(s) + all.blocks_in_use * 15 / 2;
  return surface::give_stats(all, out);
}

void hs_region_for_each_block(const hs_region* region,
                              void (*visit)(void* context, const hs_region_block* block),
                              void* context) {
  of(region).for_each_block([&](void* payload, regions::block_info i) {
    const hs_region_block block = regions::shown(payload, i);
    visit(context, &block);
  });
}

int hs_region_check(const hs_region* region) {
  return static_cast<int>(of(region).check());
}

const char* hs_region_invariant(int broken) {
  return regions::name_of(static_cast<regions::invariant>(broken));
}

}  // extern "C"

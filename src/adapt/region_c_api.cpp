// The C API of regions: the engine whose links are addresses.
#define HEAPSMITH_BUILDING
#include "heapsmith/region.h"

#include "adapt/region_calls.hpp"

namespace {

namespace regions = heapsmith::regions;
namespace region_bins = heapsmith::region_bins;
using bins = region_bins::fine;
using engine = regions::engine<regions::address_frame<bins>>;
using calls = regions::region_calls<engine, hs_region>;

static_assert(HS_REGION_BUFFERS == bins::buffers_max);

}  // namespace

extern "C" {

int hs_region_init(hs_region* region, void* buffer, size_t bytes) {
  return calls::init(region, buffer, bytes);
}
int hs_region_add_memory(hs_region* region, void* buffer, size_t bytes) {
  return calls::of(region).add_memory(buffer, bytes);
}

// These two start at a cache line. Otherwise the code in front of them decides how many lines a
// call touches, and a change elsewhere makes calls a few per cent slower or faster.
[[gnu::aligned(64)]] void* hs_region_malloc(hs_region* region, size_t size) noexcept {
  return calls::of(region).allocate(size);
}
[[gnu::aligned(64)]] void hs_region_free(hs_region* region, void* p) noexcept {
  calls::of(region).deallocate(p);
}

void* hs_region_calloc(hs_region* region, size_t count, size_t size) noexcept {
  return calls::calloc(region, count, size);
}
void* hs_region_aligned_alloc(hs_region* region, size_t alignment, size_t size) noexcept {
  return calls::aligned_alloc(region, alignment, size);
}
void* hs_region_realloc(hs_region* region, void* p, size_t size) noexcept {
  return calls::realloc(region, p, size);
}
void* hs_region_aligned_realloc(hs_region* region, void* p, size_t alignment,
                                size_t size) noexcept {
  return calls::aligned_realloc(region, p, alignment, size);
}

int hs_region_try_expand(hs_region* region, void* p, size_t size) {
  return calls::try_expand(region, p, size);
}
size_t hs_region_usable_size(const hs_region* region, const void* p) {
  return calls::usable_size(region, p);
}
int hs_region_owns(const hs_region* region, const void* p) {
  return calls::of(region).owns(p) ? 1 : 0;
}

void hs_region_reset(hs_region* region) {
  calls::of(region).reset();
}
void hs_region_destroy(hs_region* region) {
  calls::of(region).destroy();
}
size_t hs_region_defragment(hs_region* region) {
  return calls::of(region).defragment();
}
void hs_region_limit_deferred(hs_region* region, size_t bytes) {
  calls::of(region).limit_deferred(bytes);
}

int hs_region_stats(const hs_region* region, hs_region_statistics* out) {
  return calls::stats(region, out);
}
int hs_region_survey_blocks(const hs_region* region, hs_region_survey* out) {
  return calls::survey_blocks(region, out);
}
void hs_region_for_each_block(const hs_region* region,
                              void (*visit)(void* context, const hs_region_block* block),
                              void* context) {
  calls::for_each_block(region, visit, context);
}

int hs_region_check(const hs_region* region) {
  return calls::check(region);
}
const char* hs_region_invariant(int broken) {
  return regions::name_of(static_cast<regions::invariant>(broken));
}

}  // extern "C"

// The C API of small regions: the engine with few bins.
#define HEAPSMITH_BUILDING
#include "heapsmith/small_region.h"

#include "adapt/region_calls.hpp"

namespace {

namespace regions = heapsmith::regions;
namespace region_bins = heapsmith::region_bins;
using bins = region_bins::coarse;
using engine = regions::engine<regions::address_frame<bins>>;
using calls = regions::region_calls<engine, hs_small_region>;

static_assert(HS_SMALL_REGION_BUFFERS == bins::buffers_max);
static_assert(HS_SMALL_REGION_END == bins::end);

}  // namespace

extern "C" {

int hs_small_region_init(hs_small_region* region, void* buffer, size_t bytes) {
  return calls::init(region, buffer, bytes);
}
int hs_small_region_add_memory(hs_small_region* region, void* buffer, size_t bytes) {
  return calls::of(region).add_memory(buffer, bytes);
}

void* hs_small_region_malloc(hs_small_region* region, size_t size) noexcept {
  return calls::of(region).allocate(size);
}
void hs_small_region_free(hs_small_region* region, void* p) noexcept {
  calls::of(region).deallocate(p);
}

void* hs_small_region_calloc(hs_small_region* region, size_t count, size_t size) noexcept {
  return calls::calloc(region, count, size);
}
void* hs_small_region_aligned_alloc(hs_small_region* region, size_t alignment,
                                    size_t size) noexcept {
  return calls::aligned_alloc(region, alignment, size);
}
void* hs_small_region_realloc(hs_small_region* region, void* p, size_t size) noexcept {
  return calls::realloc(region, p, size);
}
void* hs_small_region_aligned_realloc(hs_small_region* region, void* p, size_t alignment,
                                      size_t size) noexcept {
  return calls::aligned_realloc(region, p, alignment, size);
}

int hs_small_region_try_expand(hs_small_region* region, void* p, size_t size) {
  return calls::try_expand(region, p, size);
}
size_t hs_small_region_usable_size(const hs_small_region* region, const void* p) {
  return calls::usable_size(region, p);
}
int hs_small_region_owns(const hs_small_region* region, const void* p) {
  return calls::of(region).owns(p) ? 1 : 0;
}

void hs_small_region_reset(hs_small_region* region) {
  calls::of(region).reset();
}
void hs_small_region_destroy(hs_small_region* region) {
  calls::of(region).destroy();
}
size_t hs_small_region_defragment(hs_small_region* region) {
  return calls::of(region).defragment();
}
void hs_small_region_limit_deferred(hs_small_region* region, size_t bytes) {
  calls::of(region).limit_deferred(bytes);
}

int hs_small_region_stats(const hs_small_region* region, hs_region_statistics* out) {
  return calls::stats(region, out);
}
int hs_small_region_survey_blocks(const hs_small_region* region, hs_region_survey* out) {
  return calls::survey_blocks(region, out);
}
void hs_small_region_for_each_block(const hs_small_region* region,
                                    void (*visit)(void* context, const hs_region_block* block),
                                    void* context) {
  calls::for_each_block(region, visit, context);
}

int hs_small_region_check(const hs_small_region* region) {
  return calls::check(region);
}

}  // extern "C"

// The functions of the C API of regions, for any choice of bins.
#pragma once

#include <bit>
#include <new>

#include "adapt/region_stats.hpp"
#include "adapt/stats.hpp"
#include "base/units.hpp"
#include "os/libc.hpp"
#include "region/audit.hpp"

namespace heapsmith::regions {

/// `Control` is the structure of the C API in whose bytes the engine lives. heapsmith/region.h
/// describes the functions.
template <class Engine, class Control>
struct region_calls {
  static_assert(sizeof(Engine) <= sizeof(Control) && alignof(Engine) <= alignof(Control));

  static Engine& of(Control* region) {
    return *std::launder(reinterpret_cast<Engine*>(region->opaque));
  }
  static const Engine& of(const Control* region) {
    return *std::launder(reinterpret_cast<const Engine*>(region->opaque));
  }

  static int init(Control* region, void* buffer, size_t bytes) {
    if (of(region).is_started()) return EBUSY;
    return of(region).add_memory(buffer, bytes);
  }

  static void* calloc(Control* region, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;  // which fails
    void* const p = of(region).allocate(bytes);
    return p == nullptr ? nullptr : memset(p, 0, bytes);
  }

  static void* aligned_alloc(Control* region, size_t alignment, size_t size) {
    if (!is_power_of_two(alignment)) return of(region).refuse(EINVAL);
    return of(region).allocate_aligned(alignment, size);
  }

  [[gnu::always_inline]] static void* realloc(Control* region, void* p, size_t size) {
    if (p == nullptr) return of(region).allocate(size);
    if (size == 0) return of(region).deallocate(p), nullptr;
    return of(region).reallocate(p, 1, size);
  }

  [[gnu::always_inline]] static void* aligned_realloc(Control* region, void* p, size_t alignment,
                                                      size_t size) {
    if (!is_power_of_two(alignment)) return of(region).refuse(EINVAL);
    if (p == nullptr) return of(region).allocate_aligned(alignment, size);
    if (size == 0) return of(region).deallocate(p), nullptr;
    return of(region).reallocate(p, alignment, size);
  }

  static int try_expand(Control* region, void* p, size_t size) {
    return p != nullptr && of(region).try_resize(p, size) ? 0 : ENOMEM;
  }

  static size_t usable_size(const Control* region, const void* p) {
    return p == nullptr ? 0 : of(region).usable_size("region_usable_size", p);
  }

  static int stats(const Control* region, hs_region_statistics* out) {
    if (!surface::can_take_stats(out)) return EINVAL;
    return surface::give_stats(shown(of(region).measure(), sizeof *region), out);
  }

  static int survey_blocks(const Control* region, hs_region_survey* out) {
    if (!surface::can_take_stats(out)) return EINVAL;
    const regions::stats s = of(region).measure();
    hs_region_survey all = {};
    all.largest_free_bytes = s.largest_free;
    of(region).for_each_block([&](const void*, block_info i) {
      all.blocks_in_use += i.is_live();
      all.deferred_blocks += i.has(is_deferred);
      if (!i.has(is_free)) return;
      ++all.free_blocks;
      const auto step = static_cast<size_t>(std::bit_width(i.size() / granule)) - 1;
      ++all.free_histogram[step];
      all.free_histogram_bytes[step] += i.size();
    });
    all.alignment_waste_bytes = edge_bytes(s) + all.blocks_in_use * 15 / 2;
    return surface::give_stats(all, out);
  }

  static void for_each_block(const Control* region, void (*visit)(void*, const hs_region_block*),
                             void* context) {
    of(region).for_each_block([&](void* payload, block_info i) {
      const hs_region_block block = shown(payload, i);
      visit(context, &block);
    });
  }

  static int check(const Control* region) { return static_cast<int>(of(region).check()); }
};

}  // namespace heapsmith::regions

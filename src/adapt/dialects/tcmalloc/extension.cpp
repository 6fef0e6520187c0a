// MallocExtension: statistics, limits and purges under gperftools' names.
#include <errno.h>

#include <cstddef>
#include <string_view>

#include "adapt/dialects/delay.hpp"
#include "adapt/dialects/owner.hpp"
#include "adapt/dialects/tcmalloc/functions.h"
#include "heap/heap.hpp"
#include "heap/purge.hpp"
#include "spans/settings.hpp"
#include "spans/spans.hpp"
#include "watch/classes.hpp"
#include "watch/print.hpp"
#include "watch/stats.hpp"

namespace hs = heapsmith;

namespace {

size_t system_bytes(const hs_statistics& s) {
  return s.committed_bytes + s.direct_bytes;
}

/// Slices without memory behind them. Parts are measured one after the other.
size_t unmapped_bytes(const hs_statistics& s) {
  const size_t held = s.slab_bytes + s.large_bytes + s.cached_bytes;
  return s.committed_bytes > held ? s.committed_bytes - held : 0;
}

/// Free blocks of slabs, which belong to the heaps of threads.
size_t free_block_bytes(const hs_statistics& s) {
  const size_t used = s.in_use_bytes - s.large_bytes - s.direct_bytes;
  return s.slab_bytes > used ? s.slab_bytes - used : 0;
}

bool decommits_at_once() {
  return hs::spans::settings().cache_is_fixed.load(hs::relaxed) &&
         hs::spans::settings().cache_bytes == 0;
}

struct property {
  std::string_view name;
  size_t (*value)(const hs_statistics& s);
};

using stats = const hs_statistics&;

constexpr property properties[] = {
    {"generic.current_allocated_bytes", [](stats s) { return s.in_use_bytes; }},
    {"generic.heap_size", system_bytes},
    {"generic.total_physical_bytes",
     [](stats s) { return system_bytes(s) - unmapped_bytes(s) + s.metadata_bytes; }},
    {"tcmalloc.central_cache_free_bytes", [](stats) { return size_t{0}; }},
    {"tcmalloc.transfer_cache_free_bytes", [](stats) { return size_t{0}; }},
    {"tcmalloc.thread_cache_free_bytes", free_block_bytes},
    {"tcmalloc.current_total_thread_cache_bytes", free_block_bytes},
    {"tcmalloc.pageheap_free_bytes", [](stats s) { return s.cached_bytes; }},
    {"tcmalloc.pageheap_unmapped_bytes", unmapped_bytes},
    {"tcmalloc.pageheap_committed_bytes",
     [](stats s) { return system_bytes(s) - unmapped_bytes(s); }},
    {"tcmalloc.slack_bytes", [](stats s) { return s.cached_bytes + unmapped_bytes(s); }},
    {"tcmalloc.pageheap_scavenge_count", [](stats s) { return s.purges; }},
    {"tcmalloc.pageheap_total_decommit_bytes", [](stats s) { return s.purged_bytes; }},
    {"tcmalloc.aggressive_memory_decommit",
     [](stats) { return size_t{decommits_at_once() ? 1u : 0u}; }},
    {"tcmalloc.heap_limit_mb", [](stats) { return hs::spans::settings().limit_bytes / hs::MiB; }},
};

// relaxed: a number alone, which programs read as they have set it.
constinit hs::atomic<double> release_rate{1};

}  // namespace

extern "C" {

// Blocks have no margins that could be checked.
int MallocExtension_VerifyAllMemory(void) {
  return 1;
}
int MallocExtension_VerifyNewMemory(const void* /*p*/) {
  return 1;
}
int MallocExtension_VerifyArrayNewMemory(const void* /*p*/) {
  return 1;
}
int MallocExtension_VerifyMallocMemory(const void* /*p*/) {
  return 1;
}

int MallocExtension_MallocMemoryStats(int* blocks, size_t* total, int histogram[64]) {
  const hs::watch::class_counts counts = hs::watch::count_classes();
  *blocks = 0;
  for (int i = 0; i < 64; ++i) histogram[i] = 0;
  for (size_t c = 0; c < hs::class_count; ++c) {
    const int n = static_cast<int>(counts.of[c].blocks);
    *blocks += n;
    histogram[std::bit_width(hs::class_bytes(c)) - 1] += n;
  }
  *total = hs::watch::bytes_in(counts);
  return 1;
}

void MallocExtension_GetStats(char* buffer, int length) {
  if (length > 0) hs::watch::format_statistics(buffer, static_cast<size_t>(length));
}

int MallocExtension_GetNumericProperty(const char* name, size_t* value) {
  for (const property& p : properties) {
    if (p.name != name) continue;
    *value = p.value(hs::watch::measure());
    return 1;
  }
  return 0;
}

int MallocExtension_SetNumericProperty(const char* property_name, size_t value) {
  const std::string_view name = property_name;
  if (name == "tcmalloc.heap_limit_mb" && value <= SIZE_MAX / hs::MiB) {
    hs::spans::set_limit(value * hs::MiB);
    return 1;
  }
  if (name == "tcmalloc.aggressive_memory_decommit") {
    hs::spans::set_cache_cap(value != 0 ? 0 : hs::spans::no_fixed_cap);
    return 1;
  }
  return 0;
}

void MallocExtension_MarkThreadIdle(void) {
  hs::purge_this_thread();
}
void MallocExtension_MarkThreadTemporarilyIdle(void) {
  hs::purge_this_thread();
}
void MallocExtension_MarkThreadBusy(void) {}

void MallocExtension_ReleaseToSystem(size_t /*bytes*/) {
  hs::purge_all();
}
void MallocExtension_ReleaseFreeMemory(void) {
  hs::purge_all();
}

// 0: nothing is purged. Any other rate means the purge delay that the process has otherwise.
double MallocExtension_GetMemoryReleaseRate(void) {
  return hs::dialects::decay_ms() == -1 ? 0 : release_rate.load(hs::relaxed);
}
void MallocExtension_SetMemoryReleaseRate(double rate) {
  if (!(rate > 0)) {
    hs::dialects::set_decay_ms(-1);
    return;
  }
  release_rate.store(rate, hs::relaxed);
  if (hs::dialects::decay_ms() == -1) hs::spans::set_cache_cap(hs::spans::no_fixed_cap);
}

size_t MallocExtension_GetEstimatedAllocatedSize(size_t size) {
  return hs::good_bytes(size);
}
size_t MallocExtension_GetAllocatedSize(const void* p) {
  return hs::usable_bytes(p, hs::foreign);
}
size_t MallocExtension_GetThreadCacheSize(void) {
  return hs::watch::free_bytes_of_this_thread();
}

int MallocExtension_GetOwnership(const void* p) {
  return hs::dialects::owner_of(p).is_ours ? 1 : 2;
}

}  // extern "C"

// Blocks with checkable contents, and the rounds of a stress program.
#include "stress.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "heapsmith/heapsmith.h"

namespace stress {
namespace {

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = getenv(name);
  return text == nullptr ? otherwise : strtoull(text, nullptr, 10);
}

std::uint64_t word_at(std::uint64_t tag, std::size_t i) {
  return (tag + i) * 0xbf58476d1ce4e5b9u;
}

/// Blocks are filled densely where they begin and end; in between, two words in each 4 KiB.
template <class Visit>
void for_each_word(std::size_t bytes, Visit visit) {
  const std::size_t words = bytes / 8, dense = 512;
  std::size_t i = sizeof(header) / 8;
  for (; i < std::min(words, dense); ++i) visit(i);
  for (; i + dense < words; i += 256) visit(i);
  for (i = std::max(i, words > 64 ? words - 64 : 0); i < words; ++i) visit(i);
}

std::size_t resident_kib() {
  FILE* f = fopen("/proc/self/statm", "r");
  std::size_t all = 0, resident = 0;
  if (f == nullptr || fscanf(f, "%zu %zu", &all, &resident) != 2) fail("no /proc/self/statm");
  fclose(f);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

}  // namespace

std::uint64_t random::next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::size_t random::size() {
  const std::size_t kind = below(2000);
  if (kind < 1600) return sizeof(header) + below(500);
  if (kind < 1850) return 512 + below(7 << 10);
  if (kind < 1950) return (8 << 10) + below(24 << 10);
  if (kind < 1998) return (32 << 10) + below(256 << 10);
  if (kind < 1999) return (1 << 20) + below(4 << 20);
  return (32 << 20) + below(1 << 20);
}

header* fill(void* p, std::size_t bytes, std::uint64_t tag) {
  if (reinterpret_cast<std::uintptr_t>(p) % 16 != 0) fail("%p is not aligned to 16", p);
  auto* words = static_cast<std::uint64_t*>(p);
  for_each_word(bytes, [&](std::size_t i) { words[i] = word_at(tag, i); });
  for (std::size_t i = bytes / 8 * 8; i < bytes; ++i)
    static_cast<unsigned char*>(p)[i] = static_cast<unsigned char>(tag);
  auto* h = static_cast<header*>(p);
  *h = {bytes, tag};
  return h;
}

void check(const header* h) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(h);
  for_each_word(h->bytes, [&](std::size_t i) {
    if (words[i] != word_at(h->tag, i))
      fail("block %p of %zu bytes: word %zu has changed", static_cast<const void*>(h), h->bytes, i);
  });
  for (std::size_t i = h->bytes / 8 * 8; i < h->bytes; ++i)
    if (reinterpret_cast<const unsigned char*>(h)[i] != static_cast<unsigned char>(h->tag))
      fail("block %p of %zu bytes: byte %zu has changed", static_cast<const void*>(h), h->bytes, i);
}

header* check_and_refill(void* p, std::size_t old_bytes, std::uint64_t tag, std::size_t bytes) {
  const auto* words = static_cast<const std::uint64_t*>(p);
  const std::size_t kept = std::min(old_bytes, bytes) / 8;
  for_each_word(old_bytes, [&](std::size_t i) {
    if (i < kept && words[i] != word_at(tag, i))
      fail("realloc to %p, %zu to %zu bytes: word %zu was lost", p, old_bytes, bytes, i);
  });
  return fill(p, bytes, tag);
}

header* make(random& r, std::size_t bytes) {
  const std::size_t how = r.below(8);
  void* p = nullptr;
  if (how == 0) {
    p = hs_calloc(1, bytes);
    const auto* at = static_cast<const unsigned char*>(p);
    for (std::size_t i = 0; p != nullptr && i < bytes; i += i < 4096 ? 1 : 61)
      if (at[i] != 0) fail("calloc(%zu): byte %zu is not zero", bytes, i);
  } else if (how == 1) {
    const std::size_t align = std::size_t{16} << r.below(10);
    p = hs_aligned_alloc(align, bytes);
    if (reinterpret_cast<std::uintptr_t>(p) % align != 0)
      fail("%p is not aligned to %zu", p, align);
  } else {
    p = how == 2 ? hs_realloc(nullptr, bytes) : hs_malloc(bytes);
  }
  if (p == nullptr) return nullptr;
  if (how == 3 && hs_malloc_usable_size(p) < bytes) fail("%p has less than %zu bytes", p, bytes);
  return fill(p, bytes, r.next());
}

void destroy(header* h) {
  check(h);
  const std::size_t bytes = h->bytes;
  memset(h, 0xdd, sizeof *h);
  bytes % 2 == 0 ? hs_free_sized(h, bytes) : hs_free(h);
}

void fail(const char* format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  _exit(1);
}

void require_empty(std::size_t slab_bytes_left) {
  hs_purge();
  hs_statistics s = {};
  s.size = sizeof s;
  if (hs_stats(&s) != 0) fail("hs_stats refuses");
  if (s.in_use_bytes != 0) fail("%zu bytes are in use, though all is freed", s.in_use_bytes);
  if (s.cached_bytes != 0) fail("%zu bytes are cached after a purge", s.cached_bytes);
  if (s.large_bytes != 0 || s.direct_maps != 0) fail("large blocks or direct maps are left");
  if (s.slab_bytes > slab_bytes_left) fail("%zu bytes of slabs are left", s.slab_bytes);
}

std::size_t scaled(std::size_t work) {
  static const std::uint64_t scale = number_from("STRESS_SCALE", 1);
  return work * static_cast<std::size_t>(scale);
}

int run(void (*round)(std::uint64_t seed)) {
  using clock = std::chrono::steady_clock;
  const std::uint64_t seconds = number_from("STRESS_SECONDS", 0);
  std::uint64_t seed = number_from("STRESS_SEED", 1);
  const auto end = clock::now() + std::chrono::seconds(seconds);
  do {
    round(seed);
    if (seconds != 0)
      printf("round %ju rss_kib %zu\n", static_cast<std::uintmax_t>(seed), resident_kib());
    fflush(stdout);
    ++seed;
  } while (clock::now() < end);
  return 0;
}

}  // namespace stress

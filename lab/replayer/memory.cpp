// Reads the memory of this process, and the statistics of allocators that have some.
#include "memory.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <initializer_list>

#include "heapsmith/heapsmith.h"
#include "record/statm.hpp"
#include "say.hpp"

namespace heapsmith::replayer {
namespace {

using mallctl = int (*)(const char*, void*, std::size_t*, void*, std::size_t);

/// The statistics of heapsmith and of jemalloc; null where they are not loaded.
struct statistics {
  int (*heapsmith)(hs_statistics*);
  mallctl jemalloc;
};
constinit statistics told = {};

std::uint64_t jemalloc_says(const char* name) {
  std::size_t value = 0, bytes = sizeof value;
  return told.jemalloc(name, &value, &bytes, nullptr, 0) == 0 ? value : memory_sample::unknown;
}

void ask_jemalloc(memory_sample& to) {
  std::uint64_t epoch = 1;
  std::size_t bytes = sizeof epoch;
  told.jemalloc("epoch", &epoch, &bytes, &epoch, bytes);
  to.in_threads = jemalloc_says("stats.arenas.4096.tcache_bytes");   // of all arenas
  const std::uint64_t allocated = jemalloc_says("stats.allocated");  // with those of threads
  to.in_blocks = to.in_threads > allocated ? allocated : allocated - to.in_threads;
  to.in_spans = jemalloc_says("stats.active");
  const std::uint64_t used = to.in_spans + jemalloc_says("stats.metadata");
  const std::uint64_t resident = jemalloc_says("stats.resident");
  to.kept = resident > used ? resident - used : 0;
}

void ask_heapsmith(memory_sample& to) {
  hs_statistics now;
  now.size = sizeof now;
  if (told.heapsmith(&now) != 0) return;
  to.in_blocks = now.in_use_bytes;
  to.in_threads = 0;  // free blocks stay in their slabs
  to.in_spans = now.slab_bytes + now.large_bytes + now.direct_bytes;
  to.kept = now.cached_bytes;
}

}  // namespace

void memory_log::open(std::uint32_t most) {
  most_ = most;
  samples_ = static_cast<memory_sample*>(mmap(nullptr, (most + 1) * sizeof(memory_sample),
                                              PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0));
  statm_ = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  told.heapsmith = reinterpret_cast<int (*)(hs_statistics*)>(dlsym(RTLD_DEFAULT, "hs_stats"));
  told.jemalloc = reinterpret_cast<mallctl>(dlsym(RTLD_DEFAULT, "mallctl"));
}

void memory_log::look(std::uint64_t ns, std::uint64_t live) {
  // relaxed: the mark keeps others out, and the samples are printed after the threads have ended.
  if (__atomic_exchange_n(&is_looking_, true, __ATOMIC_ACQUIRE)) return;
  if (n_ < most_) {
    memory_sample& to = samples_[n_++];
    to.ns = ns;
    to.live = live;
    to.anonymous = lab::anonymous_bytes(statm_);
    to.in_blocks = to.in_threads = to.in_spans = to.kept = memory_sample::unknown;
    if (told.heapsmith != nullptr) ask_heapsmith(to);
    if (told.jemalloc != nullptr) ask_jemalloc(to);
  }
  __atomic_store_n(&is_looking_, false, __ATOMIC_RELEASE);
}

void memory_log::print() const {
  for (std::uint32_t i = 0; i < n_; ++i) {
    const memory_sample& s = samples_[i];
    say(STDOUT_FILENO, "sample %llu", static_cast<unsigned long long>(s.ns));
    for (const std::uint64_t each :
         {s.live, s.anonymous, s.in_blocks, s.in_threads, s.in_spans, s.kept}) {
      if (each == memory_sample::unknown)
        say(STDOUT_FILENO, " -");
      else
        say(STDOUT_FILENO, " %llu", static_cast<unsigned long long>(each));
    }
    say(STDOUT_FILENO, "\n");
  }
}

}  // namespace heapsmith::replayer

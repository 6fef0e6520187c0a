// Statistics, purges and facts about the process under mimalloc's names.
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "adapt/dialects/mimalloc/entries.hpp"
#include "adapt/dialects/mimalloc/functions.h"
#include "base/atomic.hpp"
#include "heap/purge.hpp"
#include "os/os.hpp"
#include "spans/spans.hpp"
#include "watch/print.hpp"
#include "watch/stats.hpp"

namespace hs = heapsmith;

namespace {

constinit uint64_t started_ms = 0;
[[gnu::constructor]] void note_start() {
  started_ms = hs::os::now_ms();
}

struct output {
  mi_output_fun* write;
  void* with;
};
// relaxed: programs register before they print, as mimalloc's manual demands.
constinit hs::atomic<mi_output_fun*> registered_write{nullptr};
constinit hs::atomic<void*> registered_with{nullptr};

void print_to(output out) {
  char text[hs::watch::format_room];
  hs::watch::format_statistics(text, sizeof text);
  if (out.write == nullptr)
    out = {registered_write.load(hs::relaxed), registered_with.load(hs::relaxed)};
  if (out.write != nullptr)
    out.write(text, out.with);
  else
    hs::os::write_all(2, text, strlen(text));
}

size_t ms_of(const timeval& t) {
  return static_cast<size_t>(t.tv_sec) * 1000 + static_cast<size_t>(t.tv_usec) / 1000;
}

/// 0 where /proc is not mounted. The kernel counts in its own pages.
size_t resident_bytes() {
  FILE* const file = fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  size_t all = 0, resident = 0;
  const int read = fscanf(file, "%zu %zu", &all, &resident);  // NOLINT(cert-err34-c)
  fclose(file);
  return read == 2 ? resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

void give(size_t* out, size_t value) {
  if (out != nullptr) *out = value;
}

}  // namespace

extern "C" {

void mi_collect(bool force) {
  if (force)
    hs::purge_all();
  else
    hs::purge_this_thread();
}

int mi_version(void) {
  return 209;
}
bool mi_is_redirected(void) {
  return false;
}

// The library and each thread begin before their first call.
void mi_process_init(void) {
  hs::mimalloc::require_our_interface(__builtin_return_address(0));
}
void mi_thread_init(void) {}
void mi_thread_done(void) {
  hs::purge_this_thread();
}

// Numbers are those of the process since its start.
void mi_stats_reset(void) {}
void mi_stats_merge(void) {}

void mi_stats_print(void* /*ignored*/) {
  print_to({nullptr, nullptr});
}
void mi_stats_print_out(mi_output_fun* out, void* with) {
  print_to({out, with});
}
void mi_thread_stats_print_out(mi_output_fun* out, void* with) {
  print_to({out, with});
}

void mi_process_info(size_t* elapsed_ms, size_t* user_ms, size_t* system_ms, size_t* rss,
                     size_t* peak_rss, size_t* commit, size_t* peak_commit, size_t* page_faults) {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  const hs::spans::span_stats s = hs::spans::stats();
  give(elapsed_ms, hs::os::now_ms() - started_ms);
  give(user_ms, ms_of(used.ru_utime));
  give(system_ms, ms_of(used.ru_stime));
  give(rss, resident_bytes());
  give(peak_rss, static_cast<size_t>(used.ru_maxrss) * 1024);
  give(commit, s.in_use_bytes + s.cached_bytes + s.outside_bytes + s.metadata_bytes);
  give(peak_commit, s.peak_bytes);
  give(page_faults, static_cast<size_t>(used.ru_majflt));
}

void mi_register_output(mi_output_fun* out, void* with) {
  registered_with.store(with, hs::relaxed);
  registered_write.store(out, hs::relaxed);
}
// Misuse aborts, and running out of memory is told by the result: neither is reported here.
void mi_register_error(mi_error_fun* /*report*/, void* /*with*/) {}
void mi_register_deferred_free(mi_deferred_free_fun* /*collect*/, void* /*with*/) {}

int mi_reserve_os_memory(size_t size, bool /*commit*/, bool /*allow_large*/) {
  return size <= hs::object_max && hs::spans::prefault(size) ? 0 : ENOMEM;
}
int mi_reserve_huge_os_pages_interleave(size_t /*pages*/, size_t /*nodes*/, size_t /*timeout_ms*/) {
  return ENOMEM;
}
int mi_reserve_huge_os_pages_at(size_t /*pages*/, int /*node*/, size_t /*timeout_ms*/) {
  return ENOMEM;
}
bool mi_manage_os_memory(void* /*start*/, size_t /*size*/, bool /*is_committed*/, bool /*is_large*/,
                         bool /*is_zero*/, int /*node*/) {
  return false;
}

}  // extern "C"

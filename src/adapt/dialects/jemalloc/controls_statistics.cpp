// Names that read statistics.
#include <cstdint>

#include "adapt/dialects/delay.hpp"
#include "adapt/dialects/jemalloc/arenas.hpp"
#include "adapt/dialects/jemalloc/controls.hpp"
#include "adapt/dialects/jemalloc/figures.hpp"
#include "os/os.hpp"
#include "os/own_thread.hpp"

namespace heapsmith::jemalloc {
namespace {

constinit atomic<std::uint64_t> last_epoch{1};  // relaxed: a number alone

int epoch(const access& a) {
  if (a.writes()) {
    if (a.fresh_length != sizeof(std::uint64_t)) return EINVAL;
    last_epoch.store(refresh_figures(), relaxed);
  }
  return give(a, last_epoch.load(relaxed));
}

template <std::size_t figures::* member>
int sum(const access& a) {
  return read_only(a, last_figures().*member);
}

int resident(const access& a) {
  return read_only(a, last_figures().resident());
}

int no_bytes(const access& a) {
  return read_only(a, std::size_t{0});
}

int background_threads(const access& a) {
  return read_only(a, std::size_t{os::has_own_thread() ? 1u : 0u});
}

/// The figures of the arena that the name says. False: no such arena.
bool find_arena(const access& a, arena_figures& out) {
  const unsigned n = arena_named(a.number[0]);
  if (n == no_arena) return false;
  if (n == all_arenas)
    out = last_figures().of_all;
  else
    out = n == 0 ? last_figures().of_first : measure_arena(n);
  return true;
}

template <std::size_t arena_figures::* member>
int arena_sum(const access& a) {
  arena_figures f;
  return find_arena(a, f) ? read_only(a, f.*member) : ENOENT;
}

int active_pages(const access& a) {
  arena_figures f;
  return find_arena(a, f) ? read_only(a, f.active / os::page_bytes()) : ENOENT;
}

/// Free memory belongs to no arena. It counts for arena 0.
bool is_first_or_all(const access& a) {
  const unsigned n = arena_named(a.number[0]);
  return n == 0 || n == all_arenas;
}

/// `free` is a sum of free memory in the unit that the name has.
template <class T>
int free_memory(const access& a, T free) {
  arena_figures f;
  return find_arena(a, f) ? read_only(a, is_first_or_all(a) ? free : T{0}) : ENOENT;
}

int mapped(const access& a) {
  arena_figures f;
  if (!find_arena(a, f)) return ENOENT;
  return read_only(a, f.active + (is_first_or_all(a) ? last_figures().cached : 0));
}

int threads(const access& a) {
  return free_memory(a, static_cast<unsigned>(last_figures().heaps));
}

int decay(const access& a) {
  arena_figures f;
  return find_arena(a, f) ? read_only(a, dialects::decay_ms()) : ENOENT;
}

template <std::size_t watch::class_count_of_slabs::* member>
int of_class(const access& a) {
  const unsigned n = arena_named(a.number[0]);
  const std::size_t c = a.number[1];
  if (n == no_arena || c >= class_count) return ENOENT;
  if (n == all_arenas) return read_only(a, last_figures().classes_of_all.of[c].*member);
  if (n == 0) return read_only(a, last_figures().classes_of_first.of[c].*member);
  const first_class_heap* const heap = heap_of_arena(n);
  return heap != nullptr ? read_only(a, watch::count_classes(*heap).of[c].*member) : ENOENT;
}

using watch::class_count_of_slabs;

constexpr control controls[] = {
    {"epoch", epoch},
    {"stats.allocated", sum<&figures::allocated>},
    {"stats.active", sum<&figures::active>},
    {"stats.metadata", sum<&figures::metadata>},
    {"stats.metadata_thp", no_bytes},
    {"stats.resident", resident},
    {"stats.mapped", resident},
    {"stats.retained", sum<&figures::retained>},
    {"stats.background_thread.num_threads", background_threads},

    {"stats.arenas.#.nthreads", threads},
    {"stats.arenas.#.dss", [](const access& a) { return read_only<const char*>(a, "disabled"); }},
    {"stats.arenas.#.dirty_decay_ms", decay},
    {"stats.arenas.#.muzzy_decay_ms", [](const access& a) { return read_only(a, ssize_t{0}); }},
    {"stats.arenas.#.pactive", active_pages},
    {"stats.arenas.#.pdirty",
     [](const access& a) { return free_memory(a, last_figures().cached / os::page_bytes()); }},
    {"stats.arenas.#.pmuzzy", [](const access& a) { return free_memory(a, std::size_t{0}); }},
    {"stats.arenas.#.mapped", mapped},
    {"stats.arenas.#.retained",
     [](const access& a) { return free_memory(a, last_figures().retained); }},
    {"stats.arenas.#.dirty_npurge",
     [](const access& a) { return free_memory(a, std::uint64_t{last_figures().purges}); }},
    {"stats.arenas.#.dirty_purged",
     [](const access& a) { return free_memory(a, std::uint64_t{last_figures().purged_pages}); }},
    {"stats.arenas.#.muzzy_npurge",
     [](const access& a) { return free_memory(a, std::uint64_t{0}); }},
    {"stats.arenas.#.muzzy_purged",
     [](const access& a) { return free_memory(a, std::uint64_t{0}); }},
    {"stats.arenas.#.small.allocated", arena_sum<&arena_figures::small>},
    {"stats.arenas.#.large.allocated", arena_sum<&arena_figures::large>},
    {"stats.arenas.#.bins.#.curregs", of_class<&class_count_of_slabs::blocks>},
    {"stats.arenas.#.bins.#.curslabs", of_class<&class_count_of_slabs::slabs>},
    {"stats.arenas.#.bins.#.nonfull_slabs", of_class<&class_count_of_slabs::slabs_with_room>},
};

}  // namespace

std::span<const control> statistics_controls() {
  return controls;
}

}  // namespace heapsmith::jemalloc

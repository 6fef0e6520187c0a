// Names that act: on arenas, on the calling thread, on the purger.
#include <cstdint>

#include "adapt/dialects/delay.hpp"
#include "adapt/dialects/jemalloc/arenas.hpp"
#include "adapt/dialects/jemalloc/controls.hpp"
#include "adapt/dialects/owner.hpp"
#include "base/size_classes.hpp"
#include "heap/first_class.hpp"
#include "heap/purge.hpp"
#include "heap/reclaim.hpp"
#include "os/os.hpp"
#include "spans/purger.hpp"
#include "spans/settings.hpp"

namespace heapsmith::jemalloc {
namespace {

/// For names that do something to an arena.
template <class Act>
int act_on_arena(const access& a, Act perform) {
  const unsigned n = arena_named(a.number[0]);
  return n == no_arena ? ENOENT : act(a, [&] { return perform(n); });
}

int purge(const access& a) {
  return act_on_arena(a, [](unsigned) {
    purge_all();
    return 0;
  });
}

int decay(const access& a) {
  return act_on_arena(a, [](unsigned) {
    give_kept_if_late(os::now_ms());
    spans::look_for_unused();
    return 0;
  });
}

int reset(const access& a) {
  return act_on_arena(a, [](unsigned n) {
    first_class_heap* const f = heap_of_arena(n);
    if (f == nullptr) return EFAULT;
    end_all_blocks(*f);
    return 0;
  });
}

int destroy(const access& a) {
  return act_on_arena(a, [](unsigned n) { return destroy_arena(n) ? 0 : EFAULT; });
}

int initialized(const access& a) {
  const std::size_t n = a.number[0];
  if (n != all_arenas && n >= count_arenas()) return ENOENT;
  return read_only(a, arena_named(n) != no_arena);
}

/// A time in milliseconds, or -1 for never, that the program sets and reads, and nothing else does.
/// relaxed: a number alone.
using idle_time = atomic<ssize_t>;

int read_and_write_idle(const access& a, idle_time& time) {
  return read_and_write(a, time.load(relaxed), [&](ssize_t ms) {
    if (ms < -1) return EFAULT;
    time.store(ms, relaxed);
    return 0;
  });
}

/// All arenas share free memory. The times of created arenas change nothing.
int dirty_decay(const access& a) {
  const unsigned n = arena_named(a.number[0]);
  if (n == no_arena) return ENOENT;
  if (n != 0 && n != all_arenas) return read_and_write_idle(a, dirty_time_of(n));
  return read_and_write(a, dialects::decay_ms(), dialects::set_decay_ms);
}

/// Purged memory leaves the process at once.
constinit idle_time muzzy_time{0};

int muzzy_decay(const access& a) {
  return read_and_write_idle(a, muzzy_time);
}

/// An explicit cache of jemalloc: a number. Each thread has a heap and no other cache.
constinit atomic<unsigned> caches{0};

int create_cache(const access& a) {
  if (a.writes() || a.fresh_length != 0) return EPERM;
  if (!a.reads() || *a.old_length != sizeof(unsigned)) return EINVAL;
  return give(a, caches.fetch_add(1, relaxed));  // relaxed: a number alone
}

int end_cache(const access& a) {
  if (a.old != nullptr || a.old_length != nullptr) return EPERM;
  unsigned n = 0;
  if (!a.writes() || a.fresh_length != sizeof n) return EINVAL;
  memcpy(&n, a.fresh, sizeof n);
  return n < caches.load(relaxed) ? 0 : EFAULT;
}

int create(const access& a) {
  if (a.writes()) return EPERM;  // hooks for extents
  if (!a.reads() || *a.old_length != sizeof(unsigned)) return EINVAL;
  const unsigned n = create_arena();
  return n != 0 ? give(a, n) : EAGAIN;
}

/// The number of the arena that the block at a pointer lies in.
int look_up(const access& a) {
  if (!a.writes() || a.fresh_length != sizeof(void*)) return EINVAL;
  void* p;
  memcpy(static_cast<void*>(&p), a.fresh, sizeof p);
  const dialects::owner found = dialects::owner_of(p);
  return found.is_ours ? give(a, arena_with(found.account)) : EINVAL;
}

template <class Value>
int of_class(const access& a, Value value) {
  const std::size_t c = a.number[0];
  return c < class_count ? read_only(a, value(class_table[c])) : ENOENT;
}

int flush_cache(const access& a) {
  return act(a, [] {
    purge_this_thread();
    return 0;
  });
}

int thread_arena(const access& a) {
  return read_and_write(a, 0u, [](unsigned n) { return n == 0 ? 0 : EPERM; });
}

int cache_enabled(const access& a) {
  return read_and_write(a, true, [](bool wanted) { return wanted ? 0 : EPERM; });
}

/// The purger is made before main() begins, or never.
int background_thread(const access& a) {
  const bool is_on = spans::settings().purge_thread;
  return read_and_write(a, is_on, [=](bool wanted) { return wanted == is_on ? 0 : EFAULT; });
}

constexpr control controls[] = {
    {"arena.#.initialized", initialized},
    {"arena.#.decay", decay},
    {"arena.#.purge", purge},
    {"arena.#.reset", reset},
    {"arena.#.destroy", destroy},
    {"arena.#.dss", [](const access& a) { return read_only<const char*>(a, "disabled"); }},
    {"arena.#.dirty_decay_ms", dirty_decay},
    {"arena.#.muzzy_decay_ms", muzzy_decay},

    {"arenas.narenas", [](const access& a) { return read_only(a, count_arenas()); }},
    {"arenas.dirty_decay_ms",
     [](const access& a) {
       return read_and_write(a, dialects::decay_ms(), dialects::set_decay_ms);
     }},
    {"arenas.muzzy_decay_ms", muzzy_decay},
    {"arenas.tcache_max", [](const access& a) { return read_only(a, slab_block_max); }},
    {"arenas.nhbins", [](const access& a) { return read_only(a, unsigned{class_count}); }},
    {"arenas.nlextents", [](const access& a) { return read_only(a, 0u); }},
    {"arenas.bin.#.nshards",
     [](const access& a) {
       return of_class(a, [](const class_info&) { return std::uint32_t{1}; });
     }},
    {"tcache.create", create_cache},
    {"tcache.flush", end_cache},
    {"tcache.destroy", end_cache},
    {"arenas.quantum", [](const access& a) { return read_only(a, block_align); }},
    {"arenas.page", [](const access& a) { return read_only(a, os::page_bytes()); }},
    {"arenas.nbins", [](const access& a) { return read_only(a, unsigned{class_count}); }},
    {"arenas.bin.#.size",
     [](const access& a) {
       return of_class(a, [](const class_info& c) { return std::size_t{c.bytes}; });
     }},
    {"arenas.bin.#.nregs",
     [](const access& a) { return of_class(a, [](const class_info& c) { return c.capacity; }); }},
    {"arenas.bin.#.slab_size",
     [](const access& a) {
       return of_class(a, [](const class_info& c) { return c.slices * slice_bytes; });
     }},
    {"arenas.create", create},
    {"arenas.lookup", look_up},

    {"thread.arena", thread_arena},
    {"thread.tcache.enabled", cache_enabled},
    {"thread.tcache.flush", flush_cache},
    {"thread.idle", flush_cache},
    {"background_thread", background_thread},
    {"max_background_threads",
     [](const access& a) {
       return read_and_write(a, std::size_t{1}, [](std::size_t n) { return n >= 1 ? 0 : EINVAL; });
     }},
};

}  // namespace

std::span<const control> arena_controls() {
  return controls;
}

}  // namespace heapsmith::jemalloc

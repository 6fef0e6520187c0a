// Names whose values stay the same while a process runs.
#include <cstdint>

#include "adapt/dialects/delay.hpp"
#include "adapt/dialects/jemalloc/controls.hpp"
#include "adapt/dialects/jemalloc/version.hpp"
#include "base/size_classes.hpp"
#include "os/settings.hpp"
#include "spans/settings.hpp"

namespace heapsmith::jemalloc {
namespace {

template <auto value>
int always(const access& a) {
  return read_only(a, value);
}

int text(const access& a, const char* value) {
  return read_only(a, value);
}

int nothing(const access& a) {
  return text(a, "");
}

/// A switch of the profiler. The error is jemalloc's if opt.prof is false.
int switched_off(const access& a) {
  return a.writes() && a.fresh_length != sizeof(bool)
             ? EINVAL
             : read_and_write(a, false, [](bool wanted) { return wanted ? ENOENT : 0; });
}

/// The same, where jemalloc refuses each value.
int fixed_off(const access& a) {
  return a.writes() ? ENOENT : give(a, false);
}

int disabled(const access& a) {
  return text(a, "disabled");
}

int opt_huge_pages(const access& a) {
  constexpr const char* words[] = {"never", "always", "default"};
  return text(a, words[static_cast<unsigned>(spans::settings().huge_pages)]);
}

#if defined(HEAPSMITH_DEBUG)
constexpr bool is_debug = true;
#else
constexpr bool is_debug = false;
#endif

// A program finds what it finds in Debian's jemalloc, in its default settings: a profiler and
// filling that are off. Settings that heapsmith has, too, have its values.
constexpr control controls[] = {
    {"version", [](const access& a) { return text(a, version); }},

    {"config.cache_oblivious", always<true>},
    {"config.debug", always<is_debug>},
    {"config.fill", always<true>},
    {"config.lazy_lock", always<false>},
    {"config.malloc_conf", nothing},
    {"config.opt_safety_checks", always<false>},
    {"config.prof", always<true>},
    {"config.prof_libgcc", always<true>},
    {"config.prof_libunwind", always<false>},
    {"config.stats", always<true>},
    {"config.utrace", always<false>},
    {"config.xmalloc", always<false>},

    {"opt.abort", always<false>},
    {"opt.abort_conf", always<false>},
    {"opt.background_thread",
     [](const access& a) { return read_only(a, spans::settings().purge_thread); }},
    {"opt.cache_oblivious", always<true>},
    {"opt.confirm_conf", always<false>},
    {"opt.dirty_decay_ms", [](const access& a) { return read_only(a, dialects::decay_ms()); }},
    {"opt.dss", disabled},
    {"opt.experimental_infallible_new", always<false>},
    {"opt.hpa", always<false>},
    {"opt.junk", [](const access& a) { return text(a, "false"); }},
    {"opt.max_background_threads", always<std::size_t{1}>},
    {"opt.metadata_thp", disabled},
    {"opt.muzzy_decay_ms", always<ssize_t{0}>},
    {"opt.narenas", always<1u>},
    {"opt.oversize_threshold", always<8 * MiB>},
    {"opt.percpu_arena", disabled},
    {"opt.retain", always<true>},
    {"opt.stats_interval", always<std::int64_t{-1}>},
    {"opt.stats_interval_opts", nothing},
    {"opt.stats_print",
     [](const access& a) { return read_only(a, os::value_of(os::setting::stats).number != 0); }},
    {"opt.stats_print_opts", nothing},
    {"opt.tcache", always<true>},
    {"opt.tcache_max", always<slab_block_max>},
    {"opt.thp", opt_huge_pages},
    {"opt.trust_madvise", always<false>},
    {"opt.zero", always<false>},
    {"opt.zero_realloc", [](const access& a) { return text(a, "free"); }},

    // Those of mechanisms that heapsmith has not.
    {"opt.hpa_dirty_mult", always<std::uint32_t{16384}>},
    {"opt.hpa_hugification_threshold", always<std::size_t{1992294}>},
    {"opt.hpa_hugify_delay_ms", always<std::uint64_t{10000}>},
    {"opt.hpa_min_purge_interval_ms", always<std::uint64_t{5000}>},
    {"opt.hpa_sec_batch_fill_extra", always<std::size_t{0}>},
    {"opt.hpa_sec_bytes_after_flush", always<128 * KiB>},
    {"opt.hpa_sec_max_alloc", always<32 * KiB>},
    {"opt.hpa_sec_max_bytes", always<256 * KiB>},
    {"opt.hpa_sec_nshards", always<std::size_t{4}>},
    {"opt.hpa_slab_max_alloc", always<64 * KiB>},
    {"opt.lg_extent_max_active_fit", always<std::size_t{6}>},
    {"opt.lg_tcache_flush_large_div", always<1u>},
    {"opt.lg_tcache_flush_small_div", always<1u>},
    {"opt.lg_tcache_nslots_mul", always<ssize_t{1}>},
    {"opt.mutex_max_spin", always<std::int64_t{600}>},
    {"opt.tcache_gc_delay_bytes", always<std::size_t{0}>},
    {"opt.tcache_gc_incr_bytes", always<64 * KiB>},
    {"opt.tcache_nslots_large", always<20u>},
    {"opt.tcache_nslots_small_max", always<200u>},
    {"opt.tcache_nslots_small_min", always<20u>},

    // Those of the profiler.
    {"opt.lg_prof_interval", always<ssize_t{-1}>},
    {"opt.lg_prof_sample", always<std::size_t{19}>},
    {"opt.prof", always<false>},
    {"opt.prof_accum", always<false>},
    {"opt.prof_active", always<true>},
    {"opt.prof_final", always<false>},
    {"opt.prof_gdump", always<false>},
    {"opt.prof_leak", always<false>},
    {"opt.prof_leak_error", always<false>},
    {"opt.prof_prefix", [](const access& a) { return text(a, "jeprof"); }},
    {"opt.prof_recent_alloc_max", always<ssize_t{0}>},
    {"opt.prof_stats", always<false>},
    {"opt.prof_sys_thread_name", always<false>},
    {"opt.prof_thread_active_init", always<true>},
    {"opt.prof_time_resolution", [](const access& a) { return text(a, "default"); }},
    {"prof.interval", always<std::uint64_t{0}>},
    {"prof.lg_sample", always<std::size_t{0}>},
    {"prof.active", switched_off},
    {"prof.gdump", fixed_off},
    {"prof.thread_active_init", fixed_off},
    {"thread.prof.active", fixed_off},
};

}  // namespace

std::span<const control> constant_controls() {
  return controls;
}

}  // namespace heapsmith::jemalloc

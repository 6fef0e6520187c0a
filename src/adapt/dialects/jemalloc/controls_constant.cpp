// Names whose values stay the same while a process runs.
#include "adapt/dialects/delay.hpp"
#include "adapt/dialects/jemalloc/controls.hpp"
#include "adapt/dialects/jemalloc/version.hpp"
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

int disabled(const access& a) {
  return text(a, "disabled");
}

int opt_huge_pages(const access& a) {
  const bool as_kernel = spans::settings().huge_pages == spans::huge_pages::as_the_kernel_says;
  return text(a, as_kernel ? "default" : "never");
}

#if defined(HEAPSMITH_DEBUG)
constexpr bool is_debug = true;
#else
constexpr bool is_debug = false;
#endif

constexpr control controls[] = {
    {"version", [](const access& a) { return text(a, version); }},

    {"config.cache_oblivious", always<false>},
    {"config.debug", always<is_debug>},
    {"config.fill", always<false>},
    {"config.lazy_lock", always<false>},
    {"config.malloc_conf", [](const access& a) { return text(a, ""); }},
    {"config.opt_safety_checks", always<false>},
    {"config.opt_size_checks", always<false>},
    {"config.prof", always<false>},
    {"config.prof_libgcc", always<false>},
    {"config.prof_libunwind", always<false>},
    {"config.stats", always<true>},
    {"config.utrace", always<false>},
    {"config.xmalloc", always<false>},

    {"opt.abort", always<false>},
    {"opt.abort_conf", always<false>},
    {"opt.background_thread",
     [](const access& a) { return read_only(a, spans::settings().purge_thread); }},
    {"opt.dirty_decay_ms", [](const access& a) { return read_only(a, dialects::decay_ms()); }},
    {"opt.dss", disabled},
    {"opt.junk", [](const access& a) { return text(a, "false"); }},
    {"opt.max_background_threads", always<std::size_t{1}>},
    {"opt.metadata_thp", disabled},
    {"opt.muzzy_decay_ms", always<ssize_t{0}>},
    {"opt.narenas", always<1u>},
    {"opt.percpu_arena", disabled},
    {"opt.prof", always<false>},
    {"opt.retain", always<true>},
    {"opt.stats_print",
     [](const access& a) { return read_only(a, os::value_of(os::setting::stats).number != 0); }},
    {"opt.tcache", always<true>},
    {"opt.thp", opt_huge_pages},
    {"opt.trust_madvise", always<true>},
    {"opt.utrace", always<false>},
    {"opt.xmalloc", always<false>},
    {"opt.zero", always<false>},
};

}  // namespace

std::span<const control> constant_controls() {
  return controls;
}

}  // namespace heapsmith::jemalloc

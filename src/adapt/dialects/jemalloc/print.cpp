// malloc_stats_print: the heap's own statistics, as text or as a JSON object.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "adapt/dialects/jemalloc/arenas.hpp"
#include "adapt/dialects/jemalloc/figures.hpp"
#include "adapt/dialects/jemalloc/functions.h"
#include "adapt/dialects/jemalloc/version.hpp"
#include "os/diagnose.hpp"
#include "os/os.hpp"
#include "watch/print.hpp"

namespace hs = heapsmith;
namespace jemalloc = heapsmith::jemalloc;

namespace {

void write_to_stderr(void* /*unused*/, const char* text) {
  hs::os::write_all(2, text, strlen(text));
}

struct output {
  void (*write)(void* with, const char* text);
  void* with;

  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) const {
    char line[256];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    write(with, line);
  }
};

struct entry {
  const char* name;
  size_t bytes;
};

void print_json(const output& out) {
  const jemalloc::figures f = jemalloc::last_figures();
  const entry entries[] = {
      {"allocated", f.allocated}, {"active", f.active},     {"metadata", f.metadata},
      {"resident", f.resident()}, {"mapped", f.resident()}, {"retained", f.retained},
  };
  out.add("{\"jemalloc\":{\"version\":\"%s\",\"arenas\":{\"narenas\":%u},\"stats\":{",
          jemalloc::version, jemalloc::count_arenas());
  const char* comma = "";
  for (const entry& e : entries) {
    out.add("%s\"%s\":%zu", comma, e.name, e.bytes);
    comma = ",";
  }
  out.add("}}}\n");
}

void print_classes(const output& out) {
  const hs::watch::class_counts counts = jemalloc::last_figures().classes_of_all;
  out.add("  %10s %12s %10s\n", "block size", "in use", "slabs");
  for (size_t c = 0; c < hs::class_count; ++c)
    if (counts.of[c].slabs != 0)
      out.add("  %10zu %12zu %10zu\n", hs::class_bytes(c), counts.of[c].blocks, counts.of[c].slabs);
}

}  // namespace

extern "C" void malloc_stats_print(void (*write)(void* with, const char* text), void* with,
                                   const char* options) {
  const output out = {write != nullptr ? write : write_to_stderr, with};
  jemalloc::refresh_figures();
  if (options != nullptr && strchr(options, 'J') != nullptr) return print_json(out);
  char text[hs::watch::format_room];
  hs::watch::format_statistics(text, sizeof text);
  out.write(out.with, text);
  if (options == nullptr || strchr(options, 'b') == nullptr) print_classes(out);
}

// Printing statistics into a fixed buffer: nothing here allocates from the heap it describes, and a
// signal handler may print.
#include "watch/print.hpp"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "os/diagnose.hpp"
#include "watch/process.hpp"
#include "watch/stats.hpp"

namespace heapsmith::watch {
namespace {

/// A figure of hs_statistics. Arrays, because the loader would have to relocate pointers.
struct figure {
  char name[16];
  char about[17];
  std::uint8_t place;  // among the figures
};
#define HS_FIGURE(name, about) {#name, about, offsetof(hs_statistics, name) / sizeof(std::size_t)}
constexpr figure figures[] = {
    // Bytes first, then counts.
    HS_FIGURE(in_use_bytes, "in use"),
    HS_FIGURE(slab_bytes, "slabs"),
    HS_FIGURE(large_bytes, "large blocks"),
    HS_FIGURE(direct_bytes, "direct maps"),
    HS_FIGURE(cached_bytes, "cached spans"),
    HS_FIGURE(metadata_bytes, "metadata"),
    HS_FIGURE(committed_bytes, "committed"),
    HS_FIGURE(peak_bytes, "peak held"),
    HS_FIGURE(purged_bytes, "purged"),
    HS_FIGURE(heaps, "thread heaps"),
    HS_FIGURE(direct_maps, "direct maps"),
    HS_FIGURE(span_takes, "spans taken"),
    HS_FIGURE(span_gives, "spans given"),
    HS_FIGURE(growths, "growths"),
    HS_FIGURE(purges, "purges"),
    HS_FIGURE(refaults, "refaulted slices"),
};
constexpr std::size_t byte_figures = 9;

/// A report of any length that there is: a program's name takes up to 255 characters of it.
class page : public os::text {
 public:
  page() : text(buffer_, sizeof buffer_ - 1) {}

  /// Adds a form, in which ~ stands for the version and @ for the name of a figure, # for its
  /// value, % for its value in KiB, and & for what it is about, padded so that the values of all
  /// lines end below each other.
  page& fill_in(const char* form, const figure& f = {}, std::size_t value = 0) {
    std::size_t width = 0;
    for (; *form != '\0'; ++form) {
      if (*form == '#')
        add_number(value, width);
      else if (*form == '%')
        add_number(value / 1024, width).add(".").add_number(value % 1024 * 10 / 1024);
      else if (*form == '@' || *form == '~')
        add(*form == '@' ? f.name : hs_version());
      else if (*form == '&')
        width = 27 - std::string_view(f.about).size(), add(f.about);
      else
        add({form, 1});
    }
    return *this;
  }

  /// Fills a form in for each figure that is a number of bytes, and another for each other.
  page& fill_in_all(const char* bytes, const char* count) {
    const hs_statistics s = measure();
    for (const figure& f : figures)
      fill_in(&f < figures + byte_figures ? bytes : count, f,
              reinterpret_cast<const std::size_t*>(&s)[f.place]);
    return *this;
  }

 private:
  char buffer_[2048];
};

void add_statistics(page& out) {
  add_process(out.fill_in("heapsmith ~: statistics of "));
  out.fill_in_all("\n  &% KiB", "\n  &#");
}

}  // namespace

int print_statistics(int fd) {
  page out;
  add_statistics(out);
  return out.write(fd);
}

std::size_t format_statistics(char* to, std::size_t room) {
  page out;
  add_statistics(out);
  out.add("\n");
  if (room == 0) return out.size();
  const std::size_t length = std::min(out.size(), room - 1);
  memcpy(to, out.data(), length);
  to[length] = '\0';
  return out.size();
}

int print_statistics_json(int fd) {
  page out;
  out.fill_in("{\"heapsmith\":\"~\",\"program\":\"");
  for (char c : program_name()) {  // JSON has rules for few characters, which names rarely have
    if (c == '"' || c == '\\' || (c & 0xe0) == 0) c = '?';
    out.add({&c, 1});
  }
  out.fill_in("\",\"process\":#", {}, static_cast<unsigned>(getpid()));
  return out.fill_in_all(",\"@\":#", ",\"@\":#").add("}").write(fd);
}

int print_malloc_info(int options, FILE* stream) {
  if (options != 0) return EINVAL;
  page out;
  out.fill_in("<malloc version=\"heapsmith ~\">\n");
  out.fill_in_all("<bytes type=\"@\" size=\"#\"/>\n", "<count type=\"@\" n=\"#\"/>\n");
  out.add("</malloc>\n");
  return fwrite(out.data(), 1, out.size(), stream) == out.size() ? 0 : errno;
}

}  // namespace heapsmith::watch

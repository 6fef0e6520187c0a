// Printing statistics into a fixed buffer: nothing here allocates from the heap it describes.
#include "watch/print.hpp"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "os/os.hpp"
#include "watch/process.hpp"
#include "watch/stats.hpp"

namespace heapsmith::watch {
namespace {

struct entry {
  const char* name;
  const char* about;
  std::size_t hs_statistics::* bytes;
};
constexpr entry byte_entries[] = {
    {"in_use_bytes", "in use", &hs_statistics::in_use_bytes},
    {"slab_bytes", "slabs", &hs_statistics::slab_bytes},
    {"large_bytes", "large blocks", &hs_statistics::large_bytes},
    {"direct_bytes", "direct maps", &hs_statistics::direct_bytes},
    {"cached_bytes", "cached spans", &hs_statistics::cached_bytes},
    {"metadata_bytes", "metadata", &hs_statistics::metadata_bytes},
    {"committed_bytes", "committed", &hs_statistics::committed_bytes},
    {"peak_bytes", "peak held", &hs_statistics::peak_bytes},
    {"purged_bytes", "purged", &hs_statistics::purged_bytes},
};
constexpr entry count_entries[] = {
    {"heaps", "thread heaps", &hs_statistics::heaps},
    {"direct_maps", "direct maps", &hs_statistics::direct_maps},
    {"span_takes", "spans taken", &hs_statistics::span_takes},
    {"span_gives", "spans given", &hs_statistics::span_gives},
    {"growths", "growths", &hs_statistics::growths},
    {"purges", "purges", &hs_statistics::purges},
    {"refaults", "refaulted slices", &hs_statistics::refaults},
};

class page {
 public:
  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int wrote = vsnprintf(text_ + length_, sizeof text_ - length_, format, values);
    va_end(values);
    if (wrote > 0) length_ = std::min(length_ + static_cast<std::size_t>(wrote), sizeof text_ - 1);
  }
  int write(int fd) const { return os::write_all(fd, text_, length_); }
  const char* text() const { return text_; }
  std::size_t length() const { return length_; }

 private:
  char text_[4096];
  std::size_t length_ = 0;
};

void add_statistics(page& out) {
  const hs_statistics s = measure();
  const std::string_view program = program_name();
  out.add("heapsmith %s: statistics of %.*s, process %d\n", hs_version(),
          static_cast<int>(program.size()), program.data(), static_cast<int>(getpid()));
  for (const entry& e : byte_entries)
    out.add("  %-16s %12.1f KiB\n", e.about, static_cast<double>(s.*e.bytes) / 1024);
  for (const entry& e : count_entries) out.add("  %-16s %10zu\n", e.about, s.*e.bytes);
}

}  // namespace

int print_statistics(int fd) {
  page out;
  add_statistics(out);
  return out.write(fd);
}

std::size_t format_statistics(char* text, std::size_t room) {
  page out;
  add_statistics(out);
  if (room == 0) return out.length();
  const std::size_t length = std::min(out.length(), room - 1);
  memcpy(text, out.text(), length);
  text[length] = '\0';
  return out.length();
}

int print_statistics_json(int fd) {
  const hs_statistics s = measure();
  page out;
  out.add("{\"heapsmith\":\"%s\",\"program\":\"", hs_version());
  for (const char c : program_name())  // JSON has rules for few characters, which names rarely have
    out.add("%c", c == '"' || c == '\\' || (c & 0xe0) == 0 ? '?' : c);
  out.add("\",\"process\":%d", static_cast<int>(getpid()));
  for (const entry& e : byte_entries) out.add(",\"%s\":%zu", e.name, s.*e.bytes);
  for (const entry& e : count_entries) out.add(",\"%s\":%zu", e.name, s.*e.bytes);
  out.add("}\n");
  return out.write(fd);
}

int print_malloc_info(int options, FILE* stream) {
  if (options != 0) return EINVAL;
  const hs_statistics s = measure();
  page out;
  out.add("<malloc version=\"heapsmith %s\">\n", hs_version());
  for (const entry& e : byte_entries)
    out.add("<bytes type=\"%s\" size=\"%zu\"/>\n", e.name, s.*e.bytes);
  for (const entry& e : count_entries)
    out.add("<count type=\"%s\" n=\"%zu\"/>\n", e.name, s.*e.bytes);
  out.add("</malloc>\n");
  return fputs(out.text(), stream) < 0 ? errno : 0;
}

}  // namespace heapsmith::watch

// Prints a trace.
#include "checker/trace.hpp"

#include <cstdio>

namespace heapsmith::model {

namespace {

std::string number(std::uint64_t v) {
  char text[24];
  std::snprintf(text, sizeof text, v < 4096 ? "%llu" : "0x%llx",
                static_cast<unsigned long long>(v));
  return text;
}

std::string line_of(const event& e) {
  std::string s = "  thread " + std::to_string(e.thread) + "  ";
  if (e.object_number != 0)
    s += e.object != nullptr ? e.object : "atomic#" + std::to_string(e.object_number);
  s += std::string(e.object_number != 0 ? "." : "") + e.verb + "(" + name_of(e.order) + ")";
  if (e.reads) {
    s += " reads " + number(e.value_read) + " of thread " + std::to_string(e.read_from);
    if (e.stale) s += ", not the newest";
  }
  if (e.writes) s += (e.reads ? ", writes " : " writes ") + number(e.value_written);
  return s + "  [" + file_of(e.file) + ":" + std::to_string(e.line) + "]\n";
}

}  // namespace

std::string to_string(const std::vector<event>& events) {
  std::string s;
  for (const event& e : events) s += line_of(e);
  return s;
}

}  // namespace heapsmith::model

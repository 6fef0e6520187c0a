// mallctl: finds a name in the tables, and lets it answer.
//
// A "mib" has a number for each part of a name. The first one is the position of the name in the
// tables; a part that is a number is that number, at its place, where programs change it; all
// others are 0.
#include <string_view>

#include "adapt/dialects/jemalloc/controls.hpp"
#include "adapt/dialects/jemalloc/functions.h"
#include "base/parse.hpp"

namespace jemalloc = heapsmith::jemalloc;

namespace {

constexpr size_t most_parts = 8;

/// Calls `visit(position, control)` for each name until it returns true. Returns whether it did.
template <class Visit>
bool visit_controls(Visit visit) {
  size_t position = 0;
  for (const auto& table :
       {jemalloc::constant_controls(), jemalloc::statistics_controls(), jemalloc::arena_controls()})
    for (const jemalloc::control& c : table)
      if (visit(position++, c)) return true;
  return false;
}

/// False if the text is no number, or one of more than nine digits.
bool read_number(std::string_view text, size_t& out) {
  if (text.empty() || text.size() > 9) return false;
  out = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return false;
    out = out * 10 + static_cast<size_t>(digit - '0');
  }
  return true;
}

struct mib {
  size_t part[most_parts];
  size_t length;
};

/// Whether `name` is of this form. Fills in the parts of `out` that are numbers.
bool matches(std::string_view form, std::string_view name, mib& out) {
  out = {};
  if (name.ends_with('.')) return false;
  while (!form.empty() && !name.empty()) {
    const std::string_view wanted = heapsmith::split(form, '.');
    const std::string_view found = heapsmith::split(name, '.');
    size_t& part = out.part[out.length++];
    if (wanted == "#" ? !read_number(found, part) : wanted != found) return false;
  }
  return form.empty() && name.empty();
}

bool find(const char* name, mib& out) {
  return visit_controls([&](size_t position, const jemalloc::control& c) {
    if (!matches(c.name, name, out)) return false;
    out.part[0] = position;
    return true;
  });
}

int answer(const size_t* parts, size_t length, const jemalloc::access& call) {
  int result = ENOENT;
  visit_controls([&](size_t position, const jemalloc::control& c) {
    if (position != parts[0]) return false;
    size_t numbers[most_parts] = {}, found = 0, i = 0;
    for (std::string_view form = c.name; !form.empty(); ++i)
      if (heapsmith::split(form, '.') == "#" && i < length) numbers[found++] = parts[i];
    jemalloc::access a = call;
    a.number = numbers;
    if (i == length) result = c.answer(a);
    return true;
  });
  return result;
}

}  // namespace

extern "C" {

int mallctl(const char* name, void* old, size_t* old_length, void* fresh, size_t fresh_length) {
  mib m;
  if (!find(name, m)) return ENOENT;
  return answer(m.part, m.length, {nullptr, old, old_length, fresh, fresh_length});
}

int mallctlnametomib(const char* name, size_t* parts, size_t* length) {
  mib m;
  if (!find(name, m)) return ENOENT;
  if (*length > m.length) *length = m.length;
  memcpy(parts, m.part, *length * sizeof *parts);
  return 0;
}

int mallctlbymib(const size_t* parts, size_t length, void* old, size_t* old_length, void* fresh,
                 size_t fresh_length) {
  if (length == 0) return ENOENT;
  return answer(parts, length, {nullptr, old, old_length, fresh, fresh_length});
}

}  // extern "C"

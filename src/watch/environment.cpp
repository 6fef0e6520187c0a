// Looks through the environment for misspelt names; only under HEAPSMITH_VERBOSE.
#include "watch/environment.hpp"

#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "os/diagnose.hpp"
#include "os/os.hpp"

namespace heapsmith::watch {
namespace {

constexpr const char* known[] = {
    "HEAPSMITH_STATS",       "HEAPSMITH_STATS_FILE",  "HEAPSMITH_VERBOSE",
    "HEAPSMITH_CACHE_BYTES", "HEAPSMITH_LIMIT_BYTES", "HEAPSMITH_RESERVE",
    "HEAPSMITH_FOREIGN",     "HEAPSMITH_PRELOAD",     "HEAPSMITH_LAB_DIR",
};
constexpr char prefix[] = "HEAPSMITH_";
constexpr std::size_t longest = 40;

/// The number of single-character edits between two names, both shorter than `longest`.
std::size_t distance(const char* a, std::size_t a_length, const char* b) {
  const std::size_t b_length = strlen(b);
  std::size_t row[longest + 1];
  for (std::size_t j = 0; j <= b_length; ++j) row[j] = j;
  for (std::size_t i = 1; i <= a_length; ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b_length; ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b_length];
}

void check_name(const char* name, std::size_t length) {
  const char* nearest = nullptr;
  std::size_t least = length;
  for (const char* k : known) {
    const std::size_t d = length > longest ? length : distance(name, length, k);
    if (d == 0) return;
    if (d < least) least = d, nearest = k;
  }
  char text[256];
  if (nearest != nullptr && least <= 4)
    snprintf(text, sizeof text, "%.*s is unknown; did you mean %s?", static_cast<int>(length), name,
             nearest);
  else
    snprintf(text, sizeof text, "%.*s is unknown", static_cast<int>(std::min(length, longest)),
             name);
  os::warn(text);
}

}  // namespace

void warn_of_unknown_variables() {
  for (const char* const* entry = os::environment_block(); entry != nullptr && *entry != nullptr;
       ++entry)
    if (strncmp(*entry, prefix, sizeof prefix - 1) == 0) check_name(*entry, strcspn(*entry, "="));
}

}  // namespace heapsmith::watch

// The settings: what the program's hs_settings and the environment say about the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/hidden.hpp"

namespace heapsmith::os {

enum class setting : unsigned char {
  stats,
  stats_file,
  stats_signal,
  verbose,
  cache_bytes,
  purge_delay_ms,
  purge_thread,
  huge_pages,
  limit_bytes,
  reserve,
  foreign,
  deepbind,
};
inline constexpr std::size_t setting_count = 12;

/// How a setting is written: its name, in capitals after HEAPSMITH_ in the environment; the words
/// it may be, such as "0|1|json", or nothing for any text, "#" for a number of milliseconds, "#K"
/// for a size; what is expected, for people; its value if nobody sets it, for people.
enum class form_part : unsigned char { name, words, expected, built_in };
HS_HIDDEN std::string_view form_of(setting which, form_part part);

/// The environment has the names in capitals.
constexpr char capital(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// What -1 milliseconds mean.
inline constexpr std::size_t never = SIZE_MAX - 1;

enum class origin : unsigned char { built_in, program, environment };

/// The value of a setting. Empty values count as not given.
struct setting_value {
  std::string_view text;   // as it was given
  std::size_t number = 0;  // a size in bytes, or the number of a word from 0
  origin from = origin::built_in;
};

/// The environment wins over the program. Malformed values are as if they were not given.
/// Read on the first call, which constructors of the library make before main().
HS_HIDDEN const setting_value& value_of(setting which);

/// One item that was given, right or wrong.
struct given_setting {
  std::string_view name, value;
  origin from;
  setting which;  // unless it is unknown
  bool is_known;  // a setting has this name
  bool malformed;
  std::size_t number;  // of the value, unless it is malformed
};

/// Calls `each` for each item of hs_settings, then for each variable that begins with HEAPSMITH_;
/// `name` lacks the prefix. The environment of a privileged process is skipped.
void visit_settings(void (*each)(const given_setting&));

}  // namespace heapsmith::os

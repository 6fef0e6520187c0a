// Reads the settings, once and without allocating: the first allocation depends on them.
#include "os/settings.hpp"

#include <algorithm>

#include "base/parse.hpp"
#include "os/os.hpp"

/// The program defines it, or nobody does.
extern "C" [[gnu::weak, gnu::visibility("default")]] const char hs_settings[];

namespace heapsmith::os {

namespace {

constexpr std::string_view prefix = "HEAPSMITH_";

// One text, because the loader would have to relocate pointers to many.
constexpr std::string_view forms =
    "stats;0|1|json;0, 1 or json;0;"
    "stats_file;;a path;stderr;"
    "stats_signal;HUP|INT|QUIT|USR1|USR2|TERM;HUP, INT, QUIT, USR1, USR2 or TERM;none;"
    "verbose;0|1;0 or 1;0;"
    "cache_bytes;#K;a size such as 64M;none;"
    "purge_delay_ms;#;milliseconds or -1;1000;"
    "purge_thread;0|1;0 or 1;0;"
    "huge_pages;0|1|kernel;0, 1 or kernel;kernel;"
    "limit_bytes;#K;a size such as 64G;none;"
    "reserve;#K;a size such as 64G;256G;"
    "foreign;libc|abort;libc or abort;libc;"
    "deepbind;ignore|keep;ignore or keep;ignore;";
constexpr unsigned form_parts = 4;
static_assert(std::count(forms.begin(), forms.end(), ';') == setting_count * form_parts);

constinit setting_value values[setting_count];
constinit bool known = false;

bool is_name(std::string_view given, std::string_view name, origin from) {
  if (given.size() != name.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (given[i] != (from == origin::environment ? capital(name[i]) : name[i])) return false;
  return true;
}

/// True if `text` is a value of this setting; `number` is what it means.
bool parse(setting which, std::string_view text, std::size_t& number) {
  const std::string_view words = form_of(which, form_part::words);
  if (!words.empty() && words.front() == '#') {
    const bool takes_units = words.size() > 1;
    const parsed_bytes bytes = parse_bytes(text);
    number = bytes.value;
    if (takes_units) return bytes.ok;
    if (bytes.ok) return text.back() <= '9';
    number = never;
    return text.size() == 2 && text[0] == '-' && text[1] == '1';
  }
  if (words.empty()) return !text.empty();
  const int word = number_of_word(words, text);
  number = static_cast<std::size_t>(word);
  return word >= 0;
}

/// The rest of `variable` after the prefix; null if it begins otherwise.
const char* after_prefix(const char* variable) {
  for (const char c : prefix)
    if (*variable++ != c) return nullptr;
  return variable;
}

using visitor = void (*)(const given_setting&);

void visit(std::string_view item, origin from, visitor each) {
  while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
  if (item.empty()) return;
  given_setting given = {};
  given.from = from;
  const bool is_empty = item.back() == '=';
  given.name = split(item, '=');
  given.value = item;
  for (unsigned i = 0; i < setting_count && !given.is_known; ++i) {
    given.which = static_cast<setting>(i);
    given.is_known = is_name(given.name, form_of(given.which, form_part::name), from);
  }
  if (is_empty && item.empty() && given.is_known) return;  // as if it were not given
  given.malformed = given.is_known && !parse(given.which, item, given.number);
  each(given);
}

}  // namespace

std::string_view form_of(setting which, form_part part) {
  std::string_view rest = forms;
  for (unsigned n = static_cast<unsigned>(which) * form_parts + static_cast<unsigned>(part); n != 0;
       --n)
    split(rest, ';');
  return split(rest, ';');
}

void visit_settings(visitor each) {
  const char* program = hs_settings;
  asm("" : "+r"(program));  // the compiler must not conclude that an array has an address
  for (std::string_view rest = program == nullptr ? std::string_view() : program; !rest.empty();)
    visit(split(rest, ','), origin::program, each);
  if (is_privileged()) return;
  for (const char* const* entry = first_environment(); entry != nullptr && *entry != nullptr;
       ++entry) {
    // Only the length of ours is needed: a small program's environment may be most of its work.
    if (const char* const item = after_prefix(*entry)) visit(item, origin::environment, each);
  }
}

const setting_value& value_of(setting which) {
  if (!known) {
    known = true;
    visit_settings([](const given_setting& item) {
      if (!item.is_known || item.malformed) return;
      setting_value& value = values[static_cast<unsigned>(item.which)];
      // The first of several wins, as in getenv(); the environment comes last and replaces.
      if (value.from != item.from) value = {item.value, item.number, item.from};
    });
  }
  return values[static_cast<unsigned>(which)];
}

}  // namespace heapsmith::os

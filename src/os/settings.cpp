// Reads the settings, once and without allocating: the first allocation depends on them.
#include "os/settings.hpp"

#include "base/parse.hpp"
#include "os/os.hpp"

/// The program defines it, or nobody does.
extern "C" [[gnu::weak, gnu::visibility("default")]] const char hs_settings[];

namespace heapsmith::os {

constexpr setting_form setting_forms[setting_count] = {
    {"stats", "0|1|json", "0, 1 or json", "0"},
    {"stats_file", "", "a path", "stderr"},
    {"verbose", "0|1", "0 or 1", "0"},
    {"cache_bytes", nullptr, "a size such as 64M", "adaptive"},
    {"purge_delay_ms", "#", "a number of milliseconds", "1000"},
    {"purge_thread", "0|1", "0 or 1", "0"},
    {"huge_pages", "0|1|kernel", "0, 1 or kernel", "kernel"},
    {"limit_bytes", nullptr, "a size such as 64G", "none"},
    {"reserve", nullptr, "a size such as 64G", "256G"},
    {"foreign", "libc|abort", "libc or abort", "libc"},
};

namespace {

constexpr std::string_view prefix = "HEAPSMITH_";

constinit setting_value values[setting_count];
constinit bool known = false;

bool is_name(std::string_view given, const char* name, origin from) {
  for (const char c : given) {
    if (*name == '\0' || c != (from == origin::environment ? capital(*name) : *name)) return false;
    ++name;
  }
  return *name == '\0';
}

const setting_form* find(std::string_view name, origin from) {
  for (const setting_form& form : setting_forms)
    if (is_name(name, form.name, from)) return &form;
  return nullptr;
}

/// True if `text` is a value of this form; `number` is what it means.
bool parse(const setting_form& form, std::string_view text, std::size_t& number) {
  const bool is_number = form.words != nullptr && *form.words == '#';
  if (form.words == nullptr || is_number) {
    const parsed_bytes bytes = parse_bytes(text);
    number = bytes.value;
    return bytes.ok && !(is_number && text.back() > '9');
  }
  if (*form.words == '\0') return !text.empty();
  const int word = number_of_word(form.words, text);
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
  given.form = find(given.name, from);
  if (is_empty && item.empty() && given.form != nullptr) return;  // as if it were not given
  given.malformed = given.form != nullptr && !parse(*given.form, item, given.number);
  each(given);
}

}  // namespace

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
      if (item.form == nullptr || item.malformed) return;
      setting_value& value = values[item.form - setting_forms];
      // The first of several wins, as in getenv(); the environment comes last and replaces.
      if (value.from != item.from) value = {item.value, item.number, item.from};
    });
  }
  return values[static_cast<unsigned>(which)];
}

}  // namespace heapsmith::os

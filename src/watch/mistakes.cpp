// Mistakes in settings are named at the start of the process, once.
#include "watch/mistakes.hpp"

#include <unistd.h>

#include "base/parse.hpp"
#include "os/diagnose.hpp"
#include "os/settings.hpp"
#include "spans/range.hpp"
#include "spans/settings.hpp"
#include "watch/process.hpp"
#include "watch/version.hpp"

namespace heapsmith::watch {
namespace {

using os::form_of, os::form_part, os::line, os::origin, os::setting;

// Variables of the command, of its recorder and probe, and of our own tests. A name that ends in _
// is a prefix.
constexpr std::string_view names_of_others =
    "PRELOAD|RECORD_DIR|LAB_DIR|CACHE_DIR|REPORT_TEMPLATE|BENCH|PROBE_|TEST_|FAKE_";
constexpr std::size_t longest_name = 40;

bool is_name_of_another(std::string_view name) {
  for (std::string_view rest = names_of_others; !rest.empty();) {
    const std::string_view known = split(rest, '|');
    const std::size_t compared = known.back() == '_' ? known.size() : name.size();
    if (part(name, 0, compared) == known) return true;
  }
  return false;
}

/// The name of a known setting as `from` writes it.
os::text& add_name(os::text& out, origin from, std::string_view name) {
  if (from == origin::program) return out.add(name);
  out.add("HEAPSMITH_");
  for (const char c : name) {
    const char capital = os::capital(c);
    out.add({&capital, 1});
  }
  return out;
}

/// How a line about an item begins.
os::text& begin(os::text& out, origin from) {
  return out.add("heapsmith: ").add(from == origin::program ? "hs_settings: " : "");
}

/// The command finds the name that was meant: no process pays for that.
void report_unknown(const os::given_setting& given) {
  if (!speaks_for_the_process()) return;
  line out;
  begin(out, given.from).add(given.from == origin::program ? "" : "HEAPSMITH_");
  out.add(part(given.name, 0, longest_name));
  out.add(" is unknown; HEAPSMITH_VERBOSE=1 lists the settings").write();
}

void report_malformed(const os::given_setting& given) {
  if (!speaks_for_the_process()) return;
  const bool is_limit = given.which == setting::limit_bytes;
  line out;
  add_name(begin(out, given.from), given.from, form_of(given.which, form_part::name)).add(": \"");
  out.add(part(given.value, 0, 200))
      .add("\": expected ")
      .add(form_of(given.which, form_part::expected));
  out.add(is_limit ? "; the program ends" : "; ignored").write();
  if (is_limit) _exit(malformed_limit_status);
}

/// A reserve that is not granted as it was asked for.
void report_reserve() {
  const os::setting_value& asked = os::value_of(setting::reserve);
  const std::size_t used = spans::settings().reserve_bytes;
  if (asked.number == 0 || asked.number == used || !speaks_for_the_process()) return;
  line out;
  add_name(begin(out, asked.from), asked.from, "reserve").add(": \"").add(asked.text).add("\": ");
  out.add(asked.number > used ? "too large; " : "too small; ").add_bytes(used).add(" is used");
  if (asked.number < used) out.add(", which allows a heap of ").add_bytes(spans::max_ranges * used);
  out.write();
}

}  // namespace

void report_mistakes() {
  os::visit_settings([](const os::given_setting& given) {
    if (given.malformed)
      report_malformed(given);
    else if (!given.is_known && (given.from == origin::program || !is_name_of_another(given.name)))
      report_unknown(given);
  });
  report_reserve();
}

void list_settings() {
  if (!speaks_for_the_process()) return;
  add_process(line().add("heapsmith ").add(version).add(": settings of ")).add(":").write();
  for (std::size_t i = 0; i < os::setting_count; ++i) {
    const auto which = static_cast<setting>(i);
    const std::string_view name = form_of(which, form_part::name);
    const os::setting_value& value = os::value_of(which);
    const bool is_reserve = which == setting::reserve && value.number != 0;
    line out;
    out.add("  ").add(name).pad_to(16).add(" ");
    if (is_reserve)
      out.add_bytes(spans::settings().reserve_bytes);
    else
      out.add(value.from == origin::built_in ? form_of(which, form_part::built_in) : value.text);
    out.pad_to(28).add("  ");
    if (value.from == origin::environment)
      add_name(out, value.from, name);
    else
      out.add(value.from == origin::program ? "hs_settings" : "default");
    out.write();
  }
}

}  // namespace heapsmith::watch

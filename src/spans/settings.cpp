// Reads the span settings from the environment.
#include "spans/settings.hpp"

#include "base/parse.hpp"
#include "os/os.hpp"

namespace heapsmith::spans {
namespace {

constinit span_settings values;
constinit bool read = false;

std::size_t bytes_from(const char* name, bool* given) {
  const char* text = os::environment(name);
  const parsed_bytes bytes = parse_bytes(text);
  *given = text != nullptr && bytes.ok;
  return bytes.ok ? bytes.value : 0;
}

}  // namespace

span_settings& settings() {
  if (read) return values;
  read = true;
  if (os::is_privileged()) return values;
  bool given = false;
  values.reserve_bytes = bytes_from("HEAPSMITH_RESERVE", &given);
  values.cache_bytes = bytes_from("HEAPSMITH_CACHE_BYTES", &values.cache_is_fixed);
  values.limit_bytes = bytes_from("HEAPSMITH_LIMIT_BYTES", &given);
  return values;
}

}  // namespace heapsmith::spans

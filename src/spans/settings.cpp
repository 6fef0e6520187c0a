// Reads the settings of spans.
#include "spans/settings.hpp"

#include <algorithm>

#include "os/settings.hpp"

namespace heapsmith::spans {
namespace {

constinit span_settings values;
constinit bool read = false;

}  // namespace

span_settings& settings() {
  if (read) return values;
  read = true;
  const std::size_t reserve = os::value_of(os::setting::reserve).number;
  if (reserve != 0) values.reserve_bytes = std::clamp(reserve, least_reserve, most_reserve);
  const os::setting_value& cache = os::value_of(os::setting::cache_bytes);
  const os::setting_value& delay = os::value_of(os::setting::purge_delay_ms);
  if (delay.from != os::origin::built_in) values.purge_delay_ms.store(delay.number, relaxed);
  const bool is_never = delay.number == os::never && cache.from == os::origin::built_in;
  values.cache_bytes = is_never ? os::never : cache.number;
  values.cache_is_fixed.store(is_never || cache.from != os::origin::built_in, relaxed);
  values.purge_thread = os::value_of(os::setting::purge_thread).number != 0;
  const os::setting_value& huge = os::value_of(os::setting::huge_pages);
  if (huge.from != os::origin::built_in) values.huge_pages = static_cast<huge_pages>(huge.number);
  values.limit_bytes = os::value_of(os::setting::limit_bytes).number;
  return values;
}

}  // namespace heapsmith::spans

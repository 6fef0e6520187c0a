// Options of mimalloc: a program reads what it has set. Only the decommit delay has an effect.
#include <algorithm>
#include <cstddef>

#include "adapt/dialects/delay.hpp"
#include "adapt/dialects/mimalloc/functions.h"
#include "base/atomic.hpp"

namespace {

constexpr unsigned option_count = 64;  // mimalloc 2.0 has 26
constexpr unsigned decommit_delay = 15;

// relaxed: each option is a number alone.
constinit heapsmith::atomic<long> values[option_count];
constinit heapsmith::atomic<bool> is_set[option_count];

}  // namespace

extern "C" {

long mi_option_get(unsigned option) {
  if (option == decommit_delay) return heapsmith::dialects::decay_ms();
  return option < option_count ? values[option].load(heapsmith::relaxed) : 0;
}

long mi_option_get_clamp(unsigned option, long least, long most) {
  return std::clamp(mi_option_get(option), least, most);
}

size_t mi_option_get_size(unsigned option) {
  return static_cast<size_t>(std::max(mi_option_get(option), 0L));
}

void mi_option_set(unsigned option, long value) {
  if (option == decommit_delay)
    heapsmith::dialects::set_decay_ms(std::max(value, -1L));
  else if (option < option_count)
    values[option].store(value, heapsmith::relaxed);
  if (option < option_count) is_set[option].store(true, heapsmith::relaxed);
}

void mi_option_set_default(unsigned option, long value) {
  if (option < option_count && !is_set[option].load(heapsmith::relaxed))
    mi_option_set(option, value);
}

bool mi_option_is_enabled(unsigned option) {
  return mi_option_get(option) != 0;
}
void mi_option_set_enabled(unsigned option, bool enable) {
  mi_option_set(option, enable ? 1 : 0);
}
void mi_option_set_enabled_default(unsigned option, bool enable) {
  mi_option_set_default(option, enable ? 1 : 0);
}
void mi_option_enable(unsigned option) {
  mi_option_set_enabled(option, true);
}
void mi_option_disable(unsigned option) {
  mi_option_set_enabled(option, false);
}

}  // extern "C"

// The settings of the workload pattern: its command line.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace pattern {

enum class spread : std::uint64_t { logarithmic, uniform, pareto };
enum class order : std::uint64_t { stack, queue, random, young };
enum class sweep : std::uint64_t { forward, backward, random };
enum class resizing : std::uint64_t { redrawn, growing, shrinking, steps };
enum class touch : std::uint64_t { ends, pages, whole };

// README.md describes them. All are numbers, or words that stand for numbers.
struct settings {
  std::uint64_t seed = 1, threads = 1, slots = 1000, calls = 100'000;
  std::uint64_t smallest = 64, largest = 64, spread = 0;
  std::uint64_t next_smallest = 0, next_largest = 0;
  std::uint64_t order = 0, burst = 1;
  std::uint64_t phases = 1, keep = 0, sweep = 0, rotate = 0, renew = 0, pause_ms = 0;
  std::uint64_t cross = 0, realloc = 0, resizing = 0;
  std::uint64_t calloc = 0, aligned = 0, alignment = 64, touch = 0;
  std::uint64_t idle_ms = 0, trickle = 0, rest = 0, timeout_s = 300;
  double scale = 1.0;
};

struct named_setting {
  const char* name;
  std::uint64_t settings::* value;
  std::uint64_t least, most;
  const char* words[4];  // which stand for 0, 1, 2…; without any it is a number
};

inline constexpr std::uint64_t largest_block = std::uint64_t{1} << 30;
inline constexpr std::uint64_t largest_burst = 4096;

inline constexpr named_setting all_settings[] = {
    {"seed", &settings::seed, 0, ~std::uint64_t{0}, {}},
    {"threads", &settings::threads, 1, 1000, {}},
    {"slots", &settings::slots, 1, 1'000'000'000, {}},
    {"calls", &settings::calls, 0, 1'000'000'000'000, {}},
    {"smallest", &settings::smallest, 8, largest_block, {}},
    {"largest", &settings::largest, 8, largest_block, {}},
    {"spread", &settings::spread, 0, 2, {"log", "uniform", "pareto"}},
    {"next-smallest", &settings::next_smallest, 8, largest_block, {}},
    {"next-largest", &settings::next_largest, 8, largest_block, {}},
    {"order", &settings::order, 0, 3, {"stack", "queue", "random", "young"}},
    {"burst", &settings::burst, 1, largest_burst, {}},
    {"phases", &settings::phases, 1, 1000, {}},
    {"keep", &settings::keep, 0, 100, {}},
    {"sweep", &settings::sweep, 0, 2, {"forward", "backward", "random"}},
    {"rotate", &settings::rotate, 0, 1, {}},
    {"renew", &settings::renew, 0, 1, {}},
    {"pause-ms", &settings::pause_ms, 0, 60'000, {}},
    {"cross", &settings::cross, 0, 100, {}},
    {"realloc", &settings::realloc, 0, 100, {}},
    {"resizing", &settings::resizing, 0, 3, {"redrawn", "growing", "shrinking", "steps"}},
    {"calloc", &settings::calloc, 0, 100, {}},
    {"aligned", &settings::aligned, 0, 100, {}},
    {"alignment", &settings::alignment, 16, 1 << 30, {}},
    {"touch", &settings::touch, 0, 2, {"ends", "pages", "whole"}},
    {"idle-ms", &settings::idle_ms, 0, 60'000, {}},
    {"trickle", &settings::trickle, 0, 100'000, {}},
    {"rest", &settings::rest, 0, 60, {}},
    {"timeout-s", &settings::timeout_s, 1, 3600, {}},
};

[[noreturn]] inline void refuse(const char* name, const char* text) {
  std::fprintf(stderr, "pattern: %s '%s' is refused; the settings are:", name, text);
  for (const auto& each : all_settings) std::fprintf(stderr, " --%s", each.name);
  std::fprintf(stderr, " --scale\n");
  std::exit(2);
}

inline bool read_value(const named_setting& setting, const char* text, std::uint64_t& value) {
  for (std::uint64_t i = 0; i < 4 && setting.words[i] != nullptr; ++i) {
    if (std::string_view(text) == setting.words[i]) {
      value = i;
      return true;
    }
  }
  if (setting.words[0] != nullptr || *text < '0' || *text > '9') return false;
  char* end = nullptr;
  value = std::strtoull(text, &end, 10);
  return *end == '\0' && value >= setting.least && value <= setting.most;
}

inline void read_setting(settings& all, std::string_view name, const char* text) {
  for (const auto& each : all_settings) {
    if (name == each.name) {
      if (!read_value(each, text, all.*each.value)) refuse(each.name, text);
      return;
    }
  }
  char* end = nullptr;
  all.scale = name == "scale" ? std::strtod(text, &end) : 0.0;
  if (!(all.scale > 0.0 && all.scale <= 1000.0) || *end != '\0') refuse("the setting", name.data());
}

// Reads `--NAME VALUE …` and makes the values agree with each other.
inline settings parse(int argc, char** argv) {
  settings all;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view word = argv[i];
    if (!word.starts_with("--") || i + 1 == argc) refuse("the word", argv[i]);
    read_setting(all, word.substr(2), argv[i + 1]);
  }
  if ((all.alignment & (all.alignment - 1)) != 0) refuse("alignment", "not a power of two");
  if (all.rest != 0) all.idle_ms = all.rest * 1000;
  if (all.next_smallest == 0) all.next_smallest = all.smallest;
  if (all.next_largest == 0) all.next_largest = all.largest;
  if (all.largest < all.smallest) all.largest = all.smallest;
  if (all.next_largest < all.next_smallest) all.next_largest = all.next_smallest;
  all.slots = static_cast<std::uint64_t>(static_cast<double>(all.slots) * all.scale);
  all.calls = static_cast<std::uint64_t>(static_cast<double>(all.calls) * all.scale);
  if (all.slots < all.threads) all.slots = all.threads;
  if (all.burst > all.slots / all.threads) all.burst = all.slots / all.threads;
  return all;
}

}  // namespace pattern

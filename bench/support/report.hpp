// The output of a benchmark program: values, refusals and the check line the runner compares.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace bench {

// Prints what was wrong and exits at once: after a wrong block nothing can be trusted, least of all
// destructors.
[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "wrong: %s\n", what);
  std::_Exit(1);
}

inline void expect(bool holds, const char* what) {
  if (!holds) fail(what);
}

// A whole number above 0, as a word of the command line.
inline std::size_t number(std::string_view text) {
  std::size_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  expect(read.ec == std::errc() && read.ptr == text.data() + text.size() && value != 0,
         "a number is malformed");
  return value;
}

// Spreads the bits of a counter or a seed over the whole word (the finaliser of SplitMix64:
// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Lines are "value METRIC SETTING VALUE" and "refused SETTING"; a setting is PARAMETER=VALUE, or
// several of them separated by commas.
class report {
 public:
  void value(const char* metric, const char* parameter, std::size_t setting, double value) {
    std::printf("value %s %s=%zu %.9g\n", metric, parameter, setting, value);
  }

  // The same for a setting of several parameters: "n=10,payload=1,phase=probe".
  void value(const char* metric, const std::string& setting, double value) {
    std::printf("value %s %s %.9g\n", metric, setting.c_str(), value);
  }

  // The contender could not serve this setting at all.
  void refused(const char* parameter, std::size_t setting) {
    std::printf("refused %s=%zu\n", parameter, setting);
  }

  // Adds an answer that must not depend on the allocator to the check line.
  void answer(std::uint64_t value) { check_ = mix(check_ + value); }

  void finish() const { std::printf("check %016llx\n", static_cast<unsigned long long>(check_)); }

 private:
  std::uint64_t check_ = 0;
};

}  // namespace bench

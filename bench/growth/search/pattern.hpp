// A pattern: how a family is filled, what is erased then, and the steps that are timed.
#pragma once

#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/report.hpp"

namespace bench::search {

// The steps that a subject can take. A family has the words that mean something to it.
enum class op : std::uint8_t {
  add,
  add_back,
  add_front,
  pop_back,
  pop_front,  // at the ends, or where the family likes
  erase_any,
  erase_old,
  erase_young,  // of the elements that live
  first,
  last,
  next,
  find,  // nothing changes
  add_large,
  add_aligned,
  grow,
  fail,
  squeeze,  // blocks of memory
};
inline constexpr std::array op_names = {
    "add",       "add_back",    "add_front", "pop_back", "pop_front", "erase_any",
    "erase_old", "erase_young", "first",     "last",     "next",      "find",
    "add_large", "add_aligned", "grow",      "fail",     "squeeze"};

// Which elements are erased after the fill.
enum class thinning : std::uint8_t {
  none,
  every_other,
  most,
  all_but_ends,
  old_half,
  young_half,
  at_random
};
inline constexpr std::array thinning_names = {"none",     "every-other", "most",     "all-but-ends",
                                              "old-half", "young-half",  "at-random"};

// The bytes of blocks.
enum class sizes : std::uint8_t { fixed, small, mixed, wide };
inline constexpr std::array size_names = {"fixed", "small", "mixed", "wide"};

struct pattern {
  std::string family;
  op fill = op::add;
  thinning thin = thinning::none;
  sizes bytes = sizes::small;
  std::vector<op> cycle;

  [[nodiscard]] std::string text() const {
    std::string t = family + " fill=" + op_names[static_cast<std::size_t>(fill)] +
                    " thin=" + thinning_names[static_cast<std::size_t>(thin)] +
                    " bytes=" + size_names[static_cast<std::size_t>(bytes)] + " cycle=";
    for (const op o : cycle)
      t += (t.back() == '=' ? "" : ",") + std::string(op_names[static_cast<std::size_t>(o)]);
    return t;
  }
};

// The number of a word among the names.
template <std::size_t N>
std::uint8_t number_of(std::string_view word, const std::array<const char*, N>& names) {
  for (std::size_t i = 0; i < N; ++i)
    if (word == names[i]) return static_cast<std::uint8_t>(i);
  fail(("no such word: " + std::string(word)).c_str());
}

inline pattern parse(const std::string& text) {
  pattern p;
  std::istringstream in(text);
  in >> p.family;
  for (std::string word; in >> word;) {
    const std::size_t at = word.find('=');
    expect(at != std::string::npos, "a pattern is FAMILY fill=… thin=… bytes=… cycle=…");
    const std::string key = word.substr(0, at), value = word.substr(at + 1);
    if (key == "fill") {
      p.fill = static_cast<op>(number_of(value, op_names));
    } else if (key == "thin") {
      p.thin = static_cast<thinning>(number_of(value, thinning_names));
    } else if (key == "bytes") {
      p.bytes = static_cast<sizes>(number_of(value, size_names));
    } else {
      expect(key == "cycle", "a pattern has no such key");
      std::istringstream words(value);
      for (std::string each; std::getline(words, each, ',');)
        p.cycle.push_back(static_cast<op>(number_of(each, op_names)));
    }
  }
  expect(!p.cycle.empty(), "a pattern needs a cycle");
  return p;
}

class random {
 public:
  explicit random(std::uint64_t seed) : state_(mix(seed + 1)) {}
  std::uint64_t operator()() { return state_ = mix(state_ + 0x9e3779b97f4a7c15); }
  std::size_t below(std::size_t n) { return (*this)() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace bench::search

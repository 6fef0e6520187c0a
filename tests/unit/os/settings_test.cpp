// Settings come from the program, then from the environment.
#include "os/settings.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "support/environment.hpp"

/// The program's own settings, as a user of the library writes them.
extern "C" [[gnu::visibility("default")]] const char hs_settings[] =
    "reserve=32G, cache_bytes=1M,stats_file=,verbose,colour=red,cache_bytes=2M,";

namespace heapsmith::os {
namespace {

using test::started_with;

std::vector<std::string>* items;

/// The items that are found, each with its origin: P or E, and its fault: ? or !.
std::vector<std::string> all_items() {
  std::vector<std::string> found;
  items = &found;
  visit_settings([](const given_setting& given) {
    items->push_back((given.from == origin::program ? "P " : "E ") + std::string(given.name) + "=" +
                     std::string(given.value) + (given.is_known ? "" : "?") +
                     (given.malformed ? "!" : ""));
  });
  return found;
}

TEST(Settings, OfTheProgramAreItems) {
  clearenv();
  const std::vector<std::string> expected = {"P reserve=32G", "P cache_bytes=1M", "P verbose=!",
                                             "P colour=red?", "P cache_bytes=2M"};
  EXPECT_EQ(all_items(), expected);
}

TEST(Settings, OfTheEnvironmentFollow) {
  clearenv();
  setenv("HEAPSMITH_RESERVE", "1G", 1);
  setenv("HEAPSMITH_", "1", 1);
  setenv("HEAPSMITH_FOREIGN", "", 1);
  setenv("HEAPSMITH_STATS", "2", 1);
  setenv("HEAPSMITH_stats", "1", 1);
  setenv("OTHER", "1", 1);
  const std::vector<std::string> found = all_items();
  const std::vector<std::string> expected = {"E RESERVE=1G", "E =1?", "E STATS=2!", "E stats=1?"};
  EXPECT_EQ(std::vector<std::string>(found.begin() + 5, found.end()), expected);
}

TEST(Settings, TheEnvironmentWins) {
  if (!started_with("HEAPSMITH_RESERVE", "1G")) return;
  EXPECT_EQ(value_of(setting::reserve).number, std::size_t{1} << 30);
  EXPECT_EQ(value_of(setting::reserve).from, origin::environment);
  EXPECT_EQ(value_of(setting::cache_bytes).number, std::size_t{1} << 20) << "the first of two";
  EXPECT_EQ(value_of(setting::cache_bytes).from, origin::program);
  EXPECT_EQ(value_of(setting::limit_bytes).from, origin::built_in);
}

TEST(Settings, AMalformedVariableLeavesTheProgramsValue) {
  if (!started_with("HEAPSMITH_RESERVE", "1Q")) return;
  EXPECT_EQ(value_of(setting::reserve).number, std::size_t{32} << 30);
  EXPECT_EQ(value_of(setting::reserve).from, origin::program);
}

TEST(Settings, WordsHaveTheirNumbers) {
  if (!started_with("HEAPSMITH_STATS", "0")) return;
  EXPECT_EQ(value_of(setting::stats).number, 0u);
  EXPECT_EQ(value_of(setting::stats).from, origin::environment);
}

}  // namespace
}  // namespace heapsmith::os

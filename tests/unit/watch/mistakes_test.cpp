// Mistakes in settings are named with what was expected.
#include "watch/mistakes.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace heapsmith::watch {
namespace {

std::string said_about(const char* name, const char* value) {
  clearenv();
  setenv(name, value, 1);
  testing::internal::CaptureStderr();
  report_mistakes();
  return testing::internal::GetCapturedStderr();
}

TEST(Settings, KnownNamesAreAccepted) {
  for (const char* name :
       {"HEAPSMITH_STATS", "HEAPSMITH_STATS_FILE", "HEAPSMITH_VERBOSE", "HEAPSMITH_CACHE_BYTES",
        "HEAPSMITH_LIMIT_BYTES", "HEAPSMITH_RESERVE", "HEAPSMITH_PURGE_DELAY_MS",
        "HEAPSMITH_PURGE_THREAD", "HEAPSMITH_HUGE_PAGES"})
    EXPECT_EQ(said_about(name, "1"), "") << name;
  EXPECT_EQ(said_about("HEAPSMITH_FOREIGN", "abort"), "");
  EXPECT_EQ(said_about("HEAPSMITH_PURGE_DELAY_MS", "-1"), "");
}

TEST(Settings, VariablesOfOthersAreAccepted) {
  for (const char* name : {"HEAPSMITH_PRELOAD", "HEAPSMITH_LAB_DIR", "HEAPSMITH_CACHE_DIR",
                           "HEAPSMITH_PROBE_FILE", "HEAPSMITH_PROBE_VERSION", "HEAPSMIT", "PATH"})
    EXPECT_EQ(said_about(name, "1"), "") << name;
}

TEST(Settings, UnknownNamesAreReported) {
  for (const char* name : {"HEAPSMITH_STAT", "HEAPSMITH_limit_bytes", "HEAPSMITH_CACHE",
                           "HEAPSMITH_", "HEAPSMITH_PRELOAD_"})
    EXPECT_EQ(said_about(name, "1"), std::string("heapsmith: ") + name +
                                         " is unknown; HEAPSMITH_VERBOSE=1 lists the settings\n");
}

TEST(Settings, LongNamesAndValuesAreCut) {
  const std::string long_text(3000, 'X');
  const std::string of_name = said_about(("HEAPSMITH_" + long_text).c_str(), "1");
  EXPECT_LT(of_name.size(), 200u);
  EXPECT_EQ(of_name.substr(0, 24), "heapsmith: HEAPSMITH_XXX");
  EXPECT_NE(of_name.find(" is unknown; "), std::string::npos);
  const std::string of_value = said_about("HEAPSMITH_STATS", long_text.c_str());
  EXPECT_LT(of_value.size(), 400u);
  EXPECT_NE(of_value.find("X\": expected 0, 1 or json; ignored\n"), std::string::npos);
}

TEST(Settings, MalformedValuesAreNamedWithWhatWasExpected) {
  struct {
    const char *name, *value, *expected;
  } const cases[] = {
      {"HEAPSMITH_RESERVE", "12Q", "a size such as 64G"},
      {"HEAPSMITH_RESERVE", "-1", "a size such as 64G"},
      {"HEAPSMITH_RESERVE", "99999999T", "a size such as 64G"},
      {"HEAPSMITH_CACHE_BYTES", "lots", "a size such as 64M"},
      {"HEAPSMITH_PURGE_DELAY_MS", "1K", "milliseconds or -1"},
      {"HEAPSMITH_PURGE_DELAY_MS", "1s", "milliseconds or -1"},
      {"HEAPSMITH_PURGE_DELAY_MS", "-2", "milliseconds or -1"},
      {"HEAPSMITH_PURGE_DELAY_MS", "-10", "milliseconds or -1"},
      {"HEAPSMITH_CACHE_BYTES", "-1", "a size such as 64M"},
      {"HEAPSMITH_STATS", "yes", "0, 1 or json"},
      {"HEAPSMITH_VERBOSE", "2", "0 or 1"},
      {"HEAPSMITH_PURGE_THREAD", "yes", "0 or 1"},
      {"HEAPSMITH_HUGE_PAGES", "always", "0, 1 or kernel"},
      {"HEAPSMITH_FOREIGN", "stop", "libc or abort"},
  };
  for (const auto& [name, value, expected] : cases)
    EXPECT_EQ(said_about(name, value), std::string("heapsmith: ") + name + ": \"" + value +
                                           "\": expected " + expected + "; ignored\n");
}

TEST(Settings, EmptyValuesAreAsIfNotGiven) {
  for (const char* name : {"HEAPSMITH_STATS", "HEAPSMITH_STATS_FILE", "HEAPSMITH_RESERVE",
                           "HEAPSMITH_LIMIT_BYTES", "HEAPSMITH_FOREIGN"})
    EXPECT_EQ(said_about(name, ""), "") << name;
}

TEST(Settings, AMalformedLimitEndsTheProcess) {
  setenv("HEAPSMITH_LIMIT_BYTES", "1 G", 1);
  EXPECT_EXIT(
      report_mistakes(), testing::ExitedWithCode(malformed_limit_status),
      "^heapsmith: HEAPSMITH_LIMIT_BYTES: \"1 G\": expected a size such as 64G; the program "
      "ends\n$");
}

}  // namespace
}  // namespace heapsmith::watch

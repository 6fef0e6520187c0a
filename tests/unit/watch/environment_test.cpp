// Misspelt environment variables are named, with the one they resemble.
#include "watch/environment.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace heapsmith::watch {
namespace {

std::string warnings_for(const char* name) {
  clearenv();
  setenv(name, "1", 1);
  testing::internal::CaptureStderr();
  warn_of_unknown_variables();
  return testing::internal::GetCapturedStderr();
}

TEST(Environment, KnownNamesAreAccepted) {
  for (const char* name :
       {"HEAPSMITH_STATS", "HEAPSMITH_STATS_FILE", "HEAPSMITH_VERBOSE", "HEAPSMITH_CACHE_BYTES",
        "HEAPSMITH_LIMIT_BYTES", "HEAPSMITH_RESERVE", "HEAPSMITH_FOREIGN", "HEAPSMIT", "PATH"})
    EXPECT_EQ(warnings_for(name), "") << name;
}

TEST(Environment, MisspeltNamesGetTheNearestKnownOne) {
  struct {
    const char *said, *meant;
  } const cases[] = {
      {"HEAPSMITH_STAT", "HEAPSMITH_STATS"},
      {"HEAPSMITH_STATSFILE", "HEAPSMITH_STATS_FILE"},
      {"HEAPSMITH_VERBOS", "HEAPSMITH_VERBOSE"},
      {"HEAPSMITH_CACHE_BITES", "HEAPSMITH_CACHE_BYTES"},
  };
  for (const auto& [said, meant] : cases)
    EXPECT_EQ(warnings_for(said),
              std::string("heapsmith: ") + said + " is unknown; did you mean " + meant + "?\n");
}

TEST(Environment, NamesUnlikeAnyKnownOneAreReportedAlone) {
  EXPECT_EQ(warnings_for("HEAPSMITH_ZZZZZZZZZZ"), "heapsmith: HEAPSMITH_ZZZZZZZZZZ is unknown\n");
  EXPECT_EQ(warnings_for("HEAPSMITH_"), "heapsmith: HEAPSMITH_ is unknown\n");
}

TEST(Environment, LongNamesAreCut) {
  const std::string name = "HEAPSMITH_" + std::string(3000, 'X');
  const std::string said = warnings_for(name.c_str());
  EXPECT_LT(said.size(), 200u);
  EXPECT_EQ(said.substr(0, 24), "heapsmith: HEAPSMITH_XXX");
  EXPECT_NE(said.find(" is unknown\n"), std::string::npos);
}

}  // namespace
}  // namespace heapsmith::watch

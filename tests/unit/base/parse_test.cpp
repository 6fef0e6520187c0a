// Sizes as people write them, and as they miswrite them.
#include "base/parse.hpp"

#include <gtest/gtest.h>

#include <string>

namespace heapsmith {
namespace {

TEST(ParseBytes, UnderstandsDigitsAndUnits) {
  struct {
    const char* text;
    std::size_t value;
  } const cases[] = {
      {"0", 0},
      {"1", 1},
      {"4096", 4096},
      {"007", 7},
      {"64k", 64u << 10},
      {"64K", 64u << 10},
      {"64KB", 64u << 10},
      {"64KiB", 64u << 10},
      {"64kib", 64u << 10},
      {"3M", 3u << 20},
      {"2g", std::size_t{2} << 30},
      {"5T", std::size_t{5} << 40},
      {"16777215T", std::size_t{16777215} << 40},
      {"18446744073709551615", SIZE_MAX},
  };
  for (const auto& [text, value] : cases) {
    const parsed_bytes got = parse_bytes(text);
    EXPECT_TRUE(got.ok) << text;
    EXPECT_EQ(got.value, value) << text;
  }
}

TEST(ParseBytes, RefusesEverythingElse) {
  for (const char* text : {"",
                           " ",
                           "-1",
                           "+1",
                           " 1",
                           "1 ",
                           "K",
                           "1Q",
                           "1KK",
                           "1KiBs",
                           "1Ki B",
                           "0x10",
                           "1.5G",
                           "B",
                           "1B",
                           "1i",
                           "1iB",
                           "64MBB",
                           "18446744073709551616",
                           "99999999999999999999999",
                           "16777216T",
                           "17179869184G",
                           "1e9"})
    EXPECT_FALSE(parse_bytes(text).ok) << '"' << text << '"';
  EXPECT_FALSE(parse_bytes({}).ok);
}

TEST(ParseBytes, EveryNumberUpToAMillionIsParsed) {
  for (std::size_t n = 0; n <= 1'000'000; n += 7)
    ASSERT_EQ(parse_bytes(std::to_string(n).c_str()).value, n);
}

}  // namespace
}  // namespace heapsmith

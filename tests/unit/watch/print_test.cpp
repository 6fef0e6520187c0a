// Statistics in print: text for people, JSON for programs, XML in the manner of malloc_info.
#include "watch/print.hpp"

#include <errno.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <regex>
#include <string>

#include "heapsmith/heapsmith.h"

namespace heapsmith::watch {
namespace {

template <class Print>
std::string printed(Print print) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  print(ends[1]);
  close(ends[1]);
  std::string text;
  char buffer[512];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  return text;
}

TEST(Print, TextHasALineForEachField) {
  void* p = hs_malloc(2'000'000);
  const std::string text = printed(print_statistics);
  hs_free(p);
  EXPECT_EQ(text.substr(0, text.find('\n')), std::string("heapsmith ") + hs_version() +
                                                 ": statistics of unit_watch, process " +
                                                 std::to_string(getpid()));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 17);
  EXPECT_TRUE(std::regex_search(text, std::regex("\n  in use +1984\\.0 KiB\n"))) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("\n  thread heaps +1\n"))) << text;
}

/// Reads {"name":value,...} with string and whole-number values; fails the test on anything else.
std::map<std::string, std::string> parse_flat_json(const std::string& text) {
  std::map<std::string, std::string> fields;
  static const std::regex object(R"(\{("\w+":("[^"\\]*"|\d+))(,"\w+":("[^"\\]*"|\d+))*\}\n)");
  EXPECT_TRUE(std::regex_match(text, object)) << text;
  static const std::regex field(R"~("(\w+)":("[^"]*"|\d+))~");
  for (std::sregex_iterator it(text.begin(), text.end(), field), end; it != end; ++it)
    EXPECT_TRUE(fields.emplace((*it)[1], (*it)[2]).second) << "twice: " << (*it)[1];
  return fields;
}

TEST(Print, JsonIsOneObjectWithEveryField) {
  void* p = hs_malloc(2'000'000);
  const auto fields = parse_flat_json(printed(print_statistics_json));
  EXPECT_EQ(fields.at("heapsmith"), std::string("\"") + hs_version() + "\"");
  EXPECT_EQ(fields.at("program"), "\"unit_watch\"");
  EXPECT_EQ(fields.at("process"), std::to_string(getpid()));
  EXPECT_EQ(fields.at("in_use_bytes"), "2031616");
  EXPECT_EQ(fields.at("large_bytes"), "2031616");
  EXPECT_EQ(fields.at("heaps"), "1");
  // Every field of the struct but its size, and the three that name library, program and process.
  EXPECT_EQ(fields.size(), sizeof(hs_statistics) / sizeof(size_t) - 1 + 3);
  hs_free(p);
}

std::string malloc_info_text() {
  char* text = nullptr;
  size_t length = 0;
  FILE* stream = open_memstream(&text, &length);
  EXPECT_EQ(hs_malloc_info(0, stream), 0);
  fclose(stream);
  const std::string copy(text, length);
  free(text);
  return copy;
}

TEST(Print, MallocInfoIsWellFormedXml) {
  void* p = hs_malloc(2'000'000);
  std::string rest = malloc_info_text();
  hs_free(p);
  static const std::regex open(R"~(^<malloc version="[^"<&]*">\n)~");
  static const std::regex close(R"~(</malloc>\n$)~");
  static const std::regex element(R"~(^<(bytes|count) type="(\w+)" (size|n)="\d+"/>\n)~");
  std::smatch m;
  ASSERT_TRUE(std::regex_search(rest, m, open)) << rest;
  rest = m.suffix();
  int elements = 0;
  while (std::regex_search(rest, m, element)) {
    EXPECT_EQ(m[3] == "size", m[1] == "bytes");
    rest = m.suffix();
    ++elements;
  }
  EXPECT_EQ(elements, 16);
  EXPECT_TRUE(std::regex_match(rest, close)) << rest;
}

TEST(Print, MallocInfoRefusesOptionsAndBrokenStreams) {
  EXPECT_EQ(hs_malloc_info(1, stdout), EINVAL);
  FILE* full = fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  setvbuf(full, nullptr, _IONBF, 0);
  EXPECT_EQ(hs_malloc_info(0, full), ENOSPC);
  fclose(full);
}

TEST(Print, MallocStatsGoesToStderr) {
  testing::internal::CaptureStderr();
  hs_malloc_stats();
  EXPECT_EQ(testing::internal::GetCapturedStderr().substr(0, 10), "heapsmith ");
}

}  // namespace
}  // namespace heapsmith::watch

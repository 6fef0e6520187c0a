// The one line a misuse gets.
#include "os/diagnose.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <string>

namespace heapsmith::os {
namespace {

TEST(Diagnose, NamesCallPointerAndReasonThenAborts) {
  EXPECT_EXIT(abort_misuse("free", reinterpret_cast<void*>(0x7f0012ab), "was freed before"),
              testing::KilledBySignal(SIGABRT),
              "^heapsmith: free\\(0x7f0012ab\\): was freed before\n");
}

TEST(Diagnose, PrintsTheSmallestAndTheLargestPointer) {
  EXPECT_EXIT(abort_misuse("f", nullptr, "r"), testing::KilledBySignal(SIGABRT), "f\\(0x0\\): r\n");
  EXPECT_EXIT(abort_misuse("f", reinterpret_cast<void*>(UINTPTR_MAX), "r"),
              testing::KilledBySignal(SIGABRT), "f\\(0xffffffffffffffff\\): r\n");
}

std::string written(text& out) {
  testing::internal::CaptureStderr();
  out.write();
  return testing::internal::GetCapturedStderr();
}

TEST(Line, IsWrittenWithItsEnd) {
  line out;
  EXPECT_EQ(written(out.add("look ").add_number(0).add(" ").add_number(SIZE_MAX)),
            "look 0 18446744073709551615\n");
}

TEST(Line, HasSizesAsSettingsWriteThem) {
  struct {
    std::size_t bytes;
    const char* text;
  } const cases[] = {
      {0, "0"},
      {1, "1"},
      {1023, "1023"},
      {1024, "1K"},
      {100u << 20, "100M"},
      {1 << 30, "1G"},
      {(1u << 30) + 1024, "1048577K"},
      {std::size_t{4096} << 40, "4096T"},
  };
  for (const auto& [bytes, text] : cases) {
    line out;
    EXPECT_EQ(written(out.add_bytes(bytes)), std::string(text) + "\n");
  }
}

TEST(Line, IsPaddedToAColumn) {
  line out;
  EXPECT_EQ(written(out.add("ab").pad_to(4).add("c").pad_to(2)), "ab  c\n");
  line numbers;
  EXPECT_EQ(written(numbers.add("n").add_number(12, 5).add_number(345, 2)), "n   12345\n");
}

TEST(Line, IsCutIfItIsLong) {
  line out;
  const std::string said = written(out.add("heapsmith: ").add(std::string(5000, 'x')).pad_to(400));
  EXPECT_EQ(said.size(), 512u);
  EXPECT_EQ(said.substr(0, 12), "heapsmith: x");
  EXPECT_EQ(said.back(), '\n');
}

}  // namespace
}  // namespace heapsmith::os

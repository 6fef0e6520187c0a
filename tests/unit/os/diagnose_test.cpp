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

TEST(Diagnose, WarnWritesOneLineAndGoesOn) {
  testing::internal::CaptureStderr();
  warn("look here");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "heapsmith: look here\n");
}

TEST(Diagnose, CutsLongMessagesAndStillEndsTheLine) {
  testing::internal::CaptureStderr();
  warn(std::string(5000, 'x').c_str());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.size(), 512u);
  EXPECT_EQ(said.substr(0, 12), "heapsmith: x");
  EXPECT_EQ(said.back(), '\n');
}

}  // namespace
}  // namespace heapsmith::os

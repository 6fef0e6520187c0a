// The out-of-memory sweep: in each scenario the n-th call of the OS is refused, once, and then it
// and all after it, for n = 1, 2, … until a run meets no refusal.
//
// Source of the method: SQLite's anomaly testing.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heapsmith/heapsmith.h"
#include "os/os_fake.hpp"
#include "scenarios.hpp"

namespace heapsmith::fault {
namespace {

namespace fake = os::fake;

/// Here children note which kinds of calls they were refused. A file in memory shares it; restarted
/// children find its descriptor's number in their environment.
bool* refused_kinds() {
  static bool* const kinds = [] {
    constexpr char name[] = "HEAPSMITH_TEST_KINDS_FD";
    const char* given = getenv(name);
    const int fd = given != nullptr ? atoi(given) : memfd_create("kinds", 0);
    if (given == nullptr && ftruncate(fd, 4096) == 0) setenv(name, std::to_string(fd).c_str(), 1);
    return static_cast<bool*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  }();
  return kinds;
}

constexpr int no_refusal = 3;  // a child's exit code: the plan lies beyond the scenario's last call

/// In a child, after the plan held: all must be well again.
[[noreturn]] void conclude(world& w) {
  const bool any = fake::refused() != 0;
  fake::fail_no_more();
  for (std::size_t k = 0; k < fake::call_kinds; ++k)
    if (fake::was_refused(static_cast<fake::call>(k))) refused_kinds()[k] = true;
  w.works_again();
  _exit(any ? 0 : no_refusal);
}

int exit_code(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int run(const scenario& s, std::size_t nth, bool forever) {
  const pid_t child = fork();
  if (child != 0) return exit_code(child);
  alarm(60);  // a hang is a failure too
  world w;
  s.before(w);
  fake::fail(nth, forever);
  s.act(w);
  conclude(w);
}

/// Returns how many calls the scenario makes.
template <class Run>
std::size_t sweep(Run run_with) {
  std::size_t longest = 0;
  for (const bool forever : {false, true}) {
    for (std::size_t n = 1;; ++n) {
      const int code = run_with(n, forever);
      longest = std::max(longest, n);
      if (code == no_refusal) break;
      EXPECT_EQ(code, 0) << "call " << n << (forever ? " and all after it" : "") << " refused";
      if (code != 0 || n > 2000) return longest;
    }
  }
  return longest;
}

class Sweep : public testing::TestWithParam<scenario> {};

TEST_P(Sweep, EveryRefusalIsSurvived) {
  const std::size_t calls =
      sweep([](std::size_t n, bool forever) { return run(GetParam(), n, forever); });
  EXPECT_GT(calls, 1u) << "nothing was refused";
}

/// ThreadSanitizer learns nothing from one thread, and takes longest to fork.
std::vector<scenario> swept() {
  std::vector<scenario> chosen(scenarios().begin(), scenarios().end());
#ifdef HEAPSMITH_UNDER_TSAN
  std::erase_if(chosen, [](const scenario& s) { return !s.starts_threads; });
#endif
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Sweep, testing::ValuesIn(swept()),
                         [](const auto& info) { return std::string(info.param.name); });

/// The heap can do without these: no refusal of them is a lack of memory, however long it lasts.
constexpr fake::call dispensable[] = {fake::call::decommit, fake::call::unmap, fake::call::remap,
                                      fake::call::populate, fake::call::map_fork_detector};

TEST_P(Sweep, LastingRefusalsOfWhatCanBeDoneWithoutRefuseNoRequest) {
  const scenario& s = GetParam();
  for (const fake::call kind : dispensable) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      world w;
      s.before(w);
      fake::fail_each(kind);
      s.act(w);
      HS_EXPECT(w.refused() == 0 || s.is_refused);
      w.check();
      fake::fail_no_more();
      w.works_again();
      _exit(0);
    }
    EXPECT_EQ(exit_code(child), 0) << "kind " << static_cast<int>(kind);
  }
}

/// Restarts this program, with the plan in force before its constructors.
int run_from_the_start(std::size_t nth, bool forever) {
  const pid_t child = fork();
  if (child != 0) return exit_code(child);
  setenv("HEAPSMITH_FAKE_FAIL", (std::to_string(nth) + (forever ? "+" : "")).c_str(), 1);
  execl("/proc/self/exe", "again", "--gtest_filter=Sweep.RefusalsBeforeMainAreSurvived", nullptr);
  _exit(127);
}

TEST(Sweep, RefusalsBeforeMainAreSurvived) {
  if (getenv("HEAPSMITH_FAKE_FAIL") != nullptr) {  // the process that was refused something already
    world w;
    w.get(100);
    w.get(300'000);
    w.get(40'000'000);
    conclude(w);
  }
  const std::size_t calls = sweep(run_from_the_start);
  EXPECT_GT(calls, 2u);
}

#ifndef HEAPSMITH_UNDER_TSAN
TEST(Sweep, ReachesEveryKindOfCall) {
  refused_kinds();  // made here, so that the children share it
  for (std::size_t n = 1; n <= 12 && run_from_the_start(n, false) == 0; ++n) {
  }
  for (const scenario& s : scenarios())
    for (std::size_t n = 1; n <= 12 && run(s, n, false) == 0; ++n) {
    }
  for (std::size_t k = 0; k < fake::call_kinds; ++k)
    EXPECT_TRUE(refused_kinds()[k]) << "kind " << k;
}
#endif

hs_statistics statistics() {
  hs_statistics s;
  s.size = sizeof s;
  EXPECT_EQ(hs_stats(&s), 0);
  return s;
}

TEST(Refusals, MemoryThatWasNotTakenBackIsOfferedAgain) {
  constexpr std::size_t count = 400, bytes = 100'000;
  world w;
  for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(w.get(bytes));
  fake::fail(1, true);
  w.drop_all();
  EXPECT_GT(fake::refused(), 0u);
  EXPECT_LE(fake::refused(), count / 4) << "the OS is not asked in each free";
  EXPECT_EQ(statistics().purged_bytes, 0u);
  EXPECT_GT(statistics().cached_bytes, count * bytes);
  fake::fail_no_more();
  for (int i = 0; i < 500 && statistics().cached_bytes > 8'000'000; ++i) {
    ASSERT_TRUE(w.get(bytes));
    w.drop_last();
    usleep(10'000);
  }
  EXPECT_LT(statistics().cached_bytes, 8'000'000u);
  w.works_again();
}

}  // namespace
}  // namespace heapsmith::fault

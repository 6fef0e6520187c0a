// The contract's process: environment, clock, threads, limits, writing.
#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <set>
#include <string>
#include <thread>

#include "os/lock.hpp"
#include "os/os.hpp"
#include "os/own_thread.hpp"
#include "os/this_thread.hpp"

namespace heapsmith::os {
namespace {

TEST(Process, PageAndMemorySizesAreTheMachines) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#ifdef HEAPSMITH_PRETENDED_PAGE
  EXPECT_EQ(page_bytes(), std::max<std::size_t>(page, HEAPSMITH_PRETENDED_PAGE));
#else
  EXPECT_EQ(page_bytes(), page);
#endif
  EXPECT_EQ(physical_bytes(), static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page);
}

TEST(Process, FirstCallsMayCoincide) {
  std::thread other([] { EXPECT_NE(page_bytes(), 0u); });
  EXPECT_NE(page_bytes(), 0u);
  other.join();
}

TEST(Process, EnvironmentIsFoundByItsWholeName) {
  setenv("HEAPSMITH_TEST_A", "one", 1);
  setenv("HEAPSMITH_TEST_AB", "two=2", 1);
  setenv("HEAPSMITH_TEST_C", "", 1);
  EXPECT_STREQ(environment("HEAPSMITH_TEST_A"), "one");
  EXPECT_STREQ(environment("HEAPSMITH_TEST_AB"), "two=2");
  EXPECT_STREQ(environment("HEAPSMITH_TEST_C"), "");
  EXPECT_EQ(environment("HEAPSMITH_TEST_"), nullptr);
  EXPECT_EQ(environment("HEAPSMITH_TEST_ABC"), nullptr);
  EXPECT_FALSE(is_privileged());
}

TEST(Process, EnvironmentMayBeMissing) {
  EXPECT_EQ(clearenv(), 0);
  EXPECT_EQ(environment("PATH"), nullptr);
}

TEST(Process, TheClockGoesOn) {
  const std::uint64_t before = now_ms();
  usleep(60'000);
  const std::uint64_t after = now_ms();
  EXPECT_GE(after - before, 50u);
  EXPECT_LT(after - before, 60'000u);
}

TEST(Process, TokensOfThreadsDiffer) {
  std::set<std::uintptr_t> tokens = {thread_token()};
  EXPECT_EQ(tokens.count(thread_token()), 1u);
  std::thread([&] {
    std::thread([&] { EXPECT_TRUE(tokens.insert(thread_token()).second); }).join();
    EXPECT_TRUE(tokens.insert(thread_token()).second);
  }).join();
  EXPECT_EQ(tokens.count(0), 0u);
}

TEST(Process, WriteAllWritesMoreThanAPipeHolds) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string text(300'000, 'x');
  std::string got;
  std::thread reader([&] {
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
      got.append(buffer, static_cast<std::size_t>(n));
  });
  write_all(ends[1], text.data(), text.size());
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_EQ(got, text);
}

TEST(Process, WriteAllGivesUpOnABadDescriptorAndKeepsErrno) {
  errno = 77;
  write_all(-1, "lost", 4);
  EXPECT_EQ(errno, 77);
}

TEST(Process, KnowsWhetherThreadsWereStarted) {
  std::thread([] {}).join();
  std::thread other([] {
    EXPECT_FALSE(single_threaded());
    EXPECT_FALSE(is_alone());
  });
  other.join();
}

TEST(Process, TheLibrarysOwnThreadIsCompany) {
  if (!single_threaded()) GTEST_SKIP() << "a sanitizer has a thread";
  EXPECT_TRUE(is_alone());
  lock l;
  l.acquire();  // without an exchange, and released with one
  if (!prepare_own_thread() || !start_own_thread("test", [] { sleep_ms(60'000); })) GTEST_SKIP();
  EXPECT_TRUE(single_threaded()) << "libc does not count it";
  EXPECT_FALSE(is_alone());
  l.release();
  EXPECT_FALSE(l.held_by_anyone());
  EXPECT_TRUE(l.try_acquire());
  l.release();
}

/// A thread that was cancelled goes on until a point of cancellation: none of these is one, since
/// the caller may hold a lock.
TEST(Process, NoCallIsAPointOfCancellation) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  static constinit atomic<bool> went_on{false};  // relaxed: joined before it is read
  pthread_t thread;
  const auto body = [](void* fd) -> void* {
    pthread_cancel(pthread_self());
    write_all(*static_cast<int*>(fd), "text", 4);
    now_ms();
    const std::uint32_t word = 1;
    wait(&word, 0);
    wake_one(&word);
    unmap(map(page_bytes(), page_bytes()), page_bytes());
    went_on.store(true, relaxed);
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, nullptr, body, &ends[1]), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  EXPECT_TRUE(went_on.load(relaxed));
  close(ends[1]);
  char text[4] = {};
  EXPECT_EQ(read(ends[0], text, 4), 4);
  close(ends[0]);
}

}  // namespace
}  // namespace heapsmith::os

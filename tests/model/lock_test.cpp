// Model check of the futex lock: sections exclude each other, and no sleeper is forgotten.
#include "os/lock.hpp"

#include "controls.hpp"

#include <gtest/gtest.h>

namespace heapsmith {

namespace os {
void wait(const void* word, std::uint32_t expected) {
  model::engine::current()->futex_wait(word, expected, std::source_location::current());
}
void wake_one(const void* word) {
  model::engine::current()->futex_wake(word, false, std::source_location::current());
}
std::uint32_t thread_number() {
  return model::engine::current()->running() + 1;
}
void before_waiting() {}
bool is_alone() {
  return false;
}
}  // namespace os

namespace model {
namespace {

struct guarded {
  guarded() { name(&lock, "lock"); }
  void section() {
    const os::lock_guard guard(lock);
    count = count + 1;
  }
  os::lock lock;
  plain<int> count;
};

void two_threads_twice() {
  guarded g;
  const auto twice = [&] { g.section(), g.section(); };
  run(twice, twice);
  require(g.count == 4, "every section ran");
}

void three_threads() {
  guarded g;
  const auto once = [&] { g.section(); };
  run(once, once, once);
  require(g.count == 3, "every section ran");
}

void one_thread_does_not_wait() {
  guarded g;
  bool taken = false;
  run([&] { g.section(); },
      [&] {
        taken = g.lock.try_acquire();
        if (!taken) return;
        g.count = g.count + 1;
        g.lock.release();
      });
  require(g.count == (taken ? 2 : 1), "every section ran");
}

TEST(lock, every_memory_order_is_needed) {
  expect_orders_needed({{"two threads, twice", two_threads_twice, 0},
                        {"one thread does not wait", one_thread_does_not_wait, 0},
                        {"three threads, waits that return early", three_threads, 1}},
                       {"src/os/lock.hpp"});
}

// The checker's own negative control: a lock whose release never wakes anybody.
TEST(lock, a_forgotten_sleeper_is_a_deadlock) {
  const result r = explore([] {
    atomic<std::uint32_t> word{0};
    const auto section = [&] {
      while (word.exchange(1, acquire) == 1) os::wait(&word, 1);
      word.store(0, release);
    };
    run(section, section);
  });
  EXPECT_NE(r.what.find("deadlock"), std::string::npos) << r.what;
}

}  // namespace
}  // namespace model
}  // namespace heapsmith

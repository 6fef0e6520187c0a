// Litmus tests of the checker itself: each outcome the C++20 model allows is found, no other is.
#include "base/atomic.hpp"
#include "checker/model.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace heapsmith::model {
namespace {

using outcome = std::vector<int>;

/// All results of a body that reports one result an execution; fails when an execution fails.
std::set<outcome> outcomes(const std::function<outcome()>& body) {
  std::set<outcome> found;
  const result r = explore([&] { found.insert(body()); });
  EXPECT_FALSE(r.failed) << r.what << "\n" << r.trace;
  return found;
}

std::set<outcome> store_buffering(memory_order store, memory_order load) {
  return outcomes([=]() -> outcome {
    atomic<int> x{0}, y{0};
    int a = 0, b = 0;
    run([&] { x.store(1, store), a = y.load(load); }, [&] { y.store(1, store), b = x.load(load); });
    return {a, b};
  });
}

TEST(litmus, store_buffering_reorders_unless_sequential) {
  EXPECT_EQ(store_buffering(relaxed, relaxed).count({0, 0}), 1u);
  EXPECT_EQ(store_buffering(release, acquire).count({0, 0}), 1u);
  EXPECT_EQ(store_buffering(seq_cst, seq_cst), (std::set<outcome>{{0, 1}, {1, 0}, {1, 1}}));
}

TEST(litmus, store_buffering_is_ordered_by_sequential_fences) {
  const auto with = [](memory_order fence) {
    return outcomes([=]() -> outcome {
      atomic<int> x{0}, y{0};
      int a = 0, b = 0;
      run([&] { x.store(1, relaxed), thread_fence(fence), a = y.load(relaxed); },
          [&] { y.store(1, relaxed), thread_fence(fence), b = x.load(relaxed); });
      return {a, b};
    });
  };
  EXPECT_EQ(with(seq_cst).count({0, 0}), 0u);
  EXPECT_EQ(with(acq_rel).count({0, 0}), 1u);
}

std::set<outcome> message_passing(memory_order store, memory_order load) {
  return outcomes([=]() -> outcome {
    atomic<int> data{0}, flag{0};
    int f = 0, d = 0;
    run([&] { data.store(1, relaxed), flag.store(1, store); },
        [&] { f = flag.load(load), d = data.load(relaxed); });
    return {f, d};
  });
}

TEST(litmus, message_passing_needs_both_release_and_acquire) {
  EXPECT_EQ(message_passing(release, acquire), (std::set<outcome>{{0, 0}, {0, 1}, {1, 1}}));
  EXPECT_EQ(message_passing(relaxed, acquire).count({1, 0}), 1u);
  EXPECT_EQ(message_passing(release, relaxed).count({1, 0}), 1u);
}

result plain_message(memory_order store, memory_order load) {
  return explore([=] {
    atomic<int> flag{0};
    plain<int> data;
    run([&] { data = 1, flag.store(1, store); },
        [&] {
          if (flag.load(load) == 1) require(data == 1, "the message is there");
        });
  });
}

TEST(litmus, plain_message_is_a_race_unless_ordered) {
  EXPECT_FALSE(plain_message(release, acquire).failed);
  for (const result& r : {plain_message(relaxed, acquire), plain_message(release, relaxed)}) {
    EXPECT_NE(r.what.find("data race"), std::string::npos) << r.what;
    EXPECT_NE(r.trace.find("litmus_test.cpp"), std::string::npos) << r.trace;
  }
}

TEST(litmus, fences_order_relaxed_operations) {
  const auto with = [](memory_order before, memory_order after) {
    return explore([=] {
      atomic<int> flag{0};
      plain<int> data;
      run([&] { data = 1, thread_fence(before), flag.store(1, relaxed); },
          [&] {
            if (flag.load(relaxed) != 1) return;
            thread_fence(after);
            require(data == 1, "the message is there");
          });
    });
  };
  EXPECT_FALSE(with(release, acquire).failed);
  EXPECT_TRUE(with(acquire, acquire).failed);
  EXPECT_TRUE(with(release, release).failed);
}

// A release sequence goes on through read-modify-writes of any thread and order, and ends at a
// plain store, even of the same thread.
TEST(litmus, release_sequence_goes_through_rmw_only) {
  const auto with = [](bool rmw) {
    return explore([=] {
      atomic<int> flag{0};
      plain<int> data;
      run([&] { data = 1, flag.store(1, release); },
          [&] {
            if (flag.load(relaxed) != 1) return;
            if (rmw)
              flag.fetch_add(1, relaxed);
            else
              flag.store(2, relaxed);
          },
          [&] {
            if (flag.load(acquire) == 2) require(data == 1, "the message is there");
          });
    });
  };
  EXPECT_FALSE(with(true).failed);
  EXPECT_NE(with(false).what.find("data race"), std::string::npos);
}

TEST(litmus, reads_of_one_object_never_go_back) {
  const auto found = outcomes([]() -> outcome {
    atomic<int> x{0};
    int a = 0, b = 0;
    run([&] { x.store(1, relaxed), x.store(2, relaxed); },
        [&] { a = x.load(relaxed), b = x.load(relaxed); });
    return {a, b};
  });
  EXPECT_EQ(found, (std::set<outcome>{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}));
}

// Two objects' modification orders may both contradict program order (2+2W).
TEST(litmus, modification_orders_are_per_object) {
  const auto with = [](memory_order o) {
    return outcomes([=]() -> outcome {
      atomic<int> x{0}, y{0};
      run([&] { x.store(1, o), y.store(2, o); }, [&] { y.store(1, o), x.store(2, o); });
      return {x.load(relaxed), y.load(relaxed)};
    });
  };
  EXPECT_EQ(with(release).count({1, 1}), 1u);
  EXPECT_EQ(with(seq_cst).count({1, 1}), 0u);
}

std::set<outcome> independent_reads(memory_order store, memory_order load) {
  return outcomes([=]() -> outcome {
    atomic<int> x{0}, y{0};
    int a = 0, b = 0, c = 0, d = 0;
    run([&] { x.store(1, store); }, [&] { y.store(1, store); },
        [&] { a = x.load(load), b = y.load(load); }, [&] { c = y.load(load), d = x.load(load); });
    return {a, b, c, d};
  });
}

TEST(litmus, independent_reads_agree_only_when_sequential) {
  EXPECT_EQ(independent_reads(release, acquire).size(), 16u);
  EXPECT_EQ(independent_reads(seq_cst, seq_cst).count({1, 0, 1, 0}), 0u);
  EXPECT_EQ(independent_reads(seq_cst, seq_cst).size(), 15u);
}

TEST(litmus, load_buffering_is_outside_the_model) {
  const auto found = outcomes([]() -> outcome {
    atomic<int> x{0}, y{0};
    int a = 0, b = 0;
    run([&] { a = x.load(relaxed), y.store(1, relaxed); },
        [&] { b = y.load(relaxed), x.store(1, relaxed); });
    return {a, b};
  });
  EXPECT_EQ(found, (std::set<outcome>{{0, 0}, {0, 1}, {1, 0}}));
}

TEST(litmus, read_modify_writes_lose_nothing) {
  const auto found = outcomes([]() -> outcome {
    atomic<std::uint8_t> x{254};
    const auto twice = [&] { x.fetch_add(1, relaxed), x.fetch_add(1, relaxed); };
    run(twice, twice);
    return {x.load(relaxed)};
  });
  EXPECT_EQ(found, (std::set<outcome>{{2}}));  // and wrap at the width of the object
}

TEST(litmus, load_then_store_loses_an_increment) {
  const auto found = outcomes([]() -> outcome {
    atomic<int> x{0};
    const auto once = [&] { x.store(x.load(relaxed) + 1, relaxed); };
    run(once, once);
    return {x.load(relaxed)};
  });
  EXPECT_EQ(found, (std::set<outcome>{{1}, {2}}));
}

TEST(litmus, weak_compare_exchange_may_fail_spuriously) {
  const auto with = [](unsigned spurious) {
    std::set<outcome> found;
    explore(
        [&] {
          atomic<int> x{0};
          int expected = 0;
          found.insert({x.compare_exchange_weak(expected, 1, relaxed, relaxed)});
        },
        {.spurious_failures = spurious});
    return found;
  };
  EXPECT_EQ(with(0), (std::set<outcome>{{1}}));
  EXPECT_EQ(with(1), (std::set<outcome>{{0}, {1}}));
}

}  // namespace
}  // namespace heapsmith::model

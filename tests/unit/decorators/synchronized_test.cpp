// synchronized: has the functions of its resource, and admits one thread at a time.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "heapsmith/decorators.hpp"
#include "heapsmith/heap.hpp"

namespace heapsmith {
namespace {

/// Detects if two threads are inside it, or if a thread enters it without the lock.
class jealous_resource {
 public:
  jealous_resource() = default;
  explicit jealous_resource(int tag) : tag_(tag) {}

  void* allocate(std::size_t bytes, std::size_t align) {
    enter();
    void* p = upstream_.allocate(bytes, align);
    ++calls_;
    leave();
    return p;
  }
  void* try_allocate(std::size_t bytes, std::size_t align) noexcept {
    return allocate(bytes, align);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t align) noexcept {
    enter();
    upstream_.deallocate(p, bytes, align);
    ++calls_;
    leave();
  }
  void reset() noexcept {
    enter();
    calls_ = 0;
    leave();
  }
  int stats() const { return calls_; }
  int tag() const { return tag_; }

 private:
  // Plain variables: without the lock, ThreadSanitizer reports a race, and increments are lost.
  void enter() { EXPECT_EQ(inside_++, 0); }
  void leave() { EXPECT_EQ(--inside_, 0); }

  default_resource upstream_;
  int inside_ = 0;
  int calls_ = 0;
  int tag_ = 0;
};

using locked = synchronized<jealous_resource>;
static_assert(resource<locked> && resettable_resource<locked> && measured_resource<locked>);
static_assert(!expanding_resource<locked> && !reallocating_resource<locked> &&
              !generous_resource<locked> && !owning_resource<locked> &&
              !releasing_resource<locked>);
static_assert(expanding_resource<synchronized<global_heap>> &&
              reallocating_resource<synchronized<global_heap>> &&
              generous_resource<synchronized<global_heap>>);
static_assert(!std::is_copy_constructible_v<locked> && !std::is_move_constructible_v<locked>);

TEST(Synchronized, OneThreadAtATime) {
  constexpr int threads = 4, pairs = 2000;
  locked r;
  std::vector<std::thread> crowd;
  for (int t = 0; t < threads; ++t)
    crowd.emplace_back([&r] {
      for (int i = 0; i < pairs; ++i) r.deallocate(r.allocate(32, 16), 32, 16);
    });
  for (std::thread& t : crowd) t.join();
  EXPECT_EQ(r.stats(), 2 * threads * pairs);
}

TEST(Synchronized, PassesArgumentsAndResults) {
  locked r(17);
  EXPECT_EQ(r.with_lock([](const jealous_resource& inner) { return inner.tag(); }), 17);
  void* p = r.try_allocate(10);
  ASSERT_NE(p, nullptr);
  r.deallocate(p, 10);
  EXPECT_EQ(r.stats(), 2);
  r.reset();
  EXPECT_EQ(r.stats(), 0);
}

TEST(Synchronized, WithLockMakesSeveralStepsOne) {
  constexpr int threads = 4, rounds = 2000;
  locked r;
  int unguarded = 0;  // guarded by nothing but the lock
  std::vector<std::thread> crowd;
  for (int t = 0; t < threads; ++t)
    crowd.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) r.with_lock([&](jealous_resource&) { ++unguarded; });
    });
  for (std::thread& t : crowd) t.join();
  EXPECT_EQ(unguarded, threads * rounds);
}

TEST(Synchronized, ReleasesTheLockIfTheResourceThrows) {
  synchronized<global_heap> r;
  volatile std::size_t impossible = std::size_t{1} << 62;
  EXPECT_THROW(static_cast<void>(r.allocate(impossible)), std::bad_alloc);
  r.deallocate(r.allocate(10), 10);
}

TEST(Synchronized, EqualIfTheResourcesAreEqual) {
  synchronized<global_heap> a, b;
  EXPECT_TRUE(a == a);
  EXPECT_TRUE(a == b);
}

}  // namespace
}  // namespace heapsmith

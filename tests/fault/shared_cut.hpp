// Kills a process after every instruction of a call that changes the segment, and checks that its
// heir finds all blocks and that no memory is lost.
#pragma once

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "heapsmith/shared_region.hpp"
#include "region/robust_lock.hpp"
#include "region/shared_mapping.hpp"

namespace heapsmith::test {

using image = std::vector<std::byte>;

constexpr std::size_t segment_bytes = 64 * 1024;
constexpr std::size_t lock_at = 64;
constexpr std::uint32_t held_bit = 1;  // of the first word of the lock

/// The live blocks by offset, with sizes, and the largest possible request.
struct picture {
  std::map<std::uint64_t, std::size_t> live;
  std::size_t largest;
  friend bool operator==(const picture&, const picture&) = default;
};

inline picture picture_of(const shared_region& r) {
  picture p = {};
  r.for_each_block([&](const hs_region_block& b) {
    if (b.state == HS_REGION_IN_USE) p.live[r.to_offset(b.pointer)] = b.bytes;
  });
  p.largest = r.defragment();
  return p;
}

/// A child that stops before the call under test, and then executes one instruction at a time.
class patient {
 public:
  patient(const shared_memory& memory, bool attached,
          const std::function<void(shared_region&, const mapping&)>& act) {
    child_ = fork();
    if (child_ == 0) live(memory, attached, act);
    int status = 0;
    waitpid(child_, &status, 0);
    alive_ = WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP;
  }
  ~patient() { kill(); }
  patient(const patient&) = delete;
  patient& operator=(const patient&) = delete;

  /// Returns: false once the call is over.
  bool step() {
    int status = 0;
    if (!alive_ || ptrace(PTRACE_SINGLESTEP, child_, nullptr, nullptr) != 0) return false;
    waitpid(child_, &status, 0);
    alive_ = WIFSTOPPED(status);
    return alive_ && WSTOPSIG(status) == SIGTRAP;
  }

  void kill() {
    if (child_ == 0) return;
    ::kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }

  [[nodiscard]] bool is_alive() const { return alive_; }

 private:
  [[noreturn]] static void live(const shared_memory& memory, bool attached,
                                const std::function<void(shared_region&, const mapping&)>& act) {
    const mapping mine(memory);
    shared_region r;
    if (attached && r.attach(mine.at(), mine.bytes()) != 0) _exit(1);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(2);
    raise(SIGSTOP);
    act(r, mine);
    raise(SIGSTOP);
    _exit(0);
  }

  pid_t child_;
  bool alive_ = false;
};

class SharedCut : public testing::Test {
 protected:
  using action = std::function<void(shared_region&, const mapping&)>;

  void SetUp() override {
    if (!patient(memory_, false, [](shared_region&, const mapping&) {}).is_alive())
      GTEST_SKIP() << "tracing processes is not permitted here";
    ASSERT_EQ(region_.create(here_.at(), here_.bytes()), 0);
  }

  void* block(std::size_t bytes) {
    void* const p = region_.allocate(bytes);
    std::memset(p, static_cast<int>(region_.to_offset(p) / 16), bytes);
    return p;
  }

  /// Checks that each block that is live in both pictures has the contents that block() wrote,
  /// except for those that the action may write.
  void expect_contents(const picture& now, const picture& before, std::uint64_t written) {
    for (const auto& [offset, bytes] : now.live) {
      const auto at = before.live.find(offset);
      if (at == before.live.end() || offset == written) continue;
      ASSERT_EQ(at->second, bytes);
      const auto* const p = static_cast<const unsigned char*>(region_.from_offset(offset));
      for (std::size_t i = 0; i < bytes; ++i)
        ASSERT_EQ(p[i], static_cast<unsigned char>(offset / 16)) << offset << " at " << i;
    }
  }

  /// Fills the rest of a block whose size was rounded up, so that all of it can be compared.
  void fill_usable() {
    region_.for_each_block([&](const hs_region_block& b) {
      if (b.state == HS_REGION_IN_USE)
        std::memset(b.pointer, static_cast<int>(region_.to_offset(b.pointer) / 16), b.bytes);
    });
  }

  /// Returns: an image of the segment before `act`, and after each of its instructions that changes
  /// the segment.
  std::vector<image> images_of(const action& act, bool attached) {
    std::vector<image> all = {copy()};
    patient whole(memory_, attached, act);
    while (whole.step())
      if (std::memcmp(all.back().data(), here_.at(), segment_bytes) != 0) all.push_back(copy());
    return all;
  }

  /// Leaves the segment as a process that was killed with this image of it: with the lock held, if
  /// the process held it.
  void die_with(const image& at_death) {
    std::uint32_t lock_word;
    std::memcpy(&lock_word, at_death.data() + lock_at, sizeof lock_word);
    restore(unlocked_);
    constexpr std::size_t behind = lock_at + sizeof(regions::robust_lock);
    if ((lock_word & held_bit) == 0) {
      // Its slot is marked or free. No thread waits for a slot.
      std::memcpy(here_.at(), at_death.data(), lock_at);
      std::memcpy(here_.byte(behind), at_death.data() + behind, segment_bytes - behind);
      return;
    }
    const pid_t child = fork();
    if (child == 0) {
      auto& lock = *reinterpret_cast<regions::robust_lock*>(here_.byte(lock_at));
      regions::robust_lock::claim claim(lock);
      if (lock.lock(claim, [] { return true; }) != 0) _exit(1);
      std::memcpy(here_.at(), at_death.data(), lock_at);
      std::memcpy(here_.byte(behind), at_death.data() + behind, segment_bytes - behind);
      raise(SIGKILL);
    }
    waitpid(child, nullptr, 0);
  }

  /// Kills a process after every instruction of `act` that changes the segment, and expects the
  /// state before or after `act`. `written`: a block whose contents the action may change.
  void cut(const action& act, const void* written = nullptr, bool attached = true) {
    if (attached) unlocked_ = copy();
    const std::vector<image> images = images_of(act, attached);
    const picture after = picture_of(region_);
    restore(images.front());
    const picture before = picture_of(region_);  // recovers if necessary
    for (std::size_t i = 0; i < images.size() && !HasFatalFailure(); ++i) {
      die_with(images[i]);
      expect_whole(before, after, region_.to_offset(written));
      if (HasFatalFailure()) ADD_FAILURE() << "killed at change " << i << " of " << images.size();
    }
    restore(unlocked_);
  }

  void expect_whole(const picture& before, const picture& after, std::uint64_t written) {
    ASSERT_EQ(region_.check(), 0) << hs_region_invariant(region_.check());
    const picture now = picture_of(region_);
    if (now == before)
      ++undone_;
    else if (now == after)
      ++done_;
    else
      ASSERT_TRUE(is_allowed_(now)) << now.live.size() << " blocks, largest " << now.largest;
    expect_contents(now, before, written);
    void* const p = region_.try_allocate(24);
    ASSERT_NE(p, nullptr);
    region_.deallocate(p);
    ASSERT_EQ(region_.check(), 0);
  }

  image copy() { return {here_.byte(0), here_.byte(segment_bytes)}; }
  void restore(const image& from) { std::memcpy(here_.at(), from.data(), from.size()); }

  shared_memory memory_{segment_bytes};
  mapping here_{memory_};
  shared_region region_;
  std::function<bool(const picture&)> is_allowed_ = [](const picture&) { return false; };
  image unlocked_;
  unsigned undone_ = 0, done_ = 0;
  /// While the lock is released the block is already the caller's, which may die before it gets it.
  static constexpr unsigned lost_at_most_ = 6;
  /// Before the lock is taken and the intent written: the lock's counter and word, and a mutex.
  static constexpr unsigned undone_at_most_ = 10;
};

}  // namespace heapsmith::test

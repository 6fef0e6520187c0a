// The smoke test of a region: millions of random steps in a large buffer, contents checked
// throughout.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stress.hpp"

namespace stress {

/// A buffer as programs get theirs for a region: address space, of which no more is backed by
/// memory than is touched.
class mapped_buffer {
 public:
  explicit mapped_buffer(std::size_t bytes) : bytes_(bytes) {
    at_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at_ == MAP_FAILED) fail("no buffer of %zu bytes", bytes);
  }
  ~mapped_buffer() { munmap(at_, bytes_); }
  mapped_buffer(const mapped_buffer&) = delete;
  mapped_buffer& operator=(const mapped_buffer&) = delete;

  void* at() const { return at_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* at_;
  std::size_t bytes_;
};

/// One thread's share of the smoke: frees, reallocations and allocations 1:1:3 of up to 128 KiB,
/// which in time fill the buffer, so that most of the steps are taken at its brim.
template <class R>
class smoke {
 public:
  static constexpr std::size_t most_bytes = 128 << 10;

  smoke(R& region, std::uint64_t seed) : region_(region), random_(seed) {}

  void run(std::size_t steps) {
    for (; steps > 0; --steps) step();
  }

  /// Checks and frees everything that is left.
  void finish() {
    while (!live_.empty()) free_at(live_.size() - 1);
  }

  std::size_t refused() const { return refused_; }
  std::size_t allocated() const { return allocated_; }

 private:
  void step() {
    const std::size_t what = random_.below(5);
    if (what == 0 && !live_.empty())
      free_at(random_.below(live_.size()));
    else if (what == 1 && !live_.empty())
      resize_at(random_.below(live_.size()));
    else
      allocate();
  }

  /// Sizes from all ranges: uniform ones alone would leave the exact bins idle.
  std::size_t some_bytes() {
    const std::size_t most = random_.one_in(4) ? most_bytes : std::size_t{32} << random_.below(13);
    return sizeof(header) + random_.below(most - sizeof(header) + 1);
  }

  void allocate() {
    const std::size_t bytes = some_bytes();
    void* p = region_.try_allocate(bytes, 16);
    if (p == nullptr) return make_room();
    ++allocated_;
    live_.push_back(fill(p, bytes, random_.next()));
  }

  void resize_at(std::size_t index) {
    const header was = *live_[index];
    const std::size_t bytes = some_bytes();
    check(live_[index]);
    void* p = nullptr;
    try {
      p = region_.reallocate(live_[index], was.bytes, bytes, 16);
    } catch (const std::bad_alloc&) {
      check(live_[index]);  // as it was
      return make_room();
    }
    live_[index] = check_and_refill(p, was.bytes, was.tag, bytes);
  }

  /// The buffer is full: a sixteenth of the blocks goes, or the test would only be refused.
  void make_room() {
    ++refused_;
    for (std::size_t n = live_.size() / 16; n > 0; --n) free_at(random_.below(live_.size()));
  }

  void free_at(std::size_t index) {
    header* h = live_[index];
    check(h);
    live_[index] = live_.back();
    live_.pop_back();
    region_.deallocate(h, h->bytes, 16);
  }

  R& region_;
  random random_;
  std::vector<header*> live_;
  std::size_t refused_ = 0;
  std::size_t allocated_ = 0;
};

}  // namespace stress

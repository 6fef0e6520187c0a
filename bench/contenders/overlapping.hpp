// The negative control of the checks: every OVERLAP_PERIOD-th block begins within the one before
// it and is written to at once, as its owner would do. Without this variable all blocks are sound.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Blocks are cut from pieces one after another and never reused.
class overlapping_blocks {
 public:
  overlapping_blocks() {
    const char* period = std::getenv("OVERLAP_PERIOD");
    if (period != nullptr) period_ = std::strtoul(period, nullptr, 10);
  }

  void* allocate(std::size_t bytes) {
    const std::lock_guard guard(lock_);
    const std::size_t rounded = std::max((bytes + 15) / 16 * 16, least);
    if (rounded > left_) renew(rounded);
    const bool overlaps = period_ != 0 && counted.fetch_add(1) % period_ == 0 && last_ != nullptr;
    std::byte* block = std::exchange(last_, next_);
    if (overlaps) {
      std::memset(block, 0xa5, least);
      return block;
    }
    block = next_;
    next_ += rounded;
    left_ -= rounded;
    return block;
  }

  void deallocate(void*, std::size_t) {}

 private:
  static inline std::atomic<std::size_t> counted = 1;  // by all objects
  static constexpr std::size_t least = 16;
  static constexpr std::size_t piece = std::size_t{4} << 20;

  void renew(std::size_t need) {
    left_ = std::max(need, piece);
    pieces_.push_back(std::make_unique<std::byte[]>(left_));
    next_ = pieces_.back().get();
    last_ = nullptr;
  }

  std::mutex lock_;
  std::vector<std::unique_ptr<std::byte[]>> pieces_;
  std::byte* next_ = nullptr;
  std::byte* last_ = nullptr;
  std::size_t left_ = 0;
  std::size_t period_ = 0;
};

template <class T>
class overlapping_allocator {
 public:
  using value_type = T;

  explicit overlapping_allocator(overlapping_blocks& blocks) : blocks_(&blocks) {}
  template <class U>
  overlapping_allocator(const overlapping_allocator<U>& other) : blocks_(other.blocks()) {}

  T* allocate(std::size_t count) { return static_cast<T*>(blocks_->allocate(count * sizeof(T))); }
  void deallocate(T*, std::size_t) {}

  overlapping_blocks* blocks() const { return blocks_; }
  template <class U>
  bool operator==(const overlapping_allocator<U>& other) const {
    return blocks_ == other.blocks();
  }

 private:
  overlapping_blocks* blocks_;
};

struct overlapping {
  static constexpr const char* name = "overlapping";
  static constexpr bool is_faulty = true;
  static std::string version() { return "0"; }

  using blocks = overlapping_blocks;

  class memory {
   public:
    explicit memory(std::span<std::byte>) {}
    template <class T>
    overlapping_allocator<T> of() {
      return overlapping_allocator<T>(blocks_);
    }

   private:
    overlapping_blocks blocks_;
  };

  class objects {
   public:
    explicit objects(std::span<std::byte>) {}
    template <class T>
    T* make(std::uint32_t number) {
      return ::new (blocks_.allocate(sizeof(T))) T(number);
    }
    template <class T>
    void end(std::span<T*> all) {
      for (T* each : all) std::destroy_at(each);
    }

   private:
    overlapping_blocks blocks_;
  };
};

}  // namespace bench

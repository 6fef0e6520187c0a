// An upstream that remembers what it gave, insists on getting exactly that back, and can refuse.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <new>

#include "heapsmith/resource.hpp"

namespace heapsmith {

class strict_upstream {
 public:
  strict_upstream() = default;
  strict_upstream(const strict_upstream&) = delete;
  strict_upstream& operator=(const strict_upstream&) = delete;
  ~strict_upstream() { EXPECT_TRUE(given_.empty()) << given_.size() << " blocks were kept"; }

  void* allocate(std::size_t bytes, std::size_t align) {
    void* p = try_allocate(bytes, align);
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }

  void* try_allocate(std::size_t bytes, std::size_t align) noexcept {
    const entered guard(*this);
    if (bytes > limit_bytes || held_bytes_ > limit_bytes - bytes) return nullptr;
    void* p = memory_.try_allocate(bytes, align);
    if (p == nullptr) return nullptr;
    given_[p] = {bytes, align};
    held_bytes_ += bytes;
    ++calls;
    return p;
  }

  void deallocate(void* p, std::size_t bytes, std::size_t align) noexcept {
    const entered guard(*this);
    const auto found = given_.find(p);
    ASSERT_NE(found, given_.end()) << "not given, or given back before";
    EXPECT_EQ(found->second.bytes, bytes);
    EXPECT_EQ(found->second.align, align);
    held_bytes_ -= bytes;
    given_.erase(found);
    memory_.deallocate(p, bytes, align);
  }

  std::size_t held_blocks() const { return given_.size(); }
  std::size_t held_bytes() const { return held_bytes_; }

  std::size_t limit_bytes = static_cast<std::size_t>(-1);
  std::size_t calls = 0;

 private:
  struct extent {
    std::size_t bytes, align;
  };

  /// One thread at a time: resources promise that to their upstream.
  struct entered {
    explicit entered(strict_upstream& u) : upstream(u) { EXPECT_EQ(upstream.inside_++, 0); }
    ~entered() { EXPECT_EQ(--upstream.inside_, 0); }
    strict_upstream& upstream;
  };

  default_resource memory_;
  std::map<void*, extent> given_;
  std::size_t held_bytes_ = 0;
  int inside_ = 0;
};

}  // namespace heapsmith

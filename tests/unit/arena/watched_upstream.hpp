// An upstream that checks what is returned to it, and can refuse requests.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <utility>

#include "heapsmith/resource.hpp"

namespace heapsmith {

class watched_upstream {
 public:
  watched_upstream() = default;
  watched_upstream(const watched_upstream&) = delete;
  watched_upstream& operator=(const watched_upstream&) = delete;
  ~watched_upstream() { EXPECT_TRUE(live_.empty()) << live_.size() << " blocks were kept"; }

  void* allocate(std::size_t bytes, std::size_t align) {
    void* p = try_allocate(bytes, align);
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }

  void* try_allocate(std::size_t bytes, std::size_t align) noexcept {
    ++calls;
    if (bytes > largest || held() + bytes > capacity) return nullptr;
    void* p = memory_.try_allocate(bytes, align);
    if (p != nullptr) live_[p] = {bytes, align};
    return p;
  }

  void deallocate(void* p, std::size_t bytes, std::size_t align) noexcept {
    EXPECT_EQ(live_.count(p), 1u);
    EXPECT_EQ(live_[p], std::pair(bytes, align));
    live_.erase(p);
    memory_.deallocate(p, bytes, align);
  }

  std::size_t held() const {
    std::size_t sum = 0;
    for (const auto& [p, block] : live_) sum += block.first;
    return sum;
  }
  std::size_t blocks() const { return live_.size(); }

  int calls = 0;                    ///< of allocate and try_allocate
  std::size_t capacity = SIZE_MAX;  ///< the most bytes that it allocates at a time
  std::size_t largest = SIZE_MAX;   ///< the largest block that it allocates

 private:
  default_resource memory_;
  std::map<void*, std::pair<std::size_t, std::size_t>> live_;
};

static_assert(resource<watched_upstream>);

}  // namespace heapsmith

// Shared by property tests: the number of steps, and an upstream that counts.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <map>

#include "heapsmith/resource.hpp"

namespace heapsmith {

/// Returns: `usual` steps, times HEAPSMITH_TEST_STEPS where that is set to a number.
inline std::size_t property_steps(std::size_t usual) {
  const char* factor = std::getenv("HEAPSMITH_TEST_STEPS");
  return usual * (factor == nullptr ? 1 : std::strtoull(factor, nullptr, 10));
}

/// Counts what it hands out, can refuse, and notices a block given back with another size.
class counting_upstream {
 public:
  counting_upstream() = default;
  counting_upstream(const counting_upstream&) = delete;
  counting_upstream& operator=(const counting_upstream&) = delete;

  void* allocate(std::size_t bytes, std::size_t align) {
    if (refuses_) throw std::bad_alloc();
    void* p = inner_.allocate(bytes, align);
    live_[p] = bytes;
    ++calls_;
    return p;
  }
  void* try_allocate(std::size_t bytes, std::size_t align) noexcept {
    return refuses_ ? nullptr : allocate(bytes, align);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t align) noexcept {
    if (live_.at(p) != bytes) std::abort();
    live_.erase(p);
    inner_.deallocate(p, bytes, align);
  }

  [[nodiscard]] std::size_t calls() const { return calls_; }
  [[nodiscard]] std::size_t live_blocks() const { return live_.size(); }
  [[nodiscard]] std::size_t live_bytes() const {
    std::size_t sum = 0;
    for (const auto& [p, bytes] : live_) sum += bytes;
    return sum;
  }
  void refuse(bool does) { refuses_ = does; }

 private:
  default_resource inner_;
  std::map<void*, std::size_t> live_;
  std::size_t calls_ = 0;
  bool refuses_ = false;
};

}  // namespace heapsmith

// The negative control of the programs' checks: every OVERLAP_PERIOD-th block begins inside the one
// before it; without this variable none does.
//
// Blocks are cut one after another from the buffer and never reused, so nothing else can be wrong.
// The overlap is the smallest possible one: the last 16 bytes of a block.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>

namespace bench {

class contender {
 public:
  static constexpr const char* name = "overlapping";
  static constexpr bool uses_buffer = true;
  static constexpr bool is_thread_safe = false;

  static std::string version() { return "0"; }

  explicit contender(std::span<std::byte> buffer) : buffer_(buffer) {
    const char* period = std::getenv("OVERLAP_PERIOD");
    if (period != nullptr) period_ = std::strtoul(period, nullptr, 10);
  }

  void* allocate(std::size_t bytes) {
    const std::size_t rounded = (bytes + 15) / 16 * 16;
    const bool overlaps = period_ != 0 && ++count_ % period_ == 0 && end_ >= 16;
    const std::size_t at = overlaps ? end_ - 16 : end_;
    if (rounded > buffer_.size() - at) return nullptr;
    end_ = at + rounded;
    return buffer_.data() + at;
  }

  void deallocate(void*, std::size_t) {}

  void renew() { end_ = 0; }

 private:
  std::span<std::byte> buffer_;
  std::size_t end_ = 0;
  std::size_t count_ = 0;
  std::size_t period_ = 0;
};

}  // namespace bench

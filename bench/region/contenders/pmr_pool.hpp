// Contender pmr-pool: std::pmr's pools over a monotonic resource over the buffer.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>
#include <span>
#include <string>

namespace bench {

class contender {
 public:
  static constexpr const char* name = "pmr-pool";
  static constexpr bool uses_buffer = true;
  static constexpr bool is_thread_safe = false;

  // That of the standard library is the compiler's.
  static std::string version() { return __VERSION__; }

  explicit contender(std::span<std::byte> buffer)
      : memory_(buffer.data(), buffer.size(), std::pmr::null_memory_resource()), pools_(&memory_) {}

  void* allocate(std::size_t bytes) {
    try {
      return pools_.allocate(rounded(bytes), 16);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  void deallocate(void* block, std::size_t bytes) { pools_.deallocate(block, rounded(bytes), 16); }

  // Blocks too large for its pools are never reused, so it starts from scratch between repetitions.
  void renew() {
    pools_.release();
    memory_.release();
  }

 private:
  // GCC 12's pools of blocks of 24 bytes serve requests aligned to 16 without aligning them.
  static std::size_t rounded(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::unsynchronized_pool_resource pools_;
};

}  // namespace bench

// The resident set of this process, and arrays that its allocator does not know.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <span>

#include "resident_set.hpp"
#include "support/report.hpp"

namespace bench {

inline std::uint64_t resident_bytes() {
  const std::uint64_t bytes = lab::resident_set_bytes();
  expect(bytes != 0, "no resident set in /proc/self/smaps_rollup");
  return bytes;
}

// Zeroed elements with a mapping of their own, which child processes share. Its memory is there
// from the beginning, so its page faults are not measured.
template <class T>
class mapped_array {
 public:
  explicit mapped_array(std::size_t count) : count_(count) {
    const int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE;
    void* got = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, flags, -1, 0);
    expect(got != MAP_FAILED, "no memory for the benchmark itself");
    data_ = static_cast<T*>(got);
  }

  mapped_array(const mapped_array&) = delete;
  mapped_array& operator=(const mapped_array&) = delete;
  ~mapped_array() { munmap(data_, bytes()); }

  std::span<T> all() { return {data_, count_}; }
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  std::size_t bytes() const { return (count_ == 0 ? 1 : count_) * sizeof(T); }

  std::size_t count_;
  T* data_ = nullptr;
};

}  // namespace bench

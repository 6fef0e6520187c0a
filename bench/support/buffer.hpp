// The memory of all contenders: of one size, with all OS pages already mapped.
#pragma once

#include <cstddef>
#include <span>
#include <sys/mman.h>

#include "report.hpp"

namespace bench {

class buffer {
 public:
  explicit buffer(std::size_t bytes) : bytes_(bytes) {
    void* got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    expect(got != MAP_FAILED, "no memory for the buffer");
    data_ = static_cast<std::byte*>(got);
  }

  ~buffer() { munmap(data_, bytes_); }

  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;

  std::span<std::byte> memory() const { return {data_, bytes_}; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

}  // namespace bench

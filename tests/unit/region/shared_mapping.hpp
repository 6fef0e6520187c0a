// Shared by the tests of shared regions: memory that is mapped at several addresses.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace heapsmith::test {

/// Anonymous memory that children inherit and that can be mapped more than once.
class shared_memory {
 public:
  explicit shared_memory(std::size_t bytes) : bytes_(bytes), file_(memfd_create("segment", 0)) {
    if (file_ < 0 || ftruncate(file_, static_cast<off_t>(bytes)) != 0) std::abort();
  }
  ~shared_memory() { close(file_); }
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] int file() const { return file_; }

 private:
  std::size_t bytes_;
  int file_;
};

/// One mapping of it, at a multiple of `align`.
class mapping {
 public:
  explicit mapping(const shared_memory& memory, std::size_t align = 4096)
      : whole_bytes_(memory.bytes() + align), bytes_(memory.bytes()) {
    whole_ = mmap(nullptr, whole_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (whole_ == MAP_FAILED) std::abort();
    const auto at = (reinterpret_cast<std::uintptr_t>(whole_) + align - 1) & ~(align - 1);
    at_ = mmap(reinterpret_cast<void*>(at), bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
               memory.file(), 0);
    if (at_ == MAP_FAILED) std::abort();
  }
  ~mapping() { munmap(whole_, whole_bytes_); }
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;

  [[nodiscard]] void* at() const { return at_; }
  [[nodiscard]] std::byte* byte(std::size_t i) const { return static_cast<std::byte*>(at_) + i; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* whole_;
  std::size_t whole_bytes_;
  void* at_;
  std::size_t bytes_;
};

}  // namespace heapsmith::test

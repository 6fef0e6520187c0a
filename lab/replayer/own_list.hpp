// A list in memory of the replay's own, which comes from the kernel and is never given back.
#pragma once

#include <string.h>
#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace heapsmith::replayer {

template <class T>
class own_list {
 public:
  void push(const T& entry) {
    if ((count_ + 1) * sizeof(T) > bytes_) grow();
    new (&entries_[count_++]) T(entry);
  }
  void pop() { --count_; }
  void clear() { count_ = 0; }
  std::size_t count() const { return count_; }
  T& operator[](std::size_t at) const { return entries_[at]; }
  std::size_t own_bytes() const { return bytes_; }

 private:
  /// Effects: doubles the room. Touches all pages, so that they can be subtracted.
  void grow() {
    const std::size_t wanted = bytes_ == 0 ? 64 * 1024 : 2 * bytes_;
    void* const moved = bytes_ == 0 ? mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)
                                    : mremap(entries_, bytes_, wanted, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) __builtin_trap();
    memset(static_cast<char*>(moved) + bytes_, 0, wanted - bytes_);
    entries_ = static_cast<T*>(moved);
    bytes_ = wanted;
  }

  T* entries_ = nullptr;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace heapsmith::replayer
